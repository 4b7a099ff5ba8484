//! The documents of the interface for programs, which the pages use, too. docs/serve.md describes them.

use serde_json::{Value, json};
use tare_store::{CaseRow, RunRow};

use crate::history::{Change, Line, Point, confirming};

pub(crate) fn runs(rows: &[RunRow]) -> Value {
    let run = |row: &RunRow| {
        let git = |name: &str| row.origin.git.get(name).cloned().unwrap_or_default();
        json!({
            "id": row.origin.id, "started": row.origin.started, "finished": row.finished, "state": row.state.name(),
            "tags": row.origin.tags, "branch": git("branch"), "commit": git("commit"), "variants": row.variants, "failed": row.failed_in_all(),
            "launches": row.launches, "load": row.load.is_some(), "tool": row.origin.imported.as_ref().map(|imported| imported.tool.clone()),
        })
    };
    json!({ "runs": rows.iter().map(run).collect::<Vec<_>>() })
}

pub(crate) fn cases(rows: &[CaseRow]) -> Value {
    let case =
        |row: &CaseRow| json!({ "case": row.case, "runtime": row.runtime, "runs": row.runs, "newest": row.newest });
    json!({ "cases": rows.iter().map(case).collect::<Vec<_>>() })
}

pub(crate) fn history(case: &str, runtime: &str, lines: &[Line]) -> Value {
    let finite = |value: f64| value.is_finite().then_some(value);
    let point = |kind: &str, point: &Point| {
        json!({
            "run": point.run, "started": point.started, "branch": point.branch, "commit": point.commit, "dirty": point.dirty, "kind": kind, "change": point.change,
            "time_ns": { "estimate": finite(point.time.estimate), "low": finite(point.time.low), "high": finite(point.time.high) },
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
    document["confirm"] = json!(confirming(change));
    document
}
