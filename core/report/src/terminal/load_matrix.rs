//! Several runtimes in several mixes: one table, a row for each mix and a column for each runtime, quantity by quantity; and one of verdicts.

use tare_results::{LoadComparison, LoadLatency, LoadMemory, LoadOperation, LoadTarget};
use tare_statistics::comparison::Verdict;

use super::line::{Page, Style};
use super::load_sides::{mix, outlasts, throughput};
use crate::amount::amount;
use crate::effect;
use crate::figure::{Figure, share, time};
use crate::text::{one_line, truncate_middle, visible};

const GAP: usize = 2;
/// Names of mixes take no more than this.
const LONGEST_LABEL: usize = 30;
/// Percentiles of the table; the others are in the document.
const SHOWN: [&str; 3] = ["p50", "p99", "p99.9"];
/// Figures whose verdicts are shown where not all are: those of eight mixes and their table are one screen.
const JUDGED: [&str; 2] = ["throughput", "latency.p99"];
/// Whether groups of targets make one table: several, each of the same several runtimes.
pub(super) fn fits(groups: &[&[LoadTarget]]) -> bool {
    let runtimes = |group: &[LoadTarget]| group.iter().map(|target| target.runtime.clone()).collect::<Vec<_>>();
    let Some((first, others)) = groups.split_first() else { return false };
    !others.is_empty() && first.len() > 1 && others.iter().all(|group| runtimes(group) == runtimes(first))
}

/// A cell, and how it is shown.
type Cell = (Style, String);

/// Rows below a heading: a label each, and a cell for each column.
struct Section {
    title: String,
    /// It is shown where not all are.
    first: bool,
    rows: Vec<(String, Vec<Cell>)>,
}

/// What is shown of a target.
type Show<'a> = &'a dyn Fn(&LoadTarget) -> Option<String>;

/// All mixes and runtimes. `whole`: all figures, and not only those that fit on a screen.
pub(super) fn write(page: &mut Page, groups: &[&[LoadTarget]], whole: bool) {
    let Some(first) = groups.first() else { return };
    let mut sections: Vec<Section> = Vec::new();
    let mut add = |title: &str, first: bool, show: Show<'_>| {
        let cell = |target: &LoadTarget| (Style::Plain, show(target).unwrap_or_else(|| "–".to_owned()));
        let row = |group: &&[LoadTarget]| (called(&group[0]), group.iter().map(cell).collect::<Vec<_>>());
        let rows: Vec<(String, Vec<Cell>)> = groups.iter().map(row).collect();
        if rows.iter().flat_map(|(_, cells)| cells).any(|(_, text)| text != "–") {
            sections.push(Section { title: title.to_owned(), first, rows });
        }
    };
    add("throughput", true, &|target| target.throughput.as_ref().map(throughput));
    let all = || groups.iter().flat_map(|group| group.iter());
    let outlast = all().any(outlasts);
    add("under load (the common window)", !outlast, &|target| Some(format!("{:.1} s", target.duration_s)));
    if outlast {
        add("to the end of the last worker", true, &|target| Some(format!("{:.1} s", target.whole_s?)));
    }
    for percentile in SHOWN {
        add(&format!("{percentile}, all operations"), percentile == "p99", &|target| {
            at(target.overall.as_ref()?, percentile)
        });
    }
    add("longest", false, &|target| Some(time(target.overall.as_ref()?.max as f64)));
    let mut operations: Vec<&str> = Vec::new();
    for operation in all().flat_map(|target| &target.operations) {
        if !operations.contains(&operation.name.as_str()) {
            operations.push(&operation.name);
        }
    }
    let of =
        |target: &LoadTarget, name: &str| target.operations.iter().find(|operation| operation.name == name).cloned();
    for name in operations {
        add(&format!("time in {name}, all workers"), false, &|target| {
            let operation = of(target, name)?;
            let succeeded = operation.count.saturating_sub(operation.failed());
            Some(time(operation.latency?.mean * succeeded as f64))
        });
    }
    let sum = |target: &LoadTarget, of: fn(&LoadOperation) -> u64| target.operations.iter().map(of).sum::<u64>();
    if all().any(|target| sum(target, LoadOperation::failed) > 0 || !target.fallen.is_empty()) {
        add("failed; workers that failed", true, &|target| {
            Some(format!("{}; {}", sum(target, LoadOperation::failed), target.fallen.len()))
        });
    }
    if all().any(|target| sum(target, |operation| operation.late + operation.dropped) > 0) {
        add("began late; never began", true, &|target| {
            Some(format!("{}; {}", sum(target, |operation| operation.late), sum(target, |operation| operation.dropped)))
        });
    }
    let most = |target: &LoadTarget, of: fn(&LoadMemory) -> Option<u64>| {
        Some(amount(target.memory.iter().filter_map(of).max()? as f64, "B"))
    };
    add("a worker's memory at its peak", true, &|target| most(target, |memory| memory.peak_rss_bytes));
    add("the runtime's, at its peak", false, &|target| {
        most(target, |memory| memory.runtime_peak_bytes.or(memory.runtime_bytes))
    });
    let workers = first[0].workers.map_or(String::new(), |workers| format!(", {workers} workers each"));
    let (shown, left): (Vec<Section>, Vec<Section>) = sections.into_iter().partition(|section| whole || section.first);
    table(page, &format!("{} mixes on {} runtimes{workers}", groups.len(), first.len()), &names(first), &shown);
    if !left.is_empty() {
        let titles: Vec<String> = left.into_iter().map(|section| section.title).collect();
        page.phrases(2, (Style::Dim, "--verbose shows, too: "), Style::Dim, "; ", &titles);
    }
}

/// Each candidate against the base, in all mixes. `whole`: all figures.
pub(super) fn verdicts(page: &mut Page, groups: &[&[LoadTarget]], comparisons: &[LoadComparison], whole: bool) {
    let Some(first) = groups.first() else { return };
    let mut metrics: Vec<&str> = Vec::new();
    for pair in comparisons.iter().filter(|pair| !pair.control && (whole || JUDGED.contains(&pair.metric.as_str()))) {
        if !metrics.contains(&pair.metric.as_str()) {
            metrics.push(&pair.metric);
        }
    }
    let cell = |base: &LoadTarget, candidate: &LoadTarget, metric: &str| {
        let pair = comparisons.iter().find(|pair| {
            !pair.control && pair.metric == metric && pair.base == base.name && pair.candidate == candidate.name
        });
        pair.map_or((Style::Dim, "–".to_owned()), judged)
    };
    let row = |group: &&[LoadTarget], metric: &str| {
        (called(&group[0]), group[1..].iter().map(|candidate| cell(&group[0], candidate, metric)).collect::<Vec<_>>())
    };
    let sections: Vec<Section> = metrics
        .iter()
        .map(|metric| Section {
            title: (*metric).to_owned(),
            first: true,
            rows: groups.iter().map(|group| row(group, metric)).collect(),
        })
        .collect();
    let confidence = comparisons.first().map_or(99.0, |pair| 100.0 * pair.comparison.confidence);
    let base = visible(&one_line(&first[0].runtime), page.unicode);
    table(page, &format!("change against {base} ({confidence:.0} %)"), &names(first)[1..], &sections);
    let is_open = |pair: &LoadComparison| !pair.control && pair.comparison.verdict == Verdict::Inconclusive;
    if comparisons.iter().any(is_open) {
        page.prose(
            2,
            (Style::Yellow, "? "),
            Style::Dim,
            "undecided; in brackets the smallest change that this load could detect",
        );
    }
}

fn judged(pair: &LoadComparison) -> Cell {
    let comparison = &pair.comparison;
    let style = match comparison.verdict {
        Verdict::Slower => Style::Red,
        Verdict::Faster => Style::Green,
        Verdict::Same | Verdict::Unchanged => Style::Plain,
        Verdict::Inconclusive => Style::Yellow,
    };
    let ratio = comparison.ratio.as_ref().map_or("unknown".to_owned(), |ratio| Figure::ratio(ratio).inline());
    if comparison.verdict == Verdict::Inconclusive
        && comparison.minimum_detectable_effect.is_some_and(|effect| effect > effect::TOO_NOISY)
    {
        return (style, "? too noisy".to_owned());
    }
    let verdict = match (comparison.verdict, comparison.minimum_detectable_effect) {
        (Verdict::Inconclusive, Some(effect)) => format!("? ({})", share(effect)),
        (Verdict::Inconclusive, None) => "?".to_owned(),
        (verdict, _) => verdict.name().to_owned(),
    };
    (style, format!("{ratio} {verdict}"))
}

fn names(group: &[LoadTarget]) -> Vec<String> {
    group.iter().map(|target| one_line(&target.runtime)).collect()
}

/// `OwnKey get=9,put=1`.
fn called(target: &LoadTarget) -> String {
    one_line(&format!("{} {}", target.suite, mix(target)))
}

fn at(latency: &LoadLatency, percentile: &str) -> Option<String> {
    Some(time(latency.percentile(percentile)? as f64))
}

/// As many columns at once as there is room for.
fn table(page: &mut Page, title: &str, names: &[String], sections: &[Section]) {
    let labels = sections.iter().flat_map(|section| &section.rows).map(|(label, _)| page.measure(label));
    let label = labels.max().unwrap_or(0).min(LONGEST_LABEL) + 2 + GAP;
    let cells = sections.iter().flat_map(|section| section.rows.iter().flat_map(|(_, cells)| cells));
    let wide = cells.map(|(_, text)| page.measure(text)).chain(names.iter().map(|name| page.measure(name)));
    let wide = wide.max().unwrap_or(0).min(page.width.saturating_sub(label)).max(1);
    let at_once = (page.width.saturating_sub(label) / (wide + GAP)).max(1);
    let cut = |page: &Page, text: &str, room: usize| truncate_middle(&visible(text, page.unicode), room, page.unicode);
    for from in (0..names.len()).step_by(at_once) {
        let shown = from..(from + at_once).min(names.len());
        let end = |column: usize| label + (column - from) * (wide + GAP) + wide;
        let mut line = page.line();
        line.push(Style::Bold, &cut(page, title, page.width));
        page.put(line);
        let mut line = page.line();
        for column in shown.clone() {
            let name = cut(page, &names[column], wide);
            line.pad_to(end(column) - page.measure(&name)).push(Style::Bold, &name);
        }
        page.put(line);
        for section in sections {
            let mut line = page.line();
            line.push(Style::Dim, &cut(page, &section.title, page.width));
            page.put(line);
            for (name, cells) in &section.rows {
                let mut line = page.line();
                line.pad_to(2).push(Style::Plain, &cut(page, name, label - 2 - GAP));
                for column in shown.clone() {
                    let (style, text) = &cells[column];
                    line.pad_to(end(column).saturating_sub(page.measure(text))).push(*style, text);
                }
                page.put(line);
            }
        }
        if shown.end < names.len() {
            page.gap();
        }
    }
}

#[cfg(test)]
mod tests {
    use tare_samples::About;
    use tare_statistics::Estimate;
    use tare_statistics::comparison::{Comparison, Verdict};

    use super::judged;
    use crate::terminal::{TableOptions, load_report};
    use tare_results::{LoadComparison, LoadLatency, LoadOperation, LoadTarget, LoadView};

    fn target(runtime: &str, put: u64, throughput: f64) -> LoadTarget {
        let latency = LoadLatency {
            percentiles: [("p50", 41_000), ("p99", 90_000)].map(|(name, at)| (name.to_owned(), at)).to_vec(),
            max: 2_100_000,
            mean: 43_000.0,
            ..LoadLatency::default()
        };
        let operation = LoadOperation {
            name: "get".to_owned(),
            count: 1000,
            latency: Some(latency.clone()),
            ..LoadOperation::default()
        };
        LoadTarget {
            name: format!("{runtime} {put}"),
            runtime: runtime.to_owned(),
            suite: "OwnKey".to_owned(),
            mix: vec![("get".to_owned(), 9), ("put".to_owned(), put)],
            duration_s: 12.5,
            whole_s: Some(13.1),
            overall: Some(latency),
            throughput: Some(Estimate { estimate: throughput, low: 0.98 * throughput, high: 1.02 * throughput }),
            operations: vec![operation],
            workers: Some(4),
            ..LoadTarget::default()
        }
    }

    fn report(runtimes: &[&str], width: usize, verbose: bool) -> String {
        let targets =
            [1, 2, 3].iter().flat_map(|put| runtimes.iter().map(|runtime| target(runtime, *put, 20_000.0))).collect();
        let view = LoadView { targets, ..LoadView::default() };
        load_report(&view, &TableOptions { width, verbose, ..TableOptions::default() })
    }

    #[test]
    fn all_mixes_and_runtimes_are_one_table() {
        let brief = report(&["php7.4", "php8.2", "php8.4"], 100, false);
        assert_eq!(brief.matches("OwnKey get=9,put=1").count(), 3, "throughput, the end, p99: {brief}");
        assert!(brief.contains("--verbose shows, too: under load (the common window); p50, all operations"), "{brief}");
        let text = report(&["php7.4", "php8.2", "php8.4"], 100, true);
        assert!(text.starts_with("3 mixes on 3 runtimes, 4 workers each"), "{text}");
        assert_eq!(brief.matches("php8.2").count(), 1, "one heading: {brief}");
        let row = |section: &str| {
            let mut lines = text.lines().skip_while(|line| *line != section).skip(1);
            lines.next().unwrap().to_owned()
        };
        assert_eq!(row("throughput").matches("20.0 k/s ± 2 %").count(), 3, "{text}");
        assert_eq!(row("to the end of the last worker").matches("13.1 s").count(), 3, "{text}");
        assert_eq!(row("p99, all operations").matches("90 µs").count(), 3, "{text}");
        assert_eq!(row("time in get, all workers").matches("43 ms").count(), 3, "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    }

    #[test]
    fn columns_that_do_not_fit_stand_below_and_nothing_is_too_wide() {
        let runtimes = ["php7.4", "php8.0", "php8.1", "php8.2", "php8.3", "php8.4\u{1b}[31m"];
        for width in [50, 80, 100] {
            let text = report(&runtimes, width, false);
            assert!(runtimes[..5].iter().all(|runtime| text.contains(runtime)), "{text}");
            assert!(text.lines().all(|line| line.chars().count() <= width) && !text.contains('\u{1b}'), "{text}");
        }
    }

    /// What would have been seen is no bound of the change beside it.
    #[test]
    fn an_open_change_stands_beside_what_would_have_been_seen() {
        let shown = |verdict, minimum_detectable_effect| {
            let comparison = Comparison {
                ratio: Some(Estimate { estimate: 1.01, low: 0.99, high: 1.03 }),
                typical: None,
                within: None,
                proof: None,
                differs: None,
                about: About::Time,
                rests_on: About::Time,
                confidence: 0.99,
                verdict,
                margin: 0.005,
                same: 0.03,
                minimum_detectable_effect,
                pairs: 40,
                flag: None,
                confirmed: false,
                warnings: Vec::new(),
            };
            let [base, candidate, metric] = ["a", "b", "throughput"].map(str::to_owned);
            judged(&LoadComparison { control: false, base, candidate, metric, comparison }).1
        };
        assert_eq!(shown(Verdict::Inconclusive, Some(0.014)), "+1.0 % ± 2.0 ? (1.4 %)");
        assert_eq!(shown(Verdict::Inconclusive, None), "+1.0 % ± 2.0 ?");
        assert_eq!(shown(Verdict::Inconclusive, Some(11.0)), "? too noisy");
        assert_eq!(shown(Verdict::Same, Some(0.014)), "+1.0 % ± 2.0 same");
    }
}
