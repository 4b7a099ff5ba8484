use rusqlite::{Connection, TransactionBehavior};

/// `Tare` in ASCII, in SQLite's `application_id`.
pub(super) const APPLICATION_ID: i32 = i32::from_be_bytes(*b"Tare");

/// The migrations in order. A database has seen the first `user_version` of them.
pub(super) const MIGRATIONS: &[(&str, &str)] = &[
    ("0001-initial.sql", include_str!("../../migrations/0001-initial.sql")),
    ("0002-comparisons.sql", include_str!("../../migrations/0002-comparisons.sql")),
    ("0003-findings.sql", include_str!("../../migrations/0003-findings.sql")),
    ("0004-checksums.sql", include_str!("../../migrations/0004-checksums.sql")),
    ("0005-imported.sql", include_str!("../../migrations/0005-imported.sql")),
    ("0006-loads.sql", include_str!("../../migrations/0006-loads.sql")),
    ("0007-series-and-failures.sql", include_str!("../../migrations/0007-series-and-failures.sql")),
    ("0008-verdicts.sql", include_str!("../../migrations/0008-verdicts.sql")),
];

/// The version of a database that has seen all migrations.
pub(super) const VERSION: u32 = MIGRATIONS.len() as u32;

/// The oldest version that is read as it is, where nothing may be changed.
pub(super) const OLDEST_READ: u32 = 3;

/// The first version whose launches have checksums.
pub(super) const WITH_CHECKSUMS: u32 = 4;

/// The first version that knows runs of other tools.
pub(super) const WITH_IMPORTED: u32 = 5;

/// The first version that has loads.
pub(super) const WITH_LOADS: u32 = 6;

/// The first version in which sides of comparisons of revisions belong to the histories of their runtimes, and runs keep what couldn't be listed.
pub(super) const WITH_SERIES: u32 = 7;

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

/// Brings the database to [`VERSION`], all in one transaction.
pub(super) fn migrate(connection: &mut Connection) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Read again under the lock: another process may have done the work in the meantime.
    let version = identity(&transaction)?.version;
    if version < VERSION {
        for (_, sql) in &MIGRATIONS[version as usize..] {
            transaction.execute_batch(sql)?;
        }
        transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
        transaction.pragma_update(None, "user_version", VERSION)?;
    }
    transaction.commit()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_holds_these_migrations_and_no_others() {
        crate::migrations_check::check_folder("migrations", MIGRATIONS);
    }

    #[test]
    fn migrating_twice_is_migrating_once() {
        let mut connection = Connection::open_in_memory().unwrap();
        for _ in 0..2 {
            migrate(&mut connection).unwrap();
            let identity = identity(&connection).unwrap();
            assert_eq!(identity, Identity { application_id: 0x5461_7265, version: VERSION, has_tables: true });
        }
    }
}
