//! Go benchmarks that end the process in which they are listed: each is named, and the others are measured.

use serde_json::json;

use crate::harness::{Dir, TestCommand, assert_failure, go_cache};

const HEAD: &str = "package ending\n\nimport (\n\t\"os\"\n\t\"testing\"\n\t\"time\"\n)\n\nvar started = time.Now()\n";

const ENDING: &str = r#"
func BenchmarkBefore(b *testing.B) {
	for i := 0; i < b.N; i++ {
		os.Getpid()
	}
}

func BenchmarkExits(b *testing.B) { os.Exit(3) }

func BenchmarkSubs(b *testing.B) {
	b.Run("fine", func(b *testing.B) {
		for i := 0; i < b.N; i++ {
			os.Getpid()
		}
	})
	b.Run("stuck", func(b *testing.B) { <-make(chan bool) })
}

func BenchmarkPanicsElsewhere(b *testing.B) {
	go func() { panic("in a goroutine of its own") }()
	time.Sleep(time.Hour)
}

func BenchmarkAfter(b *testing.B) {
	for i := 0; i < b.N; i++ {
		os.Getpid()
	}
}
"#;

/// A module with these benchmarks; `None` where there is no Go, which is said.
pub(crate) fn module(body: &str) -> Option<Dir> {
    if go_cache().is_none() {
        eprintln!("skipped: there is no go");
        return None;
    }
    let dir = Dir::new();
    dir.file("go.mod", "module example.test/ending\n\ngo 1.21\n").file("ending_test.go", &format!("{HEAD}{body}"));
    Some(dir)
}

/// `tare run` of it.
pub(crate) fn run<'a>(dir: &'a Dir, arguments: &[&str]) -> TestCommand<'a> {
    dir.run(&[&["./..."], arguments].concat())
}

#[test]
fn each_is_named_and_the_others_are_measured() {
    let Some(dir) = module(ENDING) else { return };
    let shown = run(&dir, &[]).finish(4);
    let failures = [
        ("ending_test.go:17", "listing BenchmarkExits: the process ended with status 3"),
        ("ending_test.go:25", "listing BenchmarkSubs/stuck: "),
        (
            "ending_test.go:28",
            "listing BenchmarkPanicsElsewhere: the process ended with status 2 and without an answer: panic: in a goroutine of its own",
        ),
    ];
    for (place, message) in failures {
        shown.says_once(&[&format!("failed: {place}"), message]);
    }
    let stored = dir.stored();
    for name in ["BenchmarkBefore", "BenchmarkSubs/fine", "BenchmarkAfter"] {
        stored.assert_measured(name);
    }
    assert_eq!(stored.cases().len(), 3);
    // What couldn't be listed is stored, too, and counted.
    assert_eq!(stored.0["failures"].as_array().unwrap().len(), 3, "{:#}", stored.0["failures"]);
    assert_eq!(dir.tare(&["log", "--json"]).finish(0).document().0["runs"][0]["failed"], 3);
    dir.tare(&["show"]).finish(0).says_once(&["listing BenchmarkExits: the process ended with status 3"]);

    let document = run(&dir, &["--json"]).finish(4).document();
    assert_eq!(document.cases().len(), 3);
    let told = document.0["failures"].as_array().unwrap();
    assert_eq!(told.len(), 3, "{told:#?}");
    for (failure, (place, message)) in told.iter().zip(failures) {
        let line: u64 = place.rsplit_once(':').unwrap().1.parse().unwrap();
        assert_failure(failure, &json!({"kind": "exit", "message": message, "file": "ending_test.go", "line": line}));
    }

    assert_failure(&told[1], &json!({"message": "fatal error: all goroutines are asleep - deadlock!"}));
    assert_failure(&told[1], &json!({"stderr": "all goroutines are asleep - deadlock!"}));

    // Those that the filter leaves out may end as they like.
    run(&dir, &["--filter", "Before|fine"]).finish(0).never_says(&["failed", "listing"]);
    run(&dir, &["--filter", "Before|Exits"]).finish(4).says_once(&["listing BenchmarkExits"]);
}

#[test]
fn a_package_that_ends_again_and_again_is_given_up() {
    let ends: String = (1..=7).map(|n| format!("\nfunc BenchmarkEnds{n}(b *testing.B) {{ os.Exit({n}) }}\n")).collect();
    let Some(dir) = module(&ends) else { return };
    let shown = run(&dir, &[]).finish(4);
    for n in 1..=5 {
        shown.says_once(&[&format!("listing BenchmarkEnds{n}: the process ended with status {n}")]);
    }
    shown
        .says_once(&["the worker ended in each of 5 tries to list the benchmarks of this file"])
        .never_says(&["BenchmarkEnds6"]);
}

/// `go test ./...` says nothing of such packages either, and ends well.
#[test]
fn packages_that_build_constraints_exclude_are_told_and_no_failure() {
    let body = "func BenchmarkHere(b *testing.B) { _ = os.Args; _ = time.Now; for i := 0; i < b.N; i++ {\n} }\n";
    let Some(dir) = module(body) else { return };
    let excluded = "//go:build never\n\npackage there\n\nimport \"testing\"\n\nfunc BenchmarkThere(b *testing.B) { for i := 0; i < b.N; i++ {\n} }\n";
    dir.file("there/there_test.go", excluded)
        .file("tests/plain.go", "package there\n")
        .file("tests/there_test.go", &excluded.replace("There", "Tests"));
    let document = run(&dir, &["--json"]).finish(0).document();
    assert_eq!(document.cases().len(), 1);
    let notices: Vec<_> =
        document.0["notices"].as_array().unwrap().iter().map(|notice| notice["message"].as_str().unwrap()).collect();
    assert_eq!(notices.len(), 2, "{notices:?}");
    assert!(notices.iter().any(|told| told.contains("there is left out: build constraints exclude all of its files")));
    assert!(notices.iter().any(|told| told.contains("tests is left out: build constraints exclude its test files")));

    // With the tag they are there.
    let document = run(&dir, &["--json", "--runtime", "tagged=go -tags=never"]).finish(0).document();
    assert_eq!(document.cases().len(), 3);
}

#[test]
fn packages_with_benchmarks_of_one_name_are_told_apart() {
    let benchmark = |name: &str| {
        format!("func Benchmark{name}(b *testing.B) {{ for i := 0; i < b.N; i++ {{\n_ = make([]byte, i%100)\n}} }}\n")
    };
    let root = format!("{}{}\nvar _, _ = os.Args, time.Now\n", benchmark("Parse"), benchmark("Root"));
    let Some(dir) = module(&root) else { return };
    for (folder, own) in [("codec", "Codec"), ("text/inner", "Inner")] {
        let text = format!("package p\n\nimport \"testing\"\n\n{}{}", benchmark("Parse"), benchmark(own));
        dir.file(&format!("{folder}/p_test.go"), &text);
    }
    let measured = |arguments: &[&str]| {
        let document = run(&dir, arguments).finish(0).document();
        let mut names: Vec<String> =
            document.cases().iter().map(|case| case["benchmark"].as_str().unwrap().to_owned()).collect();
        names.sort_unstable();
        (names, document)
    };
    let parse = ["BenchmarkParse", "codec::BenchmarkParse", "text/inner::BenchmarkParse"];
    let (names, document) = measured(&["--json"]);
    assert_eq!(names, ["BenchmarkCodec", "BenchmarkInner", parse[0], "BenchmarkRoot", parse[1], parse[2]]);
    let codec = document.case(parse[1]);
    assert_eq!(
        (&codec["id"], &codec["file"], &codec["status"]),
        (&json!("go/codec::BenchmarkParse"), &json!("codec/p_test.go"), &json!("ok"))
    );
    // What the filter leaves out has no part in the names of the others; either form of a name can be asked for.
    assert_eq!(measured(&["--json", "--filter", "^BenchmarkParse"]).0, parse);
    assert_eq!(measured(&["--json", "--filter", "codec::BenchmarkParse"]).0, [parse[1]]);
}

#[test]
fn a_namesake_of_one_revision_does_not_change_what_is_paired() {
    let Some(dir) = module("var _ = os.Args\n\nfunc TestNothing(t *testing.T) {}\n") else { return };
    dir.git(&["init", "--quiet", "--initial-branch", "main"]);
    let benchmark = |package: &str| {
        let body = "for i := 0; i < b.N; i++ {\n_ = make([]byte, i%100)\n}";
        format!("package {package}\n\nimport \"testing\"\n\nfunc BenchmarkParse(b *testing.B) {{ {body} }}\n")
    };
    dir.file("codec/p_test.go", &benchmark("p")).commit("base");
    // One of the same name, where the first side has none.
    dir.file("p_test.go", &benchmark("ending")).commit("candidate");
    for folder in [".", "codec"] {
        let mut command = dir.compare("HEAD~1", "HEAD", &["--json"]);
        command.command.arg(dir.path()).current_dir(dir.path().join(folder));
        let document = command.finish(0).document().0;
        let pairs = document["comparisons"].as_array().unwrap();
        assert_eq!(pairs.len(), 1, "{document:#}");
        for end in ["base", "candidate"] {
            let id = pairs[0][end].as_str().unwrap();
            assert!(id.starts_with("go/codec::BenchmarkParse"), "{folder}: {end} {id}");
        }
    }
}

#[test]
fn namesakes_of_two_packages_are_no_pair_of_stored_runs() {
    let Some(dir) = module("var _ = os.Args\n\nfunc BenchmarkParse(b *testing.B) { for range make([]int, b.N) {} }\n")
    else {
        return;
    };
    let of_codec =
        "package p\n\nimport \"testing\"\n\nfunc BenchmarkParse(b *testing.B) { for range make([]int, b.N) {} }\n";
    dir.file("codec/p_test.go", of_codec);
    // Alone, and beside that of the root, where its name has a prefix.
    for (path, tag) in [("./codec", "alone"), ("./...", "both")] {
        dir.run(&[path, "--tag", tag]).finish(0);
    }
    let document = dir.tare(&["compare", "run:alone", "run:both", "--json"]).finish(0).document().0;
    let pairs = document["comparisons"].as_array().unwrap();
    assert_eq!(pairs.len(), 1, "{document:#}");
    assert_eq!(
        (&pairs[0]["base"], &pairs[0]["candidate"]),
        (&json!("go/BenchmarkParse@alone"), &json!("go/codec::BenchmarkParse@both"))
    );
    assert_eq!(document["unpaired"].as_array().map(Vec::len), Some(1), "{document:#}");
}

#[test]
fn packages_that_share_a_suite_are_paired_with_themselves_from_whichever_folder() {
    let Some(dir) = module("var _, _ = os.Args, time.Now\n") else { return };
    // The functions that are called stand in one folder, whichever package they are called for.
    let suite = "package storetest\n\nimport \"testing\"\n\nfunc Run(b *testing.B, size int) {\n\tb.Run(\"Get\", func(b *testing.B) {\n\t\tfor i := 0; i < b.N; i++ {\n\t\t\t_ = make([]byte, size)\n\t\t}\n\t})\n}\n";
    dir.file("tare.toml", "").file("storetest/suite.go", suite);
    for (package, size) in [("mem", 10), ("redis", 1000)] {
        let text = format!(
            "package {package}\n\nimport (\n\t\"testing\"\n\n\t\"example.test/ending/storetest\"\n)\n\nfunc BenchmarkStore(b *testing.B) {{ storetest.Run(b, {size}) }}\n"
        );
        dir.file(&format!("{package}/p_test.go"), &text);
    }
    for (folder, path, tag) in [(".", "./...", "all"), (".", "./...", "again"), ("redis", ".", "redis")] {
        let mut command = dir.run(&[path, "--tag", tag]);
        command.command.current_dir(dir.path().join(folder));
        command.finish(0);
    }
    let paired = |base: &str, candidate: &str| {
        let sides = [base, candidate].map(|tag| format!("run:{tag}"));
        let document = dir.tare(&["compare", &sides[0], &sides[1], "--json"]).finish(0).document().0;
        let mut pairs: Vec<[String; 2]> = document["comparisons"]
            .as_array()
            .unwrap()
            .iter()
            .map(|pair| ["base", "candidate"].map(|end| pair[end].as_str().unwrap().to_owned()))
            .collect();
        pairs.sort_unstable();
        (pairs, document["unpaired"].as_array().map_or(0, Vec::len))
    };
    let get = |name: &str, tag: &str| format!("go/{name}BenchmarkStore/Get@{tag}");
    let both = ["mem::", "redis::"].map(|package| [get(package, "all"), get(package, "again")]);
    assert_eq!(paired("all", "again"), (both.to_vec(), 0));
    assert_eq!(paired("all", "redis"), (vec![[get("redis::", "all"), get("", "redis")]], 1));
    assert_eq!(paired("redis", "all"), (vec![[get("", "redis"), get("redis::", "all")]], 1));
}

/// What fails in one place says nothing of other languages, nor of other benchmarks where its name is known.
#[test]
fn a_benchmark_that_ends_the_listing_holds_back_its_own_name_alone() {
    let body = |work: &str, more: &str| {
        let runs = "for i := 0; i < b.N; i++ {\n_ = make([]byte, i%100)\n}";
        format!(
            "{HEAD}func BenchmarkExits(b *testing.B) {{ os.Exit(3) }}\n\nfunc BenchmarkWork(b *testing.B) {{ {work} }}\n\nfunc Benchmark{more}(b *testing.B) {{ {runs} }}\n\nfunc BenchmarkBoth(b *testing.B) {{ {runs} }}\n"
        )
    };
    let Some(dir) = module("") else { return };
    dir.git(&["init", "--quiet", "--initial-branch", "main"]);
    dir.file("ending_test.go", &body("os.Exit(4)", "WorkOld")).commit("base");
    dir.good().file("ending_test.go", &body("for i := 0; i < b.N; i++ {\n}", "WorkNew")).commit("candidate");
    let shown = dir.compare("HEAD~1", "HEAD", &["."]).finish(4);
    shown.says_once(&[
        "not measured, because files of HEAD~1 failed to load, and these may contain the counterparts of: BenchmarkWork",
        "only in go HEAD~1: BenchmarkWorkOld",
        "only in go HEAD: BenchmarkWorkNew",
        "only in php HEAD: GoodBench::benchGood",
    ]);
    shown.never_says(&["and HEAD couldn't load", "compared with: BenchmarkWork,"]);
    let stored = dir.stored();
    let compared = stored.0["comparisons"].as_array().unwrap();
    assert_eq!(compared.len(), 1, "{:#}", stored.0);
    let measured = stored.statuses();
    assert!(measured.len() == 5 && measured.values().all(|status| *status == "ok"), "{measured:?}");
}

/// `TestMain` that ends with status 0 has nothing to run here: `go test ./...` is content with it, too.
#[test]
fn a_package_that_opts_out_is_told_and_no_failure() {
    let body = "func BenchmarkHere(b *testing.B) { _ = os.Args; _ = time.Now; for i := 0; i < b.N; i++ {\n} }\n";
    let Some(dir) = module(body) else { return };
    let out = "package out\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestMain(m *testing.M) { os.Exit(0) }\n\nfunc BenchmarkOut(b *testing.B) { for i := 0; i < b.N; i++ {\n} }\n";
    dir.file("out/out_test.go", out);
    let document = run(&dir, &["--json"]).finish(0).document();
    assert_eq!(document.statuses().into_iter().collect::<Vec<_>>(), [("BenchmarkHere", "ok")]);
    let notices = document.0["notices"].as_array().unwrap();
    assert_eq!(notices.len(), 1, "{notices:?}");
    let told = notices[0]["message"].as_str().unwrap();
    assert!(told.contains("out is left out: its TestMain ended with status 0 before any benchmark ran"), "{told}");
}
