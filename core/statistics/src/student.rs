//! Student's t distribution.
//!
//! Written here rather than taken from a crate: what is needed is one incomplete beta function with b = 1/2, and
//! the general crates bring a linear-algebra tree for it. Checked against SciPy to 1e-10.

use std::f64::consts::PI;

use crate::normal;

/// Beyond this many degrees of freedom the normal distribution, with one correction term, is nearer than 1e-12.
const NEARLY_NORMAL: f64 = 1e6;

/// Probability of a value up to `t` at `degrees_of_freedom` (> 0, not necessarily whole; ∞ is the normal
/// distribution): the regularised incomplete beta function (Abramowitz & Stegun 26.7.1) by its continued
/// fraction (26.5.8, evaluated by the method of Lentz). NaN for NaN or degrees of freedom of 0 or less.
pub fn cdf(t: f64, degrees_of_freedom: f64) -> f64 {
    let tail = upper_tail(t.abs(), degrees_of_freedom);
    if t < 0.0 { tail } else { 1.0 - tail }
}

/// The `t` whose [`cdf`] is `probability`: Newton's method on the logarithms of tail and t, where heavy tails are
/// straight lines, kept inside a bracket. −∞ at 0, ∞ at 1; NaN outside, or for degrees of freedom of 0 or less.
pub fn quantile(probability: f64, degrees_of_freedom: f64) -> f64 {
    let valid = (0.0..=1.0).contains(&probability) && degrees_of_freedom > 0.0;
    if !valid || probability == 0.0 || probability == 1.0 || degrees_of_freedom.is_infinite() {
        return if valid { normal::quantile(probability) } else { f64::NAN };
    }
    if probability == 0.5 {
        return 0.0;
    }
    let wanted = probability.min(1.0 - probability);
    // Logarithms of a t that is too small and of one that is too large.
    let (mut low, mut high) = (-100.0, 700.0);
    let mut position = (-normal::quantile(wanted)).ln().clamp(low, high);
    for _ in 0..200 {
        let t = position.exp();
        let tail = upper_tail(t, degrees_of_freedom);
        let excess = (tail / wanted).ln();
        if excess > 0.0 {
            low = position;
        } else {
            high = position;
        }
        let slope = -t * density(t, degrees_of_freedom) / tail;
        let newton = position - excess / slope;
        let next = if newton > low && newton < high { newton } else { f64::midpoint(low, high) };
        if (next - position).abs() <= 2e-16 * position.abs().max(1.0) {
            break;
        }
        position = next;
    }
    position.exp().copysign(probability - 0.5)
}

/// Density at `t`.
pub fn density(t: f64, degrees_of_freedom: f64) -> f64 {
    let n = degrees_of_freedom;
    gamma_ratio(n / 2.0) / (n * PI).sqrt() * (-(n + 1.0) / 2.0 * (t * t / n).ln_1p()).exp()
}

/// Probability of more than `t`, for `t >= 0`, without the cancellation of 1 − cdf.
fn upper_tail(t: f64, degrees_of_freedom: f64) -> f64 {
    let n = degrees_of_freedom;
    if t.is_nan() || n.is_nan() || n <= 0.0 {
        return f64::NAN;
    }
    if t.is_infinite() {
        return 0.0;
    }
    if n > NEARLY_NORMAL {
        // Abramowitz & Stegun 26.7.8; its error falls with the square of n.
        let (shrink, stretch) = (1.0 - 0.25 / n, 1.0 + t * t / (2.0 * n));
        return normal::cdf(-t * shrink / stretch.sqrt());
    }
    let square = t * t / n;
    let ln_x = if square.is_finite() { -square.ln_1p() } else { 2.0 * (n.sqrt() / t).ln() };
    let (x, y) = (1.0 / (1.0 + square), 1.0 / (1.0 + 1.0 / square));
    // x^(n/2) · sqrt(y) / B(n/2, 1/2)
    let front = (n / 2.0 * ln_x).exp() * y.sqrt() * gamma_ratio(n / 2.0) / PI.sqrt();
    if x < (n / 2.0 + 1.0) / (n / 2.0 + 2.5) {
        0.5 * front / (n / 2.0) * beta_fraction(n / 2.0, 0.5, x)
    } else {
        0.5 - 0.5 * front / 0.5 * beta_fraction(0.5, n / 2.0, y)
    }
}

/// Γ(a + 1/2) / Γ(a): the asymptotic series in 1/a (Abramowitz & Stegun 6.1.47), reached by the recurrence of Γ.
fn gamma_ratio(mut a: f64) -> f64 {
    let mut factor = 1.0;
    while a < 40.0 {
        factor *= a / (a + 0.5);
        a += 1.0;
    }
    let r = 1.0 / a;
    let series = [-399.0 / 262_144.0, -21.0 / 32_768.0, 5.0 / 1024.0, 1.0 / 128.0, -1.0 / 8.0, 1.0];
    // The next term is 869/4194304 · a^-6, below 1e-13 at 40; it is added to reach the last bits.
    let tail = 869.0 / 4_194_304.0 * r.powi(6) + 39_325.0 / 33_554_432.0 * r.powi(7);
    factor * a.sqrt() * (series.iter().fold(0.0, |sum, coefficient| sum * r + coefficient) + tail)
}

/// The continued fraction of the incomplete beta function (Abramowitz & Stegun 26.5.8), by modified Lentz.
fn beta_fraction(a: f64, b: f64, x: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let away_from_zero = |value: f64| if value.abs() < TINY { TINY } else { value };
    let mut c = 1.0;
    let mut d = 1.0 / away_from_zero(1.0 - (a + b) * x / (a + 1.0));
    let mut fraction = d;
    // Terms needed grow with the root of the larger parameter; 20,000 are enough for NEARLY_NORMAL.
    for step in 1..20_000 {
        let m = f64::from(step);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let mut change = 1.0;
        for term in [even, odd] {
            d = 1.0 / away_from_zero(1.0 + term * d);
            c = away_from_zero(1.0 + term / c);
            change = c * d;
            fraction *= change;
        }
        if (change - 1.0).abs() < 1e-16 {
            break;
        }
    }
    fraction
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_degree_of_freedom_is_cauchy() {
        for t in [0.001, 0.5, 1.0, 3.0, 1e3, 1e9f64] {
            let exact = (1.0 / t).atan() / PI;
            assert!((upper_tail(t, 1.0) / exact - 1.0).abs() < 1e-12, "{t}");
        }
    }

    #[test]
    fn the_quantile_turns_the_cdf_round() {
        for n in [0.5, 1.0, 2.5, 5.0, 29.0, 1000.0, 1e5, 1e8] {
            for p in [1e-8, 0.005, 0.025, 0.3, 0.499, 0.5, 0.6, 0.975, 0.9999] {
                let back = cdf(quantile(p, n), n);
                assert!((back - p).abs() < 1e-12 * p.max(1e-3), "n {n} p {p} back {back}");
            }
        }
    }

    #[test]
    fn the_edges_are_infinite_and_the_outside_is_not_a_number() {
        assert_eq!(quantile(0.0, 5.0), f64::NEG_INFINITY);
        assert_eq!(quantile(1.0, 5.0), f64::INFINITY);
        assert_eq!(quantile(0.975, f64::INFINITY), normal::quantile(0.975));
        assert!(quantile(0.5, 0.0).is_nan() && quantile(-0.1, 3.0).is_nan() && quantile(0.2, f64::NAN).is_nan());
        assert!(cdf(1.0, -1.0).is_nan() && cdf(f64::NAN, 4.0).is_nan());
        assert_eq!((cdf(f64::INFINITY, 3.0), cdf(f64::NEG_INFINITY, 3.0), cdf(0.0, 3.0)), (1.0, 0.0, 0.5));
    }
}
