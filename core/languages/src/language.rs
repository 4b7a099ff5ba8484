use std::path::Path;

use crate::entry::Entry;
use crate::{commands, cpp, go, php, python, rust, worker};

/// Who speaks the wire for a source: a worker that comes with Tare, or the command itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Language {
    /// PHP: the command is an interpreter, to which the worker's script is handed.
    Php,
    /// Go: the command is a toolchain, which builds the package's tests.
    Go,
    /// Python: the command is an interpreter, to which the worker's script is handed.
    Python,
    /// C++: the source is a built binary that holds the worker; the command stands before it.
    Cpp,
    /// Rust: the command is Cargo, which builds the program of a target.
    Rust,
    /// The command is a worker and speaks the protocol as it is.
    Worker,
    /// Whole commands, which a worker of the program itself starts and awaits.
    Commands,
}

/// All of them; a new one is added here.
static TABLE: [(Language, &Entry); 7] = [
    (Language::Php, &php::ENTRY),
    (Language::Go, &go::ENTRY),
    (Language::Python, &python::ENTRY),
    (Language::Cpp, &cpp::ENTRY),
    (Language::Rust, &rust::ENTRY),
    (Language::Worker, &worker::ENTRY),
    (Language::Commands, &commands::ENTRY),
];

impl Language {
    /// Where nothing tells what a command runs.
    pub const ASSUMED: Self = Self::Php;

    /// All, in the order in which runtimes of several are shown.
    pub fn all() -> impl Iterator<Item = Self> {
        TABLE.iter().map(|(language, _)| *language)
    }

    /// What is known of it.
    pub fn entry(self) -> &'static Entry {
        TABLE.iter().find(|(language, _)| *language == self).map_or(&Entry::UNKNOWN, |(_, entry)| entry)
    }

    /// `php`, `go`, `cpp`, `python`, `rust`, `worker` or `commands`.
    pub fn name(self) -> &'static str {
        self.entry().name
    }

    /// The one of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::all().find(|language| language.name() == name)
    }

    /// The language of a file by its name: `.php`, `.py`, `.go`, `.rs`; anything else is for a worker of the user's.
    pub fn of(path: &Path) -> Self {
        Self::all().find(|language| language.entry().has_ending(path)).unwrap_or(Self::Worker)
    }

    /// The language that a program is for, by its name.
    pub fn of_command(command: &[String]) -> Option<Self> {
        Self::all().find(|language| language.entry().is_run_by(command))
    }

    /// The language whose clocks a command's programs have, where it is a compiler.
    pub fn of_compiler(command: &[String]) -> Option<Self> {
        Self::all().find(|language| language.entry().is_compiled_by(command))
    }

    /// What runs sources of this language where nobody says otherwise.
    pub fn usual_command(self) -> Option<&'static str> {
        self.entry().usual_command
    }
}

/// What is known of the language of that name; of one that isn't in the table, as a worker of the user's may have, nothing.
pub fn of_name(name: &str) -> &'static Entry {
    Language::named(name).map_or(&Entry::UNKNOWN, Language::entry)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::{Language, TABLE, of_name};
    use crate::entry::{Entry, Pattern};

    /// A language that isn't there: what a new one says of itself is all that is asked of it.
    const RUBY: Entry = Entry {
        name: "ruby",
        endings: &["rb"],
        patterns: &[Pattern::plain("*_bench.rb")],
        programs: &["ruby", "jruby"],
        usual_command: Some("ruby"),
        ..Entry::UNKNOWN
    };

    #[test]
    fn no_two_entries_claim_the_same() {
        let claims: [fn(&Entry) -> &'static [&'static str]; 3] =
            [|entry| entry.endings, |entry| entry.programs, |entry| entry.clocks.programs];
        for of in claims {
            let all: Vec<&str> = TABLE.iter().flat_map(|(_, entry)| of(entry)).copied().collect();
            assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len(), "{all:?}");
        }
        for (language, entry) in &TABLE {
            assert_eq!(Language::named(entry.name), Some(*language));
            assert_eq!(of_name(entry.name).name, entry.name);
            assert!(entry.name.bytes().all(|byte| byte.is_ascii_lowercase()) && entry.name.len() > 1);
            // Whoever is judged or measured without being named has to be found.
            assert!(entry.patterns.is_empty() || entry.usual_command.is_some(), "{}", entry.name);
            assert!(!entry.judged_by_itself || entry.usual_command.is_some(), "{}", entry.name);
        }
    }

    #[test]
    fn a_new_language_is_recognised_by_what_its_entry_says() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        assert!(RUBY.has_ending(Path::new("a/Hash_bench.RB")) && !RUBY.has_ending(Path::new("a/rb")));
        assert!(RUBY.is_run_by(&words("env K=1010 /opt/ruby-3.3 -w")) && RUBY.is_run_by(&words("jruby")));
        assert!(!RUBY.is_run_by(&words("rubyx")) && !RUBY.is_compiled_by(&words("ruby")) && !RUBY.is_built());
        assert_eq!(RUBY.profilers, ["perf"]);
    }

    #[test]
    fn names_that_are_in_no_table_are_unknown() {
        assert_eq!((of_name("simulated").name, Language::named("simulated")), ("", None));
        assert_eq!(Language::of(Path::new("a/truth.json")), Language::Worker);
    }
}
