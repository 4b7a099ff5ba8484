//! Files and folders that were laid out to do harm: nothing is waited for without end, and nothing foreign runs.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

use rustix::process::Signal;

use crate::harness::{Dir, Finished, TRUTH, simulated};

fn fifo(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// Runs it; it must end by itself.
fn ends(dir: &Dir, arguments: &[&str], status: i32) -> Finished {
    let mut running = dir.tare(arguments).start();
    dir.wait_until("it waits for what never comes", || running.has_ended());
    let finished = running.wait();
    assert_eq!(finished.status, Some(status), "{finished}");
    dir.assert_no_process_is_left();
    finished
}

#[test]
fn what_is_no_regular_file_is_refused_whichever_option_names_it() {
    let dir = Dir::new();
    let pipe = dir.path().join("pipe");
    fifo(&pipe);
    dir.good();
    let load = |option: &'static str, value: &'static str| ["load", "http", "http://127.0.0.1:9/", option, value];
    for (arguments, status, says) in [
        (vec!["list", "pipe"], 2, "pipe: it is neither a regular file"),
        (vec!["run", "/dev/zero", "--no-store"], 2, "/dev/zero: it is neither a regular file"),
        (vec!["load", "hdr", "pipe"], 2, "pipe: it is a FIFO"),
        (vec!["load", "hdr", "/dev/zero"], 2, "/dev/zero: it is a device"),
        (load("--body", "@pipe").to_vec(), 2, "--body @pipe: it is a FIFO"),
        (load("--body", "@/dev/zero").to_vec(), 2, "--body @/dev/zero: it is a device"),
        (load("--cacert", "pipe").to_vec(), 2, "pipe: no certificates can be read from it: it is a FIFO"),
        (load("--hdr", "pipe").to_vec(), 2, "--hdr pipe: it is a FIFO without a reader"),
        (vec!["run", "GoodBench.php", "--config", "pipe"], 2, "pipe: can't be read: it is a FIFO"),
        (vec!["run", "GoodBench.php", "--markdown", "pipe"], 2, "--markdown pipe: it is a FIFO without a reader"),
        (vec!["run", "GoodBench.php", "--events", "pipe"], 2, "--events pipe: it is a FIFO without a reader"),
        (vec!["conformance", "--known-failing", "pipe", "--", "true"], 2, "pipe: it is a FIFO"),
    ] {
        let said = ends(&dir, &arguments, status);
        assert!(said.stderr.contains(says), "{arguments:?}\n{said}");
        said.never_says(&["measured"]);
    }
    // Below a folder it is no source, and hinders none.
    fs::rename(&pipe, dir.path().join("PipeBench.php")).unwrap();
    fifo(&dir.path().join("x_test.go"));
    fifo(&dir.path().join("test_pipe.py"));
    let listed = ends(&dir, &["list", "."], 0);
    assert!(listed.stdout.contains("benchGood") && !listed.stdout.contains("Pipe"), "{listed}");
    // Reports may go where somebody reads.
    dir.run(&["GoodBench.php", "--no-store", "--csv", "/dev/null"]).finish(0);
}

#[test]
fn settings_that_are_no_regular_file_are_told() {
    let dir = Dir::new();
    dir.good();
    fs::remove_file(dir.path().join("tare.toml")).unwrap();
    symlink("/dev/zero", dir.path().join("tare.toml")).unwrap();
    ends(&dir, &["list", "."], 2).says_once(&["tare.toml: can't be read: it is a device"]);
    fs::remove_file(dir.path().join("tare.toml")).unwrap();
    fifo(&dir.path().join("phpbench.json"));
    ends(&dir, &["list", "."], 2).says_once(&["phpbench.json: can't be read: it is a FIFO"]);
}

#[test]
fn a_store_that_is_no_regular_file_is_refused() {
    let dir = Dir::new();
    dir.file("truth.toml", TRUTH);
    fs::create_dir(dir.path().join(".tare")).unwrap();
    fifo(&dir.store());
    ends(&dir, &["run", "truth.toml", "--runtime", &simulated("")], 2).says_once(&["tare.db", "it is a FIFO"]);
    ends(&dir, &["log"], 2).says_once(&["tare.db", "it is a FIFO"]);
}

/// With neither HOME nor XDG_CACHE_HOME the cache has a name that anybody can foresee.
#[test]
fn a_cache_that_somebody_else_can_write_to_is_not_executed() {
    let dir = Dir::new();
    dir.good();
    let tmp = dir.path().join("../tmp");
    let cache = tmp.join(format!("tare-cache-{}", rustix::process::getuid().as_raw()));
    let run = || {
        let mut command = dir.run(&["GoodBench.php", "--no-store"]);
        command.command.env_remove("HOME").env_remove("XDG_CACHE_HOME");
        command.command.output().unwrap()
    };
    assert!(run().status.success());
    assert_eq!(fs::metadata(&cache).unwrap().permissions().mode() & 0o7777, 0o700);
    let worker = fs::read_dir(&cache).unwrap().flatten().find(|entry| entry.path().join("worker.php").exists());
    let worker = worker.unwrap().path();

    // What was edited is put right, and what doesn't belong there goes.
    let marker = dir.path().join("executed");
    let forged = format!("<?php touch({:?});", marker.to_str().unwrap());
    fs::write(worker.join("worker.php"), &forged).unwrap();
    fs::write(worker.join("added.php"), &forged).unwrap();
    assert!(run().status.success());
    assert!(!marker.exists() && !worker.join("added.php").exists());

    // Where somebody else can write, nothing that lies there is executed, and nothing is put there.
    fs::set_permissions(&cache, fs::Permissions::from_mode(0o777)).unwrap();
    let refused = run();
    let said = String::from_utf8_lossy(&refused.stderr).into_owned() + &String::from_utf8_lossy(&refused.stdout);
    assert_eq!(refused.status.code(), Some(2), "{said}");
    assert!(said.contains("other users may write to") && said.contains("XDG_CACHE_HOME"), "{said}");
    fs::set_permissions(&cache, fs::Permissions::from_mode(0o700)).unwrap();
    if std::os::unix::fs::chown(&cache, Some(65_534), None).is_ok() {
        let refused = run();
        let said = String::from_utf8_lossy(&refused.stderr).into_owned() + &String::from_utf8_lossy(&refused.stdout);
        assert_eq!(refused.status.code(), Some(2), "{said}");
        assert!(said.contains("belongs to another user"), "{said}");
    }
}

/// To root a home such as `/nonexistent` would be made like any other folder.
#[test]
fn a_home_or_temporary_folder_that_is_not_there_is_not_made() {
    let dir = Dir::new();
    dir.good();
    dir.file(
        "again.php",
        "<?php\nfinal class AgainBench { public function benchAgain(): void { $a = [2, 1]; sort($a); } }\n",
    );
    let (home, none) = (dir.path().join("nobody/home"), dir.path().join("nowhere/tmp"));
    let run = |temporary: Option<&Path>| {
        let mut command = dir.run(&["GoodBench.php", "again.php", "--no-store"]);
        command.command.env("HOME", &home).env_remove("XDG_CACHE_HOME");
        temporary.map(|folder| command.command.env("TMPDIR", folder));
        command.start().wait()
    };
    let done = run(None);
    assert_eq!(done.status, Some(0), "{done}");
    done.says_once(&[
        &format!("HOME is {}, which doesn't exist", home.display()),
        "set XDG_CACHE_HOME for another folder",
    ]);
    let refused = run(Some(&none));
    assert_eq!(refused.status, Some(2), "{refused}");
    assert!(refused.to_string().contains("doesn't exist, and Tare doesn't create it"), "{refused}");
    assert!(!dir.path().join("nobody").exists() && !dir.path().join("nowhere").exists());
}

/// A compiled file that says another thing than its source, as one can be made for any source by who can write there.
#[test]
fn compiled_files_beside_the_worker_are_neither_read_nor_written() {
    let dir = Dir::new();
    dir.file("bench_a.py", "def bench_a():\n    sorted([3, 1, 2])\n");
    let run = || dir.run(&["bench_a.py", "--no-store"]).finish(0);
    run();
    let cache = dir.path().join("../cache/tare");
    let folders = || fs::read_dir(&cache).unwrap().flatten().map(|entry| entry.path());
    let python = folders().find(|path| path.join("worker.py").exists()).unwrap();
    let compiled = |folder: &Path| {
        let found = Command::new("find").arg(folder).args(["-name", "*.pyc"]).output().unwrap();
        String::from_utf8(found.stdout).unwrap()
    };
    assert_eq!(compiled(&python), "", "nothing is written there");

    // Forged for this very Python and these very sources.
    let marker = dir.path().join("executed");
    let forge = format!(
        "import importlib.util, marshal, os, struct\nsource = {:?}\nstat = os.stat(source)\ncode = compile('open({:?}, \"w\")', source, 'exec')\n\
         path = importlib.util.cache_from_source(source)\nos.makedirs(os.path.dirname(path))\nwith open(path, 'wb') as out:\n    \
         out.write(importlib.util.MAGIC_NUMBER + struct.pack('<III', 0, int(stat.st_mtime), stat.st_size) + marshal.dumps(code))\n",
        python.join("src/tare_worker/wire.py").to_str().unwrap(),
        marker.to_str().unwrap()
    );
    assert!(Command::new("python3").args(["-c", &forge]).status().unwrap().success());
    assert_ne!(compiled(&python), "");
    // The worker itself doesn't read it either, if somebody puts one there meanwhile.
    let entry = python.join("worker.py");
    let load = format!("import runpy; runpy.run_path({:?})['load']()", entry.to_str().unwrap());
    assert!(Command::new("python3").args(["-c", &load]).status().unwrap().success());
    assert!(!marker.exists(), "the forged file was executed");
    run();
    assert!(!marker.exists());
    assert_eq!(compiled(&python), "", "what doesn't belong there goes");
}

#[test]
fn a_termination_ends_it_even_where_the_first_one_finds_it_waiting() {
    let dir = Dir::new();
    dir.php("SlowBench", "    public function benchSlow(): void { sleep(1000); }");
    let mut running = dir.tare(&["run", "SlowBench.php", "--no-store", "--timeout", "1000s"]).start();
    dir.wait_until("no worker", || !dir.left().is_empty());
    std::thread::sleep(std::time::Duration::from_millis(500));
    running.signal(Signal::TERM);
    dir.wait_until("it goes on after SIGTERM", || running.has_ended());
    assert_eq!(running.wait().status, Some(130));
    dir.assert_no_process_is_left();
}

/// What a worker is asked for is text. The others are measured all the same.
#[test]
fn a_name_that_is_no_text_is_told_as_what_it_is() {
    use std::os::unix::ffi::OsStrExt;
    let dir = Dir::new();
    dir.good();
    let source = fs::read(dir.path().join("GoodBench.php")).unwrap();
    let name = std::ffi::OsStr::from_bytes(b"\xff\xfeBench.php");
    fs::write(dir.path().join(name), source).unwrap();
    let shown = dir.run(&["."]).finish(4);
    shown.says_once(&["is not UTF-8", "rename it"]).never_says(&["does not exist"]);
    dir.stored().assert_measured("GoodBench::benchGood");
}
