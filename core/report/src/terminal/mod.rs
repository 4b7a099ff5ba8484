//! Reports for a terminal of a stated width.

mod allocations;
mod bisect;
mod block;
mod chart;
mod clocks;
mod columns;
mod comparison;
mod cut_names;
mod details;
mod doctor;
mod findings;
mod footer;
mod group;
pub(crate) mod instructions;
mod line;
mod listing;
mod load;
mod load_followed;
pub(crate) mod load_generators;
mod load_matrix;
mod load_sides;
pub(crate) mod load_stages;
pub(crate) mod memory;
mod metrics;
mod noise;
mod plots;
mod problems;
mod profile;
mod reasons;
mod reported;
mod scale;
mod side;
mod table;
mod tune;

use std::collections::BTreeSet;

use line::Page;
use tare_results::{NoticeView, RunView};

pub use bisect::{bisect_bar, bisect_text};
pub use clocks::clocks_report;
pub use doctor::doctor_report;
pub use listing::{case_list, run_log};
pub use load::load_report;
pub use profile::profile_report;
pub use reasons::reasons;
pub use side::side_by_side;
pub use tune::tune_report;

/// What the terminal can show, and how much of it is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TableOptions {
    /// Columns; no line is wider, but for whole names.
    pub width: usize,
    /// Names stand as they are, however long: where a program may read them.
    pub whole_names: bool,
    /// Whether emphasis may be shown by SGR sequences.
    pub colour: bool,
    /// Whether more than ASCII can be shown.
    pub unicode: bool,
    /// The time before overhead is subtracted, beside the tared one.
    pub raw: bool,
    /// Everything that is known of each case, and where the time went.
    pub verbose: bool,
    /// Bars where variants of a case stand side by side.
    pub chart: bool,
    /// Where samples and launches of each case lie, where that is known.
    pub plots: bool,
    /// Comparisons that say that nothing changed have rows however many there are.
    pub all_rows: bool,
}

impl Default for TableOptions {
    fn default() -> Self {
        Self {
            width: 100,
            whole_names: false,
            colour: false,
            unicode: true,
            raw: false,
            verbose: false,
            chart: false,
            plots: false,
            all_rows: false,
        }
    }
}

/// The report of a run: a row a case, warnings, failures, what the scale weighed, and where it comes from.
///
/// Where variants are compared, the answer comes first, then the comparisons, and the table holds what isn't in them (all, with `raw`).
/// Variants of one case that carry different labels stand side by side, a column a label. How it was measured and how to read it comes last.
pub fn run_table(view: &RunView, options: &TableOptions) -> String {
    let mut page = Page::new(options);
    let mut drawn = None;
    if view.comparisons.is_empty() {
        variants(&mut page, view, options);
    } else {
        drawn = comparison::write(&mut page, view, options);
        let pairs = &view.comparisons.pairs;
        let compared: BTreeSet<&str> =
            pairs.iter().flat_map(|p| [p.base.id.as_str(), p.candidate.id.as_str()]).collect();
        let rest = view.variants.iter().filter(|v| options.raw || !compared.contains(v.variant.id.as_str()));
        let rest = RunView { variants: rest.cloned().collect(), ..view.clone() };
        if !rest.variants.is_empty() {
            page.gap();
            variants(&mut page, &rest, options);
        }
    }
    if options.chart {
        chart::write(&mut page, &view.variants);
    }
    if options.plots {
        plots::write(&mut page, &view.variants);
    }
    reported::write(&mut page, view, options);
    metrics::write(&mut page, view, options);
    memory::write(&mut page, view);
    if !view.comparisons.is_empty() || labels(view) > 1 {
        allocations::write(&mut page, view, options.verbose);
        instructions::write(&mut page, &view.variants, &view.comparisons);
    }
    instructions::happenings(&mut page, &view.variants, &view.comparisons);
    if options.verbose {
        comparison::details(&mut page, view);
        details::write(&mut page, &view.variants);
    }
    comparison::warnings(&mut page, view, options);
    problems::write(&mut page, view, options);
    findings::of_run(&mut page, &view.origin.findings, options);
    if let Some(drawn) = &drawn {
        comparison::legend(&mut page, view, drawn);
    }
    // Of a comparison it is the same on both sides, nearly, and says nothing of the change.
    if options.verbose || drawn.is_none() {
        scale::write(&mut page, &view.variants);
    }
    footer::write(&mut page, view, options);
    page.finish()
}

/// How many labels tell the variants apart.
fn labels(view: &RunView) -> usize {
    view.variants.iter().map(|v| v.variant.label.as_str()).collect::<BTreeSet<_>>().len()
}

/// The plain table.
fn variants(page: &mut Page, view: &RunView, options: &TableOptions) {
    if labels(view) > 1 {
        side::of_labels(page, view, options);
    } else {
        table::write(page, view, options);
    }
}

/// What workers said while they looked for benchmarks: errors and warnings, and with `verbose` the rest.
pub fn notices(notices: &[NoticeView], options: &TableOptions) -> String {
    let mut page = Page::new(options);
    problems::notices(&mut page, notices, options.verbose);
    page.finish()
}
