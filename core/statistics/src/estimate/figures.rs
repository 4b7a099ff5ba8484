//! One launch in figures: medians per subject and size, tared by the launch's own null.

use std::collections::BTreeMap;

use tare_samples::{Calibration, Correction, Launch, Subject};

use crate::quantile::{mean, select_median, variance};

/// Nanoseconds that a block of short samples makes up: as long as the pilot makes a sample where it is free to.
const BLOCK_NS: f64 = 500_000.0;

/// What one launch says of its variant. Nanoseconds, per call where not stated otherwise.
#[derive(Debug, Clone, Default)]
pub(super) struct LaunchFigures {
    /// Median elapsed time before anything is taken off.
    pub(super) raw: f64,
    /// The tared time.
    pub(super) time: f64,
    /// Loop and call.
    pub(super) call: f64,
    /// The clock pair, per sample.
    pub(super) clock: f64,
    /// What the first calls cost beyond later ones, per sample.
    pub(super) surplus: Option<f64>,
    /// One pause pair.
    pub(super) pause: Option<f64>,
    /// Tared samples of the calibrated size, in order of time.
    pub(super) samples: Vec<f64>,
    /// Standard error of `time` as the scatter of its rounds shows it.
    pub(super) within: f64,
    /// Tared median of each round, the null's own scatter included.
    pub(super) rounds: Vec<f64>,
    /// Per call at twice the calls over per call at the calibrated number, clock taken off.
    pub(super) far_ratio: Option<f64>,
    /// First sample of a turn over the median of the others.
    pub(super) first_ratio: Option<f64>,
    /// Median time of each kernel per call, loop included.
    pub(super) kernels: BTreeMap<String, f64>,
}

/// Elapsed totals of one subject in one launch, by the number of calls: of single samples, or, where samples are short, of
/// blocks of them.
fn totals(launch: &Launch, subject: &Subject, calibration: &Calibration) -> BTreeMap<u64, Vec<f64>> {
    let mut by_calls: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
    for turn in launch.turns_of(subject) {
        let mut of_turn: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
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

fn median_at(by_calls: &BTreeMap<u64, Vec<f64>>, calls: u64) -> Option<f64> {
    select_median(&mut by_calls.get(&calls)?.clone())
}

/// Whether the calibration tares by the slope between two far sizes: its samples are too short for the surplus of the
/// first calls to vanish in them.
pub(super) fn is_short(calibration: &Calibration) -> bool {
    calibration.far.len() == 2
}

/// The figures of a launch; `None` when it has no samples of the case or of the null.
///
/// Correction policy 1 (DESIGN §3): `time = (T − clock) / N − call`, `call = (T_null − clock) / N`, each T the median of
/// the launch's samples. Case and null are sampled at the same N, so in a serial runtime the clock cancels exactly.
/// Short samples are tared by their slope, `(T(2M) − T(M)) / M` of the case less that of the null; what T(N) has beyond
/// it is the surplus.
///
/// The first `skip` samples of the case at the calibrated size are left out of its median: a warm-up that the caller found.
pub(super) fn of_launch(
    launch: &Launch,
    calibration: &Calibration,
    correction: Correction,
    skip: usize,
) -> Option<LaunchFigures> {
    let near = calibration.iterations;
    let made = near.max(1) as f64;
    let case = totals(launch, &Subject::Case, calibration);
    let null = totals(launch, &Subject::Null, calibration);
    let clock = totals(launch, &Subject::Clock, calibration)
        .remove(&1)
        .and_then(|mut values| select_median(&mut values))
        .unwrap_or(0.0);
    let steady = |totals: &Vec<f64>| select_median(&mut totals[skip.min(totals.len().saturating_sub(1))..].to_vec());
    let case_total = case.get(&near).and_then(steady)?;
    let null_total = median_at(&null, near)?;
    let share = match correction {
        Correction::Serial => 1.0,
        Correction::Overlapping => 0.5,
    };

    let (mut time, call, surplus) = match calibration.far.as_slice() {
        &[first, second] => {
            let span = (second - first) as f64;
            let slope = (median_at(&case, second)? - median_at(&case, first)?) / span;
            let call = (median_at(&null, second)? - median_at(&null, first)?) / span;
            let time = slope - share * call;
            (time, call, Some((case_total - null_total) - made * (slope - call)))
        }
        _ => {
            let call = (null_total - clock) / made;
            ((case_total - clock) / made - share * call, call, None)
        }
    };

    let pause = median_at(&totals(launch, &Subject::Pause, calibration), near).map(|total| (total - null_total) / made);
    let pairs = pairs_per_call(launch, near);
    if let Some(pause) = pause {
        time -= pairs * pause;
    }

    // Single samples get the launch's own correction, so that their median is the launch's time.
    let correction_total = case_total - made * time;
    let near_samples: Vec<(u32, f64)> =
        near_samples(launch, near).map(|(round, total)| (round, (total - correction_total) / made)).collect();
    let (rounds, within) = round_scatter(&near_samples, &null_rounds(launch, near, made, share));
    Some(LaunchFigures {
        raw: case_total / made,
        time,
        call,
        clock,
        surplus,
        pause: pause.filter(|_| pairs > 0.0),
        within,
        rounds,
        far_ratio: far_ratio(calibration, &case, case_total, clock),
        first_ratio: if is_short(calibration) { None } else { first_ratio(launch, near) },
        kernels: kernels(launch),
        samples: near_samples.into_iter().map(|(_, time)| time).collect(),
    })
}

fn near_samples(launch: &Launch, near: u64) -> impl Iterator<Item = (u32, f64)> + '_ {
    launch.turns_of(&Subject::Case).flat_map(move |turn| {
        turn.iterations
            .iter()
            .zip(&turn.elapsed)
            .filter(move |(calls, _)| **calls == near)
            .map(|(_, &elapsed)| (turn.round, elapsed as f64))
    })
}

/// The share of the null's median per call in each round, as it enters `time`.
fn null_rounds(launch: &Launch, near: u64, made: f64, share: f64) -> BTreeMap<u32, f64> {
    launch
        .turns_of(&Subject::Null)
        .filter_map(|turn| {
            let mut totals: Vec<f64> = turn
                .iterations
                .iter()
                .zip(&turn.elapsed)
                .filter(|(calls, _)| **calls == near)
                .map(|(_, &elapsed)| elapsed as f64)
                .collect();
            Some((turn.round, share * select_median(&mut totals)? / made))
        })
        .collect()
}

/// Tared median of each round, and the standard error of the launch's median over them. One round says nothing of its
/// own scatter; then the samples in it have to.
fn round_scatter(samples: &[(u32, f64)], null: &BTreeMap<u32, f64>) -> (Vec<f64>, f64) {
    let mut rounds: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    for &(round, time) in samples {
        rounds.entry(round).or_default().push(time);
    }
    let null_mean = mean(&null.values().copied().collect::<Vec<_>>()).unwrap_or(0.0);
    let medians: Vec<f64> = rounds
        .iter_mut()
        .filter_map(|(round, times)| Some(select_median(times)? - null.get(round).map_or(0.0, |null| null - null_mean)))
        .collect();
    if let Some(variance) = variance(&medians) {
        let error = (variance / medians.len() as f64).sqrt();
        return (medians, error);
    }
    let all: Vec<f64> = samples.iter().map(|(_, time)| *time).collect();
    // π/2: the variance of a Gaussian sample's median over that of its mean.
    let of_median = variance(&all).unwrap_or(0.0) * std::f64::consts::FRAC_PI_2 / all.len().max(1) as f64;
    (medians, of_median.sqrt())
}

/// Elapsed totals of the case at the calibrated size, in order of time; blocks of them where samples are short.
pub(super) fn near_totals(launch: &Launch, calibration: &Calibration) -> Vec<f64> {
    totals(launch, &Subject::Case, calibration).remove(&calibration.iterations).unwrap_or_default()
}

fn pairs_per_call(launch: &Launch, near: u64) -> f64 {
    let (mut pairs, mut calls) = (0u64, 0u64);
    for turn in launch.turns_of(&Subject::Case).filter(|turn| !turn.pauses.is_empty()) {
        for (&made, &paused) in turn.iterations.iter().zip(&turn.pauses).filter(|(calls, _)| **calls == near) {
            pairs += paused;
            calls += made.max(1);
        }
    }
    pairs as f64 / calls.max(1) as f64
}

fn far_ratio(calibration: &Calibration, case: &BTreeMap<u64, Vec<f64>>, near_total: f64, clock: f64) -> Option<f64> {
    let &[far] = calibration.far.as_slice() else { return None };
    let far_total = median_at(case, far)?;
    let ratio = ((far_total - clock) / far as f64) / ((near_total - clock) / calibration.iterations.max(1) as f64);
    ratio.is_finite().then_some(ratio)
}

/// A turn's first sample against the others of its size: what the warm-in has left cold.
fn first_ratio(launch: &Launch, near: u64) -> Option<f64> {
    let mut ratios = Vec::new();
    for turn in launch.turns_of(&Subject::Case) {
        let totals: Vec<f64> = turn
            .iterations
            .iter()
            .zip(&turn.elapsed)
            .filter(|(calls, _)| **calls == near)
            .map(|(_, &elapsed)| elapsed as f64)
            .collect();
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

/// The step of the clock: the smallest difference between two of its readings that differ, over all launches.
pub(super) fn clock_step(launches: &[Launch]) -> f64 {
    let mut seen: Vec<u64> = launches
        .iter()
        .flat_map(|launch| launch.turns_of(&Subject::Clock))
        .flat_map(|turn| turn.elapsed.iter().copied())
        .collect();
    if seen.is_empty() {
        return 0.0;
    }
    seen.push(0);
    seen.sort_unstable();
    seen.windows(2).map(|pair| pair[1] - pair[0]).filter(|&step| step > 0).min().unwrap_or(0) as f64
}
