//! Budgets that don't hold the least that can be measured.

use tare_plan::Settings;
use tare_samples::MINIMUM_LAUNCHES;

use super::GroupRun;
use crate::overrun::Overrun;

/// A budget is missed by some of a launch as a rule; by so much of itself, and it wasn't one that could be kept.
const MISSED: f64 = 1.5;

impl GroupRun<'_> {
    /// What the least took, where it was clearly more than the budget that the user gave. Who fixed the launches has asked for them.
    pub(crate) fn overrun(&self, settings: &Settings) -> Option<Overrun> {
        let budget_ns = self.budget_ns(settings);
        let took_ns = self.spent.wall_ns as f64;
        let least = self.done && self.live() > 0 && self.made() <= MINIMUM_LAUNCHES;
        let asked = settings.budget_given && settings.launches.is_none();
        let each_ns =
            if self.live_pairs.is_empty() { settings.budget } else { settings.comparison_budget }.as_nanos() as f64;
        (asked && least && took_ns > MISSED * budget_ns).then(|| Overrun {
            groups: 1,
            budget_ns: each_ns,
            took_ns: took_ns * each_ns / budget_ns.max(1.0),
        })
    }
}
