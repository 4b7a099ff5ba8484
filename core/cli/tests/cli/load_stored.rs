//! Loads in the store: listed, shown, compared, resumed.

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::harness::Dir;
use crate::load::{load, request};
use crate::servers::{OK, Server};

fn log(dir: &Dir) -> Vec<Value> {
    dir.tare(&["log", "--json"]).finish(0).document().0["runs"].as_array().unwrap().clone()
}

#[test]
fn a_load_is_stored_listed_and_shown_as_it_was() {
    let (dir, server) = (Dir::new(), Server::answering(OK));
    let document = load(&dir, 0, &[&server.url(), "-n", "50", "-c", "2", "--tag", "first", "--seed", "5"]);
    let runs = log(&dir);
    assert_eq!(runs.len(), 1);
    assert_eq!(
        (&runs[0]["kind"], &runs[0]["cases"], &runs[0]["state"]),
        (&json!("load"), &json!(1), &json!("complete"))
    );
    assert_eq!((&runs[0]["id"], &runs[0]["tags"]), (&document["run"], &json!(["first"])));
    assert_eq!(dir.tare(&["show", "first", "--json"]).finish(0).document().0, document);
    dir.tare(&["show"]).finish(0).says_once(&["50 in all", "statuses 200 50", "tag first"]);
    dir.tare(&["log"]).finish(0).says_once(&["load of 1", "first"]);
    // What is only of benchmarks refuses it.
    dir.tare(&["report", "first", "--csv", "page.csv"]).finish(2).says_once(&["is a load"]);
    dir.tare(&["report", "first", "--html", "page.html"]).finish(0);
    let page = std::fs::read_to_string(dir.path().join("page.html")).unwrap();
    assert!(
        page.starts_with("<!DOCTYPE html>") || page.starts_with("<!doctype html>"),
        "{}",
        &page[..200.min(page.len())]
    );
    for format in ["csv", "markdown", "json", "pyperf", "parquet"] {
        dir.tare(&["export", "first", "--format", format]).finish(2).says_once(&["is a load", "for other programs"]);
    }
    for file in ["csv", "junit", "markdown"] {
        let option = format!("--{file}");
        let finished = dir.tare(&["load", "http", &server.url(), &option, "report"]).finish(2);
        finished.says_once(&[&option, "and this is a load", "--hdr FILE"]);
    }
    dir.tare(&["run", "--resume=first"]).finish(2).says_once(&["is a load"]);
    dir.tare(&["run", "--resume"]).finish(2).says_once(&["no run was interrupted"]);
    dir.tare(&["load", "resume", "first"]).finish(2).says_once(&["is complete"]);
    load(&dir, 0, &[&server.url(), "-n", "5", "-c", "1", "--no-store"]);
    assert_eq!(log(&dir).len(), 1, "--no-store");
}

#[test]
fn a_load_that_cannot_be_made_leaves_nothing_behind() {
    let dir = Dir::new();
    load_refused(&dir, &["http://127.0.0.1:1/", "--cpus", "0"], "is for servers that Tare starts");
    load_refused(&dir, &["http://127.0.0.1:1/", "--unix-socket", "x", "--start", "x {port}"], "has no {port}");
    assert!(!dir.store().exists());
}

fn load_refused(dir: &Dir, arguments: &[&str], why: &str) {
    dir.tare(&[&["load", "http"], arguments].concat()).finish(2).says_once(&[why]);
}

#[test]
fn two_stored_loads_are_compared_and_nothing_is_called_without_others() {
    let (dir, server) = (Dir::new(), Server::answering(OK));
    for tag in ["a", "b"] {
        load(&dir, 0, &[&server.url(), "-n", "400", "-c", "1", "--tag", tag]);
    }
    let compared = |status: i32, more: &[&str]| {
        dir.tare(&[&["compare", "a", "b", "--json"], more].concat()).finish(status).document().0
    };
    let throughput = |document: &Value| {
        let pairs = document["comparisons"].as_array().unwrap().clone();
        pairs.into_iter().find(|pair| pair["metric"] == "throughput").unwrap()
    };
    let pair = throughput(&compared(0, &[]));
    assert_eq!(pair["verdict"], "inconclusive");
    assert_eq!(pair["warnings"][0]["code"], "few-loads");
    compared(3, &["--fail-on", "inconclusive"]);
    for (tag, _) in [("a", 0), ("a", 1), ("b", 0), ("b", 1)] {
        load(&dir, 0, &[&server.url(), "-n", "400", "-c", "1", "--tag", tag]);
    }
    let pair = throughput(&compared(0, &[]));
    assert!(pair["warnings"].as_array().unwrap().is_empty(), "three of each say how far they lie apart: {pair:#}");
    assert!(pair["ratio"]["low"].as_f64().unwrap() < pair["ratio"]["high"].as_f64().unwrap());
    dir.tare(&["compare", "a", "b", "--filter", "x"]).finish(2).says_once(&["--filter is for runs of benchmarks"]);
}

#[test]
fn an_interrupted_load_is_gone_on_with() {
    let (dir, a, b) = (Dir::new(), Server::answering(OK), Server::answering(OK));
    let arguments = ["load", "http", &a.url(), &b.url(), "-n", "20000", "-c", "1", "--tag", "cut"];
    let running = dir.tare(&arguments).start();
    dir.wait_until("some requests", || a.requests() + b.requests() > 4000);
    running.signal(Signal::INT);
    let finished = running.wait();
    assert_eq!(finished.status, Some(130), "{finished}");
    finished.says_once(&["`tare load resume"]);
    assert_eq!(log(&dir)[0]["state"], "interrupted");
    let cut = dir.tare(&["show", "cut", "--json"]).finish(0).document().0;
    let before = request(&cut)["count"].as_u64().unwrap();
    assert!((1..20_000).contains(&before), "{before}");
    let whole = dir.tare(&["load", "resume", "--json"]).finish(0).document().0;
    assert_eq!((&whole["run"], &whole["seed"], &whole["interrupted"]), (&cut["run"], &cut["seed"], &json!(false)));
    // What was cut short is done once more.
    assert!(request(&whole)["count"].as_u64().unwrap() >= 20_000, "{}", request(&whole));
    assert_eq!(whole["comparisons"][0]["pairs"], 40);
    assert_eq!(log(&dir).len(), 1);
    assert_eq!(log(&dir)[0]["state"], "complete");
    dir.tare(&["load", "resume"]).finish(2).says_once(&["no load was interrupted"]);
}

#[test]
fn servers_of_two_revisions_are_compared_under_load() {
    let dir = Dir::repository();
    dir.file(".gitignore", ".tare\n");
    for body in ["ok", "longer"] {
        dir.file("server.py", &SERVER.replace("BODY", body)).commit(body);
    }
    let document = dir
        .tare(&[
            "compare",
            "HEAD~1",
            "HEAD",
            "--serve",
            "exec python3 server.py {port}",
            "--url",
            "http://127.0.0.1:{port}/",
            "-n",
            "20",
            "-c",
            "2",
            "--json",
            "--tag",
            "served",
        ])
        .finish(0)
        .document()
        .0;
    let bytes = |target: usize| document["targets"][target]["operations"][0]["bytes"].as_u64().unwrap();
    assert_eq!(
        (&document["targets"][0]["target"], &document["targets"][1]["target"]),
        (&json!("HEAD~1"), &json!("HEAD"))
    );
    assert_eq!(bytes(1) - bytes(0), 20 * 4, "each revision has its own server");
    assert_eq!((&document["comparisons"][0]["base"], &document["tags"]), (&json!("HEAD~1"), &json!(["served"])));
    assert!(document["placed"].as_str().unwrap().contains("client"), "{document:#}");
    let warned = document["targets"][1]["warnings"].as_array().unwrap();
    assert!(warned.iter().any(|warning| warning["code"] == "answers-differ"), "{warned:?}");
    dir.assert_no_process_is_left();
    for (more, why) in [
        (&["-c", "2"][..], "name its command with --serve and --url"),
        (&["--serve", "x {port}", "--url", "http://h:{port}/", "--launches", "3"], "--launches is for benchmarks"),
        (&["--serve", "x {port}", "--url", "http://h:{port}/", "--html", "x"], "--html is for benchmarks"),
        (&["--serve", "x", "--url", "http://h:{port}/"], "has no {port}"),
    ] {
        dir.tare(&[&["compare", "HEAD~1", "HEAD"], more].concat()).finish(2).says_once(&[why]);
    }
}

const SERVER: &str = r#"
import http.server, sys
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self):
        self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len("BODY") + b"BODY")
    def log_message(self, *said):
        pass
http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"#;
