//! How many rounds in each launch: the cheapest way to a wanted precision.
//!
//! Variances are in the square of one unit, costs in seconds.

use crate::quantile::{mean, variance};

/// Where a measurement's spread comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    /// Variance of the launches' own levels, without what the rounds add.
    pub between_launches: f64,
    /// Variance of one round within a launch.
    pub within_launch: f64,
}

impl Spread {
    /// Estimates both from the rounds of a pilot's launches: the unbiased estimators of a balanced design's random
    /// effects (Kalibera & Jones, "Rigorous benchmarking in reasonable time", ISMM 2013, §6.2; the between-launch one
    /// is S² of the launches' means less the rounds' share of it, and 0 where that is negative). Launches of differing
    /// length enter by their harmonic mean.
    ///
    /// `None` for fewer than two launches, or a launch of fewer than two rounds.
    pub fn estimate<L: AsRef<[f64]>>(launches: &[L]) -> Option<Self> {
        let mut means = Vec::with_capacity(launches.len());
        let (mut squares, mut freedom, mut inverse) = (0.0, 0.0, 0.0);
        for launch in launches {
            let rounds = launch.as_ref();
            means.push(mean(rounds)?);
            squares += variance(rounds)? * (rounds.len() - 1) as f64;
            freedom += (rounds.len() - 1) as f64;
            inverse += 1.0 / rounds.len() as f64;
        }
        let of_means = variance(&means)?;
        let within_launch = squares / freedom;
        let between_launches = (of_means - within_launch * inverse / launches.len() as f64).max(0.0);
        Some(Self { between_launches, within_launch })
    }
}

/// What measuring costs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cost {
    /// Seconds to start a launch and make it ready, without its rounds.
    pub launch: f64,
    /// Seconds a round.
    pub round: f64,
}

/// The range to choose from. A maximum below its minimum counts as the minimum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Fewest rounds in a launch; 0 counts as 1.
    pub fewest_rounds: u32,
    /// Most rounds in a launch.
    pub most_rounds: u32,
}

/// The number of rounds in a launch that reaches any precision at the least cost: √(c_launch/c_round ·
/// V_within/V_between) (Kalibera & Jones, 2013, §6.3), rounded to the nearer and kept within the limits. It depends on
/// neither the precision nor the number of launches. Where launches don't differ it is the most there may be (a new
/// launch teaches nothing), where rounds don't, the fewest (a second round teaches nothing); where neither does, or a
/// figure is not a number, the fewest.
pub fn rounds_per_launch(spread: &Spread, cost: &Cost, limits: &Limits) -> u32 {
    let fewest = limits.fewest_rounds.max(1);
    let most = limits.most_rounds.max(fewest);
    let best = (cost.launch / cost.round * (spread.within_launch / spread.between_launches)).sqrt();
    if best.is_nan() || best <= f64::from(fewest) {
        fewest
    } else if best >= f64::from(most) {
        most
    } else {
        best.round() as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits { fewest_rounds: 2, most_rounds: 500 };
    const COST: Cost = Cost { launch: 0.09, round: 0.001 };

    #[test]
    fn launches_that_never_differ_get_the_most_rounds() {
        let spread = Spread { between_launches: 0.0, within_launch: 1.0 };
        assert_eq!(rounds_per_launch(&spread, &COST, &LIMITS), 500);
    }

    #[test]
    fn rounds_that_never_differ_get_the_fewest() {
        let spread = Spread { between_launches: 1.0, within_launch: 0.0 };
        assert_eq!(rounds_per_launch(&spread, &COST, &LIMITS), 2);
        let nothing = Spread { between_launches: 0.0, within_launch: 0.0 };
        assert_eq!(rounds_per_launch(&nothing, &COST, &LIMITS), 2);
        let unknown = Spread { between_launches: f64::NAN, within_launch: 1.0 };
        assert_eq!(rounds_per_launch(&unknown, &COST, &LIMITS), 2);
    }

    #[test]
    fn no_other_number_of_rounds_is_cheaper() {
        let spread = Spread { between_launches: 1.0, within_launch: 40.0 };
        let best = rounds_per_launch(&spread, &COST, &LIMITS);
        assert_eq!(best, 60);
        // Seconds to bring the variance of the mean to 1.
        let price = |rounds: u32| (1.0 + 40.0 / f64::from(rounds)) * (COST.launch + f64::from(rounds) * COST.round);
        assert!((2..=500).all(|rounds| price(best) <= price(rounds)));
    }

    #[test]
    fn a_pilot_tells_its_two_variances_apart() {
        // Levels 0, 2, 4 with rounds at ±1: S² of the means 4, variance within 4/3 from 4 rounds each.
        let launches: Vec<Vec<f64>> =
            [0.0, 2.0, 4.0].iter().map(|level| vec![level - 1.0, level + 1.0, level - 1.0, level + 1.0]).collect();
        let spread = Spread::estimate(&launches).unwrap();
        assert!((spread.within_launch - 4.0 / 3.0).abs() < 1e-12);
        assert!((spread.between_launches - (4.0 - 1.0 / 3.0)).abs() < 1e-12);
        assert_eq!(Spread::estimate(&[vec![1.0, 2.0]]), None);
        assert_eq!(Spread::estimate(&[vec![1.0, 2.0], vec![1.0]]), None);
        let alike = Spread::estimate(&[vec![1.0, 3.0], vec![1.0, 3.0]]).unwrap();
        assert_eq!(alike.between_launches, 0.0);
    }
}
