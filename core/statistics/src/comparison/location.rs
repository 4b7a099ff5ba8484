//! Where the log-ratios of launch pairs lie, and how well that is known.

use crate::{autocorrelation, quantile};

use super::{PairRatio, clusters};

/// Fewer launch pairs than this say nothing of which of them are far off: all count in full.
const FEWEST_JUDGED: usize = 6;
/// A round counts in full up to this many times the scatter of the pairs, a robust standard deviation, from the middle.
const FULL_WITHIN: f64 = 2.0;
/// And at least as far off as this share of the pairs lie. Of pairs that have states of their own half may agree by chance, and say nothing of
/// the others.
const PAIRS_WITHIN: f64 = 0.75;
/// And at least within the distance from its pair's own median that this share of the rounds keeps. Rounds often lie in a narrow
/// peak and, where one of the two met another state of the machine or of the branch predictor, far off to either side.
const NEAR_SHARE: f64 = 0.25;
/// Where fewer rounds than this share count in full, the middle lies between two peaks, and is that of none: the pairs' medians decide.
const LEAST_SHARE: f64 = 0.1;
/// Degrees of freedom for each pair after the first: see [`Location`].
const FREEDOM: f64 = 0.7;
/// A Gaussian's standard deviation over its median absolute deviation.
const OVER_MAD: f64 = 1.482_602_218_505_602;
/// Fewer pairs than this show nothing of how neighbours go together.
const FEWEST_NEIGHBOURS: usize = 8;
/// Neighbours go together where their correlation is so many of its standard errors (1/√n) above 0: of independent pairs 2 to 3 % look so.
const SHOWN: f64 = 2.0;
/// And they may go together by so much more than they seem to.
const POSSIBLE: f64 = 3.0;
/// But not more than this: pairs would then hardly differ.
const MOST_TOGETHER: f64 = 0.95;
/// Half the bracket at a time, until it is narrower than what numbers hold.
const HALVINGS: usize = 60;

/// Huber's M-estimate of location over the rounds of all pairs, each pair with the same weight, and its error from the pairs: rounds
/// of one launch share its memory layout and are no independent evidence.
///
/// With ψ(u) = u clipped to ±1 and a scale s, the estimate θ solves Σ_pairs mean_rounds ψ((x − θ)/s) = 0 (Huber, "Robust
/// estimation of a location parameter", Annals of Mathematical Statistics 35(1), 1964). What pair i adds is its influence,
/// t_i = θ + mean_rounds ψ((x − θ)/s) / mean ψ′; their mean is θ, and the root of their variance over n its standard error (the
/// sandwich by clusters: Liang & Zeger, "Longitudinal data analysis using generalized linear models", Biometrika 73(1), 1986).
/// Rounds that scatter widely round a narrow peak, and pairs that are far off, have bounded influence; where nothing is off, little is
/// lost beside the mean.
///
/// s is the largest of three: twice the pairs' robust standard deviation (1.4826 MAD of their medians); the distance that three in four of these
/// medians keep from the middle one; what a quarter of the rounds lie within of their pair's median.
/// (θ − truth)/error follows Student's t with about 0.7 (n − 1) degrees of freedom: s is estimated too.
/// Over normal pairs, pairs with outliers, Student-t pairs and pairs that are in one of three states each, intervals at 99 % then miss in 0.3 to
/// 1.4 % from 6 pairs on. Where pairs, or most rounds of one side, are in one of two states with nothing between them, the middle is ill-defined, and
/// six pairs miss more often, as they do with any robust location. Where neighbouring pairs clearly go together, the error is that of a
/// first-order autoregressive process. With fewer than 6 pairs: the mean of their medians, n − 1 degrees of freedom.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Location {
    /// A natural logarithm of a ratio.
    pub mean: f64,
    /// Of [`Self::mean`].
    pub standard_error: f64,
    /// Degrees of freedom of that.
    pub freedom: f64,
    /// By what [`Self::standard_error`] would grow if neighbours went together by as much as these pairs allow: 1 or more.
    pub possible_inflation: f64,
}

impl Location {
    /// `None` for fewer than two pairs.
    pub fn of(pairs: &[PairRatio]) -> Option<Self> {
        let medians: Vec<f64> = pairs.iter().map(|pair| pair.log_ratio).collect();
        let n = pairs.len();
        let influences = if n < FEWEST_JUDGED { medians } else { influences(pairs, &medians)? };
        let neighbours = Neighbours::of(n, autocorrelation::lag_one(&influences).unwrap_or(0.0));
        let (standard_error, draws) = clusters::standard_error(&influences, pairs)?;
        Some(Self {
            mean: quantile::mean(&influences)?,
            standard_error: standard_error * neighbours.shown,
            freedom: Self::freedom(draws),
            possible_inflation: neighbours.possible / neighbours.shown,
        })
    }

    /// The same beside a standard deviation that more pairs don't take away, and that is known: its degrees of freedom grow by Welch and
    /// Satterthwaite's formula (Satterthwaite, Biometrics Bulletin 2(6), 1946).
    pub(super) fn beside(self, deviation: f64) -> Self {
        let standard_error = self.standard_error.hypot(deviation);
        let share = (standard_error / self.standard_error).powi(4);
        Self { standard_error, freedom: if share.is_finite() { self.freedom * share } else { f64::INFINITY }, ..self }
    }

    /// The same if neighbours went together by as much as these pairs allow.
    pub(super) fn dependent(self) -> Self {
        Self { standard_error: self.standard_error * self.possible_inflation, possible_inflation: 1.0, ..self }
    }

    /// Degrees of freedom of the standard error of so many pairs.
    pub(super) fn freedom(pairs: usize) -> f64 {
        let others = pairs.saturating_sub(1) as f64;
        if pairs < FEWEST_JUDGED { others } else { FREEDOM * others }
    }
}

/// What it does to the standard error that neighbouring pairs go together: the machine's state, and what it does to one side more than to the other,
/// changes more slowly than pairs follow each other.
#[derive(Debug, Clone, Copy)]
pub(super) struct Neighbours {
    /// As much as shows clearly: independent pairs keep their interval.
    pub(super) shown: f64,
    /// As much as can't be excluded. Eight pairs with ρ = 0.8 look independent in most cases, so that no test for it keeps identical code from
    /// being called different.
    pub(super) possible: f64,
}

impl Neighbours {
    /// Of so many pairs with the lag-one autocorrelation `r`.
    pub(super) fn of(pairs: usize, r: f64) -> Self {
        let shown = Self::shown(pairs, r);
        let possible = inflation(pairs, together(pairs, r) + POSSIBLE * error(pairs));
        Self { shown, possible: possible.max(shown) }
    }

    /// [`Self::shown`] alone, which takes far less time in most cases.
    pub(super) fn shown(pairs: usize, r: f64) -> f64 {
        let is_shown = pairs >= FEWEST_NEIGHBOURS && r + 1.0 / pairs as f64 > SHOWN * error(pairs);
        if is_shown { inflation(pairs, together(pairs, r)) } else { 1.0 }
    }
}

/// Of the lag-one autocorrelation of so many pairs.
fn error(pairs: usize) -> f64 {
    1.0 / (pairs.max(1) as f64).sqrt()
}

/// How far neighbours go together, where so many pairs have the lag-one autocorrelation `r`.
fn together(pairs: usize, r: f64) -> f64 {
    autocorrelation::unbiased(r, pairs).max(0.0)
}

fn inflation(pairs: usize, r: f64) -> f64 {
    autocorrelation::inflation_of(pairs, r.min(MOST_TOGETHER))
}

impl Location {
    /// What each pair says, bounded: t_i, whose mean is [`Self::mean`]. `None` for no pairs.
    pub(super) fn influences(pairs: &[PairRatio]) -> Option<Vec<f64>> {
        let medians: Vec<f64> = pairs.iter().map(|pair| pair.log_ratio).collect();
        if pairs.len() < FEWEST_JUDGED { Some(medians) } else { influences(pairs, &medians) }
    }
}

/// What each pair says, bounded: t_i of [`Location`].
fn influences(pairs: &[PairRatio], medians: &[f64]) -> Option<Vec<f64>> {
    let scale = scale(pairs, medians)?;
    if scale <= 0.0 {
        return Some(medians.to_vec());
    }
    let rounds = || pairs.iter().map(PairRatio::rounds);
    let mean_of = |rounds: &[f64], value: &dyn Fn(f64) -> f64| {
        rounds.iter().map(|&round| value(round)).sum::<f64>() / rounds.len() as f64
    };
    let score = |centre: f64| move |round: f64| ((round - centre) / scale).clamp(-1.0, 1.0);
    let (mut low, mut high) = rounds()
        .flatten()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &round| (low.min(round), high.max(round)));
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(low, high);
        let total: f64 = rounds().map(|rounds| mean_of(rounds, &score(middle))).sum();
        if total > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    let centre = f64::midpoint(low, high);
    let full = |round: f64| f64::from(u8::from((round - centre).abs() <= scale));
    let share = rounds().map(|rounds| mean_of(rounds, &full)).sum::<f64>() / pairs.len() as f64;
    if share < LEAST_SHARE {
        return Some(medians.to_vec());
    }
    let slope = share / scale;
    Some(rounds().map(|rounds| centre + mean_of(rounds, &score(centre)) / slope).collect())
}

/// The distance from the middle within which a round counts in full; 0 where three in four pairs agree to the last digit, and a quarter of the rounds.
fn scale(pairs: &[PairRatio], medians: &[f64]) -> Option<f64> {
    let mut sorted = medians.to_vec();
    quantile::sort(&mut sorted);
    let middle = quantile::median(&sorted)?;
    let mut distances: Vec<f64> = sorted.iter().map(|median| (median - middle).abs()).collect();
    quantile::sort(&mut distances);
    let between =
        (FULL_WITHIN * OVER_MAD * quantile::median(&distances)?).max(quantile::quantile(&distances, PAIRS_WITHIN)?);
    let mut within: Vec<f64> =
        pairs.iter().flat_map(|pair| pair.rounds().iter().map(|round| (round - pair.log_ratio).abs())).collect();
    quantile::sort(&mut within);
    Some(quantile::quantile(&within, NEAR_SHARE)?.max(between))
}

#[cfg(test)]
mod tests {
    use super::Location;
    use crate::comparison::PairRatio;

    fn pairs(rounds: &[&[f64]]) -> Vec<PairRatio> {
        rounds.iter().map(|rounds| PairRatio::of_rounds(rounds.to_vec(), 0.0).unwrap()).collect()
    }

    fn single(values: &[f64]) -> Vec<PairRatio> {
        values.iter().map(|&value| PairRatio::of_rounds(vec![value], 0.0).unwrap()).collect()
    }

    #[test]
    fn pairs_that_lie_together_have_their_mean_and_its_error() {
        // Median 3.5, MAD 1.5: nothing lies farther off than 2 · 1.4826 · 1.5.
        let found = Location::of(&single(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0])).unwrap();
        assert!((found.mean - 3.5).abs() < 1e-12, "{found:?}");
        assert!((found.standard_error - (3.5f64 / 6.0).sqrt()).abs() < 1e-12, "{found:?}");
        assert!((found.freedom - 3.5).abs() < 1e-12);
    }

    #[test]
    fn a_pair_that_is_far_off_moves_it_by_a_bounded_step() {
        let with = |last: f64| Location::of(&single(&[1.0, 2.0, 3.0, 4.0, 5.0, last])).unwrap();
        assert!((with(60.0).mean - with(6_000.0).mean).abs() < 1e-12);
        assert!((with(60.0).standard_error - with(6_000.0).standard_error).abs() < 1e-12);
        // Five within the scale s = 2 · 1.4826 · 1.5 of θ, one clipped: Σ (x − θ) + s = 0 over the five, so θ = 3 + s / 5.
        let scale = 2.0 * 1.482_602_218_505_602 * 1.5;
        assert!((with(60.0).mean - (3.0 + scale / 5.0)).abs() < 1e-12);
    }

    #[test]
    fn few_pairs_have_their_mean() {
        assert_eq!(Location::of(&single(&[1.0])), None);
        let found = Location::of(&single(&[1.0, 3.0, 80.0])).unwrap();
        assert_eq!((found.mean, found.freedom), (28.0, 2.0));
    }

    #[test]
    fn pairs_that_agree_to_the_last_digit_have_no_error() {
        let found = Location::of(&single(&[0.25; 8])).unwrap();
        assert_eq!((found.mean, found.standard_error), (0.25, 0.0));
    }

    /// Rounds in a narrow peak with some far off to either side: they, and not where the medians of so few happen to fall, decide.
    #[test]
    fn rounds_in_the_peak_decide() {
        let peak = [-0.001, 0.0, 0.001];
        let of = |left: usize, right: usize| [vec![-0.3; left], peak.to_vec(), vec![0.3; right]].concat();
        let rounds: Vec<Vec<f64>> = [(2, 2), (1, 3), (3, 1), (2, 2), (1, 3), (3, 1)].map(|(l, r)| of(l, r)).to_vec();
        let found = Location::of(&pairs(&rounds.iter().map(Vec::as_slice).collect::<Vec<_>>())).unwrap();
        assert!(found.mean.abs() < 1e-12, "{found:?}");
        // By hand: s = 0.002965 (medians 0, 0.001, −0.001, twice), slope (3/7)/s, influences 0 and ±s · (2/7)/(3/7) = ±s · 2/3.
        let scale = 2.0 * 1.482_602_218_505_602 * 0.001;
        let error = (4.0 * (scale * 2.0 / 3.0f64).powi(2) / 5.0 / 6.0).sqrt();
        assert!((found.standard_error - error).abs() < 1e-9, "{found:?}, {error}");
    }
}
