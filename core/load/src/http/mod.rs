//! HTTP/1.1 and HTTP/2 requests, over TCP or TLS.
//!
//! HTTP/1.1 is written here: the answer is read into one buffer of the thread, its head parsed by `httparse`, its body counted and
//! forgotten, so that a request allocates nothing and a server that never ends takes no memory. HTTP/2 is hyper's. Why is in decision 19.

mod chunks;
mod connect;
mod cookies;
mod expected;
mod http1;
mod http2;
mod probe;
mod redirects;
mod request;
mod response;
mod target;
mod tls;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::time::Instant;

use crate::client::{Answer, Client, Clients, Failure};

pub use expected::{Expected, ExpectedError};
pub use probe::{Address, Probe, probe};
use redirects::{Redirects, leads_on};
use request::Prepared;
pub use request::{Request, RequestError};
pub use tare_tls::{TlsError, Trust};
pub use target::{Target, TargetError};
pub use tls::{NoServerName, Tls};

/// A failure of each kind, as it is counted.
pub mod kind {
    /// The name has no address.
    pub const DNS: &str = "dns";
    /// Nobody listens.
    pub const REFUSED: &str = "refused";
    /// There is no way there.
    pub const UNREACHABLE: &str = "unreachable";
    /// Another reason why there is no connection.
    pub const CONNECT: &str = "connect";
    /// The TLS handshake failed.
    pub const TLS: &str = "tls";
    /// It took longer than allowed.
    pub const TIMEOUT: &str = "timeout";
    /// The server reset the connection.
    pub const RESET: &str = "reset";
    /// The server closed the connection before the answer was complete.
    pub const CLOSED: &str = "closed";
    /// What came is no HTTP.
    pub const GARBAGE: &str = "garbage";
    /// The head of the answer is longer than is kept.
    pub const TOO_LARGE: &str = "head-too-large";
    /// Where the answer leads is not followed: to another host, or on and on.
    pub const REDIRECT: &str = "redirect";
    /// A complete answer with a status that wasn't expected, of 200 to 299.
    pub const STATUS_2XX: &str = "http-2xx";
    /// Of 300 to 399.
    pub const STATUS_3XX: &str = "http-3xx";
    /// Of 400 to 499.
    pub const STATUS_4XX: &str = "http-4xx";
    /// Of 500 or more.
    pub const STATUS_5XX: &str = "http-5xx";
}

/// Which HTTP is spoken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Version {
    /// HTTP/1.0, as old clients and proxies speak it; kept connections are asked for.
    OnePointZero,
    /// HTTP/1.1.
    One,
    /// HTTP/2: by ALPN over TLS, with prior knowledge else. Each connection carries one request at a time.
    Two,
}

/// How connections are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Connections {
    /// Which HTTP.
    pub version: Version,
    /// A connection carries many requests.
    pub keep_alive: bool,
    /// Each connection sends back the cookies that it was given.
    pub cookies: bool,
    /// Redirects are followed on the target's host.
    pub follow: bool,
    /// Other statuses are failures.
    pub expected: Expected,
}

impl Connections {
    /// Kept connections by which nothing else is asked for.
    pub const fn of(version: Version) -> Self {
        Self { version, keep_alive: true, cookies: false, follow: false, expected: Expected::STANDARD }
    }
}

/// Makes connections to targets that have been probed.
#[derive(Debug)]
pub struct HttpClients {
    endpoints: Vec<Arc<Endpoint>>,
}

/// Clients begin so many requests apart: a prime, so that they are spread over any number of requests.
const SPREAD: usize = 7919;

/// A target as its connections see it.
#[derive(Debug)]
struct Endpoint {
    address: Address,
    tls: Option<Tls>,
    name: Option<rustls::pki_types::ServerName<'static>>,
    target: Target,
    /// For where redirects lead.
    any_tls: Tls,
    /// What `requests` were made of, where redirects are followed.
    sources: Vec<Request>,
    /// One after the other, then from the beginning.
    requests: Vec<Prepared>,
    /// Clients that were made: each begins at another request.
    clients: AtomicUsize,
    connections: Connections,
}

impl HttpClients {
    /// Clients of targets, each with the address at which it was found. Each connection sends one of `requests` after the other, beginning with another one.
    ///
    /// # Errors
    /// A request that can't be made of a target and the headers.
    pub fn new(
        targets: &[(Target, Address)],
        requests: &[Request],
        tls: &Tls,
        connections: Connections,
    ) -> Result<Self, RequestError> {
        Self::from(targets, requests, tls, connections, 0)
    }

    /// As [`new`](Self::new), where `earlier` connections of other generators begin with the requests before.
    ///
    /// # Errors
    /// As there.
    pub fn from(
        targets: &[(Target, Address)],
        requests: &[Request],
        tls: &Tls,
        connections: Connections,
        earlier: usize,
    ) -> Result<Self, RequestError> {
        let endpoint = |(target, address): &(Target, Address)| {
            Endpoint::new(target, address.clone(), requests, tls, connections).map(|mut endpoint| {
                endpoint.clients = AtomicUsize::new(earlier);
                Arc::new(endpoint)
            })
        };
        Ok(Self { endpoints: targets.iter().map(endpoint).collect::<Result<_, _>>()? })
    }
}

impl Endpoint {
    fn new(
        target: &Target,
        address: Address,
        requests: &[Request],
        tls: &Tls,
        connections: Connections,
    ) -> Result<Self, RequestError> {
        let prepared = |request: &Request| request.prepared(target, connections);
        Ok(Self {
            address,
            tls: target.is_secure().then(|| tls.clone()),
            name: target.server_name(),
            target: target.clone(),
            any_tls: tls.clone(),
            sources: if connections.follow { requests.to_vec() } else { Vec::new() },
            requests: requests.iter().map(prepared).collect::<Result<_, _>>()?,
            clients: AtomicUsize::new(0),
            connections,
        })
    }

    /// Where the next client begins: far from the one before.
    fn first(&self) -> usize {
        self.clients.fetch_add(1, Ordering::Relaxed).wrapping_mul(SPREAD) % self.requests.len().max(1)
    }

    /// The request after this one.
    fn after(&self, at: usize) -> usize {
        if at + 1 < self.requests.len() { at + 1 } else { 0 }
    }

    /// Another port or scheme of the same machine.
    fn elsewhere(&self, target: &Target) -> Result<Self, RequestError> {
        let address = match &self.address {
            Address::Tcp(address) => Address::Tcp((address.ip(), target.port()).into()),
            Address::Unix(path) => Address::Unix(path.clone()),
        };
        Self::new(target, address, &[], &self.any_tls, self.connections)
    }

    fn client(self: &Arc<Self>) -> HttpClient {
        let redirects = self.connections.follow.then(Box::default);
        HttpClient { endpoint: Arc::clone(self), at: self.first(), connection: Connection::new(self), redirects }
    }
}

impl Clients for HttpClients {
    type Client = HttpClient;

    fn client(&self, target: usize) -> HttpClient {
        self.endpoints[target].client()
    }
}

/// One connection, which sends one request of its target after the other.
#[derive(Debug)]
pub struct HttpClient {
    endpoint: Arc<Endpoint>,
    /// The request that is sent next.
    at: usize,
    connection: Connection,
    /// `None`: they aren't followed.
    redirects: Option<Box<Redirects>>,
}

#[derive(Debug)]
enum Connection {
    One(http1::Http1),
    Two(http2::Http2),
}

/// A complete answer.
#[derive(Debug, Clone, Copy)]
struct Exchanged {
    status: u16,
    /// Of its body, as they came: what is compressed is counted so, and what frames it isn't.
    bytes: u64,
}

impl Connection {
    fn new(endpoint: &Arc<Endpoint>) -> Self {
        match endpoint.connections.version {
            Version::OnePointZero | Version::One => Self::One(http1::Http1::new(Arc::clone(endpoint))),
            Version::Two => Self::Two(http2::Http2::new(Arc::clone(endpoint))),
        }
    }

    async fn exchange(&mut self, request: &Prepared, by: Instant) -> Result<Exchanged, Failure> {
        match self {
            Self::One(connection) => connection.exchange(request, by).await,
            Self::Two(connection) => connection.exchange(request, by).await,
        }
    }

    /// Where the last answer leads; empty where nowhere, or nobody asks.
    fn location(&self) -> &[u8] {
        match self {
            Self::One(connection) => connection.location(),
            Self::Two(connection) => connection.location(),
        }
    }

    fn take_connects(&mut self) -> u64 {
        match self {
            Self::One(connection) => connection.take_connects(),
            Self::Two(connection) => connection.take_connects(),
        }
    }
}

impl Client for HttpClient {
    async fn prepare(&mut self, by: Instant) -> Result<(), Failure> {
        match &mut self.connection {
            Connection::One(connection) => connection.prepare(by).await,
            Connection::Two(connection) => connection.prepare(by).await,
        }
    }

    async fn operate(&mut self, by: Instant) -> Result<Answer, Failure> {
        // One that fails, in whatever way, has had its turn: it isn't sent again in place of the next.
        let at = self.at;
        self.at = self.endpoint.after(at);
        let Self { endpoint, connection, redirects, .. } = self;
        let mut answer = connection.exchange(&endpoint.requests[at], by).await?;
        if let (Some(redirects), true) = (redirects, leads_on(answer.status)) {
            answer = redirects.follow((endpoint, connection), at, answer, by).await?;
        }
        judged(answer, &self.endpoint.connections.expected)
    }

    fn take_connects(&mut self) -> u64 {
        let others = self.redirects.as_mut().map_or(0, |redirects| redirects.take_connects());
        self.connection.take_connects() + others
    }
}

/// A complete answer: a status that wasn't expected is a failure.
fn judged(Exchanged { status, bytes }: Exchanged, expected: &Expected) -> Result<Answer, Failure> {
    if expected.contains(status) {
        return Ok(Answer { status: Some(status), bytes });
    }
    let kind = match status {
        ..300 => kind::STATUS_2XX,
        300..400 => kind::STATUS_3XX,
        400..500 => kind::STATUS_4XX,
        _ => kind::STATUS_5XX,
    };
    Err(Failure { status: Some(status), ..Failure::of(kind) })
}

/// The wait for names to be resolved.
const RESOLVING: Duration = Duration::from_secs(10);

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::time::Duration;

    use tokio::time::Instant;

    use super::{Address, Connections, HttpClients, Request, Target, Tls, Trust, Version};
    use crate::client::{Client, Clients};

    #[tokio::test]
    async fn a_request_that_finds_nobody_has_had_its_turn() {
        let target = Target::parse("http://localhost/").unwrap();
        let requests = ["/a", "/b", "/c"].map(|path| Request::new(None, &[], None).unwrap().to_path(path));
        for version in [Version::OnePointZero, Version::One, Version::Two] {
            let tls = Tls::new(&Trust::Anybody, version).unwrap();
            let connections = Connections::of(version);
            let nobody = Address::Unix(PathBuf::from("/nowhere/socket"));
            let clients = HttpClients::new(&[(target.clone(), nobody)], &requests, &tls, connections).unwrap();
            let mut client = clients.client(0);
            for next in [1, 2, 0] {
                let failed = client.operate(Instant::now() + Duration::from_secs(60)).await.unwrap_err();
                assert!(failed.connecting, "{failed:?}");
                assert_eq!(client.at, next, "{version:?}");
            }
        }
    }
}
