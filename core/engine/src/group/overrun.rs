//! Budgets that don't hold the least that can be measured.

use tare_plan::Settings;
use tare_samples::MINIMUM_LAUNCHES;

use super::GroupRun;
use crate::overrun::Overrun;

/// A run usually takes longer than its budget by a part of a launch. From this many times the budget on it is told that the budget couldn't be kept.
const MISSED: f64 = 1.5;

impl GroupRun<'_> {
    /// What the pilot and the fewest launches took, where that was clearly more than the budget that the user gave. `None` where the user fixed the number of launches, and so asked
    /// for what they take.
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
