//! Gates: what makes a run end with status 1 or 3.

use tare_definition::{FailOn, Limit, Project};
use tare_plan::Group;
use tare_results::{ComparisonKind, ComparisonView, GateKind, GateOutcome, GateView, RunView, VariantView};
use tare_samples::{Case, Outcome};
use tare_statistics::Estimate;
use tare_statistics::WarningCode;
use tare_statistics::comparison::Verdict;
use tare_statistics::memory::{MemoryEstimate, growth, memory};
use tare_statistics::work::WorkVerdict;

use crate::error::Error;
use crate::judging::assertion;
use crate::judging::figures::{longer, percent, time, times};
use crate::judging::live::one_sided;

mod ending;

pub(crate) use ending::{Asked, gates_of, listed};
pub use ending::{Concluded, Ending};

/// What is asked of a run: `--fail-on`, and the limits of tare.toml.
pub(crate) struct Gates {
    /// A candidate is slower: beyond the margin, or beyond this fraction.
    slower: Option<Option<f64>>,
    inconclusive: bool,
    /// A call executes more, beyond this fraction.
    work: Option<f64>,
    limits: Vec<Limit>,
}

/// Where a figure with an interval lies against a limit.
enum Against {
    Held,
    Broken,
    Open,
}

impl Against {
    fn of(figure: &Estimate, limit: f64) -> Self {
        match (figure.low > limit, figure.high > limit) {
            (true, _) => Self::Broken,
            (false, true) => Self::Open,
            (false, false) => Self::Held,
        }
    }
}

impl Gates {
    /// The command line goes before tare.toml.
    pub(crate) fn new(fail_on: &[FailOn], project: &Project) -> Result<Self, Error> {
        let by = project.settings.named("fail-on").filter(|_| fail_on.is_empty());
        let fail_on = if fail_on.is_empty() { &project.settings.comparing.fail_on } else { fail_on };
        let slower: Vec<Option<f64>> = fail_on
            .iter()
            .filter_map(|gate| match gate {
                FailOn::Slower(by) => Some(*by),
                FailOn::Inconclusive | FailOn::Work(_) => None,
            })
            .collect();
        let work = fail_on.iter().filter_map(|gate| if let FailOn::Work(by) = gate { Some(*by) } else { None });
        if slower.len() > 1 {
            return Err(Error::usage(format!(
                "{} is given {} times; give it once",
                by.map_or("--fail-on slower".to_owned(), |by| format!("{by}: slower")),
                slower.len()
            )));
        }
        Ok(Self {
            slower: slower.first().copied(),
            inconclusive: fail_on.contains(&FailOn::Inconclusive),
            work: work.min_by(f64::total_cmp),
            limits: project.settings.limits.clone(),
        })
    }

    /// What can't be judged, since nothing is there to be judged by it: a typing mistake must not pass for a gate that held. What is asked of comparisons says
    /// nothing where none was `meant`.
    pub(crate) fn without_effect(&self, cases: &[&Case], compares: bool, meant: bool) -> Vec<String> {
        let mut told = Vec::new();
        for limit in &self.limits {
            if !cases.iter().any(|case| limit.matches(case)) {
                told.push(format!("tare.toml:{}: the limit for `{}` matches no case", limit.line, limit.pattern));
            } else if !compares && meant && limit.is_of_pairs() {
                told.push(format!(
                    "tare.toml:{}: the limit for `{}` needs a comparison, and this run has none",
                    limit.line, limit.pattern
                ));
            }
        }
        if !compares && meant && self.need_a_comparison(cases) {
            told.push("`fail-on` has no effect: this run has no comparison".to_owned());
        }
        if !compares {
            told.extend(assertion::without_effect(cases));
        }
        told
    }

    /// Whether a gate was asked for that nothing but a comparison can decide. Assertions may be inconclusive without one.
    pub(crate) fn need_a_comparison(&self, cases: &[&Case]) -> bool {
        let asserts = cases.iter().any(|case| !case.settings.assertions.is_empty());
        self.slower.is_some() || self.work.is_some() || self.inconclusive && !asserts
    }

    /// Why a case has to be measured, whatever is known of its code: a limit or an assertion is about its own figures.
    pub(crate) fn asks_for_figures(&self, case: &Case) -> Option<String> {
        if self.limits.iter().filter(|limit| limit.is_of_figures()).any(|limit| limit.matches(case)) {
            return Some("a limit asks for its figures".to_owned());
        }
        (!case.settings.assertions.is_empty()).then(|| "an assertion asks for its figures".to_owned())
    }

    /// Whether a limit is on what a case holds in memory: it is weighed then.
    pub(crate) fn limit_memory(&self, case: &Case) -> bool {
        let limits = |limit: &&Limit| limit.max_memory.is_some() || limit.max_memory_growth.is_some();
        self.limits.iter().filter(limits).any(|limit| limit.matches(case)) || assertion::need_memory(case)
    }

    /// Whether a gate is on what a case executes: it is counted then.
    pub(crate) fn count(&self, case: &Case) -> bool {
        let counts = |limit: &&Limit| limit.max_instructions.is_some() || limit.max_work_change.is_some();
        self.work.is_some() || self.limits.iter().filter(counts).any(|limit| limit.matches(case))
    }

    /// Tells pairs of the least percentage that gates let them be slower by. A gate that states none asks for a verdict as sharp as it can be.
    pub(crate) fn ask(&self, groups: &mut [Group]) {
        for Group { variants, pairs, .. } in groups.iter_mut().filter(|_| self.slower != Some(None)) {
            for pair in pairs.iter_mut().filter(|pair| !pair.control) {
                let case = &variants[pair.candidate].variant.case;
                let limits = self.limits.iter().filter(|limit| limit.matches(case));
                let stated = limits.filter_map(|limit| limit.max_slowdown).chain(self.slower.flatten());
                pair.gate = stated.min_by(f64::total_cmp);
            }
        }
    }

    /// Adds to the view what broke and what couldn't be decided.
    pub(crate) fn judge(&self, view: &mut RunView) {
        let mut gates = Vec::new();
        for pair in view.comparisons.judged() {
            self.judge_pair(pair, view, &mut gates);
        }
        // Where variants are compared a limit is the candidate's: a base that was too slow may be what is being mended.
        let partners: Vec<&str> = view
            .comparisons
            .pairs
            .iter()
            .flat_map(|pair| match pair.kind {
                ComparisonKind::Control => [pair.base.id.as_str(), pair.candidate.id.as_str()],
                _ => [pair.base.id.as_str(), pair.base.id.as_str()],
            })
            .collect();
        let judged = || view.variants.iter().filter(|variant| !partners.contains(&variant.variant.id.as_str()));
        for variant in judged() {
            self.judge_variant(variant, &mut gates);
        }
        let (found, counts) = assertion::judge(view, judged());
        gates.extend(found);
        (view.comparisons.gates, view.comparisons.assertions) = (gates, counts);
    }

    fn judge_pair(&self, pair: &ComparisonView, view: &RunView, gates: &mut Vec<GateView>) {
        let mut add = |kind: GateKind, rule: String, message: String, outcome: GateOutcome| {
            gates.push(GateView {
                // Functions that are compared have no class in common.
                title: format!("{} ({})", pair.title, pair.candidate.label).trim_start().to_owned(),
                variant: pair.candidate.id.clone(),
                base: Some(pair.base.id.clone()),
                kind,
                rule,
                message,
                outcome,
            });
        };
        if let Some(by) = self.slower {
            let kind = GateKind::Slower(by);
            let rule = by.map_or("--fail-on slower".to_owned(), |by| format!("--fail-on slower={}", percent(by)));
            if let Some((message, outcome)) = slower(pair, by) {
                add(kind, rule, message, outcome);
            }
        }
        if pair.comparison.verdict == Verdict::Unchanged {
            return;
        }
        if let Some(by) = self.work
            && let Some((message, outcome)) = more_work(pair, by)
        {
            add(GateKind::Work(by), format!("--fail-on work={}", percent(by)), message, outcome);
        }
        let case = |id: &str| view.variants.iter().find(|variant| variant.variant.id == id);
        let Some(candidate) = case(&pair.candidate.id) else { return };
        for limit in self.limits.iter().filter(|limit| limit.matches(&candidate.variant.case)) {
            if let Some(by) = limit.max_slowdown
                && let Some((message, outcome)) = slower(pair, Some(by))
            {
                add(GateKind::MaxSlowdown, format!("max-slowdown {}", percent(by)), message, outcome);
            }
            if let Some(by) = limit.max_work_change
                && let Some((message, outcome)) = more_work(pair, by)
            {
                add(GateKind::MaxWorkChange, format!("max-work-change {}", percent(by)), message, outcome);
            }
            if let Some(by) = limit.max_memory_growth {
                let held = case(&pair.base.id).and_then(weighed).zip(weighed(candidate));
                // Of the whole process: a part of what a subject adds, which is often nothing, would be no figure.
                let growth = held.and_then(|(base, now)| growth(&base.process, &now.process));
                let rule = format!("max-memory-growth {}", percent(by));
                match growth.map(|growth| (Against::of(&growth, by), growth)) {
                    Some((Against::Held, _)) => {}
                    Some((against, growth)) => {
                        let range = format!("{} to {}", percent(growth.low), percent(growth.high));
                        let (message, outcome) = judged(against, format!("the process's peak memory grew by {range}"));
                        add(GateKind::MaxMemoryGrowth, rule, message, outcome);
                    }
                    None => add(GateKind::MaxMemoryGrowth, rule, UNWEIGHED.to_owned(), GateOutcome::Undecided),
                }
            }
        }
    }

    fn judge_variant(&self, view: &VariantView, gates: &mut Vec<GateView>) {
        let mut add = |kind: GateKind, rule: String, message: String, outcome: GateOutcome| {
            gates.push(GateView {
                title: view.full_title(),
                variant: view.variant.id.clone(),
                base: None,
                kind,
                rule,
                message,
                outcome,
            });
        };
        for limit in self.limits.iter().filter(|limit| limit.matches(&view.variant.case)) {
            if let (Some(most), Some(summary)) = (limit.max_time, &view.summary) {
                let rule = format!("max-time {}", time(most));
                let range = match summary.time.is_bounded() {
                    true => format!("from {} to {}", time(summary.time.low), time(summary.time.high)),
                    false => format!("{}, and its error is unknown", time(summary.time.estimate)),
                };
                match Against::of(&summary.time, most) {
                    Against::Broken => {
                        add(GateKind::MaxTime, rule, format!("a call takes {range}"), GateOutcome::Tripped)
                    }
                    Against::Open => add(
                        GateKind::MaxTime,
                        rule,
                        format!("a call takes {range}: too uncertain to decide"),
                        GateOutcome::Undecided,
                    ),
                    Against::Held => {}
                }
            }
            if let (Some(most), Outcome::Ok) = (limit.max_memory, &view.outcome) {
                let rule = format!("max-memory {most} bytes");
                match weighed(view).map(|memory| (Against::of(&memory.peak, most as f64), memory.peak)) {
                    Some((Against::Held, _)) => {}
                    Some((against, peak)) => {
                        let range = format!("{:.0} to {:.0} bytes", peak.low, peak.high);
                        let (message, outcome) = judged(against, format!("the subject holds {range} at its peak"));
                        add(GateKind::MaxMemory, rule, message, outcome);
                    }
                    None => add(GateKind::MaxMemory, rule, UNWEIGHED.to_owned(), GateOutcome::Undecided),
                }
            }
            if let (Some(most), Outcome::Ok) = (limit.max_instructions, &view.outcome) {
                let rule = format!("max-instructions {most}");
                let counts = view.calibration.as_ref().and_then(|calibration| calibration.work.as_ref());
                match counts
                    .filter(|counts| !counts.several_threads())
                    .map(|counts| (counts.per_call(), counts.launches_differ_by()))
                {
                    Some((count, difference)) => {
                        let counted = Estimate { estimate: count, low: count - difference, high: count + difference };
                        let (message, outcome) = match Against::of(&counted, most as f64) {
                            Against::Held => continue,
                            against => judged(
                                against,
                                format!("a call takes {count:.1} instructions (two counts differ by {difference:.1})"),
                            ),
                        };
                        add(GateKind::MaxInstructions, rule, message, outcome);
                    }
                    None => add(GateKind::MaxInstructions, rule, UNCOUNTED.to_owned(), GateOutcome::Undecided),
                }
            }
        }
    }
}

const UNCOUNTED: &str = "its instructions were not counted (no time, no valgrind, or a warning says why)";

const UNWEIGHED: &str = "its memory was not measured";

fn weighed(view: &VariantView) -> Option<MemoryEstimate> {
    memory(view.calibration.as_ref()?.memory.as_ref()?)
}

fn judged(against: Against, what: String) -> (String, GateOutcome) {
    match against {
        Against::Open => (format!("{what}: too uncertain to decide"), GateOutcome::Undecided),
        _ => (what, GateOutcome::Tripped),
    }
}

/// Whether a pair's candidate is slower by more than `by`: what the verdict is about, as far as it is known, has to lie within that. Where no percentage is stated it is asked
/// for the verdict. A difference has to be called to count.
fn slower(pair: &ComparisonView, by: Option<f64>) -> Option<(String, GateOutcome)> {
    let comparison = &pair.comparison;
    if comparison.verdict == Verdict::Unchanged {
        return None;
    }
    let undecided = |why: &str| Some((why.to_owned(), GateOutcome::Undecided));
    let (Some(shown), Some(asked)) = (comparison.shown(), comparison.asked()) else {
        return undecided(one_sided(comparison).map_or("the ratio is undefined", |warning| &warning.message));
    };
    if !(100.0 * asked.high).is_finite() {
        return undecided("too few launches to know the error of the ratio");
    }
    let range = |ratio: &Estimate| longer(ratio.low, ratio.high);
    let is_beyond = |by: f64| shown.low > 1.0 + by;
    let is_within = |by: f64| asked.high <= 1.0 + by;
    match comparison.verdict {
        Verdict::Slower if by.is_none_or(is_beyond) => {
            Some((format!("it takes {}", range(&shown)), GateOutcome::Tripped))
        }
        Verdict::Same | Verdict::Faster if by.is_none() => None,
        _ if by.is_some_and(is_within) => None,
        _ => {
            let why =
                comparison.warnings.iter().find(|warning| warning.known().is_some_and(WarningCode::hides_the_reason));
            let why = why.map_or_else(String::new, |warning| format!(" (warning {})", warning.code));
            // The row shows typical calls where these are known more narrowly; a gate asks what calls cost.
            let what = if asked == shown {
                "it takes"
            } else {
                "typical calls, which its row shows, don't decide: on average it takes"
            };
            // A difference that is called needs two measurements.
            let again = match &comparison.flag {
                Some(flag) if by.is_some_and(|by| asked.low > 1.0 + by) && flag.pairs == 0 => {
                    "more than that, and there was no time to measure it again"
                }
                Some(_) if by.is_some_and(|by| asked.low > 1.0 + by) => {
                    "more than that, and no second measurement has confirmed it"
                }
                _ => "too uncertain to decide",
            };
            undecided(&format!("{what} {}: {again}{why}", range(&asked)))
        }
    }
}

/// Whether a call of a pair's candidate executes more than its base's, by more than `by`.
fn more_work(pair: &ComparisonView, by: f64) -> Option<(String, GateOutcome)> {
    let undecided = |why: &str| Some((why.to_owned(), GateOutcome::Undecided));
    if pair.kind == ComparisonKind::Stored {
        return undecided("what stored runs execute isn't compared: compare the revisions");
    }
    let Some(work) = pair.work else { return undecided(UNCOUNTED) };
    let more = |ratio: Estimate| format!("a call executes {} the base's instructions", times(ratio.estimate));
    match (work.verdict, work.ratio) {
        (WorkVerdict::Equal | WorkVerdict::Less, _) => None,
        (WorkVerdict::More, None) => Some((
            format!("a call executes {:.0} instructions, and the base's none", work.candidate),
            GateOutcome::Tripped,
        )),
        (WorkVerdict::More, Some(ratio)) => match Against::of(&ratio, 1.0 + by) {
            Against::Held => None,
            Against::Broken => Some((more(ratio), GateOutcome::Tripped)),
            Against::Open => Some((format!("{}: too uncertain to decide", more(ratio)), GateOutcome::Undecided)),
        },
        (WorkVerdict::Varies, Some(ratio)) if ratio.high <= 1.0 + by => None,
        (WorkVerdict::Varies, _) => undecided("the count of its work varies: too uncertain to decide"),
    }
}

#[cfg(test)]
mod tests;
