//! The headline of a load's page, which is its result in one sentence; what to do next; and what the words of the page mean.

use maud::{Markup, html};
use tare_results::{LoadComparison, LoadOperation, LoadTarget, LoadView};
use tare_statistics::comparison::Verdict;

use crate::figure::Figure;
use crate::page_text::shortened;
use crate::svg::number;
use crate::terminal::load_stages::sentence;
use crate::wording;

/// Figures that may stand in the answer: two of them, what got worse before what got better, and both before the others.
const TOLD: [(&str, &str); 6] = [
    ("throughput", "throughput"),
    ("latency.p99", "latency p99"),
    ("latency.p90", "latency p90"),
    ("latency.p50", "latency p50"),
    ("latency.p95", "latency p95"),
    ("latency.p99.9", "latency p99.9"),
];
/// Columns of a target's name in the answer.
const NAME: usize = 50;

fn judged(view: &LoadView) -> impl Iterator<Item = &LoadComparison> {
    view.judged().filter(|pair| wording::ratio(pair.comparison.ratio).is_some())
}

fn count(view: &LoadView, verdict: Verdict) -> usize {
    judged(view).filter(|pair| pair.comparison.verdict == verdict).count()
}

/// What of a load a verdict says: a throughput isn't `slower`.
fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Slower => "worse",
        Verdict::Faster => "better",
        Verdict::Same | Verdict::Unchanged => "the same",
        Verdict::Inconclusive => "may be noise",
    }
}

/// `Throughput -62 %, latency p99 2.8×. Of 6 figures: 6 worse`; of targets that aren't compared what each did.
pub(super) fn answer(view: &LoadView) -> String {
    let verdicts = [Verdict::Slower, Verdict::Faster, Verdict::Same, Verdict::Inconclusive];
    let counts: Vec<String> = verdicts
        .iter()
        .map(|verdict| (count(view, *verdict), word(*verdict)))
        .filter(|(count, _)| *count > 0)
        .map(|(count, word)| format!("{count} {word}"))
        .collect();
    if counts.is_empty() {
        return alone(view);
    }
    let counted = format!("of {} figures of load: {}", judged(view).count(), counts.join(", "));
    let mut candidates: Vec<&str> = judged(view).map(|pair| pair.candidate.as_str()).collect();
    candidates.dedup();
    let told: Vec<String> = match candidates.as_slice() {
        [_] => worst_first(view).iter().filter_map(|(metric, name)| told(view, metric, name)).take(2).collect(),
        _ => Vec::new(),
    };
    // Of what can't be told from noise no figure is the answer.
    if count(view, Verdict::Inconclusive) == judged(view).count() {
        return format!("All differences may be noise{}", failing(view));
    }
    let whole = if told.is_empty() { counted } else { format!("{}; {counted}", told.join(", ")) };
    capital(&whole) + &failing(view)
}

/// With a capital letter, as a sentence begins.
pub(super) fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// What stands in the row of a figure: its shape doesn't point, since less throughput is worse and less latency is better.
pub(super) fn result(verdict: Verdict) -> Markup {
    let (class, word) = match verdict {
        Verdict::Slower => ("v worse", "worse"),
        Verdict::Faster => ("v better", "better"),
        Verdict::Same | Verdict::Unchanged => ("v same", "the same"),
        Verdict::Inconclusive => ("v open", "undecided"),
    };
    html! { span class=(class) { (word) } }
}

fn worst_first(view: &LoadView) -> Vec<(&'static str, &'static str)> {
    let place = |metric: &str| match judged(view).find(|pair| pair.metric == metric).map(|pair| pair.comparison.verdict)
    {
        Some(Verdict::Slower) => 0,
        Some(Verdict::Faster) => 1,
        Some(Verdict::Same | Verdict::Unchanged | Verdict::Inconclusive) | None => 2,
    };
    let mut figures = TOLD.to_vec();
    figures.sort_by_key(|(metric, _)| place(metric));
    figures
}

fn told(view: &LoadView, metric: &str, name: &str) -> Option<String> {
    let pair = judged(view).find(|pair| pair.metric == metric)?;
    let change = Figure::ratio(&wording::ratio(pair.comparison.ratio)?).alone().inline();
    Some(match pair.comparison.verdict {
        Verdict::Inconclusive => format!("{name} {change} (may be noise)"),
        verdict => format!("{name} {change} ({})", word(verdict)),
    })
}

/// What a target did by itself: the rate that it holds, where that was looked for; else its throughput, if anything succeeded.
fn alone(view: &LoadView) -> String {
    let of_target = |target: &LoadTarget| {
        let name = shortened(&target.name, NAME);
        if let Some(knee) = &target.knee {
            return Some(format!("{name} {}", sentence(&target.stages, knee)));
        }
        let rate = target.throughput?.estimate.round();
        let (failed, count) = failures(target);
        Some(match failed {
            0 => format!("{name}: {} a second", number(rate)),
            _ if failed >= count => format!("{name}: all {count} operations failed"),
            _ => format!("{name}: {} a second, {failed} of {count} operations failed", number(rate)),
        })
    };
    let known: Vec<String> = view.targets.iter().filter_map(of_target).collect();
    if known.is_empty() { "Nothing could be measured".to_owned() } else { known.join("; ") }
}

/// Operations that failed, of how many.
pub(super) fn failures(target: &LoadTarget) -> (u64, u64) {
    let sum = |of: fn(&LoadOperation) -> u64| target.operations.iter().map(of).sum();
    (sum(LoadOperation::failed), sum(|operation| operation.count))
}

/// Targets of which at least one in a hundred operations failed: `; 12 of 340 operations of new failed`.
fn failing(view: &LoadView) -> String {
    let of_target = |target: &LoadTarget| {
        let (failed, count) = failures(target);
        let many = failed > 0 && failed.saturating_mul(100) >= count;
        many.then(|| format!("; {failed} of {count} operations of {} failed", shortened(&target.name, NAME)))
    };
    view.targets.iter().filter_map(of_target).collect()
}

/// What to do next.
pub(super) fn next(view: &LoadView) -> Markup {
    let compared = judged(view).next().is_some();
    let failed: u64 = view.targets.iter().map(|target| failures(target).0).sum();
    let warned = view.judged().any(|pair| !pair.comparison.warnings.is_empty())
        || !view.warnings.is_empty()
        || view.targets.iter().any(|target| !target.warnings.is_empty());
    html! {
        section id="next" {
            h2 { "What to do next" }
            ul {
                @if failed > 0 { li { "Look at the failures first: a failed operation may be quick, and its time isn't comparable." } }
                @if count(view, Verdict::Slower) > 0 { li { "Look at the pictures in time: a figure that is worse all the time points to the candidate's own work; one that is worse in some seconds, to something temporary." } }
                @if count(view, Verdict::Inconclusive) > 0 { li { "To decide about figures that may be noise, take a longer load: four times the " code { "--duration" } " halves an interval." } }
                @if compared && count(view, Verdict::Slower) + count(view, Verdict::Inconclusive) == 0 { li { "Nothing: no figure got worse." } }
                @if !compared && view.targets.len() > 1 { li { "The targets couldn't be compared; the warnings say why." } }
                @if view.targets.len() == 1 { li { "This is the load that one target bears on this machine now. To see whether a change makes it worse, name both versions in one command: they take turns." } }
                @if warned { li { "Read the warnings above; each has a remedy." } }
            }
        }
    }
}

/// What the words mean.
pub(super) fn words(view: &LoadView) -> Markup {
    let entries = [
        (
            "base, candidate",
            "the base is the reference, and the candidate is judged: a change of +10 % means that the candidate's figure is a tenth larger",
            judged(view).next().is_some(),
        ),
        (
            "x ± y",
            "the figure and half the width of its interval, which holds the true value in 95 of 100 such measurements (99 where changes are compared)",
            true,
        ),
        ("throughput", "operations that succeeded in a second", true),
        (
            "latency",
            "how long an operation took from its planned start, so that it includes waiting for slow ones",
            true,
        ),
        ("p50, p99, p99.9", "half of the operations, 99 of 100, 999 of 1,000 were done within this time", true),
    ];
    html! {
        section id="words" {
            h2 { "Words on this page" }
            dl { @for (word, meaning, _) in entries.iter().filter(|(_, _, shown)| *shown) { dt { (word) } dd { (meaning) "." } } }
        }
    }
}
