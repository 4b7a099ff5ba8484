//! Cases on several runtimes: bars side by side, or a matrix where they are many.

use std::collections::BTreeMap;

use tare_results::{RunView, VariantView};
use tare_statistics::Estimate;

use super::{Picture, Table};
use crate::page_figures::time_words;
use crate::page_text::shortened;
use crate::svg::{Bar, Caption, Cell, Group, KINDS, Layout, Measure, Scale, bars, matrix};

/// Bars of a picture, at most; of more a matrix says it.
const BARS: usize = 96;
/// Rows and columns of a matrix, at most.
const CELLS: (usize, usize) = (300, 16);
/// Times whose largest is more than this many times the smallest are drawn in relation to the first runtime's.
const NEAR: f64 = 20.0;
/// Columns of a name.
const NAME: usize = 36;
/// Columns of a runtime over cells.
const RUNTIME: usize = 12;
const TABLE: &str = "runtimes-t";

/// Times of a case by runtime.
type Row = (String, Vec<Option<Estimate>>);

/// `None` where the run has one runtime, or two sides of so many comparisons that cells would only repeat the picture of all changes.
pub(super) fn runtimes(view: &RunView) -> Option<Picture> {
    let (columns, rows) = table(view)?;
    if columns.len() == 2 && rows.len() * columns.len() > BARS && view.comparisons.judged().count() >= rows.len() {
        return None;
    }
    let spread = |rows: &[Row]| {
        let known = || rows.iter().flat_map(|row| row.1.iter().flatten()).map(|time| time.estimate);
        known().fold(0.0, f64::max) / known().fold(f64::INFINITY, f64::min)
    };
    let few = rows.len() * columns.len() <= BARS && columns.len() <= KINDS;
    let (one, many, on) = called(view);
    let mut says = vec![format!("Cases: {}; the first {one} is {}.", rows.len(), shortened(&columns[0], NAME))];
    let title = format!("{} {on} {} {many}", if rows.len() == 1 { "One case" } else { "Cases" }, columns.len());
    let short: Vec<String> = columns.iter().map(|name| shortened(name, if few { NAME } else { RUNTIME })).collect();
    let (svg, narrow) = if few {
        let relative = spread(&rows) > NEAR;
        let part = |row: &Row| if relative { row.1[0].map(|first| first.estimate) } else { Some(1.0) };
        let bar = |kind: usize, time: &Estimate, base: f64| Bar {
            value: time.estimate / base,
            interval: time.is_bounded().then_some((time.low / base, time.high / base)),
            kind,
            figure: time_words(time),
        };
        let group = |row: &Row| {
            let base = part(row)?;
            let bars =
                row.1.iter().enumerate().filter_map(|(kind, time)| Some(bar(kind, time.as_ref()?, base))).collect();
            Some(Group { name: shortened(&row.0, NAME), bars })
        };
        let groups: Vec<Group> = rows.iter().filter_map(group).collect();
        let most = groups
            .iter()
            .flat_map(|group| &group.bars)
            .map(|bar| bar.interval.map_or(bar.value, |(_, high)| high.min(3.0 * bar.value)));
        let (measure, axis) =
            if relative { (Measure::Number, "times the first") } else { (Measure::Time, "time of a call") };
        let scale = Scale::linear(0.0, most.fold(0.0, f64::max), measure);
        let multiple =
            if relative { format!(" as a multiple of the first {one}'s of the same case") } else { String::new() };
        says.push(format!("A bar is the time of a call{multiple}; the line over it is its 95 % interval."));
        let description = says.join(" ");
        let said = Caption { title: &title, description: &description, table: TABLE };
        let drawn = |layout| bars(layout, &scale, axis, &short, &groups, &said);
        (drawn(Layout::Wide), Some(drawn(Layout::Narrow)))
    } else {
        says.push(format!("A cell is the time of a call as a multiple of the first {one}'s: orange is slower, blue faster, the stronger the farther."));
        let cell = |first: &Option<Estimate>, time: &Option<Estimate>| {
            let ratio = first.zip(*time).map(|(first, time)| time.estimate / first.estimate);
            Cell { ratio, text: ratio.map_or_else(|| "–".to_owned(), |ratio| format!("×{ratio:.2}")) }
        };
        let rows: Vec<(String, Vec<Cell>)> = rows
            .iter()
            .take(CELLS.0)
            .map(|row| {
                (shortened(&row.0, NAME), row.1.iter().take(CELLS.1).map(|time| cell(&row.1[0], time)).collect())
            })
            .collect();
        let description = says.join(" ");
        let said = Caption { title: &title, description: &description, table: TABLE };
        (matrix(&short[..short.len().min(CELLS.1)], &rows, &said), None)
    };
    if !few && (rows.len() > CELLS.0 || columns.len() > CELLS.1) {
        says.push(format!(
            "It shows the first {} cases and {} {many}.",
            CELLS.0.min(rows.len()),
            CELLS.1.min(columns.len())
        ));
    }
    let body = rows
        .iter()
        .map(|row| {
            std::iter::once(shortened(&row.0, 90))
                .chain(row.1.iter().map(|time| time.as_ref().map_or_else(|| "–".to_owned(), time_words)))
                .collect()
        })
        .collect();
    let head = std::iter::once("case".to_owned()).chain(columns.iter().map(|name| shortened(name, NAME))).collect();
    Some(Picture { name: "runtimes".into(), title, says, svg, narrow, table: Table { head, rows: body } })
}

/// What the columns are called, one and many, and how cases stand to them: revisions of the code are no runtimes.
fn called(view: &RunView) -> (&'static str, &'static str, &'static str) {
    let runtimes = || view.variants.iter().map(|variant| &variant.variant.runtime);
    let of_revisions = runtimes().all(|runtime| runtime.revision().is_some());
    let mut series = runtimes().map(tare_samples::Runtime::series);
    let first = series.next();
    match of_revisions {
        true if series.all(|one| Some(one) == first) => ("revision", "revisions", "in"),
        true => ("runtime with its revision", "runtimes and revisions", "on"),
        false => ("runtime", "runtimes", "on"),
    }
}

/// Times of what is compared, by variant, as the rows of comparisons have them: a candidate's is the base's, times the change.
fn compared(view: &RunView) -> BTreeMap<&str, Estimate> {
    let sides = view.comparisons.judged().flat_map(|pair| {
        let base = pair.base.time.map(|time| (pair.base.id.as_str(), time));
        let candidate = pair.candidate_time().or(pair.candidate.time).map(|time| (pair.candidate.id.as_str(), time));
        [candidate, base]
    });
    sides.flatten().collect()
}

/// What cases of different languages are called together, by variant: the title of their comparison. Sides on one runtime are different cases.
fn together(view: &RunView) -> BTreeMap<&str, &str> {
    let runtime: BTreeMap<&str, &str> = view
        .variants
        .iter()
        .map(|variant| (variant.variant.id.as_str(), variant.variant.runtime.name.as_str()))
        .collect();
    let across = view.comparisons.judged().filter(|pair| {
        runtime.get(pair.base.id.as_str()) != runtime.get(pair.candidate.id.as_str()) && !pair.title.is_empty()
    });
    across.flat_map(|pair| [&pair.base, &pair.candidate].map(|side| (side.id.as_str(), pair.title.as_str()))).collect()
}

/// Times by case and runtime, both in the order of the run.
fn table(view: &RunView) -> Option<(Vec<String>, Vec<Row>)> {
    let (compared, together) = (compared(view), together(view));
    let known = |variant: &VariantView| {
        let own = variant.summary.as_ref().filter(|summary| !summary.below_resolution)?.time;
        let time = compared.get(variant.variant.id.as_str()).copied().unwrap_or(own);
        Some(time).filter(|time| time.estimate > 0.0 && time.estimate.is_finite())
    };
    let mut columns: Vec<String> = Vec::new();
    for variant in &view.variants {
        if !columns.contains(&variant.variant.runtime.name) {
            columns.push(variant.variant.runtime.name.clone());
        }
    }
    if columns.len() < 2 {
        return None;
    }
    let mut rows: Vec<Row> = Vec::new();
    for variant in &view.variants {
        let (Some(time), Some(column)) =
            (known(variant), columns.iter().position(|name| *name == variant.variant.runtime.name))
        else {
            continue;
        };
        let own = || variant.title();
        let title = together.get(variant.variant.id.as_str()).map_or_else(own, |title| (*title).to_owned());
        match rows.iter_mut().find(|row| row.0 == title && row.1[column].is_none()) {
            Some(row) => row.1[column] = Some(time),
            None => {
                let mut times = vec![None; columns.len()];
                times[column] = Some(time);
                rows.push((title, times));
            }
        }
    }
    rows.retain(|row| row.1.iter().flatten().count() > 1);
    (!rows.is_empty()).then_some((columns, rows))
}
