//! Programs with Tare's C++ worker, of which it is known what differs for which benchmark.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;
use std::process::{Child, Command};

use object::{Object, ObjectSymbol};
use tare_code::{Likeness, Program, prove};

const CASES: [&str; 3] = ["Pure", "Table", "Own"];

type Variant = (&'static str, &'static [&'static str], &'static [&'static str], &'static [&'static str]);

/// What each variant is compiled with, which benchmarks are proven the same as in the base, and which are not. `Own` may lie beside the table.
const VARIANTS: [Variant; 9] = [
    ("base", &[], &CASES, &[]),
    ("notes", &["-g", "-Wl,--build-id=0x1234"], &CASES, &[]),
    ("grown", &["-DGROWN"], &CASES, &[]),
    ("changed", &["-DPURE=11", "-DOWN=11"], &["Table"], &["Pure", "Own"]),
    ("table", &["-DTABLE=5"], &["Pure"], &["Table"]),
    ("allocated", &["-DALLOCATED=8"], &["Pure"], &["Table"]),
    ("seed", &["-DSEED=2"], &[], &CASES),
    ("flush", &["-DFLUSH"], &[], &CASES),
    ("library", &["-Wl,--no-as-needed,-lutil"], &[], &CASES),
];

fn compiler(folder: &Path, name: &str, arguments: &[&str]) -> Child {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut compiler = Command::new("c++");
    let header = if name.starts_with("whole") { "../../sdk/cpp/include" } else { "tests/stand-in" };
    compiler.args(["-std=c++17", "-w", "-O2", "-pthread", "-I"]).arg(own.join(header));
    compiler.arg(own.join("tests/proven.cc")).arg("-o").arg(folder.join(name)).args(arguments).spawn().unwrap()
}

fn entry(path: &Path, case: &str) -> u64 {
    let bytes = std::fs::read(path).unwrap();
    let file = object::File::parse(&*bytes).unwrap();
    let name = format!("_ZL{}{case}RN4tare5StateE", case.len());
    file.symbols().find(|symbol| symbol.name() == Ok(&name)).unwrap().address()
}

#[test]
fn what_a_case_executes_or_reads_takes_its_proof_and_no_other() {
    let folder = tempfile::tempdir().unwrap();
    for pair in VARIANTS.chunks(2) {
        let compilers: Vec<_> = pair.iter().map(|it| compiler(folder.path(), it.0, it.1)).collect();
        for mut compiler in compilers {
            assert!(compiler.wait().unwrap().success());
        }
    }
    let path = |name: &str| folder.path().join(name);
    let base = Program::read(&path("base")).unwrap();
    for (name, _, proven, not_proven) in VARIANTS {
        let other = Program::read(&path(name)).unwrap();
        for case in CASES {
            let found = prove(&base, &other, &[(entry(&path("base"), case), entry(&path(name), case))]);
            let is_same = matches!(&found, Likeness::Same(same) if same.functions > 0);
            assert!(is_same || !proven.contains(&case), "{name}, {case}: {found:?}");
            assert!(!is_same || !not_proven.contains(&case), "{name}, {case}: {found:?}");
        }
    }
    let found = |name: &str, case: &str| {
        let other = Program::read(&path(name)).unwrap();
        prove(&base, &other, &[(entry(&path("base"), case), entry(&path(name), case))])
    };
    assert_eq!(found("changed", "Pure"), Likeness::Different { function: "Pure(tare::State&)".to_owned() });
    // Whose code begins nowhere that is known is the same in the same executable alone.
    assert!(matches!(prove(&base, &base, &[]), Likeness::Same(_)));
    let changed = Program::read(&path("changed")).unwrap();
    assert!(matches!(prove(&base, &changed, &[]), Likeness::Unknown { .. }));
    let why = |name: &str, case: &str| match found(name, case) {
        Likeness::Unknown { why } => why,
        other => panic!("{name}, {case}: {other:?}"),
    };
    assert!(why("table", "Table").contains("the case reads _ZL5table"), "{}", why("table", "Table"));
    assert!(why("seed", "Pure").contains("calls srand"), "{}", why("seed", "Pure"));
    assert!(why("flush", "Pure").contains("changes the processor's state"), "{}", why("flush", "Pure"));
    assert!(why("library", "Pure").contains("other shared libraries"), "{}", why("library", "Pure"));
}

#[test]
fn tares_own_header_is_in_no_proofs_way() {
    let folder = tempfile::tempdir().unwrap();
    let variants = [("whole", &[][..]), ("whole-changed", &["-DPURE=11"][..]), ("whole-moved", &["-DMOVED"][..])];
    for mut compiler in variants.map(|it| compiler(folder.path(), it.0, it.1)) {
        assert!(compiler.wait().unwrap().success());
    }
    let paths = variants.map(|it| folder.path().join(it.0));
    let programs = paths.each_ref().map(|path| Program::read(path).unwrap());
    let found =
        CASES.map(|case| prove(&programs[0], &programs[1], &[(entry(&paths[0], case), entry(&paths[1], case))]));
    assert_eq!(found[0], Likeness::Different { function: "Pure(tare::State&)".to_owned() });
    for found in &found[1..] {
        assert!(matches!(found, Likeness::Same(same) if same.functions > 1), "{found:?}");
    }
    // Where they are registered is no matter to those that read what constructors leave, either.
    for case in CASES {
        let found = prove(&programs[0], &programs[2], &[(entry(&paths[0], case), entry(&paths[2], case))]);
        assert!(matches!(&found, Likeness::Same(same) if same.functions > 1), "{case}: {found:?}");
    }
}

#[test]
fn damaged_files_give_no_panic() {
    let folder = tempfile::tempdir().unwrap();
    assert!(compiler(folder.path(), "base", &[]).wait().unwrap().success());
    let path = folder.path().join("base");
    let bytes = std::fs::read(&path).unwrap();
    let (base, at) = (Program::read(&path).unwrap(), entry(&path, "Table"));
    let damaged = folder.path().join("damaged");
    let mut lot = 88_172_645_463_325_252_u64;
    let mut read = 0;
    for turn in 0..12 {
        let mut other = bytes.clone();
        for _ in 0..20 {
            lot ^= lot << 13;
            lot ^= lot >> 7;
            lot ^= lot << 17;
            let place = usize::try_from(lot % bytes.len() as u64).unwrap().max(64);
            other[place] ^= 1 << (lot >> 60 & 7);
        }
        other.truncate(if turn % 4 == 0 { bytes.len() * turn / 12 } else { bytes.len() });
        std::fs::write(&damaged, other).unwrap();
        if let Ok(program) = Program::read(&damaged) {
            read += 1;
            let _ = prove(&base, &program, &[(at, at)]);
            let _ = prove(&program, &base, &[(at, at)]);
        }
    }
    assert!(read > 5, "{read}");
}
