//! A run to be made: the request, where its samples will come from, and what it holds.

use std::path::Path;
use std::time::Duration;

use tare_definition::Project;
use tare_machine::Topology;
use tare_request::Request;
use tare_samples::{Origin, POLICY};
use tare_store::Store;

use crate::prepare::sides::Sides;

/// A worker that hasn't said hello by then won't.
pub(crate) const STARTUP: Duration = Duration::from_secs(30);
const GIT_LIMIT: Duration = Duration::from_secs(5);

/// A run to be made, or resumed.
pub struct Job {
    /// What is asked for.
    pub request: Request,
    /// Where the samples come from.
    pub origin: Origin,
    /// Where they are kept.
    pub store: Option<Box<dyn Store>>,
    /// Where the project keeps its runs, as it was asked now.
    pub store_choice: Option<String>,
    /// It is resumed.
    pub resumed: bool,
    /// CPUs of the workers; empty where they aren't bound.
    pub workers: Vec<usize>,
    /// The CPUs that there are, as they were before anything was bound to some of them.
    pub topology: Topology,
    /// What is held while it is measured.
    pub sides: Sides,
}

/// A new job for a checked request.
pub fn begin(request: Request, project: &Project, sides: Sides) -> Job {
    let origin = origin(&request.tags, request.settings.seed, project);
    let store_choice = project.store_choice.clone();
    let (workers, topology) = (Vec::new(), Topology::default());
    Job { request, origin, store: None, store_choice, resumed: false, workers, topology, sides }
}

/// Where what is measured now comes from.
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
