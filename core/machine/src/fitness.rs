//! How fit a machine and its runtimes are to measure on: findings, each with what it does to results and how to mend it.
//!
//! [`of_machine`] judges what stands still and can be read at once, [`of_span`] what happened between two [`Moment`]s,
//! [`of_runtime`] what a worker said of its runtime. What can't be read is a finding too, of level [`Level::Unknown`], with the file and
//! the reason; nothing is guessed.

mod clock;
mod frequency;
mod idle;
mod isolation;
mod load;
mod memory;
mod moment;
mod perf;
mod reading;
mod runtimes;
mod tenancy;
mod thermal;
mod throttling;

use std::collections::BTreeMap;
use std::path::Path;

pub use tare_samples::{Finding, FindingLevel as Level};

use crate::cpu_list::parse_cpu_list;
use crate::cpus::{Placement, Topology, choose};
use crate::files::printable;
use reading::{Doubt, Tree};

pub(crate) use idle::DEEP_US;
pub use moment::Moment;
pub use runtimes::of_runtime;

/// What couldn't be read; `open` is what isn't known because of it.
fn unknown(code: &str, doubt: &Doubt, open: &str) -> Finding {
    // The place may be part of what another file says.
    let found = printable(&doubt.to_string()).unwrap_or_default();
    Finding::new(code, Level::Unknown, found, open, doubt.remedy())
}

/// `once`, `3 times`.
fn times(count: u64) -> String {
    if count == 1 { "once".to_owned() } else { format!("{count} times") }
}

/// The CPUs that a worker of this process gets where the user names none, read below `root`; empty where that can't be known.
pub fn measuring_cpus(root: &Path) -> Vec<usize> {
    let tree = Tree::new(root);
    let allowed = tree.text("proc/self/status").ok().and_then(|text| {
        let list = text.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"))?;
        parse_cpu_list(list).ok()
    });
    let online = || parse_cpu_list(&tree.line("sys/devices/system/cpu/online").ok()?).ok();
    let Some(allowed) = allowed.or_else(online) else { return Vec::new() };
    match choose(&Topology::read(root, allowed), None) {
        Ok(Placement::Pinned { worker, .. }) => worker,
        _ => Vec::new(),
    }
}

/// Judges what stands still: settings, topology, limits. Takes a few milliseconds and starts nothing.
///
/// `facts` are those of [`facts`](crate::facts) of the same root; `measuring` are the CPUs that workers run on, empty where that isn't
/// known. In the order in which they are looked at; each code once.
pub fn of_machine(root: &Path, facts: &BTreeMap<String, String>, measuring: &[usize]) -> Vec<Finding> {
    let tree = Tree::new(root);
    let mut findings = vec![
        frequency::governor(&tree),
        frequency::turbo(&tree),
        frequency::smt(&tree, measuring),
        idle::sleep_states(&tree, measuring),
        clock::source(&tree),
        clock::time_stamp_counter(&tree),
        tenancy::virtualisation(facts),
        tenancy::quota(&tree, facts),
        isolation::isolated(&tree, measuring),
        memory::layout(&tree),
        memory::swap(&tree),
        memory::huge_pages(&tree),
        thermal::since_boot(&tree),
        perf::access(&tree),
    ];
    findings.extend(frequency::battery(&tree));
    findings
}

/// The span between two moments as findings speak of it.
#[derive(Debug, Clone, Copy)]
pub struct Span<'a> {
    /// Which one it was, as `over 1 s`.
    pub when: &'a str,
    /// The option by which a measurement takes longer.
    pub longer: &'a str,
}

/// Judges what happened between two moments of one machine: time stolen, load of others, throttling, swapping.
///
/// Steal and load are always among the findings; the others only where something happened.
pub fn of_span(before: &Moment, after: &Moment, span: Span<'_>) -> Vec<Finding> {
    let when = span.when;
    let mut findings = vec![tenancy::steal(before, after, span), load::of_others(before, after, when)];
    findings.extend(tenancy::throttled(before, after, when));
    findings.extend(memory::swapping(before, after, when));
    findings.extend(thermal::during(before, after, when));
    findings
}

/// The part of all CPUs' time that other processes took between two moments, from 0 to 1; `None` where it isn't known.
pub fn share_of_others(before: &Moment, after: &Moment) -> Option<f64> {
    load::share(before, after)
}

/// `standing` with what `moving` knows better: of two findings of one code the worse, and of two as bad the one of the span.
pub fn joined(standing: Vec<Finding>, moving: Vec<Finding>) -> Vec<Finding> {
    let mut all = standing;
    for finding in moving {
        match all.iter_mut().find(|known| known.code == finding.code) {
            Some(known) if known.level <= finding.level => *known = finding,
            Some(_) => {}
            None => all.push(finding),
        }
    }
    all
}

#[cfg(test)]
mod tests;
