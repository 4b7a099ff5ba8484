//! What is asked of a load, as plain values, and what comes of it.

use std::path::PathBuf;
use std::time::Duration;

use tare_load::schedule::Arrivals;
use tare_results::LoadView;

use crate::judging::gate::Ending;
use crate::load::gate::LoadGate;

pub(crate) const DURATION: Duration = Duration::from_secs(10);
pub(crate) const WARM_UP: Duration = Duration::from_millis(500);
pub(crate) const MARGIN: f64 = 0.005;

/// A load on HTTP servers.
#[derive(Debug, Clone)]
pub struct HttpLoad {
    /// What requests are sent to.
    pub urls: Vec<String>,
    /// Commands that start the servers, with `{port}`; empty where they run already.
    pub start: Vec<String>,
    /// Each target is compared with itself, too.
    pub control: bool,
    /// Connections, each with one request at a time.
    pub connections: u32,
    /// Requests to each URL, instead of a duration.
    pub requests: Option<u64>,
    /// How long each URL is under load.
    pub duration: Option<Duration>,
    /// Requests a second; `None`: each connection sends the next when the one before was answered.
    pub rate: Option<f64>,
    /// How the requests of an open loop follow each other.
    pub arrivals: Arrivals,
    /// A connection carries one request.
    pub no_keep_alive: bool,
    /// The method; `None`: GET, or POST with a body.
    pub method: Option<String>,
    /// Headers as `Name: value`.
    pub header: Vec<String>,
    /// The body, or `@FILE`.
    pub body: Option<String>,
    /// The longest that a request may take.
    pub timeout: Duration,
    /// HTTP/2 is spoken.
    pub http2: bool,
    /// Any certificate is taken.
    pub insecure: bool,
    /// Authorities that are trusted, in PEM.
    pub cacert: Option<PathBuf>,
    /// Threads that send.
    pub threads: Option<u32>,
    /// Load before the measurement.
    pub warm_up: Option<Duration>,
    /// Of every random choice.
    pub seed: Option<u64>,
    /// Where the histogram log goes.
    pub hdr: Option<PathBuf>,
    /// The difference that doesn't matter, as a fraction.
    pub margin: Option<f64>,
    /// Gates.
    pub fail_on: Vec<LoadGate>,
}

/// A load of a benchmark's operations; where they are is in the request.
#[derive(Debug, Clone)]
pub struct WorkersLoad {
    /// Processes that do operations at the same time.
    pub workers: u32,
    /// Operations in each worker, instead of a duration.
    pub operations: Option<u64>,
    /// How long each runtime is under load.
    pub duration: Option<Duration>,
    /// Weights as `NAME=WEIGHT,…`; each of several is measured.
    pub mix: Vec<String>,
    /// Regular expressions over the names of suites.
    pub filter: Vec<String>,
    /// Regular expressions over the same, of suites that are left out.
    pub exclude: Vec<String>,
    /// Operations a second of all workers; `None`: each begins the next when the one before has ended.
    pub rate: Option<f64>,
    /// How the operations of an open loop follow each other.
    pub arrivals: Arrivals,
    /// Workers begin within this time.
    pub ramp: Duration,
    /// Load before the measurement.
    pub warm_up: Option<Duration>,
    /// The longest that set-up or an operation may take.
    pub timeout: Duration,
    /// Of every random choice.
    pub seed: Option<u64>,
    /// Where the histogram log goes.
    pub hdr: Option<PathBuf>,
    /// The difference that doesn't matter, as a fraction.
    pub margin: Option<f64>,
    /// Gates.
    pub fail_on: Vec<LoadGate>,
}

/// What came of a load.
#[derive(Debug)]
pub struct LoadRan {
    /// What there is to report.
    pub view: LoadView,
    /// How it ended.
    pub end: LoadEnd,
}

/// How a load ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoadEnd {
    /// All was measured; what the gates make of it.
    Judged(Ending),
    /// A target, a worker or the log failed.
    Failed,
    /// Somebody stopped it.
    Interrupted,
}
