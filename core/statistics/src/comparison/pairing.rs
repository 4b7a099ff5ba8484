use std::collections::HashMap;

use tare_samples::{Calibration, Correction, Launch, Subject};

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
pub struct Side<'a> {
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
    rounds: Vec<f64>,
}

impl PairRatio {
    /// From the log-ratios of the rounds, in any order. `None` where there are none, or one that isn't finite.
    pub fn of_rounds(rounds: Vec<f64>, correction: f64) -> Option<Self> {
        let finite = rounds.iter().all(|round| round.is_finite());
        let log_ratio = select_median(&mut rounds.clone()).filter(|_| finite)?;
        Some(Self { log_ratio, correction, dilution: 0.0, rounds })
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

/// The ratio of the two variants of a launch pair (DESIGN §3, Comparison).
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
pub fn pair_ratio(base: &Side<'_>, candidate: &Side<'_>) -> Result<PairRatio, Undefined> {
    let setup =
        f64::from(base.calibration.setup_ppm.max(candidate.calibration.setup_ppm)) / 1e6 * (1.0 + SETUP_UNKNOWN);
    let (base, candidate) = (Raw::of(base)?, Raw::of(candidate)?);
    let mut log_ratios: Vec<f64> = base
        .rounds
        .iter()
        .filter_map(|(round, base)| Some((candidate.rounds.get(round)? / base).ln()))
        .filter(|log_ratio| log_ratio.is_finite())
        .collect();
    let log_ratio = select_median(&mut log_ratios).ok_or(Undefined::NotMeasured)?;
    let raw_base = base.median;
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
    // Different subjects may hide different shares: the ends are where one hides all and the other nothing.
    let (most, least) = (tared(1.0, 0.0)?, tared(0.0, 1.0)?);
    let correction = (most - best).abs().max((least - best).abs());
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
    Ok(found)
}

/// One launch, raw. Nanoseconds per call.
struct Raw {
    /// Of each round's turn, at [`UNDISTURBED`].
    rounds: HashMap<u32, f64>,
    /// Median over the rounds.
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

    fn of(side: &Side<'_>) -> Result<Self, Undefined> {
        let size = size(side.calibration);
        let per_call = |total: f64| total / size.max(1) as f64;
        let mut rounds: HashMap<u32, f64> = HashMap::new();
        let mut pairs = Vec::new();
        for turn in side.launch.turns_of(&Subject::Case) {
            let mut totals: Vec<f64> = of_size(turn, size).collect();
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
        let median = select_median(&mut rounds.values().copied().collect::<Vec<_>>()).ok_or(Undefined::NotMeasured)?;
        let null = median_of(Subject::Null, Some(size)).ok_or(Undefined::NotMeasured)?;
        let clock = median_of(Subject::Clock, None).unwrap_or(0.0).min(null);
        // What a sample holds once is taken off as the clock is, which is part of it. It is seen in each launch anew, so that the
        // scatter of the pairs holds what isn't known of it.
        let once = if side.calibration.setup_ns > 0 { once(side).unwrap_or(clock) } else { clock };
        let pairs = select_median(&mut pairs).unwrap_or(0.0);
        Ok(Self {
            rounds,
            median,
            clock: per_call(once),
            call: per_call(null - clock),
            pairs,
            correction: side.correction,
        })
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
fn once(side: &Side<'_>) -> Option<f64> {
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
fn pauses(side: &Side<'_>, turn: &tare_samples::Turn) -> f64 {
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
mod tests {
    use tare_samples::{Calibration, Correction, Launch, Subject, Turn};

    use super::{Side, Undefined, pair_ratio};

    /// A launch of samples of 100 and 400 calls that take `call_ns` each, and `setup_ns` once.
    fn launch(call_ns: u64, setup_ns: u64) -> Launch {
        let turn = |round: u32, subject: Subject, of: &dyn Fn(u64) -> u64| {
            let iterations = vec![100, 400, 100, 400];
            let elapsed = iterations.iter().map(|&calls| of(calls)).collect();
            Turn { round, subject, warm: 0, iterations, elapsed, pauses: vec![], at_ns: 0 }
        };
        let of_round = |round: u32| {
            // Half of the rounds meet a slower machine.
            let slow = 1 + u64::from(round % 2);
            [
                turn(round, Subject::Case, &|calls| slow * (30 + setup_ns + calls * call_ns)),
                turn(round, Subject::Null, &|calls| slow * (30 + calls)),
                turn(round, Subject::Clock, &|_| slow * 30),
            ]
        };
        Launch { turns: (0..11).flat_map(of_round).collect(), ..Launch::default() }
    }

    #[test]
    fn what_a_sample_holds_once_has_no_part_in_the_ratio() {
        let calibration =
            Calibration { iterations: 100, far: vec![100, 400], setup_ns: 60_000, ..Calibration::default() };
        let side = |launch| Side { launch, calibration: &calibration, correction: Correction::Overlapping };
        let (base, candidate) = (launch(1_000, 60_000), launch(1_020, 240_000));
        let found = pair_ratio(&side(&base), &side(&candidate)).unwrap();
        assert!((found.log_ratio - 1.02f64.ln()).abs() < 2e-5, "{found:?}");
        // Were it taken for calls, the candidate would look half as slow again.
        let blind = Calibration { setup_ns: 0, ..calibration.clone() };
        let side = |launch| Side { launch, calibration: &blind, correction: Correction::Overlapping };
        let fooled = pair_ratio(&side(&base), &side(&candidate)).unwrap();
        assert!(fooled.log_ratio > 1.3f64.ln(), "{fooled:?}");
    }

    #[test]
    fn a_small_setup_that_stays_in_both_sides_widens_what_is_said_of_a_difference() {
        let calibration = Calibration { iterations: 100, setup_ppm: 90_000, ..Calibration::default() };
        let ratio = |candidate: &Launch| {
            let base = launch(1_000, 10_000);
            let side = |launch| Side { launch, calibration: &calibration, correction: Correction::Serial };
            pair_ratio(&side(&base), &side(candidate)).unwrap()
        };
        let found = ratio(&launch(1_050, 10_000));
        // The loops differ by 5 %, the samples by 5 % of ten elevenths.
        assert!((found.log_ratio.exp() - 1.0455).abs() < 1e-3, "{found:?}");
        assert!(found.log_ratio / (1.0 - found.dilution) > 1.05f64.ln(), "{found:?}");
        let same = ratio(&launch(1_000, 10_000));
        assert_eq!((same.log_ratio, same.correction), (0.0, 0.0));
    }

    #[test]
    fn a_pair_that_one_side_has_may_hide_a_part_of_itself() {
        let calibration = Calibration { iterations: 100, pauses: true, ..Calibration::default() };
        // Calls of 25 ns, in the candidate with a pair of 60 ns around nothing, which costs less or more there.
        let launch_with = |pairs: u64, pair_ns: u64| {
            let turn = |round: u32, subject: Subject, elapsed: u64| {
                let pauses = if subject == Subject::Case && pairs > 0 { vec![100 * pairs; 4] } else { vec![] };
                Turn { round, subject, warm: 0, iterations: vec![100; 4], elapsed: vec![elapsed; 4], pauses, at_ns: 0 }
            };
            let of_round = |round: u32| {
                [
                    turn(round, Subject::Case, 30 + 100 * (26 + pair_ns * pairs)),
                    turn(round, Subject::Null, 130),
                    turn(round, Subject::Pause, 130 + 6_000),
                    turn(round, Subject::Clock, 30),
                ]
            };
            Launch { turns: (0..11).flat_map(of_round).collect(), ..Launch::default() }
        };
        let ratio = |base: &Launch, candidate: &Launch, correction: Correction| {
            let side = |launch| Side { launch, calibration: &calibration, correction };
            pair_ratio(&side(base), &side(candidate)).unwrap()
        };
        let undefined = |base: &Launch, candidate: &Launch| {
            let side = |launch| Side { launch, calibration: &calibration, correction: Correction::Overlapping };
            pair_ratio(&side(base), &side(candidate))
        };
        let (plain, paused) = (launch_with(0, 0), launch_with(1, 57));
        let found = ratio(&plain, &paused, Correction::Overlapping);
        assert!(found.log_ratio < 0.9f64.ln(), "{found:?}");
        assert!(found.log_ratio + found.correction >= 0.0, "{found:?}");
        let back = ratio(&paused, &plain, Correction::Overlapping);
        assert!(back.log_ratio - back.correction <= 0.0, "{back:?}");
        // What reads more with a pair than without may be as fast, too: 16 % of a pair were seen.
        let longer = launch_with(1, 69);
        let found = ratio(&plain, &longer, Correction::Overlapping);
        assert!(found.log_ratio > 1.3f64.ln() && found.log_ratio - found.correction <= 0.0, "{found:?}");
        let back = ratio(&longer, &plain, Correction::Overlapping);
        assert!(back.log_ratio + back.correction >= 0.0, "{back:?}");
        // Of a call that is shorter than what its pair leaves open nothing is known.
        let shorter = launch_with(1, 44);
        assert!(matches!(undefined(&plain, &shorter), Err(Undefined::Candidate)), "{:?}", undefined(&plain, &shorter));
        assert!(matches!(undefined(&shorter, &plain), Err(Undefined::Base)));
        // What both have leaves nothing open that the call's share doesn't.
        let both = ratio(&paused, &paused, Correction::Overlapping);
        let neither = ratio(&plain, &plain, Correction::Overlapping);
        assert_eq!(both.log_ratio, 0.0);
        assert!(both.correction < 2.0 * neither.correction, "{both:?} {neither:?}");
        assert!(ratio(&plain, &paused, Correction::Serial).correction.abs() < 1e-12);
        // Each side hides as its own runtime does, whatever the other's.
        let mixed = |of_base, of_candidate| {
            let side = |correction| Side { launch: &paused, calibration: &calibration, correction };
            pair_ratio(&side(of_base), &side(of_candidate)).unwrap()
        };
        for found in
            [mixed(Correction::Overlapping, Correction::Serial), mixed(Correction::Serial, Correction::Overlapping)]
        {
            // 12 ns of calls of some 22 ns.
            assert!(found.correction > 0.5, "{found:?}");
        }
    }
}
