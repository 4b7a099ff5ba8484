//! The answer in one sentence.

use tare_samples::Outcome;
use tare_statistics::Estimate;
use tare_statistics::comparison::Verdict;

use crate::figure::{Figure, bound, time};
use crate::page_text::shortened;
use crate::wording;
use tare_results::{RunView, VariantView};

/// Columns of a name in the sentence.
const NAME: usize = 50;
const UNPAIRED: &str = "Nothing could be compared: no benchmark was measured in the same way on both sides";

/// `2 of 60 slower, 40 the same, 18 can't be told apart from noise`; of a run without comparisons how many were measured, and from where to
/// where their times go.
pub(super) fn headline(view: &RunView) -> String {
    let mut parts = match view.comparisons.judged().next() {
        Some(_) => compared(view),
        None if !view.comparisons.unpaired.is_empty() => vec![UNPAIRED.to_owned()],
        None => measured(view),
    };
    let failed = view.variants.iter().filter(|v| matches!(v.outcome, Outcome::Failed(_))).count();
    let failed = failed + view.file_failures.len();
    if failed > 0 {
        parts.push(format!("{failed} failed"));
    }
    parts.join(", ")
}

fn compared(view: &RunView) -> Vec<String> {
    let comparisons = &view.comparisons;
    let all = comparisons.judged().count();
    let open = comparisons.judged().filter(|pair| pair.comparison.verdict == Verdict::Inconclusive);
    let without = open.filter(|pair| wording::ratio(pair.comparison.shown()).is_none()).count();
    let seeming = comparisons.judged().filter(|pair| wording::seems_to_differ(&pair.comparison)).count();
    // Between runs of another tool there are no verdicts, however far they lie apart.
    let foreign = view.origin.imported.is_some();
    let seeming = if foreign { 0 } else { seeming };
    let noise = comparisons.count(Verdict::Inconclusive) - without - seeming;
    let counts = [
        (comparisons.count(Verdict::Slower), "slower"),
        (comparisons.count(Verdict::Faster), "faster"),
        (comparisons.count(Verdict::Same), "the same"),
        (seeming, "seem to differ but not for certain"),
        (noise, if foreign { "without a verdict" } else { "can't be told apart from noise" }),
        (without, "can't be compared"),
    ];
    let mut parts: Vec<String> =
        counts.iter().filter(|(count, _)| *count > 0).map(|(count, words)| format!("{count} {words}")).collect();
    if let Some(first) = parts.first_mut()
        && let Some((count, words)) = first.split_once(' ')
    {
        *first = format!("{count} of {all} {words}");
    }
    for (verdict, words) in [(Verdict::Slower, " slower"), (Verdict::Faster, " faster")] {
        if let (Some(part), Some(most)) = (parts.iter_mut().find(|part| part.ends_with(words)), most(view, verdict)) {
            part.push_str(&most);
        }
    }
    parts
}

/// ` (+9.7 %)` of a single one, ` (up to +60 %)` of several.
fn most(view: &RunView, verdict: Verdict) -> Option<String> {
    let found = view.comparisons.judged().filter(|pair| pair.comparison.verdict == verdict);
    let mut ratios: Vec<Estimate> = found.filter_map(|pair| wording::ratio(pair.comparison.shown())).collect();
    ratios.sort_by(|a, b| a.estimate.ln().abs().total_cmp(&b.estimate.ln().abs()));
    let change = Figure::ratio(ratios.last()?).alone().inline();
    let to = if verdict == Verdict::Faster { "down to" } else { "up to" };
    Some(if ratios.len() > 1 { format!(" ({to} {change})") } else { format!(" ({change})") })
}

fn measured(view: &RunView) -> Vec<String> {
    let count = view.variants.iter().filter(|v| matches!(v.outcome, Outcome::Ok)).count();
    let mut parts = vec![format!("{count} {}", if count == 1 { "benchmark measured" } else { "benchmarks measured" })];
    let known = |variant: &&VariantView| {
        variant.summary.as_ref().is_some_and(|summary| !summary.below_resolution && summary.time.estimate.is_finite())
    };
    let of = |variant: &VariantView| variant.summary.as_ref().map_or(0.0, |summary| summary.time.estimate);
    let mut shown: Vec<&VariantView> = view.variants.iter().filter(known).collect();
    shown.sort_by(|a, b| of(a).total_cmp(&of(b)));
    match shown.as_slice() {
        [] => {}
        [only] => parts[0] = format!("{}: a call takes {} ({})", parts[0], time(of(only)), named(only)),
        [first, .., last] => {
            parts[0] = format!(
                "{}: a call takes {} ({}) to {} ({})",
                parts[0],
                time(of(first)),
                named(first),
                time(of(last)),
                named(last)
            );
        }
    }
    let below: Vec<f64> = view
        .variants
        .iter()
        .filter_map(|variant| variant.summary.as_ref().filter(|summary| summary.below_resolution))
        .map(|summary| summary.time.high)
        .collect();
    if let Some(most) = below.iter().copied().max_by(f64::total_cmp) {
        parts.push(format!("{} too short to be seen (< {})", below.len(), bound(most)));
    }
    parts
}

fn named(variant: &VariantView) -> String {
    shortened(&variant.full_title(), NAME)
}
