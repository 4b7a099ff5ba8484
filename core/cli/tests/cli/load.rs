//! `tare load http` against good servers of this process. Nothing here says how long something takes.

use std::sync::atomic::Ordering;
use std::time::Duration;

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::harness::{Dir, Finished};
use crate::servers::{Certificate, OK, Server, modern, nobody};

/// `tare load http` with these arguments, as a document.
pub(crate) fn load(dir: &Dir, status: i32, arguments: &[&str]) -> Value {
    let all = [&["load", "http", "--json"], arguments].concat();
    let finished = dir.tare(&all).finish(status);
    let document = finished.document().0;
    assert_eq!((&document["format"], &document["version"]), (&json!("tare.load"), &json!(1)));
    document
}

pub(crate) fn shown(dir: &Dir, status: i32, arguments: &[&str]) -> Finished {
    dir.tare(&[&["load", "http"], arguments].concat()).finish(status)
}

pub(crate) fn request(document: &Value) -> &Value {
    &document["targets"][0]["operations"][0]
}

#[test]
fn requests_are_counted_and_their_latencies_too() {
    let (dir, server) = (Dir::new(), Server::answering(OK));
    let document = load(&dir, 0, &[&server.url(), "-n", "500", "-c", "4"]);
    let request = request(&document);
    assert_eq!((&request["count"], &request["failures"]), (&json!(500), &json!({})));
    assert_eq!(request["statuses"], json!({"200": 500}));
    assert_eq!(request["bytes"], json!(500 * "ok".len()));
    assert_eq!(request["connects"], json!(4), "connections are kept");
    let latency = |name: &str| request["latency"][name].as_u64().unwrap();
    let ascending = ["p50", "p90", "p95", "p99", "p99.9", "p99.99", "max"].map(latency);
    assert!(ascending.is_sorted() && ascending[0] > 0, "{ascending:?}");
    let target = &document["targets"][0];
    assert_eq!((&target["target"], &target["status"]), (&json!(server.url()), &json!("ok")));
    assert!(target["throughput"]["estimate"].as_f64().unwrap() > 0.0);
    let series = target["series"].as_array().unwrap();
    assert_eq!(series.iter().map(|second| second["succeeded"].as_u64().unwrap()).sum::<u64>(), 500);
    // One request looks first whether there is anything.
    assert_eq!(server.requests(), 501);

    let screen = shown(&dir, 0, &[&server.url(), "-n", "500", "-c", "4"]);
    screen.says_once(&["500 in all", "4 connections opened", "failures none", "statuses 200 500"]);
}

#[test]
fn what_is_asked_for_is_what_is_sent() {
    let (dir, server) = (Dir::new(), Server::answering(OK));
    let url = format!("{}path/x?y=1#fragment", server.url());
    let arguments = ["-n", "3", "-c", "1", "-X", "PUT", "-H", "X-Own: a b", "--body", "the body"];
    load(&dir, 0, &[&[url.as_str()], &arguments[..]].concat());
    let last = server.last();
    assert!(last.starts_with("PUT /path/x?y=1 HTTP/1.1\r\n") && last.ends_with("\r\n\r\nthe body"), "{last}");
    let lower = last.to_lowercase();
    for header in ["host: 127.0.0.1:", "x-own: a b\r\n", "content-length: 8\r\n", "user-agent: tare/"] {
        assert_eq!(lower.matches(header).count(), 1, "{header}: {last}");
    }
    dir.file("body.json", "{\"a\": 1}");
    load(&dir, 0, &[&url, "-n", "1", "-c", "1", "--body", "@body.json"]);
    assert!(server.last().starts_with("POST ") && server.last().ends_with("{\"a\": 1}"), "{}", server.last());
}

#[test]
fn without_keep_alive_each_request_connects() {
    let (dir, server) = (Dir::new(), Server::closing_after(&b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"[..]));
    let document = load(&dir, 0, &[&server.url(), "-n", "20", "-c", "2", "--no-keep-alive"]);
    assert_eq!(request(&document)["connects"], json!(20));
    assert!(server.last().to_lowercase().contains("connection: close\r\n"));
}

#[test]
fn http2_is_spoken_in_the_clear_and_over_tls() {
    let dir = Dir::new();
    let certificate = Certificate::new("localhost", 2020..2090);
    let (clear, clear_requests) = modern(None, |_| 200);
    let (secure, secure_requests) = modern(Some(&certificate), |_| 200);
    for (url, about, requests) in [
        (format!("http://127.0.0.1:{clear}/"), "HTTP/2", clear_requests),
        (format!("https://localhost:{secure}/"), "HTTP/2 over TLS", secure_requests),
    ] {
        let document = load(&dir, 0, &[&url, "-n", "300", "-c", "3", "--http2", "--insecure"]);
        assert_eq!(document["targets"][0]["about"], about);
        let request = request(&document);
        assert_eq!((&request["count"], &request["statuses"]), (&json!(300), &json!({"200": 300})));
        assert_eq!((&request["connects"], &request["failures"]), (&json!(3), &json!({})));
        assert_eq!(request["bytes"], json!(300 * "hello".len()));
        assert_eq!(requests.load(Ordering::SeqCst), 301);
        let document = load(&dir, 0, &[&url, "-n", "20", "-c", "2", "--http2", "--insecure", "--no-keep-alive"]);
        assert_eq!(document["targets"][0]["operations"][0]["connects"], json!(20));
    }
}

#[test]
fn two_targets_take_turns_and_are_compared() {
    let (dir, one, two) = (Dir::new(), Server::answering(OK), Server::answering(OK));
    let (first, second) = (one.url(), two.url());
    let arguments = [first.as_str(), &second, "-n", "400", "-c", "2", "--seed", "5"];
    let document = load(&dir, 0, &arguments);
    assert_eq!(document["seed"], 5);
    for target in document["targets"].as_array().unwrap() {
        assert_eq!((&target["status"], &target["operations"][0]["count"]), (&json!("ok"), &json!(400)));
    }
    let comparisons = document["comparisons"].as_array().unwrap();
    let throughput = &comparisons[0];
    assert_eq!((&throughput["base"], &throughput["candidate"]), (&json!(one.url()), &json!(two.url())));
    assert_eq!((&throughput["metric"], &throughput["pairs"]), (&json!("throughput"), &json!(40)));
    assert_eq!((&throughput["ratio"]["confidence"], &throughput["margin"]), (&json!(0.99), &json!(0.005)));
    // Ten requests a block: five of them lie beyond the median, and fewer beyond every other percentile.
    let metrics: Vec<&str> = comparisons.iter().map(|pair| pair["metric"].as_str().unwrap()).collect();
    assert_eq!(metrics, ["throughput", "latency.p50"]);
    shown(&dir, 0, &arguments).says_once(&[&format!("{} vs {}", two.url(), one.url()), "seed 5"]);

    let same = load(&dir, 0, &[&one.url(), &one.url(), "-n", "40"]);
    assert_eq!(same["targets"][1]["target"], format!("{} (2)", one.url()));
}

/// A server that does the same work, and then waits: slower by construction.
#[test]
fn a_target_that_waits_is_slower_and_trips_the_gate() {
    let (dir, quick) = (Dir::new(), Server::answering(OK));
    let slow = Server::new(|connection| {
        while connection.request() {
            connection.wait(Duration::from_millis(40));
            if !connection.say(OK) {
                break;
            }
        }
    });
    let document = load(&dir, 1, &[&quick.url(), &slow.url(), "-n", "80", "-c", "1", "--fail-on", "slower"]);
    let throughput = &document["comparisons"][0];
    assert_eq!(throughput["verdict"], "slower", "{throughput:#}");
    assert!(throughput["ratio"]["high"].as_f64().unwrap() < 0.9, "{throughput:#}");
    assert_eq!(document["gates"].as_array().unwrap().len(), 1);
}

#[test]
fn one_target_of_two_that_is_not_there_leaves_the_other() {
    let (dir, server) = (Dir::new(), Server::answering(OK));
    for (urls, measured) in [([server.url(), nobody()], 0), ([nobody(), server.url()], 1)] {
        let document = load(&dir, 4, &[&urls[0], &urls[1], "-n", "20"]);
        assert_eq!(document["targets"][measured]["operations"][0]["count"], json!(20));
        assert_eq!(document["targets"][1 - measured]["status"], "failed");
        assert_eq!(document["comparisons"], json!([]));
        // What can't be compared isn't the same: a gate doesn't make it good.
        load(&dir, 4, &[&urls[0], &urls[1], "-n", "20", "--fail-on", "inconclusive"]);
    }
}

#[test]
fn an_interrupted_load_is_reported() {
    let dir = Dir::new();
    for arguments in [&["--json"][..], &["--json", "--rate", "200"]] {
        let server = Server::answering(OK);
        let url = server.url();
        let all = [&["load", "http", &url, "-c", "2", "--duration", "600s", "--warm-up", "0"], arguments].concat();
        let mut running = dir.tare(&all).start();
        dir.wait_until("requests", || {
            assert!(!running.has_ended());
            server.requests() > 50
        });
        running.signal(Signal::INT);
        let finished = running.wait();
        assert_eq!(finished.status, Some(130), "{finished}");
        let document = finished.document().0;
        assert_eq!(document["interrupted"], true);
        let count = request(&document)["count"].as_u64().unwrap();
        assert!((40..=server.requests()).contains(&count), "{count}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_histogram_log_that_has_no_room_is_told_and_the_report_is_there() {
    let (dir, server) = (Dir::new(), Server::answering(OK));
    let finished = dir.tare(&["load", "http", &server.url(), "-n", "20", "-c", "2", "--hdr", "/dev/full"]).finish(4);
    finished.says_once(&["20 in all", "--hdr /dev/full: the histogram log can't be written: No space left on device"]);
    dir.file("StubBench.php", "<?php class Stub { /** @Operation */ public function it(): void {} }");
    let finished = dir.tare(&["load", "StubBench.php", "-w", "2", "-n", "10", "--hdr", "/dev/full"]).finish(4);
    finished.says_once(&["20 in all", "--hdr /dev/full: the histogram log can't be written: No space left on device"]);
}

#[test]
fn a_histogram_log_is_written_and_read() {
    let (dir, server) = (Dir::new(), Server::answering(OK));
    let document = load(&dir, 0, &[&server.url(), &server.url(), "-n", "100", "-c", "2", "--hdr", "load.hlog"]);
    let log = dir.tare(&["load", "hdr", "load.hlog", "--json"]).finish(0).document().0;
    for target in 0..2 {
        let (read, written) = (&log["targets"][target]["operations"][0], &document["targets"][target]["operations"][0]);
        assert_eq!(read["count"], json!(100));
        assert_eq!(read["latency"]["p50"], written["latency"]["p50"]);
        assert_eq!(read["latency"]["max"], written["latency"]["max"]);
    }
    dir.tare(&["load", "hdr", "load.hlog"]).finish(0).says_once(&["(2)"]);
    for (name, content, message) in [
        ("text.hlog", "hello\n", "text.hlog: line 1 isn't a line of a histogram log, after 0 intervals"),
        ("bad.hlog", "0.1,1.0,2.0,SElTVA==\n", "the histogram of interval 1 can't be decoded"),
        ("empty.hlog", "#[StartTime: 1 (seconds since epoch)]\n", "empty.hlog: it has 0 intervals and no value"),
    ] {
        dir.file(name, content);
        dir.tare(&["load", "hdr", name]).finish(2).says_once(&[message]);
    }
    dir.tare(&["load", "hdr", "none.hlog"]).finish(2).says_once(&["none.hlog: No such file"]);
}
