//! Order statistics and moments of a sample.
//!
//! Functions that say `sorted` need ascending order ([`sort`]) and don't check it: a million samples are sorted
//! once and the slice is shared. Values are finite and in any one unit; results are in that unit unless said
//! otherwise. `None` is what a sample too small to define the figure gives, never a NaN.

/// Sorts in place, ascending, by the total order of IEEE 754 (−NaN first, NaN last, −0 before 0). Not stable, which
/// equal numbers can't show. O(n log n), no allocation.
pub fn sort(values: &mut [f64]) {
    values.sort_unstable_by(f64::total_cmp);
}

/// The quantile at `probability` (0 to 1) of sorted values: linear interpolation between order statistics,
/// definition 7 of Hyndman & Fan, "Sample quantiles in statistical packages", The American Statistician 50(4), 1996;
/// the default of NumPy and R.
///
/// `None` for no values or a probability outside 0 to 1.
pub fn quantile(sorted: &[f64], probability: f64) -> Option<f64> {
    if !(0.0..=1.0).contains(&probability) {
        return None;
    }
    let last = sorted.len().checked_sub(1)?;
    let position = probability * last as f64;
    let below = (position.floor() as usize).min(last);
    let (low, high) = (sorted[below], sorted[(below + 1).min(last)]);
    Some(interpolate(low, high, position - below as f64))
}

/// From the nearer end, so that the result is monotone in `weight` and meets both ends exactly.
fn interpolate(low: f64, high: f64, weight: f64) -> f64 {
    if weight < 0.5 { low + (high - low) * weight } else { high - (high - low) * (1.0 - weight) }
}

/// The median of sorted values: the middle one, or the mean of the two in the middle. `None` for no values.
pub fn median(sorted: &[f64]) -> Option<f64> {
    let upper = *sorted.get(sorted.len() / 2)?;
    if sorted.len() % 2 == 1 {
        return Some(upper);
    }
    Some(midpoint(sorted[sorted.len() / 2 - 1], upper))
}

/// The median of values in any order, which it rearranges. O(n) on average (quickselect), no allocation. `None` for
/// no values.
pub fn select_median(values: &mut [f64]) -> Option<f64> {
    if values.is_empty() {
        return None;
    }
    let middle = values.len() / 2;
    let even = values.len().is_multiple_of(2);
    let (below, upper, _) = values.select_nth_unstable_by(middle, f64::total_cmp);
    let upper = *upper;
    if !even {
        return Some(upper);
    }
    below.iter().copied().max_by(f64::total_cmp).map(|lower| midpoint(lower, upper))
}

fn midpoint(a: f64, b: f64) -> f64 {
    a + (b - a) / 2.0
}

/// Median absolute deviation from the median of sorted values, unscaled (a Gaussian's standard deviation is 1.4826
/// of it; Hampel, "The influence curve and its role in robust estimation", JASA 69, 1974). `None` for no values.
///
/// O(n) without allocation: the deviations below and above the median are two sorted runs, which are merged as far
/// as their middle.
pub fn mad(sorted: &[f64]) -> Option<f64> {
    let centre = median(sorted)?;
    let n = sorted.len();
    let mut above = sorted.partition_point(|&value| value < centre);
    let mut below = above;
    let (mut previous, mut current) = (0.0, 0.0);
    for _ in 0..=n / 2 {
        previous = current;
        let left = below.checked_sub(1).map(|index| centre - sorted[index]);
        let right = sorted.get(above).map(|value| value - centre);
        current = match (left, right) {
            (Some(left), Some(right)) if left < right => {
                below -= 1;
                left
            }
            (_, Some(right)) => {
                above += 1;
                right
            }
            (Some(left), None) => {
                below -= 1;
                left
            }
            (None, None) => break,
        };
    }
    Some(if n % 2 == 1 { current } else { midpoint(previous, current) })
}

/// Arithmetic mean, of values in any order. `None` for no values.
pub fn mean(values: &[f64]) -> Option<f64> {
    if values.is_empty() {
        return None;
    }
    let n = values.len() as f64;
    let rough = values.iter().sum::<f64>() / n;
    // A second pass takes off the rounding of the first.
    Some(rough + values.iter().map(|value| value - rough).sum::<f64>() / n)
}

/// Variance with n − 1 in the denominator, in the square of the unit, of values in any order: the corrected
/// two-pass algorithm (Chan, Golub & LeVeque, "Algorithms for computing the sample variance", The American
/// Statistician 37(3), 1983, eq. 1.7). `None` for fewer than two values.
pub fn variance(values: &[f64]) -> Option<f64> {
    if values.len() < 2 {
        return None;
    }
    let centre = mean(values)?;
    let (mut squares, mut residue) = (0.0, 0.0);
    for value in values {
        let deviation = value - centre;
        squares += deviation * deviation;
        residue += deviation;
    }
    let n = values.len() as f64;
    Some(((squares - residue * residue / n) / (n - 1.0)).max(0.0))
}

/// Standard deviation, n − 1: the root of [`variance`]. `None` for fewer than two values.
pub fn standard_deviation(values: &[f64]) -> Option<f64> {
    variance(values).map(f64::sqrt)
}

/// Standard error of the mean of independent values: s/√n. `None` for fewer than two values.
pub fn standard_error(values: &[f64]) -> Option<f64> {
    standard_deviation(values).map(|deviation| deviation / (values.len() as f64).sqrt())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn nothing_has_no_figure() {
        assert_eq!(quantile(&[], 0.5), None);
        assert_eq!(median(&[]), None);
        assert_eq!(select_median(&mut []), None);
        assert_eq!(mad(&[]), None);
        assert_eq!(mean(&[]), None);
        assert_eq!(variance(&[1.0]), None);
        assert_eq!(standard_error(&[1.0]), None);
    }

    #[test]
    fn a_probability_beyond_its_range_has_no_quantile() {
        assert_eq!(quantile(&[1.0, 2.0], 1.1), None);
        assert_eq!(quantile(&[1.0, 2.0], -0.1), None);
        assert_eq!(quantile(&[1.0, 2.0], f64::NAN), None);
        assert_eq!(quantile(&[1.0, 2.0], 1.0), Some(2.0));
        assert_eq!(quantile(&[1.0, 2.0], 0.0), Some(1.0));
    }

    #[test]
    fn a_small_spread_on_a_large_offset_keeps_its_variance() {
        let values: Vec<f64> = (0..1000).map(|i| 1e9 + f64::from(i % 2)).collect();
        assert!((variance(&values).unwrap() - 0.25 * 1000.0 / 999.0).abs() < 1e-9);
    }

    proptest! {
        #[test]
        fn the_deviation_by_merging_is_the_one_by_sorting(mut values in prop::collection::vec(-100i32..100, 1..60)) {
            values.sort_unstable();
            let sorted: Vec<f64> = values.iter().map(|&value| f64::from(value) / 4.0).collect();
            let centre = median(&sorted).unwrap();
            let mut deviations: Vec<f64> = sorted.iter().map(|value| (value - centre).abs()).collect();
            sort(&mut deviations);
            prop_assert_eq!(mad(&sorted), median(&deviations));
        }

        #[test]
        fn the_selected_median_is_the_sorted_one(mut values in prop::collection::vec(-1e6f64..1e6, 1..80)) {
            let selected = select_median(&mut values.clone());
            sort(&mut values);
            prop_assert_eq!(selected, median(&values));
        }

        #[test]
        fn quantiles_rise_with_their_probability(
            mut values in prop::collection::vec(-1e6f64..1e6, 1..80), p in 0.0f64..1.0, q in 0.0f64..1.0,
        ) {
            sort(&mut values);
            let (low, high) = (quantile(&values, p.min(q)).unwrap(), quantile(&values, p.max(q)).unwrap());
            prop_assert!(low <= high && values[0] <= low && high <= values[values.len() - 1]);
        }
    }
}
