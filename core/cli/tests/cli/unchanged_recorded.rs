//! Cases that execute or read what no name leads to: a look has to see it.

use crate::harness::Dir;

/// Sources of one benchmark before and after a change, by path.
type Files = [(&'static str, &'static str, &'static str)];

/// What is found of the only case of `bench` where those files differ. `None` where the system lets nobody follow a process.
fn finding(bench: (&str, &str), files: &Files) -> Option<String> {
    let dir = Dir::repository();
    dir.file(bench.0, bench.1);
    for (path, before, _) in files {
        dir.file(path, before);
    }
    dir.commit("one");
    for (path, _, after) in files {
        dir.file(path, after);
    }
    dir.commit("two");
    let finished = dir.tare(&["compare", "HEAD~1", "HEAD", bench.0, "--why", "--json"]).finish(0);
    if finished.stderr.contains("no case can be proven") {
        eprintln!("skipped: no process can be followed here");
        return None;
    }
    let document = finished.document().0;
    assert_eq!(document["cases"].as_array().unwrap().len(), 1, "{document:#}");
    Some(document["cases"][0]["finding"].as_str().unwrap().to_owned())
}

fn php(body: &str, lib: (&'static str, &'static str), others: &Files) -> Option<String> {
    let bench = format!(
        "<?php\nrequire_once __DIR__ . '/lib.php';\nfinal class ABench {{ public function benchA() {{ {body} }} }}\n"
    );
    finding(("ABench.php", &bench), &[&[("lib.php", lib.0, lib.1)], others].concat())
}

const SMALL: &str = "return 1;";

/// The same with other work in it.
fn slower(text: &'static str) -> (&'static str, &'static str) {
    (text, text.replace(SMALL, "return str_repeat('a', 9);").leak())
}

#[test]
fn a_php_function_that_ran_counts_however_it_was_named() {
    let listed = "foreach (glob(__DIR__ . '/plug/*.php') as $file) { require_once $file; $name = basename($file, '.php'); (new $name)->go(); }";
    let cut = "<?php function makes($text) { return strrev($text); }\nfunction calls($name) { return $name(); }\nfunction qwz() { return 1; }\n";
    let cases = [
        ("cut in one unit, called in another", php("return calls(makes('zwq'));", slower(cut), &[])),
        (
            "named by a listed file",
            php(
                listed,
                ("<?php", "<?php"),
                &[(
                    "plug/Gibbon.php",
                    "<?php class Gibbon { function go() { return 1; } }",
                    "<?php class Gibbon { function go() { return 2; } }",
                )],
            ),
        ),
        (
            "a constant of a class that is made by a computed name",
            php(
                "$name = strrev('ogniz'); return $name::A;",
                ("<?php class Zingo { const A = 1; }", "<?php class Zingo { const A = 2; }"),
                &[],
            ),
        ),
    ];
    for (what, found) in cases {
        let Some(found) = found else { return };
        assert_eq!(found, "differs", "{what}");
    }
    // One that didn't run, and that nothing names.
    let idle = php("return 2;", slower("<?php function idle() { return 1; }\n"), &[]).unwrap();
    assert_eq!(idle, "unchanged");
}

#[test]
fn numbers_of_lines_count_nowhere() {
    let lines = |text: &'static str| (text, text.replacen("<?php", "<?php\n\n\n", 1).leak() as &'static str);
    let asks = "<?php function asks() { throw new Exception('x' . debug_backtrace()[0]['line']); }\n";
    let Some(found) = php("try { asks(); } catch (Exception $e) { return \"$e\"; }", lines(asks), &[]) else { return };
    assert_eq!(found, "unchanged");
}

#[test]
fn a_php_definition_counts_where_it_stands() {
    let cases = [
        (
            "a branch",
            php(
                "return function_exists(strrev('gg')) ? 1 : 2;",
                (
                    "<?php if (PHP_VERSION_ID < 1) { function gg() { return 1; } } else { }",
                    "<?php if (PHP_VERSION_ID < 1) { } else { function gg() { return 1; } }",
                ),
                &[],
            ),
        ),
        (
            "a namespace",
            php(
                "return App\\run();",
                (
                    "<?php namespace App { function run() { return strlen('abc'); } function strlen($x) { return 7; } }\nnamespace Other { }\n",
                    "<?php namespace App { function run() { return strlen('abc'); } }\nnamespace Other { function strlen($x) { return 7; } }\n",
                ),
                &[],
            ),
        ),
        (
            "the order of listed methods",
            php(
                "return (new A)->{get_class_methods('A')[0]}();",
                (
                    "<?php class A { function a() { return 1; }\n function b() { return 2; } }",
                    "<?php class A { function b() { return 2; }\n function a() { return 1; } }",
                ),
                &[],
            ),
        ),
    ];
    for (what, found) in cases {
        let Some(found) = found else { return };
        assert_eq!(found, "differs", "{what}");
    }
}

#[test]
fn a_php_source_that_is_included_and_read_is_data_too() {
    let comment = ("<?php function q() { return 1; }\n", "<?php // More.\nfunction q() { return 1; }\n");
    let cases = [
        php("return file_get_contents(dirname(__FILE__) . '/lib.php');", comment, &[]),
        php("foreach (get_included_files() as $file) { md5_file($file); }", comment, &[]),
    ];
    for found in cases {
        let Some(found) = found else { return };
        assert_eq!(found, "differs");
    }
    assert_eq!(php("return q();", comment, &[]).unwrap(), "unchanged");
}

#[test]
fn sizes_and_modes_count_while_sources_are_loaded() {
    let size = "<?php define('SIZE', filesize(__DIR__ . '/data.bin'));";
    let Some(found) = php("return SIZE;", (size, size), &[("data.bin", "x", "xxx")]) else { return };
    assert_eq!(found, "differs");
    let there = "<?php define('THERE', is_file(__DIR__ . '/data.bin'));";
    assert_eq!(php("return THERE;", (there, there), &[("data.bin", "x", "xxx")]).unwrap(), "unchanged");

    let dir = Dir::repository();
    let bench = "import os\n\nMAY = os.access('run.sh', os.X_OK)\n\n\ndef bench_may():\n    return MAY\n";
    dir.file("bench_may.py", bench).file("run.sh", "echo\n").commit("one");
    let path = dir.path().join("run.sh");
    std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    dir.commit("two");
    let why = dir.tare(&["compare", "HEAD~1", "HEAD", "bench_may.py", "--why"]).finish(0);
    why.says_once(&["`run.sh` may be executed on one side alone"]);
}

#[test]
fn a_python_folder_counts_whole_where_code_lists_it_and_a_source_where_code_reads_it() {
    let python = |body: &str, files: &Files| {
        let bench = format!("import os, lib\n\nHERE = os.path.dirname(os.path.abspath(__file__))\n\n\n{body}\n");
        finding(("bench_a.py", &bench), &[&[("lib.py", "import os\n", "import os\n")], files].concat())
    };
    let new: &Files = &[("notes.txt", "x", "x"), ("lib.py", "import os\n", "import os\n# More.\n")];
    // The word alone lists nothing.
    let Some(found) = python("def bench_a():\n    'It would call listdir.'\n    return 1", new) else { return };
    assert_eq!(found, "unchanged");
    let reads =
        "def bench_a():\n    return len(getattr(os.path, 'ex' + 'ists')(HERE) and open(HERE + '/lib.py').read())";
    assert_eq!(python(reads, new).unwrap(), "differs");
    let loader = "def bench_a():\n    return len(lib.__spec__.loader.get_data(lib.__spec__.origin))";
    assert_eq!(python(loader, new).unwrap(), "differs");

    let listing = |body: &str| {
        let dir = Dir::repository();
        let bench = format!("import os, lib\n\nHERE = os.path.dirname(os.path.abspath(__file__))\n\n\n{body}\n");
        dir.file("bench_a.py", &bench).file("lib.py", "ONE = 1\n").commit("one");
        dir.file("notes.txt", "x").commit("two");
        let document = dir.tare(&["compare", "HEAD~1", "HEAD", "bench_a.py", "--why", "--json"]).finish(0).document().0;
        document["cases"][0]["finding"].as_str().unwrap().to_owned()
    };
    assert_eq!(listing("ALL = getattr(os, 'list' + 'dir')(HERE)\n\n\ndef bench_a():\n    return ALL"), "differs");
    assert_eq!(listing("def bench_a():\n    'glob, listdir'\n    return lib.ONE"), "unchanged");
}

/// A worker in the program asks whether it is the file that is to be loaded. It mustn't look at the file for that: a program that looks at itself is measured.
#[test]
fn a_cpp_program_whose_comments_alone_differ_is_unchanged() {
    let dir = Dir::repository();
    let source = "#include <tare/benchmark.h>\nstatic void Loop(benchmark::State &state) { for (auto _ : state) { benchmark::DoNotOptimize(&state); } }\nBENCHMARK(Loop);\nBENCHMARK_MAIN();\n";
    let include = concat!(env!("CARGO_MANIFEST_DIR"), "/../../sdk/cpp/include");
    dir.file(".gitignore", "bench\n");
    dir.file("bench.cc", source);
    dir.file(
        "tare.toml",
        &format!(
            "[run]\nbuild = \"g++ -std=c++17 -O1 -pthread -I'{include}' bench.cc -o bench\"\npaths = [\"bench\"]\n"
        ),
    );
    dir.commit("one");
    dir.file("bench.cc", &format!("// Said anew.\n{source}"));
    dir.commit("two");
    let finished = dir.tare(&["compare", "HEAD~1", "HEAD", "--why", "--json"]).finish(0);
    if finished.stderr.contains("no case can be proven") {
        eprintln!("skipped: no process can be followed here");
        return;
    }
    assert_eq!(finished.document().0["cases"][0]["finding"], "unchanged", "{:#}", finished.document().0);
}

#[test]
fn what_the_candidate_alone_executes_takes_the_proof_away() {
    // The name of the method that comes stands nowhere in the base.
    const BENCH: &str = "class Shape:\n    def area(self):\n        return 1\nNAME = 'on_zwqx'\ndef bench_shape():\n    found = getattr(Shape(), NAME[3:], None)\n    return found() if found else 1\n";
    let more =
        BENCH.replace("        return 1\n", "        return 1\n    def zwqx(self):\n        return sum(range(999))\n");
    let found = finding(("bench_a.py", ""), &[("bench_a.py", BENCH, more.leak())]);
    assert!(found.is_none_or(|found| found == "differs"));
    // One that nothing calls doesn't.
    let unused = BENCH.replace("        return 1\n", "        return 1\n    def vorpal(self):\n        return 2\n");
    let found = finding(("bench_a.py", ""), &[("bench_a.py", BENCH, unused.leak())]);
    assert!(found.is_none_or(|found| found == "unchanged"));
}
