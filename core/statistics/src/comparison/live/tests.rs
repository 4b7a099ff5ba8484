use rand::{RngExt as _, SeedableRng as _, rngs::StdRng};
use tare_samples::About;

use super::{Live, Question, State, adjusted_p_values, second_level};
use crate::comparison::evidence::{Basis, one_sided};
use crate::comparison::spending::Boundary;
use crate::comparison::warnings::Unconfirmed;
use crate::comparison::{Comparison, PairMeans, PairRatio, Undefined, Verdict};
use crate::looks::MOST_PAIRS;

/// Pairs that scatter by a tenth of a percent around this logarithm.
fn push(live: &mut Live, pairs: u32, log_ratio: f64) {
    for pair in 0..pairs {
        let scatter = [-1e-3, 4e-4, 1e-3, -4e-4][pair as usize % 4];
        live.push(Ok(PairRatio::of_rounds(vec![log_ratio + scatter], 0.0).unwrap()));
    }
}

/// All of the error is spent when the last planned pair is made; what is measured again comes after it.
#[test]
fn a_difference_that_the_last_planned_pair_shows_can_be_confirmed() {
    for planned in [6, 16, MOST_PAIRS] {
        let mut live = Live::new(Question { fixed_pairs: Some(planned), ..Question::default() });
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
    let mut live = Live::new(Question { fixed_pairs: Some(6), ..Question::default() });
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

/// What the margin leaves undecided can still be a difference: the fresh pairs have to show that there is one, and all together that it lies
/// beyond the margin.
#[test]
fn fresh_pairs_confirm_that_there_is_a_difference_and_all_of_them_how_large_it_is() {
    let judged = |first: f64, fresh: f64| {
        let mut live = Live::new(Question { fixed_pairs: Some(20), ..Question::default() });
        push(&mut live, 20, first);
        live.begin_second(second_level(1));
        while live.state() == State::Open {
            let more = live.to_next_look();
            push(&mut live, more, fresh);
        }
        let found = live.comparison(adjusted_p_values(&[live.second_p_value()])[0], false);
        (found.verdict, found.confirmed)
    };
    // Fresh pairs on the margin itself, and far from no difference.
    assert_eq!(judged(0.008, 0.005), (Verdict::Slower, true));
    // They outweigh what was seen first, and lie within the margin.
    assert!(matches!(judged(0.008, 0.001), (Verdict::Same | Verdict::Inconclusive, false)));
    assert!(matches!(judged(0.008, -0.008), (Verdict::Same | Verdict::Inconclusive, false)));
}

/// What is clear is confirmed by a few more pairs, what is small or one of many by more, and what isn't there by none that may be made.
#[test]
fn as_many_pairs_confirm_as_what_was_seen_first_asks_for() {
    let needed = |shift: f64, family: usize| {
        let mut live = Live::new(Question { fixed_pairs: Some(20), ..Question::default() });
        push(&mut live, 20, shift);
        live.pairs_to_confirm(second_level(family))
    };
    let (clear, small, none) = (needed(0.1, 1), needed(0.0062, 1), needed(0.0, 1));
    assert!(clear <= small && small < none, "{clear} {small} {none}");
    assert!(needed(0.0062, 10_000) > small);
}

/// Of a hundred cases the first that is called needs a second p-value of a hundredth.
#[test]
fn a_larger_suite_asks_for_more() {
    assert_eq!((second_level(1), second_level(100)), (1.0, 0.01));
    let mut ends = Vec::new();
    for family in [1, 10_000] {
        let mut live = Live::new(Question { fixed_pairs: Some(20), ..Question::default() });
        push(&mut live, 20, 0.0062);
        live.begin_second(second_level(family));
        while live.state() == State::Open {
            let more = live.to_next_look();
            push(&mut live, more, 0.0062);
        }
        ends.push(live.made() - 20);
    }
    assert!(ends[1] > ends[0], "{ends:?}");
}

/// Typical calls differ by what a layout may make, and means, that nobody knows so well, seem to by more: the verdict rests on typical calls, and so does the warning.
#[test]
fn a_layout_is_told_of_by_what_the_verdict_rests_on() {
    let mut live = Live::new(Question { fixed_pairs: Some(20), layout: 0.015, ..Question::default() });
    let more = |live: &mut Live, pairs: u32| {
        for number in 0..pairs {
            let mut pair = PairRatio::of_rounds(vec![0.03 + if number % 2 == 0 { 1e-4 } else { -1e-4 }], 0.0).unwrap();
            let candidate = 105.0 + [12.0, -12.0, 6.0, -6.0][number as usize % 4];
            pair.means = Some(PairMeans { base: 100.0, candidate });
            live.push(Ok(pair));
        }
    };
    more(&mut live, 20);
    live.begin_second(second_level(1));
    while live.state() == State::Open {
        let next = live.to_next_look();
        more(&mut live, next);
    }
    let found = live.comparison(adjusted_p_values(&[live.second_p_value()])[0], false);
    assert_eq!((found.verdict, found.rests_on), (Verdict::Slower, About::Typical), "{found:?}");
    assert!(found.warnings.iter().any(|warning| warning.code == "layout"), "{found:?}");
}

/// Code that has only moved is never called, and isn't measured again for it; code that takes as long is the same.
#[test]
fn what_only_moved_is_not_called_different() {
    let judged = |log_ratio: f64| {
        let mut live = Live::new(Question { fixed_pairs: Some(20), moved: Some((16, 48)), ..Question::default() });
        push(&mut live, 20, log_ratio);
        assert_eq!(live.state(), State::Settled, "{log_ratio}");
        let found = live.comparison(1.0, false);
        let codes: Vec<String> = found.warnings.into_iter().map(|warning| warning.code).collect();
        (found.verdict, codes)
    };
    for log_ratio in [0.63, -0.63, -0.2, 0.01] {
        assert_eq!(judged(log_ratio), (Verdict::Inconclusive, vec!["code-moved".to_owned()]), "{log_ratio}");
    }
    assert_eq!(judged(0.0), (Verdict::Same, vec![]));
    // No place makes it take two and a half times as long: its data were made otherwise.
    let mut live = Live::new(Question { fixed_pairs: Some(20), moved: Some((16, 48)), ..Question::default() });
    push(&mut live, 20, 2.5f64.ln());
    assert_eq!(live.state(), State::Flagged(Verdict::Slower));
}

/// What the place of code may make is called, since these two builds are so, and told; what is far beyond it isn't.
#[test]
fn a_difference_that_a_layout_may_make_is_called_and_told() {
    let judged = |log_ratio: f64, layout: f64| {
        let mut live = Live::new(Question { fixed_pairs: Some(20), layout, ..Question::default() });
        push(&mut live, 20, log_ratio);
        live.begin_second(second_level(1));
        while live.state() == State::Open {
            let more = live.to_next_look();
            push(&mut live, more, log_ratio);
        }
        let found = live.comparison(adjusted_p_values(&[live.second_p_value()])[0], false);
        let codes: Vec<String> = found.warnings.into_iter().map(|warning| warning.code).collect();
        (found.verdict, codes)
    };
    assert_eq!(judged(0.02, 0.0), (Verdict::Slower, vec![]));
    assert_eq!(judged(0.02, 0.015), (Verdict::Slower, vec!["layout".to_owned()]));
    assert_eq!(judged(-0.02, 0.015), (Verdict::Faster, vec!["layout".to_owned()]));
    assert_eq!(judged(0.2, 0.015), (Verdict::Slower, vec![]));
}

/// A set-up that may hide a fifth of a difference moves the interval's outer end, and never makes a difference less sure.
#[test]
fn what_is_hidden_widens_the_interval_away_from_no_difference() {
    let of = |dilution: f64, log_ratio: f64| {
        let mut live = Live::new(Question { fixed_pairs: Some(8), control: true, ..Question::default() });
        for pair in 0..8 {
            let mut found = PairRatio::of_rounds(vec![log_ratio + f64::from(pair % 2) * 1e-4], 0.0).unwrap();
            found.dilution = dilution;
            live.push(Ok(found));
        }
        let ratio = live.comparison(1.0, false).ratio.unwrap();
        (ratio.low.ln(), ratio.high.ln())
    };
    let (plain, hidden) = (of(0.0, 0.04), of(0.2, 0.04));
    assert_eq!(plain.0, hidden.0);
    assert!((hidden.1 - plain.1 / 0.8).abs() < 1e-12, "{plain:?} {hidden:?}");
    let (plain, hidden) = (of(0.0, -0.04), of(0.2, -0.04));
    assert_eq!(plain.1, hidden.1);
    assert!((hidden.0 - plain.0 / 0.8).abs() < 1e-12, "{plain:?} {hidden:?}");
}

/// How many of 100 comparisons of a base that takes `truth` ± 1 with a candidate of 50 have a ratio.
fn defined(truth: f64) -> usize {
    let mut rng = StdRng::seed_from_u64(5);
    let mut base = || truth + (0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0;
    let mut defined = 0;
    for _ in 0..100 {
        let mut live = Live::new(Question { fixed_pairs: Some(6), ..Question::default() });
        for pair in 0..18 {
            let base = base();
            live.push(if base <= 0.0 {
                Err(Undefined::Base)
            } else {
                let mut ratio = PairRatio::of_rounds(vec![(50.0 / base).ln()], 0.0).unwrap();
                ratio.means = Some(PairMeans { base, candidate: 50.0 });
                Ok(ratio)
            });
            if pair == 5 {
                live.begin_second(0.01);
            }
        }
        defined += usize::from(live.comparison(1.0, false).ratio.is_some());
    }
    defined
}

/// Pairs in which nothing happens to read a little more than nothing are no base for a ratio; a subject that reads less than nothing now and then
/// is.
#[test]
fn a_base_that_is_not_known_to_be_above_zero_has_no_ratio() {
    assert_eq!(defined(0.0), 0);
    let near = defined(2.0);
    assert!(near >= 97, "{near}");
}

/// Pairs that scatter by a percent: nothing is known of a small difference for long.
fn push_wide(live: &mut Live, pairs: u32, log_ratio: f64) {
    for pair in 0..pairs {
        let scatter = [-1e-2, 4e-3, 1e-2, -4e-3][pair as usize % 4];
        live.push(Ok(PairRatio::of_rounds(vec![log_ratio + scatter], 0.0).unwrap()));
    }
}

fn codes(found: &Comparison) -> Vec<&str> {
    found.warnings.iter().map(|warning| warning.code.as_str()).collect()
}

#[test]
fn the_next_look_is_the_next_number_of_the_plan_and_the_last_pair_is_one() {
    let at = |made: u32, most_pairs: u32| {
        let mut live = Live::new(Question { most_pairs, ..Question::default() });
        push_wide(&mut live, made, 0.005);
        (live.to_next_look(), live.state())
    };
    assert_eq!([0, 5, 6, 18, 19, 31].map(|made| at(made, MOST_PAIRS).0), [6, 1, 1, 2, 1, 3]);
    // Of 33 pairs at the most the last look is no number of the plan.
    assert_eq!([31, 32].map(|made| at(made, 33)), [(2, State::Open), (1, State::Open)]);
    assert_eq!(at(33, 33), (0, State::Settled));
    let mut fixed = Live::new(Question { fixed_pairs: Some(20), ..Question::default() });
    push(&mut fixed, 8, 0.2);
    assert_eq!((fixed.to_next_look(), fixed.state()), (12, State::Open));
    assert_eq!(fixed.newest().map(|newest| newest.pairs), Some(8));
}

/// Seven pairs show 2 % to a look that spends all that is left of the error, and not to one in between.
#[test]
fn the_last_look_spends_what_is_left_and_flags_what_earlier_ones_left_open() {
    let closed = |log_ratio: f64| {
        let mut live = Live::new(Question::default());
        push_wide(&mut live, 7, log_ratio);
        let (open, would) = (live.state(), live.would_be_flagged());
        assert_eq!(live.state(), open, "asking changes nothing");
        live.close();
        (open, would, live.state())
    };
    assert_eq!(closed(0.02), (State::Open, true, State::Flagged(Verdict::Slower)));
    assert_eq!(closed(0.005), (State::Open, false, State::Settled));
}

/// The same code, known to some percent: a gate of 10 % needs no more of it, one of 0.5 % does.
#[test]
fn a_gate_ends_what_is_the_same_as_soon_as_it_holds() {
    let state = |gate: Option<f64>| {
        let mut live = Live::new(Question { gate, ..Question::default() });
        push_wide(&mut live, 20, 0.0);
        let verdict = live.comparison(1.0, false).verdict;
        (live.state(), verdict)
    };
    assert_eq!(state(Some(0.1)), (State::Settled, Verdict::Same));
    assert_eq!(state(Some(0.005)), (State::Open, Verdict::Same));
    assert_eq!(state(None), (State::Open, Verdict::Same));
}

#[test]
fn a_control_is_never_measured_again_and_a_base_that_differed_from_itself_calls_nothing() {
    let mut control = Live::new(Question { control: true, ..Question::default() });
    push(&mut control, 6, 0.2);
    assert_eq!(control.state(), State::Settled);
    let found = control.comparison(1.0, false);
    assert_eq!((found.verdict, found.flag.is_some()), (Verdict::Slower, false));

    let mut live = Live::new(Question { fixed_pairs: Some(6), ..Question::default() });
    push(&mut live, 6, 0.2);
    live.begin_second(second_level(1));
    while live.state() == State::Open {
        let more = live.to_next_look();
        push(&mut live, more, 0.2);
    }
    let adjusted = adjusted_p_values(&[live.second_p_value()])[0];
    assert_eq!(live.comparison(adjusted, false).verdict, Verdict::Slower);
    live.apply_control();
    let found = live.comparison(adjusted, false);
    assert_eq!((found.verdict, codes(&found)), (Verdict::Inconclusive, vec!["control-differs"]));
}

#[test]
fn a_quarter_of_pairs_without_a_ratio_leaves_none() {
    let of = |undefined: u32, which: Undefined| {
        let mut live = Live::new(Question { fixed_pairs: Some(8), ..Question::default() });
        push(&mut live, 8 - undefined, 0.2);
        (0..undefined).for_each(|_| live.push(Err(which)));
        (live.state(), live.comparison(1.0, false))
    };
    let (state, found) = of(2, Undefined::NotMeasured);
    assert_eq!((state, found.ratio, codes(&found)), (State::Settled, None, vec!["not-measured"]));
    let (state, found) = of(1, Undefined::NotMeasured);
    assert_eq!((state, found.ratio.is_some()), (State::Flagged(Verdict::Slower), true));
}

#[test]
fn pairs_that_are_few_or_interrupted_say_so() {
    let told = |pairs: u32, interrupted: bool| {
        let mut live = Live::new(Question::default());
        push(&mut live, pairs, 0.0);
        let found = live.comparison(1.0, interrupted);
        codes(&found).into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(told(5, false), ["few-pairs"]);
    assert_eq!(told(5, true), ["few-pairs", "interrupted"]);
    assert_eq!(told(6, false), [""; 0]);
}

/// Fresh pairs of these two builds show 2 % clearly. That is no evidence where builds of the same code differ by 3 %.
#[test]
fn what_builds_of_the_same_code_show_is_not_called() {
    let judged = |between_builds: f64| {
        let mut live = Live::new(Question { fixed_pairs: Some(20), between_builds, ..Question::default() });
        push(&mut live, 20, 0.02);
        live.begin_second(second_level(1));
        while live.state() == State::Open {
            let more = live.to_next_look();
            push(&mut live, more, 0.02);
        }
        let found = live.comparison(adjusted_p_values(&[live.second_p_value()])[0], false);
        let message = found.warnings.first().map_or_else(String::new, |warning| warning.message.clone());
        (found.verdict, message)
    };
    assert_eq!(judged(0.0), (Verdict::Slower, String::new()));
    assert_eq!(judged(0.001).0, Verdict::Slower);
    let (verdict, message) = judged(0.03);
    assert_eq!(verdict, Verdict::Inconclusive);
    assert!(message.contains("two builds of the same code may differ as much (3.0 %"), "{message}");
}

#[test]
fn a_difference_that_was_not_seen_again_is_told_apart_from_one_within_the_margin() {
    let told = |fresh: f64| {
        let mut live = Live::new(Question { fixed_pairs: Some(20), ..Question::default() });
        push(&mut live, 20, 0.008);
        live.begin_second(second_level(1));
        while live.state() == State::Open {
            let more = live.to_next_look();
            push(&mut live, more, fresh);
        }
        live.unconfirmed()
    };
    assert!(matches!(told(-0.008), Unconfirmed::NotSeenAgain));
    assert!(matches!(told(0.003), Unconfirmed::Margin));
}

/// Pairs that scatter by 0.08 %: the more cases there are, the larger is the smallest difference that is called. Code
/// that has moved is never called.
#[test]
fn what_could_have_been_seen_is_a_little_more_than_the_margin_and_more_in_a_larger_suite() {
    let effect = |family: usize, moved: Option<(u8, u8)>| {
        let mut live = Live::new(Question { fixed_pairs: Some(20), moved, ..Question::default() });
        live.set_family(family);
        push(&mut live, 20, 0.0);
        let found = live.comparison(1.0, false);
        live.minimum_detectable_effect(&found)
    };
    let (one, many) = (effect(1, None).unwrap(), effect(10_000, None).unwrap());
    assert!(0.005 < one && one < many && many < 0.01, "{one} {many}");
    assert_eq!(effect(0, None), Some(one), "a case is beside itself at the least");
    assert_eq!(effect(1, Some((0, 32))), None);
}

/// Twice the scatter is twice the width; a gate of a fifth of the bound of `same` asks for a fifth of the width.
#[test]
fn widths_are_of_the_scatter_and_of_what_is_asked() {
    let of = |scatter: f64, gate: Option<f64>| {
        let mut live = Live::new(Question { gate, ..Question::default() });
        for pair in 0..30 {
            let value = scatter * [-1.0, 0.4, 1.0, -0.4][pair % 4];
            live.push(Ok(PairRatio::of_rounds(vec![value], 0.0).unwrap()));
        }
        (live.deviation().unwrap(), live.widths().unwrap())
    };
    let ((deviation, one), (twice, two)) = (of(0.001, None), of(0.002, None));
    assert!((twice / deviation - 2.0).abs() < 1e-6, "{deviation} {twice}");
    assert!((two.decided / one.decided - 2.0).abs() < 1e-6 && (two.sharp / one.sharp - 2.0).abs() < 1e-6);
    let rule = Question::default().rule;
    assert!((one.sharp / one.decided - rule.same.ln_1p() / rule.margin.ln_1p()).abs() < 1e-9, "{one:?}");
    let (_, gated) = of(0.001, Some(rule.same / 5.0));
    assert!((gated.decided / one.decided - rule.same.ln_1p() / (rule.same / 5.0).ln_1p()).abs() < 1e-9, "{gated:?}");
    let (_, wider) = of(0.001, Some(rule.same * 5.0));
    assert_eq!(wider, one, "a gate asks for no less than `same`");
    assert_eq!(Live::new(Question::default()).widths(), None);
}

/// Pairs at the margin lie beyond it as often as within, and are surely slower.
#[test]
fn a_p_value_is_of_what_lies_beyond_the_margin() {
    let mut live = Live::new(Question { fixed_pairs: Some(20), ..Question::default() });
    push(&mut live, 20, 0.005f64.ln_1p());
    let p_value = |towards: Verdict, beyond: f64| one_sided(&live.pairs, Basis::Typical, towards, beyond);
    let at_the_margin = p_value(Verdict::Slower, 0.005);
    assert!((at_the_margin - 0.5).abs() < 0.05, "{at_the_margin}");
    assert!(p_value(Verdict::Slower, 0.0) < 1e-6 && p_value(Verdict::Faster, 0.0) > 1.0 - 1e-6);
}

/// A look spends what the looks before it have left, and not what a first look at as many pairs might.
#[test]
fn looks_share_the_error() {
    let mut live = Live::new(Question::default());
    let mut boundary = Boundary::new(0.01);
    push_wide(&mut live, 5, 0.005);
    for made in 6..=12 {
        push_wide(&mut live, 1, 0.005 + f64::from(made % 2) * 0.01);
        let level = boundary.look(live.question.information(made), false);
        assert_eq!((live.state(), live.level()), (State::Open, level), "{made}");
        let first = Boundary::new(0.01).look(live.question.information(made), false);
        assert!(made == 6 || level < 0.7 * first, "{made}: {level} {first}");
    }
}
