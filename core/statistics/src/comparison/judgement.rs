//! From what pairs show to what is said: a verdict is about expected costs, and typical calls sharpen it where nothing speaks against it.

use tare_samples::About;

use crate::summary::Estimate;

use super::Verdict;
use super::evidence::{Basis, Evidence};

/// Why nothing is decided though something could be seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Open {
    /// Typical calls and expected costs differ otherwise, and the latter aren't known well enough.
    MeansDiffer,
    /// Typical calls say so, and expected costs may lie beyond the bound.
    MeansUnbounded(Verdict),
}

/// A verdict and what it rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Judgement {
    pub(super) verdict: Verdict,
    pub(super) basis: Basis,
    pub(super) open: Option<Open>,
}

/// What is asked: differences up to the fraction `margin` don't matter, and means may lie up to `bound` apart where typical calls are the same.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rule {
    pub(super) about: About,
    pub(super) margin: f64,
    pub(super) bound: f64,
}

impl Rule {
    /// What the evidence says.
    ///
    /// - Where typical calls and expected costs differ otherwise (the interval of what lies between them doesn't hold 1), the expected
    ///   costs alone decide.
    /// - Expected costs that lie wholly beyond the margin decide, whatever typical calls show.
    /// - So they do where no typical calls are known.
    /// - Else typical calls decide, as long as expected costs agree: `same` needs them within the bound, each end of it for itself, `slower` and
    ///   `faster` that they don't lie beyond the bound on the other side, within their interval.
    pub(super) fn judge(&self, evidence: &Evidence) -> Judgement {
        let say = |verdict, basis, open| Judgement { verdict, basis, open };
        let typical = evidence.typical.map(|typical| Verdict::of(&typical, self.margin));
        if self.about == About::Typical {
            return say(typical.unwrap_or(Verdict::Inconclusive), Basis::Typical, None);
        }
        let time = Verdict::of(&evidence.time, self.margin);
        let Some(typical) = typical else { return say(time, Basis::Time, None) };
        if time.is_difference() {
            return say(time, Basis::Time, None);
        }
        if !evidence.time_over_typical.holds(1.0) {
            let open = (time == Verdict::Inconclusive).then_some(Open::MeansDiffer);
            return say(time, Basis::Time, open);
        }
        let (above, below) = (1.0 + self.bound, 1.0 / (1.0 + self.bound));
        let bounded = match typical {
            Verdict::Slower => evidence.time.low > below,
            Verdict::Faster => evidence.time.high < above,
            Verdict::Same => evidence.bounding.low >= below && evidence.bounding.high <= above,
            Verdict::Inconclusive | Verdict::Unchanged => time == Verdict::Inconclusive,
        };
        match (bounded, time) {
            (true, _) => say(typical, Basis::Typical, None),
            // Calls on average are known to lie within the margin.
            (false, Verdict::Same) => say(time, Basis::Time, None),
            (false, _) => say(Verdict::Inconclusive, Basis::Typical, Some(Open::MeansUnbounded(typical))),
        }
    }
}

/// How far expected costs may lie apart, as a fraction: the farther end of the interval.
pub(super) fn mean_bound(time: &Estimate) -> f64 {
    time.high.max(1.0 / time.low) - 1.0
}

#[cfg(test)]
mod tests {
    use super::{About, Basis, Judgement, Open, Rule, mean_bound};
    use crate::comparison::Verdict::{self, Faster, Inconclusive, Same, Slower};
    use crate::comparison::evidence::Evidence;
    use crate::summary::Estimate;

    fn percent(low: f64, high: f64) -> Estimate {
        let of = |percent: f64| 1.0 + percent / 100.0;
        Estimate { estimate: of(f64::midpoint(low, high)), low: of(low), high: of(high) }
    }

    const RULE: Rule = Rule { about: About::Time, margin: 0.005, bound: 0.02 };

    /// Ends of the intervals in percent: of typical calls, of expected costs.
    fn judged(typical: [f64; 2], time: [f64; 2]) -> Judgement {
        let (typical, time) = (percent(typical[0], typical[1]), percent(time[0], time[1]));
        let half = time.half_width();
        let estimate = time.estimate / typical.estimate;
        let time_over_typical = Estimate { estimate, low: estimate - half, high: estimate + half };
        RULE.judge(&Evidence { typical: Some(typical), time, bounding: time, time_over_typical })
    }

    fn verdict(typical: [f64; 2], time: [f64; 2]) -> Verdict {
        judged(typical, time).verdict
    }

    #[test]
    fn typical_calls_sharpen_what_expected_costs_leave_open() {
        assert_eq!(verdict([0.8, 1.2], [-0.4, 2.4]), Slower);
        assert_eq!(verdict([-1.2, -0.8], [-2.4, 0.4]), Faster);
        assert_eq!(verdict([-0.2, 0.2], [-1.4, 1.4]), Same);
        assert_eq!(judged([-0.2, 0.2], [-1.4, 1.4]).basis, Basis::Typical);
    }

    #[test]
    fn a_tail_that_typical_calls_do_not_show_decides() {
        assert_eq!(verdict([-0.2, 0.2], [18.0, 22.0]), Slower);
        // Of the wrong sign as well.
        assert_eq!(verdict([-1.2, -0.8], [3.0, 7.0]), Slower);
        assert_eq!(judged([-1.2, -0.8], [3.0, 7.0]).basis, Basis::Time);
    }

    #[test]
    fn what_may_be_far_beyond_the_bound_is_not_called() {
        for (typical, time, said) in
            [([-0.2, 0.2], [-3.0, 3.4], Same), ([0.8, 1.2], [-5.0, 7.0], Slower), ([-1.2, -0.8], [-7.0, 5.0], Faster)]
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
        assert_eq!(verdict([0.9, 1.1], [-0.3, 0.3]), Same);
    }

    #[test]
    fn asked_for_typical_calls_nothing_else_counts() {
        let rule = Rule { about: About::Typical, ..RULE };
        let evidence = Evidence {
            typical: Some(percent(-0.2, 0.2)),
            time: percent(18.0, 22.0),
            bounding: percent(18.0, 22.0),
            time_over_typical: percent(18.0, 22.0),
        };
        assert_eq!(rule.judge(&evidence).verdict, Same);
    }

    #[test]
    fn without_typical_calls_the_expected_cost_decides_alone() {
        let evidence =
            |time: Estimate| Evidence { typical: None, time, bounding: time, time_over_typical: percent(0.0, 0.0) };
        for (time, said) in [([1.0, 3.0], Slower), ([-0.4, 0.4], Same), ([-1.0, 1.0], Inconclusive)] {
            let found = RULE.judge(&evidence(percent(time[0], time[1])));
            assert_eq!((found.verdict, found.basis, found.open), (said, Basis::Time, None));
        }
        let about = Rule { about: About::Typical, ..RULE };
        assert_eq!(about.judge(&evidence(percent(18.0, 22.0))).verdict, Inconclusive);
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
        ] {
            let (typical, time) = (percent(typical[0], typical[1]), percent(time[0], time[1]));
            let time_over_typical =
                percent(time.low / typical.estimate * 100.0 - 100.0, time.high / typical.estimate * 100.0 - 100.0);
            let there =
                RULE.judge(&Evidence { typical: Some(typical), time, bounding: time, time_over_typical }).verdict;
            let back = RULE
                .judge(&Evidence {
                    typical: Some(turned(typical)),
                    time: turned(time),
                    bounding: turned(time),
                    time_over_typical: turned(time_over_typical),
                })
                .verdict;
            let swapped = match there {
                Slower => Faster,
                Faster => Slower,
                other => other,
            };
            assert_eq!(back, swapped);
        }
    }

    #[test]
    fn same_needs_each_end_of_the_means_for_itself_within_the_bound() {
        let (typical, time) = (Some(percent(-0.1, 0.1)), percent(-2.1, 2.1));
        let evidence = Evidence { typical, time, bounding: percent(-1.9, 1.9), time_over_typical: time };
        assert_eq!(RULE.judge(&evidence).verdict, Same);
        let evidence = Evidence { bounding: percent(-1.7, 2.1), ..evidence };
        assert_eq!(RULE.judge(&evidence).open, Some(Open::MeansUnbounded(Same)));
    }

    #[test]
    fn the_bound_is_the_farther_end() {
        assert!((mean_bound(&percent(-0.5, 1.4)) - 0.014).abs() < 1e-12);
        assert!((mean_bound(&percent(-2.0, 1.4)) - (1.0 / 0.98 - 1.0)).abs() < 1e-12);
    }
}
