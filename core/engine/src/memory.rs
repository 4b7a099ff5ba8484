//! How much memory a subject holds (`--memory`), measured in launches of their own, in which nothing is timed.
//!
//! Most of a process's size is its runtime's. So half of the launches run the subject, the other half the null in its place (the same source, the same loop), and the subject holds
//! the difference. Launches of the two take turns. Peaks count from where the case is ready, where the kernel (and the
//! runtime, for its own account) can set them back: loading a source often takes more than running it.

use tare_plan::{Planned, Settings};
use tare_samples::{Calls, Failure, Memory, WeighedMemory};
use tare_worker::Launcher;

use crate::variant_run::deadline;

/// Launches of the subject; as many of the null.
pub const MEMORY_LAUNCHES: usize = 5;
/// A launch runs the subject this often, or as often as fits into [`LONGEST_NS`].
const MOST_CALLS: f64 = 1000.0;
const LONGEST_NS: f64 = 1e8;

/// How many calls a launch makes that weighs memory: what the user asked for, else 1,000, or fewer where they take longer than a tenth
/// of a second. Variants that stand side by side must make as many, so `times_ns` are the times of a call of all of them.
pub fn memory_calls(asked: Calls, times_ns: &[f64]) -> u64 {
    match asked {
        Calls::Bare => 0,
        Calls::Loop(calls) => calls,
        Calls::Pilot => {
            let slowest = times_ns.iter().copied().filter(|time| time.is_finite()).fold(1.0, f64::max);
            (LONGEST_NS / slowest).clamp(1.0, MOST_CALLS) as u64
        }
    }
}

/// Weighs the memory of a variant. `traced` asks for the runtime's tracer as well, where it has one that costs too much to be on
/// always. `None` when interrupted.
///
/// # Errors
/// The failure of the first launch that fails.
pub fn weigh_memory(
    planned: &Planned,
    calls: u64,
    traced: bool,
    settings: &Settings,
    launcher: &mut dyn Launcher,
    interrupted: &dyn Fn() -> bool,
) -> Result<Option<WeighedMemory>, Failure> {
    let mut weighed = WeighedMemory { calls, from_ready: true, ..WeighedMemory::default() };
    for ordinal in 0..MEMORY_LAUNCHES {
        // Neither always comes first: the first one finds the files that it loads in fewer caches.
        for is_case in if ordinal % 2 == 0 { [true, false] } else { [false, true] } {
            if interrupted() {
                return Ok(None);
            }
            let (memory, from_ready) = launch(planned, is_case, calls, &[], settings, launcher)?;
            weighed.from_ready &= from_ready;
            if is_case { &mut weighed.subject } else { &mut weighed.null }.push(memory);
        }
    }
    if let Some(tracer) = tare_languages::of_name(&planned.variant.runtime.language).memory_tracer.filter(|_| traced) {
        let mut peak = |is_case| {
            let (memory, _) = launch(planned, is_case, calls, &[tracer], settings, launcher)?;
            Ok::<_, Failure>(memory.runtime_peak_bytes)
        };
        weighed.traced = peak(true)?.zip(peak(false)?);
    }
    Ok(Some(weighed))
}

fn launch(
    planned: &Planned,
    is_case: bool,
    calls: u64,
    environment: &[(&str, &str)],
    settings: &Settings,
    launcher: &mut dyn Launcher,
) -> Result<(Memory, bool), Failure> {
    let mut start = planned.start.clone();
    start.environment.extend(environment.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())));
    let case = &planned.variant.case;
    let parameters = case.parameters.name.as_deref().unwrap_or("");
    let deadline = deadline(planned, settings);
    let mut conversation = launcher.launch(&start, settings.seed)?;
    let done = (|| {
        conversation.load(&planned.sources, planned.bootstrap.as_deref(), deadline)?;
        conversation.prepare(case.index, case.own_name(), parameters, settings.clock.as_deref(), deadline)?;
        let from_ready = conversation.reset_peak_rss();
        conversation.run(if is_case { "case" } else { "null" }, 0, &[calls], deadline)?;
        let finished = conversation.finish(deadline)?;
        let memory =
            Memory { peak_rss_bytes: finished.peak_rss_bytes, runtime_peak_bytes: finished.runtime_peak_bytes };
        Ok((memory, from_ready))
    })();
    conversation.close();
    done.map_err(|failure: Failure| match failure.file.is_empty() {
        true => failure.at(case.file.clone(), case.line),
        false => failure,
    })
}

#[cfg(test)]
mod tests {
    use tare_samples::Calls;

    use super::memory_calls;

    #[test]
    fn the_slowest_of_those_side_by_side_decides_how_often_all_are_called() {
        assert_eq!(memory_calls(Calls::Pilot, &[100.0, 2e3]), 1000);
        assert_eq!(memory_calls(Calls::Pilot, &[100.0, 1e6]), 100);
        assert_eq!(memory_calls(Calls::Pilot, &[3e9]), 1);
        assert_eq!(memory_calls(Calls::Pilot, &[-0.1, f64::NAN]), 1000);
        assert_eq!(memory_calls(Calls::Pilot, &[]), 1000);
        assert_eq!(memory_calls(Calls::Loop(7), &[3e9]), 7);
        assert_eq!(memory_calls(Calls::Bare, &[1.0]), 0);
    }
}
