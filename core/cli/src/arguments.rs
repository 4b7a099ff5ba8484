//! The command line as it is typed; `request` makes checked values of it.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand};
use tare_definition::{parse_calls, parse_duration, parse_percentage};
use tare_samples::Calls;

/// Weighs code and subtracts the scale.
#[derive(Debug, Parser)]
#[command(name = "tare", version, about, max_term_width = 100, propagate_version = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Find benchmarks, measure, store, report
    Run(Box<RunArguments>),
    /// Show which cases there are, without measuring
    List(ListArguments),
    /// Show the runs in the store, newest first
    Log(LogArguments),
    /// Show stored runs; several stand side by side
    Show(ShowArguments),
    /// Check whether a worker speaks the wire protocol
    Conformance(ConformanceArguments),
}

#[derive(Debug, Clone, Args)]
pub(crate) struct Selection {
    /// Files, or folders that are searched for *Bench.php; default: what tare.toml or phpbench.json say
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Only cases whose `Class::method#parameters` matches; may be given several times
    #[arg(long, value_name = "REGEX")]
    pub(crate) filter: Vec<String>,
    /// Only cases of this group; may be given several times
    #[arg(long, value_name = "GROUP")]
    pub(crate) group: Vec<String>,
    /// A runtime to measure on; several make a matrix, the first is the base. `NAME=COMMAND`, a command,
    /// or a name from tare.toml. Default: php
    #[arg(long, value_name = "NAME=COMMAND")]
    pub(crate) runtime: Vec<String>,
    /// The longest wait for one answer of a worker
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub(crate) timeout: Option<Duration>,
    /// Print one JSON document and nothing else
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct RunArguments {
    #[command(flatten)]
    pub(crate) selection: Selection,
    /// Launches (fresh processes) of each variant
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) launches: Option<u32>,
    /// Samples in each launch
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub(crate) samples: Option<u64>,
    /// Calls in each sample: a number, 0 for one bare call without a loop, or auto; a list measures each, side by side
    #[arg(long, value_name = "N|auto[,…]", value_delimiter = ',', value_parser = calls)]
    pub(crate) iterations: Vec<Calls>,
    /// Let all cases take their turns in the same rounds, as variants of one case do: their ratios then hold on a noisy
    /// machine too. For a handful of cases: each needs a process at the same time
    #[arg(long)]
    pub(crate) interleave: bool,
    /// Time for each variant, all its launches together
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub(crate) budget: Option<Duration>,
    /// Stop when the interval is this narrow: half its width as a part of the time
    #[arg(long, value_name = "PERCENT", value_parser = percentage)]
    pub(crate) precision: Option<f64>,
    /// The worker's clock: hrtime (default) or microtime in PHP
    #[arg(long, value_name = "NAME")]
    pub(crate) clock: Option<String>,
    /// CPUs for the workers, as 1 or 0,2-3; default: one CPU, the core of tare staying on the others
    #[arg(long, value_name = "LIST")]
    pub(crate) cpus: Option<String>,
    /// Seed of every random choice; default: drawn, and recorded with the run
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// A name for the run, to find it again; may be given several times
    #[arg(long, value_name = "TAG")]
    pub(crate) tag: Vec<String>,
    /// Don't store the run
    #[arg(long)]
    pub(crate) no_store: bool,
    /// Go on with a run that was interrupted: the newest one, or the one named
    #[arg(long, value_name = "RUN", num_args = 0..=1, default_missing_value = "", require_equals = true, conflicts_with_all = ["paths", "filter", "group", "runtime", "timeout", "launches", "samples", "iterations", "interleave", "budget", "precision", "clock", "cpus", "seed", "tag", "no_store"])]
    pub(crate) resume: Option<String>,
    #[command(flatten)]
    pub(crate) detail: Detail,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct Detail {
    /// Show the time before anything was taken off, too
    #[arg(long)]
    pub(crate) raw: bool,
    /// Show all figures, the uncertainty budget, and where the time went
    #[arg(long, short)]
    pub(crate) verbose: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ListArguments {
    #[command(flatten)]
    pub(crate) selection: Selection,
    /// Show what was ignored in the sources, too
    #[arg(long, short)]
    pub(crate) verbose: bool,
}

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

fn duration(text: &str) -> Result<Duration, String> {
    parse_duration(text).map_err(|error| error.to_string())
}

fn percentage(text: &str) -> Result<f64, String> {
    parse_percentage(text).map_err(|error| error.to_string())
}

fn calls(text: &str) -> Result<Calls, String> {
    parse_calls(text.trim()).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_arguments_are_consistent() {
        super::Arguments::command().debug_assert();
    }
}
