//! The request that is sent again and again.

use http::header::{CONNECTION, CONTENT_LENGTH, HOST, HeaderName, HeaderValue, TRANSFER_ENCODING, USER_AGENT};
use http::{Method, Version};
use http_body_util::Full;
use hyper::body::Bytes;

use super::{Connections, Target, Version as Spoken};

/// What is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    method: Method,
    headers: Vec<(HeaderName, HeaderValue)>,
    body: Vec<u8>,
    /// Path and query, in the place of the target's.
    path: Option<String>,
}

/// A request as it is sent to one target.
#[derive(Debug)]
pub(super) struct Prepared {
    /// Head and body as HTTP/1 has them.
    pub(super) bytes: Vec<u8>,
    /// Where the empty line begins that ends the head.
    pub(super) head_ends: usize,
    pub(super) http2: http::Request<Full<Bytes>>,
    pub(super) head_only: bool,
    pub(super) idempotent: bool,
}

/// Why a request can't be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RequestError {
    /// The method is no token.
    #[error("`{0}` is not an HTTP method; write GET, POST, …")]
    Method(String),
    /// A header that isn't one.
    #[error("`{0}` is not a header; write it as 'Name: value'")]
    Header(String),
    /// A header that Tare sets.
    #[error("the header {0} can't be set: Tare derives it from the body and the connection; leave it out")]
    Framing(String),
    /// A target and the headers make no request.
    #[error("no request can be made from the URL {0} and the headers given: {1}")]
    Unfit(String, String),
}

const AGENT: &str = concat!("tare/", env!("CARGO_PKG_VERSION"));

impl Request {
    /// A request of a method (GET, or POST where there is a body, if `None`), headers as `Name: value`, and a body.
    ///
    /// # Errors
    /// [`RequestError`].
    pub fn new(method: Option<&str>, headers: &[String], body: Option<Vec<u8>>) -> Result<Self, RequestError> {
        let default = if body.is_some() { "POST" } else { "GET" };
        let method = method.unwrap_or(default);
        let shown = |text: &str| text.escape_debug().to_string();
        let method = Method::from_bytes(method.as_bytes()).map_err(|_| RequestError::Method(shown(method)))?;
        if method == Method::CONNECT {
            return Err(RequestError::Method("CONNECT".to_owned()));
        }
        let parse = |text: &String| {
            let wrong = || RequestError::Header(shown(text));
            let (name, value) = text.split_once(':').ok_or_else(wrong)?;
            let name = HeaderName::from_bytes(name.trim().as_bytes()).map_err(|_| wrong())?;
            let value = HeaderValue::from_str(value.trim()).map_err(|_| wrong())?;
            if [CONTENT_LENGTH, TRANSFER_ENCODING, CONNECTION].contains(&name) {
                return Err(RequestError::Framing(name.to_string()));
            }
            Ok((name, value))
        };
        let headers = headers.iter().map(parse).collect::<Result<_, _>>()?;
        Ok(Self { method, headers, body: body.unwrap_or_default(), path: None })
    }

    /// The same to another path of the target, query included.
    pub fn to_path(self, path: &str) -> Self {
        Self { path: Some(path.to_owned()), ..self }
    }

    /// As it is sent to a target.
    pub(super) fn prepared(&self, target: &Target, connections: Connections) -> Result<Prepared, RequestError> {
        let target = match &self.path {
            Some(path) => &target.at(path).map_err(|error| RequestError::Unfit(path.clone(), error.to_string()))?,
            None => target,
        };
        let bytes = self.http1(target, connections);
        Ok(Prepared {
            head_ends: bytes.len() - self.body.len() - 2,
            bytes,
            http2: self.http2(target)?,
            head_only: self.method == Method::HEAD,
            idempotent: self.method.is_idempotent(),
        })
    }

    fn has(&self, name: &HeaderName) -> bool {
        self.headers.iter().any(|(own, _)| own == name)
    }

    fn sends_length(&self) -> bool {
        !self.body.is_empty() || matches!(self.method, Method::POST | Method::PUT | Method::PATCH)
    }

    /// As HTTP/1 has it.
    fn http1(&self, target: &Target, connections: Connections) -> Vec<u8> {
        let old = connections.version == Spoken::OnePointZero;
        let version = if old { "1.0" } else { "1.1" };
        let mut bytes = format!("{} {} HTTP/{version}\r\n", self.method, target.path()).into_bytes();
        let mut header = |name: &[u8], value: &[u8]| {
            for part in [name, b": ", value, b"\r\n"] {
                bytes.extend_from_slice(part);
            }
        };
        if !self.has(&HOST) {
            header(b"Host", target.authority().as_bytes());
        }
        if !self.has(&USER_AGENT) {
            header(b"User-Agent", AGENT.as_bytes());
        }
        for (name, value) in &self.headers {
            header(name.as_str().as_bytes(), value.as_bytes());
        }
        if self.sends_length() {
            header(b"Content-Length", self.body.len().to_string().as_bytes());
        }
        // What is usual isn't said.
        match (connections.keep_alive, old) {
            (true, true) => header(b"Connection", b"keep-alive"),
            (false, false) => header(b"Connection", b"close"),
            _ => {}
        }
        bytes.extend_from_slice(b"\r\n");
        bytes.extend_from_slice(&self.body);
        bytes
    }

    /// As HTTP/2 has it.
    fn http2(&self, target: &Target) -> Result<http::Request<Full<Bytes>>, RequestError> {
        let mut builder =
            http::Request::builder().method(self.method.clone()).uri(target.to_string()).version(Version::HTTP_2);
        if !self.has(&USER_AGENT) {
            builder = builder.header(USER_AGENT, AGENT);
        }
        for (name, value) in self.headers.iter().filter(|(name, _)| *name != HOST) {
            builder = builder.header(name, value);
        }
        let body = Full::new(Bytes::from(self.body.clone()));
        builder.body(body).map_err(|error| RequestError::Unfit(target.to_string(), error.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::{Request, RequestError, Target};
    use crate::http::{Connections, Version};

    const KEPT: Connections = Connections { version: Version::One, keep_alive: true, cookies: false };

    #[test]
    fn a_request_is_what_the_wire_carries() {
        let target = Target::parse("http://localhost:1/x?y").unwrap();
        let request = Request::new(None, &["Accept: text/html".to_owned()], None).unwrap();
        let text = String::from_utf8(request.http1(&target, KEPT)).unwrap();
        let agent = concat!("tare/", env!("CARGO_PKG_VERSION"));
        let expected =
            format!("GET /x?y HTTP/1.1\r\nHost: localhost:1\r\nUser-Agent: {agent}\r\naccept: text/html\r\n\r\n");
        assert_eq!(text, expected);
        let request = Request::new(None, &["host: other".to_owned()], Some(b"abc".to_vec())).unwrap();
        let text = String::from_utf8(request.http1(&target, Connections { keep_alive: false, ..KEPT })).unwrap();
        assert!(text.starts_with("POST ") && text.ends_with("Content-Length: 3\r\nConnection: close\r\n\r\nabc"));
        assert!(text.contains("host: other\r\n") && !text.contains("localhost"), "{text}");
    }

    #[test]
    fn http_1_0_asks_for_a_connection_that_is_kept() {
        let target = Target::parse("http://localhost:1/x").unwrap();
        let of = |keep_alive| {
            let connections = Connections { version: Version::OnePointZero, keep_alive, cookies: false };
            let request = Request::new(None, &[], None).unwrap().prepared(&target, connections).unwrap();
            String::from_utf8(request.bytes).unwrap()
        };
        assert!(
            of(true).starts_with("GET /x HTTP/1.0\r\nHost: localhost:1\r\n")
                && of(true).contains("Connection: keep-alive\r\n")
        );
        assert!(!of(false).contains("Connection"), "HTTP/1.0 closes by itself");
    }

    #[test]
    fn another_path_is_one_of_the_target() {
        let target = Target::parse("http://localhost:1/x?y").unwrap();
        let request = Request::new(Some("PUT"), &[], Some(b"12".to_vec())).unwrap().to_path("/b c?d=1");
        let prepared = request.prepared(&target, KEPT).unwrap();
        let text = String::from_utf8(prepared.bytes).unwrap();
        assert!(text.starts_with("PUT /b%20c?d=1 HTTP/1.1\r\n"), "{text}");
        assert_eq!(&text[prepared.head_ends..], "\r\n12");
        assert_eq!(prepared.http2.uri().to_string(), "http://localhost:1/b%20c?d=1");
        for path in ["//other/", "http://other/", "x"] {
            let request = Request::new(None, &[], None).unwrap().to_path(path);
            assert!(request.prepared(&target, KEPT).is_err(), "{path} is no path of this host");
        }
    }

    #[test]
    fn what_would_break_a_request_is_refused() {
        let request = |method: Option<&str>, header: &str| Request::new(method, &[header.to_owned()], None);
        assert!(matches!(request(Some("GET /\r\n"), "a: b"), Err(RequestError::Method(_))));
        for header in ["nothing", "a b: c", ": c", "a: b\r\nc: d", "é: c"] {
            assert!(matches!(request(None, header), Err(RequestError::Header(_))), "{header}");
        }
        assert!(matches!(request(None, "Content-Length: 5"), Err(RequestError::Framing(_))));
    }
}
