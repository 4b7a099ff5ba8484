use tare_statistics::Warning;
use tare_statistics::comparison::Verdict;

use super::super::TableOptions;
use super::super::line::{Page, Style};
use super::super::{block, problems};
use crate::text::one_line;
use crate::wording;
use tare_results::{GateOutcome, RunView};

/// Names that are shown before the rest is only counted.
const NAMED: usize = 6;
const LONGEST_NAME: usize = 60;

/// What the tables add up to, and what identical code showed.
pub(super) fn sums(page: &mut Page, view: &RunView) {
    page.gap();
    if view.comparisons.judged().next().is_some() {
        summary(page, view);
    }
    for mean in &view.comparisons.geometric_means {
        names(page, (Style::Dim, "not in the geometric mean (no ratio, or a time next to 0): "), &mean.left_out, false);
    }
    if let Some(floor) = view.comparisons.noise_floor() {
        page.phrases(0, (Style::Dim, "noise floor: "), Style::Plain, ", ", &wording::noise(&floor));
    }
}

/// Cases that one side alone has.
pub(super) fn unpaired(page: &mut Page, view: &RunView, options: &TableOptions) {
    for (side, titles) in wording::unpaired(&view.comparisons) {
        let titles: Vec<String> = titles.into_iter().map(str::to_owned).collect();
        let lead = format!("only in {}: ", block::name(page, side, LONGEST_NAME.min(page.width / 2)));
        names(page, (Style::Dim, &lead), &titles, options.verbose);
    }
}

/// Gates that were broken or couldn't be decided.
pub(super) fn gates(page: &mut Page, view: &RunView) {
    for gate in &view.comparisons.gates {
        page.gap();
        let (style, lead) = match gate.outcome {
            GateOutcome::Tripped => (Style::Red, "gate tripped: "),
            GateOutcome::Undecided => (Style::Yellow, "gate undecided: "),
        };
        let title = block::name(page, &gate.title, LONGEST_NAME);
        page.prose(0, (style, lead), Style::Plain, &format!("{title}, {}", one_line(&gate.rule)));
        page.prose(2, (Style::Plain, ""), Style::Plain, &problems::capped(&gate.message));
    }
    let counts = view.comparisons.assertions;
    if counts.total() > 0 {
        page.gap();
        let found = [(counts.held, "held"), (counts.failed, "failed"), (counts.undecided, "undecided")];
        let some = found.iter().filter(|(count, _)| *count > 0);
        let text = some.map(|(count, what)| format!("{count} {what}")).collect::<Vec<_>>().join(", ");
        page.prose(0, (Style::Dim, "assertions: "), Style::Plain, &text);
    }
}

/// `2 slower, 1 faster, 37 same, 3 undecided (margin 0.5 %, 99 % intervals)`.
fn summary(page: &mut Page, view: &RunView) {
    let comparisons = &view.comparisons;
    let counts = wording::counts(comparisons);
    let settings = format!("({})", wording::settings(comparisons));
    let mut line = page.line();
    for (position, (verdict, text)) in counts.iter().enumerate() {
        let style = match verdict {
            Verdict::Slower => Style::Red,
            Verdict::Faster => Style::Green,
            Verdict::Same | Verdict::Unchanged => Style::Plain,
            Verdict::Inconclusive => Style::Yellow,
        };
        line.push(Style::Plain, if position > 0 { ", " } else { "" }).push(style, text);
    }
    line.push(Style::Plain, " ").push(Style::Dim, &settings);
    if line.width() <= page.width {
        page.put(line);
    } else {
        let mut phrases: Vec<String> = counts.into_iter().map(|(_, text)| text).collect();
        if let Some(last) = phrases.last_mut() {
            *last = format!("{last} {settings}");
        }
        page.phrases(0, (Style::Plain, ""), Style::Plain, ", ", &phrases);
    }
}

/// Names in a row, the first of them only unless `all` are wanted.
pub(super) fn names(page: &mut Page, lead: (Style, &str), names: &[String], all: bool) {
    if names.is_empty() {
        return;
    }
    let shown = if all || names.len() <= NAMED + 1 { names.len() } else { NAMED };
    let mut phrases: Vec<String> = names[..shown].iter().map(|name| block::name(page, name, LONGEST_NAME)).collect();
    if names.len() > shown {
        phrases.push(format!("… and {} more", names.len() - shown));
    }
    page.phrases(0, lead, Style::Plain, ", ", &phrases);
}

/// Warnings of all comparisons together, and of each; what is said of many cases is said once.
pub(super) fn warnings(page: &mut Page, view: &RunView, options: &TableOptions) {
    for warning in &view.comparisons.warnings {
        write_warning(page, warning, &[], true, options);
    }
    for entry in wording::warnings(&view.comparisons) {
        write_warning(page, entry.warning, &entry.titles, entry.alike, options);
    }
}

fn write_warning(page: &mut Page, warning: &Warning, titles: &[&str], alike: bool, options: &TableOptions) {
    page.gap();
    let mut line = page.line();
    line.push(Style::Yellow, "warning: ").push(Style::Plain, &one_line(&warning.code));
    if titles.len() > 1 {
        line.push(Style::Dim, &format!(" in {} comparisons", titles.len()));
    }
    page.put(line);
    let split = |title: &&'_ str| match title.split_once(' ') {
        Some((benchmark, rest)) => (benchmark.to_owned(), rest.to_owned()),
        None => ((*title).to_owned(), String::new()),
    };
    let cases: Vec<(String, String)> = titles.iter().map(split).collect();
    problems::listed(page, 2, (Style::Plain, ""), &cases, options.verbose);
    let message = if alike { warning.message.clone() } else { format!("e.g. {}", warning.message) };
    page.prose(2, (Style::Plain, ""), Style::Plain, &problems::capped(&message));
    problems::remedy(page, &warning.remedy);
}
