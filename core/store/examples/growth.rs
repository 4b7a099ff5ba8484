//! How long a store takes as it grows: `growth sqlite|postgres MOST`, with 10^4 launches, 10^5, …, up to MOST, in runs of 200 cases with 10 launches of each. Prints a
//! row of a table for each size. What is measured goes through the store's interface; the runs between are copies that the database makes of the first one.
//! PostgreSQL is a server of its own, which flushes to the disk as usual.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

#[path = "../tests/common/mod.rs"]
#[allow(unused_imports, clippy::unwrap_used)]
mod common;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use common::server::Server;
use common::{launch, origin, summary, variant};
use tare_samples::{Origin, Outcome};
use tare_store::{Access, RunState, Store, StoreLocation};

const CASES: u32 = 200;
const LAUNCHES: u32 = 10;
const OF_A_RUN: u64 = (CASES * LAUNCHES) as u64;
const FIRST: u64 = 10_000;
/// Readings of which the middle one is told.
const READINGS: usize = 7;
/// Runs that are copied in one statement.
const AT_ONCE: u64 = 100;
/// Processes that measure into the store at the same time.
const WRITERS: u32 = 8;

enum Database {
    Sqlite(PathBuf),
    /// The server stays as long as this does.
    Postgres {
        _server: Server,
        url: String,
    },
}

impl Database {
    fn open(&self, access: Access) -> Box<dyn Store> {
        let place = match self {
            Self::Sqlite(folder) => folder.display().to_string(),
            Self::Postgres { url, .. } => url.clone(),
        };
        StoreLocation::named(&place, std::path::Path::new("/")).unwrap().open(access).unwrap()
    }

    fn execute(&self, statements: &[String]) {
        match self {
            Self::Sqlite(folder) => {
                let connection = rusqlite::Connection::open(folder.join("tare.db")).unwrap();
                connection.execute_batch(&statements.join(";")).unwrap();
            }
            Self::Postgres { url, .. } => common::server::connect(url).batch_execute(&statements.join(";")).unwrap(),
        }
    }

    /// Writes what copying left to be written, so that it isn't written while others are measured.
    fn flush(&self) {
        if let Self::Postgres { url, .. } = self {
            // Not inside of a transaction with anything else.
            common::server::connect(url).batch_execute("CHECKPOINT").unwrap();
        }
        assert!(std::process::Command::new("sync").status().unwrap().success());
    }

    /// The columns of a table that a copy has from what it is a copy of.
    fn columns(&self, table: &str, own: &[&str]) -> Vec<String> {
        let all: Vec<String> = match self {
            Self::Sqlite(folder) => {
                let connection = rusqlite::Connection::open(folder.join("tare.db")).unwrap();
                let mut asked = connection.prepare(&format!("SELECT name FROM pragma_table_info('{table}')")).unwrap();
                let rows = asked.query_map([], |row| row.get(0)).unwrap();
                rows.map(Result::unwrap).collect()
            }
            Self::Postgres { url, .. } => common::server::connect(url)
                .query(
                    "SELECT column_name::text FROM information_schema.columns WHERE table_schema = 'tare' AND table_name = $1",
                    &[&table],
                )
                .unwrap()
                .iter()
                .map(|row| row.get(0))
                .collect(),
        };
        all.into_iter().filter(|name| !own.contains(&name.as_str())).collect()
    }

    /// Copies of the first run, numbered from `from` to before `until`.
    fn copy(&self, from: u64, until: u64) {
        let last = until - 1;
        let (numbers, started) = match self {
            Self::Sqlite(_) => (
                format!("WITH RECURSIVE s(n) AS (SELECT {from} UNION ALL SELECT n + 1 FROM s WHERE n < {last}) "),
                "strftime('%Y-%m-%dT%H:%M:%SZ', '2025-02-01', (n * 10) || ' minutes')",
            ),
            Self::Postgres { .. } => (
                format!("WITH s AS (SELECT generate_series({from}, {last}) AS n) "),
                "to_char(timestamp '2025-02-01' + n * interval '10 minutes', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')",
            ),
        };
        let first = "(SELECT min(number) FROM runs)";
        let new = format!("id LIKE 'copy-%' AND started >= (SELECT started FROM runs WHERE id = 'copy-{from}')");
        let runs = self.columns("runs", &["number", "id", "started"]).join(", ");
        let variants = self.columns("variants", &["number", "run"]);
        let launches = self.columns("launches", &["number", "run", "variant"]);
        let of = |table: &str, columns: &[String]| {
            columns.iter().map(|name| format!("{table}.{name}")).collect::<Vec<_>>().join(", ")
        };
        let with_run = matches!(self, Self::Postgres { .. });
        let mut statements = vec![
            "BEGIN".to_owned(),
            format!(
                "{}INSERT INTO runs (id, started, {runs}) SELECT 'copy-' || n, {started}, {runs} FROM s, runs WHERE number = {first}",
                // Both take the words before what they insert.
                numbers
            ),
            format!(
                "INSERT INTO variants (run, {}) SELECT r.number, {} FROM runs r, variants v WHERE r.{new} AND v.run = {first}",
                variants.join(", "),
                of("v", &variants)
            ),
            format!(
                "INSERT INTO launches ({}variant, {}) SELECT {}v.number, {} FROM runs r JOIN variants v ON v.run = r.number \
                 JOIN variants t ON t.run = {first} AND t.ordinal = v.ordinal JOIN launches l ON l.variant = t.number WHERE r.{}",
                if with_run { "run, " } else { "" },
                launches.join(", "),
                if with_run { "r.number, " } else { "" },
                of("l", &launches),
                new.replace("AND started", "AND r.started")
            ),
        ];
        statements.push("COMMIT".to_owned());
        self.execute(&statements);
    }

    fn bytes(&self) -> u64 {
        match self {
            Self::Sqlite(folder) => std::fs::metadata(folder.join("tare.db")).unwrap().len(),
            Self::Postgres { url, .. } => {
                let row = common::server::connect(url).query_one("SELECT pg_database_size(current_database())", &[]);
                row.unwrap().get::<_, i64>(0).cast_unsigned()
            }
        }
    }
}

/// Stores a run as measuring does, a launch in a transaction; how long the launches took.
fn stored(store: &mut dyn Store, number: u32) -> Duration {
    let origin = Origin { started: format!("2030-01-01T00:{number:02}:00Z"), ..origin(number, &["main"]) };
    store.begin_run(&origin, "{}").unwrap();
    let variants: Vec<_> = (0..CASES).map(|case| variant(&format!("Bench::bench{case}"), "php8.2")).collect();
    for (ordinal, variant) in variants.iter().enumerate() {
        store.put_variant(&origin.id, ordinal as u32, variant).unwrap();
    }
    let begun = Instant::now();
    for ordinal in 0..LAUNCHES {
        for variant in &variants {
            store.put_launch(&origin.id, &variant.id, &launch(ordinal)).unwrap();
        }
    }
    let took = begun.elapsed();
    for variant in &variants {
        store.put_outcome(&origin.id, &variant.id, &Outcome::Ok, Some(&summary(100.0))).unwrap();
    }
    store.finish_run(&origin.id, RunState::Complete).unwrap();
    took
}

/// The middle of some readings, in milliseconds.
fn middle(mut read: impl FnMut()) -> f64 {
    let mut took: Vec<Duration> = (0..READINGS)
        .map(|_| {
            let begun = Instant::now();
            read();
            begun.elapsed()
        })
        .collect();
    took.sort_unstable();
    took[READINGS / 2].as_secs_f64() * 1e3
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let (kind, most) = (arguments.next().unwrap(), arguments.next().unwrap().parse::<u64>().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let database = match kind.as_str() {
        "sqlite" => Database::Sqlite(folder.path().join("store")),
        _ => {
            let Some(server) = Server::start(&["fsync=on", "autovacuum=on", "max_wal_size=2GB"]) else { return };
            let url = server.database();
            Database::Postgres { _server: server, url }
        }
    };
    stored(database.open(Access::ReadWrite).as_mut(), 0);
    println!(
        "| {kind}: launches | runs | size | insertion by one, launches/s | by {WRITERS} at once | series, all runs | series, newest 100 | a run's table |"
    );
    println!("| --: | --: | --: | --: | --: | --: | --: | --: |");
    let (mut runs, mut size, mut number) = (1, FIRST, 1);
    while size <= most {
        let wanted = size / OF_A_RUN;
        while runs < wanted {
            let until = (runs + AT_ONCE).min(wanted);
            database.copy(runs, until);
            runs = until;
        }
        database.execute(&["ANALYZE".to_owned()]);
        database.flush();
        let took = stored(database.open(Access::ReadWrite).as_mut(), number);
        // As many machines measure a part each.
        let begun = Instant::now();
        std::thread::scope(|scope| {
            for writer in 1..=WRITERS {
                let database = &database;
                scope.spawn(move || stored(database.open(Access::ReadWrite).as_mut(), number + writer));
            }
        });
        let together = f64::from(WRITERS) * OF_A_RUN as f64 / begun.elapsed().as_secs_f64();
        (runs, number) = (runs + 1 + u64::from(WRITERS), number + 1 + WRITERS);
        let store = database.open(Access::ReadOnly);
        let case = variant("Bench::bench7", "php8.2").case.id();
        let newest = store.resolve("latest").unwrap();
        assert_eq!(store.series(&case, "php8.2", None).unwrap().len() as u64, runs);
        let all = middle(|| drop(store.series(&case, "php8.2", None).unwrap()));
        let some = middle(|| drop(store.series(&case, "php8.2", Some(100)).unwrap()));
        let table = middle(|| assert_eq!(store.run(&newest).unwrap().variants.len() as u32, CASES));
        println!(
            "| {} | {runs} | {:.1} GB | {:.0} | {together:.0} | {all:.1} ms | {some:.1} ms | {table:.1} ms |",
            runs * OF_A_RUN,
            database.bytes() as f64 / 1e9,
            OF_A_RUN as f64 / took.as_secs_f64()
        );
        size *= 10;
    }
}
