use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use tare_samples::{Calls, TimeUnit};

use super::Phpbench;

struct Folder(tempfile::TempDir);

impl Folder {
    fn with(files: &[(&str, &str)]) -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        for (path, text) in files {
            let path = folder.path(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        folder
    }

    fn path(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    fn read(&self) -> Result<Phpbench, String> {
        let folder = format!("{}/", self.0.path().display());
        Phpbench::read(&self.path("phpbench.json")).map_err(|error| error.to_string().replace(&folder, ""))
    }
}

fn settings(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect()
}

#[test]
fn what_concerns_the_measurement_is_read_and_the_rest_is_left_to_phpbench() {
    let folder = Folder::with(&[(
        "phpbench.json",
        r#"{
            "$schema": "./vendor/phpbench/phpbench/phpbench.schema.json",
            // Loaded before anything else.
            "runner.bootstrap": "vendor/autoload.php",
            "runner.path": ["benchmarks", "/elsewhere"],
            "runner.file_pattern": "*Benchmark.php",
            "runner.subject_pattern": "^spin",
            "runner.php_binary": "/usr/bin/php8.2",
            "runner.php_config": {"memory_limit": -1, "opcache.enable_cli": true, "xdebug.mode": false, "extension": ["a.so", "b.so"],},
            "runner.php_disable_ini": true,
            "runner.iterations": 5,
            "runner.revs": [1, 1000, 0],
            "runner.time_unit": "milliseconds",
            "runner.warmup": [0, 2],
            "runner.timeout": 2.5,
            "runner.retry_threshold": null,
            "report.generators": {"mine": {"generator": "expression"}}, /* and more */
        }"#,
    )]);
    let expected = Phpbench {
        file: folder.path("phpbench.json"),
        bootstrap: Some(folder.path("vendor/autoload.php")),
        paths: vec![folder.path("benchmarks"), "/elsewhere".into()],
        file_pattern: Some("*Benchmark.php".into()),
        subject_pattern: Some("^spin".into()),
        php_binary: Some("/usr/bin/php8.2".into()),
        php_config: settings(&[
            ("memory_limit", "-1"),
            ("opcache.enable_cli", "1"),
            ("xdebug.mode", ""),
            ("extension", "a.so"),
            ("extension", "b.so"),
        ]),
        php_disable_ini: true,
        samples: vec![5],
        iterations: vec![Calls::Loop(1), Calls::Loop(1_000), Calls::Bare],
        warmup: vec![0, 2],
        time_unit: Some(TimeUnit::Milliseconds),
        timeout: Some(Duration::from_millis(2_500)),
        ..Phpbench::default()
    };
    assert_eq!(folder.read().unwrap(), expected);
}

#[test]
fn what_has_no_effect_is_told_with_its_line_and_usual_values_are_not() {
    let folder = Folder::with(&[(
        "phpbench.json",
        r#"{
            "runner.annotations": false, "runner.attributes": true, "core.extensions": [], "runner.executor": "remote",
            "runner.annotation_import_use": true,
            "runner.iterations": [2, 3],
            "runner.bootstrp": "a.php",
            "runner.progress": "dots", "my.own": 1,
            "runner.time_unit": "minutes"
        }"#,
    )]);
    let read = folder.read().unwrap();
    assert_eq!(read.time_unit, Some(TimeUnit::Seconds));
    for (line, told) in [
        (3, "`runner.annotation_import_use` has no effect"),
        (4, "only the first value of the list `runner.iterations` is used"),
        (5, "`runner.bootstrp` is not a key of PHPBench, and has no effect; did you mean `runner.bootstrap`?"),
        (7, "`runner.time_unit` appears in seconds"),
    ] {
        let told = format!("phpbench.json:{line}: {told}");
        assert_eq!(
            read.remarks.iter().filter(|remark| remark.contains(&told)).count(),
            1,
            "{told}\n{:#?}",
            read.remarks
        );
    }
    assert!(read.without_annotations && !read.without_attributes);
    assert_eq!(read.remarks.len(), 4, "{:#?}", read.remarks);
}

#[test]
fn paths_may_be_globs_and_assertions_know_their_line() {
    let folder = Folder::with(&[
        ("phpbench.json", "{\n\"runner.path\": [\"*/bench\", \"none/*\"],\n\"runner.assert\": \"1 < 2\"\n}"),
        ("b/bench/x", ""),
        ("a/bench/x", ""),
    ]);
    let read = folder.read().unwrap();
    // What matches nothing stays, and is told as missing when it is looked for.
    assert_eq!(read.paths, ["a/bench", "b/bench", "none/*"].map(|path| folder.path(path)));
    assert_eq!((read.assertions, read.assertions_place.unwrap().line), (vec!["1 < 2".to_owned()], 3));
}

#[test]
fn a_profile_takes_the_place_of_settings() {
    let text = r#"{"runner.revs": 3, "runner.timeout": 1, "core.profiles": {"slow": {"runner.revs": 9}, "other": {}}}"#;
    let folder = Folder::with(&[("phpbench.json", text)]);
    let file = folder.path("phpbench.json");
    let read = Phpbench::read_profile(&file, Some("slow")).unwrap();
    assert_eq!((read.iterations, read.timeout), (vec![Calls::Loop(9)], Some(Duration::from_secs(1))));
    let error = Phpbench::read_profile(&file, Some("slwo")).unwrap_err().to_string();
    assert!(error.ends_with("phpbench.json:1: `core.profiles` has no profile `slwo`; did you mean `slow`?"), "{error}");
}

/// The page for users has a row for every key, and no other.
#[test]
fn every_documented_key_is_in_the_table_of_the_php_page() {
    let page = include_str!("../../../../sdk/php/README.md");
    let begin = page.find("## phpbench.json").expect("the section");
    let section = page[begin + 1..].split("\n## ").next().unwrap();
    let rows = section.lines().filter_map(|line| line.strip_prefix("| `")).flat_map(|row| {
        let first = row.split(" | ").next().unwrap();
        first.split("`, `").map(|key| key.trim_end_matches('`').to_owned()).collect::<Vec<_>>()
    });
    let mut rows: Vec<String> = rows.collect();
    let mut keys: Vec<String> = super::keys::KEYS.iter().map(|(key, _)| (*key).to_owned()).collect();
    rows.sort_unstable();
    keys.sort_unstable();
    assert_eq!(rows, keys);
}

#[test]
fn the_names_of_before_1_0_are_known_and_the_new_ones_come_first() {
    let folder = Folder::with(&[(
        "phpbench.json",
        r#"{"bootstrap": "a.php", "path": "old", "runner.path": "new", "php_config": [], "runner.bootstrap": null}"#,
    )]);
    let phpbench = folder.read().unwrap();
    assert_eq!(phpbench.bootstrap, Some(folder.path("a.php")));
    assert_eq!(phpbench.paths, [folder.path("new")]);
    assert_eq!(phpbench.php_config, []);
}

#[test]
fn includes_are_relative_to_the_file_that_says_them_and_paths_to_the_first() {
    let folder = Folder::with(&[
        (
            "phpbench.json",
            r#"{"$include": "config/base.json", "$include-glob": ["config/more/*.json"], "runner.path": "one",
                "runner.php_config": {"precision": 17, "memory_limit": "1G", "zend.assertions": -1}}"#,
        ),
        ("config/base.json", r#"{"$include": ["deep/deeper.json"], "runner.path": "two", "runner.iterations": 3}"#),
        (
            "config/deep/deeper.json",
            r#"{"runner.path": ["three"], "runner.bootstrap": "b.php", "runner.iterations": [4]}"#,
        ),
        ("config/more/b.json", r#"{"runner.path": "five", "runner.php_config": {"memory_limit": "2G"}}"#),
        ("config/more/a.json", r#"{"runner.path": "four", "runner.file_pattern": null}"#),
        ("config/more/.hidden.json", "not JSON"),
        ("config/more/other.txt", "not JSON"),
    ]);
    let phpbench = folder.read().unwrap();
    assert_eq!(phpbench.paths, ["one", "two", "three", "four", "five"].map(|path| folder.path(path)));
    assert_eq!(phpbench.bootstrap, Some(folder.path("b.php")));
    assert_eq!(phpbench.samples, [3, 4]);
    assert_eq!(
        phpbench.php_config,
        settings(&[("precision", "17"), ("memory_limit", "1G"), ("memory_limit", "2G"), ("zend.assertions", "-1")])
    );
}

#[test]
fn a_glob_that_matches_nothing_includes_nothing() {
    let folder = Folder::with(&[("phpbench.json", r#"{"$include-glob": "no/such/*.json", "runner.path": "a"}"#)]);
    assert_eq!(folder.read().unwrap().paths, [folder.path("a")]);
    let braces = Folder::with(&[("phpbench.json", r#"{"$include-glob": "{a,b}.jso?"}"#), ("a.json", "not JSON")]);
    assert!(braces.read().is_ok(), "braces stand for themselves");
}

#[test]
fn circles_are_found_and_a_file_that_is_included_twice_is_none() {
    let folder = Folder::with(&[
        ("phpbench.json", "{\n\n\"$include\": \"a.json\"}"),
        ("a.json", "{\"$include\":\n[\"b.json\"]}"),
        ("b.json", "{\n\"$include-glob\": \"./php*.json\"}"),
    ]);
    assert_eq!(
        folder.read().unwrap_err(),
        "b.json:2: `$include-glob` includes phpbench.json again, which is being read; take out one of the includes that go in a circle"
    );
    let twice =
        Folder::with(&[("phpbench.json", r#"{"$include": ["a.json", "a.json"]}"#), ("a.json", r#"{"path": "x"}"#)]);
    assert_eq!(twice.read().unwrap().paths.len(), 2);
}

#[test]
fn files_that_multiply_are_given_up() {
    let folder = Folder::with(&[("phpbench.json", r#"{"$include": ["0.json", "0.json"]}"#)]);
    for level in 0..20 {
        let next = level + 1;
        fs::write(folder.path(&format!("{level}.json")), format!(r#"{{"$include": ["{next}.json", "{next}.json"]}}"#))
            .unwrap();
    }
    fs::write(folder.path("20.json"), "{}").unwrap();
    let message = folder.read().unwrap_err();
    assert!(message.ends_with("more than 1000 files are included; include each file once"), "{message}");
}

#[test]
fn what_is_wrong_is_said_with_its_file_and_line() {
    let one = |text| Folder::with(&[("phpbench.json", text)]).read().unwrap_err();
    for (text, message) in [
        (
            "{\n\"runner.path\": \"a\"\n\"x\": 1}",
            "phpbench.json:3: this is not JSON: expected `,` or `}`; correct the JSON there, or just before",
        ),
        ("[]", "phpbench.json:1: this is not a table of settings; write { \"runner.path\": … }"),
        (
            "{\n\n\"runner.path\": 1}",
            "phpbench.json:3: `runner.path` is not text in quotes; write text in quotes, or leave the key out",
        ),
        (
            "{\"runner.revs\": [1,\n-1]}",
            "phpbench.json:1: `runner.revs` is not a whole number from 0, or a list of them; write a whole number from 0, or a \
             list of them, or leave the key out",
        ),
        (
            "{\"x\": \"runner.iterations\",\n\"runner.iterations\": 0}",
            "phpbench.json:2: `runner.iterations` is not a whole number from 1, or a list of them; write a whole number from 1, or a \
             list of them, or leave the key out",
        ),
        (
            "{\"time_unit\": \"fortnights\"}",
            "phpbench.json:1: `time_unit` is not one of nanoseconds, microseconds, milliseconds, seconds; write one of nanoseconds, \
             microseconds, milliseconds, seconds, or leave the key out",
        ),
        ("{\n\"$include\": {}}", "phpbench.json:2: `$include` is not a path or a list of paths; write them in quotes"),
        (
            "{\"$include\": \"gone.json\"}",
            "gone.json: there is no such file or folder (named in phpbench.json); name one that exists",
        ),
    ] {
        assert_eq!(one(text), message, "{text}");
    }
    let no_table = one("{\"runner.php_config\": {\"a=b\": 1}}");
    assert!(no_table.starts_with("phpbench.json:1: `runner.php_config` is not a table of PHP settings"), "{no_table}");
}

#[test]
fn a_setting_for_one_value_that_two_files_make_is_an_error() {
    let folder = Folder::with(&[
        ("phpbench.json", "{\n\"runner.bootstrap\": \"a.php\",\n\"$include\": \"more.json\"}"),
        ("more.json", "{\n\n\n\"runner.bootstrap\": \"b.php\"}"),
    ]);
    assert_eq!(
        folder.read().unwrap_err(),
        "more.json:4: `runner.bootstrap` is set here and in phpbench.json:2; PHPBench joins the two values to a list, and this \
         key takes one value; set it in one file only"
    );
}

/// Lines of the file, right and wrong.
const LINES: [&str; 22] = [
    "\"runner.path\": \"bench\",",
    "\"runner.path\": [\"a\", 3],",
    "\"path\": \"old\",",
    "\"runner.bootstrap\": \"vendor/autoload.php\",",
    "\"runner.iterations\": [1, 5],",
    "\"runner.iterations\": -1,",
    "\"runner.revs\": 1e99,",
    "\"runner.time_unit\": \"minutes\",",
    "\"runner.assert\": \"mode(variant.time.avg) < 1 ns\",",
    "\"runner.php_config\": {\"memory_limit\": \"1G\", \"x\": [1, true, null]},",
    "\"runner.php_env\": {\"A\": 1},",
    "\"runner.php_wrapper\": \"nice 'x\",",
    "\"runner.retry_threshold\": 5.5,",
    "\"runner.timeout\": \"ten\",",
    "\"runner.file_pattern\": \"[\",",
    "\"runner.subject_pattern\": \"(\",",
    "\"core.profiles\": {\"a\": {\"runner.revs\": 3}},",
    "\"$include\": \"phpbench.json\",",
    "\"$include-glob\": \"*.json\",",
    "\"$schema\": \"x\", // comment",
    "/* { */ \"unknown.key\": {},",
    "} {",
];

proptest::proptest! {
    #[test]
    fn any_text_is_a_configuration_or_an_error(text: String) {
        let folder = Folder::with(&[("phpbench.json", &text)]);
        let _ = folder.read();
    }

    #[test]
    fn any_lines_are_a_configuration_or_an_error(
        lines in proptest::collection::vec(proptest::sample::select(&LINES[..]), 0..8),
        at: proptest::sample::Index, by: char, damaged: bool, profile: bool,
    ) {
        let mut text: Vec<char> = format!("{{\n{}\n}}", lines.join("\n")).chars().collect();
        if damaged {
            let at = at.index(text.len());
            text[at] = by;
        }
        let folder = Folder::with(&[("phpbench.json", &text.into_iter().collect::<String>())]);
        let read = Phpbench::read_profile(&folder.path("phpbench.json"), profile.then_some("a"));
        if let Err(error) = read {
            proptest::prop_assert!(!error.to_string().is_empty());
        }
    }
}
