//! The request that is sent again and again.

use http::header::{
    AUTHORIZATION, CONNECTION, CONTENT_ENCODING, CONTENT_LANGUAGE, CONTENT_LENGTH, CONTENT_LOCATION, CONTENT_TYPE,
    COOKIE, HOST, HeaderName, HeaderValue, PROXY_AUTHORIZATION, TE, TRANSFER_ENCODING, UPGRADE, USER_AGENT,
};
use http::uri::Authority;
use http::{Method, Uri, Version};
use http_body_util::Full;
use hyper::body::Bytes;

use super::{Connections, Target, TargetError, Version as Spoken};

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
    /// Head and body as HTTP/1 has them; empty where HTTP/2 is spoken.
    pub(super) bytes: Vec<u8>,
    /// Where the empty line begins that ends the head.
    pub(super) head_ends: usize,
    /// `None` where HTTP/1 is spoken.
    pub(super) http2: Option<http::Request<Full<Bytes>>>,
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
    /// A header that HTTP/2 has not.
    #[error("HTTP/2 has no header {0} (RFC 9113, section 8.2.2), and it would not be sent; leave it out, or --http2")]
    NotOfHttp2(String),
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

    /// Refuses what can't be sent to a target over such connections.
    ///
    /// # Errors
    /// [`RequestError`].
    pub fn check(&self, target: &Target, connections: Connections) -> Result<(), RequestError> {
        self.prepared(target, connections).map(drop)
    }

    /// As it is sent to a target.
    pub(super) fn prepared(&self, target: &Target, connections: Connections) -> Result<Prepared, RequestError> {
        let target = &self.target(target).map_err(|error| {
            RequestError::Unfit(self.path.clone().unwrap_or_else(|| target.to_string()), error.to_string())
        })?;
        let (head_only, idempotent) = (self.method == Method::HEAD, self.method.is_idempotent());
        if connections.version == Spoken::Two {
            let http2 = Some(self.http2(target)?);
            return Ok(Prepared { bytes: Vec::new(), head_ends: 0, http2, head_only, idempotent });
        }
        let bytes = self.http1(target, connections);
        Ok(Prepared { head_ends: bytes.len() - self.body.len() - 2, bytes, http2: None, head_only, idempotent })
    }

    /// The URL that it asks a target for.
    pub(super) fn target(&self, target: &Target) -> Result<Target, TargetError> {
        self.path.as_ref().map_or_else(|| Ok(target.clone()), |path| target.at(path))
    }

    /// The `Host` header that is set.
    pub(super) fn host(&self) -> Option<&str> {
        self.headers.iter().find(|(name, _)| *name == HOST).and_then(|(_, value)| value.to_str().ok())
    }

    /// What is asked after an answer of this status that leads on (RFC 9110, section 15.4): after 303 with GET, and after 301 and 302 in place of POST,
    /// without the body. `stays`: at the same scheme, host and port; elsewhere no `Host`, and nothing that says who asks.
    pub(super) fn redirected(&self, status: u16, stays: bool) -> Self {
        const OF_BODIES: [HeaderName; 4] = [CONTENT_TYPE, CONTENT_ENCODING, CONTENT_LANGUAGE, CONTENT_LOCATION];
        const OF_THE_HOST: [HeaderName; 4] = [HOST, AUTHORIZATION, PROXY_AUTHORIZATION, COOKIE];
        let gets = match status {
            303 => self.method != Method::HEAD,
            301 | 302 => self.method == Method::POST,
            _ => false,
        };
        let headers = self
            .headers
            .iter()
            .filter(|(name, _)| !(gets && OF_BODIES.contains(name)) && (stays || !OF_THE_HOST.contains(name)));
        Self {
            method: if gets { Method::GET } else { self.method.clone() },
            headers: headers.cloned().collect(),
            body: if gets { Vec::new() } else { self.body.clone() },
            path: None,
        }
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

    /// As HTTP/2 has it: the `Host` header is its authority (RFC 9113, section 8.3.1).
    fn http2(&self, target: &Target) -> Result<http::Request<Full<Bytes>>, RequestError> {
        let unfit = |why: &dyn std::fmt::Display| RequestError::Unfit(target.to_string(), why.to_string());
        let mut hosts = self.headers.iter().filter(|(name, _)| *name == HOST).map(|(_, value)| value);
        let authority = match (hosts.next(), hosts.next()) {
            (None, _) => Authority::try_from(target.authority()),
            (Some(host), None) => Authority::try_from(host.as_bytes()),
            (Some(_), Some(_)) => return Err(unfit(&"HTTP/2 sends one authority, and there are several Host headers")),
        };
        let authority = authority.map_err(|error| unfit(&format!("the Host header is no authority ({error})")))?;
        let uri = Uri::builder().scheme(target.scheme()).authority(authority).path_and_query(target.path()).build();
        let uri = uri.map_err(|error| unfit(&error))?;
        let mut builder = http::Request::builder().method(self.method.clone()).uri(uri).version(Version::HTTP_2);
        if !self.has(&USER_AGENT) {
            builder = builder.header(USER_AGENT, AGENT);
        }
        for (name, value) in self.headers.iter().filter(|(name, _)| *name != HOST) {
            let is_of_connections = *name == UPGRADE || matches!(name.as_str(), "keep-alive" | "proxy-connection");
            if is_of_connections || *name == TE && value != "trailers" {
                return Err(RequestError::NotOfHttp2(name.to_string()));
            }
            builder = builder.header(name, value);
        }
        builder.body(Full::new(Bytes::from(self.body.clone()))).map_err(|error| unfit(&error))
    }
}

#[cfg(test)]
mod tests {
    use super::{Request, RequestError, Target};
    use crate::http::{Connections, Version};

    const KEPT: Connections = Connections::of(Version::One);

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
            let connections = Connections { keep_alive, ..Connections::of(Version::OnePointZero) };
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
        let http2 = request.prepared(&target, Connections::of(Version::Two)).unwrap().http2.unwrap();
        assert_eq!(http2.uri().to_string(), "http://localhost:1/b%20c?d=1");
        for path in ["//other/", "http://other/", "x"] {
            let request = Request::new(None, &[], None).unwrap().to_path(path);
            assert!(request.prepared(&target, KEPT).is_err(), "{path} is no path of this host");
        }
    }

    #[test]
    fn the_host_header_is_the_authority_of_http2() {
        let target = Target::parse("https://127.0.0.1:8443/x?y").unwrap();
        let of = |headers: &[&str]| {
            let headers: Vec<String> = headers.iter().map(|header| (*header).to_owned()).collect();
            let prepared = Request::new(None, &headers, None).unwrap().prepared(&target, Connections::of(Version::Two));
            prepared.map(|prepared| prepared.http2.unwrap())
        };
        let sent = of(&["host: b.test", "TE: trailers"]).unwrap();
        assert_eq!((sent.uri().to_string().as_str(), sent.headers().get("host")), ("https://b.test/x?y", None));
        assert_eq!(of(&["X: y"]).unwrap().uri().to_string(), "https://127.0.0.1:8443/x?y");
        for (headers, why) in [
            (&["Host: a b"][..], "is no authority"),
            (&["Host: a", "Host: b"], "several Host headers"),
            (&["Upgrade: websocket"], "HTTP/2 has no header upgrade"),
            (&["Keep-Alive: timeout=5"], "HTTP/2 has no header keep-alive"),
            (&["Proxy-Connection: close"], "HTTP/2 has no header proxy-connection"),
            (&["TE: gzip"], "HTTP/2 has no header te"),
        ] {
            let error = of(headers).unwrap_err().to_string();
            assert!(error.contains(why), "{headers:?}: {error}");
        }
    }

    #[test]
    fn what_is_asked_after_a_redirect_goes_by_its_status() {
        let headers = ["Host: a", "Authorization: b", "Content-Type: c", "X: d"].map(str::to_owned);
        let of = |method: &str, status: u16, stays: bool| {
            let asked = Request::new(Some(method), &headers, Some(b"body".to_vec())).unwrap().redirected(status, stays);
            let names: Vec<String> = asked.headers.iter().map(|(name, _)| name.to_string()).collect();
            (asked.method.to_string(), names.join(" "), asked.body.len())
        };
        let told = |method: &str, names: &str, body: usize| (method.to_owned(), names.to_owned(), body);
        let all = "host authorization content-type x";
        for (method, status, expected) in [
            ("POST", 301, told("GET", "host authorization x", 0)),
            ("POST", 302, told("GET", "host authorization x", 0)),
            ("PUT", 302, told("PUT", all, 4)),
            ("PUT", 303, told("GET", "host authorization x", 0)),
            ("HEAD", 303, told("HEAD", all, 4)),
            ("POST", 307, told("POST", all, 4)),
            ("POST", 308, told("POST", all, 4)),
        ] {
            assert_eq!(of(method, status, true), expected, "{method} {status}");
        }
        assert_eq!(of("POST", 307, false), told("POST", "content-type x", 4));
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
