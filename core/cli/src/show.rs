//! `tare show`: stored runs, one by itself or several side by side.

use anyhow::anyhow;
use tare_report::Layout;
use tare_store::{Access, Store};

use crate::arguments::ShowArguments;
use crate::exit::{Refusal, Status};
use crate::{run, screen};

pub(crate) fn show(arguments: &ShowArguments) -> Result<Status, Refusal> {
    let store = tare_session::open_store(&run::project_here()?, Access::ReadOnly)?;
    let mut runs = Vec::new();
    for name in &arguments.runs {
        let id = store.resolve(name).map_err(Refusal::usage)?;
        let stored = store.run(&id).map_err(Refusal::failed)?;
        runs.push((name.clone(), tare_session::of_run(&store, stored).map_err(Refusal::failed)?));
    }
    let options = screen::table_options(&arguments.detail);
    match runs.as_slice() {
        [(_, view)] if arguments.json => screen::print(&tare_report::run_document(view, Layout::Pretty)),
        [(_, view)] => screen::print(&tare_report::run_table(view, &options)),
        _ if arguments.json => {
            return Err(Refusal::usage(anyhow!("--json takes one run; call `tare show RUN --json` for each")));
        }
        several => screen::print(&tare_report::side_by_side(several, &options)),
    }
    Ok(Status::Done)
}
