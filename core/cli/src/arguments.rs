//! The command line as it is typed; `request` makes checked values of it.

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand};
use tare_definition::FailOn;
use tare_request::values::{about, assertion, calls, duration, fail_on, margin, measure, percentage, threshold};
use tare_request::{LaneCount, MemoryMode, Shard};
use tare_samples::{About, Calls};

mod profile;
mod stored;

pub(crate) use profile::ProfileArguments;
pub(crate) use stored::{
    ExportArguments, ImportArguments, LogArguments, MergeArguments, ReportArguments, ServeArguments, ShowArguments,
};
pub(crate) use tare_arguments::{
    AgentArguments, ClockArguments, DoctorArguments, FleetArguments, FleetCommand, OnArguments, Scheduler,
    StoreArguments, StoreCommand, TuneArguments,
};
pub(crate) use tare_arguments::{ConformanceArguments, SdkArguments, SdkLanguage};
pub(crate) use tare_arguments::{
    HdrArguments, HttpArguments, JudgedArguments, LoadArguments, LoadKind, ResumeArguments, SendingArguments,
    ToldArguments, WorkersArguments,
};
pub(crate) use tare_report_files::ReportFiles;

/// Measures how long code takes, and whether a change made it slower.
#[derive(Debug, Parser)]
#[command(name = "tare", version, about, max_term_width = 100, propagate_version = true)]
pub(crate) struct Arguments {
    /// Where runs are kept: a folder, or postgres://USER@HOST/DATABASE; default: TARE_STORE, what tare.toml says, or .tare
    #[arg(long, global = true, value_name = "PATH|URL")]
    pub(crate) store: Option<String>,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Find benchmarks, measure, store, report
    Run(Box<RunArguments>),
    /// Compare git revisions, built and measured live in the same rounds; or stored runs
    Compare(Box<CompareArguments>),
    /// Show what each clock of each runtime costs and resolves, and what waiting really takes
    Clock(ClockArguments),
    /// The worker for the system's own clocks
    #[command(name = "clock-worker", hide = true)]
    ClockWorker,
    /// Put servers, or the operations of benchmarks, under load: throughput, latencies, failures; several targets take turns and are compared
    Load(Box<LoadArguments>),
    /// Judge how fit the machine and the runtimes are to measure on
    Doctor(DoctorArguments),
    /// Settle the machine for measurements, and put it back (as root)
    Tune(TuneArguments),
    /// Show where the time of a case goes: flame graph, instructions, system calls
    Profile(ProfileArguments),
    /// Show which cases there are, without measuring
    List(ListArguments),
    /// Show the runs in the store, newest first
    Log(LogArguments),
    /// Show stored runs; several stand side by side
    Show(ShowArguments),
    /// Write a report of a stored run, or of two compared, to a file: a page, CSV, …
    Report(ReportArguments),
    /// Store results of other tools as runs: they show, stand in history, and compare with each other
    Import(ImportArguments),
    /// Write a stored run in a format of other tools
    Export(ExportArguments),
    /// Show the store as pages in a browser on this machine: runs, comparisons, the history of a case, a run that goes on
    Serve(ServeArguments),
    /// Make one run of parts of a suite (--shard) that were measured by themselves, and judge it as a whole
    Merge(MergeArguments),
    /// Copy, send, check and delete what is stored
    Store(StoreArguments),
    /// Watch and take up again what is measured on the nodes of a cluster (--on)
    Fleet(FleetArguments),
    /// Measure one part on a node of a cluster; started by what --on submits
    Agent(AgentArguments),
    /// Where the parts of Tare are that benchmarks are built with
    Sdk(SdkArguments),
    /// Check whether a worker speaks the wire protocol
    Conformance(ConformanceArguments),
}

#[derive(Debug, Clone, Args)]
pub(crate) struct Selection {
    /// Files, folders that are searched for benchmarks, built C++ binaries; default: what tare.toml or
    /// phpbench.json say
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Only cases whose `Class::method#parameters` matches; may be given several times
    #[arg(long, value_name = "REGEX")]
    pub(crate) filter: Vec<String>,
    /// No cases whose `Class::method#parameters` matches, whatever --filter takes; may be given several times
    #[arg(long, value_name = "REGEX")]
    pub(crate) exclude: Vec<String>,
    /// Only cases of this group; may be given several times
    #[arg(long, value_name = "GROUP")]
    pub(crate) group: Vec<String>,
    /// A runtime to measure on; several make a matrix, the first is the base. `NAME=COMMAND`, a command,
    /// or a name from tare.toml. Default: php, go, python3, as the sources need
    #[arg(long, value_name = "NAME=COMMAND")]
    pub(crate) runtime: Vec<String>,
    /// The longest wait for one answer of a worker
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub(crate) timeout: Option<Duration>,
    /// Print one JSON document and nothing else
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) phpbench: PhpbenchArguments,
}

/// Which configuration of PHPBench's is read.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct PhpbenchArguments {
    /// A configuration of PHPBench's in place of phpbench.json; its relative paths count from its folder
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// A profile of that configuration (`core.profiles`)
    #[arg(long = "profile", value_name = "NAME")]
    pub(crate) phpbench_profile: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct RunArguments {
    #[command(flatten)]
    pub(crate) selection: Selection,
    #[command(flatten)]
    pub(crate) measuring: MeasuringArguments,
    #[command(flatten)]
    pub(crate) comparing: ComparingArguments,
    /// Compare with a stored run: an id, a tag, `latest`. It says less than a live comparison: `tare compare`, --runtime or --base
    #[arg(long, value_name = "RUN")]
    pub(crate) against: Option<String>,
    /// Go on with a run that was interrupted: the newest one, or the one named
    #[arg(long, value_name = "RUN", num_args = 0..=1, default_missing_value = "", require_equals = true, conflicts_with_all = ["paths", "filter", "exclude", "group", "runtime", "timeout", "config", "phpbench_profile", "launches", "samples", "calls", "iterations", "interleave", "budget", "precision", "retry_threshold", "clock", "cpus", "isolate", "lanes", "total", "shard", "on", "replicate", "seed", "tag", "memory", "instructions", "no_store", "base", "margin", "about", "same", "control", "assert", "against"])]
    pub(crate) resume: Option<String>,
    #[command(flatten)]
    pub(crate) detail: Detail,
}

/// How to measure.
#[derive(Debug, Clone, Args)]
pub(crate) struct MeasuringArguments {
    /// Launches (fresh processes) of each variant
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) launches: Option<u32>,
    /// Samples in each launch
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub(crate) samples: Option<u64>,
    /// Calls in each sample: a number, 0 for one bare call without a loop, or auto; a list measures each, side by side
    #[arg(long, visible_alias = "revs", value_name = "N|auto[,…]", value_delimiter = ',', value_parser = calls)]
    pub(crate) calls: Vec<Calls>,
    #[arg(long, hide = true, value_delimiter = ',', value_parser = calls, conflicts_with = "calls")]
    pub(crate) iterations: Vec<Calls>,
    #[arg(long, hide = true, value_parser = threshold, conflicts_with = "precision")]
    pub(crate) retry_threshold: Option<f64>,
    /// Let all cases take their turns in the same rounds, as variants of one case do: their ratios then hold on a noisy
    /// machine too. For a handful of cases: each needs a process at the same time
    #[arg(long)]
    pub(crate) interleave: bool,
    /// Time for each variant, all its launches together; for each comparison, where variants are compared
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub(crate) budget: Option<Duration>,
    /// Stop when the interval is this narrow: half its width as a part of the time
    #[arg(long, value_name = "PERCENT", value_parser = percentage)]
    pub(crate) precision: Option<f64>,
    /// Time for the whole suite, instead of for each comparison: measuring ends with it, and comparisons that there is no time for aren't measured
    #[arg(long, value_name = "DURATION", value_parser = duration, conflicts_with_all = ["budget", "launches"])]
    pub(crate) total: Option<Duration>,
    /// How many cases are measured at once, each on a core of its own; auto: as many as give the narrowest results, by a look at the machine of half a
    /// second. Default: auto where variants are compared, else 1
    #[arg(long, value_name = "N|auto")]
    pub(crate) lanes: Option<LaneCount>,
    /// Measure one of several parts of the suite, as 2/5, divided by how long cases took before; `tare merge` makes one run of them
    #[arg(long, value_name = "I/N")]
    pub(crate) shard: Option<Shard>,
    /// The worker's clock, such as microtime in PHP, process_time_ns in Python, tsc in C++
    #[arg(long, value_name = "NAME")]
    pub(crate) clock: Option<String>,
    /// CPUs for the workers, as 1 or 0,2-3; default: one CPU, the core of tare staying on the others
    #[arg(long, value_name = "LIST")]
    pub(crate) cpus: Option<String>,
    /// Seed of every random choice; default: drawn, and recorded with the run
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// A name for the run, to find it again; may be given several times
    #[arg(long, value_name = "TAG")]
    pub(crate) tag: Vec<String>,
    /// Weigh memory as well, in ten launches of their own for each variant: what the subject adds to the process, and by the
    /// runtime's account. `traced`: with Python's tracemalloc, too
    #[arg(long, value_name = "traced", num_args = 0..=1, default_missing_value = "weighed", require_equals = true, hide_possible_values = true, value_parser = memory_mode())]
    pub(crate) memory: Option<MemoryMode>,
    /// Count instructions as well, by valgrind, in five launches of their own for each variant: no time, but a figure that repeats
    /// itself on a busy machine. Not of Go; left out, with a message, where there is no valgrind
    #[arg(long)]
    pub(crate) instructions: bool,
    #[command(flatten)]
    pub(crate) fleet: OnArguments,
    #[command(flatten)]
    pub(crate) told: ToldArguments,
    /// Take each sample in a process of its own, as PHPBench does, where a benchmark leaves something behind that the next sample stumbles over
    #[arg(long)]
    pub(crate) isolate: bool,
    /// Don't store the run
    #[arg(long)]
    pub(crate) no_store: bool,
}

/// What is compared with what, and what to make of it.
#[derive(Debug, Clone, Args)]
pub(crate) struct ComparingArguments {
    /// Compare the methods of each class with this one, as benchOld or Class::benchOld, or the parameter sets of each benchmark
    /// with this one, as #md5: live, in the same rounds. Default: what the source marks
    #[arg(long, value_name = "NAME")]
    pub(crate) base: Option<String>,
    /// Differences up to this much don't matter; default 0.5%
    #[arg(long, value_name = "PERCENT", value_parser = margin, allow_hyphen_values = true)]
    pub(crate) margin: Option<f64>,
    /// What a verdict is about: time, what a call costs on average, or typical, what an undisturbed call takes; default time
    #[arg(long, value_name = "time|typical", value_parser = about)]
    pub(crate) about: Option<About>,
    /// Call `same` what shows no difference and can't hide one larger than this; default 3%
    #[arg(long, value_name = "PERCENT", value_parser = margin, allow_hyphen_values = true)]
    pub(crate) same: Option<f64>,
    /// Compare each base with itself as well: what that shows is noise
    #[arg(long)]
    pub(crate) control: bool,
    /// End with status 1 when something is slower (by more than PERCENT), with 3 when that can't be told; may be given
    /// several times
    #[arg(long, value_name = "slower[=PERCENT]|inconclusive", value_parser = fail_on)]
    pub(crate) fail_on: Vec<FailOn>,
    /// What must hold of each case, as `mode(variant.time.avg) < 200 ms +/- 10%`, in PHPBench's expression language, instead of what the
    /// sources assert; status 1 where it doesn't. May be given several times
    #[arg(long, value_name = "EXPRESSION", value_parser = assertion, allow_hyphen_values = true)]
    pub(crate) assert: Vec<String>,
    #[command(flatten)]
    pub(crate) reports: ReportFiles,
}

#[derive(Debug, Args)]
pub(crate) struct CompareArguments {
    /// What it is compared with: a git revision, or a stored run by id, tag or latest. `git:NAME` and `run:NAME` say which
    #[arg(value_name = "BASE")]
    pub(crate) base_side: String,
    /// What is judged, likewise; `.` is the working tree as it is
    #[arg(value_name = "CANDIDATE")]
    pub(crate) candidate_side: String,
    #[command(flatten)]
    pub(crate) selection: Selection,
    #[command(flatten)]
    pub(crate) measuring: MeasuringArguments,
    #[command(flatten)]
    pub(crate) comparing: ComparingArguments,
    /// The command that makes a checkout ready, as "composer install", run by a shell at its root; default: what tare.toml says
    #[arg(long, value_name = "COMMAND")]
    pub(crate) prepare: Option<String>,
    /// Whose benchmark files are measured on both sides: one of the two, as it was named
    #[arg(long, value_name = "BASE|CANDIDATE")]
    pub(crate) benchmarks: Option<String>,
    /// Which cases of two revisions are measured: changed, or all. Of what is proven to execute and read nothing that differs, nothing is
    /// measured; default changed
    #[arg(long, value_name = "changed|all", value_parser = measure)]
    pub(crate) measure: Option<bool>,
    /// Say of each case that matches REGEX (of all without one) what of that which it depends on differs, and measure nothing
    #[arg(long, value_name = "REGEX", num_args = 0..=1, default_missing_value = "")]
    pub(crate) why: Option<String>,
    /// Compare servers under load: start one in each revision with this command, which gets a free port for {port} and stays in the foreground
    #[arg(long, value_name = "COMMAND", requires = "url")]
    pub(crate) serve: Option<String>,
    /// What requests are sent to, as http://127.0.0.1:{port}/
    #[arg(long, value_name = "URL", requires = "serve")]
    pub(crate) url: Option<String>,
    #[command(flatten, next_help_heading = "With --serve, as `tare load http` has them")]
    pub(crate) sending: SendingArguments,
    #[command(flatten)]
    pub(crate) detail: Detail,
}

#[derive(Debug, Clone, Default, Args)]
pub(crate) struct Detail {
    /// Show the time before anything was taken off, too
    #[arg(long)]
    pub(crate) raw: bool,
    /// Show all figures, the uncertainty budget, and where the time went
    #[arg(long, short)]
    pub(crate) verbose: bool,
    /// Draw variants of one case as bars from 0, with their intervals
    #[arg(long)]
    pub(crate) chart: bool,
    /// Show a row for each comparison, also where nothing changed in 20 or more
    #[arg(long)]
    pub(crate) all_rows: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ListArguments {
    #[command(flatten)]
    pub(crate) selection: Selection,
    /// Show what was ignored in the sources, too
    #[arg(long, short)]
    pub(crate) verbose: bool,
}

fn memory_mode() -> impl TypedValueParser<Value = MemoryMode> {
    PossibleValuesParser::new(["weighed", "traced"]).map(|mode| match mode.as_str() {
        "traced" => MemoryMode::Traced,
        _ => MemoryMode::Weighed,
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use clap::error::ErrorKind;
    use clap::{CommandFactory, Parser};
    use tare_report::FORMATS;

    use super::Arguments;

    /// What may be said when a run is resumed: how it is told and shown, where its reports go, and what fails. All else is what it was begun with.
    const BESIDE_RESUME: [&str; 10] =
        ["resume", "json", "raw", "verbose", "chart", "all_rows", "events", "no_wait", "fail_on", "store"];

    #[test]
    fn the_arguments_are_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn what_a_resumed_run_would_ignore_is_refused() {
        let mut command = Arguments::command();
        command.build();
        let run = command.find_subcommand("run").unwrap();
        let resume = run.get_arguments().find(|argument| argument.get_id() == "resume").unwrap();
        let refused: BTreeSet<&str> =
            run.get_arg_conflicts_with(resume).iter().map(|argument| argument.get_id().as_str()).collect();
        let taken: BTreeSet<&str> = run
            .get_arguments()
            .map(|argument| argument.get_id().as_str())
            .filter(|id| !refused.contains(id) && !["help", "version"].contains(id))
            .collect();
        let expected = BESIDE_RESUME.into_iter().chain(FORMATS.iter().map(|format| format.name)).collect();
        assert_eq!(taken, expected, "an argument of `run` conflicts with --resume, or is named here");
        let error = Arguments::try_parse_from(["tare", "run", "--resume", "--exclude", "x"]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::ArgumentConflict);
    }
}
