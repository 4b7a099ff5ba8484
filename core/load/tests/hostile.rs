//! Servers that are absent, rude or broken: each is counted for what it is, and none takes memory or time without end.
#![allow(clippy::unwrap_used, reason = "a test that can't be set up has failed")]

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use tare_load::driver::run;
use tare_load::http::{Address, Connections, HttpClients, Request, Target, Tls, Trust, Version, kind, probe};
use tare_load::plan::{Block, Outcome, Plan};
use tare_load::schedule::Pace;

const KEPT: Connections = Connections::of(Version::One);

/// A server on a free port of the loopback; `serve` has every connection, each in a thread.
fn server(serve: impl Fn(TcpStream) + Send + Sync + 'static) -> SocketAddr {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let address = listener.local_addr().unwrap();
    let serve = Arc::new(serve);
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let serve = Arc::clone(&serve);
            std::thread::spawn(move || serve(stream));
        }
    });
    address
}

/// Reads one request; `false` where there is none any more.
fn request(stream: &mut TcpStream) -> bool {
    let mut seen = Vec::new();
    let mut buffer = [0; 4096];
    while !seen.windows(4).any(|window| window == b"\r\n\r\n") {
        match stream.read(&mut buffer) {
            Ok(0) | Err(_) => return false,
            Ok(count) => seen.extend_from_slice(&buffer[..count]),
        }
    }
    true
}

/// Answers every request with the same bytes.
fn answering(bytes: &'static [u8]) -> SocketAddr {
    server(move |mut stream| while request(&mut stream) && stream.write_all(bytes).is_ok() {})
}

/// Reads a request, says the bytes, and closes.
fn closing_after(bytes: &'static [u8]) -> SocketAddr {
    server(move |mut stream| {
        request(&mut stream);
        let _ = stream.write_all(bytes);
    })
}

fn load(address: SocketAddr, operations: u64, timeout: Duration) -> Outcome {
    let target = Target::parse(&format!("http://{address}/")).unwrap();
    let request = Request::new(None, &[], None).unwrap();
    let tls = Tls::new(&Trust::Anybody, Version::One).unwrap();
    let clients = HttpClients::new(&[(target, Address::Tcp(address))], &[request], &tls, KEPT).unwrap();
    let block = Block {
        target: 0,
        round: 0,
        length: None,
        operations: Some(operations),
        settling: Duration::ZERO,
        measured: true,
        renewed: false,
    };
    let plan =
        Plan { targets: 1, connections: 2, threads: 2, pace: Pace::Closed, timeout, seed: 1, blocks: vec![block] };
    run(&plan, &clients, &Arc::new(AtomicBool::new(false)), &mut |_| {}).unwrap()
}

fn failures(outcome: &Outcome) -> Vec<(String, u64)> {
    outcome.series[0].total.failures.iter().map(|(kind, count)| (kind.to_owned(), count)).collect()
}

const PATIENT: Duration = Duration::from_secs(20);
const SHORT: Duration = Duration::from_millis(100);

#[test]
fn a_good_server_has_no_failures() {
    let outcome = load(answering(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"), 500, PATIENT);
    let total = &outcome.series[0].total;
    assert_eq!((total.succeeded(), failures(&outcome)), (500, vec![]));
    assert!((1..=2).contains(&total.connects), "connections are kept: {}", total.connects);
    assert_eq!(total.statuses.iter().collect::<Vec<_>>(), [(200, 500)]);
    assert_eq!(total.bytes, 500 * 2, "of bodies, without headers");
}

#[test]
fn failures_are_told_apart() {
    for (address, expected) in [
        (closing_after(b""), kind::CLOSED),
        (closing_after(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"), kind::CLOSED),
        (closing_after(b"HTTP/1.1 200"), kind::CLOSED),
        (answering(b"SSH-2.0-OpenSSH_9.2\r\n\r\n"), kind::GARBAGE),
        (answering(b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nmore"), kind::GARBAGE),
        (answering(b"HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n"), kind::STATUS_5XX),
        (answering(b"HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n"), kind::STATUS_4XX),
    ] {
        let outcome = load(address, 20, PATIENT);
        assert_eq!(failures(&outcome), [(expected.to_owned(), 20)]);
        assert_eq!(outcome.series[0].total.succeeded(), 0);
    }
}

#[test]
fn a_server_that_is_absent_refuses() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let outcome = load(address, 4, PATIENT);
    assert_eq!(failures(&outcome), [(kind::REFUSED.to_owned(), 4)]);
    assert_eq!(outcome.unprepared[0].as_ref().unwrap().1.kind, kind::REFUSED);
}

#[test]
fn a_server_that_resets_is_seen_to() {
    // What isn't read when a connection is closed makes the kernel reset it.
    let address = server(|mut stream| {
        let _ = stream.read(&mut [0; 1]);
    });
    let outcome = load(address, 20, PATIENT);
    assert_eq!(failures(&outcome), [(kind::RESET.to_owned(), 20)]);
}

#[test]
fn a_server_that_is_silent_dribbles_or_never_ends_runs_into_the_timeout() {
    let silent = server(|mut stream| while request(&mut stream) {});
    let dribbling = server(|mut stream| {
        request(&mut stream);
        while stream.write_all(b"H").is_ok() {
            std::thread::sleep(Duration::from_secs(1));
        }
    });
    let endless = server(|mut stream| {
        request(&mut stream);
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n");
        while stream.write_all(&[b'x'; 65536]).is_ok() {}
    });
    for address in [silent, dribbling, endless] {
        assert_eq!(failures(&load(address, 4, SHORT)), [(kind::TIMEOUT.to_owned(), 4)]);
    }
}

#[test]
fn a_head_without_end_is_cut_off() {
    let address = server(|mut stream| {
        request(&mut stream);
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n");
        while stream.write_all(b"X-Header: yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy\r\n").is_ok() {}
    });
    assert_eq!(failures(&load(address, 4, PATIENT)), [(kind::TOO_LARGE.to_owned(), 4)]);
}

/// A server may close a connection that it has kept open; the next request goes on a new one and is no failure.
#[test]
fn a_kept_connection_that_the_server_gives_up_is_replaced() {
    let address = closing_after(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    let outcome = load(address, 20, PATIENT);
    assert_eq!((outcome.series[0].total.succeeded(), failures(&outcome)), (20, vec![]));
    assert!(outcome.series[0].total.connects >= 18);
}

/// A TLS server with a certificate for some names, valid in some years.
fn tls_server(names: &[&str], years: std::ops::Range<i32>) -> (u16, String) {
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let mut parameters = rcgen::CertificateParams::new(names).unwrap();
    parameters.not_before = rcgen::date_time_ymd(years.start, 1, 1);
    parameters.not_after = rcgen::date_time_ymd(years.end, 1, 1);
    let key = rcgen::KeyPair::generate().unwrap();
    let certificate = parameters.self_signed(&key).unwrap();
    let private = rustls::pki_types::PrivateKeyDer::try_from(key.serialize_der()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], private)
        .unwrap();
    let config = Arc::new(config);
    let address = server(move |stream| {
        let connection = rustls::ServerConnection::new(Arc::clone(&config)).unwrap();
        let mut stream = rustls::StreamOwned::new(connection, stream);
        let mut buffer = [0; 4096];
        while stream.read(&mut buffer).is_ok_and(|count| count > 0) {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
        }
    });
    (address.port(), certificate.pem())
}

#[test]
fn certificates_that_are_not_valid_are_refused_each_with_its_reason() {
    let (good, pem) = tls_server(&["localhost"], 2020..2090);
    let (expired, expired_pem) = tls_server(&["localhost"], 2010..2011);
    let (other, other_pem) = tls_server(&["example.com"], 2020..2090);
    let folder = std::env::temp_dir().join(format!("tare-load-certificates-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let trusted = |pem: &str, name: &str| {
        let path = folder.join(name);
        std::fs::write(&path, pem).unwrap();
        Trust::File(path)
    };
    let ask = |port: u16, trust: &Trust| {
        let target = Target::parse(&format!("https://localhost:{port}/")).unwrap();
        let request = Request::new(None, &[], None).unwrap();
        let found = probe((&target, None), &request, &Tls::new(trust, Version::One).unwrap(), KEPT, PATIENT);
        found.map(|probe| probe.answer.unwrap().status).map_err(|failure| (failure.kind, failure.detail))
    };
    assert_eq!(ask(good, &trusted(&pem, "good")), Ok(Some(200)));
    assert_eq!(ask(expired, &Trust::Anybody), Ok(Some(200)));
    for (port, trust, reason) in [
        (good, Trust::System, "no trusted authority signed its certificate"),
        (expired, trusted(&expired_pem, "expired"), "has expired"),
        (other, trusted(&other_pem, "other"), "is for another name"),
    ] {
        let (kind, detail) = ask(port, &trust).unwrap_err();
        assert_eq!(kind, kind::TLS);
        assert!(detail.contains(reason), "{detail}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_name_without_an_address_is_told() {
    let target = Target::parse("http://no-such-name.invalid/").unwrap();
    let request = Request::new(None, &[], None).unwrap();
    let tls = Tls::new(&Trust::Anybody, Version::One).unwrap();
    let failure = probe((&target, None), &request, &tls, KEPT, PATIENT).unwrap_err();
    assert_eq!(failure.kind, kind::DNS);
    assert!(failure.detail.contains("looked up") || failure.detail.contains("no address"), "{}", failure.detail);
}

#[test]
fn what_the_threads_of_a_load_did_is_counted() {
    let outcome = load(answering(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"), 200, Duration::from_secs(10));
    let (worked, waited) = outcome.effort.shares().unwrap();
    assert!(worked > 0.0 && worked + waited < 1.05, "{:?}", outcome.effort);
}
