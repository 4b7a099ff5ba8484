//! A section for each case: its samples and launches from near, its figures, what to know about it.

use maud::{Markup, html};
use tare_samples::{About, Failure, Outcome, TimeUnit};
use tare_statistics::memory::memory;
use tare_statistics::{Distribution, Estimate, Summary, Warning};

use super::column::Column;
use super::{machines, near, profile_page};
use crate::allocations;
use crate::amount::{amount, bytes, bytes_bound, rate};
use crate::entries::{Entries, Entry, Subject};
use crate::figure::{Figure, percent};
use crate::page_figures::{change, ends, of_variant, side, time, verdict_said};
use crate::page_text::{full, name, short, shortened, told};
use crate::runtime_names::runtime_name;
use crate::spread::known_spread;
use crate::svg::{Caption, Panel, TimeAxis, both_sides, extent, shares};
use crate::terminal::instructions::{cell, counted};
use crate::wording::{self, Detail};
use crate::{next_run, typical};
use tare_results::{ComparisonView, ProfileView, VariantView};

/// Launches of a side that are listed one by one; of more their quantiles are told.
const LISTED: usize = 24;
/// Rows of figures that cases far down a large page are without.
const CLOSE: [&str; 4] = [
    "samples beyond the picture",
    "loop and call, subtracted from each call",
    "clock, subtracted from each sample",
    "where the ± comes from",
];
/// Columns of a side's label.
const LABEL: usize = 40;

pub(super) fn cases(entries: &Entries<'_>, profiles: &[ProfileView]) -> Markup {
    html! { @for (number, entry) in entries.all.iter().filter(|entry| is_there(entry)).enumerate() { (case(entries, entry, profiles, number < near::shown(entries.all.len()))) } }
}

/// Whether there is more to see of it than its row: not where nothing was measured.
pub(super) fn is_there(entry: &Entry<'_>) -> bool {
    !matches!(entry.subject, Subject::Pair(pair) if pair.comparison.proof.is_some())
}

fn case(entries: &Entries<'_>, entry: &Entry<'_>, profiles: &[ProfileView], near: bool) -> Markup {
    html! {
        details id=(entry.id) {
            summary {
                (name(&entry.title)) " "
                @match entry.subject {
                    Subject::Pair(pair) => { span class="figure" { (change(pair)) } " " (verdict_said(&pair.comparison)) }
                    Subject::Alone(variant) => { span class="figure" { (of_variant(variant)) } }
                }
            }
            @if let Some(text) = full(&entry.title) { p class="full" { "Full name: " bdi { (text) } } }
            @match entry.subject {
                Subject::Pair(pair) => { (compared(entries, entry, pair, near)) }
                Subject::Alone(variant) => { (measured(entry, variant, near)) }
            }
            @for (number, profile) in of_entry(entries, entry, profiles).into_iter().enumerate() {
                (profile_page::of_case(profile, &format!("{}p{number}", entry.id)))
            }
        }
    }
}

/// Profiles of what the entry measures, each once.
fn of_entry<'a>(entries: &Entries<'_>, entry: &Entry<'_>, profiles: &'a [ProfileView]) -> Vec<&'a ProfileView> {
    let variants: Vec<&VariantView> = match entry.subject {
        Subject::Pair(pair) => [&pair.base.id, &pair.candidate.id]
            .into_iter()
            .filter_map(|id| entries.variants.get(id.as_str()).copied())
            .collect(),
        Subject::Alone(variant) => vec![variant],
    };
    let is_of = |profile: &ProfileView, one: &VariantView| {
        let (subject, runtime) = (one.variant.case.id(), one.variant.runtime.series());
        profile.subject == subject && runtime_name(&profile.runtime.name) == runtime_name(runtime)
    };
    profiles.iter().filter(|profile| variants.iter().any(|one| is_of(profile, one))).collect()
}

fn compared(entries: &Entries<'_>, entry: &Entry<'_>, pair: &ComparisonView, near: bool) -> Markup {
    let column =
        |id: &str, label: &str| Column { label: shortened(label, LABEL), variant: entries.variants.get(id).copied() };
    let sides = [column(&pair.base.id, &pair.base.label), column(&pair.candidate.id, &pair.candidate.label)];
    let ratio = wording::ratio(pair.comparison.shown());
    let mean = wording::ratio(pair.comparison.ratio).filter(|_| pair.comparison.rests_on == About::Typical);
    html! {
        p { "Result: " (wording::verdict(pair, Detail::Full)) ". "
            @if let Some(ratio) = ratio {
                "The change lies " (ends(&ratio)) " (" (format!("{:.4}", pair.comparison.confidence * 100.0).trim_end_matches('0').trim_end_matches('.')) " % interval, "
                (pair.comparison.pairs) " pairs of launches), of "
                @if pair.comparison.rests_on == About::Typical { "typical calls" } @else { "what a call costs on average" }
                @if let Some(mean) = mean { "; of averages " (ends(&mean)) } "."
            } }
        (pictures(entry, &sides, near))
        @if near { (near::of_pairs(entry, pair, &sides)) (near::of_sides(entry, &sides)) }
        (figures(entry, &sides, near))
        (warnings(pair.comparison.warnings.iter()))
        (machines::each(pair))
        @for side in &sides { @if let Some(variant) = side.variant { (of_side(variant, &side.label)) } }
    }
}

fn measured(entry: &Entry<'_>, variant: &VariantView, near: bool) -> Markup {
    let sides = [Column { label: "time".to_owned(), variant: Some(variant) }];
    html! {
        (pictures(entry, &sides, near))
        @if near { (near::of_sides(entry, &sides)) }
        (figures(entry, &sides, near))
        (of_side(variant, ""))
    }
}

/// What is to be said of one variant: its failure, its warnings.
fn of_side(variant: &VariantView, label: &str) -> Markup {
    html! {
        @if let Outcome::Failed(found) = &variant.outcome { (failure(found)) }
        @if let Some(summary) = variant.summary.as_ref().filter(|summary| !summary.warnings.is_empty()) {
            @if !label.is_empty() { p class="about" { "Of " bdi { (label) } ":" } }
            (warnings(summary.warnings.iter()))
        }
    }
}

/// What was seen, and what to do about it.
pub(super) fn warnings<'a>(found: impl Iterator<Item = &'a Warning>) -> Markup {
    let mut found = found.peekable();
    html! {
        @if found.peek().is_some() {
            ul class="warnings" { @for warning in found { li {
                strong { "⚠ " (shortened(&warning.code, LABEL)) ": " } (told(&warning.message))
                @if !warning.remedy.trim().is_empty() { br; "→ " (told(&warning.remedy)) }
            } } }
        }
    }
}

/// Why something couldn't be measured, where, and what to do.
pub(super) fn failure(found: &Failure) -> Markup {
    html! {
        div class="failure" {
            p { strong { "✖ failed, " (found.kind) ": " } (told(&found.message)) }
            @if !found.file.is_empty() { p { "at " code class="path" { (short(&found.file)) @if found.line > 0 { ":" (found.line) } } } }
            @if !found.remedy.trim().is_empty() { p { "→ " (told(&found.remedy)) } }
        }
    }
}

fn pictures(entry: &Entry<'_>, sides: &[Column<'_>], near: bool) -> Markup {
    let Some((low, high)) = extent(sides.iter().filter_map(Column::distribution)) else { return html! {} };
    let axis = TimeAxis::between(low, high);
    let table = format!("{}t", entry.id);
    let drawn: Vec<(&Column<'_>, Panel<'_>, &Summary)> = sides.iter().filter_map(|side| drawn(side, near)).collect();
    html! {
        div class="panels" {
            @if let [(base, first, of_base), (candidate, second, of_candidate)] = drawn.as_slice() {
                @let title = "Samples of both sides";
                @let said = format!("{}: {}; {}: {}", base.label, described(first.distribution, of_base), candidate.label, described(second.distribution, of_candidate));
                // The table has it, too.
                @let description = if near { said.as_str() } else { "" };
                figure {
                    figcaption { (title) }
                    (both_sides(&axis, [(first, base.label.as_str()), (second, candidate.label.as_str())], &Caption { title, description, table: &table }))
                    @for (side, panel, _) in &drawn { @if held_back(panel) { p class="legend" { "Of " bdi { (side.label) } ": " (HELD_BACK) } } }
                }
            } @else {
                @for (side, panel, summary) in &drawn {
                    @let title = format!("{}: samples and launches", side.label);
                    @let description = if near { described(panel.distribution, summary) } else { String::new() };
                    figure {
                        figcaption { (side.label) }
                        (panel.picture(&axis, &Caption { title: &title, description: &description, table: &table }))
                        @if held_back(panel) { p class="legend" { (HELD_BACK) } }
                    }
                }
            }
        }
    }
}

/// A side as it is drawn; `None` where nothing was measured.
fn drawn<'a>(side: &'a Column<'a>, near: bool) -> Option<(&'a Column<'a>, Panel<'a>, &'a Summary)> {
    let (distribution, summary) = (side.distribution()?, side.summary()?);
    Some((side, Panel { distribution, time: summary.time, modes: &summary.peaks, quartiles: near }, summary))
}

const HELD_BACK: &str = "All samples lie to the right of the time: other processes used the core during them, and only the time has that subtracted.";

fn held_back(panel: &Panel<'_>) -> bool {
    !panel.distribution.counts.is_empty() && panel.time.is_bounded() && panel.distribution.low > panel.time.high
}

fn described(found: &Distribution, summary: &Summary) -> String {
    let far = found.below + found.above;
    let far = if far > 0 { format!(", {far} outside the picture") } else { String::new() };
    format!("{} samples{far}, {} launches, time {}", summary.samples, found.launches.len(), time(&summary.time, None))
}

/// Whether a rate says something: of a time that may be 0 it has no upper end.
fn is_known(rate: &Estimate) -> bool {
    rate.high > 0.0 && rate.high.is_finite()
}

/// What was taken off; `None` of another tool's run, and where it isn't known.
fn taken_off(variant: &VariantView, amount: &Estimate) -> Option<String> {
    let known = !variant.variant.is_imported() && amount.is_bounded() && amount.estimate > 0.0;
    known.then(|| time(amount, None))
}

/// A row of figures: its name, and a cell a side.
type Row<'a> = (&'static str, Box<dyn Fn(&VariantView, &Summary) -> Option<String> + 'a>);

fn figures(entry: &Entry<'_>, sides: &[Column<'_>], near: bool) -> Markup {
    let unit = |variant: &VariantView| variant.variant.case.settings.unit;
    let rows: [Row<'_>; 19] = [
        ("time of a call, on average", Box::new(|variant, summary| Some(side(Some(summary.time), Some(variant))))),
        (
            "typical call",
            Box::new(move |variant, summary| {
                let own = unit(variant).unwrap_or_else(|| TimeUnit::fitting(summary.time.estimate));
                typical::figure_and_reason(summary, own)
            }),
        ),
        ("before overhead is subtracted", Box::new(move |variant, summary| Some(time(&summary.raw, unit(variant))))),
        (
            "loop and call, subtracted from each call",
            Box::new(|variant, summary| taken_off(variant, &summary.overhead.call)),
        ),
        (
            "clock, subtracted from each sample",
            Box::new(|variant, summary| taken_off(variant, &summary.overhead.clock)),
        ),
        (
            "where the ± comes from",
            Box::new(|variant, summary| {
                let found = shares(&summary.uncertainty);
                (!variant.variant.is_imported() && summary.time.is_bounded() && !found.is_empty())
                    .then(|| near::in_words(&found))
            }),
        ),
        (
            "the next run will read",
            Box::new(move |variant, summary| {
                let own = unit(variant).unwrap_or_else(|| TimeUnit::fitting(summary.time.estimate));
                let (summary, next) = next_run::wider(variant)?;
                Some(next_run::range(summary, next, own))
            }),
        ),
        (
            "spread of samples",
            Box::new(|_, summary| known_spread(summary).filter(|_| !summary.below_resolution).map(percent)),
        ),
        ("bytes that a call allocates (B/op)", Box::new(|variant, _| allocations::cells(variant)[0].clone())),
        ("allocations of a call (allocs/op)", Box::new(|variant, _| allocations::cells(variant)[1].clone())),
        ("data processed", Box::new(|variant, _| Some(rate(variant.bytes_a_second().filter(is_known)?.estimate, "B")))),
        ("items processed", Box::new(|variant, _| Some(rate(variant.items_a_second().filter(is_known)?.estimate, "")))),
        ("samples", Box::new(|_, summary| Some(summary.samples.to_string()))),
        (
            "samples beyond the picture",
            Box::new(|variant, _| {
                let found = variant.distribution.as_ref()?;
                Some((found.below + found.above).to_string()).filter(|_| found.below + found.above > 0)
            }),
        ),
        (
            "calls a sample",
            Box::new(|variant, summary| {
                Some(match summary.iterations {
                    // The file doesn't tell, or they differ.
                    0 if variant.variant.is_imported() => return None,
                    0 => "1, without a loop".to_owned(),
                    calls => calls.to_string(),
                })
            }),
        ),
        ("launches", Box::new(|_, summary| Some(summary.launches.to_string()))),
        ("instructions of a call", Box::new(|variant, _| Some(cell(counted(variant)?)))),
        (
            "memory that the subject adds",
            Box::new(|variant, _| {
                let weighed = memory(variant.calibration.as_ref()?.memory.as_ref()?)?;
                Some(if weighed.below_resolution { bytes_bound(weighed.peak.high) } else { bytes(&weighed.peak) })
            }),
        ),
        ("peak memory of the process", Box::new(|variant, _| Some(amount(variant.memory.peak_rss_bytes? as f64, "B")))),
    ];
    let cells = |row: &Row<'_>| -> Vec<Option<String>> {
        sides.iter().map(|side| (row.1)(side.variant?, side.summary()?)).collect()
    };
    let shown: Vec<(&str, Vec<Option<String>>)> = rows
        .iter()
        .filter(|row| near || !CLOSE.contains(&row.0))
        .map(|row| (row.0, cells(row)))
        .filter(|(_, cells)| cells.iter().any(Option::is_some))
        .collect();
    html! {
        @if !shown.is_empty() {
            table id={ (entry.id) "t" } class="figures" {
                caption class="off" { "Figures" }
                @if sides.len() > 1 { thead { tr { td {} @for side in sides { th scope="col" { bdi { (side.label) } } } } } }
                tbody {
                    @for (name, cells) in &shown { tr { th { (name) } @for cell in cells { td { (cell.as_deref().unwrap_or("–")) } } } }
                    @if sides.iter().any(|side| side.distribution().is_some()) {
                        tr { th { "time of each launch" @if sides.iter().filter_map(Column::distribution).any(|d| d.launches.len() > LISTED) { ", least to greatest" } }
                            @for side in sides { td class="l" { (launches(side)) } } }
                    }
                }
            }
        }
    }
}

/// Each launch's time, to the place that the mean of them is known to; of many the least, the deciles that matter, the greatest.
fn launches(side: &Column<'_>) -> String {
    let (Some(distribution), Some(summary)) = (side.distribution(), side.summary()) else { return "–".to_owned() };
    let mut times: Vec<f64> = distribution.launches.iter().map(|launch| launch.time).collect();
    let unit = TimeUnit::fitting(summary.time.estimate);
    let figure = |value: &f64| {
        let shown = Figure::beside(*value, &summary.time, unit).inline();
        shown.strip_suffix(unit.symbol()).unwrap_or(&shown).trim_end().to_owned()
    };
    if times.len() > LISTED {
        times.sort_by(f64::total_cmp);
        let last = times.len() - 1;
        times = [0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0].map(|part| times[(part * last as f64).round() as usize]).to_vec();
    }
    let shown: Vec<String> = times.iter().map(figure).collect();
    format!("{} {}", shown.join(", "), unit.symbol())
}
