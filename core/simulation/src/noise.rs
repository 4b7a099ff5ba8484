//! How samples scatter around the truth: factors, with a known median and a known mean.

use rand::Rng;
use rand_distr::{Distribution, Normal, StandardNormal};
use serde::{Deserialize, Serialize};

/// A noise model. All are factors on a sample's elapsed time; `spread` is a fraction.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "model", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Noise {
    /// None at all.
    Exact,
    /// Normal with mean 1.
    Gaussian {
        /// Standard deviation.
        spread: f64,
    },
    /// Log-normal with median 1: skewed as real times are.
    LogNormal {
        /// Standard deviation of the logarithm.
        spread: f64,
    },
    /// A second, slower mode.
    Bimodal {
        /// Standard deviation of each mode.
        spread: f64,
        /// How much slower the second mode is.
        shift: f64,
        /// Share of samples in the second mode, below 1/2.
        weight: f64,
    },
    /// First-order autoregressive: neighbours resemble each other.
    Autocorrelated {
        /// Stationary standard deviation.
        spread: f64,
        /// Correlation of neighbours.
        correlation: f64,
    },
    /// Gaussian with rare large excesses: interrupts, preemption.
    Spikes {
        /// Standard deviation of the rest.
        spread: f64,
        /// Share of samples that are hit.
        weight: f64,
        /// Excess of a hit sample, uniform from 0 to this.
        height: f64,
    },
}

impl Default for Noise {
    fn default() -> Self {
        Self::Gaussian { spread: 0.02 }
    }
}

impl Noise {
    /// The median of the factor.
    pub fn median(&self) -> f64 {
        match *self {
            Self::Exact | Self::Gaussian { .. } | Self::LogNormal { .. } | Self::Autocorrelated { .. } => 1.0,
            Self::Bimodal { spread, shift, .. } => {
                bisect(|x| self.distribution(x), 1.0 - 6.0 * spread, 1.0 + shift + 6.0 * spread)
            }
            Self::Spikes { spread, height, .. } => bisect(|x| self.distribution(x), 1.0 - 6.0 * spread, 1.0 + height),
        }
    }

    /// The mean of the factor.
    pub fn mean(&self) -> f64 {
        match *self {
            Self::Exact | Self::Gaussian { .. } | Self::Autocorrelated { .. } => 1.0,
            Self::LogNormal { spread } => (spread * spread / 2.0).exp(),
            Self::Bimodal { shift, weight, .. } => 1.0 + weight * shift,
            Self::Spikes { weight, height, .. } => 1.0 + weight * height / 2.0,
        }
    }

    /// Probability that the factor is at most `x`.
    pub(crate) fn distribution(&self, x: f64) -> f64 {
        match *self {
            Self::Exact => normal_distribution(x - 1.0, 0.0),
            Self::Gaussian { spread } | Self::Autocorrelated { spread, .. } => normal_distribution(x - 1.0, spread),
            Self::LogNormal { spread } => normal_distribution(x.max(f64::MIN_POSITIVE).ln(), spread),
            Self::Bimodal { spread, shift, weight } => {
                (1.0 - weight) * normal_distribution(x - 1.0, spread)
                    + weight * normal_distribution(x - 1.0 - shift, spread)
            }
            Self::Spikes { spread, weight, height } => {
                // A hit sample is 1 + spread·z + height·u with u uniform; its distribution function is averaged over u.
                let steps = 2000;
                let hit: f64 = (0..steps)
                    .map(|step| (f64::from(step) + 0.5) / f64::from(steps))
                    .map(|u| normal_distribution(x - 1.0 - height * u, spread))
                    .sum::<f64>()
                    / f64::from(steps);
                (1.0 - weight) * normal_distribution(x - 1.0, spread) + weight * hit
            }
        }
    }

    pub(crate) fn check(&self) -> Result<(), String> {
        let fraction = |name: &str, value: f64, most: f64| {
            if (0.0..most).contains(&value) {
                Ok(())
            } else {
                Err(format!("{name} must be from 0 to under {most}, is {value}"))
            }
        };
        match *self {
            Self::Exact => Ok(()),
            Self::Gaussian { spread } | Self::LogNormal { spread } => fraction("spread", spread, 0.5),
            Self::Bimodal { spread, shift, weight } => {
                fraction("spread", spread, 0.5)?;
                fraction("shift", shift, 100.0)?;
                fraction("weight", weight, 0.5)
            }
            Self::Autocorrelated { spread, correlation } => {
                fraction("spread", spread, 0.5)?;
                fraction("correlation", correlation, 1.0)
            }
            Self::Spikes { spread, weight, height } => {
                fraction("spread", spread, 0.5)?;
                fraction("weight", weight, 0.5)?;
                fraction("height", height, 1000.0)
            }
        }
    }
}

/// A noise model with its state.
#[derive(Debug, Clone)]
pub struct NoiseProcess {
    noise: Noise,
    state: Option<f64>,
}

impl NoiseProcess {
    /// Starts a process; an autoregressive one starts in its stationary distribution.
    pub fn new(noise: Noise) -> Self {
        Self { noise, state: None }
    }

    /// The factor of the next sample; never under 0.01.
    pub fn next(&mut self, rng: &mut impl Rng) -> f64 {
        let normal = |rng: &mut _| -> f64 { StandardNormal.sample(rng) };
        let factor = match self.noise {
            Noise::Exact => 1.0,
            Noise::Gaussian { spread } => 1.0 + spread * normal(rng),
            Noise::LogNormal { spread } => (spread * normal(rng)).exp(),
            Noise::Bimodal { spread, shift, weight } => {
                let mode = if uniform(rng) < weight { 1.0 + shift } else { 1.0 };
                mode + spread * normal(rng)
            }
            Noise::Autocorrelated { spread, correlation } => {
                let innovation =
                    Normal::new(0.0, spread * (1.0 - correlation * correlation).sqrt()).map_or(0.0, |n| n.sample(rng));
                let state = match self.state {
                    Some(state) => correlation * state + innovation,
                    None => spread * normal(rng),
                };
                self.state = Some(state);
                1.0 + state
            }
            Noise::Spikes { spread, weight, height } => {
                let base = 1.0 + spread * normal(rng);
                if uniform(rng) < weight { base + height * uniform(rng) } else { base }
            }
        };
        factor.max(0.01)
    }
}

/// Uniform on [0, 1) with 53 bits.
pub(crate) fn uniform(rng: &mut impl Rng) -> f64 {
    (rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64
}

/// Probability that a normal value of mean 0 is at most `x`; a step at 0 where its standard deviation is 0.
pub(crate) fn normal_distribution(x: f64, standard_deviation: f64) -> f64 {
    match standard_deviation > 0.0 {
        true => normal_cdf(x / standard_deviation),
        false if x >= 0.0 => 1.0,
        false => 0.0,
    }
}

/// Abramowitz & Stegun 7.1.26 is good to 1.5e-7, far below what a counted coverage resolves.
fn normal_cdf(z: f64) -> f64 {
    let x = z.abs() / std::f64::consts::SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * x);
    let poly =
        t * (0.254_829_592 + t * (-0.284_496_736 + t * (1.421_413_741 + t * (-1.453_152_027 + t * 1.061_405_429))));
    let erf = 1.0 - poly * (-x * x).exp();
    if z >= 0.0 { 0.5 * (1.0 + erf) } else { 0.5 * (1.0 - erf) }
}

/// Where a distribution function reaches 1/2, between `low` and `high`.
pub(crate) fn bisect(cdf: impl Fn(f64) -> f64, mut low: f64, mut high: f64) -> f64 {
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        if cdf(middle) < 0.5 {
            low = middle;
        } else {
            high = middle;
        }
    }
    (low + high) / 2.0
}

#[cfg(test)]
mod tests {
    use super::{Noise, NoiseProcess};
    use rand::SeedableRng;
    use rand_pcg::Pcg64;

    const MODELS: [Noise; 6] = [
        Noise::Exact,
        Noise::Gaussian { spread: 0.02 },
        Noise::LogNormal { spread: 0.1 },
        Noise::Bimodal { spread: 0.01, shift: 0.1, weight: 0.3 },
        Noise::Autocorrelated { spread: 0.02, correlation: 0.9 },
        Noise::Spikes { spread: 0.01, weight: 0.05, height: 3.0 },
    ];

    #[test]
    fn the_stated_mean_is_the_drawn_one() {
        for noise in MODELS {
            let mut rng = Pcg64::seed_from_u64(7);
            let mut process = NoiseProcess::new(noise);
            let drawn = (0..400_000).map(|_| process.next(&mut rng)).sum::<f64>() / 400_000.0;
            assert!((drawn - noise.mean()).abs() < 0.0015, "{noise:?}: drawn {drawn}, stated {}", noise.mean());
        }
        // The two aren't the same wherever samples are skewed.
        assert!(MODELS[5].mean() - MODELS[5].median() > 0.07);
    }

    #[test]
    fn the_stated_median_is_the_drawn_one() {
        for noise in MODELS {
            let mut rng = Pcg64::seed_from_u64(7);
            let mut process = NoiseProcess::new(noise);
            let mut drawn: Vec<f64> = (0..200_001).map(|_| process.next(&mut rng)).collect();
            drawn.sort_unstable_by(f64::total_cmp);
            let median = drawn[100_000];
            assert!((median - noise.median()).abs() < 0.0015, "{noise:?}: drawn {median}, stated {}", noise.median());
        }
    }

    #[test]
    fn neighbours_of_the_autocorrelated_model_resemble_each_other() {
        let mut rng = Pcg64::seed_from_u64(3);
        let mut process = NoiseProcess::new(Noise::Autocorrelated { spread: 0.02, correlation: 0.9 });
        let drawn: Vec<f64> = (0..100_000).map(|_| process.next(&mut rng) - 1.0).collect();
        let variance: f64 = drawn.iter().map(|x| x * x).sum::<f64>() / drawn.len() as f64;
        let covariance: f64 = drawn.windows(2).map(|pair| pair[0] * pair[1]).sum::<f64>() / drawn.len() as f64;
        assert!((covariance / variance - 0.9).abs() < 0.02);
        assert!((variance.sqrt() - 0.02).abs() < 0.001);
    }
}
