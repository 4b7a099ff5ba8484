//! How far something in stages is, on standard error: a bar on a terminal, else a line for what takes a while. Drawn between measurements only.

use indicatif::ProgressBar;

use crate::progress::bar;
use crate::screen;

pub(crate) struct StageLine {
    bar: Option<ProgressBar>,
}

impl StageLine {
    pub(crate) fn new(stages: u64) -> Self {
        Self { bar: bar(stages, "{bar:20.cyan/dim} {msg}") }
    }

    /// A stage begins; so many are done. `is_long`: where there is no bar, it is worth a line.
    pub(crate) fn show(&self, message: &str, done: u64, is_long: bool) {
        match &self.bar {
            Some(bar) => {
                bar.set_position(done);
                bar.set_message(tare_report::visible_message(message).replace('\n', " "));
                bar.tick();
            }
            None if is_long => screen::complain(message),
            None => {}
        }
    }
}

impl Drop for StageLine {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
