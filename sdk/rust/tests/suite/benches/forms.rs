//! Every form of Criterion's interface. What a case did is written down where a test can read it: a line for each event, in the file that TARE_TEST_EVENTS names.
use criterion::async_executor::AsyncExecutor;
use criterion::measurement::{Measurement, ValueFormatter, WallTime};
use criterion::profiler::Profiler;
use criterion::{
    black_box, criterion_group, criterion_main, AxisScale, BatchSize, Bencher, Benchmark, BenchmarkId, Criterion, Fun,
    ParameterizedBenchmark, PlotConfiguration, SamplingMode, Throughput,
};
use std::cell::Cell;
use std::future::Future;
use std::io::Write;
use std::path::Path;
use std::pin::Pin;
use std::task::{Context, Poll, RawWaker, RawWakerVTable, Waker};
use std::time::Duration;

fn event(text: &str) {
    if let Some(path) = std::env::var_os("TARE_TEST_EVENTS") {
        let mut file = std::fs::OpenOptions::new().append(true).create(true).open(path).unwrap();
        writeln!(file, "{text}").unwrap();
    }
}

/// Tells how often it was called when it is dropped.
struct Counter(&'static str, Cell<u64>);

impl Counter {
    fn new(name: &'static str) -> Self {
        Counter(name, Cell::new(0))
    }
    fn add(&self) {
        self.1.set(self.1.get() + 1);
    }
}

impl Drop for Counter {
    fn drop(&mut self) {
        event(&format!("{} {}", self.0, self.1.get()));
    }
}

fn plain(c: &mut Criterion) {
    c.bench_function("iter", |b| {
        let calls = Counter::new("calls");
        b.iter(|| calls.add());
    });
    c.bench_function("twice", |b| {
        let (first, second) = (Counter::new("first"), Counter::new("second"));
        b.iter(|| first.add());
        b.iter(|| second.add());
    });
    c.bench_function("large drop", |b| {
        let calls = Counter::new("calls");
        b.iter_with_large_drop(|| {
            calls.add();
            vec![1u8; 100]
        });
    });
    c.bench_function("custom", |b| b.iter_custom(|calls| Duration::from_nanos(3 * calls)));
    c.bench_with_input(BenchmarkId::new("input", 7), &7u32, |b, input| b.iter(|| black_box(*input) + 1));
}

/// Batches are made, handed over and dropped as often as there are calls.
struct Tracked<'a>(&'a Counter);

impl Drop for Tracked<'_> {
    fn drop(&mut self) {
        self.0.add();
    }
}

fn batches(c: &mut Criterion) {
    let mut group = c.benchmark_group("batches");
    let sizes = [
        ("small", BatchSize::SmallInput),
        ("large", BatchSize::LargeInput),
        ("one", BatchSize::PerIteration),
        ("batches", BatchSize::NumBatches(3)),
        ("calls", BatchSize::NumIterations(4)),
    ];
    for (name, size) in sizes {
        group.bench_with_input(BenchmarkId::new("by value", name), &size, |b, size| {
            let (made, dropped, calls) = (Counter::new("made"), Counter::new("dropped"), Counter::new("calls"));
            let set_up = || {
                made.add();
                Tracked(&dropped)
            };
            b.iter_batched(
                set_up,
                |input| {
                    calls.add();
                    input
                },
                *size,
            );
        });
        group.bench_with_input(BenchmarkId::new("in place", name), &size, |b, size| {
            let (made, dropped, calls) = (Counter::new("made"), Counter::new("dropped"), Counter::new("calls"));
            let set_up = || {
                made.add();
                Tracked(&dropped)
            };
            b.iter_batched_ref(set_up, |_| calls.add(), *size);
        });
    }
    group.bench_function("with setup", |b| b.iter_with_setup(|| vec![1, 2, 3], |input| input.len()));
    group.bench_function("with large setup", |b| b.iter_with_large_setup(|| vec![1, 2, 3], |input| input.len()));
    group.finish();
}

fn groups(c: &mut Criterion) {
    let mut group = c.benchmark_group("group");
    group.sample_size(20).measurement_time(Duration::from_secs(1)).warm_up_time(Duration::from_millis(1));
    group.nresamples(2000).noise_threshold(0.1).confidence_level(0.9).significance_level(0.1);
    group
        .sampling_mode(SamplingMode::Flat)
        .plot_config(PlotConfiguration::default().summary_scale(AxisScale::Logarithmic));
    group.throughput(Throughput::Bytes(64));
    group.bench_function("bytes", |b| b.iter(|| ()));
    group.throughput(Throughput::BytesDecimal(65));
    group.bench_function("decimal", |b| b.iter(|| ()));
    group.throughput(Throughput::Elements(3));
    group.bench_function(BenchmarkId::new("elements", "a b/\"c\""), |b| b.iter(|| ()));
    group.throughput(Throughput::ElementsAndBytes { elements: 4, bytes: 5 });
    group.bench_with_input(BenchmarkId::from_parameter(9), "text", |b: &mut Bencher, text: &str| b.iter(|| text.len()));
    group.throughput(Throughput::Bits(12));
    group.bench_function("bits", |b| b.iter(|| ()));
}

fn old(c: &mut Criterion) {
    c.bench("old", Benchmark::new("one", |b| b.iter(|| 1)).with_function("two", |b| b.iter(|| 2)).sample_size(10));
    c.bench("alone", Benchmark::new("alone", |b| b.iter(|| 1)).throughput(Throughput::Elements(1)));
    c.bench(
        "valued",
        ParameterizedBenchmark::new("of", |b, value| b.iter(|| *value), vec![1u8, 2])
            .throughput(|value| Throughput::Bytes(u64::from(*value))),
    );
    c.bench_function_over_inputs("over", |b, value| b.iter(|| *value), vec![3u8, 4]);
    c.bench_functions(
        "functions",
        vec![Fun::new("f", |b, value: &u8| b.iter(|| *value)), Fun::new("g", |b, value: &u8| b.iter(|| *value))],
        5u8,
    );
}

/// Polls until a future is ready.
struct Polling;

impl AsyncExecutor for Polling {
    fn block_on<T>(&self, future: impl Future<Output = T>) -> T {
        fn clone(_: *const ()) -> RawWaker {
            RawWaker::new(std::ptr::null(), &TABLE)
        }
        fn nothing(_: *const ()) {}
        static TABLE: RawWakerVTable = RawWakerVTable::new(clone, nothing, nothing, nothing);
        // SAFETY: the waker does nothing.
        let waker = unsafe { Waker::from_raw(clone(std::ptr::null())) };
        let mut context = Context::from_waker(&waker);
        let mut future = Box::pin(future);
        loop {
            if let Poll::Ready(value) = Pin::as_mut(&mut future).poll(&mut context) {
                return value;
            }
        }
    }
}

fn futures(c: &mut Criterion) {
    let mut group = c.benchmark_group("async");
    group.bench_function("iter", |b| {
        let calls = Counter::new("calls");
        b.to_async(Polling).iter(|| async { calls.add() });
    });
    group.bench_function("custom", |b| {
        b.to_async(Polling).iter_custom(|calls| async move { Duration::from_nanos(5 * calls) })
    });
    group.bench_function("batched", |b| {
        let (made, calls) = (Counter::new("made"), Counter::new("calls"));
        b.to_async(Polling).iter_batched(|| made.add(), |()| async { calls.add() }, BatchSize::SmallInput);
    });
    group.bench_function("in place", |b| {
        let (made, calls) = (Counter::new("made"), Counter::new("calls"));
        let make = || {
            made.add();
            1u8
        };
        b.to_async(Polling).iter_batched_ref(
            make,
            |input| {
                *input += 1;
                calls.add();
                std::future::ready(*input)
            },
            BatchSize::NumIterations(2),
        );
    });
}

/// A measurement of its own.
struct Cycles;

impl Measurement for Cycles {
    type Intermediate = u64;
    type Value = u64;
    fn start(&self) -> u64 {
        0
    }
    fn end(&self, i: u64) -> u64 {
        i
    }
    fn add(&self, v1: &u64, v2: &u64) -> u64 {
        v1 + v2
    }
    fn zero(&self) -> u64 {
        0
    }
    fn to_f64(&self, value: &u64) -> f64 {
        *value as f64
    }
    fn formatter(&self) -> &dyn ValueFormatter {
        WallTime.formatter()
    }
}

fn cycles(c: &mut Criterion<Cycles>) {
    c.bench_function("cycles", |b| b.iter(|| ()));
}

fn any<M: Measurement + 'static>(c: &mut Criterion<M>) -> bool {
    c.bench_function("of any measurement", |b| b.iter(|| ()));
    true
}

struct Silent;

impl Profiler for Silent {
    fn start_profiling(&mut self, _: &str, _: &Path) {}
    fn stop_profiling(&mut self, _: &str, _: &Path) {}
}

fn chosen(c: &mut Criterion) {
    c.bench_function("chosen 1", |b| b.iter(|| ()));
    c.bench_function("chosen two", |b| b.iter(|| ()));
}

criterion_group!(short, plain, batches, groups, old, futures, any);
criterion_group! {
    name = long;
    config = Criterion::default().with_measurement(Cycles).with_profiler(Silent).sample_size(10).without_plots();
    targets = cycles
}
criterion_group! {
    name = filtered;
    config = Criterion::default().with_filter("chosen [0-9]+$");
    targets = chosen,
}
criterion_main!(short, long, filtered);
