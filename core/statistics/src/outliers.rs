//! Outliers by Tukey's fences.

use crate::quantile::{mean, quantile};
use crate::summary::Outliers;

/// Counts the sorted values beyond Tukey's inner (1.5 interquartile ranges from the quartiles) and outer (3) fences
/// (Tukey, "Exploratory Data Analysis", 1977, §2D); quartiles of type 7. A value on a fence is inside it. Of Gaussian
/// values 0.7 % lie beyond the inner fences.
///
/// Fewer than four values have no outliers: their quartiles are made of the very values to be judged.
pub fn tukey(sorted: &[f64]) -> Outliers {
    if sorted.len() < 4 {
        return Outliers::default();
    }
    let (Some(first), Some(third)) = (quantile(sorted, 0.25), quantile(sorted, 0.75)) else {
        return Outliers::default();
    };
    let range = third - first;
    let below = |fence: f64| sorted.partition_point(|&value| value < fence) as u64;
    let above = |fence: f64| (sorted.len() - sorted.partition_point(|&value| value <= fence)) as u64;
    let (low_severe, high_severe) = (below(first - 3.0 * range), above(third + 3.0 * range));
    Outliers {
        low_severe,
        low_mild: below(first - 1.5 * range) - low_severe,
        high_mild: above(third + 1.5 * range) - high_severe,
        high_severe,
    }
}

/// What the values beyond the outer fences make of the mean: the mean of all of the sorted values less that of those within, in their unit.
pub fn severe_share_of_mean(sorted: &[f64]) -> f64 {
    let Outliers { low_severe, high_severe, .. } = tukey(sorted);
    let within = &sorted[low_severe as usize..sorted.len() - high_severe as usize];
    match (mean(sorted), mean(within)) {
        (Some(all), Some(within)) => all - within,
        _ => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::{severe_share_of_mean, tukey};
    use crate::summary::Outliers;

    #[test]
    fn what_severe_outliers_make_of_the_mean_is_what_it_is_without_them() {
        let mut values: Vec<f64> = (0..=98).map(f64::from).collect();
        assert_eq!(severe_share_of_mean(&values), 0.0);
        values.push(1049.0);
        assert!((severe_share_of_mean(&values) - 10.0).abs() < 1e-9);
        assert_eq!(severe_share_of_mean(&[]), 0.0);
    }

    #[test]
    fn each_fence_labels_its_own_side() {
        // Quartiles 25 and 75 of 0 … 100, so fences at −50, −125, 150 and 225; 101 values keep them after the others
        // join.
        let mut values: Vec<f64> = (0..=1000).map(|value| f64::from(value) / 10.0).collect();
        values.extend([-1000.0, -60.0, -70.0, 160.0, 500.0, 501.0, 502.0]);
        values.sort_by(f64::total_cmp);
        assert_eq!(tukey(&values), Outliers { low_severe: 1, low_mild: 2, high_mild: 1, high_severe: 3 });
    }

    #[test]
    fn a_value_on_the_fence_is_inside() {
        let on_fence = [0.0, 1.0, 2.0, 3.0, 4.0];
        // Quartiles 1 and 3: fences at −2 and 6.
        assert_eq!(tukey(&on_fence), Outliers::default());
        let edge = [1.0, 1.0, 1.0, 2.0, 3.0, 3.0, 6.0];
        assert_eq!(tukey(&edge), Outliers::default());
        let beyond = [1.0, 1.0, 1.0, 2.0, 3.0, 3.0, 6.001];
        assert_eq!(tukey(&beyond).high_mild, 1);
    }

    #[test]
    fn of_equal_values_every_other_one_is_severe() {
        let mut values = vec![5.0; 20];
        assert_eq!(tukey(&values), Outliers::default());
        values.push(5.1);
        assert_eq!(tukey(&values).high_severe, 1);
        assert_eq!(tukey(&[1.0, 2.0, 1e9]), Outliers::default());
    }
}
