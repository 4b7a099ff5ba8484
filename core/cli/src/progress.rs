//! Progress on standard error: a bar on a terminal, a line now and then elsewhere. It is drawn between launches only:
//! nothing ticks while something is measured.

use std::io::{self, IsTerminal, Write};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use tare_session::MeasuringStep as Step;

use crate::screen;

/// Positions of the bar.
const STEPS: u64 = 1000;
/// Characters of a title.
const LONGEST: usize = 120;
/// Without a terminal a line is printed whenever this share more is done.
const LINE_EVERY: f64 = 0.1;

/// How far a run is.
pub(crate) struct ProgressLine {
    bar: Option<ProgressBar>,
    titles: Vec<String>,
    printed: f64,
}

impl ProgressLine {
    /// `groups`: the ids of the cases, one a group.
    pub(crate) fn new(groups: &[String]) -> Self {
        let bar = io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::with_draw_target(Some(STEPS), ProgressDrawTarget::stderr_with_hz(10));
            let template = if screen::colour_is_welcome() { "{bar:20.cyan/dim} {msg}" } else { "{bar:20} {msg}" };
            if let Ok(style) = ProgressStyle::with_template(template) {
                bar.set_style(style.progress_chars("━╸─"));
            }
            bar
        });
        let title = |case: &String| {
            let name = case.split_once('/').map_or(case.as_str(), |(_, name)| name);
            // Names may be of any length, and whoever reads a log wants a line.
            let head: String = name.chars().take(LONGEST).collect();
            let more = if head.len() < name.len() { "…" } else { "" };
            tare_report::visible_message(&head).replace('\n', " ") + more
        };
        Self { bar, titles: groups.iter().map(title).collect(), printed: 0.0 }
    }

    /// The run got on.
    pub(crate) fn show(&mut self, group: usize, step: Step, share: f64, left_ns: Option<f64>) {
        let title = self.titles.get(group).map_or("", String::as_str);
        let left = left_ns.map(|ns| format!("{} left", duration(Duration::from_nanos(ns as u64))));
        match (&self.bar, step) {
            (Some(bar), Step::Pilot) => {
                bar.set_message(format!("pilot {}/{} · {}", group + 1, self.titles.len(), cut(title)));
            }
            (Some(bar), Step::Launch { number, most }) => {
                bar.set_position((share * STEPS as f64) as u64);
                let left = left.unwrap_or_default();
                bar.set_message(format!("{left} · launch {number}/{most} of {}", cut(title)));
            }
            (Some(bar), Step::Again { number, most }) => {
                bar.set_position((share * STEPS as f64) as u64);
                bar.set_message(format!("again, fresh: launch {number}/{most} of {}", cut(title)));
            }
            (None, Step::Pilot) => line(&format!("pilot {}/{}: {title}", group + 1, self.titles.len())),
            (None, Step::Launch { .. } | Step::Again { .. }) if share >= self.printed + LINE_EVERY => {
                self.printed = share;
                line(&format!("measured {:.0} %, {}", 100.0 * share, left.unwrap_or_default()));
            }
            (None, Step::Launch { .. } | Step::Again { .. }) => {}
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
            Some(bar) => bar.println(format!("tare: {}", tare_report::visible_message(message))),
            None => screen::complain(message),
        }
    }
}

fn line(text: &str) {
    // Standard error may be closed: then nobody wants to know.
    let _ = writeln!(io::stderr(), "{text}");
}

/// A title that leaves room for the rest of an 80-column line.
fn cut(title: &str) -> String {
    const MOST: usize = 32;
    if title.chars().count() <= MOST { title.to_owned() } else { title.chars().take(MOST - 1).chain(['…']).collect() }
}

fn duration(duration: Duration) -> String {
    match duration.as_secs() {
        0 => "1 s".to_owned(),
        seconds @ 1..=99 => format!("{seconds} s"),
        seconds => format!("{} min", seconds.div_ceil(60)),
    }
}
