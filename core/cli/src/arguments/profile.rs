//! The command line of `tare profile` as it is typed.

use std::path::PathBuf;

use clap::Args;

use super::Selection;

#[derive(Debug, Args)]
pub(crate) struct ProfileArguments {
    #[command(flatten)]
    pub(crate) selection: Selection,
    /// The case, as a pattern like that of --filter; it must match one case
    #[arg(long, value_name = "REGEX")]
    pub(crate) case: Option<String>,
    /// The profiler. Default: the best sampling profiler for the language
    #[arg(long, value_enum)]
    pub(crate) tool: Option<ToolName>,
    /// Where to create the folder of the profile; default: .tare/profiles
    #[arg(long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
    /// Write a page with the results: one HTML file that loads nothing from elsewhere
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub(crate) enum ToolName {
    /// Linux perf: native functions, any language
    Perf,
    /// PHP: samples, by the extension excimer
    Excimer,
    /// PHP: a trace of every call, by the extension Xdebug
    Xdebug,
    /// Go: its own sampler
    Pprof,
    /// Python: samples, without any package
    Sampler,
    /// Instructions in a call, by valgrind: PHP, C++, Python
    Callgrind,
    /// System calls in a call, any language
    Strace,
}

impl ToolName {
    pub(crate) fn tool(self) -> tare_profile::Tool {
        match self {
            Self::Perf => tare_profile::Tool::Perf,
            Self::Excimer => tare_profile::Tool::Excimer,
            Self::Xdebug => tare_profile::Tool::Xdebug,
            Self::Pprof => tare_profile::Tool::Pprof,
            Self::Sampler => tare_profile::Tool::Sampler,
            Self::Callgrind => tare_profile::Tool::Callgrind,
            Self::Strace => tare_profile::Tool::Strace,
        }
    }
}
