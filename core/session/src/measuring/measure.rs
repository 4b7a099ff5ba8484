//! Measures what was planned, and what was measured before an interruption along with it.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use tare_definition::SameCases;
use tare_engine::{EarlierLaunches, EarlierVariant, Lanes, used_ns};
use tare_plan::{Group, Settings};
use tare_results::VariantView;
use tare_samples::{Case, Measurement, Spent};
use tare_statistics::BetweenRuns;
use tare_worker::{Launcher, ProcessLauncher};

use crate::judging::live::Places;
use crate::measuring::cpu_lanes::CpuLanes;
use crate::measuring::recorder::Recorder;
use crate::measuring::resume::Earlier;
use crate::measuring::summing::Summing;
use crate::measuring::{memory, work};
use tare_request::Request;

/// The measurements of a run.
#[derive(Default)]
pub(crate) struct RunMeasurements {
    /// In the order of the plan.
    pub(crate) variants: Vec<VariantView>,
    /// Positions of groups are those of the plan.
    pub(crate) comparisons: Vec<tare_engine::ComparedPair>,
    pub(crate) spent: Spent,
    /// A launch that weighed memory or counted work failed.
    pub(crate) unweighed: bool,
    /// The measurements with their launches, for comparisons that need these; empty unless `keep` was asked for.
    pub(crate) kept: Vec<Measurement>,
}

/// Which cases have their memory weighed and their work counted, in launches of their own.
pub(crate) struct ExtraMeasurements<'a> {
    pub(crate) memory: &'a dyn Fn(&Case) -> bool,
    pub(crate) work: &'a dyn Fn(&Case) -> bool,
    /// Nothing is timed there, so it is done on all of these at once.
    pub(crate) cpus: &'a [usize],
}

/// What is known before it is measured, by the id of the variant.
pub(crate) struct Before<'a> {
    /// What an interrupted run has of it.
    pub(crate) earlier: &'a mut HashMap<String, Earlier>,
    /// By how much its runs differ.
    pub(crate) between_runs: &'a HashMap<String, BetweenRuns>,
    /// Where comparisons are stored, and what the user calls the same.
    pub(crate) places: &'a Places,
    pub(crate) all_same: &'a [SameCases],
    /// When the time of the run began, on the launcher's clock.
    pub(crate) begun_ns: u64,
}

/// Measures all groups, and then what `extra` says; the caller holds the lock of the machine.
pub(crate) fn measure(
    groups: &[Group],
    request: &Request,
    (launcher, lanes): (&mut ProcessLauncher, Option<&CpuLanes>),
    recorder: &mut Recorder<'_>,
    before: Before<'_>,
    keep: bool,
    extra: &ExtraMeasurements<'_>,
) -> RunMeasurements {
    // What an earlier run has brought to an end is shown, not measured again; of a group only the rest is.
    let mut done: HashMap<String, VariantView> = HashMap::new();
    let mut made = EarlierLaunches::new();
    let mut left = Vec::new();
    for group in groups {
        let mut pieces = Vec::new();
        let mut rest = Group { case: group.case.clone(), variants: Vec::new(), pairs: group.pairs.clone() };
        for planned in &group.variants {
            match before.earlier.remove(&planned.variant.id) {
                // Partners of a comparison stay together: what is done of them is taken into account again.
                Some(Earlier { done: Some(view), .. }) if group.pairs.is_empty() => {
                    done.insert(planned.variant.id.clone(), view);
                    continue;
                }
                Some(Earlier { calibration, launches, .. }) => pieces.push(EarlierVariant { calibration, launches }),
                None => pieces.push(EarlierVariant::default()),
            }
            rest.variants.push(planned.clone());
        }
        made.push(pieces);
        left.push(rest);
    }
    let run_begun_ns = before.begun_ns;
    // Of a run that is resumed a part of the time is used up.
    let total = request.settings.total.map(|total| total.saturating_sub(Duration::from_nanos(used_ns(&made))));
    let now_ns = launcher.now_ns();
    let used = Duration::from_nanos(now_ns.saturating_sub(run_begun_ns));
    let until = total.map(|total| Instant::now() + total.saturating_sub(used));
    let counted = work::counted(groups, extra.work);
    let total = total.map(|total| work::without_counting(counted, groups.len(), total, used));
    let mut settings = Settings { total, ..request.settings.clone() };
    if let Some(total) = total {
        // Where there is time for more than usual, a comparison that isn't decided has it.
        let lanes = lanes.map_or(1, |lanes| lanes.count());
        let of_each = total.saturating_sub(used).mul_f64(lanes as f64 / left.len().max(1) as f64).min(total);
        settings.comparison_budget = settings.comparison_budget.max(of_each);
    }
    let settings = &settings;
    let mut summing = Summing {
        recorder,
        request,
        groups: &left,
        keep,
        between_runs: before.between_runs,
        places: before.places,
        all_same: before.all_same,
        views: HashMap::new(),
        kept: HashMap::new(),
    };
    let side_by_side = lanes.map_or(1, |lanes| lanes.count());
    let mut measured = match lanes {
        Some(lanes) => tare_engine::measure_in_lanes(&left, settings, lanes, &mut summing, made, run_begun_ns),
        None => tare_engine::measure(&left, settings, launcher, &mut summing, made, run_begun_ns),
    };
    measured.spent.lanes = side_by_side as u64;
    let (mut kept, mut beside_ns) = (Vec::new(), HashMap::new());
    for mut measurement in std::mem::take(&mut measured.measurements).into_iter().flatten() {
        beside_ns.insert(measurement.variant.id.clone(), work::beside_ns(&measurement.launches));
        // What isn't through, or has failed before it began, hasn't been told of.
        summing.sum_up(&mut measurement);
        kept.extend(summing.kept.remove(&measurement.variant.id));
    }
    done.extend(summing.views);
    let order = groups.iter().flat_map(|group| &group.variants);
    let mut variants: Vec<VariantView> = order.filter_map(|planned| done.remove(&planned.variant.id)).collect();
    let unweighed = memory::weigh(groups, &mut variants, extra.memory, request, (launcher, extra.cpus), recorder)
        | work::count_all(groups, &mut variants, &beside_ns, extra.work, request, (extra.cpus, until), recorder);
    let tare_engine::SuiteMeasurements { comparisons, spent, .. } = measured;
    RunMeasurements { variants, unweighed, comparisons, spent, kept }
}
