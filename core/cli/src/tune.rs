//! `tare tune`: settles the machine, runs a command on it, puts everything back.

use std::sync::Arc;

use anyhow::anyhow;
use tare_machine::fitness::measuring_cpus;
use tare_machine::tuning::{self, Change, Made, Settled, Undone, Wishes};
use tare_results::TuneRow;
use tare_session::{
    ADVICE_ON_RIGHTS, Session, Signals, planned_rows, settled_lines, settled_rows, tuning_folder, undone_lines,
    undone_rows,
};

use crate::arguments::{Detail, TuneArguments};
use crate::exit::{Refusal, Status};
use crate::listener::Screen;
use crate::screen;

pub(crate) fn tune(arguments: &TuneArguments) -> Result<Status, Refusal> {
    if arguments.restore {
        return restore(arguments);
    }
    // As for `-- $COMMAND` with an empty variable: it would stay settled for good, which nobody asked for.
    if arguments.command.is_empty() && std::env::args_os().any(|word| word == "--") {
        return Err(Refusal::usage(anyhow!(
            "there is no command behind `--`: name one, as in tare tune -- tare run; without `--` the machine stays settled until `tare tune --restore`"
        )));
    }
    let measuring = match &arguments.cpus {
        Some(list) => tare_machine::parse_cpu_list(list).map_err(|error| Refusal::usage(anyhow!("--cpus: {error}")))?,
        None => measuring_cpus(&arguments.root),
    };
    let wishes = Wishes { smt_off: arguments.smt_off, aslr_off: arguments.aslr_off };
    let plan = tuning::plan(&arguments.root, &wishes, &measuring);
    for (what, path, why) in &plan.left_alone {
        screen::complain(&format!("{what} is left alone: {path}: {why}"));
    }
    if arguments.dry_run {
        let rows = planned_rows(plan.changes);
        if rows.is_empty() {
            screen::complain("there is nothing to settle here");
        }
        show(&rows, true);
        return Ok(Status::Done);
    }
    tare_session::need_root(&arguments.root)?;
    // From here on a signal waits until everything is put back.
    let signals = Signals::catch()?;
    let settled = tuning::settle(&arguments.root, &tuning_folder(), plan).map_err(tare_session::Error::from)?;
    if arguments.command.is_empty() {
        return settled_for_good(settled, &signals, arguments);
    }
    settled_lines(&settled).iter().for_each(|line| screen::complain(line));
    let listener = Screen::default();
    let ended = Session::new(&listener, Arc::default()).run_command(&arguments.command, &signals);
    let undone = settled.restore(&arguments.root).map_err(tare_session::Error::from)?;
    let told = tell_undone(&undone);
    match (ended, told) {
        (Err(not_run), _) => Err(Refusal { status: Status::Passed(not_run.status), cause: not_run.into() }),
        // What the command says comes first; but a success must not hide a machine that isn't as it was.
        (Ok(Some(0)), false) => Ok(Status::Failed),
        (Ok(Some(status)), _) => Ok(Status::Passed(status)),
        (Ok(None), _) => Ok(Status::Interrupted),
    }
}

/// Leaves the machine settled, unless somebody doesn't want to wait for it.
fn settled_for_good(settled: Settled, signals: &Signals, arguments: &TuneArguments) -> Result<Status, Refusal> {
    if signals.count() > 0 {
        let undone = settled.restore(&arguments.root).map_err(tare_session::Error::from)?;
        tell_undone(&undone);
        return Ok(Status::Interrupted);
    }
    let nothing = settled.changes.is_empty();
    let refused = settled.changes.iter().all(|(_, made)| *made != Made::Done);
    if refused && !nothing {
        let rows = settled_rows(&settled);
        tell_undone(&settled.restore(&arguments.root).map_err(tare_session::Error::from)?);
        show(&rows, arguments.verbose);
        return Err(Refusal::failed(anyhow!("nothing could be settled; {}", ADVICE_ON_RIGHTS)));
    }
    show(&settled_rows(&settled), arguments.verbose);
    screen::complain(if nothing {
        "there is nothing to settle here"
    } else {
        "settled until `tare tune --restore`, or a restart"
    });
    Ok(Status::Done)
}

fn restore(arguments: &TuneArguments) -> Result<Status, Refusal> {
    tare_session::need_root(&arguments.root)?;
    let undone = tuning::restore(&arguments.root, &tuning_folder()).map_err(tare_session::Error::from)?;
    if undone.is_empty() {
        screen::complain(
            "the machine was restarted since; the kernel has its own values, and nothing had to be put back",
        );
        return Ok(Status::Done);
    }
    let all = undone.iter().all(|(_, undone)| !matches!(undone, Undone::Refused(_)));
    show(&undone_rows(undone), arguments.verbose);
    if all {
        return Ok(Status::Done);
    }
    screen::complain("what couldn't be put back is kept, for another `tare tune --restore`");
    Ok(Status::Failed)
}

fn show(rows: &[TuneRow], files: bool) {
    if !rows.is_empty() {
        let options = screen::table_options(&Detail::default());
        screen::print(&tare_report::tune_report(rows, files, &options));
    }
}

/// Whether everything is as it was, as far as this tune is concerned; on standard error, since standard output is the command's.
fn tell_undone(undone: &[(Change, Undone)]) -> bool {
    undone_lines(undone).iter().for_each(|line| screen::complain(line));
    !undone.iter().any(|(_, undone)| matches!(undone, Undone::Refused(_)))
}
