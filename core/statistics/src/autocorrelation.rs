//! Values in order of which neighbours go together.

use crate::quantile::mean;

/// Beyond this a few values can't tell a process that wanders from one that comes back.
const MOST: f64 = 0.9;

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

#[cfg(test)]
mod tests {
    use super::{inflation, lag_one};

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
