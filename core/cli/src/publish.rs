//! `tare publish`: the store as files for a web server.

use tare_serve::PublishError;

use crate::arguments::PublishArguments;
use crate::asked::project_here;
use crate::exit::{Refusal, Status};
use crate::screen;

pub(crate) fn publish(arguments: &PublishArguments) -> Result<Status, Refusal> {
    let project = project_here()?;
    let done = tare_serve::publish(&project, &arguments.folder, arguments.runs).map_err(refusal)?;
    let size = done.bytes as f64 / 1e6;
    let folder = arguments.folder.display();
    screen::print(&tare_report::visible_message(&format!(
        "{} files, {size:.1} MB, in {folder}: {} written, {} removed. Open {}",
        done.files,
        done.written,
        done.removed,
        arguments.folder.join("index.html").display()
    )));
    done.left_out.iter().for_each(|run| screen::complain(run));
    Ok(if done.left_out.is_empty() { Status::Done } else { Status::Failed })
}

fn refusal(error: PublishError) -> Refusal {
    match error {
        PublishError::NoStore(error) => error.into(),
        error if error.is_usage() => Refusal::usage(error),
        error => Refusal::failed(error),
    }
}
