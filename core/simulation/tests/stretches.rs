//! What a simulated turn says about its wall time and CPU time: that another process had the core is seen in their difference, that the
//! machine was slower isn't.

#![allow(clippy::unwrap_used)]

use tare_frames::{Reply, Request, Run, Samples};
use tare_simulation::{Bursts, CaseTruth, Noise, Scale, Simulated, Truth};

fn bursts(slowdown: f64, preempts: bool) -> Scale {
    let bursts = Bursts { slowdown, on_ms: 3.0, off_ms: 5.0, latency_ms: 0.0, preempts };
    Scale { bursts: Some(bursts), ..Scale::default() }
}

fn prepared(scale: Scale) -> Simulated {
    let case = CaseTruth { time_ns: 1_000.0, noise: Noise::Exact, ..CaseTruth::default() };
    let mut worker = Simulated::with_truth(Truth { scale, ..Truth::of(case) }, 1, 0);
    worker.answer(&Request::Load { id: 1, files: vec!["x".to_owned()], bootstrap: None });
    let prepare = Request::Prepare {
        id: 2,
        case: 0,
        benchmark: "subject".to_owned(),
        parameters: String::new(),
        clock: None,
        copy: false,
    };
    assert!(matches!(worker.answer(&prepare)[..], [Reply::Ready { .. }]));
    worker
}

fn turn(worker: &mut Simulated, subject: &str) -> Samples {
    let run =
        Run { id: 3, subject: subject.to_owned(), iterations: vec![500; 10], warm: 2, settle: false, hooks: true };
    match worker.answer(&Request::Run(run)).remove(0) {
        Reply::Samples(samples) => samples,
        other => panic!("{other:?}"),
    }
}

/// Wall, CPU and elapsed nanoseconds of 200 turns.
fn totals(scale: Scale, subject: &str) -> (f64, f64, f64) {
    let mut worker = prepared(scale);
    (0..200).map(|_| turn(&mut worker, subject)).fold((0.0, 0.0, 0.0), |(wall, cpu, timed), samples| {
        let stretch = samples.stretch.unwrap();
        assert!(stretch.cpu <= stretch.wall && stretch.yields == 0, "{stretch:?}");
        let elapsed: u64 = samples.elapsed.iter().sum();
        (wall + stretch.wall as f64, cpu + stretch.cpu as f64, timed + elapsed as f64)
    })
}

#[test]
fn alone_on_the_core_a_turn_is_cpu_time_from_first_to_last_sample() {
    for subject in ["case", "null", "clock", "pause", "kernel/text"] {
        let (wall, cpu, timed) = totals(Scale::default(), subject);
        assert!((wall - cpu).abs() < 1e-9 * wall, "{subject}: {wall} {cpu}");
        // 300 ns from each sample to the next; untimed samples before the first are no part of it.
        let between = 200.0 * 10.0 * 300.0;
        assert!((wall - timed - between).abs() < 0.01 * between, "{subject}: {wall} {timed}");
    }
}

#[test]
fn what_another_process_takes_is_no_cpu_time() {
    let quiet = totals(Scale::default(), "case");
    let preempted = totals(bursts(400.0, true), "case");
    // Wall time holds the other process's 3 of 8 ms, CPU time doesn't.
    assert!((preempted.1 / quiet.1 - 1.0).abs() < 1e-3, "{preempted:?} {quiet:?}");
    assert!((preempted.0 / quiet.0 - 8.0 / 5.0).abs() < 0.1, "{preempted:?} {quiet:?}");
}

#[test]
fn a_slower_machine_takes_more_cpu_time() {
    let slowed = totals(bursts(0.5, false), "case");
    let quiet = totals(Scale::default(), "case");
    assert!((slowed.1 / slowed.0 - 1.0).abs() < 1e-9, "{slowed:?}");
    assert!((slowed.1 / quiet.1 - 8.0 / 7.0).abs() < 0.03, "{slowed:?} {quiet:?}");
}

/// Allocations are counted, not timed.
#[test]
fn counted_allocations_have_no_stretch() {
    assert_eq!(turn(&mut prepared(Scale::default()), "allocations").stretch, None);
}
