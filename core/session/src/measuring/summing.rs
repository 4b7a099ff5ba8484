//! Sums up what is measured as soon as it is: the samples, which are in the store, needn't stay in memory, and the row can be shown.

use std::collections::HashMap;

use tare_definition::SameCases;
use tare_engine::{ComparedPair, Forecast, Observer, Progress};
use tare_plan::Group;
use tare_request::{Request, relative};
use tare_results::{EarlyRow, VariantView};
use tare_samples::{Calibration, Launch, Measurement, Outcome, Variant};
use tare_statistics::BetweenRuns;

use crate::event::Event;
use crate::judging::live::{self, Places};
use crate::measuring::recorder::Recorder;
use crate::measuring::{early, forecast};
use crate::summaries;

/// The engine's observer of a run.
pub(crate) struct Summing<'s, 'a> {
    pub(crate) recorder: &'s mut Recorder<'a>,
    pub(crate) request: &'s Request,
    pub(crate) groups: &'s [Group],
    /// Measurements are kept with their launches.
    pub(crate) keep: bool,
    /// By how much runs of each variant differ, by its id.
    pub(crate) between_runs: &'s HashMap<String, BetweenRuns>,
    /// Where comparisons are stored, and what the user calls the same.
    pub(crate) places: &'s Places,
    pub(crate) all_same: &'s [SameCases],
    /// By the id of the variant.
    pub(crate) views: HashMap<String, VariantView>,
    pub(crate) kept: HashMap<String, Measurement>,
}

impl Summing<'_, '_> {
    /// Makes a view of a measurement, and takes its launches; nothing where that was done before.
    pub(crate) fn sum_up(&mut self, measurement: &mut Measurement) {
        let id = &measurement.variant.id;
        if self.views.contains_key(id) {
            return;
        }
        if let Outcome::Failed(failure) = &mut measurement.outcome {
            failure.file = relative(&failure.file, self.request);
        }
        let mut summary = summaries::summarise(measurement, self.request.settings.precision);
        if let Some(summary) = &mut summary {
            summary.between_runs = self.between_runs.get(id).copied();
        }
        self.recorder.outcome(measurement, summary.as_ref());
        if self.keep {
            self.kept.insert(id.clone(), measurement.clone());
        }
        let id = id.clone();
        let whole = Measurement { launches: std::mem::take(&mut measurement.launches), ..measurement.clone() };
        self.views.insert(id, summaries::of_measurement(whole, summary));
    }

    /// Keeps what comparisons say by now: a kill leaves that.
    fn keep_pairs(&mut self, comparisons: &[ComparedPair]) {
        let said = live::views(self.groups, comparisons, &[], Vec::new(), self.all_same);
        live::store(self.recorder, &said, self.places);
    }

    fn show(&self, rows: Vec<EarlyRow>) {
        if !rows.is_empty() {
            self.recorder.session.emit(&Event::Rows { rows });
        }
    }
}

impl Observer for Summing<'_, '_> {
    fn calibrated(&mut self, variant: &Variant, calibration: &Calibration) {
        self.recorder.calibrated(variant, calibration);
    }

    fn launched(&mut self, launches: &[(&Variant, &Launch)]) {
        self.recorder.launched(launches);
    }

    fn ended(&mut self, variant: &Variant, outcome: &Outcome) {
        self.recorder.ended(variant, outcome);
    }

    fn flagged(&mut self, comparisons: &[ComparedPair]) {
        self.keep_pairs(comparisons);
        self.show(early::of_pairs(self.groups, comparisons, &HashMap::new(), true));
    }

    fn measured(&mut self, group: usize, measurements: &mut [Measurement], comparisons: &[ComparedPair]) {
        measurements.iter_mut().for_each(|measurement| self.sum_up(measurement));
        self.keep_pairs(comparisons);
        let rows = match comparisons {
            [] => early::of_variants(&self.groups[group], &self.views),
            pairs => early::of_pairs(self.groups, pairs, &self.views, false),
        };
        self.show(rows);
    }

    fn forecast(&mut self, forecast: &Forecast) {
        let sides = self.groups.iter().map(|group| group.variants.len()).max().unwrap_or(1);
        if let Some(event) = forecast::told(forecast, sides, &self.request.settings) {
            self.recorder.session.emit(&event);
        }
    }

    fn progress(&mut self, progress: &Progress) {
        self.recorder.progress(progress);
    }

    fn interrupted(&self) -> bool {
        self.recorder.interrupted()
    }
}
