//! Runtimes that did the same operations, side by side.

use tare_statistics::Estimate;

use super::chart::{self, Bar};
use super::line::{Page, Style};
use crate::amount::{amount, rate};
use crate::figure::{share, time};
use crate::text::{one_line, truncate_middle, visible};
use tare_results::LoadTarget;

const LABEL: usize = 22;
const GAP: usize = 2;
const NARROWEST: usize = 14;
/// Percentiles of the table; the others are in the document.
const SHOWN: [&str; 4] = ["p50", "p90", "p99", "p99.9"];

/// Targets that stand side by side: the same suite in the same mix. What is no suite stands alone.
pub(super) fn groups(targets: &[LoadTarget]) -> impl Iterator<Item = &[LoadTarget]> {
    targets.chunk_by(|a, b| !a.suite.is_empty() && a.suite == b.suite && mix(a) == mix(b))
}

/// `get=9,put=1`.
pub(super) fn mix(target: &LoadTarget) -> String {
    target.mix.iter().map(|(name, weight)| format!("{name}={weight}")).collect::<Vec<_>>().join(",")
}

/// A row: what it is called, and a cell for each target.
type Row = (String, Vec<String>);

/// A column for each target, as many at once as there is room for.
pub(super) fn write(page: &mut Page, group: &[LoadTarget]) {
    let Some(first) = group.first() else { return };
    let title = |page: &Page, text: &str, room: usize| {
        truncate_middle(&visible(&one_line(text), page.unicode), room, page.unicode)
    };
    let mut head = page.line();
    let heading = format!("{} {}", first.suite, mix(first));
    head.push(Style::Bold, &title(page, &heading, page.width));
    page.put(head);
    let rows = rows(group);
    let wide = rows.iter().flat_map(|row| &row.1).map(|cell| page.measure(cell)).max().unwrap_or(0).max(NARROWEST);
    let at_once = (page.width.saturating_sub(LABEL) / (wide + GAP)).max(1);
    for (part, targets) in group.chunks(at_once).enumerate() {
        let place = |column: usize| LABEL + column * (wide + GAP);
        let mut line = page.line();
        for (column, target) in targets.iter().enumerate() {
            let runtime = title(page, &target.runtime, wide);
            line.pad_to(place(column) + wide - page.measure(&runtime)).push(Style::Bold, &runtime);
        }
        page.put(line);
        for (label, cells) in &rows {
            let mut line = page.line();
            line.pad_to(2).push(Style::Dim, &title(page, label, LABEL - 3));
            for (column, cell) in cells.iter().skip(part * at_once).take(at_once).enumerate() {
                line.pad_to(place(column) + wide - page.measure(cell)).push(Style::Plain, cell);
            }
            page.put(line);
        }
    }
}

fn rows(group: &[LoadTarget]) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    let mut add = |label: String, cell: &dyn Fn(&LoadTarget) -> Option<String>| {
        let cells: Vec<String> = group.iter().map(|target| cell(target).unwrap_or_else(|| "–".to_owned())).collect();
        rows.push((label, cells));
    };
    add("under load".to_owned(), &|target| Some(format!("{:.1} s", target.duration_s)));
    add("workers".to_owned(), &|target| {
        let fell = target.fallen.len();
        let workers = target.workers?;
        Some(if fell > 0 { format!("{workers}, {fell} failed") } else { workers.to_string() })
    });
    add("throughput".to_owned(), &|target| target.throughput.as_ref().map(throughput));
    if group.iter().any(outlasts) {
        add("  to the last end".to_owned(), &|target| Some(format!("{:.1} s", target.whole_s?)));
    }
    let operations: Vec<&str> = group[0].operations.iter().map(|operation| operation.name.as_str()).collect();
    for name in operations {
        let of = |target: &LoadTarget| target.operations.iter().find(|operation| operation.name == name).cloned();
        add(name.to_owned(), &|target| Some(of(target)?.count.to_string()));
        add("  time in all".to_owned(), &|target| {
            let operation = of(target)?;
            let succeeded = operation.count - operation.failed().min(operation.count);
            Some(time(operation.latency?.mean * succeeded as f64))
        });
        for percentile in SHOWN {
            add(format!("  {percentile}"), &|target| Some(time(of(target)?.latency?.percentile(percentile)? as f64)));
        }
        add("  max".to_owned(), &|target| Some(time(of(target)?.latency?.max as f64)));
        if group.iter().any(|target| of(target).is_some_and(|operation| operation.failed() > 0)) {
            add("  failed".to_owned(), &|target| Some(of(target)?.failed().to_string()));
        }
        if group.iter().any(|target| of(target).is_some_and(|operation| operation.late + operation.dropped > 0)) {
            add("  late, dropped".to_owned(), &|target| {
                let operation = of(target)?;
                Some(format!("{}, {}", operation.late, operation.dropped))
            });
        }
    }
    let most = |target: &LoadTarget, of: fn(&tare_results::LoadMemory) -> Option<u64>| {
        let most = target.memory.iter().filter_map(of).max()?;
        Some(amount(most as f64, "B"))
    };
    add("a worker's memory".to_owned(), &|target| most(target, |memory| memory.rss_bytes));
    add("  at its peak".to_owned(), &|target| most(target, |memory| memory.peak_rss_bytes));
    add("  runtime".to_owned(), &|target| most(target, |memory| memory.runtime_bytes));
    add("  runtime's peak".to_owned(), &|target| most(target, |memory| memory.runtime_peak_bytes));
    rows
}

/// Its last worker ended later than the common window did: then counts over that window don't give the throughput.
pub(super) fn outlasts(target: &LoadTarget) -> bool {
    target.whole_s.is_some_and(|whole| whole > 1.005 * target.duration_s)
}

/// A throughput with its interval, where one is known.
pub(super) fn throughput(estimate: &Estimate) -> String {
    let half = estimate.half_width();
    match half > 0.0 && half.is_finite() && estimate.estimate > 0.0 {
        // No throughput is negative: of one that isn't known within a factor of two the upper end says more than ± 500 %.
        true if half > estimate.estimate => format!("{} (to {})", rate(estimate.estimate, ""), rate(estimate.high, "")),
        true => format!("{} ± {}", rate(estimate.estimate, ""), share(half / estimate.estimate)),
        false => rate(estimate.estimate, ""),
    }
}

/// The throughput of all targets as bars, a group for each suite and mix, all on one scale.
pub(super) fn chart(page: &mut Page, targets: &[LoadTarget]) {
    let bar = |target: &LoadTarget| {
        let seen = target.throughput?;
        let end = |end: f64| if end.is_finite() { end } else { seen.estimate };
        let value = Estimate { low: end(seen.low), high: end(seen.high), ..seen };
        Some(Bar { label: one_line(&target.runtime), value, figure: throughput(&seen) })
    };
    let several: Vec<(&LoadTarget, Vec<Bar>)> = groups(targets)
        .filter(|group| group.len() > 1)
        .map(|group| (&group[0], group.iter().filter_map(bar).collect()))
        .collect();
    let most = chart::scale(several.iter().flat_map(|(_, bars)| bars));
    for (first, bars) in &several {
        page.gap();
        let title = format!("throughput, {} {}", first.suite, mix(first));
        chart::scaled(page, &one_line(&title), bars, most);
    }
}

#[cfg(test)]
mod tests {
    use tare_statistics::Estimate;

    use crate::json::{Layout, load_document};
    use crate::terminal::{TableOptions, load_report};
    use tare_results::{LoadLatency, LoadMemory, LoadOperation, LoadTarget, LoadView};

    fn target(runtime: &str, throughput: f64, mix: &[(&str, u64)]) -> LoadTarget {
        let percentiles = [("p50", 41_000), ("p90", 60_000), ("p99", 90_000), ("p99.9", 400_000)];
        let latency = LoadLatency {
            percentiles: percentiles.map(|(name, value)| (name.to_owned(), value)).to_vec(),
            max: 2_100_000,
            mean: 43_000.0,
            ..LoadLatency::default()
        };
        let operation =
            LoadOperation { name: "get".to_owned(), count: 1000, latency: Some(latency), ..LoadOperation::default() };
        LoadTarget {
            name: runtime.to_owned(),
            runtime: runtime.to_owned(),
            suite: "OwnKey".to_owned(),
            mix: mix.iter().map(|(name, weight)| ((*name).to_owned(), *weight)).collect(),
            duration_s: 12.5,
            throughput: Some(Estimate { estimate: throughput, low: 0.98 * throughput, high: 1.02 * throughput }),
            workers: Some(4),
            operations: vec![operation],
            memory: vec![LoadMemory { worker: 0, rss_bytes: Some(21_000_000), ..LoadMemory::default() }],
            ..LoadTarget::default()
        }
    }

    #[test]
    fn runtimes_of_one_mix_stand_side_by_side_with_their_bars() {
        let mixes = [[("get", 9), ("put", 1)], [("get", 1), ("put", 1)]];
        let targets = mixes
            .iter()
            .flat_map(|mix| [target("php7.4", 20_000.0, mix), target("php8.4\u{1b}[31m", 25_000.0, mix)])
            .collect();
        let view = LoadView { targets, seed: Some(7), ..LoadView::default() };
        let text = load_report(&view, &TableOptions { chart: true, width: 80, ..TableOptions::default() });
        assert!(!text.contains('\u{1b}'), "{text}");
        // One table of all mixes, and a heading over each of the bars.
        assert_eq!(text.matches("throughput, OwnKey get=9,put=1").count(), 1, "{text}");
        assert_eq!(text.lines().filter(|line| line.contains("php7.4  php8.4")).count(), 1, "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        let bars: Vec<&str> = text.lines().filter(|line| line.contains('█')).collect();
        assert_eq!(bars.len(), 4, "{text}");
        let length = |bar: &str| bar.chars().filter(|c| *c == '█').count();
        assert!(length(bars[0]) < length(bars[1]), "{text}");
    }

    #[test]
    fn a_throughput_of_which_no_error_is_known_is_a_figure_alone() {
        let unknown = |runtime: &str, estimate: f64| {
            let throughput = Some(Estimate { estimate, low: f64::NEG_INFINITY, high: f64::INFINITY });
            LoadTarget { throughput, ..target(runtime, estimate, &[("get", 1)]) }
        };
        let several = vec![unknown("php7.4", 20_000.0), unknown("php8.4", 25_000.0)];
        for targets in [several[..1].to_vec(), several] {
            let view = LoadView { targets, ..LoadView::default() };
            let text = load_report(&view, &TableOptions { chart: true, width: 80, ..TableOptions::default() });
            assert!(text.contains("20.0 k/s") && !text.contains('±'), "{text}");
            let bars: Vec<&str> = text.lines().filter(|line| line.contains('█') && line.contains("k/s")).collect();
            assert_eq!(bars.len(), if view.targets.len() > 1 { 2 } else { 0 }, "{text}");
            let document: serde_json::Value = serde_json::from_str(&load_document(&view, Layout::Compact)).unwrap();
            let throughput = &document["targets"][0]["throughput"];
            assert_eq!(throughput, &serde_json::json!({"estimate": 20_000.0, "unit": "1/s"}));
        }
    }

    #[test]
    fn a_throughput_that_is_hardly_known_has_an_upper_end_and_no_negative_one() {
        let shown = |low: f64, high: f64| super::throughput(&Estimate { estimate: 4_000.0, low, high });
        assert_eq!(shown(1_000.0, 7_000.0), "4.00 k/s ± 75 %");
        assert_eq!(shown(0.0, 24_000.0), "4.00 k/s (to 24.0 k/s)");
    }

    #[test]
    fn labels_are_whole() {
        let wide = LoadTarget { whole_s: Some(20.0), ..target("php7.4", 20_000.0, &[("get", 1)]) };
        let view = LoadView {
            targets: vec![wide.clone(), LoadTarget { runtime: "php8.4".to_owned(), ..wide }],
            ..LoadView::default()
        };
        let text = load_report(&view, &TableOptions { width: 80, ..TableOptions::default() });
        assert!(text.contains("to the last end") && !text.contains('…'), "{text}");
    }

    #[test]
    fn what_does_not_fit_beside_each_other_stands_below() {
        let targets: Vec<LoadTarget> =
            ["php7.4", "php8.2", "php8.3", "php8.4"].map(|runtime| target(runtime, 20_000.0, &[("get", 1)])).to_vec();
        let view = LoadView { targets, ..LoadView::default() };
        let text = load_report(&view, &TableOptions { width: 60, ..TableOptions::default() });
        assert!(["php7.4", "php8.2", "php8.3", "php8.4"].iter().all(|runtime| text.contains(runtime)), "{text}");
        assert!(text.matches("throughput").count() >= 2, "{text}");
    }
}
