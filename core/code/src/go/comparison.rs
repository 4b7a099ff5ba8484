//! Two Go test programs, compared for one benchmark after another.

use crate::likeness::{Likeness, SameCode};

use super::program::GoProgram;
use super::walk::{Pair, Side, Stop, Walk};

/// Both sides, and what all benchmarks of the package have in common: the runtime, package `testing`, and what initialises packages.
pub struct GoComparison<'a> {
    base: &'a GoProgram,
    candidate: &'a GoProgram,
    /// `Err` where something differs, or isn't known, that each benchmark uses.
    common: Result<Walk<'a>, Likeness>,
}

impl<'a> GoComparison<'a> {
    /// Compares what all benchmarks of the package use.
    #[must_use]
    pub fn new(base: &'a GoProgram, candidate: &'a GoProgram) -> Self {
        Self { base, candidate, common: common(base, candidate).map_err(likeness) }
    }

    /// Whether all that a benchmark uses is the same in both programs.
    ///
    /// `benchmark` is the name of its function, or of a benchmark within it (`BenchmarkSort/size=10`): then all of the function
    /// counts. So does all that runs before: what initialises the packages, and `TestMain`.
    #[must_use]
    pub fn of_benchmark(&self, benchmark: &str) -> Likeness {
        match &self.common {
            Ok(walk) => self.walk(walk.clone(), benchmark).unwrap_or_else(likeness),
            Err(likeness) => likeness.clone(),
        }
    }

    fn walk(&self, mut walk: Walk<'a>, benchmark: &str) -> Result<Likeness, Stop> {
        let function = benchmark.split('/').next().unwrap_or(benchmark);
        let (base, candidate) = (self.base.functions(function), self.candidate.functions(function));
        if base.is_empty() || !base.iter().map(|it| it.0).eq(candidate.iter().map(|it| it.0)) {
            return Err(Stop::Unknown(format!("the function {function} isn't found on both sides")));
        }
        let pairs: Vec<_> = base.iter().zip(&candidate).map(|(one, other)| (one.1, other.1)).collect();
        follow(&mut walk, &pairs)?;
        // Flags are the same, or the processes would be started differently.
        let builds_are_alike = self.base.modules.is_some() && self.base.modules == self.candidate.modules;
        walk.introspection(builds_are_alike)?;
        Ok(Likeness::Same(SameCode { functions: walk.functions, moved: None }))
    }
}

fn common<'a>(base: &'a GoProgram, candidate: &'a GoProgram) -> Result<Walk<'a>, Stop> {
    if base.target != candidate.target {
        return Err(Stop::Unknown(
            "the sides are compiled by different toolchains or for different machines".to_owned(),
        ));
    }
    if base.debugging_defaults != candidate.debugging_defaults {
        return Err(Stop::Different("runtime.godebugDefault".to_owned()));
    }
    if base.directives != candidate.directives {
        return Err(Stop::Unknown("what cgo tells the linker differs".to_owned()));
    }
    if base.foreign != candidate.foreign {
        let differing = base.foreign.iter().zip(&candidate.foreign).find(|(one, other)| one != other);
        let package = differing.map_or("a package", |((package, ..), _)| package.as_str());
        return Err(Stop::Unknown(format!("{package} has code of another compiler that differs")));
    }
    let side = |program: &'a GoProgram| Side { linked: &program.linked, reach: program.reach() };
    let mut walk = Walk::new(side(base), side(candidate));
    let names = |program: &'a GoProgram| program.roots.iter().map(|(name, _)| name);
    if !names(base).eq(names(candidate)) {
        let new = names(candidate).find(|name| !names(base).any(|one| one == *name));
        return Err(Stop::Different(new.map_or("main.init", String::as_str).to_owned()));
    }
    let pairs: Vec<_> = base.roots.iter().zip(&candidate.roots).map(|(one, other)| (one.1, other.1)).collect();
    follow(&mut walk, &pairs)?;
    Ok(walk)
}

fn follow(walk: &mut Walk<'_>, roots: &[(u32, u32)]) -> Result<(), Stop> {
    for (base, candidate) in roots {
        walk.base.reach.add(*base)?;
        walk.candidate.reach.add(*candidate)?;
    }
    let pairs: Vec<_> = roots.iter().map(|(base, candidate)| Pair { base: *base, candidate: *candidate }).collect();
    walk.compare(&pairs)
}

fn likeness(stop: Stop) -> Likeness {
    match stop {
        Stop::Different(function) => Likeness::Different { function },
        Stop::Unknown(why) => Likeness::Unknown { why },
    }
}
