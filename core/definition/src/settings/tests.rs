use std::path::{Path, PathBuf};
use std::time::Duration;

use tare_samples::Calls;

use super::{RunSettings, Settings};
use crate::{Language, RuntimeDefinition};

fn read(text: &str) -> Result<Settings, String> {
    Settings::parse(Path::new("tare.toml"), text).map_err(|error| error.to_string())
}

#[test]
fn everything_can_be_said() {
    let settings = read(
        r#"
        [run]
        paths = ["benchmarks", "more/OneBench.php"]
        budget = "2s"
        precision = "0.5 %"
        launches = 8
        samples = 1_000
        iterations = [0, "auto", 0x10]
        clock = "hrtime"
        seed = 18446744073709551615
        timeout = "1.5m"
        cpus = "0,2-3"

        [runtime.php82]
        command = "php8.2 -d 'opcache.enable_cli=1'"

        [runtime.base]
        command = ["/opt/my php", "-n"]
        language = "php"

        [runtime."a.sim"]
        command = "worker:./sim"

        [store]
        path = ".measured"
        "#,
    );
    let runtime = |name: &str, command: &[&str], language| RuntimeDefinition {
        name: name.into(),
        command: command.iter().map(|&word| word.to_owned()).collect(),
        language,
    };
    let expected = Settings {
        run: RunSettings {
            paths: vec!["benchmarks".into(), "more/OneBench.php".into()],
            budget: Some(Duration::from_secs(2)),
            precision: Some(0.005),
            launches: Some(8),
            samples: Some(1_000),
            iterations: vec![Calls::Bare, Calls::Pilot, Calls::Loop(16)],
            clock: Some("hrtime".into()),
            seed: Some(u64::MAX),
            timeout: Some(Duration::from_secs(90)),
            cpus: vec![0, 2, 3],
        },
        runtimes: vec![
            runtime("php82", &["php8.2", "-d", "opcache.enable_cli=1"], None),
            runtime("base", &["/opt/my php", "-n"], Some(Language::Php)),
            runtime("a.sim", &["./sim"], Some(Language::Worker)),
        ],
        store: Some(PathBuf::from(".measured")),
    };
    assert_eq!(read("seed = 1").unwrap_err(), "tare.toml:1: unknown key `seed`; known are run, runtime, store");
    assert_eq!(settings, Ok(expected));
}

#[test]
fn nothing_has_to_be_said() {
    assert_eq!(read(""), Ok(Settings::default()));
    assert_eq!(read("[run]\n[store]\n[runtime]\n"), Ok(Settings::default()));
}

#[test]
fn a_single_value_stands_for_a_list_of_one() {
    let settings = read("run = { paths = \"b\", iterations = \"auto\", cpus = 3 }").unwrap();
    assert_eq!(settings.run.paths, [PathBuf::from("b")]);
    assert_eq!((settings.run.iterations, settings.run.cpus), (vec![Calls::Pilot], vec![3]));
    assert_eq!(read("[run]\ncpus = [1, \"3-4\"]").unwrap().run.cpus, [1, 3, 4]);
}

#[test]
fn what_is_wrong_is_said_with_its_line_and_its_remedy() {
    for (text, message) in [
        ("[run]\nseed = 1\nbudgett = \"2s\"", "tare.toml:3: unknown key `budgett` in [run]; did you mean `budget`?"),
        ("\n[runs]\n", "tare.toml:2: unknown key `runs`; did you mean `run`?"),
        ("[store]\npath = 1", "tare.toml:2: `path` is not a string; write it in quotes"),
        (
            "[store]\npath = ''",
            "tare.toml:2: `path`: this is no path; name a file or folder, relative to the project's root",
        ),
        ("run = 1", "tare.toml:1: `run` is not a table; write [run]"),
        ("runtime = 1", "tare.toml:1: `runtime` is not a table; write [runtime]"),
        ("[run]\nbudget = 2", "tare.toml:2: `budget` is not a string; write it in quotes"),
        (
            "[run]\nbudget = \"2\"",
            "tare.toml:2: `budget`: `2` is not a length of time: it has no unit; write 500ms, 2s, 1.5s or 2m",
        ),
        ("[run]\ntimeout = \"0s\"", "tare.toml:2: `timeout`: it is 0; write a length of time above it, such as 2s"),
        ("[run]\nprecision = \"0%\"", "tare.toml:2: `precision`: it is 0; write a percentage above it, such as 1%"),
        ("[run]\nlaunches = 0", "tare.toml:2: `launches`: the number is out of range; write one such as 6"),
        ("[run]\nlaunches = 4294967296", "tare.toml:2: `launches`: the number is out of range; write one such as 6"),
        ("[run]\nsamples = -1", "tare.toml:2: `samples` is not a whole number, 0 or greater; write it without quotes"),
        ("[run]\nseed = 1.0", "tare.toml:2: `seed` is not a whole number, 0 or greater; write it without quotes"),
        (
            "[run]\niterations = [1,\n\"many\"]",
            "tare.toml:2: `iterations`: `many` is not a number of iterations; write auto, 0 (one call without a loop), \
             or a number such as 1000",
        ),
        (
            "[run]\niterations = [1,\ntrue]",
            "tare.toml:3: `iterations` is not a whole number, 0 or greater; write it without quotes",
        ),
        (
            "[run]\niterations = []",
            "tare.toml:2: `iterations` is not anything: the list is empty; name something, or leave the key out",
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
            "tare.toml:3: `language`: the command names another one; leave one of the two out",
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
    ] {
        assert_eq!(read(text).unwrap_err(), message, "{text}");
    }
}

#[test]
fn a_syntax_error_has_its_line() {
    let message = read("[run]\nbudget = \"2s\nseed = 1\n").unwrap_err();
    assert!(
        message.starts_with("tare.toml:2: ") && message.ends_with("; mend the TOML, as in https://toml.io"),
        "{message}"
    );
    let twice = read("[run]\n[runtime.a]\ncommand='x'\n[runtime.a]\n").unwrap_err();
    assert!(twice.starts_with("tare.toml:4: "), "{twice}");
}
