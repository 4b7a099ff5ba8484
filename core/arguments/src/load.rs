//! The command line of `tare load` as it is typed.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};
use tare_load::http::Expected;
use tare_load::schedule::Arrivals;
use tare_session::{
    Judged, LoadGate, Paced, Rates, Sending, parse_arrivals, parse_rate, parse_time, parse_time_or_none,
};

use crate::fleet::Scheduler;
use tare_request::values::margin;

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct LoadArguments {
    #[command(subcommand)]
    pub kind: Option<LoadKind>,
    #[command(flatten)]
    pub workers: WorkersArguments,
}

#[derive(Debug, Args)]
pub struct WorkersArguments {
    /// Benchmarks whose operations are done: files, folders that are searched, built C++ binaries. A file that is called `http` or `hdr` is
    /// named ./http
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// Processes that do operations at the same time
    #[arg(short, long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub workers: u32,
    /// How many operations each worker does, instead of a duration
    #[arg(short = 'n', long, value_name = "N", conflicts_with = "duration", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000_000))]
    pub operations: Option<u64>,
    /// How often each operation is done, by weight: get=9,put=1 is nine gets to one put; an operation that isn't named isn't done. Given several times, the
    /// mixes are measured one after the other. Default: the weights in the source
    #[arg(long, value_name = "NAME=WEIGHT,…")]
    pub mix: Vec<String>,
    /// Only suites whose name matches; may be given several times
    #[arg(long, value_name = "REGEX")]
    pub filter: Vec<String>,
    /// No suites whose name matches; may be given several times
    #[arg(long, value_name = "REGEX")]
    pub exclude: Vec<String>,
    /// A runtime to work on; several take turns, and are compared with the first. `NAME=COMMAND`, a command, or a name from tare.toml. Default:
    /// php, go, python3, as the sources need
    #[arg(long, value_name = "NAME=COMMAND")]
    pub runtime: Vec<String>,
    #[command(flatten)]
    pub paced: PacedArguments,
    /// Workers begin within this time, one after the other; not counted
    #[arg(long, value_name = "DURATION", value_parser = parse_time_or_none, default_value = "0")]
    pub ramp: Duration,
    /// The longest that set-up or an operation may take
    #[arg(long, value_name = "DURATION", value_parser = parse_time, default_value = "10s")]
    pub timeout: Duration,
    #[command(flatten)]
    pub judged: JudgedArguments,
    #[command(flatten)]
    pub told: ToldArguments,
    /// Draw the throughput of runtimes as bars from 0, with their intervals
    #[arg(long)]
    pub chart: bool,
    /// Show each runtime by itself, where several stand side by side
    #[arg(long, short)]
    pub verbose: bool,
}

#[derive(Debug, Subcommand)]
pub enum LoadKind {
    /// Send HTTP requests; several URLs take turns and are compared with the first
    Http(Box<HttpArguments>),
    /// Show the percentiles of histogram logs (HdrHistogram's format, version 2)
    Hdr(HdrArguments),
    /// Go on with a load that was interrupted
    Resume(ResumeArguments),
}

#[derive(Debug, Args)]
pub struct ResumeArguments {
    /// By id, a part of an id, or tag; default: the newest that was interrupted
    #[arg(value_name = "LOAD")]
    pub load: Option<String>,
    /// As `tare load http` has it
    #[arg(long, value_name = "GATE", value_parser = LoadGate::parse)]
    pub fail_on: Vec<LoadGate>,
    #[command(flatten)]
    pub told: ToldArguments,
    /// Print one JSON document and nothing else
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct HttpArguments {
    /// What to send requests to: http:// or https://. Load goes to these hosts only
    #[arg(value_name = "URL", required = true)]
    pub urls: Vec<String>,
    /// Start the server with this command, which gets a free port for {port} and has to stay in the foreground; the URL has {port}, too. Given once, or
    /// once for each URL. Where several are compared they are started afresh for each twentieth of the load, in random order
    #[arg(long, value_name = "COMMAND")]
    pub start: Vec<String>,
    /// CPUs for the servers that --start starts, as 2-3; default: those that the client leaves, where there are four or more
    #[arg(long, value_name = "LIST")]
    pub cpus: Option<String>,
    /// Send from N processes together, on this machine, or with --on slurm each on a node of its own: they begin at the same moment, share the
    /// connections and keep one schedule, and are reported as one
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub generators: Option<u32>,
    /// Where the generators are: on the nodes of a cluster, as `[fleet]` in tare.toml says
    #[arg(long, value_name = "slurm", requires = "generators")]
    pub on: Option<Scheduler>,
    /// Count CPU time and system calls (strace) a request of the server with this process id; once for each URL, or once for all
    #[arg(long, value_name = "PID")]
    pub pid: Vec<u32>,
    #[command(flatten)]
    pub sending: SendingArguments,
    /// The longest a request may take
    #[arg(long, value_name = "DURATION", default_value = "10s", value_parser = parse_time)]
    pub timeout: Duration,
    #[command(flatten)]
    pub judged: JudgedArguments,
    #[command(flatten)]
    pub told: ToldArguments,
}

#[derive(Debug, Clone, Args)]
pub struct SendingArguments {
    /// Connections; each carries one request at a time; default 10
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub connections: Option<u32>,
    /// How many requests are sent to each URL, instead of a duration
    #[arg(short = 'n', long, value_name = "N", conflicts_with = "duration", value_parser = clap::value_parser!(u64).range(1..))]
    pub requests: Option<u64>,
    #[command(flatten)]
    pub paced: PacedArguments,
    /// A new connection for each request; connecting is then part of its latency
    #[arg(long)]
    pub no_keep_alive: bool,
    /// The method; default GET, or POST with a body
    #[arg(short = 'X', long, value_name = "METHOD")]
    pub method: Option<String>,
    /// A header, as 'Name: value', or @FILE with one in each line; may be given several times
    #[arg(short = 'H', long, value_name = "HEADER")]
    pub header: Vec<String>,
    /// The body, or @FILE for that of a file
    #[arg(long, value_name = "TEXT|@FILE")]
    pub body: Option<String>,
    /// A request of several that are sent in parts: a weight, a method where it isn't GET, and a path of the URL's host, as '9 /items' and '1 POST /cart'
    #[arg(long, value_name = "WEIGHT [METHOD] PATH")]
    pub request: Vec<String>,
    /// Values for {name} in paths of --request, headers and the body: a CSV file whose first line has the names; requests take one line after the other
    #[arg(long, value_name = "FILE")]
    pub data: Option<PathBuf>,
    /// Each connection sends back the cookies that it was given, as a browser does
    #[arg(long)]
    pub cookies: bool,
    /// Follow redirects on the URL's host, 10 at the most; the time of a request is that of all of them together
    #[arg(long)]
    pub follow: bool,
    /// Statuses that are no failures, as 200, 2xx, or several as 2xx,304; default 2xx
    #[arg(long, value_name = "STATUS,…")]
    pub expect: Option<Expected>,
    /// Connect to this Unix socket in place of the URL's host
    #[arg(long, value_name = "PATH")]
    pub unix_socket: Option<PathBuf>,
    /// Speak HTTP/1.0
    #[arg(long = "http1.0", conflicts_with = "http2")]
    pub http1_0: bool,
    /// Speak HTTP/2
    #[arg(long)]
    pub http2: bool,
    /// Ask for this name when TLS is agreed on (SNI), in place of the URL's host; the certificate has to be for it
    #[arg(long, value_name = "NAME")]
    pub sni: Option<String>,
    /// Take any certificate
    #[arg(long, conflicts_with = "cacert")]
    pub insecure: bool,
    /// Trust the authorities in this PEM file, and no others
    #[arg(long, value_name = "FILE")]
    pub cacert: Option<PathBuf>,
    /// Threads that send; default half of the CPUs
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub threads: Option<u32>,
}

impl SendingArguments {
    /// How requests are sent, as a session takes it.
    pub fn sending(&self) -> Sending {
        Sending {
            paced: self.paced.paced(),
            connections: self.connections,
            requests: self.requests,
            no_keep_alive: self.no_keep_alive,
            method: self.method.clone(),
            header: self.header.clone(),
            body: self.body.clone(),
            mix: self.request.clone(),
            data: self.data.clone(),
            cookies: self.cookies,
            follow: self.follow,
            expect: self.expect.unwrap_or_default(),
            unix_socket: self.unix_socket.clone(),
            http1_0: self.http1_0,
            http2: self.http2,
            sni: self.sni.clone(),
            insecure: self.insecure,
            cacert: self.cacert.clone(),
            threads: self.threads,
        }
    }
}

#[derive(Debug, Clone, Args)]
pub struct PacedArguments {
    /// How long each target is under load; default 10s
    #[arg(long, value_name = "DURATION", value_parser = parse_time)]
    pub duration: Option<Duration>,
    /// Requests or operations a second, of all connections or workers together, begun at their times whether or not earlier ones have ended (open loop).
    /// 100..2000 tries growing rates one after the other, to find the one up to which a server holds. Default: each connection or worker begins the next one when its last has ended (closed loop)
    #[arg(long, value_name = "N|FROM..TO", value_parser = parse_rate)]
    pub rate: Option<Rates>,
    /// How many rates are tried of a range such as 100..2000, each higher by the same factor; default 10
    #[arg(long, value_name = "N", requires = "rate", value_parser = clap::value_parser!(u32).range(2..=1000))]
    pub stages: Option<u32>,
    /// How long each rate of a range lasts; default 5s
    #[arg(long = "for", value_name = "DURATION", requires = "rate", value_parser = parse_time)]
    pub each: Option<Duration>,
    /// How the requests or operations of --rate are spaced: constant, at equal distances, or poisson, as those of many independent users; default constant
    #[arg(long, value_name = "constant|poisson", requires = "rate", value_parser = parse_arrivals)]
    pub arrivals: Option<Arrivals>,
    /// How long there is load before the measurement begins, which isn't counted; of workers after their --ramp. Default 500ms, none with -n
    #[arg(long, value_name = "DURATION", value_parser = parse_time_or_none)]
    pub warm_up: Option<Duration>,
    /// Write the latencies by second as a histogram log (HdrHistogram's format, version 2)
    #[arg(long, value_name = "FILE")]
    pub hdr: Option<PathBuf>,
}

impl PacedArguments {
    /// When operations begin, as a session takes it.
    pub fn paced(&self) -> Paced {
        Paced {
            duration: self.duration,
            rate: self.rate,
            stages: self.stages,
            each: self.each,
            arrivals: self.arrivals,
            warm_up: self.warm_up,
            hdr: self.hdr.clone(),
        }
    }
}

#[derive(Debug, Clone, Args)]
pub struct JudgedArguments {
    /// Write a page that shows the load to anybody: one file, which asks for nothing from outside
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Put each target under load twice, and compare it with itself, too: what such a comparison shows is noise
    #[arg(long)]
    pub control: bool,
    /// Seed of every random choice; default: drawn, and shown
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Differences up to this much don't matter; default 0.5%
    #[arg(long, value_name = "PERCENT", value_parser = margin, allow_hyphen_values = true)]
    pub margin: Option<f64>,
    /// End with status 1 when a target is slower than the first (by more than PERCENT), or requests or operations fail (more than PERCENT of
    /// them), or a percentile of the latencies (p50, p90, p95, p99, p99.9, p99.99) is longer than DURATION; with 3 when that can't be told; may be given several times
    #[arg(long, value_name = "slower[=PERCENT]|failures[=PERCENT]|p99=DURATION|inconclusive", value_parser = LoadGate::parse)]
    pub fail_on: Vec<LoadGate>,
    /// A name for the load, to find it again; may be given several times
    #[arg(long, value_name = "TAG")]
    pub tag: Vec<String>,
    /// Don't store the load
    #[arg(long, conflicts_with = "tag")]
    pub no_store: bool,
    /// Print one JSON document and nothing else
    #[arg(long)]
    pub json: bool,
}

impl JudgedArguments {
    /// What to make of a load, as a session takes it.
    pub fn judged(&self) -> Judged {
        Judged { control: self.control, seed: self.seed, margin: self.margin, fail_on: self.fail_on.clone() }
    }
}

#[derive(Debug, Clone, Args)]
pub struct ToldArguments {
    /// Append what happens to a file while it happens, as lines of JSON
    #[arg(long, value_name = "FILE")]
    pub events: Option<PathBuf>,
    /// Don't wait while something else is measured on this machine: end with status 4
    #[arg(long)]
    pub no_wait: bool,
}

#[derive(Debug, Args)]
pub struct HdrArguments {
    /// The log
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Print one JSON document and nothing else
    #[arg(long)]
    pub json: bool,
}
