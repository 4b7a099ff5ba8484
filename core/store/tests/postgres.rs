//! What only a server has: attempts that were given to somebody else, connections that are lost, databases that aren't ours.
#![allow(clippy::unwrap_used)]

mod common;

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use common::server::{Server, connect};
use common::{calibration, comparison, launch, origin, summary, variant};
use tare_samples::{Calibration, CountedLaunch, CountedWork, Outcome};
use tare_store::{Access, PostgresStore, Result, RunFilter, RunState, ServerAddress, Store, StoreError, StoreLocation};

fn open(url: &str) -> PostgresStore {
    PostgresStore::open(&ServerAddress::parse(url).unwrap(), Access::ReadWrite).unwrap()
}

/// Why a store can't be opened: one line, without the password.
fn refusal(url: &str, access: Access) -> (StoreError, String) {
    let place = StoreLocation::named(url, std::path::Path::new("/"));
    let error = place.and_then(|place| place.open(access).map(drop)).unwrap_err();
    let text = error.to_string();
    assert!(!text.contains('\n') && !text.contains("s3cret") && text.ends_with('.'), "{text}");
    (error, text)
}

#[test]
fn an_attempt_that_was_given_to_somebody_else_stores_nothing_more() {
    let Some(server) = Server::shared() else { return };
    let url = server.database();
    let (mut stopped, mut other) = (open(&url), open(&url));
    let (origin, variant) = (origin(1, &[]), variant("a", "x"));
    let run = origin.id.as_str();
    stopped.begin_run(&origin, "").unwrap();
    stopped.put_variant(run, 0, &variant).unwrap();
    stopped.put_launch(run, &variant.id, &launch(0)).unwrap();
    assert!(matches!(other.resume_run(run), Err(StoreError::InUse { .. })));
    assert!(matches!(other.put_launch(run, &variant.id, &launch(1)), Err(StoreError::InUse { .. })));

    // As if it had been stopped for longer than its lease lasts.
    connect(&url).execute("UPDATE leases SET renewed = renewed - interval '16 minutes'", &[]).unwrap();
    assert_eq!(other.unfinished().unwrap().unwrap().origin.id, run);
    other.resume_run(run).unwrap();
    assert_eq!((stopped.attempt(run), other.attempt(run)), (Some(1), Some(2)));
    let late: [Result<()>; 5] = [
        stopped.put_launch(run, &variant.id, &launch(1)),
        stopped.put_outcome(run, &variant.id, &Outcome::Ok, Some(&summary(1.0))),
        stopped.put_findings(run, &[]),
        stopped.finish_run(run, RunState::Complete),
        stopped.delete_run(run),
    ];
    for refused in late {
        assert!(matches!(refused, Err(StoreError::Fenced { .. })), "{refused:?}");
    }
    // When it ends it takes nothing from the one that has the run now.
    drop(stopped);
    other.put_launch(run, &variant.id, &launch(1)).unwrap();
    assert_eq!(other.launches(run, &variant.id).unwrap(), [launch(0), launch(1)]);
    let attempts: Vec<i64> = connect(&url)
        .query("SELECT attempt FROM launches ORDER BY ordinal", &[])
        .unwrap()
        .iter()
        .map(|row| row.get(0))
        .collect();
    assert_eq!(attempts, [1, 2]);
    other.finish_run(run, RunState::Complete).unwrap();
}

/// Passes bytes on to a server, and closes both sides after so many bytes of a connection have come from one of the two.
struct Cutter {
    port: u16,
    left: Arc<AtomicU64>,
}

impl Cutter {
    fn before(server: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let left = Arc::new(AtomicU64::new(u64::MAX));
        let shared = Arc::clone(&left);
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let Ok(server) = TcpStream::connect(("127.0.0.1", server)) else { continue };
                for (mut from, mut to) in
                    [(client.try_clone().unwrap(), server.try_clone().unwrap()), (server.try_clone().unwrap(), client)]
                {
                    let left = Arc::clone(&shared);
                    std::thread::spawn(move || {
                        let mut bytes = [0; 4096];
                        while let Ok(read) = from.read(&mut bytes) {
                            let before = left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| {
                                Some(if left == u64::MAX { left } else { left.saturating_sub(read as u64) })
                            });
                            let allowed = before.unwrap().min(read as u64) as usize;
                            if read == 0 || to.write_all(&bytes[..allowed]).is_err() || allowed < read {
                                // The next connection is let through.
                                left.store(u64::MAX, Ordering::SeqCst);
                                let _ = (from.shutdown(Shutdown::Both), to.shutdown(Shutdown::Both));
                                break;
                            }
                        }
                    });
                }
            }
        });
        Self { port, left }
    }
}

#[test]
fn a_network_that_is_cut_anywhere_loses_nothing_and_stores_nothing_twice() {
    let Some(server) = Server::shared() else { return };
    let url = server.database();
    let cutter = Cutter::before(server.port);
    let mut store =
        open(&format!("{}?sslmode=disable", url.replace(&server.port.to_string(), &cutter.port.to_string())));
    let (origin, first, second) = (origin(1, &[]), variant("a", "x"), variant("b", "x"));
    let run = origin.id.as_str();
    store.begin_run(&origin, "").unwrap();
    store.put_variant(run, 0, &first).unwrap();
    store.put_variant(run, 1, &second).unwrap();
    // Within the request, between its statements, and within the answers: each place comes.
    const CUTS: u32 = 60;
    for cut in 0..CUTS {
        cutter.left.store(u64::from(cut) * 41, Ordering::SeqCst);
        store.put_launches(run, &[(&first.id, &launch(cut)), (&second.id, &launch(cut))]).unwrap();
    }
    cutter.left.store(u64::MAX, Ordering::SeqCst);
    let expected: Vec<_> = (0..CUTS).map(launch).collect();
    assert_eq!(store.launches(run, &first.id).unwrap(), expected);
    assert_eq!(store.launches(run, &second.id).unwrap(), expected);
    // What was there before it was asked is still a fault.
    assert!(matches!(store.put_launch(run, &first.id, &launch(0)), Err(StoreError::Duplicate { .. })));
}

#[test]
fn a_server_that_is_restarted_loses_nothing_and_stores_nothing_twice() {
    let Some(server) = Server::start(&[]) else { return };
    let server = Arc::new(server);
    let url = server.database();
    let mut store = open(&url);
    store.set_patience(Duration::from_secs(60));
    let (origin, variant) = (origin(1, &[]), variant("a", "x"));
    let run = origin.id.as_str();
    store.begin_run(&origin, "").unwrap();
    store.put_variant(run, 0, &variant).unwrap();
    let restarting = Arc::clone(&server);
    let restarts = std::thread::spawn(move || {
        for how in ["immediate", "fast"].into_iter().cycle().take(6) {
            std::thread::sleep(Duration::from_millis(u64::from(how.len() as u8) * 17));
            restarting.down(how);
            restarting.up();
        }
    });
    let mut stored = 0;
    while !restarts.is_finished() || stored == 0 {
        store.put_launch(run, &variant.id, &launch(stored)).unwrap();
        stored += 1;
    }
    restarts.join().unwrap();
    store.finish_run(run, RunState::Complete).unwrap();
    assert_eq!(store.launches(run, &variant.id).unwrap(), (0..stored).map(launch).collect::<Vec<_>>());
    assert_eq!(store.runs(&RunFilter::default()).unwrap()[0].launches, u64::from(stored));
}

#[test]
fn what_is_in_the_way_is_told_in_a_line() {
    let Some(server) = Server::start(&["max_connections = 4", "superuser_reserved_connections = 1"]) else { return };
    let url = server.database();
    let (_, text) = refusal(&url.replace(&server.port.to_string(), "1"), Access::ReadWrite);
    assert!(text.contains("host and the port"), "{text}");
    let (error, text) = refusal(&server.url("nowhere"), Access::ReadWrite);
    assert!(text.contains("createdb") && !error.is_failure(), "{text}");
    let (error, _) = refusal(&url, Access::ReadOnly);
    assert!(matches!(error, StoreError::Missing { .. }), "{error}");
    let (_, text) = refusal(&format!("{url}?sslmode=require"), Access::ReadWrite);
    assert!(text.contains("sslmode=disable"), "{text}");

    let mut admin = connect(&url);
    admin.batch_execute("CREATE ROLE nobody LOGIN PASSWORD 's3cret'; CREATE ROLE reader LOGIN").unwrap();
    let as_role = |role: &str| url.replace("tare@", &format!("{role}@"));
    let (_, text) = refusal(&as_role("unheard_of"), Access::ReadOnly);
    assert!(text.contains("does not exist") && text.contains("createuser"), "{text}");
    let (_, text) = refusal(&as_role("nobody"), Access::ReadWrite);
    assert!(text.contains("permission denied") && text.contains("GRANT CREATE ON DATABASE"), "{text}");

    // Of another program: left alone, unless it has made room.
    admin.batch_execute("CREATE TABLE theirs (number INT)").unwrap();
    let (_, text) = refusal(&url, Access::ReadWrite);
    assert!(text.contains("CREATE SCHEMA tare"), "{text}");
    admin.batch_execute("CREATE SCHEMA tare").unwrap();
    let mut store = open(&url);
    store.begin_run(&origin(1, &[]), "").unwrap();
    store.finish_run(&origin(1, &[]).id, RunState::Complete).unwrap();
    drop(store);

    // A role that may only read does.
    admin
        .batch_execute("GRANT USAGE ON SCHEMA tare TO reader; GRANT SELECT ON ALL TABLES IN SCHEMA tare TO reader")
        .unwrap();
    let reader = StoreLocation::named(&as_role("reader"), std::path::Path::new("/")).unwrap();
    assert_eq!(reader.open(Access::ReadOnly).unwrap().names().unwrap().len(), 1);
    let error = reader.open(Access::ReadWrite).unwrap().begin_run(&origin(2, &[]), "").unwrap_err();
    assert!(error.to_string().contains("permission denied"), "{error}");

    let (run, variant) = (origin(3, &[]), variant("a", "x"));
    let work = CountedWork {
        launches: vec![CountedLaunch { calls: [1, 2, 3], ..Default::default() }; 2],
        ..Default::default()
    };
    let mut store = open(&url);
    store.begin_run(&run, "").unwrap();
    store.put_variant(&run.id, 0, &variant).unwrap();
    let calibration = Calibration { work: Some(work.clone()), ..calibration() };
    store.put_calibration(&run.id, &variant.id, &calibration).unwrap();
    store.put_outcome(&run.id, &variant.id, &Outcome::Ok, None).unwrap();
    store.finish_run(&run.id, RunState::Complete).unwrap();
    drop(store);
    for (version, says) in [(1000, "a newer Tare"), (3, "an older Tare wrote it")] {
        admin.execute("UPDATE tare.schema_version SET version = $1", &[&i64::from(version)]).unwrap();
        for access in [Access::ReadOnly, Access::ReadWrite] {
            let (error, text) = refusal(&url, access);
            assert!(
                matches!(error, StoreError::Newer { .. } | StoreError::Older { .. }) && text.contains(says),
                "{text}"
            );
        }
    }
    // The version before is read as it is, and brought up to date when something is to be written.
    let works = |store: &dyn Store| -> Vec<Option<CountedWork>> {
        store.series(&variant.case.id(), "x", None).unwrap().into_iter().map(|run| run.work).collect()
    };
    admin
        .batch_execute("DROP TABLE tare.sessions; DROP TABLE tare.works; UPDATE tare.schema_version SET version = 4")
        .unwrap();
    assert_eq!(works(&*reader.open(Access::ReadOnly).unwrap()), [None]);
    assert_eq!(reader.open(Access::ReadOnly).unwrap().names().unwrap().len(), 2);
    assert_eq!(open(&url).count_comparison("s", "a").unwrap(), 1);
    assert_eq!(open(&url).names().unwrap().len(), 2);
    assert_eq!(works(&open(&url)), [Some(work.clone())]);
    assert_eq!(works(&*reader.open(Access::ReadOnly).unwrap()), [None], "without a right to read the new table");
    admin.batch_execute("GRANT SELECT ON tare.works TO reader").unwrap();
    assert_eq!(works(&*reader.open(Access::ReadOnly).unwrap()), [Some(work)]);
    let error = reader.open(Access::ReadWrite).unwrap().count_comparison("s", "b").unwrap_err();
    assert!(error.to_string().contains("permission denied"), "{error}");

    // Connections that were ended a moment ago may still be counted.
    let taken = [(); 2].map(|()| {
        loop {
            match postgres::Client::connect(&as_role("reader"), postgres::NoTls) {
                Ok(client) => break client,
                Err(_) => std::thread::sleep(Duration::from_millis(20)),
            }
        }
    });
    let (_, text) = refusal(&as_role("reader"), Access::ReadOnly);
    assert!(text.contains("max_connections"), "{text}");
    drop(taken);

    std::fs::write(
        server.data().join("pg_hba.conf"),
        "host all nobody 127.0.0.1/32 scram-sha-256\nhost all tare 127.0.0.1/32 trust\n",
    )
    .unwrap();
    server.reload();
    let denied = |url: &str| loop {
        // Until the server has read its rules again.
        let place = StoreLocation::named(url, std::path::Path::new("/")).unwrap();
        match place.open(Access::ReadOnly) {
            // Connections that were ended a moment ago may still be counted.
            Err(error)
                if !["permission denied", "too many clients"].iter().any(|text| error.to_string().contains(text)) =>
            {
                break error.to_string();
            }
            _ => std::thread::sleep(Duration::from_millis(20)),
        }
    };
    let text = denied(&as_role("nobody:s3cretly"));
    assert!(
        text.contains("password authentication failed") && text.contains("PGPASSWORD") && !text.contains("s3cret"),
        "{text}"
    );
    let text = denied(&as_role("reader"));
    assert!(text.contains("pg_hba.conf"), "{text}");

    let latin = "CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'";
    admin.batch_execute(latin).unwrap();
    let (_, text) = refusal(&server.url("latin"), Access::ReadWrite);
    assert!(text.contains("UTF8"), "{text}");
}

#[test]
fn several_that_open_a_new_database_at_once_make_it_once() {
    let Some(server) = Server::shared() else { return };
    let url = server.database();
    let stores: Vec<_> = std::thread::scope(|scope| {
        let opening: Vec<_> = (0..6).map(|_| scope.spawn(|| open(&url))).collect();
        opening.into_iter().map(|store| store.join().unwrap()).collect()
    });
    for (number, mut store) in (1..).zip(stores) {
        store.begin_run(&origin(number, &[]), "").unwrap();
        store.finish_run(&origin(number, &[]).id, RunState::Complete).unwrap();
    }
    let made: i64 = connect(&url).query_one("SELECT count(*) FROM schema_version", &[]).unwrap().get(0);
    assert_eq!((made, open(&url).names().unwrap().len()), (1, 6));
}

#[test]
fn what_a_server_refuses_is_kept_and_sent_when_it_takes_it() {
    let Some(server) = Server::shared() else { return };
    // What it says whose disk is full, whose table somebody holds, who was restored as a copy, and who took this role's rights away.
    for (code, told) in [
        ("53100", "disk is full"),
        ("55P03", "Another program has locked"),
        ("25006", "a copy"),
        ("42501", "its rights"),
    ] {
        refused_meanwhile(&server.database(), code, told);
    }
}

/// A run of which the server refuses launches with this SQLSTATE until it ends, by a trigger.
fn refused_meanwhile(url: &str, code: &str, told: &str) {
    let folder = tempfile::tempdir().unwrap();
    let spool = folder.path().join("spool");
    let place = StoreLocation::named(url, std::path::Path::new("/")).unwrap();
    let StoreLocation::Server(address) = &place else { panic!("{place:?}") };
    let mut store = place.open_to_measure(&spool).unwrap();
    let (run, variant) = (origin(1, &[]).id, variant("a", "x"));
    store.begin_run(&origin(1, &["main"]), "asked").unwrap();
    store.put_variant(&run, 0, &variant).unwrap();
    store.put_launch(&run, &variant.id, &launch(0)).unwrap();
    let mut admin = connect(url);
    admin
        .batch_execute(&format!(
            "CREATE FUNCTION public.refused() RETURNS trigger LANGUAGE plpgsql AS \
             $$ BEGIN RAISE EXCEPTION 'refused' USING ERRCODE = '{code}'; END $$; \
             CREATE TRIGGER refused BEFORE INSERT ON tare.launches EXECUTE FUNCTION public.refused()"
        ))
        .unwrap();
    for ordinal in 1..3 {
        store.put_launch(&run, &variant.id, &launch(ordinal)).unwrap();
    }
    assert!(store.spool().is_some_and(|kept| kept.folder == spool && kept.why.contains(told)), "{:?}", store.spool());
    store.finish_run(&run, RunState::Complete).unwrap();
    drop(store);
    let refused = tare_store::push(&spool, address).unwrap();
    let error = refused[0].sent.as_ref().unwrap_err().to_string();
    assert!(error.contains(told), "{error}");
    admin.batch_execute("DROP TRIGGER refused ON tare.launches").unwrap();
    let pushed = tare_store::push(&spool, address).unwrap();
    assert_eq!(pushed[0].sent.as_ref().unwrap().launches, 2, "{pushed:?}");
    assert_eq!(open(url).launches(&run, &variant.id).unwrap(), (0..3).map(launch).collect::<Vec<_>>());
    assert_eq!(open(url).run(&run).unwrap().row.state, RunState::Complete);
}

#[test]
fn a_server_that_takes_the_connection_and_says_nothing_is_told() {
    // The system takes connections that nobody accepts.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("postgres://me@127.0.0.1:{}/tare?connect_timeout=1", listener.local_addr().unwrap().port());
    let (error, text) = refusal(&url, Access::ReadOnly);
    assert!(error.is_lost() && text.contains("doesn't answer within 1 s"), "{text}");
}

#[test]
fn what_is_measured_while_the_server_is_away_is_sent_when_it_is_back() {
    let Some(server) = Server::start(&[]) else { return };
    let url = server.database();
    let folder = tempfile::tempdir().unwrap();
    let spool = folder.path().join("spool");
    let place = StoreLocation::named(&url, std::path::Path::new("/")).unwrap();
    let StoreLocation::Server(address) = &place else { panic!("{place:?}") };
    let (first, second) = (variant("a", "x"), variant("b", "x"));
    let begin = |number| {
        let mut store = place.open_to_measure(&spool).unwrap();
        store.begin_run(&origin(number, &["main"]), "asked").unwrap();
        store.put_variant(&origin(number, &[]).id, 0, &first).unwrap();
        store.put_variant(&origin(number, &[]).id, 1, &second).unwrap();
        store.put_calibration(&origin(number, &[]).id, &first.id, &calibration()).unwrap();
        store.put_launches(&origin(number, &[]).id, &[(&first.id, &launch(0)), (&second.id, &launch(0))]).unwrap();
        store.put_comparison(&origin(number, &[]).id, 0, &comparison("a", "b", 1.5)).unwrap();
        assert_eq!(store.comparisons(&origin(number, &[]).id).unwrap(), [comparison("a", "b", 1.5)]);
        assert_eq!(store.spool(), None);
        store
    };
    // Three runs meet the end of the server: one ends while it is away, one when it is back, one is killed and given to somebody else.
    let [mut away, mut back, mut fenced] = [begin(1), begin(2), begin(3)];
    server.down("immediate");
    for (store, number) in [(&mut away, 1), (&mut back, 2), (&mut fenced, 3)] {
        let run = origin(number, &[]).id;
        for ordinal in 1..3 {
            store.put_launches(&run, &[(&first.id, &launch(ordinal)), (&second.id, &launch(ordinal))]).unwrap();
        }
        store.put_outcome(&run, &first.id, &Outcome::Ok, Some(&summary(2.0))).unwrap();
        store.put_comparison(&run, 1, &comparison("a", "c", 1.0)).unwrap();
        assert_eq!(store.spool().unwrap().folder, spool);
    }
    assert!(tare_store::push(&spool, address).unwrap_err().is_lost());
    away.finish_run(&origin(1, &[]).id, RunState::Complete).unwrap();
    drop(away);
    drop(fenced);
    server.up();
    back.put_launch(&origin(2, &[]).id, &second.id, &launch(3)).unwrap();
    back.finish_run(&origin(2, &[]).id, RunState::Complete).unwrap();
    assert_eq!(back.spool(), None);

    connect(&url).execute("UPDATE leases SET renewed = renewed - interval '16 minutes'", &[]).unwrap();
    let mut other = open(&url);
    other.resume_run(&origin(3, &[]).id).unwrap();
    let pushed = tare_store::push(&spool, address).unwrap();
    let [sent, refused] = pushed.as_slice() else { panic!("{pushed:?}") };
    assert_eq!((sent.run.clone(), sent.sent.as_ref().unwrap().launches), (origin(1, &[]).id, 4));
    assert_eq!(refused.run, origin(3, &[]).id);
    assert!(matches!(refused.sent, Err(StoreError::Fenced { .. })), "{refused:?}");

    for (number, more) in [(1, 0), (2, 1)] {
        let run = origin(number, &[]).id;
        assert_eq!(other.launches(&run, &first.id).unwrap(), (0..3).map(launch).collect::<Vec<_>>(), "{number}");
        assert_eq!(other.launches(&run, &second.id).unwrap(), (0..3 + more).map(launch).collect::<Vec<_>>());
        let stored = other.run(&run).unwrap();
        assert_eq!((stored.row.state, stored.row.origin), (RunState::Complete, origin(number, &["main"])));
        assert_eq!(stored.comparisons, [comparison("a", "b", 1.5), comparison("a", "c", 1.0)]);
        assert_eq!(stored.variants[0].calibration, Some(calibration()));
        assert_eq!(stored.variants[0].summary, Some(summary(2.0)));
    }
    // The figures of the attempt that was over aren't there, and what it measured isn't thrown away.
    assert_eq!(other.launches(&origin(3, &[]).id, &first.id).unwrap(), [launch(0)]);
    assert!(spool.join(origin(3, &[]).id).join("tare.db").exists());
    let kept: Vec<u8> = std::fs::read(spool.join(origin(3, &[]).id).join("attempt.json")).unwrap();
    assert!(!String::from_utf8(kept).unwrap().contains("password"));
}
