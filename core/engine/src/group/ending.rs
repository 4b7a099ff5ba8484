//! What a group says of the time that it takes, and how it ends when the time of the suite is over.

use tare_samples::MINIMUM_LAUNCHES;

use super::{End, Ending, GroupRun, StepContext};
use crate::comparing::LivePair;
use crate::total::{self, Outlook, SECOND_PAIRS};
use crate::variant_run::VariantRun;

/// Launches of a second measurement whose first one shared its starts: of twelve of cattrs 3, 6, 7, 7, 9, 9, 10, 12, 13, 13, 20 and 20.
const SECOND_ALONE: f64 = 11.0;

impl GroupRun<'_> {
    /// What it has taken and will take; nothing is known before the pilot.
    pub(crate) fn outlook(&self) -> Option<Outlook> {
        let took_ns = self.spent.wall_ns as f64;
        let flagged = !self.is_second() && (self.flagged() > 0 || self.would_be_flagged());
        // On a busy machine one launch takes twice as long as the next.
        let launch_ns = self.average.known_ns().unwrap_or(self.launch_takes_ns());
        let least_ns =
            if self.is_done() { 0.0 } else { f64::from(self.fewest().saturating_sub(self.made())) * launch_ns };
        // What is flagged has its starts for itself.
        let alone_ns = launch_ns + self.processes.saved_ns();
        let again_ns = if self.live_pairs.is_empty() {
            0.0
        } else if self.processes.are_shared() {
            SECOND_ALONE * alone_ns
        } else {
            took_ns.max(f64::from(SECOND_PAIRS) * alone_ns)
        };
        let second_least_ns = match flagged {
            true => f64::from(self.pairs_to_confirm()) * alone_ns,
            false if self.is_second() => least_ns,
            false => 0.0,
        };
        (self.piloted || self.is_done()).then(|| Outlook {
            took_ns,
            setup_ns: ((self.spent.startup_ns + self.spent.untimed_ns) as f64 - self.processes.surcharges_ns())
                .clamp(0.0, took_ns),
            launch_ns,
            start_ns: self.costs.launch_ns,
            made: self.made(),
            left_ns: (f64::from(self.launches_left()) * launch_ns).max(self.second_left_ns(took_ns)),
            least_ns,
            reach_ns: self.reach_ns.unwrap_or(took_ns + least_ns),
            needs_ns: self.needs_ns(),
            deviation: self.deviation(),
            again_ns,
            second_ns: if flagged { again_ns } else { 0.0 },
            second_least_ns,
            done: self.is_done(),
            idle_lanes: 0,
        })
    }

    /// What is left of what its second measurement was expected to take, in nanoseconds.
    fn second_left_ns(&self, took_ns: f64) -> f64 {
        let second = self.second.as_ref().filter(|_| !self.is_done());
        second.map_or(0.0, |second| (second.before_ns + second.expected_ns - took_ns).max(0.0))
    }

    /// The run was measured for so long before it was interrupted: the time of its launches goes on from there.
    pub(crate) fn resumed_after(mut self, used_ns: u64) -> Self {
        self.variants.iter_mut().for_each(|variant| variant.used_ns = used_ns);
        self
    }

    /// Launches that say anything, of those that its first or second measurement makes.
    fn fewest(&self) -> u32 {
        self.second.as_ref().map_or(MINIMUM_LAUNCHES, |second| second.from + self.pairs_to_confirm())
    }

    /// Launch pairs that its second measurement needs, as far as the first one shows.
    fn pairs_to_confirm(&self) -> u32 {
        let flagged = self.live_pairs.iter().filter(|live_pair| !live_pair.pair.control);
        let needed = flagged.map(|LivePair { live, .. }| live.pairs_to_confirm(live.second_level(self.family)));
        needed.min().unwrap_or(0).max(SECOND_PAIRS)
    }

    /// Whether it has the fewest launches that say anything.
    pub(crate) fn is_reached(&self) -> bool {
        self.piloted && self.made() >= self.fewest()
    }

    /// What its next launch will take, in nanoseconds.
    pub(crate) fn launch_takes_ns(&self) -> f64 {
        self.costs.launch_ns + f64::from(self.schedule.rounds) * self.costs.round_ns
    }

    /// What it takes to have the fewest launches that say anything, in nanoseconds.
    pub(crate) fn still_takes_ns(&self) -> f64 {
        f64::from(self.fewest().saturating_sub(self.made())) * self.launch_takes_ns()
    }

    /// It is a group of a gate that states a percentage.
    pub(crate) fn is_gated(&self) -> bool {
        self.live_pairs.iter().any(|live_pair| live_pair.pair.gate.is_some())
    }

    /// It has the fewest launches that say anything, and would look different if it ended with these.
    fn would_be_flagged(&self) -> bool {
        self.is_reached() && self.live_pairs.iter().any(|live_pair| live_pair.live.would_be_flagged())
    }

    /// Something is known to differ that it executes or reads.
    pub(crate) fn differs(&self) -> bool {
        self.live_pairs.iter().any(|live_pair| live_pair.pair.differs)
    }

    /// Ends it without a result: there is no time for the fewest launches that say anything. What an interrupted run has enough launches of ends with these.
    pub(crate) fn leave_out(&mut self) {
        if self.is_second() {
            self.end_unconfirmed();
            return;
        }
        if !self.piloted && !self.live_pairs.is_empty() && self.made() >= MINIMUM_LAUNCHES {
            self.take_earlier();
            self.live_pairs.iter_mut().for_each(|live_pair| live_pair.live.close());
            self.end_if(true);
            return;
        }
        self.variants.iter_mut().for_each(VariantRun::abandon);
        self.end = Some(End::new(Ending::LeftOut));
    }

    /// There is no time for it.
    pub(crate) fn is_left_out(&self) -> bool {
        self.end.as_ref().is_some_and(|end| end.ending == Ending::LeftOut)
    }

    /// Takes what the suite says about its time.
    pub(super) fn take_deadline(&mut self, context: &StepContext<'_>) {
        self.variants.iter_mut().for_each(|variant| variant.until_ns = context.until_ns);
        if self.share_ns.is_none() {
            self.share_ns = context.share_ns;
        }
    }

    /// What its comparisons still need to be decided, or known sharply, in nanoseconds, by the width of their intervals.
    fn needs_ns(&self) -> Option<f64> {
        if self.is_done() || self.is_second() || self.ordinal < MINIMUM_LAUNCHES {
            return None;
        }
        let open = self.live_pairs.iter().filter(|live_pair| live_pair.is_open(&self.variants));
        let needs = open.filter_map(|LivePair { live, .. }| Some(total::pairs_needed(live.made(), live.widths()?)));
        let pairs = needs.max_by(f64::total_cmp)?;
        Some(pairs * (self.costs.launch_ns + f64::from(self.schedule.rounds) * self.costs.round_ns))
    }

    /// Ends a second measurement that there was no time for.
    pub(crate) fn end_unconfirmed(&mut self) {
        if !self.is_done() {
            self.end = Some(End::new(Ending::Unconfirmed));
        }
    }

    /// Of the log-ratios of its pairs: see [`Outlook::deviation`].
    fn deviation(&self) -> Option<f64> {
        let pairs = self.live_pairs.iter().filter(|live_pair| !live_pair.pair.control);
        pairs.filter_map(|live_pair| live_pair.live.deviation()).max_by(f64::total_cmp)
    }

    /// Ends its first or second measurement with what there is; nothing before the fewest launches are made.
    pub(crate) fn close(&mut self, context: &mut StepContext<'_>) -> bool {
        if self.is_second() {
            self.end_unconfirmed();
            self.tell_if_done(context);
            return true;
        }
        if self.made() < MINIMUM_LAUNCHES {
            return false;
        }
        self.live_pairs.iter_mut().for_each(|live_pair| live_pair.live.close());
        let is_needed = !self.live_pairs.is_empty() && self.rest_or_wake();
        self.end_if(!is_needed);
        self.tell_if_done(context);
        true
    }
}
