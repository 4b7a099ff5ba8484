//! Student's interval of a mean.

use crate::quantile::{mean, standard_error};
use crate::{Estimate, student};

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

#[cfg(test)]
mod tests {
    use super::student_interval;

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
