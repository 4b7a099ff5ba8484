//! All groups of a run. Their launches take turns too: a machine that is slower for half a minute is then slower for some
//! launches of every case, and shows in their intervals, instead of making some cases look slower than others.

use std::sync::{Mutex, PoisonError};

use tare_plan::{Group, Settings};
use tare_samples::{Measurement, Spent};
use tare_statistics::comparison::adjusted_p_values;
use tare_worker::Launcher;

use crate::comparing::LivePair;
use crate::earlier::{EarlierLaunches, used_ns};
use crate::group::{EndedComparison, GroupRun};
use crate::kin;
use crate::lanes::{self, LaneCount, Lanes, Shared};
use crate::observer::{ComparedPair, Observer};
use crate::reporting::SameThread;

/// What was measured, and what it says of pairs.
#[derive(Debug)]
pub struct SuiteMeasurements {
    /// One entry a group, in their order; in each one a variant.
    pub measurements: Vec<Vec<Measurement>>,
    /// All pairs of all groups, in their order.
    pub comparisons: Vec<ComparedPair>,
    /// Where the time went.
    pub spent: Spent,
}

/// Measures all groups, one after the other, in the order of cycles. `run_begun_ns` is the run's start on the
/// launcher's clock. A variant that fails keeps what was measured of it, and the others go on. What looks different is
/// measured a second time: when all else is done, or at once under one budget for the whole suite.
pub fn measure(
    groups: &[Group],
    settings: &Settings,
    launcher: &mut dyn Launcher,
    observer: &mut dyn Observer,
    earlier: EarlierLaunches,
    run_begun_ns: u64,
) -> SuiteMeasurements {
    let mut reporter = SameThread { observer, groups };
    measure_then_confirm(groups, settings, earlier, |runs, second| {
        let shared = Shared::new(runs, settings, LaneCount { lanes: 1, may_pause: false }, second, run_begun_ns);
        lanes::on_one(&shared, settings, launcher, &mut reporter, run_begun_ns);
        shared.was_stopped()
    })
}

/// Measures groups in several lanes at once; otherwise as [`measure`]. What is drawn for a group (seeds, orders, addresses) doesn't depend
/// on the lanes that it was in.
pub fn measure_in_lanes(
    groups: &[Group],
    settings: &Settings,
    lanes: &dyn Lanes,
    observer: &mut dyn Observer,
    earlier: EarlierLaunches,
    run_begun_ns: u64,
) -> SuiteMeasurements {
    let mut left = lanes.count().max(1);
    measure_then_confirm(groups, settings, earlier, |runs, second| {
        let count = LaneCount { lanes: left, may_pause: lanes.may_pause() };
        let shared = Shared::new(runs, settings, count, second, run_begun_ns);
        lanes::on_several(&shared, groups, settings, lanes, observer, run_begun_ns);
        left = shared.lanes_left();
        shared.was_stopped()
    })
}

/// Makes the first measurement of all groups, and when all of it is done the second one of those comparisons that look
/// different (are flagged), as far as the lanes haven't made it already.
fn measure_then_confirm(
    groups: &[Group],
    settings: &Settings,
    earlier: EarlierLaunches,
    mut measured: impl FnMut(&[Mutex<GroupRun<'_>>], bool) -> bool,
) -> SuiteMeasurements {
    let used_ns = used_ns(&earlier);
    let mut earlier = earlier.into_iter();
    let kin = kin::kin(groups, settings);
    let claims = groups.iter().flat_map(|group| &group.pairs).filter(|pair| !pair.control).count();
    let most = claims.max(settings.family);
    let mut runs: Vec<Mutex<GroupRun<'_>>> = groups
        .iter()
        .enumerate()
        .map(|(number, group)| {
            let sharing = kin.iter().filter(|&&other| other == kin[number]).count();
            let run = GroupRun::new(group, number, settings, earlier.next().unwrap_or_default());
            Mutex::new(run.sharing(kin[number], sharing).in_family(most).resumed_after(used_ns))
        })
        .collect();
    let was_interrupted = measured(&runs, false);
    if settings.total.is_some() && !was_interrupted {
        // Those that there was no time to begin.
        runs.iter_mut().map(unlocked).filter(|run| !run.is_done()).for_each(GroupRun::leave_out);
    }
    // Whether it went to the end or was interrupted, each group knows for itself.
    if runs.iter_mut().map(unlocked).all(|run| run.is_done()) {
        let flagged: usize = runs.iter_mut().map(|run| unlocked(run).flagged()).sum();
        let family = runs.iter_mut().map(|run| unlocked(run).judged()).sum::<usize>().max(settings.family);
        if flagged > 0 {
            for run in runs.iter_mut().map(unlocked).filter(|run| run.flagged() > 0) {
                run.begin_second(family);
            }
            if !measured(&runs, true) {
                // Those that there was no time to confirm.
                runs.iter_mut().map(unlocked).for_each(GroupRun::end_unconfirmed);
            }
        }
    }
    let runs: Vec<GroupRun<'_>> =
        runs.into_iter().map(|run| run.into_inner().unwrap_or_else(PoisonError::into_inner)).collect();
    finish(runs, settings.family)
}

fn unlocked<'r, 'a>(run: &'r mut Mutex<GroupRun<'a>>) -> &'r mut GroupRun<'a> {
    run.get_mut().unwrap_or_else(PoisonError::into_inner)
}

/// `family`: comparisons of the suite, where it has more than these.
fn finish(runs: Vec<GroupRun<'_>>, family: usize) -> SuiteMeasurements {
    let mut measured = SuiteMeasurements { measurements: Vec::new(), comparisons: Vec::new(), spent: Spent::default() };
    let mut comparisons: Vec<(usize, EndedComparison)> = Vec::new();
    for (group, run) in runs.into_iter().enumerate() {
        let of_group = run.into_measurements();
        measured.spent.add(&of_group.spent);
        measured.measurements.push(of_group.measurements);
        comparisons.extend(of_group.comparisons.into_iter().map(|comparison| (group, comparison)));
    }
    // Controls are no part of the family: nothing is claimed of them.
    let of_pairs = || comparisons.iter().map(|(group, comparison)| (*group, &comparison.live_pair));
    let mut judged: Vec<Option<f64>> = of_pairs()
        .filter(|(_, live_pair)| !live_pair.pair.control)
        .map(|(_, live_pair)| live_pair.live.second_p_value())
        .collect();
    // Of those that are measured elsewhere nothing is known here.
    judged.resize(judged.len().max(family), None);
    let mut adjusted = adjusted_p_values(&judged).into_iter();
    // Where a base differs from itself, nothing can be said of what differs from it.
    let differing: Vec<(usize, usize)> = of_pairs()
        .filter(|(_, live_pair)| live_pair.pair.control)
        .filter(|(_, live_pair)| live_pair.live.comparison(1.0, false).verdict.is_difference())
        .map(|(group, live_pair)| (group, live_pair.pair.base))
        .collect();
    for (group, EndedComparison { live_pair: LivePair { pair, mut live }, cut_short }) in comparisons {
        live.set_family(judged.len());
        let p_value = if pair.control { None } else { adjusted.next() };
        if !pair.control && differing.contains(&(group, pair.base)) {
            live.apply_control();
        }
        let mut comparison = live.comparison(p_value.unwrap_or(1.0), cut_short);
        comparison.minimum_detectable_effect = live.minimum_detectable_effect(&comparison);
        measured.comparisons.push(ComparedPair { group, pair, comparison });
    }
    measured
}
