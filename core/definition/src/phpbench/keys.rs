//! Every key that PHPBench documents, and what becomes of it here.

use serde_json::Value;

use crate::error::suggestion;
use crate::quantity::shown;

use super::document::Document;

/// What Tare does with a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Heed {
    /// It has the same effect.
    Done,
    /// It is about PHPBench's own screen, reports and files: benchmarks don't depend on it.
    Theirs,
    /// A value other than this one, as JSON, has no effect, and why.
    Told(&'static str, &'static str),
}

use Heed::{Done, Theirs, Told};

/// PHPBench's docs/configuration.rst, in its order.
pub(super) const KEYS: [(&str, Heed); 58] = [
    ("$schema", Theirs),
    ("$include", Done),
    ("$include-glob", Done),
    ("core.debug", Theirs),
    ("core.extensions", Told("[]", "extensions of PHPBench aren't loaded")),
    ("core.working_dir", Told("null", "paths are relative to the file that they stand in")),
    ("core.config_path", Theirs),
    ("core.profiles", Done),
    ("runner.annotations", Done),
    (
        "runner.annotation_import_use",
        Told("false", "annotations are read without an import, too; those of other libraries never count"),
    ),
    ("runner.attributes", Done),
    ("runner.bootstrap", Done),
    ("runner.env_enabled_providers", Theirs),
    ("runner.env_samplers", Theirs),
    ("runner.env_sampler_callables", Theirs),
    ("runner.executors", Told("[]", "Tare has its own way of running a benchmark")),
    ("runner.path", Done),
    ("runner.php_binary", Done),
    ("runner.php_config", Done),
    ("runner.php_disable_ini", Done),
    ("runner.php_wrapper", Done),
    ("runner.php_env", Done),
    ("runner.progress", Theirs),
    ("runner.progress_summary_variant_format", Theirs),
    ("runner.progress_summary_baseline_format", Theirs),
    ("runner.remote_script_path", Theirs),
    ("runner.remote_script_remove", Theirs),
    ("runner.assert", Done),
    ("runner.executor", Told("\"remote\"", "Tare has its own way of running a benchmark")),
    ("runner.format", Theirs),
    ("runner.iterations", Done),
    ("runner.output_mode", Told("\"time\"", "results are always times")),
    ("runner.time_unit", Done),
    ("runner.retry_threshold", Done),
    ("runner.revs", Done),
    ("runner.timeout", Done),
    ("runner.warmup", Done),
    ("runner.subject_pattern", Done),
    ("runner.file_pattern", Done),
    ("report.generators", Theirs),
    ("report.outputs", Theirs),
    ("report.components", Theirs),
    ("report.template_paths", Theirs),
    ("report.template_map", Theirs),
    ("report.html_output_dir", Theirs),
    ("expression.syntax_highlighting", Theirs),
    ("expression.theme", Theirs),
    ("expression.memory_unit_prefix", Theirs),
    ("expression.strip_tailing_zeros", Theirs),
    ("storage.driver", Theirs),
    ("storage.xml_storage_path", Theirs),
    ("storage.store_binary", Theirs),
    ("xdebug.command_handler_output_dir", Theirs),
    ("console.ansi", Theirs),
    ("console.disable_output", Theirs),
    ("console.output_stream", Theirs),
    ("console.error_stream", Theirs),
    ("console.decoration", Theirs),
];

/// Units that reports don't have.
pub(super) const LONG_UNITS: [&str; 7] = ["m", "minute", "minutes", "hour", "hours", "day", "days"];

/// What a user has to be told of a document: settings without effect, and names that PHPBench doesn't have.
pub(super) fn remarks(document: &Document) -> Vec<String> {
    let mut told = Vec::new();
    for (key, value) in document.entries() {
        let place = document.place(key).map(|place| format!("{place}: ")).unwrap_or_default();
        let key_shown = shown(key);
        match KEYS.iter().find(|(name, _)| *name == key) {
            Some((_, Told(usual, why))) if !value.is_null() && !is(value, usual) => {
                told.push(format!("{place}`{key_shown}` has no effect: {why}"));
            }
            Some(("runner.iterations", _)) if value.as_array().is_some_and(|list| list.len() > 1) => {
                told.push(format!("{place}only the first value of the list `{key_shown}` is used"));
            }
            Some(("runner.time_unit", _)) if value.as_str().is_some_and(|unit| LONG_UNITS.contains(&unit)) => {
                told.push(format!("{place}`{key_shown}` appears in seconds, the longest unit of Tare's reports"));
            }
            None if key.starts_with("runner.") || key.starts_with("core.") => {
                let known: Vec<&str> = KEYS.iter().map(|(name, _)| *name).collect();
                let remedy = suggestion(key, &known);
                let remedy =
                    if remedy.starts_with("did") { remedy } else { "sdk/php/README.md lists the keys".to_owned() };
                told.push(format!("{place}`{key_shown}` is not a key of PHPBench, and has no effect; {remedy}"));
            }
            _ => {}
        }
    }
    told
}

fn is(value: &Value, usual: &str) -> bool {
    // PHP doesn't tell an empty list from an empty table.
    let empty = |value: &Value| {
        value.as_array().is_some_and(Vec::is_empty) || value.as_object().is_some_and(|table| table.is_empty())
    };
    serde_json::from_str::<Value>(usual).is_ok_and(|usual| usual == *value || empty(&usual) && empty(value))
}
