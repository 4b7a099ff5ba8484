//! A name and some figures a row.

use super::cut_names::CutNames;
use super::line::{Line, Page, Style};

const GAP: usize = 3;
const LONGEST_NAME: usize = 40;

/// Rows of a name and as many cells as there are titles, right-aligned below them.
pub(super) fn write(page: &mut Page, titles: &[&str], rows: &[(String, Vec<String>)]) {
    let widths: Vec<usize> = titles
        .iter()
        .enumerate()
        .map(|(at, title)| rows.iter().map(|(_, cells)| page.measure(&cells[at])).max().unwrap_or(0).max(title.len()))
        .collect();
    let figures: usize = widths.iter().map(|width| width + GAP).sum();
    let names = CutNames::of(page, rows.iter().map(|(name, _)| (None, name.as_str())));
    let column = names.longest().min(LONGEST_NAME).min(page.width.saturating_sub(figures));
    let names = names.cut_to(column);
    let put = |page: &mut Page, mut line: Line, style: Style, cells: &mut dyn Iterator<Item = &str>| {
        let mut at = column;
        for (cell, width) in cells.zip(&widths) {
            at += GAP + width;
            line.pad_to(at.saturating_sub(page.measure(cell))).push(style, cell);
        }
        page.put(line);
    };
    let line = page.line();
    put(page, line, Style::Dim, &mut titles.iter().copied());
    for (name, cells) in rows {
        let line = names.begin(page, None, name, column, Style::Plain);
        put(page, line, Style::Plain, &mut cells.iter().map(String::as_str));
    }
}
