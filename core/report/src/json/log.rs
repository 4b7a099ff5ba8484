use serde_json::Value;

use super::parts::Object;
use super::{Layout, VERSION};
use tare_results::LogRow;

/// Stored runs as the document `tare.log`, in the order given.
pub fn log_document(rows: &[LogRow], layout: Layout) -> String {
    let document = Object::default()
        .with("format", "tare.log")
        .with("version", VERSION)
        .with("runs", rows.iter().map(run).collect::<Value>());
    layout.text(&document.done())
}

fn run(row: &LogRow) -> Value {
    let git = Object::default()
        .maybe("branch", (!row.branch.is_empty()).then_some(row.branch.as_str()))
        .maybe("commit", (!row.commit.is_empty()).then_some(row.commit.as_str()));
    let git = if git.is_empty() { git } else { git.with("dirty", row.dirty) };
    let sides = row.sides.as_ref().map(|[base, candidate]| {
        Object::default().with("base", base.as_str()).with("candidate", candidate.as_str()).done()
    });
    Object::default()
        .with("id", row.id.as_str())
        .with("started", row.started.as_str())
        .with("tags", row.tags.clone())
        .maybe("kind", if row.load { Some("load") } else { row.compares.then_some("comparison") })
        .with("cases", row.cases)
        .with("failed", row.failed)
        .with("state", row.state.name())
        .with("git", git.done())
        .maybe("revisions", sides)
        .maybe("imported", row.imported.as_deref())
        .done()
}
