//! Group-sequential tests: what each look at the data may cost.
//!
//! A comparison that is looked at several times, and stops as soon as its interval says something, is wrong more often than
//! one that is looked at once. Lan & DeMets, "Discrete sequential boundaries for clinical trials", Biometrika 70(3),
//! 1983, give each look its share of the error α by a function of the information gathered so far; the boundaries
//! follow by the recursive integration of Armitage, McPherson & Rowe, "Repeated significance tests on accumulating
//! data", JRSS A 132(2), 1969, and are applied to Student's t at their nominal levels (Jennison & Turnbull, "Group
//! Sequential Methods", 2000, section 4.4). An interval at the nominal level of its look is a repeated confidence
//! interval (Jennison & Turnbull, JRSS B 51(3), 1989): all of them together hold the truth with 1 − α, whatever made
//! the measurement stop.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::normal;

/// What may have been spent of α by the information fraction t, from 0 to 1: α ln(1 + (e − 1) t), Lan and DeMets' form of Pocock's boundary.
fn pocock(alpha: f64, t: f64) -> f64 {
    alpha * (1.0 + (std::f64::consts::E - 1.0) * t).ln()
}

/// Points of the grid on which the density of the statistic is followed from look to look. Odd, for Simpson's rule.
const POINTS: usize = 401;

/// The two-sided nominal significance level of one look after the other: a test at that level at each of them errs with α in all.
///
/// Levels are accurate to about 10⁻⁴ of themselves. Each costs what one look costs, however many came before, and nothing where another boundary
/// of this process has looked so before.
#[derive(Debug, Clone)]
pub struct Boundary {
    alpha: f64,
    /// What may have been spent of α by an information fraction below 1.
    spent: fn(f64, f64) -> f64,
    /// The looks so far: information (its bits), and whether it was final.
    looks: Vec<(u64, bool)>,
    last: Option<Arc<Look>>,
}

/// What a look comes to.
#[derive(Debug)]
struct Look {
    /// Information.
    t: f64,
    /// Spent by it and those before it.
    spent: f64,
    /// In units of the score S = Z √t, which is a sum of independent increments.
    bound: f64,
    /// Of the score, among those that stayed within all bounds so far; worked out when another look follows.
    density: OnceLock<Vec<(f64, f64)>>,
    before: Option<Arc<Look>>,
}

/// By α, how it is spent, and looks.
type Known = BTreeMap<(u64, usize, Vec<(u64, bool)>), Arc<Look>>;

/// The cases of a suite look at the same numbers of pairs.
static KNOWN: Mutex<Known> = Mutex::new(BTreeMap::new());
/// So many looks are kept, of 6 KB each at most.
const MOST_KNOWN: usize = 1_000;

impl Boundary {
    /// Before the first look.
    pub fn new(alpha: f64) -> Self {
        Self { alpha, spent: pocock, looks: Vec::new(), last: None }
    }

    /// The level of the next look, at information `t`, above 0 and beyond that of the looks before; at or above 1 all of α is spent. A look that may
    /// spend nothing has level 0. `is_final`: nothing follows, for reasons that the data have no part in, so that it may spend what is left.
    pub fn look(&mut self, t: f64, is_final: bool) -> f64 {
        let look = self.next(t, is_final);
        self.looks.push((t.to_bits(), is_final));
        self.last.insert(look).level()
    }

    /// The level that [`Self::look`] would give, without looking: nothing is spent.
    pub fn level(&self, t: f64, is_final: bool) -> f64 {
        self.next(t, is_final).level()
    }

    fn next(&self, t: f64, is_final: bool) -> Arc<Look> {
        let looks = [self.looks.as_slice(), &[(t.to_bits(), is_final)]].concat();
        let key = (self.alpha.to_bits(), self.spent as usize, looks);
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(look) = known.get(&key) {
            return Arc::clone(look);
        }
        if known.len() >= MOST_KNOWN {
            known.clear();
        }
        let spent = if is_final || t >= 1.0 { self.alpha } else { (self.spent)(self.alpha, t.max(0.0)) };
        let look = Arc::new(Look::of(self.last.clone(), t, spent));
        known.insert(key, Arc::clone(&look));
        look
    }
}

impl Look {
    fn of(before: Option<Arc<Self>>, t: f64, spent: f64) -> Self {
        let now = (spent - before.as_ref().map_or(0.0, |before| before.spent)).max(0.0);
        let bound = match &before {
            None => -normal::quantile(now / 2.0) * t.sqrt(),
            Some(earlier) => boundary(earlier.density(), earlier.t, t, now),
        };
        Self { t, spent, bound, density: OnceLock::new(), before }
    }

    fn level(&self) -> f64 {
        2.0 * normal::cdf(-self.bound / self.t.sqrt())
    }

    fn density(&self) -> &[(f64, f64)] {
        self.density.get_or_init(|| {
            let before = self.before.as_deref().map(|before| (before.t, before.density()));
            continue_within(before, self.t, self.bound)
        })
    }
}

/// Beyond so many standard deviations lies less than 10⁻¹⁷: nothing beside what a look may spend.
const NOTHING_BEYOND: f64 = 8.5;

/// The bound that the score at information `t` exceeds, either way, with probability `exit`.
fn boundary(density: &[(f64, f64)], earlier: f64, t: f64, exit: f64) -> f64 {
    if exit <= 0.0 {
        return f64::INFINITY;
    }
    let step = (t - earlier).sqrt();
    // Probability beyond a bound, and its derivative. The density is symmetric, and so are the two bounds.
    let beyond = |bound: f64| -> (f64, f64) {
        density.iter().fold((0.0, 0.0), |(tail, slope), &(s, mass)| {
            let z = (bound - s) / step;
            if z > NOTHING_BEYOND {
                (tail, slope)
            } else if z < -NOTHING_BEYOND {
                (tail + 2.0 * mass, slope)
            } else {
                (tail + 2.0 * mass * normal::cdf(-z), slope - 2.0 * mass * normal::density(z) / step)
            }
        })
    };
    // Newton's method on the logarithm, which is concave (the densities are log-concave): from its second step on it comes
    // from above, and closer with each.
    let mut bound = 2.5 * t.sqrt();
    for _ in 0..60 {
        let (tail, slope) = beyond(bound);
        let towards = (tail / exit).ln() * tail / slope;
        if !towards.is_finite() {
            break;
        }
        bound = (bound - towards).clamp(0.0, 12.0 * t.sqrt());
        if towards.abs() <= 1e-9 * bound {
            break;
        }
    }
    bound
}

/// Points of the score and their masses (density times weight of Simpson's rule) among those that stayed within `bound`.
fn continue_within(before: Option<(f64, &[(f64, f64)])>, t: f64, bound: f64) -> Vec<(f64, f64)> {
    let reach = bound.min(12.0 * t.sqrt());
    let width = 2.0 * reach / (POINTS - 1) as f64;
    (0..POINTS)
        .map(|point| {
            let s = -reach + width * point as f64;
            let weight = match point {
                0 => 1.0,
                last if last == POINTS - 1 => 1.0,
                odd if odd % 2 == 1 => 4.0,
                _ => 2.0,
            } * width
                / 3.0;
            let density = match before {
                None => normal::density(s / t.sqrt()) / t.sqrt(),
                Some((earlier, masses)) => {
                    let step = (t - earlier).sqrt();
                    masses.iter().map(|&(from, mass)| mass * normal::density((s - from) / step) / step).sum()
                }
            };
            (s, density * weight)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{Boundary, pocock};
    use crate::normal;

    /// α t (Kim & DeMets, Biometrika 74(1), 1987, ρ = 1).
    fn evenly(alpha: f64, t: f64) -> f64 {
        alpha * t
    }

    /// 2 − 2 Φ(z₁₋α/₄ / √t) on either side: Lan and DeMets' form of O'Brien and Fleming's boundary.
    fn obrien_fleming(alpha: f64, t: f64) -> f64 {
        4.0 * normal::cdf(-normal::quantile(1.0 - alpha / 4.0) / t.sqrt())
    }

    fn nominal_levels(fractions: &[f64], alpha: f64, spent: fn(f64, f64) -> f64, last_is_final: bool) -> Vec<f64> {
        let mut boundary = Boundary { spent, ..Boundary::new(alpha) };
        let looks = fractions.iter().enumerate();
        looks.map(|(look, &t)| boundary.look(t, last_is_final && look + 1 == fractions.len())).collect()
    }

    fn bounds(levels: &[f64]) -> Vec<f64> {
        levels.iter().map(|level| normal::quantile(1.0 - level / 2.0)).collect()
    }

    fn agree(found: &[f64], published: &[f64]) {
        assert_eq!(found.len(), published.len());
        for (found, published) in found.iter().zip(published) {
            assert!((found - published).abs() < 0.002, "{found} is not {published}");
        }
    }

    /// Five equally spaced looks at α = 5 %, two-sided: Jennison & Turnbull 2000, and R's `ldbounds`.
    #[test]
    fn published_boundaries_come_out() {
        let fifths = [0.2, 0.4, 0.6, 0.8, 1.0];
        agree(
            &bounds(&nominal_levels(&fifths, 0.05, obrien_fleming, false)),
            &[4.8769, 3.3569, 2.6803, 2.2898, 2.0310],
        );
        agree(&bounds(&nominal_levels(&fifths, 0.05, pocock, false)), &[2.4380, 2.4268, 2.4101, 2.3966, 2.3859]);
    }

    #[test]
    fn one_look_costs_what_a_test_costs() {
        agree(&nominal_levels(&[1.0], 0.01, evenly, false), &[0.01]);
        agree(&nominal_levels(&[0.3], 0.01, evenly, true), &[0.01]);
    }

    /// Looks are kept for other cases, by all that came before them.
    #[test]
    fn the_same_look_after_another_one_has_less_to_spend() {
        let alone = nominal_levels(&[0.5], 0.01, evenly, false)[0];
        let after = nominal_levels(&[0.4, 0.5], 0.01, evenly, false)[1];
        assert!((alone - 0.005).abs() < 1e-6 && after < 0.7 * alone, "{alone} {after}");
    }

    #[test]
    fn a_last_look_spends_what_is_left() {
        let open = nominal_levels(&[0.2, 0.3], 0.01, evenly, false);
        let closed = nominal_levels(&[0.2, 0.3], 0.01, evenly, true);
        assert!((open[0] - closed[0]).abs() < 1e-12 && closed[1] > 3.0 * open[1], "{open:?} {closed:?}");
    }
}
