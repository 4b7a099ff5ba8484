use std::path::PathBuf;
use std::time::Duration;

/// The result of asking something of a store.
pub type Result<T> = std::result::Result<T, StoreError>;

/// What a store could not do: what happened, where, and what to do about it.
///
/// Names come from benchmarks and command lines, so they are printed quoted, with control characters escaped.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// There is no store at the path, and reading can't make one.
    #[error("there is no store at {path:?}; nothing has been measured here yet. `tare run` makes one.")]
    Missing {
        /// Path of the database.
        path: PathBuf,
    },

    /// The folder of the store isn't there and can't be made.
    #[error(
        "cannot make the folder {folder:?} for the store: {source}. Make it yourself, or run Tare in a project that \
         you may write to."
    )]
    Folder {
        /// The folder that is missing.
        folder: PathBuf,
        /// What the operating system said.
        source: std::io::Error,
    },

    /// The database can't be opened, for another reason than the ones below.
    #[error("cannot open the store {path:?}: {reason}. Check that the path is a file that you may read and write.")]
    CannotOpen {
        /// Path of the database.
        path: PathBuf,
        /// What is in the way.
        reason: String,
    },

    /// The file isn't an SQLite database.
    #[error(
        "{path:?} is not a store of Tare: it is not an SQLite database. Move the file away, or restore it from a \
         backup; `tare run` makes a new store."
    )]
    NotADatabase {
        /// Path of the file.
        path: PathBuf,
    },

    /// The file is an SQLite database of another program.
    #[error(
        "{path:?} is a database of another program (application id {application_id:#010x}), and was left alone. Move \
         it away, or keep the store elsewhere."
    )]
    Foreign {
        /// Path of the database.
        path: PathBuf,
        /// What the file says of itself; 0 where it says nothing.
        application_id: i32,
    },

    /// The store was written by a newer Tare.
    #[error(
        "the store {path:?} has version {found}, and this Tare (version {tare}) knows stores up to version {known}: a \
         newer Tare has written to it. Use that Tare, or a newer one; the store was not changed."
    )]
    Newer {
        /// Path of the database.
        path: PathBuf,
        /// Version of the store.
        found: u32,
        /// Newest version that this crate knows.
        known: u32,
        /// Version of this Tare.
        tare: &'static str,
    },

    /// The store is of an older version, and it was opened for reading alone.
    #[error(
        "the store {path:?} has version {found}, and reading needs version {known}. Open it once for writing to bring \
         it up to date: `tare run` does."
    )]
    Older {
        /// Path of the database.
        path: PathBuf,
        /// Version of the store.
        found: u32,
        /// Version that reading needs.
        known: u32,
    },

    /// Nothing can be written there.
    #[error(
        "cannot write to the store {path:?}: {reason}. Give yourself the right to write to the file and its folder, or \
         keep the store on a file system that is writable."
    )]
    ReadOnly {
        /// Path of the database.
        path: PathBuf,
        /// Which of the file, the folder and the file system it is.
        reason: String,
    },

    /// No space is left.
    #[error(
        "cannot write to the store {path:?}: the disk is full. Free some space and go on with `tare run --resume`; \
         everything that was stored before is safe."
    )]
    Full {
        /// Path of the database.
        path: PathBuf,
    },

    /// Another process holds the store for longer than was waited.
    #[error(
        "the store {path:?} is locked by {}, for more than {}. Wait for it to end{}, then try again.",
        .by.as_deref().unwrap_or("another process"), seconds(*.waited),
        if .by.is_some() { "" } else { " (`fuser` or `lsof` on the file names it)" }
    )]
    Locked {
        /// Path of the database.
        path: PathBuf,
        /// Name and number of the process that holds it; `None` where the system doesn't tell.
        by: Option<String>,
        /// How long this process was ready to wait.
        waited: Duration,
    },

    /// The file that was opened isn't at its path any more.
    #[error(
        "the store {path:?} was removed, moved or replaced while it was written to: what this run has measured isn't in it. \
         Begin the run again; nothing may remove the folder of the store while something is measured."
    )]
    Gone {
        /// Path of the database.
        path: PathBuf,
    },

    /// A store whose making was cut short: there is a file, and nothing in it.
    #[error(
        "the store {path:?} is empty: tare was ended while it made it, before anything was measured. There is nothing to \
         show or to go on with; `tare run` without --resume fills it."
    )]
    Empty {
        /// Path of the database.
        path: PathBuf,
    },

    /// The system lets this process write no larger files.
    #[error(
        "cannot write to the store {path:?}: this process may not write files of more than {limit} bytes. Raise the limit \
         (`ulimit -f`) and go on with `tare run --resume`; everything that was stored before is safe."
    )]
    TooLarge {
        /// Path of the database.
        path: PathBuf,
        /// The limit.
        limit: u64,
    },

    /// The database file is damaged.
    #[error(
        "the store {path:?} is damaged: {reason}. Restore it from a backup, or save what can be read with \
         `sqlite3 FILE .recover`."
    )]
    Damaged {
        /// Path of the database.
        path: PathBuf,
        /// What SQLite said.
        reason: String,
    },

    /// One launch's samples can't be read; the others can.
    #[error(
        "the samples of launch {launch} of {variant:?} in run {run:?} cannot be read: {reason}. The other launches are \
         not touched by it; restore the store from a backup, or measure again."
    )]
    BadSamples {
        /// The run.
        run: String,
        /// The variant in it.
        variant: String,
        /// Ordinal of the launch.
        launch: u32,
        /// Where the bytes stop making sense.
        reason: String,
    },

    /// A document in the store isn't what it should be.
    #[error(
        "the {what} of {of:?} in the store {path:?} cannot be read: {reason}. Restore the store from a backup, or \
         delete the run."
    )]
    BadDocument {
        /// Path of the database.
        path: PathBuf,
        /// Which document: `variant`, `calibration`, …
        what: &'static str,
        /// The run or variant that it describes.
        of: String,
        /// What is wrong with it.
        reason: String,
    },

    /// No run goes by that name.
    #[error("no run is called {name:?}. {exists}")]
    UnknownRun {
        /// What was asked for.
        name: String,
        /// A sentence on what there is.
        exists: String,
    },

    /// `latest~7` where there are fewer runs.
    #[error("{name:?} goes back further than the store: it holds {count}. `tare log` lists the runs.")]
    TooFarBack {
        /// What was asked for.
        name: String,
        /// How many there are, with their noun.
        count: String,
    },

    /// The beginning of several ids.
    #[error("{name:?} is in the ids of {} runs: {}. Give more of the id.", .candidates.len(), list(.candidates))]
    Ambiguous {
        /// What was asked for.
        name: String,
        /// The ids that begin so, newest first.
        candidates: Vec<String>,
    },

    /// The run has no such variant.
    #[error("run {run:?} has no variant {variant:?}. `tare show {run:?}` lists the ones that it has.")]
    UnknownVariant {
        /// The run.
        run: String,
        /// What was asked for.
        variant: String,
    },

    /// What is already stored is never written over.
    #[error(
        "{what} is already in the store {path:?}, and was left as it is. This is a fault in Tare: please report it."
    )]
    Duplicate {
        /// Path of the database.
        path: PathBuf,
        /// What was to be stored, in words.
        what: String,
    },

    /// Another process is measuring this run.
    #[error("run {run:?} is being measured by another process. Wait for it to end, or end it; then resume.")]
    InUse {
        /// The run.
        run: String,
    },

    /// A complete run can't be resumed.
    #[error("run {run:?} is complete: there is nothing to resume. Start a new one with `tare run`.")]
    Complete {
        /// The run.
        run: String,
    },

    /// A server can't be used, or refuses what was asked of it.
    #[error("the store {}: {}. {}.", .0.store, .0.what, .0.remedy)]
    Server(ServerFault),

    /// Two stores have different things by one name.
    #[error("run {run:?} can't be copied: {what}. Both were left as they are; copy it into another store.")]
    Differs {
        /// The run.
        run: String,
        /// What differs.
        what: String,
    },

    /// The run was given to somebody else, since this process was silent for longer than its lease lasts.
    #[error(
        "run {run:?} was given to another process while this one was silent: what this one measured since isn't stored, \
         and belongs to no figure. `tare log` shows what became of the run; begin a new one."
    )]
    Fenced {
        /// The run.
        run: String,
    },

    /// Anything else that SQLite reports.
    #[error(
        "the store {path:?} failed: {source}. Check the disk that holds it; `sqlite3 FILE 'PRAGMA integrity_check'` \
         tells whether the file is sound."
    )]
    Sqlite {
        /// Path of the database.
        path: PathBuf,
        /// What SQLite said.
        source: rusqlite::Error,
    },
}

impl StoreError {
    /// Whether what is there failed, rather than that something else was asked for than there is.
    pub fn is_failure(&self) -> bool {
        matches!(
            self,
            Self::Full { .. }
                | Self::TooLarge { .. }
                | Self::Gone { .. }
                | Self::Locked { .. }
                | Self::Damaged { .. }
                | Self::BadSamples { .. }
                | Self::BadDocument { .. }
                | Self::Fenced { .. }
                | Self::Sqlite { .. }
        ) || matches!(self, Self::Server(fault) if fault.is_failure)
    }

    /// Whether a server is why: it can't be reached, or refuses what was asked.
    pub fn is_of_server(&self) -> bool {
        matches!(self, Self::Server(_))
    }

    /// Whether a server can't be reached at the moment, or has no room: what was asked may be asked again.
    pub fn is_lost(&self) -> bool {
        matches!(self, Self::Server(fault) if fault.is_lost)
    }
}

/// What a server could not do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerFault {
    /// Its address, without a password.
    pub store: String,
    /// What happened.
    pub what: String,
    /// What to do about it.
    pub remedy: String,
    /// It failed, rather than that something else was asked for than there is.
    pub is_failure: bool,
    /// It can't be reached at the moment, or has no room for what is sent.
    pub is_lost: bool,
}

fn seconds(waited: Duration) -> String {
    match waited.as_secs() {
        0 => format!("{} ms", waited.as_millis()),
        seconds => format!("{seconds} s"),
    }
}

fn list(ids: &[String]) -> String {
    const SHOWN: usize = 6;
    let mut text = ids.iter().take(SHOWN).map(|id| format!("{id:?}")).collect::<Vec<_>>().join(", ");
    if ids.len() > SHOWN {
        text.push_str(", …");
    }
    text
}
