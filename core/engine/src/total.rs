//! One budget for a suite of comparisons: what time there is goes where it decides something, and ends when it is over. Pure.
//!
//! First every comparison gets what a verdict needs at the least: a pilot and six launch pairs. One that time doesn't suffice for isn't begun, and which these are is random. What is
//! left goes to comparisons by how wide their intervals are and what their launches cost, never by where an interval lies. For normal errors the spread of a sample says nothing of its
//! mean, so wrong verdicts come no more often than they do with a fixed time for each. Only what is kept for second measurements goes by where intervals lie; these have p-values of
//! their own. Comparisons are measured in the order of what they still need, until all are decided or the time is over.

use std::collections::BTreeMap;
use std::time::Duration;

use tare_statistics::comparison::Widths;

/// Parts of the time that are left for the second measurement of what is flagged: while nothing is, and at most.
const SECOND_AT_LEAST: f64 = 0.04;
const SECOND_AT_MOST: f64 = 0.15;
/// The same at most where fewer wouldn't be enough launches to confirm anything.
const SECOND_NEEDS_AT_MOST: f64 = 0.4;
/// A second measurement that seems to need so many times what is left may still end in time: what it needs is an estimate.
const NEEDS_AT_MOST: f64 = 2.0;
/// Launch pairs that a second measurement is expected to make at the least.
pub(crate) const SECOND_PAIRS: u32 = 4;
/// The interval of identical code lies within a bound when it is this much narrower than that: its middle is off by a part of its width.
const ENOUGH: f64 = 0.7;
/// What is under way when the time is up ends within this part of it more.
const GRACE: f64 = 0.04;
/// A pilot that takes a larger part of what is left, and this many times what others have taken with their fewest launches, is given up: it may never end, and others wait.
const PILOT_AT_MOST: f64 = 0.25;
const PILOT_AT_MOST_OTHERS: f64 = 3.0;
/// A comparison's share of the time is no less than this, in nanoseconds, or half of the time: six launch pairs of one round each say little, and fewer comparisons that say
/// something are worth more.
const LEAST_SHARE_NS: f64 = 1e9;

/// The time of a suite on the lanes' clock.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Deadline {
    begun_ns: u64,
    total_ns: f64,
}

impl Deadline {
    pub(crate) fn new(total: Duration, begun_ns: u64) -> Self {
        Self { begun_ns, total_ns: total.as_nanos() as f64 }
    }

    pub(crate) fn total_ns(&self) -> f64 {
        self.total_ns
    }

    /// What is left of it, by the wall's clock; below 0 when it is over.
    pub(crate) fn left_ns(&self, now_ns: u64) -> f64 {
        self.total_ns - now_ns.saturating_sub(self.begun_ns) as f64
    }

    /// When what is under way is cut off.
    pub(crate) fn cut_ns(&self) -> u64 {
        self.begun_ns + (self.total_ns * (1.0 + GRACE)) as u64
    }

    /// Whether something that takes so long ends before it would be cut off.
    pub(crate) fn holds(&self, now_ns: u64, takes_ns: f64) -> bool {
        now_ns as f64 + takes_ns <= self.cut_ns() as f64
    }

    /// When a pilot is given up that begins now; `others_ns`: what other groups have taken, 0 where that isn't known.
    pub(crate) fn pilot_until_ns(&self, now_ns: u64, alone: bool, others_ns: f64) -> u64 {
        let left_ns = self.cut_ns().saturating_sub(now_ns);
        let most_ns = (PILOT_AT_MOST * left_ns as f64).max(PILOT_AT_MOST_OTHERS * others_ns) as u64;
        if alone { self.cut_ns() } else { self.cut_ns().min(now_ns + most_ns) }
    }

    /// What a comparison may plan with, of `waiting` ones for which `left_ns` of all lanes together are left.
    pub(crate) fn share_ns(&self, left_ns: f64, waiting: usize) -> f64 {
        (left_ns / waiting.max(1) as f64).max(LEAST_SHARE_NS.min(self.total_ns / 2.0))
    }
}

/// What is left of a budget for the whole suite, in nanoseconds.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct TimeLeft {
    /// By the wall's clock.
    pub(crate) wall_ns: f64,
    /// For a measurement, of all lanes together.
    pub(crate) lanes_ns: f64,
}

/// A group that hasn't begun.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WaitingGroup {
    /// What it needs at the least, in nanoseconds; `None` where that isn't known.
    pub(crate) needs_ns: Option<f64>,
    /// Lanes that it has.
    pub(crate) lanes: f64,
}

/// What is known of groups before anything is measured, by their number.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KnownBefore<'a> {
    /// Something is known to differ that it executes or reads.
    pub(crate) differs: &'a [bool],
    /// Groups of one number share processes.
    pub(crate) kin: &'a [usize],
}

/// What is known of a group.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Outlook {
    /// What it has taken, in nanoseconds.
    pub(crate) took_ns: f64,
    /// What of that wasn't spent in timed samples: starts, loading, hooks, calls before the samples.
    pub(crate) setup_ns: f64,
    /// What one of its launch pairs takes, and the start of its processes therein.
    pub(crate) launch_ns: f64,
    pub(crate) start_ns: f64,
    /// Launch pairs made.
    pub(crate) made: u32,
    /// What the launches that are planned for it will take.
    pub(crate) left_ns: f64,
    /// What it still takes to have the fewest launches that say anything, and what they take or took in all, with the pilot.
    pub(crate) least_ns: f64,
    pub(crate) reach_ns: f64,
    /// What it still needs to be decided, or to be known sharply; `None` where that isn't known yet, or nothing is needed.
    pub(crate) needs_ns: Option<f64>,
    /// The standard deviation of the log-ratios of its pairs, of the comparison that has the largest; `None` where that isn't known.
    pub(crate) deviation: Option<f64>,
    /// What a second measurement would take. And what it will take, and take at the least: 0 where it isn't flagged.
    pub(crate) again_ns: f64,
    pub(crate) second_ns: f64,
    pub(crate) second_least_ns: f64,
    /// Nothing is left to do.
    pub(crate) done: bool,
    /// So many lanes stand still beside it.
    pub(crate) idle_lanes: usize,
}

impl Outlook {
    /// What it takes of `lanes` where nothing is measured beside it, which is as much of each.
    pub(crate) fn alone(self, lanes: usize) -> Self {
        let all = |ns: f64| ns * lanes as f64;
        Self {
            took_ns: all(self.took_ns),
            setup_ns: all(self.setup_ns),
            launch_ns: all(self.launch_ns),
            start_ns: all(self.start_ns),
            left_ns: all(self.left_ns),
            least_ns: all(self.least_ns),
            reach_ns: all(self.reach_ns),
            needs_ns: self.needs_ns.map(all),
            again_ns: all(self.again_ns),
            second_ns: all(self.second_ns),
            second_least_ns: all(self.second_least_ns),
            idle_lanes: lanes - 1,
            ..self
        }
    }

    /// Lanes that it has.
    pub(crate) fn lanes(&self) -> f64 {
        (self.idle_lanes + 1) as f64
    }

    /// What is left by the wall's clock is kept for its second measurement, and may be enough for that.
    pub(crate) fn keeps_time(&self, left_ns: f64) -> bool {
        let needs_ns = self.second_least_ns / self.lanes();
        !self.done && needs_ns > 0.0 && needs_ns <= NEEDS_AT_MOST * left_ns
    }

    /// It has the fewest launches that say anything.
    pub(crate) fn is_reached(&self) -> bool {
        self.least_ns <= 0.0
    }
}

/// Launch pairs that are still needed to be decided, of which `made` have given intervals of these widths; or to be known sharply, where the bound of `same` decides already. At least one.
pub(crate) fn pairs_needed(made: u32, widths: Widths) -> f64 {
    let width = if widths.decided <= ENOUGH { widths.sharp } else { widths.decided };
    let all = f64::from(made) * (width / ENOUGH).powi(2);
    (all - f64::from(made)).max(1.0)
}

/// Nanoseconds of all lanes together that are left for first measurements, of `wall_ns` that are left by the wall's clock. What is kept for second
/// measurements goes by what is flagged so far: each flag is about the group that has it, and what its time is taken from are the others.
pub(crate) fn left_ns(deadline: &Deadline, wall_ns: f64, lanes: usize, outlooks: &[Option<Outlook>]) -> f64 {
    let total_ns = deadline.total_ns;
    let flagged = |of: fn(&Outlook) -> f64| outlooks.iter().flatten().map(of).sum::<f64>() / lanes as f64;
    let most_ns = SECOND_NEEDS_AT_MOST * total_ns;
    // One lane makes the launches of a group, one after the other. What can't be confirmed in the time there is gets none of it.
    let mut least: Vec<(f64, f64)> =
        outlooks.iter().flatten().map(|o| (o.second_least_ns / o.lanes(), o.second_least_ns)).collect();
    least.retain(|(alone_ns, _)| *alone_ns <= most_ns);
    least.sort_by(|a, b| a.1.total_cmp(&b.1));
    let mut least_ns = 0.0;
    for (alone_ns, needed_ns) in least {
        let with = alone_ns.max(least_ns + needed_ns / lanes as f64);
        least_ns = if with <= most_ns { with } else { least_ns };
    }
    let second_ns = (SECOND_AT_LEAST * total_ns + flagged(|outlook| outlook.second_ns)).min(SECOND_AT_MOST * total_ns);
    (wall_ns - second_ns.max(least_ns)).max(0.0) * lanes as f64
}

/// How many of the groups that wait may be begun: as many as there is time for beside what those under way still need
/// at the least. `waiting` are in their order; `known`: what others have needed.
pub(crate) fn may_begin(
    waiting: &[WaitingGroup],
    under_way: &[Option<Outlook>],
    known: &[f64],
    left: TimeLeft,
    lanes: usize,
) -> usize {
    let usual = (!known.is_empty()).then(|| known.iter().sum::<f64>() / known.len() as f64);
    let least = known.iter().copied().fold(f64::INFINITY, f64::min);
    if usual.is_none() && waiting.iter().all(|group| group.needs_ns.is_none()) {
        // Nothing is known: one for each lane.
        return lanes.saturating_sub(under_way.len()).min(waiting.len());
    }
    let mut promised: f64 =
        under_way.iter().map(|outlook| outlook.map_or(usual.unwrap_or(0.0), |outlook| outlook.least_ns)).sum();
    let mut begun = 0;
    for WaitingGroup { needs_ns, lanes } in waiting {
        let is_first = promised <= 0.0;
        // What alone would go on may be one that takes less than usual.
        let takes_ns = needs_ns.unwrap_or(if is_first { least } else { usual.unwrap_or(0.0) });
        promised += needs_ns.or(usual).unwrap_or(0.0);
        if takes_ns / lanes > left.wall_ns || (promised > left.lanes_ns && !is_first) {
            break;
        }
        begun += 1;
    }
    begun
}

/// What groups take with their fewest launches, on average; `None` where nothing is known of any.
pub(crate) fn usual_ns(outlooks: &[Option<Outlook>]) -> Option<f64> {
    let known = outlooks.iter().flatten().map(|outlook| outlook.reach_ns).filter(|&ns| ns > 0.0);
    let (sum, count) = known.fold((0.0, 0u32), |(sum, count), ns| (sum + ns, count + 1));
    (count > 0).then(|| sum / f64::from(count))
}

/// Which groups have to wait for the others: those that can't all have the fewest launches that say anything in `left_ns`, and of those that have them the ones of which it isn't sure
/// that all can be decided in what the others leave of that. Those of `differs` go first, whatever they need; then the nearest, together with their
/// `kin`, which share what a launch costs. Those of which nothing is known yet don't wait. `promised_ns`: what those need at the least, begun or not, that differ, and that don't.
pub(crate) fn postponed(
    outlooks: &[Option<Outlook>],
    KnownBefore { differs, kin }: KnownBefore<'_>,
    left_ns: f64,
    promised_ns: [f64; 2],
) -> Vec<bool> {
    let open =
        || outlooks.iter().enumerate().filter_map(|(group, outlook)| Some((group, outlook.filter(|o| !o.done)?)));
    let mut of_kin: BTreeMap<usize, (f64, f64)> = BTreeMap::new();
    for (group, outlook) in open().filter(|(_, outlook)| !outlook.is_reached()) {
        let (sum, count) = of_kin.entry(kin[group]).or_default();
        (*sum, *count) = (*sum + outlook.least_ns, *count + 1.0);
    }
    let usual_ns = |group: usize| of_kin.get(&kin[group]).map_or(0.0, |(sum, count)| sum / count);
    let mut postponed = vec![false; outlooks.len()];
    let mut left_ns = left_ns;
    for (first, promised_ns) in [true, false].into_iter().zip(promised_ns) {
        let (mut reached, mut others) = (Vec::new(), Vec::new());
        for (group, outlook) in open().filter(|(group, _)| differs[*group] == first) {
            if outlook.is_reached() {
                reached.push((0.0, 0, outlook.needs_ns.unwrap_or(outlook.launch_ns), group));
            } else {
                others.push((usual_ns(group), kin[group], outlook.least_ns, group));
            }
        }
        let needs_ns: f64 = reached.iter().map(|(_, _, needed, _)| needed).sum();
        for (mut needs, left_ns) in [(others, left_ns), (reached, (left_ns - promised_ns).max(0.0))] {
            needs.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)).then(a.2.total_cmp(&b.2)));
            let mut promised = 0.0;
            for (position, (_, _, needed, group)) in needs.into_iter().enumerate() {
                promised += needed;
                // The nearest goes on where there is time: what it needs is an estimate.
                postponed[group] = promised > left_ns && (position > 0 || left_ns <= 0.0);
            }
        }
        left_ns -= promised_ns + needs_ns;
    }
    postponed
}

#[cfg(test)]
mod tests;
