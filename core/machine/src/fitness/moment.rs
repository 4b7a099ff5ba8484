//! The kernel's counters at one moment; two of them say what happened between.

use std::collections::BTreeMap;
use std::path::Path;

use super::reading::{Doubt, Reading, Tree};
use super::throttling;
use crate::facts::cpu_groups;
use crate::files;

const STAT: &str = "proc/stat";

/// What the kernel has counted up to a moment.
#[derive(Debug, Clone)]
pub struct Moment {
    ticks: Reading<Ticks>,
    /// Ticks of this process and of those that it has waited for.
    pub(super) own: Option<u64>,
    /// By number; empty where they weren't asked for or can't be seen.
    processes: BTreeMap<u32, Process>,
    /// Pages moved to and from swap.
    pub(super) swapped: Reading<u64>,
    /// Times that a CPU was throttled for heat.
    pub(super) throttles: Reading<u64>,
    pub(super) group: Option<Group>,
}

/// Clock ticks of all CPUs, as proc(5) counts them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Ticks {
    pub(super) total: u64,
    pub(super) busy: u64,
    pub(super) steal: u64,
    pub(super) cpus: u64,
}

/// How often a control group stood still because its share was used up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Group {
    pub(super) times: u64,
    pub(super) microseconds: u64,
}

#[derive(Debug, Clone)]
struct Process {
    name: String,
    ticks: u64,
}

impl Moment {
    /// Reads the counters below `root`; a handful of files.
    pub fn read(root: &Path) -> Self {
        let tree = Tree::new(root);
        Self {
            ticks: ticks(&tree),
            own: own(&tree).map(|(_, ticks)| ticks),
            processes: BTreeMap::new(),
            swapped: swapped(&tree),
            throttles: throttling::count(&tree),
            group: group(root),
        }
    }

    /// As [`Moment::read`], and every process's time, so that the busiest can be named: a file a process.
    pub fn with_processes(root: &Path) -> Self {
        let tree = Tree::new(root);
        let own = own(&tree).map(|(pid, _)| pid);
        let mut processes = BTreeMap::new();
        for pid in tree.numbered("proc", "").unwrap_or_default() {
            let Ok(pid) = u32::try_from(pid) else { continue };
            // One that has ended meanwhile has no file any more.
            let stat = tree.text(&format!("proc/{pid}/stat")).ok().and_then(|text| stat_of(&text));
            if let Some((_, name, [user, system, _, _])) = stat.filter(|_| Some(pid) != own) {
                processes.insert(pid, Process { name, ticks: user.saturating_add(system) });
            }
        }
        Self { processes, ..Self::read(root) }
    }

    /// What passed since `before`; its total is above 0.
    pub(super) fn since(&self, before: &Self) -> Reading<Ticks> {
        let (now, then) = (self.ticks.clone()?, before.ticks.clone()?);
        let total = now.total.saturating_sub(then.total);
        if total == 0 {
            return Err(Doubt::nonsense(STAT, "counters that stand still"));
        }
        Ok(Ticks {
            total,
            busy: now.busy.saturating_sub(then.busy).min(total),
            steal: now.steal.saturating_sub(then.steal).min(total),
            cpus: now.cpus,
        })
    }

    /// Processes by the ticks that they took since `before`, the busiest first, each with its number.
    pub(super) fn busiest(&self, before: &Self) -> Vec<(String, u64)> {
        let took = |(pid, process): (&u32, &Process)| {
            let earlier = before.processes.get(pid).map_or(0, |earlier| earlier.ticks);
            // A counter that went back is another process under the same number.
            let ticks = process.ticks.checked_sub(earlier).unwrap_or(process.ticks);
            (ticks > 0).then(|| (format!("{} ({pid})", process.name), ticks))
        };
        let mut busiest: Vec<(String, u64)> = self.processes.iter().filter_map(took).collect();
        busiest.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        busiest
    }
}

/// The first line is user, nice, system, idle, iowait, irq, softirq, steal, guest, guest_nice; the two last are counted in the two
/// first as well.
fn ticks(tree: &Tree<'_>) -> Reading<Ticks> {
    let text = tree.text(STAT)?;
    let nonsense = || Doubt::nonsense(STAT, text.lines().next().unwrap_or_default());
    let line = text.lines().next().and_then(|line| line.strip_prefix("cpu ")).ok_or_else(nonsense)?;
    let ticks: Vec<u64> = line.split_whitespace().map_while(|tick| tick.parse().ok()).take(8).collect();
    let &[user, nice, system, _, _, irq, softirq, steal] = ticks.as_slice() else { return Err(nonsense()) };
    let sum = |ticks: &[u64]| ticks.iter().try_fold(0u64, |sum, &tick| sum.checked_add(tick)).ok_or_else(nonsense);
    let (total, busy) = (sum(&ticks)?, sum(&[user, nice, system, irq, softirq])?);
    let numbered =
        |line: &&str| line.strip_prefix("cpu").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let cpus = text.lines().filter(numbered).count() as u64;
    if cpus == 0 {
        return Err(nonsense());
    }
    Ok(Ticks { total, busy, steal, cpus })
}

/// Number, name and user, system, children's user and children's system ticks of `/proc/PID/stat`. The name stands in
/// parentheses and may hold any character, parentheses and line breaks too.
fn stat_of(text: &str) -> Option<(u32, String, [u64; 4])> {
    let (pid, rest) = text.split_once('(')?;
    let (name, rest) = rest.rsplit_once(')')?;
    // Fields 14 to 17; the first one after the name is the third.
    let fields: Vec<u64> = rest.split_whitespace().skip(11).take(4).map_while(|field| field.parse().ok()).collect();
    let name = files::printable(name).unwrap_or_else(|| "?".to_owned());
    Some((pid.trim().parse().ok()?, name.chars().take(24).collect(), fields.try_into().ok()?))
}

fn own(tree: &Tree<'_>) -> Option<(u32, u64)> {
    let (pid, _, ticks) = stat_of(&tree.text("proc/self/stat").ok()?)?;
    Some((pid, ticks.iter().fold(0, |sum: u64, &ticks| sum.saturating_add(ticks))))
}

fn swapped(tree: &Tree<'_>) -> Reading<u64> {
    const PATH: &str = "proc/vmstat";
    let text = tree.text(PATH)?;
    let count = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '))?;
        line.trim().parse::<u64>().ok()
    };
    match (count("pswpin"), count("pswpout")) {
        (Some(inwards), Some(outwards)) => Ok(inwards.saturating_add(outwards)),
        _ => Err(Doubt::nonsense(PATH, text.lines().next().unwrap_or_default())),
    }
}

/// The sum over the process's groups up to the root: whichever of them has the quota stands still.
fn group(root: &Path) -> Option<Group> {
    let mut sum: Option<Group> = None;
    for folder in cpu_groups(root) {
        let Some(text) = files::text(root, &format!("{folder}/cpu.stat")) else { continue };
        let value = |name: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '))?;
            line.trim().parse::<u64>().ok()
        };
        // Version 2 counts microseconds, version 1 nanoseconds.
        let microseconds = value("throttled_usec").or_else(|| value("throttled_time").map(|ns| ns / 1000));
        if let (Some(times), Some(microseconds)) = (value("nr_throttled"), microseconds) {
            let before = sum.unwrap_or(Group { times: 0, microseconds: 0 });
            sum = Some(Group {
                times: before.times.saturating_add(times),
                microseconds: before.microseconds.saturating_add(microseconds),
            });
        }
    }
    sum
}
