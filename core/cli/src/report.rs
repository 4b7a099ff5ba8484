//! `tare report`: files of stored runs and loads.

use anyhow::anyhow;
use tare_report_files::{Kind, Target, write_pictures};
use tare_session::{Shown, is_spoilt, stored_report, stored_shown};

use crate::arguments::ReportArguments;
use crate::asked::project_here;
use crate::exit::{Refusal, Status};
use crate::output;

pub(crate) fn report(arguments: &ReportArguments) -> Result<Status, Refusal> {
    let ReportArguments { runs, files: asked, svg, png } = arguments;
    let folders = [(Kind::Svg, svg), (Kind::Png, png)];
    if asked.all().next().is_none() && svg.is_none() && png.is_none() {
        return Err(Refusal::usage(anyhow!("there is no file for the report; name one, as in --html FILE")));
    }
    let project = project_here()?;
    let mut spoilt = false;
    let page_alone = asked.all().all(|(format, _)| format.name == "html");
    let load = match stored_shown(runs, &project)?.pop() {
        Some((_, Shown::Load(view))) if runs.len() == 1 && page_alone => Some(view),
        _ => None,
    };
    let pictures = if let Some(view) = load {
        for (_, path) in asked.all() {
            Target::open("html", path)?.write(tare_report::load_page(&view))?;
        }
        tare_report::load_pictures(&view)
    } else {
        let mut files = output::open(asked)?;
        let view = stored_report(runs, &project)?;
        files.write(&view)?;
        spoilt = is_spoilt(&[&view], &project)?;
        tare_report::run_pictures(&view)
    };
    for (kind, folder) in folders {
        folder.as_ref().map_or(Ok(()), |folder| write_pictures(kind, folder, &pictures))?;
    }
    Ok(if spoilt { Status::Failed } else { Status::Done })
}
