//! Keeps what is measured as it is measured, and tells how far it is.

use std::sync::atomic::Ordering;

use tare_engine::{Observer, Progress, Step};
use tare_samples::{Calibration, Launch, Measurement, Outcome, Variant};
use tare_statistics::Summary;
use tare_store::{Spooling, Store, StoreError};

use crate::event::{Event, MeasuringStep};
use crate::session::Session;

/// The engine's observer: commits every launch before the next takes its first turn.
pub(crate) struct Recorder<'a> {
    store: Option<Box<dyn Store>>,
    run: String,
    /// The store failed; measuring goes on without it.
    pub(crate) broken: Option<StoreError>,
    /// What can't be sent at the moment is kept elsewhere.
    is_aside: bool,
    /// The largest share of the run that was told.
    share: f64,
    pub(crate) session: &'a Session<'a>,
}

impl<'a> Recorder<'a> {
    pub(crate) fn new(store: Option<Box<dyn Store>>, run: String, session: &'a Session<'a>) -> Self {
        Self { store, run, broken: None, is_aside: false, share: 0.0, session }
    }

    /// Whether the run is in the store, whole.
    pub(crate) fn stores(&self) -> bool {
        self.store.is_some() && self.broken.is_none()
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.session.is_stopped()
    }

    /// Whether the run was given to somebody else, which is why it was stopped.
    pub(crate) fn is_fenced(&self) -> bool {
        matches!(self.broken, Some(StoreError::Fenced { .. }))
    }

    /// Does something with the store; when it fails that is told at once, and what follows is only reported.
    pub(crate) fn keep(&mut self, act: impl FnOnce(&mut dyn Store, &str) -> Result<(), StoreError>) {
        if self.broken.is_some() {
            return;
        }
        let Some(store) = &mut self.store else { return };
        if let Err(error) = act(store.as_mut(), &self.run) {
            if matches!(error, StoreError::Fenced { .. }) {
                // What would still be measured couldn't be stored, and its processes would disturb the process that has the run now.
                self.session.notice(format!("{error} Measuring ends here."));
                self.session.stop_flag().store(true, Ordering::Relaxed);
            } else {
                self.session.emit(&Event::StoreFailed { message: error.to_string() });
            }
            self.broken = Some(error);
            return;
        }
        let spooling = store.spool();
        if spooling.is_some() != self.is_aside {
            self.session.notice(match spooling {
                Some(Spooling { folder, why }) => format!(
                    "{why} Until it is back, Tare stores results in the spool {}; the next run or `tare store push` sends what remains there",
                    folder.display()
                ),
                None => "the store is back; Tare sent the spool to it".to_owned(),
            });
            self.is_aside = spooling.is_some();
        }
    }

    pub(crate) fn keep_calibration(&mut self, variant: &Variant, calibration: &Calibration) {
        self.keep(|store, run| store.put_calibration(run, &variant.id, calibration));
    }

    pub(crate) fn outcome(&mut self, measurement: &Measurement, summary: Option<&Summary>) {
        if measurement.outcome == Outcome::Interrupted {
            // Without an outcome it is what `--resume` goes on with.
            return;
        }
        self.keep(|store, run| store.put_outcome(run, &measurement.variant.id, &measurement.outcome, summary));
    }
}

impl Observer for Recorder<'_> {
    fn calibrated(&mut self, variant: &Variant, calibration: &Calibration) {
        self.keep_calibration(variant, calibration);
        self.session.emit(&Event::Calibrated { variant: variant.id.clone(), calls: calibration.iterations });
    }

    fn launched(&mut self, launches: &[(&Variant, &Launch)]) {
        let stored: Vec<(&str, &Launch)> =
            launches.iter().map(|(variant, launch)| (variant.id.as_str(), *launch)).collect();
        self.keep(|store, run| store.put_launches(run, &stored));
        let variants = launches.iter().map(|(variant, _)| variant.id.clone()).collect();
        self.session.emit(&Event::Launched { variants });
    }

    fn ended(&mut self, variant: &Variant, outcome: &Outcome) {
        // The figures follow when all is measured; a kill until then leaves the samples, which they come from.
        self.keep(|store, run| store.put_outcome(run, &variant.id, outcome, None));
        let outcome = match outcome {
            Outcome::Ok => "ok",
            Outcome::Failed(_) => "failed",
            Outcome::Skipped(_) => "skipped",
            Outcome::Interrupted => "interrupted",
        };
        self.session.emit(&Event::Ended { variant: variant.id.clone(), outcome: outcome.to_owned() });
    }

    fn progress(&mut self, progress: &Progress) {
        let step = match progress.step {
            Step::Pilot => MeasuringStep::Pilot,
            Step::Launch { number, of } => MeasuringStep::Launch { number, most: of },
            Step::Again { number, of } => MeasuringStep::Again { number, most: of },
        };
        let Progress { group, lane, share, left_ns, left_range_ns, .. } = *progress;
        // A forecast that turns out too short makes the rest longer; what is done stays done.
        self.share = self.share.max(share);
        let share = self.share;
        self.session.emit(&Event::Progress { group, lane, step, share, left_ns, left_range_ns });
    }

    fn interrupted(&self) -> bool {
        self.is_stopped()
    }
}
