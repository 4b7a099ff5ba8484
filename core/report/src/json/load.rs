use serde_json::{Map, Number, Value, json};

use super::parts::{Object, interval, warnings};
use super::{Layout, VERSION};
use tare_results::{
    LoadComparison, LoadFallen, LoadFollowed, LoadGenerator, LoadKnee, LoadLatency, LoadMemory, LoadOperation,
    LoadSecond, LoadStage, LoadTarget, LoadView,
};

/// Load as the document `tare.load`. Latencies are in nanoseconds from the intended start, of operations that succeeded.
pub fn load_document(view: &LoadView, layout: Layout) -> String {
    let document = Object::default()
        .with("format", "tare.load")
        .with("version", VERSION)
        .maybe("run", (!view.run.is_empty()).then_some(view.run.as_str()))
        .maybe("tags", (!view.tags.is_empty()).then(|| view.tags.clone()))
        .maybe("seed", view.seed)
        .with("interrupted", view.interrupted)
        .maybe("block_s", view.block_s)
        .maybe("placed", (!view.placed.is_empty()).then_some(view.placed.as_str()))
        .maybe(
            "generators",
            (!view.generators.is_empty()).then(|| view.generators.iter().map(generator).collect::<Value>()),
        )
        .with("targets", view.targets.iter().map(target).collect::<Value>())
        .with("comparisons", view.judged().map(comparison).collect::<Value>())
        .maybe("controls", controls(view))
        .with("gates", view.gates.iter().map(String::as_str).collect::<Value>())
        .with("warnings", warnings(&view.warnings));
    layout.text(&document.done())
}

fn generator(generator: &LoadGenerator) -> Value {
    Object::default()
        .with("generator", generator.number)
        .with("host", generator.host.as_str())
        .with("connections", generator.connections)
        .with("threads", generator.threads)
        .with("ended", generator.ended)
        .with("late", generator.late)
        .with("dropped", generator.dropped)
        .figure("clock_offset_s", generator.clock_offset_s)
        .figure("clock_within_s", generator.clock_within_s)
        .figure("start_late_s", generator.start_late_s)
        .maybe("worked", generator.worked.and_then(Number::from_f64))
        .done()
}

fn stage(stage: &LoadStage) -> Value {
    Object::default()
        .figure("rate", stage.rate)
        .figure("throughput", stage.throughput)
        .with("kept", stage.kept)
        .with("failed", stage.failed)
        .with("late", stage.late)
        .with("dropped", stage.dropped)
        .maybe("latency", stage.latency.as_ref().map(latency))
        .done()
}

fn knee(knee: &LoadKnee) -> Value {
    Object::default()
        .maybe("rate", knee.rate.and_then(Number::from_f64))
        .maybe("percentile", knee.limit.as_ref().map(|limit| limit.percentile.as_str()))
        .maybe("limit", knee.limit.as_ref().map(|limit| limit.most_ns))
        .maybe("passes_at", knee.passes_at.and_then(Number::from_f64))
        .done()
}

fn target(target: &LoadTarget) -> Value {
    let status = if target.has_failed() { "failed" } else { "ok" };
    let throughput = target.throughput.as_ref().and_then(interval);
    let throughput = throughput.map(|throughput| throughput.with("unit", "1/s").done());
    Object::default()
        .with("target", target.name.as_str())
        .with("status", status)
        .maybe("failure", target.failure.as_deref())
        .figure("duration_s", target.duration_s)
        .maybe("whole_s", target.whole_s.and_then(Number::from_f64))
        .maybe("latency", target.overall.as_ref().map(latency))
        .maybe("throughput", throughput)
        .maybe("connections", target.connections)
        .maybe("workers", target.workers)
        .maybe("runtime", (!target.runtime.is_empty()).then_some(target.runtime.as_str()))
        .maybe("suite", (!target.suite.is_empty()).then_some(target.suite.as_str()))
        .maybe("mix", (!target.mix.is_empty()).then(|| mix(target)))
        .maybe("fallen", (!target.fallen.is_empty()).then(|| target.fallen.iter().map(fallen).collect::<Value>()))
        .maybe("rate", target.rate.and_then(Number::from_f64))
        .maybe("arrivals", target.arrivals.as_deref())
        .with("operations", target.operations.iter().map(operation).collect::<Value>())
        .maybe("stages", (!target.stages.is_empty()).then(|| target.stages.iter().map(stage).collect::<Value>()))
        .maybe("knee", target.knee.as_ref().map(knee))
        .maybe("followed", target.followed.as_ref().map(followed))
        .with("memory", target.memory.iter().map(memory).collect::<Value>())
        .maybe("about", (!target.about.is_empty()).then_some(target.about.as_str()))
        .with("series", target.series.iter().map(second).collect::<Value>())
        .with("warnings", warnings(&target.warnings))
        .done()
}

fn followed(found: &LoadFollowed) -> Value {
    let calls: Map<String, Value> = found.calls.iter().map(|(name, each)| (name.clone(), json!(each))).collect();
    Object::default()
        .with("pid", found.pid)
        .with("processes", found.processes)
        .with("requests", found.requests)
        .with("failed", found.failed)
        .maybe("cpu_user_ns", found.user_ns.and_then(Number::from_f64))
        .maybe("cpu_system_ns", found.system_ns.and_then(Number::from_f64))
        .with("traced_requests", found.traced)
        .maybe("calls", (!calls.is_empty()).then_some(calls))
        .maybe("untraced", (!found.untraced.is_empty()).then_some(found.untraced.as_str()))
        .done()
}

fn mix(target: &LoadTarget) -> Value {
    target.mix.iter().map(|(name, weight)| (name.clone(), Value::from(*weight))).collect::<Map<_, _>>().into()
}

fn fallen(fallen: &LoadFallen) -> Value {
    json!({
        "worker": fallen.worker, "stage": fallen.stage, "at_s": fallen.at_s, "kind": fallen.kind, "message": fallen.message,
    })
}

fn operation(operation: &LoadOperation) -> Value {
    let failures: Map<String, Value> =
        operation.failures.iter().map(|(kind, count)| (kind.clone(), (*count).into())).collect();
    let statuses: Map<String, Value> =
        operation.statuses.iter().map(|(status, count)| (status.to_string(), (*count).into())).collect();
    Object::default()
        .with("name", operation.name.as_str())
        .with("count", operation.count)
        .with("failures", failures)
        .maybe("statuses", (!statuses.is_empty()).then_some(statuses))
        .with("late", operation.late)
        .with("dropped", operation.dropped)
        .with("bytes", operation.bytes)
        .with("connects", operation.connects)
        .maybe("latency", operation.latency.as_ref().map(latency))
        .done()
}

fn latency(latency: &LoadLatency) -> Value {
    let mut object = Object::default();
    for (name, value) in &latency.percentiles {
        object = object.with(name, *value);
    }
    object.with("max", latency.max).figure("mean", latency.mean).with("unit", "ns").done()
}

fn memory(memory: &LoadMemory) -> Value {
    Object::default()
        .with("worker", memory.worker)
        .maybe("rss_bytes", memory.rss_bytes)
        .maybe("peak_rss_bytes", memory.peak_rss_bytes)
        .maybe("runtime_bytes", memory.runtime_bytes)
        .maybe("runtime_peak_bytes", memory.runtime_peak_bytes)
        .done()
}

fn second(second: &LoadSecond) -> Value {
    Object::default()
        .with("second", second.second)
        .with("succeeded", second.succeeded)
        .with("failed", second.failed)
        .maybe("p50", second.p50)
        .maybe("p99", second.p99)
        .maybe("max", second.max)
        .done()
}

/// Apart from what is judged: who counts the verdicts must not count noise.
fn controls(view: &LoadView) -> Option<Value> {
    let controls: Vec<Value> = view.comparisons.iter().filter(|pair| pair.control).map(comparison).collect();
    (!controls.is_empty()).then(|| controls.into())
}

fn comparison(pair: &LoadComparison) -> Value {
    let comparison = &pair.comparison;
    let ratio = comparison.ratio.as_ref().and_then(interval);
    let ratio = ratio.map(|ratio| ratio.figure("confidence", comparison.confidence).done());
    Object::default()
        .with("base", pair.base.as_str())
        .with("candidate", pair.candidate.as_str())
        .with("metric", pair.metric.as_str())
        .with("ratio", ratio)
        .with("verdict", comparison.verdict.name())
        .figure("margin", comparison.margin)
        .with("minimum_detectable_effect", comparison.minimum_detectable_effect)
        .with("pairs", comparison.pairs)
        .with("warnings", warnings(&comparison.warnings))
        .done()
}
