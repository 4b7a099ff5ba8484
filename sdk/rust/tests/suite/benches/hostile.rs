//! Benchmarks that fail, each in its way; the others beside them are measured all the same.
use criterion::{black_box, criterion_group, criterion_main, Criterion};

fn good(c: &mut Criterion) {
    c.bench_function("good", |b| b.iter(|| black_box(1)));
}

fn panics(c: &mut Criterion) {
    c.bench_function("panics at once", |b| b.iter(|| panic!("it \"broke\" {}", black_box(1))));
    let mut calls = 0u32;
    c.bench_function("panics later", |b| {
        b.iter(|| {
            calls += 1;
            assert!(calls < 100, "after many calls");
        });
    });
    c.bench_function("panics before", |_| panic!("no routine"));
    c.bench_function("panics with a number", |b| b.iter(|| std::panic::panic_any(7)));
    c.bench_function("returns", |_| ());
    c.bench_function("unwraps", |b| b.iter(|| black_box(None::<u8>).unwrap()));
}

fn ends(c: &mut Criterion) {
    c.bench_function("exits", |b| b.iter(|| std::process::exit(0)));
    c.bench_function("aborts", |b| b.iter(|| std::process::abort()));
}

fn names(c: &mut Criterion) {
    c.bench_function("same", |b| b.iter(|| 1));
    c.benchmark_group("same").bench_function("a", |b| b.iter(|| 1));
    c.bench_function("same", |b| b.iter(|| 2));
    c.bench_function("same/a", |b| b.iter(|| 3));
    c.bench_function(&"long ".repeat(60), |b| b.iter(|| 1));
    c.bench_function(&"é".repeat(30_000), |b| b.iter(|| 1));
    c.bench_function("tabs\tand\nlines \"quoted\" \\ \u{0}", |b| b.iter(|| 1));
}

fn sets_up_badly(c: &mut Criterion) {
    c.bench_function("before the set-up broke", |b| b.iter(|| 1));
    panic!("no such data");
}

fn reads(c: &mut Criterion) {
    c.bench_function("reads", |b| {
        b.iter(|| {
            let mut line = String::new();
            std::io::stdin().read_line(&mut line).unwrap();
            line
        });
    });
}

fn leaves(_: &mut Criterion) {
    if std::env::var_os("TARE_TEST_LEAVES").is_some() {
        std::process::exit(3);
    }
}

criterion_group!(benches, good, panics, ends, names, sets_up_badly, reads, leaves);
criterion_main!(benches);
