//! The command line of `tare load` as it is typed.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};
use tare_definition::{parse_duration, parse_margin};

use tare_session::LoadGate;

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
    /// So many operations in each worker, instead of a duration
    #[arg(short = 'n', long, value_name = "N", conflicts_with = "duration", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000_000))]
    pub(crate) operations: Option<u64>,
    /// How long each runtime is under load; default 10s
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub(crate) duration: Option<Duration>,
    /// In which parts operations are done, as get=9,put=1; those that aren't named aren't done. Several mixes are measured one after the
    /// other. Default: the weights in the source
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
    /// Open loop: so many operations a second of all workers together, whatever becomes of them. Default: each worker begins the next when
    /// the one before has ended
    #[arg(long, value_name = "N", value_parser = rate)]
    pub(crate) rate: Option<f64>,
    /// How the operations of an open loop follow each other
    #[arg(long, value_enum, default_value_t = Arrivals::Constant, requires = "rate")]
    pub(crate) arrivals: Arrivals,
    /// Workers begin within this time, one after the other; not counted
    #[arg(long, value_name = "DURATION", value_parser = duration_or_none, default_value = "0")]
    pub(crate) ramp: Duration,
    /// Load before the measurement, after the ramp, which isn't counted; default 500ms, none with -n
    #[arg(long, value_name = "DURATION", value_parser = duration_or_none)]
    pub(crate) warm_up: Option<Duration>,
    /// The longest that set-up or an operation may take
    #[arg(long, value_name = "DURATION", value_parser = duration, default_value = "10s")]
    pub(crate) timeout: Duration,
    /// Seed of every random choice; default: drawn, and shown
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// Write the latencies by second as a histogram log (HdrHistogram's format, version 2)
    #[arg(long, value_name = "FILE")]
    pub(crate) hdr: Option<PathBuf>,
    /// Append what happens to a file while it happens, as lines of JSON
    #[arg(long, value_name = "FILE")]
    pub(crate) events: Option<PathBuf>,
    /// Don't wait while something else is measured on this machine: end with status 4
    #[arg(long)]
    pub(crate) no_wait: bool,
    /// Differences up to this much don't matter; default 0.5%
    #[arg(long, value_name = "PERCENT", value_parser = margin, allow_hyphen_values = true)]
    pub(crate) margin: Option<f64>,
    /// End with status 1 when a runtime is slower than the first (by more than PERCENT) or operations fail (more than PERCENT of
    /// them), or a percentile of the latencies (p50, p90, p95, p99, p99.9, p99.99) is longer than DURATION; with 3 when that can't be told; may be given several times
    #[arg(long, value_name = "slower[=PERCENT]|failures[=PERCENT]|p99=DURATION|inconclusive", value_parser = LoadGate::parse)]
    pub(crate) fail_on: Vec<LoadGate>,
    /// Draw the throughput of runtimes as bars from 0, with their intervals
    #[arg(long)]
    pub(crate) chart: bool,
    /// Show each runtime by itself, where several stand side by side
    #[arg(long, short)]
    pub(crate) verbose: bool,
    /// Print one JSON document and nothing else
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum LoadKind {
    /// Send HTTP requests; several URLs take turns and are compared with the first
    Http(Box<HttpArguments>),
    /// Show the percentiles of histogram logs (HdrHistogram's format, version 2)
    Hdr(HdrArguments),
}

#[derive(Debug, Args)]
pub(crate) struct HttpArguments {
    /// What to send requests to: http:// or https://. Load goes to these hosts only; redirects aren't followed
    #[arg(value_name = "URL", required = true)]
    pub(crate) urls: Vec<String>,
    /// Start the server with this command, which gets a free port for {port} and has to stay in the foreground; the URL has {port}, too. Given once, or
    /// once for each URL. Where several are compared they are started afresh for each twentieth of the load, in random order
    #[arg(long, value_name = "COMMAND")]
    pub(crate) start: Vec<String>,
    /// Put each target under load twice, and compare it with itself, too: what such a comparison shows is noise
    #[arg(long)]
    pub(crate) control: bool,
    /// Connections; each carries one request at a time
    #[arg(short, long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) connections: u32,
    /// So many requests to each URL, instead of a duration
    #[arg(short = 'n', long, value_name = "N", conflicts_with = "duration", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) requests: Option<u64>,
    /// How long each URL is under load; default 10s
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub(crate) duration: Option<Duration>,
    /// Open loop: so many requests a second, whatever becomes of them. Default: each connection sends the next request when the one before
    /// was answered
    #[arg(long, value_name = "N", value_parser = rate)]
    pub(crate) rate: Option<f64>,
    /// How the requests of an open loop follow each other
    #[arg(long, value_enum, default_value_t = Arrivals::Constant, requires = "rate")]
    pub(crate) arrivals: Arrivals,
    /// A new connection for each request; connecting is then part of its latency
    #[arg(long)]
    pub(crate) no_keep_alive: bool,
    /// The method; default GET, or POST with a body
    #[arg(short = 'X', long, value_name = "METHOD")]
    pub(crate) method: Option<String>,
    /// A header, as 'Name: value'; may be given several times
    #[arg(short = 'H', long, value_name = "HEADER")]
    pub(crate) header: Vec<String>,
    /// The body, or @FILE for that of a file
    #[arg(long, value_name = "TEXT|@FILE")]
    pub(crate) body: Option<String>,
    /// The longest a request may take
    #[arg(long, value_name = "DURATION", default_value = "10s", value_parser = duration)]
    pub(crate) timeout: Duration,
    /// Speak HTTP/2
    #[arg(long)]
    pub(crate) http2: bool,
    /// Take any certificate
    #[arg(long, conflicts_with = "cacert")]
    pub(crate) insecure: bool,
    /// Trust the authorities in this PEM file, and no others
    #[arg(long, value_name = "FILE")]
    pub(crate) cacert: Option<PathBuf>,
    /// Threads that send; default half of the CPUs
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) threads: Option<u32>,
    /// Load before the measurement, which isn't counted; default 500ms, none with -n
    #[arg(long, value_name = "DURATION", value_parser = duration_or_none)]
    pub(crate) warm_up: Option<Duration>,
    /// Seed of every random choice; default: drawn, and shown
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// Write the latencies by second as a histogram log (HdrHistogram's format, version 2)
    #[arg(long, value_name = "FILE")]
    pub(crate) hdr: Option<PathBuf>,
    /// Append what happens to a file while it happens, as lines of JSON
    #[arg(long, value_name = "FILE")]
    pub(crate) events: Option<PathBuf>,
    /// Don't wait while something else is measured on this machine: end with status 4
    #[arg(long)]
    pub(crate) no_wait: bool,
    /// Differences up to this much don't matter; default 0.5%
    #[arg(long, value_name = "PERCENT", value_parser = margin, allow_hyphen_values = true)]
    pub(crate) margin: Option<f64>,
    /// End with status 1 when a URL is slower than the first (by more than PERCENT) or requests fail (more than PERCENT of
    /// them), or a percentile of the latencies (p50, p90, p95, p99, p99.9, p99.99) is longer than DURATION; with 3 when that can't be told; may be given several times
    #[arg(long, value_name = "slower[=PERCENT]|failures[=PERCENT]|p99=DURATION|inconclusive", value_parser = LoadGate::parse)]
    pub(crate) fail_on: Vec<LoadGate>,
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

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Arrivals {
    /// At equal distances
    Constant,
    /// As of many independent users
    Poisson,
}

impl From<Arrivals> for tare_load::schedule::Arrivals {
    fn from(arrivals: Arrivals) -> Self {
        match arrivals {
            Arrivals::Constant => Self::Constant,
            Arrivals::Poisson => Self::Poisson,
        }
    }
}

/// More a second than this is no rate that one machine can send.
const HIGHEST_RATE: f64 = 10_000_000.0;

fn rate(text: &str) -> Result<f64, String> {
    let rate: f64 = text.trim().parse().map_err(|_| "it isn't a number; write how many a second, as 500".to_owned())?;
    if rate > 0.0 && rate <= HIGHEST_RATE {
        Ok(rate)
    } else {
        Err(format!("a rate is more than 0 and at most {HIGHEST_RATE} a second"))
    }
}

fn duration(text: &str) -> Result<Duration, String> {
    let duration = parse_duration(text).map_err(|error| error.to_string())?;
    if duration.is_zero() { Err("no time at all; write 500ms or 10s".to_owned()) } else { Ok(duration) }
}

fn duration_or_none(text: &str) -> Result<Duration, String> {
    if text.trim() == "0" { Ok(Duration::ZERO) } else { parse_duration(text).map_err(|error| error.to_string()) }
}

fn margin(text: &str) -> Result<f64, String> {
    parse_margin(text).map_err(|error| error.to_string())
}
