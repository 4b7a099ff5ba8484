//! One variant while its group is measured.

mod allocations;
mod collector;
mod failing;
mod opening;
mod process;

use std::time::Duration;

use crate::earlier::EarlierVariant;
use crate::reporting::News;
use crate::taken::taken;
use tare_plan::{Planned, Settings, turn_iterations, varied_samples};
use tare_samples::{Calibration, FailureKind, Launch, Measurement, Outcome, Subject, Turn};
use tare_worker::{Around, Launcher};

use self::collector::CollectorProgress;
use self::process::{OpenLaunch, Process};

/// The capability of workers that do what the author wants done before a sample ahead of it.
pub(crate) const ARRANGE: &str = "arrange";
/// The capability of workers whose samples hold what the author does before the loop, as Go's do.
pub(crate) const SETUP_IN_SAMPLES: &str = "setup";

/// Timed samples of the clock in each round.
const CLOCK_SAMPLES: usize = 100;
/// Samples of a kernel in its turn.
const KERNEL_SAMPLES: usize = 3;
/// A null that costs next to nothing beside its subject is still sampled this often in a turn.
const LEAST_NULL_SAMPLES: u64 = 4;

/// Where variants are compared their own turns come in every round, the scale's and the kernels' now and then: what they weigh is
/// taken over the whole launch, what is compared is taken round by round.
const SCALE_EVERY: u32 = 10;
const KERNEL_EVERY: u32 = 10;

/// An answer that is on its way is waited for, however little time is left.
const LEAST_WAIT_NS: u64 = 1_000_000;

/// A variant with what is known and measured of it.
pub(crate) struct VariantRun<'a> {
    pub(crate) planned: &'a Planned,
    pub(crate) role: Role,
    pub(crate) sizes: Sizes,
    pub(crate) calibration: Calibration,
    pub(crate) pilot: PilotFigures,
    pub(crate) heap: HeapPlan,
    pub(crate) launches: Vec<Launch>,
    /// How it ended; `None` while it is measured.
    pub(crate) outcome: Option<Outcome>,
    /// When the time of the whole suite is over, in nanoseconds of the launcher's clock: no request is begun after
    /// that, or waited for.
    pub(crate) until_ns: Option<u64>,
    /// How long the run was measured before it was interrupted, in nanoseconds.
    pub(crate) used_ns: u64,
    /// What the requests of the launch in progress have taken, in nanoseconds of the launcher's clock.
    asked_ns: u64,
    pub(crate) waiting: Waiting,
    /// The beginning of what a launch printed.
    printed: String,
    process: Process,
}

/// What is done with what a worker says of others' part of its turns.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Waiting {
    /// It is taken off.
    #[default]
    TakenOff,
    /// A turn of the subject didn't say it.
    Untold,
    /// It is left in the time, as in that of what the variant is compared with.
    LeftIn,
}

/// What a variant is measured for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// Itself.
    Alone,
    /// Comparisons: its turns are short and many.
    Compared,
    /// Comparisons that need no more launches of it for the time being.
    Resting,
}

/// Where the sizes of a variant's samples and turns come from.
#[derive(Debug)]
pub(crate) enum Sizes {
    /// Its pilot has yet to find them.
    Unknown,
    /// An earlier, interrupted run found them. They are kept, so that launches can be put together; its pilot has yet
    /// to be made.
    Earlier(Box<Calibration>),
    /// Its calibration has them.
    Calibrated,
}

/// What the pilot found of a variant's samples beside their sizes.
#[derive(Debug, Default)]
pub(crate) struct PilotFigures {
    /// Time of a call, in nanoseconds.
    pub(crate) call_ns: f64,
    /// Time that a sample takes of a turn, with what isn't timed, in nanoseconds.
    pub(crate) sample_wall_ns: f64,
    pub(crate) hooks: Hooks,
    /// Calls a sample for each kernel of the worker.
    pub(crate) kernels: Vec<(String, u64)>,
}

/// How a variant's heap is made ready and kept, and by what that was decided.
#[derive(Debug, Default)]
pub(crate) struct HeapPlan {
    /// How far its calls bring the runtime's collector.
    pub(crate) collector: CollectorProgress,
    /// Its calls allocate more, or less, than those that it is compared with.
    pub(crate) grows_first: bool,
    /// How long it is let grow in each launch, in nanoseconds, before that is measured.
    pub(crate) growth_ns: f64,
    /// From one collection to the next, in nanoseconds, where launches begin at a random place between two; else 0.
    pub(crate) collection_ns: f64,
    /// What its calls leave behind is collected in each turn: a launch ends long before the runtime would.
    pub(crate) settles: bool,
}

/// What the hooks around a variant's samples take beside these.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Hooks {
    /// Little, or there are none.
    #[default]
    Cheap,
    /// Far more: each sample is begun by one, whatever had the core before.
    Dear,
    /// More, and they are run ahead: those of all sides first, then a sample of each, so that no hook lies between what is compared.
    Ahead,
}

fn is_capable(open: &OpenLaunch, capability: &str) -> bool {
    open.conversation.hello().capabilities.iter().any(|known| known == capability)
}

/// The longest wait for one answer.
pub(crate) fn deadline(planned: &Planned, settings: &Settings) -> Duration {
    match planned.variant.case.settings.timeout_ms {
        Some(ms) if !settings.timeout_given => Duration::from_millis(ms),
        _ => settings.timeout,
    }
}

impl<'a> VariantRun<'a> {
    pub(crate) fn new(planned: &'a Planned) -> Self {
        Self {
            planned,
            role: Role::Alone,
            sizes: Sizes::Unknown,
            calibration: Calibration::default(),
            pilot: PilotFigures::default(),
            heap: HeapPlan::default(),
            launches: Vec::new(),
            outcome: None,
            until_ns: None,
            used_ns: 0,
            asked_ns: 0,
            waiting: Waiting::default(),
            printed: String::new(),
            process: Process::None,
        }
    }

    /// What was made of it before an interruption. Without launches the sizes of that are of no use.
    pub(crate) fn resume(&mut self, EarlierVariant { calibration, launches }: EarlierVariant) {
        if let Some(calibration) = calibration.filter(|_| !launches.is_empty()) {
            self.sizes = Sizes::Earlier(Box::new(calibration));
        }
        self.launches = launches;
    }

    /// Its pilot has found sizes. Those of an earlier part of the run take their place.
    pub(crate) fn settle_sizes(&mut self) {
        if let Sizes::Earlier(earlier) = std::mem::replace(&mut self.sizes, Sizes::Calibrated) {
            self.calibration = *earlier;
        }
    }

    /// Takes part in comparisons.
    pub(crate) fn is_compared(&self) -> bool {
        self.role != Role::Alone
    }

    pub(crate) fn is_calibrated(&self) -> bool {
        matches!(self.sizes, Sizes::Calibrated)
    }

    /// Still to be measured: it hasn't failed.
    pub(crate) fn is_live(&self) -> bool {
        self.outcome.is_none()
    }

    fn is_failed(&self) -> bool {
        matches!(self.outcome, Some(Outcome::Failed(_)))
    }

    pub(crate) fn is_open(&self) -> bool {
        matches!(self.process, Process::Open(_))
    }

    /// How long the next request may take.
    pub(crate) fn deadline(&self, launcher: &dyn Launcher, settings: &Settings) -> Duration {
        let own = deadline(self.planned, settings);
        match self.until_ns {
            Some(until_ns) => {
                own.min(Duration::from_nanos(until_ns.saturating_sub(launcher.now_ns()).max(LEAST_WAIT_NS)))
            }
            None => own,
        }
    }

    /// Samples a launch, as the user or the source want them. What a source asks for is meant for one variant measured by
    /// itself: it doesn't bind a comparison, which takes as many as its rounds need.
    pub(crate) fn wanted_samples(&self, settings: &Settings) -> Option<u64> {
        settings.samples.or(self.planned.variant.case.settings.samples.filter(|_| !self.is_compared()))
    }

    /// Whether the worker of the open launch said so in its hello.
    pub(crate) fn is_capable_of(&self, capability: &str) -> bool {
        self.process.launch().is_some_and(|open| is_capable(open, capability))
    }

    pub(crate) fn kernel_names(&self) -> Vec<String> {
        self.process.launch().map(|open| open.conversation.hello().kernels.clone()).unwrap_or_default()
    }

    /// Takes one turn with stated calls. `None` when the variant failed over it.
    pub(crate) fn turn(
        &mut self,
        launcher: &dyn Launcher,
        settings: &Settings,
        round: u32,
        subject: Subject,
        warm: u64,
        iterations: Vec<u64>,
    ) -> Option<&Turn> {
        let deadline = self.deadline(launcher, settings);
        let open = self.process.launch_mut()?;
        let settle = self.heap.settles && subject == Subject::Case;
        let around = Around { settle, hooks: self.pilot.hooks != Hooks::Ahead };
        let asked_ns = launcher.now_ns();
        let answered = open.conversation.run_with(&subject.to_string(), warm, &iterations, around, deadline);
        self.asked_ns += launcher.now_ns() - asked_ns;
        match answered {
            Ok(mut samples) => {
                if self.waiting == Waiting::LeftIn {
                    samples.stretch = None;
                } else if samples.stretch.is_none() && subject == Subject::Case {
                    self.waiting = Waiting::Untold;
                }
                if let Some(ppm) = samples.collector_ppm.filter(|_| subject == Subject::Case) {
                    self.heap.collector.take(collector::calls_of_turn(warm, &iterations), ppm);
                }
                let at_ns = launcher.now_ns() - open.begun_ns;
                // A first call needn't pause: what is seen later is weighed from then on.
                self.calibration.pauses |= samples.pauses.iter().any(|&pauses| pauses > 0);
                open.launch.turns.push(taken(round, subject, warm, iterations, samples, at_ns, open.hooks));
            }
            Err(mut failure) => {
                let calls = iterations.iter().copied().max().unwrap_or(0);
                if subject == Subject::Case && calls > 1 && failure.kind == FailureKind::Exception {
                    failure.remedy = format!(
                        "{}; a sample calls it up to {calls} times; if it allows only one call, use --calls 1",
                        failure.remedy.trim_end_matches('.')
                    );
                }
                self.fail_or_cut(launcher, failure);
                return None;
            }
        }
        self.process.launch()?.launch.turns.last()
    }

    /// Runs the hooks that stand before the sample of the coming turn of the case, where they are run ahead.
    pub(crate) fn arrange(&mut self, launcher: &dyn Launcher, settings: &Settings, round: u32) {
        let deadline = self.deadline(launcher, settings);
        let Some(open) = self.process.launch_mut() else { return };
        if self.pilot.hooks != Hooks::Ahead || open.planned(round, 1) == 0 {
            return;
        }
        let asked_ns = launcher.now_ns();
        let arranged = open.conversation.arrange(deadline);
        self.asked_ns += launcher.now_ns() - asked_ns;
        if let Err(failure) = arranged {
            self.fail_or_cut(launcher, failure);
        }
    }

    /// Takes the last turn out of the launch in progress.
    pub(crate) fn forget_turn(&mut self) {
        if let Some(open) = self.process.launch_mut() {
            open.launch.turns.pop();
        }
    }

    /// The turns that this variant takes in a round.
    pub(crate) fn subjects(&self, round: u32) -> Vec<Subject> {
        let (scale_every, kernel_every) = if self.is_compared() { (SCALE_EVERY, KERNEL_EVERY) } else { (1, 1) };
        let mut subjects = vec![Subject::Case];
        if round.is_multiple_of(scale_every) {
            subjects.extend([Subject::Null, Subject::Clock]);
            if self.calibration.pauses {
                subjects.push(Subject::Pause);
            }
        }
        if !self.pilot.kernels.is_empty() && round.is_multiple_of(kernel_every) {
            let (name, _) = &self.pilot.kernels[(round / kernel_every) as usize % self.pilot.kernels.len()];
            subjects.push(Subject::Kernel(name.clone()));
        }
        subjects
    }

    /// Takes one turn of a round, with the calibrated sizes.
    pub(crate) fn scheduled_turn(
        &mut self,
        launcher: &dyn Launcher,
        settings: &Settings,
        round: u32,
        subject: Subject,
        place: [u64; 4],
    ) {
        let Some(open) = self.process.launch_mut() else { return };
        let calibration = &self.calibration;
        let [group, launch, ..] = place;
        let samples = match open.samples_left {
            // A second sample would have a hook of its own before it, within the turn.
            _ if self.pilot.hooks == Hooks::Ahead => 1,
            Some(_) => calibration.samples_per_turn,
            None => varied_samples(calibration.samples_per_turn, settings.seed, group, launch, u64::from(round)),
        };
        let planned = open.planned(round, samples);
        if planned == 0 && matches!(subject, Subject::Case | Subject::Null | Subject::Pause) {
            return;
        }
        let (warm, iterations) = match &subject {
            Subject::Case => (calibration.warm, turn_iterations(calibration, planned, settings.seed, place)),
            Subject::Null | Subject::Pause => {
                // Hooks that aren't run ahead run around these, too.
                let least = if self.pilot.hooks == Hooks::Dear { 1 } else { LEAST_NULL_SAMPLES };
                (calibration.warm, turn_iterations(calibration, planned.max(least), settings.seed, place))
            }
            Subject::Clock => (CLOCK_SAMPLES as u64 / 10, vec![1; CLOCK_SAMPLES]),
            Subject::Kernel(name) => {
                let calls = self.pilot.kernels.iter().find(|(kernel, _)| kernel == name).map_or(1, |(_, calls)| *calls);
                (1, vec![calls; KERNEL_SAMPLES])
            }
        };
        let is_case = subject == Subject::Case;
        if self.turn(launcher, settings, round, subject, warm, iterations).is_some()
            && is_case
            && let Some(left) = self.process.launch_mut().and_then(|open| open.samples_left.as_mut())
        {
            *left = left.saturating_sub(planned);
        }
    }

    /// What requests have taken since this was asked last, in nanoseconds.
    pub(crate) fn take_asked_ns(&mut self) -> u64 {
        std::mem::take(&mut self.asked_ns)
    }

    /// What is told of its calibration; `index`: its place in the group.
    pub(crate) fn calibrated_news(&self, index: usize) -> News {
        News::Calibrated { variant: index, calibration: Box::new(self.calibration.clone()) }
    }

    /// What was measured of it, which it gives away.
    pub(crate) fn measurement(&mut self, otherwise: Outcome) -> Measurement {
        Measurement {
            variant: self.planned.variant.clone(),
            calibration: match &self.sizes {
                Sizes::Unknown => None,
                Sizes::Earlier(earlier) => Some((**earlier).clone()),
                Sizes::Calibrated => Some(self.calibration.clone()),
            },
            launches: std::mem::take(&mut self.launches),
            outcome: self.outcome.clone().unwrap_or(otherwise),
            printed: std::mem::take(&mut self.printed),
        }
    }
}
