//! The estimate on launches made by hand, where each figure can be worked out on paper.

use tare_samples::{Calibration, Correction, Launch, Stretch, Subject, Turn};
use tare_statistics::{Summary, estimate};

fn turn(round: u32, subject: Subject, iterations: Vec<u64>, elapsed: Vec<u64>) -> Turn {
    Turn { round, subject, warm: 1, iterations, elapsed, pauses: Vec::new(), at_ns: 0, stretch: None }
}

/// A launch of 4 rounds in which a call costs `time` and the null `call`, in samples of `calls`; the clock pair costs 40.
fn launch(calls: u64, time: f64, call: f64) -> Launch {
    let elapsed = |per_call: f64| (40.0 + calls as f64 * per_call).round() as u64;
    let turns = (0..4).flat_map(|round| {
        [
            turn(round, Subject::Clock, vec![1; 10], vec![40; 10]),
            turn(round, Subject::Null, vec![calls; 5], vec![elapsed(call); 5]),
            turn(round, Subject::Case, vec![calls; 5], vec![elapsed(call + time); 5]),
        ]
    });
    Launch { turns: turns.collect(), ..Launch::default() }
}

fn calibration(calls: u64) -> Calibration {
    Calibration { iterations: calls, samples_per_turn: 5, rounds: 4, ..Calibration::default() }
}

fn codes(summary: &Summary) -> Vec<&str> {
    summary.warnings.iter().map(|warning| warning.code.as_str()).collect()
}

#[test]
fn in_a_serial_runtime_clock_and_call_come_off_whole() {
    let launches: Vec<Launch> = (0..7).map(|_| launch(1000, 100.0, 25.0)).collect();
    let summary = estimate(&launches, &calibration(1000), Correction::Serial);
    assert!((summary.time.estimate - 100.0).abs() < 1e-9, "{:?}", summary.time);
    assert!((summary.raw.estimate - 125.04).abs() < 1e-9, "{:?}", summary.raw);
    assert!((summary.overhead.call.estimate - 25.0).abs() < 1e-9);
    assert_eq!(summary.overhead.clock.estimate, 40.0);
    assert_eq!((summary.launches, summary.samples, summary.iterations), (7, 140, 1000));
    assert!(!summary.below_resolution);
}

#[test]
fn in_an_overlapping_runtime_half_the_call_comes_off_and_the_rest_is_uncertainty() {
    let launches: Vec<Launch> = (0..7).map(|_| launch(1000, 100.0, 10.0)).collect();
    let summary = estimate(&launches, &calibration(1000), Correction::Overlapping);
    assert!((summary.time.estimate - 105.0).abs() < 1e-9, "{:?}", summary.time);
    assert!((summary.uncertainty.call - 10.0 / 12f64.sqrt()).abs() < 1e-9);
    // Both ends of what the call may hide, 100 and 110, are in the interval, and nothing beyond them but the clock's step.
    assert!(summary.time.low < 100.0 + 1e-9 && summary.time.high > 110.0 - 1e-9, "{:?}", summary.time);
    assert!((summary.time.half_width() - 5.0).abs() < 0.01, "1.96 · 10/√12 would be 5.66: {:?}", summary.time);
}

/// An empty subject takes as long as the null, so that its lower end is 0 but for noise, to either side.
#[test]
fn where_calls_overlap_nothing_is_below_resolution_on_either_side_of_0() {
    for (time, is_below) in [(-0.2, true), (0.0, true), (0.2, true), (3.0, false)] {
        let launches: Vec<Launch> = (0..7).map(|_| launch(1000, time, 10.0)).collect();
        let summary = estimate(&launches, &calibration(1000), Correction::Overlapping);
        assert_eq!(summary.below_resolution, is_below, "{time}: {:?}", summary.time);
    }
}

/// A launch that is tared by the slope between 100 and 400 calls: samples of the case take `first` and `second` nanoseconds, of the null 1 ns a call.
fn by_slope(first: u64, second: u64) -> Launch {
    let turns = (0..4).flat_map(|round| {
        [
            turn(round, Subject::Clock, vec![1; 10], vec![40; 10]),
            turn(round, Subject::Null, vec![100, 400, 100, 400], vec![100, 400, 100, 400]),
            turn(round, Subject::Case, vec![100, 400, 100, 400], vec![first, second, first, second]),
        ]
    });
    Launch { turns: turns.collect(), ..Launch::default() }
}

#[test]
fn a_noisy_slope_says_no_more_of_a_call_than_its_samples_take() {
    let calibration = Calibration { iterations: 100, far: vec![100, 400], rounds: 4, ..Calibration::default() };
    // 13.5 ns a call and nothing beside it; of two launches each the larger size reads far too much or too little.
    let launches: Vec<Launch> =
        [9_000, 1_900, 12_000, 3_000, 16_000, 5_000, 2_500].iter().map(|&second| by_slope(1_350, second)).collect();
    let summary = estimate(&launches, &calibration, Correction::Serial);
    assert_eq!((summary.time.estimate, summary.time.high), (13.5, 13.5), "{:?} {:?}", summary.time, summary.raw);
    assert!(summary.time.low < 10.0, "{:?}", summary.time);
    // A set-up of 1,000 ns in each sample, by the slope: 3 of 4 ns a call.
    let launches: Vec<Launch> = (0..7).map(|_| by_slope(1_400, 2_600)).collect();
    let summary = estimate(&launches, &calibration, Correction::Serial);
    assert!((summary.time.estimate - 3.0).abs() < 1e-9 && summary.warnings.is_empty(), "{summary:?}");
    // Calls that take longer and longer: each launch says so, and so does the result.
    let launches: Vec<Launch> = (0..7).map(|_| by_slope(1_400, 9_000)).collect();
    let summary = estimate(&launches, &calibration, Correction::Serial);
    assert!(summary.time.estimate > 24.0 && codes(&summary) == ["nonlinear"], "{summary:?}");
}

/// Every fifth sample of the case takes 100,000 ns more: 20 ns a call on average.
fn with_dear_samples(cpu_ns: impl Fn(u64) -> u64) -> Vec<Launch> {
    let slow = |launch: Launch| {
        let turns = launch.turns.into_iter().map(|mut turn| {
            if turn.subject == Subject::Case {
                turn.elapsed[2] += 100_000;
                let wall_ns = turn.elapsed.iter().sum::<u64>() + 1_000;
                turn.stretch = Some(Stretch { wall_ns, cpu_ns: cpu_ns(wall_ns), yields: 0, only_calls: false });
            }
            turn
        });
        Launch { turns: turns.collect(), ..launch }
    };
    (0..7).map(|_| slow(launch(1000, 100.0, 25.0))).collect()
}

#[test]
fn the_subjects_own_dear_calls_are_in_its_time_and_not_in_the_typical_one() {
    let summary = estimate(&with_dear_samples(|wall| wall), &calibration(1000), Correction::Serial);
    assert!((summary.time.estimate - 120.0).abs() < 1e-9, "{:?}", summary.time);
    assert!((summary.raw.estimate - 145.04).abs() < 1e-9, "{:?}", summary.raw);
    assert!(summary.typical.is_some_and(|typical| (typical.estimate - 100.0).abs() < 1e-9), "{:?}", summary.typical);
}

#[test]
fn what_other_processes_took_of_the_core_is_in_neither() {
    // The process was off the core for just as long, in each turn of each launch.
    let summary = estimate(&with_dear_samples(|wall| wall - 100_000), &calibration(1000), Correction::Serial);
    // Not to the last digit: where in the turn's 726,200 ns the others came isn't known, and 1,000 ns of it lie between samples.
    assert!((summary.time.estimate - 100.0).abs() < 0.05, "{:?}", summary.time);
    assert!(summary.typical.is_some_and(|typical| (typical.estimate - 100.0).abs() < 1e-9), "{:?}", summary.typical);
}

/// Launches of which some have no sample that others left alone: `typical` is that of the rest, or isn't said.
#[test]
fn typical_is_asked_of_samples_that_were_spared() {
    let interrupted = |launch: Launch| {
        let turns = launch.turns.into_iter().map(|mut turn| {
            if turn.subject == Subject::Case {
                let cpu_ns = turn.elapsed.iter().sum();
                turn.elapsed.iter_mut().zip(1..).for_each(|(elapsed, nth)| *elapsed += 200_000 * nth);
                let wall_ns = turn.elapsed.iter().sum();
                turn.stretch = Some(Stretch { wall_ns, cpu_ns, yields: 0, only_calls: true });
            }
            turn
        });
        Launch { turns: turns.collect(), ..launch }
    };
    let launches = |spared: usize| -> Vec<Launch> {
        let quiet = || launch(1000, 100.0, 25.0);
        let made = |number| if number < spared { quiet() } else { interrupted(quiet()) };
        (0..9).map(made).collect()
    };
    let typical = |spared| estimate(&launches(spared), &calibration(1000), Correction::Serial).typical;
    assert!((typical(6).unwrap().estimate - 100.0).abs() < 1e-9 && typical(6).unwrap().half_width() < 1.0);
    assert_eq!(typical(5), None);
    let time = estimate(&launches(0), &calibration(1000), Correction::Serial).time.estimate;
    assert!((time - 100.0).abs() < 0.5, "{time}");
}

#[test]
fn a_launch_that_is_slower_counts_in_the_time_and_not_in_the_typical_one() {
    let launches: Vec<Launch> =
        (0..10).map(|number| launch(1000, if number == 4 { 130.0 } else { 100.0 }, 25.0)).collect();
    let summary = estimate(&launches, &calibration(1000), Correction::Serial);
    assert!((summary.time.estimate - 103.0).abs() < 1e-9, "{:?}", summary.time);
    assert!(summary.typical.is_some_and(|typical| (typical.estimate - 100.0).abs() < 1e-9), "{:?}", summary.typical);
}

#[test]
fn a_time_is_never_clamped() {
    // The null reads more than the subject: the time is negative, and is said so.
    let launches: Vec<Launch> = (0..8).map(|number| launch(1000, -0.5 + 0.01 * f64::from(number), 25.0)).collect();
    let summary = estimate(&launches, &calibration(1000), Correction::Serial);
    assert!(summary.time.estimate < -0.4, "{:?}", summary.time);
    assert!(codes(&summary).contains(&"negative"), "{:?}", codes(&summary));
    assert!(!summary.below_resolution, "an interval wholly below 0 isn't one that holds 0");
}

#[test]
fn short_samples_are_tared_by_their_slope_and_the_surplus_stands_alone() {
    // T(N) = 40 + 90 + N·(25 + 100) for the case, 40 + N·25 for the null.
    let total = |calls: u64, first: u64, per_call: u64| 40 + first + calls * per_call;
    let sizes = [10u64, 20, 10, 20];
    let launches: Vec<Launch> = (0..6)
        .map(|_| Launch {
            turns: vec![
                turn(0, Subject::Clock, vec![1; 4], vec![40; 4]),
                turn(0, Subject::Null, sizes.to_vec(), sizes.map(|calls| total(calls, 0, 25)).to_vec()),
                turn(0, Subject::Case, sizes.to_vec(), sizes.map(|calls| total(calls, 90, 125)).to_vec()),
            ],
            ..Launch::default()
        })
        .collect();
    let calibration = Calibration { far: vec![10, 20], ..calibration(10) };
    let summary = estimate(&launches, &calibration, Correction::Serial);
    assert!((summary.time.estimate - 100.0).abs() < 1e-9, "{:?}", summary.time);
    assert!((summary.overhead.surplus.unwrap().estimate - 90.0).abs() < 1e-9, "{:?}", summary.overhead);
    assert!(summary.facts.iter().any(|fact| fact.code == "first-calls"), "{:?}", summary.facts);
    assert!(!codes(&summary).contains(&"first-calls"), "there is nothing to mend");
}

#[test]
fn pause_pairs_are_charged_by_their_number() {
    // Two pairs of 60 ns in each call.
    let launches: Vec<Launch> = (0..6)
        .map(|_| {
            let mut launch = launch(100, 100.0 + 2.0 * 60.0, 25.0);
            for turn in launch.turns.iter_mut().filter(|turn| turn.subject == Subject::Case) {
                turn.pauses = vec![200; 5];
            }
            launch.turns.push(turn(0, Subject::Pause, vec![100; 5], vec![40 + 100 * (25 + 60); 5]));
            launch
        })
        .collect();
    let summary = estimate(&launches, &Calibration { pauses: true, ..calibration(100) }, Correction::Serial);
    assert!((summary.time.estimate - 100.0).abs() < 1e-9, "{:?}", summary.time);
    assert!((summary.overhead.pause.unwrap().estimate - 60.0).abs() < 1e-9);
    assert!(summary.uncertainty.call.abs() < 1e-9, "an interpreter hides nothing of a pair");

    // 18 % of two pairs and 3.5 % of the time, rectangular, and the half of the loop of 25 ns that isn't known.
    let summary = estimate(&launches, &Calibration { pauses: true, ..calibration(100) }, Correction::Overlapping);
    let expected = (25.0 / 12f64.sqrt()).hypot((0.18 * 120.0 + 0.035 * summary.time.estimate) / 3f64.sqrt());
    assert!((summary.uncertainty.call - expected).abs() < 1e-9, "{:?}", summary.uncertainty);
}

#[test]
fn what_one_sample_says_has_no_interval() {
    let mut only = launch(1000, 100.0, 25.0);
    only.turns.truncate(3);
    for turn in &mut only.turns {
        turn.iterations.truncate(1);
        turn.elapsed.truncate(1);
    }
    let summary = estimate(&[only.clone()], &calibration(1000), Correction::Serial);
    assert!((summary.time.estimate - 100.0).abs() < 1e-9 && !summary.time.is_bounded(), "{:?}", summary.time);
    assert!(summary.typical.is_some_and(|typical| !typical.is_bounded()));
    assert!(!summary.below_resolution, "an interval that isn't known holds nothing");
    assert!(codes(&summary).contains(&"few-launches"));
    assert!(summary.uncertainty.combined.is_finite());
    // It is kept as it is.
    let kept: Summary = serde_json::from_str(&serde_json::to_string(&summary).unwrap()).unwrap();
    assert_eq!(kept, summary);
    // Two samples say something.
    for (turn, more) in only.turns[1..].iter_mut().zip([0, 500]) {
        turn.iterations.push(1000);
        turn.elapsed.push(turn.elapsed[0] + more);
    }
    let summary = estimate(&[only], &calibration(1000), Correction::Serial);
    assert!(summary.time.is_bounded() && summary.time.half_width() > 0.0, "{:?}", summary.time);
}

#[test]
fn few_launches_are_said_to_be_few() {
    for (count, few) in [(1, true), (5, true), (6, false)] {
        let launches: Vec<Launch> = (0..count).map(|_| launch(1000, 100.0, 25.0)).collect();
        let summary = estimate(&launches, &calibration(1000), Correction::Serial);
        assert_eq!(codes(&summary).contains(&"few-launches"), few, "{count}: {:?}", codes(&summary));
    }
}

#[test]
fn one_call_a_sample_is_warned_of_where_the_clock_is_a_part_of_it() {
    let of = |time: f64| {
        let launches: Vec<Launch> = (0..6).map(|_| launch(1, time, 25.0)).collect();
        let summary = estimate(&launches, &calibration(1), Correction::Serial);
        let fact = summary.facts.iter().any(|fact| fact.code == "single-call");
        (codes(&summary).contains(&"single-call"), fact)
    };
    assert_eq!(of(1_000.0), (true, false));
    // The pilot chooses one call of so much where variants are compared: 40 ns are nothing beside it.
    assert_eq!(of(19_000.0), (false, true));
    assert_eq!(of(1_000_000.0), (false, false));
}

/// First calls take 12 µs more in half of the samples: what is taken off leaves the others below 0.
#[test]
fn samples_of_one_short_call_make_one_warning_and_no_clusters() {
    let total = |calls: u64, per_call: u64, first: u64| 40 + first + calls * per_call;
    let sizes: Vec<u64> = [1, 1, 1, 1, 8, 32].repeat(20);
    let launches: Vec<Launch> = (0..6)
        .map(|number| {
            let case = |(at, &calls): (usize, &u64)| {
                let first = if calls == 1 && at % 2 == 0 { 0 } else { 12_000 };
                total(calls, 1_025, first) + at as u64 % 7 + number
            };
            let null = sizes.iter().map(|&calls| total(calls, 25, 0)).collect();
            let case = sizes.iter().enumerate().map(case).collect();
            Launch {
                turns: vec![
                    turn(0, Subject::Clock, vec![1; 4], vec![40; 4]),
                    turn(0, Subject::Null, sizes.clone(), null),
                    turn(0, Subject::Case, sizes.clone(), case),
                ],
                ..Launch::default()
            }
        })
        .collect();
    let calibration = Calibration { far: vec![8, 32], ..calibration(1) };
    let summary = estimate(&launches, &calibration, Correction::Serial);
    assert!((summary.time.estimate - 1_000.0).abs() < 1.0, "{:?}", summary.time);
    assert!(summary.peaks.len() > 1 && summary.statistics.min < 0.0, "{:?} {:?}", summary.peaks, summary.statistics);
    let told = codes(&summary);
    assert!(told.contains(&"single-call") && !told.contains(&"multimodal"), "{told:?}");
    let warning = summary.warnings.iter().find(|warning| warning.code == "single-call").unwrap();
    assert!(warning.message.contains("too short for the clock"), "{warning:?}");
    assert!(warning.remedy.contains("--calls 1000"), "{warning:?}");
}

#[test]
fn a_coarse_clock_widens_the_interval_by_its_step() {
    let fine: Vec<Launch> = (0..6).map(|_| launch(1000, 100.0, 25.0)).collect();
    let mut coarse = fine.clone();
    for turn in coarse.iter_mut().flat_map(|launch| &mut launch.turns).filter(|turn| turn.subject == Subject::Clock) {
        turn.elapsed = vec![0, 0, 1000, 0, 0, 0, 1000, 0, 0, 0];
    }
    let fine = estimate(&fine, &calibration(1000), Correction::Serial);
    let coarse = estimate(&coarse, &calibration(1000), Correction::Serial);
    // Four readings of a step of 1000 ns in 1000 calls: 1/√12 · √4.
    assert!((coarse.uncertainty.clock_resolution - (4.0f64 / 12.0).sqrt()).abs() < 1e-9, "{:?}", coarse.uncertainty);
    assert!(coarse.time.half_width() > fine.time.half_width() + 0.5);
}

#[test]
fn what_cannot_be_estimated_is_empty_and_finite() {
    let no_null = Launch { turns: vec![turn(0, Subject::Case, vec![10; 3], vec![100; 3])], ..Launch::default() };
    for launches in [Vec::new(), vec![Launch::default()], vec![no_null]] {
        let summary = estimate(&launches, &calibration(10), Correction::Serial);
        assert_eq!(summary.launches, 0);
        assert!(summary.time.estimate.is_finite() && summary.uncertainty.combined.is_finite());
    }
    // A frozen clock: every elapsed time is 0.
    let frozen = Launch {
        turns: vec![
            turn(0, Subject::Clock, vec![1; 3], vec![0; 3]),
            turn(0, Subject::Null, vec![10; 3], vec![0; 3]),
            turn(0, Subject::Case, vec![10, 20, 10], vec![0; 3]),
        ],
        ..Launch::default()
    };
    let summary = estimate(&vec![frozen; 6], &Calibration { far: vec![20], ..calibration(10) }, Correction::Serial);
    assert!(summary.below_resolution);
    assert!(serde_json::to_string(&summary).is_ok_and(|json| !json.contains("null")), "{summary:?}");
}

/// Work that takes 3 µs, and in one launch of six 30, isn't work that was optimised away.
#[test]
fn a_time_that_is_not_known_is_told_from_nothing() {
    let message = |times: [f64; 6]| {
        let launches: Vec<Launch> = times.iter().map(|&time| launch(1000, time, 25.0)).collect();
        let summary = estimate(&launches, &calibration(1000), Correction::Serial);
        let of = |warning: &&tare_statistics::Warning| warning.code.as_str() == "below-resolution";
        summary.warnings.iter().find(of).map(|warning| warning.message.clone()).unwrap()
    };
    let scattered = message([3_000.0, 3_100.0, 2_900.0, 3_000.0, 30_000.0, 3_050.0]);
    assert!(scattered.contains("launches differ by more than the subject takes"), "{scattered}");
    let nothing = message([0.3, -0.2, 0.1, 0.4, -0.3, 0.0]);
    assert!(nothing.contains("takes no longer than an empty one"), "{nothing}");
}

#[test]
fn the_budget_adds_up() {
    let launches: Vec<Launch> = (0..12).map(|number| launch(1000, 100.0 + f64::from(number % 5), 25.0)).collect();
    let summary = estimate(&launches, &calibration(1000), Correction::Serial);
    let terms = summary.uncertainty;
    let sum = terms.within_launch.powi(2)
        + terms.between_launch.powi(2)
        + terms.clock_resolution.powi(2)
        + terms.clock_cost.powi(2)
        + terms.call.powi(2)
        + terms.drift.powi(2);
    assert!((sum.sqrt() - terms.combined).abs() < 1e-12);
    // Expanded by 1.96 it is the interval, as near as a rank interval is symmetric.
    let ratio = 1.96 * terms.combined / summary.time.half_width();
    assert!((0.95..1.05).contains(&ratio), "{ratio}");
}
