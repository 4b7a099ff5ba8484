//! What PHPBench's options are called here.

const REPORTS: &str = "Tare always shows the table; --json, --markdown FILE and --junit FILE are the other reports";
const PROGRESS: &str = "Tare always shows progress on standard error; leave the option out";

/// PHPBench's options that there aren't here under their names, and what to write instead.
const OPTIONS: [(&[&str], &str); 27] = [
    (
        &["--ref", "--uuid"],
        "a stored run to compare with is --against RUN; `tare compare` measures two revisions side by side",
    ),
    (&["--report", "--output", "-o"], REPORTS),
    (&["--dump", "--dump-file", "-d"], "`tare export latest --format phpbench-xml` writes that form of a stored run"),
    (&["--file"], "`tare show RUN` shows stored runs, and `tare compare RUN RUN` compares them"),
    (&["--progress", "-l", "--format"], PROGRESS),
    (&["--php-binary"], "write --runtime PATH, as --runtime php8.4"),
    (&["--php-config"], "write --runtime \"php -d NAME=VALUE\", or `runner.php_config` in phpbench.json"),
    (&["--php-wrapper"], "write --runtime \"WRAPPER php\", or `runner.php_wrapper` in phpbench.json"),
    (&["--php-disable-ini"], "write --runtime \"php -n\", or `runner.php_disable_ini` in phpbench.json"),
    (&["--bootstrap", "-b"], "write `runner.bootstrap` in phpbench.json"),
    (
        &["--warmup"],
        "write `Warmup` in the source, or `runner.warmup` in phpbench.json; Tare finds how many samples warm-up takes",
    ),
    (&["--iterations"], "its iterations are --samples, its revs --calls"),
    (
        &["--retry-threshold"],
        "write --precision PERCENT: Tare measures until half of the interval is that narrow, and Tare discards no sample",
    ),
    (&["--subject"], "write --filter REGEX, which is matched against Class::method#parameters"),
    (&["--variant"], "write --filter '#REGEX', which is matched against Class::method#parameters"),
    (&["--parameters"], "parameters are those of the source; --filter '#REGEX' chooses among them"),
    (&["--executor"], "there is one way to run a benchmark here; leave it out"),
    (&["-r"], "write --precision N%"),
    (&["--sleep"], "write `Sleep` in the source"),
    (&["--time-unit", "--mode"], "write `OutputTimeUnit` in the source, or `runner.time_unit` in phpbench.json"),
    (&["--stop-on-error"], "Tare measures the rest and reports failures at the end; leave the option out"),
    (&["--extension"], "extensions of PHPBench aren't loaded; leave it out"),
    (&["--theme"], "Tare uses the terminal's colours; NO_COLOR=1 in the environment turns them off"),
    (&["--ansi", "--no-ansi"], "Tare uses colours on a terminal; NO_COLOR=1 in the environment turns them off"),
    (&["--no-interaction", "-n"], "Tare never asks questions; leave the option out"),
    (&["--working-dir"], "start tare in that folder, or name the file with --config FILE"),
    (
        &["--tolerate-failure"],
        "an assertion that fails ends with status 1, which the caller may ignore; a failing benchmark ends with 4",
    ),
];

/// What to write instead of an option of PHPBench's that there isn't here under its name; `None` for any other.
pub fn instead_of_phpbench_option(name: &str) -> Option<&'static str> {
    OPTIONS.iter().find(|(names, _)| names.contains(&name)).map(|(_, remedy)| *remedy)
}
