//! Benchmarks with several threads.
use criterion::{criterion_group, criterion_main, Criterion};
use std::sync::Once;
use std::thread;
use std::time::Duration;

fn alone(c: &mut Criterion) {
    c.bench_function("alone", |b| b.iter(|| 1));
    static ONCE: Once = Once::new();
    c.bench_function("a pool that the routine starts", |b| {
        b.iter(|| ONCE.call_once(|| drop(thread::spawn(|| thread::sleep(Duration::from_secs(60))))))
    });
}

/// As many cases as there are CPUs.
fn beside_a_runtime(c: &mut Criterion) {
    thread::spawn(|| thread::sleep(Duration::from_secs(60)));
    for cpu in 1..=thread::available_parallelism().map_or(1, usize::from) {
        c.bench_function(&format!("beside a runtime, {cpu}"), |b| b.iter(|| 1));
    }
    c.bench_function("the last", |b| b.iter(|| 1));
}

criterion_group!(benches, alone, beside_a_runtime);
criterion_main!(benches);
