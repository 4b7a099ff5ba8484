//! Progress on standard error. On a terminal the newest rows, what each lane does, and a bar; elsewhere a line a row. It is drawn between
//! launches only: nothing ticks while something is measured.

use std::io::{self, IsTerminal, Write};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use tare_report::{LiveLines, time_left};
use tare_session::{Event, MeasuringStep as Step};

use crate::screen;

/// Positions of the bar.
const STEPS: u64 = 1000;

/// A bar of so many steps, where standard error is a terminal.
pub(crate) fn bar(steps: u64, template: &str) -> Option<ProgressBar> {
    io::stderr().is_terminal().then(|| {
        let bar = ProgressBar::with_draw_target(Some(steps), ProgressDrawTarget::stderr_with_hz(10));
        let bare = template.replace(".cyan/dim", "");
        if let Ok(style) = ProgressStyle::with_template(if screen::colour_is_welcome() { template } else { &bare }) {
            bar.set_style(style.progress_chars("━╸─"));
        }
        bar
    })
}

/// How far a run is.
pub(crate) struct ProgressLine {
    bar: Option<ProgressBar>,
    lines: LiveLines,
}

impl ProgressLine {
    /// `groups`: the ids of the cases, one a group.
    pub(crate) fn new(groups: &[String]) -> Self {
        Self { bar: bar(STEPS, "{msg}{bar:20.cyan/dim} {prefix}"), lines: LiveLines::new(groups) }
    }

    /// The run got on, or rows are known.
    pub(crate) fn hear(&mut self, event: &Event) {
        let columns = screen::error_columns();
        match (event, &self.bar) {
            (Event::Progress { group, lane, step, share, left_ns, left_range_ns }, Some(bar)) => {
                let what = match step {
                    Step::Pilot => "pilot".to_owned(),
                    Step::Launch { number, most } => format!("launch {number}/{most}"),
                    Step::Again { number, most } => format!("again, fresh: launch {number}/{most}"),
                };
                self.lines.doing(*group, *lane, &what, columns);
                bar.set_position((share * STEPS as f64) as u64);
                let left = left_ns.zip(*left_range_ns);
                bar.set_prefix(
                    left.map_or_else(String::new, |(left_ns, range)| time_left(left_ns, (range.least, range.most))),
                );
            }
            (Event::Rows { rows }, bar) => {
                let lines = self.lines.rows(rows, columns, screen::unicode_is_shown());
                // Standard error may be closed: then nobody wants to know.
                let _ = bar.is_none().then(|| io::stderr().write_all(lines.as_bytes()));
            }
            _ => {}
        }
        if let Some(bar) = &self.bar {
            bar.set_message(self.lines.text(screen::error_rows()));
        }
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
            Some(bar) => bar.println(screen::said(message)),
            None => screen::complain(message),
        }
    }
}
