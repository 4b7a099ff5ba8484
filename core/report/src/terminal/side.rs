use tare_samples::{Case, Outcome, TimeUnit};

use super::TableOptions;
use super::block::{self, Cell};
use super::cut_names::{CutNames, INDENT};
use super::group::groups;
use super::line::{Page, Style};
use super::{footer, plots, scale};
use crate::figure::{Columns, Figure};
use crate::text::one_line;
use crate::typical;
use tare_results::{RunView, VariantView};

const GAP: usize = 3;
const LONGEST_NAME: usize = 40;
/// Columns of names at least, where most stand on lines of their own; below, all sides stand below their case.
const SHORTEST_NAME: usize = 10;
const LONGEST_TITLE: usize = 20;

/// A column of variants, one for each case at most.
struct Side<'a> {
    title: String,
    variants: Vec<&'a VariantView>,
}

/// A table body: for each row a cell a side.
struct Row {
    name: String,
    style: Style,
    cells: Vec<Cell>,
}

/// Variants of one run, a column for each label, in the order of their first appearance.
pub(super) fn of_labels(page: &mut Page, view: &RunView, options: &TableOptions) {
    let sides = sides(&view.variants);
    table(page, &sides, options);
}

fn sides(variants: &[VariantView]) -> Vec<Side<'_>> {
    let mut sides: Vec<Side> = Vec::new();
    for variant in variants {
        match sides.iter_mut().find(|side| side.title == variant.variant.label) {
            Some(side) => side.variants.push(variant),
            None => sides.push(Side { title: variant.variant.label.clone(), variants: vec![variant] }),
        }
    }
    sides
}

/// Stored runs beside each other, a column a run (and label), rows matched by the case's identity.
///
/// `runs` are what to call each run, a tag or an id, and the run. What keeps their figures from being compared is
/// said below the table.
pub fn side_by_side(runs: &[(String, RunView)], options: &TableOptions) -> String {
    let mut page = Page::new(options);
    let mut columns = Vec::new();
    for (tag, run) in runs {
        for side in sides(&run.variants) {
            let title = if side.title.is_empty() { tag.clone() } else { format!("{tag} {}", side.title) };
            columns.push(Side { title, variants: side.variants });
        }
    }
    table(&mut page, &columns, options);
    if options.plots {
        plots::of_runs(&mut page, runs);
    }
    notes(&mut page, runs);
    page.gap();
    let mut scales: Vec<(Vec<String>, Vec<String>)> = Vec::new();
    for (tag, run) in runs {
        for (key, phrases) in scale::phrases(&run.variants) {
            let whose = if key.is_empty() { one_line(tag) } else { format!("{} {key}", one_line(tag)) };
            match scales.iter_mut().find(|(known, _)| *known == phrases) {
                Some((_, tags)) => tags.push(whose),
                None => scales.push((phrases, vec![whose])),
            }
        }
    }
    let several = scales.len() > 1;
    for (phrases, tags) in scales {
        let lead = if several { format!("{}, {}", scale::NAME, tags.join(", ")) } else { scale::NAME.to_owned() };
        let lead = block::name(&page, &lead, 40) + ": ";
        page.phrases(0, (Style::Dim, &lead), Style::Dim, ", ", &phrases);
    }
    page.gap();
    for (tag, run) in runs {
        footer::brief(&mut page, tag, run);
    }
    page.finish()
}

fn table(page: &mut Page, sides: &[Side], options: &TableOptions) {
    let mut cases: Vec<&Case> = Vec::new();
    let mut ids: Vec<String> = Vec::new();
    for variant in sides.iter().flat_map(|side| &side.variants) {
        let id = variant.variant.case.id();
        if !ids.contains(&id) {
            ids.push(id);
            cases.push(&variant.variant.case);
        }
    }
    let mut sections: Vec<(Option<String>, Vec<Row>)> = Vec::new();
    for group in groups(cases.iter().copied()) {
        let found: Vec<Vec<Option<&VariantView>>> = group
            .rows
            .iter()
            .map(|(_, at)| {
                let of = |side: &Side<'_>| side.variants.iter().position(|v| v.variant.case.id() == ids[*at]);
                sides.iter().map(|side| of(side).map(|position| side.variants[position])).collect()
            })
            .collect();
        let of = |which: Which| rows(&group.rows, &found, which).into_iter();
        let rows = of(Which::Time).zip(of(Which::Typical)).zip(of(Which::Raw)).flat_map(|((time, typical), raw)| {
            let differs = typical.cells.iter().any(|cell| matches!(cell, Cell::Time(_)));
            [Some(time), Some(typical).filter(|_| differs), Some(raw).filter(|_| options.raw)]
        });
        sections.push((group.heading, rows.flatten().collect()));
    }
    write(page, sides, &sections);
    let below = |variant: &&VariantView| variant.summary.as_ref().is_some_and(|s| s.below_resolution);
    if sides.iter().flat_map(|side| &side.variants).any(below) {
        page.gap();
        block::legend(page);
    }
}

/// What a row shows of each side.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Which {
    Time,
    /// Only of those whose mean cost is another.
    Typical,
    Raw,
}

fn rows(names: &[(String, usize)], found: &[Vec<Option<&VariantView>>], which: Which) -> Vec<Row> {
    let members: Vec<&VariantView> = found.iter().flatten().flatten().copied().collect();
    let mut units = block::units(&members, which == Which::Raw).into_iter();
    names
        .iter()
        .zip(found)
        .map(|((name, _), variants)| {
            let cells = variants.iter().map(|variant| {
                let (Some(variant), Some(unit)) = (variant, variant.and_then(|_| units.next())) else {
                    return Cell::Missing;
                };
                let failed = matches!(variant.outcome, Outcome::Failed(_) | Outcome::Skipped(_));
                let summary = variant.summary.as_ref().filter(|_| !failed);
                let figure = match which {
                    Which::Time => return short(variant, unit),
                    Which::Typical => summary.and_then(typical::differing_typical).map(|(typical, _)| typical),
                    Which::Raw => summary.map(|summary| &summary.raw),
                };
                figure.map_or(Cell::Missing, |figure| Cell::Time(Figure::interval(figure, unit)))
            });
            let cells = cells.collect();
            match which {
                Which::Time => Row { name: name.clone(), style: Style::Plain, cells },
                Which::Typical => Row { name: "  typical".into(), style: Style::Dim, cells },
                Which::Raw => Row { name: "  raw".into(), style: Style::Dim, cells },
            }
        })
        .collect()
}

/// A column beside others has no room for reasons; they are listed below the table.
fn short(variant: &VariantView, unit: TimeUnit) -> Cell {
    match (Cell::of(variant, unit), &variant.outcome) {
        (Cell::Below(high), _) => Cell::Time(Figure::below(high)),
        (Cell::Words(style, _), Outcome::Skipped(_)) => Cell::Words(style, "skipped".into()),
        (other, _) => other,
    }
}

fn write(page: &mut Page, sides: &[Side], sections: &[(Option<String>, Vec<Row>)]) {
    let rows = || sections.iter().flat_map(|(_, rows)| rows);
    let columns: Vec<Columns> = (0..sides.len())
        .map(|side| {
            block::columns(rows().filter_map(|row| match &row.cells[side] {
                Cell::Time(figure) => Some(figure),
                _ => None,
            }))
        })
        .collect();
    let titles: Vec<String> = sides.iter().map(|side| block::name(page, &side.title, LONGEST_TITLE)).collect();
    let widths: Vec<usize> = (0..sides.len())
        .map(|side| {
            let cells = rows().map(|row| row.cells[side].line(page, &columns[side]).width());
            cells.chain([page.measure(&titles[side])]).max().unwrap_or(0)
        })
        .collect();
    let indent = |heading: &Option<String>| if heading.is_some() { INDENT } else { 0 };
    let cases = sections.iter().flat_map(|(heading, rows)| {
        let rows = rows.iter().filter(|row| row.style == Style::Plain);
        rows.map(|row| (heading.as_deref(), row.name.as_str()))
    });
    let names = CutNames::of(page, cases);
    let longest = names.longest().min(LONGEST_NAME);
    let cells: usize = widths.iter().map(|width| GAP + width).sum();
    let room = page.width.saturating_sub(cells);
    let stacked = room < longest.min(SHORTEST_NAME);
    let name = longest.min(room);
    let names = names.cut_to(if stacked { page.width } else { name });

    if !stacked {
        let mut line = page.line();
        let mut column = name;
        for (title, width) in titles.iter().zip(&widths) {
            line.pad_to(column + GAP).push(Style::Dim, title);
            column += GAP + width;
        }
        page.put(line);
    }
    let mut after_heading = false;
    for (position, (heading, rows)) in sections.iter().enumerate() {
        if position > 0 && (heading.is_some() || after_heading) {
            page.gap();
        }
        if let Some(text) = heading {
            block::heading(page, text);
        }
        after_heading = heading.is_some();
        for row in rows {
            let indent = indent(heading);
            let room = if stacked { page.width } else { name };
            let mut line = names.begin(page, heading.as_deref(), &row.name, room, row.style);
            if stacked {
                page.put_unless_empty(line);
                let title_width = titles.iter().map(|title| page.measure(title)).max().unwrap_or(0).min(page.width / 2);
                let all = columns.iter().fold(Columns::default(), |all, columns| all.union(columns));
                for (cell, title) in row.cells.iter().zip(&titles) {
                    let mut line = page.line();
                    line.pad_to(indent + 2).push(Style::Dim, &block::name(page, title, title_width));
                    line.pad_to(indent + 2 + title_width + 2).append(aligned(page, cell, &all, row.style));
                    page.put(line);
                }
            } else {
                let mut column = name;
                for (side, cell) in row.cells.iter().enumerate() {
                    line.pad_to(column + GAP).append(aligned(page, cell, &columns[side], row.style));
                    column += GAP + widths[side];
                }
                page.put(line);
            }
        }
    }
}

/// A cell in its column; what isn't there is a dash below the figures' last whole digit.
fn aligned(page: &Page, cell: &Cell, columns: &Columns, style: Style) -> super::line::Line {
    match cell {
        Cell::Missing => {
            let mut line = page.line();
            line.pad_to(columns.whole().saturating_sub(1)).append(cell.line(page, columns));
            line
        }
        Cell::Time(figure) if style == Style::Dim => {
            let mut line = page.line();
            line.push(Style::Dim, &columns.cell(figure));
            line
        }
        _ => cell.line(page, columns),
    }
}

/// What keeps these runs from being compared figure by figure.
fn notes(page: &mut Page, runs: &[(String, RunView)]) {
    let differ = |of: &dyn Fn(&RunView) -> String| -> Option<String> {
        let values: Vec<String> = runs.iter().map(|(_, run)| of(run)).collect();
        let differ = values.iter().any(|value| *value != values[0]);
        let named = runs
            .iter()
            .zip(&values)
            .map(|((tag, _), value)| format!("{} {}", one_line(tag), if value.is_empty() { "unknown" } else { value }));
        differ.then(|| named.collect::<Vec<_>>().join(", "))
    };
    let mut notes = Vec::new();
    if let Some(policies) = differ(&|run| run.origin.policy.to_string()) {
        notes.push(format!(
            "correction policies differ ({policies}): the overhead was subtracted by different rules; don't compare these times"
        ));
    }
    if let Some(machines) = differ(&machine_class) {
        notes.push(format!(
            "machines differ ({machines}): these columns differ by machine as well as by code; measure both on one machine"
        ));
    }
    for note in notes {
        page.gap();
        page.prose(0, (Style::Yellow, "note: "), Style::Plain, &note);
    }
}

/// What makes two machines comparable: processor, architecture, their number, and whether they are virtual.
fn machine_class(run: &RunView) -> String {
    let facts = ["cpu", "arch", "cpus", "virtualisation"].map(|fact| run.origin.machine.get(fact));
    let known: Vec<String> = facts.iter().flatten().map(|text| one_line(text)).collect();
    known.join("/")
}
