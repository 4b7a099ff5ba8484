//! Where the time of a case goes: a page of its own, and a part of the case's on the page of a run.

use std::collections::{BTreeMap, BTreeSet};

use maud::{Markup, html};
use tare_results::{ProfileFound, ProfileView};

use super::frame::{Beside, frame};
use super::method::{COMMAND, day};
use crate::amount::amount;
use crate::figure::percent;
use crate::page_text::{command, copyable, name, shortened, told};
use crate::runtime_names::runtime_name;
use crate::svg::{Caption, flame};

/// Functions, or system calls, of a table.
const ROWS: usize = 30;
/// Columns of a name in the answer.
const NAME: usize = 60;
const TITLE: &str = "Where the time goes";

/// A profile, for somebody who has never heard of Tare.
pub fn profile_page(view: &ProfileView) -> String {
    let answer = answer(view);
    let body = html! {
        header {
            h1 { (answer) }
            p class="sub" { (name(&view.case)) " on " (shortened(runtime_name(&view.runtime.name), NAME)) " " (shortened(&view.runtime.version, NAME)) ", " (day(&view.started)) "." }
        }
        main {
            section id="profile" {
                h2 { @match &view.found { ProfileFound::Stacks { .. } => { (TITLE) } ProfileFound::Counts { what, .. } => { "What counts of " (shortened(what, NAME)) } } }
                (found(view, "p", None))
            }
            @if !view.notes.is_empty() { section id="notes" { h2 { "To know" } ul class="warnings" { @for note in &view.notes { li { (told(note)) } } } } }
            section id="method" {
                h2 { "How it was found" }
                p { (method(view)) }
                @if let Some(again) = view.again.as_deref().and_then(copyable) { p { "The command that does it again:" } (command(&shortened(again, COMMAND))) }
            }
        }
    };
    frame(&answer, &body, Beside::Nothing)
}

/// The profile of a case among its other pictures; nothing of one without stacks.
pub(super) fn of_case(view: &ProfileView, id: &str) -> Markup {
    let about = format!(
        "Recorded by {} on {} ({}), separately from the measurement; the code may have been different then.",
        tool(view),
        day(&view.started),
        shortened(runtime_name(&view.runtime.name), NAME)
    );
    html! { @if matches!(view.found, ProfileFound::Stacks { .. }) { (found(view, id, Some(&about))) } }
}

/// The profiler, as somebody knows it who doesn't know Tare's names.
fn tool(view: &ProfileView) -> String {
    match view.tool.as_str() {
        "perf" => "the profiler perf of Linux".to_owned(),
        "excimer" => "the profiler Excimer of PHP".to_owned(),
        "xdebug" => "the tracer Xdebug of PHP".to_owned(),
        "pprof" => "the profiler pprof of Go".to_owned(),
        "sampler" => "Tare's own profiler for Python".to_owned(),
        "callgrind" => "Valgrind's Callgrind".to_owned(),
        other => shortened(other, NAME),
    }
}

/// What was found. Beside other pictures, where something is to be said about it, it has a title as they do.
fn found(view: &ProfileView, id: &str, about: Option<&str>) -> Markup {
    match &view.found {
        ProfileFound::Stacks { total, stacks, .. } => of_stacks(stacks, *total, id, about),
        ProfileFound::Counts { what, per_call, parts, .. } => html! {
            table class="figures" {
                caption { (amount(*per_call, "")) " " (shortened(what, NAME)) " a call, by where they are made" }
                thead { tr { th scope="col" { "name" } th scope="col" { "a call" } } }
                tbody { @for (part, count) in parts.iter().take(ROWS) { tr { th scope="row" { (name(part)) } td { (amount(*count, "")) } } } }
            }
            @if parts.len() > ROWS { p class="legend" { (parts.len() - ROWS) " more aren't listed." } }
        },
    }
}

fn of_stacks(stacks: &[(String, u64)], total: u64, id: &str, about: Option<&str>) -> Markup {
    let table = format!("{id}-functions");
    let rows = functions(stacks);
    let share = |count: u64| percent(count as f64 / total.max(1) as f64);
    let description = rows.first().map_or_else(String::new, |(first, [_, own])| {
        format!("{} functions; most time is in {} itself, {}", rows.len(), shortened(first, NAME), share(*own))
    });
    let picture = flame(stacks, &Caption { title: TITLE, description: &description, table: &table });
    html! {
        @if let Some(picture) = picture {
            figure class="picture" {
                @if let Some(about) = about { figcaption { (TITLE) } p { (about) } }
                p { "Read from the top: a function calls the functions below it, and its width is its share of the time. Where there is no function below, the function itself works. The order from left to right is alphabetical." }
                (picture)
                details class="behind" {
                    summary { "The figures" }
                    table id=(table) class="figures" {
                        thead { tr { th scope="col" { "function" } th scope="col" { "itself" } th scope="col" { "with what it calls" } } }
                        tbody { @for (function, [whole, own]) in rows.iter().take(ROWS) { tr { th scope="row" { (name(function)) } td { (share(*own)) } td { (share(*whole)) } } } }
                    }
                    @if rows.len() > ROWS { p class="legend" { (rows.len() - ROWS) " more functions aren't listed." } }
                }
            }
        }
    }
}

/// Functions with the counts in which they are at all, and in which they are innermost; those that work most themselves first.
fn functions(stacks: &[(String, u64)]) -> Vec<(&str, [u64; 2])> {
    let mut counts: BTreeMap<&str, [u64; 2]> = BTreeMap::new();
    for (stack, count) in stacks {
        // One that calls itself is there once.
        let names: BTreeSet<&str> = stack.split(';').collect();
        for name in names {
            let whole = &mut counts.entry(name).or_default()[0];
            *whole = whole.saturating_add(*count);
        }
        let own = &mut counts.entry(stack.rsplit(';').next().unwrap_or(stack)).or_default()[1];
        *own = own.saturating_add(*count);
    }
    let mut all: Vec<(&str, [u64; 2])> = counts.into_iter().collect();
    all.sort_by(|a, b| (b.1[1], b.1[0]).cmp(&(a.1[1], a.1[0])).then_with(|| a.0.cmp(b.0)));
    all
}

/// `63 % of the time is spent in sort itself`.
fn answer(view: &ProfileView) -> String {
    match &view.found {
        ProfileFound::Stacks { total, own, .. } => match own.first() {
            Some((function, count)) => {
                format!(
                    "{} of the time is spent in {} itself",
                    percent(*count as f64 / (*total).max(1) as f64),
                    shortened(function, NAME)
                )
            }
            None => "The profiler recorded nothing".to_owned(),
        },
        ProfileFound::Counts { what, per_call, .. } => {
            format!("A call makes {} {}", amount(*per_call, ""), shortened(what, NAME))
        }
    }
}

fn method(view: &ProfileView) -> String {
    let tool = tool(view);
    match &view.found {
        ProfileFound::Stacks { calls, total, unit, .. } => format!(
            "A process ran the benchmark {} times, and {tool} recorded which functions it was in: {} {}. Being recorded makes a process slower, in some functions more than in others: these are shares, not times. \
             Begin with the widest function that has none below it.",
            amount(*calls as f64, ""),
            amount(*total as f64, ""),
            shortened(unit, NAME)
        ),
        ProfileFound::Counts { calls, .. } => format!(
            "Counted by {tool} in processes that made {} and {} calls: the difference, less that of an empty benchmark, is what a call makes. These are counts, not times.",
            calls.few, calls.many
        ),
    }
}
