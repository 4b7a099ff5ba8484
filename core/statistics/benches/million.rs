//! Everything that is said of a million samples: the primitives on a sorted slice, and the whole estimate of a variant.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use tare_samples::{Calibration, Correction, Launch, Subject, Turn};
use tare_statistics::{density, estimate, normal, outliers, peaks, quantile};

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

/// The same million as 12 launches of 40 rounds, with as many samples of the null.
fn launches(samples: &[f64]) -> Vec<Launch> {
    let turn = |round: usize, subject: Subject, elapsed: Vec<u64>| Turn {
        round: round as u32,
        subject,
        warm: 1,
        iterations: vec![1000; elapsed.len()],
        elapsed,
        pauses: Vec::new(),
        at_ns: 0,
        stretch: None,
    };
    let each = samples.len() / (12 * 40);
    let mut turns = samples.chunks_exact(each);
    (0..12)
        .map(|_| {
            let rounds = (0..40).filter_map(|round| Some((round, turns.next()?)));
            let turns = rounds.flat_map(|(round, samples)| {
                let case: Vec<u64> = samples.iter().map(|time| (time * 1000.0) as u64).collect();
                let null: Vec<u64> = samples.iter().map(|time| (time * 200.0) as u64).collect();
                [
                    turn(round, Subject::Case, case),
                    turn(round, Subject::Null, null),
                    turn(round, Subject::Clock, vec![40; 100]),
                ]
            });
            Launch { turns: turns.collect(), ..Launch::default() }
        })
        .collect()
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
    let launches = launches(&samples);
    let calibration = Calibration { iterations: 1000, samples_per_turn: 2083, rounds: 40, ..Calibration::default() };
    group.bench_function("estimate", |bencher| {
        bencher.iter(|| estimate(black_box(&launches), &calibration, Correction::Serial));
    });
    group.finish();
}

criterion_group!(benches, bench);
criterion_main!(benches);
