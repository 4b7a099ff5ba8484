//! Options that a command doesn't have, where more can be said of them than that.

use tare_definition::instead_of_phpbench_option;

/// Files that a run of benchmarks is written to, and a load isn't.
const OF_RUNS: [&str; 4] = ["--csv", "--html", "--junit", "--markdown"];

/// What to say of the option `name` of `command`, which has none of that name; `None` where nothing more is known.
pub fn instead_of_option(command: Option<&str>, name: &str) -> Option<String> {
    if command == Some("load") && OF_RUNS.contains(&name) {
        return Some(format!(
            "{name} writes a run of benchmarks, and this is a load: `tare load … --json` and `tare show LOAD --json` give all of it to other programs, --fail-on and the exit status are for CI, --hdr FILE has the latencies"
        ));
    }
    if command == Some("load") && ["--generators", "--on"].contains(&name) {
        return Some(format!(
            "{name} is of `tare load http`: operations of benchmarks are done by --workers of this machine, whose processes the service sees as so many clients"
        ));
    }
    if command == Some("exec") {
        let remedy = match name {
            "-r" | "-m" | "-M" | "--min-runs" | "--max-runs" => "write --runs N, or let Tare find how many are needed",
            "-N" => "leave it out: commands run without a shell unless --shell is given",
            "-S" => "write --shell=PATH",
            "-D" | "--parameter-step-size" => "write the step behind the range: -P name=1..16..2",
            "--export-json" => "write --export-hyperfine for hyperfine's JSON, or --json for Tare's",
            "--export-markdown" => "write --markdown FILE",
            "--export-csv" => "write --csv FILE",
            "--show-output" => "name where it goes: --output FILE",
            _ => return None,
        };
        return Some(format!("{name} is hyperfine's option and not one of Tare's: {remedy}"));
    }
    let remedy = instead_of_phpbench_option(name)?;
    Some(format!("{name} is PHPBench's option and not one of Tare's: {remedy}"))
}
