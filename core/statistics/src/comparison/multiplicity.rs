//! Many comparisons at once: p-values that keep the family-wise error.

/// The largest family-wise error of the verdicts `slower` and `faster` of a suite.
pub const FAMILY_WISE_ERROR: f64 = 0.01;

/// Holm's step-down adjusted p-values, in the order of the input: rejecting each hypothesis whose adjusted value is at most α
/// keeps the probability of one false rejection or more at α, however the tests depend on each other (Holm, "A simple
/// sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6(2), 1979, §3; adjusted values
/// as R's `p.adjust`).
///
/// Each is at least its input, at most Bonferroni's, and at most 1; a smaller p-value never has the larger adjusted one. A
/// p-value outside 0 to 1 is taken for the nearer end, and one that isn't a number for 1: it shows nothing.
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let checked: Vec<f64> = p_values.iter().map(|&p| if p.is_nan() { 1.0 } else { p.clamp(0.0, 1.0) }).collect();
    let mut order: Vec<usize> = (0..checked.len()).collect();
    order.sort_by(|&a, &b| checked[a].total_cmp(&checked[b]));
    let mut adjusted = vec![1.0; checked.len()];
    let mut largest = 0.0f64;
    for (rejected, &index) in order.iter().enumerate() {
        largest = largest.max(((checked.len() - rejected) as f64 * checked[index]).min(1.0));
        adjusted[index] = largest;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::holm;

    /// The largest of Bonferroni's p-values over all sets of hypotheses that hold this one: the closed test of Marcus,
    /// Peritz & Gabriel, Biometrika 63(3), 1976, of which Holm's procedure is the short cut.
    fn closed_test(p_values: &[f64], index: usize) -> f64 {
        (1u32..1 << p_values.len())
            .filter(|set| set & (1 << index) != 0)
            .map(|set| {
                let members = (0..p_values.len()).filter(|member| set & (1 << member) != 0);
                f64::from(set.count_ones()) * members.map(|member| p_values[member]).fold(1.0, f64::min)
            })
            .fold(0.0, f64::max)
            .min(1.0)
    }

    proptest! {
        #[test]
        fn it_is_the_short_cut_of_the_closed_test(p_values in prop::collection::vec(0.0f64..=1.0, 1..9)) {
            for (index, &found) in holm(&p_values).iter().enumerate() {
                prop_assert!((found - closed_test(&p_values, index)).abs() < 1e-12);
            }
        }

        #[test]
        fn it_lies_between_the_input_and_bonferroni_and_keeps_the_order(
            p_values in prop::collection::vec(prop_oneof![0.0f64..0.05, 0.0f64..=1.0], 0..40),
        ) {
            let adjusted = holm(&p_values);
            prop_assert_eq!(adjusted.len(), p_values.len());
            for (a, &p) in adjusted.iter().zip(&p_values) {
                prop_assert!(*a >= p && *a <= (p_values.len() as f64 * p).min(1.0), "{} {}", p, a);
                for (b, &q) in adjusted.iter().zip(&p_values) {
                    prop_assert!(p > q || a <= b);
                }
            }
        }
    }

    #[test]
    fn one_value_stays_as_it_is() {
        assert_eq!(holm(&[0.03]), [0.03]);
        assert_eq!(holm(&[]), [0.0; 0]);
    }

    #[test]
    fn what_is_no_p_value_shows_nothing() {
        assert_eq!(holm(&[f64::NAN, 0.01, 7.0, -1.0]), [1.0, 0.03, 1.0, 0.0]);
    }
}
