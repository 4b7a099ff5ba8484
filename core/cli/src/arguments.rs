//! The command line as it is typed; `request` makes checked values of it.

use clap::{Args, Parser, Subcommand};
pub(crate) use tare_definition::{Comparing, Detail, Keeping, Measuring, Revising, Scheduler, Selection, Telling};
use tare_definition::{Options, Says, Task};
pub(crate) use tare_report_files::ReportFiles;
use tare_request::Asked;
use tare_session::Sending;

mod fleet;
mod load;
mod machine;
mod profile;
#[cfg(test)]
mod reference;
mod stored;
mod stores;
mod workers;

pub(crate) use fleet::{AgentArguments, FleetArguments, FleetCommand};
pub(crate) use load::{
    HdrArguments, HttpArguments, KeptArguments, LoadArguments, LoadKind, ResumeArguments, WorkersArguments,
};
pub(crate) use machine::{ClockArguments, DoctorArguments, TuneArguments};
pub(crate) use profile::ProfileArguments;
pub(crate) use stored::{
    ExportArguments, ImportArguments, LogArguments, MergeArguments, ReportArguments, ServeArguments, ShowArguments,
};
pub(crate) use stores::{StoreArguments, StoreCommand};
pub(crate) use workers::{ConformanceArguments, SdkArguments, SdkLanguage};

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
    /// Print a script that completes commands and options in a shell: `source <(tare completions bash)`
    Completions {
        /// Which shell
        shell: clap_complete::Shell,
    },
}

/// What `tare run` and `tare compare` have in common. Each option is declared in [`tare_definition`].
#[derive(Debug, Args)]
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
    pub(crate) fn asked(&self, revising: &Revising) -> Asked {
        Asked {
            selection: self.selection.clone(),
            measuring: self.measuring.clone(),
            comparing: self.comparing.clone(),
            revising: revising.clone(),
        }
    }
}

/// What comes of these can be reported to a file.
const REPORTED: [Task; 3] = [Task::Measure, Task::Resume, Task::CompareRuns];

#[derive(Debug, Args)]
pub(crate) struct RunArguments {
    #[command(flatten)]
    pub(crate) asking: Asking,
    /// Compare with a stored run: an id, a tag, `latest`. It says less than a live comparison: `tare compare`, --runtime or --base
    #[arg(long, value_name = "RUN")]
    pub(crate) against: Option<String>,
    /// Go on with a run that was interrupted: the newest one, or the one named
    #[arg(long, value_name = "RUN", num_args = 0..=1, default_missing_value = "", require_equals = true, conflicts_with = "against")]
    pub(crate) resume: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct CompareArguments {
    /// What it is compared with: a git revision, or a stored run by id, tag or latest. `git:NAME` and `run:NAME` say which
    #[arg(value_name = "BASE")]
    pub(crate) base_side: String,
    /// What is judged: a git revision or a stored run; `.` is the working tree as it is
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
    /// Show what was ignored in the sources, too
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
