//! A launch of a variant: its process starts, or one that is there goes on with it; its case is made ready; it ends.

use tare_plan::Settings;
use tare_samples::{Launch, Memory, Reported};
use tare_worker::{Conversation, Launcher, ProcessPlacement};

use super::VariantRun;

/// How much is kept of what a launch printed.
const PRINTED_CHARACTERS: usize = 200;

/// The launch in progress.
pub(super) struct Open {
    pub(super) conversation: Conversation,
    pub(super) launch: Launch,
    pub(super) begun_ns: u64,
    pub(super) samples_left: Option<u64>,
    /// The round in progress and its samples of the case. Null and pause take their turns by it whether they come before the case or after it.
    pub(super) planned: (u32, u64),
    /// Something of the author's is done around samples; `None` where the worker can't tell.
    pub(super) hooks: Option<bool>,
    /// A copy of the process serves it.
    pub(super) copied: bool,
}

impl Open {
    fn new(conversation: Conversation, launch: Launch, begun_ns: u64, samples_left: Option<u64>) -> Self {
        Self { conversation, launch, begun_ns, samples_left, planned: (u32::MAX, 0), hooks: None, copied: false }
    }

    pub(super) fn planned(&mut self, round: u32, samples_per_turn: u64) -> u64 {
        if self.planned.0 != round {
            self.planned = (round, self.samples_left.map_or(samples_per_turn, |left| samples_per_turn.min(left)));
        }
        self.planned.1
    }
}

impl VariantRun<'_> {
    /// Starts the fresh process of the next launch.
    pub(crate) fn start(&mut self, launcher: &mut dyn Launcher, seed: u64, place: ProcessPlacement) {
        let begun_ns = launcher.now_ns();
        match launcher.start(&self.planned.start, seed, place) {
            Ok(starting) => self.starting = Some((starting, begun_ns)),
            Err(failure) => self.fail(failure),
        }
    }

    /// Waits until the process that was started is there, for launch `ordinal`.
    pub(crate) fn open(&mut self, launcher: &dyn Launcher, settings: &Settings, ordinal: u32, run_begun_ns: u64) {
        let Some((starting, begun_ns)) = self.starting.take() else { return };
        match starting.open() {
            Ok(conversation) => {
                let startup_ns = launcher.now_ns() - begun_ns;
                let launch = Launch {
                    ordinal,
                    started_ns: begun_ns - run_begun_ns + self.used_ns,
                    startup_ns,
                    ..Launch::default()
                };
                let samples_left = self.wanted_samples(settings);
                self.open = Some(Open::new(conversation, launch, begun_ns, samples_left));
            }
            Err(failure) => self.fail(failure),
        }
    }

    /// Begins launch `ordinal` in a process whose sources are loaded.
    pub(crate) fn go_on_with(
        &mut self,
        conversation: Conversation,
        launcher: &dyn Launcher,
        settings: &Settings,
        ordinal: u32,
        run_begun_ns: u64,
    ) {
        let begun_ns = launcher.now_ns();
        let launch = Launch { ordinal, started_ns: begun_ns - run_begun_ns + self.used_ns, ..Launch::default() };
        let samples_left = self.wanted_samples(settings);
        self.open = Some(Open::new(conversation, launch, begun_ns, samples_left));
    }

    /// The process of the last launch, where a copy of it has served that.
    pub(crate) fn take_copied(&mut self) -> Option<Conversation> {
        self.copied.take()
    }

    /// Loads the sources of the opened launch.
    pub(crate) fn load(&mut self, launcher: &dyn Launcher, settings: &Settings) {
        let deadline = self.deadline(launcher, settings);
        let asked_ns = launcher.now_ns();
        let Some(Open { conversation, .. }) = &mut self.open else { return };
        let loaded = conversation.load(&self.planned.sources, self.planned.bootstrap.as_deref(), deadline);
        self.asked_ns += launcher.now_ns() - asked_ns;
        if let Err(failure) = loaded {
            self.fail_or_cut(launcher, failure);
        }
    }

    /// Makes the case of the opened launch ready, where `copy` says so in a copy of its process.
    pub(crate) fn prepare(&mut self, launcher: &dyn Launcher, settings: &Settings, copy: bool) {
        let deadline = self.deadline(launcher, settings);
        let asked_ns = launcher.now_ns();
        let Some(Open { conversation, hooks, copied, .. }) = &mut self.open else { return };
        let case = &self.planned.variant.case;
        let parameters = case.parameters.name.as_deref().unwrap_or("");
        let clock = settings.clock.as_deref();
        let prepared = conversation.prepare_by((case.index, case.own_name(), parameters), clock, copy, deadline);
        self.asked_ns += launcher.now_ns() - asked_ns;
        match prepared {
            Ok(prepared) => {
                (*hooks, *copied) = (prepared.hooks, prepared.copied);
                self.calibration.pauses |= prepared.pauses;
                self.calibration.clock =
                    settings.clock.clone().or_else(|| conversation.hello().clocks.first().cloned()).unwrap_or_default();
            }
            Err(failure) => self.fail_or_cut(launcher, failure),
        }
    }

    /// Ends the launch in progress and gives it back; `None` when the variant failed over it. Its process goes to `ending`.
    pub(crate) fn finish(
        &mut self,
        launcher: &dyn Launcher,
        settings: &Settings,
        ending: &mut Vec<Conversation>,
    ) -> Option<Launch> {
        let deadline = self.deadline(launcher, settings);
        let mut open = self.open.take()?;
        let asked_ns = launcher.now_ns();
        let finished = open.conversation.finish(deadline);
        self.asked_ns += launcher.now_ns() - asked_ns;
        match finished {
            Ok(finished) => {
                // What a process has at the most isn't what its copy has.
                let (peak_rss_bytes, runtime_peak_bytes) =
                    (finished.peak_rss_bytes.filter(|_| !open.copied), finished.runtime_peak_bytes);
                open.launch.memory = Memory { peak_rss_bytes, runtime_peak_bytes };
                if open.copied {
                    self.copied = Some(open.conversation);
                } else {
                    open.conversation.hang_up();
                    ending.push(open.conversation);
                }
                if self.printed.is_empty() {
                    let (stdout, stderr) = finished.printed;
                    self.printed = format!("{stdout}{stderr}").trim().chars().take(PRINTED_CHARACTERS).collect();
                }
                let counted = self.calibration.reported.allocations;
                self.calibration.reported = Reported { allocations: counted, ..finished.reported };
                open.launch.duration_ns = launcher.now_ns() - open.begun_ns;
                Some(open.launch)
            }
            Err(failure) => {
                // Its samples are good: what failed came after them. They are kept, and the failure is told. Nothing is kept of what
                // is left out.
                open.conversation.close();
                open.launch.duration_ns = launcher.now_ns() - open.begun_ns;
                self.fail_or_cut(launcher, failure);
                let is_kept = self.is_failed() && !open.launch.turns.is_empty();
                is_kept.then_some(open.launch)
            }
        }
    }
}
