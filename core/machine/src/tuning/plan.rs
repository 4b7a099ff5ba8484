//! Which files are to hold what.

use std::path::Path;

use super::{Change, value};
use crate::cpu_list::format_cpu_list;
use crate::cpu_list::parse_cpu_list;
use crate::fitness::DEEP_US;

const CPU: &str = "/sys/devices/system/cpu";

/// What is done on request only.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Wishes {
    /// Switch the second hardware threads of all cores off.
    pub smt_off: bool,
    /// Give every process the same memory layout. Otherwise layouts are drawn, as Tare wants them.
    pub aslr_off: bool,
}

/// What is to be changed, and what can't be.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    /// In the order in which they are made.
    pub changes: Vec<Change>,
    /// Settings that are there but can't be settled: what, which file, and why.
    pub left_alone: Vec<(String, String, String)>,
}

/// Looks below `root` for what isn't yet as measurements want it. `measuring` are the CPUs that interrupts are kept off; empty leaves
/// interrupts alone. Changes nothing.
pub fn plan(root: &Path, wishes: &Wishes, measuring: &[usize]) -> Plan {
    let mut planner = Planner { root, plan: Plan::default() };
    planner.governors();
    planner.turbo();
    planner.sleep_states();
    planner.memory(wishes);
    planner.number("perf-events", "/proc/sys/kernel/perf_event_paranoid", |level| (level > 2).then_some(2));
    planner.interrupts(measuring);
    if wishes.smt_off {
        // Last: CPUs that go offline take their settings with them.
        planner.word("smt", &format!("{CPU}/smt/control"), |control| (control == "on").then(|| "off".to_owned()));
    }
    planner.plan
}

struct Planner<'a> {
    root: &'a Path,
    plan: Plan,
}

impl Planner<'_> {
    /// Plans what `wanted` makes of the value; `None` leaves it. A file that isn't there is no setting of this machine.
    fn word(&mut self, what: &str, path: &str, wanted: impl Fn(&str) -> Option<String>) {
        if !self.is_there(path) {
            return;
        }
        match value::read(self.root, path) {
            Err(reason) => self.leave(what, path, reason),
            Ok(old) => {
                if let Some(new) = wanted(&old).filter(|new| *new != old) {
                    self.plan.changes.push(Change { what: what.to_owned(), path: path.to_owned(), old, new });
                }
            }
        }
    }

    fn number(&mut self, what: &str, path: &str, wanted: impl Fn(i64) -> Option<i64>) {
        match value::read(self.root, path).map(|text| text.parse::<i64>()) {
            Ok(Err(_)) if self.is_there(path) => self.leave(what, path, "it holds no number".to_owned()),
            _ => self.word(what, path, |text| Some(wanted(text.parse().ok()?)?.to_string())),
        }
    }

    fn is_there(&self, path: &str) -> bool {
        std::fs::symlink_metadata(self.root.join(path.trim_start_matches('/'))).is_ok()
    }

    fn leave(&mut self, what: &str, path: &str, why: String) {
        self.plan.left_alone.push((what.to_owned(), path.to_owned(), why));
    }

    /// Entries of `folder` called `prefix` and a number, ascending, as paths.
    fn numbered(&self, folder: &str, prefix: &str) -> Vec<(usize, String)> {
        let entries = std::fs::read_dir(self.root.join(folder.trim_start_matches('/'))).into_iter().flatten().flatten();
        let number = |entry: std::fs::DirEntry| entry.file_name().to_str()?.strip_prefix(prefix)?.parse().ok();
        let mut numbers: Vec<usize> = entries.filter_map(number).collect();
        numbers.sort_unstable();
        numbers.into_iter().map(|number| (number, format!("{folder}/{prefix}{number}"))).collect()
    }

    /// CPUs that share a clock share a policy; where policies aren't shown by themselves, each CPU shows its own.
    fn policies(&self) -> Vec<String> {
        let policies: Vec<String> =
            self.numbered(&format!("{CPU}/cpufreq"), "policy").into_iter().map(|(_, path)| path).collect();
        if policies.is_empty() {
            let cpus = self.numbered(CPU, "cpu").into_iter().map(|(_, path)| format!("{path}/cpufreq"));
            cpus.filter(|path| self.is_there(path)).collect()
        } else {
            policies
        }
    }

    fn governors(&mut self) {
        for policy in self.policies() {
            let path = format!("{policy}/scaling_governor");
            let available = value::read(self.root, &format!("{policy}/scaling_available_governors"));
            match available {
                Ok(available) if !available.split(' ').any(|governor| governor == "performance") => {
                    self.leave("governor", &path, format!("this kernel has only {available}"));
                }
                _ => self.word("governor", &path, |_| Some("performance".to_owned())),
            }
        }
    }

    fn turbo(&mut self) {
        let intel = format!("{CPU}/intel_pstate/no_turbo");
        let global = format!("{CPU}/cpufreq/boost");
        if self.is_there(&intel) {
            self.number("turbo", &intel, |off| (off == 0).then_some(1));
        } else if self.is_there(&global) {
            self.number("turbo", &global, |on| (on == 1).then_some(0));
        } else {
            for policy in self.policies() {
                self.number("turbo", &format!("{policy}/boost"), |on| (on == 1).then_some(0));
            }
        }
    }

    /// Files rather than /dev/cpu_dma_latency, which holds only as long as a process keeps it open: these hold without one, and
    /// a killed process leaves behind what can be put back.
    fn sleep_states(&mut self) {
        for (_, cpu) in self.numbered(CPU, "cpu") {
            for (_, state) in self.numbered(&format!("{cpu}/cpuidle"), "state") {
                let latency = value::read(self.root, &format!("{state}/latency"));
                if latency.ok().and_then(|text| text.parse::<u64>().ok()).is_some_and(|latency| latency >= DEEP_US) {
                    self.number("c-states", &format!("{state}/disable"), |off| (off == 0).then_some(1));
                }
            }
        }
    }

    fn memory(&mut self, wishes: &Wishes) {
        let layout = if wishes.aslr_off { 0 } else { 2 };
        self.number("aslr", "/proc/sys/kernel/randomize_va_space", |_| Some(layout));
        self.word("huge-pages", "/sys/kernel/mm/transparent_hugepage/enabled", |mode| {
            (mode == "always").then(|| "madvise".to_owned())
        });
        let swaps = crate::files::text(self.root, "proc/swaps").unwrap_or_default();
        // The first line is a heading.
        if swaps.lines().nth(1).is_some_and(|line| !line.trim().is_empty()) {
            self.number("swap", "/proc/sys/vm/swappiness", |swappiness| (swappiness > 1).then_some(1));
        }
    }

    fn interrupts(&mut self, measuring: &[usize]) {
        if measuring.is_empty() {
            return;
        }
        let mut paths: Vec<String> =
            self.numbered("/proc/irq", "").into_iter().map(|(_, path)| format!("{path}/smp_affinity_list")).collect();
        paths.retain(|path| self.is_there(path));
        for path in paths {
            self.word("interrupts", &path, |list| {
                let mut cpus = parse_cpu_list(list).ok()?;
                cpus.retain(|cpu| !measuring.contains(cpu));
                (!cpus.is_empty()).then(|| format_cpu_list(&cpus))
            });
        }
    }
}
