//! What `tare.toml` may say, by shape alone: every key is known and every value is of the right kind, but whether it
//! makes sense hasn't been looked at.

use std::path::Path;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::error::{DefinitionError, SourceLine, suggestion};
use crate::quantity::shown;

/// A value and the line it stands in, 1-based.
#[derive(Debug)]
pub(super) struct Located<T> {
    pub(super) line: usize,
    pub(super) value: T,
}

#[derive(Debug, Default)]
pub(super) struct RawSettings {
    /// Of `[run]` and `[compare]`.
    pub(super) keys: Vec<RawKey>,
    pub(super) limits: Vec<RawLimit>,
    pub(super) same: Vec<RawSame>,
    pub(super) commands: bool,
    pub(super) runtimes: Vec<RawRuntime>,
    pub(super) store_path: Option<Located<String>>,
    pub(super) store_url: Option<Located<String>>,
    pub(super) fleet: RawFleet,
}

#[derive(Debug, Default)]
pub(super) struct RawFleet {
    pub(super) partition: Option<Located<String>>,
    pub(super) constraint: Option<Located<String>>,
    pub(super) nodes: Option<Located<u64>>,
    pub(super) time_limit: Option<Located<String>>,
    pub(super) shards: Option<Located<u64>>,
    pub(super) setup: Option<Located<String>>,
    pub(super) cpu_frequency: Option<Located<String>>,
    pub(super) unfit: Option<Located<String>>,
    pub(super) address: Option<Located<String>>,
}

/// A key of `[run]` or `[compare]`, as `run.budget`, with the text of its value, or of each of a list.
pub(super) type RawKey = (&'static str, Located<Vec<String>>);

/// One `[[same]]`.
#[derive(Debug)]
pub(super) struct RawSame {
    pub(super) line: usize,
    pub(super) name: Option<Located<String>>,
    pub(super) cases: Option<Located<Vec<String>>>,
}

/// One `[[limit]]`.
#[derive(Debug)]
pub(super) struct RawLimit {
    pub(super) line: usize,
    pub(super) case: Option<Located<String>>,
    pub(super) max_time: Option<Located<String>>,
    pub(super) max_slowdown: Option<Located<String>>,
    pub(super) max_memory: Option<Located<String>>,
    pub(super) max_memory_growth: Option<Located<String>>,
    pub(super) max_instructions: Option<Located<u64>>,
    pub(super) max_work_change: Option<Located<String>>,
}

#[derive(Debug)]
pub(super) struct RawRuntime {
    pub(super) name: Located<String>,
    pub(super) command: Option<Located<RawCommand>>,
    pub(super) language: Option<Located<String>>,
}

#[derive(Debug)]
pub(super) enum RawCommand {
    Text(String),
    Words(Vec<String>),
}

/// Keys of earlier versions, and what takes their place.
const REPLACED: [(&str, &str); 2] = [
    ("mean-bound", "`same` states its bound now: write same = \"3%\" for the largest one, or leave it out"),
    ("iterations", "write `calls`, which `--calls` sets on the command line"),
];

pub(super) const FLEET: [&str; 9] =
    ["partition", "constraint", "nodes", "time-limit", "shards", "setup", "cpu-frequency", "unfit", "address"];

/// The keys of a command.
pub(super) const COMMANDS: [&str; 8] =
    ["name", "command", "shell", "prepare", "conclude", "input", "ignore-failure", "parameters"];

/// The figures of a limit; each alone is enough.
pub(super) const LIMITS: [&str; 6] =
    ["max-time", "max-slowdown", "max-memory", "max-memory-growth", "max-instructions", "max-work-change"];

impl RawSettings {
    /// `declared`: the keys of `[run]` and `[compare]`, as `run.budget`.
    pub(super) fn read(file: &Path, text: &str, declared: &[&'static str]) -> Result<Self, DefinitionError> {
        let document = Document { file, text };
        let parsed = DeTable::parse(text).map_err(|error| {
            let offset = error.span().map_or(0, |span| span.start);
            document.invalid(offset, error.message().replace('\n', ", "), "correct the TOML (https://toml.io)")
        })?;
        let top = document.table(
            "",
            parsed.get_ref(),
            &["run", "compare", "limit", "same", "command", "runtime", "store", "fleet"],
        )?;
        let mut settings = Self::default();
        for name in ["run", "compare"] {
            if let Some(entry) = top.get(name) {
                settings.keys.extend(document.declared(name, &entry, declared)?);
            }
        }
        if let Some(limits) = top.get("limit") {
            settings.limits = RawLimit::read_all(&document, &limits)?;
        }
        if let Some(same) = top.get("same") {
            let DeValue::Array(items) = same.value.get_ref() else {
                return Err(same.unlike("a list of tables", "write [[same]], with both pairs of brackets"));
            };
            let read =
                |value| RawSame::read(&document, &Entry { document: &document, key: "[same]".to_owned(), value });
            settings.same = items.iter().map(read).collect::<Result<_, _>>()?;
        }
        if let Some(commands) = top.get("command") {
            let DeValue::Array(items) = commands.value.get_ref() else {
                return Err(commands.unlike("a list of tables", "write [[command]], with both pairs of brackets"));
            };
            settings.commands = items.iter().next().is_some();
            // The worker that starts them reads the values, of the revision that it is for.
            for value in items {
                let entry = Entry { document: &document, key: "[command]".to_owned(), value };
                document.table(&entry.key, entry.table()?, &COMMANDS)?;
            }
        }
        if let Some(runtimes) = top.get("runtime") {
            // A table has no order of its own, but the file has.
            let mut named: Vec<_> = runtimes.table()?.iter().collect();
            named.sort_by_key(|(name, _)| name.span().start);
            for (name, value) in named {
                let key = format!("runtime.{}", name.get_ref());
                let entry = Entry { document: &document, key, value };
                settings.runtimes.push(RawRuntime::read(&document, name, &entry)?);
            }
        }
        if let Some(store) = top.get("store") {
            let store = document.table("store", store.table()?, &["path", "url"])?;
            settings.store_path = store.read("path", Entry::string)?;
            settings.store_url = store.read("url", Entry::string)?;
        }
        if let Some(fleet) = top.get("fleet") {
            let fleet = document.table("fleet", fleet.table()?, &FLEET)?;
            settings.fleet = RawFleet {
                partition: fleet.read("partition", Entry::string)?,
                constraint: fleet.read("constraint", Entry::string)?,
                nodes: fleet.read("nodes", Entry::integer)?,
                time_limit: fleet.read("time-limit", Entry::string)?,
                shards: fleet.read("shards", Entry::integer)?,
                setup: fleet.read("setup", Entry::string)?,
                cpu_frequency: fleet.read("cpu-frequency", Entry::string)?,
                unfit: fleet.read("unfit", Entry::string)?,
                address: fleet.read("address", Entry::string)?,
            };
        }
        Ok(settings)
    }
}

impl RawSame {
    fn read(document: &Document<'_>, entry: &Entry<'_>) -> Result<Self, DefinitionError> {
        let same = document.table(&entry.key, entry.table()?, &["name", "cases"])?;
        Ok(Self {
            line: document.line(entry.value.span().start),
            name: same.read("name", Entry::string)?,
            cases: same.read("cases", Entry::strings)?,
        })
    }
}

impl RawLimit {
    fn read_all(document: &Document<'_>, entry: &Entry<'_>) -> Result<Vec<Self>, DefinitionError> {
        let DeValue::Array(items) = entry.value.get_ref() else {
            return Err(entry.unlike("a list of tables", "write [[limit]], with both pairs of brackets"));
        };
        let read = |value| Self::read(document, &Entry { document, key: "[limit]".to_owned(), value });
        items.iter().map(read).collect()
    }

    fn read(document: &Document<'_>, entry: &Entry<'_>) -> Result<Self, DefinitionError> {
        let known: Vec<&str> = ["case"].into_iter().chain(LIMITS).collect();
        let limit = document.table(&entry.key, entry.table()?, &known)?;
        let [max_time, max_slowdown, max_memory, max_memory_growth, max_instructions, max_work_change] = LIMITS;
        Ok(Self {
            line: document.line(entry.value.span().start),
            case: limit.read("case", Entry::string)?,
            max_time: limit.read(max_time, Entry::string)?,
            max_slowdown: limit.read(max_slowdown, Entry::string)?,
            max_memory: limit.read(max_memory, Entry::string)?,
            max_memory_growth: limit.read(max_memory_growth, Entry::string)?,
            max_instructions: limit.read(max_instructions, Entry::integer)?,
            max_work_change: limit.read(max_work_change, Entry::string)?,
        })
    }
}

impl RawRuntime {
    fn read(
        document: &Document<'_>,
        name: &Spanned<impl AsRef<str>>,
        entry: &Entry<'_>,
    ) -> Result<Self, DefinitionError> {
        let name = Located { line: document.line(name.span().start), value: name.get_ref().as_ref().to_owned() };
        let runtime = document.table(&entry.key, entry.table()?, &["command", "language"])?;
        let command = runtime.read("command", |entry| match entry.value.get_ref() {
            DeValue::Array(_) => entry.strings().map(RawCommand::Words),
            _ => entry.string().map(RawCommand::Text),
        })?;
        Ok(Self { name, command, language: runtime.read("language", Entry::string)? })
    }
}

struct Document<'a> {
    file: &'a Path,
    text: &'a str,
}

impl Document<'_> {
    fn line(&self, offset: usize) -> usize {
        let before = self.text.as_bytes().get(..offset).unwrap_or(self.text.as_bytes());
        1 + before.iter().filter(|&&byte| byte == b'\n').count()
    }

    fn invalid(&self, offset: usize, message: String, remedy: impl Into<String>) -> DefinitionError {
        let place = SourceLine { file: self.file.to_owned(), line: self.line(offset) };
        DefinitionError::Invalid { place, message, remedy: remedy.into() }
    }

    /// The table called `name`, all of whose keys are among `known`.
    fn table<'a>(&'a self, name: &str, entries: &'a DeTable<'a>, known: &[&str]) -> Result<Table<'a>, DefinitionError> {
        let unknown = entries.keys().filter(|key| !known.contains(&key.get_ref().as_ref()));
        if let Some(key) = unknown.min_by_key(|key| key.span().start) {
            let within = if name.is_empty() { String::new() } else { format!(" in [{}]", shown(name)) };
            let message = format!("unknown key `{}`{within}", shown(key.get_ref()));
            let replaced = REPLACED.iter().find(|(old, _)| *old == key.get_ref().as_ref());
            let remedy = replaced.map_or_else(|| suggestion(key.get_ref(), known), |(_, by)| (*by).to_owned());
            return Err(self.invalid(key.span().start, message, remedy));
        }
        Ok(Table { document: self, entries })
    }
}

impl Document<'_> {
    /// What a table says for keys that are declared with it.
    fn declared(
        &self,
        table: &str,
        entry: &Entry<'_>,
        declared: &[&'static str],
    ) -> Result<Vec<RawKey>, DefinitionError> {
        let own = |key: &&'static str| Some((*key, key.strip_prefix(table)?.strip_prefix('.')?));
        let keys: Vec<(&str, &str)> = declared.iter().filter_map(own).collect();
        let known: Vec<&str> = keys.iter().map(|(_, key)| *key).collect();
        let read = self.table(table, entry.table()?, &known)?;
        let texts = keys.iter().map(|(whole, key)| Ok(read.read(key, Entry::texts)?.map(|texts| (*whole, texts))));
        texts.filter_map(Result::transpose).collect()
    }
}

struct Table<'a> {
    document: &'a Document<'a>,
    entries: &'a DeTable<'a>,
}

impl<'a> Table<'a> {
    fn get(&self, key: &str) -> Option<Entry<'a>> {
        let value = self.entries.get(key)?;
        Some(Entry { document: self.document, key: key.to_owned(), value })
    }

    fn read<T>(
        &self,
        key: &str,
        read: impl FnOnce(&Entry<'a>) -> Result<T, DefinitionError>,
    ) -> Result<Option<Located<T>>, DefinitionError> {
        let located =
            |entry: Entry<'a>| Ok(Located { line: self.document.line(entry.value.span().start), value: read(&entry)? });
        self.get(key).map(located).transpose()
    }
}

struct Entry<'a> {
    document: &'a Document<'a>,
    key: String,
    value: &'a Spanned<DeValue<'a>>,
}

impl<'a> Entry<'a> {
    fn table(&self) -> Result<&'a DeTable<'a>, DefinitionError> {
        match self.value.get_ref() {
            DeValue::Table(table) => Ok(table),
            _ => Err(self.unlike("a table", format!("write [{}]", self.key))),
        }
    }

    fn string(&self) -> Result<String, DefinitionError> {
        match self.value.get_ref() {
            DeValue::String(text) => Ok(text.to_string()),
            _ => Err(self.unlike("a string", "write it in quotes")),
        }
    }

    fn integer(&self) -> Result<u64, DefinitionError> {
        let number = match self.value.get_ref() {
            DeValue::Integer(number) => u64::from_str_radix(number.as_str(), number.radix()).ok(),
            _ => None,
        };
        number.ok_or_else(|| self.unlike("a whole number, 0 or greater", "write it without quotes"))
    }

    /// A value, or a list of them.
    fn each<T>(&self, read: impl Fn(&Self) -> Result<T, DefinitionError>) -> Result<Vec<T>, DefinitionError> {
        let DeValue::Array(items) = self.value.get_ref() else {
            return Ok(vec![read(self)?]);
        };
        if items.is_empty() {
            return Err(self.unlike("anything: the list is empty", "name something, or leave the key out"));
        }
        items.iter().map(|value| read(&Entry { document: self.document, key: self.key.clone(), value })).collect()
    }

    fn strings(&self) -> Result<Vec<String>, DefinitionError> {
        self.each(Self::string)
    }

    /// The text of a value, or of each of a list: what it means is read as an option's is.
    fn texts(&self) -> Result<Vec<String>, DefinitionError> {
        self.each(|entry| match entry.value.get_ref() {
            DeValue::String(text) => Ok(text.to_string()),
            DeValue::Integer(number) => {
                let value = i128::from_str_radix(number.as_str(), number.radix());
                value
                    .map(|value| value.to_string())
                    .map_err(|_| entry.unlike("a number that can be", "write a smaller one"))
            }
            DeValue::Float(number) => Ok(number.as_str().to_owned()),
            DeValue::Boolean(value) => Ok(value.to_string()),
            DeValue::Datetime(time) => Ok(time.to_string()),
            DeValue::Array(_) | DeValue::Table(_) => {
                Err(entry.unlike("a value", "write a text, a number, true or false"))
            }
        })
    }

    fn unlike(&self, wanted: &str, remedy: impl Into<String>) -> DefinitionError {
        self.document.invalid(self.value.span().start, format!("`{}` is not {wanted}", shown(&self.key)), remedy)
    }
}
