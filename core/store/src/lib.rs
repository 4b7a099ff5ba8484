//! Where measurements are kept.
//!
//! A store holds runs; a run holds variants; a variant holds launches with every sample that they took, as the
//! worker's clock gave it. Summaries are kept beside them so that a report or a history opens no samples, but they
//! are a convenience, and so are the comparisons: an estimate can be computed again from the launches, under a newer
//! policy too.
//!
//! ```
//! # use tare_samples::{Launch, Origin, Outcome, Variant};
//! # use tare_statistics::Summary;
//! use tare_store::{Access, RunState, SqliteStore, Store};
//!
//! # fn keep(folder: &std::path::Path, origin: Origin, variant: Variant, launch: Launch, summary: Summary)
//! #     -> tare_store::Result<()> {
//! let mut store = SqliteStore::open(folder.join(".tare/tare.db"), Access::ReadWrite)?;
//! store.begin_run(&origin, "what `--resume` needs")?;
//! store.put_variant(&origin.id, 0, &variant)?;
//! store.put_launch(&origin.id, &variant.id, &launch)?; // committed when it returns
//! store.put_outcome(&origin.id, &variant.id, &Outcome::Ok, Some(&summary))?;
//! store.finish_run(&origin.id, RunState::Complete)?;
//!
//! let run = store.resolve("latest")?;
//! assert_eq!(store.measurement(&run, &variant.id)?.launches, [launch]);
//! # Ok(())
//! # }
//! ```
//!
//! # What is promised
//!
//! - *A kill loses nothing that was stored.* Each `put_…` is one transaction, committed before it returns. After
//!   `SIGKILL` every such launch is there.
//! - *A power cut does not damage the store.* SQLite runs with a write-ahead log and `synchronous = NORMAL`: each
//!   checkpoint is flushed to the disk, a commit is not. A power cut (not a kill) may take the last commits with it;
//!   what remains is sound. Flushing at each launch would put the disk's work between the samples of the others, and a
//!   run cut off by a power failure must be resumed anyway; [`Store::finish_run`] makes a checkpoint, so a finished
//!   run survives that too. Where a file system can't share memory for the log, SQLite keeps its rollback journal, and
//!   the store then asks for `synchronous = FULL`.
//! - *Several processes may use one store.* Readers never wait; writers wait for each other, 10 s at most
//!   ([`SqliteStore::set_busy_timeout`]). A run is measured by one process at a time: it holds a lock file beside
//!   the database, which the operating system releases when the process ends, however it ends. So a run in state
//!   [`RunState::Running`] whose lock is free was killed; that is what [`Store::unfinished`] looks for. Where a file system has no
//!   locks, the file holds a lease instead: whose it is, and when it was last renewed, which each stored launch does. It is over when its
//!   process is known to have ended, or 15 minutes after it was renewed.
//! - *Partners stay together.* What several variants were launched for in the same rounds is one transaction
//!   ([`Store::put_launches`]): after a kill none of them is a launch ahead.
//! - *What is measured is never written over.* A launch that is there already is refused ([`StoreError::Duplicate`]).
//! - *A launch is what was stored, or it is said that it isn't:* each has a checksum over all its figures and samples
//!   ([`Store::damaged`]).
//! - *A store of another version is left alone,* and so is any file that isn't a store. One of the version before is read as it is, and brought up
//!   to date when something is written.
//!
//! # On a server
//!
//! [`PostgresStore`] promises the same, in a PostgreSQL database (15 or later) that several machines may use:
//!
//! - *What was asked twice is stored once.* A connection that is lost is made again, and what was under way is asked again. A launch that is there
//!   already by the first try is known by its attempt and its checksum.
//! - *Who was silent for too long stores nothing more.* A run is measured under a lease of 15 minutes by the server's clock. When it is over, the run may be
//!   given to another process, in a new attempt; what the earlier one still sends is refused ([`StoreError::Fenced`]).
//! - *What is measured while the server is away is kept* in a folder ([`StoreLocation::open_to_measure`]), and sent when it is back ([`push`]).
//!
//! Between calls nothing of a connection runs in this process.
//!
//! # Names of runs
//!
//! [`Store::resolve`] takes, in this order: a whole id; `latest`; a tag, for the newest run that has it; the beginning
//! of an id, when one run alone begins so. `~N` after `latest` or a tag goes back N runs: `latest~1` is the one
//! before the newest, `main~2` the third newest with the tag `main`. Newest is by start, whatever the state.
//!
//! # Files
//!
//! `schema/sqlite.sql` is the schema of the oldest version that is read, and `schema/sqlite-sessions.sql` and `schema/sqlite-work.sql` are what later ones added; SQLite's
//! `user_version` is the version. `schema/postgres*.sql` are those of PostgreSQL, where the table `tare.schema_version` has it. Samples are packed into the column `turns`, whose format is described in `src/turns.rs`.

mod checksum;
mod claim;
mod copy;
mod error;
mod launch_row;
mod lease;
mod location;
mod name;
mod postgres;
mod rows;
mod spool;
mod sqlite;
mod store;
mod turns;

pub use copy::{Copied, copy_run};
pub use error::{Result, ServerFault, StoreError};
pub use location::StoreLocation;
pub use postgres::{PostgresStore, ServerAddress};
pub use rows::{
    CaseRow, HistoryPoint, RunFilter, RunName, RunRow, RunState, SeriesRun, StoredComparison, StoredLoad, StoredRun,
    StoredVariant,
};
pub use spool::{Pushed, Spooling, push, spooled};
pub use sqlite::SqliteStore;
pub use store::{Access, Store};
