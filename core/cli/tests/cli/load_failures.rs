//! `tare load http` against bad servers and with bad input: each is told for what it is. Nothing here says how long something takes.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde_json::json;

use crate::harness::Dir;
use crate::load::{load, request, shown};
use crate::servers::{Certificate, OK, Server, modern, nobody};

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
        (Server::with_status("500 \x1b[2JNo"), "garbage", None),
        (Server::with_status("500 <script>alert(1)</script>"), "http-5xx", Some("500")),
        (Server::with_status("503 No"), "http-5xx", Some("503")),
        (Server::with_status("404 No"), "http-4xx", Some("404")),
        (Server::with_status("301 Moved"), "http-3xx", Some("301")),
        (Server::with_status("304 Not Modified"), "http-3xx", Some("304")),
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
        let url = server.url();
        let arguments = [url.as_str(), "-n", "12", "-c", "2"];
        let document = load(&dir, 4, &arguments);
        let request = request(&document);
        assert_eq!((&request["count"], &request["failures"]), (&json!(12), &json!({ kind: 12 })), "{kind}");
        assert_eq!(request.get("statuses"), status.map(|status| json!({ status: 12 })).as_ref(), "{kind}");
        assert_eq!(request.get("latency"), None, "{kind}");
        assert_eq!(document["targets"][0]["status"], "failed", "{kind}");
        let gated = load(&dir, 1, &[&arguments[..], &["--fail-on", "failures=0%"]].concat());
        assert_eq!(gated["gates"].as_array().unwrap().len(), 1, "{kind}");
        let screen = shown(&dir, 4, &arguments);
        let counted = format!("12 (100.0 %): {kind} 12");
        screen.says_once(&["the first request failed", &counted, "throughput 0/s"]);
    }
}

/// A server that answers a hundred requests and then none.
#[test]
fn one_that_stops_answering_and_does_not_come_back_is_told_of_with_status_4() {
    let answered = AtomicU64::new(0);
    let server = Server::new(move |connection| {
        while answered.fetch_add(1, Ordering::SeqCst) < 100 && connection.request() && connection.say(OK) {}
    });
    let dir = Dir::new();
    let url = server.url();
    let document = load(&dir, 4, &[&url, "-c", "2", "--duration", "3s", "--warm-up", "0"]);
    let target = &document["targets"][0];
    let codes: Vec<&str> =
        target["warnings"].as_array().unwrap().iter().map(|warning| warning["code"].as_str().unwrap()).collect();
    assert!(codes.contains(&"stopped-answering") && !codes.contains(&"stood-still"), "{codes:?}");
    let throughput = &target["throughput"];
    assert!(
        throughput["low"].as_f64().unwrap() >= 0.0 && throughput["estimate"].as_f64().unwrap() > 0.0,
        "{throughput}"
    );
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
        // Faster than it can be read.
        Server::new(|connection| {
            connection.request();
            connection.say(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
            let chunks = b"1\r\nx\r\n".repeat(16_384);
            while connection.say(&chunks) {}
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
            let failing = count.fetch_add(1, Ordering::SeqCst).is_multiple_of(4);
            let answer: &[u8] = if failing { b"HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n" } else { OK };
            if !connection.say(answer) {
                break;
            }
        }
    });
    let url = every.url();
    let arguments = [url.as_str(), "-n", "100", "-c", "1"];
    shown(&dir, 0, &arguments).says_once(&["failures: 25 of 100 requests failed", "25 (25.0 %): http-5xx 25"]);
    let gated = |most: &'static str, status: i32| {
        let all = [&arguments[..], &["--fail-on", most]].concat();
        load(&dir, status, &all)["gates"].clone()
    };
    assert_eq!(gated("failures=30%", 0), json!([]));
    assert_eq!(gated("failures=20%", 1).as_array().unwrap().len(), 1);
    assert_eq!(gated("failures", 1).as_array().unwrap().len(), 1);
    // The last line says why it ends so.
    let ends = |gates: &[&str], status: i32, why: &str| {
        let finished = shown(&dir, status, &[&arguments[..], gates].concat());
        let last = finished.stderr.lines().last().unwrap_or_default();
        assert!(last.contains(why), "{last:?}");
    };
    ends(&["--fail-on", "failures=20%"], 1, &format!("exit status 1: 1 gate tripped ({url}, failures=20 %)"));
    ends(&["--fail-on", "failures=30%"], 0, "exit status 0: no gate tripped");
    let open = ["--fail-on", "p99.99=1s", "--fail-on", "inconclusive"];
    ends(&open, 3, &format!("exit status 3: 1 gate undecided ({url}, p99.99=1s)"));
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
    let url = server.url();
    let arguments =
        [url.as_str(), "-c", "2", "--rate", "200", "--duration", "1s", "--warm-up", "0", "--timeout", "1500ms"];
    let document = load(&dir, 4, &arguments);
    let target = &document["targets"][0];
    assert_eq!((&target["rate"], &target["arrivals"]), (&json!(200.0), &json!("constant")));
    let request = request(&document);
    assert_eq!((&request["count"], &request["dropped"]), (&json!(2), &json!(198)));
    assert_eq!(request["failures"], json!({"timeout": 2}));
    let codes: Vec<&str> =
        target["warnings"].as_array().unwrap().iter().map(|warning| warning["code"].as_str().unwrap()).collect();
    assert_eq!(codes, ["rate-not-kept"]);
    shown(&dir, 4, &arguments).says_once(&["rate-not-kept: ", "open loop, 200/s asked for, constant"]);
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
        (&good, &[][..], "no trusted authority signed its certificate"),
        (&good, &["--cacert", "other.pem"], "no trusted authority signed its certificate"),
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
    let plain = Server::new(|connection| {
        connection.say(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
        connection.wait(Duration::from_secs(86_400));
    });
    let document = ask(&plain.url().replace("http:", "https:"), &["--insecure"], 4);
    let failure = document["targets"][0]["failure"].as_str().unwrap();
    assert!(failure.starts_with("tls: ") && failure.contains("doesn't speak TLS"), "{failure}");
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
fn wrong_usage_is_refused_before_anything_is_sent() {
    let (dir, server) = (Dir::new(), Server::answering(OK));
    let url = server.url();
    let url = url.as_str();
    for (arguments, message) in [
        (&[][..], "required arguments were not provided"),
        (&["localhost"], "`localhost` is not a URL"),
        (&["ftp://localhost/"], "has the scheme ftp; requests go to http:// and https:// only"),
        (&["http://user:secret@localhost/"], "holds a user's name or password"),
        (&["http://localhost/\u{1b}[2J\u{7}", "-c", "0"], "invalid value '0' for '--connections <N>'"),
        (&["javascript:alert(1)\u{1b}[2J"], "requests go to http:// and https:// only"),
        (&[url, "-c", "0"], "invalid value '0' for '--connections <N>'"),
        (&[url, "-n", "0"], "invalid value '0' for '--requests <N>'"),
        (&[url, "-n", "10", "--duration", "1s"], "cannot be used with"),
        (&[url, "--duration", "0s"], "the time must be more than 0; write 500ms or 10s"),
        (&[url, "--timeout", "0s"], "the time must be more than 0; write 500ms or 10s"),
        (&[url, "--rate", "0"], "a rate is more than 0"),
        (&[url, "--rate=-1"], "a rate is more than 0"),
        (&[url, "--rate", "NaN"], "a rate is more than 0"),
        (&[url, "--rate", "inf"], "a rate is more than 0"),
        (&[url, "--rate", "fast"], "it isn't a number"),
        (&[url, "--arrivals", "poisson"], "required arguments were not provided"),
        (&[url, "--rate", "5", "--arrivals", "often"], "invalid value 'often' for '--arrivals"),
        (&[url, "--threads", "0"], "invalid value '0' for '--threads <N>'"),
        (&[url, "-X", "GET it"], "`GET it` is not an HTTP method"),
        (&[url, "-H", "no colon"], "`no colon` is not a header"),
        (&[url, "-H", "A: b\r\nInjected: c"], "is not a header"),
        (&[url, "-H", "Content-Length: 3"], "the header content-length can't be set"),
        (&[url, "--body", "@missing"], "--body @missing: No such file"),
        (&[url, "--cacert", "a.pem", "--insecure"], "cannot be used with"),
        (&[url, "--hdr", "missing/log"], "--hdr missing/log: No such file"),
        (&[url, "--expect", "1xx"], "`1xx` is not a status; write 200, 2xx"),
        (&[url, "--expect", "200;301"], "`200;301` is not a status"),
        (&[url, "--sni", "127.0.0.1"], "`127.0.0.1` is not a host's name"),
        (&[url, "--follow", "1234"], "what a server's process costs is counted with --pid 1234"),
        (&[url, "--http2", "-H", "Upgrade: websocket"], "HTTP/2 has no header upgrade"),
        (&[url, "--http2", "-H", "Host: a b"], "the Host header is no authority"),
        (&[url, "--no-store", "--tag", "a"], "cannot be used with"),
        (&[url, "--fail-on", "slower"], "need something to compare; name two URLs"),
        (&[url, "--fail-on", "failures=lots"], "invalid value 'failures=lots'"),
        (&[url, "--margin", "-1%"], "--margin"),
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
    let (dir, server) = (Dir::new(), Server::with_status("200 <script>alert(1)</script>"));
    let long = "%3Cscript%3E".repeat(400);
    let url = format!("{}<script>alert(1)</script>\u{1b}[31m?{long}", server.url());
    let screen = shown(&dir, 0, &[&url, "-n", "4", "-c", "1"]);
    assert!(screen.stdout.lines().all(|line| line.chars().count() <= 100), "{screen}");
    let document = load(&dir, 0, &[&url, "-n", "4", "-c", "1"]);
    assert!(document["targets"][0]["target"].as_str().unwrap().contains("%1B[31m"), "{document:#}");
}
