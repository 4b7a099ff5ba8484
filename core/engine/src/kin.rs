//! Which groups share the processes of a launch. Pure.
//!
//! Where a start takes longer than what a launch is measured for, a process that has loaded its sources serves several cases, a copy of it each: kin. Each launch of a group still has
//! processes that no other launch of it has had, so its pairs stay independent draws of what processes differ by. Rows of kin share these draws; no row is judged by another's pairs.

use tare_plan::{Group, Planned, Settings};

use crate::budget::of_comparison_ns;

/// Starts of so many launch pairs may take this part of a comparison's time; where they take more they are shared.
const PAIRS: f64 = 10.0;
const OF_TIME: f64 = 0.25;
/// A process serves no more cases than this.
pub(crate) const MOST_SERVED: usize = 16;

/// Of each group the first one that it is kin to; its own number where it has none.
pub(crate) fn kin(groups: &[Group], settings: &Settings) -> Vec<usize> {
    let mut first: Vec<usize> = Vec::new();
    let of_group = |(number, group): (usize, &Group)| {
        if !is_heavy(group, settings) {
            return number;
        }
        let found = first.iter().copied().find(|&other| starts_alike(&groups[other], group));
        found.unwrap_or_else(|| {
            first.push(number);
            number
        })
    };
    groups.iter().enumerate().map(of_group).collect()
}

/// What the processes of one launch take to start, in nanoseconds, where nothing is shared.
pub(crate) fn start_ns(group: &Group) -> f64 {
    group.variants.iter().map(|planned| planned.startup.takes_ns as f64).sum()
}

fn is_heavy(group: &Group, settings: &Settings) -> bool {
    let may = |planned: &Planned| planned.startup.copies && !planned.variant.case.settings.parallel;
    !group.pairs.is_empty()
        && group.variants.iter().all(may)
        && PAIRS * start_ns(group) > OF_TIME * of_comparison_ns(settings)
}

fn starts_alike(one: &Group, other: &Group) -> bool {
    let alike = |(one, other): (&Planned, &Planned)| {
        one.start == other.start && one.sources == other.sources && one.bootstrap == other.bootstrap
    };
    one.variants.len() == other.variants.len() && one.variants.iter().zip(&other.variants).all(alike)
}
