//! A PostgreSQL server of the tests' own: in a temporary folder, on loopback and a socket there, gone when nobody uses it any more.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used, reason = "each test binary uses a part of it")]

use std::io::Write;
use std::net::TcpListener;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, Weak};

/// Of Debian's packages, newest first.
const INSTALLED: &str = "/usr/lib/postgresql";

pub struct Server {
    programs: PathBuf,
    folder: tempfile::TempDir,
    pub port: u16,
    databases: AtomicU32,
}

impl Server {
    /// The one that all tests of this process share; `None`, and a line that says so, where PostgreSQL isn't installed.
    pub fn shared() -> Option<Arc<Self>> {
        static SHARED: Mutex<Weak<Server>> = Mutex::new(Weak::new());
        let mut shared = SHARED.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(server) = shared.upgrade() {
            return Some(server);
        }
        let server = Arc::new(Self::start(&[])?);
        *shared = Arc::downgrade(&server);
        Some(server)
    }

    /// A server with settings of its own, as `ssl=on`.
    pub fn start(settings: &[&str]) -> Option<Self> {
        let Some(programs) = programs() else {
            // Past the capture of a test's output: who skips says so.
            let _ = writeln!(
                std::io::stderr(),
                "skipped: there is no PostgreSQL in {INSTALLED} (apt-get install postgresql)"
            );
            return None;
        };
        let folder = tempfile::Builder::new().prefix("tare-pg-").tempdir().unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let server = Self { programs, folder, port, databases: AtomicU32::new(0) };
        if let Some((user, group)) = other_user() {
            std::os::unix::fs::chown(server.folder.path(), Some(user), Some(group)).unwrap();
        }
        server.run("initdb", &["--no-sync", "-A", "trust", "-U", "tare", "-E", "UTF8", "--locale=C"]);
        // Restarted at once, it must have what it said to have. It has that of a crash of its own without `fsync`, too: only the machine's would lose it.
        let mut configuration = format!(
            "port = {port}\nlisten_addresses = '127.0.0.1'\nunix_socket_directories = '{}'\nautovacuum = off\nfsync = off\n",
            server.folder.path().display()
        );
        for setting in settings {
            configuration.push_str(&format!("{setting}\n"));
        }
        server.append("postgresql.conf", &configuration);
        server.up();
        Some(server)
    }

    pub fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    pub fn append(&self, file: &str, text: &str) {
        std::fs::OpenOptions::new()
            .append(true)
            .open(self.data().join(file))
            .unwrap()
            .write_all(text.as_bytes())
            .unwrap();
    }

    pub fn up(&self) {
        let log = self.folder.path().join("log");
        self.run("pg_ctl", &["-w", "-t", "60", "-l", &log.display().to_string(), "start"]);
    }

    /// `immediate`, as a crash, or `fast`.
    pub fn down(&self, how: &str) {
        self.run("pg_ctl", &["-w", "-m", how, "stop"]);
    }

    pub fn reload(&self) {
        self.run("pg_ctl", &["reload"]);
    }

    /// The URL of a new, empty database.
    pub fn database(&self) -> String {
        let name = format!("d{}", self.databases.fetch_add(1, Ordering::Relaxed));
        connect(&self.url("postgres")).batch_execute(&format!("CREATE DATABASE {name}")).unwrap();
        self.url(&name)
    }

    pub fn url(&self, database: &str) -> String {
        format!("postgres://tare@127.0.0.1:{}/{database}", self.port)
    }

    fn run(&self, program: &str, arguments: &[&str]) -> Output {
        let mut command = Command::new(self.programs.join(program));
        command.args(["-D", &self.data().display().to_string()]).args(arguments).current_dir("/");
        // It keeps what it inherits, and a pipe would never end.
        command.stdin(std::process::Stdio::null());
        let log = self.folder.path().join(format!("{program}.out"));
        let file = std::fs::File::create(&log).unwrap();
        command.stdout(file.try_clone().unwrap()).stderr(file);
        if let Some((user, group)) = other_user() {
            command.uid(user).gid(group);
        }
        let output = command.output().unwrap();
        assert!(output.status.success(), "{program} {arguments:?}: {}", std::fs::read_to_string(&log).unwrap());
        output
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if self.data().join("postmaster.pid").exists() {
            self.down("immediate");
        }
    }
}

/// A connection, whose search path is that of a store.
pub fn connect(url: &str) -> postgres::Client {
    let mut client = postgres::Client::connect(url, postgres::NoTls).unwrap();
    client.batch_execute("SET search_path = tare, public").unwrap();
    client
}

fn programs() -> Option<PathBuf> {
    let mut found: Vec<(u32, PathBuf)> = std::fs::read_dir(INSTALLED)
        .ok()?
        .flatten()
        .filter_map(|entry| Some((entry.file_name().to_str()?.parse().ok()?, entry.path().join("bin"))))
        .filter(|(version, programs)| *version >= 15 && programs.join("initdb").exists())
        .collect();
    found.sort();
    found.pop().map(|(_, programs)| programs)
}

/// PostgreSQL doesn't run as root: then as the user that its package made.
fn other_user() -> Option<(u32, u32)> {
    use std::os::unix::fs::MetadataExt;
    if std::fs::metadata("/proc/self").unwrap().uid() != 0 {
        return None;
    }
    let users = std::fs::read_to_string("/etc/passwd").unwrap();
    let line = users.lines().find(|line| line.starts_with("postgres:"))?;
    let mut fields = line.split(':').skip(2);
    Some((fields.next()?.parse().ok()?, fields.next()?.parse().ok()?))
}
