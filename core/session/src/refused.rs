//! Options that a command doesn't have, where more can be said of them than that.

use tare_definition::instead_of_phpbench_option;

/// Files that a run of benchmarks is written to, and a load isn't.
const OF_RUNS: [&str; 4] = ["--csv", "--html", "--junit", "--markdown"];

/// Options of one other tool, and what to write instead.
struct Tool {
    name: &'static str,
    options: &'static [(&'static [&'static str], &'static str)],
    /// What all of its options begin with, and the remedy for those that are not listed.
    others: Option<(&'static str, &'static str)>,
}

const FOUND: &str =
    "leave it out: Tare finds how long to measure; --budget TIME bounds it, --launches and --samples fix it";

const HYPERFINE: Tool = Tool {
    name: "hyperfine",
    options: &[
        (&["-r", "-m", "-M", "--min-runs", "--max-runs"], "write --runs N, or let Tare find how many are needed"),
        (&["-N"], "leave it out: commands run without a shell unless --shell is given"),
        (&["-S"], "write --shell=PATH"),
        (&["-D", "--parameter-step-size"], "write the step behind the range: -P name=1..16..2"),
        (&["--reference"], "write --base NAME for the command that others are compared with"),
        (&["--export-json"], "write --export-hyperfine for hyperfine's JSON, or --json for Tare's"),
        (&["--export-markdown", "--export-asciidoc", "--export-orgmode"], "write --markdown FILE"),
        (&["--export-csv"], "write --csv FILE"),
        (&["--show-output"], "name where it goes: --output FILE"),
        (&["--style"], "leave it out: NO_COLOR=1 in the environment turns colours off"),
        (&["--sort", "-u", "--time-unit"], "leave it out; --json and --csv give all figures to other programs"),
    ],
    others: None,
};

/// Tools whose benchmarks `tare run` and `tare compare` measure.
const OF_BENCHMARKS: [Tool; 5] = [
    Tool {
        name: "go test",
        options: &[
            (&["-bench", "--bench", "-run", "--run"], "write --filter REGEX; without it all benchmarks are measured"),
            (&["-benchtime", "--benchtime"], "write --budget TIME, or --calls N for a fixed number of calls"),
            (&["-count", "--count"], FOUND),
            (&["-benchmem", "--benchmem"], "leave it out: allocations are counted of every benchmark"),
            (&["-cpuprofile", "-memprofile"], "`tare profile` shows where the time of a case goes"),
        ],
        others: None,
    },
    Tool {
        name: "Google Benchmark",
        options: &[
            (&["--benchmark_filter"], "write --filter REGEX"),
            (&["--benchmark_min_time", "--benchmark_repetitions"], FOUND),
            (
                &["--benchmark_out", "--benchmark_format", "--benchmark_out_format"],
                "write --json, --csv FILE or --html FILE",
            ),
            (&["--benchmark_list_tests"], "`tare list PROGRAM` lists them"),
        ],
        others: Some(("--benchmark_", "leave it out: Tare runs the benchmarks of the program itself")),
    },
    Tool {
        name: "pytest-benchmark",
        options: &[
            (&["--benchmark-compare"], "write --against RUN; `tare compare` measures two revisions side by side"),
            (&["--benchmark-save", "--benchmark-autosave"], "leave it out: each run is stored; --tag NAME names it"),
            (&["--benchmark-compare-fail"], "write --fail-on slower=5%"),
            (&["--benchmark-json"], "write --json; `tare export` writes the forms of other tools"),
            (&["--benchmark-only", "--benchmark-enable"], "leave it out: nothing but benchmarks is measured"),
            (
                &[
                    "--benchmark-min-rounds",
                    "--benchmark-min-time",
                    "--benchmark-max-time",
                    "--benchmark-warmup",
                    "--benchmark-warmup-iterations",
                ],
                FOUND,
            ),
        ],
        others: Some(("--benchmark-", "leave it out")),
    },
    Tool {
        name: "Criterion",
        options: &[
            (&["--save-baseline"], "write --tag NAME"),
            (&["--baseline", "--baseline-lenient", "--load-baseline"], "write --against NAME, a run's tag"),
            (&["--measurement-time", "--sample-size", "--warm-up-time"], FOUND),
            (&["--noplot"], "leave it out: --html FILE writes pictures where they are wanted"),
        ],
        others: None,
    },
    Tool { name: "pyperf", options: &[(&["--rigorous", "--fast", "--processes", "--values"], FOUND)], others: None },
];

impl Tool {
    fn instead_of(&self, name: &str) -> Option<String> {
        let of_list = self.options.iter().find(|(names, _)| names.contains(&name)).map(|(_, remedy)| *remedy);
        let of_others = || self.others.filter(|(begin, _)| name.starts_with(begin)).map(|(_, remedy)| remedy);
        let remedy = of_list.or_else(of_others)?;
        Some(format!("{name} is {}'s option and not one of Tare's: {remedy}", self.name))
    }
}

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
        return HYPERFINE.instead_of(name);
    }
    if let Some(said) = OF_BENCHMARKS.iter().find_map(|tool| tool.instead_of(name)) {
        return Some(said);
    }
    let remedy = instead_of_phpbench_option(name)?;
    Some(format!("{name} is PHPBench's option and not one of Tare's: {remedy}"))
}
