//! Memory, in launches of their own after everything was timed.

use tare_engine::{memory_calls, weigh_memory};
use tare_plan::{Group, is_control};
use tare_results::VariantView;
use tare_samples::{Case, Failure, Outcome};
use tare_statistics::{Warning, WarningCode};
use tare_worker::Launcher;

use crate::measuring::recorder::Recorder;
use tare_request::MemoryMode;
use tare_request::Request;

/// Weighs what was measured well and isn't weighed yet, of the cases that are `wanted`. What fails is a warning of its variant's, whose
/// times are good. Returns whether any did.
pub(crate) fn weigh(
    groups: &[Group],
    variants: &mut [VariantView],
    wanted: &dyn Fn(&Case) -> bool,
    request: &Request,
    launcher: &mut dyn Launcher,
    recorder: &mut Recorder<'_>,
) -> bool {
    let mut failed = false;
    let traced = request.memory == Some(MemoryMode::Traced);
    for group in groups {
        let place = |id: &str| variants.iter().position(|view| view.variant.id == id);
        let members: Vec<_> = group.variants.iter().filter_map(|p| Some((p, place(&p.variant.id)?))).collect();
        let times: Vec<f64> =
            members.iter().filter_map(|&(_, at)| variants[at].summary.as_ref()).map(|s| s.raw.estimate).collect();
        for (planned, at) in members {
            let view = &mut variants[at];
            let variant = &planned.variant;
            let Some(calibration) = view.calibration.as_mut().filter(|calibration| calibration.memory.is_none()) else {
                continue;
            };
            // A control is its base once more.
            if view.outcome != Outcome::Ok || is_control(variant) || !wanted(&variant.case) {
                continue;
            }
            let calls = memory_calls(variant.calls, &times);
            let interrupted = || recorder.is_stopped();
            match weigh_memory(planned, calls, traced, &request.settings, launcher, &interrupted) {
                Ok(Some(weighed)) => {
                    calibration.memory = Some(weighed);
                    let calibration = calibration.clone();
                    recorder.keep_calibration(variant, &calibration);
                }
                Ok(None) => return failed,
                Err(failure) => {
                    failed = true;
                    if let Some(summary) = &mut view.summary {
                        summary.warnings.push(warning(&failure, calls));
                    }
                }
            }
        }
    }
    failed
}

fn warning(failure: &Failure, calls: u64) -> Warning {
    Warning {
        code: WarningCode::MemoryNotWeighed.into(),
        message: format!(
            "its memory was not weighed: in a launch of {} {failure}",
            match calls {
                0 => "one bare call:".to_owned(),
                1 => "1 call:".to_owned(),
                calls => format!("{calls} calls:"),
            }
        ),
        remedy: failure.remedy.clone(),
    }
}
