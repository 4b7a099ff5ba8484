//! How deep a CPU sleeps when it has nothing to do.

use super::reading::Tree;
use super::{Finding, Level};

/// Exit latency from which a sleep state is deep, in microseconds: a wake-up then costs more than most timed calls.
pub(crate) const DEEP_US: u64 = 10;

pub(super) fn sleep_states(tree: &Tree<'_>, measuring: &[usize]) -> Finding {
    const CODE: &str = "c-states";
    const OPEN: &str = "how long the CPU takes to wake isn't known";
    let cpu = measuring.first().copied().unwrap_or(0);
    let folder = format!("sys/devices/system/cpu/cpu{cpu}/cpuidle");
    let states = match tree.numbered(&folder, "state") {
        Ok(states) => states,
        Err(doubt) => {
            let driver = tree.line("sys/devices/system/cpu/cpuidle/current_driver");
            return match driver.as_deref() {
                Ok("none") => Finding::good(CODE, "no driver: the CPU only halts, and doesn't sleep deeper"),
                _ => super::unknown(CODE, &doubt, OPEN),
            };
        }
    };
    let mut deepest: Option<(u64, String)> = None;
    for state in states {
        let latency = match tree.number::<u64>(&format!("{folder}/state{state}/latency")) {
            Ok(latency) => latency,
            Err(doubt) => return super::unknown(CODE, &doubt, OPEN),
        };
        // Without the file it can't be switched off, and is on.
        let off = tree.flag(&format!("{folder}/state{state}/disable")).unwrap_or(false);
        let name = tree.line(&format!("{folder}/state{state}/name")).unwrap_or_else(|_| format!("state {state}"));
        if !off && deepest.as_ref().is_none_or(|(known, _)| latency > *known) {
            deepest = Some((latency, name));
        }
    }
    match deepest {
        Some((latency, name)) if latency >= DEEP_US => Finding::new(
            CODE,
            Level::MayDisturb,
            format!("down to {name}, {latency} µs to wake from"),
            "after a sleep the CPU wakes late and with cold caches: waits, and the first samples after them, take longer",
            "sudo tare tune",
        ),
        Some((latency, name)) => Finding::good(CODE, format!("down to {name}, {latency} µs to wake from")),
        None => Finding::good(CODE, "none is on"),
    }
}
