//! Whom the machine belongs to: hypervisors and control groups that give the CPU to others.

use std::collections::BTreeMap;

use super::moment::Moment;
use super::reading::{Doubt, Reading, Tree};
use super::{Finding, Level, Span, times};
use crate::facts::cpu_groups;

/// Shares of stolen time, in percent, from which it may disturb and from which it does.
const SOME_STEAL: f64 = 1.0;
const MUCH_STEAL: f64 = 5.0;
/// A worker and the core that drives it.
const NEEDED_CPUS: f64 = 2.0;

pub(super) fn virtualisation(facts: &BTreeMap<String, String>) -> Finding {
    const CODE: &str = "virtualisation";
    match facts.get("virtualisation").map(String::as_str) {
        Some("none") => Finding::good(CODE, "none"),
        Some(name) => Finding::new(
            CODE,
            Level::MayDisturb,
            if name == "yes" { "a virtual machine" } else { name },
            "other virtual machines share its caches, memory and power, unseen by this one: its speed changes within seconds",
            "compare live (tare compare, --runtime, --base) rather than with stored runs, or measure on a machine of your own",
        ),
        None => Finding::new(
            CODE,
            Level::Unknown,
            "/proc/cpuinfo and /sys/class/dmi/id don't say",
            "it is unknown whether virtual machines share this host",
            "",
        ),
    }
}

pub(super) fn steal(before: &Moment, after: &Moment, Span { when, longer }: Span<'_>) -> Finding {
    const CODE: &str = "steal";
    const OPEN: &str = "how much time the hypervisor gives to others isn't known";
    let passed = match after.since(before) {
        Ok(passed) => passed,
        Err(doubt) => return super::unknown(CODE, &doubt, OPEN),
    };
    let percent = 100.0 * passed.steal as f64 / passed.total as f64;
    let found = format!("{percent:.1} % of the CPUs' time {when}");
    let effect = "the hypervisor takes the CPU away in the middle of samples";
    let remedy =
        format!("measure when the neighbours are quiet, give it longer ({longer}), or take a machine of your own");
    match percent {
        much if much >= MUCH_STEAL => Finding::new(CODE, Level::Disturbs, found, effect, &remedy),
        some if some >= SOME_STEAL => Finding::new(CODE, Level::MayDisturb, found, effect, &remedy),
        _ => Finding::good(CODE, found),
    }
}

/// `facts` has the quota; this says whether it could be looked for at all.
pub(super) fn quota(tree: &Tree<'_>, facts: &BTreeMap<String, String>) -> Finding {
    const CODE: &str = "cpu-quota";
    if let Some(quota) = facts.get("cpu_quota") {
        let few = quota.parse::<f64>().is_ok_and(|cpus| cpus < NEEDED_CPUS);
        return Finding::new(
            CODE,
            if few { Level::Disturbs } else { Level::MayDisturb },
            format!("{quota} CPUs"),
            "when the control group has used its share up, its processes stand still for the rest of the period, often in the middle of a sample",
            "lift the limit (docker run without --cpus, a pod without limits.cpu, systemd's CPUQuota=)",
        );
    }
    match no_limit(tree) {
        Ok(()) => Finding::good(CODE, "none"),
        Err(doubt) => super::unknown(CODE, &doubt, "whether the CPU's time is limited isn't known"),
    }
}

/// Whether every file that could hold a limit says that there is none. A group without such a file has none.
fn no_limit(tree: &Tree<'_>) -> Reading<()> {
    const GROUPS: &str = "proc/self/cgroup";
    let groups = tree.text(GROUPS)?;
    if !groups.lines().any(|line| line.splitn(3, ':').nth(2).is_some_and(|path| path.starts_with('/'))) {
        return Err(Doubt::nonsense(GROUPS, &groups));
    }
    for group in cpu_groups(tree.root()) {
        for (file, none) in [("cpu.max", "max"), ("cpu.cfs_quota_us", "-1")] {
            let path = format!("{group}/{file}");
            match tree.line(&path) {
                Ok(line) if line.split(' ').next() == Some(none) => {}
                Ok(line) => return Err(Doubt::nonsense(&path, &line)),
                Err(doubt) if doubt.is_missing() => {}
                Err(doubt) => return Err(doubt),
            }
        }
    }
    Ok(())
}

pub(super) fn throttled(before: &Moment, after: &Moment, when: &str) -> Option<Finding> {
    let (now, then) = (after.group?, before.group?);
    let count = now.times.checked_sub(then.times).filter(|&count| count > 0)?;
    let milliseconds = now.microseconds.saturating_sub(then.microseconds) as f64 / 1000.0;
    Some(Finding::new(
        "cpu-quota",
        Level::Disturbs,
        format!("used up {} {when}, {milliseconds:.0} ms of standing still", times(count)),
        "the control group's processes stood still for the rest of each period, often in the middle of a sample",
        "lift the limit (docker run without --cpus, a pod without limits.cpu, systemd's CPUQuota=)",
    ))
}
