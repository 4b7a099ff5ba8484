//! The command line of `tare load` as it is typed.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};
use tare_definition::{parse_duration, parse_margin};

use super::gate::LoadGate;

#[derive(Debug, Args)]
pub(crate) struct LoadArguments {
    #[command(subcommand)]
    pub(crate) kind: LoadKind,
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
    /// Differences up to this much don't matter; default 0.5%
    #[arg(long, value_name = "PERCENT", value_parser = margin, allow_hyphen_values = true)]
    pub(crate) margin: Option<f64>,
    /// End with status 1 when a URL is slower than the first (by more than PERCENT) or requests fail (more than PERCENT of
    /// them), with 3 when that can't be told; may be given several times
    #[arg(long, value_name = "slower[=PERCENT]|failures[=PERCENT]|inconclusive", value_parser = LoadGate::parse)]
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

/// More a second than this is no rate that one machine can send.
const HIGHEST_RATE: f64 = 10_000_000.0;

fn rate(text: &str) -> Result<f64, String> {
    let rate: f64 = text.trim().parse().map_err(|_| "it isn't a number; write requests a second, as 500".to_owned())?;
    if rate > 0.0 && rate <= HIGHEST_RATE {
        Ok(rate)
    } else {
        Err(format!("requests a second are more than 0 and at most {HIGHEST_RATE}"))
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
