use super::TableOptions;
use super::line::{Page, Style};
use crate::amount::amount;
use crate::figure::percent;
use crate::text::one_line;
use tare_results::{ProfileFound, ProfileView};

/// Rows of functions or system calls; the files have the rest.
const ROWS: usize = 12;
const NUMBER: usize = 12;

/// A profile: what takes most, and where the files are.
pub fn profile_report(view: &ProfileView, options: &TableOptions) -> String {
    let mut page = Page::new(options);
    let mut line = page.line();
    line.push(Style::Bold, &one_line(&view.case));
    line.push(
        Style::Dim,
        &format!(" on {} {}, {}", one_line(&view.runtime.name), one_line(&view.runtime.version), view.tool),
    );
    page.put(line);
    page.gap();
    match &view.found {
        ProfileFound::Stacks { calls, total, unit, own, files, .. } => {
            for (name, count) in own.iter().take(ROWS) {
                row(&mut page, &percent(*count as f64 / *total as f64), name);
            }
            more(&mut page, own.len());
            page.gap();
            page.prose(0, (Style::Plain, ""), Style::Plain, &format!(
                "{} {} in {} calls; a function's share is what it does itself, its callees left out. A worker under a tool is slower: these \
                 are shares, no times.",
                amount(*total as f64, ""), one_line(unit), amount(*calls as f64, "")
            ));
            page.gap();
            let place = |file: &str| format!("{}/{file}", view.folder);
            for (what, file) in ["flame graph", "stacks", "raw"].iter().zip(files) {
                page.prose(0, (Style::Dim, &format!("{what:<13}")), Style::Plain, &one_line(&place(file)));
            }
        }
        ProfileFound::Counts { what, calls, per_call, raw_per_call, repeat_difference, parts } => {
            row(&mut page, &figure(*per_call), &format!("{what} a call"));
            page.gap();
            for (name, count) in parts.iter().take(ROWS) {
                row(&mut page, &figure(*count), name);
            }
            more(&mut page, parts.len());
            page.gap();
            let steady = match *repeat_difference {
                0.0 => "A second count gave the same.".to_owned(),
                difference => format!("A second count differed by {} a call.", figure(difference).trim()),
            };
            page.prose(0, (Style::Plain, ""), Style::Plain, &format!(
                "The difference between {} and {} calls, less that of the null: {} with the worker's loop and call. {steady}",
                calls.few, calls.many, figure(*raw_per_call).trim()
            ));
            page.gap();
            page.prose(0, (Style::Dim, "raw          "), Style::Plain, &one_line(&view.folder));
        }
    }
    for note in &view.notes {
        page.prose(0, (Style::Dim, "note: "), Style::Plain, &one_line(note));
    }
    page.finish()
}

fn row(page: &mut Page, figure: &str, name: &str) {
    let mut line = page.line();
    let indent = NUMBER.saturating_sub(page.measure(figure));
    line.pad_to(indent).push(Style::Plain, figure).pad_to(NUMBER + 3).push(Style::Plain, &one_line(name));
    page.put(line);
}

fn more(page: &mut Page, all: usize) {
    if all > ROWS {
        let mut line = page.line();
        line.pad_to(NUMBER + 3).push(Style::Dim, &format!("and {} more", all - ROWS));
        page.put(line);
    }
}

/// A count a call: whole where it is, else to two decimals.
fn figure(count: f64) -> String {
    if count == count.trunc() { format!("{count:.0}") } else { format!("{count:.2}") }
}
