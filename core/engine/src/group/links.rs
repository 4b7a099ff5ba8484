//! Which links of the sides' programs are started together.

use tare_plan::Layouts;
use tare_plan::matching::{Function, matched};

use super::{GroupRun, StepContext};
use crate::pilot::seen_in;
use crate::variant_run::VariantRun;

/// Functions that take less of a case's time than this aren't asked for, and no more of them than these.
const LEAST_SHARE: f64 = 0.03;
const MOST_FUNCTIONS: usize = 16;
/// Less often seen, a case tells nothing of its functions.
const LEAST_SEEN: u32 = 12;

impl GroupRun<'_> {
    /// Sees in which functions the base's time goes, and chooses links that have these at the same places on all sides ([`tare_plan::matching`]).
    pub(super) fn choose_links(&mut self, context: &mut StepContext<'_>) {
        let Some(base) = self.live_pairs.first().map(|live_pair| live_pair.pair.base) else { return };
        let is_linked = |variant: &VariantRun<'_>| {
            matches!(variant.planned.layouts, Layouts::Links(_)) && variant.is_live() && variant.is_calibrated()
        };
        let sides: Vec<usize> = (0..self.variants.len()).filter(|&side| is_linked(&self.variants[side])).collect();
        // A process that serves several groups runs the one link that it was started from.
        if self.processes.are_shared() || sides.len() < self.variants.len() || sides.len() < 2 {
            return;
        }
        // Those of the pilot have ended: a case may want a port, or a file, for itself.
        context.settle();
        let seen = seen_in(&self.variants[base], context.launcher, context.settings);
        let all: u32 = seen.values().sum();
        if all < LEAST_SEEN {
            return;
        }
        let share = |count: u32| f64::from(count) / f64::from(all);
        let mut busiest: Vec<(&str, u32)> = seen.iter().map(|(name, &count)| (name.as_str(), count)).collect();
        busiest.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
        busiest.retain(|&(_, count)| share(count) >= LEAST_SHARE);
        busiest.truncate(MOST_FUNCTIONS);
        let names: Vec<&str> = busiest.iter().map(|&(name, _)| name).collect();
        let of_side = |&side: &usize| {
            let links = context.launcher.places(&self.variants[side].planned.start, &names);
            let function = |(number, &(_, count)): (usize, &(&str, u32))| Function {
                share: share(count),
                places: links.iter().map(|places| places[number]).collect(),
            };
            busiest.iter().enumerate().map(function).collect()
        };
        let others = sides.iter().filter(|&&side| side != base);
        let order: Vec<usize> = [base].into_iter().chain(others.copied()).collect();
        let functions: Vec<Vec<Function>> = order.iter().map(of_side).collect();
        let Some(chosen) = matched(&functions) else { return };
        for (side, links) in order.into_iter().zip(chosen) {
            self.variants[side].calibration.links = links;
            self.tell(context, self.variants[side].calibrated_news(side));
        }
    }
}
