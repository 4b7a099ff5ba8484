use tare_samples::Outcome;

use super::block::{self, Cell};
use super::cut_names::{CutNames, INDENT};
use super::group::groups;
use super::line::{Line, Page, Style};
use super::{TableOptions, instructions};
use crate::allocations;
use crate::figure::{Columns, Figure, bound, percent};
use crate::sketch::{SKETCH, sketch};
use crate::spread::robust_spread;

use crate::{next_run, rates, typical};
use tare_results::{RunView, VariantView};

const GAP: usize = 3;
const SPREAD: usize = 6;
/// What stands over the counts.
const COUNTS: [&str; 4] = ["throughput", "instructions", allocations::TITLES[0], allocations::TITLES[1]];
/// Names longer than this don't push the figures away; they are cut.
const LONGEST_NAME: usize = 48;
/// Columns of names at least, where most stand on lines of their own; below, all rows take two lines.
const SHORTEST_NAME: usize = 10;

struct Row {
    name: String,
    time: Cell,
    raw: Option<Figure>,
    /// What is processed in a second; instructions, bytes and allocations a call, where they were counted.
    counts: [Option<String>; 4],
    spread: Option<String>,
    sketch: Option<String>,
    /// What stands below it, a line each.
    notes: Vec<String>,
}

struct Section {
    heading: Option<String>,
    rows: Vec<Row>,
}

/// Which columns fit, and how wide they are.
struct Layout {
    name: usize,
    names: CutNames,
    time: usize,
    times: Columns,
    raws: Columns,
    /// 0 where the column isn't shown.
    raw: usize,
    /// 0 where none were counted.
    counts: [usize; 4],
    spread: bool,
    sketch: bool,
    stacked: bool,
    /// Only the bound of what is below resolution; the words are below the table.
    short: bool,
}

impl Layout {
    fn of(page: &mut Page, sections: &[Section]) -> Self {
        let names = sections.iter().flat_map(|s| s.rows.iter().map(|row| (s.heading.as_deref(), row.name.as_str())));
        let names = CutNames::of(page, names);
        let name = page.room_for_names(names.longest(), LONGEST_NAME);
        let page = &*page;
        let rows = || sections.iter().flat_map(|section| &section.rows);
        let times = block::columns(rows().filter_map(|row| match &row.time {
            Cell::Time(figure) => Some(figure),
            _ => None,
        }));
        let raws = block::columns(rows().filter_map(|row| row.raw.as_ref()));
        let raw = rows().filter_map(|row| row.raw.as_ref()).map(|raw| page.measure(&raws.cell(raw))).max().unwrap_or(0);
        let counts = std::array::from_fn(|at| {
            let widest = rows().filter_map(|row| row.counts[at].as_ref()).map(|count| page.measure(count)).max();
            widest.map_or(0, |width| width.max(COUNTS[at].len()))
        });
        let cell = |row: &Row| match &row.time {
            // What has no figures to its right may run on over their columns.
            Cell::Words(..) => 0,
            Cell::Below(_) if raw == 0 && counts == [0; 4] => 0,
            time => time.line(page, &times).width(),
        };
        let time = rows().map(cell).max().unwrap_or(0).max("time (95 %)".len());
        let any = |has: fn(&Row) -> bool| rows().any(has);
        let mut layout = Self {
            name,
            names: CutNames::default(),
            time,
            times,
            raws,
            raw,
            counts,
            spread: any(|row| row.spread.is_some()),
            sketch: any(|row| row.sketch.is_some()),
            stacked: false,
            short: false,
        };
        layout.sketch &= layout.width() <= page.width;
        layout.spread &= layout.width() <= page.width;
        let over = layout.width().saturating_sub(page.width);
        layout.stacked = over > 0 && layout.name < over + SHORTEST_NAME;
        layout.name = layout.name.saturating_sub(over);
        layout.names = names.cut_to(if layout.stacked { page.width } else { layout.name });
        let start = if layout.stacked { 4 } else { layout.name + GAP };
        layout.short = rows().any(|row| {
            matches!(row.time, Cell::Below(_)) && start + row.time.line(page, &layout.times).width() > page.width
        });
        layout
    }

    /// What stands in the time's column.
    fn time(&self, page: &Page, time: &Cell) -> Line {
        match time {
            Cell::Below(high) if self.short => {
                let mut line = page.line();
                line.push(Style::Plain, &format!("< {}", bound(*high)));
                line
            }
            time => time.line(page, &self.times),
        }
    }

    fn width(&self) -> usize {
        let raw = if self.raw > 0 { GAP + self.raw } else { 0 };
        let counts: usize = self.counts.iter().filter(|width| **width > 0).map(|width| GAP + width).sum();
        let spread = if self.spread { GAP + SPREAD } else { 0 };
        let sketch = if self.sketch { GAP + SKETCH } else { 0 };
        self.name + GAP + self.time + raw + counts + spread + sketch
    }
}

fn counts(variant: &VariantView, allocated: bool) -> [Option<String>; 4] {
    let [bytes, allocations] = if allocated { allocations::cells(variant) } else { [None, None] };
    let instructions = instructions::counted(variant).map(instructions::cell);
    [rates::throughput(variant, 1.0), instructions, bytes, allocations]
}

fn indent(section: &Section) -> usize {
    if section.heading.is_some() { INDENT } else { 0 }
}

/// A row a case, grouped by class or benchmark. What doesn't fit goes: the sketch, the spread, the middle of names;
/// names that would then look alike, and all where there is no room, stand above their times.
pub(super) fn write(page: &mut Page, view: &RunView, options: &TableOptions) {
    let allocated = allocations::are_worth_a_column(&view.variants);
    let sections: Vec<Section> = groups(view.variants.iter().map(|v| &v.variant.case))
        .into_iter()
        .map(|group| {
            let members: Vec<&VariantView> = group.rows.iter().map(|(_, at)| &view.variants[*at]).collect();
            let units = block::units(&members, false);
            let raw_units = block::units(&members, true);
            let names = group.rows.into_iter().map(|(name, _)| name);
            let rows = names
                .zip(members)
                .zip(units.into_iter().zip(raw_units))
                .map(|((name, variant), (unit, raw_unit))| {
                    let shown = !matches!(variant.outcome, Outcome::Failed(_) | Outcome::Skipped(_));
                    let summary = variant.summary.as_ref().filter(|_| shown);
                    // The spread of what can't be resolved is the scale's, not the subject's.
                    let resolved = summary.filter(|s| !s.below_resolution);
                    Row {
                        name,
                        notes: resolved
                            .and_then(|s| typical::phrase(s, unit))
                            .into_iter()
                            .chain(resolved.and_then(|_| next_run::phrase(variant, unit)))
                            .collect(),
                        time: Cell::of(variant, unit),
                        raw: summary.filter(|_| options.raw || options.verbose).map(|s| Figure::bare(&s.raw, raw_unit)),
                        counts: counts(variant, allocated),
                        spread: resolved.map(|s| percent(robust_spread(s))),
                        sketch: resolved.filter(|s| !s.sketch.is_empty()).map(|s| sketch(&s.sketch, page.unicode)),
                    }
                })
                .collect();
            Section { heading: group.heading, rows }
        })
        .collect();
    let layout = Layout::of(page, &sections);
    let measured = |row: &Row| matches!(row.time, Cell::Time(_) | Cell::Below(_));
    if sections.iter().any(|section| section.rows.iter().any(measured)) && !layout.stacked {
        header(page, &layout, view);
    }
    let mut after_heading = false;
    for (position, section) in sections.iter().enumerate() {
        if position > 0 && (section.heading.is_some() || after_heading) {
            page.gap();
        }
        if let Some(text) = &section.heading {
            block::heading(page, text);
        }
        after_heading = section.heading.is_some();
        for row in &section.rows {
            if layout.stacked {
                stacked(page, &layout, section, row);
            } else {
                flat(page, &layout, section, row);
            }
        }
    }
    if layout.short {
        page.gap();
        block::legend(page);
    }
}

fn header(page: &mut Page, layout: &Layout, view: &RunView) {
    let confidence = view.variants.iter().filter_map(|v| v.summary.as_ref()).map(|s| s.confidence).find(|c| *c > 0.0);
    let time = match confidence {
        Some(confidence) => format!("time ({:.0} %)", confidence * 100.0),
        None => "time".to_owned(),
    };
    let mut line = page.line();
    line.pad_to(layout.name + GAP).push(Style::Dim, &time);
    line.pad_to(layout.name + GAP + layout.time);
    if layout.raw > 0 {
        let blank = layout.raw.saturating_sub(3);
        line.push(Style::Dim, &format!("{}{}raw", " ".repeat(GAP), " ".repeat(blank)));
    }
    for (title, width) in COUNTS.iter().zip(layout.counts).filter(|(_, width)| *width > 0) {
        line.push(Style::Dim, &format!("{}{title:>width$}", " ".repeat(GAP)));
    }
    if layout.spread {
        line.push(Style::Dim, &format!("{}{:>SPREAD$}", " ".repeat(GAP), "spread"));
    }
    if layout.sketch {
        line.push(Style::Dim, &format!("{}distribution", " ".repeat(GAP)));
    }
    page.put(line);
}

fn flat(page: &mut Page, layout: &Layout, section: &Section, row: &Row) {
    let style = if matches!(row.time, Cell::Words(Style::Dim, _)) { Style::Dim } else { Style::Plain };
    let mut line = layout.names.begin(page, section.heading.as_deref(), &row.name, layout.name, style);
    line.pad_to(layout.name + GAP).append(layout.time(page, &row.time));
    let mut column = layout.name + GAP + layout.time;
    if layout.raw > 0 {
        column += GAP;
        if let Some(raw) = &row.raw {
            line.pad_to(column).push(Style::Dim, &layout.raws.cell(raw));
        }
        column += layout.raw;
    }
    for (count, width) in row.counts.iter().zip(layout.counts).filter(|(_, width)| *width > 0) {
        column += GAP + width;
        if let Some(count) = count {
            line.pad_to(column.saturating_sub(page.measure(count))).push(Style::Plain, count);
        }
    }
    if layout.spread {
        column += GAP;
        if let Some(spread) = &row.spread {
            line.pad_to(column).push(Style::Plain, &format!("{spread:>SPREAD$}"));
        }
        column += SPREAD;
    }
    if let Some(sketch) = row.sketch.as_ref().filter(|_| layout.sketch) {
        line.pad_to(column + GAP).push(Style::Dim, sketch);
    }
    page.put(line);
    below(page, layout.name + GAP, row);
}

fn below(page: &mut Page, column: usize, row: &Row) {
    for text in &row.notes {
        // Where it doesn't fit below the time it begins further to the left.
        let start = column.min(page.width.saturating_sub(page.measure(text))).max(4);
        page.prose(start, (Style::Dim, ""), Style::Dim, text);
    }
}

fn stacked(page: &mut Page, layout: &Layout, section: &Section, row: &Row) {
    let indent = indent(section);
    let line = layout.names.begin(page, section.heading.as_deref(), &row.name, page.width, Style::Plain);
    page.put_unless_empty(line);
    match &row.time {
        Cell::Words(style, words) => page.prose(indent + 2, (*style, ""), *style, words),
        time => {
            let mut line = page.line();
            line.pad_to(indent + 2).append(layout.time(page, time));
            page.put(line);
        }
    }
    below(page, indent + 2, row);
    if let Some(raw) = row.raw.as_ref() {
        let mut line = page.line();
        line.pad_to(indent + 2).push(Style::Dim, &format!("raw {}", raw.inline()));
        page.put(line);
    }
    for (count, title) in row.counts.iter().zip(COUNTS) {
        if let Some(count) = count {
            let mut line = page.line();
            line.pad_to(indent + 2).push(Style::Plain, &format!("{count} {title}"));
            page.put(line);
        }
    }
}
