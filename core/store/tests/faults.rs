//! What stands in the way of a store, and what a person is told about it.

mod common;

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use common::{calibration, launch, origin, variant};
use tare_samples::{Calibration, CountedLaunch, CountedWork, Outcome};
use tare_store::{Access, RunState, SqliteStore, Store, StoreError};
use tempfile::TempDir;

/// A small file system in memory, where this user may mount one.
struct Mount {
    folder: TempDir,
}

impl Mount {
    fn new(options: &str) -> Option<Self> {
        let folder = tempfile::tempdir().expect("a folder");
        let made = mount(&["-t", "tmpfs", "-o", options, "tmpfs"], folder.path());
        made.then_some(Self { folder })
    }

    fn make_read_only(&self) {
        assert!(mount(&["-o", "remount,ro"], self.folder.path()), "a mount of one's own can be made read-only");
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.folder.path()).output();
    }
}

fn mount(arguments: &[&str], folder: &Path) -> bool {
    Command::new("mount").args(arguments).arg(folder).output().is_ok_and(|output| output.status.success())
}

fn error(path: &Path, access: Access) -> StoreError {
    match SqliteStore::open(path, access) {
        Ok(_) => panic!("{path:?} of {:?} bytes was opened", path.metadata().map(|file| file.len())),
        Err(error) => error,
    }
}

fn some_run(path: &Path) -> SqliteStore {
    let mut store = SqliteStore::open(path, Access::ReadWrite).expect("a store");
    store.begin_run(&origin(1, &[]), "").expect("a run");
    store.put_variant(&origin(1, &[]).id, 0, &variant("a", "x")).expect("a variant");
    store.put_launch(&origin(1, &[]).id, &variant("a", "x").id, &launch(0)).expect("a launch");
    store
}

fn holds_the_launch(store: &SqliteStore) -> bool {
    store.launches(&origin(1, &[]).id, &variant("a", "x").id).expect("launches") == [launch(0)]
}

#[test]
fn reading_makes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(".tare/tare.db");
    let error = error(&path, Access::ReadOnly);
    assert!(matches!(error, StoreError::Missing { .. }), "{error:?}");
    assert!(error.to_string().ends_with("nothing has been measured here yet. `tare run` makes one."), "{error}");
    assert!(!folder.path().join(".tare").exists());
}

#[test]
fn reading_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tare.db");
    drop(some_run(&path));
    let before = std::fs::read(&path).unwrap();
    let mut store = SqliteStore::open(&path, Access::ReadOnly).unwrap();
    assert!(holds_the_launch(&store));
    let error = store.put_launch(&origin(1, &[]).id, &variant("a", "x").id, &launch(1)).unwrap_err();
    assert!(matches!(error, StoreError::ReadOnly { .. }), "{error:?}");
    let error = store.count_comparison("s", "a").unwrap_err();
    assert!(matches!(error, StoreError::ReadOnly { .. }), "{error:?}");
    drop(store);
    assert_eq!(std::fs::read(&path).unwrap(), before);
}

#[test]
fn a_store_of_an_older_tare_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tare.db");
    drop(some_run(&path));
    rusqlite::Connection::open(&path).unwrap().pragma_update(None, "user_version", 8).unwrap();
    let before = std::fs::read(&path).unwrap();
    for access in [Access::ReadWrite, Access::ReadOnly] {
        let error = error(&path, access);
        assert!(matches!(error, StoreError::Older { found: 8, known: 11, .. }), "{error:?}");
        assert!(error.to_string().contains("name another place with --store; the store was not changed"), "{error}");
    }
    assert_eq!(std::fs::read(&path).unwrap(), before);
}

#[test]
fn a_store_of_the_version_before_is_read_as_it_is_and_brought_up_to_date_when_it_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tare.db");
    let mut store = some_run(&path);
    let (run, variant) = (origin(1, &[]).id, variant("a", "x"));
    let work = CountedWork {
        launches: vec![CountedLaunch { calls: [1, 2, 3], ..Default::default() }; 2],
        ..Default::default()
    };
    let counted = Calibration { work: Some(work.clone()), ..calibration() };
    store.put_calibration(&run, &variant.id, &counted).unwrap();
    store.put_outcome(&run, &variant.id, &Outcome::Ok, None).unwrap();
    store.finish_run(&run, RunState::Complete).unwrap();
    drop(store);
    // As version 9 left it.
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.execute_batch("DROP TABLE sessions; DROP TABLE works; PRAGMA user_version = 9").unwrap();
    drop(connection);
    let before = std::fs::read(&path).unwrap();
    let works = |store: &SqliteStore| -> Vec<Option<CountedWork>> {
        store.series(&variant.case.id(), "x", None).unwrap().into_iter().map(|run| run.work).collect()
    };
    let store = SqliteStore::open(&path, Access::ReadOnly).unwrap();
    assert!(holds_the_launch(&store));
    assert_eq!(works(&store), [None], "nothing of it is kept for a history yet");
    drop(store);
    assert_eq!(std::fs::read(&path).unwrap(), before);
    // Several at once, of which one does it.
    std::thread::scope(|scope| {
        for run in ["a", "b", "c"] {
            let path = &path;
            scope.spawn(move || {
                let mut store = SqliteStore::open(path, Access::ReadWrite).unwrap();
                assert!((1..=3).contains(&store.count_comparison("s", run).unwrap()));
            });
        }
    });
    let mut store = SqliteStore::open(&path, Access::ReadWrite).unwrap();
    assert!(holds_the_launch(&store));
    assert_eq!(works(&store), [Some(work)]);
    assert_eq!(store.count_comparison("s", "d").unwrap(), 4);
}

#[test]
fn a_store_of_a_newer_tare_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tare.db");
    drop(some_run(&path));
    rusqlite::Connection::open(&path).unwrap().pragma_update(None, "user_version", 99).unwrap();
    for access in [Access::ReadWrite, Access::ReadOnly] {
        let error = error(&path, access);
        assert!(matches!(error, StoreError::Newer { found: 99, known: 11, .. }), "{error:?}");
        let text = error.to_string();
        assert!(text.contains("has version 99") && text.contains("up to version 11"), "{text}");
        assert!(text.contains("Use that Tare, or a newer one; the store was not changed."), "{text}");
    }
}

#[test]
fn an_empty_file_becomes_a_store_by_writing_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tare.db");
    std::fs::write(&path, "").unwrap();
    assert!(matches!(error(&path, Access::ReadOnly), StoreError::Empty { .. }));
    drop(some_run(&path));
    assert!(holds_the_launch(&SqliteStore::open(&path, Access::ReadOnly).unwrap()));
}

#[test]
fn other_files_are_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tare.db");
    for content in [&b"x"[..], b"not a database\n", &[0; 8192], &b"SQLite format 3".repeat(999)] {
        std::fs::write(&path, content).unwrap();
        for access in [Access::ReadWrite, Access::ReadOnly] {
            let error = error(&path, access);
            assert!(matches!(error, StoreError::NotADatabase { .. }), "{error:?}");
        }
        assert_eq!(std::fs::read(&path).unwrap(), content);
    }
    std::fs::remove_file(&path).unwrap();
    rusqlite::Connection::open(&path).unwrap().execute_batch("CREATE TABLE songs (title TEXT)").unwrap();
    let before = std::fs::read(&path).unwrap();
    for access in [Access::ReadWrite, Access::ReadOnly] {
        let error = error(&path, access);
        assert!(matches!(error, StoreError::Foreign { application_id: 0, .. }), "{error:?}");
    }
    assert_eq!(std::fs::read(&path).unwrap(), before);
}

#[test]
fn a_folder_in_the_place_of_the_file_or_a_file_in_the_place_of_the_folder_is_named() {
    let folder = tempfile::tempdir().unwrap();
    for access in [Access::ReadWrite, Access::ReadOnly] {
        let error = error(folder.path(), access);
        assert!(matches!(error, StoreError::CannotOpen { .. }), "{error:?}");
        assert!(error.to_string().contains("it is a folder"), "{error}");
    }
    std::fs::write(folder.path().join(".tare"), "").unwrap();
    let error = error(&folder.path().join(".tare/tare.db"), Access::ReadWrite);
    assert!(matches!(&error, StoreError::Folder { folder, .. } if folder.ends_with(".tare")), "{error:?}");
    assert!(error.to_string().starts_with("cannot make the folder"), "{error}");
}

#[test]
fn a_damaged_database_is_called_damaged() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tare.db");
    drop(some_run(&path));
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[4096..].fill(0xa5);
    std::fs::write(&path, bytes).unwrap();
    // The schema may reach into the damage, or the run alone.
    let run = SqliteStore::open(&path, Access::ReadOnly).and_then(|store| store.run(&origin(1, &[]).id));
    let error = run.unwrap_err();
    assert!(matches!(error, StoreError::Damaged { .. }), "{error:?}");
}

#[test]
fn a_locked_store_says_how_long_was_waited() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tare.db");
    let mut store = some_run(&path);
    let other = rusqlite::Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    store.set_busy_timeout(Duration::from_millis(20)).unwrap();
    let (run, variant) = (origin(1, &[]).id, variant("a", "x").id);
    let error = store.put_launch(&run, &variant, &launch(1)).unwrap_err();
    assert!(matches!(error, StoreError::Locked { .. }), "{error:?}");
    assert!(error.to_string().contains("for more than 20 ms. Wait for it to end (`fuser`"), "{error}");
    assert!(holds_the_launch(&store), "readers never wait");
    other.execute_batch("ROLLBACK").unwrap();
    store.put_launch(&run, &variant, &launch(1)).unwrap();
}

#[test]
fn two_writers_at_one_store_wait_for_each_other() {
    const LAUNCHES: u32 = 150;
    let folder = tempfile::tempdir().unwrap();
    // Both make the store, at the same time.
    let path = folder.path().join(".tare/tare.db");
    std::thread::scope(|scope| {
        for number in 0..4 {
            let path = &path;
            scope.spawn(move || {
                let mut store = SqliteStore::open(path, Access::ReadWrite).unwrap();
                let (origin, variant) = (origin(number, &["both"]), variant("a", "x"));
                store.begin_run(&origin, "").unwrap();
                store.put_variant(&origin.id, 0, &variant).unwrap();
                for ordinal in 0..LAUNCHES {
                    store.put_launch(&origin.id, &variant.id, &launch(ordinal + number)).unwrap();
                }
            });
        }
    });
    let store = SqliteStore::open(&path, Access::ReadOnly).unwrap();
    for number in 0..4 {
        let launches = store.launches(&origin(number, &[]).id, &variant("a", "x").id).unwrap();
        assert_eq!(launches, (number..number + LAUNCHES).map(launch).collect::<Vec<_>>());
    }
}

#[test]
fn a_full_disk_loses_nothing_that_was_stored() {
    // Where no file system can be mounted, the same code is reached by a page limit (src/sqlite/tests.rs).
    let Some(mount) = Mount::new("size=600k") else {
        eprintln!("no right to mount a small file system: the page limit alone was tried");
        return;
    };
    let path = mount.folder.path().join(".tare/tare.db");
    let filler = mount.folder.path().join("filler");
    let mut store = some_run(&path);
    let (run, variant) = (origin(1, &[]).id, variant("a", "x").id);
    let mut stored = 1;
    let error = loop {
        match store.put_launch(&run, &variant, &launch(stored)) {
            Ok(()) => stored += 1,
            Err(error) => break error,
        }
        if stored == 20 {
            // The rest of the disk goes to something else.
            let _ = std::fs::write(&filler, vec![1; 1 << 20]);
        }
    };
    assert!(matches!(error, StoreError::Full { .. }), "{error:?}");
    assert!(stored >= 20);
    std::fs::remove_file(&filler).unwrap();
    assert_eq!(store.launches(&run, &variant).unwrap(), (0..stored).map(launch).collect::<Vec<_>>());
    store.put_launch(&run, &variant, &launch(stored)).unwrap();
    drop(store);

    let _ = std::fs::write(&filler, vec![1; 1 << 20]);
    let other = mount.folder.path().join("other.db");
    let error = self::error(&other, Access::ReadWrite);
    assert!(matches!(error, StoreError::Full { .. }), "{error:?}");
}

/// A folder that this user can't write to, by permission (a user) or by mount (root, whom permissions don't bind).
enum Unwritable {
    Mounted(Mount),
    Forbidden(TempDir),
}

impl Unwritable {
    /// Fills a folder, then takes the right to write away.
    fn new(fill: impl FnOnce(&Path)) -> Option<Self> {
        if let Some(mount) = Mount::new("size=4m") {
            fill(mount.folder.path());
            mount.make_read_only();
            return Some(Self::Mounted(mount));
        }
        let folder = tempfile::tempdir().expect("a folder");
        fill(folder.path());
        for entry in std::fs::read_dir(folder.path()).expect("a folder") {
            permit(&entry.expect("an entry").path(), 0o444);
        }
        permit(folder.path(), 0o555);
        let binding = std::fs::write(folder.path().join("probe"), "").is_err();
        binding.then_some(Self::Forbidden(folder))
    }

    fn path(&self) -> PathBuf {
        match self {
            Self::Mounted(mount) => mount.folder.path().to_owned(),
            Self::Forbidden(folder) => folder.path().to_owned(),
        }
    }
}

impl Drop for Unwritable {
    fn drop(&mut self) {
        if let Self::Forbidden(folder) = self {
            permit(folder.path(), 0o755);
        }
    }
}

fn permit(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("one's own file");
}

#[test]
fn a_read_only_store_can_be_read_and_says_why_it_cannot_be_written() {
    // Left over: root who may not mount, as in some containers; `query_only` covers the write error there.
    let Some(folder) = Unwritable::new(|folder| drop(some_run(&folder.join("a%20b?#é.db")))) else {
        eprintln!("neither permissions nor mounts bind this user: query_only alone was tried");
        return;
    };
    let path = folder.path().join("a%20b?#é.db");
    assert!(holds_the_launch(&SqliteStore::open(&path, Access::ReadOnly).unwrap()));
    let error = error(&path, Access::ReadWrite);
    assert!(matches!(error, StoreError::ReadOnly { .. }), "{error:?}");
    let why = match folder {
        Unwritable::Mounted(_) => "its file system is mounted read-only",
        Unwritable::Forbidden(_) => "you may not write to the folder",
    };
    assert!(error.to_string().contains(why), "{error}");

    for missing in ["new.db", ".tare/tare.db"] {
        let error = self::error(&folder.path().join(missing), Access::ReadWrite);
        assert!(matches!(error, StoreError::ReadOnly { .. } | StoreError::Folder { .. }), "{error:?}");
    }
}

#[test]
fn what_a_killed_writer_left_in_a_read_only_folder_is_read_or_refused_never_half_read() {
    let log = |database: &Path| PathBuf::from(format!("{}-wal", database.display()));
    let shared = |database: &Path| PathBuf::from(format!("{}-shm", database.display()));
    let Some(folder) = Unwritable::new(|folder| {
        let work = tempfile::tempdir().expect("a folder");
        let path = work.path().join("tare.db");
        let store = some_run(&path);
        // As a kill leaves it: everything is in the log still.
        for (name, with_shared) in [("whole.db", true), ("bare.db", false)] {
            let copy = folder.join(name);
            std::fs::copy(&path, &copy).expect("a copy");
            std::fs::copy(log(&path), log(&copy)).expect("a copy of the log");
            if with_shared {
                std::fs::copy(shared(&path), shared(&copy)).expect("a copy of the shared memory");
            }
        }
        drop(store);
    }) else {
        eprintln!("neither permissions nor mounts bind this user");
        return;
    };
    assert!(holds_the_launch(&SqliteStore::open(folder.path().join("whole.db"), Access::ReadOnly).unwrap()));
    let error = error(&folder.path().join("bare.db"), Access::ReadOnly);
    assert!(matches!(error, StoreError::CannotOpen { .. }), "{error:?}");
    assert!(error.to_string().contains("its writer was killed"), "{error}");
}
