//! One comparison while it is measured: launch pairs come in, a state comes out.
//!
//! The first measurement is group sequential ([`spending`](super::spending)): at each look the interval of the ratio is
//! taken at the level that the look may spend, and measuring ends as soon as the interval lies on one side of the margin or
//! inside it. What looks different is only *flagged*. A second measurement, of fresh launches, is then judged by itself, data
//! that had no part in choosing what is tested (Cox, "A note on data-dependent choice of hypothesis", Biometrika 62(2),
//! 1975; Wasserman & Roeder, "High-dimensional variable selection", Annals of Statistics 37(5A), 2009: screen and clean).
//! Code within the margin is flagged with a probability of α = 1 % at most, and then has a second p-value of p or less with p at
//! most: α p is a p-value of both measurements together. Holm's procedure over those of all cases of the suite (1 for a
//! case that wasn't flagged) holds the family-wise error. However small the suite, the second measurement has to see a difference in
//! the same direction by itself; how large it is, beyond the margin or not, is for the interval over both to say.

use crate::{Estimate, quantile, student};

use super::detectable::minimum_detectable_effect;
use super::location::Location;
use super::spending::{Boundary, Spending};
use super::warnings;
use super::{Comparison, Flag, PairRatio, Undefined, Verdict, holm};

/// Confidence of the interval of a ratio, over all looks together.
pub const CONFIDENCE: f64 = 0.99;
/// And what it may miss by, α; 1 − 0.99 is a little more than 0.01 in binary.
const ERROR: f64 = 0.01;
/// The largest family-wise error of the verdicts `slower` and `faster` of a suite.
pub const FAMILY_WISE_ERROR: f64 = 0.01;
/// Launch pairs at which the first measurement is looked at. Six is where Student's t becomes bearable at the first look's level.
const LOOKS: [u32; 13] = [6, 8, 10, 13, 17, 22, 28, 34, 40, 52, 68, 88, 114];
/// More launch pairs than this aren't made, unless the user gives more time than usual.
pub const MOST_PAIRS: u32 = LOOKS[8];
/// And never more than this.
pub const MOST_PAIRS_WITH_TIME: u32 = LOOKS[LOOKS.len() - 1];
/// Launch pairs at which the second measurement is looked at, as far as it goes ([`Question::second_looks`]); its p-values are
/// multiplied by their number (Bonferroni).
const SECOND_LOOKS: [u32; 10] = [3, 4, 7, 10, 14, 20, 30, 45, 68, 100];
/// The second measurement makes no more launch pairs than this, unless the first one may.
const MOST_SECOND_PAIRS: u32 = SECOND_LOOKS[6];
/// The second measurement's own p-value of no difference in the direction that was flagged must not exceed this, however small the suite.
const SEEN_AGAIN: f64 = 0.05;
/// Launches of a pair differ by at least this much for reasons that a handful of them may not show (a logarithm).
pub(super) const LEAST_STANDARD_ERROR: f64 = 1e-5;
/// Power at which the minimum detectable effect is stated.
pub(super) const POWER: f64 = 0.8;
/// Fewer pairs than this give an interval that says little.
const FEW_PAIRS: u32 = 6;

/// The second p-value at which nothing more has to be measured for the first of `family` cases: what Holm asks of the smallest.
pub fn second_level(family: usize) -> f64 {
    FAMILY_WISE_ERROR / ERROR / family.max(1) as f64
}

/// P-values of both measurements together, after Holm over the suite, from the second p-values (`None`: not flagged).
pub fn adjusted_p_values(second: &[Option<f64>]) -> Vec<f64> {
    holm(&second.iter().map(|p| p.map_or(1.0, |p| ERROR * p)).collect::<Vec<_>>())
}

/// How far a comparison is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// More pairs are wanted.
    Open,
    /// It looks different: the second measurement is wanted. Carries what it looks like.
    Flagged(Verdict),
    /// Nothing more is wanted.
    Settled,
}

/// What is asked of a comparison.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Question {
    /// Differences up to this fraction don't matter; above 0.
    pub margin: f64,
    /// Launch pairs in all, where the user fixed them: they are looked at once, at the end.
    pub fixed_pairs: Option<u32>,
    /// Launch pairs at most, where they aren't fixed; 6 to [`MOST_PAIRS_WITH_TIME`]. The error is spent over so many.
    pub most_pairs: u32,
    /// Both sides are the same code. A control is measured once: what it shows is the noise.
    pub control: bool,
}

impl Question {
    /// Pairs of the first measurement.
    fn most(&self) -> u32 {
        self.fixed_pairs.unwrap_or(self.most_pairs).max(1)
    }

    /// Launch pairs at which a second measurement is looked at: up to about as many as the first one may make, thirty at least. With fewer, what
    /// the first could just see would hardly be seen again.
    fn second_looks(&self) -> &'static [u32] {
        let most = self.most().max(MOST_SECOND_PAIRS);
        &SECOND_LOOKS[..SECOND_LOOKS.partition_point(|&look| look <= most)]
    }
}

/// A comparison on its way.
#[derive(Debug, Clone)]
pub struct Live {
    question: Question,
    /// Log-ratios with their corrections, in order of measuring.
    pairs: Vec<PairRatio>,
    undefined: Vec<Undefined>,
    /// What the looks before the last one have spent.
    boundary: Boundary,
    looked: Option<Look>,
    state: State,
    second: Option<Second>,
}

/// A look at the first measurement.
#[derive(Debug, Clone)]
struct Look {
    made: u32,
    /// It spent all that was left.
    closed: bool,
    level: f64,
    /// What it and those before it have spent.
    after: Boundary,
}

/// The second measurement.
#[derive(Debug, Clone, Copy)]
struct Second {
    first: Verdict,
    /// Pairs before it, undefined ones included.
    from: usize,
    /// Those of them that have a ratio.
    defined: usize,
    /// The level at which it may stop.
    level: f64,
    /// The least p-value over its looks of a difference within the margin, multiplied by their number.
    p_value: f64,
    /// The same of no difference in the direction that was flagged.
    seen_again: f64,
}

impl Live {
    /// Nothing measured yet.
    pub fn new(question: Question) -> Self {
        Self {
            question,
            pairs: Vec::new(),
            undefined: Vec::new(),
            boundary: Boundary::new(ERROR, Spending::Pocock),
            looked: None,
            state: State::Open,
            second: None,
        }
    }

    /// How far it is.
    pub fn state(&self) -> State {
        self.state
    }

    /// Launch pairs so far, undefined ones included.
    pub fn made(&self) -> u32 {
        (self.pairs.len() + self.undefined.len()) as u32
    }

    /// Launch pairs that it takes from here to the next look that may settle it.
    pub fn to_next_look(&self) -> u32 {
        let made = self.made();
        let looks = |looks: &[u32], from: u32| looks.iter().map(|look| look + from).find(|&look| look > made);
        let next = match (&self.second, self.question.fixed_pairs) {
            (Some(second), _) => looks(self.question.second_looks(), second.from as u32),
            (None, Some(fixed)) => Some(fixed.max(made)),
            (None, None) => looks(&LOOKS, 0).map(|look| look.min(self.question.most())).filter(|&look| look > made),
        };
        next.map_or(0, |next| next - made)
    }

    /// Takes the next launch pair; looks at all of them where a look is due.
    pub fn push(&mut self, pair: Result<PairRatio, Undefined>) {
        match pair {
            Ok(pair) => self.pairs.push(pair),
            Err(undefined) => self.undefined.push(undefined),
        }
        let made = self.made();
        match (&self.second, self.question.fixed_pairs) {
            (Some(second), _) if self.question.second_looks().contains(&(made - second.from as u32)) => {
                self.look_again();
            }
            (None, Some(fixed)) if made == fixed => self.look(true),
            (None, None) if made == self.question.most() || LOOKS.contains(&made) => {
                self.look(made >= self.question.most())
            }
            _ => {}
        }
    }

    /// No more time for the first measurement: looks a last time, and spends on it what is left of the error.
    pub fn close(&mut self) {
        if self.state == State::Open && self.second.is_none() {
            self.look(true);
        }
        if self.state == State::Open {
            self.state = State::Settled;
        }
    }

    /// A flagged comparison goes into its second measurement, which may stop as soon as its p-value is at `level` or under.
    pub fn begin_second(&mut self, level: f64) {
        if let State::Flagged(first) = self.state {
            let (from, defined) = (self.made() as usize, self.pairs.len());
            self.second = Some(Second { first, from, defined, level, p_value: 1.0, seen_again: 1.0 });
            self.state = State::Open;
        }
    }

    /// The p-value of the second measurement alone; `None` where there was none.
    pub fn second_p_value(&self) -> Option<f64> {
        self.second.map(|second| second.p_value)
    }

    fn is_undefined(&self) -> Option<Undefined> {
        // A few of many are accidents of a subject near the resolution; a quarter is a subject without a ratio.
        let of = |which: Undefined| self.undefined.iter().filter(|&&undefined| undefined == which).count();
        let most = [Undefined::Base, Undefined::Candidate, Undefined::NotMeasured].into_iter().max_by_key(|&u| of(u));
        (self.undefined.len() * 4 >= self.made().max(1) as usize).then_some(most).flatten()
    }

    fn look(&mut self, last: bool) {
        let made = self.made();
        self.boundary = self.boundary_at(made);
        let mut after = self.boundary.clone();
        let level = after.look(self.information(made), last);
        // More may follow all the same, where it is flagged: then it has spent no more than its share.
        self.looked = Some(Look { made, closed: last, level, after });
        let verdict = match self.is_undefined() {
            // More of it would be as undefined.
            Some(_) => {
                self.state = State::Settled;
                return;
            }
            None => self.ratio().map_or(Verdict::Inconclusive, |ratio| Verdict::of(&ratio, self.question.margin)),
        };
        self.state = match verdict {
            Verdict::Slower | Verdict::Faster if self.question.control => State::Settled,
            Verdict::Slower | Verdict::Faster => State::Flagged(verdict),
            Verdict::Same => State::Settled,
            Verdict::Inconclusive if last => State::Settled,
            Verdict::Inconclusive => State::Open,
        };
    }

    fn look_again(&mut self) {
        let (made, looks, margin) = (self.made(), self.question.second_looks(), self.question.margin);
        let Some(mut second) = self.second else { return };
        let fresh = &self.pairs[second.defined..];
        let p_value = |beyond: f64| (one_sided(fresh, second.first, beyond) * looks.len() as f64).min(1.0);
        (second.p_value, second.seen_again) =
            (second.p_value.min(p_value(margin)), second.seen_again.min(p_value(0.0)));
        self.second = Some(second);
        let enough = second.p_value <= second.level
            && second.seen_again <= SEEN_AGAIN
            && self.ratio().is_some_and(|ratio| Verdict::of(&ratio, margin) == second.first);
        if enough || looks.last().is_some_and(|last| made - second.from as u32 >= *last) {
            self.state = State::Settled;
        }
    }

    /// The level of the interval over all pairs, as it stands.
    fn level(&self) -> f64 {
        match &self.looked {
            Some(look) if look.made == self.made() => look.level,
            look => {
                let closed = look.as_ref().is_some_and(|look| look.closed);
                self.boundary_at(self.made())
                    .look(self.information(self.made()), closed || self.made() >= self.question.most())
            }
        }
    }

    /// What has been spent by looks before one at `made` pairs.
    fn boundary_at(&self, made: u32) -> Boundary {
        match &self.looked {
            Some(look) if look.made != made && !look.closed => look.after.clone(),
            Some(look) if look.made != made => {
                // More came after all: it wasn't the last, and spent what looks in between spend.
                let mut boundary = self.boundary.clone();
                boundary.look(self.information(look.made), false);
                boundary
            }
            _ => self.boundary.clone(),
        }
    }

    /// As a share of what both measurements may gather: a first one that spent all would leave nothing for the interval over
    /// both, and no difference could be called any more.
    fn information(&self, pairs: u32) -> f64 {
        let second = self.question.second_looks().last().copied().unwrap_or(0);
        f64::from(pairs) / f64::from(self.question.most() + second)
    }

    /// The ratio over all pairs, at the level that the last look may spend. `None` where they have no spread, or one that has no
    /// end.
    fn ratio(&self) -> Option<Estimate> {
        let found = locate(&self.pairs)?;
        let half_width = student::quantile(1.0 - self.level() / 2.0, found.freedom) * found.standard_error;
        let (centre, half_width) = (found.mean, half_width + correction(&self.pairs));
        // A set-up that both sides have hides a part of what is there, and shows nothing that isn't: only the ends that lie away from no
        // difference move.
        let hidden = 1.0 / (1.0 - dilution(&self.pairs));
        let (low, high) = (centre - half_width, centre + half_width);
        let ratio =
            Estimate { estimate: centre.exp(), low: low.min(low * hidden).exp(), high: high.max(high * hidden).exp() };
        (ratio.low > 0.0 && ratio.high.is_finite()).then_some(ratio)
    }

    /// What is said now. `adjusted`: of [`adjusted_p_values`]; `interrupted`: more was wanted, and isn't there.
    pub fn comparison(&self, adjusted: f64, interrupted: bool) -> Comparison {
        let margin = self.question.margin;
        let mut found = Vec::new();
        let undefined = self.is_undefined();
        let ratio = if undefined.is_some() { None } else { self.ratio() };
        let seen = ratio.map_or(Verdict::Inconclusive, |ratio| Verdict::of(&ratio, margin));
        let flag = self.second.map(|second| Flag {
            first: second.first,
            pairs: self.made() - second.from as u32,
            p_value: adjusted.min(1.0),
        });
        let seen_again = self.second.is_some_and(|second| second.seen_again <= SEEN_AGAIN);
        let confirmed = seen_again
            && flag.is_some_and(|flag| flag.p_value <= FAMILY_WISE_ERROR && flag.first == seen && seen.is_difference());
        let verdict = match seen {
            Verdict::Slower | Verdict::Faster if !confirmed && !self.question.control => Verdict::Inconclusive,
            seen => seen,
        };
        if let Some(undefined) = undefined {
            found.push(warnings::undefined(undefined));
        } else if self.made() < FEW_PAIRS {
            let seen = locate(&self.pairs).map(|found| found.mean).or(self.pairs.first().map(|pair| pair.log_ratio));
            found.push(warnings::few_pairs(self.made(), FEW_PAIRS, seen.map(f64::exp)));
        }
        if let (Some(flag), false, false) = (flag, confirmed, interrupted) {
            found.push(warnings::not_confirmed(&flag, seen_again));
        }
        if interrupted {
            found.push(warnings::interrupted(self.made()));
        }
        let minimum_detectable_effect = locate(&self.pairs)
            .filter(|_| ratio.is_some())
            .map(|found| detectable(&found, self.level(), margin) + correction(&self.pairs))
            .map(|effect| effect / (1.0 - dilution(&self.pairs)))
            .filter(|effect| effect.is_finite());
        Comparison {
            ratio,
            confidence: CONFIDENCE,
            verdict,
            margin,
            minimum_detectable_effect,
            pairs: self.made(),
            flag,
            confirmed,
            warnings: found,
        }
    }
}

/// Location and standard error of the log-ratios; `None` for fewer than two pairs.
fn locate(pairs: &[PairRatio]) -> Option<Location> {
    let found = Location::of(pairs)?;
    Some(Location { standard_error: found.standard_error.max(LEAST_STANDARD_ERROR), ..found })
}

/// What the correction for loop and call leaves open, the same way in every launch.
fn correction(pairs: &[PairRatio]) -> f64 {
    quantile::select_median(&mut pairs.iter().map(|pair| pair.correction).collect::<Vec<_>>()).unwrap_or(0.0)
}

/// The share of a difference that a set-up within the samples may hide.
fn dilution(pairs: &[PairRatio]) -> f64 {
    quantile::select_median(&mut pairs.iter().map(|pair| pair.dilution).collect::<Vec<_>>()).unwrap_or(0.0)
}

/// Student's one-sided p-value for a difference of more than the fraction `beyond` in the direction of `towards`; 1 for fewer than two
/// pairs.
fn one_sided(pairs: &[PairRatio], towards: Verdict, beyond: f64) -> f64 {
    let Some(found) = locate(pairs) else { return 1.0 };
    let signed = if towards == Verdict::Faster { -found.mean } else { found.mean };
    student::cdf(-(signed - correction(pairs) - beyond.ln_1p()) / found.standard_error, found.freedom)
}

fn detectable(found: &Location, level: f64, margin: f64) -> f64 {
    minimum_detectable_effect(found.standard_error, found.freedom, level, margin, POWER)
}

#[cfg(test)]
#[path = "live/tests.rs"]
mod tests;
