use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use super::discover_from;
use crate::Language;
use crate::project::Project;

struct Tree(tempfile::TempDir);

impl Tree {
    fn with(files: &[&str]) -> Self {
        let tree = Self(tempfile::tempdir().unwrap());
        for file in files {
            tree.write(file, "");
        }
        tree
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn path(&self, path: &str) -> PathBuf {
        fs::canonicalize(self.0.path()).unwrap().join(path)
    }

    /// The sources as shown, or the error, with the tree's own path taken out.
    fn discover(&self, here: &str, paths: &[&str], patterns: &[&str]) -> Result<Vec<String>, String> {
        let project = Project::find(&self.path(here)).unwrap();
        let paths: Vec<PathBuf> = paths.iter().map(PathBuf::from).collect();
        let patterns: Vec<String> = patterns.iter().map(|&pattern| pattern.to_owned()).collect();
        let root = self.path("").display().to_string();
        discover_from(&self.path(here).components().collect::<PathBuf>(), &project, &paths, &patterns)
            .map(|sources| {
                sources
                    .iter()
                    .map(|source| {
                        assert!(source.absolute.is_absolute() && source.absolute.exists());
                        source.path.display().to_string().replace(&root, "ROOT/")
                    })
                    .collect()
            })
            .map_err(|error| error.to_string().replace(root.trim_end_matches('/'), "ROOT"))
    }
}

fn list(paths: &[&str]) -> Result<Vec<String>, String> {
    Ok(paths.iter().map(|&path| path.to_owned()).collect())
}

#[test]
fn folders_are_searched_in_order_without_other_peoples_code() {
    let tree = Tree::with(&[
        "b/ZBench.php",
        "b/ABench.php",
        "b/nested/deep/DeepBench.php",
        "b/helper.php",
        "b/ABench.php.orig",
        "b/vendor/x/XBench.php",
        "b/node_modules/XBench.php",
        "b/.git/XBench.php",
        "b/.tare/XBench.php",
        "b/.hidden/XBench.php",
        "a/FirstBench.php",
    ]);
    let expected = ["b/ABench.php", "b/ZBench.php", "b/nested/deep/DeepBench.php", "a/FirstBench.php"];
    assert_eq!(tree.discover("", &["b", "a"], &[]), list(&expected));
    assert_eq!(tree.discover("", &["./b/", "b/nested", "b/../a"], &[]), list(&expected), "nothing comes twice");
    assert_eq!(tree.discover("", &["b/vendor"], &[]), list(&["b/vendor/x/XBench.php"]), "a named folder is searched");
}

#[test]
fn a_named_file_is_taken_whatever_its_name_and_its_language_follows_from_it() {
    let tree = Tree::with(&["helper.php", "truth.json", "b/ABench.php"]);
    let project = Project::default();
    let paths = ["truth.json", "helper.php", "b"].map(PathBuf::from);
    let sources = discover_from(&tree.path("").components().collect::<PathBuf>(), &project, &paths, &[]).unwrap();
    let found: Vec<_> = sources.iter().map(|source| (source.path.to_str().unwrap(), source.language)).collect();
    assert_eq!(
        found,
        [("truth.json", Language::Worker), ("helper.php", Language::Php), ("b/ABench.php", Language::Php)]
    );
}

#[test]
fn paths_are_shown_relative_to_the_working_directory_when_below_it() {
    let tree = Tree::with(&["composer.json", "benchmarks/ABench.php", "src/x"]);
    assert_eq!(tree.discover("", &[], &[]), list(&["benchmarks/ABench.php"]));
    assert_eq!(tree.discover("benchmarks", &[], &[]), list(&["ABench.php"]));
    assert_eq!(tree.discover("src", &["../benchmarks"], &[]), list(&["ROOT/benchmarks/ABench.php"]));
}

#[test]
fn without_paths_the_settings_say_where_else_phpbench_else_custom() {
    let tree = Tree::with(&[
        "from-toml/ABench.php",
        "from-phpbench/BTest.php",
        "from-phpbench/BBench.php",
        "tests/Bench/CBench.php",
        "bench/DBench.php",
        "composer.json",
    ]);
    assert_eq!(tree.discover("", &[], &[]), list(&["bench/DBench.php", "tests/Bench/CBench.php"]));
    tree.write("phpbench.json", r#"{"runner.path": "from-phpbench", "runner.file_pattern": "*Test.php"}"#);
    assert_eq!(tree.discover("", &[], &[]), list(&["from-phpbench/BTest.php"]));
    assert_eq!(tree.discover("", &[], &["B*.php"]), list(&["from-phpbench/BBench.php", "from-phpbench/BTest.php"]));
    tree.write("tare.toml", "[run]\npaths = \"from-toml\"");
    assert_eq!(tree.discover("", &[], &["*Bench.php"]), list(&["from-toml/ABench.php"]));
    assert_eq!(tree.discover("tests", &["Bench"], &["*Bench.php"]), list(&["Bench/CBench.php"]));
}

#[test]
fn what_is_not_there_is_said_with_where_was_looked() {
    let tree = Tree::with(&["composer.json", "empty/helper.php"]);
    assert_eq!(
        tree.discover("", &[], &[]).unwrap_err(),
        "no benchmarks are named, and ROOT has none of the usual folders (benchmarks, bench, benches, tests/Benchmark, \
         tests/Bench, tests/benchmarks, tests/bench); name a file or folder, or its place as `paths` under [run] in tare.toml"
    );
    assert_eq!(
        tree.discover("", &["empty", "gone"], &[]).unwrap_err(),
        "gone: there is no such file or folder; name one that exists; benchmarks are chosen by their names with --filter"
    );
    assert_eq!(
        tree.discover("", &["example.com/module/gone"], &[]).unwrap_err(),
        "example.com/module/gone: there is no such file or folder; name one that exists; Go packages are named by their folders: ./..."
    );
    assert_eq!(
        tree.discover("", &["empty", "."], &["*Bench.php", "*Test.php"]).unwrap_err(),
        "no benchmark found: no file below empty, . has a name that matches *Bench.php, *Test.php; name a file or another folder"
    );
    let message = tree.discover("", &["empty"], &["a/*"]).unwrap_err();
    assert!(message.starts_with("`a/*` is not a pattern of file names"), "{message}");
    tree.write("tare.toml", "[run]\npaths = [\"empty\", \"gone\"]");
    assert_eq!(
        tree.discover("", &[], &[]).unwrap_err(),
        "gone: there is no such file or folder (named in ROOT/tare.toml); name one that exists"
    );
}

#[test]
fn commands_of_the_settings_are_found_beside_whatever_paths_they_name() {
    const COMMAND: &str = "\n[[command]]\ncommand = \"true\"\n";
    let tree = Tree::with(&["composer.json", "bench/DBench.php", "other/ABench.php"]);
    tree.write("tare.toml", &format!("[run]\npaths = [\"other\"]{COMMAND}"));
    assert_eq!(tree.discover("", &[], &[]), list(&["other/ABench.php", "tare.toml"]));
    assert_eq!(tree.discover("", &["bench"], &[]), list(&["bench/DBench.php"]));
    tree.write("tare.toml", COMMAND);
    assert_eq!(tree.discover("", &[], &[]), list(&["bench/DBench.php", "tare.toml"]));
    tree.write("phpbench.json", r#"{"runner.path": "other"}"#);
    assert_eq!(tree.discover("", &[], &[]), list(&["other/ABench.php", "tare.toml"]));
}

#[test]
fn another_revision_has_the_commands_of_its_own_settings() {
    const COMMAND: &str = "[[command]]\ncommand = \"true\"\n";
    let tree = Tree::with(&["here/composer.json", "with/composer.json", "without/bench/ABench.php"]);
    tree.write("here/tare.toml", COMMAND);
    tree.write("with/tare.toml", COMMAND);
    tree.write("without/tare.toml", "");
    let project = Project::find(&tree.path("here")).unwrap();
    let found = |name: &str| -> Vec<PathBuf> {
        let root = tree.path(name);
        let found = discover_from(&root, &project.at_revision(&root).unwrap(), &[], &[]).unwrap();
        found.into_iter().map(|source| source.absolute).collect()
    };
    assert_eq!(found("with"), [tree.path("with/tare.toml")]);
    assert_eq!(found("without"), [tree.path("without/bench/ABench.php")]);
}

#[test]
fn benchmarks_among_tests_are_told_where_no_other_folder_is_there() {
    let tree = Tree::with(&["pyproject.toml", "tests/unit/test_plain.py"]);
    assert!(tree.discover("", &[], &[]).unwrap_err().ends_with("under [run] in tare.toml"));
    tree.write("tests/unit/test_speed.py", "def test_sum(benchmark): benchmark(sum, [1])");
    let message = tree.discover("", &[], &[]).unwrap_err();
    let hint = "the tests may contain benchmarks, such as tests/unit/test_speed.py: name the folder, or set `paths = [\"tests\"]` under [run] in tare.toml";
    assert!(message.ends_with(hint), "{message}");
    tree.write("tare.toml", "[run]\npaths = [\"tests\"]");
    assert_eq!(tree.discover("", &[], &[]), list(&["tests/unit/test_speed.py"]));
}

#[test]
fn links_are_followed_once_and_circles_end() {
    let tree = Tree::with(&[
        "b/real/ABench.php",
        "b/real/inner/BBench.php",
        "outside/CBench.php",
        "outside/vendor/VBench.php",
    ]);
    symlink(tree.path("b/real"), tree.path("b/a-link")).unwrap();
    symlink(tree.path("b"), tree.path("b/real/inner/up")).unwrap();
    symlink(tree.path("outside"), tree.path("b/out")).unwrap();
    symlink(tree.path("b/real/ABench.php"), tree.path("b/AliasBench.php")).unwrap();
    symlink(tree.path("nowhere"), tree.path("b/BrokenBench.php")).unwrap();
    symlink("LoopBench.php", tree.path("b/LoopBench.php")).unwrap();
    assert_eq!(
        tree.discover("", &["b"], &[]),
        list(&["b/out/CBench.php", "b/real/ABench.php", "b/real/inner/BBench.php"])
    );
}

#[test]
fn folders_that_all_link_to_each_other_are_searched_in_linear_time() {
    let tree = Tree::with(&[]);
    for folder in 0..24 {
        tree.write(&format!("b/{folder}/ABench.php"), "");
        for other in 0..24 {
            symlink(tree.path(&format!("b/{other}")), tree.path(&format!("b/{folder}/to{other}"))).unwrap();
        }
    }
    assert_eq!(tree.discover("", &["b"], &[]).map(|sources| sources.len()), Ok(24));
}

#[test]
fn names_that_are_not_utf_8_are_names() {
    let tree = Tree::with(&["b/ABench.php"]);
    let odd = tree.path("b").join(std::ffi::OsStr::from_bytes(b"\xffBench.php"));
    // Some file systems refuse the name.
    if fs::write(&odd, "").is_ok() {
        let sources = discover_from(Path::new("/"), &Project::default(), &[tree.path("b")], &[]).unwrap();
        assert!(sources.iter().any(|source| source.absolute == odd));
    }
}

#[test]
fn a_go_pattern_stays_in_its_module_and_workspace() {
    const BENCHMARK: &str = "package p\n\nfunc BenchmarkA(b *testing.B) {}\n";
    let tree = Tree::with(&["go.mod", "other/go.mod", "tools/go.mod"]);
    for folder in ["", "own/", "other/", "other/deep/", "tools/"] {
        tree.write(&format!("{folder}a_test.go"), BENCHMARK);
    }
    let all = list(&[".", "other", "other/deep", "own", "tools"]);
    assert_eq!(tree.discover("", &["./..."], &[]), list(&[".", "own"]));
    assert_eq!(tree.discover("", &[], &[]), list(&[".", "own"]), "where no path is named");
    tree.write(".git/HEAD", "");
    assert_eq!(tree.discover("other/deep", &[], &[]), list(&["ROOT/other", "."]), "the module that one stands in");
    assert_eq!(tree.discover("", &["other/..."], &[]), list(&["other", "other/deep"]));
    assert_eq!(tree.discover("", &["."], &[]), all, "a folder is searched as a whole");
    tree.write("go.work", "go 1.21\n\nuse (\n\t.\n\t./other // mine\n)\n");
    assert_eq!(tree.discover("", &["./..."], &[]), list(&[".", "other", "other/deep", "own"]));
    tree.write("go.work", "go 1.21\nuse .\nuse ./tools\n");
    assert_eq!(tree.discover("", &["./..."], &[]), list(&[".", "own", "tools"]));
}

#[test]
fn a_cargo_package_is_searched_where_somebody_stands_and_a_workspace_as_a_whole() {
    const BENCHMARK: &str = "criterion_main!(benches);\n";
    let tree = Tree::with(&[".git/HEAD", "a/Cargo.toml", "b/Cargo.toml", "a/target/x/benches/z.rs"]);
    tree.write("Cargo.toml", "[workspace]\nmembers = [\"a\", \"b\"]\n");
    for file in ["a/benches/one.rs", "b/speed/two.rs", "benches/three.rs", "a/src/four.rs"] {
        tree.write(file, BENCHMARK);
    }
    let all = list(&["a/benches/one.rs", "a/src/four.rs", "b/speed/two.rs", "benches/three.rs"]);
    assert_eq!(tree.discover("", &[], &[]), all);
    assert_eq!(tree.discover("a", &[], &[]), list(&["benches/one.rs"]));
    assert_eq!(tree.discover("b/speed", &[], &[]), list(&["two.rs"]), "without any of the usual folders");
    tree.write("Cargo.toml", "[package]\nname = \"p\"\n");
    assert_eq!(tree.discover("", &[], &[]), list(&["benches/three.rs"]));
}

#[test]
fn python_files_of_benchmarks_are_found_and_programs_are_not() {
    let tree = Tree::with(&[]);
    tree.write("bench/benchmark_url.py", "import pytest\n\ndef test_url(benchmark): pass\n");
    tree.write("bench/benchmark_async.py", "class BenchA:\n    async def bench_a(self): pass\n");
    tree.write("bench/benchmark_program.py", "import pyperf\n\npyperf.Runner().bench_func('a', len, '')\n");
    tree.write("bench/test_marked.py", "import pytest\npytestmark = pytest.mark.benchmark\ndef test_a(): pass\n");
    tree.write("bench/other.py", "def bench_a(): pass\n");
    let found = list(&["bench/benchmark_async.py", "bench/benchmark_url.py", "bench/test_marked.py"]);
    assert_eq!(tree.discover("", &[], &[]), found);
}

/// A folder of others (`/tmp`) changes while it is searched.
#[test]
fn what_is_taken_away_during_the_search_was_never_there() {
    let tree = Tree::with(&["aBench.php"]);
    assert_eq!(
        super::still_there(super::entries(&tree.path("gone"))).map(|found| found.map(|all| all.len())).unwrap(),
        None
    );
    assert!(
        super::still_there(super::entries(&tree.path("aBench.php"))).is_err(),
        "what isn't a folder is no folder that is gone"
    );
    assert_eq!(super::still_there(super::entries(&tree.path(""))).unwrap().map(|all| all.len()), Some(1));
}

/// PHPBench's own rule where its configuration names no files: every class with subjects, whatever the file is called.
#[test]
fn with_a_configuration_of_phpbench_without_a_pattern_any_php_file_may_hold_benchmarks() {
    let tree = Tree::with(&[]);
    let class = |class: &str, body: &str| format!("<?php\n\nnamespace X;\n\n{class}\n{{\n{body}\n}}\n");
    let bench = "    public function benchA(): void {}";
    tree.write("perf/DecodeBenchmark.php", &class("final class DecodeBenchmark", bench));
    tree.write("perf/Create.php", &class("class Create", "    public function &benchB() {}"));
    tree.write("perf/Marked.php", &class("class Marked", "    /** @Subject */\n    public function a() {}"));
    tree.write("perf/Attribute.php", &class("class Attribute", "    #[Bench\\Subject]\n    public function a() {}"));
    tree.write("perf/HeirBench.php", &class("final readonly class HeirBench extends Base", ""));
    tree.write("perf/Base.php", &class("abstract class Base", bench));
    tree.write("perf/Asset.php", &class("final class Asset", "    public function make() {}"));
    tree.write("perf/notes.txt", &class("final class Notes", bench));
    assert_eq!(tree.discover("", &["perf"], &[]), list(&["perf/HeirBench.php"]), "without a configuration names count");
    tree.write("phpbench.json", r#"{"runner.path": "perf"}"#);
    let found =
        ["Attribute", "Create", "DecodeBenchmark", "HeirBench", "Marked"].map(|name| format!("perf/{name}.php"));
    let found = found.each_ref().map(String::as_str);
    assert_eq!(tree.discover("", &[], &[]), list(&found));
    tree.write("phpbench.json", r#"{"runner.path": "perf", "runner.subject_pattern": "^make"}"#);
    assert_eq!(
        tree.discover("", &[], &[]),
        list(&[
            "perf/Asset.php",
            "perf/Attribute.php",
            "perf/DecodeBenchmark.php",
            "perf/HeirBench.php",
            "perf/Marked.php"
        ])
    );
    tree.write("phpbench.json", r#"{"runner.path": "perf", "runner.file_pattern": "*Benchmark.php"}"#);
    assert_eq!(tree.discover("", &[], &[]), list(&["perf/DecodeBenchmark.php"]));
}
