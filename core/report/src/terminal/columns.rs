//! A name and some figures a row.

use std::collections::HashSet;

use super::block;
use super::line::{Page, Style};

const GAP: usize = 3;
const LONGEST_NAME: usize = 40;
const SHORTEST_NAME: usize = 14;

/// Whether names that differ are the same when they are cut to so many columns.
fn alike(page: &Page, rows: &[(String, Vec<String>)], column: usize) -> bool {
    let whole: HashSet<&str> = rows.iter().map(|(name, _)| name.as_str()).collect();
    let cut: HashSet<String> = whole.iter().map(|name| block::name(page, name, column)).collect();
    cut.len() < whole.len()
}

/// Rows of a name and as many cells as there are titles, right-aligned below them. Where names have no room beside the figures, or would
/// be cut alike, they have lines of their own.
pub(super) fn write(page: &mut Page, titles: &[&str], rows: &[(String, Vec<String>)]) {
    let widths: Vec<usize> = titles
        .iter()
        .enumerate()
        .map(|(at, title)| rows.iter().map(|(_, cells)| page.measure(&cells[at])).max().unwrap_or(0).max(title.len()))
        .collect();
    let figures: usize = widths.iter().map(|width| width + GAP).sum();
    let longest = rows.iter().map(|(name, _)| page.measure(name)).max().unwrap_or(0).min(LONGEST_NAME);
    let room = page.width.saturating_sub(figures);
    let stacked = room < longest.min(SHORTEST_NAME) || alike(page, rows, longest.min(room));
    let column = if stacked { 0 } else { longest.min(room) };
    let line_of = |page: &Page, style: Style, name: &str, cells: &[&str]| {
        let mut line = page.line();
        line.push(Style::Plain, name);
        let mut at = column;
        for (cell, width) in cells.iter().zip(&widths) {
            at += GAP + width;
            line.pad_to(at.saturating_sub(page.measure(cell))).push(style, cell);
        }
        line
    };
    let line = line_of(page, Style::Dim, "", titles);
    page.put(line);
    for (name, cells) in rows {
        let cells: Vec<&str> = cells.iter().map(String::as_str).collect();
        if stacked {
            let mut line = page.line();
            line.push(Style::Plain, &block::name(page, name, page.width));
            page.put(line);
        }
        let shown = if stacked { String::new() } else { block::name(page, name, column) };
        let line = line_of(page, Style::Plain, &shown, &cells);
        page.put(line);
    }
}
