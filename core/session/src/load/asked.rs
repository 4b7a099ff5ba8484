//! What is asked of a load, as plain values, and what comes of it.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tare_definition::parse_margin;
use tare_load::http::Expected;
use tare_load::schedule::{Arrivals, Pace};
use tare_request::Request;
use tare_results::LoadView;
use tare_statistics::comparison::Rule;

use crate::error::Error;
use crate::judging::gate::Concluded;
use crate::load::blocks::Amount;
use crate::load::gate::LoadGate;
use crate::load::values::{RateLadder, Rates, parse_arrivals, parse_rate, parse_time, parse_time_or_none};

const DURATION: Duration = Duration::from_secs(10);
/// Stages of a rate, and how long each lasts.
const STAGES: u32 = 10;
const EACH: Duration = Duration::from_secs(5);
const WARM_UP: Duration = Duration::from_millis(500);
/// The longest that a request may take where nobody says.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(10);
pub(crate) const CONNECTIONS: u32 = 10;

/// When operations begin, and for how long: what every load has.
#[derive(Debug, Clone, Default, PartialEq, clap::Args, Serialize, Deserialize)]
#[serde(default)]
pub struct Paced {
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

impl Paced {
    pub(crate) fn pace(&self) -> Pace {
        let arrivals = self.arrivals.unwrap_or(Arrivals::Constant);
        self.rate.map_or(Pace::Closed, |rate| Pace::Open { rate: rate.from, arrivals })
    }

    /// Nothing where there is one rate.
    pub(crate) fn ladder(&self) -> Result<Option<RateLadder>, Error> {
        match self.rate.filter(|rate| rate.is_ladder()) {
            Some(_) if self.duration.is_some() => {
                Err(Error::usage("--for sets how long each stage of a rate lasts; leave --duration out"))
            }
            Some(rate) => {
                let rates = rate.stages(self.stages.unwrap_or(STAGES));
                Ok(Some(RateLadder { rates, each: self.each.unwrap_or(EACH) }))
            }
            None if self.stages.is_some() || self.each.is_some() => {
                Err(Error::usage("--stages and --for go with a rate that grows: --rate 100..2000"))
            }
            None => Ok(None),
        }
    }

    /// Of a number of operations, where one is given, no warm-up is expected.
    pub(crate) fn amount(&self, operations: Option<u64>) -> Amount {
        match operations {
            Some(operations) => Amount::Requests(operations),
            None => Amount::Duration(self.duration.unwrap_or(DURATION)),
        }
    }

    pub(crate) fn warm_up(&self, operations: Option<u64>) -> Duration {
        match (self.warm_up, operations) {
            (Some(warm_up), _) => warm_up,
            (None, Some(_)) => Duration::ZERO,
            (None, None) => WARM_UP,
        }
    }
}

/// What to make of a load.
#[derive(Debug, Clone, Default, PartialEq, clap::Args, Serialize, Deserialize)]
#[serde(default)]
pub struct Judged {
    /// Put each target under load twice, and compare it with itself, too: what such a comparison shows is noise
    #[arg(long)]
    pub control: bool,
    /// Seed of every random choice; default: drawn, and shown
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Differences up to this much don't matter; default 0.5%
    #[arg(long, value_name = "PERCENT", value_parser = parse_margin, allow_hyphen_values = true)]
    pub margin: Option<f64>,
    /// End with status 1 if a target is slower than the first (by more than PERCENT), if requests or operations fail (more than PERCENT of them),
    /// or if a percentile of the latencies (p50, p90, p95, p99, p99.9, p99.99) is longer than DURATION. inconclusive: end with status 3 if that
    /// is undecided. May be given several times
    #[arg(long, value_name = "slower[=PERCENT]|failures[=PERCENT]|p99=DURATION|inconclusive", value_parser = LoadGate::parse)]
    #[serde(skip)]
    pub fail_on: Vec<LoadGate>,
}

impl Judged {
    /// What is asked of intervals.
    pub(crate) fn rule(&self) -> Rule {
        let usual = Rule::default();
        Rule::new(usual.about, self.margin.unwrap_or(usual.margin), usual.same)
    }
}

/// How requests are sent.
#[derive(Debug, Clone, Default, PartialEq, clap::Args, Serialize, Deserialize)]
#[serde(default)]
pub struct Sending {
    /// Connections; each carries one request at a time; default 10
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub connections: Option<u32>,
    /// How many requests are sent to each URL, instead of a duration
    #[arg(short = 'n', long, value_name = "N", conflicts_with = "duration", value_parser = clap::value_parser!(u64).range(1..))]
    pub requests: Option<u64>,
    /// When requests begin, and for how long.
    #[command(flatten)]
    pub paced: Paced,
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
    #[arg(id = "request", long = "request", value_name = "WEIGHT [METHOD] PATH")]
    pub mix: Vec<String>,
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

/// A load on HTTP servers.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct HttpLoad {
    /// What requests are sent to.
    pub urls: Vec<String>,
    /// Commands that start the servers, with `{port}`; empty where they run already.
    pub start: Vec<String>,
    /// CPUs of servers that are started; `None` leaves it to the machine.
    pub cpus: Option<Vec<usize>>,
    /// Processes of servers that run already, whose CPU time and system calls are counted; one for each URL, or one of all.
    pub pid: Vec<u32>,
    /// The longest that a request may take.
    pub timeout: Option<Duration>,
    /// How they are sent.
    pub sending: Sending,
    /// By so many processes together; `None`: by this one.
    pub generators: Option<u32>,
    /// What to make of it.
    pub judged: Judged,
}

impl HttpLoad {
    /// How such a load is called in the store, and one of servers in two revisions, and one of operations.
    pub(crate) const KIND: &str = "requests";
    pub(crate) const SERVED: &str = "servers of revisions";
    pub(crate) const WORKERS: &str = "operations";
}

/// A load of a benchmark's operations; where they are is in the request.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct WorkersLoad {
    /// Processes that do operations at the same time.
    pub workers: u32,
    /// Operations in each worker, instead of a duration.
    pub operations: Option<u64>,
    /// When, and for how long; a rate is that of all workers.
    pub paced: Paced,
    /// Weights as `NAME=WEIGHT,…`; each of several is measured.
    pub mix: Vec<String>,
    /// Regular expressions over the names of suites.
    pub filter: Vec<String>,
    /// Regular expressions over the same, of suites that are left out.
    pub exclude: Vec<String>,
    /// Workers begin within this time.
    pub ramp: Duration,
    /// The longest that set-up or an operation may take.
    pub timeout: Duration,
    /// What to make of it.
    pub judged: Judged,
}

/// All that a load of operations needs to be gone on with, as the store keeps it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct StoredWorkersLoad {
    pub(crate) load: WorkersLoad,
    /// Where the operations are, and a hash of each source.
    pub(crate) request: Request,
}

/// What came of a load.
#[derive(Debug)]
pub struct LoadRan {
    /// What there is to report.
    pub view: LoadView,
    /// How it ended.
    pub end: LoadEnd,
    /// It was interrupted, and can be resumed.
    pub can_resume: bool,
}

/// How a load ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LoadEnd {
    /// All was measured; what the gates make of it.
    Judged(Concluded),
    /// A target, a worker or the log failed.
    Failed,
    /// Somebody stopped it.
    Interrupted,
}
