use serde_json::Value;
use tare_statistics::clocks::Spread;

use super::parts::{Object, failure, strings};
use super::{Layout, VERSION};
use tare_results::{ClockRow, ClocksView, RuntimeClocks, WaitRow};

/// Clocks and waits as the document `tare.clock`. Times are nanoseconds.
pub fn clocks_document(view: &ClocksView, layout: Layout) -> String {
    let of_all = |rows: &dyn Fn(&RuntimeClocks) -> Vec<Value>| view.runtimes.iter().flat_map(rows).collect::<Value>();
    let document = Object::default()
        .with("format", "tare.clock")
        .with("version", VERSION)
        .with("machine", strings(&view.machine))
        .figure("duration_s", view.duration_s)
        .figure("building_s", view.building_s)
        .maybe("interrupted", view.runtimes.iter().any(|of| of.interrupted).then_some(true))
        .with("runtimes", view.runtimes.iter().map(runtime).collect::<Value>())
        .with("clocks", of_all(&|of| of.clocks.iter().map(|row| clock(of, row)).collect()))
        .with("waits", of_all(&|of| of.waits.iter().map(|row| wait(of, row)).collect()));
    layout.text(&document.done())
}

fn runtime(runtime: &RuntimeClocks) -> Value {
    Object::default()
        .with("name", runtime.name.as_str())
        .with("language", runtime.language.as_str())
        .with("version", runtime.version.as_str())
        .with("status", status(runtime))
        .with("disturbed", runtime.disturbed.iter().map(|found| Value::from(found.as_str())).collect::<Value>())
        .with("timer_slack_ns", runtime.timer_slack_ns.map_or(Value::Null, Value::from))
        .maybe("failure", runtime.failure.as_ref().map(failure))
        .done()
}

fn status(runtime: &RuntimeClocks) -> &'static str {
    match (&runtime.failure, runtime.interrupted) {
        (Some(_), _) => "failed",
        (None, true) => "interrupted",
        (None, false) => "ok",
    }
}

fn clock(of: &RuntimeClocks, row: &ClockRow) -> Value {
    let object = Object::default().with("runtime", of.name.as_str()).with("clock", row.name.as_str());
    if let Some(reason) = &row.refused {
        return object.with("status", "refused").with("reason", reason.as_str()).done();
    }
    let seen = &row.seen;
    object
        .with("status", "ok")
        .with("step_ns", seen.step.map_or(Value::Null, Value::from))
        .maybe("read_ns", seen.read.map(spread))
        .with("reads_a_block", row.reads_a_block)
        .maybe("back_to_back_ns", seen.back_to_back.map(spread))
        .with("backward_steps", seen.backward_steps)
        .maybe("furthest_back_ns", seen.furthest_back)
        .with("stalled_reads", seen.stalled_reads)
        .with("reads", seen.reads)
        .with("rate_ppm", row.rate.map_or(Value::Null, |rate| rate.ppm.into()))
        .with("rate_uncertainty_ppm", row.rate.map_or(Value::Null, |rate| rate.uncertainty_ppm.into()))
        .maybe("frequency_hz", row.frequency_hz)
        .with("system_call", row.system_call.as_ref().map_or(Value::Null, |seen| Value::from(*seen)))
        .maybe("system_call_unknown", row.system_call.as_ref().err().map(String::as_str))
        .with("findings", row.findings.iter().map(|finding| Value::from(finding.name())).collect::<Value>())
        .done()
}

fn wait(of: &RuntimeClocks, row: &WaitRow) -> Value {
    let object = Object::default()
        .with("runtime", of.name.as_str())
        .with("call", row.call.as_str())
        .with("requested_ns", row.requested_ns);
    match &row.taken {
        Ok(taken) => object.with("status", "ok").with("times", row.times).with("taken_ns", spread(*taken)).done(),
        Err(reason) => object.with("status", "unavailable").with("reason", reason.as_str()).done(),
    }
}

fn spread(spread: Spread) -> Value {
    Object::default().figure("min", spread.min).figure("median", spread.median).figure("p99", spread.p99).done()
}
