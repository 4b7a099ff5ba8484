//! What isn't timed, on all CPUs at once.

use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

/// Does `jobs` on a thread for each of `cpus`, in their order as far as threads are free, and hands what comes out to `done` on the calling
/// thread, as it comes. `start` makes what a thread works with; it is told its CPU; where no CPUs are named there is one thread without. `done` returns whether to go on: what was begun is
/// brought to an end and handed over all the same.
pub(crate) fn on_all_cpus<J: Sync, W, R: Send>(
    jobs: &[J],
    cpus: &[usize],
    start: impl Fn(Option<usize>) -> W + Sync,
    work: impl Fn(&mut W, &J) -> R + Sync,
    done: impl FnMut(&J, R) -> bool,
) {
    on_all_cpus_in_parts(jobs, cpus, start, |worker: &mut W, job: &J, tell: &dyn Fn(R)| tell(work(worker, job)), done);
}

/// The same for jobs that hand over what comes out in parts. Where one thread is enough, or the system gives no other, that is the calling one.
pub(crate) fn on_all_cpus_in_parts<J: Sync, W, R: Send>(
    jobs: &[J],
    cpus: &[usize],
    start: impl Fn(Option<usize>) -> W + Sync,
    work: impl Fn(&mut W, &J, &dyn Fn(R)) + Sync,
    mut done: impl FnMut(&J, R) -> bool,
) {
    if jobs.len().min(cpus.len()) < 2 {
        return on_this_thread(jobs, || start(cpus.first().copied()), work, done);
    }
    let next = AtomicUsize::new(0);
    let (results, received) = mpsc::channel();
    let are_none = thread::scope(|scope| {
        let mut are_none = true;
        for &cpu in cpus.iter().take(jobs.len()) {
            let (results, next, start, work) = (results.clone(), &next, &start, &work);
            let spawned = thread::Builder::new().spawn_scoped(scope, move || {
                let mut worker = start(Some(cpu));
                while let Some((at, job)) =
                    Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|at| Some((at, jobs.get(at)?)))
                {
                    // The calling thread receives until all threads have ended.
                    work(&mut worker, job, &|part| _ = results.send((at, part)));
                }
            });
            are_none &= spawned.is_err();
        }
        drop(results);
        for (at, result) in received {
            if !done(&jobs[at], result) {
                next.store(jobs.len(), Ordering::Relaxed);
            }
        }
        are_none
    });
    if are_none {
        on_this_thread(jobs, || start(cpus.first().copied()), work, done);
    }
}

fn on_this_thread<J, W, R>(
    jobs: &[J],
    start: impl FnOnce() -> W,
    work: impl Fn(&mut W, &J, &dyn Fn(R)),
    done: impl FnMut(&J, R) -> bool,
) {
    if jobs.is_empty() {
        return;
    }
    let (mut worker, done, goes_on) = (start(), RefCell::new(done), Cell::new(true));
    for job in jobs.iter().take_while(|_| goes_on.get()) {
        work(&mut worker, job, &|part| {
            if !(*done.borrow_mut())(job, part) {
                goes_on.set(false);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;

    use super::on_all_cpus;

    #[test]
    fn every_job_is_done_once_and_as_many_at_once_as_there_are_cpus() {
        // Each waits for two others: with fewer threads none would ever be through.
        let barrier = Barrier::new(3);
        let (mut seen, mut places) = (BTreeSet::new(), BTreeSet::new());
        let work = |cpu: &mut Option<usize>, job: &u32| {
            barrier.wait();
            (*cpu, job * 2)
        };
        on_all_cpus(
            &[1, 2, 3, 4, 5, 6],
            &[7, 8, 9],
            |cpu| cpu,
            work,
            |job, (cpu, twice)| {
                assert_eq!(twice, job * 2);
                places.insert(cpu);
                seen.insert(*job)
            },
        );
        assert_eq!((seen.len(), places), (6, [Some(7), Some(8), Some(9)].into()));
    }

    #[test]
    fn who_is_told_to_stop_begins_nothing_more() {
        // All but the first wait until it is said, so few can have begun by then.
        let stopped = AtomicBool::new(false);
        let jobs: Vec<u32> = (0..1000).collect();
        let work = |(): &mut (), job: &u32| {
            while *job > 0 && !stopped.load(Ordering::Relaxed) {
                thread::yield_now();
            }
        };
        let mut seen = 0;
        on_all_cpus(
            &jobs,
            &[0, 1],
            |_| (),
            work,
            |_, ()| {
                seen += 1;
                stopped.store(true, Ordering::Relaxed);
                false
            },
        );
        assert!((1..1000).contains(&seen), "{seen}");
        let (caller, mut seen) = (thread::current().id(), 0);
        on_all_cpus(
            &jobs,
            &[0],
            |_| assert_eq!(thread::current().id(), caller, "one needs no thread of its own"),
            |(), job| *job,
            |job, of| {
                assert_eq!(*job, of);
                seen += 1;
                seen < 3
            },
        );
        assert_eq!(seen, 3);
        on_all_cpus(&[0u32; 0], &[0], |_| (), work, |_, ()| panic!("there is nothing to do"));
    }
}
