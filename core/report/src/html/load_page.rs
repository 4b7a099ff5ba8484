//! The page of a load.

use maud::{Markup, html};
use tare_results::{LoadComparison, LoadTarget, LoadView};
use tare_statistics::Estimate;

use super::cases::warnings;
use super::frame::{Beside, frame};
use super::load_headline;
use crate::figure::{Figure, time};
use crate::page_text::{command, copyable, name, prose, shortened, unbroken};
use crate::pictures::load_pictures;
use crate::svg::number;
use crate::terminal::load_generators::together_s;
use crate::wording;

/// Columns of a fact.
const FACT: usize = 80;
/// Rates from which on they are told in thousands.
const THOUSANDS: f64 = 1e4;
/// Candidates that are named with their bases.
const SIDES: usize = 6;
/// Percentiles in a row.
const SHOWN: [&str; 5] = ["p50", "p90", "p99", "p99.9", "p99.99"];

/// A load, for somebody who has never heard of Tare.
pub fn load_page(view: &LoadView) -> String {
    let answer = load_headline::answer(view);
    let body = html! {
        header {
            h1 { (unbroken(&answer)) }
            p class="sub" {
                (sides(view))
                @if !view.run.is_empty() { "Run " (shortened(&view.run, 60)) @if !view.tags.is_empty() { ", tagged " (shortened(&view.tags.join(", "), FACT)) } ". " }
                @if view.interrupted { "It was stopped before its end. " }
            }
        }
        main {
            @if !view.gates.is_empty() { ul class="gates" { @for gate in &view.gates { li { (prose(gate)) } } } }
            section id="results" {
                h2 class="off" { "Results" }
                div class="wide" tabindex="0" role="region" aria-label="Figures of each target" { (targets(view)) }
            }
            (warnings(view.warnings.iter()))
            @for target in &view.targets { (about(target)) }
            @for pair in view.judged().filter(|pair| !pair.comparison.warnings.is_empty()) {
                p class="about" { "Of the comparison of " (shortened(&pair.metric.replace('.', " "), 40)) @if view.targets.len() > 2 { ", " (name(&pair.candidate)) } ":" }
                (warnings(pair.comparison.warnings.iter()))
            }
            (load_headline::next(view))
            section id="pictures" { h2 { "Pictures" } @for picture in load_pictures(view) { (picture.figure()) } }
            section id="method" {
                h2 { "How it was measured" }
                p { (method(view)) }
                @if let Some(again) = view.again.as_deref().and_then(copyable) { p { "The command that does it again (where something is left out, …, put it in):" } (command(again)) }
                @if view.interrupted && !view.run.is_empty() { p { "To measure what is missing:" } (command(&format!("tare load resume {}", shortened(&view.run, 60)))) }
            }
            (load_headline::words(view))
        }
    };
    frame(&answer, &body, Beside::Nothing)
}

/// `NEW against OLD.`, as changes are told; of more targets, or of those that aren't compared, their names.
fn sides(view: &LoadView) -> Markup {
    let mut pairs: Vec<(&str, &str)> =
        view.judged().map(|pair| (pair.candidate.as_str(), pair.base.as_str())).collect();
    pairs.dedup();
    html! {
        @match pairs.as_slice() {
            [(candidate, base)] => { strong { (name(candidate)) } " against the base " strong { (name(base)) } }
            [_, ..] if pairs.len() <= SIDES => { @for (number, (candidate, base)) in pairs.iter().enumerate() {
                @if number > 0 { "; " } strong { (name(candidate)) } " against " strong { (name(base)) }
            } }
            _ => { @for (number, target) in view.targets.iter().enumerate() { @if number > 0 { ", " } strong { (name(&target.name)) } } }
        }
        ". "
    }
}

fn targets(view: &LoadView) -> Markup {
    let growing = view.targets.iter().any(|target| !target.stages.is_empty());
    html! {
        table id="targets" class="plain stacked" {
            caption { "What each target did: successes a second with their 95 % interval, and how long operations took from their intended start"
                @if growing { "; over all rates together; Latency by rate shows each rate" } }
            thead { tr { th scope="col" { "target" } th scope="col" class="n" { "a second" } th scope="col" class="n" { "failed" } @for name in SHOWN { th scope="col" class="n" { (name) } } th scope="col" class="n" { "longest" } } }
            tbody { @for target in &view.targets {
                @let latency = target.overall.as_ref().or_else(|| target.operations.iter().find_map(|one| one.latency.as_ref()));
                tr {
                    th scope="row" { (name(&target.name)) @if let Some(failure) = &target.failure { " " small { "failed: " (shortened(failure, FACT)) } } @else if target.has_failed() { " " small { "failed: no operation succeeded" } } }
                    td class="n whole" data-head="a second" { (target.throughput.map_or("–".to_owned(), |rate| a_second(&rate, target.stages.is_empty()))) }
                    td class="n whole" data-head="failed" { (load_headline::failures(target).0) }
                    @for name in SHOWN { td class="n whole" data-head=(name) { (latency.and_then(|l| l.percentile(name)).map_or("–".to_owned(), |ns| time(ns as f64))) } }
                    td class="n whole" data-head="longest" { (latency.map_or("–".to_owned(), |l| time(l.max as f64))) }
                }
            } }
        }
        @if view.judged().next().is_some() {
            table id="compared" class="plain stacked" {
                caption { "Candidates against the base. They took turns, so disturbances of both cancel out, and the change is known better than either figure above. Higher throughput is better, lower latency is better" }
                (changes(view, view.judged().collect(), view.targets.len() > 2))
            }
        }
        @let controls: Vec<&LoadComparison> = view.comparisons.iter().filter(|pair| pair.control).collect();
        @if !controls.is_empty() {
            table id="controls" class="plain stacked" {
                caption { "For comparison, targets against themselves in the same turns: these changes are noise, and a change above that isn't larger may be noise as well" }
                (changes(view, controls, true))
            }
        }
    }
}

/// Rows of comparisons; `named` with what was compared, where that isn't plain.
fn changes(view: &LoadView, pairs: Vec<&LoadComparison>, named: bool) -> Markup {
    let first = view.targets.first().map_or("", |target| target.name.as_str());
    let other = |pair: &LoadComparison| !pair.control && pair.base != first;
    let bases = named && pairs.iter().any(|pair| other(pair));
    html! {
        thead { tr { th scope="col" { "figure" } @if named { th scope="col" { @if pairs.iter().all(|pair| pair.control) { "target" } @else { "candidate" } } } @if bases { th scope="col" { "base" } }
            th scope="col" class="n" { "change (99 %)" } th scope="col" { "result" } } }
        tbody { @for pair in pairs { tr {
            th scope="row" { (shortened(&pair.metric.replace('.', " "), 40)) }
            @if named { td data-head=(if pair.control { "target" } else { "candidate" }) { (name(&pair.candidate)) } }
            @if bases { td data-head="base" { (name(&pair.base)) } }
            td class="n whole" data-head="change (99 %)" { (wording::ratio(pair.comparison.ratio).map_or("–".to_owned(), |ratio| Figure::ratio(&ratio).inline())) }
            td data-head="result" { (load_headline::result(pair.comparison.verdict)) }
        } } }
    }
}

/// Operations a second, with half of their interval in the same unit where it is `bounded`.
fn a_second(rate: &Estimate, bounded: bool) -> String {
    let half = rate.half_width();
    if !bounded || !half.is_finite() || (half <= 0.0 && rate.estimate <= 0.0) {
        return number(rate.estimate.round());
    }
    if rate.estimate.max(half) < THOUSANDS {
        return format!("{} ± {}", number(rate.estimate.round()), number(half.ceil()));
    }
    let places = if half < THOUSANDS { 1 } else { 0 };
    format!("{:.places$}k ± {:.places$}k", rate.estimate / 1e3, half / 1e3)
}

fn about(target: &LoadTarget) -> Markup {
    html! { @if !target.warnings.is_empty() { p class="about" { "Of " (name(&target.name)) ":" } (warnings(target.warnings.iter())) } }
}

fn method(view: &LoadView) -> String {
    let mut said = Vec::new();
    for target in &view.targets {
        let mut parts = vec![format!("{:.0} s", target.duration_s.max(0.0))];
        parts.extend(target.connections.map(|count| format!("{count} connections")));
        parts.extend(target.workers.map(|count| format!("{count} worker processes")));
        parts.extend(target.rate.map(|rate| format!("{} operations a second asked for", number(rate))));
        parts.extend(target.arrivals.as_ref().map(|arrivals| format!("{} arrivals", shortened(arrivals, 20))));
        parts.extend((!target.about.is_empty()).then(|| shortened(&target.about, FACT)));
        said.push(format!("{}: {}.", shortened(&target.name, FACT), parts.join(", ")));
    }
    said.extend(
        view.block_s.map(|block| format!("Targets took turns in blocks of {} s, in random order.", number(block))),
    );
    said.extend(view.seed.map(|seed| format!("Seed {seed}.")));
    said.extend(
        (!view.placed.is_empty()).then(|| format!("{}.", load_headline::capital(&shortened(&view.placed, 200)))),
    );
    if !view.generators.is_empty() {
        let hosts: std::collections::BTreeSet<&str> =
            view.generators.iter().map(|generator| generator.host.as_str()).collect();
        let hosts = hosts.into_iter().map(|host| shortened(host, 40)).collect::<Vec<_>>().join(", ");
        said.push(format!(
            "{} generators sent the requests ({}); their starts lay within {} of each other.",
            view.generators.len(),
            shortened(&hosts, 400),
            time(together_s(&view.generators) * 1e9)
        ));
    }
    said.join(" ")
}
