//! Calls in several threads at once. The threads of a turn live as long as the turn.

use super::around::Around;
use super::driver::Driver;
use super::gate::Gate;
use super::heap::Allocations;
use super::panics;
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};
use std::sync::mpsc;
use std::thread;

impl Driver {
    /// Each of `count` threads makes all calls of each sample: `work` makes them, and times them with the watch of what it is given. A sample is what a thread took, on average.
    pub(crate) fn time_in_threads(&mut self, count: usize, work: &(dyn Fn(u64, &mut Around<'_>) + Sync)) {
        let gate = Gate::new(count);
        let (done, outcomes) = mpsc::channel();
        let prototype = Around { gate: Some(&gate), ..self.around() };
        let guarded = |calls: u64| {
            let mut around = prototype.clone();
            let outcome = catch_unwind(AssertUnwindSafe(|| work(calls, &mut around)));
            if outcome.is_err() {
                gate.open();
            }
            outcome.map(|()| (around.watch.taken(), around.allocated))
        };
        thread::scope(|scope| {
            let mut orders = Vec::new();
            for number in 1..count {
                let (order, ordered) = mpsc::channel::<u64>();
                let (done, guarded) = (done.clone(), &guarded);
                let serve = move || {
                    panics::keep_those_of_this_thread();
                    for calls in ordered {
                        if done.send(guarded(calls)).is_err() {
                            break;
                        }
                    }
                };
                match thread::Builder::new().spawn_scoped(scope, serve) {
                    Ok(_) => orders.push(order),
                    Err(error) => panic!("the system gives {number} of {count} threads: {error}"),
                }
            }
            while let Some(calls) = self.next_sample() {
                for order in &orders {
                    // A thread is there as long as its orders are.
                    let _ = order.send(calls);
                }
                let own = guarded(calls);
                let others: Vec<_> = orders.iter().filter_map(|_| outcomes.recv().ok()).collect();
                let (mut ticks, mut allocated) = (0u128, Allocations::default());
                for outcome in others.into_iter().chain([own]) {
                    let (taken, allocations) = outcome.unwrap_or_else(|payload| resume_unwind(payload));
                    ticks += u128::from(taken);
                    allocated = allocated.plus(allocations);
                }
                let threads = count as u64;
                let mean = Allocations { count: allocated.count / threads, bytes: allocated.bytes / threads };
                self.keep_both((ticks / count as u128) as u64, mean);
            }
        });
    }
}
