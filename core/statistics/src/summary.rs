use serde::{Deserialize, Deserializer, Serialize};

use crate::warning::Warning;

/// A point estimate and its interval, in the unit of the estimate. `low <= estimate <= high`. An end that isn't known is infinite, in
/// JSON `null`.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Estimate {
    /// Best estimate.
    pub estimate: f64,
    /// Lower end of the interval.
    #[serde(deserialize_with = "low_end")]
    pub low: f64,
    /// Upper end of the interval.
    #[serde(deserialize_with = "high_end")]
    pub high: f64,
}

/// JSON has no infinities: serde_json writes them as `null`.
fn low_end<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or(f64::NEG_INFINITY))
}

fn high_end<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or(f64::INFINITY))
}

/// What isn't known is `null`, too.
fn figure<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or(f64::NAN))
}

impl Estimate {
    /// An estimate of which nothing says how far it may be off.
    pub fn unbounded(estimate: f64) -> Self {
        Self { estimate, low: f64::NEG_INFINITY, high: f64::INFINITY }
    }

    /// Whether its interval has two ends.
    pub fn is_bounded(&self) -> bool {
        self.low.is_finite() && self.high.is_finite()
    }

    /// Whether only its upper end says something: the interval reaches down to 0. Of one without ends, as a single launch has, nothing of the
    /// kind is known.
    pub fn is_upper_bound(&self) -> bool {
        self.is_bounded() && self.low <= 0.0
    }

    /// Half the width of the interval.
    pub fn half_width(&self) -> f64 {
        (self.high - self.low) / 2.0
    }

    /// Whether the interval holds `value`.
    pub fn holds(&self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }
}

/// What the scale weighs, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Overhead {
    /// Two clock reads back to back.
    pub clock: Estimate,
    /// Loop and call, per call: the null.
    pub call: Estimate,
    /// What the first calls after a clock read cost beyond the later ones, per sample. `None` where samples are
    /// so long that it doesn't matter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub surplus: Option<Estimate>,
    /// One `pause`/`resume` pair. `None` where the subject makes none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pause: Option<Estimate>,
}

/// Standard uncertainties of `time`, in nanoseconds (ISO/BIPM GUM). Type A: the first two; Type B: the rest.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct UncertaintyBudget {
    /// Spread of samples within launches.
    pub within_launch: f64,
    /// Spread of launches beyond what the samples in them explain.
    pub between_launch: f64,
    /// Step of the clock.
    pub clock_resolution: f64,
    /// Cost of the clock pair.
    pub clock_cost: f64,
    /// Cost of loop and call, of the set-up and of pause pairs.
    pub call: f64,
    /// Change of the machine's speed over the run.
    pub drift: f64,
    /// What runs differ by beyond their launches; 0 where it hasn't been added to the interval, as in a store.
    #[serde(default)]
    pub between_runs: f64,
    /// All of them, in quadrature.
    pub combined: f64,
}

/// What runs of a case differ by beyond the scatter of their launches.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct BetweenRuns {
    /// Standard deviation of the logarithm of a run's time: as good as a fraction of the time.
    pub standard: f64,
    /// Degrees of freedom that this is known with.
    pub freedom: f64,
    /// Runs of the case before this one that it is taken from; 0 where there were too few.
    pub runs: usize,
}

/// Descriptive figures of the tared time per call over all samples, in nanoseconds (`rstdev` is a fraction). What isn't known, as of a run
/// that another tool measured, is not a number, in JSON `null`.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Descriptive {
    /// Arithmetic mean.
    #[serde(deserialize_with = "figure")]
    pub mean: f64,
    /// Median of all samples.
    #[serde(deserialize_with = "figure")]
    pub median: f64,
    /// Highest peak of a Gaussian kernel density estimate.
    #[serde(deserialize_with = "figure")]
    pub mode: f64,
    /// Smallest sample.
    #[serde(deserialize_with = "figure")]
    pub min: f64,
    /// Largest sample.
    #[serde(deserialize_with = "figure")]
    pub max: f64,
    /// Standard deviation, n − 1.
    #[serde(deserialize_with = "figure")]
    pub stddev: f64,
    /// Standard deviation over the raw mean; a fraction. 0 where the mean is 0.
    #[serde(deserialize_with = "figure")]
    pub rstdev: f64,
    /// Median absolute deviation from the median, unscaled.
    #[serde(deserialize_with = "figure")]
    pub mad: f64,
    /// 95th percentile.
    #[serde(deserialize_with = "figure")]
    pub p95: f64,
    /// 99th percentile.
    #[serde(deserialize_with = "figure")]
    pub p99: f64,
}

/// Samples outside Tukey's fences: labelled, never dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Outliers {
    /// More than 3 interquartile ranges below the first quartile.
    pub low_severe: u64,
    /// 1.5 to 3 below.
    pub low_mild: u64,
    /// 1.5 to 3 above the third quartile.
    pub high_mild: u64,
    /// More than 3 above.
    pub high_severe: u64,
}

/// Why the mean cost of a call isn't its typical one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Differing {
    /// Some calls, in any launch, are much slower than the rest. Stores and documents keep the name that it had at first.
    #[serde(rename = "dear-calls")]
    SlowCalls,
    /// Some are much faster.
    #[serde(rename = "cheap-calls")]
    FastCalls,
    /// Some launches differ from the rest.
    SomeLaunches,
}

impl Differing {
    /// `dear-calls`, `cheap-calls`, `some-launches`.
    pub fn name(self) -> &'static str {
        match self {
            Self::SlowCalls => "dear-calls",
            Self::FastCalls => "cheap-calls",
            Self::SomeLaunches => "some-launches",
        }
    }
}

/// Everything that is said of one variant.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Summary {
    /// Mean elapsed time per call before the scale is taken off, other processes' work left out.
    pub raw: Estimate,
    /// The expected cost of a call in the steady state, tared, in nanoseconds: its own rare, slow calls included, other processes' work left
    /// out. Never clamped. In summaries stored under correction policy 1 it is what `typical` is now.
    pub time: Estimate,
    /// What an undisturbed call takes, tared, in nanoseconds: the median over launches of each launch's median. `None` in summaries
    /// stored under correction policy 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub typical: Option<Estimate>,
    /// Why `time` and `typical` differ. `None` where they don't, by more than their intervals and 1 %.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub differing: Option<Differing>,
    /// Confidence of the intervals: 0.95.
    pub confidence: f64,
    /// By how much runs of the case differ beyond their launches; `None` of runs of other tools, and of those that an earlier version stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub between_runs: Option<BetweenRuns>,
    /// What was taken off.
    pub overhead: Overhead,
    /// Where the interval comes from.
    pub uncertainty: UncertaintyBudget,
    /// Descriptive figures.
    pub statistics: Descriptive,
    /// Peaks of the kernel density estimate, highest first; more than one is reported as multimodal.
    pub peaks: Vec<f64>,
    /// Labelled outliers.
    pub outliers: Outliers,
    /// Calls a sample; 0 is one bare call.
    pub iterations: u64,
    /// Launches.
    pub launches: u64,
    /// Samples of the case at `iterations` calls, over all launches.
    pub samples: u64,
    /// The interval of `time` holds 0: only its upper end is knowledge.
    pub below_resolution: bool,
    /// Density of the samples without the severe outliers, from the smallest to the largest, for a sketch: 24 values from 0 to 1.
    pub sketch: Vec<f64>,
    /// Time of each reference kernel per call, by name, in nanoseconds.
    pub kernels: Vec<(String, Estimate)>,
    /// What the reader should know before believing it.
    pub warnings: Vec<Warning>,
    /// What else was seen, and changes nothing that is believed: too small, or likely enough by chance.
    #[serde(default)]
    pub facts: Vec<Warning>,
}

#[cfg(test)]
mod tests {
    use super::Differing;

    /// Stores and documents hold these names since there were any; what is called otherwise in the source must read them.
    #[test]
    fn reasons_are_stored_by_the_names_that_documents_have() {
        for (reason, name) in [
            (Differing::SlowCalls, "dear-calls"),
            (Differing::FastCalls, "cheap-calls"),
            (Differing::SomeLaunches, "some-launches"),
        ] {
            assert_eq!((reason.name(), serde_json::to_value(reason).unwrap()), (name, name.into()));
            assert_eq!(serde_json::from_value::<Differing>(name.into()).unwrap(), reason);
        }
    }
}
