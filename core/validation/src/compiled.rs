//! Real Go and C++: commits of a repository, each built at a path of its own, compared by `tare compare`.
//!
//! For each comparison both sides are built afresh, from commits of their own with other code in front of what is measured
//! ([`padding`]): where a function lies is a draw, as it is between any two builds of a project.
//!
//! `again` differs from `base` in a file that nothing is built from. `slower` changes two numbers: one makes a loop of dependent
//! arithmetic longer by 1 %, the other puts such a loop behind a sort, so long that it makes the sort 1 % slower. How long that is
//! here is measured when the repository is made, by comparisons of other launches than are counted. The numbers are data that the
//! compiler can't see through: were they constants, the code around them would be laid out anew, which alone moves such a sort by
//! up to 9 %, and that is a true difference.

mod padding;

use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;

use tare_statistics::quantile::{mean, variance};

use crate::said::{RunError, RunReport, access, compared, output};

/// Turns of the loop of dependent arithmetic, before the second commit.
const TURNS: u32 = 2_000;
/// What the second commit is to cost, as a fraction.
const SLOWER_BY: f64 = 0.01;
/// Comparisons that the loop behind the sort is fitted by: as many as know it with this standard error, between these numbers.
const TRIAL_ERROR: f64 = 0.0003;
const FEWEST_TRIALS: usize = 4;
const MOST_TRIALS: u64 = 20;
const TRIAL_BUDGET: &str = "12s";

/// A language whose benchmarks are compiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// `testing.B`.
    Go,
    /// Google Benchmark's macros, on our header.
    Cpp,
}

/// Both of them.
pub const LANGUAGES: [Language; 2] = [Language::Go, Language::Cpp];

impl Language {
    /// As it stands on the page.
    pub fn name(self) -> &'static str {
        match self {
            Self::Go => "Go",
            Self::Cpp => "C++",
        }
    }
}

/// A benchmark of the repository.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Subject {
    /// The last part of its name in both languages.
    pub name: &'static str,
    /// As it stands on the page.
    pub meaning: &'static str,
    /// How much slower the other commit makes it, as a fraction.
    pub slower_by: f64,
    /// As given to `--budget`.
    pub budget: Option<&'static str>,
}

impl Subject {
    /// The commit that is compared with the base.
    pub fn candidate(&self) -> &'static str {
        if self.slower_by > 0.0 { "slower" } else { "again" }
    }
}

/// What is compared.
pub const SUBJECTS: [Subject; 5] = [
    Subject { name: "Arithmetic", meaning: "arithmetic loop", slower_by: 0.0, budget: None },
    Subject { name: "Sort", meaning: "sort of 1,000 integers", slower_by: 0.0, budget: None },
    Subject { name: "Map", meaning: "map of 300 integers", slower_by: 0.0, budget: None },
    Subject { name: "Arithmetic", meaning: "arithmetic loop", slower_by: SLOWER_BY, budget: None },
    Subject { name: "Sort", meaning: "sort of 1,000 integers, --budget 9s", slower_by: SLOWER_BY, budget: Some("9s") },
];

/// The repository and the command.
#[derive(Debug)]
pub struct Compiled {
    language: Language,
    tare: PathBuf,
    folder: PathBuf,
}

impl Compiled {
    /// Makes the repository in `folder`, where it isn't there from before.
    ///
    /// # Errors
    /// Files that can't be written; `git`, a compiler or `tare` failing.
    pub fn new(language: Language, tare: &Path, folder: &Path) -> Result<Self, RunError> {
        let tare = tare.canonicalize().map_err(access(tare))?;
        let repository = Self { language, tare, folder: folder.to_owned() };
        if folder.join(".git/refs/tags/slower").exists() {
            return Ok(repository);
        }
        // A half-made repository is made anew.
        if folder.exists() {
            std::fs::remove_dir_all(folder).map_err(access(folder))?;
        }
        std::fs::create_dir_all(folder).map_err(access(folder))?;
        let write = |name: &str, text: &str| {
            let path = folder.join(name);
            std::fs::write(&path, text).map_err(access(&path))
        };
        match language {
            Language::Go => {
                write("go.mod", "module compared\n\ngo 1.21\n")?;
                write("compared_test.go", GO)?;
                write(padding::GO_FILE, &padding::go(0))?;
                write("tare.toml", "")?;
            }
            Language::Cpp => {
                write("compared.cc", CPP)?;
                write(padding::CPP_FILE, &padding::cpp(0))?;
                write("tare.toml", CPP_PROJECT)?;
            }
        }
        write(".gitignore", ".tare/\nbuild/\n")?;
        let settings = |turns: u32, extra: u32| match language {
            Language::Go => {
                write("turns_test.go", &format!("package compared\n\nvar turns, extra = {turns}, {extra}\n"))
            }
            Language::Cpp => write("turns.h", &format!("static volatile int turns = {turns}, extra = {extra};\n")),
        };
        settings(TURNS, 0)?;
        repository.git(&["init", "--quiet"])?;
        repository.commit("base")?;
        write("README", "Nothing is built from this.\n")?;
        repository.commit("again")?;
        let guessed = repository.one_percent_of_the_sort()?;
        settings(TURNS, guessed)?;
        repository.commit("trial")?;
        let extra = f64::from(guessed) * SLOWER_BY / repository.seen_in_the_trial()?;
        settings(TURNS + TURNS / 100, (extra.round() as u32).max(1))?;
        repository.commit("slower")?;
        Ok(repository)
    }

    /// Compares a benchmark in the two commits.
    ///
    /// # Errors
    /// `tare` failing.
    pub fn compare(&self, subject: Subject, seed: u64) -> Result<RunReport, RunError> {
        self.compare_with(subject.candidate(), subject.name, subject.budget, seed)
    }

    fn compare_with(&self, commit: &str, name: &str, budget: Option<&str>, seed: u64) -> Result<RunReport, RunError> {
        let sides = [self.drawn("base", 2 * seed)?, self.drawn(commit, 2 * seed + 1)?];
        let mut command = Command::new(&self.tare);
        command
            .args(["compare", &sides[0], &sides[1], "--json", "--no-store"])
            .args(["--filter", &format!("{name}$"), "--seed", &seed.to_string()])
            .current_dir(&self.folder);
        if let Some(budget) = budget {
            command.args(["--budget", budget]);
        }
        compared(&mut command)
    }

    /// By how much the guessed loop makes the sort slower where the two take turns: a sort that has the core for itself
    /// has its branches learned by heart and takes two thirds of the time, of which the guess is 1 %.
    fn seen_in_the_trial(&self) -> Result<f64, RunError> {
        let mut seen = Vec::new();
        for seed in 0..MOST_TRIALS {
            let said = self.compare_with("trial", "Sort", Some(TRIAL_BUDGET), seed)?;
            seen.extend(said.ratio.map(|ratio| ratio.estimate - 1.0));
            let error = variance(&seen).map(|variance| (variance / seen.len() as f64).sqrt());
            if seen.len() >= FEWEST_TRIALS && error.is_some_and(|error| error <= TRIAL_ERROR) {
                break;
            }
        }
        let seen = mean(&seen).unwrap_or(f64::NAN);
        if seen > SLOWER_BY / 4.0 && seen < SLOWER_BY * 4.0 {
            return Ok(seen);
        }
        Err(RunError::Run {
            command: "tare compare base trial".to_owned(),
            status: "success".to_owned(),
            message: format!("a loop guessed to take 1 % of the sort made it {:.2} % slower", 100.0 * seen),
        })
    }

    /// Turns that take 1 % of the time of the sort.
    fn one_percent_of_the_sort(&self) -> Result<u32, RunError> {
        let mut command = Command::new(&self.tare);
        command.args(["run", "--json", "--no-store", "--filter", "(Arithmetic|Sort)$"]).current_dir(&self.folder);
        let printed = output(&mut command)?;
        sort_in_turns(&printed).map(|turns| ((turns / 100.0).round() as u32).max(1)).map_err(|message| RunError::Run {
            command: "tare run".to_owned(),
            status: "success".to_owned(),
            message,
        })
    }

    /// A commit like the one of that tag, but for the code in front of what is measured.
    fn drawn(&self, tag: &str, seed: u64) -> Result<String, RunError> {
        self.git(&["checkout", "--quiet", "--detach", tag])?;
        let (name, text) = match self.language {
            Language::Go => (padding::GO_FILE, padding::go(seed + 1)),
            Language::Cpp => (padding::CPP_FILE, padding::cpp(seed + 1)),
        };
        let path = self.folder.join(name);
        std::fs::write(&path, text).map_err(access(&path))?;
        self.git(&["add", "."])?;
        self.git(&["commit", "--quiet", "--message", &format!("{tag}, draw {seed}")])?;
        let commit = output(Command::new("git").args(["rev-parse", "HEAD"]).current_dir(&self.folder))?;
        Ok(String::from_utf8_lossy(&commit).trim().to_owned())
    }

    fn commit(&self, tag: &str) -> Result<(), RunError> {
        self.git(&["add", "."])?;
        self.git(&["commit", "--quiet", "--message", tag])?;
        self.git(&["tag", tag])
    }

    fn git(&self, arguments: &[&str]) -> Result<(), RunError> {
        let identity =
            ["-c", "user.name=Validation", "-c", "user.email=validation@localhost", "-c", "commit.gpgsign=false"];
        output(Command::new("git").args(identity).args(arguments).current_dir(&self.folder)).map(drop)
    }
}

/// How many turns of the loop take as long as the sort, by a run of both.
fn sort_in_turns(run: &[u8]) -> Result<f64, String> {
    #[derive(Deserialize)]
    struct Run {
        cases: Vec<Case>,
    }
    #[derive(Deserialize)]
    struct Case {
        benchmark: String,
        time: Option<Time>,
    }
    #[derive(Deserialize)]
    struct Time {
        estimate: f64,
    }
    let run: Run = serde_json::from_slice(run).map_err(|error| error.to_string())?;
    let time = |name: &str| {
        let case = run.cases.iter().find(|case| case.benchmark.ends_with(name));
        let time = case.and_then(|case| case.time.as_ref()).map(|time| time.estimate);
        time.filter(|time| *time > 0.0).ok_or_else(|| format!("no time of {name}"))
    };
    Ok(time("Sort")? / time("Arithmetic")? * f64::from(TURNS))
}

const GO: &str = r#"package compared

import (
	"sort"
	"testing"
)

var sink int

func arithmetic(turns int) int {
	x := 1
	for i := 0; i < turns; i++ {
		x = (x*31 + i) & 0xffff
	}
	return x
}

func numbers() []int {
	found := make([]int, 1000)
	x := 42
	for i := range found {
		x = (x*1103515245 + 12345) & 0x7fffffff
		found[i] = x
	}
	return found
}

func BenchmarkSort(b *testing.B) {
	unsorted := numbers()
	sorted := make([]int, len(unsorted))
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		copy(sorted, unsorted)
		sort.Ints(sorted)
		sink = arithmetic(extra)
	}
}

func BenchmarkArithmetic(b *testing.B) {
	for i := 0; i < b.N; i++ {
		sink = arithmetic(turns)
	}
}

func BenchmarkMap(b *testing.B) {
	for i := 0; i < b.N; i++ {
		m := map[int]int{}
		for k := 0; k < 300; k++ {
			m[k*7919]++
		}
		sink = len(m)
	}
}
"#;

const CPP: &str = r#"#include <algorithm>
#include <unordered_map>
#include <vector>

#include <tare/benchmark.h>

#include "padding.h"
#include "turns.h"

static unsigned arithmetic(int turns)
{
    unsigned x = 1;
    for (int i = 0; i < turns; ++i) {
        x = (x * 31 + i) & 0xffff;
        benchmark::DoNotOptimize(x);
    }
    return x;
}

static void Sort(benchmark::State &state)
{
    std::vector<int> unsorted(1000);
    unsigned long long x = 42;
    for (auto &number : unsorted) {
        x = (x * 1103515245 + 12345) & 0x7fffffff;
        number = static_cast<int>(x);
    }
    auto sorted = unsorted;
    for (auto _ : state) {
        sorted = unsorted;
        std::sort(sorted.begin(), sorted.end());
        benchmark::DoNotOptimize(arithmetic(extra));
        benchmark::ClobberMemory();
    }
}
BENCHMARK(Sort);

static void Arithmetic(benchmark::State &state)
{
    for (auto _ : state)
        benchmark::DoNotOptimize(arithmetic(turns));
}
BENCHMARK(Arithmetic);

static void Map(benchmark::State &state)
{
    for (auto _ : state) {
        std::unordered_map<int, int> map;
        for (int k = 0; k < 300; ++k)
            map[k * 7919]++;
        benchmark::DoNotOptimize(map.size());
    }
}
BENCHMARK(Map);

BENCHMARK_MAIN();
"#;

/// Built only where a source is newer than the binary.
const CPP_PROJECT: &str = r#"[run]
paths = ["build/compared"]
build = '''
mkdir -p build
[ build/compared -nt compared.cc ] && [ build/compared -nt turns.h ] && [ build/compared -nt padding.h ] ||
    "${CXX:-c++}" -O2 -falign-functions=64 -std=c++17 -I"$("$TARE" sdk cpp --include-dir)" compared.cc -o build/compared
'''
"#;

#[cfg(test)]
mod tests {
    use super::{SUBJECTS, sort_in_turns};

    #[test]
    fn the_extra_loop_is_read_from_a_run_of_the_sort_and_of_the_loop() {
        let run = r#"{"cases":[{"benchmark":"BenchmarkArithmetic","time":{"estimate":4000.0}},
            {"benchmark":"BenchmarkSort","time":{"estimate":30000.0}}]}"#;
        assert!((sort_in_turns(run.as_bytes()).unwrap() - 15_000.0).abs() < 1e-9);
        let failed = r#"{"cases":[{"benchmark":"BenchmarkArithmetic"}]}"#;
        assert_eq!(sort_in_turns(failed.as_bytes()).unwrap_err(), "no time of Sort");
        assert!(sort_in_turns(b"").is_err());
    }

    #[test]
    fn every_subject_is_a_benchmark_of_both_languages() {
        for subject in SUBJECTS {
            assert!(super::GO.contains(&format!("func Benchmark{}(", subject.name)));
            assert!(super::CPP.contains(&format!("BENCHMARK({});", subject.name)));
        }
    }
}
