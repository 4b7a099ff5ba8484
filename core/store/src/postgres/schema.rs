//! The schema, and how a database that has it is known.

use super::link::{Halt, Link, Work, Worked};
use crate::{Access, Result, ServerFault, StoreError};

/// The schema of the oldest version that is read.
const SCHEMA: &str = include_str!("../../schema/postgres.sql");
/// What each later version has beside it, the oldest of them first.
const LATER: [(u32, &str); 2] = [
    (5, include_str!("../../schema/postgres-sessions.sql")),
    (WITH_WORKS, include_str!("../../schema/postgres-work.sql")),
];
/// The first version that keeps the work of variants by itself.
const WITH_WORKS: u32 = 6;

/// The version that is written. A store of a newer one is left alone.
const VERSION: u32 = WITH_WORKS;
/// The oldest version that is read, and brought up to date when something is to be written. A store of an older one is left alone: each release
/// may have a version of its own until the first that promises to read it.
const OLDEST: u32 = 4;

/// Of the advisory lock that is held while a database is changed: `Tare` in ASCII.
const LOCK: i64 = 0x5461_7265;

/// What a database says of itself.
struct Identity {
    /// Of its schema; `None` where it has none of ours.
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
                (SELECT min(c.relname)::text FROM pg_catalog.pg_class c
                 WHERE c.relnamespace = tare.oid AND c.relname IN ('migrations', 'schema_version')),
                current_setting('server_encoding'), current_database()::text,
                EXISTS (SELECT 1 FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
                        WHERE c.relkind IN ('r', 'p', 'v', 'm') AND n.nspname !~ '^(pg_|information_schema$)'
                          AND (n.oid = tare.oid OR tare.oid IS NULL))
         FROM (VALUES (0)) one LEFT JOIN pg_catalog.pg_namespace tare ON tare.nspname = 'tare'",
        &[],
    )?;
    let row = &about[0];
    let told: Option<String> = row.get(1);
    let version = match told.as_deref() {
        // The first versions listed their steps.
        Some("migrations") => Some(work.query("SELECT count(*) FROM tare.migrations", &[])?[0].get(0)),
        Some(_) => Some(work.query("SELECT coalesce(max(version), 0) FROM tare.schema_version", &[])?[0].get(0)),
        None => None,
    };
    let version = version.map(|version: i64| u32::try_from(version).unwrap_or(u32::MAX));
    Ok(Identity { version, has_schema: row.get(0), encoding: row.get(2), name: row.get(3), has_others: row.get(4) })
}

/// Refuses a schema that isn't ours, or of another version, and makes it where there is none and something is to be written. Whether it keeps the work of
/// variants by itself: one of an older version that is only read doesn't.
pub(super) fn prepare(link: &Link, access: Access) -> Result<bool> {
    match access {
        Access::ReadOnly => link.read(|work| {
            let identity = identity(work)?;
            recognise(link, &identity)?;
            match identity.version {
                // Rights to read all tables were given before there was this one.
                Some(version) => Ok(version >= WITH_WORKS
                    && work.query("SELECT has_table_privilege('tare.works', 'SELECT')", &[])?[0].get(0)),
                None => Err(StoreError::Missing { path: link.address.as_path() }.into()),
            }
        }),
        Access::ReadWrite => link.write(|work| {
            let found = identity(work)?;
            if found.version == Some(VERSION) {
                return recognise(link, &found).map(|()| true).map_err(Halt::from);
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
                    "CREATE TABLE tare.schema_version (version BIGINT NOT NULL, tare TEXT NOT NULL, made TIMESTAMPTZ NOT NULL DEFAULT now());
                     COMMENT ON SCHEMA tare IS 'Runs of Tare'",
                )?;
                work.batch(SCHEMA)?;
            }
            if found.version.is_none_or(|version| version < VERSION) {
                for (_, added) in LATER.iter().filter(|(later, _)| found.version.is_none_or(|version| version < *later)) {
                    work.batch(added)?;
                }
                work.execute(
                    "INSERT INTO tare.schema_version (version, tare) VALUES ($1, $2)",
                    &[&i64::from(VERSION), &env!("CARGO_PKG_VERSION")],
                )?;
            }
            Ok(true)
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
        Some(version) if version < OLDEST => {
            Err(StoreError::Older { path: link.address.as_path(), found: version, known: VERSION })
        }
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
