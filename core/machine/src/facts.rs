//! The machine's fingerprint.

mod hardware;
mod limits;

use std::collections::BTreeMap;
use std::path::Path;

use crate::files;

pub(crate) use limits::cpu_groups;

/// What the machine below `root` (`/` in earnest) says of itself, by name. A fact that can't be read is absent.
///
/// | name | value |
/// | --- | --- |
/// | `cpu` | model; where the CPU has no name, its implementer and part, and the board |
/// | `cpus` | logical CPUs online |
/// | `arch` | architecture that Tare was built for |
/// | `governor` | cpufreq governor; several in alphabetical order, joined by `, ` |
/// | `turbo`, `smt` | `on` or `off` |
/// | `clocksource` | the kernel's: `tsc`, `kvm-clock`, … |
/// | `virtualisation` | `none`, or the hypervisor as the firmware names it, `yes` where it has no name |
/// | `kernel`, `os` | release of the kernel, name of the distribution |
/// | `memory` | total, in MiB |
/// | `load` | processes running or waiting, mean over the last minute |
/// | `steal` | share of the CPUs' time since boot that the hypervisor gave to others |
/// | `cpu_quota` | CPUs' worth of time that the control group may use; absent where unlimited |
pub fn facts(root: &Path) -> BTreeMap<String, String> {
    let cpuinfo = hardware::CpuInfo::read(root);
    let facts = [
        ("cpu", hardware::model(root, &cpuinfo)),
        ("cpus", hardware::online(root, &cpuinfo).map(|count| count.to_string())),
        ("arch", Some(std::env::consts::ARCH.to_owned())),
        ("governor", hardware::governor(root)),
        ("turbo", hardware::turbo(root)),
        ("smt", hardware::switch(root, "sys/devices/system/cpu/smt/active", "1")),
        ("clocksource", files::line(root, "sys/devices/system/clocksource/clocksource0/current_clocksource")),
        ("virtualisation", hardware::virtualisation(root, &cpuinfo)),
        ("kernel", files::line(root, "proc/sys/kernel/osrelease")),
        ("os", operating_system(root)),
        ("memory", limits::memory(root)),
        ("load", limits::load(root)),
        ("steal", limits::steal(root)),
        ("cpu_quota", limits::cpu_quota(root)),
    ];
    facts.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
}

/// The class of a machine: results of two machines of unlike classes can't be compared. Made of what stays the same
/// between two runs on one machine: model, architecture, number of CPUs, virtualisation.
pub fn class(facts: &BTreeMap<String, String>) -> String {
    let fact = |name: &str| facts.get(name).map_or("unknown", String::as_str);
    let cpus = fact("cpus");
    format!("{}; {}; {cpus} CPUs; virtualisation {}", fact("cpu"), fact("arch"), fact("virtualisation"))
}

fn operating_system(root: &Path) -> Option<String> {
    let text = files::text(root, "etc/os-release").or_else(|| files::text(root, "usr/lib/os-release"))?;
    let value = |name: &str| {
        let line = text.lines().find_map(|line| line.trim().strip_prefix(name)?.strip_prefix('='))?;
        files::printable(line.trim().trim_matches(['"', '\'']))
    };
    value("PRETTY_NAME").or_else(|| value("NAME"))
}

#[cfg(test)]
#[path = "facts/tests.rs"]
mod tests;
