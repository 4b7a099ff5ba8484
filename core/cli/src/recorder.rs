//! Keeps what is measured as it is measured, and shows how far it is.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tare_engine::{Observer, Progress};
use tare_samples::{Calibration, Launch, Measurement, Outcome, Variant};
use tare_statistics::Summary;
use tare_store::{SqliteStore, Store, StoreError};

use crate::progress::ProgressLine;
use crate::screen;

/// The engine's observer: commits every launch before the next begins.
pub(crate) struct Recorder {
    store: Option<SqliteStore>,
    run: String,
    /// The store failed; measuring goes on without it.
    pub(crate) broken: Option<StoreError>,
    pub(crate) progress: ProgressLine,
    stop: Arc<AtomicBool>,
}

impl Recorder {
    pub(crate) fn new(store: Option<SqliteStore>, run: String, progress: ProgressLine, stop: Arc<AtomicBool>) -> Self {
        Self { store, run, broken: None, progress, stop }
    }

    /// Whether the run is in the store, whole.
    pub(crate) fn stores(&self) -> bool {
        self.store.is_some() && self.broken.is_none()
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Does something with the store; when it fails that is told at once, and what follows is only reported.
    pub(crate) fn keep(&mut self, act: impl FnOnce(&mut SqliteStore, &str) -> Result<(), StoreError>) {
        if self.broken.is_some() {
            return;
        }
        if let Some(store) = &mut self.store
            && let Err(error) = act(store, &self.run)
        {
            self.progress.above(&format!(
                "tare: {}\ntare: measuring goes on without the store; what was stored before is kept, the rest is only reported",
                screen::visible(&error.to_string())
            ));
            self.broken = Some(error);
        }
    }

    pub(crate) fn outcome(&mut self, measurement: &Measurement, summary: Option<&Summary>) {
        if measurement.outcome == Outcome::Interrupted {
            // Without an outcome it is what `--resume` goes on with.
            return;
        }
        self.keep(|store, run| store.put_outcome(run, &measurement.variant.id, &measurement.outcome, summary));
    }
}

impl Observer for Recorder {
    fn calibrated(&mut self, variant: &Variant, calibration: &Calibration) {
        self.keep(|store, run| store.put_calibration(run, &variant.id, calibration));
    }

    fn launched(&mut self, launches: &[(&Variant, &Launch)]) {
        let launches: Vec<(&str, &Launch)> =
            launches.iter().map(|(variant, launch)| (variant.id.as_str(), *launch)).collect();
        self.keep(|store, run| store.put_launches(run, &launches));
    }

    fn ended(&mut self, variant: &Variant, outcome: &Outcome) {
        // The figures follow when all is measured; a kill until then leaves the samples, which they come from.
        self.keep(|store, run| store.put_outcome(run, &variant.id, outcome, None));
    }

    fn progress(&mut self, progress: &Progress) {
        self.progress.show(progress);
    }

    fn interrupted(&self) -> bool {
        self.is_stopped()
    }
}
