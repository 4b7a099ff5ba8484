//! What `tare tune` would do, has done, or has put back.

use super::TableOptions;
use super::line::{Page, Style};
use crate::text::one_line;
use tare_results::{TuneOutcome, TuneRow};

/// Where changes begin; what is settled stands before.
const INDENT: usize = 13;

/// What was settled or put back, files with the same change together, or each by itself (`files`). What couldn't be done is told
/// file by file, with the reason.
pub fn tune_report(rows: &[TuneRow], files: bool, options: &TableOptions) -> String {
    let mut page = Page::new(options);
    let mut rest = rows;
    while let Some(first) = rest.first() {
        let alike = |row: &&TuneRow| {
            (&row.what, &row.old, &row.new, &row.outcome) == (&first.what, &first.old, &first.new, &first.outcome)
        };
        let alone = files || matches!(first.outcome, TuneOutcome::Foreign(_));
        let count = if alone { 1 } else { rest.iter().take_while(alike).count() };
        write(&mut page, first, count, files);
        rest = &rest[count..];
    }
    page.finish()
}

fn write(page: &mut Page, row: &TuneRow, count: usize, files: bool) {
    let (what, old, new, path) = (one_line(&row.what), one_line(&row.old), one_line(&row.new), one_line(&row.path));
    let lead = format!("{what:<INDENT$}");
    let place = match (files, count) {
        (true, _) | (_, 1) => path.clone(),
        (_, count) => format!("{count} files, as {path}"),
    };
    let (style, text) = match &row.outcome {
        TuneOutcome::Planned | TuneOutcome::Settled => (Style::Plain, format!("{old} → {new}")),
        TuneOutcome::Back => (Style::Plain, format!("{new} → {old}")),
        TuneOutcome::AsItWas => (Style::Dim, format!("{old}, as it was")),
        TuneOutcome::Foreign(found) => {
            (Style::Yellow, format!("left at {}, which isn't from this tune; it was {old} before", one_line(found)))
        }
        TuneOutcome::NotSettled(why) => (Style::Yellow, format!("not {new}, left at {old}: {}", one_line(why))),
        TuneOutcome::NotBack(why) => (Style::Red, format!("not put back to {old}: {}", one_line(why))),
    };
    page.prose(0, (Style::Plain, &lead), style, &text);
    page.prose(INDENT, (Style::Plain, ""), Style::Dim, &place);
}
