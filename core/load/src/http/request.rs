//! The request that is sent again and again.

use http::header::{CONNECTION, CONTENT_LENGTH, HOST, HeaderName, HeaderValue, TRANSFER_ENCODING, USER_AGENT};
use http::{Method, Version};
use http_body_util::Full;
use hyper::body::Bytes;

use super::Target;

/// What is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    method: Method,
    headers: Vec<(HeaderName, HeaderValue)>,
    body: Vec<u8>,
}

/// Why a request can't be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RequestError {
    /// The method is no token.
    #[error("`{0}` is no HTTP method; write GET, POST, …")]
    Method(String),
    /// A header that isn't one.
    #[error("`{0}` is no header; write it as 'Name: value'")]
    Header(String),
    /// A header that Tare sets.
    #[error("the header {0} follows from the body and the connection, and can't be set")]
    Framing(String),
    /// A target and the headers make no request.
    #[error("no request can be made for {0}: {1}")]
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
        Ok(Self { method, headers, body: body.unwrap_or_default() })
    }

    pub(crate) fn is_head(&self) -> bool {
        self.method == Method::HEAD
    }

    pub(crate) fn is_idempotent(&self) -> bool {
        self.method.is_idempotent()
    }

    fn has(&self, name: &HeaderName) -> bool {
        self.headers.iter().any(|(own, _)| own == name)
    }

    fn sends_length(&self) -> bool {
        !self.body.is_empty() || matches!(self.method, Method::POST | Method::PUT | Method::PATCH)
    }

    /// As HTTP/1.1 has it.
    pub(crate) fn http1(&self, target: &Target, keep_alive: bool) -> Vec<u8> {
        let mut bytes = format!("{} {} HTTP/1.1\r\n", self.method, target.path()).into_bytes();
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
        if !keep_alive {
            header(b"Connection", b"close");
        }
        bytes.extend_from_slice(b"\r\n");
        bytes.extend_from_slice(&self.body);
        bytes
    }

    /// As HTTP/2 has it.
    pub(crate) fn http2(&self, target: &Target) -> Result<http::Request<Full<Bytes>>, RequestError> {
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

    #[test]
    fn a_request_is_what_the_wire_carries() {
        let target = Target::parse("http://localhost:1/x?y").unwrap();
        let request = Request::new(None, &["Accept: text/html".to_owned()], None).unwrap();
        let text = String::from_utf8(request.http1(&target, true)).unwrap();
        let agent = concat!("tare/", env!("CARGO_PKG_VERSION"));
        let expected =
            format!("GET /x?y HTTP/1.1\r\nHost: localhost:1\r\nUser-Agent: {agent}\r\naccept: text/html\r\n\r\n");
        assert_eq!(text, expected);
        let request = Request::new(None, &["host: other".to_owned()], Some(b"abc".to_vec())).unwrap();
        let text = String::from_utf8(request.http1(&target, false)).unwrap();
        assert!(text.starts_with("POST ") && text.ends_with("Content-Length: 3\r\nConnection: close\r\n\r\nabc"));
        assert!(text.contains("host: other\r\n") && !text.contains("localhost"), "{text}");
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
