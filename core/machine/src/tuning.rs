//! Settling a machine for measurements, and putting everything back.
//!
//! What is to be changed is known beforehand ([`Plan`]). Before the first file is written, the old values lie in a state file on the
//! disk, so that a process that is killed leaves enough behind for [`restore`]. The process that settles the machine keeps the state file locked as long as
//! it means to put things back itself ([`Settled`]).
//!
//! A value that is put back must still be the one that was set: what another hand has changed since is left as it is, and told.

mod plan;
mod state;
mod value;

use std::path::Path;

use state::{StateFile, Stored};

pub use plan::{Plan, Wishes, plan};
pub use state::TuneError;

/// One file, what it holds and what it is to hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// What is settled by it: `governor`, `turbo`.
    pub what: String,
    /// The file, absolute on the machine that it is for.
    pub path: String,
    /// What it held.
    pub old: String,
    /// What it is to hold.
    pub new: String,
}

/// What became of a change that was to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChangeResult {
    /// The file holds the new value.
    Done,
    /// The kernel refused, and why; the file is as it was.
    Refused(String),
    /// The kernel made something else of the value, and doesn't take the old one either: what the file holds, and why. It is tried
    /// again when everything is put back.
    Stuck(String, String),
}

/// What became of a change that was to be undone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Undone {
    /// The file holds the old value again.
    Back,
    /// It held the old value: the change was never made, or is undone already.
    AsItWas,
    /// It holds neither: another hand has changed it since, and it is left so.
    Foreign(String),
    /// The kernel refused, and why: it stays in the state file.
    Refused(String),
}

/// A machine that was settled by this process, which is to put it back.
#[derive(Debug)]
pub struct Settled {
    /// Each change and what became of it.
    pub changes: Vec<(Change, ChangeResult)>,
    state: Option<StateFile>,
}

/// Makes the changes of a plan below `root`, with the state kept in `folder`. One that the kernel refuses doesn't keep the others from
/// being made. A plan without changes leaves no state.
///
/// # Errors
/// A state that lies there already, or can't be written; nothing has been changed then.
pub fn settle(root: &Path, folder: &Path, plan: Plan) -> Result<Settled, TuneError> {
    state::refuse_existing(folder)?;
    if plan.changes.is_empty() {
        return Ok(Settled { changes: Vec::new(), state: None });
    }
    let mut state = StateFile::create(root, folder, &plan.changes)?;
    let changes: Vec<(Change, ChangeResult)> = plan.changes.into_iter().map(|change| make(root, change)).collect();
    if changes.iter().any(|(_, made)| matches!(made, ChangeResult::Stuck(..))) {
        // So that another process knows it for ours. Where that can't be written the state as it lies there has to do.
        let _ = state.keep(&changes.iter().map(|(change, _)| change.clone()).collect::<Vec<_>>());
    }
    Ok(Settled { changes, state: Some(state) })
}

/// Some files keep something else than they take: a driver narrows the CPUs of its interrupt. That is neither the old value nor the
/// new one and would pass for another hand's, so the old one is written back at once.
fn make(root: &Path, mut change: Change) -> (Change, ChangeResult) {
    let Err(reason) = value::write(root, &change.path, &change.new) else { return (change, ChangeResult::Done) };
    let made = match value::read(root, &change.path) {
        Ok(found) if found != change.old => match value::write(root, &change.path, &change.old) {
            Ok(()) => ChangeResult::Refused(format!("{reason}; {} is put back", change.old)),
            Err(again) => {
                let reason = format!("{reason}; {} can't be put back: {again}", change.old);
                change.new = value::read(root, &change.path).unwrap_or(found);
                ChangeResult::Stuck(change.new.clone(), reason)
            }
        },
        Ok(_) => ChangeResult::Refused(reason),
        Err(_) => {
            // Blindly; the file stays in the state.
            let _ = value::write(root, &change.path, &change.old);
            ChangeResult::Refused(reason)
        }
    };
    (change, made)
}

impl Settled {
    /// Puts everything back, the last change first.
    ///
    /// # Errors
    /// The state file can't be removed or rewritten; values have been put back then all the same.
    pub fn restore(self, root: &Path) -> Result<Vec<(Change, Undone)>, TuneError> {
        match self.state {
            Some(state) => undo(root, state, self.changes.into_iter().map(|(change, _)| change).collect()),
            None => Ok(Vec::new()),
        }
    }
}

/// Puts back what an earlier process has left changed.
///
/// # Errors
/// No state, one that can't be understood, one whose process still runs, one of another root.
pub fn restore(root: &Path, folder: &Path) -> Result<Vec<(Change, Undone)>, TuneError> {
    let (state, stored) = StateFile::open(folder)?;
    if stored.root != state::named(root) {
        return Err(TuneError::OtherRoot { path: state.path().to_owned(), root: stored.root.into() });
    }
    let boot = state::boot(root);
    match stored {
        // The kernel has begun anew since, with its own values: none of ours is left. Where it can't be told, each file says what it holds.
        Stored { boot: before, .. } if !before.is_empty() && !boot.is_empty() && before != boot => {
            state.remove()?;
            Ok(Vec::new())
        }
        Stored { changes, .. } => undo(root, state, changes),
    }
}

/// What a tune has changed and not put back yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Left {
    /// The process that is going to put it back; `None` where that has ended.
    pub process: Option<u32>,
    /// The changes that still hold; empty as long as the process runs, whose matter they are.
    pub changes: Vec<Change>,
}

/// Looks for what a tune below `root` has left; `None` where nothing lies in `folder`, or only what a restart has undone.
///
/// # Errors
/// A state that can't be read or understood.
pub fn left(root: &Path, folder: &Path) -> Result<Option<Left>, TuneError> {
    let stored = match StateFile::open(folder) {
        Ok((_, stored)) => stored,
        Err(TuneError::Nothing { .. }) => return Ok(None),
        Err(TuneError::InUse { process }) => return Ok(Some(Left { process: Some(process), changes: Vec::new() })),
        Err(error) => return Err(error),
    };
    let boot = state::boot(root);
    let restarted = !stored.boot.is_empty() && !boot.is_empty() && stored.boot != boot;
    if restarted || stored.root != state::named(root) {
        return Ok(None);
    }
    let holds = |change: &Change| value::read(root, &change.path).is_ok_and(|found| found == change.new);
    Ok(Some(Left { process: None, changes: stored.changes.into_iter().filter(holds).collect() }))
}

fn undo(root: &Path, mut state: StateFile, changes: Vec<Change>) -> Result<Vec<(Change, Undone)>, TuneError> {
    let put_back = |change: Change| {
        let undone = match value::read(root, &change.path) {
            Ok(found) if found == change.old => Undone::AsItWas,
            Ok(found) if found != change.new => Undone::Foreign(found),
            Ok(_) => match value::write(root, &change.path, &change.old) {
                Ok(()) => Undone::Back,
                Err(reason) => Undone::Refused(reason),
            },
            Err(reason) => Undone::Refused(reason),
        };
        (change, undone)
    };
    // In the reverse order: a CPU comes back before its settings do.
    let undone: Vec<(Change, Undone)> = changes.into_iter().rev().map(put_back).collect();
    let left = undone.iter().filter(|(_, undone)| matches!(undone, Undone::Refused(_)));
    let mut left: Vec<Change> = left.map(|(change, _)| change.clone()).collect();
    left.reverse();
    if left.is_empty() {
        state.remove()?
    } else {
        state.keep(&left)?
    }
    Ok(undone)
}

/// Whether this process may change settings of the kernel.
pub fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

#[cfg(test)]
mod tests;
