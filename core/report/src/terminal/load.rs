//! What concurrent load showed.

use tare_statistics::Warning;
use tare_statistics::comparison::Verdict;

use super::line::{Page, Style};
use super::{TableOptions, load_followed, load_generators, load_matrix, load_sides, load_stages};
use crate::amount::{amount, rate};
use crate::effect;
use crate::figure::{Figure, percent, share, time};
use crate::text::{one_line, truncate_middle, visible};
use crate::wording;
use tare_results::{LoadComparison, LoadLatency, LoadMemory, LoadOperation, LoadTarget, LoadView};

/// Where figures begin.
const LABEL: usize = 13;
/// Rows of the picture of the percentiles.
const PICTURE: [(&str, f64); 7] =
    [("50", 50.0), ("75", 75.0), ("90", 90.0), ("99", 99.0), ("99.9", 99.9), ("99.99", 99.99), ("99.999", 99.999)];
/// The longest sparkline; longer runs are drawn with several seconds a column.
const LONGEST_SPARKLINE: usize = 60;

/// Each target with its throughput, latencies, failures and course; then how they compare.
pub fn load_report(view: &LoadView, options: &TableOptions) -> String {
    let mut page = Page::new(options);
    let groups: Vec<&[LoadTarget]> = load_sides::groups(&view.targets).collect();
    let is_matrix = load_matrix::fits(&groups);
    if is_matrix {
        load_matrix::write(&mut page, &groups, options.verbose);
    }
    for group in &groups {
        if group.len() > 1 && !is_matrix {
            page.gap();
            load_sides::write(&mut page, group);
        }
        if group.len() == 1 || options.verbose {
            for target in *group {
                page.gap();
                self::target(&mut page, target);
            }
        } else {
            for target in *group {
                let whose = format!("{}: ", name(&page, &target.name, 40));
                warnings(&mut page, &whose, &target.warnings);
            }
        }
    }
    if options.chart {
        load_sides::chart(&mut page, &view.targets);
    }
    if !view.comparisons.is_empty() {
        page.gap();
        if is_matrix {
            load_matrix::verdicts(&mut page, &groups, &view.comparisons, options.verbose);
        }
        comparisons(&mut page, view, is_matrix);
    }
    load_generators::write(&mut page, &view.generators);
    if !view.warnings.is_empty() {
        page.gap();
        warnings(&mut page, "", &view.warnings);
    }
    for gate in &view.gates {
        page.gap();
        page.prose(0, (Style::Red, "gate: "), Style::Plain, gate);
    }
    page.gap();
    let mut about = Vec::new();
    if view.interrupted {
        about.push("stopped before its end".to_owned());
    }
    if let Some(block) = view.block_s {
        about.push(format!("targets in turns of {}, in random order", time(block * 1e9)));
    }
    about.extend((!view.placed.is_empty()).then(|| one_line(&view.placed)));
    about.extend(view.seed.map(|seed| format!("seed {seed}")));
    about.extend((!view.run.is_empty()).then(|| format!("run {}", view.run)));
    about.extend(view.tags.iter().map(|tag| format!("tag {}", one_line(tag))));
    page.phrases(0, (Style::Plain, ""), Style::Dim, ", ", &about);
    page.finish()
}

fn name(page: &Page, name: &str, room: usize) -> String {
    truncate_middle(&visible(&one_line(name), page.unicode), room, page.unicode)
}

fn row(page: &mut Page, label: &str, style: Style, text: &str) {
    let lead = format!("  {label:<width$}", width = LABEL - 2);
    page.prose(0, (Style::Dim, &lead), style, text);
}

fn target(page: &mut Page, target: &LoadTarget) {
    let mut head = page.line();
    let shown = name(page, &target.name, page.width);
    head.push(Style::Bold, &shown);
    page.put(head);
    if let Some(failure) = &target.failure {
        return row(page, "failed", Style::Red, failure);
    }
    if let Some(knee) = &target.knee {
        load_stages::write(page, &target.stages, knee);
        let how = [target.connections.map(|count| plural(u64::from(count), "connection")), Some(target.about.clone())];
        let how: Vec<String> = how.into_iter().flatten().filter(|text| !text.is_empty()).collect();
        page.phrases(2, (Style::Plain, ""), Style::Dim, ", ", &how);
        return warnings(page, "", &target.warnings);
    }
    if let Some(throughput) = &target.throughput {
        let text = load_sides::throughput(throughput);
        let mut how = vec![format!("{:.1} s", target.duration_s)];
        how.extend(target.connections.map(|count| plural(u64::from(count), "connection")));
        how.extend(target.workers.map(|count| plural(u64::from(count), "worker")));
        how.push(match (target.rate, &target.arrivals) {
            (Some(rate), Some(arrivals)) => format!("open loop, {} asked for, {arrivals}", self::rate_of(rate)),
            _ => "closed loop".to_owned(),
        });
        how.extend((!target.about.is_empty()).then(|| target.about.clone()));
        row(page, "throughput", Style::Bold, &text);
        page.phrases(LABEL, (Style::Plain, ""), Style::Dim, ", ", &how);
    }
    for operation in &target.operations {
        self::operation(page, operation, target);
    }
    course(page, target);
    memory(page, target);
    if let Some(found) = &target.followed {
        load_followed::write(page, found);
    }
    warnings(page, "", &target.warnings);
}

fn warnings(page: &mut Page, whose: &str, warnings: &[Warning]) {
    for Warning { code, message, remedy } in warnings {
        let text = one_line(&format!("{code}: {whose}{message}"));
        page.prose(2, (Style::Yellow, "warning: "), Style::Plain, &text);
        page.prose(4, (Style::Plain, "→ "), Style::Dim, &one_line(remedy));
    }
}

fn rate_of(asked: f64) -> String {
    rate(asked, "")
}

fn plural(count: u64, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

fn operation(page: &mut Page, operation: &LoadOperation, target: &LoadTarget) {
    let mut counts = vec![format!("{} in all", operation.count)];
    if operation.bytes > 0 {
        counts.push(format!("{} received", amount(operation.bytes as f64, "B")));
    }
    if operation.connects > 0 {
        // The server has had those of requests that aren't counted, too.
        let among = if operation.connects > operation.count { " (with those of the warm-up)" } else { "" };
        counts.push(format!("{} opened{among}", plural(operation.connects, "connection")));
    }
    if target.operations.len() > 1 {
        page.gap();
        let shown = name(page, &operation.name, page.width.saturating_sub(4));
        let mut line = page.line();
        line.pad_to(2).push(Style::Bold, &shown);
        page.put(line);
    }
    // A log holds latencies, and says nothing of what failed.
    let logged = target.connections.is_none() && target.workers.is_none();
    let what = match (logged, target.suite.is_empty()) {
        (true, _) => "latencies",
        (false, true) => "requests",
        (false, false) => "operations",
    };
    row(page, what, Style::Plain, &counts.join(", "));
    let failed = operation.failed();
    if failed > 0 {
        let kinds: Vec<String> = operation.failures.iter().map(|(kind, count)| format!("{kind} {count}")).collect();
        let part = percent(failed as f64 / operation.count.max(1) as f64);
        row(page, "failures", Style::Red, &format!("{failed} ({part}): {}", one_line(&kinds.join(", "))));
    } else if !logged {
        row(page, "failures", Style::Plain, "none");
    }
    if !operation.statuses.is_empty() {
        let statuses: Vec<String> = operation
            .statuses
            .iter()
            .map(|(status, count)| {
                format!("{} {count}", if *status == 0 { "other".to_owned() } else { status.to_string() })
            })
            .collect();
        row(page, "statuses", Style::Plain, &statuses.join(", "));
    }
    if operation.late + operation.dropped > 0 {
        let text = format!("{} began late, {} never began", operation.late, operation.dropped);
        row(page, "late start", Style::Yellow, &text);
    }
    if let Some(latency) = &operation.latency {
        let figures: Vec<String> = latency
            .percentiles
            .iter()
            .map(|(name, value)| format!("{name} {}", time(*value as f64)))
            .chain([format!("max {}", time(latency.max as f64)), format!("mean {}", time(latency.mean))])
            .collect();
        page.phrases(0, (Style::Dim, "  latency    "), Style::Plain, ", ", &figures);
        picture(page, latency);
    }
}

/// A bar for each percentile, on a logarithmic scale where they are far apart.
fn picture(page: &mut Page, latency: &LoadLatency) {
    let rows: Vec<(&str, f64)> = PICTURE
        .iter()
        .filter_map(|(label, at)| {
            let value = latency.curve.iter().find(|(own, _)| own == at)?.1;
            Some((*label, value.max(1) as f64))
        })
        .collect();
    let (Some(least), Some(most)) = (rows.first().map(|row| row.1), rows.last().map(|row| row.1)) else { return };
    const FIGURE: usize = 9;
    let room = page.width.min(80).saturating_sub(LABEL + 8 + FIGURE).max(8);
    let logarithmic = most / least > 20.0;
    let (glyph, unit) = if page.unicode { ("█", "percentile") } else { ("#", "percentile") };
    // The shortest bar stands for half the median, so that it can be seen.
    let length = |value: f64| {
        let part = if logarithmic { (2.0 * value / least).ln() / (2.0 * most / least).ln() } else { value / most };
        ((part * room as f64).round() as usize).clamp(1, room)
    };
    let scale = if logarithmic { "logarithmic" } else { "linear" };
    row(page, unit, Style::Dim, scale);
    for (label, value) in rows {
        let mut line = page.line();
        line.pad_to(LABEL).push(Style::Dim, &format!("{label:>6} "));
        line.push(Style::Plain, &glyph.repeat(length(value)));
        line.push(Style::Plain, &format!(" {}", time(value)));
        page.put(line);
    }
}

/// Successes by second.
fn course(page: &mut Page, target: &LoadTarget) {
    let seconds = target.whole_seconds();
    if seconds < 3 || target.series.iter().all(|second| second.succeeded == 0) {
        return;
    }
    let at_once = seconds.div_ceil(LONGEST_SPARKLINE.min(page.width.saturating_sub(LABEL + 2)).max(8));
    let mut columns = vec![(0.0, 0.0); seconds.div_ceil(at_once)];
    for second in target.series.iter().filter(|second| (second.second as usize) < seconds) {
        let number = second.second as usize / at_once;
        let column = &mut columns[number];
        // A second, on average: the last column may have fewer.
        column.0 += second.succeeded as f64 / at_once.min(seconds - number * at_once) as f64;
        column.1 = f64::max(column.1, second.p99.unwrap_or(0) as f64);
    }
    let each = if at_once == 1 { "a second a column".to_owned() } else { format!("{at_once} s a column") };
    row(page, "by second", Style::Dim, &format!("throughput, and p99 below it; {each}"));
    let rows: [Vec<f64>; 2] =
        [columns.iter().map(|column| column.0).collect(), columns.iter().map(|column| column.1).collect()];
    for values in rows {
        let mut line = page.line();
        line.pad_to(LABEL).push(Style::Plain, &sparkline(&values, page.unicode));
        page.put(line);
    }
}

fn sparkline(values: &[f64], unicode: bool) -> String {
    let glyphs: Vec<char> = if unicode { " ▁▂▃▄▅▆▇█" } else { " .:-=+*#" }.chars().collect();
    let top = values.iter().copied().fold(0.0, f64::max);
    let steps = (glyphs.len() - 1) as f64;
    let level = |value: f64| if value > 0.0 { (value / top * steps).ceil().clamp(1.0, steps) as usize } else { 0 };
    values.iter().map(|value| glyphs[level(*value)]).collect()
}

/// More workers than these are told together.
const MEMORY_ROWS: usize = 4;

/// What a worker's memory is read of, in bytes.
type Column = (&'static str, fn(&LoadMemory) -> Option<u64>);

fn memory(page: &mut Page, target: &LoadTarget) {
    let columns: [Column; 4] = [
        ("resident", |memory| memory.rss_bytes),
        ("peak", |memory| memory.peak_rss_bytes),
        ("runtime", |memory| memory.runtime_bytes),
        ("runtime's peak", |memory| memory.runtime_peak_bytes),
    ];
    let shown = |bytes: u64| amount(bytes as f64, "B");
    if target.memory.len() > MEMORY_ROWS {
        let range = |(what, of): &Column| {
            let known = || target.memory.iter().filter_map(of);
            let (least, most) = (shown(known().min()?), shown(known().max()?));
            Some(if least == most { format!("{what} {most}") } else { format!("{what} {least} to {most}") })
        };
        let figures: Vec<String> = columns.iter().filter_map(range).collect();
        row(page, "memory", Style::Plain, &format!("of {} workers each: {}", target.memory.len(), figures.join(", ")));
        return;
    }
    for memory in &target.memory {
        let figures: Vec<String> =
            columns.iter().filter_map(|(what, of)| Some(format!("{what} {}", shown(of(memory)?)))).collect();
        row(page, "memory", Style::Plain, &format!("worker {}: {}", memory.worker, figures.join(", ")));
    }
}

/// `is_shown`: those of candidates are in a table already.
fn comparisons(page: &mut Page, view: &LoadView, is_shown: bool) {
    const RATIO: usize = 22;
    // Operations are named by who wrote them.
    let longest = view.comparisons.iter().map(|pair| page.measure(&one_line(&pair.metric))).max().unwrap_or(0);
    let metric_column = (longest + 5).clamp(16, (page.width / 2).max(16));
    let mut pair: Option<(bool, &str, &str)> = None;
    for LoadComparison { base, candidate, metric, control, comparison } in
        view.comparisons.iter().filter(|pair| pair.control || !is_shown)
    {
        if pair != Some((*control, base.as_str(), candidate.as_str())) {
            pair = Some((*control, base, candidate));
            let half = page.width.saturating_sub(6) / 2;
            let mut head = page.line();
            if *control {
                let base = name(page, base, page.width.saturating_sub(25));
                head.push(Style::Bold, &format!("control: {base} against itself"));
            } else {
                let (candidate, base) = (name(page, candidate, half), name(page, base, half));
                head.push(Style::Bold, &format!("{candidate} vs {base}"));
            }
            page.put(head);
            let mut head = page.line();
            head.pad_to(metric_column).push(Style::Dim, &format!("change ({} %)", 100.0 * comparison.confidence));
            head.pad_to(metric_column + RATIO).push(Style::Dim, "verdict");
            page.put(head);
        }
        let mut line = page.line();
        let metric = name(page, metric, metric_column - 3);
        line.pad_to(2).push(Style::Plain, &metric).pad_to(metric_column);
        match &comparison.ratio {
            Some(ratio) => line.push(Style::Plain, &Figure::ratio(ratio).inline()),
            None => line.push(Style::Dim, "unknown"),
        };
        let style = match comparison.verdict {
            Verdict::Slower => Style::Red,
            Verdict::Faster => Style::Green,
            Verdict::Same | Verdict::Unchanged => Style::Plain,
            Verdict::Inconclusive => Style::Yellow,
        };
        line.pad_to(metric_column + RATIO).push(style, wording::word(comparison.verdict));
        if comparison.verdict == Verdict::Inconclusive
            && let Some(effect) = comparison.minimum_detectable_effect.filter(|effect| *effect <= effect::TOO_NOISY)
        {
            line.push(Style::Dim, &format!(" (detectable: {})", effect::size(effect)));
        }
        page.put(line);
    }
    let Some(first) = view.comparisons.first() else { return };
    let least = view.comparisons.iter().map(|pair| pair.comparison.pairs).min().unwrap_or(0);
    let most = view.comparisons.iter().map(|pair| pair.comparison.pairs).max().unwrap_or(0);
    let rounds = if least == most { least.to_string() } else { format!("{least} to {most}") };
    let text = format!("{rounds} rounds, margin {}", share(first.comparison.margin));
    page.prose(2, (Style::Plain, ""), Style::Dim, &text);
    let several = view.comparisons.iter().any(|pair| pair.candidate != first.candidate);
    for pair in &view.comparisons {
        for Warning { code, message, remedy } in &pair.comparison.warnings {
            let of = if several {
                format!("{} of {}", pair.metric, name(page, &pair.candidate, 40))
            } else {
                pair.metric.clone()
            };
            let text = format!("{code}: {of}: {message}");
            page.prose(2, (Style::Yellow, "warning: "), Style::Plain, &text);
            page.prose(4, (Style::Plain, "→ "), Style::Dim, remedy);
        }
    }
}
