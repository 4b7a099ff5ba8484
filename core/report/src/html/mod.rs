//! A page that shows a run or a comparison to somebody who has never heard of Tare: one file that asks for nothing from outside and says
//! everything without its script, which only sorts, filters and searches.

mod bisect_page;
mod cases;
mod clocks;
mod column;
mod frame;
mod load_headline;
mod load_page;
mod machines;
mod method;
mod near;
mod next;
mod notes;
mod profile_page;
mod rows;

pub use bisect_page::bisect_page;
pub use clocks::clocks_page;
pub use frame::{Beside, frame};
pub use load_page::load_page;
pub use profile_page::profile_page;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::answer::Answer;
use crate::axis::Axis;
use crate::entries::Entries;
use crate::page_figures;
use crate::page_text::{name, short, shortened, told, unbroken};
use crate::pictures::{COLOURS, STYLE as PICTURES, forest_rows, of_whole_run, ratio_axis};
use crate::runtime_names::for_people;
use crate::sides::{self, Side, Sides};
use crate::svg::{Caption, forest, tall_forest};
use crate::wording;
use tare_results::RunView;
use tare_statistics::comparison::Verdict;

/// Rules of pages; those of pictures stand with these.
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");
/// SHA-256 of [`SCRIPT`]: the page runs this script and no other, whatever a name in it holds.
const SCRIPT_HASH: &str = "2DsA8RhiTMFnudi494YunqtylSKGsHgym6F0B01K+t4=";
/// Rows from which on a table has a search.
const SEARCHED: usize = 6;

/// The page.
///
/// Names and messages are made harmless: they are escaped, cut where they are long, and what can't be seen in them is shown.
pub fn html_page(view: &RunView) -> String {
    let view = &*for_people(view);
    let entries = Entries::of(view);
    let axis = ratio_axis(&entries);
    let answer = Answer::of(view);
    // What isn't compared is looked at side by side: that comes first.
    let compared = view.comparisons.judged().next().is_some();
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta http-equiv="Content-Security-Policy" content={ "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-" (SCRIPT_HASH) "'" };
                meta name="generator" content="Tare";
                title { (answer.written(str::to_owned)) }
                style { (PreEscaped(style())) }
            }
            body {
                (header(view, &entries, &answer))
                main {
                    (notes::gates(view))
                    (tables(view, &entries, axis.as_ref()))
                    @if !compared { (more(view)) }
                    (next::next(view, &entries))
                    (notes::notes(view, &entries))
                    @if let Some(axis) = &axis { (all_cases(view, &entries, axis)) }
                    @if compared { (more(view)) }
                    @if entries.all.iter().any(cases::is_there) { section id="cases" {
                        h2 { "Each case" }
                        p class="legend" { "Open a case for its samples, its launches and all its figures. In its pictures, above: how often a sample took how long"
                            @if compared { ", of both sides over each other" }
                            @if clustered(view) { ", a mark ▾ at each time that they cluster around" } "; below: a point "
                            "for each launch (a fresh process), in the order of measuring from the top" @if with_quartiles(view) { ", and a line where the middle half of its samples lies" } "; dashed line and band: the time with its interval. Samples are as they were timed; times have clock, call and other processes' use of the core subtracted, so they may lie to the left. Below these: samples in the order of time, a line a launch, and the parts of ±. "
                            @if entries.labels.is_some() { "Times here are each side's own; in the table above the candidate's time is the base's time × the change. " }
                            @if near::shown(entries.all.len()) < entries.all.len() { "The first " (near::shown(entries.all.len())) " cases have all their pictures and figures, the others only the most important, to keep the page small." } }
                        (cases::cases(&entries, &view.profiles))
                    } }
                    (method::method(view, view.again.as_deref()))
                    (next::words(view))
                }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    page.into_string()
}

fn header(view: &RunView, entries: &Entries<'_>, answer: &Answer) -> Markup {
    let origin = &view.origin;
    html! {
        header {
            h1 { (sentence(answer)) }
            p class="sub" {
                @if let Some(Sides { base, candidate }) = sides::of(view) { (side(&candidate)) " against " (side(&base)) ". " }
                @else if let Some((candidates, base)) = entries.sides() {
                    @for (number, candidate) in candidates.iter().enumerate() { @if number > 0 { ", " } strong { (name(candidate)) } }
                    " against " strong { (name(base)) } ". "
                }
                @if let Some(cpu) = origin.machine.get("cpu") { (shortened(cpu, 60)) ", " }
                @if let Some(imported) = &origin.imported { "measured by " (shortened(&imported.tool, 40)) @if imported.tool != tare_samples::OWN_TOOL { ", nothing taken off" } ", " }
                (method::day(&origin.started)) ", run " (shortened(&origin.id, 60))
                @if !origin.tags.is_empty() { ", tagged " (short(&origin.tags.join(", "))) }
                ". "
                @if next::is_there(view, entries) { a href="#next" { "What to do next" } " · " }
                a href="#method" { "How it was measured" } " · " a href="#words" { "Words on this page" }
            }
            @if let Some(shared) = wording::of_session(&view.comparisons) { p { (told(&shared)) } }
            @if let Some(why) = wording::why_measured(&view.comparisons) { p { (told(&why)) } }
            @if let Some(floor) = view.comparisons.noise_floor() { p { "For scale: " (wording::noise(&floor)[0]) ", measured in the same way." } }
        }
    }
}

/// The answer, names in it as code.
fn sentence(answer: &Answer) -> Markup {
    html! {
        @for (number, clause) in answer.clauses.iter().enumerate() {
            @if number > 0 { "; " }
            @for (at, part) in clause.parts.iter().enumerate() { @if at % 2 == 1 { code { bdi { (part) } } } @else { (unbroken(part)) } }
        }
    }
}

fn side(side: &Side) -> Markup {
    html! { strong { (name(&side.label)) } @if let Some(commit) = &side.commit { " (" code { (short(commit)) } ")" } }
}

fn tables(view: &RunView, entries: &Entries<'_>, axis: Option<&Axis>) -> Markup {
    let (pairs, alone) = (entries.pairs().count(), entries.alone().count());
    html! {
        section id="results" {
            h2 class="off" { "Results" }
            @if entries.all.is_empty() { p { "Nothing was measured." } }
            @if pairs.max(alone) >= SEARCHED {
                // The script shows it: without one it could do nothing.
                form id="find" hidden {
                    label { "Search " input type="search" name="words" autocomplete="off"; }
                    @if pairs > 0 { label { "Show " select name="only" {
                        option value="" { "all " (pairs) }
                        @for (verdict, text) in wording::counts(&view.comparisons) { option value=(verdict) { (text) } }
                    } } }
                    span role="status" {}
                }
            }
            @if pairs > 0 {
                (rows::pairs(view, entries, axis))
                (legend(view))
                (rows::means(view))
            }
            @if alone > 0 {
                @if pairs > 0 { h2 { "Not compared" } }
                (rows::variants(view, entries))
            }
        }
    }
}

/// What the words and marks of comparisons mean, those that stand there.
fn legend(view: &RunView) -> Markup {
    let there = |verdict| view.comparisons.count(verdict) > 0;
    let drawn = view.comparisons.judged().any(|pair| wording::ratio(pair.comparison.shown()).is_some());
    html! {
        p class="legend" {
            @if there(Verdict::Slower) || there(Verdict::Faster) {
                (page_figures::verdict(Verdict::Slower)) ", " (page_figures::verdict(Verdict::Faster)) ": the whole interval lies beyond the margin. "
            }
            @if there(Verdict::Same) { (page_figures::verdict(Verdict::Same)) ": they differ by no more than the figure beside it. " }
            @if there(Verdict::Unchanged) {
                (page_figures::verdict(Verdict::Unchanged)) ": nothing that the case executes or reads differs, so it wasn't measured. Its time can still change with its address in memory. "
            }
            @if there(Verdict::Inconclusive) { (page_figures::verdict(Verdict::Inconclusive)) ": the interval is too wide for a verdict. " }
            @if drawn { "The axis is stretched around 0 to show small and large changes; an arrow means that the interval goes beyond it." }
        }
    }
}

fn all_cases(view: &RunView, entries: &Entries<'_>, axis: &Axis) -> Markup {
    let rows = forest_rows(entries);
    let without = entries.pairs().count() - rows.len();
    let title = format!("Change of {} cases with intervals", rows.len());
    let description =
        format!("A row a case, worst first, against the margin of {}", wording::margins(&view.comparisons));
    html! {
        section id="all" {
            h2 { "All cases in one picture" }
            div class="wide" tabindex="0" role="region" aria-label="Picture of all cases" {
                @let said = Caption { title: &title, description: &description, table: rows::PAIRS };
                (forest(axis, &rows, &said))
                (tall_forest(axis, &rows, &said))
            }
            @if without > 0 { p class="legend" { (without) " more weren't measured or have no ratio." } }
        }
    }
}

/// Rules of pages and pictures, colours first: a style sheet.
pub fn style() -> String {
    format!("{COLOURS}{PICTURES}{STYLE}")
}

/// Whether samples of a case cluster around more than one time.
fn clustered(view: &RunView) -> bool {
    view.variants.iter().filter_map(|variant| variant.summary.as_ref()).any(|summary| summary.peaks.len() > 1)
}

/// Whether launches of a case are few enough to have a line each.
fn with_quartiles(view: &RunView) -> bool {
    let few = |found: &tare_statistics::Distribution| found.launches.len() <= crate::svg::WITH_QUARTILES;
    view.variants.iter().filter_map(|variant| variant.distribution.as_ref()).any(few)
}

/// Growth over a parameter, runtimes side by side.
fn more(view: &RunView) -> Markup {
    let pictures = of_whole_run(view);
    html! { @if !pictures.is_empty() { section id="more" {
        h2 { @if pictures.iter().all(|picture| picture.name.starts_with("sweep-")) { "How the time grows" } @else { "Side by side" } }
        @for picture in &pictures { (picture.figure()) }
    } } }
}

#[cfg(test)]
mod tests {
    use base64::Engine;
    use sha2::{Digest, Sha256};

    use super::{SCRIPT, SCRIPT_HASH};

    #[test]
    fn the_page_allows_its_own_script() {
        let hash = base64::engine::general_purpose::STANDARD.encode(Sha256::digest(SCRIPT));
        assert_eq!(hash, SCRIPT_HASH, "page.js has changed: put its hash into SCRIPT_HASH");
    }
}
