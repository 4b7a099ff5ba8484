//! Memory, in launches of their own after everything was timed.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use tare_definition::MemoryMode;
use tare_engine::{memory_calls, weigh_memory};
use tare_plan::{Group, Planned, is_control};
use tare_results::VariantView;
use tare_samples::{Case, Failure, Outcome};
use tare_statistics::{Warning, WarningCode};
use tare_worker::ProcessLauncher;

use crate::measuring::recorder::Recorder;
use crate::on_all_cpus::on_all_cpus;
use tare_request::Request;

/// What is weighed: a variant, its place among the views, and how many calls a launch makes.
struct Job<'a> {
    planned: &'a Planned,
    at: usize,
    calls: u64,
}

/// Weighs what was measured well and isn't weighed yet, of the cases that are `wanted`: on all of `cpus` at once, since nothing is timed. What
/// fails is a warning of its variant's, whose times are good. Returns whether any did.
pub(crate) fn weigh(
    groups: &[Group],
    variants: &mut [VariantView],
    wanted: &dyn Fn(&Case) -> bool,
    request: &Request,
    (launcher, cpus): (&ProcessLauncher, &[usize]),
    recorder: &mut Recorder<'_>,
) -> bool {
    let jobs = jobs(groups, variants, wanted);
    let traced = request.measuring.memory == Some(MemoryMode::Traced);
    let stop = Arc::clone(recorder.session.stop_flag());
    let weigh_one = |launcher: &mut ProcessLauncher, job: &Job<'_>| {
        let interrupted = || stop.load(Ordering::Relaxed);
        weigh_memory(job.planned, job.calls, traced, &request.settings, launcher, &interrupted)
    };
    let mut failed = false;
    on_all_cpus(
        &jobs,
        cpus,
        |cpu| cpu.map_or_else(|| launcher.clone(), |cpu| launcher.of_cpu(cpu, &[])),
        weigh_one,
        |job, weighed| {
            let view = &mut variants[job.at];
            match (weighed, &mut view.calibration) {
                (Ok(Some(weighed)), Some(calibration)) => {
                    calibration.memory = Some(weighed);
                    let calibration = calibration.clone();
                    recorder.keep_calibration(&job.planned.variant, &calibration);
                }
                (Ok(_), _) => return false,
                (Err(failure), _) => {
                    failed = true;
                    if let Some(summary) = &mut view.summary {
                        summary.warnings.push(warning(&failure, job.calls));
                    }
                }
            }
            true
        },
    );
    failed
}

fn jobs<'a>(groups: &'a [Group], variants: &[VariantView], wanted: &dyn Fn(&Case) -> bool) -> Vec<Job<'a>> {
    let mut jobs = Vec::new();
    for group in groups {
        let place = |id: &str| variants.iter().position(|view| view.variant.id == id);
        let members: Vec<_> = group.variants.iter().filter_map(|p| Some((p, place(&p.variant.id)?))).collect();
        let times: Vec<f64> =
            members.iter().filter_map(|&(_, at)| variants[at].summary.as_ref()).map(|s| s.raw.estimate).collect();
        for (planned, at) in members {
            let (view, variant) = (&variants[at], &planned.variant);
            let is_weighed = view.calibration.as_ref().is_none_or(|calibration| calibration.memory.is_some());
            // A control is its base once more.
            if !is_weighed && view.outcome == Outcome::Ok && !is_control(variant) && wanted(&variant.case) {
                jobs.push(Job { planned, at, calls: memory_calls(variant.calls, &times) });
            }
        }
    }
    jobs
}

fn warning(failure: &Failure, calls: u64) -> Warning {
    Warning {
        code: WarningCode::MemoryNotWeighed.into(),
        message: format!(
            "its memory was not measured: in a launch of {} {failure}",
            match calls {
                0 => "one bare call:".to_owned(),
                1 => "1 call:".to_owned(),
                calls => format!("{calls} calls:"),
            }
        ),
        remedy: failure.remedy.clone(),
    }
}
