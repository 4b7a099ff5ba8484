//! What needn't be measured between two revisions, since nothing that it reads or executes differs.

use std::collections::BTreeMap;

use crate::harness::Dir;

/// Cases with what is found of them: `unchanged files`, `unchanged code`, `differs`, `unproven`. `None` where the system lets nobody follow a process.
pub(crate) fn found(dir: &Dir, base: &str, candidate: &str, path: &str) -> Option<BTreeMap<String, String>> {
    let finished = dir.tare(&["compare", base, candidate, path, "--why", "--json"]).finish(0);
    if finished.stderr.contains("no case can be proven") {
        eprintln!("skipped: no process can be followed here");
        return None;
    }
    let document = finished.document().0;
    // Shown where a test fails.
    eprintln!("{}", document["cases"]);
    let cases = document["cases"].as_array().unwrap().iter().map(|case| {
        let level = case["proof"]["level"].as_str().map_or(String::new(), |level| format!(" {level}"));
        let name = case["title"].as_str().unwrap();
        (name.rsplit("::").next().unwrap().to_owned(), case["finding"].as_str().unwrap().to_owned() + &level)
    });
    Some(cases.collect())
}

fn all(finding: &str, cases: &[&str]) -> BTreeMap<String, String> {
    cases.iter().map(|case| ((*case).to_owned(), finding.to_owned())).collect()
}

/// The same, but for one case.
fn but(case: &str, finding: &str, mut others: BTreeMap<String, String>) -> BTreeMap<String, String> {
    others.insert(case.to_owned(), finding.to_owned());
    others
}

const CALC: &str = "<?php\nconst DATA = __DIR__ . '/data.txt';\nfunction add_up(array $of) { return array_sum($of); }\nfunction unused_here() { return 1; }\n";

#[test]
fn a_php_case_is_measured_where_what_it_reads_or_executes_differs() {
    let dir = Dir::repository();
    let benchmarks = "    public function benchSum(): void { add_up([1, 2]); }\n\
        \x20   public function benchData(): void { file_get_contents(DATA); }\n\
        \x20   public function benchNothing(): void { }";
    dir.file(
        "CalcBench.php",
        &format!("<?php\nrequire_once __DIR__ . '/calc.php';\nfinal class CalcBench\n{{\n{benchmarks}\n}}\n"),
    );
    dir.file("calc.php", CALC).file("data.txt", "1").file("README.md", "one").commit("one");
    let cases = ["benchSum", "benchData", "benchNothing"];
    dir.file("README.md", "two").commit("documentation");
    let Some(documented) = found(&dir, "HEAD~1", "HEAD", "CalcBench.php") else { return };
    assert_eq!(documented, all("unchanged files", &cases));
    dir.file("calc.php", &CALC.replace("function unused", "// It is seldom called.\nfunction unused"))
        .commit("comment");
    assert_eq!(found(&dir, "HEAD~1", "HEAD", "CalcBench.php").unwrap(), all("unchanged code", &cases));
    dir.file("calc.php", &CALC.replace("return 1", "return 2")).commit("what nothing calls");
    assert_eq!(found(&dir, "HEAD~1", "HEAD", "CalcBench.php").unwrap(), all("unchanged code", &cases));
    dir.file("calc.php", &CALC.replace("array_sum", "count")).commit("what is called");
    let changed = but("benchSum", "differs", all("unchanged code", &cases));
    assert_eq!(found(&dir, "HEAD~1", "HEAD", "CalcBench.php").unwrap(), changed);
    dir.file("data.txt", "2").commit("data");
    let read = but("benchData", "differs", all("unchanged files", &cases));
    assert_eq!(found(&dir, "HEAD~1", "HEAD", "CalcBench.php").unwrap(), read);
    // What the working tree has beside its commit counts, too.
    dir.file("data.txt", "3");
    assert_eq!(found(&dir, "HEAD", ".", "CalcBench.php").unwrap(), read);
}

#[test]
fn a_source_that_is_read_as_data_is_data() {
    let dir = Dir::repository();
    let bench = "<?php\nfinal class LexBench {\n    public function benchLex(): void { token_get_all(file_get_contents(__DIR__ . '/corpus/a.php')); }\n\
        \x20   public function benchCall(): void { $this->getWanted(); }\n    public function __call($n, $a) { return $this->{lcfirst(substr($n, 3))}(); }\n    public function wanted() { return 1; }\n}\n";
    dir.file("LexBench.php", bench).file("corpus/a.php", "<?php function one() { return 1; }\n").commit("one");
    dir.file("corpus/a.php", "<?php function one() { return 2; }\n").commit("two");
    let Some(found_php) = found(&dir, "HEAD~1", "HEAD", "LexBench.php") else { return };
    assert_eq!((found_php["benchLex"].as_str(), found_php["benchCall"].as_str()), ("differs", "unchanged files"));
    // A name that is cut out of another.
    dir.file("LexBench.php", &bench.replace("return 1;", "return 2;")).commit("three");
    assert_eq!(found(&dir, "HEAD~1", "HEAD", "LexBench.php").unwrap()["benchCall"], "differs");

    let dir = Dir::repository();
    let bench = "import ast, os\n\nHERE = os.path.dirname(__file__)\n\n\ndef bench_parse():\n    ast.parse(open(HERE + '/corpus/sample.py').read())\n";
    let plug = "import importlib, os\n\nALL = [importlib.import_module('plug.' + n[:-3]) for n in sorted(os.listdir(os.path.dirname(__file__))) if n[0] != '_']\n\n\ndef run():\n    return [m.go() for m in ALL]\n";
    dir.file("bench_it.py", bench).file("bench_more.py", "import plug\n\n\ndef bench_plug():\n    plug.run()\n");
    dir.file("plug/__init__.py", plug).file("plug/first.py", "def go():\n    return 1\n");
    dir.file("corpus/sample.py", "def one():\n    return 1\n").commit("one");
    dir.file("corpus/sample.py", "def one():\n    return 2\n").commit("two");
    assert_eq!(found(&dir, "HEAD~1", "HEAD", "bench_it.py").unwrap()["bench_parse"], "differs");
    assert!(found(&dir, "HEAD~1", "HEAD", "bench_more.py").unwrap()["bench_plug"].starts_with("unchanged"));
    // A module that is found by listing its folder.
    dir.file("plug/zork.py", "def go():\n    return 3\n").commit("three");
    assert_eq!(found(&dir, "HEAD~1", "HEAD", "bench_more.py").unwrap()["bench_plug"], "differs");
}

#[test]
fn a_source_that_only_a_later_call_loads_takes_the_proof_away() {
    let dir = Dir::repository();
    let bench = "<?php\nspl_autoload_register(fn ($c) => require __DIR__ . \"/$c.php\");\nfinal class LateBench {\n    private $n = 0;\n\
        \x20   public function benchFile(): void { if (++$this->n > 900) { include __DIR__ . '/late.inc'; } }\n\
        \x20   public function benchClass(): void { if (++$this->n > 900) { Later::go(); } }\n    public function benchPlain(): void { ++$this->n; }\n}\n";
    let other = "<?php class Unrelated { function next() { return 1; } }\n";
    dir.file("LateBench.php", bench).file("late.inc", "<?php return 1;\n").file("Other.php", other);
    dir.file("Later.php", "<?php class Later { static function go() { return 1; } }\n").commit("one");
    dir.file("late.inc", "<?php return 2;\n").commit("two");
    let cases = ["benchFile", "benchClass", "benchPlain"];
    let of = |found: &BTreeMap<String, String>| cases.map(|case| found[case].clone());
    let Some(included) = found(&dir, "HEAD~1", "HEAD", "LateBench.php") else { return };
    assert_eq!(of(&included), ["differs", "unchanged files", "unchanged files"]);
    dir.file("Later.php", "<?php class Later { static function go() { return 2; } }\n").commit("three");
    let loaded = found(&dir, "HEAD~1", "HEAD", "LateBench.php").unwrap();
    assert_eq!(of(&loaded), ["unchanged files", "differs", "unchanged files"]);
    // What nothing mentions costs no look into code.
    dir.file("Other.php", &other.replace("1", "2")).commit("four");
    assert_eq!(of(&found(&dir, "HEAD~1", "HEAD", "LateBench.php").unwrap()), ["unchanged files"; 3]);

    let dir = Dir::repository();
    let bench = "import importlib\n\nN = 0\n\n\ndef bench_first():\n    global N\n    N += 1\n    if N > 900:\n        import zanzi\n\n\n\
        def bench_second():\n    global N\n    N += 1\n    importlib.import_module('farther' if N > 900 else 'string')\n\n\ndef bench_plain():\n    sum([1])\n";
    dir.file("bench_late.py", bench).file("zanzi.py", "X = 1\n").file("farther.py", "X = 1\n");
    dir.file("unspoken.py", "def sum(of):\n    return 1\n").commit("one");
    let cases = ["bench_first", "bench_second", "bench_plain"];
    let of = |found: &BTreeMap<String, String>| cases.map(|case| found[case].clone());
    dir.file("zanzi.py", "X = 2\n").commit("two");
    assert_eq!(
        of(&found(&dir, "HEAD~1", "HEAD", "bench_late.py").unwrap()),
        // The name that is computed is made of none of the words that make the other one.
        ["differs", "unchanged files", "unchanged files"]
    );
    dir.file("farther.py", "X = 2\n").commit("three");
    assert_eq!(
        of(&found(&dir, "HEAD~1", "HEAD", "bench_late.py").unwrap()),
        ["unchanged files", "differs", "unchanged files"]
    );
    dir.file("unspoken.py", "def sum(of):\n    return 2\n").commit("four");
    assert_eq!(of(&found(&dir, "HEAD~1", "HEAD", "bench_late.py").unwrap()), ["unchanged files"; 3]);

    // A module that comes hides one of the standard library's, which another one of these imports while it is loaded.
    let dir = Dir::repository();
    dir.file("bench_hidden.py", "import secrets\n\n\ndef bench_compare():\n    secrets.compare_digest('a', 'a')\n")
        .commit("one");
    dir.file("hmac.py", "def compare_digest(a, b):\n    return a == b\n").commit("two");
    assert_eq!(found(&dir, "HEAD~1", "HEAD", "bench_hidden.py").unwrap()["bench_compare"], "differs");
}

/// With the folder of its library as many write it.
const PYTHON: &str = "import os\nimport sys\n\nsys.path.insert(0, os.path.join(os.path.dirname(__file__), '..'))\nimport lib\n\n\ndef bench_sum():\n    lib.add_up([1, 2])\n\n\ndef bench_data():\n    open(lib.DATA).read()\n";
const LIB: &str = "import os\n\nDATA = os.path.join(os.path.dirname(__file__), 'data.txt')\n\n\ndef add_up(of):\n    return sum(of)\n\n\ndef unused_here():\n    return 1\n";

#[test]
fn a_python_case_is_measured_where_what_it_reads_or_executes_differs() {
    let dir = Dir::repository();
    dir.file("benchmarks/bench_calc.py", PYTHON)
        .file("lib.py", LIB)
        .file("data.txt", "1")
        .file("README.md", "one")
        .commit("one");
    let cases = ["bench_sum", "bench_data"];
    dir.file("README.md", "two").commit("documentation");
    let Some(documented) = found(&dir, "HEAD~1", "HEAD", "benchmarks/bench_calc.py") else { return };
    assert_eq!(documented, all("unchanged files", &cases));
    dir.file("lib.py", &LIB.replace("return 1", "return 2")).commit("what nothing calls");
    assert_eq!(found(&dir, "HEAD~1", "HEAD", "benchmarks/bench_calc.py").unwrap(), all("unchanged code", &cases));
    dir.file("lib.py", &LIB.replace("sum(of)", "len(of)")).commit("what is called");
    let changed = but("bench_sum", "differs", all("unchanged code", &cases));
    assert_eq!(found(&dir, "HEAD~1", "HEAD", "benchmarks/bench_calc.py").unwrap(), changed);
    dir.file("data.txt", "2").commit("data");
    let read = but("bench_data", "differs", all("unchanged files", &cases));
    assert_eq!(found(&dir, "HEAD~1", "HEAD", "benchmarks/bench_calc.py").unwrap(), read);
}

/// A Go package is listed by one process that runs all of its benchmarks.
#[test]
fn a_file_that_one_go_benchmark_reads_leaves_the_others_unchanged() {
    let dir = Dir::repository();
    let benchmark = |name: &str, before: &str| {
        format!("func Benchmark{name}(b *testing.B) {{\n\t{before}\n\tfor b.Loop() {{\n\t\tsum++\n\t}}\n}}\n\n")
    };
    let read =
        |file: &str| format!("if _, err := os.ReadFile(\"testdata/{file}\"); err != nil {{\n\t\tb.Fatal(err)\n\t}}");
    let all_of = [
        benchmark("Reads", &read("one.txt")),
        benchmark(
            "Lists",
            "if all, err := os.ReadDir(\"testdata/all\"); err != nil || len(all) == 0 {\n\t\tb.Fatal(err)\n\t}",
        ),
        // Whoever asks first reads it for all.
        benchmark("Once", "once.Do(func() { shared, _ = os.ReadFile(\"testdata/shared.txt\") })"),
        benchmark("OnceMore", "once.Do(func() { shared, _ = os.ReadFile(\"testdata/shared.txt\") })"),
        benchmark("Sum", ""),
        // No proof covers what looks at its own program.
        benchmark(
            "Own",
            "own, _ := os.Executable()\n\tif _, err := os.ReadFile(own); err != nil {\n\t\tb.Fatal(err)\n\t}",
        ),
    ];
    let head = "package apart\n\nimport (\n\t\"os\"\n\t\"sync\"\n\t\"testing\"\n)\n\n\
        var (\n\tsum int\n\tonce sync.Once\n\tshared []byte\n)\n\n";
    dir.file("go.mod", "module example.test/apart\n\ngo 1.24\n")
        .file("apart_test.go", &(head.to_owned() + &all_of.concat()));
    dir.file("testdata/one.txt", "1").file("testdata/shared.txt", "1").file("testdata/all/one.txt", "1").commit("one");
    let cases = ["BenchmarkReads", "BenchmarkLists", "BenchmarkOnce", "BenchmarkOnceMore", "BenchmarkSum"];
    // Each checkout has its path in its program.
    let unchanged = || but("BenchmarkOwn", "unproven", all("unchanged code", &cases));
    dir.file("testdata/one.txt", "2").commit("data of one");
    let Some(read) = found(&dir, "HEAD~1", "HEAD", ".") else { return };
    assert_eq!(read, but("BenchmarkReads", "differs", unchanged()));
    dir.file("testdata/shared.txt", "2").commit("data of two");
    let both = but("BenchmarkOnce", "differs", but("BenchmarkOnceMore", "differs", unchanged()));
    assert_eq!(found(&dir, "HEAD~1", "HEAD", ".").unwrap(), both);
    dir.file("testdata/all/two.txt", "2").commit("a listing");
    assert_eq!(found(&dir, "HEAD~1", "HEAD", ".").unwrap(), but("BenchmarkLists", "differs", unchanged()));
    dir.file("README.md", "of none").commit("documentation");
    assert_eq!(found(&dir, "HEAD~1", "HEAD", ".").unwrap(), unchanged());
}

#[test]
fn a_commit_that_changes_documentation_measures_nothing_and_passes_its_gates() {
    let dir = Dir::repository();
    dir.good().file("README.md", "one").commit("one");
    dir.file("README.md", "two").commit("two");
    let gated = ["--control", "--fail-on", "slower=2%", "--fail-on", "inconclusive"];
    let shown = dir.tare(&[&["compare", "HEAD~1", "HEAD", "GoodBench.php", "--json"], &gated[..]].concat()).finish(0);
    if shown.stderr.contains("no case can be proven") {
        return;
    }
    assert!(shown.stderr.contains("looking for cases that needn't be measured: 0 of 1"), "{shown}");
    assert!(shown.stderr.contains("looking for cases that needn't be measured: 1 of 1"), "{shown}");
    let document = shown.document().0;
    let compared = &document["comparisons"][0];
    assert_eq!((&compared["verdict"], compared["ratio"].is_null()), (&"unchanged".into(), true), "{compared}");
    assert_eq!(compared["proof"]["level"], "files");
    // What was seen of the base holds of the candidate, which is the base of the next comparison.
    assert_eq!(std::fs::read_dir(dir.path().join(".tare/reach")).unwrap().count(), 2);
    // It is stored, and shown again.
    dir.tare(&["show"]).finish(0).says_once(&["is unchanged: nothing that it executes or reads differs"]);
    // A limit of its own figures has to be measured.
    dir.file("tare.toml", "[[limit]]\ncase = \"GoodBench\"\nmax-time = \"1s\"\n");
    let why = dir.tare(&["compare", "HEAD~1", "HEAD", "GoodBench.php", "--why"]).finish(0);
    why.says_once(&["a limit asks for its figures"]);
    // The option takes what follows it.
    dir.tare(&["compare", "HEAD~1", "HEAD", "--why", "GoodBench.php"])
        .finish(2)
        .says_once(&["write paths before --why"]);
    let finished = dir.tare(&["compare", "HEAD~1", "HEAD", "GoodBench.php", "--why", "NoSuchThing"]).finish(2);
    finished.says_once(&["--why NoSuchThing: it matches no case"]);
}

#[test]
fn a_side_that_cannot_be_prepared_is_told_where_reasons_are_asked() {
    let dir = Dir::repository();
    dir.file("ABench.php", "<?php\nfinal class ABench { public function benchA(): void { } }\n").commit("one");
    let asked = ["compare", "HEAD", ".", "ABench.php", "--prepare", "echo what went wrong; exit 3", "--why"];
    let told = dir.tare(&asked).finish(4).stderr;
    assert!(told.contains("what went wrong"), "{told}");
}

const APPENDING: &str = "import os\n\nDATA = os.path.join(os.path.dirname(__file__), 'data.txt')\nopen(DATA, 'a').close()\n\n\n\
    def bench_data():\n    open(DATA).read()\n\n\ndef bench_nothing():\n    pass\n";

#[test]
fn a_file_that_was_there_and_is_changed_while_sources_load_is_read_by_the_case_for_all_that() {
    let dir = Dir::repository();
    dir.file("bench_data.py", APPENDING).file("data.txt", "1").commit("one");
    dir.file("data.txt", "2").commit("data");
    let Some(shown) = found(&dir, "HEAD~1", "HEAD", "bench_data.py") else { return };
    assert!(!shown["bench_data"].starts_with("unchanged"), "{shown:?}");
}

#[test]
fn a_source_that_git_ignores_and_another_call_can_load_takes_the_proof_away() {
    let dir = Dir::repository();
    let bench = "import lib\n\n\ndef bench_sum(kind=''):\n    if kind:\n        import plug\n    lib.add_up([1, 2])\n";
    dir.file(".gitignore", "zuq/\n").file("bench_calc.py", bench).file("lib.py", LIB).commit("one");
    dir.file("lib.py", &LIB.replace("return 1", "return 2")).commit("what nothing calls");
    let prepared = |made: &str| {
        dir.file("tare.toml", &format!("[compare]\nprepare = \"mkdir -p zuq && echo {made} > zuq/plug.py\"\n"));
        found(&dir, "HEAD~1", "HEAD", "bench_calc.py").map(|found| found["bench_sum"].clone())
    };
    // The same on both sides, in a folder that nothing names; another on each.
    let Some(equal) = prepared("1") else { return };
    assert_eq!(equal, "unchanged code");
    assert_eq!(prepared("$(git rev-parse HEAD)").unwrap(), "unchanged code");
    dir.file("bench_calc.py", &bench.replace("import plug", "from zuq import plug")).commit("named");
    dir.file("lib.py", LIB).commit("what nothing calls");
    assert_eq!(prepared("1").unwrap(), "unchanged code");
    assert_eq!(prepared("$(git rev-parse HEAD)").unwrap(), "differs");
}

/// What is unchanged was never begun, and isn't where measured cases are.
#[test]
fn a_comparison_with_unchanged_cases_is_gone_on_with() {
    let dir = Dir::repository();
    let slow = |times: u32| {
        format!("    public function benchSlow(): void {{ for ($i = 0; $i < {times}; ++$i) {{ md5('x'); }} }}")
    };
    dir.good().php("SlowBench", &slow(40_000)).commit("one");
    dir.php("SlowBench", &slow(50_000)).commit("two");
    if found(&dir, "HEAD~1", "HEAD", ".").is_none_or(|found| found["benchSlow"] != "differs") {
        return;
    }
    let mut running = dir.tare(&["compare", "HEAD~1", "HEAD", ".", "--launches", "8"]).start();
    dir.wait_until("some launches are stored", || running.has_ended() || dir.launches().len() >= 4);
    running.signal(rustix::process::Signal::INT);
    assert_eq!(running.wait().status, Some(130));
    let document = dir.tare(&["run", "--resume", "--json"]).finish(0).document().0;
    let [same, slow] = [0, 1].map(|at| &document["comparisons"][at]);
    assert_eq!(same["verdict"], "unchanged", "{document:#}");
    assert!(slow["pairs"].as_u64().is_some_and(|pairs| pairs >= 8), "{document:#}");
}

/// Looks take a part of the time that was given; what isn't looked at is measured as any other case.
#[test]
fn looks_end_with_their_part_of_the_total() {
    let dir = Dir::repository();
    let methods: String =
        (0..4).map(|n| format!("    public function benchNap{n}(): void {{ usleep(400000); }}\n")).collect();
    dir.file("NapBench.php", &format!("<?php\nfinal class NapBench\n{{\n{methods}}}\n")).commit("one");
    dir.file("README.md", "words").commit("documentation");
    let finished =
        dir.tare(&["compare", "HEAD~1", "HEAD", "NapBench.php", "--total", "1s", "--no-store"]).start().wait();
    if finished.stderr.contains("no case can be proven") {
        eprintln!("skipped: no process can be followed here");
        return;
    }
    assert!(finished.stderr.contains("--total was too short to look at"), "{finished}");
    // Without a total all are looked at.
    let whole = dir.tare(&["compare", "HEAD~1", "HEAD", "NapBench.php", "--no-store"]).finish(0);
    assert!(whole.stdout.contains("All 4 benchmarks are unchanged"), "{whole}");
}

/// Both sides are listed at once, but what lies at one place isn't loaded twice at a time.
#[test]
fn a_source_that_only_one_process_can_load_at_a_time_is_listed_on_both_sides() {
    let dir = Dir::repository();
    let lock = dir.path().join("the.lock");
    let text = |name: &str| {
        format!(
            "<?php\n$lock = fopen('{}', 'x');\nif ($lock === false) {{ throw new RuntimeException('locked'); }}\nusleep(50000);\nunlink('{}');\nfinal class \
             {name} {{\n    public function benchOne(): void {{}}\n}}\n",
            lock.display(),
            lock.display()
        )
    };
    dir.file("LockBench.php", &text("LockBench")).commit("one");
    dir.file("README.md", "words").commit("documentation");
    for _ in 0..3 {
        let Some(found) = found(&dir, "HEAD~1", "HEAD", ".") else { return };
        assert!(found["benchOne"].starts_with("unchanged"), "{found:?}");
    }
}
