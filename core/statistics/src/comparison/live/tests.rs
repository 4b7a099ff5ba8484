use super::{Live, MOST_PAIRS, Question, State, adjusted_p_values};
use crate::comparison::{PairRatio, Verdict};

/// Pairs that scatter by a tenth of a percent around this logarithm.
fn push(live: &mut Live, pairs: u32, log_ratio: f64) {
    for pair in 0..pairs {
        let scatter = [-1e-3, 4e-4, 1e-3, -4e-4][pair as usize % 4];
        live.push(Ok(PairRatio { log_ratio: log_ratio + scatter, correction: 0.0 }));
    }
}

/// All of the error is spent when the last planned pair is made; what is measured again comes after it.
#[test]
fn a_difference_that_the_last_planned_pair_shows_can_be_confirmed() {
    for planned in [6, 16, MOST_PAIRS] {
        let mut live =
            Live::new(Question { margin: 0.005, fixed_pairs: Some(planned), most_pairs: MOST_PAIRS, control: false });
        push(&mut live, planned, 0.2);
        assert_eq!(live.state(), State::Flagged(Verdict::Slower), "{planned}");
        live.begin_second(0.01);
        let more = live.to_next_look();
        push(&mut live, more, 0.2);
        let found = live.comparison(adjusted_p_values(&[live.second_p_value()])[0], false);
        assert_eq!((found.verdict, found.confirmed), (Verdict::Slower, true), "{planned}: {found:?}");
        let ratio = found.ratio.unwrap();
        let (low, high) = (ratio.low.ln(), ratio.high.ln());
        assert!(low < 0.2 && 0.2 < high && high - low < 0.01, "{planned}: {ratio:?}");
    }
}

#[test]
fn a_difference_that_fresh_pairs_do_not_show_is_not_confirmed() {
    let mut live = Live::new(Question { margin: 0.005, fixed_pairs: Some(6), most_pairs: MOST_PAIRS, control: false });
    push(&mut live, 6, 0.2);
    live.begin_second(0.01);
    while live.state() == State::Open {
        let more = live.to_next_look();
        push(&mut live, more, 0.0);
    }
    let found = live.comparison(adjusted_p_values(&[live.second_p_value()])[0], false);
    // Thirty fresh pairs outweigh the six that looked different.
    assert_eq!((found.verdict.is_difference(), found.confirmed), (false, false), "{found:?}");
    assert!(found.warnings.iter().any(|warning| warning.code == "not-confirmed"));
}
