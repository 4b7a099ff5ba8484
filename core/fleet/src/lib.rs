//! Suites on the nodes of a cluster: parts are submitted, watched, and become one run.

mod agent;
mod begun;
mod fitness;
mod generators;
mod job;
mod progress;
mod slurm;
mod submit;
mod watch;

pub use agent::agent;
pub use generators::SlurmGenerators;
pub use job::Job;
pub use submit::{Submission, submit, total_of_parts};
pub use watch::{Watched, attach, watch};
