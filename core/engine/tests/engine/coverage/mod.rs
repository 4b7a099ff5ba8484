//! Coverage of the intervals, counted on simulated machines whose truth is known.
//!
//! Each count runs the whole engine, pilot included, on simulated time, from fixed seeds. `--nocapture` shows the figures.

mod simulated;
mod skips;

use simulated::{Counted, count};
use tare_plan::Settings;
use tare_samples::Calls;
use tare_simulation::{CaseTruth, Noise, Truth};

/// With 500 runs a true coverage of 95 % is counted within ±2 % (2 standard errors). `make validate` counts thousands.
const RUNS: u64 = 500;

/// Runs of short samples, which come by the ten thousand a launch and take a hundred times as long to simulate as others: a quarter of `whole`, or all
/// of them with `TARE_COUNT=whole`, as `make validate` counts them.
fn short_samples(whole: u64) -> u64 {
    crate::counts::runs(whole, whole / 4)
}

/// The least share that `counted` must have where `least` is that of `whole` runs: fewer runs are given two standard errors more.
fn least_share(least: f64, counted: &Counted, whole: u64) -> f64 {
    let standard_error = |runs: u64| (least * (1.0 - least) / runs as f64).sqrt();
    least - 2.0 * (standard_error(counted.runs) - standard_error(whole)).max(0.0)
}

fn truth(noise: Noise, launch_spread: f64) -> Truth {
    Truth::of(CaseTruth { noise, launch_spread, ..CaseTruth::default() })
}

fn settings() -> Settings {
    Settings { budget: std::time::Duration::from_millis(1_000), ..Settings::default() }
}

fn assert_covers(name: &str, counted: &Counted) {
    println!("{name}: {counted}");
    for (what, covered) in [("mean", counted.covered), ("typical", counted.typical_covered)] {
        let share = counted.share(covered);
        assert!(
            (0.925..=0.985).contains(&share),
            "{name}: 95 % intervals cover the {what} cost in {:.2} %",
            100.0 * share
        );
    }
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
    let counted = count(&truth(Noise::Gaussian { spread: 0.02 }, 0.1), &settings(), Calls::Pilot, RUNS / 10);
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

/// Stopping when the interval is narrow enough looks several times, and each look is a chance to stop too early: the
/// interval has to be built for it, whatever the ratio of the wanted precision to the spread of launches.
#[test]
fn stopping_at_a_precision_keeps_the_coverage() {
    for launch_spread in [0.005, 0.01, 0.0125] {
        let settings = Settings { precision: Some(0.005), ..settings() };
        let noise = Noise::Gaussian { spread: 0.005 };
        let counted = count(&truth(noise, launch_spread), &settings, Calls::Pilot, RUNS / 2);
        println!("precision, launches differ by {launch_spread}: {counted}");
        assert!(counted.share(counted.covered) >= 0.945, "{counted}");
    }
    let reached = Settings { precision: Some(0.02), ..settings() };
    let counted = count(&truth(Noise::Gaussian { spread: 0.02 }, 0.0), &reached, Calls::Pilot, 100);
    assert!(counted.half_width() <= 0.02 && counted.launches == 9 * counted.runs, "one look is enough: {counted}");
}

/// Ten calls a sample after a clock read that makes the first of them slower: the time is that of later calls, and the
/// surplus stands by itself.
#[test]
fn the_surplus_of_first_calls_is_taken_off_and_told() {
    let mut cold = truth(Noise::Gaussian { spread: 0.02 }, 0.0);
    cold.scale.surplus_ns = 120.0;
    let counted = count(&cold, &settings(), Calls::Loop(10), short_samples(400));
    println!("surplus: {counted}");
    // More than 95 %: samples this short carry the whole step of the clock as uncertainty, though the noise dithers it.
    assert!(counted.share(counted.covered) >= least_share(0.94, &counted, 400), "{counted}");
    // The surplus is held by 93.2 % of these 400; two standard errors below that.
    let held = counted.share(counted.surplus_covered);
    assert!(held >= least_share(0.91, &counted, 400), "the surplus is held by {held:.3}: {counted}");
    assert!(counted.share(counted.noted("first-calls")) >= 0.95, "{counted}");
}

/// Nothing costs nothing: the interval of an empty subject holds 0 in every mode, and is narrow.
#[test]
fn an_empty_subject_reads_nothing() {
    for (calls, whole, covered, half_width_ns) in
        [(Calls::Pilot, RUNS, 0.93, 0.3), (Calls::Loop(1), 150, 0.92, 1.0), (Calls::Bare, 150, 0.92, 1.0)]
    {
        let runs = if calls == Calls::Pilot { whole } else { short_samples(whole) };
        let mut nothing = truth(Noise::Gaussian { spread: 0.02 }, 0.0);
        nothing.cases[0].time_ns = 0.0;
        let counted = count(&nothing, &settings(), calls, runs);
        println!("nothing, {calls}: {counted}");
        assert!(counted.share(counted.covered) >= least_share(covered, &counted, whole), "{calls}: {counted}");
        // The truth is 0, so the half-width over it is taken over 1 ns.
        assert!(counted.half_width() <= half_width_ns, "{calls}: {counted}");
    }
}

/// A pair of pause and resume in each call is charged its own cost, in long samples and in short ones.
#[test]
fn paused_subjects_are_charged_for_their_pairs() {
    for (calls, whole) in [(Calls::Pilot, RUNS / 4), (Calls::Loop(1), 100), (Calls::Loop(10), 100), (Calls::Bare, 100)]
    {
        let runs = if calls == Calls::Pilot { whole } else { short_samples(whole) };
        let mut pausing = truth(Noise::Gaussian { spread: 0.01 }, 0.0);
        pausing.cases[0].pauses = 1;
        let counted = count(&pausing, &settings(), calls, runs);
        println!("pauses, {calls}: {counted}");
        assert!(counted.share(counted.covered) >= least_share(0.92, &counted, whole), "{calls}: {counted}");
        assert!(counted.mean_error().abs() < 0.005, "{calls}: {counted}");
    }
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

/// A launch that warms up is told, and its cold part is left out, of long samples and of short ones.
#[test]
fn a_warm_up_is_told_and_left_out() {
    for (calls, runs, cold_calls) in [(Calls::Pilot, 200, 200_000), (Calls::Loop(10), 40, 120_000)] {
        let mut warming = truth(Noise::Gaussian { spread: 0.01 }, 0.0);
        warming.cases[0].warmup_calls = cold_calls;
        warming.cases[0].warmup_excess = 0.3;
        let counted = count(&warming, &settings(), calls, runs);
        println!("warm-up, {calls}: {counted}");
        assert!(counted.share(counted.warned("warms-up")) >= 0.9, "{calls}: {counted}");
        assert!(counted.mean_error().abs() < 0.005, "{calls}: {counted}");
    }
}

/// Set-up that is most of a sample, however long it takes, is no part of a call.
#[test]
fn calls_behind_a_long_set_up_are_told_from_it() {
    for (setup_ns, time_ns) in
        [(5e6, 190.0), (15e6, 1_000.0), (20e6, 190.0), (50e6, 50_000.0), (140e6, 2_000.0), (60e6, 35e6), (12e6, 60e6)]
    {
        let mut behind = truth(Noise::Gaussian { spread: 0.003 }, 0.0);
        behind.cases[0].time_ns = time_ns;
        behind.cases[0].setup_ns = setup_ns;
        let counted = count(&behind, &settings(), Calls::Pilot, 40);
        println!("{time_ns} ns behind {} ms: {counted}", setup_ns / 1e6);
        assert!(counted.mean_error().abs() < 0.02, "{counted}");
        assert!(counted.share(counted.covered) >= 0.85, "{counted}");
    }
}

/// A heap that grows makes the first 4 MiB of a process's allocations slow, for longer than a launch of a small budget lasts: that isn't
/// the subject's time.
#[test]
fn the_growth_of_the_heap_is_left_out() {
    let mut growing = truth(Noise::Gaussian { spread: 0.02 }, 0.0);
    growing.cases[0].time_ns = 900.0;
    growing.cases[0].allocated_bytes = 192;
    growing.cases[0].warmup_calls = (4 << 20) / 192;
    growing.cases[0].warmup_excess = 0.15;
    let short = Settings { budget: std::time::Duration::from_millis(400), ..settings() };
    let counted = count(&growing, &short, Calls::Pilot, RUNS / 10);
    println!("growing heap: {counted}");
    assert!(counted.mean_error().abs() < 0.003, "{counted}");
    assert!(counted.share(counted.covered) >= 0.93, "{counted}");
}

/// Whatever number of samples is asked for, every launch has its null beside it and counts.
#[test]
fn no_launch_is_lost_to_the_number_of_samples() {
    for (samples, calls) in
        [(1, Calls::Pilot), (2, Calls::Pilot), (3, Calls::Bare), (7, Calls::Loop(10)), (50, Calls::Pilot)]
    {
        for seed in 0..20 {
            let settings = Settings { launches: Some(6), samples: Some(samples), seed, ..settings() };
            let counted = count(&truth(Noise::Gaussian { spread: 0.02 }, 0.0), &settings, calls, 1);
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
