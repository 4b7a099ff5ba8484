//! `phpbench.json`, as far as it says what to run and how.

pub(crate) mod document;
mod keys;
mod options;
mod relaxed_json;

pub use options::instead_of_phpbench_option;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;
use tare_samples::{Calls, TimeUnit};

use crate::error::{DefinitionError, SourceLine};
use crate::quantity;
use document::Document;

/// What a `phpbench.json` says. What it doesn't say is `None` or empty.
///
/// Keys are PHPBench's (docs/configuration.rst), with those from before 1.0 (`bootstrap`, `path`, …) as their older names. Keys
/// that aren't needed here are ignored, because they configure PHPBench's own reports and storage.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Phpbench {
    /// The file that was read.
    pub file: PathBuf,
    /// `runner.bootstrap`: a source to load first; absolute.
    pub bootstrap: Option<PathBuf>,
    /// `runner.path`: files and folders with benchmarks; absolute.
    pub paths: Vec<PathBuf>,
    /// `runner.file_pattern`: what the names of benchmark files match.
    pub file_pattern: Option<String>,
    /// `runner.subject_pattern`: a regular expression for the methods that are benchmarks, instead of `^bench`.
    pub subject_pattern: Option<String>,
    /// `runner.annotations` is false: those of doc comments aren't read.
    pub without_annotations: bool,
    /// `runner.attributes` is false: those aren't read.
    pub without_attributes: bool,
    /// `runner.php_binary`: the interpreter, where the user names no runtime.
    pub php_binary: Option<String>,
    /// `runner.php_config`: PHP settings by name, in order; a name may come several times (`extension`).
    pub php_config: Vec<(String, String)>,
    /// `runner.php_wrapper`: words that the interpreter's command is put behind.
    pub php_wrapper: Vec<String>,
    /// `runner.php_env`: variables of the interpreter's environment, by name.
    pub php_env: Vec<(String, String)>,
    /// `runner.php_disable_ini`: run without the system's `php.ini`.
    pub php_disable_ini: bool,
    /// `runner.iterations`: samples, each from 1; several make several variants in PHPBench.
    pub samples: Vec<u64>,
    /// `runner.revs`: calls a sample; several make several variants.
    pub iterations: Vec<Calls>,
    /// `runner.warmup`: calls before each sample; several make several variants.
    pub warmup: Vec<u64>,
    /// `runner.time_unit`: for display.
    pub time_unit: Option<TimeUnit>,
    /// `runner.assert`: what is asserted of benchmarks that assert nothing themselves.
    pub assertions: Vec<String>,
    /// Where they are said.
    pub assertions_place: Option<SourceLine>,
    /// `runner.retry_threshold`: how far samples may lie apart; a fraction above 0.
    pub retry_threshold: Option<f64>,
    /// What the user has to be told: settings that have no effect here, each with its place and the reason.
    pub remarks: Vec<String>,
    /// `runner.timeout`: the longest that measuring a variant may take; above 0.
    pub timeout: Option<Duration>,
}

impl Phpbench {
    /// Reads `file` and what it includes.
    ///
    /// `//` and `/* */` comments and trailing commas are allowed. `$include` and `$include-glob` (a path or a list of them, relative
    /// to the file that says it) are joined as PHPBench joins them: lists are appended, tables joined by key, and a value that
    /// both files have becomes a list of the two. Other paths are relative to `file`, wherever they are said.
    ///
    /// # Errors
    /// A file that can't be read, includes that include themselves, a syntax error (with its line), a value of the wrong
    /// kind or out of range, and a setting with room for one value that several files make.
    pub fn read(file: &Path) -> Result<Self, DefinitionError> {
        Self::read_profile(file, None)
    }

    /// The same with the settings of a profile of `core.profiles` in the place of others.
    ///
    /// # Errors
    /// As [`Phpbench::read`]; also a profile that there isn't.
    pub fn read_profile(file: &Path, profile: Option<&str>) -> Result<Self, DefinitionError> {
        let mut document = Document::read(file)?;
        if let Some(profile) = profile {
            document.choose(profile, file)?;
        }
        let folder = file.parent().unwrap_or(Path::new(""));
        let path = |text: &String| folder.join(text);
        Ok(Self {
            file: file.to_owned(),
            bootstrap: document.one(&["runner.bootstrap", "bootstrap"], text)?.map(|text| path(&text)),
            paths: document.each(&["runner.path", "path"], text)?.iter().flat_map(|text| found(folder, text)).collect(),
            php_wrapper: document.one(&["runner.php_wrapper"], words)?.unwrap_or_default(),
            php_env: document.one(&["runner.php_env"], environment)?.unwrap_or_default(),
            remarks: keys::remarks(&document),
            file_pattern: document.one(&["runner.file_pattern"], text)?,
            subject_pattern: document.one(&["runner.subject_pattern", "subject_pattern"], text)?,
            without_annotations: document.one(&["runner.annotations"], flag)? == Some(false),
            without_attributes: document.one(&["runner.attributes"], flag)? == Some(false),
            php_binary: document.one(&["runner.php_binary", "php_binary"], text)?,
            php_config: document.one(&["runner.php_config", "php_config"], php_config)?.unwrap_or_default(),
            php_disable_ini: document.one(&["runner.php_disable_ini", "php_disable_ini"], flag)?.unwrap_or(false),
            samples: document.each(&["runner.iterations"], samples)?,
            iterations: document.each(&["runner.revs"], calls)?,
            warmup: document.each(&["runner.warmup"], warmup)?,
            time_unit: document.one(&["runner.time_unit", "time_unit"], unit)?,
            assertions: document.each(&["runner.assert"], text)?,
            assertions_place: document.place("runner.assert"),
            retry_threshold: document.one(&["runner.retry_threshold", "retry_threshold"], threshold)?,
            timeout: document.one(&["runner.timeout"], seconds)?,
        })
    }
}

/// Reads a value, or says what it should have been.
type Read<T> = fn(&Value) -> Result<T, &'static str>;

fn text(value: &Value) -> Result<String, &'static str> {
    let text = value.as_str().filter(|text| !text.is_empty() && !text.contains('\0'));
    text.map(str::to_owned).ok_or("text in quotes")
}

/// The paths that one with `*`, `?` or `[…]` stands for; itself where there are none, so that it is told as missing.
fn found(folder: &Path, text: &str) -> Vec<PathBuf> {
    let path = folder.join(text);
    if !text.contains(['*', '?', '[']) || path.exists() {
        return vec![path];
    }
    let paths = document::expand(folder, text);
    if paths.is_empty() { vec![path] } else { paths }
}

fn words(value: &Value) -> Result<Vec<String>, &'static str> {
    let words = text(value).ok().and_then(|text| shell_words::split(&text).ok()).filter(|words| !words.is_empty());
    words.ok_or("a command in quotes, such as \"blackfire run\"")
}

fn environment(value: &Value) -> Result<Vec<(String, String)>, &'static str> {
    let variables = php_config(value).ok().filter(|all| all.iter().all(|(name, _)| !name.starts_with('-')));
    variables.ok_or("a table of variables, such as {\"APP_ENV\": \"bench\"}")
}

fn flag(value: &Value) -> Result<bool, &'static str> {
    value.as_bool().ok_or("true or false")
}

fn samples(value: &Value) -> Result<u64, &'static str> {
    value.as_u64().filter(|&samples| samples > 0).ok_or("a whole number from 1, or a list of them")
}

fn calls(value: &Value) -> Result<Calls, &'static str> {
    value.as_u64().and_then(quantity::calls).ok_or("a whole number from 0, or a list of them")
}

fn warmup(value: &Value) -> Result<u64, &'static str> {
    value.as_u64().filter(|&calls| u32::try_from(calls).is_ok()).ok_or("a whole number from 0, or a list of them")
}

fn unit(value: &Value) -> Result<TimeUnit, &'static str> {
    // Reports have no longer one.
    let parse =
        |text: &str| if keys::LONG_UNITS.contains(&text) { Some(TimeUnit::Seconds) } else { TimeUnit::parse(text) };
    value.as_str().and_then(parse).ok_or("one of nanoseconds, microseconds, milliseconds, seconds")
}

/// A percentage, as a fraction.
fn threshold(value: &Value) -> Result<f64, &'static str> {
    value
        .as_f64()
        .map(|percent| percent / 100.0)
        .filter(|&part| part > 0.0 && part < 1.0)
        .ok_or("a percentage above 0 and below 100")
}

fn seconds(value: &Value) -> Result<Duration, &'static str> {
    let seconds = value.as_f64().filter(|&seconds| seconds > 0.0);
    seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()).ok_or("a number of seconds above 0")
}

/// Values are printed as PHP prints them: true is 1, false and null are empty. A list is the same setting several times.
fn php_config(value: &Value) -> Result<Vec<(String, String)>, &'static str> {
    const WANTED: &str = "a table of PHP settings, such as {\"memory_limit\": \"1G\"}";
    fn printed(value: &Value) -> Result<String, &'static str> {
        Ok(match value {
            Value::Null | Value::Bool(false) => String::new(),
            Value::Bool(true) => "1".to_owned(),
            Value::Number(number) => number.to_string(),
            Value::String(text) if !text.contains('\0') => text.clone(),
            _ => return Err(WANTED),
        })
    }
    let mut settings = Vec::new();
    match value {
        // PHP doesn't tell an empty list from an empty table.
        Value::Array(list) if list.is_empty() => {}
        Value::Object(table) => {
            for (name, value) in table {
                if name.is_empty() || name.contains(['=', '\0']) {
                    return Err(WANTED);
                }
                let values = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
                for value in values {
                    settings.push((name.clone(), printed(value)?));
                }
            }
        }
        _ => return Err(WANTED),
    }
    Ok(settings)
}

#[cfg(test)]
#[path = "phpbench/tests.rs"]
mod tests;
