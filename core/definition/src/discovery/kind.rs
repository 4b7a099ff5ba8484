//! What a file is, by its name and, where names aren't enough, by a look into it.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use crate::error::DefinitionError;
use crate::pattern::FilePattern;
use crate::{Language, Project};

const PHP: &str = "*Bench.php";
const PYTHON: &str = "bench_*.py";
/// Tests, some of which may be benchmarks.
const PYTHON_TESTS: [&str; 2] = ["test_*.py", "*_test.py"];
/// Benchmarks, or programs that measure something themselves.
const PYTHON_BENCHMARKS: &str = "benchmark_*.py";
const GO_TESTS: &str = "*_test.go";

/// How much of a file is looked into.
const MOST: u64 = 4 << 20;

/// Which files are sources.
pub(super) struct Kinds {
    /// What the user named instead of all others.
    given: Vec<FilePattern>,
    php: FilePattern,
    python: FilePattern,
    python_tests: Vec<FilePattern>,
    python_benchmarks: FilePattern,
    go_tests: FilePattern,
    told: Vec<String>,
}

impl Kinds {
    pub(super) fn new(project: &Project, given: &[String]) -> Result<Self, DefinitionError> {
        let parse = |text: &str| FilePattern::parse(text);
        let php = project.phpbench.as_ref().and_then(|phpbench| phpbench.file_pattern.clone());
        let php = php.as_deref().unwrap_or(PHP);
        let usual = || vec![php.to_owned(), PYTHON.to_owned(), format!("{GO_TESTS} (with func Benchmark…)")];
        Ok(Self {
            given: given.iter().map(|text| parse(text)).collect::<Result<_, _>>()?,
            php: parse(php)?,
            python: parse(PYTHON)?,
            python_tests: PYTHON_TESTS.iter().map(|text| parse(text)).collect::<Result<_, _>>()?,
            python_benchmarks: parse(PYTHON_BENCHMARKS)?,
            go_tests: parse(GO_TESTS)?,
            told: if given.is_empty() { usual() } else { given.to_vec() },
        })
    }

    /// For people: what names are looked for.
    pub(super) fn told(self) -> Vec<String> {
        self.told
    }

    /// The language of a file that is met below `searched`; `None` where it is no source.
    pub(super) fn of(&self, path: &Path, searched: &Path) -> Option<Language> {
        let name = path.file_name().unwrap_or_default();
        if !path.is_file() {
            return None;
        }
        if !self.given.is_empty() {
            return self.given.iter().any(|pattern| pattern.matches(name)).then(|| named(path));
        }
        if self.php.matches(name) {
            return Some(named(path));
        }
        let speaks = |of: &dyn Fn(&str) -> bool| text(path).is_some_and(|text| of(&text));
        let python = self.python.matches(name)
            || self.python_tests.iter().any(|pattern| pattern.matches(name))
                && speaks(&|text| text.contains("benchmark"))
            || self.python_benchmarks.matches(name) && speaks(&|text| text.lines().any(defines));
        if python {
            return Some(Language::Python);
        }
        let go = self.go_tests.matches(name)
            && !is_passed_over_by_go(path.strip_prefix(searched).unwrap_or(Path::new(name)))
            && speaks(&|text| {
                text.lines().any(|line| line.starts_with("func Benchmark") || line.starts_with("func Operation"))
            });
        go.then_some(Language::Go)
    }
}

/// A line that defines a benchmark or a test, in a class or not: what has none of them is a program, which importing it might start.
fn defines(line: &str) -> bool {
    let line = line.trim_start();
    let line = line.strip_prefix("async ").unwrap_or(line);
    line.starts_with("def bench_") || line.starts_with("def test_")
}

/// The language of a file that the user named: by its extension, and what begins as a program does is one.
pub(super) fn named(path: &Path) -> Language {
    match Language::of(path) {
        Language::Worker if is_program(path) => Language::Cpp,
        language => language,
    }
}

/// An executable in the Executable and Linkable Format.
fn is_program(path: &Path) -> bool {
    let mut begin = [0u8; 4];
    File::open(path).and_then(|mut file| file.read_exact(&mut begin)).is_ok_and(|()| begin == *b"\x7fELF")
}

/// `go` ignores files and folders that begin with `_`, and folders called `testdata`; what it is started in may be called anything.
fn is_passed_over_by_go(path: &Path) -> bool {
    let passed_over = |name: &OsStr| name == "testdata" || name.as_encoded_bytes().starts_with(b"_");
    path.iter().any(passed_over)
}

fn text(path: &Path) -> Option<String> {
    let mut bytes = Vec::new();
    File::open(path).and_then(|file| file.take(MOST).read_to_end(&mut bytes)).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}
