//! Values in order of which neighbours go together.

use crate::quantile::mean;

/// Beyond this a few values can't tell a process that wanders from one that comes back.
const MOST: f64 = 0.9;
/// So few values that go together so much don't scatter at all, nearly.
const LEAST_SCATTER: f64 = 0.05;

/// How far neighbours go together: the lag-one autocorrelation, from −1 to 1. `None` for fewer than two values, or equal ones.
pub fn lag_one(values: &[f64]) -> Option<f64> {
    let mean = mean(values)?;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let together: f64 = values.windows(2).map(|pair| (pair[0] - mean) * (pair[1] - mean)).sum();
    Some(together / squares).filter(|r| r.is_finite())
}

/// By what the standard error of a mean grows where neighbours go together: √((1 + r)/(1 − r)) of a first-order autoregressive process
/// with the lag-one autocorrelation r (Box, Jenkins & Reinsel, "Time Series Analysis", §2.1.5). r counts from 0 to 0.9.
pub fn inflation(r: f64) -> f64 {
    let r = r.clamp(0.0, MOST);
    ((1.0 + r) / (1.0 - r)).sqrt()
}

/// The lag-one autocorrelation without the bias that few values give it: their own mean takes (1 + 3ρ)/n off (Marriott & Pope, "Bias in the
/// estimation of autocorrelations", Biometrika 41(3/4), 1954; Kendall, same volume). `r` is [`lag_one`] of `count` values; may lie beyond ±1.
pub fn unbiased(r: f64, count: usize) -> f64 {
    let share = 1.0 / count.max(1) as f64;
    (r + share) / (1.0 - 3.0 * share).max(0.3)
}

/// By what the standard error of the mean of `count` values grows, of a first-order autoregressive process with correlation `r` (from 0 to
/// less than 1): that the mean varies more, and that so few values that go together scatter less about their mean (Box, Jenkins & Reinsel,
/// §2.1.5, before n goes to infinity). 1 at 0, and grows with `r`.
pub fn inflation_of(count: usize, r: f64) -> f64 {
    let (n, r) = (count as f64, r.max(0.0));
    if count < 2 || r == 0.0 {
        return 1.0;
    }
    // n Var(mean) / Var(value).
    let mean = 1.0 + 2.0 * (r / (1.0 - r) - r * (1.0 - r.powf(n)) / (n * (1.0 - r) * (1.0 - r)));
    // The expected sample variance / Var(value).
    let scatter = 1.0 - (mean - 1.0) / (n - 1.0);
    (mean / scatter.max(LEAST_SCATTER)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::{inflation, inflation_of, lag_one, unbiased};

    #[test]
    fn a_few_values_are_as_the_sums_say() {
        for (count, r) in [(3usize, 0.5f64), (9, 0.3), (40, 0.8), (114, 0.95)] {
            let n = count as f64;
            let lags: f64 = (1..count).map(|lag| (1.0 - lag as f64 / n) * r.powi(lag as i32)).sum();
            let (mean, scatter) = (1.0 + 2.0 * lags, 1.0 - 2.0 * lags / (n - 1.0));
            assert!((inflation_of(count, r) - (mean / scatter.max(0.05)).sqrt()).abs() < 1e-9, "{count} {r}");
        }
        assert_eq!((inflation_of(10, 0.0), inflation_of(10, -0.4), inflation_of(1, 0.5)), (1.0, 1.0, 1.0));
        assert!((inflation_of(1_000_000, 0.6) - inflation(0.6)).abs() < 1e-4);
    }

    #[test]
    fn the_bias_is_taken_back() {
        // Of ten values with ρ = 0.5 the estimate is 0.5 − 2.5/10 on the average.
        assert!((unbiased(0.25, 10) - 0.5).abs() < 1e-12);
        assert!((unbiased(-0.01, 100) - 0.0).abs() < 1e-12);
    }

    #[test]
    fn neighbours_that_go_together_are_told_from_those_that_avoid_each_other() {
        assert_eq!(lag_one(&[]), None);
        assert_eq!(lag_one(&[2.0; 9]), None);
        // Deviations −2, −1, 0, 1, 2: products 2, 0, 0, 2 over 10.
        assert!((lag_one(&[1.0, 2.0, 3.0, 4.0, 5.0]).unwrap() - 0.4).abs() < 1e-12);
        assert!(lag_one(&[1.0, -1.0, 1.0, -1.0]).unwrap() < -0.5);
    }

    #[test]
    fn an_interval_is_widened_and_never_narrowed() {
        assert_eq!((inflation(-0.5), inflation(0.0)), (1.0, 1.0));
        assert!((inflation(0.6) - 2.0).abs() < 1e-12);
        assert_eq!(inflation(0.99), inflation(0.9));
    }
}
