//! Everything that is said of a million samples, sorted once.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use tare_statistics::{density, normal, outliers, peaks, quantile};

fn million() -> Vec<f64> {
    let mut generator = Pcg64::seed_from_u64(1);
    let mut time = || {
        let time = (0.1 * normal::quantile(generator.random_range(1e-9..1.0))).exp() * 1000.0;
        if generator.random_bool(0.01) { 3.0 * time } else { time }
    };
    (0..1_000_000).map(|_| time()).collect()
}

fn describe(values: &mut [f64]) {
    quantile::sort(values);
    for probability in [0.5, 0.95, 0.99] {
        black_box(quantile::quantile(values, probability));
    }
    black_box((quantile::mean(values), quantile::standard_deviation(values), quantile::mad(values)));
    black_box(outliers::tukey(values));
    if let Some(bandwidth) = density::silverman_bandwidth(values) {
        black_box(density::mode(values, bandwidth));
    }
}

fn bench(criterion: &mut Criterion) {
    let samples = million();
    let mut group = criterion.benchmark_group("million");
    group.sample_size(10);
    group.bench_function("describe", |bencher| {
        bencher.iter_batched_ref(|| samples.clone(), |values| describe(values), criterion::BatchSize::LargeInput);
    });
    let mut sorted = samples.clone();
    quantile::sort(&mut sorted);
    group.bench_function("peaks", |bencher| bencher.iter(|| peaks::peaks(black_box(&sorted), 0.0)));
    group.finish();
}

criterion_group!(benches, bench);
criterion_main!(benches);
