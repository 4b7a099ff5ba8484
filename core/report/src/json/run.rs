use serde_json::{Number, Value, json};
use tare_samples::{CountedWork, Outcome, Reported, Runtime, Spent};
use tare_statistics::memory::MemoryEstimate;
use tare_statistics::{CONFIDENCE, Differing, Estimate, Summary};

use super::comparison::{additions, comparisons};
use super::doctor::findings;
use super::parts::{Object, failure, interval, notices, parameters, strings, warnings};
use super::{Layout, RUN_VERSION};
use crate::terminal::instructions::counted;
use crate::terminal::memory::weighed;
use tare_results::{RunView, VariantView};
use tare_results::{memory_comparisons, metric_comparisons};

/// A run as the document `tare.run`. Times are in nanoseconds, sizes in bytes, `rstdev` is a fraction.
///
/// The members of the contract come first and in its order; what else is known follows them.
pub fn run_document(view: &RunView, layout: Layout) -> String {
    let origin = &view.origin;
    let document = Object::default()
        .with("format", "tare.run")
        .with("version", RUN_VERSION)
        .with("id", origin.id.as_str())
        .with("started", origin.started.as_str())
        .with("tags", origin.tags.clone())
        .with("machine", strings(&origin.machine))
        .with("policy", json!({"correction": origin.policy}))
        .with("seed", origin.seed)
        .with("cases", view.variants.iter().map(case).collect::<Value>())
        .with("comparisons", comparisons(&view.comparisons, &memory_comparisons(view), &metric_comparisons(view)))
        .with("answer", crate::answer::answer(view))
        .with("tare", origin.tare.as_str())
        .with("git", strings(&origin.git))
        .with("findings", findings(&origin.findings))
        .with("stored", view.stored)
        .with("notices", notices(&view.notices))
        .with("failures", view.file_failures.iter().map(failure).collect::<Value>())
        .maybe("imported", origin.imported.as_ref().map(|imported| json!(imported)))
        .maybe("spent", view.spent.as_ref().map(spent));
    layout.text(&additions(document, &view.comparisons).done())
}

fn case(view: &VariantView) -> Value {
    let variant = &view.variant;
    let case = &variant.case;
    let (status, failed, skipped) = match &view.outcome {
        // What is proven to be unchanged isn't measured.
        Outcome::Ok if view.summary.is_none() => ("unchanged", None, None),
        Outcome::Ok => ("ok", None, None),
        Outcome::Failed(failure) => ("failed", Some(failure), None),
        Outcome::Skipped(reason) => ("skipped", None, Some(reason)),
        Outcome::Interrupted => ("interrupted", None, None),
    };
    let iterations = view.summary.as_ref().map(|s| s.iterations).or(view.calibration.as_ref().map(|c| c.iterations));
    // Of an imported one it may be unknown, and a single bare call is none of it.
    let iterations = iterations.filter(|calls| *calls > 0 || !variant.is_imported());
    let object = Object::default()
        .with("id", variant.id.as_str())
        .with("benchmark", case.benchmark.as_str())
        .with("parameters", parameters(case))
        .with("runtime", runtime(&variant.runtime))
        .with("status", status)
        .maybe("iterations", iterations)
        .maybe("launches", view.summary.as_ref().map(|s| s.launches))
        .maybe("samples", view.summary.as_ref().map(|s| s.samples));
    let object = match &view.summary {
        Some(summary) => figures(object, summary, !variant.is_imported()),
        None => object,
    };
    let next = view
        .next_run
        .as_ref()
        .map(|next| Object::default().figure("low", next.low).figure("high", next.high).with("runs", next.runs).done());
    let memory = Object::default()
        .maybe("peak_rss_bytes", view.memory.peak_rss_bytes)
        .maybe("runtime_peak_bytes", view.memory.runtime_peak_bytes)
        .maybe("weighed", weighed(view).as_ref().map(memory));
    let object = object
        .maybe("next_run", next)
        .maybe("memory", (!memory.is_empty()).then(|| memory.done()))
        .maybe("instructions", counted(view).map(instructions))
        .maybe("reported", view.calibration.as_ref().and_then(|calibration| reported(&calibration.reported)))
        .maybe("throughput", throughput(view))
        .with("warnings", warnings(view.summary.as_ref().map_or(&[], |summary| &summary.warnings)))
        .maybe("facts", view.summary.as_ref().map(|summary| warnings(&summary.facts)))
        .maybe("failure", failed.map(failure))
        .maybe("skipped", skipped.map(String::as_str))
        .with("language", case.language.as_str())
        .with("label", variant.label.as_str())
        .with("calls", variant.calls.to_string())
        .with("file", case.file.as_str())
        .maybe("line", (case.line > 0).then_some(case.line))
        .with("groups", case.groups.clone());
    match &view.summary {
        Some(summary) => rest(object, summary).done(),
        None => object.done(),
    }
}

/// Instructions a call: `per_call` with the null's taken off, `apart` by how much a second count differed.
fn instructions(counts: &CountedWork) -> Value {
    Object::default()
        .figure("per_call", counts.per_call())
        .figure("raw_per_call", counts.raw_per_call())
        .figure("apart", counts.launches_differ_by())
        .with("calls", json!(counts.launches.first().map(|launch| [launch.calls[0], launch.calls[2]])))
        .maybe("system_calls", counts.system_calls())
        .maybe("allocations", counts.allocations())
        .done()
}

/// Memory as launches of their own weighed it: tared in `subject`, raw in `process`, the scale in `empty`.
fn memory(memory: &MemoryEstimate) -> Value {
    let with = |estimate: &Estimate| interval(estimate).map(|e| e.figure("confidence", CONFIDENCE).done());
    Object::default()
        .with("calls", memory.calls)
        .with("launches", memory.launches)
        .maybe("subject", with(&memory.peak))
        .maybe("process", with(&memory.process))
        .maybe("empty", with(&memory.empty))
        .maybe("runtime", memory.runtime.as_ref().and_then(with))
        .maybe("traced", memory.traced)
        .with("below_resolution", memory.below_resolution)
        .with("from_ready", memory.from_ready)
        .with("unit", "B")
        .done()
}

/// What the benchmark says of itself, and what its runtime counted.
fn reported(reported: &Reported) -> Option<Value> {
    let metrics = reported.metrics.iter().filter_map(|(name, value)| Some((name, value.parse::<f64>().ok()?)));
    let metrics = metrics.fold(Object::default(), |all, (name, value)| all.figure(name, value));
    let allocations = reported.allocations.map(|allocations| {
        Object::default()
            .figure("per_call", allocations.per_call())
            .figure("bytes_per_call", allocations.bytes_per_call())
            .with("calls", allocations.calls)
            .done()
    });
    let object = Object::default()
        .maybe("bytes", reported.bytes)
        .maybe("items", reported.items)
        .maybe("allocations", allocations)
        .maybe("metrics", (!metrics.is_empty()).then(|| metrics.done()))
        .maybe("labels", (!reported.labels.is_empty()).then(|| reported.labels.clone()));
    (!object.is_empty()).then(|| object.done())
}

/// What is processed in a second, by the tared time.
fn throughput(view: &VariantView) -> Option<Value> {
    // A time that may be 0 gives no upper end.
    let bounded = |rate: &Estimate| rate.high > 0.0 && rate.high.is_finite();
    let object = Object::default();
    let object = match view.bytes_a_second().filter(bounded) {
        Some(bytes) => object.estimate("bytes", &bytes),
        None => object,
    };
    let object = match view.items_a_second().filter(bounded) {
        Some(items) => object.estimate("items", &items),
        None => object,
    };
    (!object.is_empty()).then(|| object.with("unit", "1/s").done())
}

fn runtime(runtime: &Runtime) -> Value {
    Object::default()
        .with("name", runtime.name.as_str())
        .with("language", runtime.language.as_str())
        .with("version", runtime.version.as_str())
        .with("command", runtime.command.command.clone())
        .with("driver", runtime.command.driver.as_str())
        .with("correction", json!(runtime.correction))
        .with("facts", strings(&runtime.facts))
        .done()
}

/// What the contract names.
fn figures(object: Object, summary: &Summary, tared: bool) -> Object {
    let time =
        interval(&summary.time).map(|time| time.figure("confidence", summary.confidence).with("unit", "ns").done());
    let typical = summary
        .typical
        .as_ref()
        .and_then(interval)
        .map(|typical| typical.maybe("differs_by", summary.differing.map(Differing::name)).done());
    let overhead = &summary.overhead;
    let mut weighed = Object::default().estimate("clock", &overhead.clock).estimate("call", &overhead.call);
    if let Some(surplus) = &overhead.surplus {
        weighed = weighed.estimate("surplus", surplus);
    }
    if let Some(pause) = &overhead.pause {
        weighed = weighed.estimate("pause", pause);
    }
    let budget = &summary.uncertainty;
    let uncertainty = Object::default()
        .figure("within_launch", budget.within_launch)
        .figure("between_launch", budget.between_launch)
        .figure("clock_resolution", budget.clock_resolution)
        .figure("clock_cost", budget.clock_cost)
        .figure("call", budget.call)
        .figure("drift", budget.drift)
        .maybe("between_runs", Number::from_f64(budget.between_runs).filter(|_| summary.between_runs.is_some()))
        .figure("combined", budget.combined);
    let descriptive = &summary.statistics;
    let peaks: Vec<f64> = summary.peaks.iter().copied().filter(|peak| peak.is_finite()).collect();
    let statistics = Object::default()
        .figure("mean", descriptive.mean)
        .figure("median", descriptive.median)
        .figure("mode", descriptive.mode)
        .figure("min", descriptive.min)
        .figure("max", descriptive.max)
        .figure("stddev", descriptive.stddev)
        .figure("rstdev", descriptive.rstdev)
        .figure("mad", descriptive.mad)
        .figure("p95", descriptive.p95)
        .figure("p99", descriptive.p99)
        .with("peaks", peaks);
    object
        .estimate("raw", &summary.raw)
        .maybe("time", time)
        .maybe("typical", typical)
        // Beside samples of another tool no scale was weighed.
        .maybe("overhead", tared.then(|| weighed.done()))
        .maybe("uncertainty", tared.then(|| uncertainty.done()))
        .with("statistics", statistics.done())
}

/// What is known beyond the contract.
fn rest(object: Object, summary: &Summary) -> Object {
    let kernels = summary.kernels.iter().fold(Object::default(), |all, (name, time)| all.estimate(name, time));
    let sketch: Vec<f64> = summary.sketch.iter().copied().filter(|density| density.is_finite()).collect();
    let between_runs = summary.between_runs.filter(|_| summary.uncertainty.between_runs > 0.0).map(|term| {
        Object::default()
            .figure("standard", term.standard)
            .figure("freedom", term.freedom)
            .with("runs", term.runs)
            .done()
    });
    object
        .maybe("between_runs", between_runs)
        .with("below_resolution", summary.below_resolution)
        .with("outliers", json!(summary.outliers))
        .with("kernels", kernels.done())
        .with("sketch", sketch)
}

fn spent(spent: &Spent) -> Value {
    json!({
        "wall_ns": spent.wall_ns,
        "lanes": spent.lanes.max(1),
        "timed_ns": spent.timed_ns(),
        "case_ns": spent.subjects_ns(),
        "null_ns": spent.null_ns,
        "other_ns": spent.other_ns,
        "startup_ns": spent.startup_ns,
        "warm_ns": spent.warm_ns,
        "wire_ns": spent.wire_ns,
        "untimed_ns": spent.untimed_ns,
        "rest_ns": spent.rest_ns(),
    })
}
