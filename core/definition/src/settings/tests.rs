use std::path::{Path, PathBuf};
use std::time::Duration;

use proptest::prelude::*;
use tare_samples::{About, Calls, Case, CaseSettings, Parameters};

use super::{SameCases, Settings};
use crate::Language;
use crate::filter::Filter;
use crate::gate::{FailOn, Limit};
use crate::options::{Comparing, Cpus, Measure, Measuring, OfProject, Revising, Selection};
use crate::runtime::RuntimeDefinition;

fn read(text: &str) -> Result<Settings, String> {
    Settings::parse(Path::new("tare.toml"), text).map_err(|error| error.to_string())
}
#[test]
fn everything_can_be_said() {
    let settings = read(
        r#"
        [run]
        paths = ["benchmarks", "more/OneBench.php"]
        build = "make -C build"
        budget = "2s"
        precision = "0.5 %"
        launches = 8
        samples = 1_000
        calls = [0, "auto", 0x10]
        clock = "hrtime"
        seed = 9007199254740991
        timeout = "1.5m"
        cpus = "0,2-3"

        [compare]
        base = "HashBench::benchOld"
        margin = "1 %"
        same = "3 %"
        about = "typical"
        prepare = "composer install"
        prepare-timeout = "10 min"
        budget = "4 s"
        control = true
measure = "all"
        fail-on = ["slower=2%", "inconclusive"]

        [[limit]]
        case = "Hash.*#md5$"
        max-time = "2 µs"
        max-slowdown = "3 %"

        [runtime.php82]
        command = "php8.2 -d 'opcache.enable_cli=1'"

        [runtime.base]
        command = ["/opt/my php", "-n"]
        language = "php"

        [runtime."a.sim"]
        command = "worker:./sim"

        [store]
        path = ".measured"

        [[same]]
        name = "hashing"
        cases = ["php/HashBench::benchOld", "go/BenchmarkHash"]

        [[limit]]
        case = "."
        max-memory = "20 MB"
        max-memory-growth = "10 %"
        max-instructions = 5000
        max-work-change = "1 %"
        "#,
    );
    let cases = |pattern: &str| Filter::new(&[pattern.to_owned()], &[]).unwrap();
    let runtime = |name: &str, command: &[&str], language| RuntimeDefinition {
        name: name.into(),
        command: command.iter().map(|&word| word.to_owned()).collect(),
        language,
    };
    let expected = Settings {
        same: vec![SameCases {
            name: "hashing".into(),
            cases: vec!["php/HashBench::benchOld".into(), "go/BenchmarkHash".into()],
        }],
        selection: Selection {
            paths: vec!["benchmarks".into(), "more/OneBench.php".into()],
            timeout: Some(Duration::from_secs(90)),
            ..Selection::default()
        },
        measuring: Measuring {
            budget: Some(Duration::from_secs(2)),
            precision: Some(0.005),
            launches: Some(8),
            samples: Some(1_000),
            calls: vec![Calls::Bare, Calls::Pilot, Calls::Loop(16)],
            clock: Some("hrtime".into()),
            seed: Some((1 << 53) - 1),
            cpus: Some(Cpus(vec![0, 2, 3])),
            ..Measuring::default()
        },
        comparing: Comparing {
            base: Some("HashBench::benchOld".into()),
            margin: Some(0.01),
            same: Some(0.03),
            about: Some(About::Typical),
            control: true,
            fail_on: vec![FailOn::Slower(Some(0.02)), FailOn::Inconclusive],
            ..Comparing::default()
        },
        revising: Revising {
            prepare: Some("composer install".into()),
            measure: Some(Measure::All),
            ..Revising::default()
        },
        project: OfProject {
            build: Some("make -C build".into()),
            prepare_timeout: Some(Duration::from_secs(600)),
            comparison_budget: Some(Duration::from_secs(4)),
        },
        limits: vec![
            Limit {
                line: 27,
                pattern: "Hash.*#md5$".into(),
                cases: cases("Hash.*#md5$"),
                max_time: Some(2_000.0),
                max_slowdown: Some(0.03),
                max_memory: None,
                max_memory_growth: None,
                max_instructions: None,
                max_work_change: None,
            },
            Limit {
                line: 49,
                pattern: ".".into(),
                cases: cases("."),
                max_time: None,
                max_slowdown: None,
                max_memory: Some(20_000_000),
                max_memory_growth: Some(0.1),
                max_instructions: Some(5000),
                max_work_change: Some(0.01),
            },
        ],
        runtimes: vec![
            runtime("php82", &["php8.2", "-d", "opcache.enable_cli=1"], None),
            runtime("base", &["/opt/my php", "-n"], Some(Language::Php)),
            runtime("a.sim", &["./sim"], Some(Language::Worker)),
        ],
        store: Some(PathBuf::from(".measured")),
        places: settings.as_ref().map(|settings| settings.places.clone()).unwrap_or_default(),
        ..Settings::default()
    };
    assert_eq!(
        read("seed = 1").unwrap_err(),
        "tare.toml:1: unknown key `seed`; known are run, compare, limit, same, command, runtime, store, fleet"
    );
    assert_eq!(settings, Ok(expected));
}

#[test]
fn a_key_of_an_earlier_version_is_refused_with_what_takes_its_place() {
    assert_eq!(
        read("[compare]\nmean-bound = \"2%\"").unwrap_err(),
        "tare.toml:2: unknown key `mean-bound` in [compare]; `same` states its bound now: write same = \"3%\" for the largest one, or leave it out"
    );
    assert_eq!(
        read("[run]\niterations = 3").unwrap_err(),
        "tare.toml:2: unknown key `iterations` in [run]; write `calls`, which `--calls` sets on the command line"
    );
}

#[test]
fn a_single_value_stands_for_a_list_of_one() {
    let settings = read("run = { paths = \"b\", calls = \"auto\", cpus = 3 }").unwrap();
    assert_eq!(settings.selection.paths, [std::path::PathBuf::from("b")]);
    assert_eq!((settings.measuring.calls, settings.measuring.cpus), (vec![Calls::Pilot], Some(Cpus(vec![3]))));
    assert_eq!(read("[run]\ncpus = [1, \"3-4\"]").unwrap().measuring.cpus, Some(Cpus(vec![1, 3, 4])));
}

#[test]
fn nothing_has_to_be_said() {
    for nothing in ["", "[run]\n[store]\n[runtime]\n[compare]\n"] {
        assert_eq!(read(nothing), Ok(Settings::default()));
    }
}

#[test]
fn what_is_wrong_is_said_with_its_line_and_its_remedy() {
    for (text, message) in [
        ("[run]\nseed = 1\nbudgett = \"2s\"", "tare.toml:3: unknown key `budgett` in [run]; did you mean `budget`?"),
        ("\n[runs]\n", "tare.toml:2: unknown key `runs`; did you mean `run`?"),
        ("[store]\npath = 1", "tare.toml:2: `path` is not a string; write it in quotes"),
        (
            "[store]\npath = ''",
            "tare.toml:2: `path`: it is not a path; name a file or folder, relative to the project's root",
        ),
        ("run = 1", "tare.toml:1: `run` is not a table; write [run]"),
        ("runtime = 1", "tare.toml:1: `runtime` is not a table; write [runtime]"),
        (
            "[run]\nbudget = 2",
            "tare.toml:2: `budget`: `2` is not a length of time: it has no unit; write 500ms, 2s, 1.5s or 2m",
        ),
        (
            "[run]\nbudget = \"2\"",
            "tare.toml:2: `budget`: `2` is not a length of time: it has no unit; write 500ms, 2s, 1.5s or 2m",
        ),
        ("[run]\ntimeout = \"0s\"", "tare.toml:2: `timeout`: it is 0; write a length of time above it, such as 2s"),
        ("[run]\nprecision = \"0%\"", "tare.toml:2: `precision`: it is 0; write a percentage above it, such as 1%"),
        (
            "[run]\nlaunches = 0",
            "tare.toml:2: `launches`: `0` is not a whole number from 1 to 10000; write one such as 6",
        ),
        (
            "[run]\nlaunches = 4294967296",
            "tare.toml:2: `launches`: `4294967296` is not a whole number from 1 to 10000; write one such as 6",
        ),
        (
            "[run]\nsamples = -1",
            "tare.toml:2: `samples`: `-1` is not a whole number from 1 to 1000000; write one such as 20",
        ),
        (
            "[run]\nseed = 1.0",
            "tare.toml:2: `seed`: `1.0` is not a whole number from 0 to 9007199254740991; write one such as 1",
        ),
        (
            "[run]\ncalls = [1,\n\"many\"]",
            "tare.toml:2: `calls`: `many` is not a number of iterations; write auto, 0 (one call without a loop), \
             or a number such as 1000",
        ),
        ("[run]\ncalls = [1,\n{}]", "tare.toml:3: `calls` is not a value; write a text, a number, true or false"),
        (
            "[run]\ncalls = []",
            "tare.toml:2: `calls` is not anything: the list is empty; name something, or leave the key out",
        ),
        (
            "[run]\ncpus = \"all\"",
            "tare.toml:2: `cpus`: `all` is not a list of CPUs: `all` is not a number; write numbers and ranges, such as 0,2-3",
        ),
        (
            "[runtime.a]\nlanguage = \"php\"",
            "tare.toml:1: `command`: it is missing; add one, such as command = \"php8.2\"",
        ),
        (
            "[runtime.'a b']\ncommand = \"php\"",
            "tare.toml:1: `a b` can't be the name of a runtime; begin with a letter or digit and use only these and . _ + -",
        ),
        (
            "[runtime.a]\ncommand = \"php\"\nlanguage = \"pph\"",
            "tare.toml:3: `language`: there is no language `pph`; did you mean `php`?",
        ),
        (
            "[runtime.a]\ncommand = \"worker:x\"\nlanguage = \"php\"",
            "tare.toml:3: `language`: the command begins with another language; leave one of the two languages out",
        ),
        (
            "[runtime.a]\ncommand = \"x 'y\"",
            "tare.toml:2: `command`: a quote in the command `x 'y` is not closed; close it, or escape it",
        ),
        (
            "[runtime.a]\ncommand = [\"\"]",
            "tare.toml:2: `command`: the command of a runtime is empty; name a program, such as php8.2",
        ),
        (
            "[runtime.a]\ncommand = \"x\"\ncomand = 1",
            "tare.toml:3: unknown key `comand` in [runtime.a]; did you mean `command`?",
        ),
        ("[compare]\nbaze = 'x'", "tare.toml:2: unknown key `baze` in [compare]; did you mean `base`?"),
        ("[compare]\nbase = ' '", "tare.toml:2: `base`: it is empty; name a method or a set, such as benchOld or #md5"),
        (
            "[compare]\n\nmargin = '0%'",
            "tare.toml:3: `margin`: `0%` can't be the margin: it must be more than 0, since no interval fits into \
             a margin of 0; write 0.5% or 2%",
        ),
        (
            "[compare]\nprepare = ''",
            "tare.toml:2: `prepare`: it is empty; write a command, such as \"composer install\", or leave it out",
        ),
        (
            "[compare]\nprepare-timeout = '0s'",
            "tare.toml:2: `prepare-timeout`: it is 0; write a length of time above it, such as 2s",
        ),
        (
            "[compare]\nbudget = 4",
            "tare.toml:2: `budget`: `4` is not a length of time: it has no unit; write 500ms, 2s, 1.5s or 2m",
        ),
        ("[compare]\ncontrol = 'yes'", "tare.toml:2: `control`: `yes` is neither true nor false; write one of them"),
        (
            "[compare]\nfail-on = ['slower', 'inconclusiv']",
            "tare.toml:2: `fail-on`: `inconclusiv` is not a condition to fail on; did you mean `inconclusive`?",
        ),
        (
            "[limit]\ncase = 'x'",
            "tare.toml:1: `limit` is not a list of tables; write [[limit]], with both pairs of brackets",
        ),
        (
            "[[limit]]\nmax-time = '1s'",
            "tare.toml:1: `case`: it is missing; say which cases are limited, such as case = \"HashBench\"",
        ),
        (
            "[[limit]]\ncase = 'a'\nmax-time = '1s'\n\n[[limit]]\ncase = 'x'",
            "tare.toml:5: `[[limit]]`: it limits nothing; add one of max-time, max-slowdown, max-memory, max-memory-growth, max-instructions, max-work-change",
        ),
        (
            "[[limit]]\ncase = 'x'\nmax-tme = '1s'",
            "tare.toml:3: unknown key `max-tme` in [[limit]]; did you mean `max-time`?",
        ),
        (
            "[[limit]]\nmax-time = '1s'\ncase = 'Hash('",
            "tare.toml:3: `case`: the filter `Hash(` is not a regular expression: unclosed group; correct it; write \\\\ for a \
             backslash; look-arounds aren't supported",
        ),
        (
            "[[limit]]\ncase = 'x'\nmax-time = '0ns'",
            "tare.toml:3: `max-time`: it is 0; write a limit above it, such as 2us",
        ),
        (
            "[[limit]]\ncase = 'x'\nmax-memory = '20'",
            "tare.toml:3: `max-memory`: `20` is not a size: it has no unit; write 512B, 64kB, 20MB or 1.5GiB",
        ),
        (
            "[[limit]]\ncase = 'x'\nmax-work-chnge = '1%'",
            "tare.toml:3: unknown key `max-work-chnge` in [[limit]]; did you mean `max-work-change`?",
        ),
        (
            "[[limit]]\ncase = 'x'\nmax-memory-growth = 10",
            "tare.toml:3: `max-memory-growth` is not a string; write it in quotes",
        ),
    ] {
        assert_eq!(read(text).unwrap_err(), message, "{text}");
    }
}

#[test]
fn a_syntax_error_has_its_line() {
    let message = read("[run]\nbudget = \"2s\nseed = 1\n").unwrap_err();
    assert!(
        message.starts_with("tare.toml:2: ") && message.ends_with("; correct the TOML (https://toml.io)"),
        "{message}"
    );
    let twice = read("[run]\n[runtime.a]\ncommand='x'\n[runtime.a]\n").unwrap_err();
    assert!(twice.starts_with("tare.toml:4: "), "{twice}");
}

#[test]
fn a_limit_is_for_the_cases_that_a_filter_would_take() {
    let settings = read("[[limit]]\ncase = '^HashBench::.*#md5$'\nmax-time = '1us'").unwrap();
    let case = |benchmark: &str, set: &str| Case {
        index: 0,
        language: "php".into(),
        benchmark: benchmark.into(),
        prefix: String::new(),
        place: String::new(),
        parameters: Parameters { name: Some(set.into()), values: vec![] },
        file: "HashBench.php".into(),
        line: 1,
        groups: vec![],
        settings: CaseSettings::default(),
    };
    assert!(settings.limits[0].matches(&case("HashBench::benchHash", "md5")));
    assert!(!settings.limits[0].matches(&case("HashBench::benchHash", "sha1")));
    assert!(!settings.limits[0].matches(&case("SortBench::benchSort", "md5")));
}

#[test]
fn what_makes_no_group_of_the_same_is_refused() {
    for (text, message) in [
        (
            "[same]\nname = \"x\"",
            "tare.toml:1: `same` is not a list of tables; write [[same]], with both pairs of brackets",
        ),
        ("[[same]]\ncases = [\"a\", \"b\"]", "tare.toml:1: `name`: it is missing; say what the cases have in common"),
        (
            "[[same]]\nname = \"x\"\ncases = \"a\"",
            "tare.toml:3: `cases`: it names fewer than two; name two or more, such as [\"php/HashBench::benchMd5\", \"go/BenchmarkMd5\"]; `tare list --json` shows the ids",
        ),
    ] {
        assert_eq!(read(text).unwrap_err(), message);
    }
}

#[test]
fn the_example_of_the_settings_says_everything_that_can_be_said() {
    let page = include_str!("../../../../docs/settings.md");
    let reference = page.split("\n## tare.toml\n").nth(1).unwrap();
    let example = reference.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let settings = read(example).unwrap();
    assert_eq!((settings.limits.len(), settings.runtimes.len()), (1, 2));
    let keys = Settings::keys().into_iter().map(|key| key.split_once('.').unwrap().1);
    for key in keys.chain(super::raw::LIMITS) {
        assert!(example.lines().any(|line| line.starts_with(&format!("{key} = "))), "docs/settings.md lacks {key}");
    }
}

/// Lines that a tare.toml may hold, right and wrong ones.
const LINES: [&str; 16] = [
    "[run]",
    "[compare]",
    "[[limit]]",
    "[runtime.a]",
    "[[same]]",
    "[store]",
    "paths = [\"benchmarks\", 1]",
    "budget = \"2s\"",
    "calls = [0, \"auto\", -1]",
    "cpus = \"0-3,9-1\"",
    "case = \"(\"",
    "max-time = \"1e400 s\"",
    "command = [\"php\", \"\\u0000\"]",
    "command = \"x 'y\"",
    "cases = [\"a\"]",
    "path = \"..\"",
];

/// What is wrong is told with a line that the text has.
fn is_read_or_refused(text: &str) -> Result<(), TestCaseError> {
    let Err(error) = read(text) else { return Ok(()) };
    let place = error.strip_prefix("tare.toml").and_then(|rest| rest.strip_prefix(':'));
    let line: Option<usize> = place.and_then(|rest| rest.split(':').next()?.parse().ok());
    let lines = text.split('\n').count();
    prop_assert!(line.is_some_and(|line| (1..=lines).contains(&line)), "{error}\n{text}");
    prop_assert!(!error.contains('\u{1b}'), "{error}");
    Ok(())
}

proptest! {
    #[test]
    fn any_text_is_settings_or_an_error_at_a_line(text in any::<String>()) {
        is_read_or_refused(&text)?;
    }

    #[test]
    fn any_lines_are_settings_or_an_error_at_a_line(
        lines in prop::collection::vec(prop::sample::select(&LINES[..]), 0..12),
        at in any::<prop::sample::Index>(), by in any::<char>(), damaged in any::<bool>(),
    ) {
        let mut text: Vec<char> = lines.join("\n").chars().collect();
        if damaged && !text.is_empty() {
            let at = at.index(text.len());
            text[at] = by;
        }
        is_read_or_refused(&text.into_iter().collect::<String>())?;
    }
}
