//! The command line of `tare load` as it is typed.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};
use tare_session::{Judged, LoadGate, Paced, Sending, parse_time, parse_time_or_none};

use tare_definition::{Scheduler, Telling};

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct LoadArguments {
    #[command(subcommand)]
    pub(crate) kind: Option<LoadKind>,
    #[command(flatten)]
    pub(crate) workers: WorkersArguments,
}

#[derive(Debug, Args)]
pub(crate) struct WorkersArguments {
    /// Sources of operations: files, folders (searched) and built C++ programs. Write ./http for a file whose name is `http`, ./hdr for
    /// `hdr`
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Processes that do operations at the same time
    #[arg(short, long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) workers: u32,
    /// How many operations each worker does, instead of a duration
    #[arg(short = 'n', long, value_name = "N", conflicts_with = "duration", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000_000))]
    pub(crate) operations: Option<u64>,
    /// The mix of operations by weight: get=9,put=1 does nine gets to one put, and no other operation. Given several times, Tare
    /// measures one mix after the other. Default: the weights in the source
    #[arg(long, value_name = "NAME=WEIGHT,…")]
    pub(crate) mix: Vec<String>,
    /// Only suites whose name matches; may be given several times
    #[arg(long, value_name = "REGEX")]
    pub(crate) filter: Vec<String>,
    /// No suites whose name matches; may be given several times
    #[arg(long, value_name = "REGEX")]
    pub(crate) exclude: Vec<String>,
    /// A runtime to work on: `NAME=COMMAND`, a command, or a name from tare.toml. Several take turns, and are compared with the first.
    /// Default: php, go, python3, as the sources need
    #[arg(long, value_name = "NAME=COMMAND")]
    pub(crate) runtime: Vec<String>,
    #[command(flatten)]
    pub(crate) paced: Paced,
    /// The time over which the workers start, one after the other; not counted
    #[arg(long, value_name = "DURATION", value_parser = parse_time_or_none, default_value = "0")]
    pub(crate) ramp: Duration,
    /// The longest that set-up or an operation may take
    #[arg(long, value_name = "DURATION", value_parser = parse_time, default_value = "10s")]
    pub(crate) timeout: Duration,
    #[command(flatten)]
    pub(crate) judged: Judged,
    #[command(flatten)]
    pub(crate) kept: KeptArguments,
    #[command(flatten)]
    pub(crate) telling: Telling,
    /// Draw the throughput of runtimes as bars from 0, with their intervals
    #[arg(long)]
    pub(crate) chart: bool,
    /// Show each runtime in its own table instead of side by side
    #[arg(long, short)]
    pub(crate) verbose: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum LoadKind {
    /// Send HTTP requests; several URLs take turns and are compared with the first
    Http(Box<HttpArguments>),
    /// Show the percentiles of histogram logs (HdrHistogram's format, version 2)
    Hdr(HdrArguments),
    /// Continue an interrupted load
    Resume(ResumeArguments),
}

#[derive(Debug, Args)]
pub(crate) struct ResumeArguments {
    /// The load by id, part of an id, or tag; default: the newest that was interrupted
    #[arg(value_name = "LOAD")]
    pub(crate) load: Option<String>,
    /// As in `tare load http`
    #[arg(long, value_name = "GATE", value_parser = LoadGate::parse)]
    pub(crate) fail_on: Vec<LoadGate>,
    #[command(flatten)]
    pub(crate) telling: Telling,
    /// Print one JSON document and nothing else
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct HttpArguments {
    /// URLs of the servers (http:// or https://). Tare sends load to these hosts only
    #[arg(value_name = "URL", required = true)]
    pub(crate) urls: Vec<String>,
    /// Start the server with this command. Tare puts a free port in place of {port}, also in the URL. The server must stay in the foreground. Given once, or
    /// once for each URL. Servers that are compared start afresh for each twentieth of the load, in random order
    #[arg(long, value_name = "COMMAND")]
    pub(crate) start: Vec<String>,
    /// CPUs for the servers of --start, as 2-3; default, with four CPUs or more: those that the client doesn't use
    #[arg(long, value_name = "LIST")]
    pub(crate) cpus: Option<String>,
    /// Send from N processes, on this machine or (with --on slurm) each on its own node. They start together, share the connections
    /// and one schedule, and appear as one in the report
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) generators: Option<u32>,
    /// Start the generators on the nodes of a cluster, as `[fleet]` in tare.toml configures it
    #[arg(long, value_name = "slurm", requires = "generators")]
    pub(crate) on: Option<Scheduler>,
    /// Count CPU time and system calls (strace) a request of the server with this process id; once for each URL, or once for all
    #[arg(long, value_name = "PID")]
    pub(crate) pid: Vec<u32>,
    #[command(flatten)]
    pub(crate) sending: Sending,
    /// The time limit for a request
    #[arg(long, value_name = "DURATION", default_value = "10s", value_parser = parse_time)]
    pub(crate) timeout: Duration,
    #[command(flatten)]
    pub(crate) judged: Judged,
    #[command(flatten)]
    pub(crate) kept: KeptArguments,
    #[command(flatten)]
    pub(crate) telling: Telling,
}

/// Where a load is stored, and what its report shows.
#[derive(Debug, Clone, Args)]
pub(crate) struct KeptArguments {
    /// Write a page with the results: one HTML file that loads nothing from elsewhere
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// A name (tag) for the load, to find it later; may be given several times
    #[arg(long, value_name = "TAG")]
    pub(crate) tag: Vec<String>,
    /// Don't store the load
    #[arg(long, conflicts_with = "tag")]
    pub(crate) no_store: bool,
    /// Print one JSON document and nothing else
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct HdrArguments {
    /// The log
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Print one JSON document and nothing else
    #[arg(long)]
    pub(crate) json: bool,
}
