//! How fast the clock of a CPU runs, and what it shares its core with.

use std::collections::BTreeMap;

use super::reading::{Doubt, Reading, Tree};
use super::{Finding, Level};
use crate::cpu_list::{format_cpu_list, parse_cpu_list};

const CPU: &str = "sys/devices/system/cpu";

/// Governors that set the rate by the load (Documentation/admin-guide/pm/cpufreq.rst; `powersave` does so under intel_pstate, and
/// keeps the rate lowest elsewhere).
const FOLLOWING: [&str; 5] = ["powersave", "ondemand", "conservative", "schedutil", "interactive"];

pub(super) fn governor(tree: &Tree<'_>) -> Finding {
    const CODE: &str = "governor";
    const OPEN: &str = "whether the clock rate changes with the load isn't known";
    let cpus = match tree.numbered(CPU, "cpu") {
        Ok(cpus) => cpus,
        Err(doubt) => return super::unknown(CODE, &doubt, OPEN),
    };
    let mut governors: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    let mut doubt: Option<Doubt> = None;
    for cpu in cpus {
        match tree.word(&format!("{CPU}/cpu{cpu}/cpufreq/scaling_governor")) {
            Ok(governor) => governors.entry(governor).or_default().push(cpu),
            // A CPU that is offline has none; one whose file holds nonsense is worth telling.
            Err(other) if doubt.as_ref().is_none_or(|known| known.is_missing() && !other.is_missing()) => {
                doubt = Some(other);
            }
            Err(_) => {}
        }
    }
    if governors.is_empty() || doubt.as_ref().is_some_and(|doubt| !doubt.is_missing()) {
        let doubt = doubt.unwrap_or_else(|| Doubt::missing(&format!("{CPU}/cpu0/cpufreq")));
        return super::unknown(CODE, &doubt, OPEN);
    }
    let found: Vec<String> = match governors.len() {
        1 => governors.keys().cloned().collect(),
        _ => governors.iter().map(|(name, cpus)| format!("{name} on CPU {}", format_cpu_list(cpus))).collect(),
    };
    let found = found.join(", ");
    if governors.keys().any(|governor| FOLLOWING.contains(&governor.as_str())) {
        return Finding::new(
            CODE,
            Level::Disturbs,
            found,
            "the clock rate follows the load: the same code takes longer after a pause than under load",
            "sudo tare tune, or cpupower frequency-set -g performance",
        );
    }
    if governors.keys().any(|governor| governor != "performance") {
        return Finding::new(
            CODE,
            Level::MayDisturb,
            found,
            "the clock rate may be unusual, so times differ from those of other machines",
            "sudo tare tune, or cpupower frequency-set -g performance",
        );
    }
    Finding::good(CODE, found)
}

pub(super) fn turbo(tree: &Tree<'_>) -> Finding {
    const CODE: &str = "turbo";
    let no_turbo = tree.flag(&format!("{CPU}/intel_pstate/no_turbo")).map(|off| !off);
    let boost = match no_turbo {
        Err(doubt) if doubt.is_missing() => tree.flag(&format!("{CPU}/cpufreq/boost")),
        other => other,
    };
    let on = match boost {
        Err(doubt) if doubt.is_missing() => boost_of_policies(tree).unwrap_or(Err(doubt)),
        other => other,
    };
    match on {
        Err(doubt) => super::unknown(CODE, &doubt, "whether the clock rate rises above its nominal one isn't known"),
        Ok(false) => Finding::good(CODE, "off"),
        Ok(true) => Finding::new(
            CODE,
            Level::MayDisturb,
            "on",
            "the clock rate rises above its nominal one as heat and the other cores allow: times drift with both",
            "sudo tare tune",
        ),
    }
}

/// Some drivers have a switch for each policy alone; on where one is. `None` where there is no such switch.
fn boost_of_policies(tree: &Tree<'_>) -> Option<Reading<bool>> {
    let policies = tree.numbered(&format!("{CPU}/cpufreq"), "policy").unwrap_or_default();
    let paths: Vec<String> = if policies.is_empty() {
        let cpus = tree.numbered(CPU, "cpu").unwrap_or_default();
        cpus.into_iter().map(|cpu| format!("{CPU}/cpu{cpu}/cpufreq/boost")).collect()
    } else {
        policies.into_iter().map(|policy| format!("{CPU}/cpufreq/policy{policy}/boost")).collect()
    };
    let mut flags: Vec<Reading<bool>> = paths.iter().map(|path| tree.flag(path)).collect();
    flags.retain(|flag| !flag.as_ref().is_err_and(Doubt::is_missing));
    match flags.iter().position(|flag| *flag == Ok(true)).or_else(|| flags.iter().position(Result::is_err)) {
        Some(telling) => Some(flags.swap_remove(telling)),
        None => flags.pop(),
    }
}

pub(super) fn smt(tree: &Tree<'_>, measuring: &[usize]) -> Finding {
    const CODE: &str = "smt";
    match tree.flag(&format!("{CPU}/smt/active")) {
        Err(doubt) => super::unknown(CODE, &doubt, "whether hardware threads share a core isn't known"),
        Ok(false) => Finding::good(CODE, "off"),
        Ok(true) => {
            let siblings = |cpu: &usize| {
                let list = tree.line(&format!("{CPU}/cpu{cpu}/topology/thread_siblings_list")).ok()?;
                let others: Vec<usize> = parse_cpu_list(&list).ok()?.into_iter().filter(|other| other != cpu).collect();
                (!others.is_empty())
                    .then(|| format!("on: CPU {cpu}, for workers, is one core with CPU {}", format_cpu_list(&others)))
            };
            let found = measuring.first().and_then(siblings).unwrap_or_else(|| "on".to_owned());
            Finding::new(
                CODE,
                Level::MayDisturb,
                found,
                "what runs on the other thread of the core takes part of its execution units and caches",
                "sudo tare tune --smt-off, or keep the other thread idle",
            )
        }
    }
}

/// A laptop that isn't plugged in; nothing where there is no mains supply to look at.
pub(super) fn battery(tree: &Tree<'_>) -> Option<Finding> {
    const SUPPLIES: &str = "sys/class/power_supply";
    let mut names: Vec<String> = std::fs::read_dir(tree.root().join(SUPPLIES))
        .ok()?
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    names.sort();
    let mains = |name: &String| tree.line(&format!("{SUPPLIES}/{name}/type")).is_ok_and(|kind| kind == "Mains");
    let plugged: Vec<bool> = names
        .iter()
        .filter(|name| mains(name))
        .filter_map(|name| tree.flag(&format!("{SUPPLIES}/{name}/online")).ok())
        .collect();
    match (plugged.is_empty(), plugged.contains(&true)) {
        (true, _) => None,
        (false, true) => Some(Finding::good("power", "mains")),
        (false, false) => Some(Finding::new(
            "power",
            Level::MayDisturb,
            "on battery",
            "firmware lowers the clock rate to save charge",
            "plug it in",
        )),
    }
}
