use tare_statistics::comparison::Verdict;

use super::super::block::{self, Cell};
use super::super::cut_names::{CutNames, INDENT, READABLE};
use super::super::line::{Line, Page, Style};
use super::forest::Axis;
use super::rows::{Row, Section, Table};
use crate::figure::{Columns, Figure};
use crate::text::one_line;
use crate::wording::{self, Detail};
use crate::work;
use tare_results::RunView;

const GAP: usize = 2;
/// Names longer than this don't push the figures away; they are cut.
const LONGEST_NAME: usize = 48;
/// Names that may be cut to make room for the plot.
const LONG_NAME: usize = 32;
/// Columns of names at least, where most stand on lines of their own, and where nothing but the change stands beside
/// them; below, a row takes several lines.
const SHORTEST_NAME: usize = 10;
const SHORT_NAME: usize = 16;
/// Of so many rows nothing makes room for long names: they stand on lines of their own.
const FEW: usize = 4;
/// Labels don't push figures away; where they are cut, a line above the table has them in full.
const LONGEST_LABEL: usize = 12;
const WIDEST_PLOT: usize = 41;

const RATE: &str = "throughput";

/// What a row shows, from the most to the least: the words of the verdict, the least width of the plot, both times or
/// the candidate's, what it processes in a second, and how short names may get.
struct Plan {
    detail: Detail,
    plot: Option<usize>,
    base: bool,
    candidate: bool,
    rate: bool,
    name: usize,
}

impl Plan {
    const fn of(detail: Detail, plot: Option<usize>, name: usize) -> Self {
        Self { detail, plot, base: true, candidate: true, rate: true, name }
    }

    /// The picture says more than the time that is compared with.
    const fn drawn() -> Self {
        Self { base: false, rate: false, ..Self::of(Detail::Full, Some(13), LONG_NAME) }
    }

    /// And so does a name that can be read.
    const fn named(rate: bool, name: usize) -> Self {
        Self { base: false, rate, ..Self::of(Detail::Bare, None, name) }
    }

    const fn narrow(base: bool) -> Self {
        Self { base, rate: false, ..Self::of(Detail::Bare, None, SHORTEST_NAME) }
    }

    const fn bare() -> Self {
        Self { candidate: false, ..Self::named(false, SHORT_NAME) }
    }
}

const PLANS: [Plan; 12] = [
    Plan::of(Detail::Full, Some(23), LONGEST_NAME),
    Plan::of(Detail::Full, Some(13), LONG_NAME),
    Plan::drawn(),
    Plan::of(Detail::Bare, Some(13), LONG_NAME),
    Plan::of(Detail::Full, None, LONGEST_NAME),
    Plan::of(Detail::Bare, None, LONG_NAME),
    // Both times say more than the rest of a name.
    Plan::of(Detail::Bare, None, READABLE + INDENT),
    Plan::named(true, LONG_NAME),
    Plan::named(false, READABLE + INDENT),
    Plan::narrow(true),
    Plan::narrow(false),
    Plan::bare(),
];

/// Which columns there are and how wide; 0 where one isn't shown.
pub(super) struct Layout {
    name: usize,
    names: CutNames,
    base: usize,
    candidate: usize,
    rate: usize,
    change: usize,
    pub(super) plot: usize,
    pub(super) detail: Detail,
    pub(super) stacked: bool,
    bases: Columns,
    candidates: Columns,
    changes: Columns,
    pub(super) axis: Option<Axis>,
}

/// What stands over the column of changes.
fn change_title(view: &RunView) -> String {
    format!("change ({})", wording::confidences(&view.comparisons))
}

impl Layout {
    fn of(page: &mut Page, tables: &[Table], view: &RunView) -> Self {
        let sections = || tables.iter().flat_map(|table| &table.sections);
        let names = sections().flat_map(|s| s.rows.iter().map(|row| (s.heading.as_deref(), row.name.as_str())));
        let names = CutNames::of(page, names);
        let longest = names.longest();
        let room = page.room_for_names(longest, LONGEST_NAME);
        let page = &*page;
        let rows = || sections().flat_map(|section| &section.rows);
        let figures = |cell: for<'r> fn(&'r Row) -> &'r Cell| {
            block::columns(rows().filter_map(|row| match cell(row) {
                Cell::Time(figure) => Some(figure),
                _ => None,
            }))
        };
        let (bases, candidates) = (figures(|row| &row.base), figures(|row| &row.candidate));
        let changes = block::columns(rows().filter_map(|row| row.change.as_ref()));
        let most = |of: &dyn Fn(&Row) -> usize| rows().map(of).max().unwrap_or(0);
        let label = |labels: &mut dyn Iterator<Item = &String>, empty: &str| {
            let shown = labels.map(|label| if label.is_empty() { empty.len() } else { page.measure(label) });
            shown.max().unwrap_or(0).min(LONGEST_LABEL)
        };
        let base = most(&|row| row.base.line(page, &bases).width())
            .max(label(&mut tables.iter().map(|table| &table.base), "base"));
        let candidate = most(&|row| row.candidate.line(page, &candidates).width())
            .max(label(&mut tables.iter().map(|table| &table.candidate), "candidate"));
        let change = most(&|row| row.change.as_ref().map_or(1, |c| page.measure(&changes.cell(c))))
            .max(change_title(view).len());
        let rate = most(&|row| row.rate.as_ref().map_or(0, |rate| page.measure(rate)));
        let rate = if rate > 0 { rate.max(RATE.len()) } else { 0 };
        let proof = most(&|row| row.proof().map_or(0, |proof| page.measure(&proof)));
        let is_few = rows().count() <= FEW;
        let drawn: Vec<_> = rows().filter_map(|row| Some((row.ratio?, row.margin))).collect();
        let axis = Axis::of(&drawn);
        let mut layout = Self {
            name: room,
            names: CutNames::default(),
            base: 0,
            candidate: 0,
            rate: 0,
            change,
            plot: 0,
            detail: Detail::Bare,
            stacked: true,
            bases,
            candidates,
            changes,
            axis,
        };
        for plan in PLANS.iter().filter(|plan| plan.plot.is_none() || axis.is_some()) {
            let times = [(plan.base, base), (plan.candidate, candidate), (plan.rate && rate > 0, rate)];
            let times: usize = times.iter().filter(|(shown, _)| *shown).map(|(_, width)| GAP + width).sum();
            let verdict = most(&|row| page.measure(&row.verdict(plan.detail))).max("verdict".len());
            let plot = plan.plot.map_or(0, |plot| GAP + plot);
            let rest = times + GAP + change + plot + GAP + verdict;
            let name = match longest {
                longest if is_few && longest > LONG_NAME.max(page.width.saturating_sub(rest)) => INDENT,
                _ if room > LONGEST_NAME => room,
                longest if longest <= plan.name => longest,
                _ => plan.name.min(names.longest_short()),
            };
            if rest + name <= page.width {
                let spare = page.width - rest - name;
                let longer = if name == INDENT { 0 } else { spare.min(room.saturating_sub(name)) };
                let wider = proof.saturating_sub(rest - GAP - verdict - GAP).min(spare - longer);
                layout.change = change + wider;
                layout.name = name + longer;
                layout.base = if plan.base { base } else { 0 };
                layout.candidate = if plan.candidate { candidate } else { 0 };
                layout.rate = if plan.rate { rate } else { 0 };
                layout.detail = plan.detail;
                // An odd width has a middle.
                layout.plot = plan.plot.map_or(0, |plot| (plot + (spare - longer - wider) / 2 * 2).min(WIDEST_PLOT));
                layout.stacked = false;
                break;
            }
        }
        let room = if layout.stacked { page.width } else { layout.name };
        layout.names = names.cut_to(room);
        layout
    }

    /// The columns of what stands in place of a change and its picture.
    pub(super) fn room_for_reasons(&self) -> usize {
        let starts = self.starts();
        starts[5].saturating_sub(starts[3] + GAP)
    }

    /// Where the columns begin.
    fn starts(&self) -> [usize; 6] {
        let mut column = self.name;
        [self.base, self.candidate, self.rate, self.change, self.plot, 0].map(|width| {
            let start = column + GAP;
            column += if width > 0 { GAP + width } else { 0 };
            start
        })
    }
}

/// The tables on one layout and one axis.
pub(super) fn write(page: &mut Page, tables: &[Table], view: &RunView) -> Layout {
    let layout = Layout::of(page, tables, view);
    let hinted = tables.iter().rposition(|table| !table.folded.is_empty());
    for (number, table) in tables.iter().enumerate() {
        page.gap();
        // The sides of a single table stand below the answer.
        if tables.len() > 1 {
            labels(page, &layout, table);
        }
        let is_measured = |section: &Section| section.rows.iter().any(|row| row.proof().is_none());
        if !layout.stacked && table.sections.iter().any(is_measured) {
            header(page, &layout, table, &change_title(view));
        }
        let mut after_heading = false;
        for (position, section) in table.sections.iter().enumerate() {
            if position > 0 && (section.heading.is_some() || after_heading) {
                page.gap();
            }
            if let Some(text) = &section.heading {
                block::heading(page, text);
            }
            after_heading = section.heading.is_some();
            for row in &section.rows {
                match layout.stacked {
                    true => stacked(page, &layout, section, row),
                    false => flat(page, &layout, section, row),
                }
            }
        }
        folded(page, table, hinted == Some(number));
    }
    layout
}

/// What has no row: `17 same within 1.9 %; 115 unchanged: 41 files and 12 functions are equal; 20 failed on both sides`. `hint`: and how to see it.
fn folded(page: &mut Page, table: &Table, hint: bool) {
    let of = |verdict: Verdict| {
        let found = || table.folded.iter().filter(move |pair| pair.comparison.verdict == verdict);
        let count = found().count();
        let bounds: Option<Vec<f64>> = found().map(|pair| pair.comparison.within).collect();
        let most = bounds.and_then(|bounds| bounds.into_iter().max_by(f64::total_cmp));
        let covers = wording::proven(found().filter_map(|pair| pair.comparison.proof.as_ref()));
        let covers = covers.map_or_else(String::new, |covers| format!(": {covers}"));
        (count > 0).then(|| format!("{count} {}{covers}", wording::said_of(verdict, most)))
    };
    let mut phrases: Vec<String> = [Verdict::Same, Verdict::Unchanged].into_iter().filter_map(of).collect();
    // Of those without a verdict only what failed has no row.
    let failed = table.folded.iter().filter(|pair| pair.comparison.verdict == Verdict::Inconclusive).count();
    if failed > 0 {
        phrases.push(format!("{failed} failed on both sides"));
    }
    let Some(last) = phrases.last_mut() else { return };
    if hint {
        last.push_str(" (--all-rows lists them)");
    }
    page.gap();
    page.phrases(0, (Style::Plain, ""), Style::Dim, "; ", &phrases);
}

/// Whose times the columns show, where their headers have no room to say it.
fn labels(page: &mut Page, layout: &Layout, table: &Table) {
    let [base, candidate] = [&table.base, &table.candidate].map(|label| one_line(label));
    let cut = page.measure(&base) > layout.base || page.measure(&candidate) > layout.candidate;
    if cut && !base.is_empty() {
        let room = page.width.min(60);
        let phrases = [("base ", &base), ("candidate ", &candidate)]
            .map(|(lead, label)| format!("{lead}{}", block::name(page, label, room.saturating_sub(lead.len()))));
        page.phrases(0, (Style::Dim, ""), Style::Dim, ", ", &phrases);
    }
}

fn header(page: &mut Page, layout: &Layout, table: &Table, change: &str) {
    let starts = layout.starts();
    let cut = [(&table.base, layout.base), (&table.candidate, layout.candidate)]
        .map(|(label, width)| block::name(page, label, width));
    // Where they differ in what was cut out, `labels` has said which is which.
    let same = cut[0] == cut[1];
    let or = |label: &str, other: &str| if label.is_empty() || same { other.to_owned() } else { label.to_owned() };
    let mut line = page.line();
    for (start, width, label) in
        [(starts[0], layout.base, or(&cut[0], "base")), (starts[1], layout.candidate, or(&cut[1], "candidate"))]
    {
        if width > 0 {
            line.pad_to(start).push(Style::Dim, &block::name(page, &label, width));
        }
    }
    if layout.rate > 0 {
        line.pad_to(starts[2] + layout.rate - RATE.len()).push(Style::Dim, RATE);
    }
    line.pad_to(starts[3]).push(Style::Dim, change);
    if let Some(axis) = layout.axis.filter(|_| layout.plot > 0) {
        line.pad_to(starts[4]).push(Style::Dim, &axis.labels(layout.plot));
    }
    line.pad_to(starts[5]).push(Style::Dim, "verdict");
    page.put(line);
}

fn style(verdict: Option<Verdict>) -> Style {
    match verdict {
        Some(Verdict::Slower) => Style::Red,
        Some(Verdict::Faster) => Style::Green,
        Some(Verdict::Same | Verdict::Unchanged) => Style::Dim,
        Some(Verdict::Inconclusive) => Style::Yellow,
        None => Style::Plain,
    }
}

fn flat(page: &mut Page, layout: &Layout, section: &Section, row: &Row) {
    let style = style(row.judged());
    let starts = layout.starts();
    let mut line = layout.names.begin(page, section.heading.as_deref(), &row.name, layout.name, Style::Plain);
    let times = [
        (starts[0], layout.base, &row.base, &layout.bases),
        (starts[1], layout.candidate, &row.candidate, &layout.candidates),
    ];
    let proof = row.proof();
    for (start, _, cell, columns) in times.into_iter().filter(|(_, width, ..)| proof.is_none() && *width > 0) {
        line.pad_to(start).append(time(page, cell, columns));
    }
    if let Some(rate) = row.rate.as_ref().filter(|_| layout.rate > 0) {
        line.pad_to(starts[2] + layout.rate.saturating_sub(page.measure(rate))).push(Style::Plain, rate);
    }
    match (&row.change, proof) {
        (Some(change), _) => {
            line.pad_to(starts[3]).append(coloured(page, change, &layout.changes, style));
        }
        (None, Some(proof)) => {
            let room = starts[5].saturating_sub(starts[0] + GAP);
            line.pad_to(starts[0]).push(Style::Dim, &block::name(page, &proof, room));
        }
        (None, None) => {
            let reason = row.reason().filter(|reason| page.measure(reason) <= layout.room_for_reasons());
            line.pad_to(starts[3]).push(Style::Dim, reason.as_deref().unwrap_or("–"));
        }
    }
    if let (Some(axis), Some(ratio)) = (layout.axis.filter(|_| layout.plot > 0), &row.ratio) {
        line.pad_to(starts[4]).push(style, &axis.draw(ratio, row.margin, layout.plot));
    }
    line.pad_to(starts[5]).push(style, &row.verdict(layout.detail));
    page.put(line);
    beside(page, indent(section) + 2, row);
}

fn indent(section: &Section) -> usize {
    if section.heading.is_some() { INDENT } else { 0 }
}

/// What is said of its work, on a line of its own.
fn beside(page: &mut Page, indent: usize, row: &Row) {
    if let Some(said) = row.pair.and_then(work::beside) {
        page.prose(indent, (Style::Plain, ""), Style::Dim, &said);
    }
}

fn time(page: &Page, cell: &Cell, columns: &Columns) -> Line {
    let mut line = page.line();
    match cell {
        Cell::Time(figure) => line.push(Style::Plain, &columns.cell(figure)),
        _ => line.pad_to(columns.whole().saturating_sub(1)).append(cell.line(page, columns)),
    };
    line
}

fn coloured(page: &Page, change: &Figure, columns: &Columns, style: Style) -> Line {
    let (estimate, half) = columns.parts(change);
    let mut line = page.line();
    line.push(if style == Style::Plain { Style::Bold } else { style }, &estimate).push(Style::Plain, &half);
    line
}

/// A row on lines of its own: the name, both times, the change with its verdict.
fn stacked(page: &mut Page, layout: &Layout, section: &Section, row: &Row) {
    let style = style(row.judged());
    let indent = indent(section);
    let line = layout.names.begin(page, section.heading.as_deref(), &row.name, page.width, Style::Plain);
    page.put_unless_empty(line);
    let shown = |cell: &Cell| match cell {
        Cell::Time(figure) => figure.inline(),
        _ => "–".to_owned(),
    };
    if !matches!((&row.base, &row.candidate), (Cell::Missing, Cell::Missing)) {
        let times = format!("{} → {}", shown(&row.base), shown(&row.candidate));
        page.prose(indent + 2, (Style::Plain, ""), Style::Plain, &times);
    }
    let change = row.change.as_ref().map(Figure::inline).or_else(|| row.proof());
    let phrases: Vec<String> = change.into_iter().chain([row.whole_verdict()]).collect();
    page.phrases(indent + 2, (Style::Plain, ""), style, " ", &phrases);
    beside(page, indent + 2, row);
}
