use std::collections::BTreeSet;

use tare_samples::TimeUnit;
use tare_statistics::Estimate;

use super::block;
use super::line::{Line, Page, Style};
use super::memory::weighed;
use crate::amount::bytes;
use crate::figure::Figure;
use crate::text::one_line;
use tare_results::VariantView;

const GAP: usize = 2;
const LONGEST_LABEL: usize = 20;
const SHORTEST_BAR: usize = 10;
/// Wider bars show no more.
const LONGEST_BAR: usize = 60;

/// A bar: what it is of, and its value with its interval.
pub(super) struct Bar {
    pub(super) label: String,
    pub(super) value: Estimate,
    pub(super) figure: String,
}

/// Variants of one case side by side as bars from 0, a group a case and a quantity; the interval lies over the bar's end. Nothing where no
/// case has several variants.
pub(super) fn write(page: &mut Page, variants: &[VariantView]) {
    let mut cases: Vec<String> = Vec::new();
    for variant in variants {
        let id = variant.variant.case.id();
        if !cases.contains(&id) {
            cases.push(id);
        }
    }
    for id in cases {
        let members: Vec<&VariantView> =
            variants.iter().filter(|variant| variant.variant.case.id() == id && variant.summary.is_some()).collect();
        let labels: BTreeSet<&str> = members.iter().map(|variant| variant.variant.label.as_str()).collect();
        if labels.len() < 2 {
            continue;
        }
        page.gap();
        block::heading(page, &members[0].title());
        group(page, "time a call", &members.iter().filter_map(|variant| time(variant)).collect::<Vec<_>>());
        let held: Vec<Bar> = members.iter().filter_map(|variant| memory(variant)).collect();
        group(page, "memory of the process at its peak", &held);
    }
}

fn time(variant: &VariantView) -> Option<Bar> {
    let summary = variant.summary.as_ref()?;
    let unit = TimeUnit::fitting(summary.time.estimate);
    Some(Bar {
        label: one_line(&variant.variant.label),
        value: summary.time,
        figure: Figure::interval(&summary.time, unit).inline(),
    })
}

fn memory(variant: &VariantView) -> Option<Bar> {
    let process = weighed(variant)?.process;
    Some(Bar { label: one_line(&variant.variant.label), figure: bytes(&process), value: process })
}

/// Bars from 0 on one scale; nothing where there is only one.
pub(super) fn group(page: &mut Page, title: &str, bars: &[Bar]) {
    scaled(page, title, bars, scale(bars));
}

/// What the longest of them stands for.
pub(super) fn scale<'a>(bars: impl IntoIterator<Item = &'a Bar>) -> f64 {
    let ends = bars.into_iter().filter(|bar| finite(&bar.value)).map(|bar| bar.value.high.max(bar.value.estimate));
    ends.fold(0.0, f64::max)
}

fn finite(value: &Estimate) -> bool {
    [value.low, value.estimate, value.high].iter().all(|end| end.is_finite())
}

/// Bars from 0 up to `most`; nothing where there is only one.
pub(super) fn scaled(page: &mut Page, title: &str, bars: &[Bar], most: f64) {
    let bars: Vec<&Bar> = bars.iter().filter(|bar| finite(&bar.value)).collect();
    if bars.len() < 2 || most <= 0.0 {
        return;
    }
    let mut line = page.line();
    line.pad_to(2).push(Style::Dim, title);
    page.put(line);
    let labels = bars.iter().map(|bar| page.measure(&bar.label)).max().unwrap_or(0).min(LONGEST_LABEL);
    let figures = bars.iter().map(|bar| page.measure(&bar.figure)).max().unwrap_or(0);
    let room = page.width.saturating_sub(4 + labels + GAP + GAP + figures);
    let width = room.clamp(SHORTEST_BAR, LONGEST_BAR);
    for bar in bars {
        let mut line = page.line();
        line.pad_to(4).push(Style::Plain, &block::name(page, &bar.label, labels)).pad_to(4 + labels + GAP);
        let from = line.width();
        drawn(&mut line, &bar.value, most, width, page.unicode);
        line.pad_to(from + width + GAP).push(Style::Plain, &bar.figure);
        page.put(line);
    }
}

/// The bar up to the estimate, and the interval over its end: `████├┼┤`. An interval that is narrower than a character is the bar's end.
fn drawn(line: &mut Line, value: &Estimate, most: f64, width: usize, unicode: bool) {
    let [full, open, shut, between, only, middle] =
        if unicode { ['█', '├', '┤', '─', '▌', '┼'] } else { ['#', '|', '|', '-', '#', '+'] };
    let at = |value: f64| (value.max(0.0) / most * width as f64).round().min(width as f64) as usize;
    let (low, end, high) = (at(value.low), at(value.estimate), at(value.high));
    let text: String = (0..width)
        .map(|column| match column {
            c if high > low + 1 && c == low => open,
            c if high > low + 1 && c + 1 == high => shut,
            c if high > low + 1 && c > low && c + 1 < high && c + 1 == end => middle,
            c if high > low + 1 && c > low && c + 1 < high => between,
            c if c < end => full,
            0 if end == 0 => only,
            _ => ' ',
        })
        .collect();
    line.push(Style::Plain, text.trim_end());
}

#[cfg(test)]
mod tests {
    use tare_statistics::Estimate;

    use super::drawn;
    use crate::terminal::TableOptions;
    use crate::terminal::line::Page;

    fn bar(low: f64, estimate: f64, high: f64, unicode: bool) -> String {
        let mut page = Page::new(&TableOptions { unicode, ..TableOptions::default() });
        let mut line = page.line();
        drawn(&mut line, &Estimate { estimate, low, high }, 10.0, 20, unicode);
        page.put(line);
        page.finish().trim_end().to_owned()
    }

    #[test]
    fn the_interval_lies_over_the_end_of_the_bar() {
        assert_eq!(bar(4.0, 5.0, 6.0, true), "████████├┼─┤");
        assert_eq!(bar(4.0, 5.0, 6.0, false), "########|+-|");
        assert_eq!(bar(5.0, 5.0, 5.0, true), "██████████");
        assert_eq!(bar(10.0, 10.0, 10.0, true), "█".repeat(20));
    }

    #[test]
    fn what_is_nearly_nothing_is_seen_and_what_is_below_nothing_draws_no_bar_backwards() {
        assert_eq!(bar(0.0, 0.0, 0.1, true), "▌");
        assert!(bar(-3.0, -1.0, 1.0, true).starts_with('├'));
    }
}
