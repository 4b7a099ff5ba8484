//! `tare import` and `tare export`: other tools' files, in and out.

use std::io::{self, IsTerminal};

use anyhow::anyhow;
use tare_session::{EXPORT_FORMATS, ImportRequest, stored_report};

use crate::arguments::{ExportArguments, ImportArguments};
use crate::asked::project_here;
use crate::exit::{Refusal, Status};
use crate::screen;

pub(crate) fn import(arguments: &ImportArguments) -> Result<Status, Refusal> {
    let ImportArguments { files, format, tag } = arguments;
    let request = ImportRequest { files: files.clone(), format: format.clone(), tags: tag.clone() };
    let report = tare_session::import(&request, &project_here()?)?;
    report.messages().iter().for_each(|message| screen::complain(message));
    for done in &report.runs {
        screen::print(&tare_report::visible_message(&done.to_string()));
    }
    Ok(if report.ending()? { Status::Done } else { Status::Failed })
}

pub(crate) fn export(arguments: &ExportArguments) -> Result<Status, Refusal> {
    let project = project_here()?;
    let bytes = match EXPORT_FORMATS.iter().find(|format| format.is_called(&arguments.format)) {
        Some(format) => {
            let written = tare_session::exported(&arguments.run, format, &project)?;
            written.notices.iter().for_each(|notice| screen::complain(notice));
            written.bytes
        }
        None => {
            let view = stored_report(std::slice::from_ref(&arguments.run), &project)?;
            tare_report::exported(&arguments.format, &view).unwrap_or_default().into_bytes()
        }
    };
    match arguments.output.as_ref().filter(|path| path.as_os_str() != "-") {
        Some(path) => std::fs::write(path, bytes).map_err(|error| {
            Refusal::usage(anyhow!("-o {}: {error}; name a file in a folder that can be written", path.display()))
        })?,
        None if arguments.format == "parquet" && io::stdout().is_terminal() => {
            return Err(Refusal::usage(anyhow!(
                "Parquet isn't text, and a terminal can't show it: name a file with -o"
            )));
        }
        None => screen::print_bytes(&bytes),
    }
    Ok(Status::Done)
}
