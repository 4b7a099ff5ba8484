//! How far a look at clocks is, on standard error: a bar on a terminal, else a line for what takes a while. Drawn between measurements only.

use std::io::{self, IsTerminal};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::screen;

/// Those that take a while.
const LONG: [&str; 2] = ["clocks", "waits"];

pub(crate) struct ClockLine {
    bar: Option<ProgressBar>,
}

impl ClockLine {
    /// `stages`: of all runtimes.
    pub(crate) fn new(stages: u64) -> Self {
        let bar = io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::with_draw_target(Some(stages), ProgressDrawTarget::stderr_with_hz(10));
            let template = if screen::colour_is_welcome() { "{bar:20.cyan/dim} {msg}" } else { "{bar:20} {msg}" };
            if let Ok(style) = ProgressStyle::with_template(template) {
                bar.set_style(style.progress_chars("━╸─"));
            }
            bar
        });
        Self { bar }
    }

    /// A runtime's stage begins; so many are done.
    pub(crate) fn show(&self, runtime: &str, stage: &str, done: u64) {
        match &self.bar {
            Some(bar) => {
                bar.set_position(done);
                let runtime: String =
                    tare_report::visible_message(runtime).replace('\n', " ").chars().take(40).collect();
                bar.set_message(format!("{runtime}: {stage}"));
                bar.tick();
            }
            None if LONG.contains(&stage) => screen::complain(&format!("{runtime}: {stage}")),
            None => {}
        }
    }
}

impl Drop for ClockLine {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
