//! Runtimes that are missing or too old, and several of them.

use serde_json::json;

use crate::harness::{Dir, assert_failure};

/// What `worker.php` says to a PHP that is too old for the rest of it.
const OLD_PHP: &str = r#"#!/bin/sh
printf '%s\n' '{"frame":"fault","id":-1,"kind":"runtime","message":"PHP 7.3.33 is too old: Tare needs 7.4 or later.","remedy":"Name a newer PHP with --runtime."}' > "$TARE_WIRE"
"#;

#[test]
fn a_missing_php_is_told_once_however_many_files_there_are() {
    let dir = Dir::new();
    dir.good().php("OtherBench", "    public function benchOther(): void {}");
    let shown = dir.run(&[".", "--runtime", "php5.1"]).finish(2);
    shown.says_once(&[
        "tare: runtime php5.1: there is no program `php5.1`",
        "install it, or name another with --runtime NAME=COMMAND",
    ]);
    assert_eq!(shown.stdout, "");
    let document = dir.run(&[".", "--runtime", "php5.1", "--json"]).finish(2).document();
    assert_eq!(document.0["failures"].as_array().unwrap().len(), 1);
    assert_failure(&document.0["failures"][0], &json!({"kind": "runtime", "message": "php5.1"}));
}

#[test]
fn a_file_that_is_no_program_is_told() {
    let dir = Dir::new();
    dir.good().file("php.txt", "");
    dir.run(&[".", "--runtime", "./php.txt"]).finish(2).says_once(&["`./php.txt` may not be executed"]);
    dir.run(&[".", "--runtime", "a=false"])
        .finish(4)
        .says_once(&["runtime a: the worker didn't send its first message (hello)"]);
}

#[test]
fn a_php_that_is_too_old_is_told_once() {
    let dir = Dir::new();
    dir.good().script("old-php", OLD_PHP).php("OtherBench", "    public function benchOther(): void {}");
    let shown = dir.run(&[".", "--runtime", "./old-php"]).finish(2);
    shown.says_once(&[
        "tare: runtime ./old-php: PHP 7.3.33 is too old: Tare needs 7.4 or later.",
        "Name a newer PHP with --runtime.",
    ]);
}

#[test]
fn the_runtimes_that_can_be_started_are_measured() {
    let dir = Dir::new();
    dir.good().script("old-php", OLD_PHP);
    let shown = dir.run(&[".", "--runtime", "old=./old-php", "--runtime", "gone=php5.1", "--runtime", "php"]).finish(4);
    shown.says_once(&["runtime old: PHP 7.3.33 is too old", "runtime gone: there is no program `php5.1`"]);
    dir.stored().assert_measured("GoodBench::benchGood");
}

#[test]
fn the_worker_tells_an_old_php_so_in_words_that_it_can_parse() {
    let entry = include_str!("../../../../sdk/php/worker.php");
    let (old, _) = entry.split_once("unset($tareRefusal);").unwrap();
    // What PHP 5.6 can't parse: types, `??`, short closures, spread of strings, static types of properties.
    for new in ["??", "fn(", "declare(strict_types", ": void", ": string", "?->", "match ("] {
        assert!(!old.contains(new), "{new} is too new for the part that an old PHP has to parse");
    }
    assert!(old.contains("PHP_VERSION_ID < 70400") && old.contains("'kind' => 'runtime'"));
}

#[test]
fn two_runtimes_are_measured_side_by_side() {
    let dir = Dir::new();
    dir.php(
        "PayBench",
        "    public function benchPay(): void { for ($i = 0; $i < (int) getenv('K'); $i++) { md5('x'); } }",
    );
    let runtimes = ["--runtime", "a=env K=1 php", "--runtime", "b=env K=400 php", "--runtime", "env K=20 php"];
    let document = dir.run(&[&["PayBench.php", "--json"][..], &runtimes].concat()).finish(0).document();
    let time = |runtime: &str| {
        let case = document.case(&format!("PayBench::benchPay@{runtime}"));
        assert_eq!(case["runtime"]["name"], runtime);
        assert_eq!(case["label"], runtime);
        case["time"]["estimate"].as_f64().unwrap()
    };
    assert!(time("a") < time("env K=20 php") && time("env K=20 php") < time("b"), "{:#}", document.0["cases"]);
    // The first is what the others are compared with.
    let pairs = [["PayBench::benchPay", "a", "b"], ["PayBench::benchPay", "a", "env K=20 php"]];
    assert_eq!(document.compared(), pairs);
    dir.tare(&["show"]).finish(0).says_once(&["b vs a", "env K=20 php vs a"]);
}
