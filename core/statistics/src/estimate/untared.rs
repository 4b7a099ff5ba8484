//! Figures of samples that another tool took: no scale was measured beside them, so nothing is taken off.
//!
//! What a tool doesn't tell stays unknown: a descriptive figure is not a number, an interval has no ends.

use super::intervals::{Single, mean_over_launches, median_over_launches};
use super::{CONFIDENCE, describe, sketch};
use crate::mean_interval::{student_interval, successive_interval};
use crate::quantile::{self, mean, median};
use crate::summary::{Descriptive, Estimate, Summary};
use crate::warning::{Warning, WarningCode};
use crate::{outliers, student};

/// Figures that a tool gives beside samples, or in place of them, in nanoseconds per call. `None` where it doesn't.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct GivenFigures {
    /// What it calls the time, where that isn't the mean of its samples, with its own 95 % interval; without one it has no ends.
    pub time: Option<Estimate>,
    /// Arithmetic mean.
    pub mean: Option<f64>,
    /// Median.
    pub median: Option<f64>,
    /// Standard deviation, n − 1.
    pub stddev: Option<f64>,
    /// Smallest sample.
    pub min: Option<f64>,
    /// Largest sample.
    pub max: Option<f64>,
    /// 95th percentile.
    pub p95: Option<f64>,
    /// 99th percentile.
    pub p99: Option<f64>,
    /// Samples that the figures are of.
    pub samples: Option<u64>,
    /// Those samples hold each other up, as requests of one connection do: their scatter doesn't say how far their mean may be off.
    pub dependent: bool,
}

/// Everything that can be said of samples per launch, and of what the tool says itself. `calls` are those of each sample where all have as
/// many, else 0. `None` where there is no time at all.
pub fn untared(launches: &[Vec<f64>], given: &GivenFigures, calls: u64) -> Option<Summary> {
    let launches: Vec<&Vec<f64>> = launches.iter().filter(|launch| !launch.is_empty()).collect();
    let mut samples: Vec<f64> = launches.iter().flat_map(|launch| launch.iter().copied()).collect();
    quantile::sort(&mut samples);
    let time = given.time.or_else(|| time_of(&launches, given))?;
    let statistics = statistics_of(&samples, given);
    let count = given.samples.unwrap_or(samples.len() as u64).max(1);
    let mut summary = Summary {
        raw: time,
        time,
        typical: typical_of(&launches),
        confidence: CONFIDENCE,
        outliers: outliers::tukey(&samples),
        iterations: calls,
        launches: launches.len().max(1) as u64,
        samples: count,
        sketch: if samples.len() > 1 { sketch(&samples, &statistics) } else { Vec::new() },
        statistics,
        ..Summary::default()
    };
    summary.warnings.extend(doubt(&summary));
    Some(summary)
}

fn time_of(launches: &[&Vec<f64>], given: &GivenFigures) -> Option<Estimate> {
    let means: Vec<f64> = launches.iter().filter_map(|launch| mean(launch)).collect();
    match launches {
        [] => of_figures(given),
        // Student's of two samples; more are looked at for whether neighbours go together.
        [launch] if !given.dependent => successive_interval(launch, CONFIDENCE)
            .or_else(|| student_interval(launch, CONFIDENCE))
            .or_else(|| means.first().map(|mean| Estimate::unbounded(*mean))),
        [_] => means.first().map(|mean| Estimate::unbounded(*mean)),
        _ => Some(mean_over_launches(&means, Single::EXACT, CONFIDENCE)),
    }
}

/// From mean, standard deviation and count, as a tool that keeps no samples tells them.
fn of_figures(given: &GivenFigures) -> Option<Estimate> {
    let estimate = given.mean.or(given.median)?;
    let (Some(mean), Some(stddev), Some(count)) = (given.mean, given.stddev, given.samples) else {
        return Some(Estimate::unbounded(estimate));
    };
    if given.dependent || count < 2 {
        return Some(Estimate::unbounded(mean));
    }
    let half = student::quantile(0.5 + CONFIDENCE / 2.0, count as f64 - 1.0) * stddev / (count as f64).sqrt();
    Some(Estimate { estimate: mean, low: mean - half, high: mean + half })
}

fn typical_of(launches: &[&Vec<f64>]) -> Option<Estimate> {
    let medians: Vec<f64> = launches
        .iter()
        .filter_map(|launch| {
            let mut sorted = (*launch).clone();
            quantile::sort(&mut sorted);
            median(&sorted)
        })
        .collect();
    match medians.as_slice() {
        [] => None,
        [only] => Some(Estimate::unbounded(*only)),
        _ => Some(median_over_launches(&medians, Single::EXACT, CONFIDENCE)),
    }
}

fn statistics_of(samples: &[f64], given: &GivenFigures) -> Descriptive {
    if samples.len() > 1 {
        return describe(samples, 0.0);
    }
    let only = samples.first().copied();
    let known = |figure: Option<f64>| figure.or(only).unwrap_or(f64::NAN);
    let mean = known(given.mean);
    let stddev = given.stddev.unwrap_or(f64::NAN);
    Descriptive {
        mean,
        median: known(given.median),
        mode: only.unwrap_or(f64::NAN),
        min: known(given.min),
        max: known(given.max),
        stddev,
        rstdev: if mean > 0.0 { stddev / mean } else { f64::NAN },
        mad: f64::NAN,
        p95: given.p95.unwrap_or(f64::NAN),
        p99: given.p99.unwrap_or(f64::NAN),
    }
}

/// What the interval can't show.
fn doubt(summary: &Summary) -> Option<Warning> {
    let (code, message, remedy) = match summary.launches {
        _ if !summary.time.is_bounded() => (
            WarningCode::NoInterval,
            "the file doesn't say how far the time may be off".to_owned(),
            "let the tool repeat the benchmark in several processes and keep each result",
        ),
        1 => (
            WarningCode::OneProcess,
            "one process shows nothing of how processes differ; the interval holds only what scatters within it"
                .to_owned(),
            "let the tool measure in 6 processes or more, or measure with `tare run`",
        ),
        n @ 2..=5 => (
            WarningCode::FewLaunches,
            format!("{n} processes are too few to see how they scatter; the interval assumes that they do so normally"),
            "let the tool measure in 6 processes or more",
        ),
        _ => return None,
    };
    Some(Warning { code: code.into(), message, remedy: remedy.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::{GivenFigures, untared};
    use crate::summary::Estimate;

    #[test]
    fn processes_give_an_interval_over_processes_and_one_gives_that_of_its_samples_with_a_warning() {
        let launches: Vec<Vec<f64>> = (0..8).map(|n| vec![100.0 + f64::from(n), 102.0 + f64::from(n)]).collect();
        let many = untared(&launches, &GivenFigures::default(), 1).unwrap();
        assert!((many.time.estimate - 104.5).abs() < 1e-9 && many.time.is_bounded() && many.warnings.is_empty());
        assert_eq!((many.launches, many.samples, many.statistics.min, many.statistics.max), (8, 16, 100.0, 109.0));
        assert_eq!(many.raw, many.time);

        let one = untared(&[launches.concat()], &GivenFigures::default(), 1).unwrap();
        assert!(one.time.is_bounded());
        assert_eq!(one.warnings[0].code, "one-process");
    }

    #[test]
    fn no_interval_is_made_up() {
        for (launches, given) in [
            (vec![vec![7.0]], GivenFigures::default()),
            (vec![], GivenFigures { mean: Some(7.0), ..GivenFigures::default() }),
            (vec![], GivenFigures { mean: Some(7.0), stddev: Some(1.0), ..GivenFigures::default() }),
            (vec![], GivenFigures { mean: Some(7.0), stddev: Some(1.0), samples: Some(1), ..GivenFigures::default() }),
            (
                vec![],
                GivenFigures {
                    mean: Some(7.0),
                    stddev: Some(1.0),
                    samples: Some(900),
                    dependent: true,
                    ..GivenFigures::default()
                },
            ),
            (vec![vec![6.0, 7.0, 8.0]], GivenFigures { dependent: true, ..GivenFigures::default() }),
        ] {
            let summary = untared(&launches, &given, 0).unwrap();
            assert_eq!(summary.time.estimate, 7.0);
            assert!(!summary.time.is_bounded(), "{launches:?} {given:?}");
            assert_eq!(summary.warnings[0].code, "no-interval");
        }
        assert!(untared(&[vec![]], &GivenFigures::default(), 0).is_none());
    }

    #[test]
    fn what_a_tool_says_stands_and_what_it_does_not_say_is_no_number() {
        let own = Estimate { estimate: 9.0, low: 8.0, high: 11.0 };
        let given = GivenFigures { time: Some(own), mean: Some(9.5), samples: Some(40), ..GivenFigures::default() };
        let summary = untared(&[], &given, 3).unwrap();
        assert_eq!((summary.time, summary.samples, summary.statistics.mean), (own, 40, 9.5));
        assert!(summary.statistics.p99.is_nan() && summary.statistics.min.is_nan() && summary.statistics.mad.is_nan());
        // Of mean, deviation and count: 2.2622 is Student's 97.5 % quantile at 9 degrees of freedom (R's qt).
        let counted =
            GivenFigures { mean: Some(50.0), stddev: Some(2.0), samples: Some(10), ..GivenFigures::default() };
        let half = untared(&[], &counted, 0).unwrap().time.half_width();
        assert!((half - 2.2622 * 2.0 / 10f64.sqrt()).abs() < 1e-4, "{half}");
    }
}
