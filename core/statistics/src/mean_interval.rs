//! Student's interval of a mean.

use crate::autocorrelation::{inflation, lag_one};
use crate::quantile::{mean, standard_error};
use crate::student;
use crate::summary::Estimate;

/// The mean of independent, roughly Gaussian values in any order, with the interval of Student, "The probable error of
/// a mean", Biometrika 6(1), 1908: x̄ ± t · s/√n at n − 1 degrees of freedom, in the unit of the values.
///
/// `None` for fewer than two values, or a confidence that isn't between 0 and 1.
pub fn student_interval(values: &[f64], confidence: f64) -> Option<Estimate> {
    if !(confidence > 0.0 && confidence < 1.0) {
        return None;
    }
    let (estimate, error) = (mean(values)?, standard_error(values)?);
    let half_width = error * student::quantile(0.5 + confidence / 2.0, (values.len() - 1) as f64);
    Some(Estimate { estimate, low: estimate - half_width, high: estimate + half_width })
}

/// Fewer independent values than this would leave Student's distribution hardly any end.
const FEWEST_INDEPENDENT: f64 = 3.0;

/// The mean of successive values, of which neighbours may go together, with an interval as [`student_interval`] has it, in the unit of
/// the values: widened by [`inflation`], at the degrees of freedom of as many independent values as tell as much. The
/// lag-one autocorrelation r is put right by (1 + 3r)/n first, by which n values make it too small (Marriott & Pope, "Bias in the
/// estimation of autocorrelations", Biometrika 41, 1954).
///
/// At 95 % it covers the mean of an autoregressive process in 90 % and more of runs from 30 values on, up to r = 0.8; in 85 % of runs of
/// 10 values with r = 0.6, where Student's own does in 70 %. `None` for fewer than three values, or a confidence that isn't between 0 and 1.
pub fn successive_interval(values: &[f64], confidence: f64) -> Option<Estimate> {
    let plain = student_interval(values, confidence).filter(|_| values.len() > 2)?;
    let n = values.len() as f64;
    let factor = lag_one(values).map_or(1.0, |r| inflation(r + (1.0 + 3.0 * r) / n));
    let independent = (n / (factor * factor)).clamp(FEWEST_INDEPENDENT, n);
    let at = |freedom| student::quantile(0.5 + confidence / 2.0, freedom);
    let half_width = plain.half_width() * factor * at(independent - 1.0) / at(n - 1.0);
    let estimate = plain.estimate;
    Some(Estimate { estimate, low: estimate - half_width, high: estimate + half_width })
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64;

    use super::{student_interval, successive_interval};

    /// Of 2,000 runs of `n` values of an autoregressive process around 100, the parts in which Student's interval and the widened one at
    /// 95 % hold the 100.
    fn coverage(n: usize, r: f64) -> (f64, f64) {
        const RUNS: usize = 2000;
        let mut rng = Pcg64::seed_from_u64(17);
        let mut gaussian = || (0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0;
        let (mut plain, mut widened) = (0, 0);
        for _ in 0..RUNS {
            let mut value = gaussian();
            let values: Vec<f64> = (0..n)
                .map(|_| {
                    value = r * value + (1.0 - r * r).sqrt() * gaussian();
                    100.0 + 5.0 * value
                })
                .collect();
            let holds = |interval: Option<crate::summary::Estimate>| {
                usize::from(interval.is_some_and(|found| found.low <= 100.0 && found.high >= 100.0))
            };
            plain += holds(student_interval(&values, 0.95));
            widened += holds(successive_interval(&values, 0.95));
        }
        (plain as f64 / RUNS as f64, widened as f64 / RUNS as f64)
    }

    #[test]
    fn successive_values_that_go_together_have_an_interval_that_holds_the_truth() {
        for (n, r, most_plain, least) in [
            (30, 0.3, 0.90, 0.92),
            (30, 0.6, 0.72, 0.90),
            (60, 0.8, 0.55, 0.90),
            (10, 0.6, 0.74, 0.85),
            (5, 0.6, 0.79, 0.82),
        ] {
            let (plain, widened) = coverage(n, r);
            assert!(plain <= most_plain && widened >= least, "{n} values, r = {r}: {plain}, widened {widened}");
        }
    }

    #[test]
    fn independent_values_are_widened_little() {
        for n in [3, 10, 60] {
            let (_, widened) = coverage(n, 0.0);
            assert!((0.93..=0.98).contains(&widened), "{n} values: {widened}");
        }
        assert_eq!(successive_interval(&[3.0, 4.0], 0.95), None);
        assert_eq!(successive_interval(&[3.0; 5], 0.95), student_interval(&[3.0; 5], 0.95));
    }

    #[test]
    fn one_value_has_no_interval() {
        assert_eq!(student_interval(&[3.0], 0.95), None);
        assert_eq!(student_interval(&[3.0, 4.0], 1.0), None);
    }

    #[test]
    fn equal_values_have_an_interval_of_no_width() {
        let interval = student_interval(&[3.0; 5], 0.95).unwrap();
        assert_eq!((interval.low, interval.high), (3.0, 3.0));
    }
}
