//! Opening a database, and refusing what isn't one.

use std::fmt::Write as _;
use std::io::ErrorKind;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::{Connection, Error, ErrorCode, MAIN_DB, OpenFlags};

use super::faults::{explain, folder_of, what_forbids_writing};
use super::schema::{self, APPLICATION_ID, Identity, OLDEST, VERSION};
use crate::{Access, Result, StoreError};

/// Pause between attempts where SQLite refuses without asking its busy handler (the change to a write-ahead log).
const RETRY: Duration = Duration::from_millis(10);

/// No SQLite database but the empty one is smaller.
const SMALLEST_PAGE: u64 = 512;

// Nothing here opens the database file itself: POSIX takes all of a process's locks on a file away when any of its
// descriptors for it is closed, and with them the ones of other connections in this process.

pub(super) fn open(path: &Path, access: Access, timeout: Duration) -> Result<Connection> {
    match access {
        Access::ReadWrite => make_folder(path)?,
        Access::ReadOnly if !path.try_exists().unwrap_or(true) => {
            return Err(StoreError::Missing { path: path.to_owned() });
        }
        Access::ReadOnly => {}
    }
    if let Ok(about) = path.metadata()
        && let Some(what) = other_than_a_file(about.file_type())
    {
        return Err(StoreError::CannotOpen { path: path.to_owned(), reason: format!("it is {what}") });
    }
    // SQLite takes a file of less than a page for an empty database, and would write over it.
    if path.metadata().is_ok_and(|file| (1..SMALLEST_PAGE).contains(&file.len())) {
        return Err(StoreError::NotADatabase { path: path.to_owned() });
    }

    let deadline = Instant::now() + timeout;
    loop {
        match attempt(path, access, timeout) {
            Err(StoreError::Locked { .. }) if Instant::now() < deadline => std::thread::sleep(RETRY),
            done => return done,
        }
    }
}

/// A FIFO would be waited for without end.
fn other_than_a_file(kind: std::fs::FileType) -> Option<&'static str> {
    match kind {
        kind if kind.is_file() => None,
        kind if kind.is_dir() => Some("a folder"),
        kind if kind.is_fifo() => Some("a FIFO"),
        _ => Some("a device or a socket"),
    }
}

fn make_folder(path: &Path) -> Result<()> {
    let folder = folder_of(path);
    std::fs::create_dir_all(folder).map_err(|source| match source.kind() {
        ErrorKind::StorageFull => StoreError::Full { path: path.to_owned() },
        _ => StoreError::Folder { folder: folder.to_owned(), source },
    })
}

fn attempt(path: &Path, access: Access, timeout: Duration) -> Result<Connection> {
    let fault = |error| explain(path, timeout, error);
    match access {
        Access::ReadWrite => {
            let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
            let mut connection = connect(path, flags, timeout).map_err(fault)?;
            // SQLite quietly falls back to reading where a file can't be written to.
            if connection.is_readonly(MAIN_DB).map_err(fault)? {
                let reason = what_forbids_writing(path).unwrap_or_else(|| "the file is read-only".to_owned());
                return Err(StoreError::ReadOnly { path: path.to_owned(), reason });
            }
            let identity = schema::identity(&connection).map_err(fault)?;
            recognise(path, identity)?;
            prepare_to_write(&mut connection, identity).map_err(fault)?;
            Ok(connection)
        }
        Access::ReadOnly => {
            let (connection, identity) = open_to_read(path, timeout)?;
            recognise(path, identity)?;
            if !identity.has_tables {
                return Err(StoreError::Empty { path: path.to_owned() });
            }
            Ok(connection)
        }
    }
}

fn connect(path: &Path, flags: OpenFlags, timeout: Duration) -> rusqlite::Result<Connection> {
    let connection = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    connection.busy_timeout(timeout)?;
    Ok(connection)
}

/// The write-ahead log and its flushing are explained at the head of the crate.
fn prepare_to_write(connection: &mut Connection, identity: Identity) -> rusqlite::Result<()> {
    let mode: String = connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0))?;
    let flushing = if mode == "wal" { "NORMAL" } else { "FULL" };
    connection.pragma_update(None, "synchronous", flushing)?;
    connection.pragma_update(None, "foreign_keys", true)?;
    if !identity.has_tables || identity.version < VERSION {
        schema::bring_up_to_date(connection)?;
    }
    Ok(())
}

fn recognise(path: &Path, identity: Identity) -> Result<()> {
    let fresh = identity == Identity { application_id: 0, version: 0, has_tables: false };
    if !fresh && identity.application_id != APPLICATION_ID {
        return Err(StoreError::Foreign { path: path.to_owned(), application_id: identity.application_id });
    }
    if identity.version > VERSION {
        return Err(StoreError::Newer {
            path: path.to_owned(),
            found: identity.version,
            known: VERSION,
            tare: env!("CARGO_PKG_VERSION"),
        });
    }
    if !fresh && identity.version < OLDEST {
        return Err(StoreError::Older { path: path.to_owned(), found: identity.version, known: VERSION });
    }
    Ok(())
}

/// Even a reader of a write-ahead log wants files of its own beside the database. Where it can make none and there
/// is no log, nobody is writing and nothing is missing from the database, so it can be read as it lies there.
fn open_to_read(path: &Path, timeout: Duration) -> Result<(Connection, Identity)> {
    let read = |path: &Path, flags| {
        let connection = connect(path, flags, timeout)?;
        let identity = schema::identity(&connection)?;
        Ok((connection, identity))
    };
    let error: Error = match read(path, OpenFlags::SQLITE_OPEN_READ_ONLY) {
        Ok(open) => return Ok(open),
        Err(error) => error,
    };
    let cannot_share = matches!(error.sqlite_error_code(), Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly));
    if !cannot_share || rustix::fs::access(path, rustix::fs::Access::READ_OK).is_err() {
        return Err(match explain(path, timeout, error) {
            StoreError::ReadOnly { path, .. } => {
                StoreError::CannotOpen { path, reason: "you may not read it".to_owned() }
            }
            other => other,
        });
    }
    if log_of(path).metadata().is_ok_and(|log| log.len() > 0) {
        let reason = format!(
            "its writer was killed, and the log that it left can't be taken up in a folder that may not be written to; \
             copy {:?} and its -wal file to another folder and read them there",
            path.file_name().unwrap_or_default()
        );
        return Err(StoreError::CannotOpen { path: path.to_owned(), reason });
    }
    read(&immutable_uri(path), OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI)
        .map_err(|error| explain(path, timeout, error))
}

fn log_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push("-wal");
    PathBuf::from(name)
}

fn immutable_uri(path: &Path) -> PathBuf {
    let mut uri = "file:".to_owned();
    for &byte in path.as_os_str().as_bytes() {
        if byte.is_ascii_alphanumeric() || b"/._-".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            // Writing to a String does not fail.
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    uri.push_str("?immutable=1");
    PathBuf::from(uri)
}
