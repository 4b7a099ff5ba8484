//! Figures beside time that launches tell of themselves, compared: what the system counted of a command, what an author counts in a benchmark.

use serde::{Deserialize, Serialize};

use crate::quantile::mean;
use crate::student;
use crate::summary::Estimate;

/// Launches of each side without which nothing is said.
const LEAST_LAUNCHES: usize = 6;

/// What is said of a candidate's amount: memory, CPU time, a figure of the author's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AmountVerdict {
    /// It is more, beyond the margin.
    More,
    /// It is less, beyond the margin.
    Less,
    /// The whole interval lies within the bound of what is the same.
    Same,
    /// Neither can be said.
    Inconclusive,
}

impl AmountVerdict {
    /// `more`, `less`, `same`, `inconclusive`.
    pub fn name(self) -> &'static str {
        match self {
            Self::More => "more",
            Self::Less => "less",
            Self::Same => "same",
            Self::Inconclusive => "inconclusive",
        }
    }

    /// Where the interval of a ratio lies; margins are fractions.
    pub fn of(ratio: &Estimate, margin: f64, same: f64) -> Self {
        if ratio.low > 1.0 + margin {
            Self::More
        } else if ratio.high < 1.0 - margin {
            Self::Less
        } else if ratio.low >= 1.0 - same && ratio.high <= 1.0 + same {
            Self::Same
        } else {
            Self::Inconclusive
        }
    }
}

/// A figure of two variants against each other.
#[derive(Debug, Clone, PartialEq)]
pub struct MetricComparison {
    /// The figure's name.
    pub name: String,
    /// Its mean over the base's launches.
    pub base: f64,
    /// Its mean over the candidate's.
    pub candidate: f64,
    /// Candidate over base.
    pub ratio: Estimate,
    /// Confidence of the interval, a fraction.
    pub confidence: f64,
    /// What is said of it.
    pub verdict: AmountVerdict,
}

/// Candidate over base of a figure with its interval: the ratio of means, launch by launch in the same rounds, so that what both met in a round goes out
/// (Cochran, *Sampling Techniques*, 3rd ed. 1977, section 6.3; Student's t with one degree of freedom less than there are pairs). No ratio lies below 0.
/// `None` for fewer than six pairs, or where a launch has 0 or less: figures that are mostly 0 scatter in another way, and few of them seem exact.
pub fn ratio_of_launches(base: &[f64], candidate: &[f64], confidence: f64) -> Option<Estimate> {
    let pairs = base.len().min(candidate.len());
    if pairs < LEAST_LAUNCHES {
        return None;
    }
    let (base, candidate) = (&base[..pairs], &candidate[..pairs]);
    if base.iter().chain(candidate).any(|value| *value <= 0.0) {
        return None;
    }
    let of_base = mean(base)?;
    let ratio = mean(candidate)? / of_base;
    let squares: f64 =
        base.iter().zip(candidate).map(|(base, candidate)| (candidate - ratio * base).powi(2)).sum::<f64>();
    let freedom = (pairs - 1) as f64;
    let error = (squares / freedom / pairs as f64).sqrt() / of_base;
    let half = error * student::quantile(0.5 + confidence / 2.0, freedom);
    half.is_finite().then_some(Estimate { estimate: ratio, low: (ratio - half).max(0.0), high: ratio + half })
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_distr::{Distribution, LogNormal};
    use rand_pcg::Pcg64;

    use super::{AmountVerdict, ratio_of_launches};

    /// By hand: means 10 and 11, residuals of 1.1 times the base.
    #[test]
    fn the_ratio_of_means_has_the_error_of_its_residuals() {
        let base = [9.0, 10.0, 11.0, 9.0, 10.0, 11.0];
        let candidate = [10.0, 11.0, 12.0, 10.0, 11.0, 12.0];
        let found = ratio_of_launches(&base, &candidate, 0.95).unwrap();
        assert!((found.estimate - 1.1).abs() < 1e-12);
        // Residuals ±0.1, four of them: squares 0.04, over 5 and 6, the root over 10; t of 5 degrees of freedom is 2.570582.
        let half = (0.04f64 / 30.0).sqrt() / 10.0 * 2.570_582;
        assert!((found.high - found.estimate - half).abs() < 1e-8, "{found:?}");
    }

    #[test]
    fn nothing_is_said_of_few_launches_or_of_nothing() {
        assert_eq!(ratio_of_launches(&[1.0; 5], &[1.0; 9], 0.99), None);
        assert_eq!(ratio_of_launches(&[0.0; 9], &[1.0; 9], 0.99), None);
        let [rarely, seldom] = [[98.0, 0.0, 0.0, 0.0, 0.0, 0.0], [6.0, 0.0, 0.0, 0.0, 0.0, 0.0]];
        assert_eq!(ratio_of_launches(&rarely, &seldom, 0.99), None, "proportional, and yet chance");
        let exact = ratio_of_launches(&[100.0; 6], &[101.0; 6], 0.99).unwrap();
        assert_eq!(AmountVerdict::of(&exact, 0.005, 0.03), AmountVerdict::More);
        assert_eq!(AmountVerdict::of(&exact, 0.02, 0.03), AmountVerdict::Same);
    }

    /// Launches share what their round brings, scatter as log-normals do and are twice as large in one of twenty: how often something is claimed of equal sides, and how
    /// often 5 % more is found.
    #[test]
    fn equal_sides_are_called_different_no_more_often_than_stated() {
        let mut lot = Pcg64::seed_from_u64(7);
        let mut count = |truth: f64, launches: usize, scatter: f64, tail: f64| {
            let (round, own) = (LogNormal::new(0.0, 0.1).unwrap(), LogNormal::new(0.0, scatter).unwrap());
            (0..4000)
                .filter(|_| {
                    let sides: Vec<(f64, f64)> = (0..launches)
                        .map(|_| {
                            let shared = round.sample(&mut lot);
                            let mut side = |mean: f64| {
                                let far = if lot.random_bool(tail) { 2.0 } else { 1.0 };
                                mean * shared * far * own.sample(&mut lot)
                            };
                            (side(10.0), side(10.0 * truth))
                        })
                        .collect();
                    let (base, candidate): (Vec<f64>, Vec<f64>) = sides.into_iter().unzip();
                    let ratio = ratio_of_launches(&base, &candidate, 0.99).unwrap();
                    matches!(AmountVerdict::of(&ratio, 0.005, 0.03), AmountVerdict::More | AmountVerdict::Less)
                })
                .count()
        };
        for (launches, scatter, tail) in [(6, 0.02, 0.0), (6, 0.3, 0.0), (10, 0.02, 0.05), (40, 0.02, 0.05)] {
            let claims = count(1.0, launches, scatter, tail);
            assert!(claims <= 60, "{claims} of 4000 with {launches} launches, {scatter}, {tail}");
        }
        let found = count(1.05, 10, 0.02, 0.0);
        assert!(found >= 3500, "{found}");
    }
}
