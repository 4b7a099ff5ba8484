//! A folder of its own for each test ([`Dir`]), a command in it ([`TestCommand`]) and what came of it ([`Finished`]).

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, OpenFlags};
use serde_json::Value;

/// In the environment of every process that a test starts, directly or not.
const MARK: &str = "TARE_TEST_MARK";
/// For what has to happen soon; reached only when it doesn't happen at all.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);
const PATIENCE_WITH_KILLED: Duration = Duration::from_secs(10);

/// A project of its own, with its temporary folder and its cache.
pub(crate) struct Dir {
    folder: tempfile::TempDir,
    mark: String,
}

impl Dir {
    pub(crate) fn new() -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let folder = tempfile::tempdir().unwrap();
        for name in ["project", "tmp", "cache"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        // A mark of the project's root, so that none above it is taken for it.
        fs::write(folder.path().join("project/tare.toml"), "").unwrap();
        let mark = format!("{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        Self { folder, mark }
    }

    /// The project's folder.
    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    /// The file that a measurement locks: each test's own, so that none waits for another, nor for a tare at the desk.
    pub(crate) fn lock(&self) -> PathBuf {
        self.folder.path().join("measuring.lock")
    }

    pub(crate) fn store(&self) -> PathBuf {
        self.path().join(".tare/tare.db")
    }

    /// Writes a file of the project.
    pub(crate) fn file(&self, name: &str, content: &str) -> &Self {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
        self
    }

    /// Writes a script that can be executed.
    pub(crate) fn script(&self, name: &str, content: &str) -> &Self {
        use std::os::unix::fs::PermissionsExt;
        self.file(name, content);
        fs::set_permissions(self.path().join(name), fs::Permissions::from_mode(0o755)).unwrap();
        self
    }

    /// Writes `CLASS.php` with a class of that name.
    pub(crate) fn php(&self, class: &str, body: &str) -> &Self {
        self.file(&format!("{class}.php"), &format!("<?php\nfinal class {class}\n{{\n{body}\n}}\n"))
    }

    /// Writes a class with one benchmark that can be measured.
    pub(crate) fn good(&self) -> &Self {
        self.php("GoodBench", "    public function benchGood(): void { $a = [3, 1, 2]; sort($a); }")
    }

    pub(crate) fn tare(&self, arguments: &[&str]) -> TestCommand<'_> {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tare"));
        command
            .args(arguments)
            .current_dir(self.path())
            .stdin(Stdio::null())
            .env("TMPDIR", self.folder.path().join("tmp"))
            .env("XDG_CACHE_HOME", self.folder.path().join("cache"))
            .env("TARE_LOCK", self.lock())
            .env(MARK, &self.mark)
            .env_remove("TARE_WIRE");
        // What Go has compiled of its own library is the machine's, lest it is compiled for each test.
        if let Some(cache) = go_cache() {
            command.env("GOCACHE", cache);
        }
        TestCommand { dir: self, command }
    }

    /// The newest run, as the store has it.
    pub(crate) fn stored(&self) -> Document {
        self.tare(&["show", "--json"]).finish(0).document()
    }

    /// Whether the store is there, and more than an empty database.
    pub(crate) fn has_tables(&self) -> bool {
        Connection::open_with_flags(self.store(), OpenFlags::SQLITE_OPEN_READ_ONLY).is_ok_and(|connection| {
            connection.busy_timeout(PATIENCE).unwrap();
            match connection.table_exists(None, "runs") {
                // A journal of before the write-ahead log, which a reader can't roll back: killed while the store was made.
                Err(error) if error.sqlite_error_code() == Some(ErrorCode::ReadOnly) => false,
                found => found.unwrap(),
            }
        })
    }

    /// Waits until that is so.
    pub(crate) fn wait_until(&self, what: &str, mut so: impl FnMut() -> bool) {
        let until = Instant::now() + PATIENCE;
        while !so() {
            assert!(Instant::now() < until, "in vain: {what}");
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// What of all launches is in the store: variant, ordinal, start and samples.
    pub(crate) fn launches(&self) -> Vec<(String, i64, i64, Vec<u8>)> {
        let Ok(connection) = Connection::open_with_flags(self.store(), OpenFlags::SQLITE_OPEN_READ_ONLY) else {
            return Vec::new();
        };
        connection.busy_timeout(PATIENCE).unwrap();
        let query =
            "SELECT v.id, l.ordinal, l.started_ns, l.turns FROM launches l JOIN variants v ON v.number = l.variant
                     ORDER BY v.run, v.ordinal, l.ordinal";
        // Without the tables nothing was stored yet.
        let Ok(mut statement) = connection.prepare(query) else { return Vec::new() };
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))).unwrap();
        rows.map(Result::unwrap).collect()
    }

    /// Processes that came of this test's commands and still run.
    pub(crate) fn processes(&self) -> Vec<u32> {
        let mark = format!("{MARK}={}", self.mark).into_bytes();
        let pid = |entry: fs::DirEntry| entry.file_name().to_str()?.parse::<u32>().ok();
        let pids = fs::read_dir("/proc").unwrap().filter_map(|entry| pid(entry.ok()?));
        let marked = |pid: &u32| {
            // The environment of a process that has ended, and waits for its parent to notice, is empty.
            fs::read(format!("/proc/{pid}/environ"))
                .is_ok_and(|all| all.split(|&byte| byte == 0).any(|one| one == mark))
        };
        pids.filter(marked).collect()
    }

    /// Those that are left after some seconds: what is killed goes on until its CPU has time for it.
    pub(crate) fn left(&self) -> Vec<u32> {
        let until = Instant::now() + PATIENCE_WITH_KILLED;
        loop {
            let left = self.processes();
            if left.is_empty() || Instant::now() >= until {
                return left;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    pub(crate) fn assert_no_process_is_left(&self) {
        assert_eq!(self.left(), [0; 0], "processes are left");
    }

    pub(crate) fn temporary_files(&self) -> Vec<PathBuf> {
        fs::read_dir(self.folder.path().join("tmp")).unwrap().map(|entry| entry.unwrap().path()).collect()
    }
}

/// A call of `tare`.
pub(crate) struct TestCommand<'a> {
    dir: &'a Dir,
    pub(crate) command: Command,
}

impl TestCommand<'_> {
    /// Runs it to its end, which must have this status, and leave no process and no temporary file behind.
    pub(crate) fn finish(self, status: i32) -> Finished {
        self.finish_with(&[status])
    }

    /// The same where either of these is right.
    pub(crate) fn finish_with(mut self, statuses: &[i32]) -> Finished {
        let output = self.command.output().unwrap();
        let finished = Finished {
            status: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        };
        assert!(
            finished.status.is_some_and(|status| statuses.contains(&status)),
            "{statuses:?} wanted: {:?}\n{finished}",
            self.command
        );
        assert_eq!(self.dir.left(), [0; 0], "processes are left\n{finished}");
        assert_eq!(self.dir.temporary_files(), [""; 0].map(PathBuf::from), "{finished}");
        for text in [&finished.stdout, &finished.stderr] {
            let control = text.chars().find(|c| c.is_control() && *c != '\n');
            assert_eq!(control, None, "a control character reaches the screen\n{finished}");
        }
        finished
    }

    /// Starts it; it is killed when the test lets go of it.
    pub(crate) fn start(mut self) -> Running {
        let child = self.command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        Running(Some(child))
    }

    /// Starts it with its messages in a file, to be read while it runs.
    pub(crate) fn start_telling(mut self, file: &Path) -> Running {
        let messages = fs::File::create(file).unwrap();
        Running(Some(self.command.stdout(Stdio::piped()).stderr(messages).spawn().unwrap()))
    }
}

/// A `tare` that runs.
pub(crate) struct Running(Option<Child>);

impl Running {
    pub(crate) fn id(&self) -> u32 {
        self.0.as_ref().unwrap().id()
    }

    pub(crate) fn has_ended(&mut self) -> bool {
        self.0.as_mut().unwrap().try_wait().unwrap().is_some()
    }

    pub(crate) fn signal(&self, signal: rustix::process::Signal) {
        let pid = rustix::process::Pid::from_raw(self.id() as i32).unwrap();
        rustix::process::kill_process(pid, signal).unwrap();
    }

    /// SIGKILL, at once.
    pub(crate) fn kill(mut self) {
        let mut child = self.0.take().unwrap();
        // One that has ended by itself meanwhile is as good.
        let _ = child.kill();
        child.wait().unwrap();
    }

    pub(crate) fn wait(mut self) -> Finished {
        let output = self.0.take().unwrap().wait_with_output().unwrap();
        Finished {
            status: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(mut child) = self.0.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// What a call of `tare` said.
pub(crate) struct Finished {
    pub(crate) status: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl std::fmt::Display for Finished {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "status {:?}\n--- stdout\n{}--- stderr\n{}---", self.status, self.stdout, self.stderr)
    }
}

impl Finished {
    /// Each of these stands once on the screen, standard output and standard error together; line breaks and
    /// indentation are one space.
    pub(crate) fn says_once(&self, texts: &[&str]) -> &Self {
        let screen = one_line(&format!("{}\n{}", self.stdout, self.stderr));
        for text in texts {
            assert_eq!(screen.matches(&one_line(text)).count(), 1, "wanted once: {text:?}\n{self}");
        }
        self
    }

    pub(crate) fn never_says(&self, texts: &[&str]) -> &Self {
        let screen = one_line(&format!("{}\n{}", self.stdout, self.stderr));
        for text in texts {
            assert!(!screen.contains(text), "not wanted: {text:?}\n{self}");
        }
        self
    }

    /// Standard output as one JSON document.
    pub(crate) fn document(&self) -> Document {
        Document(serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}\n{self}")))
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A document of `tare … --json`.
pub(crate) struct Document(pub(crate) Value);

impl Document {
    pub(crate) fn cases(&self) -> &[Value] {
        self.0["cases"].as_array().unwrap()
    }

    /// The case of that id, language left out.
    pub(crate) fn case(&self, id: &str) -> &Value {
        let found = self.cases().iter().find(|case| case["id"].as_str().unwrap().split_once('/').unwrap().1 == id);
        found.unwrap_or_else(|| panic!("no case {id} in {:#}", self.0))
    }

    /// Status of each case by its id.
    pub(crate) fn statuses(&self) -> BTreeMap<&str, &str> {
        self.cases()
            .iter()
            .map(|case| (case["id"].as_str().unwrap().split_once('/').unwrap().1, case["status"].as_str().unwrap()))
            .collect()
    }

    /// It was measured: there are launches, and a time.
    pub(crate) fn assert_measured(&self, id: &str) {
        let case = self.case(id);
        assert_eq!(case["status"], "ok", "{case:#}");
        assert!(case["launches"].as_u64().unwrap() >= 1, "{case:#}");
        assert!(case["time"]["estimate"].is_f64(), "{case:#}");
    }

    /// It failed as the failure says; its parts are compared, `message` as a part of the message.
    pub(crate) fn assert_failed(&self, id: &str, wanted: &Value) {
        let case = self.case(id);
        assert_eq!(case["status"], "failed", "{case:#}");
        assert_failure(&case["failure"], wanted);
    }
}

/// A failure has kind, message, place and remedy, and they are these.
pub(crate) fn assert_failure(failure: &Value, wanted: &Value) {
    for (key, value) in wanted.as_object().unwrap() {
        match (key.as_str(), value) {
            ("message" | "remedy" | "stdout" | "stderr", Value::String(part)) => {
                let text = failure[key].as_str().unwrap_or_default();
                assert!(text.contains(part.as_str()), "{key} without {part:?}: {failure:#}");
            }
            _ => assert_eq!(failure[key], *value, "{key} of {failure:#}"),
        }
    }
    assert!(!failure["remedy"].as_str().unwrap_or_default().is_empty(), "no remedy: {failure:#}");
}

/// Where Go keeps what it compiled; `None` where there is no Go.
pub(crate) fn go_cache() -> Option<&'static str> {
    static CACHE: OnceLock<Option<String>> = OnceLock::new();
    let ask = || {
        let said = Command::new("go").args(["env", "GOCACHE"]).output().ok().filter(|said| said.status.success())?;
        Some(String::from_utf8(said.stdout).unwrap().trim().to_owned())
    };
    CACHE.get_or_init(ask).as_deref()
}

/// Whether calls can be counted here; a test that can't says so and ends.
pub(crate) fn has_valgrind() -> bool {
    let has = Command::new("valgrind").arg("--version").output().is_ok();
    if !has {
        eprintln!("skipped: there is no valgrind");
    }
    has
}

/// The simulated worker's program; another crate's, so cargo doesn't say where it is.
pub(crate) fn simulated_worker() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let folder = Path::new(env!("CARGO_BIN_EXE_tare")).parent().unwrap();
        let profile = match folder.file_name().unwrap().to_str().unwrap() {
            "debug" => "dev",
            other => other,
        };
        let built = Command::new(env!("CARGO"))
            // Of the whole workspace and with an example: else cargo chooses other features of the libraries than for the tests, and builds them once more.
            .args(["build", "--quiet", "--workspace", "--bin", "tare-simulated-worker", "--example", "worker"])
            .args(["--profile", profile, "--target-dir"])
            .arg(folder.parent().unwrap())
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .status()
            .unwrap();
        assert!(built.success(), "the simulated worker can't be built");
        folder.join("tare-simulated-worker")
    })
}

/// Begins `--runtime` of the simulated worker.
pub(crate) const SIMULATED: &str = "sim=worker:";

/// `--runtime` for the simulated worker with these arguments.
pub(crate) fn simulated(arguments: &str) -> String {
    format!("{SIMULATED}{} {arguments}", simulated_worker().display())
}

/// A quiet simulated machine and two subjects, `gaussian` of 100 ns and `nothing`.
pub(crate) const TRUTH: &str = include_str!("../../../simulation/truths/gaussian.toml");
