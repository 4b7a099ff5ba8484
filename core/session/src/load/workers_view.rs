//! What the worker processes of a load gave, as the report shows it: throughput, latencies, memory and warnings of each target.

use std::time::Duration;

use tare_load::plan::BlockResult;
use tare_load::schedule::Pace;
use tare_load::workers::{Fallen, Outcome, Stage, TargetMeasurement, TeamPlan};
use tare_results::{LoadFallen, LoadMemory, LoadTarget};
use tare_samples::FailureKind;
use tare_statistics::{Estimate, Warning, WarningCode};

use crate::load::http_view::{
    gone, latency, operation, rate_not_kept, rate_remedy, seconds, throughput, time_under_load,
};
use crate::load::mixes;
use crate::load::suites::Suite;

/// Windows that are shorter on average say little of the throughput: workers begin some ten microseconds apart.
const SHORT: Duration = Duration::from_millis(10);

/// A target that was under load, as the report shows it.
pub(super) fn target(name: &str, suite: &Suite, number: usize, plan: &TeamPlan, outcome: &Outcome) -> LoadTarget {
    let measured = &outcome.targets[number];
    let blocks: Vec<&BlockResult> = outcome.blocks.iter().filter(|result| result.block.target == number).collect();
    let operations = &plan.targets[number].operations;
    let (rate, arrivals) = match plan.pace {
        Pace::Closed => (None, None),
        Pace::Open { rate, arrivals } => (Some(rate), Some(arrivals.name().to_owned())),
    };
    let mut shown = LoadTarget {
        name: name.to_owned(),
        failure: failure(measured, outcome.interrupted),
        duration_s: time_under_load(&blocks),
        whole_s: (!measured.whole.is_zero()).then_some(measured.whole.as_secs_f64()),
        overall: latency(&measured.series.total.latencies),
        throughput: throughput(&blocks, &measured.series).map(|found| match measured.throughput() {
            // In the middle of what blocks or seconds say of its spread.
            Some(estimate) => Estimate {
                estimate,
                low: match estimate - (found.estimate - found.low) {
                    low if low.is_finite() => low.max(0.0),
                    unknown => unknown,
                },
                high: estimate + (found.high - found.estimate),
            },
            None => found,
        }),
        workers: Some(measured.ready),
        rate,
        arrivals,
        operations: operations
            .iter()
            .zip(&measured.operations)
            .filter(|(one, _)| one.weight > 0)
            .map(|(one, interval)| operation(&one.name, interval))
            .collect(),
        memory: memory(measured),
        series: seconds(&measured.series),
        warnings: warnings(plan, measured, &blocks),
        suite: suite.name.clone(),
        runtime: suite.runtime.clone(),
        mix: operations.iter().filter(|one| one.weight > 0).map(|one| (one.name.clone(), one.weight)).collect(),
        fallen: fallen(measured),
        about: format!("{}, {}, {}", suite.name, suite.version, mixes::shown(operations)),
        ..LoadTarget::default()
    };
    shown.warnings.extend(gone(&shown));
    shown
}

/// Why nothing was measured, where nothing was.
fn failure(measured: &TargetMeasurement, interrupted: bool) -> Option<String> {
    let ended = measured.series.total.succeeded() + measured.series.total.failures.total();
    let first = measured.fallen.first();
    match (ended, first) {
        (0, Some(first)) => Some(format!("worker {}: {}", first.worker, failure_message(first))),
        (0, None) if !interrupted => Some("no operation ended".to_owned()),
        _ => None,
    }
}

fn failure_message(fallen: &Fallen) -> String {
    let failure = &fallen.failure;
    let place = match (failure.file.is_empty(), failure.line) {
        (true, _) => String::new(),
        (false, 0) => format!(" ({})", failure.file),
        (false, line) => format!(" ({}:{line})", failure.file),
    };
    format!("{}{place}", failure.message)
}

fn memory(measured: &TargetMeasurement) -> Vec<LoadMemory> {
    let row = |(worker, memory): (u32, &Option<tare_load::workers::WorkerMemory>)| {
        let memory = (*memory)?;
        Some(LoadMemory {
            worker,
            rss_bytes: memory.rss,
            peak_rss_bytes: memory.peak_rss,
            runtime_bytes: memory.runtime,
            runtime_peak_bytes: memory.runtime_peak,
        })
    };
    (0..).zip(&measured.memory).filter_map(row).collect()
}

fn fallen(measured: &TargetMeasurement) -> Vec<LoadFallen> {
    let row = |fallen: &Fallen| LoadFallen {
        worker: fallen.worker,
        stage: match fallen.stage {
            Stage::SetUp => "set-up",
            Stage::Work => "work",
            Stage::CleanUp => "clean-up",
        }
        .to_owned(),
        at_s: fallen.at.as_secs_f64(),
        kind: fallen.failure.kind.to_string(),
        message: failure_message(fallen),
    };
    measured.fallen.iter().map(row).collect()
}

/// The first of those that failed at the same stage and for the same reason, and how many more there are: workers that are launched anew in each round may
/// fail in each.
fn alike(fallen: &[Fallen]) -> Vec<(&Fallen, usize)> {
    let mut found: Vec<(&Fallen, usize)> = Vec::new();
    for one in fallen {
        let same = |(first, _): &&mut (&Fallen, usize)| {
            first.stage == one.stage
                && first.failure.kind == one.failure.kind
                && first.failure.message == one.failure.message
        };
        match found.iter_mut().find(same) {
            Some((_, more)) => *more += 1,
            None => found.push((one, 0)),
        }
    }
    found
}

/// Says so where a worker did operations in a block and none succeeded, though others' did.
fn without_success(measured: &TargetMeasurement, blocks: usize, compared: bool) -> Option<String> {
    let (worker, most) = measured.fruitless.iter().max_by_key(|(_, count)| **count)?;
    let others = match measured.fruitless.len() - 1 {
        0 => String::new(),
        others => format!(", and {others} of the others had none in some"),
    };
    let left_out = if compared { "; Tare leaves such blocks out of the comparison" } else { "" };
    let where_ = if blocks == 1 { String::new() } else { format!(" in {most} of {blocks} blocks") };
    (measured.series.total.succeeded() > 0).then(|| {
        format!("worker {worker} had no success{where_}{others}; the throughput is that of the other workers{left_out}")
    })
}

fn warnings(plan: &TeamPlan, measured: &TargetMeasurement, blocks: &[&BlockResult]) -> Vec<Warning> {
    let mut said = Vec::new();
    let mut tell = |code: WarningCode, message: String, remedy: String| {
        said.push(Warning::new(code, message, remedy));
    };
    let wanted = plan.workers;
    let spent: Duration = blocks.iter().map(|result| result.window).sum();
    if !blocks.is_empty() && spent < SHORT * blocks.len() as u32 && !spent.is_zero() {
        tell(
            WarningCode::ShortLoad,
            format!(
                "the workers were at work together for {:.2} ms at a time: the difference between their starts is a large part of that",
                1e3 * spent.as_secs_f64() / blocks.len() as f64
            ),
            "give more operations (--operations), or a --duration".to_owned(),
        );
    }
    for (fallen, more) in alike(&measured.fallen) {
        let (worker, why) = (fallen.worker, failure_message(fallen));
        let at = fallen.at.as_secs_f64();
        let message = match fallen.stage {
            Stage::SetUp => format!(
                "worker {worker} of {wanted} wasn't set up: {why}; the others worked without it, and the throughput is theirs"
            ),
            Stage::Work => format!(
                "worker {worker} of {wanted} failed after {at:.1} s of load: {why}; the others went on, and the throughput is what all did \
                 together, not scaled up. What it did since its last report isn't counted"
            ),
            Stage::CleanUp => format!("worker {worker} of {wanted} couldn't clean up: {why}"),
        };
        let message = match more {
            0 => message,
            more => format!(
                "{message}; this happened {more} more times, in this worker or others, in this round or later ones"
            ),
        };
        let remedy = match (fallen.stage, fallen.failure.kind) {
            (Stage::SetUp, FailureKind::Load) => {
                "check the set-up before operations: does the service run, and does it accept so many connections?"
            }
            _ => &fallen.failure.remedy,
        };
        tell(WarningCode::WorkerFellOut, message, remedy.to_owned());
    }
    if let Some(message) = without_success(measured, blocks.len(), plan.targets.len() > 1) {
        tell(
            WarningCode::NoSuccess,
            message,
            "read the failures of its operations; the report lists them by kind".to_owned(),
        );
    }
    let total = &measured.series.total;
    let failed = total.failures.total();
    let count = total.succeeded() + failed;
    if failed > 0 {
        let first = measured.messages.iter().next();
        let first = first.map_or(String::new(), |(kind, message)| format!("; {kind} said: {message}"));
        tell(
            WarningCode::Failures,
            format!(
                "{failed} of {count} operations failed; throughput and latencies cover the successful ones alone{first}"
            ),
            "repair these failures first; failed requests are often faster or slower than successful ones".to_owned(),
        );
    }
    if let Pace::Open { rate, .. } = plan.pace
        && let Some(message) = rate_not_kept(total, rate, "operations", &format!("{} workers", measured.ready))
    {
        tell(WarningCode::RateNotKept, message, rate_remedy("take more workers (--workers)"));
    }
    said
}

#[cfg(test)]
mod tests {
    use tare_load::workers::TargetMeasurement;

    use super::without_success;

    #[test]
    fn a_worker_without_success_is_named_unless_all_failed() {
        let mut measured = TargetMeasurement::default();
        measured.fruitless.extend([(1, 2), (3, 40)]);
        assert_eq!(without_success(&measured, 40, true), None);
        measured.series.total.latencies.record(1);
        let told = without_success(&measured, 40, true).unwrap();
        assert!(told.starts_with("worker 3 had no success in 40 of 40 blocks, and 1 of the others"), "{told}");
        assert!(told.ends_with("Tare leaves such blocks out of the comparison"), "{told}");
        assert_eq!(without_success(&TargetMeasurement { fruitless: Default::default(), ..measured }, 40, true), None);
    }
}
