//! Settles the machine, runs a command on it, puts everything back.

mod command;
mod rows;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use tare_machine::fitness::measuring_cpus;
use tare_machine::tuning::{self, Change, ChangeResult, Plan, Settled, TuneError, Undone, Wishes};
use tare_results::TuneRow;

pub use command::Signals;

use crate::doctor::tuning_folder;
use crate::error::Error;
use crate::session::Session;
use rows::{ADVICE_ON_RIGHTS, planned_rows, settled_lines, settled_rows, undone_lines, undone_rows};

/// What is to become of the machine's settings.
#[derive(Debug, Clone)]
pub enum Tuning {
    /// What would be changed is shown.
    Planned,
    /// It is settled, and stays so.
    Settled,
    /// It is settled while this command runs: a program and its arguments.
    While(Vec<OsString>),
    /// What an earlier tune has changed is put back.
    Restored,
}

/// Which settings, and of which machine.
#[derive(Debug, Clone)]
pub struct TuneRequest {
    /// Where `/proc` and `/sys` are.
    pub root: PathBuf,
    /// What is asked for beyond the usual.
    pub wishes: Wishes,
    /// The workers' CPUs; `None` for those that a run would choose.
    pub cpus: Option<Vec<usize>>,
    /// What is to become of them.
    pub tuning: Tuning,
}

/// What came of it.
#[derive(Debug)]
pub struct Tuned {
    /// Settings to show.
    pub rows: Vec<TuneRow>,
    /// What to say behind them.
    pub closing: Option<&'static str>,
    /// How it ended.
    pub end: TuneEnd,
}

/// How tuning ended.
#[derive(Debug)]
pub enum TuneEnd {
    /// As it was asked for.
    Done,
    /// Something isn't as it was.
    NotRestored,
    /// A signal came before anything was done with the settled machine; it is put back.
    Interrupted,
    /// Nothing could be settled.
    NothingSettled(Error),
    /// The command ended with this status.
    Passed(u8),
    /// The command can't be run; the status that a shell ends with then.
    NotRun(u8, Error),
}

impl Tuned {
    fn ended(end: TuneEnd) -> Self {
        Self { rows: Vec::new(), closing: None, end }
    }

    fn with_closing(closing: &'static str) -> Self {
        Self { rows: Vec::new(), closing: Some(closing), end: TuneEnd::Done }
    }
}

impl Session<'_> {
    /// Settles the machine or puts it back. `catch` is called before the first change: from there on a signal waits until everything is
    /// put back.
    ///
    /// # Errors
    ///
    /// Missing rights; a machine that is settled already, or isn't when it is put back; a state file that can't be read or written.
    pub fn tune(&self, request: &TuneRequest, catch: impl FnOnce() -> Result<Signals, Error>) -> Result<Tuned, Error> {
        if matches!(request.tuning, Tuning::Restored) {
            return restored(&request.root);
        }
        let measuring = request.cpus.clone().unwrap_or_else(|| measuring_cpus(&request.root));
        let plan = tuning::plan(&request.root, &request.wishes, &measuring);
        for (what, path, why) in &plan.left_alone {
            self.notice(format!("{what} is left alone: {path}: {why}"));
        }
        match &request.tuning {
            Tuning::Planned if plan.changes.is_empty() => Ok(Tuned::with_closing(NOTHING)),
            Tuning::Planned => Ok(Tuned { rows: planned_rows(plan.changes), ..Tuned::ended(TuneEnd::Done) }),
            Tuning::While(words) => self.settled_while(words, plan, &request.root, catch),
            Tuning::Settled | Tuning::Restored => self.settled_for_good(plan, &request.root, catch),
        }
    }

    fn settled_while(
        &self,
        words: &[OsString],
        plan: Plan,
        root: &Path,
        catch: impl FnOnce() -> Result<Signals, Error>,
    ) -> Result<Tuned, Error> {
        let (settled, signals) = settle(plan, root, catch)?;
        settled_lines(&settled).into_iter().for_each(|line| self.notice(line));
        let ended = command::run(words, &signals, self);
        let all_back = self.put_back(settled, root)?;
        Ok(Tuned::ended(match ended? {
            // What the command says comes first; but a success must not hide a machine that isn't as it was.
            TuneEnd::Passed(0) if !all_back => TuneEnd::NotRestored,
            end => end,
        }))
    }

    /// Leaves the machine settled, unless somebody doesn't want to wait for it.
    fn settled_for_good(
        &self,
        plan: Plan,
        root: &Path,
        catch: impl FnOnce() -> Result<Signals, Error>,
    ) -> Result<Tuned, Error> {
        let (settled, signals) = settle(plan, root, catch)?;
        if signals.count() > 0 {
            self.put_back(settled, root)?;
            return Ok(Tuned::ended(TuneEnd::Interrupted));
        }
        let rows = settled_rows(&settled);
        if rows.is_empty() {
            return Ok(Tuned::with_closing(NOTHING));
        }
        if settled.changes.iter().all(|(_, made)| *made != ChangeResult::Done) {
            self.put_back(settled, root)?;
            let error = Error::failed(format!("nothing could be settled; {ADVICE_ON_RIGHTS}"));
            return Ok(Tuned { rows, closing: None, end: TuneEnd::NothingSettled(error) });
        }
        Ok(Tuned { rows, ..Tuned::with_closing("settled until `tare tune --restore`, or a restart") })
    }

    /// Whether everything is as it was, as far as this tune is concerned. It is told at once: standard output may be a command's.
    fn put_back(&self, settled: Settled, root: &Path) -> Result<bool, Error> {
        let undone = settled.restore(root).map_err(refusal)?;
        undone_lines(&undone).into_iter().for_each(|line| self.notice(line));
        Ok(is_all_back(&undone))
    }
}

const NOTHING: &str = "this machine has nothing to settle";

fn settle(
    plan: Plan,
    root: &Path,
    catch: impl FnOnce() -> Result<Signals, Error>,
) -> Result<(Settled, Signals), Error> {
    need_root(root)?;
    let signals = catch()?;
    Ok((tuning::settle(root, &tuning_folder(), plan).map_err(refusal)?, signals))
}

fn restored(root: &Path) -> Result<Tuned, Error> {
    need_root(root)?;
    let undone = tuning::restore(root, &tuning_folder()).map_err(refusal)?;
    if undone.is_empty() {
        return Ok(Tuned::with_closing(
            "the machine was restarted since; the kernel has its own values, and nothing had to be put back",
        ));
    }
    let all_back = is_all_back(&undone);
    Ok(Tuned {
        rows: undone_rows(undone),
        closing: (!all_back).then_some("what couldn't be put back is kept, for another `tare tune --restore`"),
        end: if all_back { TuneEnd::Done } else { TuneEnd::NotRestored },
    })
}

fn is_all_back(undone: &[(Change, Undone)]) -> bool {
    !undone.iter().any(|(_, undone)| matches!(undone, Undone::Refused(_)))
}

/// The kernel's own files want root; a folder in their place, only rights to it.
fn need_root(root: &Path) -> Result<(), Error> {
    if root == Path::new("/") && !tuning::is_root() {
        return Err(Error::usage(
            "settings of the kernel are root's to change: sudo tare tune …; `tare tune --dry-run` shows them to everybody",
        ));
    }
    Ok(())
}

fn refusal(error: TuneError) -> Error {
    match error {
        TuneError::Io { .. } => Error::failed(error),
        _ => Error::usage(error),
    }
}
