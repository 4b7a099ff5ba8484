//! `tare.toml`.

mod compare;
mod fleet;
mod raw;
mod store_url;

use std::path::{Path, PathBuf};
use std::time::Duration;

use tare_machine::{CpuListError, parse_cpu_list};
use tare_samples::Calls;

use crate::error::ArgumentError;
use crate::error::{DefinitionError, SourceLine};
use crate::gate::Limit;
use crate::quantity::{self, shown};
use crate::quantity::{parse_duration, parse_percentage};
use crate::runtime::RuntimeDefinition;
use crate::runtime::parse_language;
use crate::runtime::{check_command, is_name, split_command};
pub use compare::CompareSettings;
pub use fleet::FleetSettings;
use raw::{Located, RawCalls, RawCommand, RawRun, RawRuntime, RawSame, RawSettings};
use store_url::without_password;

/// What `tare.toml` says. What it doesn't say is `None` or empty; the defaults are the caller's.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Settings {
    /// `[run]`: how to measure.
    pub run: RunSettings,
    /// `[compare]`: how to compare, and what to make of it.
    pub compare: CompareSettings,
    /// `[[limit]]`, in the order of the file.
    pub limits: Vec<Limit>,
    /// `[[same]]`: cases of several languages that are compared with each other.
    pub same: Vec<SameCases>,
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
}

/// One `[[same]]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SameCases {
    /// What they have in common. Not empty.
    pub name: String,
    /// Ids of cases, two at least.
    pub cases: Vec<String>,
}

/// `[run]`: how to measure.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunSettings {
    /// Files and folders with benchmarks, as written: relative to the project's root.
    pub paths: Vec<PathBuf>,
    /// The shell command that builds what the paths name, run at the project's root before anything is looked for. Not empty.
    pub build: Option<String>,
    /// Measuring time for a case, above 0.
    pub budget: Option<Duration>,
    /// Wanted half width of the interval, as a fraction of the time; above 0, at most 1.
    pub precision: Option<f64>,
    /// Launches of each variant, from 1.
    pub launches: Option<u32>,
    /// Samples a launch, from 1.
    pub samples: Option<u64>,
    /// Calls a sample; several make several variants. Empty when nothing is said.
    pub iterations: Vec<Calls>,
    /// Name of the worker's clock.
    pub clock: Option<String>,
    /// Seed of every random choice.
    pub seed: Option<u64>,
    /// The longest that one request to a worker may take, above 0.
    pub timeout: Option<Duration>,
    /// CPUs of the worker, ascending. Empty when nothing is said.
    pub cpus: Vec<usize>,
}

impl Settings {
    /// Reads the text of `file`, a `tare.toml`.
    ///
    /// # Errors
    /// A syntax error, an unknown key (the nearest known one is suggested), a value of the wrong kind or out of range; each
    /// with its line.
    pub fn parse(file: &Path, text: &str) -> Result<Self, DefinitionError> {
        let raw = RawSettings::read(file, text)?;
        let check = Check { file };
        let places = places(&raw, file);
        let runtimes = raw.runtimes.into_iter().map(|runtime| check.runtime(runtime)).collect::<Result<_, _>>()?;
        let store = raw.store_path.map(|path| check.path("path", path)).transpose()?;
        let store_url = check.value("url", raw.store_url, without_password)?;
        let limits = raw.limits.into_iter().map(|limit| check.limit(limit)).collect::<Result<_, _>>()?;
        let same = raw.same.into_iter().map(|same| check.same(same)).collect::<Result<_, _>>()?;
        Ok(Self {
            run: check.run(raw.run)?,
            compare: check.compare(raw.compare)?,
            limits,
            same,
            runtimes,
            store,
            store_url,
            fleet: check.fleet(raw.fleet)?,
            places,
        })
    }
}

/// Of what the machine, a worker or the other settings may yet refuse.
fn places(raw: &RawSettings, file: &Path) -> Vec<(String, SourceLine)> {
    fn line<T>(value: Option<&Located<T>>) -> Option<usize> {
        value.map(|value| value.line)
    }
    let lines = [
        ("budget", line(raw.run.budget.as_ref())),
        ("clock", line(raw.run.clock.as_ref())),
        ("cpus", line(raw.run.cpus.as_ref())),
        ("fail-on", line(raw.compare.fail_on.as_ref())),
        ("iterations", line(raw.run.iterations.as_ref())),
        ("precision", line(raw.run.precision.as_ref())),
        ("seed", line(raw.run.seed.as_ref())),
        ("timeout", line(raw.run.timeout.as_ref())),
    ];
    let place = |line| SourceLine { file: file.to_owned(), line };
    lines.into_iter().filter_map(|(key, line)| Some((key.to_owned(), place(line?)))).collect()
}

struct Check<'a> {
    file: &'a Path,
}

impl Check<'_> {
    fn run(&self, raw: RawRun) -> Result<RunSettings, DefinitionError> {
        Ok(RunSettings {
            paths: raw
                .paths
                .into_iter()
                .flat_map(|paths| paths.value.into_iter().map(move |value| Located { line: paths.line, value }))
                .map(|path| self.path("paths", path))
                .collect::<Result<_, _>>()?,
            build: self.value("build", raw.build, |text| {
                compare::stated(&text, "write a command, such as \"make -C build\", or leave the key out")
            })?,
            budget: self.positive_duration("budget", raw.budget)?,
            precision: self.value("precision", raw.precision, |text| {
                parse_percentage(&text).and_then(|fraction| match fraction > 0.0 {
                    true => Ok(fraction),
                    false => Err(ArgumentError::new("it is 0", "write a percentage above it, such as 1%")),
                })
            })?,
            launches: self.value("launches", raw.launches, |number| {
                u32::try_from(number).ok().filter(|&launches| launches > 0).ok_or_else(|| out_of_range("6"))
            })?,
            samples: self.value("samples", raw.samples, |number| {
                Some(number).filter(|&samples| samples > 0).ok_or_else(|| out_of_range("20"))
            })?,
            iterations: self
                .value("iterations", raw.iterations, |list| list.into_iter().map(calls).collect())?
                .unwrap_or_default(),
            clock: self.value("clock", raw.clock, |name| match name.trim() {
                "" => Err(ArgumentError::new("it is empty", "name a clock of the worker, such as hrtime")),
                name => Ok(name.to_owned()),
            })?,
            seed: raw.seed.map(|seed| seed.value),
            timeout: self.positive_duration("timeout", raw.timeout)?,
            cpus: self
                .value("cpus", raw.cpus, |list| {
                    parse_cpu_list(&list).map_err(|error| ArgumentError::new(error.message(), CpuListError::REMEDY))
                })?
                .unwrap_or_default(),
        })
    }

    fn same(&self, raw: RawSame) -> Result<SameCases, DefinitionError> {
        let RawSame { line, name, cases } = raw;
        let missing = |key: &str, remedy: &str| ArgumentError::new("it is missing", remedy).at(self.place(line), key);
        let Some(name) =
            self.value("name", name, |text| compare::stated(&text, "say what the cases have in common"))?
        else {
            return Err(missing("name", "say what the cases have in common"));
        };
        let example = "name two or more, such as [\"php/HashBench::benchMd5\", \"go/BenchmarkMd5\"]; `tare list --json` tells their ids";
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

    fn positive_duration(&self, key: &str, raw: Option<Located<String>>) -> Result<Option<Duration>, DefinitionError> {
        self.value(key, raw, |text| {
            parse_duration(&text).and_then(|duration| match duration.is_zero() {
                false => Ok(duration),
                true => Err(ArgumentError::new("it is 0", "write a length of time above it, such as 2s")),
            })
        })
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

fn calls(raw: RawCalls) -> Result<Calls, ArgumentError> {
    match raw {
        RawCalls::Text(text) => crate::quantity::parse_calls(&text),
        RawCalls::Number(number) => quantity::calls(number).ok_or_else(|| out_of_range("1000")),
    }
}

fn out_of_range(example: &str) -> ArgumentError {
    ArgumentError::new("the number is out of range", format!("write one such as {example}"))
}

#[cfg(test)]
#[path = "settings/tests.rs"]
mod tests;
