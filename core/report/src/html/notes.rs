//! What to know before believing the page: what failed, what disturbed the run, what was seen in many cases.

use std::collections::BTreeMap;
use tare_samples::by_cause;

use maud::{Markup, html};
use tare_samples::{Finding, FindingLevel};
use tare_statistics::Warning;

use super::cases::{failure, warnings};
use crate::entries::Entries;
use crate::names::Names;
use crate::page_text::{name, shortened, told};
use crate::wording;
use tare_results::{GateOutcome, GateView, NoticeLevel, RunView};

/// Names of a list, and entries of a kind, that are shown; the rest is counted.
const SHOWN: usize = 12;
const LABEL: usize = 40;
const PATH: usize = 100;

/// Tripped gates, above everything else; then those that couldn't be decided, which say nothing against the code: of several there is a line that unfolds.
pub(super) fn gates(view: &RunView) -> Markup {
    let of =
        |outcome| -> Vec<&GateView> { view.comparisons.gates.iter().filter(|gate| gate.outcome == outcome).collect() };
    let (tripped, open) = (of(GateOutcome::Tripped), of(GateOutcome::Undecided));
    let names = Names::of_comparisons(&view.comparisons);
    html! {
        @if !tripped.is_empty() { (listed(&names, &tripped, "gates", "✖ gate tripped: ")) }
        @if open.len() == 1 { (listed(&names, &open, "gates open", "○ gate undecided: ")) }
        @if open.len() > 1 { details class="gates open" {
            summary { strong { "○ " (open.len()) " gates undecided: " } "too little is known of these cases; mostly more time (" code { "--budget" } ", " code { "--total" } ") decides" }
            (listed(&names, &open, "gates open", ""))
        } }
    }
}

fn listed(names: &Names, gates: &[&GateView], class: &str, word: &str) -> Markup {
    html! {
        ul class=(class) {
            @for gate in gates.iter().take(SHOWN) { li {
                @if !word.is_empty() { strong { (word) } }
                (name(names.short(&gate.title))) ", " (shortened(&gate.rule, LABEL)) ": " (told(&gate.message))
            } }
            (more(gates.len()))
        }
    }
}

/// Words that stand in a list elsewhere, as a sentence.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| format!("{}{}.", first.to_uppercase(), letters.as_str()))
}

fn more(count: usize) -> Markup {
    html! { @if count > SHOWN { li { "… and " (count - SHOWN) " more" } } }
}

/// The section; empty where there is nothing to know.
pub(super) fn notes(view: &RunView, entries: &Entries<'_>) -> Markup {
    let disturbing: Vec<&Finding> =
        view.origin.findings.iter().filter(|finding| finding.level == FindingLevel::Disturbs).collect();
    let of_all = &view.comparisons.warnings;
    let seen = seen(entries);
    let notices: Vec<_> = view.notices.iter().filter(|notice| notice.level != NoticeLevel::Info).collect();
    let unpaired = wording::unpaired(&view.comparisons);
    let rescaled = wording::rescaled(&view.comparisons);
    let floor = view.comparisons.noise_floor();
    let nothing = disturbing.is_empty() && of_all.is_empty() && seen.is_empty() && notices.is_empty();
    if nothing && unpaired.is_empty() && rescaled.is_none() && floor.is_none() && view.file_failures.is_empty() {
        return html! {};
    }
    let causes = by_cause(view.file_failures.iter().map(|failure| (failure.file.clone(), failure)));
    let names = Names::of(entries.all.iter().map(|entry| entry.title.as_str()));
    html! {
        section id="notes" {
            h2 { "Before you believe it" }
            @for cause in causes.iter().take(SHOWN) { (failure(cause.failure)) @if cause.of.len() > 1 { p { "The same of "
                @for (number, file) in cause.of[1..].iter().take(SHOWN).enumerate() { @if number > 0 { ", " } code class="path" { (shortened(file, PATH)) } }
                @if cause.of.len() > SHOWN + 1 { " and " (cause.of.len() - 1 - SHOWN) " more" } "." } } }
            @if causes.len() > SHOWN { p { "… and " (causes.len() - SHOWN) " more failures" } }
            @if !disturbing.is_empty() {
                p { "What of the machine disturbed this run:" }
                ul class="warnings" { @for finding in disturbing.iter().take(SHOWN) { li {
                    strong { "⚠ " (shortened(&finding.code, LABEL)) ": " } (shortened(&finding.found, 200))
                    @if !finding.effect.trim().is_empty() { ": " (told(&finding.effect)) }
                    @if !finding.remedy.trim().is_empty() { br; "→ " (told(&finding.remedy)) }
                } } (more(disturbing.len())) }
            }
            @if let Some(floor) = floor { p { "Noise floor: " (wording::noise(&floor).join(", ")) "." } }
            (warnings(of_all.iter()))
            @if !seen.is_empty() {
                ul class="warnings" {
                    @for (warning, cases) in seen.iter().take(4 * SHOWN) { li {
                        strong { "⚠ " (shortened(&warning.code, LABEL)) } " in "
                        @for (number, (id, title)) in cases.iter().take(SHOWN).enumerate() { @if number > 0 { ", " } a href={ "#" (id) } { (name(names.short(title))) } }
                        @if cases.len() > SHOWN { " and " (cases.len() - SHOWN) " more" }
                        br; @if cases.len() > 1 { "for example: " } (told(&warning.message))
                        @if !warning.remedy.trim().is_empty() { br; "→ " (told(&warning.remedy)) }
                    } }
                }
            }
            @if !unpaired.is_empty() && view.comparisons.judged().next().is_none() {
                p { "A benchmark is compared where both sides measured it on a runtime of the same name, with the same number of calls. To compare benchmarks with different names, measure them in one run: "
                    code { "tare compare" } " of two revisions, or " code { "tare run" } " with a " code { "--runtime" } " for each." }
            }
            @for (side, titles) in unpaired.iter().take(SHOWN) {
                p { "Only in " (name(side)) ": "
                    @for (number, title) in titles.iter().take(SHOWN).enumerate() { @if number > 0 { ", " } (name(names.short(title))) }
                    @if titles.len() > SHOWN { " and " (titles.len() - SHOWN) " more" } }
            }
            @if let Some(text) = rescaled { p { (told(&sentence(&text))) } }
            @if !notices.is_empty() {
                ul { @for notice in notices.iter().take(SHOWN) { li {
                    @if !notice.file.is_empty() { code class="path" { (shortened(&notice.file, 80)) @if notice.line > 0 { ":" (notice.line) } } " " }
                    (told(&notice.message))
                    @if !notice.remedy.trim().is_empty() { " → " (told(&notice.remedy)) }
                } } (more(notices.len())) }
            }
        }
    }
}

/// Warnings by code and remedy, with the cases that they are about.
fn seen<'a>(entries: &'a Entries<'_>) -> Vec<(&'a Warning, Vec<(&'a str, &'a str)>)> {
    let mut order: Vec<(&Warning, Vec<(&str, &str)>)> = Vec::new();
    let mut places: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let of_pairs = entries.pairs().map(|(entry, pair)| {
        let sides = [&pair.base.id, &pair.candidate.id].map(|id| entries.variants.get(id.as_str()));
        let of_sides = sides.into_iter().flatten().filter_map(|variant| variant.summary.as_ref());
        let warnings: Vec<&Warning> =
            pair.comparison.warnings.iter().chain(of_sides.flat_map(|summary| &summary.warnings)).collect();
        (entry, warnings)
    });
    let of_alone = entries
        .alone()
        .map(|(entry, variant)| (entry, variant.summary.iter().flat_map(|summary| &summary.warnings).collect()));
    for (entry, warnings) in of_pairs.chain(of_alone) {
        for warning in warnings {
            let place = *places.entry((&warning.code, &warning.remedy)).or_insert_with(|| {
                order.push((warning, Vec::new()));
                order.len() - 1
            });
            let cases = &mut order[place].1;
            if cases.last().is_none_or(|(id, _)| *id != entry.id) {
                cases.push((&entry.id, &entry.title));
            }
        }
    }
    order
}
