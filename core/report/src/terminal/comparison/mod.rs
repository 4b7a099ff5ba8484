//! Comparisons: a row a case with both times, the change, its interval drawn against the margin, and the verdict.

mod details;
mod forest;
mod layout;
mod legend;
mod machines;
mod notes;
mod rows;

use super::TableOptions;
use super::line::Page;
use tare_results::RunView;

/// The tables, what they add up to, how far they can be believed, and what has no partner.
pub(super) fn write(page: &mut Page, view: &RunView, options: &TableOptions) {
    let tables = rows::tables(view);
    let layout = (!tables.is_empty()).then(|| layout::write(page, &tables, view));
    notes::sums(page, view);
    if let Some(layout) = &layout {
        legend::beside(page, layout, &tables, view);
    }
    machines::write(page, view, options);
    notes::unpaired(page, view, options);
    notes::gates(page, view);
    if let Some(layout) = &layout {
        legend::write(page, layout, &tables, view);
    }
}

/// With `verbose`: everything that is known of each pair, controls included.
pub(super) fn details(page: &mut Page, view: &RunView) {
    details::write(page, view);
}

/// What the reader should know before believing the comparisons.
pub(super) fn warnings(page: &mut Page, view: &RunView, options: &TableOptions) {
    notes::warnings(page, view, options);
}
