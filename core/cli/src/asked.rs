//! From the command line as it is typed to what a session takes.

use std::path::PathBuf;

use anyhow::anyhow;
use tare_definition::Project;
use tare_request::{Comparing, Measuring, Request};

use crate::arguments::{ComparingArguments, MeasuringArguments, Selection};
use crate::exit::Refusal;

pub(crate) fn folder_here() -> Result<PathBuf, Refusal> {
    std::env::current_dir().map_err(|e| Refusal::usage(anyhow!("the current folder can't be read: {e}")))
}

/// A request to measure.
pub(crate) fn request(
    selection: &Selection,
    measuring: &MeasuringArguments,
    comparing: &ComparingArguments,
    project: &Project,
) -> Result<Request, Refusal> {
    let measuring = Measuring {
        launches: measuring.launches,
        samples: measuring.samples,
        calls: measuring.iterations.clone(),
        interleave: measuring.interleave,
        budget: measuring.budget,
        precision: measuring.precision,
        clock: measuring.clock.clone(),
        cpus: cpus(measuring.cpus.as_deref())?,
        seed: measuring.seed,
        tags: measuring.tag.clone(),
        memory: measuring.memory,
        instructions: measuring.instructions,
    };
    let comparing = Comparing {
        base: comparing.base.clone(),
        margin: comparing.margin,
        about: comparing.about,
        mean_bound: comparing.mean_bound,
        control: comparing.control,
        fail_on: comparing.fail_on.clone(),
        reports: comparing.reports.by_format(),
    };
    Ok(Request::of_run(&of_selection(selection), &measuring, &comparing, folder_here()?, project)?)
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
        group: selection.group.clone(),
        runtime: selection.runtime.clone(),
        timeout: selection.timeout,
    }
}
