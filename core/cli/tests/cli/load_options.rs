//! Every option of `tare load` with every protocol: it takes effect, or the report says once that it has none. A new option fails the test
//! until it stands in the table.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use http_body_util::Full;
use hyper::Response;
use serde_json::{Value, json};

use crate::harness::{Dir, Finished};
use crate::servers::{Certificate, Place, Seen, leading, recording};

/// What is spoken, and over what.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Protocol {
    flags: &'static [&'static str],
    version: &'static str,
    secure: bool,
    unix: bool,
}

const fn protocol(flags: &'static [&'static str], version: &'static str, secure: bool, unix: bool) -> Protocol {
    Protocol { flags, version, secure, unix }
}

const PROTOCOLS: [Protocol; 8] = [
    protocol(&["--http1.0"], "HTTP/1.0", false, false),
    protocol(&[], "HTTP/1.1", false, false),
    protocol(&["--http2"], "HTTP/2.0", false, false),
    protocol(&["--http1.0"], "HTTP/1.0", true, false),
    protocol(&[], "HTTP/1.1", true, false),
    protocol(&["--http2"], "HTTP/2.0", true, false),
    protocol(&["--http2"], "HTTP/2.0", false, true),
    protocol(&[], "HTTP/1.1", true, true),
];

/// What a load did.
struct Ran {
    dir: Dir,
    protocol: Protocol,
    finished: Finished,
    document: Value,
    seen: Vec<Seen>,
}

impl Ran {
    fn request(&self) -> &Value {
        &self.document["targets"][0]["operations"][0]
    }

    fn all(&self, is_so: impl Fn(&Seen) -> bool) -> bool {
        !self.seen.is_empty() && self.seen.iter().all(is_so)
    }

    fn sent(&self, header: &str) -> bool {
        self.all(|seen| seen.headers.iter().any(|own| own == header))
    }

    fn has_written(&self, file: &str, what: &str) -> bool {
        std::fs::read_to_string(self.dir.path().join(file)).is_ok_and(|text| text.contains(what))
    }

    /// It is told once that an option has no effect.
    fn is_told(&self, option: &str) -> bool {
        self.finished.stderr.matches(&format!("{option} has no effect")).count() == 1
    }

    /// In the clear there is nothing to agree on.
    fn of_tls(&self, option: &str, effect: bool) -> bool {
        if self.protocol.secure { effect && !self.is_told(option) } else { self.is_told(option) }
    }
}

/// The options of a load, and what shows that each took effect.
type Effects = Vec<(&'static str, fn(&Ran) -> bool)>;

/// A load, with a server that sets a cookie; `/old` leads to `/`, `/teapot` has status 418.
fn ran(protocol: Protocol, host: &str, path: &str, asked: &str) -> Ran {
    let asked: Vec<String> = asked.split_whitespace().map(|word| word.replace('_', " ")).collect();
    let asked: Vec<&str> = asked.iter().map(String::as_str).collect();
    let dir = Dir::new();
    let certificate = Certificate::new("b.test", 2020..2090);
    dir.file("b.pem", &certificate.pem).file("items.csv", "item\n7\n8\n");
    let socket = dir.path().join("socket");
    let place = if protocol.unix { Place::Unix(&socket) } else { Place::Loopback };
    let answer = |seen: &Seen| {
        let good = Response::builder().header("set-cookie", "session=abc");
        match seen.path.as_str() {
            "/old" => leading(302, "/"),
            "/teapot" => good.status(418).body(Full::from("short and stout")).unwrap(),
            _ if seen.method == "HEAD" => good.header("content-length", "5").body(Full::default()).unwrap(),
            _ => good.body(Full::from("hello")).unwrap(),
        }
    };
    let (port, seen): (u16, Arc<Mutex<Vec<Seen>>>) = recording(place, protocol.secure.then_some(&certificate), answer);
    let scheme = if protocol.secure { "https" } else { "http" };
    let url = format!("{scheme}://{host}:{}{path}", if port == 0 { 8080 } else { port });
    let over = if protocol.unix { &["--unix-socket", "socket"][..] } else { &[] };
    let finished =
        dir.tare(&[&["load", "http", "--json", &url], asked.as_slice(), protocol.flags, over].concat()).finish(0);
    let document = finished.document().0;
    // The first only looks whether there is anything.
    let seen = seen.lock().unwrap().iter().skip(1).cloned().collect();
    Ran { dir, protocol, finished, document, seen }
}

fn held(ran: &Ran, effects: &Effects) {
    for (option, is_so) in effects {
        assert!(
            is_so(ran),
            "{option} with {:?}\n{:#}\n{}\n{:?}",
            ran.protocol,
            ran.document,
            ran.finished.stderr,
            ran.seen.last()
        );
    }
}

/// Options whose effect doesn't depend on what is spoken, and where they are tested.
const ELSEWHERE: [(&str, &str); 9] = [
    ("--start", "load_started"),
    ("--cpus", "load_started"),
    ("--pid", "load_started"),
    ("--on", "generators"),
    ("--timeout", "load_failures, with HTTP/1 and HTTP/2; operations"),
    ("--no-wait", "hostile_runs"),
    ("--store", "stores"),
    ("--help", "usage"),
    ("--version", "usage"),
];

const ONE_REQUEST: &str = "-n 6 -c 2 --threads 2 --no-keep-alive -X PUT -H Host:c.test -H X-Own:a --body text --cookies \
    --expect 418,200 --sni b.test --cacert b.pem --hdr load.hdr --html load.html --seed 5 --fail-on failures=0% --tag mine \
    --events events";

fn of_one_request() -> Effects {
    vec![
        ("--http1.0", |ran| ran.all(|seen| seen.version == ran.protocol.version)),
        ("--http2", |ran| ran.all(|seen| seen.version == ran.protocol.version)),
        ("--unix-socket", |ran| ran.protocol.unix == ran.is_about("over socket")),
        ("--requests", |ran| ran.request()["count"] == 6 && ran.seen.len() == 6),
        ("--connections", |ran| ran.document["targets"][0]["connections"] == 2),
        ("--threads", |ran| !ran.is_told("--threads 2")),
        ("--no-keep-alive", |ran| {
            let connections: BTreeSet<u64> = ran.seen.iter().map(|seen| seen.connection).collect();
            connections.len() == 6 && ran.request()["connects"] == 6
        }),
        ("--method", |ran| ran.all(|seen| seen.method == "PUT")),
        ("--header", |ran| ran.sent("x-own: a") && ran.all(|seen| seen.host == "c.test")),
        ("--body", |ran| ran.all(|seen| seen.body == "text")),
        // Either of two connections has none at first, and keeps what it is given.
        ("--cookies", |ran| {
            let with = |seen: &&Seen| seen.headers.contains(&"cookie: session=abc".to_owned());
            ran.seen.iter().filter(with).count() >= 4
        }),
        ("--expect", |ran| ran.request()["statuses"] == json!({"418": 6}) && ran.request()["failures"] == json!({})),
        ("--sni", |ran| ran.of_tls("--sni", ran.all(|seen| seen.sni.as_deref() == Some("b.test")))),
        // The certificate is signed by nobody else, and for the name that is asked for.
        ("--cacert", |ran| ran.of_tls("--cacert", true)),
        ("--hdr", |ran| ran.has_written("load.hdr", "HIST")),
        ("--html", |ran| ran.has_written("load.html", "<html")),
        ("--seed", |ran| ran.document["seed"] == 5),
        ("--fail-on", |ran| ran.finished.stderr.contains("exit status 0: no gate tripped")),
        ("--tag", |ran| ran.document["tags"] == json!(["mine"])),
        ("--json", |ran| ran.document["format"] == "tare.load"),
        ("--events", |ran| ran.dir.path().join("events").exists()),
    ]
}

/// An underscore stands for a space.
const WORKLOAD: &str = "--rate 100 --arrivals poisson --duration 400ms --warm-up 0 --seed 5 -c 4 --request 3_/items/{item} \
    --request 1_POST_/cart/{item} --data items.csv --no-store --control --margin 3% --insecure --generators 2";

fn of_a_workload() -> Effects {
    vec![
        ("--rate", |ran| ran.document["targets"][0]["rate"] == 100.0),
        ("--arrivals", |ran| ran.document["targets"][0]["arrivals"] == "poisson"),
        // About forty are due to either of the target and its control, and none in advance.
        ("--duration", |ran| (20..=160).contains(&ran.seen.len())),
        ("--warm-up", |ran| (20..=160).contains(&ran.seen.len())),
        ("--request", |ran| ran.has_seen("GET", "/items/7") && ran.has_seen("POST", "/cart/7")),
        ("--data", |ran| ran.has_seen("GET", "/items/7") && ran.has_seen("GET", "/items/8")),
        ("--no-store", |ran| ran.document.get("run").is_none()),
        ("--control", |ran| ran.document["controls"].as_array().is_some_and(|controls| !controls.is_empty())),
        ("--margin", |ran| ran.document["controls"][0]["margin"] == 0.03),
        // The certificate is no trusted authority signed its certificate, and for another name.
        ("--insecure", |ran| ran.of_tls("--insecure", true)),
        ("--generators", |ran| ran.document["generators"].as_array().is_some_and(|generators| generators.len() == 2)),
    ]
}

const GROWING: &str = "--rate 50..100 --stages 2 --for 200ms --warm-up 0 -c 2 --follow --insecure";

fn of_a_growing_rate() -> Effects {
    vec![
        ("--stages", |ran| ran.document["targets"][0]["stages"].as_array().is_some_and(|stages| stages.len() == 2)),
        // A window is as long as it was planned.
        ("--for", |ran| (ran.document["targets"][0]["duration_s"].as_f64().unwrap() - 0.4).abs() < 0.001),
        ("--follow", |ran| {
            let statuses = ran.request()["statuses"].as_object().unwrap();
            statuses.keys().eq(["200"]) && ran.has_seen("GET", "/old") && ran.has_seen("GET", "/")
        }),
    ]
}

impl Ran {
    fn is_about(&self, what: &str) -> bool {
        self.document["targets"][0]["about"].as_str().is_some_and(|about| about.contains(what))
    }

    fn has_seen(&self, method: &str, path: &str) -> bool {
        self.seen.iter().any(|seen| seen.method == method && seen.path == path)
    }
}

/// The options in a help, by their long names.
pub(crate) fn options(help: &Finished) -> BTreeSet<String> {
    let words = help.stdout.lines().map(str::trim_start).filter(|line| line.starts_with('-'));
    let long = words.filter_map(|line| line.split([' ', '=']).find(|word| word.starts_with("--")));
    long.map(|word| word.trim_end_matches("...").to_owned()).collect()
}

#[test]
fn every_option_of_requests_is_in_the_table() {
    let all = [of_one_request(), of_a_workload(), of_a_growing_rate()].concat();
    let mut tested: BTreeSet<String> = all.iter().map(|(option, _)| (*option).to_owned()).collect();
    tested.extend(ELSEWHERE.iter().map(|(option, _)| (*option).to_owned()));
    let dir = Dir::new();
    assert_eq!(options(&dir.tare(&["load", "http", "--help"]).finish(0)), tested);
}

#[test]
fn every_option_of_a_request_takes_effect_with_every_protocol_or_is_told() {
    for protocol in PROTOCOLS {
        held(&ran(protocol, "127.0.0.1", "/teapot", ONE_REQUEST), &of_one_request());
    }
}

#[test]
fn every_option_of_a_workload_takes_effect_with_every_protocol_or_is_told() {
    for protocol in PROTOCOLS {
        held(&ran(protocol, "localhost", "/", WORKLOAD), &of_a_workload());
    }
}

#[test]
fn every_option_of_a_growing_rate_takes_effect_with_every_protocol_or_is_told() {
    for protocol in PROTOCOLS {
        held(&ran(protocol, "localhost", "/old", GROWING), &of_a_growing_rate());
    }
}

/// Bodies alone, as they came: heads, and what frames a body, are another thing in each protocol.
#[test]
fn what_is_received_is_counted_alike_in_every_protocol() {
    for protocol in PROTOCOLS {
        let found = ran(protocol, "localhost", "/", "-n 20 -c 2 --insecure");
        assert_eq!(found.request()["bytes"], json!(20 * "hello".len()), "{protocol:?}");
        let found = ran(protocol, "localhost", "/", "-n 20 -c 2 --insecure -X HEAD");
        assert_eq!(found.request()["bytes"], json!(0), "{protocol:?}");
    }
}
