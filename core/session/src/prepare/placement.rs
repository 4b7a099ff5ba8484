//! Where workers run.

use std::path::Path;
use std::time::Duration;

use tare_machine::{AffinityGuard, Placement, Topology};
use tare_request::Request;
use tare_worker::ProcessLauncher;

use crate::error::Error;
use crate::job::{Job, STARTUP};

/// Nobody waits longer for a runtime that is only looked at.
const LOOK: Duration = Duration::from_secs(10);

/// Chooses CPUs, binds this thread to the core's, and says in the origin what was chosen. The thread is bound until the guard is dropped: a server for agents and a
/// bisection measure again, and what is bound to one CPU finds no other.
pub(crate) fn place_workers(job: &mut Job) -> Result<(ProcessLauncher, Option<AffinityGuard>), Error> {
    // Once this thread is bound it can't be asked any more.
    job.topology = topology();
    let mut bound = None;
    let (cpus, others) = match choose(job.request.cpus(), job.request.named("--cpus"))? {
        Placement::Pinned { worker, core } => {
            // Not being able to move away is no reason not to measure; the worker is pinned all the same.
            bound = AffinityGuard::bind(&core).ok();
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
    job.workers.clone_from(&cpus);
    // CPUs that the user names are meant for everything.
    let more = if job.request.cpus().is_empty() { others.as_slice() } else { &[] };
    let mut every: Vec<usize> = cpus.iter().chain(more).copied().collect();
    every.sort_unstable();
    Ok((ProcessLauncher::new(cpus, &others, startup(&job.request)).with_every(every), bound))
}

/// How long a worker's hello is waited for: as long as for any of its answers, where that was said.
pub(crate) fn startup(request: &Request) -> Duration {
    if request.settings.timeout_given { request.settings.timeout } else { STARTUP }
}

/// A launcher of workers where a run would have them. This process stays where it is.
pub(crate) fn launcher_for_a_look() -> Result<ProcessLauncher, Error> {
    Ok(match choose(&[], "")? {
        Placement::Pinned { worker, core } => ProcessLauncher::new(worker, &core, LOOK),
        Placement::Unpinned(_) => ProcessLauncher::new(Vec::new(), &[], LOOK),
    })
}

/// Whether workers can be put there; nothing is bound to anything yet.
pub(crate) fn check_cpus(request: &Request) -> Result<(), Error> {
    choose(request.cpus(), request.named("--cpus")).map(|_| ())
}

/// The CPUs that this process may use; none where the system can't be asked.
pub(crate) fn topology() -> Topology {
    tare_machine::allowed_cpus().map(|allowed| Topology::read(Path::new("/"), allowed)).unwrap_or_default()
}

fn choose(requested: &[usize], named: &str) -> Result<Placement, Error> {
    let requested = (!requested.is_empty()).then_some(requested);
    match tare_machine::allowed_cpus() {
        Ok(allowed) => tare_machine::choose(&Topology::read(Path::new("/"), allowed), requested)
            .map_err(|error| Error::usage(format!("{named}: {error}"))),
        Err(_) => Ok(Placement::Unpinned(tare_machine::Unpinned::Unsupported)),
    }
}
