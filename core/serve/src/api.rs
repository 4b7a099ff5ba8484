//! The documents of the interface for programs, which the pages use, too. docs/serve.md describes them.

use serde_json::{Value, json};
use tare_report::HistoryOf;
use tare_statistics::Estimate;

use crate::data::{Case, Run, newest_work};
use crate::history::{Change, Line, Point, confirming};

pub(crate) fn runs(runs: &[Run]) -> Value {
    let run = |Run { row, answer }: &Run| {
        let git = |name: &str| row.origin.git.get(name).cloned().unwrap_or_default();
        json!({
            "id": row.origin.id, "started": row.origin.started, "finished": row.finished, "state": row.state.name(), "answer": answer,
            "tags": row.origin.tags, "branch": git("branch"), "commit": git("commit"), "variants": row.variants, "failed": row.failed_in_all(),
            "launches": row.launches, "load": row.load.is_some(), "tool": row.origin.imported.as_ref().map(|imported| imported.tool.clone()),
        })
    };
    json!({ "runs": runs.iter().map(run).collect::<Vec<_>>() })
}

pub(crate) fn cases(cases: &[Case]) -> Value {
    let case = |Case { row, points, change: last, work_change: last_of_work, kind: _ }: &Case| {
        json!({
            "case": row.case, "runtime": row.runtime, "runs": row.runs, "newest": row.newest,
            "time_ns": points.last().map(|point| interval(&point.time)), "change": last.as_ref().map(change),
            "instructions": newest_work(points).map(|work| interval(&work.instructions)), "work_change": last_of_work.as_ref().map(change),
        })
    };
    json!({ "cases": cases.iter().map(case).collect::<Vec<_>>() })
}

fn interval(time: &Estimate) -> Value {
    let finite = |value: f64| value.is_finite().then_some(value);
    json!({ "estimate": finite(time.estimate), "low": finite(time.low), "high": finite(time.high) })
}

pub(crate) fn history(case: &str, runtime: &str, lines: &[Line]) -> Value {
    let point = |kind: &str, point: &Point| {
        json!({
            "run": point.run, "started": point.started, "branch": point.branch, "commit": point.commit, "dirty": point.dirty, "kind": kind, "change": point.change,
            "time_ns": interval(&point.time), "instructions": point.work.as_ref().map(|work| interval(&work.instructions)),
            "work_change": point.work.as_ref().is_some_and(|work| work.change), "recounted": point.work.as_ref().and_then(|work| work.recounted.clone()),
        })
    };
    let points: Vec<Value> =
        lines.iter().flat_map(|line| line.points.iter().map(|one| point(&line.kind, one))).collect();
    let changes: Vec<Value> = lines.iter().flat_map(|line| line.changes.iter().map(change)).collect();
    json!({ "case": case, "runtime": runtime, "points": points, "changes": changes })
}

pub(crate) fn changes(changes: &[Change]) -> Value {
    changes.iter().map(change).collect()
}

fn change(change: &Change) -> Value {
    let mut document = serde_json::to_value(change).unwrap_or(Value::Null);
    let (quantity, ends) = match change.of {
        HistoryOf::Time => ("time", ["from_ns", "to_ns"]),
        HistoryOf::Work => ("work", ["from_instructions", "to_instructions"]),
    };
    document["of"] = json!(quantity);
    for (name, end) in ends.into_iter().zip([change.from, change.to]) {
        document[name] = json!(end);
    }
    document["confirm"] = json!(confirming(change));
    document
}
