//! What `tare load http` takes for an answer: statuses that are expected, and redirects.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use http_body_util::Full;
use hyper::Response;
use serde_json::{Value, json};

use crate::harness::Dir;
use crate::load::{load, request, shown};
use crate::servers::{Answer, Certificate, OK, Place, Seen, Server, leading, nobody, recording};

const PROTOCOLS: [&[&str]; 3] = [&[], &["--http1.0"], &["--http2"]];

/// A server that answers by the path, and what it saw.
fn leads(answer: impl Fn(&Seen) -> Answer + Send + Sync + 'static) -> (String, Arc<Mutex<Vec<Seen>>>) {
    let (port, seen) = recording(Place::Loopback, None, answer);
    (format!("http://127.0.0.1:{port}"), seen)
}

fn body(text: &str) -> Answer {
    Response::new(Full::from(text.to_owned()))
}

/// What was seen, as `METHOD path`, without the look before the load: one chain of so many requests.
fn lines(seen: &Mutex<Vec<Seen>>, chain: usize) -> Vec<String> {
    let seen = seen.lock().unwrap();
    seen.iter().skip(chain).map(|seen| format!("{} {}", seen.method, seen.path)).collect()
}

fn failures(document: &Value) -> &Value {
    &request(document)["failures"]
}

#[test]
fn a_load_that_gets_only_redirects_fails_and_they_are_not_followed_unasked() {
    let (dir, elsewhere) = (Dir::new(), Server::answering(OK));
    let server =
        Server::answering(format!("HTTP/1.1 301 Moved\r\nLocation: {}\r\nContent-Length: 0\r\n\r\n", elsewhere.url()));
    let url = server.url();
    let arguments = [url.as_str(), "-n", "10", "-c", "2"];
    let document = load(&dir, 4, &arguments);
    assert_eq!((failures(&document), &request(&document)["statuses"]), (&json!({"http-3xx": 10}), &json!({"301": 10})));
    assert_eq!((request(&document).get("latency"), &document["targets"][0]["status"]), (None, &json!("failed")));
    assert_eq!(elsewhere.connections(), 0);
    shown(&dir, 1, &[&arguments[..], &["--fail-on", "failures=0%"]].concat())
        .says_once(&["exit status 1: 1 gate tripped", "--follow follows redirects"]);
    let taken = load(&dir, 0, &[&arguments[..], &["--expect", "2xx,301"]].concat());
    assert_eq!((failures(&taken), &taken["targets"][0]["about"]), (&json!({}), &json!("HTTP/1.1, 2xx,301 expected")));
    assert_eq!(elsewhere.connections(), 0);
    let stored = dir.tare(&["log", "--json"]).finish(0).document().0;
    assert_eq!(stored.to_string().matches("\"failed\":1").count(), 2, "{stored:#}");
}

#[test]
fn statuses_that_are_not_expected_are_failures_in_every_protocol() {
    let dir = Dir::new();
    let (url, _) = leads(|seen| Response::builder().status(&seen.path[1..]).body(Full::from("text")).unwrap());
    for protocol in PROTOCOLS {
        for (status, expect, kind) in [
            ("203", "2xx", None),
            ("404", "404,2xx", None),
            ("503", "5xx", None),
            ("200", "404", Some("http-2xx")),
            ("302", "2xx", Some("http-3xx")),
            ("404", "2xx,403", Some("http-4xx")),
            ("503", "500,501", Some("http-5xx")),
        ] {
            let url = format!("{url}/{status}");
            let arguments = [&[url.as_str(), "-n", "4", "-c", "1", "--expect", expect], protocol].concat();
            let document = load(&dir, if kind.is_some() { 4 } else { 0 }, &arguments);
            let expected = kind.map_or_else(|| json!({}), |kind| json!({ kind: 4 }));
            assert_eq!(failures(&document), &expected, "{status} {expect} {protocol:?}");
            assert_eq!(request(&document)["statuses"], json!({ status: 4 }));
        }
    }
}

/// A quick failure has no part in the times of what succeeds.
#[test]
fn times_of_failures_are_in_no_figure() {
    let dir = Dir::new();
    let slow = Duration::from_millis(30);
    let server = Server::new(move |connection| {
        let mut number = 0;
        while connection.request() {
            number += 1;
            let good = number % 10 == 0;
            if good {
                connection.wait(slow);
            }
            let bad: &[u8] = b"HTTP/1.1 301 Moved\r\nContent-Length: 5\r\n\r\nmoved";
            if !connection.say(if good { OK } else { bad }) {
                break;
            }
        }
    });
    let document = load(&dir, 0, &[&server.url(), "-n", "100", "-c", "1"]);
    let target = &document["targets"][0];
    assert_eq!((failures(&document), &request(&document)["bytes"]), (&json!({"http-3xx": 90}), &json!(20)));
    for name in ["p50", "mean"] {
        let latency = request(&document)["latency"][name].as_f64().unwrap();
        assert!(latency >= slow.as_nanos() as f64, "{name}: {latency}");
    }
    let most = 1.0 / slow.as_secs_f64();
    assert!(target["throughput"]["estimate"].as_f64().unwrap() <= most, "{target:#}");
    assert!(target["warnings"].to_string().contains("--follow"), "{target:#}");
}

#[test]
fn redirects_are_followed_where_it_is_asked_for_and_the_time_is_that_of_all() {
    let wait = Duration::from_millis(20);
    for protocol in PROTOCOLS {
        let dir = Dir::new();
        let (url, seen) = leads(move |seen| match seen.path.as_str() {
            "/a" => {
                std::thread::sleep(wait);
                leading(302, "b?c=1#d")
            }
            "/b?c=1" => leading(308, "/e"),
            _ => body("there"),
        });
        let url = format!("{url}/a");
        let document = load(&dir, 0, &[&[url.as_str(), "-n", "6", "-c", "1", "--follow"], protocol].concat());
        let request = request(&document);
        assert_eq!((&request["count"], &request["statuses"]), (&json!(6), &json!({"200": 6})), "{protocol:?}");
        assert_eq!((&request["connects"], &request["bytes"]), (&json!(1), &json!(6 * "there".len())));
        assert!(request["latency"]["p50"].as_u64().unwrap() >= wait.as_nanos() as u64, "{request:#}");
        assert_eq!(lines(&seen, 3), ["GET /a", "GET /b?c=1", "GET /e"].repeat(6), "{protocol:?}");
    }
}

#[test]
fn what_is_asked_after_a_redirect_goes_by_its_status() {
    for (status, next) in [(301, "GET"), (302, "GET"), (303, "GET"), (307, "POST"), (308, "POST")] {
        for protocol in PROTOCOLS {
            let dir = Dir::new();
            let (url, seen) = leads(move |seen| if seen.path == "/" { leading(status, "/next") } else { body("") });
            let given = ["-n", "2", "-c", "1", "--follow", "--body", "text", "-H", "Content-Type: a/b", "-H", "X: y"];
            load(&dir, 0, &[&[url.as_str()], &given[..], protocol].concat());
            assert_eq!(lines(&seen, 2), ["POST /", &format!("{next} /next")].repeat(2), "{status}");
            let last = seen.lock().unwrap().last().cloned().unwrap();
            let has = |header: &str| last.headers.iter().any(|own| own == header);
            assert_eq!(
                (last.body.as_str(), has("content-type: a/b")),
                if next == "GET" { ("", false) } else { ("text", true) }
            );
            assert!(has("x: y"), "{last:?}");
        }
    }
}

/// From plain HTTP to TLS, and to another port: the host stays, and what says who asks doesn't go there.
#[test]
fn redirects_lead_to_other_ports_and_to_tls() {
    let dir = Dir::new();
    let certificate = Certificate::new("b.test", 2020..2090);
    dir.file("b.pem", &certificate.pem);
    for protocol in [&[][..], &["--http2"]] {
        let (port, seen) = recording(Place::Loopback, Some(&certificate), |_| body("secure"));
        let (url, first) = leads(move |_| leading(301, &format!("https://b.test:{port}/x")));
        let given =
            ["-n", "4", "-c", "2", "--follow", "--cacert", "b.pem", "-H", "Host: b.test", "-H", "Authorization: a"];
        let document = load(&dir, 0, &[&[url.as_str()], &given[..], protocol].concat());
        assert_eq!(request(&document)["statuses"], json!({"200": 4}), "{protocol:?}");
        // Two connections, and one more to the other port for each that was led there.
        assert_eq!(request(&document)["connects"], json!(4), "{protocol:?}");
        assert!(
            first
                .lock()
                .unwrap()
                .iter()
                .all(|seen| seen.host == "b.test" && seen.headers.contains(&"authorization: a".to_owned()))
        );
        let seen = seen.lock().unwrap();
        assert_eq!(seen.len(), 5);
        for seen in seen.iter() {
            assert_eq!(
                (seen.host.clone(), seen.sni.as_deref()),
                (format!("b.test:{port}"), Some("b.test")),
                "{seen:?}"
            );
            assert!(!seen.headers.iter().any(|header| header.starts_with("authorization")), "{seen:?}");
        }
    }
}

#[test]
fn redirects_that_are_not_followed_are_failures_of_their_kind() {
    let (dir, elsewhere) = (Dir::new(), Server::answering(OK));
    let other = elsewhere.url().replace("127.0.0.1", "localhost");
    let refused = nobody();
    let (url, _) = leads(move |seen| match seen.path.as_str() {
        "/elsewhere" => leading(302, &other),
        "/loop" => leading(302, "/loop"),
        "/odd" => leading(302, "javascript:alert(1)"),
        "/secret" => leading(302, "http://user:password@127.0.0.1/"),
        "/gone" => leading(302, &refused),
        _ => leading(301, ""),
    });
    for protocol in PROTOCOLS {
        for (path, kind, why) in [
            ("/elsewhere", "redirect", "Tare sends load only to the hosts of the command line"),
            ("/loop", "redirect", "it leads to more redirects after 10"),
            ("/odd", "redirect", "it leads to `javascript:alert(1)`"),
            ("/secret", "redirect", "requests can't go to that URL"),
            ("/gone", "refused", "the first request failed: refused"),
            ("/nowhere", "http-3xx", "the first request failed: http-3xx (status 301)"),
        ] {
            let url = format!("{url}{path}");
            let arguments = [&[url.as_str(), "-n", "3", "-c", "1", "--follow"], protocol].concat();
            assert_eq!(failures(&load(&dir, 4, &arguments)), &json!({ kind: 3 }), "{path} {protocol:?}");
            shown(&dir, 4, &arguments).says_once(&[why]);
        }
    }
    assert_eq!(elsewhere.connections(), 0);
}

/// A server whose redirects lead somewhere new each time takes no memory without end, and none of its requests is lost.
#[test]
fn redirects_that_never_repeat_are_followed() {
    for protocol in PROTOCOLS {
        let dir = Dir::new();
        let count = std::sync::atomic::AtomicU64::new(0);
        let (url, seen) = leads(move |seen| match seen.path.as_str() {
            "/" => leading(303, &format!("/session/{}", count.fetch_add(1, std::sync::atomic::Ordering::SeqCst))),
            _ => body("ok"),
        });
        let document = load(&dir, 0, &[&[url.as_str(), "-n", "300", "-c", "2", "--follow"], protocol].concat());
        assert_eq!(request(&document)["statuses"], json!({"200": 300}), "{protocol:?}");
        assert_eq!(seen.lock().unwrap().len(), 602);
    }
}
