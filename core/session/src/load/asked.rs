//! What is asked of a load, as plain values, and what comes of it.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tare_load::http::Expected;
use tare_load::schedule::{Arrivals, Pace};
use tare_request::Request;
use tare_results::LoadView;
use tare_statistics::comparison::Rule;

use crate::error::Error;
use crate::judging::gate::Concluded;
use crate::load::blocks::Amount;
use crate::load::gate::LoadGate;
use crate::load::values::Rates;

const DURATION: Duration = Duration::from_secs(10);
/// Stages of a rate, and how long each lasts.
const STAGES: u32 = 10;
const EACH: Duration = Duration::from_secs(5);
const WARM_UP: Duration = Duration::from_millis(500);
/// The longest that a request may take where nobody says.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(10);
pub(crate) const CONNECTIONS: u32 = 10;

/// When operations begin, and for how long: what every load has.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Paced {
    /// How long each target is under load.
    pub duration: Option<Duration>,
    /// Operations a second; `None`: each connection or worker begins the next when the one before has ended.
    pub rate: Option<Rates>,
    /// How many rates from the first to the last.
    pub stages: Option<u32>,
    /// How long each of them lasts.
    pub each: Option<Duration>,
    /// How the operations of an open loop follow each other; at equal distances where nobody says.
    pub arrivals: Option<Arrivals>,
    /// Load before the measurement.
    pub warm_up: Option<Duration>,
    /// Where the histogram log goes.
    pub hdr: Option<PathBuf>,
}

impl Paced {
    pub(crate) fn pace(&self) -> Pace {
        let arrivals = self.arrivals.unwrap_or(Arrivals::Constant);
        self.rate.map_or(Pace::Closed, |rate| Pace::Open { rate: rate.from, arrivals })
    }

    /// The rates of a ladder and how long each lasts; nothing where there is one rate.
    pub(crate) fn ladder(&self) -> Result<Option<(Vec<f64>, Duration)>, Error> {
        match self.rate.filter(|rate| rate.is_ladder()) {
            Some(_) if self.duration.is_some() => {
                Err(Error::usage("--for says how long each stage of a rate lasts; leave --duration out"))
            }
            Some(rate) => Ok(Some((rate.stages(self.stages.unwrap_or(STAGES)), self.each.unwrap_or(EACH)))),
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
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Judged {
    /// Of every random choice.
    pub seed: Option<u64>,
    /// The difference that doesn't matter, as a fraction.
    pub margin: Option<f64>,
    /// Each target is compared with itself, too.
    pub control: bool,
    /// Gates.
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
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Sending {
    /// When, and for how long.
    pub paced: Paced,
    /// Connections, each with one request at a time.
    pub connections: Option<u32>,
    /// Requests to each URL, instead of a duration.
    pub requests: Option<u64>,
    /// A connection carries one request.
    pub no_keep_alive: bool,
    /// The method; `None`: GET, or POST with a body.
    pub method: Option<String>,
    /// Headers as `Name: value`.
    pub header: Vec<String>,
    /// The body, or `@FILE`.
    pub body: Option<String>,
    /// Requests as `WEIGHT [METHOD] PATH`, which are sent in these parts; empty for the URL itself.
    pub mix: Vec<String>,
    /// A CSV file whose columns stand for `{name}` in paths, headers and the body.
    pub data: Option<PathBuf>,
    /// Each connection keeps the cookies that it is given.
    pub cookies: bool,
    /// Redirects are followed on the URL's host.
    pub follow: bool,
    /// Other statuses are failures. Loads that were stored before they said so took those below 400.
    #[serde(default = "Expected::below_400")]
    pub expect: Expected,
    /// Connections go to this socket.
    pub unix_socket: Option<PathBuf>,
    /// HTTP/1.0 is spoken.
    pub http1_0: bool,
    /// HTTP/2 is spoken.
    pub http2: bool,
    /// The name that is asked for in place of the URL's host when TLS is agreed on.
    pub sni: Option<String>,
    /// Any certificate is taken.
    pub insecure: bool,
    /// Authorities that are trusted, in PEM.
    pub cacert: Option<PathBuf>,
    /// Threads that send.
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
    #[serde(alias = "follow")]
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
