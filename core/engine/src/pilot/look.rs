//! One look at samples of a size: how long they take, and what lies beside them.

use tare_plan::Settings;
use tare_samples::Subject;
use tare_worker::Launcher;

use super::SampleCosts;
use crate::variant_run::{SETUP_IN_SAMPLES, VariantRun};

/// What lies between two samples, by estimate, where nothing was measured.
const BETWEEN_SAMPLES_NS: f64 = 1_000.0;
/// A sample longer than this is looked at twice, not six times.
pub(super) const LONG_SAMPLE_NS: f64 = 5_000_000.0;
/// The same where what isn't timed beside it takes longer than this.
const LONG_BESIDE_NS: f64 = 20_000_000.0;
/// A sample of so little may be longer for what was done since the last one.
const COLD_SAMPLE_NS: f64 = 10_000.0;
/// Samples of a turn that shows what is lost between them, and how often that is tried.
const LOST_SAMPLES: usize = 4;
const LOST_TRIES: usize = 3;
/// No scheduler takes a core away for this long; a sample of this length is believed at once.
const NO_INTERRUPTION_NS: f64 = 1_000_000_000.0;

/// How long a sample of this size takes: the least of some twenty, or of two where it is long. Whatever disturbs a sample makes it
/// longer, and one that was interrupted must not pass for a slow subject.
pub(super) fn look(
    variant: &mut VariantRun<'_>,
    launcher: &mut dyn Launcher,
    settings: &Settings,
    calls: u64,
) -> Option<SampleCosts> {
    let mut least_ns = f64::INFINITY;
    let mut paused = false;
    // The time that a turn of so many samples takes beside them.
    let mut lost_ns =
        |variant: &mut VariantRun<'_>, launcher: &mut dyn Launcher, samples: usize, least_ns: &mut f64| {
            let begun_ns = launcher.now_ns();
            let turn = variant.turn(launcher, settings, 0, Subject::Case, 0, vec![calls; samples])?;
            let timed: u64 = turn.elapsed.iter().fold(0, |sum, &elapsed| sum.saturating_add(elapsed));
            *least_ns = turn.elapsed.iter().fold(*least_ns, |least, &elapsed| least.min(elapsed as f64));
            paused |= turn.pauses.iter().any(|&pauses| pauses > 0);
            Some((launcher.now_ns() - begun_ns).saturating_sub(timed) as f64)
        };
    let mut alone = lost_ns(variant, launcher, 1, &mut least_ns)?;
    // A set-up that isn't timed makes samples slow to get, too.
    let is_slow = |timed_ns: f64, untimed_ns: f64| timed_ns > LONG_SAMPLE_NS || untimed_ns > LONG_BESIDE_NS;
    if is_slow(least_ns, alone) && least_ns < NO_INTERRUPTION_NS {
        // Cold ones are longer, and of a sample of which nothing may be timed that is most.
        let cold = least_ns <= COLD_SAMPLE_NS && variant.is_capable_of(SETUP_IN_SAMPLES);
        let samples = if cold { 3 } else { 1 };
        alone = alone.min(lost_ns(variant, launcher, samples, &mut least_ns)? / samples as f64);
    }
    if is_slow(least_ns, alone) {
        // Of short samples what takes so long is lost between them: it stands in each turn as often as they do.
        let lost = !paused && least_ns <= LONG_SAMPLE_NS;
        return Some(SampleCosts {
            calls,
            sample_ns: least_ns,
            between_ns: if lost { alone } else { BETWEEN_SAMPLES_NS },
            untimed_ns: alone,
            paused,
            mostly_setup: false,
        });
    }
    // What hooks cost grows with the samples; what a request costs, and a wait for the core, doesn't. The least of several
    // tries, again: once a wait for the core passed for hooks, and made the samples of one side a thousand times longer.
    let mut together = f64::INFINITY;
    for _ in 0..LOST_TRIES {
        together = together.min(lost_ns(variant, launcher, 1 + LOST_SAMPLES, &mut least_ns)?);
        alone = alone.min(lost_ns(variant, launcher, 1, &mut least_ns)?);
    }
    // What is paused is lost on purpose, and grows with the calls: longer samples wouldn't help.
    let between_ns = if paused { 0.0 } else { (together - alone) / LOST_SAMPLES as f64 };
    Some(SampleCosts {
        calls,
        sample_ns: least_ns,
        between_ns: between_ns.max(BETWEEN_SAMPLES_NS),
        untimed_ns: alone,
        paused,
        mostly_setup: false,
    })
}

/// The least time of one call in a few samples of `calls`, as [`look`] sees it.
pub(crate) fn least_call_ns(
    variant: &mut VariantRun<'_>,
    launcher: &mut dyn Launcher,
    settings: &Settings,
    calls: u64,
) -> Option<f64> {
    Some(look(variant, launcher, settings, calls)?.sample_ns / calls.max(1) as f64)
}
