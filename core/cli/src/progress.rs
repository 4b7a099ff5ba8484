//! Progress on standard error. On a terminal the newest rows, what each lane does, and a bar; elsewhere a line a row. It is drawn between
//! launches only: nothing ticks while something is measured.

use std::collections::{BTreeMap, VecDeque};
use std::io::{self, IsTerminal, Write};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use tare_report::{case_title, whole_time};
use tare_results::EarlyRow;
use tare_session::{Event, MeasuringStep as Step};

use crate::screen;

/// Positions of the bar.
const STEPS: u64 = 1000;

/// A bar of so many steps, where standard error is a terminal.
pub(crate) fn bar(steps: u64) -> Option<ProgressBar> {
    io::stderr().is_terminal().then(|| {
        let bar = ProgressBar::with_draw_target(Some(steps), ProgressDrawTarget::stderr_with_hz(10));
        let template = if screen::colour_is_welcome() { "{bar:20.cyan/dim} {msg}" } else { "{bar:20} {msg}" };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars("━╸─"));
        }
        bar
    })
}

/// How far a run is.
pub(crate) struct ProgressLine {
    bar: Option<ProgressBar>,
    titles: Vec<String>,
    /// The newest that the screen has room for; all of them are in the report.
    rows: VecDeque<String>,
    /// What each lane does.
    doing: BTreeMap<usize, String>,
}

impl ProgressLine {
    /// `groups`: the ids of the cases, one a group.
    pub(crate) fn new(groups: &[String]) -> Self {
        let bar = bar(STEPS);
        let (full, bare) = ("{msg}{bar:20.cyan/dim} {prefix}", "{msg}{bar:20} {prefix}");
        let style = ProgressStyle::with_template(if screen::colour_is_welcome() { full } else { bare });
        if let (Some(bar), Ok(style)) = (&bar, style) {
            bar.set_style(style.progress_chars("━╸─"));
        }
        let titles = groups.iter().map(|case| case_title(case)).collect();
        Self { bar, titles, rows: VecDeque::new(), doing: BTreeMap::new() }
    }

    /// The run got on, or rows are known.
    pub(crate) fn hear(&mut self, event: &Event) {
        match event {
            Event::Progress { group, lane, step, share, left_ns } => {
                self.show((*group, *lane), *step, *share, *left_ns)
            }
            Event::Rows { rows } => self.rows(rows),
            _ => {}
        }
    }

    fn show(&mut self, (group, lane): (usize, usize), step: Step, share: f64, left_ns: Option<f64>) {
        let Some(bar) = &self.bar else { return };
        let title = self.titles.get(group).map_or("", String::as_str);
        let what = match step {
            Step::Pilot => "pilot".to_owned(),
            Step::Launch { number, most } => format!("launch {number}/{most}"),
            Step::Again { number, most } => format!("again, fresh: launch {number}/{most}"),
        };
        self.doing.insert(lane, tare_report::doing(title, &what, screen::error_columns()));
        bar.set_position((share * STEPS as f64) as u64);
        bar.set_prefix(left_ns.map_or_else(String::new, |ns| format!("{} left", whole_time(ns))));
        self.draw();
    }

    fn rows(&mut self, rows: &[EarlyRow]) {
        let columns = screen::error_columns();
        for row in rows.iter().map(|row| tare_report::early_row(row, columns, screen::unicode_is_shown())) {
            if self.bar.is_none() {
                // Whoever closed standard error doesn't want to know.
                let _ = writeln!(io::stderr(), "{row}");
            }
            self.rows.push_back(row);
        }
        self.draw();
    }

    fn draw(&mut self) {
        let Some(bar) = &self.bar else { return };
        let room = screen::error_rows().saturating_sub(self.doing.len() + 3);
        self.rows.drain(..self.rows.len().saturating_sub(room));
        let lines: String = self.rows.iter().chain(self.doing.values()).map(|line| format!("{line}\n")).collect();
        bar.set_message(lines);
    }

    /// All is done: the bar goes, the report follows.
    pub(crate) fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    /// A message that stays, above the bar.
    pub(crate) fn above(&self, message: &str) {
        match &self.bar {
            Some(bar) => bar.println(format!("tare: {}", tare_report::visible_message(message))),
            None => screen::complain(message),
        }
    }
}
