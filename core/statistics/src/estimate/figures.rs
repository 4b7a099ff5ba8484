//! One launch in figures: medians and means per subject and size, tared by the launch's own null.

use std::collections::BTreeMap;

use tare_samples::{Calibration, Correction, Launch, Subject, Turn};

use super::means;
use super::tare::{AtSizes, Scale, Tared, tare};
use crate::interruption::without_interrupted;
use crate::quantile::{mean, select_median, variance};

/// Nanoseconds that a block of short samples makes up: as long as the pilot makes a sample where it is free to.
const BLOCK_NS: f64 = 500_000.0;

/// As long as no more than this share of the samples was interrupted, their median is that of all.
const BEARS: f64 = 0.1;

/// What one launch says of its variant. Nanoseconds, per call where not stated otherwise.
#[derive(Debug, Clone, Default)]
pub(super) struct LaunchFigures {
    /// What the launch's medians say: its typical call.
    pub(super) tared: Tared,
    /// What its means say: the expected cost of a call.
    pub(super) mean: Tared,
    /// What an undisturbed call takes; `None` where other processes interrupted all that could tell.
    pub(super) typical: Option<f64>,
    /// The clock pair, per sample.
    pub(super) clock: f64,
    /// Tared single samples of the calibrated size, in order of time.
    pub(super) samples: Vec<f64>,
    /// Mean tared time of each round by itself.
    pub(super) mean_rounds: Vec<f64>,
    /// Standard error of the mean time as the scatter within the launch shows it.
    pub(super) mean_within: f64,
    /// Standard error of the typical time, likewise.
    pub(super) within: f64,
    /// Degrees of freedom of both; 0 where there is but one sample.
    pub(super) freedom: f64,
    /// Per call at twice the calls over per call at the calibrated number, clock taken off.
    pub(super) far_ratio: Option<f64>,
    /// First sample of a turn over the median of the others.
    pub(super) first_ratio: Option<f64>,
    /// Median time of each kernel per call, loop included.
    pub(super) kernels: BTreeMap<String, f64>,
}

/// Elapsed totals by the number of calls: of single samples, or, where samples are short, of blocks of them.
type Totals = BTreeMap<u64, Vec<f64>>;

fn totals<'a>(turns: impl Iterator<Item = &'a Turn>, calibration: &Calibration) -> Totals {
    let mut by_calls = Totals::new();
    for turn in turns {
        let mut of_turn = Totals::new();
        for (&calls, &elapsed) in turn.iterations.iter().zip(&turn.elapsed) {
            of_turn.entry(calls).or_default().push(elapsed as f64);
        }
        for (calls, totals) in of_turn {
            let totals = if is_short(calibration) { blocks(&totals) } else { totals };
            by_calls.entry(calls).or_default().extend(totals);
        }
    }
    by_calls
}

/// Means of successive samples of one turn that make up about [`BLOCK_NS`] together.
///
/// A machine that is slower now and then (a neighbour on the same physical core) slows a part of each long sample, and some
/// of the short ones: the median of short samples would be that of the undisturbed machine, the median of long ones
/// that of the machine as it is. Taken in blocks as long as a sample has them, short samples say the same as long ones.
fn blocks(totals: &[f64]) -> Vec<f64> {
    let typical = select_median(&mut totals.to_vec()).unwrap_or(0.0).max(1.0);
    let in_a_block = ((BLOCK_NS / typical).ceil() as usize).clamp(1, totals.len().max(1));
    let count = (totals.len() / in_a_block).max(1);
    (0..count)
        .filter_map(|block| mean(&totals[block * totals.len() / count..(block + 1) * totals.len() / count]))
        .collect()
}

fn median_at(by_calls: &Totals, calls: u64) -> Option<f64> {
    select_median(&mut by_calls.get(&calls)?.clone())
}

/// Whether the calibration tares by the slope between two far sizes: its samples are too short for the surplus of the
/// first calls to vanish in them.
pub(super) fn is_short(calibration: &Calibration) -> bool {
    calibration.far.len() == 2
}

fn tare_medians(case: &Totals, null: &Totals, pause: &Totals, scale: &Scale<'_>) -> Option<Tared> {
    let null = |size| median_at(null, size);
    tare(
        &AtSizes {
            case: &|size| median_at(case, size),
            null: &null,
            pause: &|size| median_at(pause, size),
            unpaused: &null,
        },
        scale,
    )
}

/// The figures of a launch; `None` when it has no samples of the case or of the null. The first `skip` turns of the case are
/// left out of everything: a warm-up that the caller found.
pub(super) fn of_launch(
    launch: &Launch,
    calibration: &Calibration,
    correction: Correction,
    skip: usize,
) -> Option<LaunchFigures> {
    let near = calibration.iterations;
    let made = near.max(1) as f64;
    let case_turns: Vec<&Turn> = launch.turns_of(&Subject::Case).skip(skip).collect();
    let mut clocks: Vec<f64> =
        launch.turns_of(&Subject::Clock).flat_map(|turn| &turn.elapsed).map(|&elapsed| elapsed as f64).collect();
    let scale = Scale {
        calibration,
        share: match correction {
            Correction::Serial => 1.0,
            Correction::Overlapping => 0.5,
        },
        clock: select_median(&mut clocks).unwrap_or(0.0),
        pairs: pairs_per_call(&case_turns),
    };
    let case = totals(case_turns.iter().copied(), calibration);
    let null = totals(launch.turns_of(&Subject::Null), calibration);
    let pause = totals(launch.turns_of(&Subject::Pause), calibration);
    let mut tared = tare_medians(&case, &null, &pause, &scale)?;
    tared.pause = tared.pause.filter(|_| scale.pairs > 0.0);

    // Single samples get the launch's own correction, so that their median is the launch's time as near as may be.
    let correction_total = tared.raw * made - made * tared.time;
    let samples: Vec<f64> =
        case_turns.iter().flat_map(|turn| near_of(turn, near)).map(|total| (total - correction_total) / made).collect();
    let rounds = rounds(&case_turns, launch, &pause, &scale);
    let (within, freedom) = scatter(&rounds, &samples);
    let mean = means::of_launch(launch, &scale, case_turns.first()?.round)?;
    let (mean_within, _) = scatter(&mean.rounds, &samples);
    let case_total = tared.raw * made;
    // A quantile bears some samples that were interrupted; more of them move it, and it is asked of those that were spared.
    let typical = match without_interrupted(launch, &Subject::Case) {
        Some((turns, interrupted)) if interrupted > BEARS => {
            let spared = totals(turns.iter().skip(skip), calibration);
            tare_medians(&spared, &null, &pause, &scale).map(|tared| tared.time)
        }
        _ => Some(tared.time),
    };
    Some(LaunchFigures {
        typical,
        tared,
        mean: mean.tared,
        clock: scale.clock,
        mean_rounds: mean.rounds,
        mean_within,
        within,
        freedom,
        far_ratio: far_ratio(calibration, &case, case_total, scale.clock),
        first_ratio: if is_short(calibration) { None } else { first_ratio(&case_turns, near) },
        kernels: kernels(launch),
        samples,
    })
}

/// Single samples of the first `skip` turns, which `figures` leave out, tared as those that they hold.
pub(super) fn before_steady(
    launch: &Launch,
    calibration: &Calibration,
    skip: usize,
    figures: &LaunchFigures,
) -> Vec<f64> {
    let near = calibration.iterations;
    let totals = launch.turns_of(&Subject::Case).take(skip).flat_map(|turn| near_of(turn, near));
    totals.map(|total| total / near.max(1) as f64 - (figures.tared.raw - figures.tared.time)).collect()
}

/// Elapsed totals of a turn's samples of that many calls.
pub(super) fn near_of(turn: &Turn, near: u64) -> impl Iterator<Item = f64> + '_ {
    turn.iterations
        .iter()
        .zip(&turn.elapsed)
        .filter(move |(calls, _)| **calls == near)
        .map(|(_, &elapsed)| elapsed as f64)
}

/// The tared time of each round by itself.
fn rounds(case_turns: &[&Turn], launch: &Launch, pause: &Totals, scale: &Scale<'_>) -> Vec<f64> {
    let mut nulls: BTreeMap<u32, Vec<&Turn>> = BTreeMap::new();
    for turn in launch.turns_of(&Subject::Null) {
        nulls.entry(turn.round).or_default().push(turn);
    }
    case_turns
        .iter()
        .filter_map(|turn| {
            let case = totals(std::iter::once(*turn), scale.calibration);
            let null = totals(nulls.get(&turn.round)?.iter().copied(), scale.calibration);
            Some(tare_medians(&case, &null, pause, scale)?.time)
        })
        .collect()
}

/// Standard error of a launch's time and its degrees of freedom, from the scatter of its rounds. One round says nothing of
/// its own scatter; then the samples in it have to.
fn scatter(rounds: &[f64], samples: &[f64]) -> (f64, f64) {
    if let Some(variance) = variance(rounds) {
        return ((variance / rounds.len() as f64).sqrt(), (rounds.len() - 1) as f64);
    }
    // π/2: the variance of a Gaussian sample's median over that of its mean.
    let count = samples.len().max(1) as f64;
    let of_median = variance(samples).unwrap_or(0.0) * std::f64::consts::FRAC_PI_2 / count;
    (of_median.sqrt(), count - 1.0)
}

/// Elapsed totals of the case in order of time, with the number of the case's turn that each belongs to: samples of the
/// calibrated size, or, where those are short, blocks of the farthest one, which has the most of them.
pub(super) fn timeline(launch: &Launch, calibration: &Calibration) -> Vec<(usize, f64)> {
    let calls = if is_short(calibration) { calibration.far[1] } else { calibration.iterations };
    launch
        .turns_of(&Subject::Case)
        .enumerate()
        .flat_map(|(number, turn)| {
            let totals = totals(std::iter::once(turn), calibration).remove(&calls).unwrap_or_default();
            totals.into_iter().map(move |total| (number, total))
        })
        .collect()
}

fn pairs_per_call(case_turns: &[&Turn]) -> f64 {
    let (mut pairs, mut calls) = (0.0, 0.0);
    for turn in case_turns.iter().filter(|turn| !turn.pauses.is_empty()) {
        for (&made, &paused) in turn.iterations.iter().zip(&turn.pauses) {
            pairs += paused as f64;
            calls += made.max(1) as f64;
        }
    }
    if calls > 0.0 { pairs / calls } else { 0.0 }
}

fn far_ratio(calibration: &Calibration, case: &Totals, near_total: f64, clock: f64) -> Option<f64> {
    let &[far] = calibration.far.as_slice() else { return None };
    let far_total = median_at(case, far)?;
    let ratio =
        ((far_total - clock) / far.max(1) as f64) / ((near_total - clock) / calibration.iterations.max(1) as f64);
    ratio.is_finite().then_some(ratio)
}

/// A turn's first sample against the others of its size: what the warm-in has left cold.
fn first_ratio(case_turns: &[&Turn], near: u64) -> Option<f64> {
    let mut ratios = Vec::new();
    for turn in case_turns {
        let totals: Vec<f64> = near_of(turn, near).collect();
        // Only where the first of this size is the first of all: the far sample may have come before it.
        if totals.len() >= 4 && turn.iterations[0] == near {
            let (first, rest) = totals.split_at(1);
            let rest = select_median(&mut rest.to_vec())?;
            if rest > 0.0 {
                ratios.push(first[0] / rest);
            }
        }
    }
    select_median(&mut ratios)
}

fn kernels(launch: &Launch) -> BTreeMap<String, f64> {
    let mut by_name: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for turn in &launch.turns {
        if let Subject::Kernel(name) = &turn.subject {
            let times = turn
                .iterations
                .iter()
                .zip(&turn.elapsed)
                .map(|(&calls, &elapsed)| elapsed as f64 / calls.max(1) as f64);
            by_name.entry(name.clone()).or_default().extend(times);
        }
    }
    by_name.into_iter().filter_map(|(name, mut times)| Some((name, select_median(&mut times)?))).collect()
}

/// The step of the clock that launches were timed with, in nanoseconds.
pub(super) fn step_of(launches: &[Launch]) -> f64 {
    let elapsed_of = |subject: Subject| -> Vec<u64> {
        let turns = launches.iter().flat_map(|launch| launch.turns.iter()).filter(|turn| turn.subject == subject);
        turns.flat_map(|turn| turn.elapsed.iter().copied()).collect()
    };
    clock_step(&elapsed_of(Subject::Clock)).or_else(|| clock_step(&elapsed_of(Subject::Null))).unwrap_or(0.0)
}

/// The step of a clock from elapsed times of something short, such as two reads back to back, in nanoseconds.
///
/// Where some of them are 0 the clock is coarse, and the smallest other one is its step. Else it is the typical gap
/// between readings that differ. A step that isn't a whole number of nanoseconds (41.67 at 24 MHz), or is rounded on the way (1 µs as
/// a floating-point second), shows as gaps of two kinds, and those under a quarter of the largest are rounding.
///
/// `None` when all are 0, or there are none.
pub fn clock_step(elapsed: &[u64]) -> Option<f64> {
    let mut sorted = elapsed.to_vec();
    sorted.sort_unstable();
    if sorted.first()? == &0 {
        return sorted.iter().find(|&&reading| reading > 0).map(|&reading| reading as f64);
    }
    // The slowest tenth are interruptions, whose distances say nothing.
    sorted.truncate((sorted.len() * 9).div_ceil(10));
    let mut gaps: Vec<f64> =
        sorted.windows(2).map(|pair| (pair[1] - pair[0]) as f64).filter(|&gap| gap > 0.0).collect();
    let Some(largest) = gaps.iter().copied().max_by(f64::total_cmp) else {
        // All alike: a step can't be larger than what it has resolved.
        return sorted.first().map(|&reading| if elapsed.len() > 1 { 1.0 } else { reading as f64 });
    };
    gaps.retain(|&gap| gap * 4.0 >= largest || largest < 8.0);
    select_median(&mut gaps)
}

#[cfg(test)]
mod tests {
    use super::clock_step;

    #[test]
    fn the_step_of_a_clock_is_found_through_its_rounding() {
        // Nanoseconds, with an interruption.
        assert_eq!(clock_step(&[36, 37, 37, 38, 38, 39, 40, 38, 37, 36, 38, 5000]), Some(1.0));
        // 24 MHz: one or two ticks of 41.67 ns.
        let step = clock_step(&[41, 42, 42, 83, 84, 83, 41, 42, 41, 84, 42, 42]).unwrap();
        assert!((40.0..43.0).contains(&step), "{step}");
        // 1 µs as a float of seconds.
        assert_eq!(clock_step(&[0, 0, 954, 0, 1192, 0, 0, 954, 0, 0]), Some(954.0));
        // 4 ms, seldom seen.
        assert_eq!(clock_step(&[0, 0, 0, 0, 4_000_000]), Some(4_000_000.0));
        assert_eq!(clock_step(&[0; 50]), None);
        assert_eq!(clock_step(&[]), None);
    }
}
