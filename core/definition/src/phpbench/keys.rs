//! Every key that PHPBench documents, and what becomes of it here.

use serde_json::Value;

use crate::error::suggestion;
use crate::quantity::shown;

use super::document::Document;

/// What Tare does with a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Support {
    /// It has the same effect.
    Supported,
    /// It is about PHPBench's own screen, reports and files: benchmarks don't depend on it.
    Foreign,
    /// A value other than this one, as JSON, has no effect, and why.
    Ignored(&'static str, &'static str),
}

use Support::{Foreign, Ignored, Supported};

/// PHPBench's docs/configuration.rst, in its order.
pub(super) const KEYS: [(&str, Support); 58] = [
    ("$schema", Foreign),
    ("$include", Supported),
    ("$include-glob", Supported),
    ("core.debug", Foreign),
    ("core.extensions", Ignored("[]", "extensions of PHPBench aren't loaded")),
    ("core.working_dir", Ignored("null", "paths are relative to the file that they stand in")),
    ("core.config_path", Foreign),
    ("core.profiles", Supported),
    ("runner.annotations", Supported),
    (
        "runner.annotation_import_use",
        Ignored("false", "annotations are read without an import, too; those of other libraries never count"),
    ),
    ("runner.attributes", Supported),
    ("runner.bootstrap", Supported),
    ("runner.env_enabled_providers", Foreign),
    ("runner.env_samplers", Foreign),
    ("runner.env_sampler_callables", Foreign),
    ("runner.executors", Ignored("[]", "Tare has its own way of running a benchmark")),
    ("runner.path", Supported),
    ("runner.php_binary", Supported),
    ("runner.php_config", Supported),
    ("runner.php_disable_ini", Supported),
    ("runner.php_wrapper", Supported),
    ("runner.php_env", Supported),
    ("runner.progress", Foreign),
    ("runner.progress_summary_variant_format", Foreign),
    ("runner.progress_summary_baseline_format", Foreign),
    ("runner.remote_script_path", Foreign),
    ("runner.remote_script_remove", Foreign),
    ("runner.assert", Supported),
    ("runner.executor", Ignored("\"remote\"", "Tare has its own way of running a benchmark")),
    ("runner.format", Foreign),
    ("runner.iterations", Supported),
    ("runner.output_mode", Ignored("\"time\"", "results are always times")),
    ("runner.time_unit", Supported),
    ("runner.retry_threshold", Supported),
    ("runner.revs", Supported),
    ("runner.timeout", Supported),
    ("runner.warmup", Supported),
    ("runner.subject_pattern", Supported),
    ("runner.file_pattern", Supported),
    ("report.generators", Foreign),
    ("report.outputs", Foreign),
    ("report.components", Foreign),
    ("report.template_paths", Foreign),
    ("report.template_map", Foreign),
    ("report.html_output_dir", Foreign),
    ("expression.syntax_highlighting", Foreign),
    ("expression.theme", Foreign),
    ("expression.memory_unit_prefix", Foreign),
    ("expression.strip_tailing_zeros", Foreign),
    ("storage.driver", Foreign),
    ("storage.xml_storage_path", Foreign),
    ("storage.store_binary", Foreign),
    ("xdebug.command_handler_output_dir", Foreign),
    ("console.ansi", Foreign),
    ("console.disable_output", Foreign),
    ("console.output_stream", Foreign),
    ("console.error_stream", Foreign),
    ("console.decoration", Foreign),
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
            Some((_, Ignored(usual, why))) if !value.is_null() && !is(value, usual) => {
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
