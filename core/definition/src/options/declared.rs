//! How an option is declared, and what follows from the declaration.

use std::fmt::Debug;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Command};
use tare_samples::{About, Calls};

use super::kinds::{Cpus, LaneCount, Measure, MemoryMode, Scheduler, Shard};
use super::readers::{as_percentage, as_span};
use crate::error::ArgumentError;
use crate::gate::FailOn;

/// What an option is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Says {
    /// Which cases, of what, on which runtimes.
    Which,
    /// How they are measured.
    How,
    /// What is made of what was measured.
    Judged,
    /// Where the run is stored, and under which name.
    Kept,
    /// How it is told and shown.
    Told,
}

/// What a command does. An option that doesn't apply to it is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Task {
    /// Measure benchmarks: `tare run`, or `tare compare` of two revisions.
    Measure,
    /// Go on with a run that was interrupted: `tare run --resume`.
    Resume,
    /// Compare two stored runs.
    CompareRuns,
    /// Compare two stored loads.
    CompareLoads,
    /// Put a server in two revisions under load: `tare compare --serve`.
    CompareServers,
    /// Measure whole commands: `tare exec`.
    Exec,
    /// Search the commits between two revisions: `tare bisect`.
    Bisect,
}

impl Task {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Measure,
        Self::Resume,
        Self::CompareRuns,
        Self::CompareLoads,
        Self::CompareServers,
        Self::Exec,
        Self::Bisect,
    ];

    /// Why an option doesn't apply to it: what stands behind its name in the refusal.
    pub fn refusal(self, says: Says) -> &'static str {
        match (self, says) {
            (Self::Resume, _) => "can't change when a run is resumed; leave it out",
            (Self::CompareRuns, Says::Which | Says::How | Says::Kept) => {
                "is about measuring, and stored runs are measured already; leave it out, or compare revisions"
            }
            (Self::CompareRuns, _) => "has no effect where stored runs are compared; leave it out",
            (Self::CompareLoads, _) => "is for runs of benchmarks, and these are loads; leave it out",
            (Self::CompareServers, _) => {
                "is for benchmarks, and --serve compares servers under load; leave one of them out"
            }
            (Self::Exec, _) => "is for benchmarks, and `tare exec` measures whole commands; leave it out",
            (Self::Bisect, _) => "isn't for `tare bisect`, which measures one case as it needs; leave it out",
            (Self::Measure, _) => "is for servers under load; name the server's command with --serve, or leave it out",
        }
    }
}

/// What a value is in `tare.toml`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Holds {
    /// Types of one value, as JSON Schema names them.
    pub types: &'static [&'static str],
    /// There may be a list of them.
    pub is_list: bool,
}

/// One option, or one key of `tare.toml` without an option.
#[derive(Debug)]
pub struct Declared {
    /// Its id: what its field is called.
    pub id: &'static str,
    /// What it is about.
    pub says: Says,
    /// What it applies to; in any other task it is refused.
    pub tasks: &'static [Task],
    /// Its table and key in `tare.toml`, as `run.budget`.
    pub key: Option<&'static str>,
    /// What the value of the key is.
    pub holds: Holds,
}

/// An option with its value.
#[derive(Debug)]
pub struct Given {
    /// Which.
    pub option: &'static Declared,
    /// As the command line names it: `--budget`, or `PATH`.
    pub name: String,
    /// What is typed for it.
    pub words: Vec<String>,
}

/// Options that are declared together: a struct with a field for each.
pub trait Options: Args + Clone + Default + Debug {
    /// All of them, in the order in which help and `tare.toml` have them.
    const DECLARED: &'static [Declared];

    /// Those that have a value.
    fn given(&self) -> Vec<Given>;

    /// Takes what `tare.toml` says for a key: a value's text, or that of each value of a list. `None`: none of these has that key.
    fn take(&mut self, key: &str, texts: &[String]) -> Option<Result<(), ArgumentError>>;

    /// These over others, which stand where these say nothing.
    #[must_use]
    fn over(self, below: &Self) -> Self;

    /// Those that have a value and don't apply to a task.
    fn refused(&self, task: Task) -> Option<String> {
        let given = self.given().into_iter().find(|given| !given.option.tasks.contains(&task))?;
        Some(format!("{} {}", given.name, task.refusal(given.option.says)))
    }
}

/// How the command line names an option: `--fail-on`; what stands without a name by its value's: `PATH`.
pub fn name_of<O: Args>(id: &str) -> String {
    let command = O::augment_args(Command::new("tare"));
    let argument = command.get_arguments().find(|argument| argument.get_id() == id);
    let named = argument.and_then(|argument| Some(format!("--{}", argument.get_long()?)));
    let placed = || argument.and_then(|argument| Some(argument.get_value_names()?.first()?.to_string()));
    named.or_else(placed).unwrap_or_else(|| id.to_owned())
}

/// A value that stands alone, or in a list.
pub(crate) trait Item: Clone {
    /// What `tare.toml` says in a list is one value: CPUs.
    const IS_A_LIST: bool = false;
    /// Its types in `tare.toml`.
    const TYPES: &'static [&'static str] = &["string"];

    /// As it is typed.
    fn text(&self) -> String;

    /// The words that stand for an option with this value.
    fn words(&self, name: &str) -> Vec<String> {
        let text = self.text();
        // By itself it would be read as an option.
        if text.starts_with('-') && name.starts_with('-') {
            vec![format!("{name}={text}")]
        } else {
            vec![name.to_owned(), text]
        }
    }
}

macro_rules! items_by {
    ($($type:ty $([$($named:literal)*])?: $text:expr;)*) => { $( impl Item for $type {
        $( const TYPES: &'static [&'static str] = &[$($named),*]; )?
        fn text(&self) -> String { let text: fn(&Self) -> String = $text; text(self) }
    } )* };
}

items_by! {
    u32 ["integer"]: ToString::to_string;
    u64 ["integer"]: ToString::to_string;
    String: Clone::clone;
    PathBuf: |path| path.display().to_string();
    Duration: |duration| as_span(*duration);
    // Of options all are fractions, which are typed as percentages.
    f64: |fraction| as_percentage(*fraction);
    About: |about| about.name().to_owned();
    Calls ["integer" "string"]: |calls| match calls {
        Calls::Pilot => "auto".to_owned(),
        Calls::Loop(calls) => calls.to_string(),
        Calls::Bare => "0".to_owned(),
    };
    FailOn: ToString::to_string;
    LaneCount: ToString::to_string;
    Shard: ToString::to_string;
    Measure: ToString::to_string;
    Scheduler: ToString::to_string;
}

impl Item for Cpus {
    const IS_A_LIST: bool = true;
    const TYPES: &'static [&'static str] = &["integer", "string"];

    fn text(&self) -> String {
        self.0.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
    }
}

impl Item for MemoryMode {
    fn text(&self) -> String {
        self.to_string()
    }

    fn words(&self, name: &str) -> Vec<String> {
        match self {
            Self::Weighed => vec![name.to_owned()],
            Self::Traced => vec![format!("{name}={self}")],
        }
    }
}

/// What a field holds: a switch, a value that may be absent, or several.
pub(crate) trait Value: Sized + Clone {
    /// One of them.
    type Item;
    /// What `tare.toml` holds of it.
    const HOLDS: Holds;
    /// Whether there is any.
    fn is_given(&self) -> bool;
    /// What is typed for it.
    fn words(&self, name: &str) -> Vec<String>;
    /// From the texts of `tare.toml`.
    fn of(texts: &[String], read: impl Fn(&str) -> Result<Self::Item, ArgumentError>) -> Result<Self, ArgumentError>;
}

impl Value for bool {
    type Item = bool;
    const HOLDS: Holds = Holds { types: &["boolean"], is_list: false };

    fn is_given(&self) -> bool {
        *self
    }

    fn words(&self, name: &str) -> Vec<String> {
        if *self { vec![name.to_owned()] } else { Vec::new() }
    }

    fn of(texts: &[String], read: impl Fn(&str) -> Result<bool, ArgumentError>) -> Result<Self, ArgumentError> {
        read(only(texts)?)
    }
}

impl<T: Item> Value for Option<T> {
    type Item = T;
    const HOLDS: Holds = Holds { types: T::TYPES, is_list: T::IS_A_LIST };

    fn is_given(&self) -> bool {
        self.is_some()
    }

    fn words(&self, name: &str) -> Vec<String> {
        self.iter().flat_map(|value| value.words(name)).collect()
    }

    fn of(texts: &[String], read: impl Fn(&str) -> Result<T, ArgumentError>) -> Result<Self, ArgumentError> {
        if T::IS_A_LIST { read(&texts.join(",")).map(Some) } else { read(only(texts)?).map(Some) }
    }
}

impl<T: Item> Value for Vec<T> {
    type Item = T;
    const HOLDS: Holds = Holds { types: T::TYPES, is_list: true };

    fn is_given(&self) -> bool {
        !self.is_empty()
    }

    fn words(&self, name: &str) -> Vec<String> {
        // What stands without a name.
        let bare = |value: &T| if name.starts_with('-') { value.words(name) } else { vec![value.text()] };
        self.iter().flat_map(bare).collect()
    }

    fn of(texts: &[String], read: impl Fn(&str) -> Result<T, ArgumentError>) -> Result<Self, ArgumentError> {
        texts.iter().map(|text| read(text)).collect()
    }
}

fn only(texts: &[String]) -> Result<&str, ArgumentError> {
    match texts {
        [text] => Ok(text),
        _ => Err(ArgumentError::new("it is a list", "write one value, without brackets")),
    }
}

/// Declares options: for each its help, what `clap` has to know beside its name, its type, and in brackets what it says, which tasks it applies
/// to, and after a bar its key in `tare.toml` with what reads it.
macro_rules! options {
    (
        $(#[$about:meta])*
        struct $name:ident { $(
            $(#[$meta:meta])* $field:ident: $type:ty [$says:ident: $($task:ident)* $(| $key:literal by $read:path)?],
        )* }
    ) => {
        $(#[$about])*
        #[derive(Debug, Clone, Default, PartialEq, clap::Args, serde::Serialize, serde::Deserialize)]
        #[serde(default)]
        pub struct $name { $( $(#[$meta])* pub $field: $type, )* }

        impl $crate::options::declared::Options for $name {
            const DECLARED: &'static [$crate::options::declared::Declared] = &[ $(
                $crate::options::declared::Declared {
                    id: stringify!($field),
                    says: $crate::options::declared::Says::$says,
                    tasks: &[ $( $crate::options::declared::Task::$task ),* ],
                    key: options!(@key $($key)?),
                    holds: <$type as $crate::options::declared::Value>::HOLDS,
                },
            )* ];

            fn given(&self) -> Vec<$crate::options::declared::Given> {
                let mut given = Vec::new();
                let mut declared = Self::DECLARED.iter();
                $(
                    if let Some(option) = declared.next()
                        && $crate::options::declared::Value::is_given(&self.$field)
                    {
                        let name = $crate::options::declared::name_of::<Self>(option.id);
                        let words = $crate::options::declared::Value::words(&self.$field, &name);
                        given.push($crate::options::declared::Given { option, name, words });
                    }
                )*
                given
            }

            fn take(
                &mut self,
                key: &str,
                texts: &[String],
            ) -> Option<Result<(), $crate::error::ArgumentError>> {
                $( $(
                    if key == $key {
                        let taken = <$type as $crate::options::declared::Value>::of(texts, $read);
                        return Some(taken.map(|value| self.$field = value));
                    }
                )? )*
                let _ = (key, texts);
                None
            }

            fn over(mut self, below: &Self) -> Self {
                $(
                    if !$crate::options::declared::Value::is_given(&self.$field) {
                        self.$field.clone_from(&below.$field);
                    }
                )*
                self
            }
        }
    };
    (@key) => { None };
    (@key $key:literal) => { Some($key) };
}

pub(super) use options;
