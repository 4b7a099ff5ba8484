use rusqlite::{Connection, TransactionBehavior};

/// `Tare` in ASCII, in SQLite's `application_id`.
pub(super) const APPLICATION_ID: i32 = i32::from_be_bytes(*b"Tare");

/// The schema of the oldest version that is read.
const SCHEMA: &str = include_str!("../../schema/sqlite.sql");
/// What each later version has beside it, the oldest of them first.
const LATER: [(u32, &str); 2] = [
    (10, include_str!("../../schema/sqlite-sessions.sql")),
    (WITH_WORKS, include_str!("../../schema/sqlite-work.sql")),
];
/// The first version that keeps the work of variants by itself.
pub(super) const WITH_WORKS: u32 = 11;

/// The version that is written. A store of a newer one is left alone.
pub(super) const VERSION: u32 = WITH_WORKS;
/// The oldest version that is read, and brought up to date when something is to be written. A store of an older one is left alone: each release
/// may have a version of its own until the first that promises to read it.
pub(super) const OLDEST: u32 = 9;

/// What a database says of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Identity {
    pub(super) application_id: i32,
    pub(super) version: u32,
    pub(super) has_tables: bool,
}

pub(super) fn identity(connection: &Connection) -> rusqlite::Result<Identity> {
    connection.query_row(
        "SELECT (SELECT application_id FROM pragma_application_id), (SELECT user_version FROM pragma_user_version),
                EXISTS (SELECT 1 FROM sqlite_schema)",
        [],
        |row| {
            Ok(Identity { application_id: row.get(0)?, version: row.get::<_, i32>(1)? as u32, has_tables: row.get(2)? })
        },
    )
}

/// Makes the tables that are missing, all of them in an empty database, in one transaction.
pub(super) fn bring_up_to_date(connection: &mut Connection) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Read again under the lock: another process may have done the work in the meantime.
    let found = identity(&transaction)?;
    if !found.has_tables {
        transaction.execute_batch(SCHEMA)?;
        transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    }
    if found.version < VERSION {
        for (_, added) in LATER.iter().filter(|(version, _)| found.version < *version) {
            transaction.execute_batch(added)?;
        }
        transaction.pragma_update(None, "user_version", VERSION)?;
    }
    transaction.commit()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn creating_twice_is_creating_once() {
        let mut connection = Connection::open_in_memory().unwrap();
        for _ in 0..2 {
            bring_up_to_date(&mut connection).unwrap();
            let identity = identity(&connection).unwrap();
            assert_eq!(identity, Identity { application_id: 0x5461_7265, version: VERSION, has_tables: true });
        }
    }
}
