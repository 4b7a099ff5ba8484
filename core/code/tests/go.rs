//! Test programs that Go builds of one module, compared by what is known to have changed between them.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use tare_code::{GO_LIST, GoBuild, GoComparison, GoProgram, Likeness};

/// Of a file, what is changed to what.
type Change = (&'static str, &'static str, &'static str);

const BENCHMARKS: [&str; 19] = [
    "Untouched",
    "Executed",
    "Constant",
    "Inlined",
    "Interfaced",
    "Reflected",
    "Generic",
    "Closure",
    "Initial",
    "Embeds",
    "Assembled",
    "Linknamed",
    "Vendored",
    "Registered",
    "Caller",
    "Unused",
    "Nested/one",
    "Asks",
    "Counts",
];

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let goal = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &goal);
        } else {
            fs::copy(entry.path(), goal).unwrap();
        }
    }
}

/// What go lists of the module in a folder.
fn listed(folder: &Path) -> GoBuild {
    let output = Command::new("go").args(GO_LIST).arg(".").current_dir(folder).env("GOFLAGS", "").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let root = Command::new("go").args(["env", "GOROOT"]).current_dir(folder).output().unwrap();
    let root = PathBuf::from(String::from_utf8(root.stdout).unwrap().trim());
    GoBuild::of_list(&output.stdout, &[], root).unwrap()
}

/// The module with changes, in a folder whose name is longer than that of the base.
fn built(changes: &[Change]) -> GoProgram {
    let folder = tempfile::Builder::new().prefix(if changes.is_empty() { "b" } else { "candidate" }).tempdir().unwrap();
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/subject"), folder.path());
    for (file, before, after) in changes {
        let path = folder.path().join(file);
        let text = fs::read_to_string(&path).unwrap_or_default();
        assert!(text.contains(before), "{file} has no {before}");
        fs::write(path, text.replacen(before, after, 1)).unwrap();
    }
    GoProgram::read(&listed(folder.path())).unwrap()
}

fn base() -> &'static GoProgram {
    static BASE: OnceLock<GoProgram> = OnceLock::new();
    BASE.get_or_init(|| built(&[]))
}

/// What is found of each benchmark.
fn compared(changes: &[Change]) -> Vec<(&'static str, Likeness)> {
    let candidate = built(changes);
    let comparison = GoComparison::new(base(), &candidate);
    BENCHMARKS.iter().map(|name| (*name, comparison.of_benchmark(&format!("Benchmark{name}")))).collect()
}

/// The benchmarks that aren't the same, with the function that differs or the reason.
fn not_same(changes: &[Change]) -> Vec<(&'static str, String)> {
    let others = compared(changes).into_iter().filter_map(|(name, likeness)| match likeness {
        Likeness::Same(same) => {
            assert!(same.functions > 1000, "{name}: {}", same.functions);
            None
        }
        Likeness::Different { function } => Some((name, function.replace("example.com/subject", "m"))),
        Likeness::Unknown { why } => Some((name, format!("unknown: {}", why.replace("example.com/subject", "m")))),
    });
    others.collect()
}

#[test]
fn what_no_benchmark_executes_changes_none() {
    let changes: [Change; 8] = [
        ("subject.go", "func untouched(x", "// It adds.\n// And that is all.\nfunc untouched(x"),
        (
            "subject.go",
            "// Unused is called",
            "var unused = func(x int) int { return len(workers) * x }\n\n// Unused is called",
        ),
        ("inner/inner.go", "x - 31", "x - 32"),
        (
            "inner/inner.go",
            "const Limit",
            "// Version is read by nothing.\nconst Version = \"1\"\n\n// Limit is documented.\nconst Limit",
        ),
        ("subject.go", "x + 71", "x + 72"),
        ("subject.go", "f.n + x + 82", "f.n + x + 83"),
        (
            "subject_test.go",
            "func run(",
            "func TestNothing(*testing.T) { println(\"new\", []string{\"a\", \"b\"}) }\n\nfunc run(",
        ),
        ("more.txt", "", "nobody embeds it"),
    ];
    let expected = [
        ("Caller", "unknown: m.caller may read line numbers, and those of m.BenchmarkCaller differ"),
        ("Unused", "m.Unused"),
        ("Nested/one", "m.Unused"),
    ];
    let found = not_same(&changes);
    assert_eq!(found, expected.map(|(name, why)| (name, why.to_owned())));
}

#[test]
fn what_a_benchmark_reaches_changes_it_and_no_other() {
    let changes: [Change; 12] = [
        ("subject.go", "x + 101", "x + 102"),
        ("inner/inner.go", "const Limit = 10", "const Limit = 11"),
        ("inner/inner.go", "x + 7 ", "x + 8 "),
        ("subject.go", "x + 61", "x + 62"),
        ("subject.go", "f.n + x + 81", "f.n + x + 85"),
        ("inner/inner.go", "largest+0", "largest+1"),
        ("subject.go", "x + y + 111", "x + y + 112"),
        ("subject.go", "variable = 40", "variable = 41"),
        ("data.txt", "embedded", "embeddee"),
        ("assembled_amd64.s", "$131", "$132"),
        ("inner/inner.go", "x ^ 21", "x ^ 22"),
        ("vendor/example.com/vendored/vendored.go", "x * 3", "x * 5"),
    ];
    let expected = [
        ("Executed", "m.executed"),
        ("Constant", "m.constant"),
        ("Inlined", "m.inlined"),
        ("Interfaced", "m.(*called).work"),
        ("Reflected", "m.(*found).Found"),
        ("Generic", "m/inner.Largest[go.shape.int]"),
        ("Closure", "m.closed.func1"),
        ("Initial", "m.variable"),
        ("Embeds", "m.embedded"),
        ("Assembled", "m.assembled"),
        ("Linknamed", "m/inner.hidden"),
        ("Vendored", "example.com/vendored.Scaled"),
        ("Unused", "m/inner.hidden"),
        ("Nested/one", "m/inner.hidden"),
    ];
    let found = not_same(&changes);
    assert_eq!(found, expected.map(|(name, why)| (name, why.to_owned())));
}

#[test]
fn what_initialises_a_package_changes_all() {
    let all = |changes: &[Change], function: &str| {
        let found = not_same(changes);
        assert_eq!(found, BENCHMARKS.map(|name| (name, function.to_owned())));
    };
    all(&[("subject.go", "x + 51", "x + 52")], "m.init.0.func1");
    all(
        &[("inner/inner.go", "const Limit", "var made = func() []int { println(1); return nil }()\n\nconst Limit")],
        "m/inner.init",
    );
}

#[test]
fn a_method_that_a_type_has_on_one_side_alone_matters_where_it_is_called_or_asked_for() {
    let found = |method: &'static str| {
        // Behind all lines that something looks at.
        let end = "return inner.Unused(x) + called{x}.unused(121) }\n";
        let changed = [end, "\n", method].concat().leak();
        not_same(&[("subject.go", end, changed)])
    };
    let unknown = |who: &str, of: &str| {
        format!("unknown: m.{who} asks by reflection what types can do, and methods of {of} differ")
    };
    let counts = |of: &str| vec![("Counts", unknown("counts", of))];
    assert_eq!(found("func (c *called) later(x int) int { return x }\n"), counts("*m.called"));
    // The first one that is exported: Go's own library asks whether there is any.
    let first = found("func (c *called) Later(x int) int { return x }\n");
    assert_eq!(first, ["Interfaced", "Asks", "Counts"].map(|name| (name, "*m.called".to_owned())));
    // A call by reflection goes through all methods of a value that it hands on as an interface.
    let of_found = [("Reflected", unknown("reflected", "m.found")), ("Counts", unknown("counts", "m.found"))];
    assert_eq!(found("func (f found) Between(x int) int { return x }\n"), of_found);
    assert_eq!(found("func (f found) between(x int) int { return x }\n"), of_found);
    let asked = found("func (f found) asked(x int) int { return x }\n");
    assert_eq!(asked, [of_found[0].clone(), ("Asks", "m.found".to_owned()), of_found[1].clone()]);
    // What prints a value calls that through an interface of the standard library.
    let printed = found("func (c called) Error() string { return \"\" }\n");
    assert_eq!(printed, ["Interfaced", "Asks", "Counts"].map(|name| (name, "m.called".to_owned())));
}

/// A program whose beginning reads how it was built, of which a module's version is a part.
fn reads_its_build(version: &str) -> GoProgram {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    let module =
        "module example.com/reads\n\ngo 1.21\n\nreplace example.com/part => ./part\n\nrequire example.com/part";
    write("go.mod", &format!("{module} {version}\n"));
    write("part/go.mod", "module example.com/part\n\ngo 1.21\n");
    write("part/part.go", "package part\n\nfunc Add(x int) int { return x + 1 }\n");
    let code = "package reads\n\nimport (\n\t\"runtime/debug\"\n\n\t\"example.com/part\"\n)\n\nvar info, _ = debug.ReadBuildInfo()\n\n";
    write("reads.go", &format!("{code}func Sum(x int) int {{ return part.Add(x) + len(info.Deps) }}\n"));
    let test = "package reads\n\nimport \"testing\"\n\nfunc BenchmarkSum(b *testing.B) {\n\tfor i := 0; i < b.N; i++ {\n\t\tSum(i)\n\t}\n}\n";
    write("reads_test.go", test);
    GoProgram::read(&listed(folder.path())).unwrap()
}

#[test]
fn who_reads_how_it_was_built_is_the_same_where_its_modules_are() {
    let base = reads_its_build("v1.0.0");
    let of = |candidate: &GoProgram| GoComparison::new(&base, candidate).of_benchmark("BenchmarkSum");
    assert!(matches!(of(&reads_its_build("v1.0.0")), Likeness::Same(_)));
    match of(&reads_its_build("v1.0.1")) {
        Likeness::Unknown { why } => assert!(why.contains("reads how the program was built"), "{why}"),
        other => panic!("{other:?}"),
    }
}
