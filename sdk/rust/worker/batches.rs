//! Calls on inputs of their own, a batch at a time: set-ups, and the drops of inputs and outputs, lie outside of the time.

use super::around::Around;
use super::driver::{pinned, Driver};
use super::watch::Watch;
use std::hint::black_box;
use std::mem::{size_of, MaybeUninit};

/// Room for the inputs and outputs of a batch, kept from one to the next.
struct Room<I, O> {
    inputs: Vec<I>,
    outputs: Vec<O>,
}

impl<I, O> Room<I, O> {
    fn new() -> Self {
        Self { inputs: Vec::new(), outputs: Vec::new() }
    }

    /// A sample of so many calls.
    fn by_value(
        &mut self,
        calls: u64,
        batch: impl Fn(u64) -> u64,
        setup: &mut impl FnMut() -> I,
        routine: &mut impl FnMut(I) -> O,
        around: &mut Around<'_>,
    ) {
        let mut left = calls;
        while left > 0 {
            let size = batch(calls).clamp(1, left) as usize;
            self.inputs.extend((0..size).map(|_| setup()));
            self.outputs.reserve(size);
            around.part(|watch| {
                // A batch of none: the set-up has driven the loop's own code out of the caches.
                time_batch(&mut watch.another(), &mut Vec::new(), &mut self.outputs, routine);
                time_batch(watch, &mut self.inputs, &mut self.outputs, routine);
            });
            black_box(&mut self.outputs).clear();
            left -= size as u64;
        }
    }

    fn in_place(
        &mut self,
        calls: u64,
        batch: impl Fn(u64) -> u64,
        setup: &mut impl FnMut() -> I,
        routine: &mut impl FnMut(&mut I) -> O,
        around: &mut Around<'_>,
    ) {
        let mut left = calls;
        while left > 0 {
            let size = batch(calls).clamp(1, left) as usize;
            self.inputs.extend((0..size).map(|_| setup()));
            self.outputs.reserve(size);
            around.part(|watch| {
                time_batch_in_place(&mut watch.another(), &mut [], &mut self.outputs, routine);
                time_batch_in_place(watch, &mut self.inputs, &mut self.outputs, routine);
            });
            black_box(&mut self.outputs).clear();
            black_box(&mut self.inputs).clear();
            left -= size as u64;
        }
    }
}

impl Driver {
    /// Times `routine` on what `setup` makes, so many inputs at a time as `batch` says of the calls of a sample. Set-ups, and the drops of outputs, lie outside of the time; so does the buffer of a
    /// batch.
    #[inline(never)]
    pub fn time_batches<I, O>(
        &mut self,
        mut setup: impl FnMut() -> I,
        mut routine: impl FnMut(I) -> O,
        batch: impl Fn(u64) -> u64,
    ) {
        if self.is_weighed() {
            return;
        }
        let mut room = Room::new();
        while let Some(calls) = self.next_sample() {
            let mut around = self.around_batches(&batch);
            room.by_value(calls, &batch, &mut setup, &mut routine, &mut around);
            self.keep_around(&around);
        }
    }

    /// The same where `routine` changes its input in place; inputs are dropped outside of the time, too.
    #[inline(never)]
    pub fn time_batches_in_place<I, O>(
        &mut self,
        mut setup: impl FnMut() -> I,
        mut routine: impl FnMut(&mut I) -> O,
        batch: impl Fn(u64) -> u64,
    ) {
        if self.is_weighed() {
            return;
        }
        let mut room = Room::new();
        while let Some(calls) = self.next_sample() {
            let mut around = self.around_batches(&batch);
            room.in_place(calls, &batch, &mut setup, &mut routine, &mut around);
            self.keep_around(&around);
        }
    }

    /// [`Driver::time_batches`] in several threads at once, each of which makes all calls of a sample. A sample is what a thread took, on average.
    pub fn time_batches_in_threads<I, O>(
        &mut self,
        threads: usize,
        setup: impl Fn() -> I + Sync,
        routine: impl Fn(I) -> O + Sync,
        batch: impl Fn(u64) -> u64 + Sync,
    ) {
        if self.is_weighed() {
            return;
        }
        self.time_in_threads(threads, &|calls, around| {
            Room::new().by_value(calls, &batch, &mut || setup(), &mut |input| routine(input), around);
        });
    }

    /// [`Driver::time_batches_in_place`] in several threads at once.
    pub fn time_batches_in_place_in_threads<I, O>(
        &mut self,
        threads: usize,
        setup: impl Fn() -> I + Sync,
        routine: impl Fn(&mut I) -> O + Sync,
        batch: impl Fn(u64) -> u64 + Sync,
    ) {
        if self.is_weighed() {
            return;
        }
        self.time_in_threads(threads, &|calls, around| {
            Room::new().in_place(calls, &batch, &mut || setup(), &mut |input| routine(input), around);
        });
    }
}

/// Empties `inputs` without dropping them: `routine` takes each.
#[inline(never)]
fn time_batch<I, O>(watch: &mut Watch, inputs: &mut Vec<I>, outputs: &mut Vec<O>, routine: &mut impl FnMut(I) -> O) {
    let count = inputs.len();
    // SAFETY: the elements are moved out below; after a panic those that are left are never dropped.
    unsafe { inputs.set_len(0) };
    let from = inputs.as_ptr();
    let to: *mut MaybeUninit<O> = outputs.spare_capacity_mut().as_mut_ptr();
    if outputs.capacity() * size_of::<O>() > 0 {
        // SAFETY: there is room for an output. Its memory is the subject's to fill, but not to be fetched.
        unsafe { to.cast::<u8>().write_volatile(0) };
    }
    watch.start();
    let mut at = 0;
    while at != count {
        // SAFETY: `count` inputs were there, each is read once, and there is room for as many outputs.
        unsafe { (*to.add(at)).write(routine(from.add(at).read())) };
        black_box(());
        at = pinned(at as u64) as usize + 1;
    }
    watch.stop();
    // SAFETY: they have been written.
    unsafe { outputs.set_len(count) };
}

#[inline(never)]
fn time_batch_in_place<I, O>(
    watch: &mut Watch,
    inputs: &mut [I],
    outputs: &mut Vec<O>,
    routine: &mut impl FnMut(&mut I) -> O,
) {
    let count = inputs.len();
    let from = inputs.as_mut_ptr();
    let to: *mut MaybeUninit<O> = outputs.spare_capacity_mut().as_mut_ptr();
    if outputs.capacity() * size_of::<O>() > 0 {
        // SAFETY: there is room for an output. Its memory is the subject's to fill, but not to be fetched.
        unsafe { to.cast::<u8>().write_volatile(0) };
    }
    watch.start();
    let mut at = 0;
    while at != count {
        // SAFETY: there are `count` inputs, and there is room for as many outputs.
        unsafe { (*to.add(at)).write(routine(&mut *from.add(at))) };
        black_box(());
        at = pinned(at as u64) as usize + 1;
    }
    watch.stop();
    // SAFETY: they have been written.
    unsafe { outputs.set_len(count) };
}
