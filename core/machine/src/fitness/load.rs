//! What else runs, and who makes it.

use super::moment::Moment;
use super::{Finding, Level};

/// Shares of all CPUs that others take, from which it may disturb and from which it does.
const SOME: f64 = 0.05;
const MUCH: f64 = 0.25;
/// Processes that are named, and the share of one CPU from which one is.
const NAMED: usize = 3;
const WORTH_NAMING: f64 = 0.02;

/// The part of all CPUs' time that others took between two moments; `None` where it isn't known.
pub(super) fn share(before: &Moment, after: &Moment) -> Option<f64> {
    let passed = after.since(before).ok()?;
    Some(taken(before, after, passed.busy) / passed.total as f64)
}

/// Ticks of `busy` that weren't this process's own.
fn taken(before: &Moment, after: &Moment, busy: u64) -> f64 {
    let own = match (before.own, after.own) {
        (Some(before), Some(after)) => after.saturating_sub(before),
        _ => 0,
    };
    busy.saturating_sub(own) as f64
}

pub(super) fn of_others(before: &Moment, after: &Moment, when: &str) -> Finding {
    const CODE: &str = "load";
    let passed = match after.since(before) {
        Ok(passed) => passed,
        Err(doubt) => return super::unknown(CODE, &doubt, "the load by other programs is unknown"),
    };
    // Ticks of one CPU.
    let span = passed.total as f64 / passed.cpus as f64;
    let others = taken(before, after, passed.busy);
    let share = others / passed.total as f64;
    let mut found = format!("{:.1} of {} CPUs used by other programs {when}", others / span, passed.cpus);
    let mut named = after.busiest(before);
    named.retain(|(_, ticks)| *ticks as f64 / span >= WORTH_NAMING);
    named.truncate(NAMED);
    if !named.is_empty() && share >= SOME {
        let list: Vec<String> =
            named.iter().map(|(name, ticks)| format!("{name} {:.2}", *ticks as f64 / span)).collect();
        found.push_str(&format!(": {}", list.join(", ")));
    }
    let effect = "other work competes for caches, memory and power, and sometimes for the workers' CPU";
    let remedy = "end it, or wait until it is done";
    match share {
        much if much >= MUCH => Finding::new(CODE, Level::Disturbs, found, effect, remedy),
        some if some >= SOME => Finding::new(CODE, Level::MayDisturb, found, effect, remedy),
        _ => Finding::good(CODE, found),
    }
}
