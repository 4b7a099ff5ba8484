use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use globset::GlobBuilder;
use serde_json::{Map, Value};

use super::{Read, relaxed_json};
use crate::error::{DefinitionError, SourceLine, suggestion};
use crate::quantity::shown;

const PROFILES: &str = "core.profiles";
const INCLUDE: &str = "$include";
const INCLUDE_GLOB: &str = "$include-glob";

/// Far more than any project has: files that include several others several times multiply.
const MOST_FILES: usize = 1_000;

/// A `phpbench.json` with what it includes.
pub(super) struct Document {
    values: Map<String, Value>,
    /// Where each key is said, in the order of joining.
    places: BTreeMap<String, Vec<SourceLine>>,
}

impl Document {
    pub(super) fn read(file: &Path) -> Result<Self, DefinitionError> {
        Includes { open: Vec::new(), files: 0 }.read(file)
    }

    /// The value of the first of `keys` that is said, which must not be said twice. `null` says nothing.
    pub(super) fn one<T>(&self, keys: &[&str], read: Read<T>) -> Result<Option<T>, DefinitionError> {
        let Some((key, value)) = self.get(keys) else { return Ok(None) };
        read(value).map(Some).map_err(|wanted| self.unlike(key, wanted, value.is_array()))
    }

    /// A list of values, or one.
    pub(super) fn each<T>(&self, keys: &[&str], read: Read<T>) -> Result<Vec<T>, DefinitionError> {
        let Some((key, value)) = self.get(keys) else { return Ok(Vec::new()) };
        let values = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
        values.iter().map(|value| read(value).map_err(|wanted| self.unlike(key, wanted, false))).collect()
    }

    /// Keys and values, includes resolved.
    pub(super) fn entries(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.values.iter().map(|(key, value)| (key.as_str(), value))
    }

    /// Lets the settings of a profile take the place of others, as PHPBench does.
    /// `file`: what the document was read from.
    pub(super) fn choose(&mut self, profile: &str, file: &Path) -> Result<(), DefinitionError> {
        let place = self.place(PROFILES).unwrap_or(SourceLine { file: file.to_owned(), line: 1 });
        let profiles = self.values.get(PROFILES).and_then(Value::as_object);
        let Some(chosen) = profiles.and_then(|profiles| profiles.get(profile)).and_then(Value::as_object).cloned()
        else {
            let known: Vec<&str> = profiles.into_iter().flat_map(Map::keys).map(String::as_str).collect();
            let message = format!("`{PROFILES}` has no profile `{}`", shown(profile));
            let remedy = match known.as_slice() {
                [] => "the file has no profiles; leave --profile out".to_owned(),
                known => suggestion(profile, known),
            };
            return Err(DefinitionError::Invalid { place, message, remedy });
        };
        for (key, value) in chosen {
            self.places.insert(key.clone(), vec![place.clone()]);
            self.values.insert(key, value);
        }
        Ok(())
    }

    /// Where a key is said last.
    pub(super) fn place(&self, key: &str) -> Option<SourceLine> {
        self.places.get(key)?.last().cloned()
    }

    fn get<'a>(&self, keys: &[&'a str]) -> Option<(&'a str, &Value)> {
        keys.iter().find_map(|&key| Some((key, self.values.get(key).filter(|value| !value.is_null())?)))
    }

    fn unlike(&self, key: &str, wanted: &str, one_wanted: bool) -> DefinitionError {
        let places = self.places.get(key).map_or(&[][..], Vec::as_slice);
        let (message, remedy) = match places {
            [first, .., _] if one_wanted => (
                format!(
                    "`{key}` is set here and in {first}; PHPBench joins the two values to a list, and this key takes one value"
                ),
                "set it in one file only".to_owned(),
            ),
            _ => (format!("`{key}` is not {wanted}"), format!("write {wanted}, or leave the key out")),
        };
        let place = places.last().cloned().unwrap_or(SourceLine { file: PathBuf::new(), line: 0 });
        DefinitionError::Invalid { place, message, remedy }
    }

    /// Joins two documents as PHP's `array_merge_recursive` does, which is how PHPBench includes.
    fn join(&mut self, other: Self) {
        join_tables(&mut self.values, other.values);
        for (key, places) in other.places {
            self.places.entry(key).or_default().extend(places);
        }
    }
}

fn join_tables(into: &mut Map<String, Value>, from: Map<String, Value>) {
    for (key, value) in from {
        match into.get_mut(&key) {
            Some(before) => *before = join(before.take(), value),
            None => {
                into.insert(key, value);
            }
        }
    }
}

fn join(left: Value, right: Value) -> Value {
    match (left, right) {
        // PHP would keep the null in a list; as a setting it says nothing, on either side.
        (Value::Null, value) | (value, Value::Null) => value,
        (Value::Object(mut left), Value::Object(right)) => {
            join_tables(&mut left, right);
            Value::Object(left)
        }
        // In a table, what has no key gets the next free number as one.
        (Value::Object(mut table), other) => {
            for value in list(other) {
                let free = (0..=table.len()).map(|number| number.to_string()).find(|key| !table.contains_key(key));
                table.extend(free.map(|key| (key, value)));
            }
            Value::Object(table)
        }
        (other, Value::Object(table)) => {
            let mut joined: Map<String, Value> =
                list(other).into_iter().enumerate().map(|(number, value)| (number.to_string(), value)).collect();
            join_tables(&mut joined, table);
            Value::Object(joined)
        }
        (left, right) => Value::Array([list(left), list(right)].concat()),
    }
}

fn list(value: Value) -> Vec<Value> {
    match value {
        Value::Array(values) => values,
        value => vec![value],
    }
}

/// Larger files aren't read, bytes.
pub(crate) const LARGEST: u64 = 16 << 20;

struct Includes {
    /// The files that are being read, each included by the one before it.
    open: Vec<PathBuf>,
    files: usize,
}

impl Includes {
    fn read(&mut self, file: &Path) -> Result<Document, DefinitionError> {
        let text = tare_files::text(file, LARGEST)
            .map_err(|source| DefinitionError::Unreadable { path: file.to_owned(), source })?;
        let place = |line| SourceLine { file: file.to_owned(), line };
        let invalid = |line, message: String, remedy: &str| {
            Err(DefinitionError::Invalid { place: place(line), message, remedy: remedy.to_owned() })
        };

        let values = match relaxed_json::parse(&text) {
            Ok(Value::Object(values)) => values,
            Ok(_) => return invalid(1, "this is not a table of settings".into(), "write { \"runner.path\": … }"),
            Err((line, message)) => return invalid(line, message, "correct the JSON there, or just before"),
        };
        let places = values.keys().map(|key| (key.clone(), vec![place(line_of(&text, key))])).collect();
        let mut document = Document { values, places };
        self.files += 1;

        let canonical = fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
        for (directive, is_glob) in [(INCLUDE, false), (INCLUDE_GLOB, true)] {
            let line = line_of(&text, directive);
            let Some(value) = document.values.remove(directive).filter(|value| !value.is_null()) else { continue };
            for value in list(value) {
                let Some(path) = value.as_str().filter(|path| !path.is_empty() && !path.contains('\0')) else {
                    return invalid(
                        line,
                        format!("`{directive}` is not a path or a list of paths"),
                        "write them in quotes",
                    );
                };
                let folder = file.parent().unwrap_or(Path::new(""));
                let files = || expand(folder, path).into_iter().filter(|path| path.is_file()).collect();
                let included: Vec<PathBuf> = if is_glob { files() } else { vec![folder.join(path)] };
                for path in included {
                    if !path.is_file() {
                        return Err(DefinitionError::Missing { path, named_in: Some(file.to_owned()) });
                    }
                    self.open.push(canonical.clone());
                    if self.open.contains(&fs::canonicalize(&path).unwrap_or_else(|_| path.clone())) {
                        let message = format!("`{directive}` includes {} again, which is being read", path.display());
                        return invalid(line, message, "take out one of the includes that go in a circle");
                    }
                    if self.files >= MOST_FILES {
                        return invalid(
                            line,
                            format!("more than {MOST_FILES} files are included"),
                            "include each file once",
                        );
                    }
                    let included = self.read(&path)?;
                    self.open.pop();
                    document.join(included);
                }
            }
        }
        Ok(document)
    }
}

/// Line in which `text` says `key`, 1-based; 0 where it can't be found, as when the key is written with escapes.
fn line_of(text: &str, key: &str) -> usize {
    let quoted = Value::from(key).to_string();
    let said =
        text.match_indices(&quoted).find(|(start, _)| text[start + quoted.len()..].trim_start().starts_with(':'));
    said.map_or(0, |(start, _)| 1 + text[..start].matches('\n').count())
}

/// The files and folders that match a pattern of `glob(3)` without extensions, in alphabetical order: `*`, `?` and `[…]` within a name,
/// no braces, and a leading dot only where it is written.
pub(super) fn expand(folder: &Path, pattern: &str) -> Vec<PathBuf> {
    let mut found = vec![if pattern.starts_with('/') { PathBuf::from("/") } else { folder.to_owned() }];
    for part in pattern.split('/').filter(|part| !matches!(*part, "" | ".")) {
        let literal = part.replace('{', "[{]").replace('}', "[}]");
        let matcher = match GlobBuilder::new(&literal).literal_separator(true).backslash_escape(true).build() {
            Ok(glob) if part.contains(['*', '?', '[']) => glob.compile_matcher(),
            _ => {
                found = found.iter().map(|path| path.join(part)).filter(|path| path.exists()).collect();
                continue;
            }
        };
        let names = |path: &PathBuf| {
            let entries = fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.file_name());
            let visible =
                |name: &std::ffi::OsString| part.starts_with('.') || !name.as_encoded_bytes().starts_with(b".");
            entries
                .filter(visible)
                .filter(|name| matcher.is_match(name))
                .map(|name| path.join(name))
                .collect::<Vec<_>>()
        };
        found = found.iter().flat_map(names).collect();
    }
    found.sort();
    found
}
