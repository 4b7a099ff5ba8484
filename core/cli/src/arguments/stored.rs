//! What is asked of stored runs.

use clap::Args;

use super::{Detail, ReportFiles};

#[derive(Debug, Args)]
pub(crate) struct LogArguments {
    /// Only runs with this tag
    #[arg(long, value_name = "TAG")]
    pub(crate) tag: Option<String>,
    /// At most so many
    #[arg(long, short = 'n', value_name = "N", default_value_t = 20)]
    pub(crate) limit: usize,
    /// Print one JSON document and nothing else
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ShowArguments {
    /// Runs by id, the beginning of an id, tag, or latest; `~2` after a tag or latest goes back two
    #[arg(value_name = "RUN", default_value = "latest")]
    pub(crate) runs: Vec<String>,
    /// Print one JSON document and nothing else (one run only)
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) detail: Detail,
}

#[derive(Debug, Args)]
pub(crate) struct ReportArguments {
    /// A run, or two that are compared, the base first: by id, the beginning of an id, tag, or latest; `~2` after a tag or latest goes back two
    #[arg(value_name = "RUN", default_value = "latest", num_args = 1..=2)]
    pub(crate) runs: Vec<String>,
    #[command(flatten)]
    pub(crate) files: ReportFiles,
}
