//! What is asked of workers and of the parts that benchmarks are built with.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

#[derive(Debug, Args)]
pub(crate) struct ConformanceArguments {
    /// A source in the worker's language, with at least one benchmark: its cases are run as well
    #[arg(long, value_name = "FILE")]
    pub(crate) source: Option<PathBuf>,
    /// Checks that are known to fail, as globs with a reason each; they are run, and told when they begin to pass
    #[arg(long, value_name = "FILE")]
    pub(crate) known_failing: Option<PathBuf>,
    /// Show the checks that passed, too
    #[arg(long, short)]
    pub(crate) verbose: bool,
    /// Print one JSON document and nothing else
    #[arg(long)]
    pub(crate) json: bool,
    /// The worker's command
    #[arg(value_name = "WORKER", required = true, last = true)]
    pub(crate) worker: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct SdkArguments {
    /// Of which language
    #[arg(value_enum)]
    pub(crate) language: SdkLanguage,
    /// Print the folder for the compiler's include path, of `#include <tare/benchmark.h>`
    #[arg(long, required = true)]
    pub(crate) include_dir: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum SdkLanguage {
    Cpp,
}
