//! The pages, whole without their script but for runs that go on.

use maud::{Markup, html};
use tare_report::{
    HistoryMark, HistoryOf, HistoryPicture, Names, attribute, case_title, change_words, command, copyable, frame,
    plain_time, runtime_name, short_name, time_words, work_words,
};
use tare_statistics::Estimate;
use tare_store::RunRow;

use tare_statistics::shifts::FEWEST_OF_A_HISTORY;

use crate::data::{Case, Narrowed, News, Order, Run, newest_work};
use crate::history::{Change, History, Point, confirming};
use crate::site::{Site, encoded};

/// Cases of a list.
const CASES: usize = 1_000;
/// Characters of a commit.
const COMMIT: usize = 10;

/// The way to the other pages.
fn navigation(site: Site<'_>) -> Markup {
    html! { nav aria-label="Pages" { a href=(site.all_runs()) { "Runs" } " · " a href=(site.cases()) { "Cases" } " · " a href=(site.changes()) { "What changed" } " · " a href=(site.feed()) { "Feed" } } }
}

/// The page of a report, which as a file stands alone, with the way to the other pages above its heading.
pub(crate) fn among_others(report: &str, site: Site<'_>) -> String {
    report.replacen("<header>", &format!("<header>{}", navigation(site).into_string()), 1)
}

/// A page among the others.
pub(crate) fn framed(title: &str, body: &Markup, site: Site<'_>) -> String {
    let whole = html! {
        header {
            (navigation(site))
            h1 { (title) }
        }
        main { (body) }
    };
    frame(title, &whole, site.beside(&mut Default::default()))
}

/// A name that leads to its page, where it has one.
fn linked(link: Option<String>, name: &Markup) -> Markup {
    html! { @match link { Some(link) => { a href=(link) { (name) } } None => { (name) } } }
}

fn run_link(site: Site<'_>, id: &str) -> Markup {
    linked(site.run(id), &html! { (short_name(id)) })
}

/// `+10 %, slower`, `+0.50 % work`.
pub(crate) fn size(change: &Change) -> String {
    let factor = change.to / change.from;
    match change.of {
        HistoryOf::Time => format!("{}, {}", change_words(factor), if factor > 1.0 { "slower" } else { "faster" }),
        // What executed nothing has no part to be told.
        HistoryOf::Work if change.from < 1.0 || change.to <= 0.0 => {
            let more = if change.to > change.from { "more" } else { "less" };
            format!("{more} work by {}", count_words((change.to - change.from).abs()))
        }
        HistoryOf::Work => format!("{} work", change_words(factor)),
    }
}

/// A time, or how many instructions.
pub(crate) fn amount(change: &Change, value: f64) -> String {
    match change.of {
        HistoryOf::Time => plain_time(value),
        HistoryOf::Work => count_words(value),
    }
}

fn count(value: f64) -> String {
    work_words(&Estimate { estimate: value, low: value, high: value })
}

fn count_words(value: f64) -> String {
    format!("{} instructions", count(value))
}

fn moment(started: &str) -> String {
    short_name(&started.replace('T', " ")).chars().take(19).collect()
}

fn commit(text: &str) -> String {
    short_name(text).chars().take(COMMIT).collect()
}

/// The list of runs. `note` stands above it.
pub(crate) fn runs(runs: &[Run], tag: &str, note: &str, site: Site<'_>) -> String {
    let body = html! {
        @if site.is_served() { form action="/" { label { "Tag " input name="tag" value=(short_name(tag)); } " " button { "Filter" } } }
        @if runs.is_empty() { p { "No run is stored" @if !tag.is_empty() { " with this tag" } ". `tare run` measures and stores one." } }
        @else if site.is_served() {
            form action="/compare" {
                p { "Choose a base and a candidate, and " button { "compare them" } ". Comparing stored runs detects less than a live comparison (" code { "tare compare" } ")." }
                (list_of_runs(runs, site))
            }
        }
        @else {
            p { (note) }
            (list_of_runs(runs, site))
        }
    };
    framed("Runs", &body, site)
}

fn list_of_runs(runs: &[Run], site: Site<'_>) -> Markup {
    let git = |row: &RunRow, name: &str| row.origin.git.get(name).cloned().unwrap_or_default();
    let chosen = site.is_served();
    html! {
        div class="wide" tabindex="0" role="region" aria-label="Runs" {
            table id="runs" class="plain stacked" {
                caption { "The newest runs first" }
                thead { tr { @if chosen { th scope="col" { "base" } th scope="col" { "candidate" } } th scope="col" { "run" } th scope="col" { "begun (UTC)" } th scope="col" { "what it says" } th scope="col" { "tags" } th scope="col" { "branch" } th scope="col" { "commit" } } }
                tbody { @for (number, Run { row, answer }) in runs.iter().enumerate() { tr {
                    @let id = &row.origin.id;
                    @if chosen {
                        td data-head="base" { input type="radio" name="base" value=(id) aria-label={ "base: " (short_name(id)) } checked[number == 1]; }
                        td data-head="candidate" { input type="radio" name="candidate" value=(id) aria-label={ "candidate: " (short_name(id)) } checked[number == 0]; }
                    }
                    th scope="row" class="whole" { (run_link(site, id)) }
                    td class="whole" data-head="begun (UTC)" { (moment(&row.origin.started)) }
                    td data-head="what it says" { (marked_up(answer)) }
                    td data-head="tags" { @if !row.origin.tags.is_empty() { bdi { (short_name(&row.origin.tags.join(", "))) } } }
                    td data-head="branch" { @if !git(row, "branch").is_empty() { bdi { (short_name(&git(row, "branch"))) } } }
                    td data-head="commit" { @if !git(row, "commit").is_empty() { code { (commit(&git(row, "commit"))) } } }
                } } }
            }
        }
    }
}

/// The list of cases. Files show all of them, which a script searches and sorts (`listed.js`): by the time, the day or the name that `data-by` of a cell says.
pub(crate) fn cases(cases: &[Case], words: &str, order: Order, site: Site<'_>) -> String {
    let most = if site.is_served() { CASES } else { usize::MAX };
    // The case's language is known by its runtime.
    let title = |case: &Case| case_title(&case.row.case);
    let titles: Vec<String> = cases.iter().map(title).collect();
    let names = Names::of(titles.iter().map(String::as_str));
    let head = |words_of: &str, by: Order| {
        let name = Order::ALL.iter().find(|(_, known)| *known == by).map_or("", |(name, _)| *name);
        let link = format!("/cases?words={}&sort={name}", encoded(words));
        html! { @if by == order { (words_of) " ↓" } @else if !site.is_served() { (words_of) } @else { a href=(link) title="Sort by this column" { (words_of) } } }
    };
    let counted = cases.iter().take(most).any(|case| newest_work(&case.points).is_some());
    let files = !site.is_served();
    let sorts = |by: &'static str| files.then_some(by);
    let by = |key: Option<String>| key.filter(|_| files);
    let body = html! {
        @if site.is_served() { form action="/cases" role="search" { label { "Search " input type="search" name="words" value=(short_name(words)); } " " button { "Search" } } }
        @else { p id="cases-search" role="search" hidden { label { "Search " input type="search"; } } }
        p role="status" { (cases.len()) @if cases.len() == 1 { " case" } @else { " cases" } @if let Some(shared) = names.shared() { " of " bdi { (short_name(shared)) } } @if cases.len() > most { "; the first " (most) " are shown" } }
        div class="wide" tabindex="0" role="region" aria-label="Cases" {
            table id="cases-list" class="plain stacked" {
                thead { tr {
                    th scope="col" data-sorts=[sorts("text")] { (head("case", Order::Name)) }
                    th scope="col" { "runtime" }
                    th scope="col" class="n" data-sorts=[sorts("number")] { (head("newest time", Order::Time)) }
                    th scope="col" { "history" }
                    @if counted { th scope="col" class="n" { "instructions" } th scope="col" { "work" } }
                    th scope="col" data-sorts=[sorts("text")] { (head("last change", Order::Change)) }
                    th scope="col" class="n" { "runs" }
                    th scope="col" data-sorts=[sorts("text")] { (head("newest (UTC)", Order::Newest)) }
                } }
                tbody { @for (case, title) in cases.iter().zip(&titles).take(most) { tr {
                    @let row = &case.row;
                    // Files have a page for each way of measuring, and none for a case without a complete run.
                    @let kind = (!site.is_served()).then_some(case.kind.as_str());
                    @let link = site.history(&row.case, &row.runtime, kind).filter(|_| site.is_served() || !case.points.is_empty());
                    th scope="row" title=(short_name(title)) data-by=[by(Some(short_name(title).to_lowercase()))] { (linked(link, &html! { bdi { (short_name(names.short(title))) } })) }
                    td data-head="runtime" { bdi { (short_name(runtime_name(&row.runtime))) } }
                    td class="n whole" data-head="newest time" data-by=[by(case.points.last().map(|point| format!("{:.4e}", point.time.estimate)))] { @if let Some(point) = case.points.last() { (time_words(&point.time)) } }
                    td data-head="history" { @if let Some(line) = tare_report::sparkline(&levels(&case.points), HistoryOf::Time.flattest()) { (line) } }
                    @if counted {
                        td class="n whole" data-head="instructions" { @if let Some(work) = newest_work(&case.points) { (work_words(&work.instructions)) } }
                        td data-head="work" { @if let Some(line) = tare_report::sparkline(&counts(&case.points), HistoryOf::Work.flattest()) { (line) } }
                    }
                    td data-head="last change" data-by=[by(last_changes(case).first().map(|change| moment(&change.started)))] { @for change in last_changes(case) { div { a href=(site.change(change)) { (size(change)) } ", " span class="whole" { (day(&change.started)) } } } }
                    td class="n" data-head="runs" { (row.runs) }
                    td class="whole" data-head="newest (UTC)" data-by=[by(Some(moment(&row.newest)))] { (moment(&row.newest)) }
                } } }
            }
        }
    };
    framed("Cases", &body, site)
}

/// Times of runs.
fn levels(points: &[Point]) -> Vec<f64> {
    points.iter().map(|point| point.time.estimate).collect()
}

/// Instructions of the runs that were counted as the newest was.
fn counts(points: &[Point]) -> Vec<f64> {
    let is_recounted = |point: &Point| point.work.as_ref().is_some_and(|work| work.recounted.is_some());
    let start = points.iter().rposition(is_recounted).unwrap_or(0);
    points[start..].iter().filter_map(|point| Some(point.work.as_ref()?.instructions.estimate)).collect()
}

/// The newer one of both first.
fn last_changes(case: &Case) -> Vec<&Change> {
    let mut both: Vec<&Change> = [&case.change, &case.work_change].into_iter().flatten().collect();
    both.sort_by(|a, b| b.started.cmp(&a.started));
    both
}

fn day(started: &str) -> String {
    moment(started).chars().take(10).collect()
}

/// A sentence, names in it as code.
fn marked_up(answer: &str) -> Markup {
    let parts: Vec<&str> = answer.split('`').collect();
    html! { @for (number, part) in parts.iter().enumerate() {
        @if number % 2 == 1 && parts.len() % 2 == 1 { code { bdi { (part) } } } @else { (part) }
    } }
}

/// Figures that stand behind the picture of a history: all that a table has behind a server, and so many as keep files small.
const LISTED: usize = 20;

/// The history of a case: the first of its lines.
pub(crate) fn history(case: &str, runtime: &str, narrowed: &Narrowed, history: &History, site: Site<'_>) -> String {
    let points = history.lines.first().map_or(&[][..], |line| line.points.as_slice());
    let changes_of = |of: HistoryOf| -> Vec<&Change> {
        history.lines.first().iter().flat_map(|line| &line.changes).filter(|change| change.of == of).collect()
    };
    let (changes, of_work) = (changes_of(HistoryOf::Time), changes_of(HistoryOf::Work));
    let shown = history.lines.first().map_or("", |line| line.kind.as_str());
    let mark = |point: &Point| HistoryMark {
        label: if point.commit.is_empty() {
            point.run.clone()
        } else {
            format!("{} {}", commit(&point.commit), point.branch)
        },
        started: point.started.clone(),
        value: Some(point.time),
        apart: false,
    };
    let marks: Vec<HistoryMark> = points.iter().map(mark).collect();
    let starts: Vec<usize> = points.iter().enumerate().filter(|(_, point)| point.change).map(|(at, _)| at).collect();
    let listed = if site.is_served() { usize::MAX } else { LISTED };
    let times = HistoryPicture { of: HistoryOf::Time, title: case, marks: &marks, changes: &starts, listed };
    let title = format!("{} on {}", short_name(case), short_name(runtime_name(runtime)));
    let badge = site.badge(case, runtime, shown, history.kinds.len() < 2);
    let body = html! {
        @if site.is_served() { form action="/history" {
            input type="hidden" name="case" value=(attribute(case));
            input type="hidden" name="runtime" value=(attribute(runtime));
            label { "Branch " input name="branch" value=(short_name(&narrowed.branch)); } " "
            label { "Tag " input name="tag" value=(short_name(&narrowed.tag)); } " "
            @if history.kinds.len() > 1 { label { "Measured on "
                select name="kind" { @for kind in &history.kinds { option value=(attribute(kind)) selected[kind == shown] { (measured_on(kind)) } } }
            } " " }
            button { "Filter" }
        } }
        @if history.kinds.len() > 1 {
            p { "These are the measurements of " strong { (measured_on(shown)) } ". Times of other machines, and of samples with other numbers of calls, have histories of their own"
                @if site.is_served() { "; choose one above." } @else { ":" } }
            @if !site.is_served() { ul { @for kind in history.kinds.iter().filter(|kind| *kind != shown) {
                li { (linked(site.history(case, runtime, Some(kind)), &html! { (measured_on(kind)) })) }
            } } }
        }
        (in_short(points, &changes))
        @match times.picture() {
            Some(picture) => { (picture.figure()) }
            None => { p { "No complete run has this case, under this filter." } }
        }
        @if let Some(point) = points.last() { p { "Newest: " (time_words(&point.time)) " in run " (run_link(site, &point.run)) ". Badge: " img src=(badge) alt={ "newest time: " (time_words(&point.time)) }; } }
        (changed("changes", &changes, site))
        (work(case, points, &marks, &of_work, listed, site))
    };
    framed(&title, &body, site)
}

/// Where processes lie apart by a larger part of a call, that hides what else would be seen.
const SCATTERED: f64 = 0.000_1;

/// What calls execute over the runs; nothing where it was never counted.
fn work(
    case: &str,
    points: &[Point],
    times: &[HistoryMark],
    changes: &[&Change],
    listed: usize,
    site: Site<'_>,
) -> Markup {
    let counted = || points.iter().enumerate().filter_map(|(at, point)| Some((at, point, point.work.as_ref()?)));
    let mark = |(mark, point): (&HistoryMark, &Point)| HistoryMark {
        value: point.work.as_ref().map(|work| work.instructions),
        apart: point.work.as_ref().is_some_and(|work| work.recounted.is_some()),
        ..mark.clone()
    };
    let marks: Vec<HistoryMark> = times.iter().zip(points).map(mark).collect();
    let starts: Vec<usize> = counted().filter(|(_, _, work)| work.change).map(|(at, ..)| at).collect();
    let picture =
        HistoryPicture { of: HistoryOf::Work, title: case, marks: &marks, changes: &starts, listed }.picture();
    html! { @if let Some(picture) = picture {
        h2 { "Work" }
        p {
            "Instructions that a call executes, counted. "
            @match changes.last() {
                None if counted().count() == 1 => { "Counted once: there is no history yet." }
                None => { "In " (counted().count()) " counted runs no change shows." }
                Some(change) => {
                    strong { (size(change)) } ": from " (count(change.from)) " to " (count_words(change.to)) ", since " (moment(&change.started))
                    @if !change.after.is_empty() { " (commit " code { (commit(&change.after)) } ")" }
                    ". " @if changes.len() > 1 { "It is the newest of " (changes.len()) " changes of work in " } @else { "It is the only change of work in " } (counted().count()) " counted runs."
                }
            }
            @if counted().any(|(_, _, work)| work.instructions.half_width() > SCATTERED * work.instructions.estimate) {
                " The ± is how far processes with other seeds lie apart. Only changes that are several times as large show."
            }
        }
        @let recounted: Vec<_> = counted().filter_map(|(_, point, work)| Some((point, work.recounted.as_ref()?))).collect();
        @if !recounted.is_empty() {
            p { "Counts on both sides of a gap in the line are not compared, since something else than the code has changed:" }
            ul { @for (point, what) in recounted { li { (linked(site.run(&point.run), &html! { (moment(&point.started)) })) ": " bdi { (short_name(what)) } } } }
        }
        (picture.figure())
        (changed("work-changes", changes, site))
    } }
}

/// The machine, and how it was measured there, without what nobody knows.
fn measured_on(kind: &str) -> String {
    let known: Vec<&str> = kind.split("; ").filter(|part| !part.contains("unknown")).collect();
    // Each by itself: what tells two machines apart may stand in the middle.
    let parts: Vec<String> = known.iter().map(|part| short_name(part)).collect();
    if parts.is_empty() { "an unknown machine".to_owned() } else { parts.join("; ") }
}

/// The interval of a run in its report is wider.
const OF_LAUNCHES: &str =
    "The ± here covers a run's own launches; the spread of the points shows how runs differ beyond that.";

/// What a history says, in a sentence or two.
fn in_short(points: &[Point], changes: &[&Change]) -> Markup {
    html! { p { @match (changes.last(), points.len()) {
        (_, 0) => {}
        (None, 1) => { "Measured once: there is no history yet." }
        (None, count) => { "In the times of " (count) " runs no change of level shows. One shows if it is about three times what runs differ by; to judge a commit, compare it with another. " (OF_LAUNCHES) }
        (Some(change), count) => {
            strong { (size(change)) } ": from " (plain_time(change.from)) " to " (plain_time(change.to)) ", since " (moment(&change.started))
            @if !change.after.is_empty() { " (commit " code { (commit(&change.after)) } ")" }
            ". " @if changes.len() > 1 { "It is the newest of " (changes.len()) " changes of level that show in " } @else { "It is the only change of level that shows in " } (count) " runs. " (OF_LAUNCHES)
        }
    } } }
}

fn changed(id: &str, changes: &[&Change], site: Site<'_>) -> Markup {
    let has = |of: HistoryOf| changes.iter().any(|change| change.of == of);
    html! { @if !changes.is_empty() {
        @if has(HistoryOf::Time) { p { "From these runs on the times lie on another level, and stay there. The cause may be the code or the machine. "
            "The command measures both commits in turns, which shows the cause; its result then appears here." } }
        @if has(HistoryOf::Work) { p { "From these runs on a call executes another number of instructions. "
            "The command counts both commits and names the functions that differ; its result then appears here." } }
        table id=(id) class="plain stacked" {
            caption { @if has(HistoryOf::Time) { "Changes of level" } @else { "Changes of work" } }
            thead { tr { th scope="col" { "case" } th scope="col" { "since (UTC)" } th scope="col" class="n" { "before" } th scope="col" class="n" { "after" } th scope="col" { "change" } th scope="col" { "caused by the code" } } }
            tbody { @for change in changes { tr {
                th scope="row" { a href=(site.change(change)) { bdi { (short_name(&change.case)) } } " on " bdi { (short_name(runtime_name(&change.runtime))) } @if !change.calls.is_empty() { ", " (short_name(&change.calls)) } }
                td data-head="since (UTC)" { (linked(site.run(&change.run), &html! { (moment(&change.started)) })) @if !change.after.is_empty() { ", commit " code { (commit(&change.after)) } } }
                td class="n whole" data-head="before" { (amount(change, change.from)) }
                td class="n whole" data-head="after" { (amount(change, change.to)) }
                td class="whole" data-head="change" { strong { (size(change)) } }
                td data-head="caused by the code" { (confirmed(change, site)) }
            } } }
        }
    } }
}

/// What a comparison of both commits said, or the command that makes one.
fn confirmed(change: &Change, site: Site<'_>) -> Markup {
    let words = |result: &str| match result {
        "confirmed" => "",
        "refuted" => ": it found no such difference",
        _ => ": undecided; measure longer",
    };
    html! {
        @if let Some(found) = &change.confirmation {
            strong { (found.result) } (words(found.result)) ", in run " (run_link(site, &found.run)) ". "
        }
        @match confirming(change) {
            Some(whole) => @match copyable(&whole) {
                Some(typed) => { @if change.confirmation.is_none() { "not yet known. To find out: " } @else { "To measure again: " } (command(typed)) }
                None => { "the name of the case can't be typed: give " code { "tare compare" } " a part of it as " code { "--filter" } }
            },
            None => { "unknown: the commits are unknown, or the same" }
        }
    }
}

/// What changed. `within` says in which time.
pub(crate) fn changes(News { changes, looked, cases, long }: &News, within: &str, site: Site<'_>) -> String {
    let body = html! {
        @if *cases == 0 { p { "No case was measured within " (within) "." } }
        @else {
            p { "Looked at: " @if looked < cases { (looked) " of " } (cases) @if *cases == 1 { " case that was" } @else { " cases that were" } " measured within " (within) ". "
                (long) " of them " @if *long == 1 { "has" } @else { "have" } " the " (FEWEST_OF_A_HISTORY) " runs that finding a change of level takes. A change of work takes two that were counted." }
            @if changes.is_empty() && *long > 0 { p { "In the histories that are long enough no change of level shows within " (within) ". Small ones don't show: to judge a commit, compare it with another." } }
            @if changes.is_empty() && *long == 0 { p { "So few times can't show a change. The result of a comparison of two revisions stands in its " a href=(site.all_runs()) { "run" } "." } }
            @if changes.len() > 1 { p { "The largest change comes first." } }
        }
        (changed("changes", &changes.iter().collect::<Vec<_>>(), site))
    };
    framed("What changed", &body, site)
}

/// A run that goes on; the script fills it.
pub(crate) fn live(run: &str) -> String {
    let body = html! {
        p { "This run is being measured; the page follows it, and shows the whole report when the run is done. A launch is a fresh process that measures a benchmark." }
        div id="live" data-run=(run) {
            p { span id="live-state" role="status" { "waiting for its events" } }
            progress id="live-share" max="1" value="0" aria-label="Part of the run that is done" {}
            div class="wide" tabindex="0" role="region" aria-label="Rows so far" {
                table id="live-rows" class="plain" {
                    caption { "Results so far" }
                    thead { tr { th scope="col" { "case" } th scope="col" class="n" { "time of a call" } th scope="col" class="n" hidden { "change" } th scope="col" hidden { "result" } } }
                    tbody {}
                }
            }
        }
        noscript { p { "Following a run in progress takes a script. Load the page again when the run is done." } }
    };
    framed(&format!("Run {}", short_name(run)), &body, Site::Served)
}
