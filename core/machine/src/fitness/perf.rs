//! Whether the CPU's event counters may be read.

use super::Finding;
use super::reading::Tree;

pub(super) fn access(tree: &Tree<'_>) -> Finding {
    const CODE: &str = "perf-events";
    // Documentation/admin-guide/sysctl/kernel.rst: up to 2, a process may count its own user-space events. Distributions add 3 and 4.
    match tree.number::<i64>("proc/sys/kernel/perf_event_paranoid") {
        Err(doubt) => super::unknown(CODE, &doubt, "whether profilers may count events isn't known; times need none"),
        Ok(level) if level <= 2 => Finding::good(CODE, format!("open to a process's own (paranoid {level})")),
        Ok(level) => Finding::good(CODE, format!("closed to all but root (paranoid {level}); times need none")),
    }
}
