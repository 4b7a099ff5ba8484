//! `tare serve`: the store as pages of this machine.

use std::process::{Command, Stdio};

use tare_serve::Serving;

use crate::arguments::ServeArguments;
use crate::asked::project_here;
use crate::exit::{Refusal, Status};
use crate::interrupt::{ANSWERS, stop_flag};
use crate::screen;

pub(crate) fn serve(arguments: &ServeArguments) -> Result<Status, Refusal> {
    let stop = stop_flag(ANSWERS)?;
    let serving = Serving::listen(arguments.listen, project_here()?).map_err(Refusal::usage)?;
    let url = serving.url();
    screen::print(&url);
    if arguments.open
        && let Err(error) = Command::new("xdg-open").arg(&url).stdin(Stdio::null()).stdout(Stdio::null()).spawn()
    {
        screen::complain(&format!("--open: xdg-open can't be started: {error}; open {url} in a browser"));
    }
    serving.run(&stop).map_err(Refusal::failed)?;
    Ok(Status::Done)
}
