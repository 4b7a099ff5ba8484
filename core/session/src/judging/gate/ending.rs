//! How a run ends by its gates, and the line that says so.

use tare_definition::Limit;
use tare_results::{ComparisonView, ComparisonsView, GateKind, GateOutcome, GateView, RunEnd, RunView};
use tare_statistics::WarningCode;
use tare_statistics::comparison::Verdict;

use super::Gates;
use crate::judging::figures::percent;
use crate::judging::live::one_sided;

/// How a run ends by its gates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// They held, or were undecided and nobody asked for that.
    Passed,
    /// One tripped.
    Tripped,
    /// One could not decide, and that was asked for.
    Undecided,
}

/// What the gates of a run make of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Concluded {
    /// How it ends.
    pub ending: Ending,
    /// Which gates, in one line; `None` where no gate was asked for.
    pub why: Option<String>,
}

/// So many cases are named where gates say why a run ends as it does.
const NAMED: usize = 3;

/// A change that adds the first benchmarks passes; one that moved or renamed them sees here that nothing was compared.
const NOTHING_COMPARED: &str = "no gate tripped, because no case is on both sides";

/// A case, and what was asked of it in a word or two: `margin 0.5 %`, `slower=5 %`, `max-time`, `assertion`.
pub(crate) type Asked = (String, String);

impl Gates {
    /// What the gates make of the judged view, and why; the view tells it, too.
    pub(crate) fn conclude(&self, view: &mut RunView) -> Concluded {
        let concluded = self.concluded(view);
        let passed = concluded.ending == Ending::Passed;
        view.ended = concluded.why.clone().map(|why| RunEnd { passed, why });
        concluded
    }

    fn concluded(&self, view: &RunView) -> Concluded {
        let comparisons = &view.comparisons;
        let gates = |outcome| comparisons.gates.iter().filter(move |gate| gate.outcome == outcome);
        let tripped: Vec<Asked> = gates(GateOutcome::Tripped).map(|gate| case_and_rule(gate, comparisons)).collect();
        let mut undecided: Vec<Asked> =
            gates(GateOutcome::Undecided).map(|gate| case_and_rule(gate, comparisons)).collect();
        let open: Vec<&ComparisonView> = comparisons.judged().filter(|pair| self.leaves_open(pair, view)).collect();
        for pair in &open {
            let of_pair = (title(pair, comparisons), margin(pair));
            if !undecided.contains(&of_pair) {
                undecided.push(of_pair);
            }
        }
        // Noise may be forgiven, for more launches could have decided. A side that skips itself must not be the way through a gate.
        let skipped = comparisons.judged().filter(|pair| one_sided(&pair.comparison).is_some()).any(|pair| {
            let of_pair =
                |gate: &GateView| (gate.base.as_ref(), &gate.variant) == (Some(&pair.base.id), &pair.candidate.id);
            comparisons.gates.iter().any(of_pair)
        });
        if !tripped.is_empty() {
            let why = format!("{} tripped ({})", gates_of(tripped.len()), listed(&tripped));
            return Concluded { ending: Ending::Tripped, why: Some(why) };
        }
        let counted = format!("{} undecided ({}{})", gates_of(undecided.len()), in_short(&undecided), moved(&open));
        if skipped || self.inconclusive && !undecided.is_empty() {
            return Concluded { ending: Ending::Undecided, why: Some(counted) };
        }
        if self.compared_nothing(comparisons) {
            return Concluded { ending: Ending::Passed, why: Some(NOTHING_COMPARED.to_owned()) };
        }
        let why = match undecided.is_empty() {
            true => "no gate tripped".to_owned(),
            false => format!("no gate tripped; {counted}, which only `--fail-on inconclusive` counts"),
        };
        Concluded { ending: Ending::Passed, why: self.asked_for_any(comparisons).then_some(why) }
    }

    /// Whether `--fail-on inconclusive` counts a pair by its verdict: a gate that states a percentage is judged at that percentage instead, and one of work by its work.
    fn leaves_open(&self, pair: &ComparisonView, view: &RunView) -> bool {
        let states_a_percentage = || match self.slower {
            Some(by) => by.is_some(),
            None if self.work.is_some() => true,
            None => {
                let limits: Vec<&Limit> = self
                    .limits
                    .iter()
                    .filter(|limit| limit.max_slowdown.is_some() || limit.max_work_change.is_some())
                    .collect();
                let candidate = view.variants.iter().find(|variant| variant.variant.id == pair.candidate.id);
                candidate.is_some_and(|found| limits.iter().any(|limit| limit.matches(&found.variant.case)))
            }
        };
        self.inconclusive && pair.comparison.verdict == Verdict::Inconclusive && !states_a_percentage()
    }

    /// Whether a gate on comparisons had none to judge though there are cases: all are on one side only, as where benchmarks were moved or renamed.
    fn compared_nothing(&self, comparisons: &ComparisonsView) -> bool {
        let asked = self.slower.is_some()
            || self.work.is_some()
            || self.inconclusive
            || self.limits.iter().any(Limit::is_of_pairs);
        asked && comparisons.judged().next().is_none() && !comparisons.unpaired.is_empty()
    }

    fn asked_for_any(&self, comparisons: &ComparisonsView) -> bool {
        let asserted = &comparisons.assertions;
        let assertions = asserted.held + asserted.failed + asserted.undecided;
        self.slower.is_some() || self.work.is_some() || self.inconclusive || !self.limits.is_empty() || assertions > 0
    }
}

pub(crate) fn gates_of(count: usize) -> String {
    format!("{count} gate{}", if count == 1 { "" } else { "s" })
}

fn margin(pair: &ComparisonView) -> String {
    format!("margin {}", percent(pair.comparison.margin))
}

/// The case of a gate, and what was asked of it.
fn case_and_rule(gate: &GateView, comparisons: &ComparisonsView) -> Asked {
    let is_pair =
        |pair: &&ComparisonView| (gate.base.as_ref(), &gate.variant) == (Some(&pair.base.id), &pair.candidate.id);
    let pair = comparisons.judged().find(is_pair);
    let case = pair.map_or_else(|| gate.title.clone(), |pair| title(pair, comparisons));
    let rule = match gate.kind {
        GateKind::Slower(None) => pair.map_or_else(|| gate.rule.clone(), margin),
        GateKind::Slower(Some(by)) | GateKind::Work(by) => format!("{}={}", gate.kind.name(), percent(by)),
        // The report has the rest of it: an assertion may be long.
        kind => kind.name().to_owned(),
    };
    (case, rule)
}

/// A pair by its case; by its candidate as well, where candidates differ. Functions that are compared have no class in common.
fn title(pair: &ComparisonView, comparisons: &ComparisonsView) -> String {
    let differ = comparisons.judged().any(|other| other.candidate.label != pair.candidate.label);
    match (pair.title.as_str(), differ) {
        ("", _) => pair.candidate.label.clone(),
        (case, false) => case.to_owned(),
        (case, true) => format!("{case} of {}", pair.candidate.label),
    }
}

/// `sort, hash, margin 0.5 %; parse, max-time`.
pub(crate) fn listed(all: &[Asked]) -> String {
    let mut rules: Vec<&str> = Vec::new();
    for (_, rule) in all {
        if !rules.contains(&rule.as_str()) {
            rules.push(rule);
        }
    }
    let group = |rule: &&str| {
        let cases: Vec<&str> = all.iter().filter(|(_, of)| of == rule).map(|(case, _)| case.as_str()).collect();
        let more = cases.len().saturating_sub(NAMED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        format!("{}{more}, {rule}", cases[..cases.len().min(NAMED)].join(", "))
    };
    let mut groups: Vec<String> = rules.iter().take(NAMED).map(group).collect();
    if rules.len() > NAMED {
        groups.push(format!("{} more rules", rules.len() - NAMED));
    }
    groups.join("; ")
}

/// The case and the rule of one; the rules of several, since the report names the cases.
fn in_short(all: &[Asked]) -> String {
    if all.len() < 2 {
        return listed(all);
    }
    let mut rules: Vec<&str> = all.iter().map(|(_, rule)| rule.as_str()).collect();
    rules.sort_unstable();
    rules.dedup();
    let more = rules.len().saturating_sub(NAMED);
    rules.truncate(NAMED);
    let more = if more > 0 { format!(", {more} more rules") } else { String::new() };
    format!("{}{more}", rules.join(", "))
}

/// So many undecided comparisons stay so however long they are measured, since their machine code has only moved.
fn moved(open: &[&ComparisonView]) -> String {
    let moved =
        |pair: &&&ComparisonView| pair.comparison.warnings.iter().any(|warning| warning.is(WarningCode::CodeMoved));
    match open.iter().filter(moved).count() {
        0 => String::new(),
        moved => format!("; {moved} of them for code that has only moved (code-moved)"),
    }
}
