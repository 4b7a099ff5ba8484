use super::{About, Basis, Judgement, Open, Rule};
use crate::comparison::Verdict::{self, Faster, Inconclusive, Same, Slower};
use crate::comparison::evidence::Evidence;
use crate::summary::Estimate;

fn percent(low: f64, high: f64) -> Estimate {
    let of = |percent: f64| 1.0 + percent / 100.0;
    Estimate { estimate: of(f64::midpoint(low, high)), low: of(low), high: of(high) }
}

const RULE: Rule = Rule { about: About::Time, margin: 0.005, same: 0.03 };

/// Ends of the intervals in percent: of typical calls, of expected costs.
fn evidence(typical: [f64; 2], time: [f64; 2]) -> Evidence {
    let (typical, time) = (percent(typical[0], typical[1]), percent(time[0], time[1]));
    let half = time.half_width();
    let estimate = time.estimate / typical.estimate;
    let time_over_typical = Estimate { estimate, low: estimate - half, high: estimate + half };
    Evidence { typical: Some(typical), time, time_over_typical }
}

fn judged(typical: [f64; 2], time: [f64; 2]) -> Judgement {
    RULE.judge(&evidence(typical, time))
}

/// The verdict, and the bound in percent.
fn said(typical: [f64; 2], time: [f64; 2]) -> (Verdict, Option<f64>) {
    let Judgement { verdict, within, .. } = judged(typical, time);
    (verdict, within.map(|within| (1e5 * within).round() / 1e3))
}

#[test]
fn typical_calls_sharpen_a_difference_that_expected_costs_leave_open() {
    assert_eq!(said([0.8, 1.2], [-0.4, 2.4]), (Slower, None));
    assert_eq!(said([-1.2, -0.8], [-2.4, 0.4]), (Faster, None));
    assert_eq!(judged([0.8, 1.2], [-0.4, 2.4]).basis, Basis::Typical);
}

#[test]
fn what_shows_no_difference_is_the_same_within_the_farther_end_of_its_interval() {
    assert_eq!(said([-0.2, 0.2], [-0.9, 1.3]), (Same, Some(1.3)));
    assert_eq!(said([-0.2, 0.2], [-2.0, 1.3]), (Same, Some(2.041)), "as far down as up on the logarithmic scale");
    assert_eq!(judged([-0.2, 0.2], [-0.9, 1.3]).basis, Basis::Time);
    // Typical calls say nothing of it: they show no tail.
    assert_eq!(said([-0.1, 0.1], [-2.0, 3.1]), (Inconclusive, None));
    assert_eq!(said([-6.0, 6.0], [-2.0, 2.9]), (Same, Some(2.9)));
    assert_eq!(said([-0.1, 0.1], [-2.95, 1.0]), (Inconclusive, None), "1 / 0.9705 is beyond 1.03");
}

#[test]
fn a_difference_that_is_seen_and_may_matter_is_not_the_same() {
    // It is there, and perhaps within the margin.
    assert_eq!(said([-0.2, 0.9], [0.2, 0.6]), (Inconclusive, None));
    assert_eq!(said([-0.2, 0.9], [-2.8, -0.2]), (Inconclusive, None));
    // It is there, and doesn't matter.
    assert_eq!(said([-0.2, 0.9], [0.2, 0.4]), (Same, Some(0.4)));
    assert_eq!(said([-0.2, 0.9], [0.6, 0.8]), (Slower, None));
}

#[test]
fn the_margin_is_the_least_bound() {
    let rule = Rule::new(About::Time, 0.05, 0.03);
    assert_eq!(rule.of(&percent(1.0, 4.5)).0, Same);
    assert_eq!(Rule::new(About::Time, 0.005, 0.01).of(&percent(-0.9, 1.1)).0, Inconclusive);
    assert_eq!(rule.of(&Estimate { estimate: 1.0, low: -1.0, high: 1.01 }), (Inconclusive, None));
}

#[test]
fn a_tail_that_typical_calls_do_not_show_decides() {
    assert_eq!(said([-0.2, 0.2], [18.0, 22.0]).0, Slower);
    // Of the wrong sign as well.
    assert_eq!(said([-1.2, -0.8], [3.0, 7.0]).0, Slower);
    assert_eq!(judged([-1.2, -0.8], [3.0, 7.0]).basis, Basis::Time);
}

#[test]
fn what_may_be_far_on_the_other_side_is_not_called() {
    for (typical, time, said) in
        [([0.8, 1.2], [-5.0, 7.0], Slower), ([-1.2, -0.8], [-7.0, 5.0], Faster), ([0.8, 1.2], [-2.1, 2.1], Slower)]
    {
        let found = judged(typical, time);
        assert_eq!((found.verdict, found.open), (Inconclusive, Some(Open::MeansUnbounded(said))));
    }
}

#[test]
fn where_the_two_disagree_the_expected_cost_alone_decides() {
    // Typical calls are the same, costs are higher by 1 %, which isn't known well enough to lie beyond the margin.
    let found = judged([-0.1, 0.1], [0.2, 1.8]);
    assert_eq!((found.verdict, found.open), (Inconclusive, Some(Open::MeansDiffer)));
    // Typical calls are slower, costs the same.
    assert_eq!(said([0.9, 1.1], [-0.3, 0.3]), (Same, Some(0.301)));
}

#[test]
fn asked_for_typical_calls_nothing_else_counts() {
    let rule = Rule { about: About::Typical, ..RULE };
    let found = rule.judge(&evidence([-0.2, 1.2], [18.0, 22.0]));
    assert_eq!((found.verdict, found.basis), (Same, Basis::Typical));
    assert!((found.within.unwrap() - 0.012).abs() < 1e-12);
    assert!(
        !rule.is_sharp(&evidence([-0.2, 1.2], [18.0, 22.0])) && rule.is_sharp(&evidence([-0.2, 0.2], [18.0, 22.0]))
    );
}

#[test]
fn without_typical_calls_the_expected_cost_decides_alone() {
    let evidence = |time: Estimate| Evidence { typical: None, time, time_over_typical: percent(0.0, 0.0) };
    for (time, said) in [([1.0, 3.0], Slower), ([-0.4, 0.4], Same), ([-1.0, 1.0], Same), ([-1.0, 4.0], Inconclusive)] {
        let found = RULE.judge(&evidence(percent(time[0], time[1])));
        assert_eq!((found.verdict, found.basis, found.open), (said, Basis::Time, None));
    }
    let about = Rule { about: About::Typical, ..RULE };
    assert_eq!(about.judge(&evidence(percent(18.0, 22.0))).verdict, Inconclusive);
}

/// More launches are worth their time until typical calls are known within the margin and expected costs agree.
#[test]
fn what_is_the_same_within_a_wide_bound_is_not_sharp_yet() {
    for (typical, time, sharp) in [
        ([-0.2, 0.2], [-1.9, 1.9], true),
        ([-0.2, 0.2], [-2.1, 1.9], false),
        ([-0.6, 0.2], [-1.9, 1.9], false),
        ([-0.6, 0.6], [-0.4, 0.4], true),
        ([0.0, 0.0], [0.2, 1.8], false),
    ] {
        assert_eq!(RULE.is_sharp(&evidence(typical, time)), sharp, "{typical:?} {time:?}");
    }
}

#[test]
fn swapping_the_sides_swaps_the_verdict() {
    let turned =
        |ratio: Estimate| Estimate { estimate: 1.0 / ratio.estimate, low: 1.0 / ratio.high, high: 1.0 / ratio.low };
    for (typical, time) in [
        ([0.8, 1.2], [-0.4, 2.4]),
        ([-0.2, 0.2], [18.0, 22.0]),
        ([0.8, 1.2], [-1.9, 4.0]),
        ([0.8, 1.2], [-2.1, 4.0]),
        ([-0.2, 0.2], [-1.5, 2.5]),
    ] {
        let there = evidence(typical, time);
        let back = Evidence {
            typical: there.typical.map(turned),
            time: turned(there.time),
            time_over_typical: turned(there.time_over_typical),
        };
        let (there, back) = (RULE.judge(&there), RULE.judge(&back));
        let swapped = match there.verdict {
            Slower => Faster,
            Faster => Slower,
            other => other,
        };
        assert_eq!(back.verdict, swapped);
        let apart = back.within.unwrap_or(0.0) - there.within.unwrap_or(0.0);
        assert!(apart.abs() < 1e-12, "{apart}");
    }
}
