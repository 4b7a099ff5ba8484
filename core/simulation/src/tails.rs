//! Rare, slow work of the subject itself: what makes the mean cost of a call another than its typical one.

use rand::Rng;
use rand_distr::{Binomial, Distribution};
use serde::{Deserialize, Serialize};

use crate::noise::uniform;

/// Work that some calls, or some samples, do beside the usual. Excesses are fractions of what a call, or all calls of a sample, take
/// without it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Tail {
    /// Samples that are slow by chance.
    Samples {
        /// Share of samples that are slow, below 1.
        share: f64,
        /// Excess of a slow sample.
        excess: f64,
        /// Slow samples come in runs of so many in succession.
        #[serde(default = "one")]
        run: u64,
    },
    /// Calls that are slow by chance, each for itself.
    Calls {
        /// Share of calls that are slow, below 1.
        share: f64,
        /// Excess of a slow call.
        excess: f64,
    },
    /// Each call of a certain number is slow, counted over all calls since the launch began.
    Periodic {
        /// The number: each 100th call is slow at 100.
        every: u64,
        /// Excess of a slow call.
        excess: f64,
    },
    /// Work that calls put off, as a collector in another thread does: it is CPU time between two samples, and in the elapsed time of none.
    ///
    /// It comes after each sample with the probability 1/`every`, not after each sample of that number: a fixed number would meet the
    /// same place of every turn.
    Between {
        /// Samples from one such piece of work to the next, on average.
        every: u64,
        /// All calls since the last one have put off this fraction of their time.
        excess: f64,
    },
}

fn one() -> u64 {
    1
}

impl Tail {
    pub(crate) fn check(&self) -> Result<(), String> {
        let (share, excess, every) = match *self {
            Self::Samples { share, excess, run } => (share, excess, run),
            Self::Calls { share, excess } => (share, excess, 1),
            Self::Periodic { every, excess } | Self::Between { every, excess } => (0.0, excess, every),
        };
        if !(0.0..1.0).contains(&share) {
            return Err(format!("share must be from 0 to under 1, is {share}"));
        }
        if !(0.0..=1e6).contains(&excess) {
            return Err(format!("excess must be from 0 to 1,000,000, is {excess}"));
        }
        if !(1..=1_000_000_000).contains(&every) {
            return Err(format!("run and every must be from 1 to 1,000,000,000, are {every}"));
        }
        Ok(())
    }

    /// By how much it makes calls slower on average, a fraction.
    pub(crate) fn mean(&self) -> f64 {
        match *self {
            Self::Samples { share, excess, .. } | Self::Calls { share, excess } => share * excess,
            Self::Periodic { every, excess } => excess / every as f64,
            Self::Between { excess, .. } => excess,
        }
    }

    /// The excesses, as fractions of a sample, that a sample of so many calls can have, with their probabilities.
    fn of_samples(&self, calls: u64) -> Vec<(f64, f64)> {
        let n = calls.max(1);
        match *self {
            Self::Samples { share, excess, .. } => vec![(0.0, 1.0 - share), (excess, share)],
            Self::Calls { share, excess } => binomial_probabilities(n, share)
                .into_iter()
                .map(|(slow, probability)| (excess * slow as f64 / n as f64, probability))
                .collect(),
            Self::Periodic { every, excess } => {
                let (whole, rest) = (n / every, (n % every) as f64 / every as f64);
                let of = |slow: u64| excess * slow as f64 / n as f64;
                vec![(of(whole), 1.0 - rest), (of(whole + 1), rest)]
            }
            Self::Between { .. } => vec![(0.0, 1.0)],
        }
    }
}

/// The excesses that a sample can have by all tails together, with their probabilities.
pub(crate) fn sample_excesses(tails: &[Tail], calls: u64) -> Vec<(f64, f64)> {
    tails.iter().fold(vec![(0.0, 1.0)], |so_far, tail| {
        let of_tail = tail.of_samples(calls);
        let beside = |&(excess, probability): &(f64, f64)| {
            of_tail.iter().map(move |&(more, with)| (excess + more, probability * with)).collect::<Vec<_>>()
        };
        so_far.iter().flat_map(beside).collect()
    })
}

/// Numbers of hits among `n`, each with the probability `share`, and how probable they are; those that hardly occur are left out.
fn binomial_probabilities(n: u64, share: f64) -> Vec<(u64, f64)> {
    let mode = (((n + 1) as f64 * share) as u64).min(n);
    let reach = 10 + (10.0 * (n as f64 * share * (1.0 - share)).sqrt()) as u64;
    let up = |k: u64| (n - k) as f64 / (k + 1) as f64 * share / (1.0 - share);
    // Relative to the mode: the first terms of a large binomial are too small for a number.
    let mut found = vec![(mode, 1.0)];
    let mut weight = 1.0;
    for k in mode..(mode + reach).min(n) {
        weight *= up(k);
        found.push((k + 1, weight));
    }
    weight = 1.0;
    for k in (mode.saturating_sub(reach)..mode).rev() {
        weight /= up(k);
        found.push((k, weight));
    }
    let total: f64 = found.iter().map(|&(_, weight)| weight).sum();
    found.into_iter().map(|(k, weight)| (k, weight / total)).collect()
}

/// A tail in a launch, with its state.
#[derive(Debug, Clone)]
pub(crate) struct TailProcess {
    tail: Tail,
    /// Slow samples that are still to come in the run under way; `None` before the first sample.
    left: Option<u64>,
    /// Nanoseconds that were put off.
    put_off: f64,
}

impl TailProcess {
    pub(crate) fn new(tail: Tail) -> Self {
        Self { tail, left: None, put_off: 0.0 }
    }

    /// The excess of the next sample, of `calls` calls after `before` others of the launch, as a fraction of the sample.
    pub(crate) fn excess(&mut self, before: u64, calls: u64, rng: &mut impl Rng) -> f64 {
        match self.tail {
            Tail::Samples { share, excess, run } => {
                let left = match self.left {
                    // A launch begins in the midst of a run as often as it would be met there.
                    None if uniform(rng) < share => 1 + (uniform(rng) * run as f64) as u64,
                    None | Some(0) => {
                        let start = share / (share + run as f64 * (1.0 - share));
                        if self.left.is_some() && uniform(rng) < start { run } else { 0 }
                    }
                    Some(left) => left,
                };
                self.left = Some(left.saturating_sub(1));
                if left > 0 { excess } else { 0.0 }
            }
            Tail::Calls { share, excess } => {
                let slow = Binomial::new(calls, share).map_or(0, |binomial| binomial.sample(rng));
                excess * slow as f64 / calls as f64
            }
            Tail::Periodic { every, excess } => {
                let slow = before.saturating_add(calls) / every - before / every;
                excess * slow as f64 / calls as f64
            }
            Tail::Between { .. } => 0.0,
        }
    }

    /// Nanoseconds of work that follow a sample whose calls take `time_ns`.
    pub(crate) fn between(&mut self, time_ns: f64, rng: &mut impl Rng) -> f64 {
        let Tail::Between { every, excess } = self.tail else { return 0.0 };
        self.put_off += excess * time_ns;
        if uniform(rng) * every as f64 >= 1.0 {
            return 0.0;
        }
        std::mem::take(&mut self.put_off)
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_pcg::Pcg64;

    use super::{Tail, TailProcess, sample_excesses};

    const TAILS: [Tail; 7] = [
        Tail::Samples { share: 0.01, excess: 5.0, run: 1 },
        Tail::Samples { share: 0.3, excess: 1.0, run: 1 },
        Tail::Samples { share: 0.05, excess: 1.0, run: 10 },
        Tail::Calls { share: 0.001, excess: 50.0 },
        Tail::Periodic { every: 5, excess: 0.25 },
        Tail::Periodic { every: 10_000, excess: 500.0 },
        Tail::Between { every: 5, excess: 0.05 },
    ];
    const CALLS: u64 = 4_003;

    /// Mean excess and share of slow samples of 2,000,000 samples, each of `CALLS` calls.
    fn drawn(tail: Tail) -> (f64, f64, Vec<f64>) {
        let mut rng = Pcg64::seed_from_u64(11);
        let mut process = TailProcess::new(tail);
        let mut of = |index: u64| {
            let within = process.excess(index * CALLS, CALLS, &mut rng);
            (within, within + process.between(1.0, &mut rng))
        };
        let all: Vec<(f64, f64)> = (0..2_000_000).map(&mut of).collect();
        let mean = all.iter().map(|&(_, both)| both).sum::<f64>() / all.len() as f64;
        let slow = all.iter().filter(|&&(within, _)| within > 0.0).count() as f64 / all.len() as f64;
        (mean, slow, all.into_iter().map(|(within, _)| within).collect())
    }

    #[test]
    fn the_stated_mean_is_the_drawn_one() {
        for tail in TAILS {
            let (mean, _, _) = drawn(tail);
            assert!((mean / tail.mean() - 1.0).abs() < 0.02, "{tail:?}: drawn {mean}, stated {}", tail.mean());
        }
    }

    #[test]
    fn the_stated_excesses_of_samples_are_the_drawn_ones() {
        for tail in TAILS {
            let stated = sample_excesses(&[tail], CALLS);
            assert!((stated.iter().map(|&(_, probability)| probability).sum::<f64>() - 1.0).abs() < 1e-9, "{tail:?}");
            let (_, _, drawn) = drawn(tail);
            for &(excess, probability) in stated.iter().filter(|&&(_, probability)| probability > 0.01) {
                let met = drawn.iter().filter(|&&met| (met - excess).abs() < 1e-9).count() as f64 / drawn.len() as f64;
                assert!((met - probability).abs() < 0.005, "{tail:?}: {excess} in {met}, stated {probability}");
            }
        }
        let both = sample_excesses(&[TAILS[0], TAILS[1]], CALLS);
        assert_eq!(both.len(), 4);
        assert!(both.iter().any(|&(excess, probability)| excess == 6.0 && (probability - 0.003).abs() < 1e-12));
    }

    #[test]
    fn dear_samples_come_in_runs() {
        let (_, slow, samples) = drawn(TAILS[2]);
        assert!((slow - 0.05).abs() < 0.005, "{slow}");
        let starts = samples.windows(2).filter(|pair| pair[0] == 0.0 && pair[1] > 0.0).count() as f64;
        // Two runs may follow each other without a gap, so that there are a few starts less than runs.
        assert!((starts * 10.0 / 2_000_000.0 / slow - 1.0).abs() < 0.02, "{starts}");
    }

    #[test]
    fn each_call_of_a_number_is_dear_and_no_other() {
        let mut process = TailProcess::new(Tail::Periodic { every: 100, excess: 3.0 });
        let mut rng = Pcg64::seed_from_u64(1);
        // Calls 1 to 99, then the 100th alone, then 101 to 300: none, one, two.
        let slow = [(0, 99), (99, 1), (100, 200)].map(|(before, calls)| process.excess(before, calls, &mut rng));
        assert_eq!(slow, [0.0, 3.0, 2.0 * 3.0 / 200.0]);
    }
}
