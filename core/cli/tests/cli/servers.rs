//! Small servers on free ports of the loopback, good ones and bad ones. Each serves until the test's process ends.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use http_body_util::Full;
use hyper::body::Bytes;
use hyper::{Response, service::service_fn};
use hyper_util::rt::{TokioExecutor, TokioIo};

/// A good answer.
pub(crate) const OK: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

/// A server, and what it has seen.
pub(crate) struct Server {
    port: u16,
    /// Connections that it took.
    connections: Arc<AtomicU64>,
    /// Requests that it read.
    requests: Arc<AtomicU64>,
    /// The last request, head and body.
    last: Arc<Mutex<Vec<u8>>>,
}

/// One connection to a [`Server`].
pub(crate) struct Connection {
    stream: TcpStream,
    requests: Arc<AtomicU64>,
    last: Arc<Mutex<Vec<u8>>>,
}

impl Server {
    /// Serves every connection in a thread of its own.
    pub(crate) fn new(serve: impl Fn(&mut Connection) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let server = Self {
            port: listener.local_addr().unwrap().port(),
            connections: Arc::default(),
            requests: Arc::default(),
            last: Arc::default(),
        };
        let serve = Arc::new(serve);
        let (connections, requests, last) =
            (Arc::clone(&server.connections), Arc::clone(&server.requests), Arc::clone(&server.last));
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                connections.fetch_add(1, Ordering::SeqCst);
                let serve = Arc::clone(&serve);
                let mut connection = Connection { stream, requests: Arc::clone(&requests), last: Arc::clone(&last) };
                std::thread::spawn(move || serve(&mut connection));
            }
        });
        server
    }

    /// Answers every request with the same bytes.
    pub(crate) fn answering(bytes: impl Into<Vec<u8>>) -> Self {
        let bytes = bytes.into();
        Self::new(move |connection| while connection.request() && connection.say(&bytes) {})
    }

    /// Reads a request, says the bytes, and closes.
    pub(crate) fn closing_after(bytes: impl Into<Vec<u8>>) -> Self {
        let bytes = bytes.into();
        Self::new(move |connection| {
            connection.request();
            connection.say(&bytes);
        })
    }

    /// Answers with a status and no body.
    pub(crate) fn with_status(status: &str) -> Self {
        Self::answering(format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n"))
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/", self.port)
    }

    pub(crate) fn connections(&self) -> u64 {
        self.connections.load(Ordering::SeqCst)
    }

    pub(crate) fn requests(&self) -> u64 {
        self.requests.load(Ordering::SeqCst)
    }

    pub(crate) fn last(&self) -> String {
        String::from_utf8_lossy(&self.last.lock().unwrap()).into_owned()
    }
}

impl Connection {
    /// The request that was read last, on whichever connection.
    pub(crate) fn last(&self) -> String {
        String::from_utf8_lossy(&self.last.lock().unwrap()).into_owned()
    }

    /// Reads one request with its body; `false` where there is none any more.
    pub(crate) fn request(&mut self) -> bool {
        let mut seen = Vec::new();
        let mut buffer = [0; 4096];
        loop {
            if let Some(end) = seen.windows(4).position(|window| window == b"\r\n\r\n") {
                let head = String::from_utf8_lossy(&seen[..end]).to_lowercase();
                let length = head.lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse().ok());
                if seen.len() >= end + 4 + length.unwrap_or(0) {
                    break;
                }
            }
            match self.stream.read(&mut buffer) {
                Ok(0) | Err(_) => return false,
                Ok(count) => seen.extend_from_slice(&buffer[..count]),
            }
        }
        *self.last.lock().unwrap() = seen;
        self.requests.fetch_add(1, Ordering::SeqCst);
        true
    }

    pub(crate) fn say(&mut self, bytes: &[u8]) -> bool {
        self.stream.write_all(bytes).is_ok()
    }

    /// Waits for what is sent, and reads only a part of it: the kernel resets a connection that is closed so.
    pub(crate) fn reset(&mut self) {
        let _ = self.stream.read(&mut [0; 1]);
    }

    pub(crate) fn wait(&self, duration: Duration) {
        std::thread::sleep(duration);
    }
}

/// A port that nobody listens on.
pub(crate) fn nobody() -> String {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    format!("http://127.0.0.1:{port}/")
}

/// A certificate with its key, signed by itself, for a name and some years.
pub(crate) struct Certificate {
    pub(crate) pem: String,
    config: Arc<rustls::ServerConfig>,
}

impl Certificate {
    pub(crate) fn new(name: &str, years: std::ops::Range<i32>) -> Self {
        let mut parameters = rcgen::CertificateParams::new([name.to_owned()]).unwrap();
        // Else all have the same, and one is looked up as the issuer of another.
        parameters.distinguished_name = rcgen::DistinguishedName::new();
        parameters.distinguished_name.push(rcgen::DnType::CommonName, format!("tare's test {name} {years:?}"));
        parameters.not_before = rcgen::date_time_ymd(years.start, 1, 1);
        parameters.not_after = rcgen::date_time_ymd(years.end, 1, 1);
        let key = rcgen::KeyPair::generate().unwrap();
        let certificate = parameters.self_signed(&key).unwrap();
        let private = rustls::pki_types::PrivateKeyDer::try_from(key.serialize_der()).unwrap();
        let mut config =
            rustls::ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
                .with_safe_default_protocol_versions()
                .unwrap()
                .with_no_client_auth()
                .with_single_cert(vec![certificate.der().clone()], private)
                .unwrap();
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Self { pem: certificate.pem(), config: Arc::new(config) }
    }
}

/// A server by hyper: over TLS where there is a certificate, HTTP/2 or HTTP/1.1 as the client wants it; in the clear HTTP/2
/// with prior knowledge. `status` answers by the number of the request, from 0. Returns its port and the count of requests.
pub(crate) fn modern(
    certificate: Option<&Certificate>,
    status: impl Fn(u64) -> u16 + Send + Sync + 'static,
) -> (u16, Arc<AtomicU64>) {
    let (requests, status) = (Arc::new(AtomicU64::new(0)), Arc::new(status));
    let counted = Arc::clone(&requests);
    let tls = certificate.map(|certificate| tokio_rustls::TlsAcceptor::from(Arc::clone(&certificate.config)));
    let (sender, receiver) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async move {
            let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
            sender.send(listener.local_addr().unwrap().port()).unwrap();
            while let Ok((stream, _)) = listener.accept().await {
                let (tls, requests, status) = (tls.clone(), Arc::clone(&counted), Arc::clone(&status));
                let answer = service_fn(move |_: hyper::Request<hyper::body::Incoming>| {
                    let number = requests.fetch_add(1, Ordering::SeqCst);
                    let answer = Response::builder().status(status(number)).body(Full::new(Bytes::from("hello")));
                    async move { answer }
                });
                tokio::spawn(async move {
                    let builder = hyper_util::server::conn::auto::Builder::new(TokioExecutor::new());
                    // What clients do to connections is theirs to say.
                    let _ = match tls {
                        Some(tls) => match tls.accept(stream).await {
                            Ok(stream) => builder.serve_connection(TokioIo::new(stream), answer).await,
                            Err(_) => return,
                        },
                        None => builder.serve_connection(TokioIo::new(stream), answer).await,
                    };
                });
            }
        });
    });
    (receiver.recv().unwrap(), requests)
}
