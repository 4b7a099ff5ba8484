use std::process::Command;

/// A language that the subjects are written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// `testing.B`.
    Go,
    /// Google Benchmark's macros, on our header.
    Cpp,
    /// A PHPBench class.
    Php,
    /// `bench_*` functions.
    Python,
}

impl Language {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Go, Self::Cpp, Self::Php, Self::Python];

    /// As it stands on the page.
    pub fn name(self) -> &'static str {
        match self {
            Self::Go => "Go",
            Self::Cpp => "C++",
            Self::Php => "PHP",
            Self::Python => "Python",
        }
    }

    /// What `tare run` is given, in the project's folder.
    pub(super) fn source(self) -> &'static str {
        match self {
            Self::Go => ".",
            Self::Cpp => "./means",
            Self::Php => "MeansBench.php",
            Self::Python => "bench_means.py",
        }
    }

    /// The program that measures means without Tare.
    pub(super) fn mean_program(self) -> Command {
        let (program, script) = match self {
            Self::Go => ("./means.test", None),
            Self::Cpp => ("./mean", None),
            Self::Php => ("php", Some("mean.php")),
            Self::Python => ("python3", Some("mean.py")),
        };
        let mut command = Command::new(program);
        command.args(script);
        command
    }

    /// What that program calls the subject of a benchmark.
    pub(super) fn subject(self, benchmark: &str) -> &str {
        match self {
            Self::Python => benchmark.strip_prefix("bench_").unwrap_or(benchmark),
            Self::Go | Self::Cpp | Self::Php => benchmark,
        }
    }
}

/// What is compared with what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sides {
    /// Two benchmarks of one program.
    Subjects {
        /// The base.
        base: &'static str,
        /// The other.
        candidate: &'static str,
    },
    /// One Go benchmark under two settings of the environment.
    Settings {
        /// The benchmark.
        subject: &'static str,
        /// `NAME=VALUE` of the base.
        base: &'static str,
        /// `NAME=VALUE` of the other.
        candidate: &'static str,
    },
}

/// Two subjects, and how often they are called to know their means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pair {
    /// In what.
    pub language: Language,
    /// As it stands on the page and in the state file.
    pub meaning: &'static str,
    /// Which.
    pub sides: Sides,
    /// Calls a turn of the program that measures the mean: a multiple of what comes round.
    pub calls: u64,
    /// Turns of each; Go makes all calls at once.
    pub turns: u64,
}

const fn subjects(
    language: Language,
    meaning: &'static str,
    base: &'static str,
    candidate: &'static str,
    calls: u64,
    turns: u64,
) -> Pair {
    Pair { language, meaning, sides: Sides::Subjects { base, candidate }, calls, turns }
}

const fn settings(
    meaning: &'static str,
    subject: &'static str,
    base: &'static str,
    candidate: &'static str,
    calls: u64,
) -> Pair {
    Pair { language: Language::Go, meaning, sides: Sides::Settings { subject, base, candidate }, calls, turns: 1 }
}

/// What is measured.
pub const PAIRS: [Pair; 20] = [
    settings("make([]byte, 256<<10), GOGC=off", "BenchmarkMake256", "GOGC=100", "GOGC=off", 20_000),
    settings("make([]byte, 192<<10), GOGC=200", "BenchmarkMake192", "GOGC=100", "GOGC=200", 60_000),
    settings("make([]byte, 192<<10), GOGC=400", "BenchmarkMake192", "GOGC=100", "GOGC=400", 60_000),
    settings("list of 20 nodes of 64 B, GOGC=off", "BenchmarkList", "GOGC=100", "GOGC=off", 200_000),
    subjects(Language::Go, "each 5th call", "BenchmarkEach/none", "BenchmarkEach/5", 10_000, 200),
    subjects(Language::Go, "each 100th call", "BenchmarkEach/none", "BenchmarkEach/100", 10_000, 200),
    subjects(Language::Go, "each 10,000th call", "BenchmarkEach/none", "BenchmarkEach/10000", 10_000, 200),
    subjects(Language::Cpp, "push_back, nothing reserved", "PushBackReserved", "PushBack", 4_096 * 40, 40),
    subjects(Language::Cpp, "unordered_map, nothing reserved", "InsertReserved", "Insert", 65_536, 60),
    subjects(Language::Cpp, "each 5th call", "EachNone", "Each5", 100_000, 20),
    subjects(Language::Cpp, "each 100th call", "EachNone", "Each100", 100_000, 20),
    subjects(Language::Cpp, "each 10,000th call", "ShortNone", "Short10000", 100_000, 40),
    subjects(Language::Php, "objects in a circle", "benchTree", "benchCycle", 20_000, 20),
    subjects(Language::Php, "each 5th call", "benchEachNone", "benchEach5", 20_000, 40),
    subjects(Language::Php, "each 100th call", "benchEachNone", "benchEach100", 20_000, 40),
    subjects(Language::Php, "each 10,000th call", "benchEachNone", "benchEach10000", 20_000, 40),
    subjects(Language::Python, "objects in a circle", "bench_tree", "bench_cycle", 20_000, 20),
    subjects(Language::Python, "each 5th call", "bench_each_none", "bench_each_5", 20_000, 20),
    subjects(Language::Python, "each 100th call", "bench_each_none", "bench_each_100", 20_000, 20),
    subjects(Language::Python, "each 10,000th call", "bench_each_none", "bench_each_10000", 20_000, 20),
];

#[cfg(test)]
mod tests {
    use super::{Language, PAIRS, Sides};
    use crate::means::projects::sources;

    #[test]
    fn every_subject_stands_in_the_sources_of_its_language() {
        for pair in PAIRS {
            let text: String = sources(pair.language).iter().map(|(_, text)| *text).collect();
            let names = match pair.sides {
                Sides::Subjects { base, candidate } => vec![base, candidate],
                Sides::Settings { subject, .. } => vec![subject],
            };
            for name in names {
                let there = match (pair.language, name.split_once('/')) {
                    (Language::Go, Some((function, sub))) => {
                        text.contains(&format!("func {function}(")) && text.contains(&format!("b.Run(\"{sub}\""))
                    }
                    (Language::Go, None) => text.contains(&format!("func {name}(")),
                    (Language::Cpp, _) => text.contains(&format!("SUBJECT({name},")),
                    (Language::Php, _) => text.contains(&format!("function {name}(")),
                    (Language::Python, _) => text.contains(&format!("def {name}(")),
                };
                assert!(there, "{}: there is no {name}", pair.language.name());
            }
        }
    }
}
