use std::collections::{BTreeSet, HashSet};

use tare_samples::by_cause;
use tare_samples::{Failure, Outcome};
use tare_statistics::{Severity, Summary, Warning, by_severity};

use super::TableOptions;
use super::cut_names::CutNames;
use super::line::{Page, Style};
use crate::names::Names;
use crate::text::{one_line, truncate_end, visible, without_colour};
use tare_results::{NoticeLevel, NoticeView, RunView, VariantView};

/// Cases named before the rest is only counted.
const NAMED: usize = 4;
/// Columns of a name in prose.
const LONGEST_NAME: usize = 60;
/// Lines of captured output shown of each stream, and with `verbose`.
const CAPTURED: usize = 8;
const CAPTURED_VERBOSE: usize = 40;
/// Lines of a message.
const MESSAGE: usize = 12;

/// Warnings, failures and notices, each with what to do about it. What is said of many cases is said once.
pub(super) fn write(page: &mut Page, view: &RunView, options: &TableOptions) {
    skipped_beside(page, view);
    warnings(page, view, options);
    interrupted(page, view, options);
    failures(page, view, options);
    notices(page, &view.notices, options.verbose);
}

/// What a table side by side has no room for: why cases were skipped.
fn skipped_beside(page: &mut Page, view: &RunView) {
    let labels: BTreeSet<&str> = view.variants.iter().map(|v| v.variant.label.as_str()).collect();
    if labels.len() < 2 {
        return;
    }
    page.gap();
    let mut seen: Vec<(String, &str)> = Vec::new();
    for variant in &view.variants {
        if let Outcome::Skipped(reason) = &variant.outcome {
            let entry = (variant.title(), reason.as_str());
            if !seen.contains(&entry) {
                page.prose(0, (Style::Dim, "skipped: "), Style::Dim, &format!("{}: {reason}", one_line(&entry.0)));
                seen.push(entry);
            }
        }
    }
}

/// Cases that share a problem.
struct Shared<'a, T> {
    problem: &'a T,
    /// Benchmark, and the rest of the name; each variant once.
    cases: Vec<(String, String)>,
    alike: bool,
}

fn shared<'a, T>(
    short: &Names,
    problems: impl Iterator<Item = (&'a VariantView, &'a T)>,
    same: impl Fn(&T, &T) -> bool,
    alike: impl Fn(&T, &T) -> bool,
) -> Vec<Shared<'a, T>> {
    struct Found<'a, T> {
        problem: &'a T,
        variants: Vec<&'a VariantView>,
        alike: bool,
    }
    let mut found: Vec<Found<T>> = Vec::new();
    for (variant, problem) in problems {
        match found.iter_mut().find(|entry| same(entry.problem, problem)) {
            Some(entry) => {
                entry.alike &= alike(entry.problem, problem);
                if !entry.variants.iter().any(|known| known.variant.id == variant.variant.id) {
                    entry.variants.push(variant);
                }
            }
            None => found.push(Found { problem, variants: vec![variant], alike: true }),
        }
    }
    found
        .into_iter()
        .map(|Found { problem, variants, alike }| Shared { problem, cases: names(short, &variants), alike })
        .collect()
}

/// What the names of a run's cases share.
fn short(view: &RunView) -> Names {
    Names::of(view.variants.iter().map(|variant| variant.variant.case.benchmark.as_str()))
}

/// Benchmark, and the rest of the name: with the language where two would be called the same.
fn names(short: &Names, variants: &[&VariantView]) -> Vec<(String, String)> {
    let name = |variant: &VariantView| {
        if variant.variant.case.separator() != " " || variant.variant.case.is_named_by_set() {
            return (short.short(&variant.title()).to_owned(), variant.distinction());
        }
        let rest = match (&variant.variant.case.parameters.name, variant.distinction().as_str()) {
            (Some(set), "") => set.clone(),
            (Some(set), distinction) => format!("{set} ({distinction})"),
            (None, distinction) => distinction.to_owned(),
        };
        (short.short(&variant.variant.case.benchmark).to_owned(), rest)
    };
    let all: Vec<(String, String)> = variants.iter().map(|variant| name(variant)).collect();
    let named = variants.iter().zip(&all).map(|(variant, own)| {
        let case = &variant.variant.case;
        let mut alike = variants.iter().zip(&all).filter(|(_, other)| *other == own);
        let rest = match alike.any(|(other, _)| other.variant.case.language != case.language) {
            false => own.1.clone(),
            true => format!("{} ({})", own.1, case.language).trim_start().to_owned(),
        };
        (own.0.clone(), rest)
    });
    named.collect()
}

/// `Bench::subject: a, b, c, d, … and 12 more`, the benchmark said once where it is the same.
pub(super) fn listed(page: &mut Page, indent: usize, lead: (Style, &str), cases: &[(String, String)], all: bool) {
    let named = if all || cases.len() <= NAMED + 1 { cases.len() } else { NAMED };
    let one = cases.len() > 1 && cases.iter().all(|(benchmark, rest)| *benchmark == cases[0].0 && !rest.is_empty());
    let name = |(benchmark, rest): &(String, String)| match one {
        true => rest.clone(),
        false => format!("{benchmark} {rest}").trim_end().to_owned(),
    };
    let names: Vec<String> = cases[..named].iter().map(name).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut phrases = CutNames::in_text(page, &names, LONGEST_NAME);
    if one && let Some(first) = phrases.first_mut() {
        *first = format!("{}: {first}", super::block::name(page, &cases[0].0, LONGEST_NAME));
    }
    if cases.len() > named {
        phrases.push(format!("… and {} more", cases.len() - named));
    }
    page.phrases(indent, lead, Style::Plain, ", ", &phrases);
}

/// What the reader should know before believing a result, of variants that are compared as well; with `verbose` also what was seen and
/// changes nothing.
fn warnings(page: &mut Page, view: &RunView, options: &TableOptions) {
    write_warnings(page, view, options, (Style::Yellow, "warning: "), |summary| &summary.warnings);
    if options.verbose {
        write_warnings(page, view, options, (Style::Dim, "noted: "), |summary| &summary.facts);
    }
}

fn write_warnings(
    page: &mut Page,
    view: &RunView,
    options: &TableOptions,
    lead: (Style, &str),
    of: impl Fn(&Summary) -> &Vec<Warning>,
) {
    let variants = &view.variants;
    let of = &of;
    let compared: HashSet<&str> =
        view.comparisons.judged().flat_map(|pair| [pair.base.id.as_str(), pair.candidate.id.as_str()]).collect();
    // What takes nothing from a figure takes nothing from a change.
    let told = |v: &VariantView, w: &Warning| {
        options.verbose || !compared.contains(v.variant.id.as_str()) || w.severity() != Some(Severity::Note)
    };
    let all = variants.iter().flat_map(|v| v.summary.iter().flat_map(move |s| of(s).iter().map(move |w| (v, w))));
    let all = all.filter(|(v, w)| told(v, w));
    let mut found =
        shared(&short(view), all, |a, b| a.code == b.code && a.remedy == b.remedy, |a, b| a.message == b.message);
    by_severity(&mut found, |entry| entry.problem);
    for entry in found {
        page.gap();
        let mut line = page.line();
        line.push(lead.0, lead.1).push(Style::Plain, &one_line(&entry.problem.code));
        if entry.cases.len() > 1 {
            let what = if variants.iter().any(|v| !v.variant.label.is_empty()) { "variants" } else { "cases" };
            line.push(Style::Dim, &format!(" in {} {what}", entry.cases.len()));
        }
        page.put(line);
        listed(page, 2, (Style::Plain, ""), &entry.cases, options.verbose);
        let message =
            if entry.alike { entry.problem.message.clone() } else { format!("e.g. {}", entry.problem.message) };
        page.prose(2, (Style::Plain, ""), Style::Plain, &capped(&message));
        remedy(page, &entry.problem.remedy);
    }
}

pub(super) fn remedy(page: &mut Page, text: &str) {
    if !text.trim().is_empty() {
        page.prose(2, (Style::Plain, "→ "), Style::Plain, &capped(text));
    }
}

pub(super) fn capped(text: &str) -> String {
    let mut lines: Vec<&str> = text.lines().take(MESSAGE + 1).collect();
    if lines.len() > MESSAGE {
        lines[MESSAGE] = "…";
    }
    lines.join("\n")
}

fn failures(page: &mut Page, view: &RunView, options: &TableOptions) {
    let failed = view.variants.iter().filter_map(|v| match &v.outcome {
        Outcome::Failed(failure) => Some((v, failure)),
        _ => None,
    });
    let same = |a: &Failure, b: &Failure| {
        (a.kind, &a.message, &a.file, a.line, &a.remedy) == (b.kind, &b.message, &b.file, b.line, &b.remedy)
    };
    for entry in shared(&short(view), failed, same, same) {
        page.gap();
        listed(page, 0, (Style::Red, "failed: "), &entry.cases, options.verbose);
        failure(page, entry.problem, options);
    }
    let name = |broken: &Failure| {
        if broken.file.is_empty() { "before any benchmark".to_owned() } else { place(&broken.file, broken.line) }
    };
    for cause in by_cause(view.file_failures.iter().map(|broken| (name(broken), broken))) {
        page.gap();
        match cause.of.as_slice() {
            [one] => page.prose(0, (Style::Red, "failed: "), Style::Plain, &one_line(one)),
            several => {
                let several: Vec<(String, String)> = several.iter().map(|name| (name.clone(), String::new())).collect();
                listed(page, 0, (Style::Red, "failed: "), &several, options.verbose);
            }
        }
        failure(page, &Failure { file: String::new(), ..cause.failure.clone() }, options);
    }
}

fn interrupted(page: &mut Page, view: &RunView, options: &TableOptions) {
    let cut = view.variants.iter().filter(|v| v.outcome == Outcome::Interrupted).map(|v| (v, &()));
    for entry in shared(&short(view), cut, |(), ()| true, |(), ()| true) {
        page.gap();
        listed(page, 0, (Style::Yellow, "interrupted: "), &entry.cases, options.verbose);
        page.prose(2, (Style::Plain, ""), Style::Plain, "their figures come from the launches that had ended");
        if view.stored {
            remedy(page, "`tare run --resume` measures the others");
        }
    }
}

fn place(file: &str, line: u64) -> String {
    if line == 0 { file.to_owned() } else { format!("{file}:{line}") }
}

fn failure(page: &mut Page, failure: &Failure, options: &TableOptions) {
    if !failure.file.is_empty() {
        page.prose(2, (Style::Plain, ""), Style::Dim, &one_line(&place(&failure.file, failure.line)));
    }
    page.prose(2, (Style::Plain, ""), Style::Plain, &format!("{}: {}", failure.kind, capped(&failure.message)));
    remedy(page, &failure.remedy);
    captured(page, "stdout", &failure.stdout, options.verbose);
    captured(page, "stderr", &failure.stderr, options.verbose);
    // Where the line is told, the way to it, which leads through a test runner's own frames mostly, is for who asks; JSON has it.
    if options.verbose || failure.line == 0 {
        captured(page, "trace", &failure.trace, options.verbose);
    }
}

/// The last lines of what a process wrote.
fn captured(page: &mut Page, stream: &str, text: &str, verbose: bool) {
    let text = without_colour(text.trim_end());
    if text.trim().is_empty() {
        return;
    }
    let limit = if verbose { CAPTURED_VERBOSE } else { CAPTURED };
    let lines: Vec<&str> = text.lines().collect();
    let hidden = lines.len().saturating_sub(limit);
    let mut line = page.line();
    line.pad_to(2).push(Style::Dim, stream);
    if hidden > 0 {
        line.push(Style::Dim, &format!(", the last {limit} of {} lines", lines.len()));
    }
    page.put(line);
    for text in &lines[hidden..] {
        let mut line = page.line();
        line.pad_to(2).push(Style::Dim, "│ ");
        let room = page.width.saturating_sub(line.width());
        let text = visible(&text.replace('\t', "    "), page.unicode);
        line.push(Style::Plain, &truncate_end(&text, room, page.unicode));
        page.put(line);
    }
}

/// Errors and warnings of discovery, and with `info` the rest.
pub(super) fn notices(page: &mut Page, notices: &[NoticeView], info: bool) {
    for notice in notices.iter().filter(|n| info || n.level != NoticeLevel::Info) {
        page.gap();
        let style = match notice.level {
            NoticeLevel::Info => Style::Dim,
            NoticeLevel::Warning => Style::Yellow,
            NoticeLevel::Error => Style::Red,
        };
        let mut text = capped(&notice.message);
        if !notice.file.is_empty() {
            text = format!("{}: {text}", one_line(&place(&notice.file, notice.line)));
        }
        page.prose(0, (style, &format!("{}: ", notice.level.name())), Style::Plain, &text);
        remedy(page, &notice.remedy);
    }
}
