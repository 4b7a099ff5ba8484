//! What was asked for against what it took, on logarithmic scales. Runtimes are told apart by letters, never by colour alone.

use crate::figure::time;
use crate::terminal::line::{Page, Style};
use crate::text::one_line;
use tare_results::{ClocksView, RuntimeClocks};

/// Lines of a decade.
const LINES: f64 = 2.0;
/// Where the scale of what was taken ends: nobody waits shorter, and longer is drawn at the edge.
const LEAST_NS: f64 = 10.0;
const MOST_NS: f64 = 1e8;
/// Columns of the labels on the left, and most columns of the picture.
const MARGIN: usize = 9;
const WIDEST: usize = 86;
/// Decades of what is asked for: 1 ns to 10 ms.
const DECADES: f64 = 7.0;
const SEVERAL: char = '#';

pub(super) fn write(page: &mut Page, view: &ClocksView) {
    let series: Vec<(char, &RuntimeClocks)> = view
        .runtimes
        .iter()
        .filter(|of| of.waits.iter().any(|row| row.call == "sleep" && row.taken.is_ok()))
        .zip('a'..='z')
        .map(|(of, letter)| (letter, of))
        .collect();
    if series.is_empty() || page.width < MARGIN + 24 {
        return;
    }
    let columns = page.width.min(WIDEST) - MARGIN - 2;
    let lines = ((MOST_NS / LEAST_NS).log10() * LINES) as usize + 1;
    let mut grid = vec![vec![' '; columns]; lines];
    let column = |requested: f64| ((requested.log10() / DECADES) * (columns - 1) as f64).round() as usize;
    let line = |taken: f64| {
        let place = ((taken.clamp(LEAST_NS, MOST_NS) / LEAST_NS).log10() * LINES).round() as usize;
        lines - 1 - place.min(lines - 1)
    };
    let diagonal = (0..columns).map(|at| (at, 10f64.powf(at as f64 / (columns - 1) as f64 * DECADES)));
    for (at, asked) in diagonal.filter(|(_, asked)| *asked >= LEAST_NS) {
        grid[line(asked)][at] = '.';
    }
    for (letter, of) in &series {
        for row in of.waits.iter().filter(|row| row.call == "sleep" && row.requested_ns >= 1) {
            let Ok(taken) = &row.taken else { continue };
            let cell = &mut grid[line(taken.median)][column(row.requested_ns as f64).min(columns - 1)];
            *cell = if *cell == ' ' || *cell == '.' || *cell == *letter { *letter } else { SEVERAL };
        }
    }
    page.gap();
    let mut head = page.line();
    head.push(Style::Dim, "actual time (median), against the requested time");
    page.put(head);
    for (at, cells) in grid.iter().enumerate() {
        let mut row = page.line();
        let power = (lines - 1 - at) as f64 / LINES;
        if power.fract() == 0.0 {
            let label = time(LEAST_NS * 10f64.powf(power));
            row.pad_to(MARGIN - 1 - page.measure(&label)).push(Style::Dim, &label);
        }
        row.pad_to(MARGIN).push(Style::Dim, "│");
        for cell in cells {
            let style = if *cell == '.' { Style::Dim } else { Style::Plain };
            row.push(style, &cell.to_string());
        }
        page.put(row);
    }
    let mut axis = page.line();
    axis.pad_to(MARGIN).push(Style::Dim, &"─".repeat(columns + 1));
    page.put(axis);
    let mut labels = page.line();
    for requested in [1.0, 1e3, 5e4, 1e6, 1e7] {
        let label = time(requested);
        let centre = MARGIN + 1 + column(requested);
        let start = centre.saturating_sub(page.measure(&label) / 2).min(MARGIN + 1 + columns - page.measure(&label));
        if start > labels.width() || labels.width() == 0 {
            labels.pad_to(start).push(Style::Dim, &label);
        }
    }
    page.put(labels);
    let mut legend: Vec<String> =
        series.iter().map(|(letter, of)| format!("{letter} {}", one_line(&of.name))).collect();
    legend.push(format!("{SEVERAL} several"));
    legend.push(". as asked".to_owned());
    page.phrases(MARGIN + 1, (Style::Plain, ""), Style::Dim, ", ", &legend);
}
