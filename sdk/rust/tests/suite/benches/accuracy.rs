//! Subjects whose times are known from each other: docs/validation.md tells what they read.
use criterion::{black_box, criterion_group, criterion_main, BatchSize, BenchmarkId, Criterion};
use std::time::{Duration, Instant};

fn nothing(c: &mut Criterion) {
    let mut group = c.benchmark_group("nothing");
    group.bench_function("unit", |b| b.iter(|| ()));
    group.bench_function("number", |b| b.iter(|| 7u64));
    group.bench_function("black_box", |b| b.iter(|| black_box(7u32)));
}

fn chain(c: &mut Criterion) {
    let mut group = c.benchmark_group("chain");
    macro_rules! chain {
        ($($length:literal)*) => { $(
            group.bench_function(BenchmarkId::from_parameter($length), |b| {
                let mut value = black_box(3u64);
                b.iter(|| {
                    let mut product = value;
                    for _ in 0..$length {
                        product = product.wrapping_mul(black_box_register(product | 1));
                    }
                    value = product;
                    product
                });
            });
        )* };
    }
    chain!(10 20 40 80);
}

/// The compiler doesn't know the value, which stays in its register.
#[inline(always)]
fn black_box_register(mut value: u64) -> u64 {
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    // SAFETY: there is no instruction in it.
    unsafe {
        std::arch::asm!("/* {0} */", inout(reg) value, options(pure, nomem, nostack, preserves_flags));
    }
    value
}

/// Works for about so long.
fn spin(duration: Duration) -> u64 {
    let begin = Instant::now();
    let mut turns = 0;
    while begin.elapsed() < duration {
        turns += 1;
    }
    turns
}

fn set_ups(c: &mut Criterion) {
    let mut group = c.benchmark_group("set_up");
    for microseconds in [0u64, 1, 10, 100, 1000] {
        let duration = Duration::from_micros(microseconds);
        for (name, size) in [("small", BatchSize::SmallInput), ("per call", BatchSize::PerIteration)] {
            group.bench_function(BenchmarkId::new(name, microseconds), |b| {
                b.iter_batched(|| spin(duration), |turns| turns, size)
            });
        }
        group.bench_function(BenchmarkId::new("vector", microseconds), |b| {
            b.iter_batched(|| (spin(duration), vec![1u8; 100]), |input| input, BatchSize::SmallInput);
        });
        group.bench_function(BenchmarkId::new("in place", microseconds), |b| {
            b.iter_batched_ref(|| (spin(duration), vec![1u8; 100]), |_| (), BatchSize::SmallInput);
        });
    }
}

criterion_group!(benches, nothing, chain, set_ups);
criterion_main!(benches);
