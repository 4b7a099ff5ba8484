//! `tare.toml`.

mod fleet;
mod limit;
mod raw;
mod store_url;

use crate::error::ArgumentError;
use crate::error::{DefinitionError, SourceLine};
use crate::gate::Limit;
use crate::options::{Comparing, Measuring, OfProject, Options, Revising, Selection};
use crate::quantity::shown;
use crate::runtime::RuntimeDefinition;
use crate::runtime::parse_language;
use crate::runtime::{check_command, is_name, split_command};
pub use fleet::FleetSettings;
use raw::{Located, RawCommand, RawRuntime, RawSame, RawSettings};
use std::path::{Path, PathBuf};
use store_url::without_password;

/// What `tare.toml` says. What it doesn't say is `None` or empty; the defaults are the caller's.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Settings {
    /// `[run]`: which cases. Paths are relative to the project's root.
    pub selection: Selection,
    /// `[run]`: how to measure.
    pub measuring: Measuring,
    /// `[compare]`: how to compare, and what to make of it.
    pub comparing: Comparing,
    /// `[compare]`: what revisions are compared by.
    pub revising: Revising,
    /// What no option says.
    pub project: OfProject,
    /// `[[limit]]`, in the order of the file.
    pub limits: Vec<Limit>,
    /// `[[same]]`: cases of several languages that are compared with each other.
    pub same: Vec<SameCases>,
    /// Whether `[[command]]` names any: the file is then a source of benchmarks itself.
    pub commands: bool,
    /// `[runtime.NAME]`, in the order of the file: the first is the base of comparisons.
    pub runtimes: Vec<RuntimeDefinition>,
    /// `[store] path`, as written: relative to the project's root.
    pub store: Option<PathBuf>,
    /// `[store] url`: a database in place of that folder, without a password.
    pub store_url: Option<String>,
    /// `[fleet]`: which nodes of a cluster measure.
    pub fleet: FleetSettings,
    /// Where keys of `[run]` and `[compare]` stand that are checked only when they are used: key and place.
    pub places: Vec<(String, SourceLine)>,
}

impl Settings {
    /// A key as an error names it: `tare.toml:3: `cpus``. `None` where the file doesn't say it.
    pub fn named(&self, key: &str) -> Option<String> {
        let (key, place) = self.places.iter().find(|(known, _)| known == key)?;
        Some(format!("{place}: `{key}`"))
    }

    /// Whether `other` says the same, wherever in its file.
    pub fn says_as(&self, other: &Self) -> bool {
        let without_places = |settings: &Self| {
            let limits = settings.limits.iter().map(|limit| Limit { line: 0, ..limit.clone() }).collect();
            Self { places: Vec::new(), limits, ..settings.clone() }
        };
        without_places(self) == without_places(other)
    }
}

/// One `[[same]]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SameCases {
    /// What they have in common. Not empty.
    pub name: String,
    /// Ids of cases, two at least.
    pub cases: Vec<String>,
}

impl Settings {
    /// Reads the text of `file`, a `tare.toml`.
    ///
    /// # Errors
    /// A syntax error, an unknown key (the nearest known one is suggested), a value of the wrong kind or out of range; each
    /// with its line.
    pub fn parse(file: &Path, text: &str) -> Result<Self, DefinitionError> {
        let raw = RawSettings::read(file, text, &Self::keys())?;
        let check = Check { file };
        let mut read = Self::default();
        for (key, texts) in &raw.keys {
            let name = key.split_once('.').map_or(*key, |(_, name)| name);
            read.take(key, &texts.value).map_err(|error| error.at(check.place(texts.line), name))?;
            read.places.push((name.to_owned(), check.place(texts.line)));
        }
        let runtimes = raw.runtimes.into_iter().map(|runtime| check.runtime(runtime)).collect::<Result<_, _>>()?;
        let store = raw.store_path.map(|path| check.path("path", path)).transpose()?;
        let store_url = check.value("url", raw.store_url, without_password)?;
        let limits = raw.limits.into_iter().map(|limit| check.limit(limit)).collect::<Result<_, _>>()?;
        let same = raw.same.into_iter().map(|same| check.same(same)).collect::<Result<_, _>>()?;
        let commands = raw.commands;
        Ok(Self { limits, same, commands, runtimes, store, store_url, fleet: check.fleet(raw.fleet)?, ..read })
    }

    /// The keys of `[run]` and `[compare]`, as `run.budget`.
    pub fn keys() -> Vec<&'static str> {
        let declared =
            [Selection::DECLARED, Measuring::DECLARED, Comparing::DECLARED, Revising::DECLARED, OfProject::DECLARED];
        declared.into_iter().flatten().filter_map(|option| option.key).collect()
    }

    /// The keys of the tables that aren't made of options: `limit`, `command`, `fleet`.
    pub fn other_keys() -> [(&'static str, &'static [&'static str]); 3] {
        [("limit", &raw::LIMITS), ("command", &raw::COMMANDS), ("fleet", &raw::FLEET)]
    }

    fn take(&mut self, key: &str, texts: &[String]) -> Result<(), ArgumentError> {
        let Self { selection, measuring, comparing, revising, project, .. } = self;
        let taken = (selection.take(key, texts))
            .or_else(|| measuring.take(key, texts))
            .or_else(|| comparing.take(key, texts))
            .or_else(|| revising.take(key, texts))
            .or_else(|| project.take(key, texts));
        taken.unwrap_or(Ok(()))
    }
}

fn stated(text: &str, remedy: &str) -> Result<String, ArgumentError> {
    match text.trim() {
        "" => Err(ArgumentError::new("it is empty", remedy)),
        _ => Ok(text.to_owned()),
    }
}

struct Check<'a> {
    file: &'a Path,
}

impl Check<'_> {
    fn same(&self, raw: RawSame) -> Result<SameCases, DefinitionError> {
        let RawSame { line, name, cases } = raw;
        let missing = |key: &str, remedy: &str| ArgumentError::new("it is missing", remedy).at(self.place(line), key);
        let Some(name) = self.value("name", name, |text| stated(&text, "say what the cases have in common"))? else {
            return Err(missing("name", "say what the cases have in common"));
        };
        let example = "name two or more, such as [\"php/HashBench::benchMd5\", \"go/BenchmarkMd5\"]; `tare list --json` shows the ids";
        let Some(cases) = cases else { return Err(missing("cases", example)) };
        if cases.value.len() < 2 {
            return Err(ArgumentError::new("it names fewer than two", example).at(self.place(cases.line), "cases"));
        }
        Ok(SameCases { name, cases: cases.value })
    }

    fn runtime(&self, raw: RawRuntime) -> Result<RuntimeDefinition, DefinitionError> {
        let at = |line, key: &str, error: ArgumentError| error.at(self.place(line), key);
        let RawRuntime { name, command, language } = raw;
        if !is_name(&name.value) {
            let message = format!("`{}` can't be the name of a runtime", shown(&name.value));
            let remedy = "begin with a letter or digit and use only these and . _ + -".to_owned();
            return Err(DefinitionError::Invalid { place: self.place(name.line), message, remedy });
        }
        let Some(command) = command else {
            let error = ArgumentError::new("it is missing", "add one, such as command = \"php8.2\"");
            return Err(at(name.line, "command", error));
        };
        let (prefix, words) = match command.value {
            RawCommand::Text(text) => split_command(&text),
            RawCommand::Words(words) => check_command(&words).map(|()| (None, words)),
        }
        .map_err(|error| at(command.line, "command", error))?;

        let stated = match language {
            Some(language) => {
                let stated = parse_language(&language.value).map_err(|error| at(language.line, "language", error))?;
                if prefix.is_some_and(|prefix| prefix != stated) {
                    let error = ArgumentError::new(
                        "the command begins with another language",
                        "leave one of the two languages out",
                    );
                    return Err(at(language.line, "language", error));
                }
                Some(stated)
            }
            None => None,
        };
        Ok(RuntimeDefinition { name: name.value, command: words, language: stated.or(prefix) })
    }

    fn path(&self, key: &str, path: Located<String>) -> Result<PathBuf, DefinitionError> {
        if path.value.is_empty() || path.value.contains('\0') {
            let error = ArgumentError::new("it is not a path", "name a file or folder, relative to the project's root");
            return Err(error.at(self.place(path.line), key));
        }
        Ok(PathBuf::from(path.value))
    }

    fn value<T, U>(
        &self,
        key: &str,
        raw: Option<Located<T>>,
        check: impl FnOnce(T) -> Result<U, ArgumentError>,
    ) -> Result<Option<U>, DefinitionError> {
        raw.map(|raw| check(raw.value).map_err(|error| error.at(self.place(raw.line), key))).transpose()
    }

    fn place(&self, line: usize) -> SourceLine {
        SourceLine { file: self.file.to_owned(), line }
    }
}

#[cfg(test)]
#[path = "settings/tests.rs"]
mod tests;
