//! What is asked of several machines, as it is typed.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

/// Where something is measured, if not here.
#[derive(Debug, Clone, Default, Args)]
pub struct OnArguments {
    /// Measure on the nodes of a cluster: each part of the suite on a node of its own, as `[fleet]` in tare.toml says
    #[arg(long, value_name = "slurm", conflicts_with = "shard")]
    pub on: Option<Scheduler>,
    /// With --on: measure all of it on each of N nodes, and judge it over all of them
    #[arg(long, value_name = "N", requires = "on", value_parser = clap::value_parser!(u32).range(2..=1000))]
    pub replicate: Option<u32>,
}

/// What gives nodes out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Scheduler {
    /// Slurm: sbatch, squeue, scancel.
    Slurm,
}

/// `tare fleet …`.
#[derive(Debug, Args)]
pub struct FleetArguments {
    /// What is done with it.
    #[command(subcommand)]
    pub command: FleetCommand,
}

/// What is done with something that is measured on a cluster.
#[derive(Debug, Subcommand)]
pub enum FleetCommand {
    /// Go on watching what was submitted with --on, submit again what ended before it was done, and report when all is measured
    Attach {
        /// Its name, as `--on` told it; the newest one where none is named
        #[arg(value_name = "RUN")]
        run: Option<String>,
    },
}

/// `tare agent`.
#[derive(Debug, Args)]
pub struct AgentArguments {
    /// What was submitted: the file job.json that `--on` writes
    #[arg(value_name = "FILE")]
    pub job: PathBuf,
    /// Send a share of a load instead, as the generator of this number: the file is then one that `tare load` writes
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub generator: Option<u32>,
}
