//! The process of a variant's next launch: started, also in advance, and opened when it is its turn.

use tare_plan::Settings;
use tare_samples::Launch;
use tare_worker::{Launcher, ProcessPlacement, Starting};

use super::{Open, VariantRun};

/// A process that was started for a launch.
pub(super) struct OnItsWay {
    starting: Starting,
    ordinal: u32,
    /// When it was started; `None` in advance: its time begins when it is its turn.
    begun_ns: Option<u64>,
}

impl VariantRun<'_> {
    /// Starts the fresh process of launch `ordinal`, unless that was done in advance.
    pub(crate) fn start(&mut self, launcher: &mut dyn Launcher, ordinal: u32, seed: u64, place: ProcessPlacement) {
        if self.starting.as_ref().is_some_and(|on_its_way| on_its_way.ordinal == ordinal) {
            return;
        }
        let begun_ns = launcher.now_ns();
        match launcher.start(&self.planned.start, seed, place) {
            Ok(starting) => {
                let begun_ns = (!place.in_advance).then_some(begun_ns);
                self.starting = Some(OnItsWay { starting, ordinal, begun_ns });
            }
            // What is wrong is told when it is started for good: a launch that is being measured goes on.
            Err(_) if place.in_advance => {}
            Err(failure) => self.fail(failure),
        }
    }

    /// Ends the process that was started in advance, where there is one.
    pub(crate) fn forget_start(&mut self) {
        self.starting = None;
    }

    /// Waits until the process that was started is there, for launch `ordinal`.
    pub(crate) fn open(&mut self, launcher: &dyn Launcher, settings: &Settings, ordinal: u32, run_begun_ns: u64) {
        let Some(OnItsWay { starting, begun_ns, .. }) = self.starting.take() else { return };
        let begun_ns = begun_ns.unwrap_or_else(|| launcher.now_ns());
        match starting.open() {
            Ok(conversation) => {
                let startup_ns = launcher.now_ns() - begun_ns;
                let launch = Launch { ordinal, started_ns: begun_ns - run_begun_ns, startup_ns, ..Launch::default() };
                let samples_left = self.wanted_samples(settings);
                self.open =
                    Some(Open { conversation, launch, begun_ns, samples_left, planned: (u32::MAX, 0), hooks: None });
            }
            Err(failure) => self.fail(failure),
        }
    }
}
