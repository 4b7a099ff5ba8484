//! What the extraction says of a source file.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::origin::Origin;

/// The version of the lines that `read` understands.
const FORMAT: u32 = 2;
const LONGEST_LINE: usize = 64 * 1024 * 1024;
const MOST_UNITS: usize = 50_000;

/// A language whose sources have units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    /// Python.
    Python,
    /// PHP. Its names are given in lower case.
    Php,
}

/// What sort of code a unit is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// What a file does when it is loaded.
    #[default]
    Module,
    /// The body of a class, without its plain methods.
    Class,
    /// A function or method.
    Function,
    /// A literal that a module gives a name.
    Constant,
}

/// What is remarkable about the code of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Flag {
    /// It finds values by computed names.
    Dynamic,
    /// It lists the members of something.
    Enumerates,
    /// It hands on a dictionary that may hold functions.
    Namespace,
    /// It lists the members of its own object.
    EnumeratesOwn,
    /// It lists the names of its own module.
    EnumeratesModule,
    /// It is handed to a decorator that may keep it.
    Decorated,
    /// It is called without an object of its class.
    Static,
    /// A class that a metaclass or a decorator gets, and with it its methods.
    Exposed,
    /// It has no body, or must be overridden.
    Abstract,
    /// It imports all names of another module.
    Star,
    /// It loads a source whose name it makes.
    Loads,
    /// It executes a text that it is given, or makes.
    RunsText,
    /// It opens a file whose name it is given, or makes.
    Opens,
    /// It makes strings of names of classes or functions.
    ClassNames,
    /// It mentions more than was read.
    Unbounded,
}

/// One unit of a source file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Unit {
    /// Its qualified name, once in a file (`Parser.next`, `Parser::next`; the second of a name ends in `#2`).
    pub name: String,
    /// By which code calls it.
    pub simple: String,
    /// What sort of code it is.
    pub kind: Kind,
    /// Its first line, as the interpreter counts it for a function.
    pub line: u32,
    /// Its last line.
    pub end: u32,
    /// Digest of what it executes, without numbers of lines, comments and docstrings.
    pub digest: String,
    /// Digest of its documentation; empty where it has none.
    pub doc: String,
    /// How much of what the unit around it executes stands in front of it, where that decides when it is there.
    pub at: u32,
    /// The unit around it, by its place in the file's list.
    pub outer: Option<usize>,
    /// Names that it looks up in objects.
    pub names: Vec<String>,
    /// Names that a method looks up in its own object, and nowhere else.
    pub own: Vec<String>,
    /// Names that it looks up in modules: functions, classes, constants.
    pub globals: Vec<String>,
    /// Names that it takes from other modules under the same name.
    pub imports: Vec<String>,
    /// Names that it imports, or finds in what it imports, and hands on: they may be those of modules.
    pub values: Vec<String>,
    /// Words in its strings.
    pub strings: Vec<String>,
    /// Strings that may be a name, or a part of one.
    pub pieces: Vec<String>,
    /// Those of them that are joined to others.
    pub joints: Vec<String>,
    /// What is remarkable about it. Of a word that this version doesn't know the file isn't read.
    pub flags: BTreeSet<Flag>,
    /// Names of a class's base classes; `?` for one that has no name.
    pub bases: Vec<String>,
}

impl Unit {
    /// All names that it mentions, in code and in strings.
    pub(crate) fn mentioned(&self) -> impl Iterator<Item = &String> {
        self.names.iter().chain(&self.own).chain(&self.globals).chain(&self.strings)
    }

    pub(crate) fn has(&self, flag: Flag) -> bool {
        self.flags.contains(&flag)
    }

    /// Its flags that have a part in loading sources by computed names.
    pub(crate) fn loading(&self) -> impl Iterator<Item = Flag> {
        [Flag::Loads, Flag::RunsText, Flag::Opens].into_iter().filter(|flag| self.has(*flag))
    }
}

/// Whether code with those flags may load a source by any name: it includes or imports it, or reads it and executes what it has read.
pub(crate) fn loads_any(flags: &BTreeSet<Flag>) -> bool {
    flags.contains(&Flag::Loads) || flags.contains(&Flag::RunsText) && flags.contains(&Flag::Opens)
}

/// The units of a file's content, or why it has none. It depends on the content and on the version of the runtime alone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Units {
    /// In the order in which they begin; an outer unit stands before those within it.
    Known(Vec<Unit>),
    /// The file wasn't read, or isn't source.
    Fault(String),
}

/// A source file of one side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The same for a file of both sides, such as its path in the project.
    pub path: String,
    /// Whose code it is.
    pub origin: Origin,
    /// Whether the process of the case loaded it. Files that differ and weren't loaded are given, too: a call that the look didn't see may load them.
    pub loaded: bool,
    /// Of one that wasn't loaded: names of the folders that it lies in, up to the first in which the look sought anything.
    pub folders: Vec<String>,
    /// What is in it; sources of many questions share it.
    pub units: Arc<Units>,
}

/// What one run of the extraction printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extraction {
    /// Of the runtime.
    pub language: Language,
    /// The runtime's version, in its own words.
    pub runtime: String,
    /// Where the runtime keeps its own library.
    pub folders: Vec<String>,
    /// Path as it was asked for, and what is in the file, in the order asked.
    pub files: Vec<(String, Units)>,
}

/// Why the output of an extraction isn't understood.
#[derive(Debug, Error)]
pub enum ExtractionError {
    /// A line isn't JSON of the expected shape.
    #[error("line {line} of the units isn't understood: {message}")]
    Line {
        /// From 1.
        line: usize,
        /// What the reader says.
        message: String,
    },
    /// The script is of another version, or printed nothing.
    #[error("the units begin with no line of format {FORMAT}")]
    Format,
    /// The runtime lacks what the extraction needs.
    #[error("{0}")]
    Runtime(String),
}

#[derive(Deserialize)]
struct Header {
    format: u32,
    language: Language,
    runtime: String,
    #[serde(default)]
    folders: Vec<String>,
    fault: Option<String>,
}

#[derive(Deserialize)]
struct Line {
    file: String,
    units: Option<Vec<Unit>>,
    fault: Option<String>,
}

/// Reads what the extraction printed.
///
/// # Errors
/// The lines aren't of this version, or the runtime has no means to read sources. A single file that couldn't be read is no error: it is a
/// `Units::Fault`.
pub fn read(output: &[u8]) -> Result<Extraction, ExtractionError> {
    let mut lines = output.split(|byte| *byte == b'\n').enumerate().filter(|(_, line)| !line.is_empty());
    let header: Header = lines
        .next()
        .and_then(|(_, line)| serde_json::from_slice(line).ok())
        .filter(|header: &Header| header.format == FORMAT)
        .ok_or(ExtractionError::Format)?;
    if let Some(fault) = header.fault {
        return Err(ExtractionError::Runtime(fault));
    }
    let mut files = Vec::new();
    for (number, line) in lines {
        let refused = |message: String| ExtractionError::Line { line: number + 1, message };
        if line.len() > LONGEST_LINE {
            return Err(refused("it is too long".to_owned()));
        }
        let line: Line = serde_json::from_slice(line).map_err(|error| refused(error.to_string()))?;
        let units = match (line.units, line.fault) {
            (Some(units), None) => checked(units).map_or_else(|message| Units::Fault(message.to_owned()), Units::Known),
            (_, fault) => Units::Fault(fault.unwrap_or_else(|| "it has no units".to_owned())),
        };
        files.push((line.file, units));
    }
    Ok(Extraction { language: header.language, runtime: header.runtime, folders: header.folders, files })
}

fn checked(units: Vec<Unit>) -> Result<Vec<Unit>, &'static str> {
    if units.len() > MOST_UNITS {
        return Err("it has too many units");
    }
    if units.first().is_none_or(|unit| unit.kind != Kind::Module || unit.outer.is_some()) {
        return Err("its first unit isn't the file itself");
    }
    let nested = |(at, unit): (usize, &Unit)| unit.outer.is_some_and(|outer| outer < at);
    if !units.iter().enumerate().skip(1).all(nested) {
        return Err("a unit stands in none before it");
    }
    let names: BTreeSet<_> = units.iter().map(|unit| unit.name.as_str()).collect();
    if names.len() != units.len() {
        return Err("two units have one name");
    }
    Ok(units)
}
