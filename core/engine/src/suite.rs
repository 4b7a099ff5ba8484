//! All groups of a run. Their launches take turns too: a machine that is slower for half a minute is then slower for some
//! launches of every case, and shows in their intervals, instead of making some cases look slower than others.

use tare_plan::{Group, Pair, Settings, round_order};
use tare_samples::{Calibration, Launch, Measurement, Outcome, Variant};
use tare_statistics::comparison::{Comparison, adjusted_p_values, second_level};
use tare_worker::Launcher;

use crate::group::{Bench, GroupRun, Interrupted};
use crate::{Overrun, Spent};

/// The order of groups within a cycle of launches is drawn at a place of its own.
const SUITE: u64 = u64::MAX;

/// What has been measured of each variant of each group before an interruption, with its calibration.
pub type Made = Vec<Vec<(Option<Calibration>, Vec<Launch>)>>;

/// What was measured, and what it says of pairs.
#[derive(Debug)]
pub struct Measured {
    /// One entry a group, in their order; in each one a variant.
    pub measurements: Vec<Vec<Measurement>>,
    /// All pairs of all groups, in their order.
    pub comparisons: Vec<Compared>,
    /// Where the time went.
    pub spent: Spent,
    /// The budget that the user gave was too small.
    pub overrun: Option<Overrun>,
}

/// What was found of a pair.
#[derive(Debug, Clone)]
pub struct Compared {
    /// Position of its group.
    pub group: usize,
    /// Its variants, as positions in the group.
    pub pair: Pair,
    /// What was found.
    pub comparison: Comparison,
}

/// What is done next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// The pilot launch of a group.
    Pilot,
    /// A fresh launch of what looks different.
    Again {
        /// Its number, from 1.
        number: u32,
        /// How many the group is planned to have.
        of: u32,
    },
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

    /// The launches of one number of a group's variants were made: what is to survive a kill must be kept before this
    /// returns, all of it or nothing.
    fn launched(&mut self, launches: &[(&Variant, &Launch)]);

    /// Nothing more is measured of a variant.
    fn ended(&mut self, variant: &Variant, outcome: &Outcome);

    /// A launch, or a pilot, begins.
    fn progress(&mut self, progress: &Progress);

    /// The user wants to stop.
    fn interrupted(&self) -> bool;
}

/// Measures all groups. `run_begun_ns` is the run's start on the launcher's clock; `made` may be shorter than `groups`.
/// A variant that fails keeps what was measured of it, and the others go on. What looks different is measured a second time when
/// all else is done.
pub fn measure(
    groups: &[Group],
    settings: &Settings,
    launcher: &mut dyn Launcher,
    observer: &mut dyn Observer,
    made: Made,
    run_begun_ns: u64,
) -> Measured {
    let mut made = made.into_iter();
    let mut runs: Vec<GroupRun<'_>> = groups
        .iter()
        .enumerate()
        .map(|(number, group)| GroupRun::new(group, number as u64, settings, made.next().unwrap_or_default()))
        .collect();
    let mut bench = Bench { settings, launcher, observer, run_begun_ns, ending: Vec::new() };
    // Whether it went to the end or was interrupted, each group knows for itself.
    let _ = pilots(&mut runs, &mut bench)
        .and_then(|()| launches(&mut runs, &mut bench, false))
        .and_then(|()| again(&mut runs, &mut bench));
    bench.settle();
    let overrun = runs.iter().filter_map(|run| run.overrun(settings)).reduce(Overrun::with);
    Measured { overrun, ..finish(runs) }
}

/// What is flagged is measured a second time, once all that can be flagged is.
fn again(runs: &mut [GroupRun<'_>], bench: &mut Bench<'_>) -> Result<(), Interrupted> {
    let flagged: usize = runs.iter().map(GroupRun::flagged).sum();
    if flagged == 0 {
        return Ok(());
    }
    let family = runs.iter().map(GroupRun::judged).sum();
    for run in runs.iter_mut().filter(|run| run.flagged() > 0) {
        // What reaches the level of Holm's smallest needs no more launches, whatever the others do.
        run.begin_second(second_level(family));
    }
    launches(runs, bench, true)
}

fn finish(runs: Vec<GroupRun<'_>>) -> Measured {
    let mut measured =
        Measured { measurements: Vec::new(), comparisons: Vec::new(), spent: Spent::default(), overrun: None };
    let mut contests = Vec::new();
    for (group, run) in runs.into_iter().enumerate() {
        let (measurements, of_group, took) = run.into_measurements();
        measured.spent.add(&took);
        measured.measurements.push(measurements);
        contests.extend(of_group.into_iter().map(|(contest, cut_short)| (group, contest, cut_short)));
    }
    // Controls are no part of the family: nothing is claimed of them.
    let judged: Vec<Option<f64>> = contests
        .iter()
        .filter(|(_, contest, _)| !contest.pair.control)
        .map(|(_, contest, _)| contest.live.second_p_value())
        .collect();
    let mut adjusted = adjusted_p_values(&judged).into_iter();
    for (group, mut contest, cut_short) in contests {
        contest.live.set_family(judged.len());
        let p_value = if contest.pair.control { None } else { adjusted.next() };
        let mut comparison = contest.live.comparison(p_value.unwrap_or(1.0), cut_short);
        comparison.minimum_detectable_effect = contest.live.minimum_detectable_effect(&comparison);
        measured.comparisons.push(Compared { group, pair: contest.pair, comparison });
    }
    heed_controls(&mut measured.comparisons);
    measured
}

/// Where a base differs from itself, nothing can be said of what differs from it.
fn heed_controls(comparisons: &mut [Compared]) {
    let refuted: Vec<(usize, usize)> = comparisons
        .iter()
        .filter(|compared| compared.pair.control && compared.comparison.verdict.is_difference())
        .map(|compared| (compared.group, compared.pair.base))
        .collect();
    for compared in comparisons.iter_mut().filter(|compared| !compared.pair.control) {
        if refuted.contains(&(compared.group, compared.pair.base)) {
            compared.comparison.refute();
        }
    }
}

fn pilots(runs: &mut [GroupRun<'_>], bench: &mut Bench<'_>) -> Result<(), Interrupted> {
    for (group, run) in runs.iter_mut().enumerate().filter(|(_, run)| !run.is_done()) {
        bench.observer.progress(&Progress { group, step: Step::Pilot, share: 0.0, left_ns: None });
        run.pilot(bench)?;
    }
    Ok(())
}

fn launches(runs: &mut [GroupRun<'_>], bench: &mut Bench<'_>, second: bool) -> Result<(), Interrupted> {
    let begun_ns = bench.launcher.now_ns();
    // Cycles of the second measurement are drawn at places of their own.
    let first_cycle = if second { 1 << 32 } else { 0 };
    for cycle in first_cycle.. {
        if runs.iter().all(GroupRun::is_done) {
            break;
        }
        for group in round_order(bench.settings.seed, SUITE, cycle, 0, runs.len()) {
            if runs[group].is_done() {
                continue;
            }
            if bench.observer.interrupted() {
                return Err(Interrupted);
            }
            let (made, of) = runs[group].launches();
            let left_ns: f64 = runs.iter().map(GroupRun::left_ns).sum();
            let done_ns = (bench.launcher.now_ns() - begun_ns) as f64;
            let share = done_ns / (done_ns + left_ns).max(1.0);
            let number = made + 1;
            let step = if second { Step::Again { number, of } } else { Step::Launch { number, of } };
            bench.observer.progress(&Progress { group, step, share, left_ns: Some(left_ns) });
            runs[group].next(bench)?;
        }
    }
    Ok(())
}
