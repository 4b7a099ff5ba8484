//! What `tare load http` sends: requests by weight, values from a file, cookies, HTTP/1.0, and over a Unix socket.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixListener;
use std::sync::{Arc, Mutex};

use serde_json::json;

use crate::harness::Dir;
use crate::load::{load, request, shown};
use crate::servers::{OK, Server};

/// A server that keeps every request, and answers with these bytes.
fn keeping(answer: &'static [u8]) -> (Server, Arc<Mutex<Vec<String>>>) {
    let kept: Arc<Mutex<Vec<String>>> = Arc::default();
    let mine = Arc::clone(&kept);
    let server = Server::new(move |connection| {
        while connection.request() {
            mine.lock().unwrap().push(connection.last());
            if !connection.say(answer) {
                break;
            }
        }
    });
    (server, kept)
}

#[test]
fn requests_are_sent_in_the_parts_of_their_weights_with_values_of_a_file() {
    let (dir, (server, kept)) = (Dir::new(), keeping(OK));
    dir.file("users.csv", "user,item\nann,7\nbob,8\n").file("headers", "X-User: {user}\n");
    let asked = ["--request", "3 /items/{item}", "--request", "1 POST /cart", "--data", "users.csv"];
    let given = ["-H", "@headers", "-X", "GET", "-n", "80", "-c", "1"];
    let document = load(&dir, 0, &[&[server.url().as_str()], &asked[..], &given[..]].concat());
    assert_eq!(request(&document)["count"], json!(80));
    assert_eq!(document["targets"][0]["about"], "HTTP/1.1, 8 requests in turn");
    // The first only looks whether there is anything.
    let seen: Vec<String> = kept.lock().unwrap().iter().skip(1).cloned().collect();
    let count = |line: &str, user: &str| {
        let user = format!("x-user: {user}\r\n");
        seen.iter().filter(|request| request.starts_with(line) && request.to_lowercase().contains(&user)).count()
    };
    assert_eq!((count("GET /items/7 ", "ann"), count("GET /items/8 ", "bob")), (30, 30));
    assert_eq!((count("POST /cart ", "ann"), count("POST /cart ", "bob")), (10, 10));
    for (more, why) in [
        (&["--request", "x /a"][..], "the weight is no whole number"),
        (&["--request", "1 http://other/"], "begin with one `/`"),
        (&["--data", "users.csv"], "no request uses {user}"),
        (&["--data", "nothing.csv"], "nothing.csv"),
    ] {
        shown(&dir, 2, &[&[server.url().as_str(), "-n", "1"], more].concat()).says_once(&[why]);
    }
}

#[test]
fn each_connection_sends_back_the_cookies_that_it_was_given() {
    const SETS: &[u8] = b"HTTP/1.1 200 OK\r\nSet-Cookie: session=abc; Path=/; HttpOnly\r\nSet-Cookie: theme=dark\r\n\
        Set-Cookie: old=1; Max-Age=0\r\nContent-Length: 2\r\n\r\nok";
    let (dir, (server, kept)) = (Dir::new(), keeping(SETS));
    load(&dir, 0, &[&server.url(), "-n", "6", "-c", "2", "--cookies"]);
    let cookies = || -> Vec<Option<String>> {
        let kept = kept.lock().unwrap();
        let line = |request: &String| request.lines().find(|line| line.starts_with("Cookie: ")).map(str::to_owned);
        kept.iter().map(line).collect()
    };
    let seen = cookies();
    assert!(seen.iter().flatten().all(|line| line == "Cookie: session=abc; theme=dark"), "{seen:?}");
    assert_eq!(seen.iter().filter(|line| line.is_none()).count(), 3, "the look, and the first of either connection");
    kept.lock().unwrap().clear();
    load(&dir, 0, &[&server.url(), "-n", "6", "-c", "2"]);
    assert!(cookies().iter().all(Option::is_none), "only where it is asked for");
}

#[test]
fn http_1_0_is_spoken_and_its_connections_are_kept_where_the_server_does() {
    const KEPT: &[u8] = b"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nok";
    let (dir, (server, kept)) = (Dir::new(), keeping(KEPT));
    let document = load(&dir, 0, &[&server.url(), "-n", "10", "-c", "1", "--http1.0"]);
    assert_eq!((&request(&document)["connects"], &document["targets"][0]["about"]), (&json!(1), &json!("HTTP/1.0")));
    let heads: BTreeSet<String> =
        kept.lock().unwrap().iter().map(|all| all.lines().next().unwrap().to_owned()).collect();
    assert_eq!(heads, BTreeSet::from(["GET / HTTP/1.0".to_owned()]));
    let closing = Server::closing_after(b"HTTP/1.0 200 OK\r\n\r\nok".to_vec());
    let document = load(&dir, 0, &[&closing.url(), "-n", "10", "-c", "1", "--http1.0"]);
    // A connection each; another one may have been opened behind the last request.
    let connects = request(&document)["connects"].as_u64().unwrap();
    assert!((10..=11).contains(&connects) && request(&document)["failures"] == json!({}), "{document:#}");
}

#[test]
fn a_unix_socket_is_loaded_in_place_of_the_host() {
    let dir = Dir::new();
    let listener = UnixListener::bind(dir.path().join("socket")).unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            std::thread::spawn(move || {
                let mut lines = BufReader::new(stream.try_clone().unwrap()).lines().map_while(Result::ok);
                let mut stream = stream;
                while lines.any(|line| line.is_empty()) && stream.write_all(OK).is_ok() {}
            });
        }
    });
    let document = load(&dir, 0, &["http://service/", "--unix-socket", "socket", "-n", "50", "-c", "3"]);
    assert_eq!(request(&document)["statuses"], json!({"200": 50}));
    assert_eq!(document["targets"][0]["about"], "HTTP/1.1 over socket");
    let gone = load(&dir, 4, &["http://service/", "--unix-socket", "nothing", "-n", "5", "-c", "1"]);
    assert!(gone["targets"][0]["failure"].as_str().unwrap().starts_with("refused: "), "{gone:#}");
}
