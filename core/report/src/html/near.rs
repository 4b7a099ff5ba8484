//! What a case's page shows beside its samples and launches: the pairs of a comparison, samples in the order of time, where the ± comes from.

use maud::{Markup, html};
use tare_results::{ComparisonKind, ComparisonView};
use tare_samples::Correction;
use tare_statistics::{Distribution, Estimate, Timed};

use super::column::Column;
use crate::entries::Entry;
use crate::page_figures::time_words;
use crate::page_text::{short, unbroken};
use crate::pictures::drawn;
use crate::svg::{Caption, beside_null, budget, course, pairs, share, shares};

/// Cases of a page whose cases have all pictures and figures; of a larger one, which would be too large to send, the first ones have.
const ALL: usize = 60;
const OF_LARGE: usize = 4;

/// How many of so many cases have all pictures and figures, from the first.
pub(super) fn shown(cases: usize) -> usize {
    if cases <= ALL { cases } else { OF_LARGE }
}

/// Ratios of the launches that were measured together, in the order of measuring; `None` where the sides are of different moments, or where launches
/// of one of them are missing.
pub(super) fn ratios(pair: &ComparisonView, sides: &[Column<'_>]) -> Option<Vec<f64>> {
    let [base, candidate] = sides else { return None };
    let (base, candidate) = (base.distribution()?, candidate.distribution()?);
    let paired = pair.kind == ComparisonKind::Live && base.launches.len() == candidate.launches.len();
    let both = base.launches.iter().zip(&candidate.launches);
    paired.then(|| both.map(|(base, candidate)| candidate.time / base.time).collect())
}

/// The pairs, where there are some.
pub(super) fn of_pairs(entry: &Entry<'_>, pair: &ComparisonView, sides: &[Column<'_>]) -> Markup {
    let found = ratios(pair, sides).zip(drawn(pair));
    let table = format!("{}t", entry.id);
    let title = "Change in each pair of launches";
    let description =
        format!("{} pairs, in the order of measuring from the top", found.as_ref().map_or(0, |(found, _)| found.len()));
    let caption = Caption { title, description: &description, table: &table };
    let svg = found.and_then(|(found, row)| pairs(&found, &row, &caption));
    html! { @if let Some(svg) = svg {
        figure {
            figcaption { (title) }
            p class="legend" { "Above: how dense they lie; a point a pair, the first at the top; at the bottom the result with its interval, which rests on more than these averages." }
            (svg)
        }
    } }
}

/// Samples in the order of time and parts of the ± of each side.
pub(super) fn of_sides(entry: &Entry<'_>, sides: &[Column<'_>]) -> Markup {
    let table = format!("{}t", entry.id);
    let label = |side: &Column<'_>| if sides.len() > 1 { format!("{}: ", short(&side.label)) } else { String::new() };
    let in_order = |side: &Column<'_>| {
        let (found, summary) = (side.distribution()?, side.summary()?);
        let title = format!("{}samples in the order of time", label(side));
        let caption = Caption { title: &title, description: &warm_up(found), table: &table };
        Some((title.clone(), course(found, summary.time.estimate, &caption)?, warm_up(found)))
    };
    let parts = |side: &Column<'_>| {
        let summary = side.summary().filter(|summary| summary.time.is_bounded())?;
        let found =
            side.variant.filter(|variant| !variant.variant.is_imported()).map(|_| shares(&summary.uncertainty))?;
        let title = format!("{}where the ± comes from", label(side));
        // The table has its shares in words.
        let caption = Caption { title: &title, description: "", table: &table };
        (!found.is_empty()).then(|| (title.clone(), budget(&found, &caption)))
    };
    let empty = |side: &Column<'_>| {
        let found = side.distribution()?.timed.as_ref()?;
        let title = format!("{}beside an empty benchmark", label(side));
        let description = beside(found, side.variant?.variant.runtime.correction);
        // Its words stand below it.
        let caption = Caption { title: &title, description: "", table: &table };
        Some((title.clone(), beside_null(found, &caption)?, description))
    };
    html! {
        @if sides.iter().any(|side| empty(side).is_some()) {
            div class="panels" {
                @for (title, svg, words) in sides.iter().filter_map(empty) { figure { figcaption { (title) } (svg) p class="legend" { (words) } } }
            }
        }
        @if sides.iter().any(|side| in_order(side).is_some()) {
            div class="panels" {
                @for (title, svg, warm) in sides.iter().filter_map(in_order) {
                    figure { figcaption { (title) } (svg) @if !warm.is_empty() { p class="legend" { (warm) } } }
                }
            }
        }
        @if sides.iter().any(|side| parts(side).is_some()) {
            div class="panels" {
                @for (title, svg) in sides.iter().filter_map(parts) { figure { figcaption { (title) } (svg) } }
            }
        }
    }
}

/// What was timed of both, before overhead is subtracted.
fn beside(found: &Timed, correction: Correction) -> String {
    let [case, null] = [&found.case, &found.null].map(|bins| time_words(&Estimate::unbounded(bins.median)));
    let own = match correction {
        Correction::Serial => "The benchmark's own time is the difference.",
        Correction::Overlapping => {
            "The benchmark's own time is the difference, or a little more: compiled code runs a part of loop and call at the same time as its own work."
        }
    };
    format!("As timed, for each call: {case}; with nothing in it but clock, loop and call: {null}. {own}")
}

/// What the shaded part is; empty without one.
fn warm_up(found: &Distribution) -> String {
    if found.course.iter().all(|one| one.steady) {
        return String::new();
    }
    "Shaded: a warm-up, which most launches show and no figure includes.".to_owned()
}

/// `launches differ 73 %, loop and call 27 %`.
pub(super) fn in_words(shares: &[(&str, f64)]) -> String {
    shares.iter().map(|(name, part)| unbroken(&format!("{name} {}", share(*part)))).collect::<Vec<_>>().join(", ")
}
