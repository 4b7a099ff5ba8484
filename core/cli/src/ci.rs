//! `tare ci`: the verdict on a pull request, on any build server.

use std::env;
use std::path::{Path, PathBuf};

use anyhow::anyhow;
use tare_definition::{Options, Task};
use tare_session::BaseName;

use crate::arguments::CiArguments;
use crate::asked;
use crate::asked::project_here;
use crate::compare::{CiFiles, live};
use crate::exit::{Refusal, Status};
use crate::github::Hush;

mod base;

/// An event is a few KiB; more isn't one.
const LARGEST_EVENT: u64 = 16 << 20;

pub(crate) fn ci(arguments: &CiArguments) -> Result<Status, Refusal> {
    asked::check(arguments.refused())?;
    asked::check(arguments.asking.refused(Task::Measure).or_else(|| arguments.revising.refused(Task::Measure)))?;
    let project = project_here()?;
    let mut asking = arguments.asking.clone();
    let named = asking.comparing.base.take();
    let base = match named {
        Some(name) => BaseName::Revision(name),
        None => base::from_environment(&|name| env::var(name).ok().filter(|value| !value.is_empty()), &read_event)
            .map_err(Refusal::usage)?,
    };
    let is_on_github = env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true");
    // A document stays one.
    let hushes = is_on_github && !asking.selection.json;
    let told = CiFiles {
        comment: arguments.comment.clone(),
        summary: env::var_os("GITHUB_STEP_SUMMARY").filter(|path| !path.is_empty()).map(PathBuf::from),
        // Names and output of benchmarks come from the change itself; nothing in them commands the build server.
        github: hushes.then(Hush::begin).transpose().map_err(Refusal::failed)?,
    };
    live(&asking, &arguments.revising, &project, &told, |session| session.change(&base, &project))
}

/// The payload of the event that a workflow of GitHub's runs for.
fn read_event(path: &Path) -> Result<serde_json::Value, anyhow::Error> {
    let said = |error: String| anyhow!("GITHUB_EVENT_PATH {}: {error}; name the base with --base", path.display());
    let text = tare_files::text(path, LARGEST_EVENT).map_err(|error| said(error.to_string()))?;
    serde_json::from_str(&text).map_err(|error| said(error.to_string()))
}
