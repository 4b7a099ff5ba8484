//! Seeded samples of stated distributions.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// Draws one value.
pub(crate) type Draw<'a> = &'a dyn Fn(&mut Source) -> f64;

/// Draws a whole sequence.
pub(crate) type Sequence<'a> = &'a dyn Fn(&mut Source) -> Vec<f64>;

/// How many runs are counted: `part` of them, or `whole` with `TARE_COUNT=whole`, as `make validate` counts them. What is asserted of a part says how sure
/// it is of a fault.
pub(crate) fn runs(whole: usize, part: usize) -> usize {
    if std::env::var_os("TARE_COUNT").is_some_and(|count| count == "whole") { whole } else { part }
}

/// A source of samples; the same seed gives the same ones.
pub(crate) struct Source(Pcg64);

impl Source {
    pub(crate) fn new(seed: u64) -> Self {
        Self(Pcg64::seed_from_u64(seed))
    }

    /// More than 0 and less than 1.
    pub(crate) fn uniform(&mut self) -> f64 {
        loop {
            let value: f64 = self.0.random();
            if value > 0.0 {
                return value;
            }
        }
    }

    /// Standard Gaussian (Marsaglia's polar method, of which the second value is dropped).
    pub(crate) fn gaussian(&mut self) -> f64 {
        loop {
            let (x, y) = (2.0 * self.uniform() - 1.0, 2.0 * self.uniform() - 1.0);
            let square = x * x + y * y;
            if square < 1.0 && square > 0.0 {
                return x * (-2.0 * square.ln() / square).sqrt();
            }
        }
    }

    /// Log-normal with median 1.
    pub(crate) fn log_normal(&mut self, sigma: f64) -> f64 {
        (sigma * self.gaussian()).exp()
    }

    /// Laplace with median 0 and scale 1.
    pub(crate) fn laplace(&mut self) -> f64 {
        let value = self.uniform() - 0.5;
        -(1.0 - 2.0 * value.abs()).ln().copysign(-value)
    }

    /// `value`, and with the given probability three times that.
    pub(crate) fn spiked(&mut self, value: f64, probability: f64) -> f64 {
        if self.uniform() < probability { 3.0 * value } else { value }
    }

    /// `n` values drawn one by one.
    pub(crate) fn draw(&mut self, n: usize, mut one: impl FnMut(&mut Self) -> f64) -> Vec<f64> {
        (0..n).map(|_| one(self)).collect()
    }

    /// `n` values of a stationary first-order autoregression with standard deviation 1.
    pub(crate) fn autoregression(&mut self, n: usize, correlation: f64) -> Vec<f64> {
        let mut state = self.gaussian();
        let innovation = (1.0 - correlation * correlation).sqrt();
        self.draw(n, |source| {
            state = correlation * state + innovation * source.gaussian();
            state
        })
    }
}
