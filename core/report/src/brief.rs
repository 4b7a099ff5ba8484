//! A result in few lines: the answer, the rows that ask for attention, and how many don't. For a program that reads text, as a coding agent does.

use tare_results::{ComparisonView, NoticeLevel, RunView, VariantView};
use tare_samples::Outcome;
use tare_statistics::comparison::Verdict;

use crate::answer::Answer;
use crate::figure::Figure;
use crate::order::ordered;
use crate::page_figures::time_words;
use crate::progress::case_title;
use crate::text::{one_line, truncate_middle, visible};
use crate::{sides, wording};

/// Rows and notes that are told.
const ROWS: usize = 30;
const NOTES: usize = 5;
/// Columns of a name, and of a message.
const NAME: usize = 120;
const MESSAGE: usize = 400;

/// The answer in a sentence; the sides that were compared; a line for each case that is slower, faster or undecided, the worst first, at most 30; how many
/// are the same or unchanged; what was understood differently; what failed. Of a run that compares nothing a line for each case. Lines end in `\n`.
///
/// Names and messages can hold no line end, and nothing that a terminal obeys.
pub fn brief(view: &RunView) -> String {
    let mut lines = vec![format!("{}.", Answer::of(view).text())];
    if let Some(sides) = sides::of(view) {
        lines.push(sides.text(named));
    }
    lines.extend(wording::of_session(&view.comparisons).map(|shared| message(&shared)));
    let judged: Vec<&ComparisonView> = ordered(view.comparisons.judged()).into_iter().map(|(_, pair)| pair).collect();
    if judged.is_empty() {
        listed(&mut lines, view.variants.iter().filter_map(measured).collect());
    } else {
        let stays = |pair: &&ComparisonView| matches!(pair.comparison.verdict, Verdict::Same | Verdict::Unchanged);
        listed(&mut lines, judged.iter().filter(|pair| !stays(pair)).map(|pair| compared(pair)).collect());
        let quiet = wording::counts(&view.comparisons).into_iter();
        let quiet = quiet.filter(|(verdict, _)| matches!(verdict, Verdict::Same | Verdict::Unchanged));
        let quiet: Vec<String> = quiet.map(|(_, count)| count).collect();
        if !quiet.is_empty() {
            lines.push(format!("Without a row: {}.", quiet.join(", ")));
        }
    }
    for (side, titles) in wording::unpaired(&view.comparisons) {
        lines.push(format!("Only in {}: {} cases.", named(side), titles.len()));
    }
    let warned = view.notices.iter().filter(|notice| notice.level == NoticeLevel::Warning).take(NOTES);
    lines.extend(warned.map(|notice| {
        let remedy = if notice.remedy.is_empty() { String::new() } else { format!("; {}", notice.remedy) };
        format!("Note: {}", message(&(notice.message.clone() + &remedy)))
    }));
    listed(&mut lines, failures(view));
    if let Some(ended) = view.ended.as_ref().filter(|ended| !ended.passed) {
        lines.push(format!("Gates: {}", message(&ended.why)));
    }
    lines.join("\n") + "\n"
}

fn named(name: &str) -> String {
    truncate_middle(&visible(&one_line(name), true), NAME, true)
}

fn message(text: &str) -> String {
    truncate_middle(&visible(&one_line(text), true), MESSAGE, true)
}

/// Rows as a list, and how many are left out.
fn listed(lines: &mut Vec<String>, rows: Vec<String>) {
    let left = rows.len().saturating_sub(ROWS);
    lines.extend(rows.into_iter().take(ROWS).map(|row| format!("- {row}")));
    if left > 0 {
        lines.push(format!("- and {left} more"));
    }
}

/// `CalcBench::benchSum: 11.3 µs ± 0.2 → 12.4 µs ± 0.2, +9.7 % ± 2.2, slower`.
fn compared(pair: &ComparisonView) -> String {
    let mut row = named(&pair.title);
    if let (Some(base), Some(candidate)) = (pair.base.time, pair.candidate_time()) {
        row.push_str(&format!(": {} → {}", time_words(&base), time_words(&candidate)));
    }
    if let Some(ratio) = wording::ratio(pair.comparison.shown()) {
        row.push_str(&format!(", {}", Figure::ratio(&ratio).inline()));
    }
    row + ", " + &wording::said(&pair.comparison) + &wording::after_verdict(pair)
}

/// A case that was measured.
fn measured(view: &VariantView) -> Option<String> {
    let time = view.summary.as_ref()?.time;
    let (case, runtime) =
        (named(&case_title(&view.variant.case.id())), named(crate::runtime_name(&view.variant.runtime.name)));
    matches!(view.outcome, Outcome::Ok | Outcome::Interrupted)
        .then(|| format!("{case} on {runtime}: {}", time_words(&time)))
}

fn failures(view: &RunView) -> Vec<String> {
    let of_case = |one: &VariantView| match &one.outcome {
        Outcome::Failed(failure) => {
            Some(format!("{} failed: {}", named(&case_title(&one.variant.case.id())), message(&failure.to_string())))
        }
        _ => None,
    };
    let of_files = view.file_failures.iter().map(|failure| format!("failed: {}", message(&failure.to_string())));
    view.variants.iter().filter_map(of_case).chain(of_files).collect()
}

/// What a comparison asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attention {
    /// A case, or a file that may hold some, failed.
    Failed,
    /// A case got slower.
    Slower,
    /// None did for certain, and of some it isn't known.
    Undecided,
    /// All of them are known, and one got faster.
    Faster,
    /// None of these.
    Nothing,
}

/// What the comparisons of a result ask for.
pub fn attention(view: &RunView) -> Attention {
    let has = |verdict| view.comparisons.count(verdict) > 0;
    match () {
        () if view.failures() > 0 => Attention::Failed,
        () if has(Verdict::Slower) => Attention::Slower,
        () if has(Verdict::Inconclusive) => Attention::Undecided,
        () if has(Verdict::Faster) => Attention::Faster,
        () => Attention::Nothing,
    }
}
