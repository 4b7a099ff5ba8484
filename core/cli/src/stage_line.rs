//! How far something in stages is, and what is waited for, on standard error: a bar on a terminal, else a line for what takes a while. Drawn between
//! measurements only.

use std::cell::Cell;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use tare_session::Event;

use crate::progress::bar;
use crate::screen;

pub(crate) struct StageLine {
    bar: Option<ProgressBar>,
    /// When a line was printed last, where there is no bar.
    printed: Cell<Instant>,
}

/// A log that says nothing for longer reads as if it stood still.
const SILENCE: Duration = Duration::from_secs(20);

impl StageLine {
    pub(crate) fn new(stages: u64) -> Self {
        Self { bar: bar(stages, "{bar:20.cyan/dim} {msg}"), printed: Cell::new(Instant::now()) }
    }

    /// A stage begins; so many are done. `is_long`: where there is no bar, it is worth a line.
    pub(crate) fn show(&self, message: &str, done: u64, is_long: bool) {
        match &self.bar {
            Some(bar) => {
                bar.set_position(done);
                bar.set_message(tare_report::visible_message(message).replace('\n', " "));
                bar.tick();
            }
            None if is_long || self.printed.get().elapsed() >= SILENCE => {
                self.printed.set(Instant::now());
                screen::complain(message);
            }
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

/// What is waited for, with the seconds that it has taken: on a terminal alone, and gone with the next thing that happens.
pub(crate) struct Spinner(ProgressBar);

impl Spinner {
    /// Of an event after which something is waited for.
    pub(crate) fn of(event: &Event) -> Option<Self> {
        let text = event.awaited()?;
        let line = bar(1, "{spinner} {msg} {elapsed}")?;
        if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg} {elapsed}") {
            line.set_style(style);
        }
        line.set_message(tare_report::visible_message(&text).replace('\n', " "));
        line.enable_steady_tick(Duration::from_millis(250));
        Some(Self(line))
    }
}

impl Drop for Spinner {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
