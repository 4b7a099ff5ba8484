//! What a package's test binary is linked of, compared between two folders.

use std::fs;
use std::path::{Path, PathBuf};

use tare_code::{GO_LIST, GoBuild, GoComparison, GoProgram, Likeness};
use tare_samples::Failure;
use tare_worker::{Objects, objects, ready};
use tempfile::TempDir;

use crate::go;

const SOURCE: &str = "package sides\n\nimport \"testing\"\n\nvar sum int\n\n\
    func BenchmarkOne(b *testing.B) { for i := range b.N { sum += i * 3 } }\n\n\
    func BenchmarkOther(b *testing.B) { for i := range b.N { sum += i * 7 } }\n";

/// A module in a folder of its own.
fn side(source: &str) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = fs::canonicalize(folder.path()).unwrap();
    fs::write(path.join("go.mod"), "module example.test/sides\n\ngo 1.22\n").unwrap();
    fs::write(path.join("sides_test.go"), source).unwrap();
    (folder, path)
}

fn listed(source: &Path, stop: bool) -> Result<Objects, Failure> {
    Ok(objects(&go(&["go"]), source, &GO_LIST, &|| stop)?.unwrap())
}

fn program(source: &Path) -> GoProgram {
    ready(&go(&["go"]), source, &mut |_| {}).unwrap();
    let Objects { listed, flags, toolchain } = listed(source, false).unwrap();
    GoProgram::read(&GoBuild::of_list(&listed, &flags, toolchain).unwrap()).unwrap()
}

#[test]
fn a_benchmark_is_the_same_in_two_folders_until_it_changes() {
    let (_base, base) = side(SOURCE);
    let (_candidate, candidate) =
        side(&SOURCE.replace("i * 7", "i * 8").replace("var sum", "// All is summed.\nvar sum"));
    let (base, other) = (program(&base), program(&candidate));
    let comparison = GoComparison::new(&base, &other);
    let one = comparison.of_benchmark("BenchmarkOne");
    // The worker in package `testing` is part of it.
    assert!(matches!(&one, Likeness::Same(same) if same.functions > 1000), "{one:?}");
    let function = "example.test/sides.BenchmarkOther".to_owned();
    assert_eq!(comparison.of_benchmark("BenchmarkOther"), Likeness::Different { function });

    let stopped = listed(&candidate, true).unwrap_err();
    assert!(stopped.message.ends_with("stopped"), "{stopped}");
    fs::write(candidate.join("sides_test.go"), SOURCE).unwrap();
    let changed = listed(&candidate, false).unwrap_err();
    assert!(changed.message.contains("have changed since"), "{changed}");
}
