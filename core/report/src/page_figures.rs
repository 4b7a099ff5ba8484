//! Times, ratios and amounts in words, as they stand in cells of the page.

use maud::{Markup, html};
use tare_samples::{Outcome, TimeUnit};
use tare_statistics::Estimate;
use tare_statistics::comparison::{Comparison, Verdict};

use crate::amount::count;
use crate::figure::{Figure, bound};
use crate::page_text::{shortened, unbroken};
use crate::wording;
use tare_results::{ComparisonView, GroupMean, VariantView};

/// Times beyond this have no digits that mean anything, nanoseconds.
const ABSURD: f64 = 1e18;

/// `81.2 ns ± 0.3`; `unknown` for what isn't a figure.
pub(crate) fn time(time: &Estimate, unit: Option<TimeUnit>) -> String {
    let absurd = |figure: f64| figure.is_nan() || (figure.is_finite() && figure.abs() >= ABSURD);
    if !time.estimate.is_finite() || [time.estimate, time.low, time.high].into_iter().any(absurd) {
        return "unknown".to_owned();
    }
    Figure::interval(time, unit.unwrap_or_else(|| TimeUnit::fitting(time.estimate))).inline()
}

/// A time in its own unit.
pub fn time_words(found: &Estimate) -> String {
    time(found, None)
}

/// Of counts from here on tenths say nothing.
const WHOLE: f64 = 1000.0;

/// `5312`, or `5312 ± 4` of launches that differ: instructions of a call.
pub fn work_words(found: &Estimate) -> String {
    let whole = |figure: f64| if found.estimate.abs() >= WHOLE { figure.round() } else { figure };
    let differ = whole(found.half_width());
    let differ = if differ > 0.0 { format!(" ± {}", count(differ)) } else { String::new() };
    count(whole(found.estimate)) + &differ
}

/// `< 2 ns`: only the upper end is known.
pub(crate) fn below(time: &Estimate) -> String {
    if time.high.is_finite() && time.high < ABSURD { format!("< {}", bound(time.high)) } else { "unknown".to_owned() }
}

/// One side of a comparison: its time, or why it has none.
pub(crate) fn side(time_of: Option<Estimate>, variant: Option<&VariantView>) -> String {
    let below_resolution = variant.and_then(|v| v.summary.as_ref()).is_some_and(|summary| summary.below_resolution);
    match time_of {
        None => "–".to_owned(),
        Some(found) if below_resolution || found.is_upper_bound() => below(&found),
        Some(found) => time(&found, variant.and_then(|v| v.variant.case.settings.unit)),
    }
}

/// What stands where the time of a variant is expected.
pub(crate) fn of_variant(variant: &VariantView) -> String {
    match (&variant.outcome, &variant.summary) {
        (Outcome::Failed(failure), _) => format!("failed: {}", failure.kind),
        (Outcome::Skipped(reason), _) if reason.trim().is_empty() => "skipped".to_owned(),
        (Outcome::Skipped(reason), _) => format!("skipped: {}", shortened(reason, 60)),
        (_, Some(summary)) if summary.below_resolution => below(&summary.time),
        (_, Some(summary)) => time(&summary.time, variant.variant.case.settings.unit),
        (Outcome::Interrupted, None) => "interrupted".to_owned(),
        (Outcome::Ok, None) => "no samples".to_owned(),
    }
}

/// `+5.6 % ± 0.9`; without a ratio the verdict says why.
pub(crate) fn change(pair: &ComparisonView) -> String {
    wording::change_of(&pair.comparison).map_or("–".to_owned(), |change| change.inline())
}

/// `+10 %`, `2.4×`: a factor without an interval.
pub fn change_words(factor: f64) -> String {
    Figure::ratio(&Estimate { estimate: factor, low: factor, high: factor }).alone().inline()
}

/// `from +4.7 % to +6.5 %`.
pub(crate) fn ends(ratio: &Estimate) -> String {
    let end = change_words;
    match (ratio.low > 0.0, ratio.high.is_finite()) {
        (true, true) => format!("from {} to {}", end(ratio.low), end(ratio.high)),
        (true, false) => format!("at least {}", end(ratio.low)),
        (false, true) => format!("at most {}", end(ratio.high)),
        (false, false) => "of unknown width".to_owned(),
    }
}

/// The name of a verdict; the style sheet puts the shape before it that pictures have for it: colour alone says nothing to some.
pub(crate) fn verdict(verdict: Verdict) -> Markup {
    marked(verdict, wording::word(verdict))
}

/// The same with the figure that belongs to it: `same within 1.9 %`.
pub(crate) fn verdict_said(comparison: &Comparison) -> Markup {
    marked(comparison.verdict, &unbroken(&wording::said(comparison)))
}

/// What is said of a mean; empty where nothing is.
pub(crate) fn verdict_of_mean(mean: &GroupMean) -> Markup {
    html! { @if let Some(verdict) = mean.verdict { (marked(verdict, &unbroken(&wording::said_of_mean(mean)))) } }
}

fn marked(verdict: Verdict, words: &str) -> Markup {
    let class = match verdict {
        Verdict::Slower => "v slower",
        Verdict::Faster => "v faster",
        Verdict::Same | Verdict::Unchanged => "v same",
        Verdict::Inconclusive => "v open",
    };
    html! { span class=(class) { (words) } }
}
