//! What to do next, and what the words of the page mean: for somebody who has never heard of Tare.

use maud::{Markup, html};
use tare_samples::Outcome;
use tare_statistics::comparison::Verdict;
use tare_statistics::{Summary, Warning, WarningCode};

use crate::entries::Entries;
use crate::names::Names;
use crate::page_text::name;
use crate::wording;
use tare_results::{ComparisonKind, ComparisonView, RunView};

/// Names of a list that are shown; the rest is counted.
const SHOWN: usize = 6;

/// Whether the page has the section: not where nothing was measured, or another tool did it.
pub(super) fn is_there(view: &RunView, entries: &Entries<'_>) -> bool {
    !entries.all.is_empty() && view.origin.imported.is_none()
}

/// The section; empty where there is none.
pub(super) fn next(view: &RunView, entries: &Entries<'_>) -> Markup {
    if !is_there(view, entries) {
        return html! {};
    }
    let stored = view.comparisons.judged().any(|pair| pair.kind == ComparisonKind::Stored);
    let compared = view.comparisons.judged().next().is_some();
    let count = |verdict| view.comparisons.count(verdict);
    let changed = count(Verdict::Slower) + count(Verdict::Faster);
    html! {
        section id="next" {
            h2 { "What to do next" }
            ul {
                @if failed(view) > 0 { li { (failed(view)) " couldn't be measured: the cause, place and remedy stand with " @if failed(view) == 1 { "it" } @else { "each" } "." } }
                @if count(Verdict::Slower) > 0 { li { (slower(view, entries)) } }
                @if stored { li { "These runs were made at different times, and a machine's speed changes from hour to hour. Before you look for a cause, measure both sides in turns: "
                    code { "tare compare BASE CANDIDATE" } ", with the two commits or branches." } }
                @if crossing(entries).next().is_some() { li { (undecided(entries)) } }
                @if compared && changed + count(Verdict::Inconclusive) == 0 { li { "Nothing: no difference is larger than the margin." } }
                @if !compared { li { "To see whether a change of the code makes it slower or faster, measure both versions in turns: " code { "tare compare HEAD~1 HEAD" }
                    " compares the newest commit with the one before it, " code { "tare compare HEAD ." } " what isn't committed yet with the newest commit." } }
                @if remarked(view) { li { "Some figures have a warning; its remedy stands under " a href="#notes" { "Before you believe it" } "." } }
            }
        }
    }
}

/// Cases and files that failed.
fn failed(view: &RunView) -> usize {
    view.variants.iter().filter(|one| matches!(one.outcome, Outcome::Failed(_))).count() + view.file_failures.len()
}

fn slower(view: &RunView, entries: &Entries<'_>) -> Markup {
    let names = Names::of_comparisons(&view.comparisons);
    let found: Vec<_> = entries.pairs().filter(|(_, pair)| pair.comparison.verdict == Verdict::Slower).collect();
    let twice = found.iter().filter(|(_, pair)| pair.comparison.confirmed).count();
    let live = found.iter().all(|(_, pair)| pair.kind == ComparisonKind::Live);
    let machines = found.iter().all(|(_, pair)| pair.machines.is_some());
    let is_layout = |warning: &Warning| warning.code == String::from(WarningCode::Layout);
    let laid_out = found.iter().filter(|(_, pair)| pair.comparison.warnings.iter().any(is_layout)).count();
    html! {
        "Slower: "
        @for (number, (entry, _)) in found.iter().take(SHOWN).enumerate() { @if number > 0 { ", " } a href={ "#" (entry.id) } { (name(names.short(&entry.title))) } }
        @if found.len() > SHOWN { " and " (found.len() - SHOWN) " more" }
        ". "
        @if machines { "Several machines agree on it, so it isn't the chance of one. " }
        @else if live && twice == found.len() { "A second, fresh measurement saw " @if twice == 1 { "this difference" } @else { "each of these differences" } ", too: it isn't chance. " }
        @else if live { (found.len() - twice) " of these weren't confirmed by a second measurement: measure again before you look for a cause. " }
        @if laid_out == 1 && found.len() == 1 { "But two builds of the same code may differ as much, because the linker places it differently (" code { "layout" } "), so the change may not be the cause. " }
        @else if laid_out > 0 { "In " (laid_out) " cases two builds of the same code may differ as much, because the linker places it differently (" code { "layout" } "), so the change may not be the cause. " }
        "To see where the time goes, use " code { "tare profile" } "."
    }
}

/// Comparisons that more measurements would decide.
fn crossing<'a>(entries: &'a Entries<'_>) -> impl Iterator<Item = &'a ComparisonView> {
    let open = |pair: &&ComparisonView| {
        pair.comparison.verdict == Verdict::Inconclusive
            && pair.kind == ComparisonKind::Live
            && wording::ratio(pair.comparison.shown()).is_some()
    };
    entries.pairs().map(|(_, pair)| pair).filter(open)
}

fn undecided(entries: &Entries<'_>) -> Markup {
    let count = crossing(entries).count();
    let seeming = crossing(entries).filter(|pair| wording::seems_to_differ(&pair.comparison)).count();
    html! {
        (count) " undecided: a difference may be there or not. "
        @if seeming > 0 {
            "The interval of " @if seeming == count { @if count == 1 { "it" } @else { "each" } } @else { (seeming) " of them" }
            " excludes \"no difference\", but that isn't certain: a second measurement didn't confirm it or there was no time for one, it may be smaller than the margin, or chance makes some of so many comparisons look different. "
        }
        "Measuring " @if count == 1 { "it" } @else { "them" } " longer decides: four times the " code { "--budget" }
        " halves an interval, and " code { "--filter" } " measures these alone. If a difference as large as the intervals allow doesn't matter to you, ignore them."
    }
}

fn remarked(view: &RunView) -> bool {
    let of_variants =
        view.variants.iter().filter_map(|variant| variant.summary.as_ref()).flat_map(|summary| &summary.warnings);
    of_variants.chain(view.comparisons.judged().flat_map(|pair| &pair.comparison.warnings)).next().is_some()
}

fn between_runs(summary: &Summary) -> bool {
    summary.uncertainty.between_runs > 0.0
}

/// What the words of the page mean, those that stand on it.
pub(super) fn words(view: &RunView) -> Markup {
    let compared = view.comparisons.judged().next().is_some();
    let own = view.origin.imported.is_none();
    let margin = format!(
        "the largest difference that doesn't matter: here {}, set by --margin",
        wording::margins(&view.comparisons)
    );
    let confidence = wording::confidences(&view.comparisons);
    let of_which = if compared { format!("{confidence} (of times 95 %)") } else { "95 %".to_owned() };
    // Of a time that has the term (decision 103), and of no other.
    let runs = match view.variants.iter().filter_map(|variant| variant.summary.as_ref()).any(between_runs) {
        true => {
            ". The ± of a time includes the differences between runs of the same code, so the next run on this machine should lie within it"
        }
        false => "",
    };
    let interval = format!(
        "the figure and half the width of its interval. Of intervals made in this way {of_which} hold the true value{runs}"
    );
    let entries: [(&str, &str, bool); 10] = [
        (
            "base, candidate",
            "the base is the reference, and the candidate is judged: a change of +10 % means that the candidate takes 10 % longer",
            compared,
        ),
        (
            "time",
            "the mean time of a call, rare slow calls included; the cost of the clock, the loop and the call itself is subtracted",
            own,
        ),
        ("x ± y", &interval, true),
        ("margin", &margin, compared && own),
        (
            "undecided",
            "the interval is too wide to say whether the difference is more or less than the margin",
            view.comparisons.count(Verdict::Inconclusive) > 0 && own,
        ),
        (
            "launch",
            "a fresh process that measures the case. Processes of the same code differ, so the evidence is several of them",
            own,
        ),
        ("sample", "one timed stretch of calls; a launch has many", own),
        (
            "spread of samples",
            "how far single samples scatter, as a part of the time. It shows their noise; ± shows how well the time is known",
            true,
        ),
        ("typical call", "the time of an undisturbed call: a median", own),
        ("< x", "too short to measure: only an upper bound is known", own),
    ];
    html! {
        section id="words" {
            h2 { "Words on this page" }
            dl { @for (word, meaning, _) in entries.iter().filter(|(_, _, shown)| *shown) { dt { (word) } dd { (meaning) "." } } }
        }
    }
}
