//! Pictures of concurrent work.

use tare_results::{LoadSecond, LoadTarget, LoadView};
use tare_statistics::comparison::Verdict;

use super::{Picture, Table};
use crate::amount::amount;
use crate::axis::Axis;
use crate::figure::{Figure, time};
use crate::page_text::shortened;
use crate::svg::{
    Bar, Caption, Chart, Drawn, ForestRow, Group, Layout, Measure, Named, Point, RatioRow, Scale, Series, WHOLE, bars,
    forest, number, tall_forest,
};
use crate::wording;

const NAME: usize = 36;
/// Targets of a picture, at most.
const TARGETS: usize = 12;
/// The rest beyond the last percentile that is drawn.
const LEAST_REST: f64 = 1e-5;
/// Workers whose memory is drawn, at most.
const WORKERS: usize = 40;

pub(super) fn pictures(view: &LoadView) -> Vec<Picture> {
    [
        comparisons(view),
        percentiles(view),
        throughput(view),
        latencies(view),
        failures(view),
        stages(view),
        memory(view),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn named(target: &LoadTarget) -> String {
    shortened(&target.name, NAME)
}

/// A figure in words.
type Words = fn(f64) -> String;

/// Series of all targets over the same axes.
fn chart(
    (name, title, says): (&str, &str, &str),
    (x_name, x): (&str, Scale),
    (y_name, y): (&str, Measure),
    series: Vec<Series>,
    words: (Words, Words),
) -> Option<Picture> {
    let known = series.iter().flat_map(|one| &one.points).filter(|point| point.y.is_finite()).count();
    let scale = Scale::of(series.iter().flat_map(|one| &one.points).map(|point| point.y), y).filter(|_| known > 1)?;
    let rows = series
        .iter()
        .flat_map(|one| one.points.iter().map(|point| vec![one.name.clone(), words.0(point.x), words.1(point.y)]))
        .collect();
    let table = Table { head: ["of", x_name, y_name].map(str::to_owned).to_vec(), rows };
    let id = format!("{name}-t");
    let chart = Chart {
        length: WHOLE,
        x: Named { scale: x, name: x_name },
        y: Named { scale, name: y_name },
        series,
        upright: Vec::new(),
    };
    let svg = chart.picture(&Caption { title, description: says, table: &id });
    Some(Picture { name: name.into(), title: title.into(), says: vec![says.into()], svg, narrow: None, table })
}

fn percentiles(view: &LoadView) -> Option<Picture> {
    let curve = |(kind, target): (usize, &LoadTarget)| {
        let latency =
            target.overall.as_ref().or_else(|| target.operations.iter().find_map(|one| one.latency.as_ref()))?;
        let points = latency
            .curve
            .iter()
            .map(|(percentile, value)| Point::bare((1.0 - percentile / 100.0).max(LEAST_REST), *value as f64))
            .collect();
        Some(Series { name: named(target), drawn: Drawn::Joined, kind, points })
    };
    let series: Vec<Series> = view.targets.iter().take(TARGETS).enumerate().filter_map(curve).collect();
    let scale = Scale::logarithmic(LEAST_REST, 1.0, Measure::Tail);
    chart(
        (
            "latency",
            "Latency by percentile",
            "The share of operations that were at least this fast; each step to the right is a tenth of the rest. Latency counts from the intended start.",
        ),
        ("percentile", scale),
        ("latency", Measure::Time),
        series,
        (|rest| format!("p{}", number(100.0 - rest * 100.0)), time),
    )
}

fn seconds(view: &LoadView) -> Scale {
    let last = view
        .targets
        .iter()
        .flat_map(|target| &target.series)
        .map(|second| f64::from(second.second))
        .fold(1.0, f64::max);
    Scale::linear(0.0, last, Measure::Number)
}

fn by_second(
    target: &LoadTarget,
    name: String,
    kind: usize,
    drawn: Drawn,
    value: impl Fn(&LoadSecond) -> Option<f64>,
) -> Series {
    let whole = target.whole_seconds();
    let point = |second: &LoadSecond| Some(Point::bare(f64::from(second.second), value(second)?));
    let points = target
        .series
        .iter()
        .filter(|second| whole == 0 || (second.second as usize) < whole)
        .filter_map(point)
        .collect();
    Series { name, drawn, kind, points }
}

fn throughput(view: &LoadView) -> Option<Picture> {
    let each = view.targets.iter().take(TARGETS).enumerate();
    let series = each
        .map(|(kind, target)| {
            by_second(target, named(target), kind, Drawn::Joined, |second| Some(second.succeeded as f64))
        })
        .collect();
    chart(
        ("throughput", "Throughput in time", "Operations that succeeded in each second of a target's own load."),
        ("second", seconds(view)),
        ("operations in the second", Measure::Number),
        series,
        (number, number),
    )
}

fn latencies(view: &LoadView) -> Option<Picture> {
    let each = view.targets.iter().take(TARGETS).enumerate();
    let series = each.flat_map(|(kind, target)| {
        let of = |name: &str, drawn, value: fn(&LoadSecond) -> Option<u64>| {
            by_second(target, format!("{name} {}", named(target)), kind, drawn, move |second| {
                value(second).map(|ns| ns as f64)
            })
        };
        [of("p99", Drawn::Joined, |second| second.p99), of("p50", Drawn::Guide, |second| second.p50)]
    });
    chart(
        (
            "latency-in-time",
            "Latency in time",
            "The 99th percentile of each second with marks, the median as a thin line.",
        ),
        ("second", seconds(view)),
        ("latency", Measure::Time),
        series.collect(),
        (number, time),
    )
}

fn failures(view: &LoadView) -> Option<Picture> {
    if view.targets.iter().flat_map(|target| &target.series).all(|second| second.failed == 0) {
        return None;
    }
    let each = view.targets.iter().take(TARGETS).enumerate();
    let series = each
        .map(|(kind, target)| {
            by_second(target, named(target), kind, Drawn::Joined, |second| Some(second.failed as f64))
        })
        .collect();
    chart(
        ("failures", "Failures in time", "Operations that failed in each second."),
        ("second", seconds(view)),
        ("failures in the second", Measure::Number),
        series,
        (number, number),
    )
}

fn stages(view: &LoadView) -> Option<Picture> {
    let each = view.targets.iter().take(TARGETS).enumerate();
    let stage = |(kind, target): (usize, &LoadTarget)| Series {
        name: named(target),
        drawn: Drawn::Joined,
        kind,
        points: target
            .stages
            .iter()
            .filter_map(|stage| Some(Point::bare(stage.rate, stage.latency.as_ref()?.percentile("p99")? as f64)))
            .collect(),
    };
    let series: Vec<Series> = each.map(stage).filter(|series| !series.points.is_empty()).collect();
    let x = Scale::of(series.iter().flat_map(|one| &one.points).map(|point| point.x), Measure::Number)?;
    chart(
        ("stages", "Latency by rate", "The 99th percentile at each rate that was asked for."),
        ("operations a second asked for", x),
        ("p99", Measure::Time),
        series,
        (number, time),
    )
}

fn memory(view: &LoadView) -> Option<Picture> {
    let several = view.targets.len() > 1;
    let group = |(kind, target): (usize, &LoadTarget)| {
        let bar = |memory: &tare_results::LoadMemory| {
            let bytes = memory.peak_rss_bytes.or(memory.rss_bytes)? as f64;
            Some(Group {
                name: shortened(
                    &if several {
                        format!("worker {}, {}", memory.worker, target.name)
                    } else {
                        format!("worker {}", memory.worker)
                    },
                    NAME,
                ),
                bars: vec![Bar { value: bytes, interval: None, kind, figure: amount(bytes, "B") }],
            })
        };
        target.memory.iter().filter_map(bar).collect::<Vec<_>>()
    };
    let groups: Vec<Group> = view.targets.iter().take(TARGETS).enumerate().flat_map(group).take(WORKERS).collect();
    let most = groups.iter().flat_map(|group| &group.bars).map(|bar| bar.value).fold(0.0, f64::max);
    if most <= 0.0 {
        return None;
    }
    let title = "Memory of the workers";
    let says = format!(
        "The most that each worker's process held{}.",
        if groups.len() == WORKERS { format!("; the first {WORKERS}") } else { String::new() }
    );
    let said = Caption { title, description: &says, table: "memory-t" };
    let scale = Scale::linear(0.0, most, Measure::Bytes);
    let drawn = |layout| bars(layout, &scale, "resident", &[], &groups, &said);
    let (svg, narrow) = (drawn(Layout::Wide), Some(drawn(Layout::Narrow)));
    let rows = groups.iter().map(|group| vec![group.name.clone(), group.bars[0].figure.clone()]).collect();
    Some(Picture {
        name: "memory".into(),
        title: title.into(),
        says: vec![says],
        svg,
        narrow,
        table: Table { head: vec!["worker".into(), "largest size".into()], rows },
    })
}

fn comparisons(view: &LoadView) -> Option<Picture> {
    let several = view.targets.len() > 2;
    let row = |pair: &tare_results::LoadComparison| {
        let ratio = wording::ratio(pair.comparison.ratio)?;
        let metric = pair.metric.replace('.', " ");
        let name = if several { format!("{metric}, {}", pair.candidate) } else { metric };
        let row =
            RatioRow { ratio, margin: pair.comparison.margin, verdict: Some(pair.comparison.verdict), of_load: true };
        Some(ForestRow { row, name: shortened(&name, 44), change: Figure::ratio(&ratio).inline() })
    };
    let rows: Vec<ForestRow> = view.judged().filter_map(row).collect();
    let axis = Axis::of(&rows.iter().map(|row| (row.row.ratio, row.row.margin)).collect::<Vec<_>>())?;
    let title = "Change of the candidate against the base";
    let worse = view.judged().filter(|pair| pair.comparison.verdict == Verdict::Slower).count();
    let says = format!(
        "A row for each figure: higher throughput is better, lower latency is better. {worse} of {} got worse. The axis is stretched around 0.",
        view.judged().count()
    );
    let said = Caption { title, description: &says, table: "changes-t" };
    let (svg, narrow) = (forest(&axis, &rows, &said), Some(tall_forest(&axis, &rows, &said)));
    let table = rows.iter().map(|row| vec![row.name.clone(), row.change.clone()]).collect();
    Some(Picture {
        name: "changes".into(),
        title: title.into(),
        says: vec![says],
        svg,
        narrow,
        table: Table { head: vec!["figure".into(), "change".into()], rows: table },
    })
}
