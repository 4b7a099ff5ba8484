//! One comparison while it is measured: launch pairs come in, a state comes out.
//!
//! The first measurement is group sequential ([`spending`](super::spending)): at each look the interval of the ratio is
//! taken at the level that the look may spend, and measuring ends as soon as the interval lies on one side of the margin,
//! or says `same` so sharply that more pairs aren't worth their time. What looks different is only *flagged*. A second measurement, of fresh launches, is then judged by itself, data
//! that had no part in choosing what is tested (Cox, "A note on data-dependent choice of hypothesis", Biometrika 62(2),
//! 1975; Wasserman & Roeder, "High-dimensional variable selection", Annals of Statistics 37(5A), 2009: screen and clean).
//! Code within the margin is flagged with a probability of α = 1 % at most, and then has a second p-value of p or less with p at
//! most: α p is a p-value of both measurements together. Holm's procedure over those of all cases of the suite (1 for a
//! case that wasn't flagged) holds the family-wise error. However small the suite, the second measurement has to see a difference in
//! the same direction by itself; how large it is, beyond the margin or not, is for the interval over both to say.

mod confirmation;
mod power;
mod width;

pub use width::Widths;

use tare_samples::{About, MINIMUM_LAUNCHES};

use super::decision::{Confirmation, Grounds};
use super::evidence::{Basis, Evidence, locate, one_sided};
use super::judgement::Judgement;
use super::multiplicity::FAMILY_WISE_ERROR;
use super::question::Question;
use super::spending::Boundary;
use super::warnings::{self, Unconfirmed};
use super::{Claim, Comparison, Flag, PairRatio, Undefined, Verdict, holm};
use crate::{quantile, student};

/// Confidence of the interval of a ratio, over all looks together.
pub const CONFIDENCE: f64 = 0.99;
/// And what it may miss by, α; 1 − 0.99 is a little more than 0.01 in binary.
const ERROR: f64 = 0.01;
/// No difference at all must have a two-sided p-value of this at most over all pairs, were neighbours to go together as much as they allow.
const DEPENDENT: f64 = ERROR;
/// The second measurement's own p-value of no difference in the direction that was flagged must not exceed this, however small the suite.
const SEEN_AGAIN: f64 = 0.05;
/// A base of which some pairs show nothing has to lie above 0 with this confidence.
const ABOVE_ZERO: f64 = 0.999;
/// Power at which the minimum detectable effect is stated.
pub(super) const POWER: f64 = 0.8;
/// A difference is flagged by typical calls or by expected costs; each may spend this share of the error.
const SHARE_OF_A_BASIS: f64 = 0.5;

/// The second p-value at which nothing more has to be measured for the first of `family` cases: what Holm asks of the smallest, at the usual error.
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

/// The newest launch pair of a comparison.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NewestPair {
    /// Launch pairs that have a ratio, this one among them.
    pub pairs: usize,
    /// Its log-ratio.
    pub log_ratio: f64,
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
    /// What a flag rests on.
    flagged_by: Basis,
    second: Option<Second>,
    /// Cases of the suite that something is claimed of, this one included.
    family: usize,
    /// The base was compared with itself, and differed.
    control_differs: bool,
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
    /// What the first measurement saw it by, and the second has to see it by.
    basis: Basis,
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
            boundary: Boundary::new(ERROR),
            looked: None,
            state: State::Open,
            flagged_by: Basis::Typical,
            second: None,
            family: 1,
            control_differs: false,
        }
    }

    /// How many comparisons of the suite something is claimed of: what could have been seen depends on it. 1 unless it is said.
    pub fn set_family(&mut self, cases: usize) {
        self.family = cases.max(1);
    }

    /// Records that the base differed from itself. No difference from it is called then.
    pub fn apply_control(&mut self) {
        self.control_differs = true;
    }

    /// The same as [`second_level`], at the error of the [question](Question::error).
    pub fn second_level(&self, family: usize) -> f64 {
        second_level(family) * (self.question.error / FAMILY_WISE_ERROR)
    }

    /// How far it is.
    pub fn state(&self) -> State {
        self.state
    }

    /// Launch pairs so far, undefined ones included.
    pub fn made(&self) -> u32 {
        (self.pairs.len() + self.undefined.len()) as u32
    }

    /// The newest launch pair that has a ratio.
    pub fn newest(&self) -> Option<NewestPair> {
        self.pairs.last().map(|pair| NewestPair { pairs: self.pairs.len(), log_ratio: pair.log_ratio })
    }

    /// Launch pairs that it takes from here to the next look that may settle it.
    pub fn to_next_look(&self) -> u32 {
        let made = self.made();
        let next = match &self.second {
            Some(second) => {
                let looks = self.question.second_looks().iter();
                looks.map(|look| look + second.from as u32).find(|&look| look > made)
            }
            None => self.question.next_look(made),
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
        match &self.second {
            Some(second) if self.question.second_looks().contains(&(made - second.from as u32)) => self.look_again(),
            None if self.question.is_look(made) => self.look(made >= self.question.most()),
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

    /// Whether it would look different if there were no more time for its first measurement.
    pub fn would_be_flagged(&self) -> bool {
        let mut closed = self.clone();
        closed.close();
        matches!(closed.state, State::Flagged(_))
    }

    /// A flagged comparison goes into its second measurement, which may stop as soon as its p-value is at `level` or under.
    pub fn begin_second(&mut self, level: f64) {
        if let State::Flagged(first) = self.state {
            let (from, defined) = (self.made() as usize, self.pairs.len());
            let basis = self.flagged_by;
            self.second = Some(Second { first, basis, from, defined, level, p_value: 1.0, seen_again: 1.0 });
            self.state = State::Open;
        }
    }

    /// The p-value of the second measurement alone; `None` where there was none. Where builds differ by themselves
    /// ([`Question::between_builds`]) fresh pairs are no evidence on that, and it is at least so large that [`adjusted_p_values`] makes of it the p-value
    /// of builds of the same code: it may then exceed 1.
    pub fn second_p_value(&self) -> Option<f64> {
        self.second.map(|second| second.p_value.max(self.p_value_of_builds() / ERROR))
    }

    fn is_undefined(&self) -> Option<Undefined> {
        // A few of many are accidents of a subject near the resolution; a quarter is a subject without a ratio.
        let of = |which: Undefined| self.undefined.iter().filter(|&&undefined| undefined == which).count();
        let most = [Undefined::Base, Undefined::Candidate, Undefined::NotMeasured].into_iter().max_by_key(|&u| of(u));
        let many = self.undefined.len() * 4 >= self.made().max(1) as usize;
        let base = of(Undefined::Base);
        if base > 0 && !many {
            return (!self.base_is_resolved(base)).then_some(Undefined::Base);
        }
        many.then_some(most).flatten()
    }

    /// Where `lost` pairs had a base of 0 or less, those that are left were chosen by chance to lie above it. A ratio has a meaning if the mean of
    /// all, the lost ones as far below 0 as the others above it, is clearly positive (Fieller, "Some problems in interval estimation", JRSS B 16(2), 1954: else
    /// its interval has no end).
    fn base_is_resolved(&self, lost: usize) -> bool {
        let bases = self.pairs.iter().filter_map(|pair| Some(pair.means?.base));
        let bases: Vec<f64> = bases.collect();
        let as_far_below = -quantile::mean(&bases).unwrap_or(0.0);
        let bases = [bases, vec![as_far_below; lost]].concat();
        let (Some(mean), Some(error)) = (quantile::mean(&bases), quantile::standard_error(&bases)) else {
            return false;
        };
        mean > student::quantile(ABOVE_ZERO, (bases.len() - 1) as f64) * error
    }

    fn look(&mut self, last: bool) {
        let made = self.made();
        self.boundary = self.boundary_at(made);
        let mut after = self.boundary.clone();
        let level = after.look(self.question.information(made), last);
        // More may follow all the same, where it is flagged: then it has spent no more than its share.
        self.looked = Some(Look { made, closed: last, level, after });
        if self.is_undefined().is_some() {
            // More of it would be as undefined.
            self.state = State::Settled;
            return;
        }
        let evidence = Evidence::of(&self.pairs, level);
        let seen = evidence.map(|evidence| self.question.rule.judge(&evidence));
        let verdict = match seen {
            Some(seen) if seen.verdict.is_difference() && !self.question.control => {
                self.flagged_by = seen.basis;
                let about_time = self.question.rule.about == About::Time;
                let either = about_time && self.pairs.iter().any(|pair| pair.means.is_some());
                let share = if either { SHARE_OF_A_BASIS } else { 1.0 };
                self.judgement(share * level).map_or(Verdict::Inconclusive, |surely| surely.verdict)
            }
            seen => seen.map_or(Verdict::Inconclusive, |seen| seen.verdict),
        };
        self.state = match verdict {
            // Nothing will be called of these.
            Verdict::Slower | Verdict::Faster if self.question.control || self.may_be_its_place(level) => {
                State::Settled
            }
            Verdict::Slower | Verdict::Faster => State::Flagged(verdict),
            Verdict::Same if evidence.is_some_and(|evidence| self.is_enough(&evidence)) => State::Settled,
            _ if last => State::Settled,
            _ => State::Open,
        };
    }

    /// Whether nobody waits for more launches of what is the same: it is known sharply, or a gate asks for no more.
    fn is_enough(&self, evidence: &Evidence) -> bool {
        let Question { rule, gate, .. } = &self.question;
        let asked = evidence.about(rule.about);
        let passes = |gate: f64| asked.is_some_and(|ratio| ratio.high <= 1.0 + gate);
        rule.is_sharp(evidence) || gate.is_some_and(passes)
    }

    fn look_again(&mut self) {
        let (made, looks, margin) = (self.made(), self.question.second_looks(), self.question.rule.margin);
        let Some(mut second) = self.second else { return };
        let fresh = &self.pairs[second.defined..];
        let p_value =
            |beyond: f64| (one_sided(fresh, second.basis, second.first, beyond) * looks.len() as f64).min(1.0);
        (second.p_value, second.seen_again) =
            (second.p_value.min(p_value(margin)), second.seen_again.min(p_value(0.0)));
        self.second = Some(second);
        let enough = self.second_p_value().is_some_and(|p_value| p_value <= second.level)
            && second.seen_again <= SEEN_AGAIN
            && self.holds_dependent()
            && self.judgement(self.level()).is_some_and(|seen| seen.verdict == second.first);
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
                    .look(self.question.information(self.made()), closed || self.made() >= self.question.most())
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
                boundary.look(self.question.information(look.made), false);
                boundary
            }
            _ => self.boundary.clone(),
        }
    }

    /// What all pairs say at a level. `None` where they have no spread, or one that has no end.
    fn judgement(&self, level: f64) -> Option<Judgement> {
        Evidence::of(&self.pairs, level).map(|evidence| self.question.rule.judge(&evidence))
    }

    /// What is said now, but for the effect that could have been seen, which takes longer ([`Self::minimum_detectable_effect`]). `adjusted`: of
    /// [`adjusted_p_values`]; `interrupted`: more was wanted, and isn't there.
    pub fn comparison(&self, adjusted: f64, interrupted: bool) -> Comparison {
        let rule = &self.question.rule;
        let undefined = self.is_undefined();
        let evidence = if undefined.is_some() { None } else { Evidence::of(&self.pairs, self.level()) };
        let seen = evidence.map_or_else(Judgement::nothing, |evidence| rule.judge(&evidence));
        let seen_again = self.second.is_some_and(|second| second.seen_again <= SEEN_AGAIN) && self.holds_dependent();
        let layout = self.question.layout;
        let flag = self.second.map(|second| Flag {
            first: second.first,
            pairs: self.made() - second.from as u32,
            p_value: adjusted.min(1.0),
            claim: Some(Claim { second: self.second_p_value().unwrap_or(1.0), seen: seen.verdict, seen_again, layout }),
        });
        let confirmation = match &flag {
            _ if self.question.control => Confirmation::Needless,
            Some(flag) => flag.confirmation(seen.verdict, seen_again, self.question.error),
            None => Confirmation::Missing,
        };
        let mut found = Vec::new();
        if let Some(undefined) = undefined {
            found.push(warnings::undefined(undefined));
        } else if self.made() < MINIMUM_LAUNCHES {
            let located = locate(&self.pairs, Basis::Typical).map(|located| located.mean);
            let seen = located.or(self.pairs.first().map(|pair| pair.log_ratio));
            found.push(warnings::few_pairs(self.made(), MINIMUM_LAUNCHES, seen.map(f64::exp)));
        }
        if let (Some(flag), Confirmation::Missing, false) = (&flag, confirmation, interrupted) {
            let usual = flag.confirmation(seen.verdict, seen_again, FAMILY_WISE_ERROR);
            let why = if usual == Confirmation::Given { Unconfirmed::Session } else { self.unconfirmed() };
            found.push(warnings::not_confirmed(flag, why));
        }
        if interrupted {
            found.push(warnings::interrupted(self.made()));
        }
        found.extend(evidence.zip(seen.open).map(|(evidence, open)| open.told(&evidence)));
        if evidence.is_some_and(|evidence| evidence.typical.is_none()) {
            let interrupted = self.pairs.iter().filter(|pair| !pair.spared).count();
            found.push(warnings::always_interrupted(interrupted, self.pairs.len()));
        }
        let of_place = self.question.moved.filter(|_| self.may_be_its_place(self.level()));
        let doubts = of_place.map(|places| warnings::code_moved(seen.verdict, places)).into_iter();
        let doubts = doubts.chain(self.control_differs.then(|| warnings::control_differs(seen.verdict))).collect();
        let comparison = Comparison {
            ratio: evidence.map(|evidence| evidence.time),
            typical: evidence.and_then(|evidence| evidence.typical),
            pairs: self.made(),
            flag,
            ..Comparison::without_ratio(rule, found)
        };
        comparison.decided(&seen, Grounds { doubts, layout, ..Grounds::of(confirmation) })
    }
}

#[cfg(test)]
#[path = "live/tests.rs"]
mod tests;
