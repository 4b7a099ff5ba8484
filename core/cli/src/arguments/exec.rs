//! The command line of `tare exec` as it is typed.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use tare_definition::{Options, Task, parse_duration};

use super::{Asking, Comparing, Detail, Keeping, Measuring, ReportFiles, Selection, Telling};

#[derive(Debug, Args)]
pub(crate) struct ExecArguments {
    /// Commands, each one string: split into words as a shell does, and run without one
    #[arg(value_name = "COMMAND", required = true)]
    pub(crate) commands: Vec<String>,
    /// What reports call a command; the first one names the first command
    #[arg(long, short = 'n', value_name = "NAME")]
    pub(crate) command_name: Vec<String>,
    /// Run commands in a shell (default: sh). Tare measures the shell's own start-up, too, and subtracts it
    #[arg(long, value_name = "PATH", num_args = 0..=1, default_missing_value = "sh", require_equals = true)]
    pub(crate) shell: Option<String>,
    /// Subtract the time that the system takes for a program that does nothing
    #[arg(long, conflicts_with = "shell")]
    pub(crate) tare_start: bool,
    /// Also measure commands that fail: with any status, or with those given
    #[arg(long, short = 'i', value_name = "STATUS", num_args = 0..=1, default_missing_value = "all", require_equals = true)]
    pub(crate) ignore_failure: Option<String>,
    /// How often to measure each command. Default: until the answer is known, or --budget is used up
    #[arg(long, value_name = "N", conflicts_with = "total", value_parser = clap::value_parser!(u32).range(6..=10_000))]
    pub(crate) runs: Option<u32>,
    /// How often to execute each command before the first time that counts, to fill caches
    #[arg(long, short = 'w', value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub(crate) warmup: u32,
    /// A shell command before each execution, outside its time. Give one for all commands, or one for each
    #[arg(long, short = 'p', value_name = "COMMAND")]
    pub(crate) prepare: Vec<String>,
    /// A shell command after each execution, outside its time
    #[arg(long, short = 'C', value_name = "COMMAND")]
    pub(crate) conclude: Vec<String>,
    /// A shell command that runs once, before anything is measured. One for all commands, or one for each
    #[arg(long, short = 's', value_name = "COMMAND")]
    pub(crate) setup: Vec<String>,
    /// A shell command that runs once, after everything is measured, also after a failure or Ctrl-C
    #[arg(long, short = 'c', value_name = "COMMAND")]
    pub(crate) cleanup: Vec<String>,
    /// The file that commands read as standard input; default: nothing
    #[arg(long, value_name = "FILE")]
    pub(crate) input: Option<PathBuf>,
    /// Where their standard output goes: null, pipe (Tare reads and drops it), inherit (where that of Tare goes), or a file that each execution writes anew; default null
    #[arg(long, value_name = "null|pipe|inherit|FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Run each command with each of these values in place of `{NAME}`; several parameters are combined
    #[arg(long, short = 'L', value_name = "NAME=A,B,…")]
    pub(crate) parameter_list: Vec<String>,
    /// Run each command with each number from the first to the second, by steps of the third, in place of `{NAME}`
    #[arg(long, short = 'P', value_name = "NAME=1..16..1")]
    pub(crate) parameter_scan: Vec<String>,
    /// The longest that a sample of a command may take
    #[arg(long, value_name = "DURATION", value_parser = parse_duration)]
    pub(crate) timeout: Option<Duration>,
    /// Write the times in the form of hyperfine's `--export-json`, for scripts that read it
    #[arg(long, value_name = "FILE", conflicts_with = "no_store")]
    pub(crate) export_hyperfine: Option<PathBuf>,
    /// Print one JSON document and nothing else
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    measuring: Measuring,
    #[command(flatten)]
    keeping: Keeping,
    #[command(flatten)]
    telling: Telling,
    #[command(flatten)]
    comparing: Comparing,
    #[command(flatten)]
    reports: ReportFiles,
    #[command(flatten)]
    detail: Detail,
}

impl ExecArguments {
    /// What is asked of a run, with the file of the commands as its source.
    pub(crate) fn asking(&self, file: PathBuf) -> Asking {
        Asking {
            selection: Selection {
                paths: vec![file],
                runtime: vec!["commands=commands:commands".to_owned()],
                timeout: self.timeout,
                json: self.json,
                ..Selection::default()
            },
            measuring: self.measuring.clone(),
            keeping: self.keeping.clone(),
            telling: self.telling.clone(),
            comparing: self.comparing.clone(),
            reports: self.reports.clone(),
            detail: self.detail.clone(),
        }
    }

    /// The command that the others are compared with, as it is named.
    pub(crate) fn base(&self) -> Option<&str> {
        self.comparing.base.as_deref()
    }

    /// Whether an option that others share is none of this command.
    pub(crate) fn refuses(id: &str) -> bool {
        let shared = [Measuring::DECLARED, Keeping::DECLARED, Comparing::DECLARED];
        shared.into_iter().flatten().any(|declared| declared.id == id && !declared.tasks.contains(&Task::Exec))
    }

    /// What is given of those.
    pub(crate) fn refused(&self) -> Option<String> {
        let task = Task::Exec;
        (self.measuring.refused(task)).or_else(|| self.keeping.refused(task)).or_else(|| self.comparing.refused(task))
    }
}
