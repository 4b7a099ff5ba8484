//! `tare load http --start`: servers that the load begins and ends itself.

use std::net::{TcpListener, TcpStream};
use std::process::{Command, Stdio};

use serde_json::json;

use crate::harness::Dir;
use crate::load::{load, request};
use crate::servers::{OK, Server};

/// Answers on the port that it is given, and writes its process's number into `pids`.
const SERVER: &str = r#"
import http.server, os, sys
open("pids", "a").write("%d\n" % os.getpid())
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = 65536
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")
    def log_message(self, *said):
        pass
http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"#;
const URL: &str = "http://127.0.0.1:{port}/";

#[test]
fn two_servers_are_started_afresh_for_each_part_and_ended() {
    let dir = Dir::new();
    dir.file("server.py", SERVER);
    let (a, b) = ("setsid sleep 1000 & exec python3 server.py {port}", "exec python3 server.py {port} # b");
    let document = load(&dir, 0, &[URL, "--start", a, "--start", b, "-c", "2", "-n", "10"]);
    for (number, name) in [a, b].iter().enumerate() {
        let target = &document["targets"][number];
        assert_eq!((&target["target"], &target["status"]), (&json!(name), &json!("ok")));
        assert_eq!(target["operations"][0]["statuses"], json!({"200": 10}));
    }
    assert_eq!(request(&document)["failures"], json!({}));
    assert!(!document["comparisons"].as_array().unwrap().is_empty());
    let told = document["warnings"].as_array().unwrap();
    assert!(told.iter().all(|warning| warning["code"] != "one-process-each"), "{told:?}");
    let pids = std::fs::read_to_string(dir.path().join("pids")).unwrap();
    assert_eq!(pids.lines().count(), 20, "ten starts of two servers");
    for pid in pids.lines() {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        assert!(!stat.contains("python"), "{pid} is still there: {stat}");
    }
}

#[test]
fn a_server_that_does_not_come_up_fails_the_load_with_what_it_said() {
    let dir = Dir::new();
    let finished =
        dir.tare(&["load", "http", URL, "--start", "echo no such config {port}; exit 3", "-n", "1"]).finish(4);
    finished.says_once(&["exit status: 3", "it said: no such config"]);
    let finished = dir.tare(&["load", "http", URL, "--start", "echo gone {port} &", "-n", "1"]).finish(4);
    finished.says_once(&["must stay in the foreground"]);
    for (url, start) in [("http://127.0.0.1:1/", "server {port}"), (URL, "server 80")] {
        let finished = dir.tare(&["load", "http", url, "--start", start, "-n", "1"]).finish(2);
        finished.says_once(&["has no {port}"]);
    }
}

#[test]
fn what_a_server_costs_a_request_is_counted_where_it_is_followed() {
    let dir = Dir::new();
    dir.file("server.py", SERVER);
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut server = Command::new("python3");
    let mut server =
        server.arg("server.py").arg(port.to_string()).current_dir(dir.path()).stdout(Stdio::null()).spawn().unwrap();
    dir.wait_until("the server answers", || TcpStream::connect(("127.0.0.1", port)).is_ok());
    let (url, pid) = (format!("http://127.0.0.1:{port}/"), server.id().to_string());
    let arguments = [url.as_str(), "-n", "300", "-c", "2", "--pid", &pid];
    let document = load(&dir, 0, &arguments);
    let found = &document["targets"][0]["followed"];
    assert_eq!((&found["pid"], &found["processes"]), (&json!(server.id()), &json!(1)));
    assert!(found["requests"].as_u64().unwrap() >= 100, "{found}");
    assert!(found["cpu_user_ns"].as_f64().unwrap() + found["cpu_system_ns"].as_f64().unwrap() > 0.0, "{found}");
    match found["untraced"].as_str() {
        // Each answer of Python's server is one that is sent, after one that was received.
        None => assert!(found["calls"]["sendto"].as_f64().unwrap() >= 1.0, "{found}"),
        Some(why) => assert!(why.contains("strace"), "{why}"),
    }
    assert_eq!(request(&document)["count"], json!(300), "what is counted for it isn't part of the load");
    let screen = dir.tare(&[&["load", "http"], &arguments[..]].concat()).finish(0);
    screen.says_once(&["CPU time", "in programs", "sys. calls", &format!("process {pid}")]);
    server.kill().unwrap();
    server.wait().unwrap();
    let refused = |more: &[&str], why: &str| {
        dir.tare(&[&["load", "http", &url, "--pid"], more].concat()).finish(2).says_once(&[why]);
    };
    refused(&[&pid], "there is no such process");
    refused(&["1", "--pid", "1"], "don't go together");
}

#[test]
fn that_one_process_of_each_was_measured_is_told_of_different_servers_alone() {
    let (dir, first, second) = (Dir::new(), Server::answering(OK), Server::answering(OK));
    let told = |urls: [&str; 2]| {
        let document = load(&dir, 0, &[&urls[..], &["-n", "40", "-c", "1"]].concat());
        document["warnings"].as_array().unwrap().iter().any(|warning| warning["code"] == "one-process-each")
    };
    assert!(told([&first.url(), &second.url()]));
    assert!(!told([&first.url(), &format!("{}b", first.url())]));
}

#[test]
fn a_control_compares_each_target_with_itself_and_is_no_verdict() {
    let (dir, first, second) = (Dir::new(), Server::answering(OK), Server::answering(OK));
    let urls = [first.url(), second.url()];
    let arguments = [&urls[0], &urls[1], "--control", "-n", "40", "-c", "1", "--fail-on", "slower=1000%"];
    let document = load(&dir, 0, &arguments);
    assert_eq!(document["targets"].as_array().unwrap().len(), 2, "a control isn't a target of its own");
    assert_eq!(request(&document)["count"], json!(40));
    for pair in document["comparisons"].as_array().unwrap() {
        assert_eq!((&pair["base"], &pair["candidate"]), (&json!(urls[0]), &json!(urls[1])));
    }
    let controls = document["controls"].as_array().unwrap();
    for url in &urls {
        let own = |pair: &&serde_json::Value| pair["base"] == *url && pair["candidate"] == *url;
        assert!(controls.iter().filter(own).any(|pair| pair["metric"] == "throughput"), "{controls:?}");
    }
    let shown = dir.tare(&["load", "http", &urls[0], "--control", "-n", "20", "-c", "1"]).finish(0);
    shown.says_once(&[&format!("control: {} against itself", urls[0])]);
}

#[test]
fn a_server_that_answers_otherwise_than_the_first_is_told() {
    const LONGER: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nnot so ok";
    let (dir, ok, again, longer) =
        (Dir::new(), Server::answering(OK), Server::answering(OK), Server::answering(LONGER));
    let document = load(&dir, 0, &[&ok.url(), &again.url(), &longer.url(), "-n", "20", "-c", "1"]);
    let differs = |target: usize| {
        let warnings = document["targets"][target]["warnings"].as_array().unwrap();
        warnings.iter().any(|warning| warning["code"] == "answers-differ")
    };
    assert_eq!([0, 1, 2].map(differs), [false, false, true]);
}

#[test]
fn a_tare_that_is_killed_leaves_no_server_behind() {
    let dir = Dir::new();
    dir.file("server.py", SERVER);
    let start = "setsid python3 server.py {port} & exec python3 server.py {port}";
    let running = dir.tare(&["load", "http", URL, "--start", start, "--duration", "600s", "-c", "1"]).start();
    let pids = || std::fs::read_to_string(dir.path().join("pids")).unwrap_or_default();
    dir.wait_until("both servers", || pids().lines().count() == 2);
    running.kill();
    dir.assert_no_process_is_left();
}
