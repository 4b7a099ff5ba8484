//! A project as PHPBench's users have it: `phpbench.json` with comments and an include, a bootstrap, annotated classes.

use std::fs;
use std::path::Path;

use serde_json::json;

use crate::harness::Dir;

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

fn project() -> Dir {
    let dir = Dir::new();
    fs::remove_file(dir.path().join("tare.toml")).unwrap();
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/phpbench-project"), &dir.path());
    dir
}

const SHORT: &str = "Shop\\Benchmarks\\Text\\SlugBench::benchSlug#short";
const LONG: &str = "Shop\\Benchmarks\\Text\\SlugBench::benchSlug#long";
const PLAIN: &str = "Shop\\Benchmarks\\Text\\SlugBench::benchPlain";
const ARRAY: &str = "Shop\\Benchmarks\\MemoryLimitBench::benchArray";

#[test]
fn it_runs_unchanged_and_without_a_word_about_it() {
    let dir = project();
    let finished = dir.tare(&["run", "--json", "--launches", "2"]).finish(0);
    let document = finished.document();
    let mut ids: Vec<&str> = document.statuses().into_keys().collect();
    ids.sort_unstable();
    assert_eq!(ids, [ARRAY, PLAIN, LONG, SHORT]);
    for id in ids {
        document.assert_measured(id);
    }
    // The source's own numbers go before the configuration's.
    for (id, calls, samples) in [(PLAIN, 50, 4), (SHORT, 20, 6), (ARRAY, 20, 6)] {
        let case = document.case(id);
        assert_eq!((&case["iterations"], &case["samples"]), (&calls.into(), &samples.into()), "{id}");
    }
    assert_eq!(document.case(PLAIN)["groups"], serde_json::json!(["text"]));
    assert!(dir.store().exists(), "the store stands beside phpbench.json");
}

#[test]
fn it_runs_from_a_folder_below() {
    let dir = project();
    let mut command = dir.run_calibrated(&["--json", "--filter", "benchArray"]);
    command.command.current_dir(dir.path().join("benchmarks/Text"));
    command.finish(0).document().assert_measured(ARRAY);
    assert!(dir.store().exists(), "the store stands beside phpbench.json");
}

#[test]
fn an_error_in_what_it_includes_is_told_with_its_line() {
    let dir = project();
    dir.file("config/runner.json", "{\n    \"runner.revs\": 20,\n    \"runner.iterations\" 3\n}\n");
    let shown = dir.run_calibrated(&[]).finish(2);
    shown.says_once(&["config/runner.json:3"]);
}

#[test]
fn a_bootstrap_that_is_missing_or_throws_is_told() {
    let dir = project();
    dir.file("lib/bootstrap.php", "<?php\n\nthrow new RuntimeException('no vendor folder');\n");
    dir.run_calibrated(&[]).finish(4).says_once(&["lib/bootstrap.php:3", "RuntimeException: no vendor folder"]);
    fs::remove_file(dir.path().join("lib/bootstrap.php")).unwrap();
    let shown = dir.run_calibrated(&[]).finish(4);
    shown.says_once(&["lib/bootstrap.php"]);
}

/// Each notice appears once, and the run measures anyway.
#[test]
fn settings_without_effect_are_told_with_their_line() {
    let dir = project();
    dir.file("config/runner.json", "{\n\"runner.file_pattern\": \"*Bench.php\",\n\"runner.executor\": \"local\",\n\"runner.retry_threshold\": 50,\n\"runner.revs\": [3, 5],\n\"runner.php_config\": {\"memory_limit\": \"96M\", \"precision\": 17}\n}\n");
    let shown = dir.run_calibrated(&["--filter", "benchArray", "--json"]).finish(0);
    shown.says_once(&[
        "config/runner.json:3: `runner.executor` has no effect",
        "`runner.retry_threshold` in phpbench.json is taken as --precision 50%",
    ]);
    dir.run_calibrated(&["--filter", "benchArray", "--precision", "40%"]).finish(0).never_says(&["retry_threshold"]);
}

/// As `Revs` and `Warmup` in the source, of benchmarks that have none: a variant each.
#[test]
fn lists_of_calls_and_of_calls_before_make_a_variant_each() {
    let dir = project();
    dir.file("config/runner.json", "{\n\"runner.file_pattern\": \"*Bench.php\",\n\"runner.warmup\": [0, 2],\n\"runner.revs\": [3, 5],\n\"runner.php_config\": {\"memory_limit\": \"96M\", \"precision\": 17}\n}\n");
    let shown = dir.run_calibrated(&["--filter", "benchArray", "--json"]).finish(0);
    shown.never_says(&["runner.warmup", "runner.revs"]);
    let document = shown.document();
    for (revs, warmup) in [(3, 0), (3, 2), (5, 0), (5, 2)] {
        let case = document.case(&format!("{ARRAY}#{revs} revs, {warmup} warmup"));
        assert_eq!((&case["status"], &case["iterations"]), (&json!("ok"), &json!(revs)));
    }
}

#[test]
fn another_configuration_and_a_profile_of_it_are_chosen_by_option() {
    let dir = project();
    let text = r#"{
        "runner.path": "../benchmarks/MemoryLimitBench.php", "runner.bootstrap": "../lib/bootstrap.php", "runner.php_config": {"memory_limit": "96M"},
        "runner.php_env": {"SHOP": "open"}, "core.profiles": {"nightly": {"runner.revs": 9, "runner.php_env": {"SHOP": "shut"}}}
    }"#;
    dir.file("elsewhere/ci.json", text);
    let config = ["--config", "elsewhere/ci.json", "--json"];
    let document = dir.run_calibrated(&[&config[..], &["--profile", "nightly"]].concat()).finish(0).document();
    document.assert_measured(ARRAY);
    assert_eq!(document.statuses().len(), 1, "its own paths");
    assert_eq!(document.case(ARRAY)["iterations"], 9);
    // The environment reaches the benchmark.
    dir.file(
        "benchmarks/MemoryLimitBench.php",
        "<?php\nfinal class ShopBench\n{\n    /** @Skip */\n    public function benchNever(): void {}\n    public function benchShop(): void { if (getenv('SHOP') !== 'shut') { throw new Exception('the shop is ' . getenv('SHOP')); } }\n}\n",
    );
    dir.run_calibrated(&config).finish(4).says_once(&["the shop is open"]);
    dir.run_calibrated(&[&config[..], &["--profile", "nightly"]].concat()).finish(0);
    dir.run_calibrated(&[&config[..], &["--profile", "nigthly"]].concat())
        .finish(2)
        .says_once(&["did you mean `nightly`?"]);
    dir.run_calibrated(&["--config", "none.json"]).finish(2).says_once(&["none.json: there is no such file"]);
    // Without a word about them, lists have the same choice.
    dir.tare(&["list", "--config", "elsewhere/ci.json", "--profile", "nightly"]).finish(0).says_once(&["benchShop"]);
}

#[test]
fn subjects_are_those_that_the_configuration_says() {
    let dir = Dir::new();
    dir.file(
        "phpbench.json",
        "{\"runner.path\": \".\", \"runner.subject_pattern\": \"^(bench|spin)\", \"runner.annotations\": false}",
    );
    let methods = "public function spinA(): void {}\n/** @Skip */ public function benchB(): void {}\npublic function other(): void {}";
    dir.php("SpinBench", methods);
    let shown = dir.tare(&["list"]).finish(0);
    assert_eq!(shown.stdout.matches("SpinBench.php:").count(), 2, "{shown}");
    assert!(shown.stdout.contains("spinA") && shown.stdout.contains("benchB"), "{shown}");
    // The annotation isn't read.
    shown.never_says(&["skipped", "has no effect"]);
}

#[test]
fn a_benchmark_that_stumbles_over_its_last_sample_runs_isolated() {
    let dir = Dir::new();
    dir.php(
        "GrowingBench",
        "private $names = [];\n/** @BeforeMethods({\"grow\"}) @Revs(10) */ public function benchGrown(): void { strlen('x'); }\n\
         public function grow(): void { if ($this->names !== []) { throw new DomainException('grown twice'); } $this->names[] = 1; }",
    );
    let failed = dir.run_calibrated(&["."]).finish(4);
    failed.says_once(&["DomainException: grown twice", "give --isolate"]);
    dir.run_calibrated(&[".", "--isolate"]).finish(0).never_says(&["failed", "--isolate"]);
    // Of other languages it is told that it can't be had.
    dir.file("bench_a.py", "def bench_a():\n    sorted([3, 1, 2])\n");
    let shown = dir.run(&["bench_a.py", "--isolate"]).finish(0);
    shown.says_once(&["--isolate has no effect on runtime python3: ", "only PHP's worker takes samples so"]);
}

#[test]
fn outside_fixtures_of_a_class_are_made_once_for_processes_that_live_together() {
    let dir = Dir::new();
    dir.file(
        "TableBench.php",
        "<?php\n/** @BeforeClassMethods({\"make\"}) @AfterClassMethods({\"unmake\"}) */\nfinal class TableBench\n{\n\
         const PLACE = __DIR__ . '/made';\n\
         public static function make(): void { if (!@mkdir(self::PLACE)) { throw new RuntimeException('it is there already'); } }\n\
         public static function unmake(): void { if (!@rmdir(self::PLACE)) { throw new RuntimeException('it is gone already'); } }\n\
         public function benchIsDir(): void { if (!is_dir(self::PLACE)) { throw new RuntimeException('it is missing'); } }\n}\n",
    );
    let shown = dir.run_calibrated(&[".", "--runtime", "a=php", "--runtime", "b=php"]).finish(0);
    shown.never_says(&["it is there already", "it is gone already", "it is missing"]);
    assert!(!dir.path().join("made").exists());
}
