//! What else the machine does just before the load: the disturbances that the report warns of.

use std::path::Path;
use std::time::Duration;

use tare_machine::fitness::{self, Level, Moment, Span};
use tare_statistics::Warning;

/// Long beside the kernel's ticks, and nobody minds it.
const LOOK: Duration = Duration::from_millis(200);
const SPAN: Span<'_> = Span { when: "just before the load", longer: "--duration" };

/// A machine that is meant to be idle, looked at for a moment.
pub(super) struct Look {
    before: Moment,
    after: Moment,
}

impl Look {
    pub(super) fn now() -> Self {
        let before = Moment::with_processes(Path::new("/"));
        std::thread::sleep(LOOK);
        Self { before, after: Moment::with_processes(Path::new("/")) }
    }

    /// What disturbs it, to be known before the figures are believed.
    pub(super) fn disturbances(&self) -> Vec<Warning> {
        fitness::of_span(&self.before, &self.after, SPAN)
            .into_iter()
            .filter(|finding| finding.level >= Level::MayDisturb)
            .map(|finding| Warning {
                code: finding.code.clone(),
                message: format!("{}: {}", finding.found, finding.effect),
                remedy: finding.remedy,
            })
            .collect()
    }

    /// The part of all CPUs' time that others took; 0 where it isn't known.
    pub(super) fn taken(&self) -> f64 {
        fitness::share_of_others(&self.before, &self.after).unwrap_or(0.0)
    }
}

/// What disturbs the machine before the load.
pub(super) fn disturbances() -> Vec<Warning> {
    Look::now().disturbances()
}
