//! Modes by simulation: one where there is one, two where there are two.

use crate::source::{Draw, Source};
use tare_statistics::{peaks::peaks, quantile::sort};

/// Runs in which the sample has more than one peak.
fn multimodal(runs: usize, seed: u64, mut sample: impl FnMut(&mut Source) -> Vec<f64>) -> usize {
    let mut source = Source::new(seed);
    (0..runs)
        .filter(|_| {
            let mut values = sample(&mut source);
            sort(&mut values);
            peaks(&values, 0.0).len() > 1
        })
        .count()
}

const SIZES: [(usize, usize); 8] =
    [(20, 1000), (30, 1000), (50, 1000), (100, 1000), (200, 500), (1000, 200), (5000, 100), (20_000, 100)];

#[test]
fn one_mode_is_called_one() {
    for (n, runs) in SIZES {
        let shapes: [(&str, Draw); 6] = [
            ("gaussian", &|s| s.gaussian()),
            ("log-normal 0.05", &|s| s.log_normal(0.05)),
            ("log-normal 0.3", &|s| s.log_normal(0.3)),
            ("spiked gaussian", &|s| {
                let value = 1.0 + 0.02 * s.gaussian();
                s.spiked(value, 0.02)
            }),
            ("spiked log-normal", &|s| {
                let value = s.log_normal(0.3);
                s.spiked(value, 0.02)
            }),
            ("uniform", &|s| s.uniform()),
        ];
        for (name, one) in shapes {
            let wrong = multimodal(runs, 17, |source| source.draw(n, one));
            println!("{name} n {n}: {wrong} of {runs}");
            assert!(wrong * 100 <= runs, "{name}, n {n}: {wrong} of {runs} called multimodal");
        }
    }
}

#[test]
fn two_modes_are_told_apart() {
    for (n, runs) in [(100, 1000), (150, 500), (300, 300), (1000, 200), (20_000, 40)] {
        let shapes: [(&str, f64, f64); 2] = [("plain", 1.0, 0.0), ("spiked", 0.01, 0.02)];
        for (name, scale, spikes) in shapes {
            let found = multimodal(runs, 23, |source| {
                source.draw(n, |s| {
                    let mode = if s.uniform() < 0.7 { 0.0 } else { 6.0 };
                    let value = 1.0 + scale * (mode + s.gaussian());
                    s.spiked(value, spikes)
                })
            });
            println!("{name} n {n}: {found} of {runs}");
            assert!(found * 100 >= runs * 95, "{name}, n {n}: {found} of {runs} told apart");
        }
    }
}

#[test]
fn the_peaks_stand_where_the_modes_are() {
    let mut source = Source::new(3);
    let mut values = source.draw(2000, |s| if s.uniform() < 0.7 { s.gaussian() } else { 6.0 + s.gaussian() });
    sort(&mut values);
    let found = peaks(&values, 0.0);
    assert_eq!(found.len(), 2);
    assert!(found[0].location.abs() < 0.3 && (found[1].location - 6.0).abs() < 0.4, "{found:?}");
    assert!((found[0].mass - 0.7).abs() < 0.05 && found[0].density > found[1].density, "{found:?}");
}
