//! What samples hold beside their calls: found, and made a small share of them.

use tare_plan::Settings;
use tare_samples::{Failure, FailureKind, Subject};
use tare_statistics::quantile::mean;
use tare_worker::Launcher;

use super::look::{LONG_SAMPLE_NS, look};
use super::{FAR_SAMPLE_AT_MOST_NS, MOST_CALLS, SampleCosts, median};
use crate::variant_run::{SETUP_IN_SAMPLES, VariantRun};

/// Samples are made so long that a set-up is no more than this share of them, unless they would grow too long.
const SETUP_SHARE: f64 = 0.2;
const LONGEST_SETUP_SAMPLE_NS: f64 = 1_500_000.0;
/// A smaller share can't be told from what two measurements at different moments differ by.
const LEAST_SETUP_SHARE: f64 = 0.02;
/// Where variants are compared: the share that stays in samples, and how long these may become for it.
const BEARABLE_SETUP_SHARE: f64 = 0.1;
const LONGEST_COMPARED_SAMPLE_NS: f64 = 150_000.0;
const SETUP_TRIES: usize = 3;
/// Samples of each size in a try, and how long it warms in.
const SETUP_SAMPLES: usize = 8;
const SETUP_WARM_NS: f64 = 1_000_000.0;
/// Of samples longer than this two of each size must do.
const SLOW_SETUP_SAMPLE_NS: f64 = 1_000_000.0;
/// Where four times the calls take less than this many times as long, most of the sample isn't calls.
const HARDLY_LONGER: f64 = 2.0;
/// See [`plain_null_ns`].
const PLAIN_NULL_NS: f64 = 20_000_000.0;
/// The null is timed this often and the shortest time counts: one that waited for the core would pass for a loop that is long enough to judge by.
const NULL_LOOKS: usize = 3;
/// In a sample of this many times the clock's cost that cost can be ignored.
const CLOCK_IS_NOTHING: f64 = 20.0;
/// Longer samples aren't looked at with four times the calls.
const MOSTLY_SETUP_AT_MOST_NS: f64 = 150_000_000.0;

/// A long sample of which less is set-up is all calls, as far as two samples tell.
const LONG_SETUP_SHARE: f64 = 0.05;
/// Where variants are compared: as far as the mean of so many more pairs of samples tells.
const LONG_COMPARED_SETUP_SHARE: f64 = 0.03;
const LONG_LOOKS: usize = 2;

/// Where most of a sample is something else than its calls, the line through two sizes of samples says next to nothing of the calls. This makes the calls so many that they are half
/// of the sample; or finds that the subject has no loop, so that a sample takes as long however many calls are asked for.
pub(super) fn half_calls(
    variant: &mut VariantRun<'_>,
    launcher: &mut dyn Launcher,
    settings: &Settings,
    first: SampleCosts,
    clock_ns: f64,
) -> Option<SampleCosts> {
    let calls = first.calls;
    let mut found = SampleCosts { mostly_setup: false, ..first };
    if !variant.is_capable_of(SETUP_IN_SAMPLES) || found.sample_ns > MOSTLY_SETUP_AT_MOST_NS || calls >= MOST_CALLS {
        return Some(found);
    }
    let looks = if first.sample_ns > LONG_SAMPLE_NS { 1 } else { 2 };
    let (mut more, mut grown) = (4 * calls, None);
    while more < MOST_CALLS {
        let mut ns = f64::INFINITY;
        // One that looks longer may have been disturbed: twice over, then, it is.
        for _ in 0..2 {
            let turn = variant.turn(launcher, settings, 0, Subject::Case, 0, vec![more; looks])?;
            ns = turn.elapsed.iter().fold(ns, |least, &elapsed| least.min(elapsed as f64));
            if ns < HARDLY_LONGER * first.sample_ns {
                break;
            }
        }
        if ns >= HARDLY_LONGER * first.sample_ns {
            grown = Some((more, ns));
            break;
        }
        if first.sample_ns < CLOCK_IS_NOTHING * clock_ns {
            // The clock is as much of it as calls are.
            return Some(found);
        }
        let null_ns = least_null(variant, launcher, settings, more)?;
        if null_ns >= plain_null_ns(first.sample_ns) {
            variant.fail(never_loops(SampleCosts { calls: more, ..found }));
            return None;
        }
        more *= 4;
    }
    if first.sample_ns > FAR_SAMPLE_AT_MOST_NS
        && let Some((_, ns)) = grown
    {
        let mut shares = vec![setup_of(first.sample_ns, ns)];
        // A set-up that one side has passes for slower calls: two samples may miss it.
        for _ in 0..if variant.is_compared() { LONG_LOOKS } else { 0 } {
            let turn = variant.turn(launcher, settings, 0, Subject::Case, 0, vec![calls, 4 * calls])?;
            if let &[near, far] = turn.elapsed.as_slice() {
                shares.push(setup_of(near as f64, far as f64));
            }
        }
        let least = if variant.is_compared() { LONG_COMPARED_SETUP_SHARE } else { LONG_SETUP_SHARE };
        // No longer than four such samples together, and the calls are a third of them at least: a line tells both apart.
        found.mostly_setup = mean(&shares).is_some_and(|share| share > least);
    }
    if let Some((grown, _)) = grown
        && grown > 4 * calls
    {
        found = look(variant, launcher, settings, grown)?;
        if found.sample_ns > FAR_SAMPLE_AT_MOST_NS {
            // Four times as many would take seconds: these are the many, and a quarter of them the few.
            found = look(variant, launcher, settings, (grown / 4).max(1))?;
        }
        found.mostly_setup = true;
    }
    Some(found)
}

/// The share of a sample that stands beside its calls, where four times as many take so long.
fn setup_of(sample_ns: f64, four_ns: f64) -> f64 {
    1.0 - (four_ns / sample_ns.max(1.0) - 1.0) / 3.0
}

/// A null that takes so long beside a sample that doesn't grow shows that there is no loop. A body may be next to nothing, so it is twice the
/// sample; and a loop may go on by thousands (`i += len(data)`), so it is no short one.
pub(super) fn plain_null_ns(sample_ns: f64) -> f64 {
    (HARDLY_LONGER * sample_ns).max(PLAIN_NULL_NS)
}

/// What so many calls of the null take, in nanoseconds.
pub(super) fn least_null(
    variant: &mut VariantRun<'_>,
    launcher: &mut dyn Launcher,
    settings: &Settings,
    calls: u64,
) -> Option<f64> {
    let null = variant.turn(launcher, settings, 0, Subject::Null, 0, vec![calls; NULL_LOOKS])?;
    Some(null.elapsed.iter().fold(f64::INFINITY, |least, &elapsed| least.min(elapsed as f64)))
}

/// No compiler removes a loop of these workers' benchmarks: there is none.
pub(super) fn never_loops(found: SampleCosts) -> Failure {
    let SampleCosts { calls, sample_ns, .. } = found;
    Failure::new(
        FailureKind::Exception,
        format!("one call takes as long as {calls} calls, {:.1} µs: it doesn't loop b.N times", sample_ns / 1e3),
        "put the code to measure into `for i := 0; i < b.N; i++ { … }` or `for b.Loop() { … }`",
    )
}

/// What a sample holds beside its calls, in nanoseconds, for workers whose samples hold what the author does before the loop; 0 where
/// nothing is sure. The least of several tries, all of which must show it: times that differ by accident of the moment would make
/// one up for every second subject. Both sizes take turns in one turn, behind a warm-in: the first calls after a switch are slow, and are
/// a larger part of fewer calls.
pub(super) fn find_setup(
    variant: &mut VariantRun<'_>,
    launcher: &mut dyn Launcher,
    settings: &Settings,
    found: SampleCosts,
    clock_ns: f64,
) -> Option<f64> {
    let is_long = found.sample_ns > FAR_SAMPLE_AT_MOST_NS;
    if !variant.is_capable_of(SETUP_IN_SAMPLES) || (is_long && !found.mostly_setup) {
        return Some(0.0);
    }
    // What stands before the calls and isn't timed takes its time all the same.
    let whole_ns = found.sample_ns + found.long_untimed_ns();
    let warm = ((SETUP_WARM_NS / whole_ns.max(1.0)) as u64).clamp(1, 1_000);
    let mut setup_ns = f64::INFINITY;
    // Half of a long sample is seen at once.
    for _ in 0..if is_long { 1 } else { SETUP_TRIES } {
        let sizes =
            [found.calls, 4 * found.calls].repeat(if whole_ns > SLOW_SETUP_SAMPLE_NS { 2 } else { SETUP_SAMPLES });
        let turn = variant.turn(launcher, settings, 0, Subject::Case, warm, sizes)?;
        let of = |size: usize| median(&turn.elapsed.iter().skip(size).step_by(2).copied().collect::<Vec<_>>());
        let (near_ns, far_ns) = (of(0), of(1));
        setup_ns = setup_ns.min(near_ns - (far_ns - near_ns) / 3.0 - clock_ns);
        // One that doesn't show it is enough, and most subjects have none.
        if setup_ns <= (LEAST_SETUP_SHARE * near_ns).max(3.0 * clock_ns) {
            return Some(0.0);
        }
    }
    Some(setup_ns)
}

/// The share that the set-up has of samples of so many calls, as [`find_setup`] sees it.
pub(crate) fn setup_share(
    variant: &mut VariantRun<'_>,
    launcher: &mut dyn Launcher,
    settings: &Settings,
    calls: u64,
) -> Option<f64> {
    let found = look(variant, launcher, settings, calls)?;
    // What the clock costs is the same on both sides.
    let setup_ns = find_setup(variant, launcher, settings, found, 0.0)?;
    Some((setup_ns / found.sample_ns.max(1.0)).min(1.0))
}

/// Makes samples longer until their set-up is no large share of them, or they take long: what is left of a sample that is nearly all
/// set-up is known badly. The last value: the set-up has to be taken off by the line through two sizes.
///
/// Where variants are compared that line, seen in each launch, scatters by several percent from pair to pair; a small set-up stays in
/// the samples there, on both sides, and makes a difference look smaller by its share.
pub(super) fn calls_beyond_setup(
    variant: &mut VariantRun<'_>,
    launcher: &mut dyn Launcher,
    settings: &Settings,
    found: SampleCosts,
    setup_ns: f64,
) -> Option<(SampleCosts, bool)> {
    let compared = variant.is_compared();
    // Step by step: what is left of the sample beside the set-up is known too badly to aim with at once.
    let mut lasting = |wanted_ns: f64| {
        let mut found = found;
        while found.sample_ns < 0.8 * wanted_ns && found.calls < MOST_CALLS {
            let factor = (wanted_ns / found.sample_ns.max(1.0)).clamp(2.0, 8.0);
            found = look(variant, launcher, settings, (found.calls as f64 * factor).ceil() as u64)?;
        }
        Some(found)
    };
    if compared && setup_ns <= BEARABLE_SETUP_SHARE * LONGEST_COMPARED_SAMPLE_NS.max(found.sample_ns) {
        let found = lasting((setup_ns / BEARABLE_SETUP_SHARE).min(LONGEST_COMPARED_SAMPLE_NS))?;
        return Some((found, false));
    }
    let found = lasting((setup_ns / SETUP_SHARE).min(LONGEST_SETUP_SAMPLE_NS))?;
    Some((found, setup_ns > 0.0))
}

/// A timer that is stopped and never started.
pub(super) fn never_timed(calls: u64, untimed_ns: f64) -> Failure {
    Failure::new(
        FailureKind::Exception,
        format!("none of {calls} calls in {:.0} ms is timed: the timer is stopped", untimed_ns / 1e6),
        "start the timer in the loop, before the code to measure, and reset it only before the loop; Tare doesn't use a time that a benchmark reports (b.ReportMetric)",
    )
}
