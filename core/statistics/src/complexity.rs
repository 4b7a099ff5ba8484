//! How a time grows with a parameter: which of the usual orders of growth fit, and the exponent of a power with its interval.

use crate::student::quantile;

/// Fewest sizes that an order of growth is fitted to.
pub const FEWEST: usize = 4;
/// What a model may be worse than the best one (in the information criterion) and still be named as fitting, too. A difference of 4 is
/// "considerably less support" (Burnham & Anderson, "Model Selection and Multimodel Inference", 2002, §2.6).
const ALSO: f64 = 4.0;
/// Part of a time that is never known better: a fit to a thousandth would call every bend of a cache another order.
const FLOOR: f64 = 0.01;

/// An order of growth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// O(1).
    Constant,
    /// O(log n).
    Logarithmic,
    /// O(n).
    Linear,
    /// O(n log n).
    Linearithmic,
    /// O(n²).
    Quadratic,
    /// O(n³).
    Cubic,
    /// O(2ⁿ).
    Exponential,
}

impl Order {
    /// All of them, the slowest growth first.
    pub const ALL: [Self; 7] = [
        Self::Constant,
        Self::Logarithmic,
        Self::Linear,
        Self::Linearithmic,
        Self::Quadratic,
        Self::Cubic,
        Self::Exponential,
    ];

    /// As people write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Constant => "O(1)",
            Self::Logarithmic => "O(log n)",
            Self::Linear => "O(n)",
            Self::Linearithmic => "O(n log n)",
            Self::Quadratic => "O(n²)",
            Self::Cubic => "O(n³)",
            Self::Exponential => "O(2ⁿ)",
        }
    }

    fn basis_at(self, n: f64) -> f64 {
        match self {
            Self::Constant => 0.0,
            Self::Logarithmic => n.ln(),
            Self::Linear => n,
            Self::Linearithmic => n * n.ln(),
            Self::Quadratic => n * n,
            Self::Cubic => n * n * n,
            Self::Exponential => n.exp2(),
        }
    }
}

/// A time at a size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sized {
    /// The parameter, above 0.
    pub size: f64,
    /// Nanoseconds, above 0.
    pub time: f64,
    /// Standard error of the time, nanoseconds.
    pub error: f64,
}

/// `time = fixed + each · order(n)`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fit {
    /// The order.
    pub order: Order,
    /// Nanoseconds at any size.
    pub fixed: f64,
    /// Nanoseconds for each unit of the order; 0 of a constant.
    pub each: f64,
    /// Half of the 95 % interval of `each`; 0 of a constant.
    pub each_half: f64,
    /// Weighted sum of squares that is left.
    left: f64,
}

impl Fit {
    fn parameters(&self) -> f64 {
        if self.order == Order::Constant { 1.0 } else { 2.0 }
    }

    /// The time at a size.
    pub fn at(&self, size: f64) -> f64 {
        self.fixed + if self.order == Order::Constant { 0.0 } else { self.each * self.order.basis_at(size) }
    }
}

/// What was found of a growth.
#[derive(Debug, Clone, PartialEq)]
pub struct Growth {
    /// The order that fits best.
    pub best: Fit,
    /// Others that the data don't rule out, the best first.
    pub also: Vec<Order>,
    /// Exponent of the power of the size that the time grows with over the whole range, and its 95 % interval.
    pub exponent: (f64, f64, f64),
}

/// Fits every order by weighted least squares, times weighed by their standard errors (at least 1 % of the time), and compares them by Akaike's
/// criterion for errors that are known but for one factor, which the best fit gives, 1 at least (QAIC, Burnham & Anderson, §2.5). A growth with a negative `each`, or a time below 0 at any size, isn't one. The
/// exponent is the slope of log time over log size, its interval Student's t. `None` of fewer than [`FEWEST`] different sizes.
pub fn growth(points: &[Sized]) -> Option<Growth> {
    let known: Vec<Sized> = points
        .iter()
        .copied()
        .filter(|p| [p.size, p.time].iter().all(|v| v.is_finite() && *v > 0.0) && p.error.is_finite())
        .collect();
    let mut sizes: Vec<f64> = known.iter().map(|point| point.size).collect();
    sizes.sort_by(f64::total_cmp);
    sizes.dedup();
    if sizes.len() < FEWEST {
        return None;
    }
    let mut fits: Vec<Fit> = Order::ALL.into_iter().filter_map(|order| fit(order, &known)).collect();
    let count = known.len() as f64;
    let over = fits.iter().map(|fit| fit.left / (count - fit.parameters())).fold(f64::INFINITY, f64::min).max(1.0);
    let criterion = |fit: &Fit| fit.left / over + 2.0 * fit.parameters();
    fits.sort_by(|a, b| criterion(a).total_cmp(&criterion(b)));
    let best = *fits.first()?;
    let also = fits[1..].iter().filter(|fit| criterion(fit) - criterion(&best) <= ALSO).map(|fit| fit.order).collect();
    Some(Growth { best, also, exponent: exponent(&known)? })
}

/// The line through these, its slope's standard error, and the weighted sum of squares that is left.
struct Line {
    fixed: f64,
    slope: f64,
    slope_error: f64,
    left: f64,
}

fn line(points: &[(f64, f64, f64)]) -> Option<Line> {
    let weight: f64 = points.iter().map(|p| p.2).sum();
    let centre = points.iter().map(|p| p.0 * p.2).sum::<f64>() / weight;
    let level = points.iter().map(|p| p.1 * p.2).sum::<f64>() / weight;
    let spread: f64 = points.iter().map(|p| p.2 * (p.0 - centre).powi(2)).sum();
    if !(spread > 0.0 && spread.is_finite()) {
        return None;
    }
    let slope = points.iter().map(|p| p.2 * (p.0 - centre) * (p.1 - level)).sum::<f64>() / spread;
    let fixed = level - slope * centre;
    let left: f64 = points.iter().map(|p| p.2 * (p.1 - fixed - slope * p.0).powi(2)).sum();
    // Where the points lie farther off than their own errors say, the model isn't all there is.
    let scatter = (left / (points.len() as f64 - 2.0)).max(1.0);
    Some(Line { fixed, slope, slope_error: (scatter / spread).sqrt(), left })
}

fn weight(point: &Sized) -> f64 {
    let error = point.error.max(0.0).hypot(FLOOR * point.time);
    1.0 / (error * error)
}

fn fit(order: Order, points: &[Sized]) -> Option<Fit> {
    let count = points.len() as f64;
    let (fixed, each, each_half, left) = if order == Order::Constant {
        let total: f64 = points.iter().map(weight).sum();
        let level = points.iter().map(|p| weight(p) * p.time).sum::<f64>() / total;
        (level, 0.0, 0.0, points.iter().map(|p| weight(p) * (p.time - level).powi(2)).sum())
    } else {
        let mapped: Vec<(f64, f64, f64)> = points.iter().map(|p| (order.basis_at(p.size), p.time, weight(p))).collect();
        if mapped.iter().any(|p| !p.0.is_finite()) {
            return None;
        }
        let line = line(&mapped)?;
        let below = points.iter().any(|p| line.fixed + line.slope * order.basis_at(p.size) <= 0.0);
        if line.slope <= 0.0 || below {
            return None;
        }
        (line.fixed, line.slope, quantile(0.975, count - 2.0) * line.slope_error, line.left)
    };
    Some(Fit { order, fixed, each, each_half, left })
}

fn exponent(points: &[Sized]) -> Option<(f64, f64, f64)> {
    let logarithms: Vec<(f64, f64, f64)> =
        points.iter().map(|p| (p.size.ln(), p.time.ln(), weight(p) * p.time * p.time)).collect();
    let line = line(&logarithms)?;
    let half = quantile(0.975, points.len() as f64 - 2.0) * line.slope_error;
    Some((line.slope, line.slope - half, line.slope + half))
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64;

    use super::{Order, Sized, growth};

    /// Times of an order with errors of 1 %.
    fn times(seed: u64, sizes: &[f64], truth: impl Fn(f64) -> f64) -> Vec<Sized> {
        let mut random = Pcg64::seed_from_u64(seed);
        let noise = |random: &mut Pcg64| (0..12).map(|_| random.random::<f64>()).sum::<f64>() - 6.0;
        let at = |size: &f64| {
            let time = truth(*size);
            Sized { size: *size, time: time * (1.0 + 0.01 * noise(&mut random)), error: time * 0.01 }
        };
        sizes.iter().map(at).collect()
    }

    #[test]
    fn the_order_is_found_or_named_among_what_also_fits() {
        let sizes: Vec<f64> = (4..14).map(|power| f64::from(1 << power)).collect();
        let small: Vec<f64> = (4..=16).map(f64::from).collect();
        type Truth<'a> = (Order, &'a [f64], fn(f64) -> f64);
        let truths: [Truth<'_>; 7] = [
            (Order::Constant, &sizes, |_| 80.0),
            (Order::Logarithmic, &sizes, |n| 20.0 + 9.0 * n.ln()),
            (Order::Linear, &sizes, |n| 40.0 + 3.0 * n),
            (Order::Linearithmic, &sizes, |n| 30.0 + 2.0 * n * n.ln()),
            (Order::Quadratic, &sizes, |n| 100.0 + 0.5 * n * n),
            (Order::Cubic, &sizes, |n| 100.0 + 0.01 * n * n * n),
            (Order::Exponential, &small, |n| 50.0 + 3.0 * n.exp2()),
        ];
        for (order, sizes, truth) in truths {
            let (mut best, mut named) = (0, 0);
            for seed in 0..100 {
                let found = growth(&times(seed, sizes, truth)).expect("a fit");
                best += usize::from(found.best.order == order);
                named += usize::from(found.best.order == order || found.also.contains(&order));
            }
            assert!(best >= 80, "{order:?} is the best of {best} in 100");
            assert!(named >= 98, "{order:?} is named in {named} of 100");
        }
    }

    #[test]
    fn the_exponent_s_interval_holds_the_truth() {
        let sizes: Vec<f64> = (1..9).map(|number| f64::from(number * 100)).collect();
        let held = (0..400).filter(|seed| {
            let (_, low, high) = growth(&times(*seed, &sizes, |n| 0.1 * n.powf(1.5))).expect("a fit").exponent;
            low <= 1.5 && 1.5 <= high
        });
        let held = held.count();
        assert!((370..=400).contains(&held), "{held} of 400");
    }

    /// Four sizes on a busy machine: what grows with a power of 0.6 at least isn't called constant.
    #[test]
    fn a_growth_that_few_wide_figures_show_is_one() {
        let points = [(100.0, 43.0, 10.7), (200.0, 105.0, 30.0), (800.0, 280.0, 117.0), (1600.0, 1260.0, 367.0)];
        let found = growth(&points.map(|(size, time, error)| Sized { size, time, error })).expect("a fit");
        assert!(found.exponent.1 > 0.0, "{found:?}");
        assert!(found.best.order != Order::Constant && !found.also.contains(&Order::Constant), "{found:?}");
    }

    #[test]
    fn of_few_sizes_or_of_figures_that_are_none_nothing_is_said() {
        assert_eq!(growth(&times(1, &[1.0, 2.0, 4.0], |n| n)), None);
        assert_eq!(growth(&times(1, &[1.0, 2.0, 2.0, 2.0, 4.0], |n| n)), None);
        let none = Sized { size: f64::NAN, time: f64::INFINITY, error: 0.0 };
        assert_eq!(growth(&[none; 9]), None);
        // Sizes whose powers of two are beyond every number leave that order out.
        let large: Vec<f64> = (1..8).map(|number| f64::from(number) * 1e6).collect();
        assert_eq!(growth(&times(3, &large, |n| 2.0 * n)).expect("a fit").best.order, Order::Linear);
    }
}
