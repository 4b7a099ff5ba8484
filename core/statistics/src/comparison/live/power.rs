//! The smallest effect that a live comparison sees: of all its looks, its second measurement, and the suite around it.
//!
//! A difference is called when the first measurement flags it at one of its looks, fresh pairs show it again at a p-value that
//! Holm's procedure leaves to the first of the suite's cases, and the interval over all pairs lies beyond the margin. Each of the
//! three costs power. The formula for one look at one level ([`minimum_detectable_effect`](crate::comparison::minimum_detectable_effect)) knows of
//! none but the first, and promised 80 % where one of twenty cases was called in 63 to 77 %, and one of a hundred in 44 to 57 %.
//! There is no closed form, so courses of Gaussian pairs are drawn from a fixed seed, and the effect is solved for on them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

use super::{DEPENDENT, ERROR, POWER, Question, SEEN_AGAIN, second_level};
use crate::comparison::FAMILY_WISE_ERROR;
use crate::comparison::location::{Location, Neighbours};
use crate::comparison::spending::Boundary;
use crate::{normal, student};

/// Courses that are drawn: they know the power to 0.9 %, one standard error.
const COURSES: usize = 2_000;
const SEED: u64 = 0x7a9e_5eed;
/// Courses are judged by their means. The bounded location of real pairs loses a little beside that: this much power.
const LOSS: f64 = 0.01;
/// Halvings of the bracket of the effect: 2⁻¹⁴ of it is 0.001 standard deviations of a pair.
const HALVINGS: usize = 14;

/// What the effect is asked for.
#[derive(Debug, Clone, Copy)]
pub(super) struct EffectQuestion<'a> {
    pub(super) question: &'a Question,
    /// Pairs of the first measurement, after which there was no time for more.
    pub(super) first_pairs: u32,
    /// Cases of which something is claimed.
    pub(super) family: usize,
    /// Standard deviation of a pair's log-ratio, as these and the second measurement's pairs show it.
    pub(super) scatter: f64,
}

/// The logarithm of the smallest ratio, margin included, that is called in four of five comparisons like this one, whose pairs scatter as they did
/// in this one. How they scatter is itself only seen through so many pairs; what is printed holds on the average over that (an
/// effect of so many *estimated* standard errors, Cohen 1988, §2.4, but with the estimate's own scatter). Of several true differences in a
/// suite the first has it hardest, and this is for the first. Infinite where no effect is called so often.
pub(super) fn detectable(asked: &EffectQuestion<'_>) -> f64 {
    let EffectQuestion { question, first_pairs, family, scatter } = *asked;
    let rules = Rules::of(question, first_pairs, family, scatter);
    let courses = Courses::of(first_pairs as usize + rules.most_second());
    let called = courses.called(&rules);
    let power = |shift: f64| {
        let count =
            called.iter().filter(|course| course.iter().any(|&(above, to)| above < shift && shift <= to)).count();
        count as f64 / COURSES as f64
    };
    let (mut low, mut high) = (0.0, 4.0);
    while power(high) < POWER + LOSS {
        (low, high) = (high, 2.0 * high);
        if high > 1e4 {
            return f64::INFINITY;
        }
    }
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(low, high);
        if power(middle) < POWER + LOSS { low = middle } else { high = middle }
    }
    question.rule.margin.ln_1p() + high * scatter
}

/// One look: at so many pairs a t statistic above `critical`.
#[derive(Debug, Clone, Copy)]
struct Bar {
    pairs: usize,
    critical: f64,
}

impl Bar {
    fn two_sided(pairs: u32, level: f64) -> Self {
        Self {
            pairs: pairs as usize,
            critical: student::quantile(1.0 - level / 2.0, Location::freedom(pairs as usize)),
        }
    }

    /// Passed by anything at a level of 1.
    fn one_sided(pairs: u32, level: f64) -> Self {
        Self { pairs: pairs as usize, critical: student::quantile(1.0 - level, Location::freedom(pairs as usize)) }
    }
}

/// The bars that a simulated difference has to pass to be called: those of the margin, of builds, of pairs that go together, and of both measurements. Lengths are in
/// standard deviations of a pair.
struct Rules {
    margin: f64,
    between_builds: f64,
    /// Quantiles for a difference that is larger than two builds of the same code may show.
    builds: Quantiles,
    /// Quantiles for a difference that also stands if neighbouring pairs are alike.
    dependent: Quantiles,
    first: Vec<Bar>,
    /// Empty for a control, which is measured once.
    second: Vec<SecondLook>,
    /// For each look of the first measurement, the interval over all pairs at each look of the second one.
    overall: Vec<Vec<Bar>>,
}

/// A look of the second measurement: at its own pairs.
struct SecondLook {
    beyond_margin: Bar,
    any: Bar,
}

impl Rules {
    fn of(question: &Question, first_pairs: u32, family: usize, scatter: f64) -> Self {
        let levels = Levels::of(question, first_pairs);
        let looks = if question.control { &[] } else { question.second_looks() };
        let share = 1.0 / looks.len() as f64;
        let of_first = second_level(family) * (question.error / FAMILY_WISE_ERROR);
        let level = of_first.min(1.0) * share;
        let again = |&pairs: &u32| SecondLook {
            beyond_margin: Bar::one_sided(pairs, if of_first >= 1.0 { 1.0 } else { level }),
            any: Bar::one_sided(pairs, SEEN_AGAIN * share),
        };
        let bars = |(from, levels): (&(u32, f64), &Vec<f64>)| {
            looks.iter().zip(levels).map(|(look, &level)| Bar::two_sided(from.0 + look, level)).collect()
        };
        Self {
            margin: question.rule.margin.ln_1p() / scatter,
            between_builds: question.between_builds / scatter,
            builds: Quantiles::of((of_first * ERROR).min(1.0) / 2.0),
            dependent: Quantiles::of(DEPENDENT / 2.0),
            first: levels.first.iter().map(|&(pairs, level)| Bar::two_sided(pairs, level)).collect(),
            second: looks.iter().map(again).collect(),
            overall: levels.first.iter().zip(&levels.overall).map(bars).collect(),
        }
    }

    fn most_second(&self) -> usize {
        self.second.last().map_or(0, |again| again.any.pairs)
    }
}

/// Levels of the intervals, by the spending of the error.
struct Levels {
    /// Of the first measurement: pairs and level of each look.
    first: Vec<(u32, f64)>,
    /// Of the interval over all pairs, for each look of the first measurement and of the second.
    overall: Vec<Vec<f64>>,
}

/// Most and first pairs, and whether they were fixed.
type Key = (u32, u32, bool);

/// The cases of a suite share them, and each takes thousands of normal densities.
static LEVELS: Mutex<BTreeMap<Key, Arc<Levels>>> = Mutex::new(BTreeMap::new());

impl Levels {
    fn of(question: &Question, first_pairs: u32) -> Arc<Self> {
        let key = (question.most(), first_pairs, question.fixed_pairs.is_some());
        let mut known = LEVELS.lock().unwrap_or_else(PoisonError::into_inner);
        known.entry(key).or_insert_with(|| Arc::new(Self::compute(question, first_pairs))).clone()
    }

    fn compute(question: &Question, first_pairs: u32) -> Self {
        let mut boundary = Boundary::new(ERROR);
        let mut found = Self { first: Vec::new(), overall: Vec::new() };
        for pairs in question.looks_before(first_pairs).chain([first_pairs]) {
            let last = pairs == first_pairs;
            let earlier = boundary.clone();
            let level = boundary.look(question.information(pairs), last);
            // As `Live`: with more pairs after it, a last look hasn't spent all that was left.
            let mut after = if last { earlier } else { boundary.clone() };
            if last {
                after.look(question.information(pairs), false);
            }
            let overall = question.second_looks().iter().map(|look| {
                let all = pairs + look;
                after.level(question.information(all), last || all >= question.most())
            });
            found.overall.push(overall.collect());
            found.first.push((pairs, level));
        }
        found
    }
}

/// Sums of the first 0, 1, 2, … pairs of a course.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    values: f64,
    squares: f64,
    /// Of the products of neighbours.
    products: f64,
    /// The last value.
    last: f64,
}

/// Upper quantiles of Student's t at one level, for any degrees of freedom: thousands are asked for, and each takes a while.
struct Quantiles {
    /// At 1/freedom = 0, [`Self::STEP`], 2 [`Self::STEP`], …, 1.
    at: Vec<f64>,
}

impl Quantiles {
    const STEP: f64 = 1.0 / 64.0;

    /// That leave `level` above them.
    fn of(level: f64) -> Self {
        let freedom = |step: u32| if step == 0 { f64::INFINITY } else { 1.0 / (f64::from(step) * Self::STEP) };
        Self { at: (0..=64).map(|step| student::quantile(1.0 - level, freedom(step))).collect() }
    }

    /// On the line between its neighbours in 1/freedom, along which it is nearly straight.
    fn at(&self, freedom: f64) -> f64 {
        let place = (1.0 / freedom / Self::STEP).clamp(0.0, 64.0);
        let before = (place.floor() as usize).min(63);
        let share = place - before as f64;
        self.at[before] * (1.0 - share) + self.at[before + 1] * share
    }
}

/// Courses that reach so far serve all comparisons without more time than usual, and those with it.
const LENGTHS: [usize; 2] = [70, 214];

/// Courses by the pairs of each: the cases of a suite share them.
static KNOWN_COURSES: Mutex<BTreeMap<usize, Arc<Courses>>> = Mutex::new(BTreeMap::new());

/// Many courses of pairs, standard Gaussian values.
struct Courses {
    pairs: usize,
    /// One course after the other.
    sums: Vec<Sums>,
}

impl Courses {
    /// Of so many pairs or more.
    fn of(pairs: usize) -> Arc<Self> {
        let pairs = LENGTHS.into_iter().find(|&length| length >= pairs).unwrap_or(pairs);
        let mut known = KNOWN_COURSES.lock().unwrap_or_else(PoisonError::into_inner);
        known.entry(pairs).or_insert_with(|| Arc::new(Self::draw(pairs))).clone()
    }

    fn draw(pairs: usize) -> Self {
        let mut generator = Pcg64::seed_from_u64(SEED);
        let mut sums = Vec::with_capacity(COURSES * (pairs + 1));
        for _ in 0..COURSES {
            let mut sum = Sums::default();
            sums.push(sum);
            for _ in 0..pairs {
                // The middle of one of 2³² equal intervals: never 0 or 1.
                let value = normal::quantile((f64::from(generator.random::<u32>()) + 0.5) / 4_294_967_296.0);
                sum = Sums {
                    values: sum.values + value,
                    squares: sum.squares + value * value,
                    products: sum.products + sum.last * value,
                    last: value,
                };
                sums.push(sum);
            }
        }
        Self { pairs, sums }
    }

    /// For each course where the truth has to lie beyond the margin to be called, in standard deviations of a pair *as seen in another course*: above
    /// the first and up to the second of any of these.
    fn called(&self, rules: &Rules) -> Vec<Vec<(f64, f64)>> {
        let courses = || self.sums.chunks_exact(self.pairs + 1).map(Course);
        let seen = rules.first.last().map_or(0, |last| last.pairs);
        // What is printed is that of another course, which saw another scatter.
        let printed = courses().cycle().skip(1).map(|course| course.located(0, seen).standard_error());
        let printed = printed.map(|error| error * (seen as f64).sqrt());
        courses()
            .zip(printed)
            .map(|(course, scatter)| {
                course.called(rules).into_iter().map(|(above, to)| (above / scatter, to / scatter)).collect()
            })
            .collect()
    }
}

/// Where pairs of a course lie. Most of them are asked for their error alone, and a course is asked at each look: what neighbours may do beside what they
/// show takes most of the time, and is computed where it is needed.
#[derive(Debug, Clone, Copy)]
struct Located {
    pairs: usize,
    mean: f64,
    /// Were neighbours not to go together.
    independent_error: f64,
    lag_one: f64,
}

impl Located {
    fn standard_error(&self) -> f64 {
        self.independent_error * Neighbours::shown(self.pairs, self.lag_one)
    }

    fn location(&self) -> Location {
        let neighbours = Neighbours::of(self.pairs, self.lag_one);
        Location {
            mean: self.mean,
            standard_error: self.independent_error * neighbours.shown,
            freedom: Location::freedom(self.pairs),
            possible_inflation: neighbours.possible / neighbours.shown,
        }
    }
}

/// One course.
struct Course<'a>(&'a [Sums]);

impl Course<'_> {
    /// Where so many pairs after the first `from` lie.
    fn located(&self, from: usize, pairs: usize) -> Located {
        let (before, first, end) = (self.0[from], self.0[from + 1], self.0[from + pairs]);
        let count = pairs as f64;
        let mean = (end.values - before.values) / count;
        let squares = (end.squares - before.squares - count * mean * mean).max(f64::MIN_POSITIVE);
        let ends = first.last + end.last;
        let products = end.products - first.products - mean * (2.0 * mean * count - ends) + (count - 1.0) * mean * mean;
        let independent_error = (squares / (count - 1.0) / count).sqrt();
        Located { pairs, mean, independent_error, lag_one: products / squares }
    }

    /// The truths beyond the margin, in standard deviations of a pair, with which it is called: above the first and up to the second of any. The first
    /// look that a truth passes is the one that flags it: a look counts for those that none before it lets pass.
    fn called(&self, rules: &Rules) -> Vec<(f64, f64)> {
        let mut found = Vec::new();
        let mut open_to = f64::INFINITY;
        for (bar, overall) in rules.first.iter().zip(&rules.overall) {
            let flagged = self.passed_above(0, bar);
            if flagged >= open_to {
                continue;
            }
            let above = flagged.max(self.confirmed_above(rules, bar.pairs, overall));
            if above < open_to {
                found.push((above, open_to));
            }
            open_to = flagged;
        }
        found
    }

    /// The truth above which so many pairs after the first `from` pass a bar.
    fn passed_above(&self, from: usize, bar: &Bar) -> f64 {
        let found = self.located(from, bar.pairs);
        bar.critical * found.standard_error() - found.mean
    }

    /// The truth above which the second measurement, begun after `from` pairs, confirms what is flagged.
    fn confirmed_above(&self, rules: &Rules, from: usize, overall: &[Bar]) -> f64 {
        if rules.second.is_empty() {
            return f64::NEG_INFINITY;
        }
        let (mut beyond, mut any, mut least) = (f64::INFINITY, f64::INFINITY, f64::INFINITY);
        for (again, all) in rules.second.iter().zip(overall) {
            beyond = beyond.min(self.passed_above(from, &again.beyond_margin));
            any = any.min(self.passed_above(from, &again.any) - rules.margin);
            let found = self.located(0, all.pairs);
            let mut above = (all.critical * found.standard_error() - found.mean).max(beyond).max(any);
            if above >= least {
                continue;
            }
            let found = found.location();
            let past = |of: Location, critical: f64| critical * of.standard_error - of.mean - rules.margin;
            // Were neighbours to go together, and builds to differ.
            above = above.max(past(found.dependent(), rules.dependent.at(found.freedom)));
            if rules.between_builds > 0.0 {
                let found = found.beside(rules.between_builds);
                above = above.max(past(found, rules.builds.at(found.freedom)));
            }
            least = least.min(above);
        }
        least
    }
}
