//! PHPBench's command line, for whoever has it in their fingers: what its options are called here.

use std::path::Path;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use tare_definition::{PhpbenchChoice, Project};
use tare_samples::Calls;

use crate::arguments::{MeasuringArguments, PhpbenchArguments};
use crate::screen;

const REPORTS: &str = "the table is shown by itself; --json, --markdown FILE and --junit FILE are the other reports";
const PROGRESS: &str = "progress is shown by itself, on standard error; leave it out";

/// PHPBench's options that there aren't here under their names, and what to write instead.
const OPTIONS: [(&[&str], &str); 21] = [
    (&["--store"], "every run is stored by itself; leave it out (--no-store stores nothing)"),
    (
        &["--ref", "--uuid"],
        "a stored run to compare with is --against RUN; `tare compare` measures two revisions side by side",
    ),
    (&["--report", "--output", "-o"], REPORTS),
    (&["--dump", "--dump-file", "-d"], REPORTS),
    (&["--file"], "stored runs are shown by `tare show RUN` and compared by `tare compare RUN RUN`"),
    (&["--progress", "-l", "--format"], PROGRESS),
    (&["--php-binary"], "write --runtime PATH, as --runtime php8.4"),
    (&["--php-config"], "write --runtime \"php -d NAME=VALUE\", or `runner.php_config` in phpbench.json"),
    (&["--php-wrapper"], "write --runtime \"WRAPPER php\", or `runner.php_wrapper` in phpbench.json"),
    (&["--php-disable-ini"], "write --runtime \"php -n\", or `runner.php_disable_ini` in phpbench.json"),
    (&["--bootstrap", "-b"], "write `runner.bootstrap` in phpbench.json"),
    (
        &["--warmup"],
        "how many calls a subject needs to get warm is found by itself; `Warmup` in the source adds calls before each sample",
    ),
    (&["--subject"], "write --filter REGEX, which is matched against Class::method#parameters"),
    (&["--variant"], "write --filter '#REGEX', which is matched against Class::method#parameters"),
    (&["--parameters"], "parameters are those of the source; --filter '#REGEX' chooses among them"),
    (&["--executor"], "there is one way to run a benchmark here; leave it out"),
    (&["-r"], "write --retry-threshold N, or --precision N%"),
    (&["--sleep"], "write `Sleep` in the source"),
    (&["--time-unit", "--mode"], "write `OutputTimeUnit` in the source, or `runner.time_unit` in phpbench.json"),
    (&["--stop-on-error"], "what fails is told at the end, and the rest is measured; leave it out"),
    (
        &["--tolerate-failure"],
        "an assertion that fails ends with status 1, which the caller may ignore; a failing benchmark ends with 4",
    ),
];

/// Which configuration is read, for a command given in that folder.
pub(crate) fn choice(arguments: &PhpbenchArguments, folder: &Path) -> PhpbenchChoice {
    let file = arguments.config.as_ref().map(|file| folder.join(file));
    PhpbenchChoice { file, profile: arguments.phpbench_profile.clone() }
}

/// Says what of phpbench.json has no effect.
pub(crate) fn tell(project: &Project) {
    let remarks = project.phpbench.iter().flat_map(|phpbench| &phpbench.remarks);
    remarks.for_each(|remark| screen::complain(remark));
}

/// What to say of an option of PHPBench's, instead of the nearest name that there is.
pub(crate) fn refused(error: &clap::Error) -> Option<String> {
    if error.kind() != ErrorKind::UnknownArgument {
        return None;
    }
    let Some(ContextValue::String(argument)) = error.get(ContextKind::InvalidArg) else { return None };
    let name = argument.split('=').next().unwrap_or(argument);
    let (_, remedy) = OPTIONS.iter().find(|(names, _)| names.contains(&name))?;
    Some(format!("{name} is PHPBench's option and not one of Tare's: {remedy}"))
}

/// The calls that are asked for. `--iterations` was their only name once, and means something else in PHPBench: that is said.
pub(crate) fn calls(arguments: &MeasuringArguments) -> &[Calls] {
    if arguments.iterations.is_empty() {
        return &arguments.calls;
    }
    screen::complain(
        "--iterations is the older name of --calls: calls in each sample, PHPBench's revs; PHPBench's iterations are --samples",
    );
    &arguments.iterations
}

/// The precision that is asked for. PHPBench repeats samples until none lies further from the others than its threshold, which flatters the
/// spread; what is wanted by it is a narrow result.
pub(crate) fn precision(arguments: &MeasuringArguments, file: Option<f64>, threshold: Option<f64>) -> Option<f64> {
    let given = arguments.precision.or(arguments.retry_threshold).or(file).or(threshold);
    let (by, place) = match (arguments.precision, arguments.retry_threshold, file, threshold) {
        (None, Some(by), ..) => (by, "--retry-threshold"),
        (None, None, None, Some(by)) => (by, "`runner.retry_threshold` in phpbench.json"),
        _ => return given,
    };
    let percent = 100.0 * by;
    screen::complain(&format!(
        "{place} is taken as --precision {percent}%: it is measured until half of the interval is {percent} % of the time; no sample is thrown away"
    ));
    given
}
