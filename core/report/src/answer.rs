//! The answer in one sentence, which every report begins with.

use tare_samples::Outcome;
use tare_statistics::Estimate;
use tare_statistics::comparison::Verdict;
use tare_statistics::work::WorkVerdict;

use crate::figure::{Figure, bound, share, time};
use crate::names::{self, Names};
use crate::page_text::shortened;
use crate::wording;
use tare_results::{ComparisonView, ComparisonsView, GateOutcome, RunView, VariantView};

/// Columns of a name in the sentence.
const NAME: usize = 50;
const UNPAIRED: &str = "Nothing could be compared: no benchmark was measured in the same way on both sides";

/// What a run says, as clauses of one sentence.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Answer {
    pub(crate) clauses: Vec<Clause>,
}

/// A part of the sentence that can stand alone.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Clause {
    /// What it is about; `None` where no verdict is.
    pub(crate) verdict: Option<Verdict>,
    /// Words and names in turns, the words first; names come from outside, and are shortened and visible.
    pub(crate) parts: Vec<String>,
}

impl Clause {
    fn words(verdict: Option<Verdict>, words: impl Into<String>) -> Self {
        Self { verdict, parts: vec![words.into()] }
    }

    /// The clause with its names as `named` writes them.
    pub(crate) fn text(&self, named: impl Fn(&str) -> String) -> String {
        let parts = self.parts.iter().enumerate();
        parts.map(|(at, part)| if at % 2 == 1 { named(part) } else { part.clone() }).collect()
    }
}

impl Answer {
    /// Of a comparison what came of it, of other runs what a call takes.
    pub(crate) fn of(view: &RunView) -> Self {
        let mut clauses = match view.comparisons.judged().next() {
            // Between runs of another tool there are no verdicts, however far they lie apart.
            Some(_) => compared(&view.comparisons, view.origin.imported.is_some()),
            None if !view.comparisons.unpaired.is_empty() => vec![Clause::words(None, UNPAIRED)],
            None => measured(view),
        };
        clauses.extend(failures(view.failures()));
        Self { clauses }
    }

    /// The sentence without its full stop, names in backticks.
    pub(crate) fn text(&self) -> String {
        self.written(|name| format!("`{name}`"))
    }

    /// The same with names as `named` writes them.
    pub(crate) fn written(&self, named: impl Fn(&str) -> String) -> String {
        self.clauses.iter().map(|clause| clause.text(&named)).collect::<Vec<_>>().join("; ")
    }
}

/// The answer of a run as plain text, names in backticks: `3 of 120 benchmarks got slower, `benchWords` most, by 9.7 %; 117 are unchanged`.
pub fn answer(view: &RunView) -> String {
    Answer::of(view).text()
}

/// The same of comparisons alone, of which `failed` cases failed; `None` where nothing is judged. `foreign`: another tool measured them.
pub fn answer_of(comparisons: &ComparisonsView, failed: usize, foreign: bool) -> Option<String> {
    comparisons.judged().next()?;
    let mut clauses = compared(comparisons, foreign);
    clauses.extend(failures(failed));
    Some(Answer { clauses }.text())
}

fn failures(count: usize) -> Option<Clause> {
    (count > 0).then(|| Clause::words(None, format!("{count} failed")))
}

/// What is said of a comparison in the sentence, from what asks for attention to what doesn't.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Slower,
    Faster,
    Undecided,
    WithoutVerdict,
    /// It has no ratio.
    Incomparable,
    Unchanged,
    Same,
}

const KINDS: [Kind; 7] = [
    Kind::Slower,
    Kind::Faster,
    Kind::Undecided,
    Kind::WithoutVerdict,
    Kind::Incomparable,
    Kind::Unchanged,
    Kind::Same,
];

impl Kind {
    fn of(pair: &ComparisonView, foreign: bool) -> Self {
        match pair.comparison.verdict {
            Verdict::Slower => Self::Slower,
            Verdict::Faster => Self::Faster,
            Verdict::Same => Self::Same,
            Verdict::Unchanged => Self::Unchanged,
            Verdict::Inconclusive if wording::change_of(&pair.comparison).is_none() => Self::Incomparable,
            Verdict::Inconclusive if foreign => Self::WithoutVerdict,
            Verdict::Inconclusive => Self::Undecided,
        }
    }

    fn verdict(self) -> Verdict {
        match self {
            Self::Slower => Verdict::Slower,
            Self::Faster => Verdict::Faster,
            Self::Same => Verdict::Same,
            Self::Unchanged => Verdict::Unchanged,
            Self::Undecided | Self::WithoutVerdict | Self::Incomparable => Verdict::Inconclusive,
        }
    }

    /// What it says of one, or of several.
    fn words(self, several: bool) -> String {
        let are = if several { "are" } else { "is" };
        match self {
            Self::Slower => "got slower".to_owned(),
            Self::Faster => "got faster".to_owned(),
            Self::Undecided => format!("{are} undecided"),
            Self::WithoutVerdict => format!("{are} without a verdict"),
            Self::Incomparable => wording::INCOMPARABLE.to_owned(),
            Self::Unchanged => format!("{are} unchanged"),
            Self::Same => format!("{are} the same"),
        }
    }
}

fn compared(view: &ComparisonsView, foreign: bool) -> Vec<Clause> {
    let judged: Vec<&ComparisonView> = view.judged().collect();
    let names = Names::of_comparisons(view);
    let titles: Vec<String> = judged.iter().map(|pair| names::of_pair(pair, view)).collect();
    let titles: Vec<&str> = titles.iter().map(String::as_str).collect();
    let named = |pair: &ComparisonView| shortened(names.shortest(&names::of_pair(pair, view), &titles), NAME);
    let mut clauses = Vec::new();
    if view.unmeasured > 0 {
        // Whatever else is said is said of the others alone.
        let of = if counted(view) == "benchmarks" {
            format!(" of {}", view.unmeasured + judged.len())
        } else {
            String::new()
        };
        clauses.push(Clause::words(None, format!("{}{of} benchmarks weren't measured", view.unmeasured)));
    }
    let unmeasured = clauses.len();
    for kind in KINDS {
        let found: Vec<&ComparisonView> =
            judged.iter().filter(|pair| Kind::of(pair, foreign) == kind).copied().collect();
        let Some(first) = found.first() else { continue };
        let words = kind.words(found.len() > 1);
        let mut parts = match (judged.len(), found.len()) {
            (1, _) => vec![String::new(), named(first), format!(" {words}")],
            (2, 2) if unmeasured == 0 => vec![format!("Both {} {words}", counted(view))],
            (all, of) if all == of && unmeasured == 0 => vec![format!("All {all} {} {words}", counted(view))],
            (all, of) if clauses.is_empty() => vec![format!("{of} of {all} {} {words}", counted(view))],
            (_, of) => vec![format!("{of} {words}")],
        };
        let close = |parts: &mut Vec<String>, text: String| {
            if let Some(last) = parts.last_mut() {
                last.push_str(&text);
            }
        };
        match kind {
            Kind::Slower | Kind::Faster => {
                if let Some((pair, by)) = most(&found) {
                    let one = if found.len() > 1 { " most" } else { "" };
                    if judged.len() == 1 {
                        close(&mut parts, format!(" {by}"));
                    } else {
                        close(&mut parts, ", ".to_owned());
                        parts.extend([named(pair), format!("{one}, {by}")]);
                    }
                }
            }
            Kind::Undecided => close(&mut parts, work(&found)),
            Kind::Same => close(&mut parts, within(&found)),
            Kind::Unchanged if found.len() == judged.len() => {
                let what = if found.len() > 1 { "they execute or read" } else { "it executes or reads" };
                close(&mut parts, format!(": nothing that {what} differs"));
            }
            _ => {}
        }
        clauses.push(Clause { verdict: Some(kind.verdict()), parts });
    }
    clauses.extend(together(view));
    clauses.extend(tripped_gates(view));
    clauses
}

/// What is counted: benchmarks, where each has one comparison.
fn counted(view: &ComparisonsView) -> &'static str {
    let mut titles: Vec<&str> = view.judged().map(|pair| pair.title.as_str()).collect();
    titles.sort_unstable();
    if titles.windows(2).any(|two| two[0] == two[1]) { "comparisons" } else { "benchmarks" }
}

/// The largest change of them, as `by 9.7 %` or `to 2.4× the time`.
fn most<'a>(found: &[&'a ComparisonView]) -> Option<(&'a ComparisonView, String)> {
    let ratio = |pair: &ComparisonView| wording::ratio(pair.comparison.shown());
    let size = |pair: &ComparisonView| ratio(pair).map_or(-1.0, |ratio| ratio.estimate.ln().abs());
    let pair = found.iter().copied().max_by(|a, b| size(a).total_cmp(&size(b)))?;
    Some((pair, by(&ratio(pair)?)))
}

/// A change in words, without its direction where that is said.
fn by(ratio: &Estimate) -> String {
    let shown = Figure::ratio(ratio).alone().inline();
    match shown.ends_with('×') {
        true => format!("to {shown} the time"),
        false => format!("by {}", shown.trim_start_matches(['+', '-'])),
    }
}

/// ` (10 do equal work, 2 more)`: what is known of those whose time isn't.
fn work(found: &[&ComparisonView]) -> String {
    let count = |verdict: WorkVerdict| {
        found.iter().filter(|pair| pair.work.is_some_and(|work| work.verdict == verdict)).count()
    };
    let known =
        [WorkVerdict::Equal, WorkVerdict::More, WorkVerdict::Less].map(|verdict| (verdict.name(), count(verdict)));
    let mut said: Vec<(&str, usize)> = known.into_iter().filter(|(_, count)| *count > 0).collect();
    if said.is_empty() {
        return String::new();
    }
    let (first, of_first) = said.remove(0);
    let rest: String = said.iter().map(|(name, count)| format!(", {count} {name}")).collect();
    match found.len() {
        1 => format!(" ({first} work)"),
        _ => format!(" ({of_first} {} {first} work{rest})", if of_first > 1 { "do" } else { "does" }),
    }
}

/// ` within 1.9 %`, where each says it.
fn within(found: &[&ComparisonView]) -> String {
    let bounds: Option<Vec<f64>> =
        found.iter().map(|pair| pair.comparison.within.filter(|within| within.is_finite())).collect();
    let most = bounds.and_then(|bounds| bounds.into_iter().max_by(f64::total_cmp));
    most.map_or_else(String::new, |most| format!(" within {}", share(most)))
}

/// What the mean over all says that no case does by itself.
fn together(view: &ComparisonsView) -> Option<Clause> {
    let mut means = view.geometric_means.iter().filter(|mean| mean.group.is_empty());
    let (mean, None) = (means.next()?, means.next()) else { return None };
    let verdict = mean.verdict.filter(|verdict| verdict.is_difference() && view.count(*verdict) == 0)?;
    let by = by(&wording::ratio(mean.ratio)?);
    Some(Clause::words(Some(verdict), format!("the mean of all got {} {by}", verdict.name())))
}

/// How many gates fail the run.
fn tripped_gates(view: &ComparisonsView) -> Option<Clause> {
    let tripped = view.gates.iter().filter(|gate| gate.outcome == GateOutcome::Tripped).count();
    let words = match tripped {
        0 => return None,
        1 => "a gate tripped".to_owned(),
        several => format!("{several} gates tripped"),
    };
    Some(Clause::words(None, words))
}

fn measured(view: &RunView) -> Vec<Clause> {
    // Of one that was interrupted some launches may be there.
    let is_measured = |view: &&VariantView| match view.outcome {
        Outcome::Ok => true,
        Outcome::Interrupted => view.summary.is_some(),
        _ => false,
    };
    let count = view.variants.iter().filter(is_measured).count();
    let mut parts = vec![format!("{count} {}", if count == 1 { "benchmark measured" } else { "benchmarks measured" })];
    let known = |variant: &&VariantView| {
        variant.summary.as_ref().is_some_and(|summary| !summary.below_resolution && summary.time.estimate.is_finite())
    };
    let of = |variant: &VariantView| variant.summary.as_ref().map_or(0.0, |summary| summary.time.estimate);
    let titles: Vec<String> = view.variants.iter().map(VariantView::full_title).collect();
    let names = Names::of(titles.iter().map(String::as_str));
    let titles: Vec<&str> = titles.iter().map(String::as_str).collect();
    let named = |variant: &VariantView| shortened(names.shortest(&variant.full_title(), &titles), NAME);
    let mut shown: Vec<&VariantView> = view.variants.iter().filter(known).collect();
    shown.sort_by(|a, b| of(a).total_cmp(&of(b)));
    match shown.as_slice() {
        [] => {}
        [only] => {
            parts[0] += &format!(": a call takes {} (", time(of(only)));
            parts.extend([named(only), ")".to_owned()]);
        }
        [first, .., last] => {
            parts[0] += &format!(": a call takes {} (", time(of(first)));
            parts.extend([named(first), format!(") to {} (", time(of(last))), named(last), ")".to_owned()]);
        }
    }
    let mut clauses = vec![Clause { verdict: None, parts }];
    let below: Vec<f64> = view
        .variants
        .iter()
        .filter_map(|variant| variant.summary.as_ref().filter(|summary| summary.below_resolution))
        .map(|summary| summary.time.high)
        .collect();
    if let Some(most) = below.iter().copied().max_by(f64::total_cmp) {
        clauses.push(Clause::words(None, format!("{} too short to measure (< {})", below.len(), bound(most))));
    }
    clauses
}
