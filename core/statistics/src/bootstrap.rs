//! Bootstrap intervals: what a statistic would do on other samples, from resamples of this one.
//!
//! Values are independent, in any order; results are in the unit of the statistic. The same seed gives the same
//! interval on every machine. An interval is widened to hold its estimate where resampling left it outside.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

use crate::normal;
use crate::quantile::{quantile, select_median, sort};
use crate::summary::Estimate;

/// How to resample.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Resampling {
    /// Resamples to draw; 2,000 settle a 95 % interval to a few per cent of its width, 10,000 to one.
    pub resamples: usize,
    /// Confidence of the interval, a fraction between 0 and 1.
    pub confidence: f64,
    /// Seed of the generator (PCG64: O'Neill, HMC-CS-2014-0905).
    pub seed: u64,
}

impl Resampling {
    fn tails(&self) -> Option<(f64, f64)> {
        let tail = (1.0 - self.confidence) / 2.0;
        (self.resamples > 0 && tail > 0.0 && tail < 0.5).then_some((tail, 1.0 - tail))
    }
}

/// The percentile interval (Efron, "Bootstrap methods: another look at the jackknife", Annals of Statistics 7(1), 1979;
/// Efron & Tibshirani, "An Introduction to the Bootstrap", 1993, §13.3). `statistic` is given a resample that it may
/// rearrange.
///
/// `None` for no values, no resamples, a confidence that isn't between 0 and 1, or a statistic that isn't finite.
pub fn percentile(
    values: &[f64],
    mut statistic: impl FnMut(&mut [f64]) -> f64,
    resampling: &Resampling,
) -> Option<Estimate> {
    let (low, high) = resampling.tails()?;
    let (estimate, replicates) = replicate(values, &mut statistic, resampling)?;
    interval(estimate, &replicates, low, high)
}

/// The bias-corrected and accelerated interval (Efron, "Better bootstrap confidence intervals", JASA 82, 1987; DiCiccio
/// & Efron, "Bootstrap confidence intervals", Statistical Science 11(3), 1996, §2), with the acceleration from the
/// jackknife (eq. 6.6 there) and ties counted half in the bias. Costs one more evaluation for each value. The jackknife
/// is inconsistent for quantiles: prefer [`percentile`] or [`crate::rank_interval`] for a median.
///
/// Where the statistic doesn't vary over the jackknife the acceleration is 0. `None` as for [`percentile`], and for
/// fewer than two values.
pub fn bca(values: &[f64], mut statistic: impl FnMut(&mut [f64]) -> f64, resampling: &Resampling) -> Option<Estimate> {
    let (low, high) = resampling.tails()?;
    if values.len() < 2 {
        return None;
    }
    let (estimate, replicates) = replicate(values, &mut statistic, resampling)?;
    let count = replicates.len() as f64;
    let below = replicates.partition_point(|&replicate| replicate < estimate) as f64;
    let up_to = replicates.partition_point(|&replicate| replicate <= estimate) as f64;
    // An estimate beyond all replicates has no finite bias; half a replicate is as far as they can tell.
    let share = ((below + up_to) / (2.0 * count)).clamp(0.5 / count, 1.0 - 0.5 / count);
    let bias = normal::quantile(share);
    let acceleration = acceleration(values, &mut statistic)?;
    let adjusted = |probability: f64| {
        let shifted = bias + normal::quantile(probability);
        let stretch = 1.0 - acceleration * shifted;
        // Past its pole the adjustment turns round; the end of the replicates is where it was heading.
        if stretch > 0.0 { normal::cdf(bias + shifted / stretch) } else { f64::from(u8::from(shifted > 0.0)) }
    };
    interval(estimate, &replicates, adjusted(low), adjusted(high))
}

/// The median of the launches' medians, its interval by resampling launches and then the samples inside each (Kalibera
/// & Jones, "Quantifying performance changes with effect size confidence intervals", arXiv 2007.10899, 2020, which
/// describes this hierarchical resampling; Davison & Hinkley, "Bootstrap Methods and their Application", 1997, §3.8).
/// Percentile interval. Resampling within as well as between counts the spread within launches twice over, so the
/// interval is a little wide when that spread dominates; with fewer than about ten launches it is too narrow all the
/// same, as any bootstrap of a few values.
///
/// `None` for no launches, an empty one, or settings as for [`percentile`].
pub fn hierarchical_median<L: AsRef<[f64]>>(launches: &[L], resampling: &Resampling) -> Option<Estimate> {
    let (low, high) = resampling.tails()?;
    if launches.is_empty() || launches.iter().any(|launch| launch.as_ref().is_empty()) {
        return None;
    }
    let mut buffer = Vec::new();
    let mut medians = Vec::with_capacity(launches.len());
    for launch in launches {
        buffer.clear();
        buffer.extend_from_slice(launch.as_ref());
        medians.extend(select_median(&mut buffer));
    }
    let estimate = select_median(&mut medians)?;
    let mut generator = Pcg64::seed_from_u64(resampling.seed);
    let mut replicates = Vec::with_capacity(resampling.resamples);
    for _ in 0..resampling.resamples {
        medians.clear();
        for _ in launches {
            let launch = launches[generator.random_range(0..launches.len())].as_ref();
            buffer.clear();
            buffer.extend((0..launch.len()).map(|_| launch[generator.random_range(0..launch.len())]));
            medians.extend(select_median(&mut buffer));
        }
        replicates.extend(select_median(&mut medians));
    }
    sort(&mut replicates);
    interval(estimate, &replicates, low, high)
}

/// The statistic of the values, and of their resamples, ascending.
fn replicate(
    values: &[f64],
    statistic: &mut impl FnMut(&mut [f64]) -> f64,
    resampling: &Resampling,
) -> Option<(f64, Vec<f64>)> {
    if values.is_empty() {
        return None;
    }
    let mut resample = values.to_vec();
    let estimate = statistic(&mut resample);
    let mut generator = Pcg64::seed_from_u64(resampling.seed);
    let mut replicates = Vec::with_capacity(resampling.resamples);
    for _ in 0..resampling.resamples {
        for slot in &mut resample {
            *slot = values[generator.random_range(0..values.len())];
        }
        replicates.push(statistic(&mut resample));
    }
    sort(&mut replicates);
    let finite = estimate.is_finite() && replicates.iter().all(|replicate| replicate.is_finite());
    finite.then_some((estimate, replicates))
}

/// Σd³ / (6 (Σd²)^1.5), d the jackknife's deviations.
fn acceleration(values: &[f64], statistic: &mut impl FnMut(&mut [f64]) -> f64) -> Option<f64> {
    let mut rest = Vec::with_capacity(values.len());
    let mut left_out = Vec::with_capacity(values.len());
    for index in 0..values.len() {
        rest.clear();
        rest.extend_from_slice(&values[..index]);
        rest.extend_from_slice(&values[index + 1..]);
        left_out.push(statistic(&mut rest));
    }
    let centre = crate::quantile::mean(&left_out)?;
    let squares: f64 = left_out.iter().map(|value| (centre - value).powi(2)).sum();
    let cubes: f64 = left_out.iter().map(|value| (centre - value).powi(3)).sum();
    let acceleration = cubes / (6.0 * squares.powf(1.5));
    if squares == 0.0 { Some(0.0) } else { acceleration.is_finite().then_some(acceleration) }
}

fn interval(estimate: f64, replicates: &[f64], low: f64, high: f64) -> Option<Estimate> {
    let (low, high) = (quantile(replicates, low)?, quantile(replicates, high)?);
    Some(Estimate { estimate, low: low.min(estimate), high: high.max(estimate) })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SETTINGS: Resampling = Resampling { resamples: 500, confidence: 0.95, seed: 7 };

    fn mean(values: &mut [f64]) -> f64 {
        values.iter().sum::<f64>() / values.len() as f64
    }

    #[test]
    fn the_same_seed_gives_the_same_interval() {
        let values: Vec<f64> = (0..30).map(|i| f64::from(i * i % 17)).collect();
        assert_eq!(percentile(&values, mean, &SETTINGS), percentile(&values, mean, &SETTINGS));
        let other = Resampling { seed: 8, ..SETTINGS };
        assert_ne!(percentile(&values, mean, &SETTINGS), percentile(&values, mean, &other));
    }

    #[test]
    fn equal_values_have_an_interval_of_no_width() {
        let flat = Estimate { estimate: 4.0, low: 4.0, high: 4.0 };
        assert_eq!(percentile(&[4.0; 9], mean, &SETTINGS), Some(flat));
        assert_eq!(bca(&[4.0; 9], mean, &SETTINGS), Some(flat));
        assert_eq!(hierarchical_median(&[[4.0; 3]; 6], &SETTINGS), Some(flat));
    }

    #[test]
    fn what_has_no_interval_is_none() {
        assert_eq!(percentile(&[], mean, &SETTINGS), None);
        assert_eq!(bca(&[1.0], mean, &SETTINGS), None);
        assert_eq!(percentile(&[1.0], mean, &Resampling { resamples: 0, ..SETTINGS }), None);
        assert_eq!(percentile(&[1.0], mean, &Resampling { confidence: 1.0, ..SETTINGS }), None);
        assert_eq!(percentile(&[1.0], |_| f64::NAN, &SETTINGS), None);
        assert_eq!(hierarchical_median::<Vec<f64>>(&[], &SETTINGS), None);
        assert_eq!(hierarchical_median(&[vec![1.0], vec![]], &SETTINGS), None);
    }

    #[test]
    fn the_spread_between_launches_is_in_the_hierarchical_interval() {
        let launches: Vec<Vec<f64>> =
            (0..10).map(|launch| (0..50).map(|i| f64::from(launch) + f64::from(i) * 1e-3).collect()).collect();
        let interval = hierarchical_median(&launches, &SETTINGS).unwrap();
        assert!(interval.half_width() > 1.0, "{interval:?}");
        let pooled: Vec<f64> = launches.concat();
        let naive = percentile(&pooled, |values| select_median(values).unwrap(), &SETTINGS).unwrap();
        assert!(naive.half_width() < interval.half_width() / 2.0, "{naive:?} {interval:?}");
    }
}
