//! hyperfine's JSON, in seconds: the time of each execution of a command, or of each launch of a benchmark.

use serde_json::{Map, Value, json};
use tare_languages::of_name;
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
    match own.is_imported() && own.runtime.name == "hyperfine" {
        true => own.case.benchmark.clone(),
        false => variant.name(),
    }
}

/// Of each execution of a command, of which a sample may hold several; of each launch of what is no command.
fn times(variant: &ExportedVariant<'_>) -> Option<Vec<f64>> {
    let launches = variant.positive()?;
    Some(match of_name(&variant.view.variant.case.language).calls_are_processes {
        true => launches.iter().flat_map(|(_, samples)| samples).map(|time| time / 1e9).collect(),
        false => launches.iter().map(|(time, _)| time / 1e9).collect(),
    })
}

/// Nanoseconds that a command's executions took of a CPU on average, as seconds.
fn cpu_time(variant: &ExportedVariant<'_>, metric: &str) -> Value {
    let told = variant.view.calibration.as_ref().map(|own| own.reported.metrics.as_slice()).unwrap_or_default();
    let told = told.iter().find(|(name, _)| name == metric).and_then(|(_, value)| value.parse::<f64>().ok());
    told.map_or(Value::Null, |ns| json!(ns / 1e9))
}

fn result(variant: &ExportedVariant<'_>) -> Option<Value> {
    let mut times = times(variant)?;
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
    result.insert("user".to_owned(), cpu_time(variant, "user_ns"));
    result.insert("system".to_owned(), cpu_time(variant, "system_ns"));
    result.insert("min".to_owned(), json!(times.first()));
    result.insert("max".to_owned(), json!(times.last()));
    result.insert("times".to_owned(), json!(in_order));
    if !parameters.is_empty() {
        result.insert("parameters".to_owned(), Value::Object(parameters));
    }
    Some(Value::Object(result))
}
