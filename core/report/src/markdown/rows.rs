use std::collections::BTreeSet;
use std::fmt::Write as _;

use tare_samples::{Outcome, TimeUnit};
use tare_statistics::Estimate;

use super::escape::{code, prose};
use crate::allocations::{TITLES, compared};
use crate::figure::{Figure, bound};
use crate::names::{self, Names};
use crate::typical;
use crate::wording::{self, Detail};
use crate::work;
use tare_results::{ComparisonView, RunView, SideView};

/// A table as Markdown: its head and its rows, each a line.
pub(super) struct Rows {
    head: String,
    rows: Vec<String>,
}

impl Rows {
    /// Pairs in the order given. Where all have the same labels, these head the columns; else each row has its own.
    pub(super) fn of_pairs(view: &RunView, pairs: &[&ComparisonView]) -> Self {
        let labels: BTreeSet<(&str, &str)> =
            view.comparisons.judged().map(|pair| (pair.base.label.as_str(), pair.candidate.label.as_str())).collect();
        let one = labels.first().filter(|_| labels.len() == 1);
        let change = format!("change ({})", wording::confidences(&view.comparisons));
        let shared = Names::of_comparisons(&view.comparisons);
        let case = cases(&shared);
        let head = match one {
            Some((base, candidate)) => {
                format!("| {case} | {} | {} | {change} | verdict |", code(base, true), code(candidate, true))
            }
            None => format!("| {case} | base | candidate | {change} | verdict |"),
        };
        let side = |side: &SideView| match one {
            Some(_) => time(view, side),
            None => format!("{} {}", code(&side.label, true), time(view, side)),
        };
        let row = |pair: &&ComparisonView| {
            let change = match wording::change_of(&pair.comparison) {
                Some(change) => escaped(&change),
                None => "–".to_owned(),
            };
            let verdict = words(&wording::verdict(pair, Detail::Full));
            let verdict = if pair.comparison.verdict.is_difference() { format!("**{verdict}**") } else { verdict };
            let verdict = match work::beside(pair) {
                Some(said) => format!("{verdict}<br>{}", prose(&said)),
                None => verdict,
            };
            format!(
                "| {} | {} | {} | {change} | {verdict} |",
                code(shared.short(&pair.title), true),
                side(&pair.base),
                side(&beside_base(pair))
            )
        };
        Self { head: format!("{head}\n| --- | ---: | ---: | ---: | --- |\n"), rows: pairs.iter().map(row).collect() }
    }

    /// Pairs that are unchanged, and what their proofs cover.
    pub(super) fn of_proofs(view: &RunView, pairs: &[&ComparisonView]) -> Self {
        let shared = Names::of_comparisons(&view.comparisons);
        let row = |pair: &&ComparisonView| {
            let name = names::of_pair(pair, &view.comparisons);
            format!(
                "| {} | {} |",
                code(shared.short(&name), true),
                wording::proof(&pair.comparison).unwrap_or_default()
            )
        };
        Self {
            head: format!("| {} | what is equal |\n| --- | --- |\n", cases(&shared)),
            rows: pairs.iter().map(row).collect(),
        }
    }

    /// What compared sides allocate, where it differs.
    pub(super) fn of_allocations(view: &RunView) -> Self {
        let shared = Names::of_comparisons(&view.comparisons);
        let head = format!("| allocations | {} | change | {} | change |", TITLES[0], TITLES[1]);
        let row = |(pair, cells): (&ComparisonView, [String; 4])| {
            format!("| {} | {} |", code(shared.short(&pair.title), true), cells.join(" | "))
        };
        Self {
            head: format!("{head}\n| --- | ---: | ---: | ---: | ---: |\n"),
            rows: compared(view, false).rows.into_iter().map(row).collect(),
        }
    }

    /// Times alone, for a run in which nothing is compared.
    pub(super) fn of_variants(view: &RunView) -> Self {
        let row = |variant: &tare_results::VariantView| {
            let shown = match (&variant.outcome, &variant.summary) {
                (Outcome::Failed(failure), _) => format!("**failed**: {}", failure.kind),
                (Outcome::Skipped(_), _) => "skipped".to_owned(),
                (_, Some(summary)) if summary.below_resolution => below(&summary.time),
                (_, Some(summary)) => {
                    let unit = variant.variant.case.settings.unit;
                    let own = unit.unwrap_or_else(|| TimeUnit::fitting(summary.time.estimate));
                    let typical = typical::phrase(summary, own).map(|phrase| format!("<br>{phrase}"));
                    interval(&summary.time, unit) + &typical.unwrap_or_default()
                }
                (Outcome::Interrupted, None) => "interrupted".to_owned(),
                (Outcome::Ok, None) => "no samples".to_owned(),
            };
            format!("| {} | {shown} |", code(&variant.full_title(), true))
        };
        Self { head: "| case | time (95 %) |\n| --- | ---: |\n".into(), rows: view.variants.iter().map(row).collect() }
    }

    /// Appends what fits until `text` has `limit` bytes, and says how many rows don't.
    pub(super) fn write(&self, text: &mut String, limit: usize) {
        if self.rows.is_empty() {
            return;
        }
        const REST: usize = 48;
        text.push_str(&self.head);
        for (position, row) in self.rows.iter().enumerate() {
            if text.len() + row.len() + REST > limit {
                let _ = write!(text, "\n… and {} more rows, left out\n", self.rows.len() - position);
                break;
            }
            text.push_str(row);
            text.push('\n');
        }
        text.push('\n');
    }
}

/// A verdict with its reason. A code in it comes from elsewhere; the known reasons are words.
fn words(verdict: &str) -> String {
    let own = |c: char| {
        c.is_alphanumeric() || matches!(c, ' ' | '(' | ')' | ',' | ';' | '.' | '%' | '+' | '-' | '±' | '×' | '\'')
    };
    if verdict.chars().all(own) { verdict.to_owned() } else { code(verdict, true) }
}

/// What stands over names: `case of `HashBench``.
fn cases(shared: &Names) -> String {
    shared.shared().map_or_else(|| "case".to_owned(), |class| format!("case of {}", code(class, true)))
}

/// The change of a ratio; its `<` is no tag.
pub(super) fn figure(ratio: &Estimate) -> String {
    escaped(&Figure::ratio(ratio))
}

fn escaped(figure: &Figure) -> String {
    figure.inline().replace('<', "&lt;")
}

/// The candidate with the time of which the quotient with the base's is the change.
fn beside_base(pair: &ComparisonView) -> SideView {
    SideView { time: pair.candidate_time().or(pair.candidate.time), ..pair.candidate.clone() }
}

fn time(view: &RunView, side: &SideView) -> String {
    let variant = view.variants.iter().find(|variant| variant.variant.id == side.id);
    let below_resolution = variant.and_then(|v| v.summary.as_ref()).is_some_and(|summary| summary.below_resolution);
    match side.time {
        None => "–".to_owned(),
        Some(time) if below_resolution || time.is_upper_bound() => below(&time),
        Some(time) => interval(&time, variant.and_then(|v| v.variant.case.settings.unit)),
    }
}

fn interval(time: &Estimate, unit: Option<TimeUnit>) -> String {
    let absurd = |figure: f64| figure.is_nan() || (figure.is_finite() && figure.abs() >= 1e18);
    if !time.estimate.is_finite() || [time.estimate, time.low, time.high].into_iter().any(absurd) {
        return "unknown".to_owned();
    }
    Figure::interval(time, unit.unwrap_or_else(|| TimeUnit::fitting(time.estimate))).inline()
}

fn below(time: &Estimate) -> String {
    if time.high.is_finite() && time.high < 1e18 { format!("&lt; {}", bound(time.high)) } else { "unknown".to_owned() }
}
