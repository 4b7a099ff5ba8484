//! The command line of `tare bisect` as it is typed.

use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgGroup, Args};
use tare_definition::{Options, Task, parse_duration, parse_percentage};
use tare_request::{BisectRequest, CaseWanted, TypedOptions};
use tare_samples::Metric;

use super::{Comparing, Measuring, Revising, Selection, Telling};

#[derive(Debug, Args)]
#[command(group(ArgGroup::new("which").args(["case", "command"]).required(true)))]
pub(crate) struct BisectArguments {
    /// The revision before the change
    #[arg(value_name = "GOOD")]
    pub(crate) good: String,
    /// The revision that has the change; GOOD is an ancestor of it
    #[arg(value_name = "BAD")]
    pub(crate) bad: String,
    /// Files and folders with the case. Default: the paths of tare.toml or phpbench.json
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// The case whose `Class::method#parameters` matches. Of several, Tare takes the one that changed most
    #[arg(long, value_name = "REGEX")]
    pub(crate) case: Option<String>,
    /// The `[[command]]` of tare.toml that has this name, instead of --case
    #[arg(long, value_name = "NAME")]
    pub(crate) command: Option<String>,
    /// What changed: time; instructions, which a call executes, counted by valgrind and exact on a busy machine; or memory, the largest size of the process
    #[arg(long, value_name = "time|instructions|memory", default_value = "time", value_parser = metric)]
    pub(crate) metric: Metric,
    /// The search ends when one commit has this probability
    #[arg(long, value_name = "PERCENT", default_value = "95%", value_parser = confidence)]
    pub(crate) confidence: f64,
    /// Go on within the commit that is found: which of its hunks bring the change, by measuring parts of it over its parent
    #[arg(long)]
    pub(crate) hunks: bool,
    /// Follow first parents alone: a merge is one commit
    #[arg(long)]
    pub(crate) first_parent: bool,
    /// Continue an interrupted search for the same case between the same revisions
    #[arg(long)]
    pub(crate) resume: bool,
    /// A runtime to measure on: `NAME=COMMAND`, a command, or a name from tare.toml
    #[arg(long, value_name = "NAME=COMMAND")]
    pub(crate) runtime: Option<String>,
    /// The longest wait for one answer of a worker
    #[arg(long, value_name = "DURATION", value_parser = parse_duration)]
    pub(crate) timeout: Option<Duration>,
    /// Write the result as a JSON document to FILE; without FILE print it, and nothing else
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "-")]
    pub(crate) json: Option<PathBuf>,
    /// Write a page with the search, its steps and its answer to FILE
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    #[command(flatten)]
    measuring: Measuring,
    #[command(flatten)]
    pub(crate) telling: Telling,
    #[command(flatten)]
    comparing: Comparing,
    #[command(flatten)]
    pub(crate) revising: Revising,
}

impl BisectArguments {
    /// The search.
    pub(crate) fn request(&self) -> BisectRequest {
        BisectRequest {
            good: self.good.clone(),
            bad: self.bad.clone(),
            case: self.wanted(),
            metric: self.metric,
            hunks: self.hunks,
            first_parent: self.first_parent,
            confidence: self.confidence,
            resume: self.resume,
        }
    }

    /// One of the two is there.
    fn wanted(&self) -> CaseWanted {
        let command = self.command.clone().map(CaseWanted::Command);
        command.unwrap_or_else(|| CaseWanted::Matching(self.case.clone().unwrap_or_default()))
    }

    /// How it measures.
    pub(crate) fn asked(&self) -> TypedOptions {
        TypedOptions {
            selection: Selection {
                paths: self.paths.clone(),
                filter: vec![self.wanted().pattern()],
                runtime: self.runtime.iter().cloned().collect(),
                timeout: self.timeout,
                ..Selection::default()
            },
            measuring: self.measuring.clone(),
            comparing: self.comparing.clone(),
            revising: self.revising.clone(),
        }
    }

    /// Whether an option that others share is none of this command.
    pub(crate) fn refuses(id: &str) -> bool {
        let shared = [Measuring::DECLARED, Comparing::DECLARED, Revising::DECLARED];
        shared.into_iter().flatten().any(|declared| declared.id == id && !declared.tasks.contains(&Task::Bisect))
    }

    /// What is given of those.
    pub(crate) fn refused(&self) -> Option<String> {
        let task = Task::Bisect;
        let of_task = (self.measuring.refused(task)).or_else(|| self.comparing.refused(task));
        of_task.or_else(|| self.revising.refused(task)).or_else(|| self.untimed())
    }

    /// What is given and needs times, where none are taken.
    fn untimed(&self) -> Option<String> {
        let given = [
            ("--budget", self.measuring.budget.is_some()),
            ("--margin", self.comparing.margin.is_some()),
            ("--about", self.comparing.about.is_some()),
        ];
        let (option, _) = given.into_iter().find(|(_, is_given)| self.metric != Metric::Time && *is_given)?;
        let metric = self.metric.name();
        Some(format!("{option} has no effect with --metric {metric}, which takes no times; leave one of the two out"))
    }
}

fn metric(text: &str) -> Result<Metric, String> {
    Metric::named(text).ok_or_else(|| "write time, instructions or memory".to_owned())
}

/// From 50 % on, and below 100 %: a search never knows for certain.
fn confidence(text: &str) -> Result<f64, String> {
    let fraction = parse_percentage(text).map_err(|error| error.to_string())?;
    match (0.5..1.0).contains(&fraction) {
        true => Ok(fraction),
        false => Err("it is a percentage from 50% to below 100%; write one such as 95%".to_owned()),
    }
}
