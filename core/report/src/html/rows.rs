//! The table of the first screen: a row a case, its interval on the axis that all rows share.

use maud::{Markup, html};
use tare_samples::Outcome;
use tare_statistics::Estimate;
use tare_statistics::WarningCode;
use tare_statistics::comparison::Verdict;

use super::cases::is_there;
use crate::axis::Axis;
use crate::entries::{Entries, Entry};
use crate::figure::percent;
use crate::names::Names;
use crate::page_figures::{change, ends, of_variant, side, time, verdict_of_mean, verdict_said};
use crate::page_text::{name, shortened};
use crate::pictures::drawn;
use crate::spread::known_spread;
use crate::svg::{Caption, TimeAxis, ratio_head};
use crate::{next_run, typical, wording, work};
use tare_results::{ComparisonView, RunView, VariantView};

/// Ids of the tables that pictures of rows belong to.
pub(crate) const PAIRS: &str = "rows";
const VARIANTS: &str = "times";
/// Columns of a label in a table's head.
const LABEL: usize = 32;

/// From so many rows on that say that nothing changed, these are folded.
const FOLDED: usize = 20;

/// The comparisons; what says that nothing changed is folded, where it is much.
pub(super) fn pairs(view: &RunView, entries: &Entries<'_>, axis: Option<&Axis>) -> Markup {
    type Row<'a> = (&'a Entry<'a>, &'a ComparisonView);
    let is_rest = |(_, pair): &Row| matches!(pair.comparison.verdict, Verdict::Same | Verdict::Unchanged);
    let (rest, told): (Vec<Row>, Vec<Row>) = entries.pairs().partition(is_rest);
    let folds = rest.len() >= FOLDED;
    let shown: Vec<Row> = if folds { told } else { entries.pairs().collect() };
    html! {
        @if !shown.is_empty() { (table(PAIRS, view, entries, &shown, axis)) }
        @if folds {
            details id="rest" {
                summary { (of_rest(view)) }
                (table("rest-rows", view, entries, &rest, axis))
            }
        }
    }
}

/// `2 same, 115 unchanged`.
fn of_rest(view: &RunView) -> String {
    let counts = wording::counts(&view.comparisons).into_iter();
    let rest = counts.filter(|(verdict, _)| matches!(verdict, Verdict::Same | Verdict::Unchanged));
    rest.map(|(_, text)| text).collect::<Vec<_>>().join(", ")
}

fn table(
    id: &str,
    view: &RunView,
    entries: &Entries<'_>,
    rows: &[(&Entry<'_>, &ComparisonView)],
    axis: Option<&Axis>,
) -> Markup {
    let (base, candidate) = entries.labels.unwrap_or(("base", "candidate"));
    let names = Names::of_comparisons(&view.comparisons);
    let measured = rows.iter().any(|(_, pair)| pair.comparison.verdict != Verdict::Unchanged);
    html! {
        table id=(id) class="rows sortable" {
            @if measured {
                caption { "Change of the time of a call: slower cases first, then faster, the largest change first; then undecided cases, those that seem to differ first; the band is the margin of "
                    (wording::margins(&view.comparisons)) ", within which a difference doesn't matter" }
            }
            thead { tr {
                th scope="col" { "case" @if let Some(shared) = names.shared() { " of " (name(shared)) } }
                th scope="col" class="n" { "change (" (wording::confidences(&view.comparisons)) ")" }
                th scope="col" class="p" data-unsorted="" { span class="off" { "interval" } @if let Some(axis) = axis { (ratio_head(axis)) } }
                th scope="col" class="n" { (shortened(base, LABEL)) }
                th scope="col" class="n" { (shortened(candidate, LABEL)) }
                th scope="col" { "result" }
            } }
            tbody { @for (entry, pair) in rows { (pair_row(entries, entry, pair, (axis, &names, id))) } }
        }
    }
}

fn pair_row(
    entries: &Entries<'_>,
    entry: &Entry<'_>,
    pair: &ComparisonView,
    (axis, names, id): (Option<&Axis>, &Names, &str),
) -> Markup {
    let found = pair.comparison.verdict;
    let row = drawn(pair);
    let change = change(pair);
    let variant = |id: &str| entries.variants.get(id).copied();
    let base = side(pair.base.time, variant(&pair.base.id));
    let candidate = side(pair.candidate_time().or(pair.candidate.time), variant(&pair.candidate.id));
    let note = wording::proof(&pair.comparison).unwrap_or_else(|| wording::after_verdict(pair));
    // A percentage stays in one line.
    let note = note.trim_start_matches([',', ' ']).replace(" %", "\u{a0}%");
    html! {
        tr data-k=(found) {
            th scope="row" {
                @if is_there(entry) { a href={ "#" (entry.id) } { (name(names.short(&entry.title))) } }
                @else { (name(names.short(&entry.title))) }
                @if let Some(work) = work::beside(pair) { br; small { (work.replace(" %", "\u{a0}%")) } }
            }
            td class="n c" data-v=[row.map(|row| number(row.ratio.estimate))] { (change) }
            td class="p" { @if let (Some(axis), Some(row)) = (axis, &row) {
                @let title = format!("{change}, {}", ends(&row.ratio));
                (row.picture(axis, &Caption { title: &title, description: "", table: id }))
            } }
            td class="n s" data-head="base" data-v=[pair.base.time.map(|time| number(time.estimate))] { (base) }
            td class="n s" data-head="candidate" data-v=[pair.candidate.time.map(|time| number(time.estimate))] { (candidate) }
            td class="r" data-v=(rank(found)) { (verdict_said(&pair.comparison)) @if !note.is_empty() { " " small { (note) } } }
        }
    }
}

/// A figure to sort by, to five digits.
fn number(value: f64) -> String {
    format!("{value:.4e}")
}

/// For sorting.
fn rank(verdict: Verdict) -> usize {
    [Verdict::Slower, Verdict::Inconclusive, Verdict::Same, Verdict::Unchanged, Verdict::Faster]
        .iter()
        .position(|v| *v == verdict)
        .unwrap_or(0)
}

/// The variants that are compared with nothing.
pub(super) fn variants(view: &RunView, entries: &Entries<'_>) -> Markup {
    let known = |variant: &VariantView| resolved(variant).map(|summary| summary.time);
    let times: Vec<Estimate> = entries.alone().filter_map(|(_, variant)| known(variant)).collect();
    let axis = TimeAxis::of(&times);
    let axis = axis.as_ref();
    let confidence = view.variants.iter().filter_map(|v| v.summary.as_ref()).map(|s| s.confidence).find(|c| *c > 0.0);
    html! {
        table id=(VARIANTS) class="rows sortable" {
            caption { "Time of a call, the slowest first"
                @if axis.is_some_and(TimeAxis::is_logarithmic) { "; the axis is logarithmic: equal distances are equal factors" } }
            thead { tr {
                th scope="col" { "case" }
                th scope="col" class="n" { "time" @if let Some(confidence) = confidence { " (" (format!("{:.0}", confidence * 100.0)) " %)" } }
                th scope="col" class="p" data-unsorted="" { span class="off" { "interval" } @if let Some(axis) = axis { (axis.head()) } }
                th scope="col" class="n" { "spread of samples" }
                th scope="col" { "remarks" }
            } }
            tbody { @for (entry, variant) in entries.alone() { (variant_row(entry, variant, axis)) } }
        }
    }
}

/// The figures of a variant that has a time known from below and above.
fn resolved(variant: &VariantView) -> Option<&tare_statistics::Summary> {
    let measured = matches!(variant.outcome, Outcome::Ok | Outcome::Interrupted);
    variant.summary.as_ref().filter(|s| measured && !s.below_resolution && s.time.estimate.is_finite())
}

fn variant_row(entry: &Entry<'_>, variant: &VariantView, axis: Option<&TimeAxis>) -> Markup {
    let summary = resolved(variant);
    let shown = of_variant(variant);
    let kind = match (&variant.outcome, &variant.summary) {
        (Outcome::Failed(_), _) => "failed",
        (Outcome::Skipped(_), _) => "skipped",
        (_, Some(summary)) if !summary.warnings.is_empty() => "warned",
        _ => "measured",
    };
    html! {
        tr data-k=(kind) {
            th scope="row" { a href={ "#" (entry.id) } { (name(&entry.title)) } }
            td class="n c" data-v=[variant.summary.as_ref().map(|summary| number(summary.time.estimate))] { (shown) }
            td class="p" { @if let (Some(axis), Some(summary)) = (axis, summary) {
                @let title = format!("time {shown}");
                (axis.picture(&summary.time, &Caption { title: &title, description: "", table: VARIANTS }))
            } }
            td class="n s" data-head="spread of samples" data-v=[summary.and_then(known_spread).map(number)] { @if let Some(spread) = summary.and_then(known_spread) { (percent(spread)) } }
            td class="r" { small { (remarks(variant)) } }
        }
    }
}

/// What there is to know beside the time, in a few words.
fn remarks(variant: &VariantView) -> String {
    let Some(summary) = &variant.summary else { return String::new() };
    let unit = variant.variant.case.settings.unit;
    let own = unit.unwrap_or_else(|| tare_samples::TimeUnit::fitting(summary.time.estimate));
    let mut parts = Vec::new();
    if summary.below_resolution {
        parts.push("too short to measure".to_owned());
    } else {
        parts.extend(typical::phrase(summary, own).map(|phrase| phrase.replace(": ", ", ")));
        parts.extend(next_run::phrase(variant, own));
    }
    let codes: Vec<String> = summary
        .warnings
        .iter()
        .filter(|warning| !(summary.below_resolution && warning.is(WarningCode::BelowResolution)))
        .map(|warning| shortened(&warning.code, LABEL))
        .collect();
    if !codes.is_empty() {
        parts.push(format!("⚠ {}", codes.join(", ")));
    }
    parts.join("; ")
}

/// Means of groups of cases, below the comparisons.
pub(super) fn means(view: &RunView) -> Markup {
    let means = &view.comparisons.geometric_means;
    html! {
        @if means.iter().any(|mean| wording::ratio(mean.ratio).is_some()) {
            table class="plain stacked" {
                caption { "Cases taken together: geometric means" }
                thead { tr { th scope="col" { "over" } th scope="col" { "of" } th scope="col" class="n" { "cases" } th scope="col" class="n" { "change" } th scope="col" { "result" } th scope="col" class="n" { "base" } th scope="col" class="n" { "candidate" } } }
                tbody { @for mean in means.iter().take(100) { @if let Some(ratio) = wording::ratio(mean.ratio) {
                    tr {
                        th scope="row" { @if mean.group.is_empty() { "all" } @else { (name(&mean.group)) } }
                        td data-head="of" { (name(&mean.candidate_label)) }
                        td class="n" data-head="cases" { (mean.cases) }
                        td class="n whole" data-head="change" { (crate::figure::Figure::ratio(&ratio).inline()) }
                        td class="whole" data-head="result" { (verdict_of_mean(mean)) }
                        td class="n whole" data-head="base" { (bare(mean.base)) }
                        td class="n whole" data-head="candidate" { (bare(mean.candidate)) }
                    }
                } } }
            }
        }
    }
}

fn bare(nanoseconds: Option<f64>) -> String {
    let alone = |value: f64| time(&Estimate::unbounded(value), None);
    nanoseconds.map_or("–".to_owned(), alone)
}
