//! Whether workers have a CPU that the scheduler keeps others off.

use super::reading::{Doubt, Tree};
use super::{Finding, Level};
use crate::cpu_list::{format_cpu_list, parse_cpu_list};

/// Below so many CPUs none can be spared.
const ENOUGH: usize = 4;

pub(super) fn isolated(tree: &Tree<'_>, measuring: &[usize]) -> Finding {
    const CODE: &str = "isolated";
    const PATH: &str = "sys/devices/system/cpu/isolated";
    let text = match tree.text(PATH) {
        Ok(text) => text,
        Err(doubt) => return super::unknown(CODE, &doubt, "whether a CPU is kept for measurements isn't known"),
    };
    let cpus = match text.trim() {
        "" => Vec::new(),
        list => match parse_cpu_list(list) {
            Ok(cpus) => cpus,
            Err(_) => {
                let doubt = Doubt::nonsense(PATH, list);
                return super::unknown(CODE, &doubt, "whether a CPU is kept for measurements isn't known");
            }
        },
    };
    let online = tree.line("sys/devices/system/cpu/online").ok().and_then(|list| parse_cpu_list(&list).ok());
    let online = online.map_or(0, |cpus| cpus.len());
    if cpus.is_empty() {
        return match online {
            0 => Finding::good(CODE, "none"),
            few if few < ENOUGH => Finding::good(CODE, format!("none of {few}, too few to isolate one")),
            _ => Finding::new(
                CODE,
                Level::MayDisturb,
                "none",
                "the scheduler may put other work on the workers' CPU",
                "boot with isolcpus=N to reserve a CPU for workers; Tare finds it",
            ),
        };
    }
    let list = format_cpu_list(&cpus);
    if !measuring.is_empty() && measuring.iter().all(|cpu| cpus.contains(cpu)) {
        return Finding::good(CODE, format!("CPU {list}; workers run on CPU {}", format_cpu_list(measuring)));
    }
    let workers = match measuring {
        [] => String::new(),
        measuring => format!("; workers run on CPU {}", format_cpu_list(measuring)),
    };
    Finding::new(
        CODE,
        Level::MayDisturb,
        format!("CPU {list}, unused{workers}"),
        "a CPU is kept free, and the workers share another with everything else",
        &format!(
            "don't bind tare to other CPUs (taskset, cpusets), or give --cpus {}",
            cpus.last().copied().unwrap_or(0)
        ),
    )
}
