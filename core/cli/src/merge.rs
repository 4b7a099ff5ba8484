//! `tare merge`: parts of a suite, as one run.

use tare_report_files::Files;
use tare_session::{MergeRequest, Merged};

use crate::arguments::{Detail, MergeArguments};
use crate::asked::project_here;
use crate::exit::{Refusal, Status};
use crate::output::{because, gated};
use crate::{asked, output, screen};

pub(crate) fn merge(arguments: &MergeArguments) -> Result<Status, Refusal> {
    let MergeArguments { stores, replicas, only, tag, fail_on, json, reports, detail } = arguments;
    let mut files = output::open(reports)?;
    let request = MergeRequest {
        stores: stores.clone(),
        folder: asked::folder_here()?,
        only: only.clone(),
        tags: tag.clone(),
        fail_on: fail_on.clone(),
        machines: Vec::new(),
    };
    let project = project_here()?;
    let merged =
        if *replicas { tare_session::pool(&request, &project) } else { tare_session::merge(&request, &project) }?;
    merged.notices.iter().for_each(|notice| screen::complain(notice));
    shown(&merged, *json, detail, &mut files)
}

/// Shows it, and says how it ends.
pub(crate) fn shown(merged: &Merged, json: bool, detail: &Detail, files: &mut Files) -> Result<Status, Refusal> {
    output::show(&merged.view, json, detail, files)?;
    match &merged.incomplete {
        Some(missing) => {
            because(format!("the suite isn't whole: {missing}"));
            Ok(Status::Failed)
        }
        None => Ok(gated(&merged.concluded, merged.view.comparisons.judged().next().is_some())),
    }
}
