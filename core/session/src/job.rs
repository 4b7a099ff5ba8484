//! A run to be made: the request, where its samples will come from, and what it holds.

use std::path::Path;
use std::time::Duration;

use tare_definition::Project;
use tare_machine::Topology;
use tare_request::Request;
use tare_samples::{Origin, POLICY};
use tare_store::Store;

use crate::prepare::sides::Sides;

/// How long a worker that was started may take to say hello.
pub(crate) const STARTUP: Duration = Duration::from_secs(30);
const GIT_LIMIT: Duration = Duration::from_secs(5);

/// A run to be made, or resumed.
pub struct Job {
    /// What is asked for.
    pub request: Request,
    /// The run's identity, its machine and its commit, as they are stored and reported.
    pub origin: Origin,
    /// The store that samples are written to; `None` where nothing is stored.
    pub store: Option<Box<dyn Store>>,
    /// The store that `--store` or the environment names, if they name one.
    pub store_choice: Option<String>,
    /// It goes on with a run that was interrupted.
    pub resumed: bool,
    /// CPUs of the workers; empty where they aren't bound.
    pub workers: Vec<usize>,
    /// The machine's CPUs, read before this process was bound to some of them.
    pub topology: Topology,
    /// The checked out revisions, which mustn't be removed while they are measured.
    pub sides: Sides,
}

impl Job {
    /// CPUs on which something may be done at once that isn't timed.
    pub(crate) fn cpus(&self) -> &[usize] {
        if self.request.cpus().is_empty() { &self.topology.allowed } else { self.request.cpus() }
    }
}

/// A new job for a checked request.
pub fn begin(request: Request, project: &Project, sides: Sides) -> Job {
    let origin = origin(&request.tags, request.settings.seed, project);
    let store_choice = project.store_choice.clone();
    let (workers, topology) = (Vec::new(), Topology::default());
    Job { request, origin, store: None, store_choice, resumed: false, workers, topology, sides }
}

/// The identity, the machine and the commit of a run that begins now.
pub(crate) fn origin(tags: &[String], seed: u64, project: &Project) -> Origin {
    let now = jiff::Timestamp::now();
    Origin {
        id: format!("{}-{:04x}", now.strftime("%Y%m%d-%H%M%S"), rand::random::<u16>()),
        started: now.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string(),
        tags: tags.to_vec(),
        machine: tare_machine::facts(Path::new("/")),
        findings: Vec::new(),
        imported: None,
        git: tare_machine::revision(&project.root, GIT_LIMIT),
        policy: POLICY,
        seed,
        tare: env!("CARGO_PKG_VERSION").to_owned(),
    }
}
