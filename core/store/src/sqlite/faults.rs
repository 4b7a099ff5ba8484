//! From SQLite's error codes to what a person can do about them.

use std::path::Path;
use std::time::Duration;

use rusqlite::{Error, ErrorCode};
use rustix::fs::{Access, access, statvfs};
use rustix::io::Errno;
use rustix::process::{Resource, getrlimit};

use super::holder;
use crate::StoreError;

/// Free space under which an I/O error is taken for a full disk. SQLite reports a failed growth of its shared memory
/// as an I/O error like any other, and grows it by 32 KiB.
const NEXT_TO_NOTHING: u64 = 64 * 1024;

pub(super) fn explain(path: &Path, waited: Duration, error: Error) -> StoreError {
    let path = path.to_owned();
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            StoreError::Locked { by: holder::of(&path), path, waited }
        }
        Some(ErrorCode::DiskFull) => StoreError::Full { path },
        Some(ErrorCode::SystemIoFailure | ErrorCode::CannotOpen) if is_full(&path) => StoreError::Full { path },
        Some(ErrorCode::SystemIoFailure) if file_limit(&error).is_some() => {
            StoreError::TooLarge { path, limit: file_limit(&error).unwrap_or_default() }
        }
        Some(ErrorCode::ReadOnly) => {
            let reason = what_forbids_writing(&path).unwrap_or_else(|| "it was opened for reading alone".to_owned());
            StoreError::ReadOnly { path, reason }
        }
        Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => match what_forbids_writing(&path) {
            Some(reason) => StoreError::ReadOnly { path, reason },
            None => StoreError::CannotOpen { path, reason: error.to_string() },
        },
        Some(ErrorCode::NotADatabase) => StoreError::NotADatabase { path },
        Some(ErrorCode::DatabaseCorrupt) => StoreError::Damaged { path, reason: error.to_string() },
        _ => StoreError::Sqlite { path, source: error },
    }
}

/// Which of the file system, the folder and the file forbids writing; `None` where none of them does.
pub(super) fn what_forbids_writing(path: &Path) -> Option<String> {
    let folder = folder_of(path);
    match access(folder, Access::WRITE_OK) {
        Err(Errno::ROFS) => return Some("its file system is mounted read-only".to_owned()),
        Err(Errno::ACCESS | Errno::PERM) => return Some(format!("you may not write to the folder {folder:?}")),
        _ => {}
    }
    match access(path, Access::WRITE_OK) {
        Err(Errno::ROFS) => Some("its file system is mounted read-only".to_owned()),
        Err(Errno::ACCESS | Errno::PERM) => Some("you may not write to the file".to_owned()),
        _ => None,
    }
}

/// The folder that holds the file; `.` for a bare name.
pub(crate) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// The limit on the size of files that a failed write met, bytes: SQLite doesn't tell it from other failures.
fn file_limit(error: &Error) -> Option<u64> {
    let Error::SqliteFailure(failure, _) = error else { return None };
    let writes =
        [rusqlite::ffi::SQLITE_IOERR_WRITE, rusqlite::ffi::SQLITE_IOERR_TRUNCATE, rusqlite::ffi::SQLITE_IOERR_SHMSIZE];
    writes.contains(&failure.extended_code).then(|| getrlimit(Resource::Fsize).current).flatten()
}

fn is_full(path: &Path) -> bool {
    statvfs(folder_of(path)).is_ok_and(|disk| disk.f_bavail.saturating_mul(disk.f_frsize) < NEXT_TO_NOTHING)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn explained(code: i32) -> StoreError {
        let error = Error::SqliteFailure(rusqlite::ffi::Error::new(code), None);
        let folder = tempfile::tempdir().unwrap();
        explain(&folder.path().join("tare.db"), Duration::from_millis(1500), error)
    }

    #[test]
    fn each_code_has_its_own_explanation() {
        use rusqlite::ffi;
        assert!(matches!(explained(ffi::SQLITE_FULL), StoreError::Full { .. }));
        assert!(matches!(explained(ffi::SQLITE_BUSY_SNAPSHOT), StoreError::Locked { .. }));
        assert!(matches!(explained(ffi::SQLITE_READONLY_DBMOVED), StoreError::ReadOnly { .. }));
        assert!(matches!(explained(ffi::SQLITE_CORRUPT_INDEX), StoreError::Damaged { .. }));
        assert!(matches!(explained(ffi::SQLITE_NOTADB), StoreError::NotADatabase { .. }));
        assert!(matches!(explained(ffi::SQLITE_CANTOPEN), StoreError::CannotOpen { .. }));
        assert!(matches!(explained(ffi::SQLITE_NOMEM), StoreError::Sqlite { .. }));
    }

    #[test]
    fn a_lock_says_how_long_was_waited() {
        let text = explained(rusqlite::ffi::SQLITE_BUSY).to_string();
        assert!(text.contains("for more than 1 s"), "{text}");
    }
}
