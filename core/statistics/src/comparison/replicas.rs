//! The same comparison on several machines. What a change is worth differs from machine to machine, so machines are levels of chance: the interval of
//! the pooled ratio holds what other machines of these kinds would say.

use crate::student;
use crate::summary::Estimate;

/// Halvings of the bracket of a variance: enough for all digits.
const HALVINGS: usize = 200;

/// What one machine says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Replica {
    /// Logarithm of the ratio of candidate to base.
    pub log_ratio: f64,
    /// Its standard error, above 0.
    pub standard_error: f64,
}

impl Replica {
    /// From a ratio with its interval at a confidence (a fraction), of so many launch pairs; `None` where an end isn't known or nothing has a spread.
    pub fn of(ratio: &Estimate, confidence: f64, pairs: u32) -> Option<Self> {
        let half = 0.5 * (ratio.high.ln() - ratio.low.ln());
        let quantile = student::quantile(f64::midpoint(1.0, confidence), f64::from(pairs.max(2) - 1));
        let (log_ratio, standard_error) = (ratio.estimate.ln(), half / quantile);
        let is_known = log_ratio.is_finite() && standard_error.is_finite() && standard_error > 0.0;
        is_known.then_some(Self { log_ratio, standard_error })
    }

    /// Its ratio with the interval at a confidence, a fraction: of many pairs.
    pub(super) fn ratio(self, confidence: f64) -> Estimate {
        let half = self.standard_error * student::quantile(f64::midpoint(1.0, confidence), f64::INFINITY);
        let at = |log: f64| log.exp();
        Estimate { estimate: at(self.log_ratio), low: at(self.log_ratio - half), high: at(self.log_ratio + half) }
    }

    fn variance(self) -> f64 {
        self.standard_error * self.standard_error
    }
}

/// What several machines say together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pooled {
    /// Logarithm of the mean ratio.
    pub log_ratio: f64,
    /// Its standard error, what differs from machine to machine in it.
    pub standard_error: f64,
    /// Standard deviation of the log-ratio from machine to machine, beyond what each machine's own error explains; 0 where that explains all.
    pub between: f64,
    /// One fewer than machines.
    pub degrees_of_freedom: f64,
}

impl Pooled {
    /// The random-effects mean with the variance between machines by Paule and Mandel ("Consensus values and weighting factors", Journal of Research of
    /// the National Bureau of Standards 87(5), 1982), and its standard error by Hartung and Knapp with Sidik and Jonkman ("A refined method for the
    /// meta-analysis of controlled clinical trials with binary outcome", Statistics in Medicine 20, 2001), never below that of fixed effects (IntHout,
    /// Ioannidis and Borm, BMC Medical Research Methodology 14:25, 2014). `None` of fewer than two machines.
    pub fn of(replicas: &[Replica]) -> Option<Self> {
        if replicas.len() < 2 {
            return None;
        }
        let between = variance_between(&[replicas.to_vec()]);
        let (log_ratio, weight) = weighted(replicas, between);
        // Where Paule and Mandel's variance is above 0 the scaled sum of squares is 1 by its definition; below that nothing is made narrower.
        Some(Self {
            log_ratio,
            standard_error: weight.recip().sqrt(),
            between: between.sqrt(),
            degrees_of_freedom: (replicas.len() - 1) as f64,
        })
    }

    /// The ratio with its interval at a confidence, a fraction.
    pub fn ratio(&self, confidence: f64) -> Estimate {
        let half = self.standard_error * student::quantile(f64::midpoint(1.0, confidence), self.degrees_of_freedom);
        let at = |log: f64| log.exp();
        Estimate { estimate: at(self.log_ratio), low: at(self.log_ratio - half), high: at(self.log_ratio + half) }
    }

    /// Two-sided p-value of a difference beyond `margin` (a fraction, symmetric on the logarithmic scale).
    pub fn p_value(&self, margin: f64) -> f64 {
        let beyond = (self.log_ratio.abs() - margin.ln_1p()) / self.standard_error;
        (2.0 * student::cdf(-beyond, self.degrees_of_freedom)).min(1.0)
    }
}

/// Whether the effect differs from kind to kind of machine: the p-value of the two kinds that lie farthest apart, times the number of pairs of kinds
/// (Bonferroni), and by how much these two differ (absolute logarithm of the quotient of their ratios). What differs from machine to machine of one kind is the error that kinds
/// are held against (Knapp and Hartung, "Improved tests for a random effects meta-regression with a single covariate", Statistics in Medicine 22, 2003); where
/// each kind has one machine, machine and kind can't be told apart, and each machine's own error is all there is. `None` of a single kind.
pub fn kinds_differ(kinds: &[Vec<Replica>]) -> Option<(f64, f64)> {
    let kinds: Vec<Vec<Replica>> = kinds.iter().filter(|kind| !kind.is_empty()).cloned().collect();
    let machines: usize = kinds.iter().map(Vec::len).sum();
    let free = machines - kinds.len();
    let between = variance_between(&kinds);
    let degrees_of_freedom = if free == 0 { f64::INFINITY } else { free as f64 };
    let means: Vec<(f64, f64)> = kinds.iter().map(|kind| weighted(kind, between)).collect();
    let pairs = means.len() * means.len().saturating_sub(1) / 2;
    let mut most: Option<(f64, f64)> = None;
    for (at, one) in means.iter().enumerate() {
        for other in &means[at + 1..] {
            let apart = (one.0 - other.0).abs();
            let error = (one.1.recip() + other.1.recip()).sqrt();
            let p_value = (2.0 * student::cdf(-apart / error, degrees_of_freedom) * pairs as f64).min(1.0);
            if most.is_none_or(|(least, _)| p_value < least) {
                most = Some((p_value, apart));
            }
        }
    }
    most
}

/// Mean log-ratio and the sum of the weights, where machines differ by so much besides.
fn weighted(replicas: &[Replica], between: f64) -> (f64, f64) {
    let weight = |replica: &Replica| (replica.variance() + between).recip();
    let sum: f64 = replicas.iter().map(weight).sum();
    (replicas.iter().map(|replica| weight(replica) * replica.log_ratio).sum::<f64>() / sum, sum)
}

/// The variance from machine to machine within kinds at which the weighted sum of squares is what its degrees of freedom let expect; 0 where it never is more.
fn variance_between(kinds: &[Vec<Replica>]) -> f64 {
    let machines: usize = kinds.iter().map(Vec::len).sum();
    let free = machines.saturating_sub(kinds.len()) as f64;
    let excess = |between: f64| {
        let squares = kinds.iter().map(|kind| {
            let (mean, _) = weighted(kind, between);
            kind.iter().map(|one| (one.log_ratio - mean).powi(2) / (one.variance() + between)).sum::<f64>()
        });
        squares.sum::<f64>() - free
    };
    if free == 0.0 || excess(0.0) <= 0.0 {
        return 0.0;
    }
    let mut high = kinds.iter().flatten().map(|one| one.variance()).fold(f64::MIN_POSITIVE, f64::max);
    while excess(high) > 0.0 {
        high *= 2.0;
    }
    let mut low = 0.0;
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(low, high);
        if excess(middle) > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::midpoint(low, high)
}

#[cfg(test)]
mod tests {
    use super::{Pooled, Replica, kinds_differ};
    use crate::summary::Estimate;

    fn replicas(log_ratios: &[f64], standard_error: f64) -> Vec<Replica> {
        log_ratios.iter().map(|&log_ratio| Replica { log_ratio, standard_error }).collect()
    }

    #[test]
    fn machines_that_differ_are_a_sample_of_machines() {
        // Equal errors: the mean, and Student's interval of the sample itself.
        let values = [0.01, 0.03, 0.05, 0.03];
        let pooled = Pooled::of(&replicas(&values, 0.001)).unwrap();
        let variance = (0.02f64.powi(2) * 2.0) / 3.0;
        assert!((pooled.log_ratio - 0.03).abs() < 1e-12);
        assert!((pooled.standard_error - (variance / 4.0).sqrt()).abs() < 1e-12);
        assert!((pooled.between - (variance - 1e-6).sqrt()).abs() < 1e-9);
        // scipy.stats.t.ppf(0.975, 3)
        let ratio = pooled.ratio(0.95);
        assert!(((ratio.high / ratio.estimate).ln() / pooled.standard_error - 3.182_446_305).abs() < 1e-6);
    }

    #[test]
    fn machines_that_agree_keep_their_own_error() {
        let pooled = Pooled::of(&replicas(&[0.02, 0.02, 0.02], 0.003)).unwrap();
        assert_eq!(pooled.between, 0.0);
        assert!((pooled.standard_error - 0.003 / 3f64.sqrt()).abs() < 1e-12);
        assert!(Pooled::of(&replicas(&[0.02], 0.003)).is_none());
    }

    #[test]
    fn the_surer_machine_weighs_more() {
        let (sure, unsure) =
            (Replica { log_ratio: 0.0, standard_error: 0.001 }, Replica { log_ratio: 0.01, standard_error: 0.1 });
        assert!(Pooled::of(&[sure, unsure]).unwrap().log_ratio < 1e-5);
    }

    #[test]
    fn a_replica_is_what_its_interval_says() {
        let ratio = Estimate { estimate: 1.02, low: 1.02 * (-0.01f64).exp(), high: 1.02 * 0.01f64.exp() };
        let replica = Replica::of(&ratio, 0.99, 10).unwrap();
        // scipy.stats.t.ppf(0.995, 9)
        assert!((replica.standard_error - 0.01 / 3.249_835_542).abs() < 1e-8);
        assert!(Replica::of(&Estimate { low: f64::INFINITY, ..ratio }, 0.99, 10).is_none());
        assert!(Replica::of(&Estimate { low: 1.02, high: 1.02, ..ratio }, 0.99, 10).is_none());
    }

    #[test]
    fn kinds_are_held_against_machines_of_one_kind() {
        let kinds = [replicas(&[0.0, 0.002, -0.002], 0.002), replicas(&[0.05, 0.052, 0.048], 0.002)];
        let (p_value, apart) = kinds_differ(&kinds).unwrap();
        assert!(p_value < 1e-3 && (apart - 0.05).abs() < 1e-12, "{p_value} {apart}");
        // The same distance, where machines of one kind lie as far apart.
        let kinds = [replicas(&[0.0, 0.05, -0.05], 0.002), replicas(&[0.05, 0.1, 0.0], 0.002)];
        assert!(kinds_differ(&kinds).unwrap().0 > 0.1);
        assert_eq!(kinds_differ(&[replicas(&[0.0, 0.1], 0.01)]), None);
        // One machine of each kind: its own error is all there is.
        assert!(kinds_differ(&[replicas(&[0.0], 0.01), replicas(&[0.05], 0.01)]).unwrap().0 < 0.01);
    }
}
