use serde_json::{Value, json};

use super::parts::Object;
use super::{Layout, VERSION};
use tare_results::{ProfileFound, ProfileView};

/// A profile as the document `tare.profile`.
pub fn profile_document(view: &ProfileView, layout: Layout) -> String {
    let document = Object::default()
        .with("format", "tare.profile")
        .with("version", VERSION)
        .with("case", view.case.as_str())
        .with("runtime", json!({"name": view.runtime.name, "version": view.runtime.version}))
        .with("tool", view.tool.as_str())
        .with("folder", view.folder.as_str())
        .with("notes", view.notes.clone());
    let document = match &view.found {
        ProfileFound::Stacks { calls, total, unit, own, files: [picture, stacks, raw], .. } => {
            let share = |count: u64| count as f64 / *total as f64;
            let own: Vec<Value> =
                own.iter().map(|(name, count)| json!({"name": name, "count": count, "share": share(*count)})).collect();
            document
                .with("calls", *calls)
                .with("total", *total)
                .with("unit", unit.as_str())
                .with("functions", own)
                .with("files", json!({"flame_graph": picture, "stacks": stacks, "raw": raw}))
        }
        ProfileFound::Counts { what, calls, per_call, raw_per_call, repeat_difference, parts } => {
            let parts: Vec<Value> =
                parts.iter().map(|(name, count)| json!({"name": name, "per_call": count})).collect();
            document
                .with("calls", json!([calls.few, calls.many]))
                .with("unit", what.as_str())
                .figure("per_call", *per_call)
                .figure("raw_per_call", *raw_per_call)
                .figure("apart", *repeat_difference)
                .with("parts", parts)
        }
    };
    layout.text(&document.done())
}
