//! A case's line while the run goes on.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use tare_results::EarlyRow;
use tare_samples::TimeUnit;

use crate::figure::{Figure, bound};
use crate::names::{Names, class};
use crate::progress::case_title;
use crate::text::{one_line, truncate_middle, visible, width};
use crate::wording;

/// Names longer than this are cut in the middle, as long as the line is wide enough for the figures.
const LONGEST_NAME: usize = 48;
const SHORTEST_NAME: usize = 16;
/// Columns of the figures.
const FIGURES: usize = 60;
const TIME: usize = 22;
const CHANGE: usize = 18;

/// The row as one line of at most `columns`: `name`, time, change, verdict; what isn't known is left blank.
fn early_row(row: &EarlyRow, name: &str, columns: usize, unicode: bool) -> String {
    let room = columns.saturating_sub(FIGURES).clamp(SHORTEST_NAME, LONGEST_NAME);
    let name = truncate_middle(&visible(&one_line(name), unicode), room, unicode);
    let time = row.time.map(|time| match time.estimate {
        _ if time.is_upper_bound() => format!("< {}", bound(time.high)),
        some => Figure::interval(&time, TimeUnit::fitting(some)).inline(),
    });
    let change = row.ratio.map(|ratio| Figure::ratio(&ratio).inline());
    let said = match (&row.failed, row.again, row.verdict) {
        (Some(why), ..) => visible(&one_line(why), unicode),
        (None, true, Some(verdict)) => format!("{}? again", wording::word(verdict)),
        (None, true, None) => "again".to_owned(),
        (None, false, verdict) => verdict.map_or("", wording::word).to_owned(),
    };
    let padded = |text: &str, columns: usize| format!("{text}{}", " ".repeat(columns.saturating_sub(width(text))));
    let mut line = format!("{}  {}", padded(&name, room), padded(&time.unwrap_or_default(), TIME));
    if change.is_some() || !said.is_empty() {
        line +=
            &format!("  {}  {said}", padded(&change.unwrap_or_default(), if row.ratio.is_some() { CHANGE } else { 0 }));
    }
    let line = line.trim_end();
    // A title that wraps would break what is redrawn below it.
    crate::text::truncate_end(line, columns, unicode)
}

/// What is being done of a case, as a line below the rows.
fn doing(title: &str, what: &str, columns: usize) -> String {
    let room = columns.saturating_sub(width(what) + 6).clamp(SHORTEST_NAME, LONGEST_NAME);
    crate::text::truncate_end(
        &format!("  {} · {what}", truncate_middle(&visible(&one_line(title), true), room, true)),
        columns,
        true,
    )
}

/// The newest rows, and below them what each lane does.
#[derive(Debug)]
pub struct LiveLines {
    titles: Vec<String>,
    names: Names,
    /// Whether classes head their cases: they have several each.
    headed: bool,
    /// The class that the last row is of.
    heading: String,
    rows: VecDeque<String>,
    doing: BTreeMap<usize, String>,
}

impl LiveLines {
    /// `groups`: the ids of the cases, one a group.
    pub fn new(groups: &[String]) -> Self {
        let titles: Vec<String> = groups.iter().map(|case| case_title(case)).collect();
        let names = Names::of(titles.iter().map(String::as_str));
        let classes: BTreeSet<&str> = titles.iter().map(|title| class(title)).collect();
        let headed = titles.len() >= 2 * classes.len();
        Self { titles, names, headed, heading: String::new(), rows: VecDeque::new(), doing: BTreeMap::new() }
    }

    /// What a lane does now.
    pub fn doing(&mut self, group: usize, lane: usize, what: &str, columns: usize) {
        let title = self.titles.get(group).map_or("", |title| self.names.short(title));
        self.doing.insert(lane, doing(title, what, columns));
    }

    /// Adds rows, and gives them back as text: the part of each name that differs, its class once above those that follow each other.
    pub fn rows(&mut self, rows: &[EarlyRow], columns: usize, unicode: bool) -> String {
        let mut lines = Vec::new();
        for row in rows {
            let class = class(&row.name);
            if self.headed && self.heading != class {
                class.clone_into(&mut self.heading);
                let heading = visible(&one_line(class.trim_end_matches(':')), unicode);
                lines.extend((!class.is_empty()).then(|| truncate_middle(&heading, columns, unicode)));
            }
            let (indent, name) = match (self.headed, class) {
                (true, "") | (false, _) => ("", self.names.short(&row.name)),
                (true, class) => ("  ", &row.name[class.len()..]),
            };
            lines.push(early_row(row, &format!("{indent}{name}"), columns, unicode));
        }
        let text = lines.iter().map(|line| format!("{line}\n")).collect();
        self.rows.extend(lines);
        text
    }

    /// What there is room for on a screen of so many rows; all of it is in the report.
    pub fn text(&mut self, screen: usize) -> String {
        let room = screen.saturating_sub(self.doing.len() + 3);
        self.rows.drain(..self.rows.len().saturating_sub(room));
        self.rows.iter().chain(self.doing.values()).map(|line| format!("{line}\n")).collect()
    }
}

#[cfg(test)]
mod tests {
    use tare_results::EarlyRow;
    use tare_statistics::Estimate;
    use tare_statistics::comparison::Verdict;

    use super::LiveLines;

    fn early_row(row: &EarlyRow, columns: usize, unicode: bool) -> String {
        super::early_row(row, &row.name, columns, unicode)
    }

    fn row(name: &str) -> EarlyRow {
        EarlyRow { name: name.to_owned(), time: None, ratio: None, verdict: None, again: false, failed: None }
    }

    #[test]
    fn a_row_has_what_is_known_and_fits_into_its_line() {
        let time = Some(Estimate { estimate: 123.4, low: 122.9, high: 123.9 });
        let ratio = Some(Estimate { estimate: 1.031, low: 1.029, high: 1.033 });
        let compared = EarlyRow { time, ratio, verdict: Some(Verdict::Slower), ..row("HashBench::benchLookup") };
        assert_eq!(
            early_row(&compared, 100, true),
            "HashBench::benchLookup                    123.40 ns ± 0.50        +3.10 % ± 0.20      slower"
        );
        let alone = EarlyRow { time, ..row("HashBench::benchLookup") };
        assert_eq!(early_row(&alone, 100, true), "HashBench::benchLookup                    123.40 ns ± 0.50");
        let again = EarlyRow { ratio, verdict: Some(Verdict::Slower), again: true, ..row("a") };
        assert!(early_row(&again, 120, true).ends_with("slower? again"));
        let open = EarlyRow { ratio, verdict: Some(Verdict::Inconclusive), ..row("a") };
        assert!(early_row(&open, 120, true).ends_with(" undecided"), "as in the report");
        let nothing = EarlyRow { time: Some(Estimate { estimate: -0.1, low: -0.4, high: 0.3 }), ..row("nothing") };
        assert!(early_row(&nothing, 80, true).contains("< 0.3"), "{}", early_row(&nothing, 80, true));
        // A single launch: there is a time, and no interval.
        let once = Estimate { estimate: 123.4, low: f64::NEG_INFINITY, high: f64::INFINITY };
        assert_eq!(early_row(&EarlyRow { time: Some(once), ..row("once") }, 80, true), "once                  123 ns");
        for columns in [40, 80, 100] {
            let hostile =
                EarlyRow { failed: Some("\u{1b}[31mno\nway ".repeat(40)), ..row(&"n\u{202e}ame\n".repeat(30)) };
            let line = early_row(&hostile, columns, true);
            assert!(crate::text::width(&line) <= columns && !line.contains(['\n', '\u{1b}', '\u{202e}']), "{line:?}");
        }
    }

    #[test]
    fn a_class_stands_once_above_its_rows() {
        let shown = |groups: &[&str], rows: &[&str]| {
            let mut lines = LiveLines::new(&groups.iter().map(|&group| group.to_owned()).collect::<Vec<_>>());
            rows.iter().map(|name| lines.rows(&[row(name)], 80, true)).collect::<String>()
        };
        let groups = ["php/App\\A::get#x", "php/App\\A::get#y", "php/App\\B::put#1", "php/App\\B::put#2"];
        let rows = ["App\\A::get x", "App\\A::get y", "App\\B::put 1", "App\\A::get x", "sort"];
        assert_eq!(shown(&groups, &rows), "App\\A\n  get x\n  get y\nApp\\B\n  put 1\nApp\\A\n  get x\nsort\n");
        // Of classes with one case each only what they share is left out.
        assert_eq!(shown(&groups[1..3], &rows[1..3]), "A::get y\nB::put 1\n");
        assert_eq!(shown(&groups[..1], &rows[..1]), "App\\A::get x\n", "one name alone is whole");
        let evil = format!("\u{1b}[31m{}::\n", "x".repeat(300));
        let text = shown(&["a", "b"], &[&evil, &evil]);
        assert!(text.lines().all(|line| crate::text::width(line) <= 80) && !text.contains('\u{1b}'), "{text}");
    }
}
