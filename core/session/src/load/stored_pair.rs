//! Two stored loads, made at different times.
//!
//! What differed between the two times is in no interval of either: the machine's pace, what servers drew when they began. How much that is, other
//! loads of the same tags say; without them no difference is called.

use tare_definition::Project;
use tare_load::histogram::{Latencies, PERCENTILES};
use tare_load::kept::KeptLoad;
use tare_load::series::Stretch;
use tare_results::{LoadComparison, LoadTarget, LoadView};
use tare_statistics::comparison::{Comparison, Rule};
use tare_statistics::mean_interval::{student_interval, successive_interval};
use tare_statistics::{Estimate, Warning, WarningCode};
use tare_store::{Access, RunFilter, RunState, Store};

use crate::error::Error;
use crate::load::asked::{Judged, LoadRan};
use crate::load::ending::ended;
use crate::load::gate::{LoadGate, judge};
use crate::load::keep::stored;
use crate::project::open_store;

const CONFIDENCE: f64 = 0.99;
/// So many loads of a tag tell how far two of them lie apart.
const LEAST_LOADS: usize = 3;
/// Beyond a percentile of a stretch at least so many requests lie.
const LEAST_BEYOND: f64 = 5.0;

/// Compares two stored loads by their ids, target by target: those of the same name, or the only ones. `None` where neither is a load.
///
/// # Errors
///
/// Where one is a load and the other a run, no target is in both, or the store can't be read.
pub fn compare_stored_loads(
    (base, candidate): (&str, &str),
    margin: Option<f64>,
    gates: &[LoadGate],
    project: &Project,
) -> Result<Option<LoadRan>, Error> {
    let store = open_store(project, Access::ReadOnly)?;
    let (base, candidate) = match (stored(store.as_ref(), base)?, stored(store.as_ref(), candidate)?) {
        (None, None) => return Ok(None),
        (Some(base), Some(candidate)) => (base, candidate),
        (Some(_), None) => return Err(mixed(base, candidate)),
        (None, Some(_)) => return Err(mixed(candidate, base)),
    };
    let pairs = pairs(&base.0, &candidate.0)?;
    let rule = Judged { margin, ..Judged::default() }.rule();
    let mut view = LoadView { seed: None, block_s: None, ..LoadView::default() };
    let alone = pairs.len() == 1;
    for (of_base, of_candidate) in pairs {
        let sides = [(&base, of_base), (&candidate, of_candidate)];
        let names = sides.map(|((view, _), number)| match alone {
            true => called(view),
            false => format!("{}, {}", view.targets[number].name, called(view)),
        });
        let peers = peers(store.as_ref(), &sides.map(|((view, _), number)| (view, &view.targets[number])))?;
        for metric in metrics() {
            let [Some(of_base), Some(of_candidate)] = sides.map(|((_, kept), number)| metric.seen_in(kept, number))
            else {
                continue;
            };
            let between_loads = between(&peers, &metric);
            let comparison = compared(&of_base, &of_candidate, between_loads, &rule, metric.percentile.is_none());
            let [base, candidate] = names.clone();
            view.comparisons.push(LoadComparison {
                base,
                candidate,
                metric: metric.name.clone(),
                control: false,
                comparison,
            });
        }
        for ((view_of, _), number) in sides {
            let mut target = view_of.targets[number].clone();
            target.name = format!("{}, {}", target.name, called(view_of));
            view.targets.push(target);
        }
    }
    let gated = judge(gates, &mut view);
    Ok(Some(ended(view, gated, false)))
}

fn mixed(load: &str, run: &str) -> Error {
    Error::usage(format!("{load} is a load and {run} a run of benchmarks: name two of a kind"))
}

/// By its first tag, else its id.
fn called(view: &LoadView) -> String {
    match view.tags.first() {
        Some(tag) => format!("{tag} ({})", view.run),
        None => view.run.clone(),
    }
}

/// Numbers of targets that are compared.
fn pairs(base: &LoadView, candidate: &LoadView) -> Result<Vec<(usize, usize)>, Error> {
    if let ([_], [_]) = (base.targets.as_slice(), candidate.targets.as_slice()) {
        return Ok(vec![(0, 0)]);
    }
    let of = |name: &str| candidate.targets.iter().position(|target| target.name == name);
    let found: Vec<(usize, usize)> =
        base.targets.iter().enumerate().filter_map(|(number, target)| Some((number, of(&target.name)?))).collect();
    match found.is_empty() {
        false => Ok(found),
        true => Err(Error::usage(format!(
            "no target of {} is in {}: they are compared by their names, as `tare show` has them",
            called(base),
            called(candidate)
        ))),
    }
}

/// A figure that is compared.
struct Metric {
    name: String,
    /// `None`: the throughput.
    percentile: Option<f64>,
}

fn metrics() -> Vec<Metric> {
    let percentiles =
        PERCENTILES.iter().map(|(name, at)| Metric { name: format!("latency.{name}"), percentile: Some(*at) });
    [Metric { name: "throughput".to_owned(), percentile: None }].into_iter().chain(percentiles).collect()
}

/// The logarithm of a figure over the whole load, and half of its interval, from rounds or seconds.
struct LoggedMean {
    all: f64,
    half: f64,
    stretches: usize,
}

impl Metric {
    /// `None` where there is too little of it.
    fn seen_in(&self, kept: &KeptLoad, target: usize) -> Option<LoggedMean> {
        let rounds: Vec<_> = kept.outcome.blocks.iter().filter(|result| result.block.target == target).collect();
        let series = kept.outcome.series.get(target)?;
        let seconds: f64 = rounds.iter().map(|result| result.window.as_secs_f64()).sum();
        let succeeded: f64 = rounds.iter().map(|result| result.in_window).sum();
        // Of one that took no turns the seconds are the stretches, the last one not being whole.
        let whole = seconds as u32;
        let by_second =
            || series.seconds.iter().filter(move |(second, _)| **second < whole).map(|(_, stretch)| stretch);
        let few = rounds.len() < 3;
        let (all, values): (f64, Vec<f64>) = match self.percentile {
            None => {
                let rates: Vec<f64> = match few {
                    true => series.succeeded_by_second(whole).into_iter().map(|count| count as f64).collect(),
                    false => rounds.iter().map(|result| result.throughput()).collect(),
                };
                (succeeded / seconds, rates)
            }
            Some(at) => {
                let beyond = |stretch: &Stretch| stretch.latencies.count() as f64 * (1.0 - at / 100.0) >= LEAST_BEYOND;
                let stretches: Vec<&Stretch> =
                    if few { by_second().collect() } else { rounds.iter().map(|result| &result.total).collect() };
                if stretches.is_empty() || !stretches.iter().all(|stretch| beyond(stretch)) {
                    return None;
                }
                let each = stretches.iter().filter_map(|stretch| stretch.latencies.percentile(at));
                let all: Option<f64> = overall(&series.total.latencies, at);
                (all?, each.map(|value| value as f64).collect())
            }
        };
        let logarithms: Vec<f64> = values.iter().map(|value| value.ln()).filter(|value| value.is_finite()).collect();
        let half = successive_interval(&logarithms, CONFIDENCE).map_or(f64::INFINITY, |interval| interval.half_width());
        let known = all > 0.0 && logarithms.len() == values.len();
        known.then(|| LoggedMean { all: all.ln(), half, stretches: values.len() })
    }
}

fn overall(latencies: &Latencies, at: f64) -> Option<f64> {
    latencies.percentile(at).map(|value| value as f64)
}

/// Complete loads of each side's first tag that loaded the same target in the same way, itself included; a group each.
fn peers(store: &dyn Store, sides: &[(&LoadView, &LoadTarget); 2]) -> Result<Vec<Vec<(KeptLoad, usize)>>, Error> {
    let mut groups = Vec::new();
    let mut seen: Vec<&str> = Vec::new();
    for (view, target) in sides {
        let Some(tag) = view.tags.first().filter(|tag| !seen.contains(&tag.as_str())) else { continue };
        seen.push(tag);
        let filter = RunFilter { tag: Some(tag.clone()), state: Some(RunState::Complete), limit: None };
        let mut group = Vec::new();
        for row in store.runs(&filter).map_err(Error::failed)?.into_iter().filter(|row| row.load.is_some()) {
            // One that another version stored can't say anything here.
            let Ok(Some((other, kept))) = stored(store, &row.origin.id) else { continue };
            let alike = |other: &LoadTarget| {
                let how = |target: &LoadTarget| {
                    (target.connections, target.workers, target.rate.map(f64::to_bits), target.about.clone())
                };
                how(other) == how(target) && (other.name == target.name || view.targets.len() == 1)
            };
            if let Some(number) = other.targets.iter().position(alike) {
                group.push((kept, number));
            }
        }
        groups.push(group);
    }
    Ok(groups)
}

/// Half of the interval by which two loads of the same code lie apart (of the logarithm); `None` where too few were stored to say.
fn between(peers: &[Vec<(KeptLoad, usize)>], metric: &Metric) -> Option<f64> {
    let mut largest: Option<f64> = None;
    for group in peers {
        let values: Vec<f64> =
            group.iter().filter_map(|(kept, number)| Some(metric.seen_in(kept, *number)?.all)).collect();
        if values.len() < LEAST_LOADS {
            continue;
        }
        // The interval of a mean of n is narrower by √n than that of one load.
        let one = student_interval(&values, CONFIDENCE)?.half_width() * (values.len() as f64).sqrt();
        largest = Some(largest.map_or(one, |known| known.max(one)));
    }
    largest.map(|one| one * std::f64::consts::SQRT_2)
}

fn compared(
    base: &LoggedMean,
    candidate: &LoggedMean,
    between_loads: Option<f64>,
    rule: &Rule,
    is_rate: bool,
) -> Comparison {
    let ratio = candidate.all - base.all;
    let own = base.half.hypot(candidate.half);
    // How far loads lie apart holds what each can't tell by itself.
    let half = match between_loads {
        Some(known) if own.is_finite() => known.max(own),
        Some(known) => known,
        None => own,
    };
    let estimate =
        |ratio: f64| Estimate { estimate: ratio.exp(), low: (ratio - half).exp(), high: (ratio + half).exp() };
    let few = between_loads.is_none().then(|| Warning {
        code: WarningCode::FewLoads.into(),
        message: "the two were measured at different times, and the difference between two loads of the same code isn't known, so there is no verdict of a difference".to_owned(),
        remedy: format!("store {LEAST_LOADS} loads under one tag (--tag), or compare both in one load, where they take turns"),
    });
    // A verdict is of times: of a throughput the inverse.
    Comparison {
        ratio: Some(estimate(ratio)),
        minimum_detectable_effect: between_loads.map(|_| (half + rule.margin.ln_1p()).exp() - 1.0),
        pairs: base.stretches.min(candidate.stretches) as u32,
        ..Comparison::of_ratio(rule, estimate(if is_rate { -ratio } else { ratio }), few)
    }
}

#[cfg(test)]
mod tests {
    use tare_statistics::comparison::Verdict;

    use super::*;

    fn seen(value: f64, half: f64) -> LoggedMean {
        LoggedMean { all: value.ln(), half, stretches: 10 }
    }

    #[test]
    fn without_other_loads_nothing_is_called() {
        let comparison = compared(&seen(1000.0, 0.001), &seen(500.0, 0.001), None, &Rule::default(), true);
        assert_eq!(comparison.verdict, Verdict::Inconclusive);
        assert_eq!(comparison.warnings[0].code, "few-loads");
        assert!((comparison.ratio.unwrap().estimate - 0.5).abs() < 1e-9);
    }

    #[test]
    fn a_difference_beyond_what_loads_lie_apart_is_called_by_its_direction() {
        let verdict = |candidate: f64, between_loads: f64, is_rate| {
            compared(&seen(1000.0, 0.01), &seen(candidate, 0.01), Some(between_loads), &Rule::default(), is_rate)
                .verdict
        };
        assert_eq!(verdict(900.0, 0.02, true), Verdict::Slower, "less a second");
        assert_eq!(verdict(900.0, 0.02, false), Verdict::Faster, "a shorter latency");
        assert_eq!(verdict(1100.0, 0.02, true), Verdict::Faster);
        assert_eq!(verdict(900.0, 0.2, true), Verdict::Inconclusive, "loads of the same code lie as far apart");
        let same = compared(&seen(1000.0, 0.001), &seen(1000.0, 0.001), Some(0.001), &Rule::default(), true);
        assert_eq!(same.verdict, Verdict::Same);
    }
}
