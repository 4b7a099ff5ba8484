use std::cell::{Cell, RefCell};
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Lines};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustix::process::{Pid, Signal, kill_process};

use super::{Acquired, Attempt, Holder, MeasuringLock, Patience, attempt, read};

fn lock_at_once(path: &Path) -> MeasuringLock {
    MeasuringLock::acquire(Some(path), "test", &mut |holder| panic!("{holder:?}"), &|| false).unwrap()
}

/// Whether another holds it.
fn is_held(path: &Path) -> bool {
    MeasuringLock::acquire(Some(path), "test", &mut |_| {}, &|| true).is_none()
}

/// A process that holds the lock at `path` until it is killed, or lets go when its input ends.
struct Other {
    child: Child,
    /// Open, so that what the test runner prints at the end has somewhere to go.
    _printed: Lines<BufReader<ChildStdout>>,
}

impl Other {
    fn holding(path: &Path) -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "measuring::tests::another_process", "--ignored", "--nocapture"])
            .env("TARE_TEST_LOCK", path)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut printed = BufReader::new(child.stdout.take().unwrap()).lines();
        assert!(printed.any(|line| line.unwrap().ends_with("holding")));
        Self { child, _printed: printed }
    }

    fn pid(&self) -> Option<u32> {
        Some(self.child.id())
    }

    fn let_go(mut self) {
        drop(self.child.stdin.take());
        self.child.wait().unwrap();
    }

    fn kill(mut self) {
        kill_process(Pid::from_child(&self.child), Signal::KILL).unwrap();
        self.child.wait().unwrap();
    }
}

/// Not a test: what `Other` runs.
#[test]
#[ignore = "run by the tests that need another process"]
fn another_process() {
    let path = std::env::var_os("TARE_TEST_LOCK").unwrap();
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o077));
    let lock = MeasuringLock::acquire(Some(path.as_ref()), "b\u{1b}[2Jench\nmark", &mut |_| {}, &|| false).unwrap();
    assert!(lock.problem().is_none());
    println!("holding");
    let _ = std::io::read_to_string(std::io::stdin());
}

#[test]
fn one_holds_it_until_it_lets_go() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lock");
    let lock = lock_at_once(&path);
    assert!(lock.problem().is_none());
    assert!(is_held(&path));
    drop(lock);
    assert!(!is_held(&path));
    // The file stays, and nothing but the file.
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn another_process_is_waited_for_and_told_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lock");
    let before = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    let other = Other::holding(&path);
    // The other's umask would have left it to its owner.
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o666);
    let pid = other.pid();
    let (other, told, polls) = (Cell::new(Some(other)), RefCell::new(Vec::new()), Cell::new(0));
    let mut waiting = |holder: &Holder| told.borrow_mut().push(holder.clone());
    let lock = MeasuringLock::acquire(Some(&path), "test", &mut waiting, &|| {
        polls.set(polls.get() + 1);
        if polls.get() == 3 {
            other.take().unwrap().let_go();
        }
        false
    });
    assert!(lock.unwrap().problem().is_none());
    let told = told.into_inner();
    assert_eq!(told.len(), 1, "{told:?}");
    assert_eq!((told[0].pid, told[0].what.as_str()), (pid, "b\\u{1b}[2Jench\\nmark"));
    assert!(told[0].since.unwrap() >= UNIX_EPOCH + Duration::from_secs(before));
}

#[test]
fn a_killed_process_holds_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lock");
    let other = Other::holding(&path);
    assert!(is_held(&path));
    other.kill();
    assert!(lock_at_once(&path).problem().is_none());
}

#[test]
fn who_takes_it_next_is_told_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lock");
    let first = Other::holding(&path);
    let pids = RefCell::new(vec![first.pid()]);
    let (holder, told, polls) = (Cell::new(Some(first)), RefCell::new(Vec::new()), Cell::new(0));
    let mut waiting = |holder: &Holder| told.borrow_mut().push(holder.pid);
    let lock = MeasuringLock::acquire(Some(&path), "test", &mut waiting, &|| {
        polls.set(polls.get() + 1);
        // Before it has a number: later nobody passes it.
        if polls.get() == 1 {
            holder.take().unwrap().kill();
            let second = Other::holding(&path);
            pids.borrow_mut().push(second.pid());
            holder.set(Some(second));
        }
        if polls.get() == 3 {
            holder.take().unwrap().kill();
        }
        false
    });
    assert!(lock.is_some());
    assert_eq!(told.into_inner(), pids.into_inner());
}

#[test]
fn who_waits_can_be_interrupted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lock");
    let _lock = lock_at_once(&path);
    let told = Cell::new(false);
    let none = MeasuringLock::acquire(Some(&path), "test", &mut |_| told.set(true), &|| told.get());
    assert!(none.is_none());
    assert!(told.get());
}

#[test]
fn a_removed_file_is_not_waited_for_nor_taken() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lock");
    let first = lock_at_once(&path);
    let removed = Cell::new(false);
    let second = MeasuringLock::acquire(Some(&path), "test", &mut |_| {}, &|| {
        if !removed.replace(true) {
            fs::remove_file(&path).unwrap();
        }
        false
    });
    // It holds the new file, which keeps others out, whatever becomes of the old one.
    let ours = second.as_ref().unwrap().file.as_ref().unwrap().metadata().unwrap().ino();
    assert_eq!(ours, fs::metadata(&path).unwrap().ino());
    drop(first);
    assert!(is_held(&path));
}

#[test]
fn who_holds_a_removed_file_is_never_beside_another() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lock");
    let inside = AtomicUsize::new(0);
    let go = || {
        for _ in 0..5_000 {
            let Attempt::Taken(file) = attempt(&path, None).unwrap() else { continue };
            assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
            std::thread::yield_now();
            inside.fetch_sub(1, Ordering::SeqCst);
            fs::remove_file(&path).unwrap();
            drop(file);
        }
    };
    std::thread::scope(|scope| (0..4).for_each(|_| drop(scope.spawn(go))));
    assert!(fs::read_dir(folder.path()).unwrap().count() <= 1);
}

#[test]
fn a_process_started_meanwhile_does_not_inherit_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lock");
    let lock = lock_at_once(&path);
    let flags = rustix::io::fcntl_getfd(lock.file.as_ref().unwrap()).unwrap();
    assert!(flags.contains(rustix::io::FdFlags::CLOEXEC));
}

#[test]
fn letting_go_does_not_wait_for_who_has_the_file_open() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lock");
    let lock = lock_at_once(&path);
    // As a process has that is being started.
    let _copy = lock.file.as_ref().unwrap().try_clone().unwrap();
    drop(lock);
    assert!(!is_held(&path));
}

#[test]
fn where_nothing_can_be_locked_measuring_is_not_refused() {
    let folder = tempfile::tempdir().unwrap();
    let victim = folder.path().join("victim");
    fs::write(&victim, "precious").unwrap();
    let at = |name: &str| folder.path().join(name);
    symlink(&victim, at("link")).unwrap();
    symlink(at("nothing"), at("dangling")).unwrap();
    fs::hard_link(&victim, at("second name")).unwrap();
    fs::create_dir(at("folder")).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, at("fifo"), rustix::fs::Mode::RWXU).unwrap();
    for name in ["link", "dangling", "second name", "folder", "fifo", "no folder/lock"] {
        let lock = lock_at_once(&at(name));
        let problem = lock.problem().unwrap().to_string();
        assert!(problem.contains(&format!("{name}: can't ")), "{problem}");
    }
    let proc = lock_at_once(Path::new("/proc/tare-measuring.lock"));
    assert!(proc.problem().unwrap().to_string().contains("can't make it"));
    assert_eq!(fs::read_to_string(&victim).unwrap(), "precious");
    assert!(!at("nothing").exists());
}

#[test]
fn a_hostile_account_is_bounded_and_escaped() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("account");
    let account = |bytes: &[u8]| {
        fs::write(&path, bytes).unwrap();
        read(&mut File::open(&path).unwrap())
    };
    let since = Some(UNIX_EPOCH + Duration::from_secs(5));
    assert_eq!(
        account(b"7 5 a\x1b]0;x\x07\nsecond"),
        Holder { pid: Some(7), what: "a\\u{1b}]0;x\\u{7}".into(), since }
    );
    assert_eq!(account("7 5 a\u{202e}b".as_bytes()).what, "a\\u{202e}b");
    assert_eq!(account(&[&b"7 5 "[..], &[b'x'; 1 << 20]].concat()).what, "x".repeat(120) + "…");
    assert_eq!(account(b"7 5").what, "");
    assert_eq!(account(format!("7 {} a", u64::MAX).as_bytes()), Holder { pid: Some(7), what: "a".into(), since: None });
    for nonsense in [&b""[..], b"\n", b"-7 5 a", b"7", b"7 x a", b"99999999999999999999 5 a", &[0xff; 100]] {
        assert_eq!(account(nonsense), Holder::default());
    }
}

#[test]
fn a_holder_without_an_account_is_told_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lock");
    let silent = File::create(&path).unwrap();
    silent.try_lock().unwrap();
    let told = RefCell::new(Vec::new());
    let mut waiting = |holder: &Holder| told.borrow_mut().push(holder.clone());
    let none = MeasuringLock::acquire(Some(&path), "test", &mut waiting, &|| !told.borrow().is_empty());
    assert!(none.is_none());
    assert_eq!(told.into_inner(), [Holder::default()]);
}

#[test]
fn who_came_first_is_served_first_and_who_will_not_wait_goes_away() {
    use std::sync::Mutex;
    use std::sync::mpsc::channel;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lock");
    // Several times, since the lock alone would sometimes be taken in the right order as well.
    for _ in 0..3 {
        let holder = lock_at_once(&path);
        let order = Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            for name in 0..4 {
                let (tell, waits) = channel();
                let (order, path) = (&order, &path);
                scope.spawn(move || {
                    let lock =
                        MeasuringLock::acquire(Some(path), "test", &mut |_| tell.send(()).unwrap_or(()), &|| false);
                    order.lock().unwrap().push(name);
                    drop(lock);
                });
                // It has its number before the next one asks: it is told of the holder, and asks again.
                waits.recv().unwrap();
                std::thread::sleep(Duration::from_millis(300));
            }
            let gone = MeasuringLock::ask(Some(&path), "test", &mut |_| panic!(), &|| false, Patience::GoesAway);
            assert!(matches!(&gone, Acquired::Busy(holder) if holder.what == "test"), "{gone:?}");
            drop(holder);
            // The lock is free for a moment, but others have been waiting for it.
            let passing = MeasuringLock::ask(Some(&path), "test", &mut |_| panic!(), &|| false, Patience::GoesAway);
            assert!(matches!(passing, Acquired::Busy(_)) || order.lock().unwrap().len() == 4, "{passing:?}");
        });
        assert_eq!(*order.lock().unwrap(), [0, 1, 2, 3]);
    }
}
