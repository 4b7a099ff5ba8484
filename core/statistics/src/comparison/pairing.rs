use std::collections::{BTreeMap, BTreeSet};

use tare_samples::{Calibration, Correction, Launch, Subject};

use super::means::{PairMeans, raw_mean, steady_from};
use super::overlap;
use crate::interruption::spared_samples;
use crate::pausing;
use crate::quantile::{quantile, select_median, sort};

/// The samples of a turn are taken at this quantile. What disturbs a sample makes it longer, and the first ones after a switch are
/// slower: the third of a turn that met least of both says more of the code than the middle does (a sort of 1,000 integers in
/// Go, turns of 0.9 ms: intervals narrower by 40 %; in C++ by 6 %).
const UNDISTURBED: f64 = 1.0 / 3.0;

/// How far the pilots' share of the set-up may be off, as a fraction of itself: each was seen in one launch.
const SETUP_UNKNOWN: f64 = 0.5;
/// Of a sample that is nearly all set-up, this share is taken for it.
const MOST_DILUTION: f64 = 0.9;

/// One side of a launch pair.
#[derive(Debug, Clone, Copy)]
pub struct PairSide<'a> {
    /// A launch of the variant.
    pub launch: &'a Launch,
    /// What the pilot chose for it.
    pub calibration: &'a Calibration,
    /// How overhead combines with the subject.
    pub correction: Correction,
}

/// What one launch pair says: logarithms of the ratio of the tared times per call, candidate over base.
#[derive(Debug, Clone, PartialEq)]
pub struct PairRatio {
    /// The median over the rounds.
    pub log_ratio: f64,
    /// How far the true correction for loop and call may move it, either way; 0 for serial runtimes, which subtract it whole.
    pub correction: f64,
    /// The share, at most, by which a set-up that stays in the samples of both sides makes a difference look smaller than it is.
    pub dilution: f64,
    /// What a call costs on either side on average; `None` where only log-ratios are known.
    pub means: Option<PairMeans>,
    /// Half of loop and call over the base's time, where both sides are near-identical code, so that they have the same share of them, nearly,
    /// whatever that is: what it leaves open goes with the ratio of all pairs. 0 where [`Self::correction`] has it all.
    pub common: f64,
    /// Loop and call of either side, in nanoseconds, where both are near-identical code; else 0.
    pub calls: [f64; 2],
    /// What more is open, as [`Self::correction`], where pairs together say that these weren't compiled alike.
    pub unlike: f64,
    /// Whether typical calls are known: in some rounds neither side was interrupted where it tells. Else what stands for them is the ratio of
    /// means.
    pub spared: bool,
    /// Which two layouts of the code it met, as a number; those of the same number are no independent evidence of what layouts are worth. `None` where no
    /// other pair need have the same.
    pub layout: Option<u32>,
    rounds: Vec<f64>,
}

impl PairRatio {
    /// From the log-ratios of the rounds, in any order. `None` where there are none, or one that isn't finite.
    pub fn of_rounds(rounds: Vec<f64>, correction: f64) -> Option<Self> {
        let finite = rounds.iter().all(|round| round.is_finite());
        let log_ratio = select_median(&mut rounds.clone()).filter(|_| finite)?;
        Some(Self {
            log_ratio,
            correction,
            dilution: 0.0,
            common: 0.0,
            calls: [0.0; 2],
            unlike: 0.0,
            means: None,
            spared: true,
            layout: None,
            rounds,
        })
    }

    /// The log-ratio of each round; one at least.
    pub fn rounds(&self) -> &[f64] {
        &self.rounds
    }
}

/// Why a launch pair has no ratio.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Undefined {
    /// There is no round in which both were timed, or a launch has no null.
    NotMeasured,
    /// The base takes no longer than the scale itself.
    Base,
    /// The candidate takes no longer than the scale itself.
    Candidate,
}

/// The ratio of the two variants of a launch pair.
///
/// In each round the logarithm of the ratio of the raw times per call, lower thirds of the turns; over the rounds the median:
/// what slows the machine for a while slows both turns of a round alike, and drops out. The tare is then taken off both sides
/// with the launches' own nulls: with L the median log-ratio, b the base's median raw time and o the share of the scale,
///
/// ```text
/// ratio = (b e^L − o_candidate) / (b − o_base)
/// ```
///
/// so that a round whose tared time is next to nothing can't blow up. For overlapping runtimes the share lies between
/// nothing and all of loop and call: half of it is taken, and the two ends are given as [`PairRatio::correction`].
///
/// `alike`: the same case, in the same language and version of it, by the same compiler and options. Such code hides nearly the same share on
/// either side, however much that is: [`PairRatio::common`].
pub fn pair_ratio(base: &PairSide<'_>, candidate: &PairSide<'_>, alike: bool) -> Result<PairRatio, Undefined> {
    let sides = [base, candidate];
    let setup =
        f64::from(base.calibration.setup_ppm.max(candidate.calibration.setup_ppm)) / 1e6 * (1.0 + SETUP_UNKNOWN);
    let (base, candidate) = (Raw::of(base)?, Raw::of(candidate)?);
    let Typical { mut log_ratios, raw_base, spared } = Typical::of(sides, [&base, &candidate])?;
    let log_ratio = select_median(&mut log_ratios).ok_or(Undefined::NotMeasured)?;
    let raw_candidate = raw_base * log_ratio.exp();
    let tared = |of_base: f64, of_candidate: f64| -> Result<f64, Undefined> {
        let of_base = raw_base - base.tare(of_base);
        let of_candidate = raw_candidate - candidate.tare(of_candidate);
        if of_base <= 0.0 {
            return Err(Undefined::Base);
        }
        if of_candidate <= 0.0 {
            return Err(Undefined::Candidate);
        }
        Ok((of_candidate / of_base).ln())
    };
    let best = tared(0.5, 0.5)?;
    let overlapping = [&base, &candidate].iter().all(|side| side.correction == Correction::Overlapping);
    // Different subjects may hide different shares: the ends are where one hides all and the other nothing.
    // Where a call takes longer than what is left when it is taken off, nothing is known of either.
    let (most, least) = (tared(1.0, 0.0)?, tared(0.0, 1.0)?);
    let apart = (most - best).abs().max((least - best).abs());
    let near_identical = alike && overlapping;
    let (correction, unlike) = if near_identical { (0.0, apart) } else { (apart, 0.0) };
    // Pairs that one side has and the other hasn't leave something unknown there, in either direction. What both have is taken to hide alike:
    // they are the same code, nearly.
    let hidden = candidate.unknown_of_pairs(raw_candidate) - base.unknown_of_pairs(raw_base);
    let of_both = (raw_base - base.tare(0.5), raw_candidate - candidate.tare(0.5));
    let (of_more, none_left) =
        if hidden < 0.0 { (of_both.0, Undefined::Base) } else { (of_both.1, Undefined::Candidate) };
    if hidden.abs() >= of_more {
        return Err(none_left);
    }
    // Less of the side with more pairs weighs more than more of it.
    let correction = correction + (of_more / (of_more - hidden.abs())).ln();
    // The rounds lie around the median as the raw ones do, stretched by what the tare takes off the candidate, to first order.
    let stretch = raw_candidate / (raw_candidate - candidate.tare(0.5));
    let tared = log_ratios.iter().map(|round| best + stretch * (round - log_ratio)).collect();
    let mut found = PairRatio::of_rounds(tared, correction).ok_or(Undefined::NotMeasured)?;
    found.dilution = setup.min(MOST_DILUTION);
    found.means = Some(means(sides, [&base, &candidate])?);
    if near_identical {
        found.calls = [base.call, candidate.call];
        found.common = overlap::common(found.calls, raw_base - base.tare(0.5));
        found.unlike = unlike;
    }
    found.spared = spared;
    Ok(found)
}

/// What stands for the typical calls of a pair, raw.
struct Typical {
    /// Of each round, candidate over base.
    log_ratios: Vec<f64>,
    raw_base: f64,
    spared: bool,
}

impl Typical {
    /// By the rounds in which neither side's turn was interrupted where it tells; where there are none, by the means.
    fn of(sides: [&PairSide<'_>; 2], [base, candidate]: [&Raw; 2]) -> Result<Self, Undefined> {
        let finite = |log_ratio: &f64| log_ratio.is_finite();
        let of_spared = |(round, of_base): (&u32, &f64)| {
            let is_spared = ![base, candidate].iter().any(|side| side.interrupted.contains(round));
            is_spared.then(|| Some((candidate.rounds.get(round)? / of_base).ln())).flatten()
        };
        let log_ratios: Vec<f64> = base.rounds.iter().filter_map(of_spared).filter(finite).collect();
        if !log_ratios.is_empty() {
            return Ok(Self { log_ratios, raw_base: base.median, spared: true });
        }
        let means = sides.map(|side| raw_mean(side.launch, size(side.calibration), 0));
        let [Some(of_base), Some(of_candidate)] = means else { return Err(Undefined::NotMeasured) };
        let log_ratios = [(of_candidate / of_base).ln()].into_iter().filter(finite).collect();
        Ok(Self { log_ratios, raw_base: of_base, spared: false })
    }
}

/// What a call costs on either side on average, over the rounds in which both are steady.
fn means(sides: [&PairSide<'_>; 2], raws: [&Raw; 2]) -> Result<PairMeans, Undefined> {
    let from = raws.map(|raw| steady_from(&raw.in_order())).into_iter().max().unwrap_or(0);
    let [base, candidate] = [0, 1].map(|at| {
        let mean = raw_mean(sides[at].launch, size(sides[at].calibration), from);
        mean.map(|mean| mean - raws[at].pairs - raws[at].tare(0.5))
    });
    match (base, candidate) {
        (None, _) | (_, None) => Err(Undefined::NotMeasured),
        (Some(base), _) if base <= 0.0 => Err(Undefined::Base),
        (_, Some(candidate)) if candidate <= 0.0 => Err(Undefined::Candidate),
        (Some(base), Some(candidate)) => Ok(PairMeans { base, candidate }),
    }
}

/// One launch, raw. Nanoseconds per call.
struct Raw {
    /// Of each round's turn, at [`UNDISTURBED`]; in their order, so that sums are the same to the last digit.
    rounds: BTreeMap<u32, f64>,
    /// Rounds whose turn was interrupted so often that what stands for it may hold other processes' work.
    interrupted: BTreeSet<u32>,
    /// Median over the other rounds, or over all where there are none.
    median: f64,
    /// The share of the clock and of what else a sample holds once, and what loop and call add to it.
    clock: f64,
    call: f64,
    /// What its `pause`/`resume` pairs cost.
    pairs: f64,
    correction: Correction,
}

impl Raw {
    /// What its `pause`/`resume` pairs may hide behind the subject and change of its pace, at most, if a call takes so long raw.
    fn unknown_of_pairs(&self, raw: f64) -> f64 {
        match self.correction {
            Correction::Serial => 0.0,
            Correction::Overlapping => pausing::unknown_ns(self.pairs, raw - self.tare(0.5)),
        }
    }

    fn of(side: &PairSide<'_>) -> Result<Self, Undefined> {
        let size = size(side.calibration);
        let per_call = |total: f64| total / size.max(1) as f64;
        let mut rounds: BTreeMap<u32, f64> = BTreeMap::new();
        let mut interrupted = BTreeSet::new();
        let mut pairs = Vec::new();
        let kept = spared_samples(side.launch, &Subject::Case);
        for (turn, kept) in side.launch.turns_of(&Subject::Case).zip(kept) {
            let mut totals: Vec<f64> = of_size(turn, size).collect();
            if !has_enough_kept(&turn.iterations, &kept, size) {
                interrupted.insert(turn.round);
            }
            if let Some(total) = undisturbed(&mut totals) {
                let paused = pauses(side, turn);
                pairs.push(per_call(paused));
                rounds.insert(turn.round, per_call(total - paused));
            }
        }
        // As the case: within each turn first. Thirds of all turns together would be those of the fastest turn.
        let median_of = |subject: Subject, size: Option<u64>| {
            let turns = side.launch.turns_of(&subject);
            median_of_turns(turns.map(|turn| match size {
                Some(size) => of_size(turn, size).collect(),
                None => turn.elapsed.iter().map(|&elapsed| elapsed as f64).collect(),
            }))
        };
        let of = |kept: &dyn Fn(&u32) -> bool| -> Vec<f64> {
            rounds.iter().filter(|(round, _)| kept(round)).map(|(_, &time)| time).collect()
        };
        let median = select_median(&mut of(&|round| !interrupted.contains(round)))
            .or_else(|| select_median(&mut of(&|_| true)))
            .ok_or(Undefined::NotMeasured)?;
        let null = median_of(Subject::Null, Some(size)).ok_or(Undefined::NotMeasured)?;
        let clock = median_of(Subject::Clock, None).unwrap_or(0.0).min(null);
        // What a sample holds once is taken off as the clock is, which is part of it. It is seen in each launch anew, so that the
        // scatter of the pairs holds what isn't known of it.
        let once = if side.calibration.setup_ns > 0 { once(side).unwrap_or(clock) } else { clock };
        let pairs = select_median(&mut pairs).unwrap_or(0.0);
        Ok(Self {
            rounds,
            interrupted,
            median,
            clock: per_call(once),
            call: per_call(null - clock),
            pairs,
            correction: side.correction,
        })
    }

    fn in_order(&self) -> Vec<(u32, f64)> {
        self.rounds.iter().map(|(&round, &time)| (round, time)).collect()
    }

    /// What is taken off when `share` of the uncertain part is.
    fn tare(&self, share: f64) -> f64 {
        match self.correction {
            Correction::Serial => self.clock + self.call,
            Correction::Overlapping => self.clock + share * self.call,
        }
    }
}

/// What the samples of a launch hold beside their calls, by the line through two sizes: the median over the turns. `None` without
/// two sizes.
fn once(side: &PairSide<'_>) -> Option<f64> {
    let &[few, many] = side.calibration.far.as_slice() else { return None };
    let mut intercepts: Vec<f64> = side
        .launch
        .turns_of(&Subject::Case)
        .filter_map(|turn| {
            // Pauses cost the same in each call, and leave the line's beginning where it is.
            let of = |size| undisturbed(&mut of_size(turn, size).collect::<Vec<_>>());
            let (low, high) = (of(few)?, of(many)?);
            Some(low - (high - low) / many.abs_diff(few).max(1) as f64 * few as f64)
        })
        .collect();
    select_median(&mut intercepts)
}

/// The time that stands for samples of one size; `None` for none. Sorts them.
fn undisturbed(totals: &mut [f64]) -> Option<f64> {
    sort(totals);
    quantile(totals, UNDISTURBED)
}

/// Whether what stands for samples of one size ([`undisturbed`]) lies below all that were interrupted.
fn has_enough_kept(sizes: &[u64], kept: &[bool], size: u64) -> bool {
    let of_size = || sizes.iter().zip(kept).filter(|&(&calls, _)| calls == size);
    let (all, spared) = (of_size().count(), of_size().filter(|&(_, &kept)| kept).count());
    (all.saturating_sub(1) as f64 * UNDISTURBED).ceil() < spared as f64
}

/// The median over turns of what stands for each; `None` where no turn has samples.
fn median_of_turns(turns: impl Iterator<Item = Vec<f64>>) -> Option<f64> {
    select_median(&mut turns.filter_map(|mut totals| undisturbed(&mut totals)).collect::<Vec<_>>())
}

/// The calls of the samples that are compared: the pilot's, or the largest size where those are short.
fn size(calibration: &Calibration) -> u64 {
    match calibration.far.as_slice() {
        &[_, largest] => largest,
        _ => calibration.iterations,
    }
}

fn of_size(turn: &tare_samples::Turn, size: u64) -> impl Iterator<Item = f64> {
    turn.iterations
        .iter()
        .zip(&turn.elapsed)
        .filter(move |&(&calls, _)| calls == size)
        .map(|(_, &elapsed)| elapsed as f64)
}

/// What a sample's `pause`/`resume` pairs cost, in nanoseconds: the launch's own pairs less its null, for each pair.
fn pauses(side: &PairSide<'_>, turn: &tare_samples::Turn) -> f64 {
    if turn.pauses.is_empty() {
        return 0.0;
    }
    let size = size(side.calibration);
    let median_of =
        |subject: &Subject| median_of_turns(side.launch.turns_of(subject).map(|turn| of_size(turn, size).collect()));
    let (Some(paused), Some(null)) = (median_of(&Subject::Pause), median_of(&Subject::Null)) else { return 0.0 };
    let of_size = turn.iterations.iter().zip(&turn.pauses).filter(|&(&calls, _)| calls == size);
    let mut pairs: Vec<f64> = of_size.map(|(_, &pairs)| pairs as f64).collect();
    (paused - null) / size.max(1) as f64 * select_median(&mut pairs).unwrap_or(0.0)
}

#[cfg(test)]
#[path = "pairing/tests.rs"]
mod tests;
