//! What is waited for before anything is measured, with the seconds that it has taken: on a terminal alone, and gone with the next thing that happens.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use tare_session::{Event, PreparationStep as Step};

use crate::progress;

/// A line that counts seconds.
pub(crate) struct Spinner(ProgressBar);

impl Spinner {
    /// Of an event after which something is waited for.
    pub(crate) fn of(event: &Event) -> Option<Self> {
        let text = match event {
            Event::Preparing { side, step } => {
                let doing = match step {
                    Step::Waiting => "waiting",
                    Step::CheckingOut => "checking out",
                    Step::FetchingSubmodules => "fetching submodules",
                    Step::Preparing => "preparing",
                };
                format!("{side}: {doing}")
            }
            Event::Building { side, .. } if side.is_empty() => "building".to_owned(),
            Event::Building { side, .. } => format!("{side}: building"),
            Event::Waiting { .. } => "waiting".to_owned(),
            Event::Listing { file, done, of } => format!("listing benchmarks, {} of {of}: {file}", done + 1),
            _ => return None,
        };
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
