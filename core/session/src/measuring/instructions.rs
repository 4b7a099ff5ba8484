//! Instructions a call, by valgrind's callgrind, in launches of their own after everything was timed.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tare_plan::{Group, Planned, is_control};
use tare_profile::{ProfileError, Tool, count};
use tare_results::VariantView;
use tare_samples::{Calls, Case, LaunchCounts, Outcome};
use tare_statistics::{Warning, WarningCode};
use tare_worker::ProcessLauncher;

use crate::measuring::on_all_cpus::on_all_cpus;
use crate::measuring::recorder::Recorder;
use tare_request::Request;

/// Under valgrind an interpreter takes seconds to start.
pub(crate) const STARTUP: Duration = Duration::from_secs(180);
/// Most calls of the longer launches, and about how long they may take without the tool.
const MOST_CALLS: f64 = 200.0;
const LONGEST_NS: f64 = 1e7;

/// Counts the instructions of what was measured well and isn't counted yet, of the cases that are `wanted`: on all of `cpus` at once, since nothing
/// is timed. What fails is a warning of its variant's, whose times are good. Where there is no valgrind that is said once, and nothing is
/// counted. Returns whether any failed.
pub(crate) fn count_all(
    groups: &[Group],
    variants: &mut [VariantView],
    wanted: &dyn Fn(&Case) -> bool,
    request: &Request,
    cpus: &[usize],
    recorder: &mut Recorder<'_>,
) -> bool {
    let uncounted = |view: &VariantView| {
        view.outcome == Outcome::Ok
            && wanted(&view.variant.case)
            && view.calibration.as_ref().is_some_and(|calibration| calibration.instructions.is_none())
    };
    if !variants.iter().any(uncounted) {
        return false;
    }
    if let Err(ProfileError::Missing { what, .. }) = Tool::Callgrind.check("", &[]) {
        recorder
            .session
            .notice(format!("no instructions are counted: {what}; install it, as with `apt-get install valgrind`"));
        return false;
    }
    // A control is its base once more.
    let jobs: Vec<(&Planned, usize, f64)> = groups
        .iter()
        .flat_map(|group| &group.variants)
        .filter_map(|planned| {
            let at = variants.iter().position(|view| view.variant.id == planned.variant.id)?;
            let time = variants[at].summary.as_ref().map_or(f64::NAN, |summary| summary.raw.estimate);
            (uncounted(&variants[at]) && !is_control(&planned.variant)).then_some((planned, at, time))
        })
        .collect();
    let stop = Arc::clone(recorder.session.stop_flag());
    let mut failed = false;
    on_all_cpus(
        &jobs,
        cpus,
        |cpu| ProcessLauncher::new(cpu.into_iter().collect(), &[], STARTUP),
        |launcher, (planned, _, time)| {
            Tool::Callgrind.check(&planned.variant.runtime.language, &[])?;
            counted(planned, *time, request, launcher, &|| stop.load(Ordering::Relaxed))
        },
        |(planned, at, _), counts| {
            let view = &mut variants[*at];
            match (counts, &mut view.calibration) {
                (Ok(counts), Some(calibration)) => {
                    calibration.instructions = Some(counts);
                    let calibration = calibration.clone();
                    recorder.keep_calibration(&planned.variant, &calibration);
                }
                (Ok(_), None) => {}
                (Err(ProfileError::Interrupted), _) => return false,
                (Err(error), _) => {
                    failed = true;
                    if let Some(summary) = &mut view.summary {
                        summary.warnings.push(Warning {
                            code: WarningCode::InstructionsNotCounted.into(),
                            message: format!("its instructions were not counted: {error}"),
                            remedy: "see what `tare profile --tool callgrind` says of it; its times are good"
                                .to_owned(),
                        });
                    }
                }
            }
            true
        },
    );
    failed
}

fn counted(
    planned: &Planned,
    time_ns: f64,
    request: &Request,
    launcher: &mut ProcessLauncher,
    interrupted: &dyn Fn() -> bool,
) -> Result<LaunchCounts, ProfileError> {
    let mut planned = planned.clone();
    if planned.variant.calls == Calls::Pilot {
        // So that no launch is needed to find out how many calls there is time for.
        let many = (LONGEST_NS / time_ns.max(1.0)).clamp(2.0, MOST_CALLS) as u64;
        planned.variant.calls = Calls::Loop(many / 2);
    }
    let folder = Folder::new()?;
    count(Tool::Callgrind, &planned, &request.settings, &folder.0, launcher, &mut |_| {}, interrupted)
        .map(|counted| counted.launches)
}

/// A temporary folder that goes when it is let go of.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Result<Self, ProfileError> {
        let name = format!("tare-instructions-{}-{:08x}", std::process::id(), rand::random::<u32>());
        let path = std::env::temp_dir().join(name);
        fs::create_dir(&path).map_err(|error| ProfileError::File { path: path.display().to_string(), error })?;
        Ok(Self(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
