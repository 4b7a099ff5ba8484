use tare_statistics::Warning;
use tare_statistics::comparison::Verdict;

use super::super::TableOptions;
use super::super::line::{Page, Style};
use super::super::{block, problems};
use crate::answer::{Answer, Clause};
use crate::names::{self, Names};
use crate::text::one_line;
use crate::{sides, wording, work};
use tare_results::{ComparisonView, GateOutcome, GateView, RunView};

/// Names that are shown before the rest is only counted.
const NAMED: usize = 6;
const LONGEST_NAME: usize = 60;

/// How many rows say what of their work.
pub(super) fn work(page: &mut Page, view: &RunView) {
    let Some(sums) = work::sums(&view.comparisons) else { return };
    page.gap();
    let said = format!("{sums} (instructions that a call executes, counted by callgrind: not its time)");
    page.prose(0, (Style::Bold, "work "), Style::Plain, &said);
}

/// The answer, and which sides it is about.
pub(super) fn answer(page: &mut Page, view: &RunView) {
    let answer = Answer::of(view);
    let clauses: Vec<(Style, String)> =
        answer.clauses.iter().map(|clause| (style(clause), clause.text(|name| format!("`{name}`")))).collect();
    let mut line = page.line();
    for (position, (style, text)) in clauses.iter().enumerate() {
        line.push(Style::Plain, if position > 0 { "; " } else { "" }).push(*style, text);
    }
    line.push(Style::Plain, ".");
    if line.width() <= page.width {
        page.put(line);
    } else {
        // Emphasis doesn't go over the end of a line.
        let phrases: Vec<String> = clauses.into_iter().map(|(_, text)| text).collect();
        page.prose(0, (Style::Plain, ""), Style::Bold, &format!("{}.", phrases.join("; ")));
    }
    if let Some(sides) = sides::of(view) {
        page.prose(0, (Style::Plain, ""), Style::Dim, &sides.text(|name| block::name(page, name, LONGEST_NAME)));
    }
    if let Some(shared) = wording::of_session(&view.comparisons) {
        page.prose(0, (Style::Plain, ""), Style::Dim, &shared);
    }
    if let Some(why) = wording::why_measured(&view.comparisons) {
        page.prose(0, (Style::Plain, ""), Style::Dim, &why);
    }
}

fn style(clause: &Clause) -> Style {
    match clause.verdict {
        Some(Verdict::Slower) => Style::Red,
        Some(Verdict::Faster) => Style::Green,
        Some(Verdict::Inconclusive) => Style::Yellow,
        Some(Verdict::Same | Verdict::Unchanged) => Style::Bold,
        None => Style::Plain,
    }
}

/// What the mean is not over.
pub(super) fn sums(page: &mut Page, view: &RunView) {
    let comparisons = &view.comparisons;
    let shared = Names::of_comparisons(comparisons);
    let unchanged = |title: &&String| {
        let of_title = |pair: &ComparisonView| pair.title == **title && pair.comparison.verdict == Verdict::Unchanged;
        comparisons.judged().any(of_title)
    };
    page.gap();
    for mean in &comparisons.geometric_means {
        let left = mean.left_out.iter().filter(|title| !unchanged(title));
        let left: Vec<String> = left.map(|title| shared.short(title).to_owned()).collect();
        names(page, (Style::Dim, "not in the geometric mean (no ratio, or a time next to 0): "), &left, false);
    }
}

/// What identical code showed.
pub(super) fn noise_floor(page: &mut Page, view: &RunView) {
    if let Some(floor) = view.comparisons.noise_floor() {
        page.phrases(0, (Style::Dim, "noise floor: "), Style::Dim, ", ", &wording::noise(&floor));
    }
}

/// Cases that one side alone has.
pub(super) fn unpaired(page: &mut Page, view: &RunView, options: &TableOptions) {
    let shared = Names::of_comparisons(&view.comparisons);
    for (side, titles) in wording::unpaired(&view.comparisons) {
        let titles: Vec<String> = titles.into_iter().map(|title| shared.short(title).to_owned()).collect();
        let lead = format!("only in {}: ", block::name(page, side, LONGEST_NAME.min(page.width / 2)));
        names(page, (Style::Dim, &lead), &titles, options.verbose);
    }
}

/// Broken gates one by one; those that couldn't be decided by their rule, a line each: there may be as many as there are cases.
pub(super) fn gates(page: &mut Page, view: &RunView) {
    page.gap();
    let of = |outcome| view.comparisons.gates.iter().filter(move |gate| gate.outcome == outcome);
    let shared = Names::of_comparisons(&view.comparisons);
    let name = |gate: &GateView| shared.short(&names::of_gate(gate, &view.comparisons)).to_owned();
    let told = |page: &mut Page, (style, lead): (Style, &str), gate: &GateView| {
        let title = block::name(page, &name(gate), LONGEST_NAME);
        let message = problems::capped(&gate.message);
        let rule = block::name(page, &gate.rule, LONGEST_NAME);
        page.prose(0, (style, lead), Style::Plain, &format!("{title}, {rule}: {message}"));
    };
    for gate in of(GateOutcome::Tripped) {
        told(page, (Style::Red, "gate tripped: "), gate);
    }
    let mut rules: Vec<(&str, Vec<&GateView>)> = Vec::new();
    for gate in of(GateOutcome::Undecided) {
        match rules.iter_mut().find(|(rule, _)| *rule == gate.rule) {
            Some((_, gates)) => gates.push(gate),
            None => rules.push((&gate.rule, vec![gate])),
        }
    }
    for (rule, gates) in rules {
        if let [one] = gates.as_slice() {
            told(page, (Style::Yellow, "gate undecided: "), one);
            continue;
        }
        let lead = format!("{} gates undecided, {}: ", gates.len(), block::name(page, rule, LONGEST_NAME));
        let titles: Vec<String> = gates.iter().map(|gate| name(gate)).collect();
        names(page, (Style::Yellow, &lead), &titles, false);
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
    let shared = Names::of_comparisons(&view.comparisons);
    for warning in &view.comparisons.warnings {
        write_warning(page, warning, &[], true, options);
    }
    for entry in wording::warnings(&view.comparisons) {
        let titles: Vec<&str> = entry.titles.iter().map(|title| shared.short(title)).collect();
        write_warning(page, entry.warning, &titles, entry.alike, options);
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
