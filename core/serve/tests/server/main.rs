//! The server as a browser, and as somebody with worse intents, meets it.
#![allow(clippy::unwrap_used)]

mod histories;
mod hostile;
mod published;

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use tare_definition::Project;
use tare_serve::Serving;
use tare_store::{Access, RunState, SqliteStore, Store};

struct Server {
    address: SocketAddr,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    fn of(folder: &Path) -> Self {
        std::fs::write(folder.join("tare.toml"), "").unwrap();
        let serving = Serving::listen("127.0.0.1:0".parse().unwrap(), Project::find(folder).unwrap()).unwrap();
        let address = serving.url().trim_start_matches("http://").trim_end_matches('/').parse().unwrap();
        let stop = Arc::new(AtomicBool::new(false));
        let flag = stop.clone();
        Self { address, stop, thread: Some(std::thread::spawn(move || serving.run(&flag).unwrap())) }
    }

    fn raw(&self, request: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let answer = String::from_utf8_lossy(&answer).into_owned();
        (answer.split(' ').nth(1).unwrap().parse().unwrap(), answer)
    }

    fn asked(&self, method: &str, path: &str, headers: &str) -> (u16, String) {
        self.raw(&format!("{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n{headers}\r\n", self.address))
    }

    fn get(&self, path: &str) -> (u16, String) {
        self.asked("GET", path, "")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.take().unwrap().join().unwrap();
    }
}

/// A run without tags, on an unknown machine.
fn origin(id: String, started: String) -> tare_samples::Origin {
    tare_samples::Origin {
        id,
        started,
        tags: vec![],
        machine: Default::default(),
        git: Default::default(),
        findings: vec![],
        imported: None,
        policy: tare_samples::POLICY,
        seed: 1,
        tare: "0.1.0".to_owned(),
    }
}

/// A store with a run that goes on, of this tag.
fn running(folder: &Path, tag: &str) -> SqliteStore {
    let mut store = SqliteStore::open(folder.join(".tare/tare.db"), Access::ReadWrite).unwrap();
    let origin = tare_samples::Origin {
        tags: vec![tag.to_owned()],
        ..origin("20260101-000000-abcd".to_owned(), "2026-01-01T00:00:00Z".to_owned())
    };
    store.begin_run(&origin, "{}").unwrap();
    store
}

#[test]
fn what_is_foreign_writes_or_climbs_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    drop(running(folder.path(), "t"));
    let server = Server::of(folder.path());
    assert_eq!(server.get("/").0, 200);
    for method in ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"] {
        assert_eq!(server.asked(method, "/", "").0, 405, "{method}");
    }
    for host in ["evil.example", "evil.example:80", "127.0.0.1", ""] {
        assert_eq!(
            server.raw(&format!("GET / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n")).0,
            403,
            "{host}"
        );
    }
    for origin in ["http://evil.example", "null", "https://127.0.0.1"] {
        assert_eq!(server.asked("GET", "/api/v1/runs", &format!("Origin: {origin}\r\n")).0, 403, "{origin}");
    }
    assert_eq!(server.asked("GET", "/", &format!("Origin: http://{}\r\n", server.address)).0, 200);
    for path in
        ["/runs/..%2f..%2fetc%2fpasswd", "/../etc/passwd", "/api/v1/runs/..%2ftare.db/events", "/runs/%00", "/nothing"]
    {
        assert_eq!(server.get(path).0, 404, "{path}");
    }
    assert_eq!(server.get(&format!("/cases?words={}", "x".repeat(9_000))).0, 414);
}

#[test]
fn what_is_asked_wrongly_is_told_on_a_page_and_to_programs_in_a_document() {
    let folder = tempfile::tempdir().unwrap();
    drop(running(folder.path(), "t"));
    let server = Server::of(folder.path());
    for (path, status, what) in [
        ("/?from=-1", 400, "The address isn't understood"),
        ("/history?case=a&case=b", 400, "The address isn't understood"),
        ("/history?case=a", 400, "?case=CASE&amp;runtime=NAME"),
        ("/badge.svg?from=x", 400, "The address isn't understood"),
        ("/runs/%ff", 400, "The address isn't understood"),
        ("/nothing", 404, "There is no such thing"),
    ] {
        let (found, answer) = server.get(path);
        assert!(found == status && answer.contains("<h1>") && answer.contains(what), "{path}: {answer}");
    }
    for (path, status) in [
        ("/api/v1/runs?from=-1", 400),
        ("/api/v1/runs/latest/events?from=-1", 400),
        ("/api/v1/runs/%ff/events", 400),
        ("/api/v1/nothing", 404),
        ("/api/v1/history", 400),
        ("/api/v1/history?case=nobody&runtime=t", 404),
    ] {
        let (found, answer) = server.get(path);
        let document: serde_json::Value = serde_json::from_str(answer.split("\r\n\r\n").nth(1).unwrap()).unwrap();
        assert!(found == status && !document["error"].as_str().unwrap().is_empty(), "{path}: {answer}");
        assert!(
            !path.contains("from=") || document["error"].as_str().unwrap().contains("is invalid: from: "),
            "{answer}"
        );
    }
}

#[test]
fn addresses_of_other_machines_are_not_listened_on() {
    let folder = tempfile::tempdir().unwrap();
    let project = Project::find(folder.path()).unwrap();
    let error = Serving::listen("0.0.0.0:0".parse().unwrap(), project).err().unwrap();
    assert!(error.to_string().contains("use an address of this machine alone"), "{error}");
}

#[test]
fn a_page_allows_no_outside_and_names_in_it_are_text() {
    let folder = tempfile::tempdir().unwrap();
    drop(running(folder.path(), "<script>alert(1)</script>\u{202e}\n"));
    let server = Server::of(folder.path());
    let (status, page) = server.get("/");
    assert_eq!(status, 200);
    assert!(page.contains("content-security-policy: default-src 'none'") && page.contains("nosniff"), "{page}");
    assert!(!page.contains("<script>alert") && !page.contains('\u{202e}') && page.contains("&lt;script&gt;"), "{page}");
}

#[test]
fn a_run_that_goes_on_is_followed_line_by_line() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = running(folder.path(), "t");
    let events = folder.path().join(".tare/events");
    std::fs::create_dir_all(&events).unwrap();
    std::fs::write(events.join("20260101-000000-abcd.ndjson"), "{\"event\":\"loaded\"}\n{\"event\":\"half").unwrap();
    let server = Server::of(folder.path());
    assert!(server.get("/runs/latest").1.contains("id=\"live\""));
    let document = |from: u64| -> serde_json::Value {
        let (_, answer) = server.get(&format!("/api/v1/runs/latest/events?from={from}"));
        serde_json::from_str(answer.split("\r\n\r\n").nth(1).unwrap()).unwrap()
    };
    let first = document(0);
    assert_eq!(
        (&first["next"], &first["state"], first["events"].as_array().unwrap().len()),
        (&19.into(), &"running".into(), 1)
    );
    assert_eq!(document(19)["events"].as_array().unwrap().len(), 0);
    store.finish_run("20260101-000000-abcd", RunState::Complete).unwrap();
    assert_eq!(document(19)["state"], "complete");
}

#[test]
fn a_store_that_is_missing_newer_or_damaged_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::of(folder.path());
    let (status, page) = server.get("/");
    assert!(status == 503 && page.contains("The store can't be read"), "{page}");
    drop(running(folder.path(), "t"));
    assert_eq!(server.get("/").0, 200);
    let path = folder.path().join(".tare/tare.db");
    let whole = std::fs::read(&path).unwrap();
    // SQLite's user_version, at byte 60.
    let mut newer = whole.clone();
    newer[60..64].copy_from_slice(&9_999u32.to_be_bytes());
    for (bytes, what) in
        [(newer, "newer"), (b"not a database at all, but as long as one has to be".repeat(40), "damaged")]
    {
        std::fs::remove_dir_all(folder.path().join(".tare")).unwrap();
        std::fs::create_dir(folder.path().join(".tare")).unwrap();
        std::fs::write(&path, bytes).unwrap();
        let (status, page) = server.get("/");
        assert!(status == 503 && page.contains("The store can't be read"), "{what}: {page}");
    }
}

#[test]
fn a_store_that_is_locked_or_removed_while_it_is_served_is_told() {
    let folder = tempfile::tempdir().unwrap();
    drop(running(folder.path(), "t"));
    let server = Server::of(folder.path());
    assert_eq!(server.get("/").0, 200);
    let path = folder.path().join(".tare/tare.db");
    // Another program that lets nobody else in.
    let other = rusqlite::Connection::open(&path).unwrap();
    other.execute_batch("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE;").unwrap();
    // More at once than are answered at a time.
    std::thread::scope(|scope| {
        let asked: Vec<_> = (0..13).map(|_| scope.spawn(|| server.get("/"))).collect();
        for (status, page) in asked.into_iter().map(|one| one.join().unwrap()) {
            assert!(status == 503 && page.contains("The store can't be read"), "{page}");
            assert!(page.contains("is locked by another process, for more than 1 s"), "{page}");
        }
    });
    other.execute_batch("ROLLBACK;").unwrap();
    drop(other);
    assert_eq!(server.get("/").0, 200);
    std::fs::remove_dir_all(folder.path().join(".tare")).unwrap();
    let (status, page) = server.get("/");
    assert!(status == 503 && page.contains("The store can't be read"), "{page}");
}

#[test]
fn slow_clients_are_let_go_and_more_connections_than_there_is_room_for_are_closed() {
    let folder = tempfile::tempdir().unwrap();
    drop(running(folder.path(), "t"));
    let server = Server::of(folder.path());
    let half = |_| {
        let mut stream = TcpStream::connect(server.address).unwrap();
        stream.write_all(b"GET / HTTP/1.1\r\nHost: ").unwrap();
        stream
    };
    let slow: Vec<TcpStream> = (0..64).map(half).collect();
    // A connection beyond the limit is closed without an answer. Those before it have been accepted by then, since the server accepts in order.
    let mut late = TcpStream::connect(server.address).unwrap();
    let mut answer = Vec::new();
    let _ = late.read_to_end(&mut answer);
    assert!(answer.is_empty(), "{}", String::from_utf8_lossy(&answer));
    // None of them ever sends the rest of its head: the server closes them, and answers others again.
    for mut stream in slow {
        let _ = stream.read_to_end(&mut answer);
    }
    assert!(!String::from_utf8_lossy(&answer).contains("200 OK"));
    assert_eq!(server.get("/").0, 200);
}

#[test]
fn a_run_whose_process_is_gone_is_no_run_that_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let store = running(folder.path(), "t");
    let server = Server::of(folder.path());
    assert!(server.get("/api/v1/runs").1.contains("\"running\""));
    // Its lock is gone with the process that held it.
    drop(store);
    assert!(server.get("/api/v1/runs").1.contains("\"interrupted\""));
    assert!(!server.get("/runs/latest").1.contains("id=\"live\""));
}
