//! Work around each sample that isn't timed, and takes longer than all that is.

use tare_engine::measure;
use tare_plan::Settings;
use tare_samples::{Calls, Measurement, Outcome, Subject};
use tare_simulation::{CaseTruth, Scale, SimulatedLauncher, Truth};
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

/// Both sides of a comparison whose hooks take 5 ms around 250 calls of a microsecond, by a worker that may run these ahead.
fn with_hooks(arranges: bool) -> Vec<Measurement> {
    let model = &models()[1];
    let side = |name: &str| CaseTruth { name: name.into(), time_ns: 1_000.0, untimed_ns: 5e6, ..model.case.clone() };
    let scale = Scale { arranges, ..model.scale };
    let truth = Truth { seed: 7, scale, cases: vec![side("base"), side("candidate")] };
    let mut both = group(&truth, 0);
    both.variants.iter_mut().for_each(|planned| planned.variant.calls = Calls::Loop(250));
    let mut launcher = SimulatedLauncher::new(truth);
    let mut found = measure(&[both], &Settings::default(), &mut launcher, &mut Quiet, Vec::new(), 0);
    found.measurements.remove(0)
}

/// Times at which the last samples of a round's case ended, of each launch, in nanoseconds of the run.
fn ends(side: &Measurement) -> Vec<u64> {
    let cases = |launch: &tare_samples::Launch| {
        let own = launch.turns.iter().filter(|turn| turn.subject == Subject::Case);
        own.map(|turn| launch.started_ns + turn.at_ns).collect::<Vec<_>>()
    };
    side.launches.iter().flat_map(cases).collect()
}

#[test]
fn hooks_of_both_sides_run_before_a_sample_of_either_where_the_worker_can() {
    for arranges in [false, true] {
        let sides = with_hooks(arranges);
        let [base, candidate] = [0, 1].map(|side| ends(&sides[side]));
        assert!(base.len() == candidate.len() && base.len() > 20, "{} rounds", base.len());
        let together = base.iter().zip(&candidate).filter(|(one, other)| one.abs_diff(**other) < 2_500_000).count();
        assert_eq!(together, if arranges { base.len() } else { 0 }, "of {} rounds, arranges {arranges}", base.len());
        // Each sample has a hook of its own.
        let least_ns = if arranges { 10_000_000 } else { 5_000_000 };
        assert!(base.windows(2).all(|two| two[1] - two[0] > least_ns), "hooks of each round, arranges {arranges}");
        let warm = sides[0].calibration.as_ref().map(|found| (found.warm, found.iterations, found.samples_per_turn));
        assert_eq!(warm, Some((0, 250, 1)), "arranges {arranges}");
    }
}

/// Hooks that take about as long as the samples cost as much again where one sample more warms the caches up.
#[test]
fn hooks_that_are_run_ahead_leave_nothing_to_warm() {
    let samples = |arranges: bool| {
        let model = &models()[1];
        let side =
            |name: &str| CaseTruth { name: name.into(), time_ns: 1_000.0, untimed_ns: 9e5, ..model.case.clone() };
        let scale = Scale { arranges, ..model.scale };
        let truth = Truth { seed: 7, scale, cases: vec![side("base"), side("candidate")] };
        let mut both = group(&truth, 0);
        both.variants.iter_mut().for_each(|planned| planned.variant.calls = Calls::Loop(450));
        let settings = Settings { launches: Some(20), ..Settings::default() };
        let mut launcher = SimulatedLauncher::new(truth);
        let found = measure(&[both], &settings, &mut launcher, &mut Quiet, Vec::new(), 0);
        let base = &found.measurements[0][0];
        let cases = |launch: &tare_samples::Launch| {
            launch
                .turns
                .iter()
                .filter(|turn| turn.subject == Subject::Case)
                .map(|turn| turn.elapsed.len())
                .sum::<usize>()
        };
        (
            base.launches.iter().map(cases).sum::<usize>() as f64 / (launcher.now_ns() as f64 / 1e9),
            base.calibration.clone(),
        )
    };
    let ((without, one), (with, other)) = (samples(false), samples(true));
    assert!(with > 1.2 * without, "{without:.0} and {with:.0} samples a second, {one:?}, {other:?}");
}
