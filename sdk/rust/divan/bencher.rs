//! What a benchmark's function is given.

use crate::counter::{kind_of, sealed, AsCountUInt, Counter, Counters, IntoCounter, KINDS};
use crate::worker::Driver;
use std::fmt;
use std::mem::{needs_drop, size_of};
use std::sync::atomic::{AtomicU64, Ordering};

/// Inputs and outputs of a batch, at the most: they shall lie in the caches.
const MOST_BYTES: u64 = 256 * 1024;
/// The same of those that may have more memory of their own: it shall be there.
const MOST_CALLS: u64 = 1024;

/// Counts what an input, to which the pointer leads, stands for.
type CountInput = Box<dyn Fn(*const ()) -> u64 + Sync>;

/// The case that is measured.
pub(crate) struct Context<'b> {
    driver: &'b mut Driver,
    threads: usize,
    counters: Counters,
    of_inputs: [Option<CountInput>; 4],
}

/// Times a function.
#[must_use = "a benchmark function must be registered"]
pub struct Bencher<'a, 'b, C = BencherConfig> {
    context: &'a mut Context<'b>,
    config: C,
}

/// With which inputs it is called.
pub struct BencherConfig<GenI = NoInput> {
    gen_input: GenI,
}

/// With none.
pub struct NoInput;

impl<C> fmt::Debug for Bencher<'_, '_, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bencher").finish()
    }
}

/// Calls a benchmark's function with a bencher.
pub(crate) fn with_bencher(
    driver: &mut Driver,
    threads: usize,
    counters: Counters,
    bench: &mut dyn FnMut(Bencher<'_, '_>),
) {
    let mut context = Context { driver, threads, counters, of_inputs: [None, None, None, None] };
    bench(Bencher { context: &mut context, config: BencherConfig { gen_input: NoInput } });
}

/// Of a sample of so many calls: batches as large as Criterion's small ones.
fn calls_per_batch<I, O>(calls: u64) -> u64 {
    (calls / 10 + u64::from(calls % 10 > 0)).min(most_calls::<I, O>())
}

/// In several threads: as large as they may be. The longer a batch, the longer the threads are in each other's way.
fn calls_at_once<I, O>(calls: u64) -> u64 {
    calls.min(most_calls::<I, O>())
}

fn most_calls<I, O>() -> u64 {
    let each = (size_of::<I>() + size_of::<O>()).max(1) as u64;
    let most = (MOST_BYTES / each).max(1);
    if needs_drop::<I>() || needs_drop::<O>() {
        most.min(MOST_CALLS)
    } else {
        most
    }
}

impl<'b> Context<'b> {
    /// Of a function that can't be shared between threads.
    #[track_caller]
    fn local(&mut self) {
        assert!(
            self.threads == 1,
            "`bench_local` and its like run in one thread, and threads = {} is asked for",
            self.threads
        );
    }

    fn tell_counters(&mut self) {
        for (kind, count) in KINDS.into_iter().zip(self.counters.0) {
            if let Some(count) = count {
                self.driver.each_processes(kind, count);
            }
        }
    }
}

/// What inputs stand for, together.
#[derive(Default)]
struct Totals {
    totals: [AtomicU64; 4],
    inputs: AtomicU64,
}

impl Totals {
    /// Makes an input, and counts it: outside of the time.
    #[inline]
    fn counted<I>(&self, of_inputs: &[Option<CountInput>; 4], input: I) -> I {
        for (count, total) in of_inputs.iter().zip(&self.totals) {
            if let Some(count) = count {
                total.fetch_add(count((&input as *const I).cast()), Ordering::Relaxed);
            }
        }
        self.inputs.fetch_add(1, Ordering::Relaxed);
        input
    }

    fn tell(&self, of_inputs: &[Option<CountInput>; 4], driver: &mut Driver) {
        let inputs = self.inputs.load(Ordering::Relaxed);
        for ((count, total), kind) in of_inputs.iter().zip(&self.totals).zip(KINDS) {
            if count.is_some() && inputs > 0 {
                driver.have_processed(kind, u128::from(total.load(Ordering::Relaxed)), inputs);
            }
        }
    }
}

impl<'a, 'b> Bencher<'a, 'b> {
    pub fn bench<O, B>(self, benched: B)
    where
        B: Fn() -> O + Sync,
    {
        if self.context.threads > 1 {
            self.context.tell_counters();
            let threads = self.context.threads;
            let batch = calls_at_once::<(), O>;
            self.context.driver.time_batches_in_threads(threads, || (), |()| benched(), batch);
        } else {
            self.bench_local(benched);
        }
    }

    #[track_caller]
    pub fn bench_local<O, B>(self, mut benched: B)
    where
        B: FnMut() -> O,
    {
        self.context.local();
        self.context.tell_counters();
        if needs_drop::<O>() {
            self.context.driver.time_batches(|| (), |()| benched(), calls_per_batch::<(), O>);
        } else {
            self.context.driver.time(benched);
        }
    }

    pub fn with_inputs<G>(self, gen_input: G) -> Bencher<'a, 'b, BencherConfig<G>> {
        Bencher { context: self.context, config: BencherConfig { gen_input } }
    }
}

impl<'a, 'b, GenI> Bencher<'a, 'b, BencherConfig<GenI>> {
    #[doc(alias = "throughput")]
    pub fn counter<C: IntoCounter>(self, counter: C) -> Self {
        self.context.of_inputs[kind_of::<C>()] = None;
        self.context.counters.put(counter);
        self
    }
}

impl<'a, 'b, I, GenI> Bencher<'a, 'b, BencherConfig<GenI>>
where
    GenI: FnMut() -> I,
{
    pub fn input_counter<C, F>(self, make_counter: F) -> Self
    where
        F: Fn(&I) -> C + Sync + 'static,
        C: IntoCounter,
    {
        let kind = kind_of::<C>();
        self.context.counters.0[kind] = None;
        self.context.of_inputs[kind] = Some(Box::new(move |input| {
            // SAFETY: it is called with inputs of this bencher alone, whose type doesn't change any more.
            let counter = make_counter(unsafe { &*input.cast::<I>() }).into_counter();
            sealed::Sealed::number(&counter)
        }));
        self
    }

    pub fn count_inputs_as<C>(self) -> Self
    where
        C: Counter,
        I: AsCountUInt,
    {
        self.input_counter(|input: &I| <C as sealed::Sealed>::of_number(input.as_max_uint()))
    }

    pub fn bench_values<O, B>(self, benched: B)
    where
        B: Fn(I) -> O + Sync,
        GenI: Fn() -> I + Sync,
    {
        if self.context.threads == 1 {
            return self.bench_local_values(benched);
        }
        self.context.tell_counters();
        let (gen, totals) = (self.config.gen_input, Totals::default());
        let Context { driver, threads, of_inputs, .. } = self.context;
        let of_inputs = &*of_inputs;
        driver.time_batches_in_threads(*threads, || totals.counted(of_inputs, gen()), benched, calls_at_once::<I, O>);
        totals.tell(of_inputs, driver);
    }

    #[track_caller]
    pub fn bench_local_values<O, B>(self, benched: B)
    where
        B: FnMut(I) -> O,
    {
        self.context.local();
        self.context.tell_counters();
        let (mut gen, totals) = (self.config.gen_input, Totals::default());
        let Context { driver, of_inputs, .. } = self.context;
        let of_inputs = &*of_inputs;
        driver.time_batches(|| totals.counted(of_inputs, gen()), benched, calls_per_batch::<I, O>);
        totals.tell(of_inputs, driver);
    }

    pub fn bench_refs<O, B>(self, benched: B)
    where
        B: Fn(&mut I) -> O + Sync,
        GenI: Fn() -> I + Sync,
    {
        if self.context.threads == 1 {
            return self.bench_local_refs(benched);
        }
        self.context.tell_counters();
        let (gen, totals) = (self.config.gen_input, Totals::default());
        let Context { driver, threads, of_inputs, .. } = self.context;
        let of_inputs = &*of_inputs;
        driver.time_batches_in_place_in_threads(
            *threads,
            || totals.counted(of_inputs, gen()),
            benched,
            calls_at_once::<I, O>,
        );
        totals.tell(of_inputs, driver);
    }

    #[track_caller]
    pub fn bench_local_refs<O, B>(self, benched: B)
    where
        B: FnMut(&mut I) -> O,
    {
        self.context.local();
        self.context.tell_counters();
        let (mut gen, totals) = (self.config.gen_input, Totals::default());
        let Context { driver, of_inputs, .. } = self.context;
        let of_inputs = &*of_inputs;
        driver.time_batches_in_place(|| totals.counted(of_inputs, gen()), benched, calls_per_batch::<I, O>);
        totals.tell(of_inputs, driver);
    }
}
