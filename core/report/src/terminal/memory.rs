use tare_statistics::memory::{MemoryEstimate, memory};

use super::block;
use super::line::{Page, Style};
use crate::VariantView;
use crate::amount::{bytes, bytes_bound};
use crate::text::one_line;

const GAP: usize = 3;
const LONGEST_NAME: usize = 40;
const SHORTEST_NAME: usize = 14;

/// The memory of a variant; `None` where it wasn't weighed.
pub(crate) fn weighed(variant: &VariantView) -> Option<MemoryEstimate> {
    memory(variant.calibration.as_ref()?.memory.as_ref()?)
}

/// What the variants hold in memory, a row each: what the subject adds, by the kernel and by the runtime, and the whole process.
pub(super) fn write(page: &mut Page, variants: &[VariantView]) {
    let rows: Vec<(String, MemoryEstimate)> =
        variants.iter().filter_map(|variant| Some((name(variant), weighed(variant)?))).collect();
    let Some((_, first)) = rows.first() else { return };
    page.gap();
    let most = rows.iter().map(|(_, memory)| memory.calls).max().unwrap_or(first.calls);
    let least = rows.iter().map(|(_, memory)| memory.calls).min().unwrap_or(first.calls);
    let calls = if least == most { format!(", {}", calls(most)) } else { format!(", {least} to {most} calls") };
    let mut line = page.line();
    line.push(Style::Bold, "memory").push(
        Style::Dim,
        &format!(" at its peak{calls}, {} launches each with the subject and with the null", first.launches),
    );
    page.put(line);

    let own = rows.iter().any(|(_, memory)| memory.runtime.is_some());
    let traced = rows.iter().any(|(_, memory)| memory.traced.is_some());
    let mut titles = vec!["subject"];
    titles.extend(own.then_some("by the runtime"));
    titles.extend(traced.then_some("traced"));
    titles.push("process");
    let cells: Vec<Vec<String>> = rows.iter().map(|(_, memory)| cells(memory, own, traced)).collect();
    let widths: Vec<usize> = titles
        .iter()
        .enumerate()
        .map(|(at, title)| cells.iter().map(|row| page.measure(&row[at])).max().unwrap_or(0).max(title.len()))
        .collect();
    let figures: usize = widths.iter().map(|width| width + GAP).sum();
    let longest = rows.iter().map(|(name, _)| page.measure(name)).max().unwrap_or(0).min(LONGEST_NAME);
    let room = page.width.saturating_sub(figures);
    // Where a name has no room beside the figures it has a line of its own.
    let stacked = room < longest.min(SHORTEST_NAME);
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
    let line = line_of(page, Style::Dim, "", &titles);
    page.put(line);
    for ((name, _), cells) in rows.iter().zip(&cells) {
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
    if rows.iter().any(|(_, memory)| !memory.from_ready) {
        let note = "this kernel can't set the peak back: where loading the source takes more than running it, the subject's share is hidden";
        page.prose(0, (Style::Yellow, "note: "), Style::Plain, note);
    }
}

fn name(variant: &VariantView) -> String {
    let label = &variant.variant.label;
    let label = if label.is_empty() { String::new() } else { format!(" ({label})") };
    one_line(&(variant.title() + &label))
}

fn calls(calls: u64) -> String {
    match calls {
        0 => "one bare call".to_owned(),
        1 => "1 call".to_owned(),
        calls => format!("{calls} calls"),
    }
}

fn cells(memory: &MemoryEstimate, own: bool, traced: bool) -> Vec<String> {
    let peak = match memory.below_resolution {
        true => bytes_bound(memory.peak.high),
        false => bytes(&memory.peak),
    };
    let mut cells = vec![peak];
    if own {
        cells.push(memory.runtime.as_ref().map_or("–".to_owned(), bytes));
    }
    if traced {
        let exact = |value| tare_statistics::Estimate { estimate: value, low: value, high: value };
        cells.push(memory.traced.map_or("–".to_owned(), |value| bytes(&exact(value))));
    }
    cells.push(bytes(&memory.process));
    cells
}
