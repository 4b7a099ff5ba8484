//! Wrong usage: status 2, one message, nothing on standard output.

use crate::harness::Dir;

#[test]
fn wrong_arguments_are_refused_with_what_would_be_right() {
    let dir = Dir::new();
    dir.good();
    for (arguments, message) in [
        (&["run", "--frobnicate"][..], "unexpected argument '--frobnicate' found"),
        (&["run", ".", "--budget", "5x"], "its unit is not one of ns, us, ms, s, m, h; write 500ms, 2s, 1.5s or 2m"),
        (&["run", ".", "--budget", "5"], "it has no unit; write 500ms, 2s, 1.5s or 2m"),
        (&["run", ".", "--budget", "0s"], "it is 0; write a length of time above it, such as 2s"),
        (&["run", ".", "--timeout", "0ms"], "it is 0; write a length of time above it, such as 2s"),
        (&["run", ".", "--precision", "0%"], "it is 0; write a percentage above it, such as 1%"),
        (&["run", ".", "--precision", "much"], "invalid value 'much' for '--precision <PERCENT>'"),
        (&["run", ".", "--launches", "0"], "invalid value '0' for '--launches <N>'"),
        (&["run", ".", "--samples", "-1"], "unexpected argument '-1' found"),
        (&["run", ".", "--calls", "10,auto,10"], "--calls names 10 calls twice; name each once"),
        (&["run", ".", "--iterations", "3"], "its iterations are --samples, its revs --calls"),
        (&["run", ".", "--store"], "a value is required for '--store <PATH|URL>'"),
        (
            &["run", ".", "--ref=original"],
            "--ref is PHPBench's option and not one of Tare's: a stored run to compare with is --against RUN",
        ),
        (
            &["run", ".", "--report=aggregate"],
            "--report is PHPBench's option and not one of Tare's: Tare always shows the table",
        ),
        (&["run", ".", "-o", "html"], "-o is PHPBench's option"),
        (&["list", ".", "--php-config", "{}"], "write --runtime \"php -d NAME=VALUE\""),
        (&["run", ".", "--php-binary", "php8.4"], "write --runtime PATH, as --runtime php8.4"),
        (
            &["compare", "a", "b", "--warmup", "2"],
            "--warmup is PHPBench's option and not one of Tare's: write `Warmup` in the source",
        ),
        (&["run", ".", "--progress", "dots"], "Tare always shows progress"),
        (&["run", ".", "-bench", "Sort"], "-bench is go test's option and not one of Tare's: write --filter REGEX"),
        (&["compare", "a", "b", "--count=10"], "--count is go test's option"),
        (&["run", ".", "--benchmark_filter=BM_Sort"], "write --filter REGEX"),
        (&["run", ".", "--benchmark-columns=min"], "--benchmark-columns is pytest-benchmark's option"),
        (&["run", ".", "--save-baseline", "main"], "write --tag NAME"),
        (&["exec", "--sort", "command", "true"], "--sort is hyperfine's option"),
        (&["compare", "a", "b", "--case", "x"], "`tare compare` has no option --case; write --filter REGEX"),
        (&["bisect", "a", "b", "--filter", "x"], "`tare bisect` has no option --filter; write --case REGEX"),
        (&["run", ".", "--subject", "benchA"], "write --filter REGEX"),
        (&["run", ".", "--retry-threshold", "5"], "write --precision PERCENT"),
        (&["run", ".", "--filter", "("], "the filter `(` is not a regular expression: unclosed group"),
        (&["run", ".", "--runtime", "pph:php8.2"], "there is no language `pph`; did you mean `php`?"),
        (&["run", ".", "--runtime", "a=php", "--runtime", "a=php -n"], "two runtimes are called `a`"),
        (&["run", ".", "--runtime", ""], "the command of a runtime is empty"),
        (&["run", ".", "--cpus", "99999"], "--cpus"),
        (&["run", ".", "--cpus", "x"], "`x` is not a number; write numbers and ranges, such as 0,2-3"),
        (&["run", ".", "--tag", "latest"], "\"latest\" can't be a tag"),
        (
            &["run", ".", "--seed", "9007199254740992"],
            "`9007199254740992` is not a whole number from 0 to 9007199254740991",
        ),
        (&["run", "--resume", "."], "PATH can't change when a run is resumed"),
        (&["run", "--resume", "--seed", "1"], "--seed can't change when a run is resumed"),
        (&["run", "--resume", "--against", "latest"], "cannot be used with"),
        (&["run", "missing"], "missing: there is no such file or folder"),
        (&["run", ".", "--filter", "nothing-of-that-name"], "no case matches --filter and --group"),
        (&["show", "a", "b", "--json"], "there is no store at"),
        (&["conformance"], "required arguments were not provided"),
        (&["meassure"], "unrecognized subcommand 'meassure'"),
        (&[], "Usage: tare"),
    ] {
        let shown = dir.tare(arguments).finish(2);
        assert_eq!(shown.stdout, "", "{arguments:?}");
        shown.says_once(&[message]).never_says(&["pilot", "panicked"]);
    }
    assert!(!dir.path().join(".tare").exists(), "nothing was measured, and a store was made");
}

/// PHPBench's options that have a meaning here are taken, and what they mean is said once.
#[test]
fn phpbench_users_are_told_what_their_options_mean() {
    let dir = Dir::new();
    dir.good();
    let calls = |option: &str| dir.run(&[".", option, "7", "--json"]).finish(0);
    for option in ["--calls", "--revs"] {
        let shown = calls(option);
        assert_eq!(shown.document().case("GoodBench::benchGood")["iterations"], 7, "{option}");
    }
}

/// All that `phpbench run` has: taken, or refused with what to write instead, and never with a name that only looks alike.
#[test]
fn each_option_of_phpbench_is_taken_or_has_a_remedy() {
    const TAKEN: [(&str, &str); 8] = [
        ("--filter", "x"),
        ("--group", "x"),
        ("--assert", "1 < 2"),
        ("--revs", "3"),
        ("--config", "x.json"),
        ("--profile", "x"),
        ("--tag", "x"),
        ("--store", "x"),
    ];
    const REFUSED: [&str; 36] = [
        "--iterations",
        "--retry-threshold",
        "--ref",
        "--uuid",
        "--report",
        "--output",
        "-o",
        "--dump",
        "--dump-file",
        "-d",
        "--file",
        "--progress",
        "-l",
        "--format",
        "--php-binary",
        "--php-config",
        "--php-wrapper",
        "--php-disable-ini",
        "--bootstrap",
        "-b",
        "--warmup",
        "--variant",
        "--parameters",
        "--executor",
        "-r",
        "--sleep",
        "--time-unit",
        "--mode",
        "--stop-on-error",
        "--tolerate-failure",
        "--extension",
        "--theme",
        "--ansi",
        "--no-ansi",
        "--no-interaction",
        "--working-dir",
    ];
    let dir = Dir::new();
    for (option, value) in TAKEN {
        let shown = dir.tare(&["run", "no-such-folder", option, value]).finish(2);
        shown.never_says(&["unexpected argument", "PHPBench's option and not one"]);
    }
    for option in REFUSED {
        let told = format!("{option} is PHPBench's option and not one of Tare's: ");
        dir.tare(&["run", "no-such-folder", option]).finish(2).says_once(&[&told]).never_says(&["similar"]);
    }
}

#[test]
fn a_clock_that_the_worker_has_not_is_refused_before_anything_is_measured() {
    let dir = Dir::new();
    dir.good();
    let shown = dir.run(&[".", "--clock", "sundial"]).finish(2);
    shown.says_once(&["has no clock \"sundial\"", "hrtime, microtime"]).never_says(&["pilot"]);
    // A runtime whose cases the filter leaves out needs no such clock.
    dir.file("bench_other.py", "def bench_other():\n    pass\n");
    let clock = ["--clock", "hrtime"];
    dir.run(&[&[".", "--filter", "GoodBench"], &clock[..]].concat()).finish(0).never_says(&["has no clock"]);
    dir.run(&[&["."], &clock[..]].concat()).finish(2).says_once(&["has no clock \"hrtime\""]);
}

#[test]
fn a_wrong_tare_toml_is_told_with_its_line() {
    let dir = Dir::new();
    dir.good().file("tare.toml", "[run]\nlaunches = 6\nbuget = \"2s\"\n");
    let shown = dir.run(&["."]).finish(2);
    shown.says_once(&["tare.toml:3", "buget"]);
}

#[test]
fn help_and_version_are_answers() {
    let dir = Dir::new();
    for arguments in [&["--help"][..], &["run", "--help"], &["--version"], &["help", "show"]] {
        let shown = dir.tare(arguments).finish(0);
        assert!(!shown.stdout.is_empty() && shown.stderr.is_empty(), "{shown}");
    }
}

/// A full disk: a report that never arrived is no success.
#[test]
fn a_report_that_can_not_be_written_is_a_failure() {
    let dir = Dir::new();
    dir.good();
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let list = std::process::Command::new(env!("CARGO_BIN_EXE_tare"))
        .args(["list", "--json"])
        .current_dir(dir.path())
        .stdout(full)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&list.stderr);
    assert_eq!(list.status.code(), Some(4), "{said}");
    assert!(said.contains("can't write the report to standard output"), "{said}");
}
