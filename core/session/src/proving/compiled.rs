//! Compiled programs of both sides: equal ones, and those in which all that a case reaches is equal.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use tare_code::{GO_LIST, GoBuild, GoComparison, GoProgram, Likeness, Program, prove};
use tare_plan::Planned;
use tare_samples::{Proof, ProofLevel};

use super::Finding;
use super::look::Source;
use super::pairs::Pair;

/// Programs larger than this aren't compared.
const LARGEST: u64 = 1 << 30;

/// The programs of a source's cases.
pub(super) struct Compiled {
    equal: bool,
    language: String,
    /// Of Go, read when it is needed.
    go: Option<Result<[GoProgram; 2], String>>,
    /// Of C++, likewise.
    cpp: Option<Result<[Program; 2], String>>,
    /// What is known by the function of a Go benchmark, whose benchmarks within it are its own.
    known: HashMap<String, Likeness>,
}

impl Compiled {
    pub(super) fn new(source: &Source<'_>, [base, candidate]: [PathBuf; 2]) -> Self {
        let language = source.base().variant.case.language.clone();
        Self { equal: are_equal(&base, &candidate), language, go: None, cpp: None, known: HashMap::new() }
    }

    pub(super) fn judge(&mut self, pair: &Pair<'_>, files: usize, stopped: &dyn Fn() -> bool) -> Finding {
        if self.equal {
            // The program is one of the files.
            return Finding::Unchanged(Proof { level: ProofLevel::Files, files: files + 1, units: 0 });
        }
        let likeness = match self.language.as_str() {
            "go" => self.go_function(pair, stopped),
            _ => self.cpp(pair),
        };
        match likeness {
            Likeness::Same(same) => Finding::Unchanged(Proof { level: ProofLevel::Code, files, units: same.functions }),
            Likeness::Different { function } => Finding::Differs(format!("`{function}` differs")),
            Likeness::Unknown { why } => Finding::Unproven(why),
        }
    }

    fn go_function(&mut self, pair: &Pair<'_>, stopped: &dyn Fn() -> bool) -> Likeness {
        let benchmark = pair.base.variant.case.own_name();
        let function = benchmark.split('/').next().unwrap_or(benchmark).to_owned();
        if let Some(known) = self.known.get(&function) {
            return known.clone();
        }
        let likeness = self.go(pair, stopped);
        self.known.insert(function, likeness.clone());
        likeness
    }

    fn go(&mut self, pair: &Pair<'_>, stopped: &dyn Fn() -> bool) -> Likeness {
        let programs = self.go.get_or_insert_with(|| {
            let read = |planned: &Planned| linked(planned, stopped);
            Ok([read(pair.base)?, read(pair.candidate)?])
        });
        match programs {
            Ok([base, candidate]) => GoComparison::new(base, candidate).of_benchmark(pair.base.variant.case.own_name()),
            Err(why) => Likeness::Unknown { why: why.clone() },
        }
    }

    fn cpp(&mut self, pair: &Pair<'_>) -> Likeness {
        let [base, candidate] = [&pair.base.code, &pair.candidate.code];
        let known = if base.len() == candidate.len() { base.len() } else { 0 };
        let entries: Vec<(u64, u64)> = base.iter().copied().zip(candidate.iter().copied()).take(known).collect();
        let programs = self.cpp.get_or_insert_with(|| {
            let read = |planned: &Planned| {
                let path = planned.sources.first().ok_or("its program isn't known")?;
                Program::read(Path::new(path)).map_err(|error| error.to_string())
            };
            Ok([read(pair.base)?, read(pair.candidate)?])
        });
        match programs {
            Ok([base, candidate]) => prove(base, candidate, &entries),
            Err(why) => Likeness::Unknown { why: why.clone() },
        }
    }
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
