//! `tare tune`: settles the machine, runs a command on it, puts everything back.

use std::sync::Arc;

use anyhow::anyhow;
use tare_machine::tuning::Wishes;
use tare_session::{Session, TuneEnd, TuneRequest, Tuned, Tuning, counted_signals};

use crate::arguments::{Detail, TuneArguments};
use crate::exit::{Refusal, Status};
use crate::listener::Screen;
use crate::{asked, screen};

pub(crate) fn tune(arguments: &TuneArguments) -> Result<Status, Refusal> {
    let tuning = match arguments {
        TuneArguments { restore: true, .. } => Tuning::Restored,
        // As for `-- $COMMAND` with an empty variable: it would stay settled for good, which nobody asked for.
        TuneArguments { command, .. } if command.is_empty() && std::env::args_os().any(|word| word == "--") => {
            return Err(Refusal::usage(anyhow!(
                "there is no command behind `--`: name one, as in tare tune -- tare run; without `--` the machine stays settled until `tare tune --restore`"
            )));
        }
        TuneArguments { dry_run: true, .. } => Tuning::Planned,
        TuneArguments { command, .. } if command.is_empty() => Tuning::Settled,
        TuneArguments { command, .. } => Tuning::While(command.clone()),
    };
    let files = arguments.verbose || matches!(tuning, Tuning::Planned);
    let request = TuneRequest {
        root: arguments.root.clone(),
        wishes: Wishes { smt_off: arguments.smt_off, aslr_off: arguments.aslr_off },
        cpus: asked::cpus(arguments.cpus.as_deref())?,
        tuning,
    };
    let listener = Screen::default();
    let Tuned { rows, closing, end } = Session::new(&listener, Arc::default()).tune(&request, counted_signals)?;
    if !rows.is_empty() {
        screen::print(&tare_report::tune_report(&rows, files, &screen::table_options(&Detail::default())));
    }
    closing.into_iter().for_each(screen::complain);
    match end {
        TuneEnd::Done => Ok(Status::Done),
        TuneEnd::NotRestored => Ok(Status::Failed),
        TuneEnd::Interrupted => Ok(Status::Interrupted),
        TuneEnd::Passed(status) => Ok(Status::Passed(status)),
        TuneEnd::NothingSettled(error) => Err(error.into()),
        TuneEnd::NotRun(status, error) => Err(Refusal { status: Status::Passed(status), ..error.into() }),
    }
}
