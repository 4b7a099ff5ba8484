//! What a benchmark's body is given for each sample: it says how often to call, times the calls, and runs the scale in their place where that is weighed.

use super::amounts::Amounts;
use super::clock::Clock;
use super::heap::{Allocations, Counter};
use super::stretch::Stretch;
use super::watch::Watch;
use std::future::Future;
use std::hint::black_box;
use std::mem::{size_of, ManuallyDrop};
use std::time::Duration;

/// What runs in the loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// The benchmark's own calls.
    Case,
    /// The same loop with an empty body.
    Null,
    /// The null with a pause in each call.
    Pause,
}

/// A turn of a benchmark: its samples, one after the other. A front end calls one of its methods once; of several calls the last one counts.
pub struct Driver {
    clock: Clock,
    role: Role,
    /// Calls of each sample.
    iterations: Vec<i64>,
    /// Untimed samples before them.
    warm: usize,
    /// Samples begun, untimed ones too.
    begun: usize,
    /// Nanoseconds of each.
    pub(crate) elapsed: Vec<i64>,
    /// Pairs of pause and resume in each.
    pub(crate) pauses: Vec<i64>,
    pub(crate) stretch: Stretch,
    /// Where allocations are counted, and not times taken.
    pub(crate) counter: Option<Counter>,
    /// Those of each sample.
    pub(crate) allocated: Vec<Allocations>,
    pub(crate) amounts: Amounts,
    pub(crate) is_manual: bool,
    pub(crate) has_looped: bool,
}

impl Driver {
    pub(crate) fn new(clock: Clock, iterations: &[i64], warm: usize, role: Role) -> Self {
        Self {
            clock,
            role,
            iterations: iterations.to_vec(),
            warm,
            begun: 0,
            elapsed: vec![0; iterations.len()],
            pauses: vec![0; iterations.len()],
            stretch: Stretch::default(),
            counter: None,
            allocated: Vec::new(),
            amounts: Amounts::default(),
            is_manual: false,
            has_looped: false,
        }
    }

    /// A turn whose allocations are counted.
    pub(crate) fn counting(clock: Clock, iterations: &[i64], warm: usize, counter: Counter) -> Self {
        let allocated = vec![Allocations::default(); iterations.len()];
        Self { counter: Some(counter), allocated, ..Self::new(clock, iterations, warm, Role::Case) }
    }

    /// What each call processes: `bytes`, `items`, or a figure of another name.
    pub fn each_processes(&mut self, of: &'static str, amount: u64) {
        self.amounts.fix(of, amount);
    }

    /// What so many calls of the turn have processed together.
    pub fn have_processed(&mut self, of: &'static str, total: u128, calls: u64) {
        self.amounts.add(of, total, calls);
    }

    /// Calls of the next sample, at least 1; `None` after the last one. Each is followed by [`Driver::keep_parts`], for front ends with a loop of their own.
    pub fn next_sample(&mut self) -> Option<u64> {
        let count = self.iterations.len();
        if self.begun == self.warm + count {
            self.stretch.end();
            self.begun = 0;
            return None;
        }
        if self.begun == self.warm {
            self.stretch.begin();
        }
        let place = if self.begun < self.warm { self.begun % count } else { self.begun - self.warm };
        self.begun += 1;
        // Without a loop of its own, a bare call is the loop's only pass.
        Some(self.iterations[place].max(1) as u64)
    }

    /// Calls of the shortest sample of the turn.
    pub(crate) fn fewest_calls(&self) -> u64 {
        self.iterations.iter().min().map_or(1, |calls| (*calls).max(1) as u64)
    }

    /// Whether the sample under way counts.
    pub(crate) fn is_timed(&self) -> bool {
        self.begun > self.warm
    }

    /// For samples in several parts: [`Driver::keep_parts`] takes it back.
    pub fn watch(&self) -> Watch {
        Watch::new(self.clock)
    }

    /// The sample is what the watch has timed. Its parts are told as pairs of pause and resume, so that the core knows that time passes between them; a pair weighs nothing,
    /// as the scale (`time_pauses`) shows.
    pub fn keep_parts(&mut self, watch: &Watch) {
        self.keep(watch.taken(), watch.parts());
    }

    /// The sample took so many ticks of the clock, and allocated so much.
    pub(crate) fn keep_both(&mut self, ticks: u64, allocated: Allocations) {
        self.keep_allocated(allocated);
        self.keep(ticks, 0);
    }

    pub(crate) fn keep_allocated(&mut self, allocated: Allocations) {
        let place = self.begun.checked_sub(self.warm + 1);
        if let Some(kept) = place.and_then(|place| self.allocated.get_mut(place)) {
            *kept = allocated;
        }
    }

    /// Whether the scale is weighed, and the benchmark's own calls aren't wanted; it has been, in the loop of [`Driver::time`], where this is true.
    pub fn is_weighed(&mut self) -> bool {
        match self.role {
            Role::Case => return false,
            Role::Null => self.time_nothing::<()>(),
            Role::Pause => self.time_pauses(),
        }
        true
    }

    /// Times a loop over `routine`. Its outputs are dropped within the time.
    #[inline(never)]
    pub fn time<O, R: FnMut() -> O>(&mut self, routine: R) {
        match self.role {
            Role::Case => {
                // It isn't dropped after a panic: see `time_calls`.
                let mut routine = ManuallyDrop::new(routine);
                while let Some(calls) = self.next_sample() {
                    let before = self.counter.map(|counter| (counter.read)());
                    let ticks = time_calls(self.clock, calls, &mut routine);
                    let after = self.counter.map(|counter| (counter.read)());
                    self.keep_both(ticks, after.unwrap_or_default().since(before.unwrap_or_default()));
                }
                drop(ManuallyDrop::into_inner(routine));
            }
            Role::Null => self.time_nothing::<O>(),
            Role::Pause => self.time_pauses(),
        }
    }

    /// As [`Driver::time`], with a loop that the compiler makes a part of the benchmark's function where it would do so with libtest's.
    ///
    /// Whether it does decides what is left of the benchmark: within the function it uses what it knows of the values around the loop. It goes by the size of the loop, by the number of places
    /// that call it and by how deep these are nested. So the loop is libtest's and about as large with its readings, and it is called at two places, within two loops.
    pub fn time_within<O, R: FnMut() -> O>(&mut self, mut routine: R) {
        match self.role {
            Role::Case => {
                for samples in [self.warm, self.iterations.len()] {
                    for _ in 0..samples {
                        // There are so many: a way out of the loop would make it look as if it had fewer passes.
                        let calls = self.next_sample().unwrap_or(1);
                        match self.counter {
                            Some(counter) => {
                                let before = (counter.read)();
                                let nanoseconds = time_calls_within(&self.clock, calls, &mut routine);
                                self.keep_allocated((counter.read)().since(before));
                                self.keep_nanoseconds(nanoseconds);
                            }
                            None => {
                                let nanoseconds = time_calls_within(&self.clock, calls, &mut routine);
                                self.keep_nanoseconds(nanoseconds);
                            }
                        }
                    }
                }
                // Ends the turn.
                self.next_sample();
            }
            Role::Null => self.time_nothing_within::<O>(),
            Role::Pause => self.time_pauses(),
        }
    }

    /// Takes the time that `routine` says its calls took: neither clock nor loop are in it, and nothing is taken off.
    pub fn time_by(&mut self, mut routine: impl FnMut(u64) -> Duration) {
        let is_case = self.role == Role::Case;
        while let Some(calls) = self.next_sample() {
            let taken = if is_case { routine(calls) } else { Duration::ZERO };
            self.keep_set(taken);
        }
    }

    /// Times a loop that awaits what `routine` begins.
    pub async fn time_awaited<O, F: Future<Output = O>>(&mut self, mut routine: impl FnMut() -> F) {
        let clock = self.clock;
        match self.role {
            Role::Case => {
                while let Some(calls) = self.next_sample() {
                    let begin = clock.read();
                    let mut left = calls;
                    while left != 0 {
                        black_box(routine().await);
                        left = pinned(left) - 1;
                    }
                    self.keep(clock.read().wrapping_sub(begin), 0);
                }
            }
            Role::Null => {
                while let Some(calls) = self.next_sample() {
                    let begin = clock.read();
                    let mut left = calls;
                    while left != 0 {
                        nothing().await;
                        black_box(());
                        left = pinned(left) - 1;
                    }
                    self.keep(clock.read().wrapping_sub(begin), 0);
                }
            }
            Role::Pause => self.time_pauses(),
        }
    }

    /// Awaits `routine` on what `setup` makes, as [`Driver::time_batches`] does.
    pub async fn time_awaited_batches<I, O, F: Future<Output = O>>(
        &mut self,
        mut setup: impl FnMut() -> I,
        mut routine: impl FnMut(I) -> F,
        batch: impl Fn(u64) -> u64,
    ) {
        if self.is_weighed() {
            return;
        }
        let mut inputs: Vec<I> = Vec::new();
        let mut outputs: Vec<O> = Vec::new();
        while let Some(calls) = self.next_sample() {
            let (mut left, mut watch) = (calls, self.watch());
            while left > 0 {
                let size = batch(calls).clamp(1, left) as usize;
                inputs.extend((0..size).map(|_| setup()));
                outputs.reserve(size);
                let mut taken = inputs.drain(..);
                watch.start();
                for input in &mut taken {
                    outputs.push(routine(input).await);
                }
                watch.stop();
                drop(taken);
                black_box(&mut outputs).clear();
                left -= size as u64;
            }
            self.keep_parts(&watch);
        }
    }

    /// The same where `routine` changes its input in place.
    pub async fn time_awaited_batches_in_place<I, O, F: Future<Output = O>>(
        &mut self,
        mut setup: impl FnMut() -> I,
        mut routine: impl FnMut(&mut I) -> F,
        batch: impl Fn(u64) -> u64,
    ) {
        if self.is_weighed() {
            return;
        }
        let mut inputs: Vec<I> = Vec::new();
        let mut outputs: Vec<O> = Vec::new();
        while let Some(calls) = self.next_sample() {
            let (mut left, mut watch) = (calls, self.watch());
            while left > 0 {
                let size = batch(calls).clamp(1, left) as usize;
                inputs.extend((0..size).map(|_| setup()));
                outputs.reserve(size);
                watch.start();
                for input in &mut inputs {
                    outputs.push(routine(input).await);
                }
                watch.stop();
                black_box(&mut outputs).clear();
                black_box(&mut inputs).clear();
                left -= size as u64;
            }
            self.keep_parts(&watch);
        }
    }

    /// Takes the time that the awaited `routine` says its calls took, as [`Driver::time_by`] does.
    pub async fn time_awaited_by<F: Future<Output = Duration>>(&mut self, mut routine: impl FnMut(u64) -> F) {
        let is_case = self.role == Role::Case;
        while let Some(calls) = self.next_sample() {
            let taken = if is_case { routine(calls).await } else { Duration::ZERO };
            self.keep_set(taken);
        }
    }

    /// The loop with an empty body. An output of a word or two is put where `black_box` wants it, as that of the subject is.
    fn time_nothing<O>(&mut self) {
        while let Some(calls) = self.next_sample() {
            let ticks = match size_of::<O>() {
                1..=8 => time_calls(self.clock, calls, &mut ManuallyDrop::new(|| 0u64)),
                9..=16 => time_calls(self.clock, calls, &mut ManuallyDrop::new(|| (0u64, 0u64))),
                _ => time_calls(self.clock, calls, &mut ManuallyDrop::new(|| ())),
            };
            self.keep(ticks, 0);
        }
    }

    /// The same for [`Driver::time_within`].
    #[inline(never)]
    fn time_nothing_within<O>(&mut self) {
        while let Some(calls) = self.next_sample() {
            let nanoseconds = match size_of::<O>() {
                1..=8 => time_calls_within(&self.clock, calls, &mut || 0u64),
                9..=16 => time_calls_within(&self.clock, calls, &mut || (0u64, 0u64)),
                _ => time_calls_within(&self.clock, calls, &mut || ()),
            };
            self.keep_nanoseconds(nanoseconds);
        }
    }

    /// One part of nothing in each call.
    #[inline(never)]
    fn time_pauses(&mut self) {
        while let Some(calls) = self.next_sample() {
            let (mut watch, mut left) = (self.watch(), calls);
            while left != 0 {
                watch.start();
                black_box(());
                watch.stop();
                left -= 1;
            }
            self.keep_parts(&watch);
        }
    }

    fn keep(&mut self, ticks: u64, pairs: u64) {
        self.is_manual = false;
        self.put(self.clock.nanoseconds(ticks), pairs);
    }

    fn keep_nanoseconds(&mut self, nanoseconds: u64) {
        self.is_manual = false;
        self.put(nanoseconds, 0);
    }

    fn keep_set(&mut self, taken: Duration) {
        self.is_manual = true;
        self.put(taken.as_nanos().min(9_000_000_000_000_000) as u64, 0);
    }

    fn put(&mut self, nanoseconds: u64, pairs: u64) {
        self.has_looped = true;
        if let Some(place) = self.begun.checked_sub(self.warm + 1) {
            self.elapsed[place] = nanoseconds as i64;
            self.pauses[place] = pairs as i64;
        }
    }
}

/// A loop of its own, so that the place of its code doesn't depend on what stands around it. It takes the routine out of its place for as long, so that captured values may be
/// kept in registers; after a panic what stays in that place must not be dropped.
#[inline(never)]
fn time_calls<O, R: FnMut() -> O>(clock: Clock, calls: u64, place: &mut ManuallyDrop<R>) -> u64 {
    // SAFETY: it is put back below. A panic leaves a copy in the place that nobody uses or drops.
    let mut routine = ManuallyDrop::new(unsafe { ManuallyDrop::take(place) });
    let begin = clock.read();
    let mut left = calls;
    while left != 0 {
        black_box(routine());
        left = pinned(left) - 1;
    }
    let ticks = clock.read().wrapping_sub(begin);
    *place = routine;
    ticks
}

/// The loop of libtest's `ns_iter_inner`, in nanoseconds. The clock is read by a call, as there: an inlined reading would make it larger.
fn time_calls_within<O, R: FnMut() -> O>(clock: &Clock, calls: u64, routine: &mut R) -> u64 {
    let begin = read(clock);
    for _ in 0..calls {
        black_box(routine());
    }
    clock.nanoseconds(read(clock).wrapping_sub(begin))
}

#[inline(never)]
fn read(clock: &Clock) -> u64 {
    clock.read()
}

async fn nothing() {}

/// A count that stays in a register, and whose passes the compiler can neither merge nor leave out: the null's empty loop is as real as the subject's.
#[inline(always)]
#[allow(unused_mut)]
pub(crate) fn pinned(mut count: u64) -> u64 {
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64"))]
    // SAFETY: there is no instruction in it.
    unsafe {
        std::arch::asm!("/* {0} */", inout(reg) count, options(nomem, nostack, preserves_flags));
    }
    count
}
