//! Where workers run.

use std::path::Path;

use anyhow::anyhow;
use tare_machine::{Placement, Topology};
use tare_worker::ProcessLauncher;

use crate::exit::Refusal;
use crate::run::{Job, STARTUP};

/// Chooses CPUs, binds this process to the core's, and says in the origin what was chosen.
pub(crate) fn place_workers(job: &mut Job) -> Result<ProcessLauncher, Refusal> {
    let requested = (!job.request.cpus.is_empty()).then_some(job.request.cpus.as_slice());
    let placement = match tare_machine::allowed_cpus() {
        Ok(allowed) => tare_machine::choose(&Topology::read(Path::new("/"), allowed), requested)
            .map_err(|error| Refusal::usage(anyhow!("--cpus: {error}")))?,
        Err(_) => Placement::Unpinned(tare_machine::Unpinned::Unsupported),
    };
    let (cpus, others) = match placement {
        Placement::Pinned { worker, core } => {
            // Not being able to move away is no reason not to measure; the worker is pinned all the same.
            let _ = tare_machine::pin_current_thread(&core);
            job.origin
                .machine
                .insert("workers".to_owned(), format!("on CPU {}", tare_machine::format_cpu_list(&worker)));
            (worker, core)
        }
        Placement::Unpinned(reason) => {
            job.origin.machine.insert("workers".to_owned(), format!("not pinned: {reason}"));
            (Vec::new(), Vec::new())
        }
    };
    Ok(ProcessLauncher::new(cpus, &others, STARTUP))
}
