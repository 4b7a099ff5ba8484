//! What a picture of a variant needs: where its samples lie, and where each launch lies.

use serde::{Deserialize, Serialize};
use tare_samples::{Calibration, Correction, Launch, Subject};

use super::figures::{LaunchFigures, before_steady, near_of, of_launch};
use super::unsteady::Unsteady;
use crate::quantile::{self, quantile};

/// Bins of [`Distribution::counts`].
const BINS: usize = 40;
/// Stretches of [`Distribution::course`], about.
const COURSE: usize = 96;

/// Samples and launches of one variant, tared, in nanoseconds per call.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Distribution {
    /// In the order of measuring.
    pub launches: Vec<LaunchSpread>,
    /// Lower edge of the first bin.
    pub low: f64,
    /// Upper edge of the last bin, at least `low`.
    pub high: f64,
    /// Samples in each of 40 bins of one width; empty where all samples are alike.
    pub counts: Vec<u64>,
    /// Samples below `low`: more than three interquartile ranges under the first quartile.
    pub below: u64,
    /// Samples above `high`: more than three interquartile ranges over the third quartile.
    pub above: u64,
    /// All samples in order of time, some at a time: about 96 stretches in all, at least two of each launch that has as many samples.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub course: Vec<Stretch>,
    /// What was timed of the case and of the null, before anything was taken off; `None` where the null wasn't measured beside it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timed: Option<Timed>,
}

/// Samples of the case and of the null as they were timed, in nanoseconds per call.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Timed {
    /// Of the case, without its warm-up.
    pub case: Bins,
    /// Of the null, an empty subject with the same number of calls a sample.
    pub null: Bins,
}

/// Samples in bins of one width.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Bins {
    /// Lower edge of the first bin.
    pub low: f64,
    /// Upper edge of the last bin, at least `low`.
    pub high: f64,
    /// Samples in each of 40 bins; empty where all are alike.
    pub counts: Vec<u64>,
    /// The middle one.
    pub median: f64,
}

/// Successive samples of one launch.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Stretch {
    /// Place of the launch in [`Distribution::launches`].
    pub launch: u32,
    /// Median of the samples, tared, in nanoseconds per call.
    pub median: f64,
    /// Whether they count: a warm-up that most launches show doesn't.
    pub steady: bool,
}

/// One launch, tared, in nanoseconds per call.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct LaunchSpread {
    /// Its mean, other processes' work left out: what `time` is the mean of.
    pub time: f64,
    /// First quartile of its samples.
    pub lower_quartile: f64,
    /// Median of its samples.
    pub median: f64,
    /// Third quartile of its samples.
    pub upper_quartile: f64,
}

/// Where samples and launches lie, tared as [`crate::estimate`] does it; a warm-up that most launches show is left out. Launches without
/// samples of the case or the null are passed over.
pub fn distribution(launches: &[Launch], calibration: &Calibration, correction: Correction) -> Distribution {
    let unsteady = Unsteady::of(launches, calibration);
    let (figures, warm_ups): (Vec<LaunchFigures>, Vec<Vec<f64>>) = launches
        .iter()
        .enumerate()
        .filter_map(|(number, launch)| {
            let skip = unsteady.skip(number);
            let figures = of_launch(launch, calibration, correction, skip)?;
            let warm_up = before_steady(launch, calibration, skip, &figures);
            Some((figures, warm_up))
        })
        .unzip();
    let course = course(warm_ups.iter().zip(&figures).map(|(before, launch)| [before.as_slice(), &launch.samples]));
    let spreads = figures.iter().map(|launch| {
        let mut samples = launch.samples.clone();
        quantile::sort(&mut samples);
        let at = |level: f64| quantile(&samples, level).unwrap_or(launch.mean.time);
        LaunchSpread { time: launch.mean.time, lower_quartile: at(0.25), median: at(0.5), upper_quartile: at(0.75) }
    });
    let mut samples: Vec<f64> = figures.iter().flat_map(|launch| launch.samples.iter().copied()).collect();
    quantile::sort(&mut samples);
    let timed = timed(launches, calibration, |number| unsteady.skip(number));
    Distribution { course, timed, ..binned(&samples, spreads.collect()) }
}

/// Samples of case and null as they were timed; `None` where there are none of either.
fn timed(launches: &[Launch], calibration: &Calibration, skip: impl Fn(usize) -> usize) -> Option<Timed> {
    let near = calibration.iterations;
    let of = |subject: &Subject, skipped: &dyn Fn(usize) -> usize| {
        let mut samples = Vec::new();
        for (number, launch) in launches.iter().enumerate() {
            for turn in launch.turns_of(subject).skip(skipped(number)) {
                samples.extend(near_of(turn, near).map(|total| total / near.max(1) as f64));
            }
        }
        quantile::sort(&mut samples);
        let found = binned(&samples, Vec::new());
        Some(Bins { low: found.low, high: found.high, counts: found.counts, median: quantile::median(&samples)? })
    };
    Some(Timed { case: of(&Subject::Case, &skip)?, null: of(&Subject::Null, &|_| 0)? })
}

/// The samples of each launch, tared as [`crate::estimate`] does it, in nanoseconds per call, with the launch's mean, other processes' work left
/// out of that alone.
pub fn tared_samples(launches: &[Launch], calibration: &Calibration, correction: Correction) -> Vec<(f64, Vec<f64>)> {
    let unsteady = Unsteady::of(launches, calibration);
    let figures = launches.iter().enumerate();
    figures
        .filter_map(|(number, launch)| of_launch(launch, calibration, correction, unsteady.skip(number)))
        .map(|launch| (launch.mean.time, launch.samples))
        .collect()
}

/// The same of samples that another tool took, in nanoseconds per call, by launch: nothing is taken off.
pub fn untared_distribution(launches: &[Vec<f64>]) -> Distribution {
    let spreads = launches.iter().filter(|launch| !launch.is_empty()).map(|launch| {
        let mut samples = launch.clone();
        quantile::sort(&mut samples);
        let time = quantile::mean(launch).unwrap_or_default();
        let at = |level: f64| quantile(&samples, level).unwrap_or(time);
        LaunchSpread { time, lower_quartile: at(0.25), median: at(0.5), upper_quartile: at(0.75) }
    });
    let spreads = spreads.collect();
    let course = course(launches.iter().filter(|launch| !launch.is_empty()).map(|launch| [&[][..], launch.as_slice()]));
    let mut samples: Vec<f64> = launches.iter().flatten().copied().collect();
    quantile::sort(&mut samples);
    Distribution { course, ..binned(&samples, spreads) }
}

/// Of each launch what lies before its steady part, and the steady part.
fn course<'a>(launches: impl Iterator<Item = [&'a [f64]; 2]> + Clone) -> Vec<Stretch> {
    let each = (COURSE / launches.clone().count().max(1)).max(2);
    let of_launch = |(launch, parts): (u32, [&'a [f64]; 2])| {
        let all: usize = parts.iter().map(|part| part.len()).sum();
        let of_part = move |(part, steady): (&'a [f64], bool)| {
            let share = (each * part.len()).div_ceil(all.max(1)).min(part.len());
            (0..share).filter_map(move |number| {
                let mut samples = part[number * part.len() / share..(number + 1) * part.len() / share].to_vec();
                Some(Stretch { launch, median: quantile::select_median(&mut samples)?, steady })
            })
        };
        parts.into_iter().zip([false, true]).flat_map(of_part)
    };
    (0..).zip(launches).flat_map(of_launch).collect()
}

fn binned(sorted: &[f64], launches: Vec<LaunchSpread>) -> Distribution {
    let (Some(first), Some(third)) = (quantile(sorted, 0.25), quantile(sorted, 0.75)) else {
        return Distribution { launches, ..Distribution::default() };
    };
    let reach = 3.0 * (third - first);
    // From the least to the greatest of those that are drawn: room without any would squeeze them.
    let near = |value: &&f64| (first - reach..=third + reach).contains(*value);
    let low = sorted.iter().find(near).copied().unwrap_or(first);
    let high = sorted.iter().rev().find(near).copied().unwrap_or(third);
    let mut found = Distribution { launches, low, high, ..Distribution::default() };
    if low >= high {
        return found;
    }
    found.counts = vec![0; BINS];
    for &value in sorted {
        if value < low {
            found.below += 1;
        } else if value > high {
            found.above += 1;
        } else {
            let bin = ((value - low) / (high - low) * BINS as f64) as usize;
            found.counts[bin.min(BINS - 1)] += 1;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use tare_samples::{Calibration, Launch, Subject, Turn};

    use super::{binned, course, timed, untared_distribution};

    #[test]
    fn case_and_null_are_told_as_they_were_timed_and_a_warm_up_is_left_out() {
        let turn = |subject: Subject, elapsed: &[u64]| Turn {
            subject,
            iterations: vec![10; elapsed.len()],
            elapsed: elapsed.to_vec(),
            round: 0,
            warm: 0,
            pauses: Vec::new(),
            at_ns: 0,
            stretch: None,
        };
        let launch = Launch {
            turns: vec![
                turn(Subject::Case, &[90_000]),
                turn(Subject::Null, &[50, 60, 70]),
                turn(Subject::Case, &[1_000, 1_010, 1_030]),
            ],
            ..Launch::default()
        };
        let calibration = Calibration { iterations: 10, ..Calibration::default() };
        let found = timed(std::slice::from_ref(&launch), &calibration, |_| 1).expect("both were timed");
        assert_eq!((found.null.low, found.null.median, found.null.high), (5.0, 6.0, 7.0));
        assert_eq!((found.case.low, found.case.median, found.case.high), (100.0, 101.0, 103.0));
        let without = Launch { turns: vec![launch.turns[2].clone()], ..launch };
        assert_eq!(timed(&[without], &calibration, |_| 0), None);
    }

    #[test]
    fn samples_in_order_are_told_by_launch_with_what_lies_before_the_steady_part() {
        let (warm, steady): (Vec<f64>, Vec<f64>) = (vec![9.0, 9.0], (0..200).map(f64::from).collect());
        let found = course([[warm.as_slice(), &steady], [&[][..], &[5.0]]].into_iter());
        let of = |launch: u32, is_steady: bool| -> Vec<f64> {
            let of_it = found.iter().filter(|stretch| stretch.launch == launch && stretch.steady == is_steady);
            of_it.map(|stretch| stretch.median).collect()
        };
        assert_eq!((of(0, false), of(1, false), of(1, true)), (vec![9.0], vec![], vec![5.0]));
        assert_eq!(of(0, true).len(), 48);
        assert!(of(0, true).is_sorted() && of(0, true)[0] < 4.0 && of(0, true)[47] > 195.0, "{found:?}");
        // An empty launch has no place among the others.
        let imported = untared_distribution(&[vec![], vec![1.0, 2.0], vec![3.0]]);
        assert_eq!(imported.course.iter().map(|stretch| stretch.launch).collect::<Vec<_>>(), [0, 0, 1]);
        assert_eq!(imported.launches.len(), 2);
    }

    #[test]
    fn every_sample_is_counted_once_and_far_ones_beside_the_bins() {
        let mut samples: Vec<f64> = (0..=100).map(f64::from).collect();
        samples.insert(0, -1e6);
        samples.push(1e9);
        let found = binned(&samples, Vec::new());
        assert_eq!((found.below, found.above), (1, 1));
        assert_eq!((found.low, found.high), (0.0, 100.0));
        assert_eq!(found.counts.iter().sum::<u64>(), 101);
        assert_eq!(found.counts.len(), 40);
    }

    #[test]
    fn samples_that_are_all_alike_have_no_bins() {
        let found = binned(&[7.0; 5], Vec::new());
        assert_eq!((found.low, found.high, found.counts.len(), found.above), (7.0, 7.0, 0, 0));
        assert!(binned(&[], Vec::new()).counts.is_empty());
    }
}
