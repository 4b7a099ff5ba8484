//! Clock rates lowered for heat.

use std::collections::BTreeMap;

use super::moment::Moment;
use super::reading::{Doubt, Reading, Tree};
use super::{Finding, Level, times};

const CODE: &str = "thermal";
const CPU: &str = "sys/devices/system/cpu";
const COOLING: &str = "sys/class/thermal";

/// How often all CPUs have been throttled since boot, cores and packages added up. A package's heat is told to each of its CPUs, so
/// each package counts once: by the CPU that has heard of it most often, since one that was offline missed some.
pub(super) fn count(tree: &Tree<'_>) -> Reading<u64> {
    let mut cores: Option<u64> = None;
    let mut packages: BTreeMap<Option<i64>, u64> = BTreeMap::new();
    let mut doubt = None;
    for cpu in tree.numbered(CPU, "cpu")? {
        let mut of = |unit| match tree.number::<u64>(&format!("{CPU}/cpu{cpu}/thermal_throttle/{unit}_throttle_count"))
        {
            Ok(count) => Ok(Some(count)),
            Err(other) if other.is_missing() => {
                doubt.get_or_insert(other);
                Ok(None)
            }
            Err(other) => Err(other),
        };
        if let Some(count) = of("core")? {
            cores = Some(cores.unwrap_or(0).saturating_add(count));
        }
        if let Some(count) = of("package")? {
            // Where it isn't said which, they are taken for one: rather too few than each event many times.
            let package = tree.number(&format!("{CPU}/cpu{cpu}/topology/physical_package_id")).ok();
            let most = packages.entry(package).or_default();
            *most = count.max(*most);
        }
    }
    match doubt {
        _ if cores.is_some() || !packages.is_empty() => {
            Ok(packages.values().fold(cores.unwrap_or(0), |sum, count| sum.saturating_add(*count)))
        }
        Some(doubt) => Err(doubt),
        None => Err(Doubt::missing(&format!("{CPU}/cpu0/thermal_throttle"))),
    }
}

/// Cooling devices that hold a CPU's clock rate down at this moment, where the kernel steers them itself (ARM boards).
fn held_down(tree: &Tree<'_>) -> Option<String> {
    tree.numbered(COOLING, "cooling_device").ok()?.into_iter().find_map(|device| {
        let kind = tree.line(&format!("{COOLING}/cooling_device{device}/type")).ok()?;
        let is_cpu = kind == "Processor" || kind.contains("cpufreq") || kind.starts_with("cpu");
        let state: u64 = tree.number(&format!("{COOLING}/cooling_device{device}/cur_state")).ok()?;
        (is_cpu && state > 0).then(|| format!("{kind} is at cooling step {state}"))
    })
}

pub(super) fn since_boot(tree: &Tree<'_>) -> Finding {
    const SLOWER: &str = "the clock rate is lowered for heat: times rise while it lasts";
    const COOL: &str = "let it cool down, mend the cooling, or sudo tare tune (turbo off makes less heat)";
    if let Some(found) = held_down(tree) {
        return Finding::new(CODE, Level::Disturbs, found, SLOWER, COOL);
    }
    match count(tree) {
        Ok(0) => Finding::good(CODE, "never throttled"),
        Ok(count) => {
            Finding::new(CODE, Level::MayDisturb, format!("throttled {} since boot", times(count)), SLOWER, COOL)
        }
        Err(doubt)
            if doubt.is_missing() && tree.numbered(COOLING, "cooling_device").is_ok_and(|all| !all.is_empty()) =>
        {
            Finding::good(CODE, "not throttled now")
        }
        Err(doubt) => Finding::unknown(CODE, &doubt, "whether the clock rate is lowered for heat isn't known"),
    }
}

pub(super) fn during(before: &Moment, after: &Moment, when: &str) -> Option<Finding> {
    let count = after.throttles.as_ref().ok()?.checked_sub(*before.throttles.as_ref().ok()?)?;
    (count > 0).then(|| {
        Finding::new(
            CODE,
            Level::Disturbs,
            format!("throttled {} {when}", times(count)),
            "the clock rate was lowered for heat: times rose while it lasted",
            "let it cool down, mend the cooling, or sudo tare tune (turbo off makes less heat)",
        )
    })
}
