//! One ratio for a group of comparisons.

use crate::summary::Estimate;

/// The geometric mean of ratios, with an interval.
///
/// The estimate is what benchstat (golang.org/x/perf) prints under its tables in the column `vs base`: the n-th root of the
/// product of the ratios. Each member weighs the same whatever it takes, and swapping base and candidate turns the result
/// round (Fleming & Wallace, "How not to lie with statistics: the correct way to summarize benchmark results",
/// Communications of the ACM 29(3), 1986).
///
/// The interval is of the mean *of these members*, at the members' own confidence: what repeating the measurements would do to
/// it, and not what other benchmarks would have said, which may differ by far more. It assumes that the members were measured
/// independently, so that their errors add in quadrature on the logarithmic scale, each side by itself:
/// `ln(estimate / low) = sqrt(Σ ln²(estimateᵢ / lowᵢ)) / n`. Where something moved all the members alike (one run slower as a
/// whole) it's too narrow.
///
/// Ratios are above 0 and of one confidence. `None` for no ratios, or where an estimate or an end of an interval isn't above 0
/// and finite, or the ends don't enclose it: a group with such a member has no geometric mean.
pub fn geometric_mean(ratios: &[Estimate]) -> Option<Estimate> {
    let valid = |ratio: &Estimate| {
        0.0 < ratio.low && ratio.low <= ratio.estimate && ratio.estimate <= ratio.high && ratio.high.is_finite()
    };
    if ratios.is_empty() || !ratios.iter().all(valid) {
        return None;
    }
    let n = ratios.len() as f64;
    let centre = ratios.iter().map(|ratio| ratio.estimate.ln()).sum::<f64>() / n;
    let side = |reach: fn(&Estimate) -> f64| ratios.iter().map(|ratio| reach(ratio).powi(2)).sum::<f64>().sqrt() / n;
    let below = side(|ratio| ratio.estimate.ln() - ratio.low.ln());
    let above = side(|ratio| ratio.high.ln() - ratio.estimate.ln());
    Some(Estimate { estimate: centre.exp(), low: (centre - below).exp(), high: (centre + above).exp() })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::geometric_mean;
    use crate::summary::Estimate;

    fn ratios() -> impl Strategy<Value = Vec<Estimate>> {
        let one = (0.05f64..20.0, 0.0f64..0.5, 0.0f64..0.5).prop_map(|(estimate, below, above)| Estimate {
            estimate,
            low: estimate * (-below).exp(),
            high: estimate * above.exp(),
        });
        prop::collection::vec(one, 1..30)
    }

    proptest! {
        #[test]
        fn swapping_base_and_candidate_turns_it_round(ratios in ratios()) {
            let there = geometric_mean(&ratios).unwrap();
            let swapped: Vec<Estimate> = ratios
                .iter()
                .map(|r| Estimate { estimate: 1.0 / r.estimate, low: 1.0 / r.high, high: 1.0 / r.low })
                .collect();
            let back = geometric_mean(&swapped).unwrap();
            for (found, expected) in
                [(back.estimate, there.estimate), (back.low, there.high), (back.high, there.low)]
            {
                prop_assert!((found * expected - 1.0).abs() < 1e-12, "{} {}", found, expected);
            }
        }

        #[test]
        fn equal_members_narrow_the_interval_by_the_root_of_their_number(
            estimate in 0.1f64..10.0, reach in 0.001f64..0.5, n in 1usize..50,
        ) {
            let one = Estimate { estimate, low: estimate * (-reach).exp(), high: estimate * reach.exp() };
            let found = geometric_mean(&vec![one; n]).unwrap();
            prop_assert!((found.estimate / estimate - 1.0).abs() < 1e-12);
            let narrowed = reach / (n as f64).sqrt();
            prop_assert!(((found.high / found.estimate).ln() / narrowed - 1.0).abs() < 1e-9);
            prop_assert!(((found.estimate / found.low).ln() / narrowed - 1.0).abs() < 1e-9);
        }
    }

    #[test]
    fn twice_and_half_make_one() {
        let of = |estimate| Estimate { estimate, low: estimate, high: estimate };
        let found = geometric_mean(&[of(2.0), of(0.5)]).unwrap();
        assert_eq!((found.estimate, found.low, found.high), (1.0, 1.0, 1.0));
    }

    #[test]
    fn a_member_without_a_logarithm_leaves_no_mean() {
        let good = Estimate { estimate: 1.1, low: 1.0, high: 1.2 };
        assert_eq!(geometric_mean(&[]), None);
        for (estimate, low, high) in [
            (0.0, 0.0, 1.0),
            (-1.0, -2.0, 1.0),
            (f64::NAN, 0.9, 1.0),
            (f64::INFINITY, 1.0, f64::INFINITY),
            (1.0, 0.0, 2.0),
            (1.0, 0.5, f64::INFINITY),
            (1.0, 1.1, 1.2),
        ] {
            assert_eq!(geometric_mean(&[good, Estimate { estimate, low, high }]), None, "{estimate} {low} {high}");
        }
    }
}
