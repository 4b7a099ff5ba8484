//! Pictures of clocks and of waiting.

use std::collections::BTreeMap;

use tare_results::{ClocksView, WaitRow};

use super::{Picture, Table};
use crate::figure::time;
use crate::page_text::shortened;
use crate::svg::{Bar, Caption, Chart, Drawn, Group, KINDS, Layout, Measure, Named, Point, Scale, Series, WHOLE, bars};

const NAME: usize = 36;

pub(super) fn pictures(view: &ClocksView) -> Vec<Picture> {
    [cost(view), waits(view)].into_iter().flatten().collect()
}

fn cost(view: &ClocksView) -> Option<Picture> {
    let mut groups = Vec::new();
    let mut rows = Vec::new();
    for runtime in &view.runtimes {
        for clock in runtime.clocks.iter().filter(|clock| clock.refused.is_none()) {
            let read = clock.seen.read.filter(|read| read.median > 0.0);
            let step = clock.seen.step.filter(|step| *step > 0.0);
            let figure = |name: &str, value: f64| format!("{name} {}", time(value));
            let bars: Vec<Bar> = [
                read.map(|read| Bar {
                    value: read.median,
                    interval: Some((read.min.max(0.0), read.p99)),
                    kind: 0,
                    figure: figure("read", read.median),
                }),
                step.map(|step| Bar { value: step, interval: None, kind: 1, figure: figure("step", step) }),
            ]
            .into_iter()
            .flatten()
            .collect();
            let name = shortened(&format!("{} {}", runtime.name, clock.name), NAME);
            rows.push(vec![
                name.clone(),
                read.map_or("–".into(), |read| time(read.median)),
                step.map_or("–".into(), time),
            ]);
            groups.push(Group { name, bars });
        }
    }
    groups.retain(|group| !group.bars.is_empty());
    let values = || groups.iter().flat_map(|group| &group.bars).map(|bar| bar.value);
    let scale = Scale::logarithmic(values().fold(f64::INFINITY, f64::min), values().fold(0.0, f64::max), Measure::Time);
    if groups.is_empty() {
        return None;
    }
    let title = "What clocks cost and resolve";
    let says = "Upper bar: what a read costs (median, with least and 99th percentile); lower bar: the smallest step found. The axis is logarithmic, so compare the ends of the bars.".to_owned();
    let names = ["cost of a read".to_owned(), "smallest step".to_owned()];
    let said = Caption { title, description: &says, table: "clocks-t" };
    let drawn = |layout| bars(layout, &scale, "time", &names, &groups, &said);
    let (svg, narrow) = (drawn(Layout::Wide), Some(drawn(Layout::Narrow)));
    let head = ["clock", "cost of a read", "smallest step"].map(str::to_owned).to_vec();
    Some(Picture {
        name: "clocks".into(),
        title: title.into(),
        says: vec![says],
        svg,
        narrow,
        table: Table { head, rows },
    })
}

/// A ladder: what was asked for against what it took, each call of each runtime a line.
fn waits(view: &ClocksView) -> Option<Picture> {
    let mut lines: BTreeMap<String, Vec<(f64, &WaitRow)>> = BTreeMap::new();
    for runtime in &view.runtimes {
        for wait in runtime.waits.iter().filter(|wait| wait.requested_ns > 0 && wait.taken.is_ok()) {
            lines.entry(format!("{} {}", runtime.name, wait.call)).or_default().push((wait.requested_ns as f64, wait));
        }
    }
    lines.retain(|_, line| line.len() > 1);
    let all = || {
        lines
            .values()
            .flatten()
            .map(|(asked, wait)| (*asked, wait.taken.as_ref().map_or(f64::NAN, |taken| taken.median)))
    };
    let x = Scale::of(all().map(|point| point.0), Measure::Time)?;
    let ends = lines
        .values()
        .flatten()
        .filter_map(|(_, wait)| wait.taken.as_ref().ok())
        .flat_map(|taken| [taken.min, taken.p99]);
    let y =
        Scale::of(all().flat_map(|point| [point.0, point.1]).chain(ends).filter(|value| *value > 0.0), Measure::Time)?;
    let (least, most) = all().fold((f64::INFINITY, 0.0f64), |(low, high), point| (low.min(point.0), high.max(point.0)));
    let mut series: Vec<Series> = Vec::new();
    let mut rows = Vec::new();
    for (kind, (name, line)) in lines.iter().enumerate().take(2 * KINDS) {
        let name = shortened(name, NAME);
        let point = |(asked, wait): &(f64, &WaitRow)| {
            wait.taken.as_ref().ok().map(|taken| Point {
                x: *asked,
                y: taken.median,
                interval: Some((taken.min, taken.p99)),
            })
        };
        rows.extend(line.iter().filter_map(|(asked, wait)| {
            Some(vec![name.clone(), time(*asked), time(wait.taken.as_ref().ok()?.median)])
        }));
        series.push(Series { name, drawn: Drawn::Joined, kind, points: line.iter().filter_map(point).collect() });
    }
    series.push(Series {
        name: "requested time".into(),
        drawn: Drawn::Guide,
        kind: KINDS - 1,
        points: vec![Point::bare(least, least), Point::bare(most, most)],
    });
    let title = "What waiting takes";
    let says = "The requested and the actual time of each wait (median, with least and 99th percentile). A flat line above the dashed one means that shorter waits aren't possible.".to_owned();
    let chart = Chart {
        length: WHOLE,
        x: Named { scale: x, name: "asked for" },
        y: Named { scale: y, name: "taken" },
        series,
        upright: Vec::new(),
    };
    let svg = chart.picture(&Caption { title, description: &says, table: "waits-t" });
    let head = ["wait", "asked for", "taken"].map(str::to_owned).to_vec();
    Some(Picture {
        name: "waits".into(),
        title: title.into(),
        says: vec![says],
        svg,
        narrow: None,
        table: Table { head, rows },
    })
}
