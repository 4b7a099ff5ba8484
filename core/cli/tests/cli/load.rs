//! `tare load http` against servers of this process: good ones, and every bad one. Nothing here says how long something takes.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::harness::{Dir, Finished};
use crate::servers::{Certificate, OK, Server, modern, nobody};

/// `tare load http` with these arguments, as a document.
fn load(dir: &Dir, status: i32, arguments: &[&str]) -> Value {
    let all = [&["load", "http", "--json"], arguments].concat();
    let finished = dir.tare(&all).finish(status);
    let document = finished.document().0;
    assert_eq!((&document["format"], &document["version"]), (&json!("tare.load"), &json!(1)));
    document
}

fn shown(dir: &Dir, status: i32, arguments: &[&str]) -> Finished {
    dir.tare(&[&["load", "http"], arguments].concat()).finish(status)
}

fn request(document: &Value) -> &Value {
    &document["targets"][0]["operations"][0]
}

#[test]
fn requests_are_counted_and_their_latencies_too() {
    let (dir, server) = (Dir::new(), Server::answering(OK));
    let document = load(&dir, 0, &[&server.url(), "-n", "500", "-c", "4"]);
    let request = request(&document);
    assert_eq!((&request["count"], &request["failures"]), (&json!(500), &json!({})));
    assert_eq!(request["statuses"], json!({"200": 500}));
    assert_eq!(request["bytes"], json!(500 * OK.len()));
    assert_eq!(request["connects"], json!(4), "connections are kept");
    let latency = |name: &str| request["latency"][name].as_u64().unwrap();
    let ascending = ["p50", "p90", "p95", "p99", "p99.9", "p99.99", "max"].map(latency);
    assert!(ascending.is_sorted() && ascending[0] > 0, "{ascending:?}");
    let target = &document["targets"][0];
    assert_eq!((&target["target"], &target["status"]), (&json!(server.url()), &json!("ok")));
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

/// Every failure of an answer is of its kind, and counted; the status is 4 where nothing else came.
#[test]
fn each_bad_answer_is_told_for_what_it_is() {
    let closing = |bytes: &[u8]| Server::closing_after(bytes);
    let servers = [
        (closing(b""), "closed", None),
        (closing(b"HTTP/1.1 200"), "closed", None),
        (closing(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"), "closed", None),
        (closing(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel"), "closed", None),
        (Server::new(|connection| connection.reset()), "reset", None),
        (Server::answering(&b"SSH-2.0-OpenSSH_9.2\r\n\r\n"[..]), "garbage", None),
        (Server::answering(&b"\x00\xff\x1b[31m\x07\r\n\r\n"[..]), "garbage", None),
        (Server::answering(&b"HTTP/1.1 200 OK\r\nContent-Length: -7\r\n\r\n"[..]), "garbage", None),
        (Server::with_status("500 \x1b[2JNo"), "http-5xx", Some("500")),
        (Server::with_status("503 No"), "http-5xx", Some("503")),
        (Server::with_status("404 No"), "http-4xx", Some("404")),
        (
            Server::new(|connection| {
                connection.request();
                connection.say(b"HTTP/1.1 200 OK\r\n");
                while connection.say(b"X-Header: yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy\r\n") {}
            }),
            "head-too-large",
            None,
        ),
    ];
    let dir = Dir::new();
    for (server, kind, status) in servers {
        let arguments = [&server.url(), "-n", "12", "-c", "2"];
        let document = load(&dir, 4, &arguments);
        let request = request(&document);
        assert_eq!((&request["count"], &request["failures"]), (&json!(12), &json!({ kind: 12 })), "{kind}");
        assert_eq!(request.get("statuses"), status.map(|status| json!({ status: 12 })).as_ref(), "{kind}");
        assert_eq!(request.get("latency"), None, "{kind}");
        let screen = shown(&dir, 4, &arguments);
        let counted = format!("12 (100 %): {kind} 12");
        screen.says_once(&["the first request failed", &counted, "throughput 0/s"]);
    }
}

/// Answers that come too late, byte by byte, or never end: no memory is taken by them, and the run ends.
#[test]
fn what_takes_too_long_runs_into_the_time_out() {
    let day = Duration::from_secs(86_400);
    let servers = [
        Server::new(move |connection| {
            connection.request();
            connection.wait(day);
        }),
        Server::new(|connection| {
            connection.request();
            while connection.say(b"H") {
                connection.wait(Duration::from_secs(1));
            }
        }),
        Server::new(|connection| {
            connection.request();
            connection.say(b"HTTP/1.1 200 OK\r\n\r\n");
            while connection.say(&[b'x'; 65536]) {}
        }),
        Server::new(|connection| {
            connection.request();
            connection.say(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
            while connection.say(b"1\r\nx\r\n") {}
        }),
    ];
    let dir = Dir::new();
    for server in servers {
        let document = load(&dir, 4, &[&server.url(), "-n", "4", "-c", "2", "--timeout", "100ms"]);
        assert_eq!(request(&document)["failures"], json!({"timeout": 4}));
    }
}

#[test]
fn a_server_that_is_not_there_is_told_before_anything_is_measured() {
    let dir = Dir::new();
    let url = nobody();
    let document = load(&dir, 4, &[&url, "-n", "10"]);
    let target = &document["targets"][0];
    assert_eq!((&target["status"], &target["operations"]), (&json!("failed"), &json!([])));
    assert!(target["failure"].as_str().unwrap().starts_with("refused: "), "{target:#}");
    shown(&dir, 4, &[&url, "-n", "10"]).says_once(&[&format!("tare: {url}: no connection: refused: ")]);

    let document = load(&dir, 4, &["http://no-such-name.invalid/", "-n", "10"]);
    assert!(document["targets"][0]["failure"].as_str().unwrap().starts_with("dns: "), "{document:#}");
}

/// A server that goes away under load: what it answered counts, and so does what it didn't.
#[test]
fn a_server_that_goes_away_is_counted_from_there_on() {
    let dir = Dir::new();
    let answered = Arc::new(AtomicU64::new(0));
    let server = Server::new(move |connection| {
        while connection.request() && answered.fetch_add(1, Ordering::SeqCst) < 100 && connection.say(OK) {}
    });
    let document = load(&dir, 0, &[&server.url(), "-n", "120", "-c", "1"]);
    let request = request(&document);
    assert_eq!(request["count"], json!(120));
    assert_eq!(request["failures"], json!({"closed": 21}), "99 were answered after the first look");
    assert_eq!(request["statuses"], json!({"200": 99}));
    let codes: Vec<&str> =
        document["targets"][0]["warnings"].as_array().unwrap().iter().map(|w| w["code"].as_str().unwrap()).collect();
    assert_eq!(codes, ["failures"]);
}

#[test]
fn some_failures_are_a_warning_and_a_gate() {
    let dir = Dir::new();
    let count = AtomicU64::new(0);
    let every = Server::new(move |connection| {
        while connection.request() {
            let failing = count.fetch_add(1, Ordering::SeqCst) % 4 == 0;
            let answer: &[u8] = if failing { b"HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n" } else { OK };
            if !connection.say(answer) {
                break;
            }
        }
    });
    let url = every.url();
    let arguments = [url.as_str(), "-n", "100", "-c", "1"];
    shown(&dir, 0, &arguments).says_once(&["failures: 25 of 100 requests failed", "25 (25 %): http-5xx 25"]);
    let gated = |most: &'static str, status: i32| {
        let all = [&arguments[..], &["--fail-on", most]].concat();
        load(&dir, status, &all)["gates"].clone()
    };
    assert_eq!(gated("failures=30%", 0), json!([]));
    assert_eq!(gated("failures=20%", 1).as_array().unwrap().len(), 1);
    assert_eq!(gated("failures", 1).as_array().unwrap().len(), 1);
}

/// 200 requests a second are due at known times; a server that never answers lets two of them begin.
#[test]
fn a_rate_that_cannot_be_kept_is_counted_and_shown() {
    let dir = Dir::new();
    let first = AtomicU64::new(0);
    let server = Server::new(move |connection| {
        // The look before the load is answered; nothing after it.
        if connection.request() && first.fetch_add(1, Ordering::SeqCst) == 0 {
            connection.say(OK);
        }
        connection.wait(Duration::from_secs(86_400));
    });
    let arguments =
        [&server.url(), "-c", "2", "--rate", "200", "--duration", "1s", "--warm-up", "0", "--timeout", "5s"];
    let document = load(&dir, 4, &arguments);
    let target = &document["targets"][0];
    assert_eq!((&target["rate"], &target["arrivals"]), (&json!(200.0), &json!("constant")));
    let request = request(&document);
    assert_eq!((&request["count"], &request["dropped"]), (&json!(2), &json!(198)));
    assert_eq!(request["failures"], json!({"timeout": 2}));
    let codes: Vec<&str> =
        target["warnings"].as_array().unwrap().iter().map(|warning| warning["code"].as_str().unwrap()).collect();
    assert_eq!(codes, ["rate-not-kept"]);
    shown(&dir, 4, &arguments).says_once(&["198 never began", "open loop, 200/s asked for, constant"]);
}

#[test]
fn redirects_lead_nowhere() {
    let (dir, elsewhere) = (Dir::new(), Server::answering(OK));
    let answer = format!("HTTP/1.1 302 Found\r\nLocation: {}\r\nContent-Length: 0\r\n\r\n", elsewhere.url());
    let server = Server::answering(answer);
    let document = load(&dir, 0, &[&server.url(), "-n", "10", "-c", "2"]);
    assert_eq!(request(&document)["statuses"], json!({"302": 10}));
    assert_eq!(elsewhere.connections(), 0);
}

#[test]
fn certificates_are_looked_at() {
    let dir = Dir::new();
    let (good, expired) = (Certificate::new("localhost", 2020..2090), Certificate::new("localhost", 2010..2011));
    let other = Certificate::new("example.com", 2020..2090);
    dir.file("good.pem", &good.pem).file("expired.pem", &expired.pem).file("other.pem", &other.pem);
    dir.file("empty.pem", "").file("text.pem", "this is no certificate\n");
    let url = |certificate: &Certificate| format!("https://localhost:{}/", modern(Some(certificate), |_| 200).0);
    let (good, expired, other) = (url(&good), url(&expired), url(&other));
    let ask = |url: &str, arguments: &[&str], status: i32| {
        load(&dir, status, &[&[url, "-n", "10", "-c", "2"], arguments].concat())
    };
    for (url, arguments, reason) in [
        (&good, &[][..], "signed by nobody who is trusted"),
        (&good, &["--cacert", "other.pem"], "signed by nobody who is trusted"),
        (&expired, &["--cacert", "expired.pem"], "has expired"),
        (&other, &["--cacert", "other.pem"], "is for another name"),
    ] {
        let document = ask(url, arguments, 4);
        let failure = document["targets"][0]["failure"].as_str().unwrap();
        assert!(failure.starts_with("tls: ") && failure.contains(reason), "{failure}");
        let taken = ask(url, &["--insecure"], 0);
        assert_eq!(request(&taken)["statuses"], json!({"200": 10}));
        assert_eq!(taken["targets"][0]["about"], "HTTP/1.1 over TLS");
    }
    assert_eq!(request(&ask(&good, &["--cacert", "good.pem"], 0))["statuses"], json!({"200": 10}));
    for (file, message) in [
        ("empty.pem", "has no certificate that can be used"),
        ("text.pem", "has no certificate that can be used"),
        ("none.pem", "no certificates can be read from it"),
    ] {
        shown(&dir, 2, &[&good, "--cacert", file]).says_once(&[message]);
    }
    // TLS where there is none, and the other way round.
    let plain = Server::answering(&b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"[..]);
    let document = ask(&plain.url().replace("http:", "https:"), &["--insecure"], 4);
    let failure = document["targets"][0]["failure"].as_str().unwrap();
    assert!(failure.starts_with("tls: ") || failure.starts_with("closed: "), "{failure}");
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
fn failures_of_http2_are_counted_by_kind_too() {
    let dir = Dir::new();
    // Requests 1, 3, 5 … fail; the first look is 0.
    let (port, _) = modern(None, |number| if number % 2 == 1 { 503 } else { 200 });
    let url = format!("http://127.0.0.1:{port}/");
    let document = load(&dir, 0, &[&url, "-n", "40", "-c", "1", "--http2"]);
    assert_eq!(request(&document)["failures"], json!({"http-5xx": 20}));
    assert_eq!(request(&document)["statuses"], json!({"200": 20, "503": 20}));

    for (server, kinds) in [
        (Server::answering(OK), &["garbage", "closed"][..]),
        (Server::closing_after(&b""[..]), &["closed", "reset"]),
        (Server::answering(&b"\x00\x00\x00\x00\x00\x00"[..]), &["garbage", "closed", "timeout"]),
        (Server::new(|connection| connection.wait(Duration::from_secs(86_400))), &["timeout"]),
    ] {
        let document = load(&dir, 4, &[&server.url(), "-n", "4", "-c", "2", "--http2", "--timeout", "200ms"]);
        let target = &document["targets"][0];
        let told = match target["failure"].as_str() {
            Some(failure) => failure.split(':').next().unwrap().to_owned(),
            None => {
                let failures = request(&document)["failures"].as_object().unwrap();
                assert_eq!(failures.values().map(|count| count.as_u64().unwrap()).sum::<u64>(), 4, "{document:#}");
                failures.keys().next().unwrap().clone()
            }
        };
        assert!(kinds.contains(&told.as_str()), "{kinds:?}: {document:#}");
    }

    let certificate = Certificate::new("localhost", 2020..2090);
    let (port, _) = modern(Some(&certificate), |_| 500);
    let document = load(&dir, 4, &[&format!("https://localhost:{port}/"), "-n", "4", "--http2", "--insecure"]);
    assert_eq!(request(&document)["failures"], json!({"http-5xx": 4}));
}

#[test]
fn two_targets_take_turns_and_are_compared() {
    let (dir, one, two) = (Dir::new(), Server::answering(OK), Server::answering(OK));
    let arguments = [&one.url(), &two.url(), "-n", "400", "-c", "2", "--seed", "5"];
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
            connection.wait(Duration::from_millis(5));
            if !connection.say(OK) {
                break;
            }
        }
    });
    let arguments = [&quick.url(), &slow.url(), "-n", "80", "-c", "1", "--fail-on", "slower"];
    let document = load(&dir, 1, &arguments);
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
        // What can't be compared isn't the same.
        load(&dir, 3, &[&urls[0], &urls[1], "-n", "20", "--fail-on", "inconclusive"]);
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

#[test]
fn a_histogram_log_is_written_and_read() {
    let (dir, server) = (Dir::new(), Server::answering(OK));
    let arguments = [&server.url(), &server.url(), "-n", "100", "-c", "2", "--hdr", "load.hlog"];
    let document = load(&dir, 0, &arguments);
    let log = dir.tare(&["load", "hdr", "load.hlog", "--json"]).finish(0).document().0;
    for target in 0..2 {
        let (read, written) =
            (&log["targets"][target]["operations"][0], &document["targets"][target]["operations"][0]);
        assert_eq!(read["count"], json!(100));
        assert_eq!(read["latency"]["p50"], written["latency"]["p50"]);
        assert_eq!(read["latency"]["max"], written["latency"]["max"]);
    }
    dir.tare(&["load", "hdr", "load.hlog"]).finish(0).says_once(&["(2)"]);
    for (name, content, message) in [
        ("text.hlog", "hello\n", "after 0 intervals comes a line that is none of a histogram log"),
        ("bad.hlog", "0.1,1.0,2.0,SElTVA==\n", "the histogram of interval 1 can't be decoded"),
    ] {
        dir.file(name, content);
        dir.tare(&["load", "hdr", name]).finish(2).says_once(&[message]);
    }
    dir.tare(&["load", "hdr", "none.hlog"]).finish(2).says_once(&["none.hlog: No such file"]);
}

#[test]
fn wrong_usage_is_refused_before_anything_is_sent() {
    let (dir, server) = (Dir::new(), Server::answering(OK));
    let url = server.url();
    for (arguments, message) in [
        (&[][..], "required arguments were not provided"),
        (&["localhost"], "`localhost` isn't a URL"),
        (&["ftp://localhost/"], "has the scheme ftp; load goes to http:// and https:// only"),
        (&["http://user:secret@localhost/"], "carries a name or a password"),
        (&["http://localhost/\u{1b}[2J\u{7}", "-c", "0"], "invalid value '0' for '--connections <N>'"),
        (&["javascript:alert(1)\u{1b}[2J"], "load goes to http:// and https:// only"),
        (&[&url, "-c", "0"], "invalid value '0' for '--connections <N>'"),
        (&[&url, "-n", "0"], "invalid value '0' for '--requests <N>'"),
        (&[&url, "-n", "10", "--duration", "1s"], "cannot be used with"),
        (&[&url, "--duration", "0s"], "no time at all; write 500ms or 10s"),
        (&[&url, "--timeout", "0s"], "no time at all; write 500ms or 10s"),
        (&[&url, "--rate", "0"], "requests a second are more than 0"),
        (&[&url, "--rate=-1"], "requests a second are more than 0"),
        (&[&url, "--rate", "NaN"], "requests a second are more than 0"),
        (&[&url, "--rate", "inf"], "requests a second are more than 0"),
        (&[&url, "--rate", "fast"], "it isn't a number"),
        (&[&url, "--arrivals", "poisson"], "required arguments were not provided"),
        (&[&url, "--rate", "5", "--arrivals", "often"], "invalid value 'often' for '--arrivals"),
        (&[&url, "--threads", "0"], "invalid value '0' for '--threads <N>'"),
        (&[&url, "-X", "GET it"], "`GET it` is no HTTP method"),
        (&[&url, "-H", "no colon"], "`no colon` is no header"),
        (&[&url, "-H", "A: b\r\nInjected: c"], "is no header"),
        (&[&url, "-H", "Content-Length: 3"], "the header content-length follows from the body"),
        (&[&url, "--body", "@missing"], "--body @missing: No such file"),
        (&[&url, "--cacert", "a.pem", "--insecure"], "cannot be used with"),
        (&[&url, "--hdr", "missing/log"], "--hdr missing/log: No such file"),
        (&[&url, "--fail-on", "slower"], "need something to compare; name two URLs"),
        (&[&url, "--fail-on", "failures=lots"], "invalid value 'failures=lots'"),
        (&[&url, "--margin", "-1%"], "--margin"),
    ] {
        let screen = shown(&dir, 2, arguments);
        assert_eq!(screen.stdout, "", "{arguments:?}");
        screen.says_once(&[message]).never_says(&["panicked"]);
    }
    assert_eq!((server.connections(), server.requests()), (0, 0));
}

/// What a server, a URL and a header say is shown, and moves nothing: the harness looks for control characters on every screen.
#[test]
fn hostile_text_reaches_no_screen() {
    let (dir, server) = (Dir::new(), Server::with_status("200 \x1b[2J<script>\x07"));
    let long = "%3Cscript%3E".repeat(400);
    let url = format!("{}<script>alert(1)</script>\u{1b}[31m?{long}", server.url());
    let screen = shown(&dir, 0, &[&url, "-n", "4", "-c", "1"]);
    assert!(screen.stdout.lines().all(|line| line.chars().count() <= 100), "{screen}");
    let document = load(&dir, 0, &[&url, "-n", "4", "-c", "1"]);
    assert!(document["targets"][0]["target"].as_str().unwrap().contains("%1B[31m"), "{document:#}");
}
