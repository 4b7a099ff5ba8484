//! How far a look at clocks is, on standard error: a bar on a terminal, else a line for what takes a while. Drawn between measurements only.

use indicatif::ProgressBar;

use crate::progress::bar;
use crate::screen;

/// Those that take a while.
const LONG: [&str; 2] = ["clocks", "waits"];

pub(crate) struct ClockLine {
    bar: Option<ProgressBar>,
}

impl ClockLine {
    /// `stages`: of all runtimes.
    pub(crate) fn new(stages: u64) -> Self {
        Self { bar: bar(stages, "{bar:20.cyan/dim} {msg}") }
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
