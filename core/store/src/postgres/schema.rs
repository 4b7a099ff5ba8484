//! Versions of the schema, and how a database is brought from one to the next.

use super::link::{Halt, Link, Work, Worked};
use crate::{Access, Result, ServerFault, StoreError};

/// The migrations in order. A database has seen those that its table of migrations lists.
const MIGRATIONS: &[(&str, &str)] = &[
    ("0001-initial.sql", include_str!("../../migrations-postgres/0001-initial.sql")),
    ("0002-series-and-failures.sql", include_str!("../../migrations-postgres/0002-series-and-failures.sql")),
    ("0003-verdicts.sql", include_str!("../../migrations-postgres/0003-verdicts.sql")),
];

/// The version of a database that has seen all migrations.
const VERSION: u32 = MIGRATIONS.len() as u32;

/// Of the advisory lock that is held while a database is changed: `Tare` in ASCII.
const LOCK: i64 = 0x5461_7265;

/// What a database says of itself.
struct Identity {
    /// Migrations that it has seen; `None` where it never saw any.
    version: Option<u32>,
    /// There is a schema called `tare`.
    has_schema: bool,
    /// There are tables in it, or, where there is no such schema, anywhere else.
    has_others: bool,
    encoding: String,
    name: String,
}

fn identity(work: &mut Work<'_>) -> Worked<Identity> {
    let about = work.query(
        // Of one snapshot: what functions like to_regnamespace know of names may be older than the tables that are seen beside it.
        "SELECT tare.oid IS NOT NULL,
                EXISTS (SELECT 1 FROM pg_catalog.pg_class c WHERE c.relnamespace = tare.oid AND c.relname = 'migrations'),
                current_setting('server_encoding'), current_database()::text,
                EXISTS (SELECT 1 FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
                        WHERE c.relkind IN ('r', 'p', 'v', 'm') AND n.nspname !~ '^(pg_|information_schema$)'
                          AND (n.oid = tare.oid OR tare.oid IS NULL))
         FROM (VALUES (0)) one LEFT JOIN pg_catalog.pg_namespace tare ON tare.nspname = 'tare'",
        &[],
    )?;
    let row = &about[0];
    let has_table: bool = row.get(1);
    let version = match has_table {
        true => {
            let seen: i64 = work.query("SELECT count(*) FROM tare.migrations", &[])?[0].get(0);
            Some(u32::try_from(seen).unwrap_or(u32::MAX))
        }
        false => None,
    };
    Ok(Identity { version, has_schema: row.get(0), encoding: row.get(2), name: row.get(3), has_others: row.get(4) })
}

/// Refuses a schema that isn't ours, and migrates one that is where something is to be written.
pub(super) fn prepare(link: &Link, access: Access) -> Result<()> {
    match access {
        Access::ReadOnly => link.read(|work| {
            let identity = identity(work)?;
            recognise(link, &identity)?;
            match identity.version {
                Some(VERSION) => Ok(()),
                Some(found) => {
                    Err(StoreError::Older { path: link.address.as_path(), found, known: VERSION }.into())
                }
                None => Err(StoreError::Missing { path: link.address.as_path() }.into()),
            }
        }),
        Access::ReadWrite => link.write(|work| {
            let found = identity(work)?;
            if found.version == Some(VERSION) {
                return recognise(link, &found).map_err(Halt::from);
            }
            work.execute("SELECT pg_advisory_xact_lock($1)", &[&LOCK])?;
            // Judged under the lock: another process may be doing the work, and what it has done is seen in parts until it is through.
            let found = identity(work)?;
            recognise(link, &found)?;
            if !found.has_schema {
                work.batch("CREATE SCHEMA tare")?;
            }
            if found.version.is_none() {
                work.batch(
                    "CREATE TABLE tare.migrations (
                         number BIGINT PRIMARY KEY, name TEXT NOT NULL, tare TEXT NOT NULL, applied TIMESTAMPTZ NOT NULL DEFAULT now());
                     COMMENT ON SCHEMA tare IS 'Runs of Tare'",
                )?;
            }
            for (number, (name, sql)) in (1_i64..).zip(MIGRATIONS).skip(found.version.unwrap_or(0) as usize) {
                work.batch(sql)?;
                work.execute(
                    "INSERT INTO tare.migrations (number, name, tare) VALUES ($1, $2, $3)",
                    &[&number, name, &env!("CARGO_PKG_VERSION")],
                )?;
            }
            Ok(())
        }),
    }
}

fn recognise(link: &Link, found: &Identity) -> Result<()> {
    let refused = |what: String, remedy: String| {
        let fault = ServerFault { store: link.address.to_string(), what, remedy, is_failure: false, is_lost: false };
        Err(StoreError::Server(fault))
    };
    if found.encoding != "UTF8" {
        let what =
            format!("the database {:?} keeps its texts in {}, which can't hold every name", found.name, found.encoding);
        return refused(what, "Make one with `createdb --encoding=UTF8 --template=template0`".to_owned());
    }
    match found.version {
        Some(version) if version > VERSION => Err(StoreError::Newer {
            path: link.address.as_path(),
            found: version,
            known: VERSION,
            tare: env!("CARGO_PKG_VERSION"),
        }),
        None if found.has_others && found.has_schema => refused(
            format!("the schema `tare` of the database {:?} is of another program, and was left alone", found.name),
            "Name another database in the address".to_owned(),
        ),
        None if found.has_others => refused(
            format!("the database {:?} has tables of another program, and was left alone", found.name),
            "Make one for Tare with `createdb`, or, if both are to share it, an empty schema in it: CREATE SCHEMA tare"
                .to_owned(),
        ),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_holds_these_migrations_and_no_others() {
        crate::migrations_check::check_folder("migrations-postgres", MIGRATIONS);
    }
}
