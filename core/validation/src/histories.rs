//! Histories of known truth: how often a shift is claimed where there is none, and how often one is seen.

use std::fmt;
use std::ops::Range;

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use serde::{Deserialize, Serialize};
use tare_statistics::shifts::history_changes;

/// Runs after a shift within which it is to be seen.
pub const SEEN_WITHIN: usize = 12;
/// Standard deviations of a shift.
pub const SHIFT: f64 = 3.0;
/// Fewest runs before a shift, and how many lengths follow on it.
const BEFORE: (usize, u64) = (40, 40);

/// What a history without a change looks like.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Noise {
    /// Neighbours go together with this correlation.
    Lingering(f64),
    /// Two levels three deviations apart; it stays on one with this probability.
    Levels(f64),
    /// Student's t of five degrees of freedom.
    FarTails,
}

impl fmt::Display for Noise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lingering(0.0) => f.write_str("independent"),
            Self::Lingering(correlation) => write!(f, "autocorrelation {correlation}"),
            Self::Levels(stay) => write!(f, "two levels, kept with a probability of {stay}"),
            Self::FarTails => f.write_str("far tails (Student's t, 5)"),
        }
    }
}

/// Noises and lengths of histories without a shift.
pub const STILL: [(Noise, usize); 9] = [
    (Noise::Lingering(0.0), 100),
    (Noise::Lingering(0.3), 100),
    (Noise::Lingering(0.6), 100),
    (Noise::Levels(0.5), 100),
    (Noise::Levels(0.6), 100),
    (Noise::Levels(0.7), 100),
    (Noise::FarTails, 100),
    (Noise::Lingering(0.6), 30),
    (Noise::Lingering(0.3), 200),
];

/// Noises of histories with one.
pub const SHIFTED: [Noise; 3] = [Noise::Lingering(0.0), Noise::Lingering(0.3), Noise::Lingering(0.6)];

/// Histories, and those among them in which a shift was claimed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claimed {
    /// All.
    pub histories: u64,
    /// Those with a shift, of the histories with one within [`SEEN_WITHIN`] runs of its place.
    pub claimed: u64,
}

impl Claimed {
    /// Puts another count beside this one.
    pub fn add(&mut self, other: Self) {
        self.histories += other.histories;
        self.claimed += other.claimed;
    }

    /// Share of the histories.
    pub fn share(&self) -> f64 {
        self.claimed as f64 / self.histories.max(1) as f64
    }
}

impl fmt::Display for Claimed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} ({:.2} %)", self.claimed, self.histories, 100.0 * self.share())
    }
}

/// Claims in histories of that noise and length without a shift, one for each seed.
pub fn count_still(noise: Noise, length: usize, seeds: Range<u64>) -> Claimed {
    let mut counted = Claimed::default();
    for seed in seeds {
        let claimed = !history_changes(&drawn(noise, length, seed)).is_empty();
        counted.add(Claimed { histories: 1, claimed: u64::from(claimed) });
    }
    counted
}

/// Shifts that are seen when twelve runs have followed, in histories of that noise.
pub fn count_shifted(noise: Noise, seeds: Range<u64>) -> Claimed {
    let mut counted = Claimed::default();
    for seed in seeds {
        let place = BEFORE.0 + (seed % BEFORE.1) as usize;
        let mut values = drawn(noise, place + SEEN_WITHIN, seed);
        values[place..].iter_mut().for_each(|value| *value += SHIFT);
        let seen = history_changes(&values).iter().any(|change| change.abs_diff(place) <= SEEN_WITHIN);
        counted.add(Claimed { histories: 1, claimed: u64::from(seen) });
    }
    counted
}

fn drawn(noise: Noise, length: usize, seed: u64) -> Vec<f64> {
    let random = &mut Pcg64::seed_from_u64(seed);
    match noise {
        Noise::Lingering(correlation) => {
            let fresh = (1.0 - correlation * correlation).sqrt();
            let mut value = normal(random);
            (0..length)
                .map(|_| {
                    let next = correlation * value + fresh * normal(random);
                    std::mem::replace(&mut value, next)
                })
                .collect()
        }
        Noise::Levels(stay) => {
            let mut high = random.random::<bool>();
            let mut one = || {
                high ^= random.random::<f64>() > stay;
                normal(random) + if high { SHIFT } else { 0.0 }
            };
            (0..length).map(|_| one()).collect()
        }
        Noise::FarTails => {
            let mut one = || normal(random) / ((0..5).map(|_| normal(random).powi(2)).sum::<f64>() / 5.0).sqrt();
            (0..length).map(|_| one()).collect()
        }
    }
}

fn normal(random: &mut Pcg64) -> f64 {
    let (u, v): (f64, f64) = (random.random::<f64>().max(f64::MIN_POSITIVE), random.random());
    (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos()
}

#[cfg(test)]
mod tests {
    use super::{Noise, SHIFTED, STILL, count_shifted, count_still, drawn};

    #[test]
    fn noise_is_what_it_is_called() {
        let values = drawn(Noise::Lingering(0.6), 50_000, 1);
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let of = |lag: usize| values.iter().zip(&values[lag..]).map(|(a, b)| (a - mean) * (b - mean)).sum::<f64>();
        assert!((of(1) / of(0) - 0.6).abs() < 0.02 && (of(0) / values.len() as f64 - 1.0).abs() < 0.05);
    }

    #[test]
    fn what_the_page_counts_is_counted() {
        let (noise, length) = STILL[0];
        let counted = count_still(noise, length, 0..40);
        assert!(counted.histories == 40 && counted.claimed <= 2, "{counted}");
        let seen = count_shifted(SHIFTED[0], 0..40);
        assert!(seen.histories == 40 && seen.claimed >= 38, "{seen}");
    }
}
