//! What several machines say of the same suite: each case's ratio over all machines, and whether it is one ratio for all kinds of them.

use std::collections::BTreeMap;

use super::decision::{Confirmation, Grounds};
use super::evidence::{Basis, Evidence};
use super::judgement::{Judgement, Rule};
use super::live::CONFIDENCE;
use super::multiplicity::{FAMILY_WISE_ERROR, holm};
use super::replicas::{Pooled, Replica, kinds_differ};
use super::{Comparison, warnings};
use crate::summary::Estimate;

/// A comparison as one machine measured it.
#[derive(Debug, Clone)]
pub struct OnMachine<'a> {
    /// What machines of its kind have in common: their processor.
    pub kind: &'a str,
    /// What it says.
    pub comparison: &'a Comparison,
}

/// A comparison over all machines.
#[derive(Debug, Clone, PartialEq)]
pub struct OverMachines {
    /// What is said of it. Without a ratio where kinds of machines differ, or under two machines know one.
    pub comparison: Comparison,
    /// Standard deviation of the log-ratio from machine to machine, beyond what each one's own error explains; `None` where nothing was pooled.
    pub between: Option<f64>,
    /// The ratio on each kind of machine, with its interval where there are two or more of it.
    pub kinds: Vec<(String, Estimate)>,
}

/// A case on its way to a verdict.
struct Case {
    rule: Rule,
    pairs: u32,
    pooled: Option<Known>,
    /// How sure it is that kinds of machines differ, and by how much.
    kinds_differ: (f64, f64),
    kinds: Vec<(String, Estimate)>,
}

struct Known {
    time: Pooled,
    typical: Option<Pooled>,
    judgement: Judgement,
    evidence: Evidence,
    p_value: f64,
}

/// Judges a suite, each case of which was compared on several machines: `slower` and `faster` keep the family-wise error of 1 % over all cases (Holm), for
/// machines as these are. They are levels of chance (see [`Pooled`]) and take the place of a second measurement. Where the effect differs from kind to kind
/// of machine by more than the margin, at the same error, there is no ratio over all of them.
pub fn over_machines(suite: &[Vec<OnMachine<'_>>]) -> Vec<Option<OverMachines>> {
    let cases: Vec<Option<Case>> = suite.iter().map(|case| Case::of(case)).collect();
    let of = |p_value: fn(&Case) -> f64| {
        let p_values: Vec<f64> = cases.iter().map(|case| case.as_ref().map_or(1.0, p_value)).collect();
        holm(&p_values)
    };
    let differences = of(|case| case.pooled.as_ref().map_or(1.0, |known| known.p_value));
    let kinds = of(|case| case.kinds_differ.0);
    let adjusted = differences.into_iter().zip(kinds);
    cases.into_iter().zip(adjusted).map(|(case, (p_value, kinds))| case.map(|case| case.said(p_value, kinds))).collect()
}

impl Case {
    fn of(machines: &[OnMachine<'_>]) -> Option<Self> {
        let rule = machines.first()?.comparison.rule();
        let replica = |one: &Comparison, ratio: Option<Estimate>| Replica::of(&ratio?, one.confidence, one.pairs);
        let times: Vec<(&OnMachine<'_>, Replica)> =
            machines.iter().filter_map(|one| Some((one, replica(one.comparison, one.comparison.ratio)?))).collect();
        let typical: Option<Vec<Replica>> =
            times.iter().map(|(one, _)| replica(one.comparison, one.comparison.typical)).collect();
        let time: Vec<Replica> = times.iter().map(|(_, time)| *time).collect();
        let pooled = Pooled::of(&time).map(|pooled| Known::of(rule, pooled, &time, typical.as_deref()));
        // Kinds differ in what the verdict is about.
        let rests_on_typical = pooled.as_ref().is_some_and(|known| known.judgement.basis == Basis::Typical);
        let figures = typical.filter(|_| rests_on_typical).unwrap_or(time);
        let mut by_kind: BTreeMap<&str, Vec<Replica>> = BTreeMap::new();
        for ((one, _), figure) in times.iter().zip(figures) {
            by_kind.entry(one.kind).or_default().push(figure);
        }
        let kinds: Vec<(String, Estimate)> =
            by_kind.iter().map(|(kind, replicas)| ((*kind).to_owned(), ratio_of_kind(replicas))).collect();
        let groups: Vec<Vec<Replica>> = by_kind.into_values().collect();
        Some(Self {
            rule,
            pairs: machines.iter().map(|one| one.comparison.pairs).sum(),
            pooled,
            kinds_differ: kinds_differ(&groups).unwrap_or((1.0, 0.0)),
            kinds,
        })
    }

    fn said(self, p_value: f64, kinds_p_value: f64) -> OverMachines {
        let Self { rule, pairs, pooled, kinds_differ: (_, apart), kinds } = self;
        let without_ratio = |why| Comparison { pairs, ..Comparison::without_ratio(&rule, vec![why]) };
        let Some(known) = pooled else {
            return OverMachines { comparison: without_ratio(warnings::few_machines()), between: None, kinds };
        };
        let between = Some(known.shown().between);
        if kinds_p_value <= FAMILY_WISE_ERROR && apart > rule.margin.ln_1p() {
            return OverMachines { comparison: without_ratio(warnings::heterogeneous(&kinds)), between, kinds };
        }
        let is_sure = p_value <= FAMILY_WISE_ERROR;
        let grounds = Grounds::of(if is_sure { Confirmation::Given } else { Confirmation::Missing });
        let told = known.judgement.open.map(|open| open.told(&known.evidence)).into_iter();
        let comparison = Comparison {
            ratio: Some(known.evidence.time),
            typical: known.evidence.typical,
            pairs,
            ..Comparison::without_ratio(&rule, told.collect())
        };
        OverMachines { comparison: comparison.decided(&known.judgement, grounds), between, kinds }
    }
}

impl Known {
    fn of(rule: Rule, time: Pooled, times: &[Replica], typical: Option<&[Replica]>) -> Self {
        let of_typical = typical.and_then(Pooled::of);
        // What lies between both is known as well as the expected costs are.
        let apart = typical.map(|typical| {
            let both = times.iter().zip(typical);
            both.map(|(time, typical)| Replica { log_ratio: time.log_ratio - typical.log_ratio, ..*time }).collect()
        });
        let apart = apart.and_then(|apart: Vec<Replica>| Pooled::of(&apart));
        let evidence = Evidence {
            typical: of_typical.map(|typical| typical.ratio(CONFIDENCE)),
            time: time.ratio(CONFIDENCE),
            time_over_typical: apart
                .map_or(Estimate { estimate: 1.0, low: 1.0, high: 1.0 }, |apart| apart.ratio(CONFIDENCE)),
        };
        let judgement = rule.judge(&evidence);
        let mut known = Self { time, typical: of_typical, judgement, evidence, p_value: 1.0 };
        known.p_value = known.shown().p_value(rule.margin);
        known
    }

    /// What the verdict rests on.
    fn shown(&self) -> Pooled {
        match self.judgement.basis {
            Basis::Typical => self.typical.unwrap_or(self.time),
            Basis::Time => self.time,
        }
    }
}

/// Of a single machine its own interval; of several that of their mean.
fn ratio_of_kind(replicas: &[Replica]) -> Estimate {
    match (Pooled::of(replicas), replicas) {
        (Some(pooled), _) => pooled.ratio(CONFIDENCE),
        (None, [only]) => only.ratio(CONFIDENCE),
        (None, _) => Estimate { estimate: f64::NAN, low: f64::NEG_INFINITY, high: f64::INFINITY },
    }
}

#[cfg(test)]
mod tests {
    use super::{OnMachine, over_machines};
    use crate::comparison::{Comparison, Rule, Verdict};
    use crate::summary::Estimate;
    use crate::warning::WarningCode;

    fn on(percent: f64, half: f64) -> Comparison {
        let at = |percent: f64| (percent / 100.0).exp();
        let ratio = Estimate { estimate: at(percent), low: at(percent - half), high: at(percent + half) };
        Comparison { pairs: 20, ..Comparison::of_ratio(&Rule::default(), ratio, None) }
    }

    fn judged(machines: &[(&str, f64)]) -> super::OverMachines {
        let comparisons: Vec<Comparison> = machines.iter().map(|(_, percent)| on(*percent, 0.3)).collect();
        let suite = machines
            .iter()
            .zip(&comparisons)
            .map(|((kind, _), comparison)| OnMachine { kind, comparison })
            .collect::<Vec<_>>();
        over_machines(&[suite]).remove(0).expect("machines")
    }

    #[test]
    fn machines_that_agree_are_one_verdict() {
        let found = judged(&[("a", 5.0), ("a", 5.1), ("a", 4.9), ("a", 5.0)]).comparison;
        assert_eq!((found.verdict, found.confirmed, found.pairs), (Verdict::Slower, true, 80));
        let found = judged(&[("a", 0.0), ("a", 0.02), ("a", -0.02), ("a", 0.0)]).comparison;
        assert_eq!(found.verdict, Verdict::Same);
    }

    #[test]
    fn what_one_machine_of_several_says_is_no_verdict() {
        // Each of them was sure of itself.
        let found = judged(&[("a", 6.0), ("a", 0.0), ("a", -0.5), ("a", 0.3)]);
        assert_eq!(found.comparison.verdict, Verdict::Inconclusive);
        assert!(found.between.is_some_and(|between| between > 0.02));
    }

    #[test]
    fn an_effect_on_one_kind_is_not_averaged_away() {
        let found = judged(&[("a", 0.0), ("a", 0.1), ("a", -0.1), ("b", 8.0), ("b", 8.1), ("b", 7.9)]);
        assert_eq!((found.comparison.verdict, found.comparison.ratio), (Verdict::Inconclusive, None));
        assert!(found.comparison.warnings[0].is(WarningCode::Heterogeneous));
        let kinds: Vec<(&str, f64)> =
            found.kinds.iter().map(|(kind, ratio)| (kind.as_str(), (ratio.estimate * 100.0).round())).collect();
        assert_eq!(kinds, [("a", 100.0), ("b", 108.0)]);
    }

    #[test]
    fn one_machine_with_a_ratio_is_none_to_pool() {
        let (sure, unknown) = (on(1.0, 0.3), Comparison { ratio: None, ..on(1.0, 0.3) });
        let suite = vec![OnMachine { kind: "a", comparison: &sure }, OnMachine { kind: "a", comparison: &unknown }];
        let found = over_machines(&[suite, Vec::new()]);
        assert!(found[0].as_ref().is_some_and(|found| found.comparison.warnings[0].is(WarningCode::FewMachines)));
        assert_eq!(found[1], None);
    }

    #[test]
    fn a_larger_suite_asks_for_more() {
        let at = [1.2, 2.4, 1.7].map(|percent| on(percent, 0.3));
        let case = || at.iter().map(|comparison| OnMachine { kind: "a", comparison }).collect::<Vec<_>>();
        let null = [-0.1, 0.1, 0.0].map(|percent| on(percent, 0.3));
        let same = || null.iter().map(|comparison| OnMachine { kind: "a", comparison }).collect::<Vec<_>>();
        let verdict =
            |suite: &[Vec<OnMachine<'_>>]| over_machines(suite)[0].as_ref().map(|found| found.comparison.verdict);
        let many: Vec<_> = std::iter::once(case()).chain((0..40).map(|_| same())).collect();
        assert_ne!(verdict(&many), Some(Verdict::Slower));
    }
    #[test]
    fn the_bound_that_was_asked_for_decides_whether_it_is_the_same() {
        let verdict = |same| {
            let one = Comparison { typical: on(0.0, 0.1).ratio, same, ..on(0.0, 1.0) };
            let found = over_machines(&[vec![OnMachine { kind: "a", comparison: &one }; 4]]).remove(0).unwrap();
            (found.comparison.verdict, found.comparison.within.is_some())
        };
        assert_eq!(verdict(0.02), (Verdict::Same, true));
        assert_eq!(verdict(0.005), (Verdict::Inconclusive, false));
    }
}
