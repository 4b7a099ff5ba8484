//! What an estimate of a simulated subject should read: the mean cost of its calls, and their typical cost.

use crate::noise::{bisect, normal_distribution};
use crate::tails::Tail;
use crate::tails::sample_excesses;
use crate::truth::CaseTruth;

/// Samples that are rarer than this aren't met.
const NEGLIGIBLE: f64 = 1e-3;

impl CaseTruth {
    /// The expected cost of a call in nanoseconds, over all samples, launches and states of the machine, its own rare slow work included:
    /// what an interval of the mean should cover. Slow starts (warm-up, cold samples) are no part of it, nor is what is persistent in one
    /// machine (`build-spread`), nor what a drifting or a bursty machine adds.
    pub fn expected_time_ns(&self) -> f64 {
        let tails: f64 = self.tails.iter().map(Tail::mean).sum();
        let levels = self.levels.map_or(0.0, |levels| levels.share() * levels.excess);
        let launches = self.launch_outliers * self.launch_outlier_excess + levels;
        let collections =
            if self.collection_calls > 0 { self.collection_ns / self.collection_calls as f64 } else { 0.0 };
        (self.time_ns * (1.0 + tails) * (1.0 + launches) + collections) * self.noise.mean()
    }

    /// The typical cost of a call in nanoseconds: the median over launches of the median over samples of `calls` calls, in which an empty
    /// call costs `call_ns`. With slow work of its own it depends on how many calls are in a sample: a slow call of a hundred is in every
    /// sample of a thousand calls, and in few samples of ten.
    pub fn typical_time_ns(&self, call_ns: f64, calls: u64) -> f64 {
        let excesses = sample_excesses(&self.tails, calls);
        // Noise stretches the call as it stretches the subject; a null of the same noise is what is taken off.
        let cost = |excess: f64| call_ns + self.time_ns * (1.0 + excess);
        let median = self.noise.median();
        let slowest = excesses.iter().map(|&(excess, _)| excess).fold(0.0, f64::max);
        let of_samples = if slowest == 0.0 {
            self.time_ns * median
        } else {
            let distribution = |ns: f64| -> f64 {
                let of = |&(excess, probability): &(f64, f64)| probability * self.noise.distribution(ns / cost(excess));
                excesses.iter().map(of).sum()
            };
            // The median of a mixture lies between the least and the greatest of its parts' medians.
            let slack = 1e-9 * cost(slowest);
            bisect(distribution, cost(0.0) * median - slack, cost(slowest) * median + slack) - call_ns * median
        };
        of_samples * self.typical_launch()
    }

    /// The typical cost of a call in samples of `calls` calls that meet as little slow work as such samples can, in launches that are neither
    /// slow by chance nor by the state of the machine; nanoseconds. What is in every sample, such as each fifth call, is in it.
    pub fn least_time_ns(&self, calls: u64) -> f64 {
        let least = sample_excesses(&self.tails, calls)
            .into_iter()
            .filter(|&(_, probability)| probability > NEGLIGIBLE)
            .map(|(excess, _)| excess)
            .fold(f64::INFINITY, f64::min);
        self.time_ns * self.noise.median() * (1.0 + least)
    }

    /// Median of the launches' own factors.
    fn typical_launch(&self) -> f64 {
        let (levels, excess) = self.levels.map_or((0.0, 0.0), |levels| (levels.share(), levels.excess));
        let outliers = (self.launch_outliers, self.launch_outlier_excess);
        if levels * excess == 0.0 && outliers.0 * outliers.1 == 0.0 {
            return 1.0;
        }
        let distribution = |factor: f64| {
            let of = |share: f64, excess: f64| share * normal_distribution(factor - 1.0 - excess, self.launch_spread);
            let fast = 1.0 - levels;
            of(fast * (1.0 - outliers.0), 0.0)
                + of(fast * outliers.0, outliers.1)
                + of(levels * (1.0 - outliers.0), excess)
                + of(levels * outliers.0, excess + outliers.1)
        };
        bisect(distribution, 1.0 - 1e-9, 1.0 + excess + outliers.1 + 1e-9)
    }
}

#[cfg(test)]
mod tests {
    use crate::noise::Noise;
    use crate::succession::Levels;
    use crate::tails::Tail;
    use crate::truth::CaseTruth;

    fn case(tail: Option<Tail>) -> CaseTruth {
        CaseTruth { noise: Noise::Gaussian { spread: 0.02 }, tails: tail.into_iter().collect(), ..CaseTruth::default() }
    }

    #[test]
    fn without_dear_work_only_skewed_noise_tells_mean_from_typical() {
        assert_eq!(case(None).expected_time_ns(), 100.0);
        assert_eq!(case(None).typical_time_ns(25.0, 4_000), 100.0);
        let spiky = CaseTruth { noise: Noise::Spikes { spread: 0.01, weight: 0.05, height: 3.0 }, ..case(None) };
        assert!((spiky.expected_time_ns() - 107.5).abs() < 1e-9);
        assert!((spiky.typical_time_ns(25.0, 4_000) - 100.0).abs() < 0.1);
    }

    #[test]
    fn rare_samples_are_in_the_mean_alone_and_frequent_calls_in_both() {
        let rare = case(Some(Tail::Samples { share: 0.01, excess: 5.0, run: 1 }));
        assert!((rare.expected_time_ns() - 105.0).abs() < 1e-9);
        assert!((rare.typical_time_ns(25.0, 4_000) - 100.03).abs() < 0.02, "{}", rare.typical_time_ns(25.0, 4_000));
        let fifth = case(Some(Tail::Periodic { every: 5, excess: 0.25 }));
        assert!((fifth.expected_time_ns() - 105.0).abs() < 1e-9);
        assert!((fifth.typical_time_ns(25.0, 4_000) - 105.0).abs() < 0.01);
        assert!((fifth.least_time_ns(4_000) - 105.0).abs() < 0.01);
        assert!((fifth.least_time_ns(3) - 100.0).abs() < 1e-9);
        // Of samples of ten calls, four of ten hold the slow one of 25.
        let ten = case(Some(Tail::Periodic { every: 25, excess: 1.0 })).typical_time_ns(25.0, 10);
        assert!((100.5..103.0).contains(&ten), "{ten}");
    }

    #[test]
    fn slow_launches_and_states_of_the_machine_are_in_the_mean() {
        let outliers = CaseTruth { launch_outliers: 0.1, launch_outlier_excess: 0.5, ..case(None) };
        assert!((outliers.expected_time_ns() - 105.0).abs() < 1e-9);
        assert!((outliers.typical_time_ns(25.0, 4_000) - 100.0).abs() < 1e-6);
        let levels = Levels { excess: 0.15, fast_launches: 6.0, slow_launches: 3.0 };
        let levels = CaseTruth { levels: Some(levels), launch_spread: 0.01, ..case(None) };
        assert!((levels.expected_time_ns() - 105.0).abs() < 1e-9);
        assert!((levels.typical_time_ns(25.0, 4_000) - 100.67).abs() < 0.01, "{}", levels.typical_time_ns(25.0, 4_000));
        assert_eq!(levels.least_time_ns(4_000), 100.0);
    }
}
