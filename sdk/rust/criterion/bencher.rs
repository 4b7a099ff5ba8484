//! What a benchmark's closure is given.

use crate::measurement::Measurement;
use crate::settings::BatchSize;
use crate::worker::Driver;
use std::marker::PhantomData;
use std::time::Duration;

/// Times a routine.
pub struct Bencher<'a, M: Measurement = crate::measurement::WallTime> {
    driver: &'a mut Driver,
    measurement: PhantomData<fn() -> M>,
}

impl<'a, M: Measurement> Bencher<'a, M> {
    pub(crate) fn new(driver: &'a mut Driver) -> Self {
        Bencher { driver, measurement: PhantomData }
    }

    #[inline(always)]
    pub fn iter<O, R>(&mut self, routine: R)
    where
        R: FnMut() -> O,
    {
        self.driver.time(routine);
    }

    #[inline(never)]
    pub fn iter_custom<R>(&mut self, mut routine: R)
    where
        R: FnMut(u64) -> M::Value,
    {
        self.driver.time_by(|calls| time_of::<M>(routine(calls)));
    }

    #[doc(hidden)]
    pub fn iter_with_setup<I, O, S, R>(&mut self, setup: S, routine: R)
    where
        S: FnMut() -> I,
        R: FnMut(I) -> O,
    {
        self.iter_batched(setup, routine, BatchSize::PerIteration);
    }

    pub fn iter_with_large_drop<O, R>(&mut self, mut routine: R)
    where
        R: FnMut() -> O,
    {
        self.iter_batched(|| (), |()| routine(), BatchSize::SmallInput);
    }

    #[doc(hidden)]
    pub fn iter_with_large_setup<I, O, S, R>(&mut self, setup: S, routine: R)
    where
        S: FnMut() -> I,
        R: FnMut(I) -> O,
    {
        self.iter_batched(setup, routine, BatchSize::NumBatches(1));
    }

    #[inline(never)]
    pub fn iter_batched<I, O, S, R>(&mut self, setup: S, routine: R, size: BatchSize)
    where
        S: FnMut() -> I,
        R: FnMut(I) -> O,
    {
        let batch = |calls| size.calls_per_batch(calls);
        self.driver.time_batches(setup, routine, batch);
    }

    #[inline(never)]
    pub fn iter_batched_ref<I, O, S, R>(&mut self, setup: S, routine: R, size: BatchSize)
    where
        S: FnMut() -> I,
        R: FnMut(&mut I) -> O,
    {
        let batch = |calls| size.calls_per_batch(calls);
        self.driver.time_batches_in_place(setup, routine, batch);
    }

    /// Futures of the routine are awaited on this executor.
    #[cfg(feature = "async")]
    pub fn to_async<'b, A: AsyncExecutor>(&'b mut self, runner: A) -> AsyncBencher<'a, 'b, A, M> {
        AsyncBencher { b: self, runner }
    }
}

/// Only times are measured: a benchmark with another value is left out before it runs.
fn time_of<M: Measurement>(value: M::Value) -> Duration {
    // SAFETY: `M` is the time of the wall here, whose value is a `Duration`; the sizes are compared all the same.
    unsafe {
        assert_eq!(std::mem::size_of::<M::Value>(), std::mem::size_of::<Duration>());
        let value = std::mem::ManuallyDrop::new(value);
        std::ptr::read((&*value as *const M::Value).cast::<Duration>())
    }
}

#[cfg(feature = "async")]
use crate::async_executor::AsyncExecutor;
#[cfg(feature = "async")]
use std::future::Future;

/// Times a routine whose outputs are futures.
#[cfg(feature = "async")]
pub struct AsyncBencher<'a, 'b, A: AsyncExecutor, M: Measurement = crate::measurement::WallTime> {
    b: &'b mut Bencher<'a, M>,
    runner: A,
}

#[cfg(feature = "async")]
impl<'a, 'b, A: AsyncExecutor, M: Measurement> AsyncBencher<'a, 'b, A, M> {
    #[inline(never)]
    pub fn iter<O, R, F>(&mut self, routine: R)
    where
        R: FnMut() -> F,
        F: Future<Output = O>,
    {
        let AsyncBencher { b, runner } = self;
        runner.block_on(b.driver.time_awaited(routine));
    }

    #[inline(never)]
    pub fn iter_custom<R, F>(&mut self, mut routine: R)
    where
        R: FnMut(u64) -> F,
        F: Future<Output = M::Value>,
    {
        let AsyncBencher { b, runner } = self;
        runner.block_on(b.driver.time_awaited_by(|calls| {
            let value = routine(calls);
            async move { time_of::<M>(value.await) }
        }));
    }

    #[doc(hidden)]
    pub fn iter_with_setup<I, O, S, R, F>(&mut self, setup: S, routine: R)
    where
        S: FnMut() -> I,
        R: FnMut(I) -> F,
        F: Future<Output = O>,
    {
        self.iter_batched(setup, routine, BatchSize::PerIteration);
    }

    pub fn iter_with_large_drop<O, R, F>(&mut self, mut routine: R)
    where
        R: FnMut() -> F,
        F: Future<Output = O>,
    {
        self.iter_batched(|| (), |()| routine(), BatchSize::SmallInput);
    }

    #[doc(hidden)]
    pub fn iter_with_large_setup<I, O, S, R, F>(&mut self, setup: S, routine: R)
    where
        S: FnMut() -> I,
        R: FnMut(I) -> F,
        F: Future<Output = O>,
    {
        self.iter_batched(setup, routine, BatchSize::NumBatches(1));
    }

    #[inline(never)]
    pub fn iter_batched<I, O, S, R, F>(&mut self, setup: S, routine: R, size: BatchSize)
    where
        S: FnMut() -> I,
        R: FnMut(I) -> F,
        F: Future<Output = O>,
    {
        let AsyncBencher { b, runner } = self;
        let batch = |calls| size.calls_per_batch(calls);
        runner.block_on(b.driver.time_awaited_batches(setup, routine, batch));
    }

    /// The routine's future holds its input only until it is made, as in Criterion.
    #[inline(never)]
    pub fn iter_batched_ref<I, O, S, R, F>(&mut self, setup: S, mut routine: R, size: BatchSize)
    where
        S: FnMut() -> I,
        R: FnMut(&mut I) -> F,
        F: Future<Output = O>,
    {
        let AsyncBencher { b, runner } = self;
        let batch = |calls| size.calls_per_batch(calls);
        runner.block_on(b.driver.time_awaited_batches_in_place(setup, &mut routine, batch));
    }
}
