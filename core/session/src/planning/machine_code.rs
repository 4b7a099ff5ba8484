//! Whether variants that were compiled apart have the same machine code.

use std::collections::HashMap;
use std::path::Path;

use tare_code::{Likeness, Program, SameCode, compare, keep_their_places};
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
                pair.code = match known(compare(first, second, &entries)) {
                    MachineCode::Unknown if keep_their_places(first, second) => MachineCode::InPlace,
                    known => known,
                };
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
        Likeness::Same(SameCode { moved: None, .. }) => MachineCode::Same,
        Likeness::Same(SameCode { moved: Some(moved), .. }) => {
            MachineCode::Moved { base: moved.base, candidate: moved.candidate }
        }
        Likeness::Different { .. } | Likeness::Unknown { .. } => MachineCode::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::{Path, PathBuf};
    use std::process::Command;

    use tare_plan::{Enumerated, FoundCase, Group, MachineCode, groups};
    use tare_samples::{Case, CaseSettings, Correction, Parameters, Runtime, RuntimeCommand};

    use super::look;

    const SUBJECT: &str =
        "__attribute__((noinline)) long subject(long n) { long s = 1; while (n--) s = s * 31 + n; return s; }\n";

    /// A program of which `before` stands before the subject: its path, and where the linker put the subject.
    fn program(folder: &Path, name: &str, before: &str, subject: &str) -> (PathBuf, u64) {
        let path = folder.join(name);
        let source = path.with_extension("c");
        let main = "int main(int n, char **text) { (void)text; return (int)subject(n); }\n";
        std::fs::write(&source, format!("{before}\n{subject}{main}")).unwrap();
        let aligned = if name.starts_with("aligned") { "-falign-functions=64" } else { "-falign-functions=16" };
        let built = Command::new("cc").args(["-O2", aligned]).arg(&source).arg("-o").arg(&path).status().unwrap();
        assert!(built.success(), "{name}");
        let listed = Command::new("nm").arg(&path).output().unwrap().stdout;
        let listed = String::from_utf8(listed).unwrap();
        let line = listed.lines().find(|line| line.ends_with(" subject")).unwrap();
        (path, u64::from_str_radix(line.split_whitespace().next().unwrap(), 16).unwrap())
    }

    fn side(name: &str, base: Option<&str>, program: &(PathBuf, u64)) -> Enumerated {
        let case = Case {
            index: 0,
            language: "cpp".into(),
            benchmark: "subject".into(),
            prefix: String::new(),
            place: String::new(),
            parameters: Parameters::default(),
            file: "subject.c".into(),
            line: 1,
            groups: vec![],
            settings: CaseSettings::default(),
        };
        let command = RuntimeCommand { name: name.into(), driver: "cpp".into(), ..RuntimeCommand::default() };
        Enumerated {
            runtime: Runtime {
                name: name.into(),
                language: "cpp".into(),
                version: "1".into(),
                command: command.clone(),
                correction: Correction::Overlapping,
                facts: BTreeMap::new(),
            },
            cases: vec![FoundCase {
                case,
                source: String::new(),
                sources: vec![program.0.to_str().unwrap().into()],
                start: command,
                code: vec![program.1],
                startup: tare_plan::Startup::default(),
            }],
            bootstrap: None,
            base: base.map(str::to_owned),
        }
    }

    fn known(base: &(PathBuf, u64), candidate: &(PathBuf, u64)) -> MachineCode {
        let mut groups: Vec<Group> =
            groups(&[side("base", None, base), side("candidate", Some("base"), candidate)], &[]);
        look(&mut groups);
        groups[0].pairs[0].code
    }

    #[test]
    fn the_same_code_elsewhere_has_moved_and_other_code_is_unknown() {
        if std::env::consts::ARCH != "x86_64" {
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let small = "__attribute__((noinline)) long other(long n) { return n; }";
        let grown =
            "__attribute__((noinline)) long other(long n) { return n * n * n + 7 * n - 3 * n * n * n * n + 1; }";
        let build = |name, before, subject| program(folder.path(), name, before, subject);
        let base = build("base", small, SUBJECT);
        let moved = build("moved", grown, SUBJECT);
        let again = build("again", small, SUBJECT);
        let other = SUBJECT.replace("31", "29");
        let changed = build("changed", small, &other);
        assert_ne!(base.1 % 64, moved.1 % 64, "what stands before it has grown by less than it takes");
        let place = |address: u64| (address % 64) as u8;
        assert_eq!(known(&base, &moved), MachineCode::Moved { base: place(base.1), candidate: place(moved.1) });
        assert_eq!(known(&base, &again), MachineCode::Same);
        assert_eq!(known(&base, &changed), MachineCode::InPlace);
        let elsewhere = build("elsewhere", grown, &other);
        assert_eq!(known(&base, &elsewhere), MachineCode::Unknown);
        // Aligned functions keep their places whatever grows before them, and however they change.
        let aligned = build("aligned", small, SUBJECT);
        let changed = build("aligned-changed", grown, &other);
        assert_eq!(known(&aligned, &changed), MachineCode::InPlace);
        assert!(Command::new("strip").arg(&again.0).status().unwrap().success());
        assert_eq!(known(&base, &again), MachineCode::Unknown);
        // One program isn't two builds.
        assert_eq!(known(&base, &base), MachineCode::Unknown);
    }
}
