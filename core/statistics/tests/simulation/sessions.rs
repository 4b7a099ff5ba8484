//! A session of many comparisons by simulation: what is called in vain over all of it, and what is still found late in
//! it.

use tare_statistics::comparison::{
    FAMILY_WISE_ERROR, Live, PairRatio, Question, State, Undefined, Verdict, adjusted_p_values, session_level,
};

use crate::source::{Source, runs};

/// Changes that a session tries.
const CHANGES: u64 = 100;
/// The difference that doesn't matter.
const MARGIN: f64 = 0.005;
/// Standard deviation of a launch pair's log-ratio on a noisy machine.
const NOISY: f64 = 0.02;

/// What is tried in one comparison.
#[derive(Clone, Copy)]
struct Change {
    /// The logarithm of candidate over base.
    truth: f64,
    /// Cases of the suite; the truth is that of the first, and nothing differs in the others.
    cases: usize,
}

/// Launch pairs of luck, those of the first look.
const LUCKY: usize = 6;

/// How a launch pair comes out: of the change, the pairs before it, and chance.
type Draw = fn(f64, usize, &mut Source) -> f64;

fn gaussian(truth: f64, _: usize, source: &mut Source) -> f64 {
    truth + NOISY * source.gaussian()
}

/// One launch pair in twenty is off by ten times the spread of the others.
fn contaminated(truth: f64, _: usize, source: &mut Source) -> f64 {
    let factor = if source.uniform() < 0.05 { 10.0 } else { 1.0 };
    truth + factor * 0.5 * NOISY * source.gaussian()
}

/// The first look of every comparison shows a gain that isn't there: only the second measurement keeps it from being
/// called.
fn fooled(truth: f64, before: usize, source: &mut Source) -> f64 {
    let luck = if before < LUCKY { -0.01 } else { 0.0 };
    truth + luck + 0.2 * NOISY * source.gaussian()
}

fn push(live: &mut Live, truth: f64, draw: Draw, source: &mut Source) {
    let ratio = draw(truth, live.made() as usize, source);
    live.push(PairRatio::of_rounds(vec![ratio], 0.0).ok_or(Undefined::NotMeasured));
}

/// Whether a difference is called of any case, at this error: both measurements, with all looks, as the engine makes
/// them.
fn called(change: Change, error: f64, draw: Draw, source: &mut Source) -> [Option<Verdict>; 2] {
    let mut suite: Vec<(f64, Live)> = (0..change.cases)
        .map(|case| {
            let truth = if case == 0 { change.truth } else { 0.0 };
            (truth, Live::new(Question { error, ..Question::default() }))
        })
        .collect();
    for (truth, live) in &mut suite {
        while live.state() == State::Open {
            push(live, *truth, draw, source);
        }
        live.begin_second(live.second_level(change.cases));
        while live.state() == State::Open {
            push(live, *truth, draw, source);
        }
    }
    let second: Vec<Option<f64>> = suite.iter().map(|(_, live)| live.second_p_value()).collect();
    let adjusted = adjusted_p_values(&second);
    let mut found = suite.iter().zip(adjusted).map(|((_, live), p_value)| live.comparison(p_value, false).verdict);
    let first = found.next().filter(|verdict| verdict.is_difference());
    [first, found.find(|verdict| verdict.is_difference())]
}

/// Of so many sessions whose changes gain what doesn't matter and no more, the comparisons that call a difference.
fn in_vain(sessions: usize, cases: usize, draw: Draw, level: fn(u64) -> f64, seed: u64) -> usize {
    let mut source = Source::new(seed);
    let mut count = 0;
    for _ in 0..sessions {
        for number in 1..=CHANGES {
            let change = Change { truth: -(MARGIN.ln_1p()), cases };
            let [first, other] = called(change, level(number), draw, &mut source);
            count += usize::from(first.or(other).is_some());
        }
    }
    count
}

fn usual(_: u64) -> f64 {
    FAMILY_WISE_ERROR
}

/// A session may call in vain with 1 %. The worst case that isn't faster lies at the margin.
#[test]
fn a_session_of_no_ops_calls_hardly_anything() {
    let sessions = runs(100, 20);
    for (name, draw, cases) in
        [("gaussian", gaussian as Draw, 1), ("gaussian, 5 cases", gaussian, 5), ("contaminated", contaminated, 1)]
    {
        let session = in_vain(sessions, cases, draw, session_level, 11);
        println!("{name}: {session} calls in vain in {sessions} sessions of {CHANGES} changes");
        // With an error of 1 % more than 4 in 100 sessions come up in 4 of 1,000 counts, more than 2 in 20 in 1 of
        // 1,000.
        let most = if sessions >= 100 { 4 } else { 2 };
        assert!(session <= most, "{name}: {session} of {sessions}");
    }
}

/// Bad luck: every first measurement shows a gain that doesn't matter as one that does. A session's levels are asked of
/// the second measurement, and hold back what the usual level lets pass.
#[test]
fn bad_luck_in_every_first_measurement_is_seen_through() {
    let sessions = runs(40, 8);
    let [session, alone] =
        [session_level as fn(u64) -> f64, usual].map(|level| in_vain(sessions, 1, fooled, level, 23));
    println!("all first measurements fooled: {session} called with a session, {alone} without, in {sessions} sessions");
    assert!(session <= 1 && alone > 4 * (session + 1), "{session} {alone}");
}

/// After 80 no-ops a gain of 3 % is found, as it is alone.
#[test]
fn a_gain_is_found_late_in_a_session() {
    let tries = runs(1_000, 200);
    let mut source = Source::new(41);
    for (number, cases, least) in [(81, 1, 0.9), (81, 5, 0.9), (1_000, 1, 0.8)] {
        let change = Change { truth: -(0.03f64.ln_1p()), cases };
        let found = (0..tries)
            .filter(|_| called(change, session_level(number), gaussian, &mut source)[0] == Some(Verdict::Faster))
            .count();
        println!("comparison {number}, {cases} cases: a gain of 3 % is found in {found} of {tries}");
        assert!(found as f64 >= least * tries as f64, "{number}, {cases}: {found} of {tries}");
    }
}

/// What the level is for: a gain that the usual level would call by a hair isn't called late in a session.
#[test]
fn a_session_asks_for_more_than_one_comparison_does() {
    let tries = runs(400, 100);
    let found = |level: f64| {
        let mut source = Source::new(43);
        let change = Change { truth: -(0.012f64.ln_1p()), cases: 1 };
        (0..tries).filter(|_| called(change, level, gaussian, &mut source)[0] == Some(Verdict::Faster)).count()
    };
    let [session, alone] = [found(session_level(81)), found(FAMILY_WISE_ERROR)];
    println!("a gain of 1.2 %: {session} of {tries} in a session, {alone} alone");
    assert!(session < alone, "{session} {alone}");
}
