//! In which functions a case's time goes.

use std::collections::BTreeMap;
use std::time::Duration;

use tare_plan::Settings;
use tare_worker::{Conversation, Launcher, ProcessPlacement};

use super::MOST_SAMPLES_A_TURN;
use crate::variant_run::VariantRun;

/// How long a case is watched, in nanoseconds: a hundred looks and more. And how long it may take.
const WATCHED_NS: f64 = 40e6;
const AT_MOST: Duration = Duration::from_secs(2);
/// The process draws what it draws from this.
const SEED: u64 = 1;

/// How often a case that has been calibrated is seen in each function of its program. Nothing where that can't be seen. It has a process of its own, whose failures don't count: being watched is more than
/// some can bear.
pub(crate) fn seen_in(
    variant: &VariantRun<'_>,
    launcher: &mut dyn Launcher,
    settings: &Settings,
) -> BTreeMap<String, u32> {
    let place = ProcessPlacement {
        layout: Some(0),
        every_cpu: variant.planned.variant.case.settings.parallel,
        ..ProcessPlacement::default()
    };
    let started = launcher.start(&variant.planned.start, SEED, place).and_then(|starting| starting.open());
    let Ok(mut conversation) = started else { return BTreeMap::new() };
    let seen = watched(variant, &mut conversation, launcher, settings);
    conversation.close();
    seen.unwrap_or_default()
}

fn watched(
    variant: &VariantRun<'_>,
    conversation: &mut Conversation,
    launcher: &dyn Launcher,
    settings: &Settings,
) -> Option<BTreeMap<String, u32>> {
    let (planned, calibration) = (variant.planned, &variant.calibration);
    let samples = (WATCHED_NS / variant.pilot.sample_wall_ns.max(1.0)).clamp(1.0, MOST_SAMPLES_A_TURN as f64) as usize;
    let deadline = variant.deadline(launcher, settings);
    conversation.load(&planned.sources, planned.bootstrap.as_deref(), deadline).ok()?;
    let case = &planned.variant.case;
    let parameters = case.parameters.name.as_deref().unwrap_or("");
    conversation.prepare(case.index, case.own_name(), parameters, settings.clock.as_deref(), deadline).ok()?;
    let watching = launcher.watch(conversation)?;
    let longest = AT_MOST + Duration::from_nanos(4 * variant.pilot.sample_wall_ns as u64);
    let run = conversation.run("case", calibration.warm, &vec![calibration.iterations; samples], deadline.min(longest));
    let seen = watching.end();
    run.is_ok().then_some(seen)
}
