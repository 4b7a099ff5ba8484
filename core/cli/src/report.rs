//! `tare report`: files of stored runs.

use anyhow::anyhow;
use clap::Args;
use tare_session::{StoredRequest, compare_stored, of_run_with_samples, open_store};
use tare_store::{Access, Store};

use crate::exit::{Refusal, Status};
use crate::output::Files;
use crate::report_files::ReportFiles;
use crate::run::project_here;

#[derive(Debug, Args)]
pub(crate) struct ReportArguments {
    /// A run, or two that are compared, the base first: by id, the beginning of an id, tag, or latest; `~2` after a tag or latest goes back two
    #[arg(value_name = "RUN", default_value = "latest", num_args = 1..=2)]
    runs: Vec<String>,
    #[command(flatten)]
    files: ReportFiles,
}

pub(crate) fn report(arguments: &ReportArguments) -> Result<Status, Refusal> {
    if arguments.files.all().next().is_none() {
        return Err(Refusal::usage(anyhow!("nothing says where the report goes: name a file, as in --html FILE")));
    }
    let mut files = Files::open(&arguments.files)?;
    let project = project_here()?;
    let store = open_store(&project, Access::ReadOnly)?;
    let named = |name: &String| {
        let id = store.resolve(name.strip_prefix("run:").unwrap_or(name)).map_err(Refusal::usage)?;
        Ok::<_, Refusal>((id, name.clone()))
    };
    let runs: Vec<(String, String)> = arguments.runs.iter().map(named).collect::<Result<_, _>>()?;
    let view = match runs.as_slice() {
        [base, candidate] => {
            let two = StoredRequest { base: base.clone(), candidate: candidate.clone(), ..StoredRequest::default() };
            compare_stored(&two, &project)?.0
        }
        single => {
            let id = single.first().map_or("latest", |(id, _)| id);
            of_run_with_samples(&store, store.run(id).map_err(Refusal::failed)?).map_err(Refusal::failed)?
        }
    };
    files.write(&view)?;
    Ok(Status::Done)
}
