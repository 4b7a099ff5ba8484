//! `tare doctor --noise`: how different identical code looks on this machine.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::anyhow;
use tare_definition::Language;
use tare_engine::{Observer, Progress, Step};
use tare_plan::{Group, Settings, groups};
use tare_report::{Layout, NoiseRow, NoiseView};
use tare_samples::{Calibration, Launch, Outcome, Variant};
use tare_statistics::{Estimate, estimate};
use tare_worker::{Launcher, unpack_php_noise};

use crate::arguments::{Detail, DoctorArguments, Selection};
use crate::enumerate::enumerate;
use crate::exit::{Refusal, Status};
use crate::failures::describe;
use crate::interrupt::stop_flag;
use crate::placement::place_workers;
use crate::request::Request;
use crate::run::{begin, project_here, stopped_early};
use crate::sides::Sides;
use crate::{lock, screen};

/// Launch pairs of each interleaved comparison.
const PAIRS: u32 = 12;
/// What each side takes when one is measured after the other.
const ONE_AFTER_THE_OTHER: Duration = Duration::from_millis(600);

pub(crate) fn doctor(arguments: &DoctorArguments) -> Result<Status, Refusal> {
    let stop = stop_flag()?;
    let interrupted = || stop.load(Ordering::Relaxed);
    let project = project_here()?;
    let benchmark = unpack_php_noise().map_err(Refusal::failed)?;
    let selection = Selection {
        paths: vec![benchmark],
        filter: Vec::new(),
        group: Vec::new(),
        runtime: arguments.runtime.clone(),
        timeout: None,
        json: arguments.json,
    };
    let mut request = Request::of_selection(&selection, &project)?;
    let sources = request.sources()?;
    request.resolve(&sources)?;
    let runs: Vec<bool> = request.runtimes.iter().map(|runtime| request.runs(runtime, Language::Php)).collect();
    let mut runs = runs.into_iter();
    request.runtimes.retain(|_| runs.next().unwrap_or(false));
    let [runtime] = request.runtimes.as_slice() else {
        return Err(Refusal::usage(anyhow!(
            "the noise is measured on one runtime at a time, and there are {}: choose one with --runtime",
            request.runtimes.len()
        )));
    };
    let mut again = runtime.clone();
    again.name.push_str(" again");
    request.runtimes.push(again);
    request.settings = Settings {
        launches: Some(PAIRS),
        budget: ONE_AFTER_THE_OTHER,
        seed: rand::random::<u64>() >> 32,
        ..Settings::default()
    };
    let mut job = begin(request, &project, Sides::default());
    let mut launcher = place_workers(&mut job)?;
    let found = enumerate(&job.request, &sources, &mut launcher, &interrupted);
    if let Some(failure) = found.failures.first() {
        return Err(Refusal { status: found.status(), cause: anyhow!("{}", describe(failure)) });
    }
    let mut interleaved = groups(&found.enumerated, &[]);
    for pair in interleaved.iter_mut().flat_map(|group| &mut group.pairs) {
        pair.control = true;
    }
    let Some(_lock) = lock::take("`tare doctor --noise`", &interrupted) else { return Ok(stopped_early()) };

    let mut observer = Telling { stop: Arc::clone(&stop), what: "interleaved", told: false };
    let begun_ns = launcher.now_ns();
    let settings = &job.request.settings;
    let live = tare_engine::measure(&interleaved, settings, &mut launcher, &mut observer, Vec::new(), begun_ns);
    let mut times: Vec<Vec<Estimate>> = Vec::new();
    for side in 0..2 {
        observer = Telling {
            stop: Arc::clone(&stop),
            what: if side == 0 { "one after the other: the first" } else { "the second" },
            told: false,
        };
        let alone: Vec<Group> = interleaved
            .iter()
            .map(|group| Group {
                case: group.case.clone(),
                variants: vec![group.variants[side].clone()],
                pairs: Vec::new(),
            })
            .collect();
        let settings = Settings { launches: None, budget_given: true, ..settings.clone() };
        let measured = tare_engine::measure(&alone, &settings, &mut launcher, &mut observer, Vec::new(), begun_ns);
        times.push(measured.measurements.iter().flatten().filter_map(time).collect());
    }
    if interrupted() {
        return Ok(stopped_early());
    }
    for measurement in live.measurements.iter().flatten() {
        if let Outcome::Failed(failure) = &measurement.outcome {
            return Err(Refusal::failed(anyhow!("{}", describe(failure))));
        }
    }
    let rows = interleaved.iter().enumerate().map(|(number, group)| NoiseRow {
        subject: group.variants[0].variant.case.benchmark.clone(),
        interleaved: live.comparisons.iter().find(|c| c.group == number).and_then(|c| c.comparison.ratio),
        one_after_the_other: match (times[0].get(number), times[1].get(number)) {
            (Some(first), Some(second)) if first.estimate > 0.0 => Some(second.estimate / first.estimate),
            _ => None,
        },
    });
    let view = NoiseView {
        runtime: interleaved.first().map(|group| group.variants[0].variant.runtime.clone()),
        machine: job.origin.machine.clone(),
        pairs: PAIRS,
        rows: rows.collect(),
    };
    if arguments.json {
        screen::print(&tare_report::noise_document(&view, Layout::Pretty));
    } else {
        let options = screen::table_options(&Detail::default());
        screen::print(&tare_report::noise_report(&view, &options));
    }
    Ok(Status::Done)
}

fn time(measurement: &tare_samples::Measurement) -> Option<Estimate> {
    let calibration = measurement.calibration.as_ref()?;
    Some(estimate(&measurement.launches, calibration, measurement.variant.runtime.correction).time)
}

/// Tells each part once.
struct Telling {
    stop: Arc<AtomicBool>,
    what: &'static str,
    told: bool,
}

impl Observer for Telling {
    fn calibrated(&mut self, _: &Variant, _: &Calibration) {}

    fn launched(&mut self, _: &[(&Variant, &Launch)]) {}

    fn ended(&mut self, _: &Variant, _: &Outcome) {}

    fn progress(&mut self, progress: &Progress) {
        if !self.told && matches!(progress.step, Step::Pilot) {
            self.told = true;
            screen::complain(&format!("measuring identical code, {}", self.what));
        }
    }

    fn interrupted(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}
