//! A launch of a variant: its process starts, or one that is there goes on with it; its case is made ready; it ends.

use std::mem;

use tare_plan::Settings;
use tare_samples::{Launch, Memory};
use tare_worker::{Conversation, Launcher, ProcessPlacement};

use super::VariantRun;
use super::process::{OpenLaunch, Process};

/// How much is kept of what a launch printed.
const PRINTED_CHARACTERS: usize = 200;

impl VariantRun<'_> {
    /// Starts the fresh process of the next launch.
    pub(crate) fn start(&mut self, launcher: &mut dyn Launcher, seed: u64, place: ProcessPlacement) {
        let begun_ns = launcher.now_ns();
        match launcher.start(&self.planned.start, seed, place) {
            Ok(starting) => self.process = Process::Starting { starting, begun_ns },
            Err(failure) => self.fail(failure),
        }
    }

    /// Waits until the process that was started is there, for launch `ordinal`.
    pub(crate) fn open(&mut self, launcher: &dyn Launcher, settings: &Settings, ordinal: u32, run_begun_ns: u64) {
        let Process::Starting { starting, begun_ns } = mem::take(&mut self.process) else { return };
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
                self.process = Process::open(conversation, launch, begun_ns, samples_left);
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
        self.process = Process::open(conversation, launch, begun_ns, samples_left);
    }

    /// The process of the last launch, where a copy of it has served that.
    pub(crate) fn take_copied(&mut self) -> Option<Conversation> {
        if let Process::Copied(conversation) = mem::take(&mut self.process) { Some(*conversation) } else { None }
    }

    /// Loads the sources of the opened launch.
    pub(crate) fn load(&mut self, launcher: &dyn Launcher, settings: &Settings) {
        let deadline = self.deadline(launcher, settings);
        let asked_ns = launcher.now_ns();
        let Some(OpenLaunch { conversation, .. }) = self.process.launch_mut() else { return };
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
        let Some(OpenLaunch { conversation, hooks, copied, .. }) = self.process.launch_mut() else { return };
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
        let Process::Open(mut open) = mem::take(&mut self.process) else { return None };
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
                    self.process = Process::Copied(Box::new(open.conversation));
                } else {
                    open.conversation.hang_up();
                    ending.push(open.conversation);
                }
                if self.printed.is_empty() {
                    let (stdout, stderr) = finished.printed;
                    self.printed = format!("{stdout}{stderr}").trim().chars().take(PRINTED_CHARACTERS).collect();
                }
                self.calibration.hear(finished.reported);
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
