//! Pairs that aren't independent, through all looks of a live comparison and its second measurement: neighbours that go together, and a difference
//! between two builds of the same code that every pair confirms.

use tare_statistics::comparison::{
    FAMILY_WISE_ERROR, Live, Location, PairRatio, Question, Rule, State, Undefined, adjusted_p_values, second_level,
};
use tare_statistics::looks::MOST_PAIRS;
use tare_statistics::student;

use crate::source::Source;

const QUESTION: Question = Question {
    moved: None,
    rule: Rule { about: tare_samples::About::Time, margin: 0.005, same: 0.03 },
    gate: None,
    fixed_pairs: None,
    most_pairs: MOST_PAIRS,
    control: false,
    layout: 0.0,
    between_builds: 0.0,
    error: FAMILY_WISE_ERROR,
};

/// Whether a comparison of these pairs, as many as it wants, calls a difference.
fn is_called(question: Question, mut next: impl FnMut() -> f64) -> bool {
    let mut live = Live::new(question);
    let mut push = |live: &mut Live| {
        while live.state() == State::Open {
            live.push(PairRatio::of_rounds(vec![next()], 0.0).ok_or(Undefined::NotMeasured));
        }
    };
    push(&mut live);
    if !matches!(live.state(), State::Flagged(_)) {
        return false;
    }
    live.begin_second(second_level(1));
    push(&mut live);
    live.comparison(adjusted_p_values(&[live.second_p_value()])[0], false).verdict.is_difference()
}

/// Of so many comparisons those that are called. Pairs scatter by `spread` and go together by `correlation`; builds differ by `builds`.
fn called(question: Question, runs: usize, truth: f64, spread: f64, correlation: f64, builds: f64) -> usize {
    let mut source = Source::new(89);
    let found = (0..runs).filter(|_| {
        let centre = truth + builds * source.gaussian();
        let mut state = source.gaussian();
        is_called(question, || {
            state = correlation * state + (1.0 - correlation * correlation).sqrt() * source.gaussian();
            centre + spread * state
        })
    });
    found.count()
}

/// Pairs that scatter by several margins: the margin protects from nothing then.
#[test]
fn identical_code_whose_pairs_go_together_is_not_called_different() {
    const RUNS: usize = 300;
    for correlation in [0.3, 0.5, 0.8] {
        for spread in [0.005, 0.1] {
            let found = called(QUESTION, RUNS, 0.0, spread, correlation, 0.0);
            println!("correlation {correlation}, spread {spread}: {found} of {RUNS} called");
            // At 1 % more than eight are called in one count of 250; without a look at the neighbours 30 % of the last are.
            assert!(found <= 8, "correlation {correlation}, spread {spread}: {found}");
        }
    }
}

#[test]
fn a_build_that_is_slower_by_chance_is_not_called_and_a_change_beyond_that_is() {
    const RUNS: usize = 250;
    let question = Question { between_builds: 0.003, ..QUESTION };
    for spread in [0.0005, 0.002] {
        let blind = called(QUESTION, RUNS, 0.0, spread, 0.0, 0.003);
        let found = called(question, RUNS, 0.0, spread, 0.0, 0.003);
        let changed = called(question, RUNS, 0.01f64.ln_1p(), spread, 0.0, 0.0);
        println!("spread {spread}: {found} of {RUNS} called, {blind} without the term; 1 % more: {changed}");
        assert!(found <= 7 && blind > 2 * found, "spread {spread}: {found}, {blind}");
        assert!(changed >= RUNS * 9 / 10, "spread {spread}: {changed}");
    }
}

/// The interval is widened where neighbours clearly go together, and hardly for independent pairs.
#[test]
fn intervals_of_independent_pairs_miss_as_seldom_as_they_say_and_those_of_neighbours_miss_less() {
    const RUNS: usize = 10_000;
    let held = |pairs: usize, correlation: f64, widened: bool| {
        let mut source = Source::new(97);
        let held = (0..RUNS).filter(|_| {
            let values = source.autoregression(pairs, correlation);
            let pairs: Vec<PairRatio> =
                values.iter().filter_map(|&value| PairRatio::of_rounds(vec![value], 0.0)).collect();
            let found = Location::of(&pairs).expect("two pairs or more");
            let plain = if widened { found.standard_error } else { plain_error(&values) };
            found.mean.abs() <= student::quantile(0.995, found.freedom) * plain
        });
        held.count() as f64 / RUNS as f64
    };
    for pairs in [6, 10, 20, 40, 114] {
        let independent = held(pairs, 0.0, true);
        println!("{pairs} independent pairs: {independent}");
        assert!((0.985..0.996).contains(&independent), "{pairs}: {independent}");
    }
    for pairs in [20, 40, 114] {
        let (widened, plain) = (held(pairs, 0.8, true), held(pairs, 0.8, false));
        println!("{pairs} pairs at a correlation of 0.8: {widened}, without a look at neighbours {plain}");
        assert!(widened > plain + 0.1, "{pairs}: {widened}, {plain}");
    }
}

fn plain_error(values: &[f64]) -> f64 {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0) / count).sqrt()
}
