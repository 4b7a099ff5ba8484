//! What `tare clock` found: a table of clocks, one of waits, and a picture of what was asked for against what it took.

mod picture;
mod waits;

use tare_statistics::clocks::{Finding, Rate};

use super::TableOptions;
use super::line::{Line, Page, Style};
use crate::amount::amount;
use crate::figure::time;
use crate::text::{truncate_middle, visible, width};
use tare_results::{ClockRow, ClocksView, RuntimeClocks};

const HEAD: [&str; 10] = ["clock", "step", "min", "median", "p99", "pair", "back", "still", "ppm", "call"];
/// What goes first where there is no room for all, as positions in the head; name, step and median stay.
const DROPPED: [usize; 7] = [5, 2, 4, 6, 7, 8, 9];
/// What columns mean.
const LEGEND: [(&[usize], &str); 7] = [
    (&[1], "smallest one found."),
    (&[2, 3, 4], "cost of a read in ns, its loop subtracted."),
    (&[5], "two reads back to back, ns (median)."),
    (&[6], "readings earlier than the one before."),
    (&[7], "readings that didn't advance."),
    (&[8], "rate against CLOCK_MONOTONIC_RAW, and its largest error."),
    (&[9], "whether a read enters the kernel."),
];
/// What a name keeps where the terminal is narrow.
const SHORTEST_NAME: usize = 10;
/// Lines of what a failed runtime printed.
const PRINTED: usize = 8;

/// Clocks, waits and their picture, and what is worth saying of them.
pub fn clocks_report(view: &ClocksView, options: &TableOptions) -> String {
    let mut page = Page::new(options);
    clocks(&mut page, view);
    findings(&mut page, view);
    waits::write(&mut page, view);
    picture::write(&mut page, view);
    failures(&mut page, view);
    interrupted(&mut page, view);
    footer(&mut page, view, options.verbose);
    page.finish()
}

/// A row of cells, the first of them the name.
type Row = [String; HEAD.len()];

fn clocks(page: &mut Page, view: &ClocksView) {
    let shown = |row: &ClockRow| cells(row).map(|cell| visible(&cell, page.unicode));
    let rows: Vec<Vec<Row>> = view.runtimes.iter().map(|of| of.clocks.iter().map(shown).collect()).collect();
    if rows.iter().all(Vec::is_empty) {
        return;
    }
    let mut widths = HEAD.map(str::len);
    for row in rows.iter().flatten() {
        for (column, cell) in widths.iter_mut().zip(row) {
            *column = (*column).max(width(cell));
        }
    }
    // Whole columns go rather than the ends of lines.
    let mut kept: Vec<usize> = (1..HEAD.len()).collect();
    let least =
        |kept: &[usize]| 2 + widths[0].min(SHORTEST_NAME) + kept.iter().map(|at| widths[*at] + 1).sum::<usize>();
    let mut dropped = Vec::new();
    for at in DROPPED {
        if least(&kept) <= page.width {
            break;
        }
        kept.retain(|column| *column != at);
        dropped.push(at);
    }
    dropped.sort_unstable();
    // Two spaces between columns where there is room for them, and names in full.
    let rest: usize = kept.iter().map(|at| widths[*at]).sum();
    let gap = if widths[0] + 2 + rest + 2 * kept.len() <= page.width { 2 } else { 1 };
    let room = page.width.saturating_sub(2 + rest + gap * kept.len());
    widths[0] = widths[0].min(room.max(SHORTEST_NAME));
    let mut head = page.line();
    head.push(Style::Dim, HEAD[0]).pad_to(2 + widths[0]);
    let shown: Vec<&str> = kept.iter().map(|at| HEAD[*at]).collect();
    let rooms: Vec<usize> = kept.iter().map(|at| widths[*at]).collect();
    put_right(&mut head, &shown, &rooms, gap, Style::Dim);
    page.put(head);
    for (of, rows) in view.runtimes.iter().zip(&rows).filter(|(_, rows)| !rows.is_empty()) {
        page.put(title(page, of));
        for (row, clock) in rows.iter().zip(&of.clocks) {
            let mut line = page.line();
            line.pad_to(2).push(Style::Plain, &truncate_middle(&row[0], widths[0], page.unicode)).pad_to(2 + widths[0]);
            match &clock.refused {
                Some(reason) => {
                    line.push(Style::Plain, "  ").push(Style::Dim, reason);
                }
                None => {
                    let cells: Vec<&str> = kept.iter().map(|at| row[*at].as_str()).collect();
                    put_right(&mut line, &cells, &rooms, gap, Style::Plain);
                }
            }
            page.put(line);
        }
    }
    page.gap();
    let told = |parts: &[(&[usize], &str)]| {
        let of = |(columns, text): &(&[usize], &str)| {
            let names: Vec<&str> = columns.iter().filter(|at| kept.contains(at)).map(|at| HEAD[*at]).collect();
            (!names.is_empty()).then(|| format!("{}: {text}", names.join(", ")))
        };
        parts.iter().filter_map(of).collect::<Vec<_>>().join(" ")
    };
    for text in [told(&LEGEND[..3]), told(&LEGEND[3..])] {
        page.prose(0, (Style::Plain, ""), Style::Dim, &text);
    }
    if !dropped.is_empty() {
        let names: Vec<&str> = dropped.iter().map(|at| HEAD[*at]).collect();
        let text = format!("no room here for {}: a wider terminal shows them, and --json has them", names.join(", "));
        page.prose(0, (Style::Plain, ""), Style::Dim, &text);
    }
}

fn title(page: &Page, of: &RuntimeClocks) -> Line {
    let mut line = page.line();
    line.push(Style::Bold, &super::block::name(page, &of.name, page.width));
    if !of.version.is_empty() {
        line.push(Style::Dim, &format!(" {}", super::block::name(page, &of.version, page.width)));
    }
    line
}

fn put_right(line: &mut Line, cells: &[&str], widths: &[usize], gap: usize, style: Style) {
    for (cell, room) in cells.iter().zip(widths) {
        let column = line.width() + gap + room;
        line.pad_to(column - width(cell).min(*room)).push(style, cell);
    }
}

fn cells(row: &ClockRow) -> Row {
    let none = || "–".to_owned();
    let seen = &row.seen;
    let name = crate::text::one_line(&row.name);
    let read =
        |pick: fn(&tare_statistics::clocks::Spread) -> f64| seen.read.as_ref().map_or_else(none, |s| digits(pick(s)));
    let rate = match (row.rate, row.frequency_hz) {
        (Some(rate), _) => ppm(&rate),
        (None, Some(frequency)) => amount(frequency, "Hz"),
        (None, None) => none(),
    };
    if row.refused.is_some() {
        return [
            name,
            String::new(),
            String::new(),
            String::new(),
            String::new(),
            String::new(),
            String::new(),
            String::new(),
            String::new(),
            String::new(),
        ];
    }
    [
        name,
        seen.step.map_or_else(none, time),
        read(|spread| spread.min),
        read(|spread| spread.median),
        read(|spread| spread.p99),
        seen.back_to_back.map_or_else(none, |spread| digits(spread.median)),
        seen.backward_steps.to_string(),
        still(seen.stalled_reads, seen.reads),
        rate,
        match row.system_call {
            Ok(true) => "yes".to_owned(),
            Ok(false) => "no".to_owned(),
            Err(_) => "?".to_owned(),
        },
    ]
}

/// Three digits, no decimals beyond the first.
fn digits(value: f64) -> String {
    match value.abs() {
        size if size < 99.95 => format!("{value:.1}"),
        size if size < 1e6 => format!("{value:.0}"),
        _ => format!("{value:.0e}"),
    }
}

/// A rate and the most that it can be off by, which is rounded up.
fn ppm(rate: &Rate) -> String {
    let decimals = match rate.uncertainty_ppm {
        bound if bound < 0.95 => 2,
        bound if bound < 9.95 => 1,
        _ => 0,
    };
    let unit = 10f64.powi(decimals);
    let rounded = (rate.ppm * unit).round() / unit;
    let bound = (rate.uncertainty_ppm * unit).ceil() / unit;
    let decimals = decimals as usize;
    match rounded {
        // What rounds to 0 has no sign.
        0.0 => format!("{:.decimals$}±{bound:.decimals$}", 0.0),
        _ => format!("{rounded:+.decimals$}±{bound:.decimals$}"),
    }
}

fn still(stalled: u64, reads: u64) -> String {
    match (stalled, reads) {
        (0, _) | (_, 0) => stalled.to_string(),
        _ => match 100.0 * stalled as f64 / reads as f64 {
            share if share < 1.0 => "<1%".to_owned(),
            share => format!("{:.0}%", share.floor()),
        },
    }
}

fn findings(page: &mut Page, view: &ClocksView) {
    page.gap();
    for of in &view.runtimes {
        for found in &of.disturbed {
            let text =
                crate::text::one_line(&format!("{} {found}: its figures are those of a disturbed runtime", of.name));
            page.prose(0, (Style::Yellow, "disturbed: "), Style::Plain, &text);
        }
        for row in &of.clocks {
            for finding in &row.findings {
                let lead = format!("{}: ", finding.name());
                let text = format!("{} {}", title_of(of, row), described(finding));
                page.prose(0, (Style::Yellow, &lead), Style::Plain, &text);
            }
            if let Err(reason) = &row.system_call
                && row.refused.is_none()
            {
                let text = format!("{}: whether a read enters the kernel is unknown: {reason}", title_of(of, row));
                page.prose(0, (Style::Yellow, "call: "), Style::Plain, &text);
            }
        }
    }
}

fn title_of(of: &RuntimeClocks, row: &ClockRow) -> String {
    crate::text::one_line(&format!("{} {}", of.name, row.name))
}

fn described(finding: &Finding) -> String {
    match finding {
        Finding::Coarse { step } => {
            format!("moves in steps of {}: shorter times read 0, or one step", time(*step))
        }
        Finding::Backward { steps: 1, furthest } => {
            format!("went back once, by {}: it isn't fit to measure with", time(*furthest))
        }
        Finding::Backward { steps, furthest } => {
            format!("went back {steps} times, by up to {}: it isn't fit to measure with", time(*furthest))
        }
        Finding::Stalled { standstill } => format!("stood still for {} while it was read", time(*standstill)),
        Finding::Off { rate } => format!(
            "runs {} ppm {} than CLOCK_MONOTONIC_RAW (± {})",
            digits(rate.ppm.abs()),
            if rate.ppm > 0.0 { "faster" } else { "slower" },
            digits(rate.uncertainty_ppm)
        ),
    }
}

fn failures(page: &mut Page, view: &ClocksView) {
    for of in &view.runtimes {
        let Some(failure) = &of.failure else { continue };
        page.gap();
        let lead = format!("{} failed: ", super::block::name(page, &of.name, page.width / 2));
        page.prose(0, (Style::Red, &lead), Style::Plain, &failure.to_string());
        page.prose(2, (Style::Plain, "→ "), Style::Plain, &failure.remedy);
        for printed in [&failure.stdout, &failure.stderr] {
            for text in crate::text::without_colour(printed).lines().take(PRINTED) {
                page.prose(2, (Style::Dim, "| "), Style::Dim, text);
            }
        }
    }
}

fn interrupted(page: &mut Page, view: &ClocksView) {
    let cut = view.runtimes.iter().filter(|of| of.interrupted);
    let names: Vec<String> = cut.map(|of| super::block::name(page, &of.name, page.width / 2)).collect();
    if !names.is_empty() {
        page.gap();
        page.phrases(0, (Style::Yellow, "interrupted: "), Style::Plain, ", ", &names);
        page.prose(2, (Style::Plain, ""), Style::Plain, "the report shows only what was ready by then");
    }
}

fn footer(page: &mut Page, view: &ClocksView, verbose: bool) {
    page.gap();
    let slack: Vec<String> = view
        .runtimes
        .iter()
        .filter_map(|of| Some(format!("{} {}", crate::text::one_line(&of.name), time(of.timer_slack_ns? as f64))))
        .collect();
    if !slack.is_empty() {
        page.phrases(0, (Style::Dim, "timer slack: "), Style::Dim, ", ", &slack);
    }
    let building = match view.building_s {
        seconds if seconds >= 0.5 => format!(", after {seconds:.0} s of building"),
        _ => String::new(),
    };
    page.prose(0, (Style::Plain, ""), Style::Dim, &format!("measured in {:.1} s{building}", view.duration_s));
    let wanted = ["cpu", "kernel", "clocksource", "virtualisation", "governor", "workers"];
    let facts: Vec<String> = view
        .machine
        .iter()
        .filter(|(name, _)| verbose || wanted.contains(&name.as_str()))
        .map(|(name, value)| format!("{name} {value}"))
        .collect();
    page.phrases(0, (Style::Plain, ""), Style::Dim, ", ", &facts);
}
