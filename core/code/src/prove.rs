//! Whether nothing that a benchmark executes or reads differs between two executables.

use crate::likeness::{Likeness, SameCode};
use crate::loaded;
use crate::pairs::{Programs, Stop};
use crate::program::Program;
use crate::starts::{consequence, starts};
use crate::walk::Walk;

/// Whether all that the case executes or reads, of which `entries` are the beginnings as in [`compare`](crate::compare), is the same in both
/// programs: so that it needs no measurement. Without entries, as of a fixture's method, only the same executables are known to be.
///
/// Executables that are the same to the system are (numbers of the build and what is for debuggers apart). Otherwise all code and data reached from the entries has to be,
/// and what runs before, constructors of variables and `main`: all of it where the case reads a variable that others may write; else it may differ as long as it
/// does nothing but compute, allocate, print, and register benchmarks. Libraries have to be asked for by the same names; their files, the program's arguments and its environment are
/// the caller's to compare. Where functions lie isn't looked at.
#[must_use]
pub fn prove(base: &Program, candidate: &Program, entries: &[(u64, u64)]) -> Likeness {
    if loaded::same(base, candidate) {
        return Likeness::Same(SameCode { functions: base.functions.0.len(), moved: None });
    }
    if entries.is_empty() {
        return Likeness::Unknown { why: "its program doesn't say where its code begins".to_owned() };
    }
    if base.libraries != candidate.libraries {
        let why = "the programs ask for other shared libraries, or look for them elsewhere".to_owned();
        return Likeness::Unknown { why };
    }
    let programs = Programs { base, candidate };
    let mut walk = Walk::new(programs, false);
    match walk.all(entries).and_then(|()| before(programs, &walk)) {
        Ok(functions) => {
            let same = walk.same();
            Likeness::Same(SameCode { functions: same.functions + functions, moved: None })
        }
        Err(stop) => stop.into(),
    }
}

/// Looks at what runs before the case that `walk` has followed; how many functions of it were compared.
fn before(programs: Programs<'_>, walk: &Walk<'_>) -> Result<usize, Stop> {
    let Programs { base, candidate } = programs;
    let (Some(first), Some(second)) = (starts(base), starts(candidate)) else {
        return Err(Stop::Unknown("what runs before the case isn't understood".to_owned()));
    };
    let mut start = Walk::new(programs, true);
    let entries: Vec<(u64, u64)> = first.iter().copied().zip(second.iter().copied()).collect();
    let found = if first.len() == second.len() {
        start.all(&entries)
    } else {
        Err(Stop::Unknown("the programs have other constructors".to_owned()))
    };
    let Err(stop) = found else { return Ok(start.same().functions) };
    let why = match stop {
        Stop::Different(function) => format!("{function} differs"),
        Stop::Unknown(why) => why,
    };
    if let Some(variable) = walk.variables.shared(base, candidate) {
        return Err(Stop::Unknown(format!("the case reads {variable}, and of what runs before it {why}")));
    }
    match consequence(base, &first).or_else(|| consequence(candidate, &second)) {
        Some(other) => Err(Stop::Unknown(format!("of what runs before the case {why}, and {other}"))),
        None => Ok(0),
    }
}
