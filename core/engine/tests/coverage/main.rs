//! Coverage of the intervals, counted on simulated machines whose truth is known (DESIGN §8).
//!
//! Each count runs the whole engine, pilot included, on simulated time, from fixed seeds. `--nocapture` shows the figures.

mod simulated;

use simulated::{Counted, count};
use tare_plan::Settings;
use tare_samples::Calls;
use tare_simulation::{CaseTruth, Noise, Truth};

/// With 2,000 runs a true coverage of 95 % is counted within ±1 % (2 standard errors).
const RUNS: u64 = 2_000;

fn truth(noise: Noise, launch_spread: f64) -> Truth {
    Truth::of(CaseTruth { noise, launch_spread, ..CaseTruth::default() })
}

fn settings() -> Settings {
    Settings { budget: std::time::Duration::from_millis(1_000), ..Settings::default() }
}

fn assert_covers(name: &str, counted: &Counted) {
    let share = counted.share(counted.covered);
    println!("{name}: {counted}");
    assert!((0.94..=0.98).contains(&share), "{name}: 95 % intervals cover the truth in {:.2} %", 100.0 * share);
}

#[test]
fn gaussian_noise_is_covered() {
    assert_covers("gaussian", &count(&truth(Noise::Gaussian { spread: 0.02 }, 0.0), &settings(), Calls::Pilot, RUNS));
}

#[test]
fn skewed_noise_is_covered() {
    assert_covers(
        "log-normal",
        &count(&truth(Noise::LogNormal { spread: 0.05 }, 0.0), &settings(), Calls::Pilot, RUNS),
    );
}

#[test]
fn two_modes_are_covered_and_told() {
    let noise = Noise::Bimodal { spread: 0.01, shift: 0.1, weight: 0.3 };
    let counted = count(&truth(noise, 0.0), &settings(), Calls::Pilot, RUNS);
    assert_covers("bimodal", &counted);
    assert!(counted.share(counted.warned("multimodal")) >= 0.99, "{counted}");
}

#[test]
fn autocorrelated_noise_is_covered() {
    let noise = Noise::Autocorrelated { spread: 0.02, correlation: 0.9 };
    assert_covers("autocorrelated", &count(&truth(noise, 0.0), &settings(), Calls::Pilot, RUNS));
}

#[test]
fn spikes_are_covered() {
    let noise = Noise::Spikes { spread: 0.01, weight: 0.05, height: 3.0 };
    assert_covers("spikes", &count(&truth(noise, 0.0), &settings(), Calls::Pilot, RUNS));
}

#[test]
fn launches_that_differ_are_covered_and_told() {
    let counted = count(&truth(Noise::Gaussian { spread: 0.02 }, 0.03), &settings(), Calls::Pilot, RUNS);
    assert_covers("launch shifts", &counted);
    assert!(counted.share(counted.warned("launch-spread")) >= 0.9, "{counted}");
}

/// A machine that slows down has no one truth: no interval of its own samples can know how fast it was before. The report
/// has to say so, and the interval has to hold the speed that the machine had on the way.
#[test]
fn drift_is_told_and_the_interval_is_widened_for_it() {
    let mut drifting = truth(Noise::Gaussian { spread: 0.02 }, 0.0);
    drifting.scale.drift_per_second = 0.05;
    let counted = count(&drifting, &settings(), Calls::Pilot, RUNS / 4);
    println!("drift: {counted}");
    assert!(counted.share(counted.warned("drift")) >= 0.99, "{counted}");
    assert!(counted.share(counted.covered_on_the_way) >= 0.98, "{counted}");
    let still = count(&truth(Noise::Gaussian { spread: 0.02 }, 0.0), &settings(), Calls::Pilot, RUNS / 4);
    assert!(still.share(still.warned("drift")) <= 0.02, "a steady machine is called drifting: {still}");
}

/// Stopping when the interval is narrow enough looks several times; the looks are few and far apart, so it costs little.
#[test]
fn stopping_at_a_precision_keeps_the_coverage() {
    let settings = Settings { precision: Some(0.005), ..settings() };
    let counted = count(&truth(Noise::Gaussian { spread: 0.02 }, 0.005), &settings, Calls::Pilot, RUNS / 2);
    println!("precision: {counted}");
    assert!(counted.share(counted.covered) >= 0.92, "{counted}");
    assert!(counted.half_width() <= 0.0055, "the precision isn't reached: {counted}");
}

/// Ten calls a sample after a clock read that makes the first of them dearer: the time is that of later calls, and the
/// surplus stands by itself.
#[test]
fn the_surplus_of_first_calls_is_taken_off_and_told() {
    let mut cold = truth(Noise::Gaussian { spread: 0.02 }, 0.0);
    cold.scale.surplus_ns = 120.0;
    let counted = count(&cold, &settings(), Calls::Loop(10), 100);
    println!("surplus: {counted}");
    // More than 95 %: samples this short carry the whole step of the clock as uncertainty, though the noise dithers it.
    assert!(counted.share(counted.covered) >= 0.94, "{counted}");
    assert!(counted.share(counted.surplus_covered) >= 0.93, "{counted}");
    assert!(counted.share(counted.warned("first-calls")) >= 0.95, "{counted}");
}

/// Nothing costs nothing: the interval of an empty subject holds 0 in every mode.
#[test]
fn an_empty_subject_reads_nothing() {
    // Short samples come by the ten thousand a launch: fewer runs.
    for (calls, runs) in [(Calls::Pilot, RUNS), (Calls::Loop(1), 100), (Calls::Bare, 100)] {
        let mut nothing = truth(Noise::Gaussian { spread: 0.02 }, 0.0);
        nothing.cases[0].time_ns = 0.0;
        let counted = count(&nothing, &settings(), calls, runs);
        println!("nothing, {calls}: {counted}");
        assert!(counted.share(counted.covered) >= if calls == Calls::Pilot { 0.93 } else { 0.9 }, "{calls}: {counted}");
        assert_eq!(counted.below_resolution, counted.covered, "{calls}: {counted}");
    }
}

/// A pair of pause and resume in each call is charged its own cost.
#[test]
fn paused_subjects_are_charged_for_their_pairs() {
    let mut pausing = truth(Noise::Gaussian { spread: 0.01 }, 0.0);
    pausing.cases[0].pauses = 1;
    let counted = count(&pausing, &settings(), Calls::Pilot, RUNS / 4);
    println!("pauses: {counted}");
    let share = counted.share(counted.covered);
    assert!((0.92..=0.99).contains(&share), "{counted}");
}

/// A subject that gets slower with each call of a sample is called nonlinear; one that doesn't is not.
#[test]
fn state_that_grows_is_called_nonlinear() {
    let mut growing = truth(Noise::Gaussian { spread: 0.02 }, 0.0);
    growing.cases[0].growth = 1e-4;
    let counted = count(&growing, &settings(), Calls::Pilot, 100);
    assert!(counted.share(counted.warned("nonlinear")) >= 0.99, "{counted}");
    let plain = count(&truth(Noise::Gaussian { spread: 0.02 }, 0.0), &settings(), Calls::Pilot, 400);
    assert!(plain.share(plain.warned("nonlinear")) <= 0.01, "{plain}");
}

/// Samples that are cold after a switch are kept out by the warm-in that the pilot finds.
#[test]
fn cold_samples_are_warmed_away() {
    let mut cold = truth(Noise::Gaussian { spread: 0.005 }, 0.0);
    cold.cases[0].cold_samples = 6;
    cold.cases[0].cold_excess = 1.0;
    let counted = count(&cold, &settings(), Calls::Pilot, RUNS / 4);
    println!("cold: {counted}");
    assert!(counted.mean_warm() >= 3.0, "{counted}");
    assert!(counted.mean_error().abs() < 0.002, "{counted}");
}

/// A launch that warms up is told, and its cold part is left out.
#[test]
fn a_warm_up_is_told_and_left_out() {
    let mut warming = truth(Noise::Gaussian { spread: 0.01 }, 0.0);
    warming.cases[0].warmup_calls = 200_000;
    warming.cases[0].warmup_excess = 0.3;
    let counted = count(&warming, &settings(), Calls::Pilot, 200);
    println!("warm-up: {counted}");
    assert!(counted.share(counted.warned("warms-up")) >= 0.9, "{counted}");
    assert!(counted.mean_error().abs() < 0.005, "{counted}");
}

/// Whatever number of samples is asked for, every launch has its null beside it and counts.
#[test]
fn no_launch_is_lost_to_the_number_of_samples() {
    for samples in [1, 2, 3, 7, 50] {
        for seed in 0..20 {
            let settings = Settings { launches: Some(6), samples: Some(samples), seed, ..settings() };
            let counted = count(&truth(Noise::Gaussian { spread: 0.02 }, 0.0), &settings, Calls::Pilot, 1);
            assert_eq!(counted.launches, 6, "{samples} samples: {counted}");
            assert_eq!(counted.samples, 6 * samples, "{samples} samples: {counted}");
        }
    }
}

/// A sample that is interrupted while the pilot looks for its size must not pass for a slow subject: with every tenth
/// sample fifty times as long the size is still right.
#[test]
fn interruptions_do_not_fool_the_pilot() {
    let noise = Noise::Spikes { spread: 0.02, weight: 0.1, height: 100.0 };
    let counted = count(&truth(noise, 0.0), &settings(), Calls::Pilot, 300);
    println!("interrupted: {counted}");
    // 0.5 ms of 125 ns each.
    assert!(counted.fewest_calls >= 3_000 && counted.most_calls <= 5_000, "{counted:?}");
}
