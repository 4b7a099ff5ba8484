//! What else the machine does just before the load.

use std::path::Path;
use std::time::Duration;

use tare_machine::fitness::{self, Level, Moment};
use tare_statistics::Warning;

/// Long beside the kernel's ticks, and nobody minds it.
const LOOK: Duration = Duration::from_millis(200);

/// Looks for a moment at a machine that is meant to be idle; what disturbs it, to be known before the figures are believed.
pub(super) fn disturbances() -> Vec<Warning> {
    let before = Moment::with_processes(Path::new("/"));
    std::thread::sleep(LOOK);
    let after = Moment::with_processes(Path::new("/"));
    fitness::of_span(&before, &after, "just before the load")
        .into_iter()
        .filter(|finding| finding.level >= Level::MayDisturb)
        .map(|finding| Warning {
            code: finding.code.clone(),
            message: format!("{}: {}", finding.found, finding.effect),
            // What is said of runs, for loads.
            remedy: finding.remedy.replace("--budget", "--duration"),
        })
        .collect()
}
