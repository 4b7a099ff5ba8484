//! What is asked of workers and of the parts that benchmarks are built with.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

#[derive(Debug, Args)]
pub(crate) struct ConformanceArguments {
    /// A source in the worker's language with at least one benchmark; the checks run its cases as well
    #[arg(long, value_name = "FILE")]
    pub(crate) source: Option<PathBuf>,
    /// A file of checks that are known to fail: a glob and a reason a line. They run all the same, and one that passes is an error
    #[arg(long, value_name = "FILE")]
    pub(crate) known_failing: Option<PathBuf>,
    /// Also show the checks that passed
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
    /// The language
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
