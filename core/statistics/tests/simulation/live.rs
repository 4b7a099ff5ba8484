//! A live comparison by simulation: its interval misses the truth, and identical code looks different, as seldom as it says; and a
//! difference that is there is called.

use tare_statistics::comparison::{
    Live, MOST_PAIRS, MOST_PAIRS_WITH_TIME, PairRatio, Question, State, Verdict, adjusted_p_values, second_level,
};

use crate::source::Source;

/// Standard deviation of a launch pair's log-ratio.
const SPREAD: f64 = 0.005;

fn normal(source: &mut Source, truth: f64) -> f64 {
    truth + SPREAD * source.gaussian()
}

/// One launch pair in twenty is off by ten times the spread of the others.
fn contaminated(source: &mut Source, truth: f64) -> f64 {
    let factor = if source.uniform() < 0.05 { 10.0 } else { 1.0 };
    truth + factor * SPREAD * source.gaussian()
}

fn push(live: &mut Live, log_ratio: f64) {
    live.push(Ok(PairRatio { log_ratio, correction: 0.0 }));
}

#[test]
fn the_interval_of_one_look_misses_as_seldom_as_it_says() {
    const RUNS: usize = 10_000;
    for draw in [normal, contaminated] {
        for pairs in [6, 8, 10, 12, 15, 20, 30] {
            let mut source = Source::new(101 + u64::from(pairs));
            let missed = (0..RUNS)
                .filter(|_| {
                    // A control is measured once: what it says is the first measurement's interval.
                    let question =
                        Question { margin: 0.005, fixed_pairs: Some(pairs), most_pairs: MOST_PAIRS, control: true };
                    let mut live = Live::new(question);
                    (0..pairs).for_each(|_| push(&mut live, draw(&mut source, 0.0)));
                    !live.comparison(1.0, false).ratio.unwrap().holds(1.0)
                })
                .count();
            let share = missed as f64 / RUNS as f64;
            println!("{pairs} pairs: {:.3} % missed", 100.0 * share);
            // Three standard errors of the share above 1 %; an interval that never misses is too wide to see anything.
            assert!((0.001..0.013).contains(&share), "{pairs} pairs: {share}");
        }
    }
}

/// Both measurements of one comparison, with every look, as the engine makes them.
fn judge(truth: f64, most_pairs: u32, source: &mut Source, draw: fn(&mut Source, f64) -> f64) -> (bool, Verdict) {
    let mut live = Live::new(Question { margin: 0.005, fixed_pairs: None, most_pairs, control: false });
    while live.state() == State::Open {
        push(&mut live, draw(source, truth));
    }
    let flagged = matches!(live.state(), State::Flagged(_));
    live.begin_second(second_level(1));
    while live.state() == State::Open {
        push(&mut live, draw(source, truth));
    }
    (flagged, live.comparison(adjusted_p_values(&[live.second_p_value()])[0], false).verdict)
}

#[test]
fn at_the_margin_itself_hardly_anything_is_called_and_well_beyond_it_all() {
    const RUNS: usize = 600;
    for (wild, most_pairs) in [(false, MOST_PAIRS), (true, MOST_PAIRS), (false, MOST_PAIRS_WITH_TIME)] {
        let draw = if wild { contaminated } else { normal };
        let count = |truth: f64, seed| {
            let mut source = Source::new(seed);
            let judged = (0..RUNS).map(|_| judge(truth, most_pairs, &mut source, draw));
            judged.fold((0, 0), |(flags, called), (flagged, verdict)| {
                (flags + usize::from(flagged), called + usize::from(verdict == Verdict::Slower))
            })
        };
        // The worst case that isn't slower: the truth at the margin.
        let (flags, called) = count(0.005f64.ln_1p(), 7);
        println!("at the margin, {most_pairs} pairs: {flags} flagged, {called} called of {RUNS}");
        assert!(flags <= 12 && called <= 2, "{most_pairs} pairs: {flags} flagged, {called} called");
        let (flags, called) = count(0.015f64.ln_1p(), 8);
        println!("1 % beyond it, {most_pairs} pairs: {flags} flagged, {called} called of {RUNS}");
        assert!(called >= RUNS * 95 / 100, "{most_pairs} pairs: {flags} flagged, {called} called");
    }
}
