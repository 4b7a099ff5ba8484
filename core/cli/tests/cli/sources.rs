//! Files that can't be loaded, providers that give nothing, nothing to measure: one message each, the rest is measured.

use serde_json::json;

use crate::harness::{Dir, assert_failure};

#[test]
fn a_syntax_error_is_told_with_its_line_and_the_other_files_are_measured() {
    let dir = Dir::new();
    dir.good().file(
        "SyntaxBench.php",
        "<?php\nfinal class SyntaxBench\n{\n    public function benchA() { return 1 +; }\n}\n",
    );
    let shown = dir.run(&["."]).finish(4);
    shown.says_once(&[
        "SyntaxBench.php:4",
        "syntax error, unexpected token \";\"",
        "correct the source; the runtime's own syntax check shows the same error",
    ]);
    dir.stored().assert_measured("GoodBench::benchGood");

    let document = dir.run(&[".", "--json"]).finish(4).document();
    document.assert_measured("GoodBench::benchGood");
    assert_eq!(document.0["failures"].as_array().unwrap().len(), 1);
    assert_failure(&document.0["failures"][0], &json!({"kind": "syntax", "file": "SyntaxBench.php", "line": 4}));
}

#[test]
fn where_nothing_but_a_syntax_error_is_found_it_is_told_all_the_same() {
    let dir = Dir::new();
    dir.file("SyntaxBench.php", "<?php\nfinal class SyntaxBench {\n");
    let shown = dir.run(&["."]).finish(4);
    assert_eq!(shown.stdout, "");
    shown.says_once(&["tare: SyntaxBench.php:3: "]);
    let document = dir.run(&[".", "--json"]).finish(4).document();
    assert_eq!(document.0["format"], "tare.run");
    assert_eq!(document.cases().len(), 0);
    assert_failure(&document.0["failures"][0], &json!({"kind": "syntax", "file": "SyntaxBench.php", "line": 3}));
    let document = dir.tare(&["list", ".", "--json"]).finish(4).document();
    assert_failure(&document.0["failures"][0], &json!({"kind": "syntax", "file": "SyntaxBench.php", "line": 3}));
}

#[test]
fn a_file_that_ends_the_process_while_it_is_loaded_takes_no_other_with_it() {
    let dir = Dir::new();
    dir.good().file("ExitsBench.php", "<?php\necho 'so long';\nexit(3);\n");
    let shown = dir.run(&[".", "--runtime", "a=php", "--runtime", "b=env K=1 php"]).finish(4);
    // On both runtimes it is the same failure.
    shown.says_once(&["failed: ExitsBench.php", "so long", "Remove the exit or die"]);
    let stored = dir.stored();
    stored.assert_measured("GoodBench::benchGood@a");
    stored.assert_measured("GoodBench::benchGood@b");
}

#[test]
fn a_constructor_that_throws_fails_its_cases_and_is_told_once() {
    let dir = Dir::new();
    dir.good().php(
        "ConstructorBench",
        "    public function __construct()\n    {\n        throw new RuntimeException('no database');\n    }
    public function benchA(): void {}\n    public function benchB(): void {}",
    );
    let shown = dir.run(&["."]).finish(4);
    shown.says_once(&[
        "ConstructorBench.php:6",
        "RuntimeException: no database",
        "Install what the project depends on (as `composer install` or `pip install` do), or give the file what it needs to load: an autoloader, a bootstrap file.",
    ]);
    let stored = dir.stored();
    stored.assert_measured("GoodBench::benchGood");
    for case in ["ConstructorBench::benchA", "ConstructorBench::benchB"] {
        let wanted = json!({"kind": "load", "message": "RuntimeException: no database", "file": "ConstructorBench.php", "line": 6});
        stored.assert_failed(case, &wanted);
    }
}

#[test]
fn a_provider_that_throws_or_yields_nothing_loses_its_own_subject_alone() {
    let dir = Dir::new();
    dir.php(
        "ProviderBench",
        r#"    public function throwing(): array { throw new DomainException('no data'); }
    public function nothing(): array { return []; }
    /** @ParamProviders({"throwing"}) */
    public function benchThrowing(array $p): void {}
    /** @ParamProviders({"nothing"}) */
    public function benchNothing(array $p): void {}
    public function benchWithout(): void { $a = [3, 1, 2]; sort($a); }"#,
    );
    let shown = dir.run(&["."]).finish(4);
    shown.says_once(&[
        "ProviderBench.php:4",
        "DomainException: no data",
        "let the provider return the same, non-empty sets each time",
        "ProviderBench.php:5",
        "The provider ProviderBench::nothing yields no parameter set.",
        "Yield at least one array of parameters, or remove the provider.",
    ]);
    let stored = dir.stored();
    assert_eq!(stored.cases().len(), 1);
    stored.assert_measured("ProviderBench::benchWithout");
}

#[test]
fn a_provider_that_gives_other_sets_each_time_is_found_out() {
    let dir = Dir::new();
    dir.good().php(
        "DrawnBench",
        r#"    public function drawn(): array { return [bin2hex(random_bytes(8)) => ['n' => 1]]; }
    /** @ParamProviders({"drawn"}) */
    public function benchDrawn(array $p): void {}"#,
    );
    let document = dir.run(&[".", "--json"]).finish(4).document();
    document.assert_measured("GoodBench::benchGood");
    let drawn = document.cases().iter().find(|case| case["benchmark"] == "DrawnBench::benchDrawn").unwrap();
    assert_failure(&drawn["failure"], &json!({"kind": "provider", "file": "DrawnBench.php"}));
}

#[test]
fn names_of_parameter_sets_cannot_reach_the_terminal() {
    let dir = Dir::new();
    dir.php(
        "HostileBench",
        r#"    public function hostile(): array { return ["\e[2J\nfailed: all\x9b31m" => ["a\e]0;t\x07" => "b\r\nc\u{202e}"]]; }
    /** @ParamProviders({"hostile"}) */
    public function benchHostile(array $p): void {}
    /** @ParamProviders({"hostile"}) */
    public function benchThrows(array $p): void { throw new Exception("\e[31mred\e[2K"); }"#,
    );
    // `finish` looks for control characters.
    let shown = dir.run(&["."]).finish(4);
    assert!(!shown.stdout.lines().any(|line| line.starts_with("failed: all")), "{shown}");
    let listed = dir.tare(&["list", "."]).finish(0);
    assert!(listed.stdout.contains(r"\u{1b}[2J\nfailed: all"), "{listed}");
    dir.tare(&["show", "--verbose"]).finish(0);
    dir.tare(&["log"]).finish(0);
    let document = dir.stored();
    let names: Vec<_> = document.cases().iter().map(|case| case["parameters"]["name"].as_str().unwrap()).collect();
    assert!(names.iter().all(|name| name.starts_with("\u{1b}[2J\nfailed: all")), "{names:?}");
}

#[test]
fn two_classes_of_one_name_are_not_mixed_up() {
    let dir = Dir::new();
    for folder in ["a", "b"] {
        dir.file(
            &format!("{folder}/TwinBench.php"),
            "<?php\nclass TwinBench { public function benchTwin(): void {} }\n",
        );
    }
    let shown = dir.run(&["."]).finish(4);
    // Which of them came first would decide which one is measured, and compared.
    shown.says_once(&[
        "the case php/TwinBench::benchTwin has the name of another one, in a/TwinBench.php:2",
        "the case php/TwinBench::benchTwin has the name of another one, in b/TwinBench.php:2",
    ]);
}

/// What a comparison pairs has the same content on both sides, wherever it stands among the sets.
#[test]
fn parameter_sets_are_paired_by_what_their_names_hold() {
    let dir = Dir::new();
    let sets = |more: &str| {
        let body = format!(
            "    public function sets(): iterable {{ $c = str_repeat('deeply/nested/', 20); {more} yield $c . 'a' => ['n' => 100]; \
             yield $c . 'b' => ['n' => 1000]; yield \"caf\\xe9\" => ['n' => 1]; yield \"caf\\xe8\" => ['n' => 2]; }}\n    \
             /** @ParamProviders({{\"sets\"}}) */\n    public function benchIt(array $p): void {{ md5('x'); }}"
        );
        dir.php("LongBench", &body);
        let listed = dir.tare(&["list", "--json", "."]).finish(0).document();
        let of = |case: &serde_json::Value| {
            (case["parameters"]["name"].as_str().unwrap().to_owned(), case["parameters"]["values"].to_string())
        };
        listed.cases().iter().map(of).collect::<std::collections::BTreeMap<_, _>>()
    };
    let before = sets("");
    let after = sets("yield $c . '0' => ['n' => 10000]; yield \"caf\\xea\" => ['n' => 3];");
    assert_eq!((before.len(), after.len()), (4, 6), "{after:?}");
    assert!(before.iter().all(|(name, values)| after.get(name) == Some(values)), "{before:?} {after:?}");
    assert!(after.contains_key(r"caf\xe9") && after.contains_key(r"caf\xea"), "{after:?}");
}

#[test]
fn no_benchmark_is_a_matter_of_usage() {
    let dir = Dir::new();
    dir.file("empty/README", "");
    let shown = dir.run(&["empty"]).finish(2);
    shown.says_once(&["no benchmark found: no file below empty has a name that matches *Bench.php"]);
    dir.php("EmptyBench", "    public function other(): void {}");
    let shown = dir.run(&["EmptyBench.php"]).finish(2);
    shown.says_once(&["EmptyBench.php: The file holds no benchmark.", "tare: no benchmark found"]);
    assert_eq!(shown.stdout, "");
    assert_eq!(dir.run(&["EmptyBench.php", "--json"]).finish(2).document().cases().len(), 0);
    dir.run(&["missing"]).finish(2).says_once(&["missing: there is no such file or folder"]);
    dir.good();
    let shown = dir.run(&["GoodBench.php", "--filter", "other"]).finish(2);
    shown.says_once(&["no case matches --filter and --group"]);
}

#[test]
fn excluded_cases_are_left_out_of_lists_runs_and_comparisons() {
    let dir = Dir::new();
    dir.good().php("SlowBench", "    public function benchSlow(): void {}\n    public function benchOther(): void {}");
    let listed = dir.tare(&["list", ".", "--exclude", "Slow$", "--json"]).finish(0).document();
    let names: Vec<&str> = listed.cases().iter().map(|case| case["id"].as_str().unwrap()).collect();
    assert_eq!(names, ["php/GoodBench::benchGood", "php/SlowBench::benchOther"]);
    dir.run(&[".", "--filter", "Slow", "--exclude", "benchSlow", "--tag", "one"]).finish(0);
    let stored = dir.stored();
    assert_eq!(stored.cases().len(), 1);
    stored.assert_measured("SlowBench::benchOther");
    let compared = ["compare", "one", "one", "--exclude", "benchOther"];
    dir.tare(&compared)
        .finish(2)
        .says_once(&["neither run has a case that matches --filter and --group and isn't left out"]);
    dir.run(&[".", "--exclude", "Bench"]).finish(2).says_once(&["isn't left out by --exclude"]);
    dir.run(&[".", "--exclude", "("]).finish(2).says_once(&["the filter `(` is not a regular expression"]);
    // What is left out may be broken; the page names the command that makes it again.
    dir.php("BrokenBench", "    public function benchBroken( {");
    dir.run(&["."]).finish(4);
    dir.run(&[".", "--exclude", "Broken", "--html", "page.html"]).finish(0).never_says(&["BrokenBench"]);
    let page = std::fs::read_to_string(dir.path().join("page.html")).unwrap();
    assert!(page.contains("--exclude Broken"), "the command that makes it again");
}

#[test]
fn a_source_of_cpp_has_to_be_built_first_and_how_is_told() {
    let dir = Dir::new();
    dir.good().file("src/sorting.cc", "#include <tare/benchmark.h>\n");
    for arguments in
        [&["src/sorting.cc"][..], &["src/sorting.cc", "GoodBench.php"], &["src/sorting.cc", "--runtime", "native"]]
    {
        dir.run(arguments).finish(2).says_once(&[
            "src/sorting.cc is C++ source, and Tare measures built programs",
            "-I\"$(tare sdk cpp --include-dir)\" src/sorting.cc -o src/sorting",
            "tare run src/sorting or let tare.toml do it: `build` in [run]",
        ]);
    }
    // A worker of one's own may take what it likes.
    let shown = dir.run(&["src/sorting.cc", "--runtime", "worker:false"]).finish(4);
    shown.never_says(&["is C++ source"]);
}

#[test]
fn a_project_whose_packages_are_not_installed_is_told_the_command() {
    let dir = Dir::new();
    dir.file("composer.json", "{}").file(
        "XBench.php",
        "<?php\nrequire __DIR__ . '/vendor/autoload.php';\nclass XBench { public function benchX(): void {} }\n",
    );
    let told = ["the project has composer.json and no vendor/", "run `composer install`"];
    dir.tare(&["list", "XBench.php"]).finish(4).says_once(&told);
    dir.file("vendor/autoload.php", "<?php throw new Exception('it fails');\n");
    let listed = dir.tare(&["list", "XBench.php"]).finish(4);
    assert!(!listed.stdout.contains("composer install"), "{listed}");
}
