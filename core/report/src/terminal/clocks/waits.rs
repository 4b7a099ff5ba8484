//! What waiting took: a row for each time asked for, a column for each runtime.

use tare_samples::TimeUnit;
use tare_statistics::clocks::Spread;

use crate::figure::time;
use crate::terminal::line::{Page, Style};
use crate::text::{one_line, truncate_middle, visible, width};
use tare_results::{ClocksView, RuntimeClocks, WaitRow};

const LEAST_COLUMN: usize = 17;

pub(super) fn write(page: &mut Page, view: &ClocksView) {
    let waiting: Vec<&RuntimeClocks> = view.runtimes.iter().filter(|of| !of.waits.is_empty()).collect();
    if waiting.is_empty() {
        return;
    }
    let unicode = page.unicode;
    let mut asked: Vec<(&str, i64)> = Vec::new();
    for row in waiting.iter().flat_map(|of| &of.waits) {
        if !asked.contains(&(row.call.as_str(), row.requested_ns)) {
            asked.push((&row.call, row.requested_ns));
        }
    }
    let label = |(call, requested): &(&str, i64)| {
        visible(
            &one_line(&match *call {
                "yield" => "yield".to_owned(),
                call => format!("{call} {}", span(*requested)),
            }),
            page.unicode,
        )
    };
    let labels: Vec<String> = asked.iter().map(label).collect();
    let first = labels.iter().map(|label| width(label)).max().unwrap_or(0).min(page.width / 3);
    let cell = |of: &RuntimeClocks, asked: &(&str, i64)| {
        of.waits
            .iter()
            .find(|row| (row.call.as_str(), row.requested_ns) == *asked)
            .map_or_else(String::new, |row| visible(&taken(row), unicode))
    };
    let column =
        |of: &RuntimeClocks| asked.iter().map(|asked| width(&cell(of, asked))).max().unwrap_or(0).max(LEAST_COLUMN);
    let mut left = waiting.as_slice();
    while !left.is_empty() {
        // As many runtimes as fit side by side; the others below.
        let mut used = first;
        let fits = left.iter().take_while(|of| {
            used += 2 + column(of);
            used <= page.width
        });
        let (now, later) = left.split_at(fits.count().max(1));
        left = later;
        page.gap();
        let mut head = page.line();
        head.push(Style::Dim, "waiting").pad_to(first);
        for of in now {
            let room = column(of);
            let name = truncate_middle(&visible(&one_line(&of.name), page.unicode), room, page.unicode);
            let end = head.width() + 2 + room;
            head.pad_to(end - width(&name)).push(Style::Bold, &name);
        }
        page.put(head);
        for (asked, label) in asked.iter().zip(&labels) {
            let cells: Vec<(String, usize)> = now.iter().map(|of| (cell(of, asked), column(of))).collect();
            if cells.iter().all(|(cell, _)| cell.is_empty()) {
                continue;
            }
            let mut line = page.line();
            line.push(Style::Plain, &truncate_middle(label, first, page.unicode)).pad_to(first);
            for (cell, room) in cells {
                let end = line.width() + 2 + room;
                line.pad_to(end - width(&cell).min(room)).push(Style::Plain, &cell);
            }
            page.put(line);
        }
    }
    page.gap();
    page.prose(0, (Style::Plain, ""), Style::Dim, "min/median/p99 of what it took.");
    for of in waiting {
        // What is refused for the same reason is told together.
        let mut told: Vec<(&str, &str, Vec<i64>)> = Vec::new();
        for row in &of.waits {
            let Err(reason) = &row.taken else { continue };
            match told.iter_mut().find(|(call, why, _)| *call == row.call && why == reason) {
                Some((.., times)) => times.push(row.requested_ns),
                None => told.push((&row.call, reason, vec![row.requested_ns])),
            }
        }
        for (call, reason, times) in told {
            let times = if call == "yield" { Vec::new() } else { times };
            let times: Vec<String> = times.into_iter().map(span).collect();
            let lead = one_line(format!("{} {call} {}", of.name, times.join(", ")).trim_end());
            page.prose(0, (Style::Dim, &format!("{lead}: ")), Style::Dim, &format!("not available: {reason}"));
        }
    }
}

/// A time that may be negative.
pub(super) fn span(nanoseconds: i64) -> String {
    match nanoseconds {
        0 => "0".to_owned(),
        negative if negative < 0 => format!("-{}", time(-(negative as f64))),
        positive => time(positive as f64),
    }
}

fn taken(row: &WaitRow) -> String {
    let Ok(Spread { min, median, p99 }) = &row.taken else { return "–".to_owned() };
    let unit = TimeUnit::fitting(*median);
    let scaled = |value: f64| {
        let value = value / unit.nanoseconds();
        match value.abs() {
            size if size < 9.995 => format!("{value:.2}"),
            size if size < 99.95 => format!("{value:.1}"),
            _ => format!("{value:.0}"),
        }
    };
    format!("{}/{}/{} {}", scaled(*min), scaled(*median), scaled(*p99), unit.symbol())
}
