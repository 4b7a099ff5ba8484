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
    /// Benchmarks whose operations are done: files, folders that are searched, built C++ binaries. A file that is called `http` or `hdr` is
    /// named ./http
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Processes that do operations at the same time
    #[arg(short, long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) workers: u32,
    /// How many operations each worker does, instead of a duration
    #[arg(short = 'n', long, value_name = "N", conflicts_with = "duration", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000_000))]
    pub(crate) operations: Option<u64>,
    /// How often each operation is done, by weight: get=9,put=1 is nine gets to one put; an operation that isn't named isn't done. Given several times, the
    /// mixes are measured one after the other. Default: the weights in the source
    #[arg(long, value_name = "NAME=WEIGHT,…")]
    pub(crate) mix: Vec<String>,
    /// Only suites whose name matches; may be given several times
    #[arg(long, value_name = "REGEX")]
    pub(crate) filter: Vec<String>,
    /// No suites whose name matches; may be given several times
    #[arg(long, value_name = "REGEX")]
    pub(crate) exclude: Vec<String>,
    /// A runtime to work on; several take turns, and are compared with the first. `NAME=COMMAND`, a command, or a name from tare.toml. Default:
    /// php, go, python3, as the sources need
    #[arg(long, value_name = "NAME=COMMAND")]
    pub(crate) runtime: Vec<String>,
    #[command(flatten)]
    pub(crate) paced: Paced,
    /// Workers begin within this time, one after the other; not counted
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
    /// Show each runtime by itself, where several stand side by side
    #[arg(long, short)]
    pub(crate) verbose: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum LoadKind {
    /// Send HTTP requests; several URLs take turns and are compared with the first
    Http(Box<HttpArguments>),
    /// Show the percentiles of histogram logs (HdrHistogram's format, version 2)
    Hdr(HdrArguments),
    /// Go on with a load that was interrupted
    Resume(ResumeArguments),
}

#[derive(Debug, Args)]
pub(crate) struct ResumeArguments {
    /// By id, a part of an id, or tag; default: the newest that was interrupted
    #[arg(value_name = "LOAD")]
    pub(crate) load: Option<String>,
    /// As `tare load http` has it
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
    /// What to send requests to: http:// or https://. Load goes to these hosts only
    #[arg(value_name = "URL", required = true)]
    pub(crate) urls: Vec<String>,
    /// Start the server with this command, which gets a free port for {port} and has to stay in the foreground; the URL has {port}, too. Given once, or
    /// once for each URL. Where several are compared they are started afresh for each twentieth of the load, in random order
    #[arg(long, value_name = "COMMAND")]
    pub(crate) start: Vec<String>,
    /// CPUs for the servers that --start starts, as 2-3; default: those that the client leaves, where there are four or more
    #[arg(long, value_name = "LIST")]
    pub(crate) cpus: Option<String>,
    /// Send from N processes together, on this machine, or with --on slurm each on a node of its own: they begin at the same moment, share the
    /// connections and keep one schedule, and are reported as one
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) generators: Option<u32>,
    /// Where the generators are: on the nodes of a cluster, as `[fleet]` in tare.toml says
    #[arg(long, value_name = "slurm", requires = "generators")]
    pub(crate) on: Option<Scheduler>,
    /// Count CPU time and system calls (strace) a request of the server with this process id; once for each URL, or once for all
    #[arg(long, value_name = "PID")]
    pub(crate) pid: Vec<u32>,
    #[command(flatten)]
    pub(crate) sending: Sending,
    /// The longest a request may take
    #[arg(long, value_name = "DURATION", default_value = "10s", value_parser = parse_time)]
    pub(crate) timeout: Duration,
    #[command(flatten)]
    pub(crate) judged: Judged,
    #[command(flatten)]
    pub(crate) kept: KeptArguments,
    #[command(flatten)]
    pub(crate) telling: Telling,
}

/// Where a load is kept, and how it is shown.
#[derive(Debug, Clone, Args)]
pub(crate) struct KeptArguments {
    /// Write a page that shows the load to anybody: one file, which asks for nothing from outside
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// A name for the load, to find it again; may be given several times
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
