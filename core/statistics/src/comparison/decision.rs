//! Where a verdict is decided: once, by everything that has a say in it.

use super::judgement::Judgement;
use super::multiplicity::FAMILY_WISE_ERROR;
use super::warnings::{self, LAYOUT_AT_MOST};
use super::{Claim, Comparison, Flag, Rule, Verdict};
use crate::summary::Estimate;
use crate::warning::{Warning, WarningCode};

use super::evidence::Basis;
use tare_samples::About;

/// Whether a difference is seen by more than one interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Confirmation {
    /// It was seen again, and holds beside the other cases.
    Given,
    /// It wasn't.
    Missing,
    /// None is asked for: of controls, of stored runs.
    Needless,
}

/// What has a say in a verdict beside the intervals.
#[derive(Debug)]
pub(super) struct Grounds {
    /// Whatever the intervals say, nothing is decided for these reasons.
    pub(super) obstacles: Vec<Warning>,
    /// For these no difference is called; they are told where one would be.
    pub(super) doubts: Vec<Warning>,
    pub(super) confirmation: Confirmation,
    /// By how much builds differ by their places, a standard deviation of the log-ratio: the reader of a smaller difference is told. 0 where they don't.
    pub(super) layout: f64,
}

impl Grounds {
    /// Nothing but whether it is confirmed.
    pub(super) fn of(confirmation: Confirmation) -> Self {
        Self { obstacles: Vec::new(), doubts: Vec::new(), confirmation, layout: 0.0 }
    }
}

impl Comparison {
    /// Decides the verdict of a comparison whose ratios are there.
    pub(super) fn decided(self, seen: &Judgement, grounds: Grounds) -> Self {
        let Grounds { obstacles, doubts, confirmation, layout } = grounds;
        let differs = seen.verdict.is_difference();
        let is_open = !obstacles.is_empty() || differs && (!doubts.is_empty() || confirmation == Confirmation::Missing);
        let verdict = if is_open { Verdict::Inconclusive } else { seen.verdict };
        let rests_on = if seen.basis == Basis::Typical { About::Typical } else { About::Time };
        let mut decided = Self {
            verdict,
            within: seen.within.filter(|_| verdict == Verdict::Same),
            confirmed: verdict.is_difference() && confirmation == Confirmation::Given,
            rests_on,
            ..self
        };
        decided.warnings.extend(obstacles);
        if differs {
            decided.warnings.extend(doubts);
        }
        let is_small = |shown: Estimate| shown.estimate.ln().abs() < LAYOUT_AT_MOST * layout;
        if verdict.is_difference() && decided.shown().is_some_and(is_small) {
            decided.warnings.push(warnings::layout(layout));
        }
        decided
    }

    /// A comparison of which a single ratio is known, on the scale of times. `obstacle`: why nothing is decided.
    pub fn of_ratio(rule: &Rule, ratio: Estimate, obstacle: Option<Warning>) -> Self {
        let seen = Judgement::of_ratio(rule, &ratio);
        let grounds = Grounds { obstacles: obstacle.into_iter().collect(), ..Grounds::of(Confirmation::Needless) };
        Self { ratio: Some(ratio), ..Self::without_ratio(rule, Vec::new()) }.decided(&seen, grounds)
    }

    /// The same comparison beside the cases of a larger suite. `adjusted`: of [`adjusted_p_values`](super::adjusted_p_values) over all of them, which isn't
    /// above that of a part, where all others were taken for cases that show nothing: so a difference may become one that is called, never the reverse.
    pub fn beside(mut self, adjusted: f64) -> Self {
        let Some((flag, claim)) = self.flag.as_mut().and_then(|flag| flag.claim.map(|claim| (flag, claim))) else {
            return self;
        };
        flag.p_value = adjusted.min(1.0);
        // Parts of a suite belong to no session.
        let confirmation = flag.confirmation(claim.seen, claim.seen_again, FAMILY_WISE_ERROR);
        if confirmation == Confirmation::Missing || self.confirmed {
            return self;
        }
        // What the base showed against itself isn't undone by other cases.
        let (doubts, mut told): (Vec<Warning>, Vec<Warning>) =
            std::mem::take(&mut self.warnings).into_iter().partition(|warning| warning.is(WarningCode::ControlDiffers));
        if doubts.is_empty() {
            told.retain(|warning| !warning.is(WarningCode::NotConfirmed));
        }
        self.warnings = told;
        let basis = if self.rests_on == About::Typical { Basis::Typical } else { Basis::Time };
        let seen = Judgement { verdict: claim.seen, basis, within: None, open: None };
        let Claim { layout, .. } = claim;
        self.decided(&seen, Grounds { doubts, layout, ..Grounds::of(Confirmation::Given) })
    }
}

impl Flag {
    /// Whether what all pairs show is the difference that was flagged, seen again and beside the other cases. `error`: of the suite.
    pub(super) fn confirmation(&self, seen: Verdict, seen_again: bool, error: f64) -> Confirmation {
        let holds = seen_again && self.p_value <= error && self.first == seen && seen.is_difference();
        if holds { Confirmation::Given } else { Confirmation::Missing }
    }
}

#[cfg(test)]
mod tests {
    use tare_samples::About;

    use super::{
        Claim, Comparison, Confirmation, FAMILY_WISE_ERROR, Flag, Grounds, Judgement, Rule, Verdict, warnings,
    };
    use crate::comparison::adjusted_p_values;
    use crate::summary::Estimate;
    use crate::warning::{Warning, WarningCode};

    const RATIO: Estimate = Estimate { estimate: 1.03, low: 1.02, high: 1.04 };

    fn told(code: WarningCode) -> Warning {
        Warning { code: code.into(), message: String::new(), remedy: String::new() }
    }

    /// Flagged in a part of a suite, where it couldn't be called.
    fn flagged(doubts: Vec<Warning>) -> Comparison {
        let claim = Claim { second: 0.04, seen: Verdict::Slower, seen_again: true, layout: 0.06 };
        let comparison = Comparison {
            ratio: Some(RATIO),
            flag: Some(Flag { first: Verdict::Slower, pairs: 10, p_value: 0.02, claim: Some(claim) }),
            ..Comparison::without_ratio(&Rule::default(), vec![told(WarningCode::NotConfirmed)])
        };
        let seen = Judgement::of_ratio(&Rule::default(), &RATIO);
        comparison.decided(&seen, Grounds { doubts, ..Grounds::of(Confirmation::Missing) })
    }

    #[test]
    fn a_claim_that_a_part_could_not_make_is_made_beside_what_the_others_show() {
        // Fifty cases: of 49 the part knows nothing.
        let mut alone = vec![None; 50];
        alone[0] = Some(0.04);
        assert!(adjusted_p_values(&alone)[0] > FAMILY_WISE_ERROR);
        let compared = flagged(Vec::new()).beside(adjusted_p_values(&alone)[0]);
        assert_eq!((compared.verdict, compared.confirmed), (Verdict::Inconclusive, false));
        // Thirty of them are slower beyond doubt: twenty are left that it stands beside.
        let mut whole = alone.clone();
        whole[1..31].fill(Some(1e-9));
        let compared = compared.beside(adjusted_p_values(&whole)[0]);
        assert_eq!((compared.verdict, compared.confirmed), (Verdict::Slower, true));
        let codes = |code| compared.warnings.iter().any(|warning| warning.is(code));
        assert!(!codes(WarningCode::NotConfirmed) && codes(WarningCode::Layout), "{:?}", compared.warnings);
        let again = compared.clone().beside(adjusted_p_values(&whole)[0]);
        assert_eq!(again, compared, "once");
    }

    #[test]
    fn what_a_control_keeps_open_stays_open() {
        let compared = flagged(vec![warnings::control_differs(Verdict::Slower)]).beside(0.0001);
        assert_eq!((compared.verdict, compared.confirmed), (Verdict::Inconclusive, false));
        let of_control = compared.warnings.iter().filter(|warning| warning.is(WarningCode::ControlDiffers));
        assert_eq!(of_control.count(), 1);
        assert!(compared.warnings.iter().any(|warning| warning.is(WarningCode::NotConfirmed)), "what was told stays");
        let mut unseen = flagged(Vec::new());
        unseen.flag.as_mut().unwrap().claim.as_mut().unwrap().seen_again = false;
        assert_eq!(unseen.beside(0.0001).verdict, Verdict::Inconclusive);
    }

    #[test]
    fn a_doubt_is_about_differences_and_an_obstacle_about_all() {
        let said = |ratio: Estimate, doubts, obstacles| {
            let grounds = Grounds { doubts, obstacles, ..Grounds::of(Confirmation::Needless) };
            let seen = Judgement::of_ratio(&Rule::default(), &ratio);
            let found = Comparison { ratio: Some(ratio), ..Comparison::without_ratio(&Rule::default(), Vec::new()) };
            let found = found.decided(&seen, grounds);
            (found.verdict, found.within.is_some(), found.warnings.len())
        };
        let same = Estimate { estimate: 1.0, low: 0.99, high: 1.02 };
        let doubt = || vec![told(WarningCode::SamplesDiffer)];
        assert_eq!(said(RATIO, Vec::new(), Vec::new()), (Verdict::Slower, false, 0));
        assert_eq!(said(RATIO, doubt(), Vec::new()), (Verdict::Inconclusive, false, 1));
        assert_eq!(said(same, doubt(), Vec::new()), (Verdict::Same, true, 0));
        assert_eq!(said(same, Vec::new(), doubt()), (Verdict::Inconclusive, false, 1));
    }

    #[test]
    fn what_rests_on_typical_calls_still_does_beside_others() {
        let part = Comparison { rests_on: About::Typical, typical: Some(RATIO), ..flagged(Vec::new()) };
        assert_eq!(part.beside(0.0001).rests_on, About::Typical);
    }
}
