//! The command line as it is typed; `request` makes checked values of it.

use clap::{Args, CommandFactory, Parser, Subcommand};
pub(crate) use tare_definition::{Comparing, Detail, Keeping, Measuring, Revising, Scheduler, Selection, Telling};
use tare_definition::{Options, Says, Task};
pub(crate) use tare_report_files::ReportFiles;
use tare_request::TypedOptions;
use tare_session::Sending;

mod bisect;
mod ci;
mod exec;
mod fleet;
mod load;
mod machine;
mod profile;
#[cfg(test)]
mod reference;
mod stored;
mod stores;
mod workers;

pub(crate) use bisect::BisectArguments;
pub(crate) use ci::{BuildServer, CiArguments, InitArguments};
pub(crate) use exec::ExecArguments;
pub(crate) use fleet::{AgentArguments, FleetArguments, FleetCommand};
pub(crate) use load::{
    HdrArguments, HttpArguments, KeptArguments, LoadArguments, LoadKind, ResumeArguments, WorkersArguments,
};
pub(crate) use machine::{ClockArguments, DoctorArguments, TuneArguments};
pub(crate) use profile::ProfileArguments;
pub(crate) use stored::{
    ExportArguments, ImportArguments, LogArguments, MergeArguments, PublishArguments, ReportArguments, ServeArguments,
    ShowArguments,
};
pub(crate) use stores::{StoreArguments, StoreCommand};
pub(crate) use workers::{ConformanceArguments, SdkArguments, SdkLanguage};

/// What `--version` prints; a package names the commit that it was built of (`scripts/dist`).
pub(crate) const VERSION: &str = match option_env!("TARE_VERSION") {
    Some(version) => version,
    None => env!("CARGO_PKG_VERSION"),
};

/// Measures how long code takes, and whether a change made it slower.
#[derive(Debug, Parser)]
#[command(name = "tare", version = VERSION, about, max_term_width = 100, propagate_version = true)]
pub(crate) struct Arguments {
    /// The store for runs: a folder, or postgres://USER@HOST/DATABASE. Default: TARE_STORE, the store of tare.toml, or .tare
    #[arg(long, global = true, value_name = "PATH|URL")]
    pub(crate) store: Option<String>,
    #[command(subcommand)]
    pub(crate) command: Command,
}

impl Arguments {
    /// The whole command line. The help of a command leaves out what it refuses.
    pub(crate) fn known() -> clap::Command {
        let hiding = |command: clap::Command, refuses: fn(&str) -> bool| {
            command.mut_args(|arg| {
                let is_hidden = arg.is_hide_set() || refuses(arg.get_id().as_str());
                arg.hide(is_hidden)
            })
        };
        Self::command()
            .mut_subcommand("exec", |exec| hiding(exec, ExecArguments::refuses))
            .mut_subcommand("bisect", |bisect| hiding(bisect, BisectArguments::refuses))
            .mut_subcommand("ci", |ci| CiArguments::with_its_base(hiding(ci, CiArguments::refuses)))
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Find benchmarks, measure, store, report
    Run(Box<RunArguments>),
    /// Compare git revisions, built and measured live in the same rounds; or stored runs
    Compare(Box<CompareArguments>),
    /// Compare HEAD with where it left its base, as a build server asks for each pull request
    Ci(Box<CiArguments>),
    /// Write a tare.toml for this project, and with --ci what a build server needs
    Init(InitArguments),
    /// Find the commit that changed the time of a case, what it executes, or the memory it holds
    Bisect(Box<BisectArguments>),
    /// Measure whole commands in turns, and say which is faster
    Exec(Box<ExecArguments>),
    /// The worker that starts the commands of `tare exec`
    #[command(name = "worker-of-commands", hide = true)]
    ExecWorker,
    /// Show the cost and resolution of each runtime's clocks, and how long waits really take
    Clock(ClockArguments),
    /// The worker for the system's own clocks
    #[command(name = "worker-of-clocks", hide = true)]
    ClockWorker,
    /// Load servers, or the operations of benchmarks, and report throughput, latencies and failures. Several targets take turns and are compared
    Load(Box<LoadArguments>),
    /// Judge how fit the machine and the runtimes are to measure on
    Doctor(DoctorArguments),
    /// Settle the machine for measurements, and restore it (as root)
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
    /// Store results of other tools as runs, to show and compare them
    Import(ImportArguments),
    /// Write a stored run in a format of other tools
    Export(ExportArguments),
    /// Show the store as pages in a browser on this machine: runs, comparisons, histories of cases, and a run in progress
    Serve(ServeArguments),
    /// Write the store as static pages into a folder, for GitHub Pages or any web server
    Publish(PublishArguments),
    /// Serve a coding agent on standard input and output (Model Context Protocol): list, run, compare, why, show
    Mcp,
    /// Join the parts of a suite (--shard) to one run, and judge it as a whole
    Merge(MergeArguments),
    /// Copy, send, check and delete what is stored
    Store(StoreArguments),
    /// Watch or continue a measurement on a cluster (--on)
    Fleet(FleetArguments),
    /// Measure one part on a node of a cluster; `--on` starts it
    Agent(AgentArguments),
    /// Print where the parts of Tare are that benchmarks need to compile
    Sdk(SdkArguments),
    /// Check whether a worker speaks the wire protocol
    Conformance(ConformanceArguments),
    /// Print a script that completes commands and options in a shell: `source <(tare completions bash)`
    Completions {
        /// Which shell
        shell: clap_complete::Shell,
    },
    /// Write the manual pages into a folder, as packages have them
    #[command(hide = true)]
    Man {
        /// The folder
        #[arg(value_name = "FOLDER")]
        folder: std::path::PathBuf,
    },
}

/// What `tare run` and `tare compare` have in common. Each option is declared in [`tare_definition`].
#[derive(Debug, Clone, Args)]
pub(crate) struct Asking {
    #[command(flatten)]
    pub(crate) selection: Selection,
    #[command(flatten)]
    pub(crate) measuring: Measuring,
    #[command(flatten)]
    pub(crate) keeping: Keeping,
    #[command(flatten)]
    pub(crate) telling: Telling,
    #[command(flatten)]
    pub(crate) comparing: Comparing,
    #[command(flatten)]
    pub(crate) reports: ReportFiles,
    #[command(flatten)]
    pub(crate) detail: Detail,
}

impl Asking {
    /// What doesn't apply to a task, and why.
    pub(crate) fn refused(&self, task: Task) -> Option<String> {
        let Self { selection, measuring, keeping, telling, comparing, reports, detail } = self;
        (selection.refused(task))
            .or_else(|| measuring.refused(task))
            .or_else(|| keeping.refused(task))
            .or_else(|| telling.refused(task))
            .or_else(|| comparing.refused(task))
            .or_else(|| detail.refused(task))
            .or_else(|| {
                let (format, _) = reports.all().next().filter(|_| !REPORTED.contains(&task))?;
                Some(format!("--{} {}", format.name, task.refusal(Says::Told)))
            })
    }

    /// What is asked, as a request takes it.
    pub(crate) fn asked(&self, revising: &Revising) -> TypedOptions {
        TypedOptions {
            selection: self.selection.clone(),
            measuring: self.measuring.clone(),
            comparing: self.comparing.clone(),
            revising: revising.clone(),
        }
    }
}

/// Reports to files.
const REPORTED: [Task; 4] = [Task::Measure, Task::Resume, Task::CompareRuns, Task::Exec];

#[derive(Debug, Args)]
pub(crate) struct RunArguments {
    #[command(flatten)]
    pub(crate) asking: Asking,
    /// Compare with a stored run: an id, a tag, or `latest`. A live comparison (`tare compare`, --runtime, --base) detects smaller differences
    #[arg(long, value_name = "RUN")]
    pub(crate) against: Option<String>,
    /// Continue an interrupted run: the newest, or the one named
    #[arg(long, value_name = "RUN", num_args = 0..=1, default_missing_value = "", require_equals = true, conflicts_with = "against")]
    pub(crate) resume: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct CompareArguments {
    /// The base: a git revision, or a stored run by id, tag or latest. Write `git:NAME` or `run:NAME` if a name is both
    #[arg(value_name = "BASE")]
    pub(crate) base_side: String,
    /// The candidate: a git revision or a stored run; `.` is the working tree with its changes
    #[arg(value_name = "CANDIDATE")]
    pub(crate) candidate_side: String,
    #[command(flatten)]
    pub(crate) asking: Asking,
    #[command(flatten)]
    pub(crate) revising: Revising,
    #[command(flatten, next_help_heading = "With --serve, as `tare load http` has them")]
    pub(crate) sending: Sending,
}

#[derive(Debug, Args)]
pub(crate) struct ListArguments {
    #[command(flatten)]
    pub(crate) selection: Selection,
    /// Also show what Tare ignores in the sources
    #[arg(long, short)]
    pub(crate) verbose: bool,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::Arguments;

    #[test]
    fn the_arguments_are_consistent() {
        Arguments::command().debug_assert();
    }
}
