//! What is asked of several machines, as it is typed.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// `tare fleet …`.
#[derive(Debug, Args)]
pub(crate) struct FleetArguments {
    /// What is done with it.
    #[command(subcommand)]
    pub(crate) command: FleetCommand,
}

/// What is done with something that is measured on a cluster.
#[derive(Debug, Subcommand)]
pub(crate) enum FleetCommand {
    /// Watch a measurement that --on submitted, submit unfinished parts again, and report when all parts are measured
    Attach {
        /// The name that `--on` printed; default: the newest
        #[arg(value_name = "RUN")]
        run: Option<String>,
    },
}

/// `tare agent`.
#[derive(Debug, Args)]
pub(crate) struct AgentArguments {
    /// The file job.json that `--on` writes
    #[arg(value_name = "FILE")]
    pub(crate) job: PathBuf,
    /// Send a share of a load instead, as the generator with this number; the file is then one that `tare load` writes
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) generator: Option<u32>,
}
