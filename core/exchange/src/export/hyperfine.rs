//! hyperfine's JSON: a time for each launch, in seconds.

use serde_json::{Map, Value, json};
use tare_samples::printable;

use super::{Exported, ExportedVariant, Written, left_out};
use crate::fault::Fault;

pub(super) fn write(exported: &Exported<'_>) -> Result<Written, Fault> {
    let results: Vec<Value> = exported.variants.iter().filter_map(result).collect();
    if results.is_empty() {
        return Err(Fault::of_file("no case of the run has times above 0, and hyperfine's format holds no others"));
    }
    let document = json!({ "results": results });
    Ok(Written { bytes: format!("{document:#}\n").into_bytes(), notices: left_out(exported, "hyperfine") })
}

/// A command of hyperfine's own is told from others by its parameters, which stand beside it.
fn command(variant: &ExportedVariant<'_>) -> String {
    let own = &variant.view.variant;
    if own.is_imported() && own.runtime.name == "hyperfine" { own.case.benchmark.clone() } else { variant.name() }
}

fn result(variant: &ExportedVariant<'_>) -> Option<Value> {
    let mut times: Vec<f64> = variant.positive()?.iter().map(|(time, _)| time / 1e9).collect();
    let in_order = times.clone();
    tare_statistics::quantile::sort(&mut times);
    let parameters: Map<String, Value> = variant
        .view
        .variant
        .case
        .parameters
        .values
        .iter()
        .map(|(name, value)| (printable(name), Value::from(printable(value))))
        .collect();
    let mut result = Map::new();
    result.insert("command".to_owned(), Value::from(printable(&command(variant))));
    result.insert("mean".to_owned(), json!(tare_statistics::quantile::mean(&times)));
    result.insert("stddev".to_owned(), json!(tare_statistics::quantile::standard_deviation(&times)));
    result.insert("median".to_owned(), json!(tare_statistics::quantile::median(&times)));
    // What its processes took of each isn't known for each time.
    result.insert("user".to_owned(), Value::Null);
    result.insert("system".to_owned(), Value::Null);
    result.insert("min".to_owned(), json!(times.first()));
    result.insert("max".to_owned(), json!(times.last()));
    result.insert("times".to_owned(), json!(in_order));
    if !parameters.is_empty() {
        result.insert("parameters".to_owned(), Value::Object(parameters));
    }
    Some(Value::Object(result))
}
