//! `tare report`: pages of stored runs.

use std::path::PathBuf;

use clap::Args;
use tare_definition::Filter;
use tare_store::{Access, Store};

use crate::exit::{Refusal, Status};
use crate::{again, output, run, stored, views};

#[derive(Debug, Args)]
pub(crate) struct ReportArguments {
    /// A run, or two that are compared, the base first: by id, the beginning of an id, tag, or latest; `~2` after a tag or latest goes back two
    #[arg(value_name = "RUN", default_value = "latest", num_args = 1..=2)]
    runs: Vec<String>,
    /// The page that is written: one file, which asks for nothing from outside
    #[arg(long, value_name = "FILE", required = true)]
    html: PathBuf,
}

pub(crate) fn report(arguments: &ReportArguments) -> Result<Status, Refusal> {
    let mut files = output::Files::page(&arguments.html)?;
    let project = run::project_here()?;
    let store = run::open_store(Access::ReadOnly)?;
    let named = |name: &String| -> Result<(String, String), Refusal> {
        let name = name.strip_prefix("run:").unwrap_or(name);
        Ok((name.to_owned(), store.resolve(name).map_err(Refusal::usage)?))
    };
    let runs: Vec<(String, String)> = arguments.runs.iter().map(named).collect::<Result<_, _>>()?;
    let view = match runs.as_slice() {
        [(base_name, base), (candidate_name, candidate)] => {
            let (asked, everything) = (stored::Asked::of(&project), Filter::new(&[], &[]).map_err(Refusal::usage)?);
            files.again(Some(shell_words::join(["tare", "compare", base_name, candidate_name])));
            stored::of_two(&project, [(base, base_name), (candidate, candidate_name)], &everything, asked)?
        }
        single => {
            let id = single.first().map_or("latest", |(_, id)| id);
            let stored = store.run(id).map_err(Refusal::failed)?;
            files.again(again::of_stored(&stored.request));
            let mut view = views::of_run(&store, stored).map_err(Refusal::failed)?;
            views::add_distributions(&mut view, &store).map_err(Refusal::failed)?;
            view
        }
    };
    files.write(&view)?;
    Ok(Status::Done)
}
