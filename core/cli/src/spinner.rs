//! What is waited for before anything is measured, with the seconds that it has taken: on a terminal alone, and gone with the next thing that happens.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use tare_session::Event;

use crate::progress;

/// A line that counts seconds.
pub(crate) struct Spinner(ProgressBar);

impl Spinner {
    /// Of an event after which something is waited for.
    pub(crate) fn of(event: &Event) -> Option<Self> {
        let text = event.awaited()?;
        let bar = progress::bar(1, "{spinner} {msg} {elapsed}")?;
        if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg} {elapsed}") {
            bar.set_style(style);
        }
        bar.set_message(tare_report::visible_message(&text).replace('\n', " "));
        bar.enable_steady_tick(Duration::from_millis(250));
        Some(Self(bar))
    }
}

impl Drop for Spinner {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
