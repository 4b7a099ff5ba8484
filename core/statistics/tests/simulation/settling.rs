//! The course of a launch by simulation: noise is steady, a warm-up is found.

use crate::source::{Sequence, Source, runs};
use tare_statistics::settling::{Settling, settle};

const LENGTHS: [(usize, usize); 6] = [(20, 2000), (30, 2000), (50, 2000), (200, 2000), (1000, 400), (5000, 60)];

#[test]
fn noise_is_steady() {
    let mut alarms = Vec::new();
    for (n, whole) in LENGTHS {
        // Of 500 at most five: a rate of 3 % is seen in 997 of 1,000 counts.
        let runs = runs(whole, whole / 4);
        let shapes: [(&str, Sequence); 8] = [
            ("gaussian", &|s| s.draw(n, |s| 1.0 + 0.02 * s.gaussian())),
            ("wide gaussian", &|s| s.draw(n, |s| 10.0 + s.gaussian())),
            ("log-normal", &|s| s.draw(n, |s| s.log_normal(0.3))),
            ("autocorrelated", &|s| s.autoregression(n, 0.5).into_iter().map(|x| 1.0 + 0.02 * x).collect()),
            ("wide autocorrelated", &|s| s.autoregression(n, 0.5).into_iter().map(|x| 10.0 + x).collect()),
            ("spiked", &|s| {
                s.draw(n, |s| {
                    let value = 1.0 + 0.02 * s.gaussian();
                    s.spiked(value, 0.02)
                })
            }),
            ("spiked autocorrelated", &|s| {
                let values = s.autoregression(n, 0.5);
                values.into_iter().map(|x| s.spiked(1.0 + 0.02 * x, 0.02)).collect()
            }),
            ("clock steps", &|s| s.draw(n, |s| (10.0 + 0.4 * s.gaussian()).round())),
        ];
        for (name, sequence) in shapes {
            let mut source = Source::new(29);
            let wrong =
                (0..runs).filter(|_| settle(&sequence(&mut source)) != Some(Settling::Steady { from: 0 })).count();
            println!("{name} n {n}: {wrong} of {runs}");
            if wrong * 100 > runs {
                alarms.push(format!("{name}, n {n}: {wrong} of {runs}"));
            }
        }
    }
    assert!(alarms.is_empty(), "not called steady: {alarms:#?}");
}

/// Runs of `runs` in which 200 samples with 2 % noise, times `shape`, are called a warm-up that ends near sample 50.
fn found(runs: usize, earliest: usize, latest: usize, shape: impl Fn(usize) -> f64, spikes: f64) -> usize {
    let mut source = Source::new(31);
    (0..runs)
        .filter(|_| {
            let times: Vec<f64> = (0..200)
                .map(|index| {
                    let value = shape(index) + 0.02 * source.gaussian();
                    source.spiked(value, spikes)
                })
                .collect();
            matches!(settle(&times), Some(Settling::WarmsUp { from }) if (earliest..=latest).contains(&from))
        })
        .count()
}

#[test]
fn a_warm_up_of_a_tenth_is_found() {
    let step = |index: usize| if index < 50 { 1.1 } else { 1.0 };
    let ramp = |index: usize| 1.0 + 0.1 * (1.0 - index as f64 / 50.0).max(0.0);
    for spikes in [0.0, 0.02] {
        let (steps, ramps) = (found(1000, 46, 54, step, spikes), found(1000, 15, 60, ramp, spikes));
        println!("spikes {spikes}: step {steps}, ramp {ramps}");
        assert!(steps >= 950, "step, spikes {spikes}: {steps} of 1000");
        assert!(ramps >= 950, "ramp, spikes {spikes}: {ramps} of 1000");
    }
}

#[test]
fn a_slow_down_and_a_drift_are_told_from_a_warm_up() {
    let mut source = Source::new(37);
    let (mut slower, mut drifting) = (0, 0);
    for _ in 0..300 {
        let times: Vec<f64> =
            (0..200).map(|index| if index < 100 { 1.0 } else { 1.1 } + 0.02 * source.gaussian()).collect();
        slower += u32::from(matches!(settle(&times), Some(Settling::SlowsDown { from }) if (95..=105).contains(&from)));
        let times: Vec<f64> = (0..200).map(|index| 1.0 + 0.005 * index as f64 + 0.01 * source.gaussian()).collect();
        drifting += u32::from(settle(&times) == Some(Settling::NeverSettles));
    }
    assert!(slower >= 285 && drifting >= 285, "{slower} {drifting} of 300");
}
