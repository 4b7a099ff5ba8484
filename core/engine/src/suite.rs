//! All groups of a run. Their launches take turns too: a machine that is slower for half a minute is then slower for some
//! launches of every case, and shows in their intervals, instead of making some cases look slower than others.

use tare_plan::{Group, Settings, round_order};
use tare_samples::{Calibration, Launch, Measurement, Outcome, Variant};
use tare_worker::Launcher;

use crate::Spent;
use crate::group::{Bench, GroupRun};

/// The order of groups within a cycle of launches is drawn at a place of its own.
const SUITE: u64 = u64::MAX;

/// What has been measured of each variant of each group before an interruption, with its calibration.
pub type Made = Vec<Vec<(Option<Calibration>, Vec<Launch>)>>;

/// What is done next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// The pilot launch of a group.
    Pilot,
    /// A launch that counts.
    Launch {
        /// Its number, from 1.
        number: u32,
        /// How many the group is planned to have.
        of: u32,
    },
}

/// How far a run is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// The group whose turn it is.
    pub group: usize,
    /// What it does.
    pub step: Step,
    /// Share of the whole run that is done, from 0 to 1.
    pub share: f64,
    /// Estimated time left, in nanoseconds; `None` before all pilots have been made.
    pub left_ns: Option<f64>,
}

/// Who wants to know while a run is measured. Called between launches and rounds, never during a turn.
pub trait Observer {
    /// A variant was calibrated.
    fn calibrated(&mut self, variant: &Variant, calibration: &Calibration);

    /// A launch was made: what is to survive a kill must be kept before this returns.
    fn launched(&mut self, variant: &Variant, launch: &Launch);

    /// Nothing more is measured of a variant.
    fn ended(&mut self, variant: &Variant, outcome: &Outcome);

    /// A launch, or a pilot, begins.
    fn progress(&mut self, progress: &Progress);

    /// The user wants to stop.
    fn interrupted(&self) -> bool;
}

/// Measures all groups. `run_begun_ns` is the run's start on the launcher's clock; `made` may be shorter than `groups`.
/// A variant that fails keeps what was measured of it, and the others go on. One entry a group, in their order.
pub fn measure(
    groups: &[Group],
    settings: &Settings,
    launcher: &mut dyn Launcher,
    observer: &mut dyn Observer,
    made: Made,
    run_begun_ns: u64,
) -> (Vec<Vec<Measurement>>, Spent) {
    let mut made = made.into_iter();
    let mut runs: Vec<GroupRun<'_>> = groups
        .iter()
        .enumerate()
        .map(|(number, group)| GroupRun::new(group, number as u64, made.next().unwrap_or_default()))
        .collect();
    let mut bench = Bench { settings, launcher, observer, run_begun_ns };
    // Whether it went to the end or was interrupted, each group knows for itself.
    let _ = pilots(&mut runs, &mut bench).and_then(|()| launches(&mut runs, &mut bench));

    let mut spent = Spent::default();
    let mut measured = Vec::with_capacity(runs.len());
    for run in runs {
        let (measurements, took) = run.into_measurements();
        spent.add(&took);
        measured.push(measurements);
    }
    (measured, spent)
}

fn pilots(runs: &mut [GroupRun<'_>], bench: &mut Bench<'_>) -> Result<(), crate::group::Interrupted> {
    for (group, run) in runs.iter_mut().enumerate().filter(|(_, run)| !run.is_done()) {
        bench.observer.progress(&Progress { group, step: Step::Pilot, share: 0.0, left_ns: None });
        run.pilot(bench)?;
    }
    Ok(())
}

fn launches(runs: &mut [GroupRun<'_>], bench: &mut Bench<'_>) -> Result<(), crate::group::Interrupted> {
    let begun_ns = bench.launcher.now_ns();
    for cycle in 0.. {
        if runs.iter().all(GroupRun::is_done) {
            break;
        }
        for group in round_order(bench.settings.seed, SUITE, cycle, 0, runs.len()) {
            if runs[group].is_done() {
                continue;
            }
            if bench.observer.interrupted() {
                return Err(crate::group::Interrupted);
            }
            let (made, of) = runs[group].launches();
            let left_ns: f64 = runs.iter().map(GroupRun::left_ns).sum();
            let done_ns = (bench.launcher.now_ns() - begun_ns) as f64;
            let share = done_ns / (done_ns + left_ns).max(1.0);
            let step = Step::Launch { number: made + 1, of };
            bench.observer.progress(&Progress { group, step, share, left_ns: Some(left_ns) });
            runs[group].next(bench)?;
        }
    }
    Ok(())
}
