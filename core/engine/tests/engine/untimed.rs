//! Work around each sample that isn't timed, and takes longer than all that is.

use tare_engine::measure;
use tare_plan::Settings;
use tare_samples::Outcome;
use tare_simulation::{CaseTruth, SimulatedLauncher, Truth};
use tare_validation::simulated::{Quiet, group, models};
use tare_worker::Launcher;

/// Samples of a turn, and the seconds that all took, where so many seconds are spent before each sample.
fn measured(untimed_s: f64, compared: bool) -> (u64, f64) {
    let model = &models()[1];
    let side = |name: &str| CaseTruth {
        name: name.into(),
        time_ns: 1_000.0,
        untimed_ns: 1e9 * untimed_s,
        ..model.case.clone()
    };
    let truth = Truth { seed: 7, scale: model.scale, cases: vec![side("base"), side("candidate")] };
    let mut of_both = group(&truth, 0);
    if !compared {
        of_both.pairs.clear();
    }
    let mut launcher = SimulatedLauncher::new(truth);
    let found = measure(&[of_both], &Settings::default(), &mut launcher, &mut Quiet, Vec::new(), 0);
    let of_base = &found.measurements[0][0];
    assert_eq!(of_base.outcome, Outcome::Ok, "{untimed_s} s, compared {compared}: {of_base:#?}");
    (of_base.calibration.as_ref().map_or(0, |found| found.samples_per_turn), launcher.now_ns() as f64 / 1e9)
}

/// A turn of as many samples as fit would take minutes.
#[test]
fn what_takes_long_before_each_sample_is_done_as_seldom_as_can_be() {
    for compared in [false, true] {
        let seconds: Vec<f64> = [0.03, 0.09, 0.11, 2.0]
            .into_iter()
            .map(|untimed_s| {
                let (samples, seconds) = measured(untimed_s, compared);
                println!("{untimed_s} s, compared {compared}: {samples} samples a turn, {seconds:.1} s");
                assert_eq!(samples, 1, "{untimed_s} s, compared {compared}");
                seconds
            })
            .collect();
        // Hooks that are long are looked at less often.
        let shortest_first = seconds.windows(2).all(|two| two[0] <= 1.05 * two[1]);
        assert!(shortest_first && seconds[3] < 25.0 * seconds[2], "compared {compared}: {seconds:?}");
    }
}
