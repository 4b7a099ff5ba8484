//! The page of a search for the commit to blame.

use maud::{Markup, html};
use tare_results::{BisectCommit, BisectEnd, BisectHunks, BisectStep, BisectView};
use tare_statistics::Estimate;
use tare_statistics::comparison::Verdict;

use super::frame::{Beside, frame};
use crate::axis::Axis;
use crate::bisect_words::{answer, change_words, counts, done, hunks_answer, interval, next, percent, place_words};
use crate::page_text::{name, shortened, told};
use crate::pictures::of_search;
use crate::progress::whole_time;
use crate::svg::{Caption, ForestRow, RatioRow, forest, tall_forest};

/// Columns of a name in the picture of intervals.
const NAME: usize = 40;
const SUBJECT: usize = 120;
/// Commits and messages that are listed.
const LISTED: usize = 60;
/// Log-odds of 3 to 1: what a line of the terminal says of a step, too.
const TELLING: f64 = 1.1;

/// A search, for somebody who has never heard of Tare.
pub fn bisect_page(view: &BisectView) -> String {
    let answer = answer(view);
    let body = html! {
        header {
            h1 { (told(&answer)) }
            p class="sub" { strong { (name(&view.bad.name)) } " against " strong { (name(&view.good.name)) } ", " (shortened(&counts(view), 200)) "." }
        }
        main {
            @if let BisectEnd::Found { commit, .. } = &view.end { (one(commit, view)) }
            (several(view))
            @if let Some(hunks) = &view.hunks { (of_hunks(hunks, view)) }
            @if let Some(picture) = of_search(view) { section id="commits" { h2 { "The search" } (picture.figure()) } }
            (intervals(view))
            (skipped(view))
            section id="method" {
                h2 { "How it was found" }
                p { "Each version was " (done(view.metric)) " beside both ends, and its place between them made commits likelier or less likely, by 50 to 1 at most: no step was taken for true. "
                    "Versions in which nothing differs that the case executes or reads were left out, by proof. "
                    "A commit that reaches " (percent(view.wanted)) " is compared with its parent once more, afresh; only that blames it." }
            }
            (words(view))
        }
    };
    frame(&answer.replace('`', ""), &body, Beside::Nothing)
}

fn one(commit: &BisectCommit, view: &BisectView) -> Markup {
    let facts =
        [("commit", &commit.commit), ("parent", &commit.parent), ("date", &commit.date), ("subject", &commit.subject)];
    html! {
        section id="commit" {
            h2 { "The commit" }
            dl {
                @for (what, fact) in facts { dt { (what) } dd { bdi { (shortened(fact, SUBJECT)) } } }
                dt { "probability" } dd { (percent(view.confidence)) }
            }
        }
    }
}

/// Where none is blamed: what is likeliest, and what to do.
fn several(view: &BisectView) -> Markup {
    let likeliest: &[BisectCommit] = match &view.end {
        BisectEnd::OneOf(commits) => commits,
        BisectEnd::Unconfirmed { likeliest, .. } => likeliest,
        _ => &[],
    };
    html! {
        @if let Some(next) = next(view) { section id="next" { h2 { "What to do" } p { (told(&next)) } } }
        @if !likeliest.is_empty() {
            section id="likeliest" {
                h2 { "The likeliest commits" }
                div class="wide" tabindex="0" role="region" aria-label="The likeliest commits" {
                    table class="plain" {
                        thead { tr { th scope="col" { "commit" } th scope="col" { "date" } th scope="col" { "subject" } } }
                        tbody { @for commit in likeliest.iter().take(LISTED) { tr {
                            th scope="row" { code { (shortened(&commit.short, NAME)) } } td { (shortened(&commit.date, NAME)) } td { (name(&commit.subject)) }
                        } } }
                    }
                }
            }
        }
    }
}

fn of_hunks(hunks: &BisectHunks, view: &BisectView) -> Markup {
    html! {
        section id="hunks" {
            h2 { "What of the commit" }
            p { (told(&hunks_answer(hunks, view.metric))) }
            @for hunk in hunks.hunks.iter().take(LISTED) {
                figure {
                    figcaption { bdi { (shortened(&hunk.file, SUBJECT)) } @if hunk.line > 0 { ", line " (hunk.line) } }
                    pre tabindex="0" role="region" aria-label="Lines" { (hunk.text) }
                }
            }
        }
    }
}

/// Each step's interval, and those of the ends and of the commit.
fn intervals(view: &BisectView) -> Markup {
    let (bad, good) = (shortened(&view.bad.name, NAME), shortened(&view.good.name, NAME));
    let row = |name: String, ratio: Estimate, verdict: Option<Verdict>| ForestRow {
        row: RatioRow { ratio, margin: f64::NAN, verdict, of_load: false },
        name,
        change: change_words(&ratio),
    };
    let mut rows: Vec<ForestRow> = Vec::new();
    if let Some(whole) = view.cases.first().and_then(|case| case.change) {
        rows.push(row(format!("{bad} against {good}"), whole, None));
    }
    let of_step = |(number, step): (usize, &BisectStep)| {
        row(format!("{}. {} against {good}", number + 1, step.short), step.from_good, Some(side(step)))
    };
    rows.extend(view.steps.iter().enumerate().map(of_step));
    if let BisectEnd::Found { commit, change, .. } = &view.end {
        rows.push(row(format!("{} against its parent", commit.short), *change, None));
    }
    rows.retain(|row| row.row.ratio.low > 0.0 && row.row.ratio.high.is_finite());
    let widest = rows.iter().map(|row| row.row.ratio.estimate.ln().abs()).fold(0.0, f64::max);
    let known: Vec<(Estimate, f64)> =
        rows.iter().map(|row| (row.row.ratio, (widest / 2.0).clamp(0.001, 0.5))).collect();
    let Some(axis) = Axis::of(&known).filter(|_| !view.steps.is_empty()) else { return html! {} };
    let caption = Caption { title: "Intervals of all steps", description: "A row a step", table: "steps" };
    html! {
        section id="intervals" {
            h2 { "The interval of every step" }
            p { "0 is " (name(&view.good.name)) ". A version that has the change lies where " (name(&view.bad.name)) " does. ▶ and ◀: it is as " (name(&view.bad.name)) "; ●: as " (name(&view.good.name)) "; ○: not told apart." }
            div class="wide" tabindex="0" role="region" aria-label="Intervals of all steps" { (forest(&axis, &rows, &caption)) (tall_forest(&axis, &rows, &caption)) }
            div class="wide" tabindex="0" role="region" aria-label="Figures of all steps" {
                table id="steps" class="plain" {
                    thead { tr { th scope="col" { "step" } th scope="col" { "version" } th scope="col" { "against " (good) } th scope="col" { "what it showed" } th scope="col" { "probability that it has the change" } } }
                    tbody { @for (number, step) in view.steps.iter().enumerate() { tr {
                        td { (number + 1) } th scope="row" { code { (shortened(&step.short, NAME)) } }
                        td { (interval(&step.from_good, step.confidence)) }
                        td { (place_words(step, [&view.good.name, &view.bad.name])) }
                        td { (percent(step.changed)) }
                    } } }
                }
            }
        }
    }
}

/// Which end a step's version is like.
fn side(step: &BisectStep) -> Verdict {
    match step.log_odds {
        _ if step.between.is_some() => Verdict::Inconclusive,
        odds if odds > TELLING && step.whole.estimate > 1.0 => Verdict::Slower,
        odds if odds > TELLING => Verdict::Faster,
        odds if odds < -TELLING => Verdict::Same,
        _ => Verdict::Inconclusive,
    }
}

fn skipped(view: &BisectView) -> Markup {
    html! {
        @if !view.skipped.is_empty() {
            section id="skipped" {
                h2 { "Commits that couldn't be measured" }
                ul { @for one in view.skipped.iter().take(LISTED) { li { code { (shortened(&one.short, NAME)) } ": " (shortened(&one.why, 300)) } } }
                @if view.skipped.len() > LISTED { p class="legend" { (view.skipped.len() - LISTED) " more aren't listed." } }
            }
        }
    }
}

fn words(view: &BisectView) -> Markup {
    let entries = [
        ("version", "the code as it was after a commit", true),
        ("step", "a version was looked at beside both ends of the search", !view.steps.is_empty()),
        ("probability", "how likely it is, by all steps, that a commit brought the change", true),
        ("hunk", "lines of a file that stand together and that a commit changed", view.hunks.is_some()),
        (
            "instructions",
            "what a processor is told to do; counted, and no time",
            view.metric == tare_samples::Metric::Instructions,
        ),
    ];
    html! {
        section id="words" {
            h2 { "Words on this page" }
            dl { @for (word, meaning, _) in entries.iter().filter(|(.., is_shown)| *is_shown) { dt { (word) } dd { (meaning) "." } } }
            p class="legend" { "It took " (whole_time(view.wall_ns as f64)) "." }
        }
    }
}
