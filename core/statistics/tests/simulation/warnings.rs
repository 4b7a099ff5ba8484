//! A warning means something: a suite of clean cases has none, and a planted fault is told.

use tare_samples::{Correction, Launch, Turn};
use tare_statistics::{Differing, Summary, estimate};

use crate::launches::{CLEAN, Model};
use crate::source::Source;

const LAUNCHES: usize = 20;

fn summary(model: Model, seed: u64) -> Summary {
    estimate(&model.launches(&mut Source::new(seed), LAUNCHES), &Model::calibration(), Correction::Serial)
}

fn codes(summary: &Summary) -> Vec<&str> {
    summary.warnings.iter().map(|warning| warning.code.as_str()).collect()
}

/// The part of `runs` in which the code is among the warnings.
fn told(code: &str, runs: u64, one: impl Fn(u64) -> Summary) -> f64 {
    (0..runs).filter(|&seed| codes(&one(seed)).contains(&code)).count() as f64 / runs as f64
}

/// Where one of a thousand cases has a warning, two of a hundred have one in less than half a percent of suites. Drift is what chance shows most
/// often.
#[test]
fn clean_cases_are_told_nothing_of() {
    for (name, model) in [("normal", CLEAN), ("log-normal", Model { gaussian: false, noise: 0.05, ..CLEAN })] {
        let found: Vec<Summary> = (0..400).map(|seed| summary(model, seed)).collect();
        let warned: Vec<&str> = found.iter().flat_map(codes).collect();
        assert!(warned.len() <= 1, "{name}: {warned:?}");
        assert!(found.iter().all(|summary| summary.differing.is_none()), "{name}");
    }
}

/// Each at twice the effect from which on it is told.
#[test]
fn planted_faults_are_told() {
    let clean = CLEAN;
    let fine = Model { noise: 0.005, ..clean };
    for (code, model) in [
        ("launch-spread", Model { launches_differ: 0.1, ..clean }),
        ("drift", Model { drift: 0.02 / (LAUNCHES - 1) as f64, ..fine }),
        ("warms-up", Model { warms: 0.02, ..fine }),
        // The last quarter of five rounds, each 1.33 % slower than the one before, is 2 % slower than the whole.
        ("slows-down", Model { slows: 0.04 / 3.0, ..fine }),
        // Four fifths of the last quarter are slower, and a fifth of the whole.
        ("never-settles", Model { ends: 0.034, ..fine }),
        ("nonlinear", Model { nonlinear: 0.04, ..clean }),
        // One of twenty samples.
        ("cold-turns", Model { cold: 0.4, ..clean }),
        ("multimodal", Model { tail: 0.3, tail_excess: 0.02, noise: 0.002, ..clean }),
    ] {
        let told = told(code, 100, |seed| summary(model, seed));
        assert!(told >= 0.94, "{code}: {told}");
    }
}

/// Slow samples of which nobody says whose they are: one in ten is a fifth longer. Where CPU time says that they are the subject's own, the
/// typical call beside the time says it.
#[test]
fn outliers_are_told_by_a_warning_or_by_the_typical_call() {
    let model = Model { tail: 0.1, tail_excess: 0.25, ..CLEAN };
    let silent = |seed| {
        let without = |turn: Turn| Turn { stretch: None, ..turn };
        let launches: Vec<Launch> = model
            .launches(&mut Source::new(seed), LAUNCHES)
            .into_iter()
            .map(|launch| Launch { turns: launch.turns.into_iter().map(without).collect(), ..launch })
            .collect();
        estimate(&launches, &Model::calibration(), Correction::Serial)
    };
    let told = told("outliers", 100, silent);
    assert!(told >= 0.95, "{told}");
    for seed in 0..20 {
        let own = summary(model, seed);
        assert!(!codes(&own).contains(&"outliers") && own.facts.iter().any(|fact| fact.code == "outliers"), "{own:?}");
        assert_eq!(own.differing, Some(Differing::SlowCalls));
    }
}

/// How much of the call a compiled subject hides isn't known, and widens both intervals: what lies within them isn't shown as another time.
#[test]
fn a_typical_call_within_the_printed_interval_is_not_told_beside_it() {
    let model = Model { tail: 0.1, tail_excess: 0.25, ..CLEAN };
    let launches = model.launches(&mut Source::new(1), LAUNCHES);
    let of = |correction| estimate(&launches, &Model::calibration(), correction);
    let (known, hidden) = (of(Correction::Serial), of(Correction::Overlapping));
    assert_eq!(known.differing, Some(Differing::SlowCalls));
    assert!(hidden.time.low < hidden.typical.unwrap().high, "the model's call isn't wide enough");
    assert_eq!(hidden.differing, None);
}

/// A fault too small to matter is a fact and no warning.
#[test]
fn what_changes_nothing_is_a_fact() {
    let near = summary(Model { tail: 0.3, tail_excess: 0.004, noise: 0.0004, ..CLEAN }, 1);
    assert!(near.warnings.is_empty(), "{:?}", near.warnings);
    assert!(near.facts.iter().any(|fact| fact.code == "multimodal"), "{:?}", near.facts);
}

#[test]
fn some_slow_launches_are_told_as_the_reason() {
    let model = Model { slow_launches: 0.2, slow_excess: 0.3, ..CLEAN };
    let told = |seed: &u64| {
        let launches = model.launches(&mut Source::new(*seed), 60);
        let found = estimate(&launches, &Model::calibration(), Correction::Serial);
        found.differing == Some(Differing::SomeLaunches)
    };
    // A run may meet a few of them only.
    assert!((0..10).filter(told).count() >= 9);
}
