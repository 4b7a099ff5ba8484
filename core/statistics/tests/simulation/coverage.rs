//! Coverage of intervals by simulation: how often they hold the truth.

use crate::source::{Draw, Source};
use tare_statistics::bootstrap::{self, Resampling};
use tare_statistics::quantile::sort;
use tare_statistics::rank_interval::interpolated;

#[test]
fn the_interpolated_interval_holds_the_median_as_often_as_it_says() {
    const RUNS: usize = 40_000;
    let shapes: [(&str, f64, Draw); 4] = [
        ("normal", 0.0, &|s| s.gaussian()),
        ("log-normal 0.3", 1.0, &|s| s.log_normal(0.3)),
        ("log-normal 1", 1.0, &|s| s.log_normal(1.0)),
        ("laplace", 0.0, &|s| s.laplace()),
    ];
    for n in [6, 7, 8, 10, 15, 20, 30] {
        for (name, truth, one) in &shapes {
            let mut source = Source::new(41);
            let held = (0..RUNS)
                .filter(|_| {
                    let mut values = source.draw(n, one);
                    sort(&mut values);
                    interpolated(&values, 0.95).is_some_and(|interval| interval.holds(*truth))
                })
                .count();
            let coverage = held as f64 / RUNS as f64;
            println!("{name} n {n}: {coverage:.4}");
            assert!((0.94..=0.98).contains(&coverage), "{name}, n {n}: {coverage}");
        }
    }
}

#[test]
fn the_hierarchical_interval_holds_the_level() {
    const RUNS: u64 = 300;
    let mut source = Source::new(43);
    let held = (0..RUNS)
        .filter(|&seed| {
            let launches: Vec<Vec<f64>> = (0..20)
                .map(|_| {
                    let level = 100.0 + source.gaussian();
                    source.draw(30, |s| level + 2.0 * s.gaussian())
                })
                .collect();
            let resampling = Resampling { resamples: 400, confidence: 0.95, seed };
            bootstrap::hierarchical_median(&launches, &resampling).is_some_and(|interval| interval.holds(100.0))
        })
        .count();
    let coverage = held as f64 / RUNS as f64;
    println!("hierarchical: {coverage:.3}");
    assert!((0.91..=0.99).contains(&coverage), "{coverage}");
}

#[test]
fn the_accelerated_interval_holds_a_skewed_mean() {
    const RUNS: u64 = 400;
    let mut source = Source::new(47);
    let mean = |values: &mut [f64]| values.iter().sum::<f64>() / values.len() as f64;
    let held = (0..RUNS)
        .filter(|&seed| {
            let values = source.draw(40, |s| s.log_normal(0.5));
            let resampling = Resampling { resamples: 600, confidence: 0.95, seed };
            bootstrap::bca(&values, mean, &resampling).is_some_and(|interval| interval.holds(0.125f64.exp()))
        })
        .count();
    let coverage = held as f64 / RUNS as f64;
    println!("accelerated: {coverage:.3}");
    assert!((0.90..=0.98).contains(&coverage), "{coverage}");
}
