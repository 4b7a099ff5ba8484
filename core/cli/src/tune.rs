//! `tare tune`: settles the machine, runs a command on it, puts everything back.

mod command;

use anyhow::anyhow;
use tare_machine::fitness::measuring_cpus;
use tare_machine::tuning::{self, Change, Made, Settled, TuneError, Undone, Wishes};
use tare_results::TuneRow;
use tare_session::{planned_rows, settled_rows, tuning_folder, undone_rows};

use crate::arguments::{Detail, TuneArguments};
use crate::exit::{Refusal, Status};
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
    need_root(arguments)?;
    // From here on a signal waits until everything is put back.
    let signals = command::Signals::catch()?;
    let settled = tuning::settle(&arguments.root, &tuning_folder(), plan).map_err(refusal)?;
    if arguments.command.is_empty() {
        return settled_for_good(settled, &signals, arguments);
    }
    tell_settled(&settled);
    let ended = command::run(&arguments.command, &signals);
    let undone = settled.restore(&arguments.root).map_err(refusal)?;
    let told = tell_undone(&undone);
    match (ended, told) {
        (Err(refusal), _) => Err(refusal),
        // What the command says comes first; but a success must not hide a machine that isn't as it was.
        (Ok(Status::Passed(0)), false) => Ok(Status::Failed),
        (Ok(status), _) => Ok(status),
    }
}

/// Leaves the machine settled, unless somebody doesn't want to wait for it.
fn settled_for_good(
    settled: Settled,
    signals: &command::Signals,
    arguments: &TuneArguments,
) -> Result<Status, Refusal> {
    if signals.count() > 0 {
        let undone = settled.restore(&arguments.root).map_err(refusal)?;
        tell_undone(&undone);
        return Ok(Status::Interrupted);
    }
    let nothing = settled.changes.is_empty();
    let refused = settled.changes.iter().all(|(_, made)| *made != Made::Done);
    if refused && !nothing {
        let rows = settled_rows(&settled);
        tell_undone(&settled.restore(&arguments.root).map_err(refusal)?);
        show(&rows, arguments.verbose);
        return Err(Refusal::failed(anyhow!("nothing could be settled; {}", advice_on_rights())));
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
    need_root(arguments)?;
    let undone = tuning::restore(&arguments.root, &tuning_folder()).map_err(refusal)?;
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

/// On standard error: standard output is the command's.
fn tell_settled(settled: &Settled) {
    let done = settled.changes.iter().filter(|(_, made)| *made == Made::Done).count();
    screen::complain(&match (done, settled.changes.len()) {
        (_, 0) => "there is nothing to settle here; the command runs as it would without".to_owned(),
        (done, all) if done == all => format!("settled ({done} {})", files(done)),
        (done, all) => format!("settled {done} of {all} files; {}", advice_on_rights()),
    });
    for (change, made) in &settled.changes {
        match made {
            Made::Done => {}
            Made::Refused(why) => {
                screen::complain(&format!("{} is left at {}: {}: {why}", change.what, change.old, change.path));
            }
            Made::Stuck(found, why) => {
                screen::complain(&format!("{} is at {found} now: {}: {why}", change.what, change.path));
            }
        }
    }
}

/// Whether everything is as it was, as far as this tune is concerned.
fn tell_undone(undone: &[(Change, Undone)]) -> bool {
    let back = undone.iter().filter(|(_, undone)| *undone == Undone::Back).count();
    let refused: Vec<_> = undone.iter().filter(|(_, undone)| matches!(undone, Undone::Refused(_))).collect();
    if back > 0 {
        screen::complain(&format!("put back ({back} {})", files(back)));
    }
    for (change, undone) in undone {
        let Change { what, path, old, .. } = change;
        match undone {
            Undone::Foreign(found) => screen::complain(&format!(
                "{what} is left at {found}, which another hand has set meanwhile; it was {old} before: {path}"
            )),
            Undone::Refused(why) => screen::complain(&format!("{what} can't be put back to {old}: {path}: {why}")),
            Undone::Back | Undone::AsItWas => {}
        }
    }
    if !refused.is_empty() {
        screen::complain("what couldn't be put back is kept, for `tare tune --restore`");
    }
    refused.is_empty()
}

fn files(count: usize) -> &'static str {
    if count == 1 { "file" } else { "files" }
}

fn show(rows: &[TuneRow], files: bool) {
    if !rows.is_empty() {
        let options = screen::table_options(&Detail::default());
        screen::print(&tare_report::tune_report(rows, files, &options));
    }
}

/// The kernel's own files want root; a folder in their place, only rights to it.
fn need_root(arguments: &TuneArguments) -> Result<(), Refusal> {
    if arguments.root == std::path::Path::new("/") && !tuning::is_root() {
        return Err(Refusal::usage(anyhow!(
            "settings of the kernel are root's to change: sudo tare tune …; `tare tune --dry-run` shows them to everybody"
        )));
    }
    Ok(())
}

fn advice_on_rights() -> &'static str {
    "in a container, run `tare tune` on the host"
}

/// The folder of the old values.
fn refusal(error: TuneError) -> Refusal {
    match error {
        TuneError::Io { .. } => Refusal::failed(error),
        _ => Refusal::usage(error),
    }
}
