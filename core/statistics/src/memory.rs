//! What a subject holds in memory, from launches that ran it and launches that ran the null.

use serde::{Deserialize, Serialize};
use tare_samples::{Memory, WeighedMemory};

use crate::estimate::CONFIDENCE;
use crate::quantile::{mean, variance};
use crate::student;
use crate::summary::Estimate;

/// How far the kernel's own count of resident pages may lie from the truth: it is kept by CPU and gathered in batches (Linux
/// `mm/`, `percpu_counter_batch`, 32 or more) of pages of 4 KiB.
pub const RESOLUTION_BYTES: f64 = 32.0 * 4096.0;

/// Memory of a variant, in bytes.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryEstimate {
    /// Calls in each launch; 0 is one bare call.
    pub calls: u64,
    /// Launches of the subject; as many of the null.
    pub launches: usize,
    /// What the subject adds to the largest resident size of its process.
    pub peak: Estimate,
    /// The process with the subject, as the kernel counts it: nothing taken off.
    pub process: Estimate,
    /// The process with the null in its place.
    pub empty: Estimate,
    /// Whether the interval of `peak` holds 0.
    pub below_resolution: bool,
    /// What the subject adds to the largest size by the runtime's own account; `None` where it keeps none that counts from the case on.
    pub runtime: Option<Estimate>,
    /// The same by the tracer that was asked for. It was traced once, and is exact.
    pub traced: Option<f64>,
    /// Peaks count from where the case was ready, not from the start of the process.
    pub from_ready: bool,
}

/// The memory of a variant: means over launches and their difference, at [`CONFIDENCE`]. Degrees of freedom as Welch, "The
/// generalization of Student's problem when several different population variances are involved", Biometrika 34, 1947; the
/// resolution of the kernel's count joins as a rectangular distribution in each of the two (GUM 4.3.7), with infinite degrees of
/// freedom (GUM G.4). `None` for fewer than two launches of either, or a kernel that doesn't tell.
pub fn memory(weighed: &WeighedMemory) -> Option<MemoryEstimate> {
    let column = |of: &[Memory], get: fn(&Memory) -> Option<u64>| -> Option<Vec<f64>> {
        of.iter().map(|memory| get(memory).map(|bytes| bytes as f64)).collect()
    };
    let rss = |of: &[Memory]| column(of, |memory| memory.peak_rss_bytes);
    let own = |of: &[Memory]| column(of, |memory| memory.runtime_peak_bytes);
    let (subject, null) = (rss(&weighed.subject)?, rss(&weighed.null)?);
    let peak = difference(&subject, &null, RESOLUTION_BYTES)?;
    let runtime = own(&weighed.subject).zip(own(&weighed.null));
    Some(MemoryEstimate {
        calls: weighed.calls,
        launches: subject.len(),
        process: level(&subject)?,
        empty: level(&null)?,
        below_resolution: peak.low <= 0.0 && peak.high >= 0.0,
        peak,
        // The runtime counts every byte.
        runtime: runtime.and_then(|(subject, null)| difference(&subject, &null, 0.0)),
        traced: weighed.traced.map(|(subject, null)| subject as f64 - null as f64),
        from_ready: weighed.from_ready,
    })
}

/// The mean of a column with its interval.
fn level(values: &[f64]) -> Option<Estimate> {
    let error = variance(values)? / values.len() as f64;
    let resolution = RESOLUTION_BYTES * RESOLUTION_BYTES / 3.0;
    Some(around(mean(values)?, &[(error, (values.len() - 1) as f64), (resolution, f64::INFINITY)]))
}

/// The difference of two means.
fn difference(a: &[f64], b: &[f64], resolution: f64) -> Option<Estimate> {
    let part = |values: &[f64]| Some((variance(values)? / values.len() as f64, (values.len() - 1) as f64));
    let resolution = 2.0 * resolution * resolution / 3.0;
    Some(around(mean(a)? - mean(b)?, &[part(a)?, part(b)?, (resolution, f64::INFINITY)]))
}

/// A value with an uncertainty of several parts, each a variance with its degrees of freedom.
fn around(estimate: f64, parts: &[(f64, f64)]) -> Estimate {
    spread_around(estimate, parts, CONFIDENCE)
}

fn spread_around(estimate: f64, parts: &[(f64, f64)], confidence: f64) -> Estimate {
    let combined: f64 = parts.iter().map(|(variance, _)| variance).sum();
    let share: f64 = parts.iter().map(|(variance, freedom)| variance * variance / freedom).sum();
    let freedom = if share > 0.0 { combined * combined / share } else { f64::INFINITY };
    let half = combined.sqrt() * student::quantile(0.5 + confidence / 2.0, freedom);
    Estimate { estimate, low: estimate - half, high: estimate + half }
}

/// Differences of memory up to this fraction don't matter: of a process of some ten megabytes the kernel's count is no surer than 1 %.
pub const MARGIN: f64 = 0.02;

/// What is said of a candidate's memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MemoryVerdict {
    /// It holds more, beyond the margin.
    More,
    /// It holds less, beyond the margin.
    Less,
    /// The whole interval lies within the margin.
    Same,
    /// Neither can be said.
    Inconclusive,
}

impl MemoryVerdict {
    /// `more`, `less`, `same`, `inconclusive`.
    pub fn name(self) -> &'static str {
        match self {
            Self::More => "more",
            Self::Less => "less",
            Self::Same => "same",
            Self::Inconclusive => "inconclusive",
        }
    }
}

/// Two variants' memory against each other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MemoryComparison {
    /// Candidate over base of the process at its peak, nothing taken off.
    pub ratio: Estimate,
    /// Confidence of the interval, a fraction.
    pub confidence: f64,
    /// Where it lies against the margin.
    pub verdict: MemoryVerdict,
}

/// Compares the peaks of two processes that ran the subject, at a confidence, against a margin (a fraction). Launches are the unit: the
/// logarithm of the ratio of their means, with Welch's degrees of freedom, and the kernel's resolution in each. `None` for fewer than two
/// launches of either, launches of different numbers of calls, or a kernel that doesn't tell.
pub fn compared(
    base: &WeighedMemory,
    candidate: &WeighedMemory,
    margin: f64,
    confidence: f64,
) -> Option<MemoryComparison> {
    if base.calls != candidate.calls {
        return None;
    }
    let peaks = |of: &WeighedMemory| -> Option<Vec<f64>> {
        of.subject.iter().map(|memory| memory.peak_rss_bytes.map(|bytes| bytes as f64)).collect()
    };
    // Mean, and the relative variance of it with its degrees of freedom.
    let side = |values: &[f64]| {
        let mean = mean(values).filter(|mean| *mean > 0.0)?;
        let square = mean * mean;
        let launches = (variance(values)? / values.len() as f64 / square, (values.len() - 1) as f64);
        Some((mean, [launches, (RESOLUTION_BYTES * RESOLUTION_BYTES / 3.0 / square, f64::INFINITY)]))
    };
    let ((base, of_base), (candidate, of_candidate)) = (side(&peaks(base)?)?, side(&peaks(candidate)?)?);
    let parts = [of_base, of_candidate].concat();
    let log = spread_around((candidate / base).ln(), &parts, confidence);
    let ratio = Estimate { estimate: log.estimate.exp(), low: log.low.exp(), high: log.high.exp() };
    let verdict = if ratio.low > 1.0 + margin {
        MemoryVerdict::More
    } else if ratio.high < 1.0 - margin {
        MemoryVerdict::Less
    } else if ratio.low >= 1.0 - margin && ratio.high <= 1.0 + margin {
        MemoryVerdict::Same
    } else {
        MemoryVerdict::Inconclusive
    };
    Some(MemoryComparison { ratio, confidence, verdict })
}

/// How much more, as a part of `base`, `candidate` is, with an interval: both independent, their intervals symmetric.
/// `None` where the base isn't above 0.
pub fn growth(base: &Estimate, candidate: &Estimate) -> Option<Estimate> {
    if base.low <= 0.0 {
        return None;
    }
    let ratio = candidate.estimate / base.estimate;
    let part = |of: &Estimate| of.half_width() / of.estimate;
    let half = ratio.abs() * part(base).hypot(part(candidate));
    Some(Estimate { estimate: ratio - 1.0, low: ratio - half - 1.0, high: ratio + half - 1.0 })
}

#[cfg(test)]
mod tests {
    use tare_samples::{Memory, WeighedMemory};

    use super::{MARGIN, MemoryVerdict, compared, growth, memory};
    use crate::summary::Estimate;
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64;

    const MIB: u64 = 1 << 20;

    fn launches(rss: &[u64], own: u64) -> Vec<Memory> {
        rss.iter().map(|&rss| Memory { peak_rss_bytes: Some(rss), runtime_peak_bytes: Some(own) }).collect()
    }

    fn weighed(subject: &[u64], null: &[u64]) -> WeighedMemory {
        WeighedMemory {
            calls: 10,
            from_ready: true,
            subject: launches(subject, 3000),
            null: launches(null, 1000),
            traced: None,
        }
    }

    #[test]
    fn what_the_subject_adds_is_what_is_left_without_the_null() {
        let found = memory(&weighed(&[40 * MIB; 5], &[24 * MIB; 5])).unwrap();
        assert!((found.peak.estimate - (16 * MIB) as f64).abs() < 1.0);
        assert!(!found.below_resolution);
        assert!(found.peak.half_width() > 100_000.0, "equal launches don't make the kernel's count exact: {found:?}");
        let own = found.runtime.unwrap();
        assert_eq!((own.low, own.estimate, own.high), (2000.0, 2000.0, 2000.0));
        assert_eq!((found.launches, found.calls), (5, 10));
    }

    #[test]
    fn the_same_is_below_resolution_and_not_clamped() {
        let found = memory(&weighed(&[24 * MIB, 24 * MIB - 8192], &[24 * MIB, 24 * MIB])).unwrap();
        assert!(found.below_resolution && found.peak.estimate < 0.0, "{found:?}");
    }

    #[test]
    fn launches_that_differ_widen_the_interval() {
        let alike = memory(&weighed(&[40 * MIB; 5], &[24 * MIB; 5])).unwrap();
        let spread = [36 * MIB, 40 * MIB, 44 * MIB, 38 * MIB, 42 * MIB];
        let found = memory(&weighed(&spread, &[24 * MIB; 5])).unwrap();
        assert!(found.peak.half_width() > 5.0 * alike.peak.half_width(), "{found:?}");
        // Five values with a standard deviation of 3.16 MiB: 2.776 · 3.16 / √5 at 4 degrees of freedom, and a little for the kernel.
        let half = found.peak.half_width() / MIB as f64;
        assert!((3.9..4.1).contains(&half), "{half}");
    }

    #[test]
    fn what_cannot_be_said_is_not_said() {
        assert_eq!(memory(&weighed(&[MIB], &[MIB])), None);
        let mut blind = weighed(&[MIB; 3], &[MIB; 3]);
        blind.null[1].peak_rss_bytes = None;
        assert_eq!(memory(&blind), None);
        let mut silent = weighed(&[MIB; 3], &[MIB; 3]);
        silent.subject[0].runtime_peak_bytes = None;
        assert_eq!(memory(&silent).unwrap().runtime, None);
    }

    /// Processes of 24 MiB whose peaks differ by 0.3 % (standard deviation) from launch to launch, as PHP's do.
    fn drawn(rng: &mut Pcg64, scale: f64) -> WeighedMemory {
        let mut gaussian = || (0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0;
        let mut peaks = || -> Vec<u64> {
            (0..5).map(|_| ((24 * MIB) as f64 * scale * (1.0 + 0.003 * gaussian())) as u64).collect()
        };
        weighed(&peaks(), &peaks())
    }

    #[test]
    fn identical_variants_are_rarely_called_different_and_a_real_difference_is_found() {
        let mut rng = Pcg64::seed_from_u64(6);
        let mut count = |scale: f64, wanted: &dyn Fn(MemoryVerdict) -> bool| {
            let verdict =
                |rng: &mut Pcg64| compared(&drawn(rng, 1.0), &drawn(rng, scale), MARGIN, 0.99).unwrap().verdict;
            (0..1000).filter(|_| wanted(verdict(&mut rng))).count()
        };
        let different = |verdict| matches!(verdict, MemoryVerdict::More | MemoryVerdict::Less);
        assert!(count(1.0, &different) <= 10);
        assert!(count(1.05, &|verdict| verdict == MemoryVerdict::More) >= 950);
        assert!(count(0.95, &|verdict| verdict == MemoryVerdict::Less) >= 950);
    }

    #[test]
    fn the_same_memory_is_the_same_where_the_kernel_can_tell() {
        let usual = weighed(&[24 * MIB; 5], &[MIB; 5]);
        let found = compared(&usual, &usual, MARGIN, 0.99).unwrap();
        assert_eq!((found.verdict, found.ratio.estimate), (MemoryVerdict::Same, 1.0));
        // 131 kB of resolution are 6 % of a process of 2 MiB.
        let small = weighed(&[2 * MIB; 5], &[MIB; 5]);
        assert_eq!(compared(&small, &small, MARGIN, 0.99).unwrap().verdict, MemoryVerdict::Inconclusive);
        let other = WeighedMemory { calls: 11, ..small.clone() };
        assert_eq!(compared(&small, &other, MARGIN, 0.99), None);
    }

    #[test]
    fn growth_is_a_part_of_the_base() {
        let around = |estimate: f64| Estimate { estimate, low: estimate - 1.0, high: estimate + 1.0 };
        let grown = growth(&around(100.0), &around(150.0)).unwrap();
        assert!((grown.estimate - 0.5).abs() < 1e-12 && grown.low > 0.47 && grown.high < 0.53, "{grown:?}");
        assert_eq!(growth(&around(0.5), &around(150.0)), None);
    }
}
