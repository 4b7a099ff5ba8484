//! The pilot: one launch that is no evidence and finds the sample size, the warm-in and what things cost.

mod look;
mod setup;
mod warm_in;
mod watched;

use tare_plan::Settings;
use tare_samples::{Calls, Subject};
use tare_statistics::clock_step;
use tare_worker::Launcher;

use crate::variant_run::{ARRANGE, Hooks, SETUP_IN_SAMPLES, VariantRun};
pub(crate) use look::least_call_ns;
use look::look;
pub(crate) use setup::setup_share;
use setup::{calls_beyond_setup, find_setup, half_calls, least_null, never_loops, never_timed, plain_null_ns};
use warm_in::find_warm_in;
pub(crate) use warm_in::{COMPARED_WARM_NS, Positions};
pub(crate) use watched::seen_in;

/// A sample is at least this long: shorter than the time slice of a scheduler, longer than what surrounds it.
const SAMPLE_NS: f64 = 500_000.0;
/// The same where variants are compared. A shared machine changes its speed within a millisecond, by half of it; the median over
/// many short samples in a turn of [`COMPARED_TURN_NS`] sees through that, where their total doesn't.
///
/// Measured by cutting the times of one PHP loop, in units of 9 to 14 µs, into turns of two imagined sides, 100 ms at a time. Alone
/// on its core the ratio scatters by 0.03 to 0.05 % for medians over turns of 0.07 to 1.1 ms, by 0.7 % for totals over 0.6 ms;
/// with a neighbour on the sibling thread by 0.25 to 0.3 % for medians over 0.9 ms, 0.4 to 1.2 % for shorter turns.
const COMPARED_SAMPLE_NS: f64 = 15_000.0;
/// The same of what works in parallel (`b.RunParallel`): each sample starts threads and waits for the last of them, which takes 5 to 20 µs and isn't the
/// calls'. A few thousandths of a sample of this length; under `go test` it is lost in a second.
const PARALLEL_SAMPLE_NS: f64 = 10_000_000.0;
/// The step of a clock of which 400 readings back to back show none: coarser than what they took together.
const UNSEEN_STEP_NS: f64 = 20_000.0;
/// A sample is at least this many clock costs, and steps, long.
const CLOCKS_A_SAMPLE: f64 = 1_000.0;
/// The same where variants are compared: what the clock costs is the same on both sides, and is taken off.
const COMPARED_CLOCKS_A_SAMPLE: f64 = 200.0;
/// A turn's samples take about this long together.
const TURN_NS: f64 = 10_000_000.0;
const COMPARED_TURN_NS: f64 = 900_000.0;
/// A sample whose timer is stopped for longer isn't made longer.
const LONGEST_PAUSED_NS: f64 = 100_000_000.0;
/// Of a sample of so few clock costs nothing may be timed; nor of one of many calls that is so short a call.
const CLOCK_IS_ALL: f64 = 10.0;
const NO_CALL_NS: f64 = 0.02;
/// Calls that take so long without any of it being timed never will be.
const LONGEST_UNTIMED_NS: f64 = 20_000_000.0;
/// A request for one sample takes less beside it, unless something is done there.
const LONG_UNTIMED_NS: f64 = 1_000_000.0;
/// A turn that a long warm-in stretches, or a stopped timer, takes at most this.
const LONGEST_TURN_NS: f64 = 60_000_000.0;
/// Hooks that take so long, and this many times the sample, have the caches as they leave them: no warm-in is left for the sample, and each null costs one more of them.
const DEAR_HOOKS_NS: f64 = 1_000_000.0;
const DEAR_HOOKS: f64 = 4.0;
/// Hooks of compared variants that take so long, and longer than the sample, are run ahead of it. Its first calls then come when the other side's hook has had the caches:
/// of samples so long, and of so many calls, that is a small part.
const HOOKS_AHEAD_NS: f64 = 200_000.0;
const SAMPLE_AFTER_OTHERS_NS: f64 = 100_000.0;
const CALLS_AFTER_OTHERS: u64 = 8;
/// Hooks that take so long don't pass for an interruption, and aren't run once more to be sure.
const LONG_HOOKS_NS: f64 = 100_000_000.0;
/// Hooks around a sample may cost this share of it before samples are made longer.
const HOOKS_SHARE: f64 = 0.2;
const LONGEST_STRETCHED_SAMPLE_NS: f64 = 50_000_000.0;
const MOST_CALLS: u64 = 1 << 40;
/// So many calls take longer than one, of whatever is called.
const STALLED_CALLS: u64 = 4_096;
pub(crate) const MOST_SAMPLES_A_TURN: u64 = 2_000;
/// Far sizes begin here, however few calls were asked for: a second call is still a cold one.
const LEAST_FAR_CALLS: u64 = 8;
/// Subjects whose sample is longer need no warm-in: what a switch costs is lost in them.
const WARM_IN_MATTERS_BELOW_NS: f64 = 10_000_000.0;
const KERNEL_SAMPLE_NS: f64 = 200_000.0;
/// A sample of twice the calls is afforded up to this length.
pub(crate) const FAR_SAMPLE_AT_MOST_NS: f64 = 30_000_000.0;

/// What the pilot measured of a sample's length and of what surrounds it.
#[derive(Debug, Clone, Copy, Default)]
struct SampleCosts {
    /// Calls of the sample; 0 for a bare one.
    calls: u64,
    /// One sample, in nanoseconds.
    sample_ns: f64,
    /// Lost between samples: hooks, bookkeeping.
    between_ns: f64,
    /// What a request for one sample takes beside it: hooks, set-up that isn't timed, stretches with the timer stopped.
    untimed_ns: f64,
    /// The timer is stopped and started in it.
    paused: bool,
    /// Half of it, at the least, stands beside the calls.
    mostly_setup: bool,
}

impl SampleCosts {
    /// What lies between two samples, in nanoseconds: hooks, or stretches with the timer stopped, which take time as well.
    fn beside_ns(&self) -> f64 {
        self.between_ns + if self.paused { self.long_untimed_ns() } else { 0.0 }
    }

    /// What isn't timed, in nanoseconds, where it is more than a request takes; else 0.
    fn long_untimed_ns(&self) -> f64 {
        if self.untimed_ns > LONG_UNTIMED_NS { self.untimed_ns } else { 0.0 }
    }
}

/// Calibrates a variant whose launch is open. `false` when it failed.
pub(crate) fn calibrate(variant: &mut VariantRun<'_>, launcher: &mut dyn Launcher, settings: &Settings) -> bool {
    calibrate_steps(variant, launcher, settings).is_some()
}

fn calibrate_steps(variant: &mut VariantRun<'_>, launcher: &mut dyn Launcher, settings: &Settings) -> Option<()> {
    let clock = variant.turn(launcher, settings, 0, Subject::Clock, 50, vec![1; 200])?;
    let clock_ns = median(&clock.elapsed);
    let step_ns = clock_step(&clock.elapsed).unwrap_or(UNSEEN_STEP_NS);
    let clocks = if variant.is_compared() { COMPARED_CLOCKS_A_SAMPLE } else { CLOCKS_A_SAMPLE };
    let least_ns = clocks * clock_ns.max(step_ns);
    let turn_ns = if variant.is_compared() { COMPARED_TURN_NS } else { TURN_NS };
    let parallel = variant.planned.variant.case.settings.parallel;
    let target_ns = least_sample_ns(variant.is_compared(), parallel).max(least_ns);

    let mut setup_ns = 0.0;
    let found = match variant.planned.variant.calls {
        Calls::Pilot => {
            let found = find_calls(variant, launcher, settings, target_ns, clock_ns)?;
            let found = half_calls(variant, launcher, settings, found, clock_ns)?;
            setup_ns = find_setup(variant, launcher, settings, found, clock_ns)?;
            let (found, by_line) = calls_beyond_setup(variant, launcher, settings, found, setup_ns)?;
            if !by_line {
                variant.calibration.setup_ppm = (1e6 * setup_ns / found.sample_ns.max(1.0)).round() as u32;
                setup_ns = 0.0;
            }
            found
        }
        Calls::Loop(calls) => look(variant, launcher, settings, calls.max(1))?,
        Calls::Bare => look(variant, launcher, settings, 0)?,
    };
    let calls = found.calls;
    // A command line that asks for what the source fixes leaves it as fixed.
    let fixed = variant.planned.variant.case.settings.iterations == Some(calls);
    let from_source = (settings.calls.is_empty() || fixed) && variant.planned.variant.calls != Calls::Pilot;
    variant.calibration.iterations = calls;
    variant.pilot.call_ns = found.sample_ns / calls.max(1) as f64;
    variant.calibration.far = far_sizes(calls, found.sample_ns, least_ns, from_source);
    variant.calibration.setup_ns = setup_ns.round() as u64;
    if variant.calibration.setup_ns > 0 && variant.calibration.far.len() < 2 {
        // The slope between two sizes is free of what each sample has once.
        variant.calibration.far = vec![calls, 4 * calls];
    }
    if variant.is_compared() && variant.calibration.far.len() == 1 {
        // A long sample among the others would stretch some turns and not others.
        variant.calibration.far.clear();
    }

    let one_ns = found.sample_ns + found.beside_ns();
    let sizes = variant.calibration.far.iter().filter(|&&far| far != calls).fold(one_ns, |total, &far| {
        total + if variant.calibration.far.len() > 1 { one_ns * (far as f64 / calls.max(1) as f64) } else { 0.0 }
    });
    variant.pilot.sample_wall_ns = found.sample_ns + found.between_ns.max(found.long_untimed_ns());
    // Where hooks take most of the time, what they leave in the caches belongs to the sample: there is nothing to warm.
    variant.pilot.hooks = hooks_beside(variant, found);
    let fitting = if variant.pilot.hooks == Hooks::Ahead { 1.0 } else { turn_ns / sizes };
    let fitting = if variant.is_compared() { fitting.round() } else { fitting.floor() };
    let mut samples = (fitting as u64).clamp(1, MOST_SAMPLES_A_TURN);
    variant.calibration.warm = 0;
    // What works in parallel begins anew in each sample, which is long for that reason.
    if one_ns < WARM_IN_MATTERS_BELOW_NS && variant.pilot.hooks == Hooks::Cheap && !parallel {
        variant.calibration.warm = find_warm_in(variant, launcher, settings, found)?;
        let worth = if variant.is_compared() { variant.calibration.warm } else { 6 * variant.calibration.warm.min(20) };
        samples = samples.max(affordable(worth, sizes));
    }
    variant.calibration.samples_per_turn = match variant.wanted_samples(settings) {
        Some(wanted) => samples.min(wanted.max(1)),
        None => samples,
    };

    for name in variant.kernel_names() {
        let turn = variant.turn(launcher, settings, 0, Subject::Kernel(name.clone()), 4, vec![16; 3])?;
        let per_call = (median(&turn.elapsed) / 16.0).max(1.0);
        variant.pilot.kernels.push((name, ((KERNEL_SAMPLE_NS / per_call) as u64).clamp(1, 100_000)));
    }
    variant.settle_sizes();
    Some(())
}

/// How the hooks around such samples are run.
fn hooks_beside(variant: &VariantRun<'_>, found: SampleCosts) -> Hooks {
    let is_ahead = variant.is_compared()
        && variant.is_capable_of(ARRANGE)
        && found.between_ns > HOOKS_AHEAD_NS.max(found.sample_ns)
        && found.sample_ns >= SAMPLE_AFTER_OTHERS_NS
        && found.calls >= CALLS_AFTER_OTHERS;
    if found.paused {
        Hooks::Cheap
    } else if is_ahead {
        Hooks::Ahead
    } else if found.between_ns > DEAR_HOOKS_NS.max(DEAR_HOOKS * found.sample_ns) {
        Hooks::Dear
    } else {
        Hooks::Cheap
    }
}

/// How long a sample is to be at the least, in nanoseconds, whatever the clock.
fn least_sample_ns(compared: bool, parallel: bool) -> f64 {
    match (parallel, compared) {
        (true, _) => PARALLEL_SAMPLE_NS,
        (false, true) => COMPARED_SAMPLE_NS,
        (false, false) => SAMPLE_NS,
    }
}

/// Samples of a turn: a long warm-in is worth a longer one, of so many. `sizes_ns`: a sample of each size.
pub(crate) fn affordable(worth: u64, sizes_ns: f64) -> u64 {
    worth.min(((LONGEST_TURN_NS / sizes_ns).floor() as u64).max(1))
}

/// Makes the calls more, by two to eight times at once, until a sample is long enough; then aims.
fn find_calls(
    variant: &mut VariantRun<'_>,
    launcher: &mut dyn Launcher,
    settings: &Settings,
    target_ns: f64,
    clock_ns: f64,
) -> Option<SampleCosts> {
    let mut calls = 1u64;
    let (mut first_ns, mut first_untimed_ns, mut last) = (None, None, None);
    let enough = loop {
        let found = look(variant, launcher, settings, calls)?;
        if found.sample_ns >= target_ns / 2.0 || calls >= MOST_CALLS {
            break found;
        }
        // A subject that doesn't care how often it is to be called never gets longer; the null beside it does.
        let first_ns: f64 = *first_ns.get_or_insert(found.sample_ns);
        // What stands before the calls takes as long however many there are; here the calls do, and aren't timed.
        let first_untimed_ns: f64 = *first_untimed_ns.get_or_insert(found.untimed_ns);
        let nothing_ns = (CLOCK_IS_ALL * clock_ns).max(NO_CALL_NS * calls as f64);
        let nothing_timed = variant.is_capable_of(SETUP_IN_SAMPLES) && !found.paused && found.sample_ns <= nothing_ns;
        if nothing_timed && found.untimed_ns > LONGEST_UNTIMED_NS + 4.0 * first_untimed_ns {
            variant.fail(never_timed(calls, found.untimed_ns));
            return None;
        }
        if found.paused && found.untimed_ns > LONGEST_PAUSED_NS + 2.0 * first_untimed_ns {
            // Short samples, but longer ones would take minutes. What is paused once, before the calls, doesn't grow.
            return last.or(Some(found));
        }
        last = Some(found);
        if calls >= STALLED_CALLS && found.sample_ns < 2.0 * first_ns {
            let null_ns = least_null(variant, launcher, settings, calls)?;
            // Where nothing is timed at all the calls may still be made, which shows when they take longer than a request.
            let stalled_ns = match (nothing_timed, variant.is_capable_of(SETUP_IN_SAMPLES)) {
                (true, _) => 2.0 * LONGEST_UNTIMED_NS,
                (false, true) => plain_null_ns(first_ns),
                (false, false) => target_ns / 2.0,
            };
            if null_ns >= stalled_ns {
                if variant.is_capable_of(SETUP_IN_SAMPLES) {
                    variant.fail(never_loops(found));
                    return None;
                }
                // The null is what takes time now.
                return Some(SampleCosts { sample_ns: null_ns, ..found });
            }
        }
        // At most eightfold: the first calls may be far slower than those that follow.
        let factor = (target_ns / (found.sample_ns - clock_ns).max(1.0)).clamp(2.0, 8.0);
        calls = (calls as f64 * factor).ceil() as u64;
    };
    let mut found = if enough.between_ns > LONG_HOOKS_NS { enough } else { look(variant, launcher, settings, calls)? };
    let mut aim_ns = target_ns;
    // Of a short sample the time around it says nothing of hooks: requests and interruptions are as long.
    let hooks_ns = HOOKS_SHARE * target_ns.max(SAMPLE_NS);
    if found.between_ns > hooks_ns {
        // Hooks, or somebody else who had the core just then: a second look tells.
        let again = if found.between_ns > LONG_HOOKS_NS { found } else { look(variant, launcher, settings, calls)? };
        found = SampleCosts {
            sample_ns: found.sample_ns.min(again.sample_ns),
            between_ns: found.between_ns.min(again.between_ns),
            untimed_ns: found.untimed_ns.min(again.untimed_ns),
            ..found
        };
        if found.between_ns > hooks_ns {
            aim_ns = (found.between_ns / HOOKS_SHARE).min(LONGEST_STRETCHED_SAMPLE_NS);
        }
    }
    for _ in 0..3 {
        let aimed = ((calls as f64 * aim_ns / found.sample_ns.max(1.0)).ceil() as u64).clamp(1, MOST_CALLS);
        if aimed.abs_diff(calls) * 10 <= calls {
            break;
        }
        calls = aimed;
        found = look(variant, launcher, settings, calls)?;
    }
    Some(found)
}

/// The far sizes: see [`tare_samples::Calibration::far`].
fn far_sizes(calls: u64, sample_ns: f64, least_ns: f64, from_source: bool) -> Vec<u64> {
    if sample_ns >= least_ns {
        // A subject whose source fixes the calls may not bear more of them.
        // A bare call has no twice.
        let alone = from_source || calls == 0 || sample_ns > FAR_SAMPLE_AT_MOST_NS;
        return if alone { Vec::new() } else { vec![2 * calls] };
    }
    match (from_source, calls) {
        (true, 0 | 1) => Vec::new(),
        // A loop's exit is predicted in one size and not in the other: the farther apart the two, the less that matters.
        (true, calls @ 2..8) => vec![calls / 2, calls - calls % 2],
        (true, calls) => vec![calls / 4, calls],
        (false, calls) => {
            let near = calls.max(LEAST_FAR_CALLS);
            vec![near, 4 * near]
        }
    }
}

fn median(values: &[u64]) -> f64 {
    median_of(&values.iter().map(|&value| value as f64).collect::<Vec<_>>())
}

fn median_of(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    match sorted.len() {
        0 => 0.0,
        n if n % 2 == 1 => sorted[n / 2],
        n => (sorted[n / 2 - 1] + sorted[n / 2]) / 2.0,
    }
}

#[cfg(test)]
mod tests {
    use super::{far_sizes, least_sample_ns};

    #[test]
    fn what_starts_threads_in_each_sample_has_samples_as_long_in_comparisons_as_in_runs() {
        assert_eq!(least_sample_ns(true, true), least_sample_ns(false, true));
        // 20 µs of starting and joining are at most 0.2 %.
        assert!(20_000.0 <= 0.002 * least_sample_ns(true, true));
        assert!(least_sample_ns(true, false) < least_sample_ns(false, false));
    }

    #[test]
    fn a_source_that_fixes_the_calls_never_gets_more() {
        assert_eq!(far_sizes(1000, 100.0, 40_000.0, true), [250, 1000]);
        assert_eq!(far_sizes(5, 100.0, 40_000.0, true), [2, 4]);
        assert!(far_sizes(1, 100.0, 40_000.0, true).is_empty());
        assert!(far_sizes(1000, 1e6, 40_000.0, true).is_empty());
    }

    #[test]
    fn short_samples_get_two_far_sizes_and_long_ones_one() {
        assert_eq!(far_sizes(0, 100.0, 40_000.0, false), [8, 32]);
        assert_eq!(far_sizes(10, 500.0, 40_000.0, false), [10, 40]);
        assert_eq!(far_sizes(5000, 5e5, 40_000.0, false), [10_000]);
        assert!(far_sizes(1, 1e8, 40_000.0, false).is_empty());
        assert!(far_sizes(0, 1e6, 40_000.0, false).is_empty());
    }
}
