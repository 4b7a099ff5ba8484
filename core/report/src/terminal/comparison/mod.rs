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

/// What the tables were drawn with, for their legend at the end of the report.
pub(super) struct Drawn<'a> {
    tables: Vec<rows::Table<'a>>,
    layout: layout::Layout,
}

/// The answer, the tables, how far they can be believed, what has no partner, and gates.
pub(super) fn write<'a>(page: &mut Page, view: &'a RunView, options: &TableOptions) -> Option<Drawn<'a>> {
    notes::answer(page, view);
    let tables = rows::tables(view, options.all_rows);
    let layout = (!tables.is_empty()).then(|| layout::write(page, &tables, view));
    notes::sums(page, view);
    notes::work(page, view);
    if let Some(layout) = &layout {
        legend::beside(page, layout, &tables, view);
    }
    machines::write(page, view, options);
    notes::unpaired(page, view, options);
    notes::gates(page, view);
    layout.map(|layout| Drawn { tables, layout })
}

/// How to read the tables, and what identical code showed.
pub(super) fn legend(page: &mut Page, view: &RunView, drawn: &Drawn<'_>) {
    legend::write(page, &drawn.layout, &drawn.tables, view);
    notes::noise_floor(page, view);
}

/// With `verbose`: everything that is known of each pair, controls included.
pub(super) fn details(page: &mut Page, view: &RunView) {
    details::write(page, view);
}

/// What the reader should know before believing the comparisons.
pub(super) fn warnings(page: &mut Page, view: &RunView, options: &TableOptions) {
    notes::warnings(page, view, options);
}
