use serde::{Deserialize, Serialize};
use tare_statistics::comparison::Comparison;
use tare_statistics::{Estimate, Warning};

/// What concurrent load showed of one or several targets.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct LoadView {
    /// In the order in which they were named; the first is the base.
    pub targets: Vec<LoadTarget>,
    /// Candidates against the base, a figure each; then targets against themselves.
    pub comparisons: Vec<LoadComparison>,
    /// Decides every random choice; `None` where there was none, as in a log.
    pub seed: Option<u64>,
    /// Seconds each block lasted, where targets took turns.
    pub block_s: Option<f64>,
    /// It was stopped before its end.
    pub interrupted: bool,
    /// Gates that tripped or couldn't be decided.
    pub gates: Vec<String>,
    /// What disturbed the machine before the load began.
    pub warnings: Vec<Warning>,
    /// Its run in the store, and that run's tags; empty where it isn't stored.
    pub run: String,
    /// As above.
    pub tags: Vec<String>,
    /// The command that does it again; `None` where it isn't known.
    pub again: Option<String>,
    /// Which CPUs servers and client had, in words; empty where tare started no server.
    pub placed: String,
    /// Who sent the requests, where several did.
    pub generators: Vec<LoadGenerator>,
}

/// One of several generators of a load.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct LoadGenerator {
    /// From 1.
    pub number: u32,
    /// The name of its machine.
    pub host: String,
    /// Connections to each target.
    pub connections: u32,
    /// Threads that sent.
    pub threads: u32,
    /// Requests that ended.
    pub ended: u64,
    /// Of those, begun late.
    pub late: u64,
    /// Due and never begun.
    pub dropped: u64,
    /// By how many seconds its time of day was ahead of that of the machine that asked for the load.
    pub clock_offset_s: f64,
    /// Its clocks were known to so many seconds, wherever a start was agreed upon.
    pub clock_within_s: f64,
    /// The longest that it began after a common start, in seconds.
    pub start_late_s: f64,
    /// The part of the time in which its threads worked; `None` where it isn't known.
    pub worked: Option<f64>,
}

/// One target: a URL, or a benchmark's operations on one runtime.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct LoadTarget {
    /// Its name.
    pub name: String,
    /// Why nothing could be measured; `None` where something could.
    pub failure: Option<String>,
    /// How long it was under load, in seconds.
    pub duration_s: f64,
    /// From the start to the end of the last worker, in seconds, where that is another time than the common window; `None` where it isn't known.
    pub whole_s: Option<f64>,
    /// Latencies of all operations together, where there are several.
    pub overall: Option<LoadLatency>,
    /// Successes a second over the common window. The ends are infinite where nothing is known of its error.
    pub throughput: Option<Estimate>,
    /// Connections, where the load goes over a network.
    pub connections: Option<u32>,
    /// Worker processes, where it doesn't.
    pub workers: Option<u32>,
    /// Operations a second that were asked for, in an open loop.
    pub rate: Option<f64>,
    /// `constant` or `poisson`, in an open loop.
    pub arrivals: Option<String>,
    /// A row each.
    pub operations: Vec<LoadOperation>,
    /// Where the rate grew: a row each.
    pub stages: Vec<LoadStage>,
    /// Where it stopped to keep up with it, or to keep a limit.
    pub knee: Option<LoadKnee>,
    /// What its processes cost; `None` where they weren't followed.
    pub followed: Option<LoadFollowed>,
    /// A row a worker.
    pub memory: Vec<LoadMemory>,
    /// By second.
    pub series: Vec<LoadSecond>,
    /// What to know before believing it.
    pub warnings: Vec<Warning>,
    /// The suite whose operations it does, on which runtime, and in which mix; empty where it has none.
    pub suite: String,
    /// As above.
    pub runtime: String,
    /// Parts of operations by name.
    pub mix: Vec<(String, u64)>,
    /// Workers that failed.
    pub fallen: Vec<LoadFallen>,
    /// More that is known, in words: `HTTP/1.1 over TLS`.
    pub about: String,
}

impl LoadView {
    /// The comparisons that aren't controls.
    pub fn judged(&self) -> impl Iterator<Item = &LoadComparison> {
        self.comparisons.iter().filter(|pair| !pair.control)
    }
}

impl LoadTarget {
    /// It couldn't be measured, or one of its operations did nothing but fail: there is no figure of that.
    pub fn has_failed(&self) -> bool {
        let fails = |operation: &LoadOperation| operation.failed() > 0 && operation.latency.is_none();
        self.failure.is_some() || self.operations.iter().any(fails)
    }

    /// It stopped answering and didn't come back.
    pub fn has_stopped(&self) -> bool {
        self.seconds_gone().is_some()
    }

    /// Whole seconds of its time under load: what ends after them is of a second that isn't one.
    pub fn whole_seconds(&self) -> usize {
        if self.duration_s.is_finite() { (self.duration_s + 1e-6).max(0.0) as usize } else { 0 }
    }

    /// Whole seconds in which operations failed and none succeeded. A closed loop makes hardly any then, so their share of all operations
    /// says nothing of them.
    pub fn seconds_down(&self) -> usize {
        let whole = self.whole_seconds();
        let down =
            |second: &&LoadSecond| (second.second as usize) < whole && second.succeeded == 0 && second.failed > 0;
        self.series.iter().filter(down).count()
    }

    /// Whole seconds at the end of the load in which nothing succeeded, where something had succeeded before and something failed since: the target stopped
    /// answering and didn't come back.
    pub fn seconds_gone(&self) -> Option<usize> {
        let whole = self.whole_seconds();
        let last = self.series.iter().rposition(|second| second.succeeded > 0)? + 1;
        let failed = self.series[last..].iter().any(|second| second.failed > 0);
        (failed && last < whole).then(|| whole - last)
    }
}

/// One rate of several.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct LoadStage {
    /// Operations a second that were asked for.
    pub rate: f64,
    /// Successes a second.
    pub throughput: f64,
    /// Operations that failed.
    pub failed: u64,
    /// Begun late.
    pub late: u64,
    /// Due and never begun.
    pub dropped: u64,
    /// It kept up with the rate.
    pub kept: bool,
    /// Latencies of what succeeded.
    pub latency: Option<LoadLatency>,
}

/// What the processes of a server cost for each request, counted in loads of their own.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct LoadFollowed {
    /// The process that was named.
    pub pid: u32,
    /// It and those that it has begun.
    pub processes: u64,
    /// Requests over which CPU time was counted.
    pub requests: u64,
    /// Of the requests over which CPU time and system calls were counted, those that failed: their costs are among it.
    pub failed: u64,
    /// CPU time in programs for a request, in nanoseconds; `None` where it isn't known.
    pub user_ns: Option<f64>,
    /// The same in the kernel.
    pub system_ns: Option<f64>,
    /// Requests over which system calls were counted.
    pub traced: u64,
    /// System calls for a request by name, the most frequent first.
    pub calls: Vec<(String, f64)>,
    /// Why they weren't counted; empty where they were.
    pub untraced: String,
}

/// Up to which rate a target holds.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct LoadKnee {
    /// The highest rate up to which it kept up with all, within the limit; `None`: not with the first.
    pub rate: Option<f64>,
    /// `None` where none was given.
    pub limit: Option<PercentileLimit>,
    /// The rate at which that percentile passes its limit, between two stages by interpolation; `None` where it doesn't, or did with the first.
    pub passes_at: Option<f64>,
}

/// How long a percentile of latencies may be. Written as a pair: older versions read it so.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "(String, u64)", into = "(String, u64)")]
pub struct PercentileLimit {
    /// As `p99.9`.
    pub percentile: String,
    /// Nanoseconds.
    pub most_ns: u64,
}

impl From<(String, u64)> for PercentileLimit {
    fn from((percentile, most_ns): (String, u64)) -> Self {
        Self { percentile, most_ns }
    }
}

impl From<PercentileLimit> for (String, u64) {
    fn from(PercentileLimit { percentile, most_ns }: PercentileLimit) -> Self {
        (percentile, most_ns)
    }
}

/// A worker that failed.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct LoadFallen {
    /// Its number.
    pub worker: u32,
    /// `set-up`, `work` or `clean-up`.
    pub stage: String,
    /// Seconds of load by then.
    pub at_s: f64,
    /// The kind of its failure.
    pub kind: String,
    /// What happened, and where.
    pub message: String,
}

/// One operation, `get`, or the only one there is.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct LoadOperation {
    /// Its name.
    pub name: String,
    /// How many ended, failures among them.
    pub count: u64,
    /// Failures by kind.
    pub failures: Vec<(String, u64)>,
    /// Answers by status.
    pub statuses: Vec<(u16, u64)>,
    /// Begun late.
    pub late: u64,
    /// Due and never begun.
    pub dropped: u64,
    /// Bytes of the bodies of answers that succeeded, as they came.
    pub bytes: u64,
    /// Connections opened.
    pub connects: u64,
    /// Latencies of what succeeded; `None` where nothing did.
    pub latency: Option<LoadLatency>,
}

impl LoadOperation {
    /// Failures of all kinds.
    pub fn failed(&self) -> u64 {
        self.failures.iter().map(|(_, count)| count).sum()
    }
}

/// Latencies in nanoseconds, from the intended start.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct LoadLatency {
    /// `p50` to `p99.99` with their values.
    pub percentiles: Vec<(String, u64)>,
    /// Percentiles 0 to 99.999 with their values, for a picture; ascending.
    pub curve: Vec<(f64, u64)>,
    /// The greatest.
    pub max: u64,
    /// The mean.
    pub mean: f64,
}

impl LoadLatency {
    /// The value of a percentile by its name.
    pub fn percentile(&self, name: &str) -> Option<u64> {
        self.percentiles.iter().find(|(own, _)| own == name).map(|(_, value)| *value)
    }
}

/// Memory of one worker, in bytes; `None` where it isn't known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct LoadMemory {
    /// Its number.
    pub worker: u32,
    /// Resident.
    pub rss_bytes: Option<u64>,
    /// Resident at its peak.
    pub peak_rss_bytes: Option<u64>,
    /// As the runtime counts.
    pub runtime_bytes: Option<u64>,
    /// At its peak, as the runtime counts.
    pub runtime_peak_bytes: Option<u64>,
}

/// One second of a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct LoadSecond {
    /// Whole seconds since the start.
    pub second: u32,
    /// Operations that succeeded.
    pub succeeded: u64,
    /// Operations that failed.
    pub failed: u64,
    /// Latencies (ns) of those that succeeded.
    pub p50: Option<u64>,
    /// As above.
    pub p99: Option<u64>,
    /// As above.
    pub max: Option<u64>,
}

/// One figure of a candidate against the base.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LoadComparison {
    /// The base's name.
    pub base: String,
    /// The candidate's name.
    pub candidate: String,
    /// `throughput`, `latency.p99`.
    pub metric: String,
    /// The base is compared with itself: nothing but noise is in it.
    pub control: bool,
    /// Its ratio is candidate over base of the figure itself: a throughput above 1 is faster, a latency above 1 slower.
    pub comparison: Comparison,
}

impl LoadComparison {
    /// The interval of how many times worse the candidate is: of latencies the ratio, of throughputs its inverse.
    pub fn worse(&self) -> Option<(f64, f64)> {
        let ratio = self.comparison.ratio.as_ref()?;
        Some(if self.metric == "throughput" { (1.0 / ratio.high, 1.0 / ratio.low) } else { (ratio.low, ratio.high) })
    }
}
