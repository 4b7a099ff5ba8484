//! The stated mean and the stated typical cost of a call are those that a worker's samples have.

#![allow(clippy::unwrap_used)]

use tare_frames::{Reply, Request, Run, Samples};
use tare_simulation::{CaseTruth, Levels, Noise, Scale, Simulated, Tail, Truth};

const LAUNCHES: u64 = 400;
const TURNS: u64 = 10;
const SAMPLES: usize = 20;

/// What the samples of many launches say of a call, each launch on a machine of its own: the mean with what is done between samples, and the
/// median over launches of launch medians. Nanoseconds.
fn drawn(case: &CaseTruth, calls: u64) -> (f64, f64) {
    let scale = Scale { between_samples_ns: 0, ..Scale::default() };
    let (mut total, mut made, mut medians) = (0.0, 0.0, Vec::new());
    for seed in 0..LAUNCHES {
        let truth = Truth { seed, scale, ..Truth::of(case.clone()) };
        let mut worker = Simulated::with_truth(truth, seed, 0);
        worker.answer(&Request::Load { id: 1, files: vec!["x".to_owned()], bootstrap: None });
        let (benchmark, parameters) = ("subject".to_owned(), String::new());
        worker.answer(&Request::Prepare { id: 2, case: 0, benchmark, parameters, clock: None, copy: false });
        let mut each = Vec::new();
        for _ in 0..TURNS {
            let samples = turn(&mut worker, calls);
            total += samples.stretch.unwrap().cpu as f64 - SAMPLES as f64 * scale.clock_ns;
            made += (calls as usize * SAMPLES) as f64;
            each.extend(samples.elapsed.iter().map(|&elapsed| (elapsed as f64 - scale.clock_ns) / calls as f64));
        }
        medians.push(median(&mut each));
    }
    (total / made - scale.call_ns * case.noise.mean(), median(&mut medians) - scale.call_ns * case.noise.median())
}

fn turn(worker: &mut Simulated, calls: u64) -> Samples {
    let run = Run {
        id: 3,
        subject: "case".to_owned(),
        iterations: vec![calls; SAMPLES],
        warm: 3,
        settle: false,
        hooks: true,
    };
    match worker.answer(&Request::Run(run)).remove(0) {
        Reply::Samples(samples) => samples,
        other => panic!("{other:?}"),
    }
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    (values[(values.len() - 1) / 2] + values[values.len() / 2]) / 2.0
}

fn assert_stated(case: &CaseTruth, calls: u64, mean_tolerance: f64) {
    let (mean, typical) = drawn(case, calls);
    let expected = (case.expected_time_ns(), case.typical_time_ns(25.0, calls));
    assert!((mean / expected.0 - 1.0).abs() < mean_tolerance, "{case:?}: mean {mean}, stated {}", expected.0);
    assert!((typical / expected.1 - 1.0).abs() < 0.003, "{case:?}: typical {typical}, stated {}", expected.1);
}

#[test]
fn of_subjects_with_tails() {
    // The tolerances are some four standard errors of 80,000 samples in 400 launches.
    for (tail, tolerance) in [
        (Tail::Samples { share: 0.01, excess: 5.0, run: 1 }, 0.01),
        (Tail::Samples { share: 0.3, excess: 1.0, run: 1 }, 0.01),
        (Tail::Samples { share: 0.05, excess: 1.0, run: 10 }, 0.02),
        (Tail::Calls { share: 0.001, excess: 50.0 }, 0.005),
        (Tail::Periodic { every: 5, excess: 0.25 }, 0.005),
        (Tail::Periodic { every: 100, excess: 5.0 }, 0.005),
        (Tail::Periodic { every: 10_000, excess: 500.0 }, 0.005),
        (Tail::Between { every: 5, excess: 0.05 }, 0.01),
    ] {
        let case = CaseTruth { noise: Noise::Gaussian { spread: 0.02 }, tails: vec![tail], ..CaseTruth::default() };
        assert_stated(&case, 4_003, tolerance);
    }
}

#[test]
fn of_subjects_whose_launches_differ() {
    let quiet = CaseTruth { noise: Noise::LogNormal { spread: 0.05 }, launch_spread: 0.002, ..CaseTruth::default() };
    let outliers = CaseTruth { launch_outliers: 0.1, launch_outlier_excess: 0.5, ..quiet.clone() };
    assert_stated(&outliers, 4_000, 0.03);
    let levels = Levels { excess: 0.15, fast_launches: 6.0, slow_launches: 3.0 };
    assert_stated(&CaseTruth { levels: Some(levels), ..quiet }, 4_000, 0.02);
}
