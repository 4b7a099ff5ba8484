//! The interval of `time` holds the expected cost of a call, whatever its shape, and that of nothing holds 0.

use tare_samples::Correction;
use tare_statistics::{Summary, estimate};

use crate::launches::{CLEAN, Model};
use crate::source::{Source, runs};

const RUNS: u64 = 200;

struct Counted {
    covered: f64,
    half_width: f64,
    error: f64,
}

fn summaries(model: Model, launches: usize, runs: u64) -> Vec<Summary> {
    let halves: Vec<Vec<Summary>> = std::thread::scope(|scope| {
        let one = |seed: u64| {
            let launches = model.launches(&mut Source::new(seed), launches);
            estimate(&launches, &Model::calibration(), Correction::Serial)
        };
        let workers: Vec<_> =
            (0..2).map(|half| scope.spawn(move || (half..runs).step_by(2).map(one).collect())).collect();
        workers.into_iter().map(|worker| worker.join().expect("a worker ends")).collect()
    });
    halves.into_iter().flatten().collect()
}

fn count(model: Model, launches: usize, runs: u64) -> Counted {
    let truth = model.mean();
    let found = summaries(model, launches, runs);
    let per_run = |value: &dyn Fn(&Summary) -> f64| found.iter().map(value).sum::<f64>() / found.len() as f64;
    Counted {
        covered: per_run(&|summary| f64::from(u8::from(summary.time.holds(truth)))),
        half_width: per_run(&|summary| summary.time.half_width()) / truth.max(1.0),
        error: per_run(&|summary| summary.time.estimate - truth) / truth.max(1.0),
    }
}

/// The shapes that a subject or a machine may have.
fn shapes() -> Vec<(&'static str, Model)> {
    let clean = CLEAN;
    vec![
        ("normal", clean),
        ("launches differ", Model { launches_differ: 0.01, ..clean }),
        ("log-normal", Model { gaussian: false, noise: 0.05, ..clean }),
        ("1 % of samples twice as long", Model { tail: 0.01, tail_excess: 1.0, ..clean }),
        ("30 % of samples twice as long", Model { tail: 0.3, tail_excess: 1.0, ..clean }),
        ("1 % of samples 21 times as long", Model { tail: 0.01, tail_excess: 20.0, ..clean }),
        ("spikes of the machine", Model { spikes: 0.05, spike_height: 3.0, ..clean }),
        ("another process has the core for a quarter of the time", Model { preempted: 0.1, ..clean }),
        ("for most of the time", Model { preempted: 0.6, ..clean }),
        ("nothing", Model { time_ns: 0.0, ..clean }),
        ("nothing, and spikes of the machine", Model { time_ns: 0.0, spikes: 0.05, spike_height: 3.0, ..clean }),
    ]
}

#[test]
fn the_expected_cost_is_covered_whatever_the_shape() {
    let runs = runs(200, 100) as u64;
    // 95 %, 2.6 standard errors of what is counted below it.
    let least = |runs: u64| 0.95 - 2.6 * (0.95 * 0.05 / runs as f64).sqrt();
    let shapes = shapes();
    let mut of_all = 0.0;
    for (name, model) in &shapes {
        let Counted { covered, half_width, error } = count(*model, 20, runs);
        println!("{name}: {:.1} %, ± {:.3} %, error {:+.3} %", 100.0 * covered, 100.0 * half_width, 100.0 * error);
        assert!((least(runs)..1.0).contains(&covered), "{name}: {covered}");
        assert!(error.abs() < half_width / 4.0, "{name}: {error} beside {half_width}");
        of_all += covered / shapes.len() as f64;
    }
    // Intervals that hold 91 % of what they should are seen by the 1,100 runs of all shapes in 997 of 1,000 counts.
    println!("all shapes: {of_all:.4}");
    assert!((least(runs * shapes.len() as u64)..=0.985).contains(&of_all), "{of_all}");
}

/// Launches that others interrupt all the time tell the cost as well as those that nobody does, within a third.
#[test]
fn what_others_take_hardly_widens_the_interval() {
    let quiet = count(CLEAN, 20, RUNS / 2).half_width;
    let busy = count(Model { preempted: 0.6, ..CLEAN }, 20, RUNS / 2).half_width;
    assert!(busy < 1.5 * quiet, "{busy} beside {quiet}");
}

/// A tenth of the launches is slower: runs that met none can't know, and those that met one say so by their width.
#[test]
fn slow_launches_are_in_the_interval_of_runs_that_met_one() {
    let slow = Model { slow_launches: 0.1, slow_excess: 0.3, ..CLEAN };
    let truth = slow.mean();
    for (launches, least) in [(10, 0.95), (20, 0.93), (60, 0.9)] {
        let met: Vec<Summary> = summaries(slow, launches, RUNS / 2)
            .into_iter()
            .filter(|summary| summary.time.estimate > 1.01 * slow.time_ns)
            .collect();
        let covered = met.iter().filter(|summary| summary.time.holds(truth)).count() as f64 / met.len() as f64;
        println!("a tenth of {launches} launches is slow: {covered} of {} runs that met one", met.len());
        assert!(covered >= least && met.len() >= 50, "{launches} launches: {covered} of {}", met.len());
    }
}

#[test]
fn launches_that_go_together_widen_the_interval() {
    for (correlation, launches, least) in [(0.5, 20, 0.88), (0.5, 60, 0.9), (0.9, 60, 0.8)] {
        let model = Model { launches_differ: 0.01, launches_go_together: correlation, ..CLEAN };
        let covered = count(model, launches, RUNS).covered;
        println!("launches go together by {correlation}, {launches} launches: {covered}");
        assert!(covered >= least, "{correlation}, {launches} launches: {covered}");
    }
}
