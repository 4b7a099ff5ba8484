//! What a picture of a variant needs: where its samples lie, and where each launch lies.

use serde::{Deserialize, Serialize};
use tare_samples::{Calibration, Correction, Launch};

use super::figures::{LaunchFigures, of_launch};
use super::unsteady::Unsteady;
use crate::quantile::{self, quantile};

/// Bins of [`Distribution::counts`].
const BINS: usize = 40;

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
    let figures: Vec<LaunchFigures> = launches
        .iter()
        .enumerate()
        .filter_map(|(number, launch)| of_launch(launch, calibration, correction, unsteady.skip(number)))
        .collect();
    let spreads = figures.iter().map(|launch| {
        let mut samples = launch.samples.clone();
        quantile::sort(&mut samples);
        let at = |level: f64| quantile(&samples, level).unwrap_or(launch.mean.time);
        LaunchSpread { time: launch.mean.time, lower_quartile: at(0.25), median: at(0.5), upper_quartile: at(0.75) }
    });
    let mut samples: Vec<f64> = figures.iter().flat_map(|launch| launch.samples.iter().copied()).collect();
    quantile::sort(&mut samples);
    binned(&samples, spreads.collect())
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
    let mut samples: Vec<f64> = launches.iter().flatten().copied().collect();
    quantile::sort(&mut samples);
    binned(&samples, spreads)
}

fn binned(sorted: &[f64], launches: Vec<LaunchSpread>) -> Distribution {
    let (Some(first), Some(third)) = (quantile(sorted, 0.25), quantile(sorted, 0.75)) else {
        return Distribution { launches, ..Distribution::default() };
    };
    let reach = 3.0 * (third - first);
    let low = sorted[0].max(first - reach);
    let high = sorted[sorted.len() - 1].min(third + reach);
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
    use super::binned;

    #[test]
    fn every_sample_is_counted_once_and_far_ones_beside_the_bins() {
        let mut samples: Vec<f64> = (0..=100).map(f64::from).collect();
        samples.insert(0, -1e6);
        samples.push(1e9);
        let found = binned(&samples, Vec::new());
        assert_eq!((found.below, found.above), (1, 1));
        assert!(found.low < 0.0 && found.high > 100.0, "{} {}", found.low, found.high);
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
