//! How many launches, and how many rounds in each: the cheapest way to a wanted precision.
//!
//! Variances are in the square of one unit, costs and budgets in seconds.

use crate::quantile::{mean, variance};
use crate::student;

/// Fewest launches: below six the median has no 95 % interval ([`crate::rank_interval::attainable_confidence`]).
pub const FEWEST_LAUNCHES: u32 = 6;

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

    /// Variance of the mean over `launches` of `rounds` each.
    pub fn of_mean(&self, launches: u32, rounds: u32) -> f64 {
        (self.between_launches + self.within_launch / f64::from(rounds.max(1))) / f64::from(launches.max(1))
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
    /// Most launches; never fewer than [`FEWEST_LAUNCHES`].
    pub most_launches: u32,
}

/// What is wanted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Goal {
    /// A confidence interval of this half-width, in the unit of the values, at this confidence.
    HalfWidth {
        /// Half the width of the interval.
        half_width: f64,
        /// Its confidence, a fraction between 0 and 1.
        confidence: f64,
    },
    /// The most precision for this many seconds.
    Budget {
        /// Seconds for all launches.
        seconds: f64,
    },
}

/// Launches and rounds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Allocation {
    /// Launches to make.
    pub launches: u32,
    /// Rounds in each.
    pub rounds: u32,
    /// Seconds that they take.
    pub seconds: f64,
    /// Whether the goal is met within the limits: the precision reached, or the budget kept.
    pub reached: bool,
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

/// Chooses rounds by [`rounds_per_launch`], then the fewest launches whose interval of the mean (Student's, at launches
/// − 1 degrees of freedom) is expected to be as narrow as wanted, or as many as the budget pays for. At least
/// [`FEWEST_LAUNCHES`]: where the budget doesn't pay for them, rounds are cut down to their fewest first, and what
/// still exceeds it is said by `reached`.
///
/// The median over launches is less efficient than the mean: for Gaussian launches its variance is π/2 times as large
/// ([`MEDIAN_VARIANCE`]), so pass half_width/√(π/2) where the median is reported.
pub fn allocate(spread: &Spread, cost: &Cost, goal: &Goal, limits: &Limits) -> Allocation {
    let most = limits.most_launches.max(FEWEST_LAUNCHES);
    let rounds = rounds_per_launch(spread, cost, limits);
    match *goal {
        Goal::HalfWidth { half_width, confidence } => {
            let narrow = |launches: u32| expected_half_width(spread, launches, rounds, confidence) <= half_width;
            let launches = least(FEWEST_LAUNCHES, most, narrow);
            Allocation { launches, rounds, seconds: seconds(cost, launches, rounds), reached: narrow(launches) }
        }
        Goal::Budget { seconds: budget } => {
            let share = (budget / f64::from(FEWEST_LAUNCHES) - cost.launch) / cost.round;
            let fewest = limits.fewest_rounds.max(1);
            // Casts saturate, and take NaN to 0: no cost, or no budget, ends at the limits.
            let rounds = rounds.min(share as u32).max(fewest);
            let launches = ((budget / seconds(cost, 1, rounds)) as u32).clamp(FEWEST_LAUNCHES, most);
            let spent = seconds(cost, launches, rounds);
            Allocation { launches, rounds, seconds: spent, reached: spent <= budget * (1.0 + 1e-12) }
        }
    }
}

/// Variance of the median of Gaussian values over that of their mean, for many values: π/2.
pub const MEDIAN_VARIANCE: f64 = std::f64::consts::FRAC_PI_2;

fn expected_half_width(spread: &Spread, launches: u32, rounds: u32, confidence: f64) -> f64 {
    let t = student::quantile(0.5 + confidence / 2.0, f64::from(launches) - 1.0);
    t * spread.of_mean(launches, rounds).sqrt()
}

fn seconds(cost: &Cost, launches: u32, rounds: u32) -> f64 {
    f64::from(launches) * (cost.launch + f64::from(rounds) * cost.round)
}

/// The least number from `low` to `high` that is `enough`, or `high`; once enough, more is enough.
fn least(mut low: u32, mut high: u32, enough: impl Fn(u32) -> bool) -> u32 {
    while low < high {
        let middle = low + (high - low) / 2;
        if enough(middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits { fewest_rounds: 2, most_rounds: 500, most_launches: 200 };
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
        let price = |rounds: u32| (1.0 + 40.0 / f64::from(rounds)) * seconds(&COST, 1, rounds);
        assert!((2..=500).all(|rounds| price(best) <= price(rounds)));
    }

    #[test]
    fn a_half_width_gets_the_fewest_launches_that_reach_it() {
        let spread = Spread { between_launches: 1.0, within_launch: 40.0 };
        let goal = Goal::HalfWidth { half_width: 0.5, confidence: 0.95 };
        let found = allocate(&spread, &COST, &goal, &LIMITS);
        assert!(found.reached && found.launches > 6);
        assert!(expected_half_width(&spread, found.launches, found.rounds, 0.95) <= 0.5);
        assert!(expected_half_width(&spread, found.launches - 1, found.rounds, 0.95) > 0.5);
        let loose = Goal::HalfWidth { half_width: 100.0, confidence: 0.95 };
        assert_eq!(allocate(&spread, &COST, &loose, &LIMITS).launches, 6);
        let impossible = Goal::HalfWidth { half_width: 0.01, confidence: 0.95 };
        let found = allocate(&spread, &COST, &impossible, &LIMITS);
        assert!(!found.reached && found.launches == 200);
    }

    #[test]
    fn a_budget_is_spent_and_not_exceeded() {
        let spread = Spread { between_launches: 1.0, within_launch: 40.0 };
        let found = allocate(&spread, &COST, &Goal::Budget { seconds: 3.0 }, &LIMITS);
        assert!(found.reached && found.seconds <= 3.0 && found.seconds + 0.15 > 3.0, "{found:?}");
        let tight = allocate(&spread, &COST, &Goal::Budget { seconds: 0.66 }, &LIMITS);
        assert!(tight.reached && tight.launches == 6 && tight.rounds == 20, "{tight:?}");
        let short = allocate(&spread, &COST, &Goal::Budget { seconds: 0.1 }, &LIMITS);
        assert!(!short.reached && short.launches == 6 && short.rounds == 2, "{short:?}");
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
