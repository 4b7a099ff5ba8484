//! Progress on standard error: a bar on a terminal, a line a case elsewhere. It is drawn between rounds only: nothing
//! ticks while something is measured.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use tare_engine::Progress;

use crate::screen;

/// Positions of the bar for one group.
const STEPS: u64 = 100;

/// How far a run is.
pub(crate) struct ProgressLine {
    bar: Option<ProgressBar>,
    groups: usize,
    done: usize,
    begun: Instant,
}

impl ProgressLine {
    /// Progress over `groups` groups.
    pub(crate) fn new(groups: usize) -> Self {
        let terminal = io::stderr().is_terminal();
        let bar = terminal.then(|| {
            let bar =
                ProgressBar::with_draw_target(Some(groups as u64 * STEPS), ProgressDrawTarget::stderr_with_hz(10));
            let template = if screen::colour_is_welcome() { "{bar:24.cyan/dim} {msg}" } else { "{bar:24} {msg}" };
            if let Ok(style) = ProgressStyle::with_template(template) {
                bar.set_style(style.progress_chars("━╸─"));
            }
            bar
        });
        Self { bar, groups, done: 0, begun: Instant::now() }
    }

    /// A group begins.
    pub(crate) fn begin(&mut self, title: &str) {
        let title = screen::visible(title).replace('\n', " ");
        let left = self.left_after_this().map(|left| format!(", about {} left", duration(left))).unwrap_or_default();
        match &self.bar {
            Some(bar) => {
                bar.set_position(self.done as u64 * STEPS);
                bar.set_message(format!("{}/{} {}", self.done + 1, self.groups, cut(&title)));
            }
            None => {
                let _ = writeln!(io::stderr(), "[{}/{}] {title}{left}", self.done + 1, self.groups);
            }
        }
    }

    /// A group got on.
    pub(crate) fn show(&mut self, progress: &Progress) {
        let Some(bar) = &self.bar else { return };
        bar.set_position(self.done as u64 * STEPS + (progress.share * STEPS as f64) as u64);
        let others = self.left_after_this().unwrap_or_default();
        let left = Duration::from_nanos(progress.left_ns as u64) + others;
        let message = bar.message();
        let title = message.split(" · ").next().unwrap_or_default();
        bar.set_message(format!(
            "{title} · launch {}/{} · {} left",
            progress.launches + 1,
            progress.of,
            duration(left)
        ));
    }

    /// A group is done.
    pub(crate) fn end(&mut self) {
        self.done += 1;
        if let Some(bar) = &self.bar {
            bar.set_position(self.done as u64 * STEPS);
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
            Some(bar) => bar.println(message),
            None => {
                let _ = writeln!(io::stderr(), "{message}");
            }
        }
    }

    /// What the groups after this one will take, going by those before it.
    fn left_after_this(&self) -> Option<Duration> {
        let after = self.groups.checked_sub(self.done + 1)? as u32;
        (self.done > 0).then(|| self.begun.elapsed() / self.done as u32 * after)
    }
}

/// A title that leaves room for the rest of the line.
fn cut(title: &str) -> String {
    const MOST: usize = 40;
    if title.chars().count() <= MOST { title.to_owned() } else { title.chars().take(MOST - 1).chain(['…']).collect() }
}

fn duration(duration: Duration) -> String {
    match duration.as_secs() {
        0 => "1 s".to_owned(),
        seconds @ 1..=99 => format!("{seconds} s"),
        seconds => format!("{} min", seconds.div_ceil(60)),
    }
}
