use tare_samples::{Calibration, Correction, Launch, Subject, Turn};

use super::{PairSide, Undefined, pair_ratio};

/// A launch of samples of 100 and 400 calls that take `call_ns` each, and `setup_ns` once.
fn launch(call_ns: u64, setup_ns: u64) -> Launch {
    let turn = |round: u32, subject: Subject, of: &dyn Fn(u64) -> u64| {
        let iterations = vec![100, 400, 100, 400];
        let elapsed = iterations.iter().map(|&calls| of(calls)).collect();
        Turn { round, subject, warm: 0, iterations, elapsed, pauses: vec![], at_ns: 0, stretch: None }
    };
    let of_round = |round: u32| {
        // Half of the rounds meet a slower machine.
        let slow = 1 + u64::from(round % 2);
        [
            turn(round, Subject::Case, &|calls| slow * (30 + setup_ns + calls * call_ns)),
            turn(round, Subject::Null, &|calls| slow * (30 + calls)),
            turn(round, Subject::Clock, &|_| slow * 30),
        ]
    };
    Launch { turns: (0..11).flat_map(of_round).collect(), ..Launch::default() }
}

#[test]
fn what_a_sample_holds_once_has_no_part_in_the_ratio() {
    let calibration = Calibration { iterations: 100, far: vec![100, 400], setup_ns: 60_000, ..Calibration::default() };
    let side = |launch| PairSide { launch, calibration: &calibration, correction: Correction::Overlapping };
    let (base, candidate) = (launch(1_000, 60_000), launch(1_020, 240_000));
    let found = pair_ratio(&side(&base), &side(&candidate), false).unwrap();
    assert!((found.log_ratio - 1.02f64.ln()).abs() < 2e-5, "{found:?}");
    // Were it taken for calls, the candidate would look half as slow again.
    let blind = Calibration { setup_ns: 0, ..calibration.clone() };
    let side = |launch| PairSide { launch, calibration: &blind, correction: Correction::Overlapping };
    let fooled = pair_ratio(&side(&base), &side(&candidate), false).unwrap();
    assert!(fooled.log_ratio > 1.3f64.ln(), "{fooled:?}");
}

#[test]
fn a_small_setup_that_stays_in_both_sides_widens_what_is_said_of_a_difference() {
    let calibration = Calibration { iterations: 100, setup_ppm: 90_000, ..Calibration::default() };
    let ratio = |candidate: &Launch| {
        let base = launch(1_000, 10_000);
        let side = |launch| PairSide { launch, calibration: &calibration, correction: Correction::Serial };
        pair_ratio(&side(&base), &side(candidate), false).unwrap()
    };
    let found = ratio(&launch(1_050, 10_000));
    // The loops differ by 5 %, the samples by 5 % of ten elevenths.
    assert!((found.log_ratio.exp() - 1.0455).abs() < 1e-3, "{found:?}");
    assert!(found.log_ratio / (1.0 - found.dilution) > 1.05f64.ln(), "{found:?}");
    let same = ratio(&launch(1_000, 10_000));
    assert_eq!((same.log_ratio, same.correction), (0.0, 0.0));
}

#[test]
fn a_pair_that_one_side_has_may_hide_a_part_of_itself() {
    let calibration = Calibration { iterations: 100, pauses: true, ..Calibration::default() };
    // Calls of 25 ns, in the candidate with a pair of 60 ns around nothing, which costs less or more there.
    let launch_with = |pairs: u64, pair_ns: u64| {
        let turn = |round: u32, subject: Subject, elapsed: u64| {
            let pauses = if subject == Subject::Case && pairs > 0 { vec![100 * pairs; 4] } else { vec![] };
            Turn {
                round,
                subject,
                warm: 0,
                iterations: vec![100; 4],
                elapsed: vec![elapsed; 4],
                pauses,
                at_ns: 0,
                stretch: None,
            }
        };
        let of_round = |round: u32| {
            [
                turn(round, Subject::Case, 30 + 100 * (26 + pair_ns * pairs)),
                turn(round, Subject::Null, 130),
                turn(round, Subject::Pause, 130 + 6_000),
                turn(round, Subject::Clock, 30),
            ]
        };
        Launch { turns: (0..11).flat_map(of_round).collect(), ..Launch::default() }
    };
    let ratio = |base: &Launch, candidate: &Launch, correction: Correction| {
        let side = |launch| PairSide { launch, calibration: &calibration, correction };
        pair_ratio(&side(base), &side(candidate), false).unwrap()
    };
    let undefined = |base: &Launch, candidate: &Launch| {
        let side = |launch| PairSide { launch, calibration: &calibration, correction: Correction::Overlapping };
        pair_ratio(&side(base), &side(candidate), false)
    };
    let (plain, paused) = (launch_with(0, 0), launch_with(1, 57));
    let found = ratio(&plain, &paused, Correction::Overlapping);
    assert!(found.log_ratio < 0.9f64.ln(), "{found:?}");
    assert!(found.log_ratio + found.correction >= 0.0, "{found:?}");
    let back = ratio(&paused, &plain, Correction::Overlapping);
    assert!(back.log_ratio - back.correction <= 0.0, "{back:?}");
    // What reads more with a pair than without may be as fast, too: 16 % of a pair were seen.
    let longer = launch_with(1, 69);
    let found = ratio(&plain, &longer, Correction::Overlapping);
    assert!(found.log_ratio > 1.3f64.ln() && found.log_ratio - found.correction <= 0.0, "{found:?}");
    let back = ratio(&longer, &plain, Correction::Overlapping);
    assert!(back.log_ratio + back.correction >= 0.0, "{back:?}");
    // Of a call that is shorter than what its pair leaves open nothing is known.
    let shorter = launch_with(1, 44);
    assert!(matches!(undefined(&plain, &shorter), Err(Undefined::Candidate)), "{:?}", undefined(&plain, &shorter));
    assert!(matches!(undefined(&shorter, &plain), Err(Undefined::Base)));
    // What both have leaves nothing open that the call's share doesn't.
    let both = ratio(&paused, &paused, Correction::Overlapping);
    let neither = ratio(&plain, &plain, Correction::Overlapping);
    assert_eq!(both.log_ratio, 0.0);
    assert!(both.correction < 2.0 * neither.correction, "{both:?} {neither:?}");
    assert!(ratio(&plain, &paused, Correction::Serial).correction.abs() < 1e-12);
    // Each side hides as its own runtime does, whatever the other's.
    let mixed = |of_base, of_candidate| {
        let side = |correction| PairSide { launch: &paused, calibration: &calibration, correction };
        pair_ratio(&side(of_base), &side(of_candidate), false).unwrap()
    };
    for found in
        [mixed(Correction::Overlapping, Correction::Serial), mixed(Correction::Serial, Correction::Overlapping)]
    {
        // 12 ns of calls of some 22 ns.
        assert!(found.correction > 0.5, "{found:?}");
    }
}
