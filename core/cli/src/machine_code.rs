//! Whether variants that were compiled apart have the same machine code.

use std::collections::HashMap;
use std::path::Path;

use tare_code::{Likeness, Place, Program, compare};
use tare_plan::{Group, MachineCode, Planned};

/// Asks the executables of all pairs. Where that fails nothing is known of the pair, which is no fault of the user's: it may be stripped.
pub(crate) fn look(groups: &mut [Group]) {
    let mut programs: HashMap<String, Option<Program>> = HashMap::new();
    for Group { variants, pairs, .. } in groups {
        for pair in pairs {
            let (base, candidate) = (&variants[pair.base], &variants[pair.candidate]);
            let (Some(first), Some(second)) = (program_of(base), program_of(candidate)) else { continue };
            if base.code.len() != candidate.code.len() || first == second {
                continue;
            }
            for path in [first, second] {
                programs.entry(path.to_owned()).or_insert_with(|| Program::read(Path::new(path)).ok());
            }
            if let (Some(Some(first)), Some(Some(second))) = (programs.get(first), programs.get(second)) {
                let entries: Vec<(u64, u64)> = base.code.iter().copied().zip(candidate.code.iter().copied()).collect();
                pair.code = known(compare(first, second, &entries));
            }
        }
    }
}

/// The executable that holds the code of a variant whose worker says where in it.
fn program_of(planned: &Planned) -> Option<&str> {
    match planned.sources.as_slice() {
        [program] if !planned.code.is_empty() => Some(program),
        _ => None,
    }
}

fn known(likeness: Likeness) -> MachineCode {
    match likeness {
        Likeness::Same(Place { moved: None, .. }) => MachineCode::Same,
        Likeness::Same(Place { moved: Some(moved), .. }) => {
            MachineCode::Moved { base: moved.base, candidate: moved.candidate }
        }
        Likeness::Different { .. } | Likeness::Unknown { .. } => MachineCode::Unknown,
    }
}
