//! Small servers on free ports of the loopback, good ones and bad ones. Each serves until the test's process ends.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::{Response, service::service_fn};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::io::{AsyncRead, AsyncWrite};

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

/// A request as a server by hyper saw it.
#[derive(Debug, Clone)]
pub(crate) struct Seen {
    /// The name that was asked for when TLS was agreed on.
    pub(crate) sni: Option<String>,
    /// `HTTP/1.1`.
    pub(crate) version: String,
    pub(crate) method: String,
    /// Whom it is for: the `Host` header of HTTP/1, the authority of HTTP/2.
    pub(crate) host: String,
    pub(crate) path: String,
    /// `name: value` of the headers, the names in lower case.
    pub(crate) headers: Vec<String>,
    pub(crate) body: String,
    /// From 0.
    pub(crate) connection: u64,
}

pub(crate) type Answer = Response<Full<Bytes>>;

/// An answer without a body that leads elsewhere.
pub(crate) fn leading(status: u16, location: &str) -> Answer {
    Response::builder().status(status).header("location", location).body(Full::default()).unwrap()
}

/// Where such a server listens.
pub(crate) enum Place<'a> {
    Loopback,
    Unix(&'a Path),
}

/// A server by hyper: over TLS where there is a certificate, HTTP/2 or HTTP/1 as the client wants it; in the clear HTTP/2 with prior
/// knowledge. Returns its port (0 of a Unix socket) and what it saw, before it was answered.
pub(crate) fn recording(
    place: Place<'_>,
    certificate: Option<&Certificate>,
    answer: impl Fn(&Seen) -> Answer + Send + Sync + 'static,
) -> (u16, Arc<Mutex<Vec<Seen>>>) {
    let server = Recording {
        tls: certificate.map(|certificate| tokio_rustls::TlsAcceptor::from(Arc::clone(&certificate.config))),
        seen: Arc::default(),
        answer: Arc::new(answer),
    };
    let seen = Arc::clone(&server.seen);
    let socket = match place {
        Place::Loopback => None,
        Place::Unix(path) => Some(path.to_owned()),
    };
    let (sender, receiver) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async move {
            if let Some(path) = socket {
                let listener = tokio::net::UnixListener::bind(path).unwrap();
                sender.send(0).unwrap();
                for number in 0.. {
                    let Ok((stream, _)) = listener.accept().await else { break };
                    tokio::spawn(server.clone().serve(stream, number));
                }
                return;
            }
            let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
            sender.send(listener.local_addr().unwrap().port()).unwrap();
            for number in 0.. {
                let Ok((stream, _)) = listener.accept().await else { break };
                tokio::spawn(server.clone().serve(stream, number));
            }
        });
    });
    (receiver.recv().unwrap(), seen)
}

#[derive(Clone)]
struct Recording {
    tls: Option<tokio_rustls::TlsAcceptor>,
    seen: Arc<Mutex<Vec<Seen>>>,
    answer: Arc<dyn Fn(&Seen) -> Answer + Send + Sync>,
}

impl Recording {
    async fn serve(self, stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static, number: u64) {
        // What clients do to connections is theirs to say.
        match &self.tls {
            None => self.speak(stream, None, number).await,
            Some(tls) => {
                let Ok(stream) = tls.accept(stream).await else { return };
                let sni = stream.get_ref().1.server_name().map(str::to_owned);
                self.speak(stream, sni, number).await;
            }
        }
    }

    async fn speak(
        &self,
        stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
        sni: Option<String>,
        connection: u64,
    ) {
        let service = service_fn(|request: hyper::Request<hyper::body::Incoming>| {
            let (head, body) = request.into_parts();
            let (sni, server) = (sni.clone(), self.clone());
            async move {
                let body = body.collect().await?.to_bytes();
                let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
                let host = head.uri.authority().map(ToString::to_string);
                let seen = Seen {
                    sni,
                    version: format!("{:?}", head.version),
                    method: head.method.to_string(),
                    host: host
                        .or_else(|| head.headers.get("host").map(|host| text(host.as_bytes())))
                        .unwrap_or_default(),
                    path: head.uri.path_and_query().map(ToString::to_string).unwrap_or_default(),
                    headers: head
                        .headers
                        .iter()
                        .map(|(name, value)| format!("{name}: {}", text(value.as_bytes())))
                        .collect(),
                    body: text(&body),
                    connection,
                };
                server.seen.lock().unwrap().push(seen.clone());
                Ok::<_, hyper::Error>((server.answer)(&seen))
            }
        });
        let builder = hyper_util::server::conn::auto::Builder::new(TokioExecutor::new());
        let _ = builder.serve_connection(TokioIo::new(stream), service).await;
    }
}

/// As [`recording`] on the loopback. `status` answers by the number of the request, from 0, with the same body. Returns its port and the count of requests.
pub(crate) fn modern(
    certificate: Option<&Certificate>,
    status: impl Fn(u64) -> u16 + Send + Sync + 'static,
) -> (u16, Arc<AtomicU64>) {
    let requests: Arc<AtomicU64> = Arc::default();
    let counted = Arc::clone(&requests);
    let answer = move |_: &Seen| {
        let number = counted.fetch_add(1, Ordering::SeqCst);
        Response::builder().status(status(number)).body(Full::new(Bytes::from("hello"))).unwrap()
    };
    (recording(Place::Loopback, certificate, answer).0, requests)
}
