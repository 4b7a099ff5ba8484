//! Subjects that find their memory out of the caches after the one that they are compared with had the core.

use tare_engine::measure;
use tare_plan::Settings;
use tare_simulation::{CaseTruth, SimulatedLauncher, Truth};
use tare_statistics::comparison::Verdict;
use tare_validation::simulated::{Quiet, group, models};

/// A base of 900 ns that is slower by `excess` at first and comes to its pace within `displaced_ns`, and a candidate that takes as long without that:
/// the ratio that is said, and the samples that are taken untimed in each turn.
fn compared(excess: f64, displaced_ns: f64, seed: u64) -> (f64, Verdict, u64) {
    let model = &models()[1];
    let candidate = CaseTruth { name: "candidate".into(), time_ns: 900.0, ..model.case.clone() };
    let base = CaseTruth { name: "base".into(), displaced_ns, displaced_excess: excess, ..candidate.clone() };
    let truth = Truth { seed, scale: model.scale, cases: vec![base, candidate] };
    let compared = group(&truth, 0);
    let settings = Settings { seed, ..Settings::default() };
    let found = measure(&[compared], &settings, &mut SimulatedLauncher::new(truth), &mut Quiet, Vec::new(), 0);
    let comparison = &found.comparisons[0].comparison;
    let warm = found.measurements[0][0].calibration.as_ref().unwrap().warm;
    (comparison.ratio.as_ref().unwrap().estimate, comparison.verdict, warm)
}

/// In steady state the two cost the same: what the candidate's turns do to the base's caches is the measurement's doing.
#[test]
fn who_loses_its_caches_to_the_other_is_not_slower_for_it() {
    for (excess, displaced_ns) in [(2.0, 300_000.0), (0.5, 600_000.0), (1.0, 1_200_000.0)] {
        for seed in 0..10 {
            let (ratio, verdict, warm) = compared(excess, displaced_ns, seed);
            let told = format!("{excess}, {displaced_ns}, {seed}: {ratio}, {verdict:?}, {warm} untimed");
            assert!((ratio - 1.0).abs() < 0.005, "{told}");
            assert!(!matches!(verdict, Verdict::Faster | Verdict::Slower), "{told}");
        }
    }
}

#[test]
fn who_keeps_its_caches_has_no_longer_a_warm_in() {
    for seed in 0..10 {
        let (.., warm) = compared(0.0, 0.0, seed);
        // A block of 60 µs, or two by accident.
        assert!(warm <= 8, "{seed}: {warm}");
    }
}

/// A base that has its garbage collected, goes through its memory once in 2 ms and needs 5 ms to have it in the caches again after the candidate, which makes
/// none: turns of a millisecond would be cold from end to end, and of longer ones the beginning is.
#[test]
fn who_goes_through_much_memory_between_collections_has_longer_turns() {
    let model = &models()[1];
    let candidate = CaseTruth { name: "candidate".into(), time_ns: 900.0, ..model.case.clone() };
    let base = CaseTruth {
        name: "base".into(),
        displaced_ns: 5_000_000.0,
        displaced_excess: 1.0,
        collection_calls: 2_000,
        collection_ns: 90_000.0,
        ..candidate.clone()
    };
    let right = candidate.expected_time_ns() / base.expected_time_ns();
    for seed in 0..6 {
        let truth = Truth { seed, scale: model.scale, cases: vec![base.clone(), candidate.clone()] };
        let compared = group(&truth, 0);
        let settings = Settings { seed, ..Settings::default() };
        let found = measure(&[compared], &settings, &mut SimulatedLauncher::new(truth), &mut Quiet, Vec::new(), 0);
        let turns: Vec<u64> = found.measurements[0]
            .iter()
            .map(|measured| {
                measured.calibration.as_ref().unwrap().samples_per_turn
                    * measured.calibration.as_ref().unwrap().iterations
            })
            .collect();
        let ratio = found.comparisons[0].comparison.ratio.as_ref().unwrap().estimate;
        let told = format!("{seed}: {ratio} for {right}, calls a turn {turns:?}");
        assert!((ratio / right - 1.0).abs() < 0.005, "{told}");
        assert!(turns[0] > 3 * turns[1], "{told}");
    }
}
