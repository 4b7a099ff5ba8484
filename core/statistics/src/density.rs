//! Gaussian kernel density estimates of sorted values.
//!
//! A density is in one over the unit of the values; bandwidths and places are in their unit.

use std::f64::consts::PI;

use crate::quantile::{quantile, standard_deviation};

/// Points of the grid on which PHPBench looks for the mode.
pub const MODE_GRID: usize = 512;

/// Beyond this many bandwidths a kernel is below 1e-16 of its height.
const REACH: f64 = 8.6;

/// Kernel evaluations up to which a density is summed exactly.
const EXACT_WORK: usize = 1 << 21;

/// Bins to a bandwidth; the error of linear binning falls with its square, and is below 1e-3 of the height here.
const BINS_PER_BANDWIDTH: f64 = 16.0;

/// Silverman's bandwidth as SciPy's `gaussian_kde(bw_method="silverman")` has it in one dimension: (3n/4)^(−1/5)
/// standard deviations (Silverman, "Density Estimation for Statistics and Data Analysis", 1986, eq. 4.14). Values in
/// any order.
///
/// `None` for fewer than two values, or when all are equal.
pub fn silverman_bandwidth(values: &[f64]) -> Option<f64> {
    let bandwidth = standard_deviation(values)? * (0.75 * values.len() as f64).powf(-0.2);
    (bandwidth > 0.0 && bandwidth.is_finite()).then_some(bandwidth)
}

/// A bandwidth that neither spikes nor a second mode can widen: Silverman's factor times the least of the standard
/// deviation, IQR/1.349 (Silverman, 1986, §3.4.2, which warns of several modes), and the shortest half over 1.349
/// (the length of the shortest interval with half of the values: Rousseeuw & Leroy, "A robust scale estimator based on
/// the shortest half", Statistica Neerlandica 42(2), 1988), which stays inside the larger mode when there are two.
/// Scales of 0, where half of the values are equal, are passed over.
///
/// `None` for fewer than two values, or when all are equal.
pub fn robust_bandwidth(sorted: &[f64]) -> Option<f64> {
    let deviation = standard_deviation(sorted)?;
    let quartiles = quantile(sorted, 0.75)? - quantile(sorted, 0.25)?;
    let scale = [quartiles / 1.349, shortest_half(sorted) / 1.349]
        .into_iter()
        .filter(|&scale| scale > 0.0)
        .fold(deviation, f64::min);
    let bandwidth = scale * (0.75 * sorted.len() as f64).powf(-0.2);
    (bandwidth > 0.0 && bandwidth.is_finite()).then_some(bandwidth)
}

fn shortest_half(sorted: &[f64]) -> f64 {
    let half = sorted.len() / 2;
    sorted.iter().zip(&sorted[half..]).map(|(low, high)| high - low).fold(f64::INFINITY, f64::min)
}

/// The density at `points`, in their order, summed over every value within reach of the kernel. `sorted` ascending,
/// `bandwidth > 0`. O(points · values in reach). All 0 for no values.
pub fn evaluate(sorted: &[f64], bandwidth: f64, points: &[f64]) -> Vec<f64> {
    let scale = 1.0 / (sorted.len().max(1) as f64 * bandwidth * (2.0 * PI).sqrt());
    let at = |&point: &f64| {
        let sum: f64 = reach(sorted, bandwidth, point)
            .iter()
            .map(|value| {
                let distance = (point - value) / bandwidth;
                (-0.5 * distance * distance).exp()
            })
            .sum();
        sum * scale
    };
    points.iter().map(at).collect()
}

fn reach(sorted: &[f64], bandwidth: f64, point: f64) -> &[f64] {
    let from = sorted.partition_point(|&value| value < point - REACH * bandwidth);
    let to = from + sorted[from..].partition_point(|&value| value <= point + REACH * bandwidth);
    &sorted[from..to]
}

/// `count` places from `low` to `high`, both included, evenly spaced. `count` of 1 gives `low`.
pub fn grid(low: f64, high: f64, count: usize) -> Vec<f64> {
    let last = count.saturating_sub(1).max(1) as f64;
    (0..count)
        .map(|index| if index as f64 == last { high } else { low + (high - low) * (index as f64 / last) })
        .collect()
}

/// The density on [`grid`]`(low, high, count)`: exact while that is cheap, else by linear binning on a finer grid
/// (Wand, "Fast computation of multivariate kernel estimators", Journal of Computational and Graphical Statistics 3(4),
/// 1994, §2) with the kernel cut off where it is below 1e-16; then within 1e-3 of the highest density. Values outside
/// `low` to `high` count as far as their kernels reach. `sorted` ascending, `bandwidth > 0`, `low <= high`.
pub fn on_grid(sorted: &[f64], bandwidth: f64, low: f64, high: f64, count: usize) -> Vec<f64> {
    on_grid_by(EXACT_WORK, sorted, bandwidth, low, high, count)
}

/// [`on_grid`], exact for up to `exact_work` kernel evaluations.
pub(crate) fn on_grid_by(
    exact_work: usize,
    sorted: &[f64],
    bandwidth: f64,
    low: f64,
    high: f64,
    count: usize,
) -> Vec<f64> {
    let points = grid(low, high, count);
    let step = (high - low) / count.saturating_sub(1).max(1) as f64;
    let work: usize = points.iter().map(|&point| reach(sorted, bandwidth, point).len()).sum();
    // Where the kernels of neighbouring points hardly overlap, each value is summed a few times at most.
    if work <= exact_work || step == 0.0 || step > 8.0 * bandwidth {
        return evaluate(sorted, bandwidth, &points);
    }
    let divisions = (BINS_PER_BANDWIDTH * step / bandwidth).ceil().max(1.0);
    let width = step / divisions;
    let margin = (REACH * bandwidth / width).ceil();
    let bins =
        bin_linearly(sorted, low - margin * width, width, (divisions * (count - 1) as f64 + 2.0 * margin) as usize + 1);
    let kernel: Vec<f64> =
        (0..=margin as usize).map(|distance| gaussian(distance as f64 * width / bandwidth)).collect();
    let scale = 1.0 / (sorted.len() as f64 * bandwidth);
    let at = |index: usize| {
        let centre = index * divisions as usize + margin as usize;
        let sides =
            (1..kernel.len()).map(|distance| kernel[distance] * (bins[centre - distance] + bins[centre + distance]));
        (kernel[0] * bins[centre] + sides.sum::<f64>()) * scale
    };
    (0..count).map(at).collect()
}

fn gaussian(distance: f64) -> f64 {
    (-0.5 * distance * distance).exp() / (2.0 * PI).sqrt()
}

/// Spreads each value over the two bins beside it, by nearness. Values beyond the bins are left out.
fn bin_linearly(sorted: &[f64], low: f64, width: f64, count: usize) -> Vec<f64> {
    let mut bins = vec![0.0; count];
    for value in sorted {
        let position = (value - low) / width;
        if position < 0.0 || position > (count - 1) as f64 {
            continue;
        }
        let below = position as usize;
        let share = position - below as f64;
        bins[below] += 1.0 - share;
        if share > 0.0 {
            bins[below + 1] += share;
        }
    }
    bins
}

/// The mode as PHPBench defines it: the place of the highest density on [`MODE_GRID`] points from the least to the
/// largest value; the mean of those places when several are equally high. Its resolution is the step of the
/// grid, (max − min)/511.
///
/// One value, or equal ones, are their own mode; so is every value where the bandwidth isn't a positive number. `None`
/// for no values.
pub fn mode(sorted: &[f64], bandwidth: f64) -> Option<f64> {
    let (&low, &high) = (sorted.first()?, sorted.last()?);
    if low == high || !(bandwidth > 0.0 && bandwidth.is_finite()) {
        return crate::quantile::median(sorted);
    }
    let density = on_grid(sorted, bandwidth, low, high, MODE_GRID);
    let highest = density.iter().copied().fold(0.0, f64::max);
    let places: Vec<f64> = grid(low, high, MODE_GRID)
        .into_iter()
        .zip(&density)
        .filter(|&(_, &density)| density == highest)
        .map(|(place, _)| place)
        .collect();
    crate::quantile::mean(&places)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Normal scores: a Gaussian sample without randomness.
    fn scores(n: usize) -> Vec<f64> {
        (1..=n).map(|rank| crate::normal::quantile((rank as f64 - 0.5) / n as f64)).collect()
    }

    #[test]
    fn equal_values_are_their_own_mode() {
        assert_eq!(mode(&[], 1.0), None);
        assert_eq!(mode(&[7.0], 1.0), Some(7.0));
        assert_eq!(mode(&[7.0, 7.0, 7.0], 0.0), Some(7.0));
        assert_eq!(silverman_bandwidth(&[7.0, 7.0, 7.0]), None);
        assert_eq!(robust_bandwidth(&[7.0]), None);
    }

    #[test]
    fn the_mode_of_two_values_is_between_them() {
        let values = [1.0, 2.0];
        let mode = mode(&values, silverman_bandwidth(&values).unwrap()).unwrap();
        assert!((mode - 1.5).abs() <= 1.0 / 511.0, "{mode}");
    }

    #[test]
    fn binning_keeps_the_density_of_the_sum() {
        let values = scores(20_000);
        let bandwidth = silverman_bandwidth(&values).unwrap();
        let (low, high) = (values[0], values[values.len() - 1]);
        let binned = on_grid(&values, bandwidth, low, high, MODE_GRID);
        let exact = evaluate(&values, bandwidth, &grid(low, high, MODE_GRID));
        let highest = exact.iter().copied().fold(0.0, f64::max);
        for (binned, exact) in binned.iter().zip(&exact) {
            assert!((binned - exact).abs() < 1e-3 * highest, "{binned} {exact}");
        }
        assert_ne!(binned, exact, "this many values are meant to be binned");
    }

    #[test]
    fn a_coarse_grid_sees_the_same_density() {
        let values = scores(400_000);
        let bandwidth = silverman_bandwidth(&values).unwrap();
        let coarse = on_grid(&values, bandwidth, -2.0, 2.0, 24);
        for (place, density) in grid(-2.0, 2.0, 24).into_iter().zip(coarse) {
            let exact = evaluate(&values, bandwidth, &[place])[0];
            assert!((density - exact).abs() < 4e-4, "{place}: {density} {exact}");
        }
    }

    #[test]
    fn a_density_encloses_an_area_of_one() {
        let values = [1.0, 1.5, 4.0, 9.0];
        let density = on_grid(&values, 0.5, -5.0, 15.0, 2001);
        assert!((density.iter().sum::<f64>() * 0.01 - 1.0).abs() < 1e-9);
    }

    #[test]
    fn a_far_spike_leaves_the_robust_bandwidth_alone() {
        let mut values = scores(1000);
        let before = robust_bandwidth(&values).unwrap();
        values[999] = 1e9;
        let after = robust_bandwidth(&values).unwrap();
        assert!((after / before - 1.0).abs() < 0.01);
        assert!(mode(&values, silverman_bandwidth(&values).unwrap()).unwrap().is_finite());
    }
}
