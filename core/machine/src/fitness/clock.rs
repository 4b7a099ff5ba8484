//! What time is read from.

use super::reading::{Doubt, Tree};
use super::{Finding, Level};

const SOURCE: &str = "sys/devices/system/clocksource/clocksource0";

/// Read without entering the kernel: the CPU's counter, or a page that the hypervisor keeps beside it.
const FAST: [&str; 5] = ["tsc", "kvm-clock", "arch_sys_counter", "hyperv_clocksource_tsc_page", "riscv_clocksource"];
/// Devices outside the CPU, and the timer's tick.
const SLOW: [&str; 7] = ["hpet", "acpi_pm", "jiffies", "refined-jiffies", "pit", "xen", "hyperv_clocksource_msr"];

pub(super) fn source(tree: &Tree<'_>) -> Finding {
    const CODE: &str = "clocksource";
    let current = match tree.word(&format!("{SOURCE}/current_clocksource")) {
        Ok(current) => current,
        Err(doubt) => {
            return super::unknown(CODE, &doubt, "the cost of a clock read is unknown; `tare clock` measures it");
        }
    };
    if FAST.contains(&current.as_str()) {
        return Finding::good(CODE, current);
    }
    let available = tree.line(&format!("{SOURCE}/available_clocksource")).unwrap_or_default();
    let better = available.split(' ').find(|name| FAST.contains(name));
    let remedy = match better {
        Some(name) => {
            format!("echo {name} > /{SOURCE}/current_clocksource as root; the kernel's log says why it isn't used")
        }
        None => "look into the kernel's log for why the CPU's counter isn't used (dmesg | grep -i tsc)".to_owned(),
    };
    if SLOW.contains(&current.as_str()) {
        let effect =
            "each clock read enters the kernel and asks a device: about a microsecond instead of tens of nanoseconds";
        return Finding::new(CODE, Level::Disturbs, current, effect, &remedy);
    }
    let effect = "an unknown clock source; `tare clock` measures the cost of a read";
    Finding::new(CODE, Level::MayDisturb, current, effect, &remedy)
}

pub(super) fn time_stamp_counter(tree: &Tree<'_>) -> Finding {
    const CODE: &str = "tsc";
    const OPEN: &str = "whether the CPU's counter keeps its rate isn't known";
    const PATH: &str = "proc/cpuinfo";
    // The block of the first CPU.
    let text = match tree.beginning(PATH, 16 << 10) {
        Ok(text) => text,
        Err(doubt) => return super::unknown(CODE, &doubt, OPEN),
    };
    let value = |name: &str| {
        let pairs = text.lines().filter_map(|line| line.split_once(':'));
        pairs.filter(|(key, _)| key.trim() == name).map(|(_, value)| value).next()
    };
    let Some(flags) = value("flags") else {
        // 64-bit ARM has `Features`, RISC-V `isa`: a counter of fixed rate is part of both architectures.
        return match value("Features").or_else(|| value("isa")) {
            Some(_) => Finding::good(CODE, "none on this architecture; its own counter has a fixed rate"),
            None => super::unknown(CODE, &Doubt::nonsense(PATH, &text), OPEN),
        };
    };
    let has = |name: &str| flags.split_whitespace().any(|flag| flag == name);
    if has("constant_tsc") && has("nonstop_tsc") {
        return Finding::good(CODE, "invariant");
    }
    let found = match (has("tsc"), has("constant_tsc")) {
        (false, _) => "none",
        (true, false) => "follows the clock rate",
        (true, true) => "stops in deep sleep",
    };
    Finding::new(
        CODE,
        Level::MayDisturb,
        found,
        "the CPU's counter can't serve as a clock: `tsc` is no clock to measure with here, and the kernel may take a slow one",
        "take another clock than tsc (--clock)",
    )
}
