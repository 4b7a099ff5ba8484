//! pyperf's JSON: a run for each launch, a value for each sample, in seconds.

use serde_json::{Map, Value, json};
use tare_samples::printable;

use super::{Exported, ExportedVariant, Written, left_out, measured_by};
use crate::fault::Fault;

pub(super) fn write(exported: &Exported<'_>) -> Result<Written, Fault> {
    let origin = &exported.view.origin;
    let benchmarks: Vec<Value> = exported.variants.iter().filter_map(benchmark).collect();
    if benchmarks.is_empty() {
        return Err(Fault::of_file("no case of the run has samples above 0, and pyperf's format holds no others"));
    }
    let mut metadata = Map::new();
    let mut set = |name: &str, value: Option<&String>| {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            metadata.insert(name.to_owned(), Value::from(printable(value)));
        }
    };
    set("cpu_model_name", origin.machine.get("cpu"));
    set("platform", origin.machine.get("os"));
    set("description", Some(&format!("measured by {}, run {}", measured_by(origin), origin.id)));
    let document = json!({ "version": "1.0", "metadata": metadata, "benchmarks": benchmarks });
    let notices = left_out(exported, "pyperf");
    Ok(Written { bytes: format!("{document}\n").into_bytes(), notices })
}

fn benchmark(variant: &ExportedVariant<'_>) -> Option<Value> {
    let times = variant.positive()?;
    let runs = times.iter().filter(|(_, samples)| !samples.is_empty()).map(|(_, samples)| {
        let seconds: Vec<f64> = samples.iter().map(|sample| sample / 1e9).collect();
        json!({ "values": seconds })
    });
    let runs: Vec<Value> = runs.collect();
    let mut metadata = Map::new();
    metadata.insert("name".to_owned(), Value::from(printable(variant.name().trim())));
    metadata.insert("unit".to_owned(), Value::from("second"));
    if let Some(summary) = variant.view.summary.as_ref().filter(|summary| summary.iterations > 0) {
        metadata.insert("loops".to_owned(), Value::from(summary.iterations));
    }
    (!runs.is_empty()).then(|| json!({ "metadata": metadata, "runs": runs }))
}
