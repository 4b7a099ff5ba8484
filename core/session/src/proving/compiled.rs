//! Compiled programs of both sides: equal ones, and those in which all that a case reaches is equal.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use tare_code::{GO_LIST, GoBuild, GoComparison, GoProgram, Likeness, LinkedComparison, LinkedProgram, Program, prove};
use tare_plan::Planned;
use tare_samples::{Proof, ProofLevel};

use super::Finding;
use super::look::Source;
use super::pairs::Pair;

/// Programs larger than this aren't compared.
const LARGEST: u64 = 1 << 30;
/// Between two looks whether the other side's program is read.
const LOOK: Duration = Duration::from_millis(5);

/// The programs of a source's cases.
pub(super) struct Compiled {
    equal: bool,
    programs: [PathBuf; 2],
    /// Where they were built.
    roots: [PathBuf; 2],
    language: String,
    /// Of Go, by the benchmark's function, whose benchmarks within it are its own: what its cases' first question finds of all of them.
    go: Option<Result<HashMap<String, Likeness>, String>>,
    /// Functions of Go benchmarks of the source.
    functions: BTreeSet<String>,
    /// Of C++, read when it is needed.
    cpp: Option<Result<[Program; 2], String>>,
    /// Of Rust, by where the functions of its cases begin: what their first question finds of all of them.
    rust: Option<Result<HashMap<[u64; 2], Likeness>, String>>,
    /// Where functions of Rust's cases begin.
    entries: BTreeSet<[u64; 2]>,
}

impl Compiled {
    pub(super) fn new(source: &Source<'_>, [base, candidate]: [PathBuf; 2], roots: [PathBuf; 2]) -> Self {
        let language = source.base().variant.case.language.clone();
        let functions = source.pairs.iter().map(|pair| function(pair).to_owned()).collect();
        let entries = source.pairs.iter().filter_map(|pair| entry(pair)).collect();
        let equal = are_equal(&base, &candidate);
        let programs = [base, candidate];
        Self { equal, programs, roots, language, go: None, functions, cpp: None, rust: None, entries }
    }

    pub(super) fn judge(&mut self, pair: &Pair<'_>, files: usize, stopped: &dyn Fn() -> bool) -> Finding {
        if self.equal {
            // The program is one of the files.
            return Finding::Unchanged(Proof { level: ProofLevel::Files, files: files + 1, units: 0 });
        }
        let likeness = match self.language.as_str() {
            "go" => self.go(pair, stopped),
            "rust" => self.rust(pair, stopped),
            _ => self.cpp(pair),
        };
        match likeness {
            Likeness::Same(same) => Finding::Unchanged(Proof { level: ProofLevel::Code, files, units: same.functions }),
            Likeness::Different { function } if function.is_empty() => {
                Finding::Differs("the benchmark itself differs".to_owned())
            }
            Likeness::Different { function } => Finding::Differs(format!("`{}` differs", short(&function))),
            Likeness::Unknown { why } => Finding::Unproven(why),
        }
    }

    /// What is found of the function of a pair. What all benchmarks have in common is walked once for all of them.
    fn go(&mut self, pair: &Pair<'_>, stopped: &dyn Fn() -> bool) -> Likeness {
        let functions = &self.functions;
        let found = self.go.get_or_insert_with(|| {
            let [base, candidate] = both_linked(pair, stopped)?;
            let comparison = GoComparison::new(&base, &candidate);
            let until = |function: &String| (!stopped()).then(|| (function.clone(), comparison.of_benchmark(function)));
            Ok(functions.iter().map_while(until).collect())
        });
        match found {
            Ok(known) => known.get(function(pair)).cloned().unwrap_or_else(not_compared),
            Err(why) => Likeness::Unknown { why: why.clone() },
        }
    }

    /// What is found of the function that defines a pair. All functions are compared at once: what they have in common is read once.
    fn rust(&mut self, pair: &Pair<'_>, stopped: &dyn Fn() -> bool) -> Likeness {
        let Some(entry) = entry(pair) else {
            return Likeness::Unknown { why: "its program doesn't say where its code begins".to_owned() };
        };
        let (programs, entries) = (&self.programs, &self.entries);
        let found = self.rust.get_or_insert_with(|| {
            let read = |program: &Path| {
                LinkedProgram::read(&tare_worker::linked(program), program).map_err(|error| error.to_string())
            };
            let [base, candidate] = [read(&programs[0])?, read(&programs[1])?];
            let comparison = LinkedComparison::new(&base, &candidate);
            let of = |entry: &[u64; 2]| (!stopped()).then(|| (*entry, comparison.of_function(entry[0], entry[1])));
            Ok(entries.iter().map_while(of).collect())
        });
        match found {
            Ok(known) => known.get(&entry).cloned().unwrap_or_else(not_compared),
            Err(why) => Likeness::Unknown { why: why.clone() },
        }
    }

    fn cpp(&mut self, pair: &Pair<'_>) -> Likeness {
        let [base, candidate] = [&pair.base.code, &pair.candidate.code];
        let known = if base.len() == candidate.len() { base.len() } else { 0 };
        let entries: Vec<(u64, u64)> = base.iter().copied().zip(candidate.iter().copied()).take(known).collect();
        let [first, second] = &self.roots;
        // Checkouts of two revisions have names that are equally long.
        let are_alike = first.as_os_str().len() == second.as_os_str().len();
        let programs = self.cpp.get_or_insert_with(|| {
            let read = |planned: &Planned, root: &Path| {
                let path = planned.sources.first().ok_or("its program isn't known")?;
                Program::read_of(Path::new(path), are_alike.then_some(root)).map_err(|error| error.to_string())
            };
            Ok([read(pair.base, first)?, read(pair.candidate, second)?])
        });
        match programs {
            Ok([base, candidate]) => prove(base, candidate, &entries),
            Err(why) => Likeness::Unknown { why: why.clone() },
        }
    }
}

/// A function or type of Go with the last part of its package's path: `zerolog.(*Logger).should`. Others are as they are.
fn short(name: &str) -> String {
    let begins = name.len() - name.trim_start_matches('*').len();
    let of_path = name[begins..].find(['(', '[', '<', ' ', ':']).map_or(name.len(), |end| begins + end);
    let path = name[begins..of_path].rfind('/').map_or(begins, |slash| begins + slash + 1);
    format!("{}{}", &name[..begins], &name[path..])
}

fn not_compared() -> Likeness {
    Likeness::Unknown { why: "the comparison was stopped before its code was compared".to_owned() }
}

/// Where the function of a Rust case begins, in both programs.
fn entry(pair: &Pair<'_>) -> Option<[u64; 2]> {
    match (pair.base.code.as_slice(), pair.candidate.code.as_slice()) {
        ([base], [candidate]) => Some([*base, *candidate]),
        _ => None,
    }
}

/// The function of a Go benchmark.
fn function<'a>(pair: &Pair<'a>) -> &'a str {
    let benchmark = pair.base.variant.case.own_name();
    benchmark.split('/').next().unwrap_or(benchmark)
}

/// What the programs of both sides are linked of, read at the same time: the go command keeps one CPU busy most of the time.
fn both_linked(pair: &Pair<'_>, stopped: &dyn Fn() -> bool) -> Result<[GoProgram; 2], String> {
    let is_stopped = AtomicBool::new(false);
    let ask = || {
        let now = stopped();
        is_stopped.fetch_or(now, Ordering::Relaxed);
        now
    };
    let candidate = pair.candidate;
    thread::scope(|scope| {
        let other = scope.spawn(|| linked(candidate, &|| is_stopped.load(Ordering::Relaxed)));
        let base = linked(pair.base, &ask);
        // Nobody needs the other one any more.
        is_stopped.fetch_or(base.is_err(), Ordering::Relaxed);
        while !other.is_finished() {
            ask();
            thread::sleep(LOOK);
        }
        let candidate = other.join().map_err(|_| "reading its program panicked")?;
        Ok([base?, candidate?])
    })
}

/// What a Go package's test program is linked of.
fn linked(planned: &Planned, stopped: &dyn Fn() -> bool) -> Result<GoProgram, String> {
    let folder = planned.sources.first().ok_or("its package isn't known")?;
    let objects = tare_worker::objects(&planned.variant.runtime.command, Path::new(folder), &GO_LIST, stopped)
        .map_err(|failure| failure.message)?
        .ok_or("its objects aren't known")?;
    let build =
        GoBuild::of_list(&objects.listed, &objects.flags, objects.toolchain).map_err(|error| error.to_string())?;
    GoProgram::read(&build).map_err(|error| error.to_string())
}

fn are_equal(base: &Path, candidate: &Path) -> bool {
    if base == candidate {
        return true;
    }
    let small = |path: &Path| fs::metadata(path).is_ok_and(|metadata| metadata.len() <= LARGEST);
    small(base)
        && small(candidate)
        && fs::read(base).is_ok_and(|one| fs::read(candidate).is_ok_and(|other| one == other))
}

#[cfg(test)]
mod tests {
    use super::short;

    #[test]
    fn packages_are_called_by_the_last_part_of_their_path() {
        for (name, expected) in [
            ("github.com/rs/zerolog.(*Logger).should", "zerolog.(*Logger).should"),
            ("*github.com/rs/zerolog.Logger", "*zerolog.Logger"),
            ("example.com/m/inner.Largest[example.com/m.T]", "inner.Largest[example.com/m.T]"),
            ("main.init", "main.init"),
            ("Pure(tare::State&)", "Pure(tare::State&)"),
            ("std::path::Path::join", "std::path::Path::join"),
        ] {
            assert_eq!(short(name), expected);
        }
    }
}
