//! When operations are meant to begin. Pure: no clock is read, so a schedule is the same whether or not anybody keeps it.

use rand::RngExt;
use rand_pcg::Pcg64;
use serde::{Deserialize, Serialize};

use crate::share::Share;

/// How the intended starts of an open loop follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Arrivals {
    /// At equal distances.
    Constant,
    /// As of many independent users: exponential distances (a Poisson process).
    Poisson,
}

impl Arrivals {
    /// `constant`, `poisson`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Constant => "constant",
            Self::Poisson => "poisson",
        }
    }
}

/// What decides when an operation begins.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Pace {
    /// Closed loop: each connection or worker begins the next operation when the one before has ended.
    Closed,
    /// Open loop: operations begin when they are meant to, whatever became of those before.
    Open {
        /// Operations a second of all connections together; finite and above 0.
        rate: f64,
        /// How they follow each other.
        arrivals: Arrivals,
    },
}

const NANOSECONDS: f64 = 1e9;

/// The intended starts of one of several sharers of an open loop, in nanoseconds after the common start, ascending, without end.
///
/// Constant arrivals are dealt out in turn: of `of` sharers the one numbered `share` gets the arrivals share, share + of, share + 2
/// of, …, each rounded by itself so that nothing accumulates. Poisson arrivals are independent processes of `rate / of` each: their sum is one of
/// `rate` (Kingman, "Poisson Processes", 1993, §2.2).
#[derive(Debug, Clone)]
pub struct Schedule {
    kind: Kind,
    /// The part of it that is given out, and the number of the next arrival of the whole.
    part: Option<(Share, u64)>,
}

#[derive(Debug, Clone)]
enum Kind {
    Constant { rate: f64, next: u64, of: u64, phase: f64 },
    Poisson { rate: f64, at: f64, rng: Box<Pcg64> },
}

impl Schedule {
    /// The schedule of sharer `share` (from 0) of `of` (1 or more) at `rate` operations a second in all; `seed` decides Poisson arrivals.
    pub fn new(arrivals: Arrivals, rate: f64, share: u32, of: u32, seed: u64) -> Self {
        debug_assert!(rate > 0.0 && rate.is_finite() && share < of);
        let kind = match arrivals {
            Arrivals::Constant => Kind::Constant { rate, next: u64::from(share), of: u64::from(of), phase: 0.0 },
            Arrivals::Poisson => Kind::Poisson {
                rate: rate / f64::from(of),
                at: 0.0,
                // Sharers draw from streams of their own of one generator.
                rng: Box::new(Pcg64::new(u128::from(seed), u128::from(share))),
            },
        };
        Self { kind, part: None }
    }
}

impl Schedule {
    /// With constant arrivals that begin anywhere within the first distance, by lot. In short blocks that all began with one, more would
    /// arrive than the rate says, or, where the beginning isn't counted, fewer.
    pub fn at_any_phase(mut self, seed: u64) -> Self {
        if let Kind::Constant { phase, .. } = &mut self.kind {
            *phase = Pcg64::new(u128::from(seed), 0).random();
        }
        self
    }

    /// Of the same arrivals those that are one generator's: all generators together have each of them once.
    pub(crate) fn part_of(self, share: Share) -> Self {
        Self { part: Some((share, 0)), ..self }
    }

    /// The next arrival of the whole.
    fn arrival(&mut self) -> u64 {
        match &mut self.kind {
            Kind::Constant { rate, next, of, phase } => {
                let at = (*next as f64 + *phase) * NANOSECONDS / *rate;
                *next += *of;
                at.round() as u64
            }
            Kind::Poisson { rate, at, rng } => {
                let uniform: f64 = rng.random();
                // 1 − u is never 0.
                *at -= (1.0 - uniform).ln() * NANOSECONDS / *rate;
                at.round() as u64
            }
        }
    }
}

impl Iterator for Schedule {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        loop {
            let at = self.arrival();
            let Some((share, number)) = &mut self.part else { return Some(at) };
            let own = share.has(*number);
            *number += 1;
            if own {
                return Some(at);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Arrivals, Schedule};
    use crate::share::Share;

    #[test]
    fn constant_arrivals_are_dealt_out_and_do_not_drift() {
        let starts = |share, of| Schedule::new(Arrivals::Constant, 3.0, share, of, 1).take(4).collect::<Vec<_>>();
        assert_eq!(starts(0, 1), [0, 333_333_333, 666_666_667, 1_000_000_000]);
        assert_eq!(starts(1, 2), [333_333_333, 1_000_000_000, 1_666_666_667, 2_333_333_333]);
        let millionth = Schedule::new(Arrivals::Constant, 7.0, 0, 1, 1).nth(7_000_000);
        assert_eq!(millionth, Some(1_000_000_000_000_000));
    }

    /// Gaps of an exponential distribution: mean 1/rate, standard deviation the same, and a share of 1 − 1/e below the mean.
    #[test]
    fn poisson_arrivals_have_exponential_distances() {
        const N: usize = 200_000;
        let starts: Vec<u64> = Schedule::new(Arrivals::Poisson, 4000.0, 1, 4, 9).take(N).collect();
        let gaps: Vec<f64> = starts.windows(2).map(|pair| (pair[1] - pair[0]) as f64).collect();
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        let variance = gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / gaps.len() as f64;
        let below = gaps.iter().filter(|gap| **gap < 1e6).count() as f64 / gaps.len() as f64;
        // Four standard errors at this N: 0.9 %, 1.3 %, 0.0043.
        assert!((mean / 1e6 - 1.0).abs() < 0.009, "{mean}");
        assert!((variance.sqrt() / 1e6 - 1.0).abs() < 0.013, "{variance}");
        assert!((below - 0.632_12).abs() < 0.0045, "{below}");
    }

    /// Blocks of half a distance hold half an arrival each, on average: four standard errors of 4,000 coins are 0.032.
    #[test]
    fn short_blocks_hold_as_many_constant_arrivals_as_the_rate_says() {
        let count: usize = (0..4000)
            .map(|seed| Schedule::new(Arrivals::Constant, 2.0, 0, 1, seed).at_any_phase(seed))
            .map(|schedule| schedule.take_while(|at| *at < 250_000_000).count())
            .sum();
        assert!((count as f64 / 4000.0 - 0.5).abs() < 0.032, "{count}");
        let gaps = Schedule::new(Arrivals::Constant, 2.0, 0, 1, 1).at_any_phase(8).take(3).collect::<Vec<_>>();
        assert_eq!(gaps[2] - gaps[0], 1_000_000_000);
    }

    #[test]
    fn a_seed_is_a_schedule_and_sharers_differ() {
        let of = |seed, share| Schedule::new(Arrivals::Poisson, 10.0, share, 2, seed).take(50).collect::<Vec<_>>();
        assert_eq!(of(5, 0), of(5, 0));
        assert_ne!(of(5, 0), of(6, 0));
        assert_ne!(of(5, 0), of(5, 1));
    }

    #[test]
    fn parts_of_generators_are_together_the_schedule_of_one() {
        for (arrivals, connections, of) in
            [(Arrivals::Constant, 10, 4), (Arrivals::Poisson, 7, 3), (Arrivals::Poisson, 8, 1)]
        {
            let whole: Vec<u64> = Schedule::new(arrivals, 500.0, 0, 1, 9).at_any_phase(9).take(2_000).collect();
            let last = *whole.last().unwrap();
            let part = |number| {
                let share = Share { number, of, connections };
                let schedule = Schedule::new(arrivals, 500.0, 0, 1, 9).at_any_phase(9).part_of(share);
                schedule.take_while(|at| *at <= last).collect::<Vec<_>>()
            };
            let parts: Vec<Vec<u64>> = (0..of).map(part).collect();
            for (number, part) in parts.iter().enumerate() {
                let share = Share { number: number as u32, of, connections };
                assert_eq!(part.len() as u64, share.operations(2_000), "{number} of {of}");
            }
            let mut together = parts.concat();
            together.sort_unstable();
            assert_eq!(together, whole, "{arrivals:?}");
        }
    }
}
