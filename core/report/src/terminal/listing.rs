use tare_samples::Case;

use super::TableOptions;
use super::block;
use super::cut_names::{CutNames, INDENT};
use super::group::groups;
use super::line::{Page, Style};
use crate::text::{abbreviated, one_line, truncate_middle, visible};
use tare_results::{LogRow, RunState};

const GAP: usize = 2;
/// A longer name of a branch would take the commits of all runs from the list.
const LONGEST_BRANCH: usize = 20;
/// What a list of stored runs can't tell.
const LEFT_OUT: &str = "not listed: runs with --no-store";

/// Runs in the store, one a line, in the order given.
pub fn run_log(rows: &[LogRow], options: &TableOptions) -> String {
    let mut page = Page::new(options);
    if rows.is_empty() {
        page.prose(0, (Style::Plain, ""), Style::Plain, "no runs stored yet: `tare run` measures and stores one");
        return page.finish();
    }
    let header = ["run", "started (UTC)", "cases", "failed", "commit", "tags"].map(String::from);
    let table: Vec<[String; 6]> = rows.iter().map(|row| columns(row, page.unicode)).collect();
    let width = |column: usize| table.iter().chain([&header]).map(|row| page.measure(&row[column])).max().unwrap_or(0);
    let widths: Vec<usize> = (0..header.len()).map(width).collect();
    // The id is what a reader copies, so it stays longest, and with it what went wrong.
    let needed = |shown: &[usize]| shown.iter().map(|column| widths[*column] + GAP).sum::<usize>().saturating_sub(GAP);
    let choices: [&[usize]; 4] = [&[0, 1, 2, 3, 4, 5], &[0, 1, 2, 3, 5], &[0, 1, 3, 5], &[0, 3, 5]];
    let tags = widths[5].min(12);
    let fits = |shown: &&&[usize]| needed(shown) - widths[5] + tags <= page.width;
    let shown = choices.iter().find(fits).copied().unwrap_or(&[0, 3]);
    put(&mut page, &header, &widths, shown, Style::Dim);
    for (row, columns) in rows.iter().zip(&table) {
        let style = if row.failed > 0 || row.state != RunState::Complete { Style::Yellow } else { Style::Plain };
        put(&mut page, columns, &widths, shown, style);
    }
    page.gap();
    page.prose(0, (Style::Dim, ""), Style::Dim, LEFT_OUT);
    page.finish()
}

fn columns(row: &LogRow, unicode: bool) -> [String; 6] {
    let short: String = row.commit.chars().take(9).collect();
    let branch = truncate_middle(&visible(&one_line(&row.branch), unicode), LONGEST_BRANCH, unicode);
    let mut commit = [branch.as_str(), &short].iter().filter(|t| !t.is_empty()).copied().collect::<Vec<_>>().join("@");
    if row.dirty {
        commit.push_str(" dirty");
    }
    if let Some([base, candidate]) = &row.sides {
        commit = format!("{}..{}", abbreviated(base), abbreviated(candidate));
    }
    // `2025-03-01T12:00:05Z` without its seconds; a text of any other form is shown as it is.
    let when = match (row.started.get(..10), row.started.get(10..11), row.started.get(11..16)) {
        (Some(day), Some("T"), Some(minute)) => format!("{day} {minute}"),
        _ => row.started.clone(),
    };
    let imported = row.imported.as_ref().map(|tool| format!("(from {})", one_line(tool)));
    let tags = row.tags.iter().map(|tag| one_line(tag)).chain(imported).collect::<Vec<_>>().join(" ");
    let failed = match (row.state, row.failed) {
        (RunState::Complete, 0) => String::new(),
        (RunState::Complete, failed) => failed.to_string(),
        (state, 0) => state.name().to_owned(),
        (state, failed) => format!("{failed}, {}", state.name()),
    };
    [
        row.id.clone(),
        when,
        match (row.load, row.compares) {
            (true, _) => format!("load of {}", row.cases),
            (_, true) => format!("{} compared", row.cases),
            _ => row.cases.to_string(),
        },
        failed,
        commit,
        tags,
    ]
    .map(|text| one_line(&text))
}

fn put(page: &mut Page, columns: &[String; 6], widths: &[usize], shown: &[usize], style: Style) {
    let mut line = page.line();
    let mut at = 0;
    for column in shown {
        let text = &columns[*column];
        let last = shown.last() == Some(column);
        let room = if last { page.width.saturating_sub(at) } else { widths[*column] };
        if *column == 2 {
            line.pad_to(at + room.saturating_sub(page.measure(text)));
        }
        let style = if *column == 3 || style == Style::Dim { style } else { Style::Plain };
        line.pad_to(at).push(style, &block::name(page, text, room));
        at += widths[*column] + GAP;
    }
    page.put(line);
}

/// Cases that were found, by class or benchmark: their groups, where they are defined, with `verbose` their
/// parameters.
pub fn case_list(cases: &[Case], options: &TableOptions) -> String {
    let mut page = Page::new(options);
    if cases.is_empty() {
        page.prose(0, (Style::Plain, ""), Style::Plain, "no benchmarks found");
        return page.finish();
    }
    let groups = groups(cases.iter());
    let names =
        groups.iter().flat_map(|group| group.rows.iter().map(|(text, _)| (group.heading.as_deref(), text.as_str())));
    let names = CutNames::of(&page, names);
    let usual = 48.min(page.width / 2);
    let longest = page.room_for_names(names.longest(), usual);
    let names = names.cut_to(longest);
    for group in &groups {
        let indent = if group.heading.is_some() { INDENT } else { 0 };
        if let Some(text) = &group.heading {
            page.gap();
            block::heading(&mut page, text);
        }
        for (text, at) in &group.rows {
            let case = &cases[*at];
            let style = if case.settings.skip.is_some() { Style::Dim } else { Style::Plain };
            let mut line = names.begin(&mut page, group.heading.as_deref(), text, longest, style);
            line.pad_to(longest + GAP).push(Style::Dim, &one_line(&place(case)));
            if !case.groups.is_empty() {
                let groups: Vec<String> = case.groups.iter().map(|group| one_line(group)).collect();
                line.push(Style::Dim, &format!("  [{}]", groups.join(", ")));
            }
            page.put(line);
            if let Some(reason) = &case.settings.skip {
                page.prose(indent + 2, (Style::Dim, "skipped: "), Style::Dim, reason);
            }
            if options.verbose {
                let values = case.parameters.values.iter();
                let values: Vec<String> = values.map(|(name, value)| format!("{name} = {value}")).collect();
                page.phrases(indent + 2, (Style::Dim, ""), Style::Dim, ", ", &values);
            }
        }
    }
    page.gap();
    let total = if cases.len() == 1 { "1 case".to_owned() } else { format!("{} cases", cases.len()) };
    page.prose(0, (Style::Dim, ""), Style::Dim, &total);
    page.finish()
}

fn place(case: &Case) -> String {
    if case.line == 0 { case.file.clone() } else { format!("{}:{}", case.file, case.line) }
}
