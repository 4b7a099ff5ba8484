//! Coverage of intervals by simulation: how often they hold the truth.

use crate::source::{Draw, Source};
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
