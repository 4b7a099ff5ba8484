//! The page of clocks and waits.

use maud::{Markup, html};
use tare_results::{ClockRow, ClocksView, RuntimeClocks};
use tare_statistics::clocks::Finding;

use super::cases::failure;
use super::frame::{Beside, frame};
use crate::figure::time;
use crate::page_text::{command, name, shortened};
use crate::pictures::clocks_pictures;

/// Columns of a fact, and of a name in a sentence.
const FACT: usize = 80;
const NAME: usize = 30;
/// The longest step of a clock that times code, nanoseconds.
const FINE: f64 = 1_000.0;
/// Runtimes in the answer.
const TOLD: usize = 5;
/// What the runtime of the system's own clocks is called.
const NATIVE: &str = "native";

/// Clocks and waits, for somebody who has never heard of Tare.
pub fn clocks_page(view: &ClocksView) -> String {
    let answer = answer(view);
    let facts = ["cpu", "kernel", "clocksource"].iter().filter_map(|name| Some((*name, view.machine.get(*name)?)));
    let facts: Vec<String> = facts
        .map(|(name, fact)| match name {
            "cpu" => shortened(fact, FACT),
            name => format!("{name} {}", shortened(fact, FACT)),
        })
        .collect();
    let body = html! {
        header { h1 { (answer) } p class="sub" { (facts.join(", ")) } }
        main {
            (next(view))
            section id="pictures" { h2 class="off" { "Pictures" } @for picture in clocks_pictures(view) { (picture.figure()) } }
            (refused(view))
            section id="method" {
                h2 { "How it was measured" }
                p { "Each clock was read many times in a row, in a process of its runtime, and the loop around the reads subtracted; a step is the smallest difference of two readings that wasn't 0. "
                    "Waits were asked for one by one, and timed by the system's own clock. It took " (time(view.duration_s * 1e9)) "." }
                p { "The command that does it again:" } (command("tare clock"))
            }
            (words(view))
        }
    };
    frame(&answer, &body, Beside::Nothing)
}

/// The cheapest of a runtime's clocks that are fine enough to time code, and what a read of it costs.
fn best(runtime: &RuntimeClocks) -> Option<(&ClockRow, f64)> {
    // A counter of ticks tells no time by itself.
    let fine = runtime.clocks.iter().filter(|clock| {
        clock.refused.is_none() && clock.frequency_hz.is_none() && clock.seen.step.is_some_and(|step| step <= FINE)
    });
    let read = fine.filter_map(|clock| Some((clock, clock.seen.read.filter(|read| read.median > 0.0)?.median)));
    read.min_by(|a, b| a.1.total_cmp(&b.1))
}

/// The runtimes that people write in; the system's own clocks where there are no others.
fn told(view: &ClocksView) -> Vec<(&RuntimeClocks, &ClockRow, f64)> {
    let of = |native: bool| -> Vec<_> {
        let those = view.runtimes.iter().filter(|runtime| (runtime.name == NATIVE) == native);
        those.filter_map(|runtime| best(runtime).map(|(clock, cost)| (runtime, clock, cost))).collect()
    };
    let languages = of(false);
    if languages.is_empty() { of(true) } else { languages }
}

/// `Reading the time costs 42.9 ns in php, 38 ns in go`.
fn answer(view: &ClocksView) -> String {
    let told = told(view);
    let each: Vec<String> = told
        .iter()
        .take(TOLD)
        .map(|(runtime, _, cost)| format!("{} in {}", time(*cost), shortened(&runtime.name, NAME)))
        .collect();
    match each.is_empty() {
        true => "No clock with steps below a microsecond could be read".to_owned(),
        false => format!("Reading the time costs {}", each.join(", ")),
    }
}

fn next(view: &ClocksView) -> Markup {
    let shortest = view
        .runtimes
        .iter()
        .flat_map(|runtime| runtime.waits.iter().map(move |wait| (runtime, wait)))
        .filter(|(_, wait)| wait.requested_ns > 0)
        .filter_map(|(runtime, wait)| Some((runtime, wait, wait.taken.as_ref().ok()?.median)))
        .min_by(|a, b| a.2.total_cmp(&b.2));
    html! {
        section id="next" {
            h2 { "What follows from it" }
            ul {
                @for (runtime, clock, cost) in told(view).iter().take(TOLD) { li {
                    "In " (name(&runtime.name)) " the cheapest clock that is fine enough for timing code is " code { (shortened(&clock.name, NAME)) } ": a read costs " (time(*cost))
                    @if let Some(step) = clock.seen.step { ", and two readings differ by " (time(step)) " or more" } "."
                } }
                li { "Don't time code that takes less than a hundred times these with two readings around it: time many calls in a row, and subtract the readings, as " code { "tare run" } " does." }
                @if let Some((runtime, wait, taken)) = shortest { li {
                    "The shortest wait took " (time(taken)) " (" code { (shortened(&wait.call, NAME)) } " in " (name(&runtime.name)) ", asked for " (time(wait.requested_ns as f64)) "): sleeping can't wait for less."
                } }
            }
        }
    }
}

/// Clocks that couldn't be read, and runtimes that ended before they were done.
fn refused(view: &ClocksView) -> Markup {
    html! { @for runtime in &view.runtimes {
        @if let Some(found) = &runtime.failure { h2 { (name(&runtime.name)) } (failure(found)) }
        @for clock in &runtime.clocks { @if let Some(why) = &clock.refused { p { (name(&runtime.name)) " " (name(&clock.name)) ": " (shortened(why, 200)) } } }
    } }
}

/// What the words on the page mean, those that stand on it.
fn words(view: &ClocksView) -> Markup {
    let clocks = || view.runtimes.iter().flat_map(|runtime| &runtime.clocks).filter(|clock| clock.refused.is_none());
    let named = |part: &str| clocks().any(|clock| clock.name.contains(part));
    let coarse = clocks().any(|clock| clock.findings.iter().any(|finding| matches!(finding, Finding::Coarse { .. })));
    let entries = [
        ("cost of a read", "how long a call of the clock takes; it adds so much to code between two readings", true),
        ("smallest step", "the smallest difference of two readings; shorter times read as 0, or as one step", true),
        (
            NATIVE,
            "the system's own clocks, as a compiled program without a runtime reads them",
            view.runtimes.iter().any(|runtime| runtime.name == NATIVE),
        ),
        (
            "monotonic, steady_clock, hrtime, perf_counter",
            "clocks that only go forwards, even if the date is changed: use these to time code",
            true,
        ),
        ("realtime, system_clock, microtime, time_ns", "the time of day, which jumps when it is set", true),
        (
            "cputime, process_time",
            "how long the process or thread ran on a CPU, without the time it waited",
            named("cputime") || named("process_time"),
        ),
        ("tsc", "the CPU's own counter; its rate must be measured first", named("tsc")),
        ("coarse", "a clock that moves in large steps: cheap to read, and useless for short times", coarse),
        ("99th percentile", "99 of 100 reads, or waits, took no longer", true),
    ];
    html! {
        section id="words" {
            h2 { "Words on this page" }
            dl { @for (word, meaning, _) in entries.iter().filter(|(_, _, shown)| *shown) { dt { (word) } dd { (meaning) "." } } }
        }
    }
}
