//! One measurement at a time on the whole machine.
//!
//! Two that run at once disturb each other, on other CPUs too: they share caches, memory bandwidth and the clock rate.
//! So who measures holds a lock on one file that every user of the machine finds (flock(2)). The operating system lets
//! go of it when the process ends, however it ends; nothing has to be cleared by hand. The file itself stays.
//!
//! The file lies where anybody may write. It is opened before it is made, since opening another user's file with
//! `O_CREAT` is refused in such a folder (proc(5), `fs.protected_regular`); it is made under another name and moved into
//! place once everybody may open it; no link is followed, and nothing but a plain file with one name is written to.

use std::fs::{self, File, Permissions};
use std::io::{self, Read, Seek, Write};
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustix::fs::{CWD, FlockOperation, OFlags, RenameFlags, flock, renameat_with};
use rustix::io::Errno;
use tare_samples::printable_line;

mod queue;

use queue::Number;

/// The same for all users and whatever `TMPDIR` says; `/run/lock` is not for everybody on every distribution.
const DEFAULT: &str = "/tmp/tare-measuring.lock";
/// How often the lock is asked for.
const POLL: Duration = Duration::from_millis(100);
/// What is read of the file: its content is anybody's.
const MOST_BYTES: u64 = 1024;
/// The longest description of a measurement, in characters.
const MOST_CHARACTERS: usize = 120;

/// The right to measure, for as long as it lives. Processes that are started meanwhile don't inherit it.
#[derive(Debug)]
pub struct MeasuringLock {
    file: Option<File>,
    problem: Option<MeasuringLockError>,
}

/// Who measures, by its own account: anybody may have written it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Holder {
    /// Its process; `None` where it left no account.
    pub pid: Option<u32>,
    /// What it measures: one line, escaped and bounded; may be empty.
    pub what: String,
    /// Since when.
    pub since: Option<SystemTime>,
}

/// Why measurements can't be kept apart. A reason to warn, not to refuse.
#[derive(Debug, thiserror::Error)]
#[error(
    "{}: can't {action}: {source}; make sure that nothing else is measured at the same time, or make the file usable",
    path.display()
)]
pub struct MeasuringLockError {
    /// The file.
    pub path: PathBuf,
    /// What was to be done with it.
    pub action: &'static str,
    /// What the system said.
    pub source: io::Error,
}

/// What came of trying once.
enum Attempt {
    Taken(File),
    Held(Holder, File),
}

/// Whether the lock is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Patience {
    /// As long as it takes, behind those who came before.
    #[default]
    Waits,
    /// Not at all.
    GoesAway,
}

/// What came of asking for the lock.
#[derive(Debug)]
pub enum Acquired {
    /// It is held, or there is none to hold.
    Lock(MeasuringLock),
    /// The caller was told to give up.
    Interrupted,
    /// Somebody else has it, and it wasn't waited for.
    Busy(Holder),
}

impl MeasuringLock {
    /// Waits until nothing else is measured on this machine, and keeps others from it. `path` is the file to lock, by default one
    /// that is the same for all users; `what` says in a line what is to be measured.
    ///
    /// While another holds the lock, `waiting` is told who it is, and again when it is yet another; `interrupted` is asked
    /// ten times a second whether to give up.
    ///
    /// Where the file can't be made or locked, the lock holds nothing, and [`problem`](Self::problem) says why: measuring
    /// isn't refused for it.
    ///
    /// Who waits is served in the order of coming ([`queue`]). With [`Patience::GoesAway`] nobody is waited for, neither who measures
    /// nor who waits for that.
    ///
    /// A process that asks twice waits for itself. Should someone remove the file while it is held, the next one makes
    /// another and doesn't see the first holder.
    pub fn ask(
        path: Option<&Path>,
        what: &str,
        waiting: &mut dyn FnMut(&Holder),
        interrupted: &dyn Fn() -> bool,
        patience: Patience,
    ) -> Acquired {
        let path = path.unwrap_or(Path::new(DEFAULT));
        let mut told = None;
        let mut silent = 0;
        let mut number: Option<Number> = None;
        loop {
            let (holder, file) = match attempt(path, number.as_ref()) {
                Ok(Attempt::Taken(mut file)) => {
                    // Not being able to say who measures makes the lock no weaker.
                    let _ = sign(&mut file, what);
                    return Acquired::Lock(Self { file: Some(file), problem: None });
                }
                Ok(Attempt::Held(holder, file)) => (holder, file),
                Err(problem) => return Acquired::Lock(Self { file: None, problem: Some(problem) }),
            };
            if interrupted() {
                return Acquired::Interrupted;
            }
            if patience == Patience::GoesAway {
                return Acquired::Busy(holder);
            }
            if number.as_ref().is_none_or(|number| !number.is_of(&file)) {
                number = Number::take(file);
            }
            // It may have taken the lock only now and be about to say who it is.
            silent = if holder.pid.is_none() { silent + 1 } else { 0 };
            if silent != 1 && told.as_ref() != Some(&holder) {
                waiting(&holder);
                told = Some(holder);
            }
            thread::sleep(POLL);
        }
    }

    /// As [`ask`](Self::ask), waiting. `None` when interrupted meanwhile.
    #[cfg(test)]
    fn acquire(
        path: Option<&Path>,
        what: &str,
        waiting: &mut dyn FnMut(&Holder),
        interrupted: &dyn Fn() -> bool,
    ) -> Option<Self> {
        match Self::ask(path, what, waiting, interrupted, Patience::Waits) {
            Acquired::Lock(lock) => Some(lock),
            Acquired::Interrupted | Acquired::Busy(_) => None,
        }
    }

    /// Why nothing is held, where nothing is: a warning to show.
    pub fn problem(&self) -> Option<&MeasuringLockError> {
        self.problem.as_ref()
    }
}

impl Drop for MeasuringLock {
    fn drop(&mut self) {
        if let Some(file) = &self.file {
            // Before the lock is let go, so that the next one isn't taken for this.
            let _ = file.set_len(0);
            // Closing the file is not enough: a process that another thread is just starting has it until it runs its program.
            let _ = flock(file, FlockOperation::Unlock);
        }
    }
}

/// Opens the file, anew each time: while one waits it may have been removed and made again.
fn attempt(path: &Path, number: Option<&Number>) -> Result<Attempt, MeasuringLockError> {
    let problem = |action| move |source| MeasuringLockError { path: path.to_owned(), action, source };
    loop {
        let Some(mut file) = open(path).map_err(problem("open it"))? else {
            make(path).map_err(problem("make it"))?;
            continue;
        };
        let metadata = file.metadata().map_err(problem("look at it"))?;
        if !metadata.is_file() {
            let kind = if metadata.file_type().is_fifo() { "a FIFO" } else { "not a plain file" };
            return Err(problem("lock it")(io::Error::other(format!("it is {kind}"))));
        }
        let is_next = match number.filter(|number| number.is_of(&file)) {
            Some(number) => number.is_next(),
            None => queue::is_empty(&file),
        };
        if !is_next {
            let holder = read(&mut file);
            return Ok(Attempt::Held(holder, file));
        }
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(Errno::WOULDBLOCK) => {
                let holder = read(&mut file);
                return Ok(Attempt::Held(holder, file));
            }
            Err(Errno::INTR) => continue,
            Err(error) => return Err(problem("lock it")(error.into())),
        }
        // A lock on a file that has lost its name keeps nobody out.
        let there = match fs::symlink_metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            there => there.map_err(problem("look at it"))?,
        };
        if (there.dev(), there.ino()) != (metadata.dev(), metadata.ino()) {
            continue;
        }
        // Another name could be that of any file of ours, given this one by someone else: it must not be overwritten.
        if there.nlink() != 1 {
            return Err(problem("lock it")(io::Error::other(
                "the file has several names (hard links), and may be another program's",
            )));
        }
        return Ok(Attempt::Taken(file));
    }
}

/// The file; `None` when there is none.
fn open(path: &Path) -> io::Result<Option<File>> {
    // A FIFO must not keep us waiting.
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed();
    let attempt = |write| File::options().read(true).write(write).custom_flags(flags).open(path);
    match attempt(true) {
        // Enough to lock it, though not to say who has.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => attempt(false).map(Some),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        other => other.map(Some),
    }
}

/// Makes the file for everybody, unless someone is sooner.
fn make(path: &Path) -> io::Result<()> {
    let (draft, file) = draft(path)?;
    // Whatever the umask; and before the file has its name, so that no one finds it closed.
    let moved = file
        .set_permissions(Permissions::from_mode(0o666))
        .and_then(|()| Ok(renameat_with(CWD, &draft, CWD, path, RenameFlags::NOREPLACE)?));
    if moved.is_err() {
        let _ = fs::remove_file(&draft);
    }
    match moved {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        other => other,
    }
}

/// A new file beside `path`.
fn draft(path: &Path) -> io::Result<(PathBuf, File)> {
    let mut number = 0;
    loop {
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(format!(".{}-{number}", std::process::id()));
        let draft = path.with_file_name(name);
        match File::options().write(true).create_new(true).open(&draft) {
            // What a killed process left, or another thread's.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && number < 1000 => number += 1,
            other => return other.map(|file| (draft, file)),
        }
    }
}

/// Says who holds the lock: process, seconds since 1970, and what is measured, in a line.
fn sign(file: &mut File, what: &str) -> io::Result<()> {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let line = format!("{} {since} {}\n", std::process::id(), printable_line(what, MOST_CHARACTERS));
    file.set_len(0)?;
    file.rewind()?;
    // In one go, so that no one reads the half of it.
    file.write_all(line.as_bytes())
}

/// Who holds the lock; nothing is believed to be well-formed.
fn read(file: &mut File) -> Holder {
    let mut bytes = Vec::new();
    let _ = file.take(MOST_BYTES).read_to_end(&mut bytes);
    let text = String::from_utf8_lossy(&bytes);
    let mut words = text.lines().next().unwrap_or_default().splitn(3, ' ');
    let mut word = || words.next().unwrap_or_default();
    let (Ok(pid), Ok(seconds)) = (word().parse(), word().parse()) else { return Holder::default() };
    let since = UNIX_EPOCH.checked_add(Duration::from_secs(seconds));
    Holder { pid: Some(pid), what: printable_line(word(), MOST_CHARACTERS), since }
}

#[cfg(test)]
#[path = "measuring/tests.rs"]
mod tests;
