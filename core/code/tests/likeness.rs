//! Programs that a C++ compiler makes, compared by what is known to have changed between them.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};

use object::{Object, ObjectSymbol};
use tare_code::{Likeness, Program, Unread, compare};
use tempfile::TempDir;

const CASES: [&str; 20] = [
    "zero_within",
    "constant",
    "deep",
    "virtually",
    "made",
    "function",
    "pointed",
    "switched",
    "text",
    "looked_up",
    "looked_up_from",
    "looked_up_far",
    "looked_up_farther",
    "literal",
    "printed_literal",
    "number",
    "thrown",
    "containers",
    "of_thread",
    "sorted",
];

/// Variants of the subject, built at the same time.
struct Builds(TempDir);

impl Builds {
    fn new(variants: &[(&str, &[&str])]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let start = |(name, arguments): &(&str, &[&str])| -> Child {
            let subject = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/subject.cc");
            let mut compiler = Command::new("c++");
            compiler.args(["-std=c++17", "-w", "-O2"]).args(*arguments).arg(subject).arg("-o");
            compiler.arg(folder.path().join(name)).spawn().unwrap()
        };
        for pair in variants.chunks(2) {
            for mut child in pair.iter().map(start).collect::<Vec<_>>() {
                assert!(child.wait().unwrap().success());
            }
        }
        Self(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn compare(&self, base: &str, candidate: &str, case: &str) -> Likeness {
        let (base, candidate) = (self.path(base), self.path(candidate));
        let entry = (symbols(&base)[case], symbols(&candidate)[case]);
        compare(&Program::read(&base).unwrap(), &Program::read(&candidate).unwrap(), &[entry])
    }
}

fn symbols(path: &Path) -> HashMap<String, u64> {
    let bytes = std::fs::read(path).unwrap();
    let file = object::File::parse(&*bytes).unwrap();
    file.symbols().map(|symbol| (symbol.name().unwrap().to_owned(), symbol.address())).collect()
}

fn is_same(likeness: &Likeness) -> bool {
    matches!(likeness, Likeness::Same(_))
}

/// Those that call what the compiler can't see.
fn is_indirect(case: &str) -> bool {
    matches!(case, "virtually" | "function" | "pointed" | "made" | "sorted")
}

/// Those with constants that no symbol names: whatever is close behind may be meant as well.
fn is_beside_others(case: &str) -> bool {
    matches!(case, "zero_within" | "literal" | "printed_literal")
}

#[test]
fn untouched_functions_are_the_same_and_their_places_are_told() {
    let aligned: &[&str] = &["-falign-functions=64", "-DGROWN"];
    let builds = Builds::new(&[
        ("base", &[]),
        ("grown", &["-DGROWN"]),
        ("aligned", &["-falign-functions=64"]),
        ("aligned-grown", aligned),
    ]);
    let (base, grown) = (symbols(&builds.path("base")), symbols(&builds.path("grown")));
    assert!(
        matches!(builds.compare("base", "grown", "grown"), Likeness::Different { function } if function == "grown")
    );
    let mut any_moved = false;
    for case in CASES {
        let found = builds.compare("base", "grown", case);
        if is_indirect(case) {
            assert!(matches!(found, Likeness::Unknown { .. }), "{case}: {found:?}");
            continue;
        }
        if is_beside_others(case) {
            assert!(!matches!(found, Likeness::Different { .. }), "{case}: {found:?}");
            continue;
        }
        let Likeness::Same(place) = found else { panic!("{case}: {found:?}") };
        let places = (base[case] % 64, grown[case] % 64);
        if places.0 != places.1 {
            any_moved = true;
            let moved = place.moved.unwrap();
            assert_eq!(
                (moved.function.as_str(), moved.base.into(), moved.candidate.into()),
                (case, places.0, places.1)
            );
        } else if case == "constant" {
            assert_eq!(place.moved, None);
        }
        if matches!(case, "constant" | "text" | "number") {
            let Likeness::Same(place) = builds.compare("aligned", "aligned-grown", case) else { panic!("{case}") };
            assert_eq!(place.moved, None, "{case}");
        }
    }
    assert!(any_moved);
}

#[test]
fn what_differs_is_never_the_same() {
    let changes: &[(&str, &[&str], &[&str])] = &[
        ("constant", &["-DCONSTANT=1000033"], &["constant"]),
        ("deep", &["-DDEEP=77773"], &["deep", "virtually", "made", "function", "pointed", "thrown", "sorted"]),
        ("swapped", &["-DSWAPPED"], &["switched"]),
        ("text", &["-DTEXT=\"the next\""], &["text"]),
        ("behind", &["-DBEHIND=\"beyond\""], &["zero_within"]),
        ("entry", &["-DENTRY=14"], &["looked_up", "looked_up_from"]),
        ("far", &["-DFAR=4"], &["looked_up_far", "looked_up_farther"]),
        ("late", &["-DLATE=\"\\005\""], &["literal", "printed_literal"]),
        ("local", &["-DLOCAL=10"], &["of_thread"]),
        ("number", &["-DNUMBER=2.25"], &["number"]),
        ("caught", &["-DCAUGHT=std::logic_error"], &["thrown"]),
    ];
    let fixed = ["-no-pie", "-fno-pie"];
    let all: Vec<&str> = changes.iter().flat_map(|(_, arguments, _)| *arguments).chain(&fixed).copied().collect();
    let mut variants: Vec<(&str, &[&str])> = vec![
        ("base", &[]),
        ("fixed", &fixed),
        ("fixed-all", &all),
        ("fixed-grown", &["-no-pie", "-fno-pie", "-DGROWN"]),
    ];
    variants.extend(changes.iter().map(|(name, arguments, _)| (*name, *arguments)));
    let builds = Builds::new(&variants);
    for case in ["constant", "deep", "switched", "text", "looked_up", "looked_up_from", "number", "thrown"] {
        let found = builds.compare("fixed", "fixed-grown", case);
        assert!(is_same(&found), "{case} at fixed addresses: {found:?}");
    }
    for (name, _, touched) in changes {
        for case in CASES {
            let found = builds.compare("base", name, case);
            if touched.contains(&case) {
                assert!(!is_same(&found), "{name}, {case}");
                assert!(!is_same(&builds.compare("fixed", "fixed-all", case)), "{case} at fixed addresses");
            } else if !is_indirect(case) && !is_beside_others(case) {
                assert!(is_same(&found), "{name}, {case}: {found:?}");
            }
        }
    }
}

#[test]
fn other_ways_to_build_give_no_wrong_answer() {
    let builds = Builds::new(&[
        ("O0", &["-O0"]),
        ("O0-grown", &["-O0", "-DGROWN"]),
        ("O0-changed", &["-O0", "-DDEEP=3", "-DENTRY=2", "-DSWAPPED"]),
        ("static", &["-static"]),
        ("static-grown", &["-static", "-DGROWN"]),
        ("static-changed", &["-static", "-DDEEP=3", "-DENTRY=2", "-DSWAPPED"]),
    ]);
    let thunks = "-mindirect-branch=thunk-inline";
    let returning = Builds::new(&[("thunks", &[thunks]), ("thunks-changed", &[thunks, "-DDEEP=3"])]);
    for case in ["virtually", "function", "pointed"] {
        let found = returning.compare("thunks", "thunks-changed", case);
        assert!(!is_same(&found), "{case}: {found:?}");
    }
    for kind in ["O0", "static"] {
        for case in ["deep", "looked_up", "looked_up_from", "switched", "pointed", "virtually", "made", "function"] {
            let found = builds.compare(kind, &format!("{kind}-changed"), case);
            assert!(!is_same(&found), "{kind}, {case}: {found:?}");
        }
        for case in ["constant", "deep", "looked_up"] {
            let found = builds.compare(kind, &format!("{kind}-grown"), case);
            assert!(is_same(&found), "{kind}, {case}: {found:?}");
        }
    }
}

#[test]
fn who_brings_its_libraries_or_switches_stacks_is_not_proven_the_same() {
    let libraries = ["-Wl,-rpath,/somewhere"];
    let grown = ["-Wl,-rpath,/somewhere", "-DGROWN"];
    let builds = Builds::new(&[("base", &[]), ("grown", &["-DGROWN"]), ("own", &libraries), ("own-grown", &grown)]);
    assert!(is_same(&builds.compare("base", "grown", "containers")));
    assert!(!is_same(&builds.compare("own", "own-grown", "containers")), "its malloc may be the project's");
    assert!(is_same(&builds.compare("own", "own-grown", "constant")));
    let found = builds.compare("base", "grown", "on_another_stack");
    assert!(!is_same(&found), "{found:?}");
}

#[test]
fn damaged_files_give_no_panic_and_no_wrong_answer() {
    let builds = Builds::new(&[("base", &[]), ("stripped", &["-s"])]);
    assert!(matches!(Program::read(&builds.path("stripped")), Err(Unread::NoSymbols)));
    assert!(matches!(Program::read(&builds.path("missing")), Err(Unread::Io(_))));
    let (bytes, addresses) = (std::fs::read(builds.path("base")).unwrap(), symbols(&builds.path("base")));
    let base = Program::read(&builds.path("base")).unwrap();
    let damaged = builds.path("damaged");
    let entries: Vec<u64> = CASES.iter().map(|case| addresses[*case]).collect();
    let try_it = |bytes: &[u8]| {
        std::fs::write(&damaged, bytes).unwrap();
        if let Ok(program) = Program::read(&damaged) {
            for &entry in &entries {
                let _ = compare(&base, &program, &[(entry, entry)]);
                let _ = compare(&program, &program, &[(entry, entry)]);
            }
        }
    };
    for step in 0..20 {
        try_it(&bytes[..bytes.len() * step / 20]);
    }
    let mut lot = 88_172_645_463_325_252_u64;
    for _ in 0..60 {
        let mut other = bytes.clone();
        for _ in 0..200 {
            lot ^= lot << 13;
            lot ^= lot >> 7;
            lot ^= lot << 17;
            let place = usize::try_from(lot % bytes.len() as u64).unwrap();
            other[place] ^= 1 << (lot >> 60 & 7);
        }
        other[..64].copy_from_slice(&bytes[..64]);
        try_it(&other);
    }
    // 1000003, in the one function that has it.
    let constant = 1_000_003_u32.to_le_bytes();
    let place = bytes.windows(4).position(|window| window == constant).unwrap();
    let mut other = bytes.clone();
    other[place] ^= 1;
    std::fs::write(&damaged, &other).unwrap();
    let entry = addresses["constant"];
    let found = compare(&base, &Program::read(&damaged).unwrap(), &[(entry, entry)]);
    assert!(matches!(found, Likeness::Different { .. }));
}
