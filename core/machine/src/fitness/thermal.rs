//! Clock rates lowered for heat.

use super::moment::Moment;
use super::reading::Tree;
use super::{Finding, Level, throttling, times};

const CODE: &str = "thermal";
const COOLING: &str = "sys/class/thermal";

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
    match throttling::count(tree) {
        Ok(0) => Finding::good(CODE, "never throttled"),
        Ok(count) => {
            Finding::new(CODE, Level::MayDisturb, format!("throttled {} since boot", times(count)), SLOWER, COOL)
        }
        Err(doubt)
            if doubt.is_missing() && tree.numbered(COOLING, "cooling_device").is_ok_and(|all| !all.is_empty()) =>
        {
            Finding::good(CODE, "not throttled now")
        }
        Err(doubt) => super::unknown(CODE, &doubt, "whether the clock rate is lowered for heat isn't known"),
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
