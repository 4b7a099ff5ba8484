use std::collections::HashMap;

use tare_samples::{Calibration, Correction, Launch, Subject};

use crate::quantile::select_median;

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
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairRatio {
    /// Best estimate.
    pub log_ratio: f64,
    /// How far the true correction for loop and call may move it, either way; 0 for serial runtimes, which subtract it whole.
    pub correction: f64,
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
/// In each round the logarithm of the ratio of the raw times per call, medians of the turns; over the rounds the median:
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
    Ok(PairRatio { log_ratio: best, correction: (most - best).abs().max((least - best).abs()) })
}

/// One launch, raw. Nanoseconds per call.
struct Raw {
    /// Median of each round's turn.
    rounds: HashMap<u32, f64>,
    /// Median over the rounds.
    median: f64,
    /// The share of the clock and of what else a sample holds once, and what loop and call add to it.
    clock: f64,
    call: f64,
    correction: Correction,
}

impl Raw {
    fn of(side: &Side<'_>) -> Result<Self, Undefined> {
        let size = size(side.calibration);
        let per_call = |total: f64| total / size.max(1) as f64;
        let mut rounds: HashMap<u32, f64> = HashMap::new();
        for turn in side.launch.turns_of(&Subject::Case) {
            let mut totals: Vec<f64> = of_size(turn, size).collect();
            if let Some(total) = select_median(&mut totals) {
                rounds.insert(turn.round, per_call(total - pauses(side, turn)));
            }
        }
        let median_of = |subject: Subject, size: Option<u64>| {
            let mut totals: Vec<f64> = side
                .launch
                .turns_of(&subject)
                .flat_map(|turn| match size {
                    Some(size) => of_size(turn, size).collect::<Vec<_>>(),
                    None => turn.elapsed.iter().map(|&elapsed| elapsed as f64).collect(),
                })
                .collect();
            select_median(&mut totals)
        };
        let median = select_median(&mut rounds.values().copied().collect::<Vec<_>>()).ok_or(Undefined::NotMeasured)?;
        let null = median_of(Subject::Null, Some(size)).ok_or(Undefined::NotMeasured)?;
        let clock = median_of(Subject::Clock, None).unwrap_or(0.0).min(null);
        // What a sample holds once is taken off as the clock is.
        let once = clock + side.calibration.setup_ns as f64;
        Ok(Self { rounds, median, clock: per_call(once), call: per_call(null - clock), correction: side.correction })
    }

    /// What is taken off when `share` of the uncertain part is.
    fn tare(&self, share: f64) -> f64 {
        match self.correction {
            Correction::Serial => self.clock + self.call,
            Correction::Overlapping => self.clock + share * self.call,
        }
    }
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
    let median_of = |subject: &Subject| {
        let mut totals: Vec<f64> = side.launch.turns_of(subject).flat_map(|turn| of_size(turn, size)).collect();
        select_median(&mut totals)
    };
    let (Some(paused), Some(null)) = (median_of(&Subject::Pause), median_of(&Subject::Null)) else { return 0.0 };
    let of_size = turn.iterations.iter().zip(&turn.pauses).filter(|&(&calls, _)| calls == size);
    let mut pairs: Vec<f64> = of_size.map(|(_, &pairs)| pairs as f64).collect();
    (paused - null) / size.max(1) as f64 * select_median(&mut pairs).unwrap_or(0.0)
}
