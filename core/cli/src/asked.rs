//! From the command line as it is typed to what a session takes.

use std::path::PathBuf;
use std::sync::OnceLock;

use anyhow::anyhow;
use tare_definition::{Filter, PhpbenchChoice, Project};
use tare_request::{Comparing, Measuring, Request, threshold_taken};
use tare_samples::Calls;

use crate::arguments::{ComparingArguments, MeasuringArguments, Selection};
use crate::exit::Refusal;
use crate::screen;

pub(crate) fn folder_here() -> Result<PathBuf, Refusal> {
    std::env::current_dir().map_err(|e| Refusal::usage(anyhow!("the current folder can't be read: {e}")))
}

/// What `--store` or the environment says.
pub(crate) static STORE: OnceLock<Option<String>> = OnceLock::new();

pub(crate) fn project_here() -> Result<Project, Refusal> {
    let found = Project::find(&folder_here()?).map_err(Refusal::usage)?;
    Ok(found.storing_in(STORE.get().and_then(|store| store.as_deref())))
}

/// A request to measure.
pub(crate) fn request(
    selection: &Selection,
    measuring: &MeasuringArguments,
    comparing: &ComparingArguments,
    project: &Project,
) -> Result<Request, Refusal> {
    if let Some(by) = measuring.retry_threshold {
        screen::complain(&threshold_taken("--retry-threshold", by));
    }
    let measuring = Measuring {
        launches: measuring.launches,
        samples: measuring.samples,
        calls: calls(measuring).to_vec(),
        interleave: measuring.interleave,
        budget: measuring.budget,
        total: measuring.total,
        lanes: measuring.lanes,
        shard: measuring.shard,
        precision: measuring.precision.or(measuring.retry_threshold),
        clock: measuring.clock.clone(),
        cpus: cpus(measuring.cpus.as_deref())?,
        seed: measuring.seed,
        tags: measuring.tag.clone(),
        memory: measuring.memory,
        instructions: measuring.instructions,
        isolate: measuring.isolate,
    };
    let comparing = Comparing {
        base: comparing.base.clone(),
        margin: comparing.margin,
        about: comparing.about,
        same: comparing.same,
        control: comparing.control,
        fail_on: comparing.fail_on.clone(),
        assertions: comparing.assert.clone(),
        reports: comparing.reports.by_format(),
    };
    // Before anything is built, checked out or submitted.
    Filter::new(&selection.filter, &selection.group)
        .and_then(|filter| filter.excluding(&selection.exclude))
        .map_err(Refusal::usage)?;
    let request = Request::of_run(&of_selection(selection), &measuring, &comparing, folder_here()?, project)?;
    request.remarks.iter().for_each(|remark| screen::complain(remark));
    Ok(request)
}

/// The calls that are asked for. `--iterations` was their only name once, and means something else in PHPBench: that is said.
fn calls(arguments: &MeasuringArguments) -> &[Calls] {
    if arguments.iterations.is_empty() {
        return &arguments.calls;
    }
    screen::complain(tare_request::ITERATIONS_ARE_CALLS);
    &arguments.iterations
}

/// A request to list.
pub(crate) fn selected(selection: &Selection, project: &Project) -> Result<Request, Refusal> {
    Ok(Request::of_selection(&of_selection(selection), folder_here()?, project)?)
}

/// CPUs as `--cpus` names them.
pub(crate) fn cpus(list: Option<&str>) -> Result<Option<Vec<usize>>, Refusal> {
    let cpus = list.map(tare_machine::parse_cpu_list).transpose();
    cpus.map_err(|error| Refusal::usage(anyhow!("--cpus: {error}")))
}

fn of_selection(selection: &Selection) -> tare_request::Selection {
    tare_request::Selection {
        paths: selection.paths.clone(),
        filter: selection.filter.clone(),
        exclude: selection.exclude.clone(),
        group: selection.group.clone(),
        runtime: selection.runtime.clone(),
        timeout: selection.timeout,
        phpbench: PhpbenchChoice {
            file: selection.phpbench.config.clone(),
            profile: selection.phpbench.phpbench_profile.clone(),
        },
    }
}
