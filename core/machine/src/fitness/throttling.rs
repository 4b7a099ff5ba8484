//! How often CPUs were throttled.

use std::collections::BTreeMap;

use super::reading::{Doubt, Reading, Tree};

const CPU: &str = "sys/devices/system/cpu";

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
