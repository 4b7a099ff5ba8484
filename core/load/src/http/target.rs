//! What a URL on the command line names.

use std::fmt;

use rustls::pki_types::ServerName;
use url::{Host, Url};

/// A URL that load can go to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target(Url);

/// Why a URL isn't one that load can go to.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TargetError {
    /// It isn't a URL.
    #[error("`{0}` is not a URL: {1}; write it as http://localhost:8080/path")]
    NoUrl(String, String),
    /// Another scheme.
    #[error("`{0}` has the scheme {1}; requests go to http:// and https:// only")]
    Scheme(String, String),
    /// No path of a host.
    #[error("`{0}` is not a path of a URL; write one that begins with a single `/`, such as /items?page=2")]
    Path(String),
    /// A name or password in it.
    #[error("the URL `{0}` holds a user's name or password; send them as a header: -H 'Authorization: Basic …'")]
    Credentials(String),
}

impl Target {
    /// Reads a URL.
    ///
    /// # Errors
    /// [`TargetError`].
    pub fn parse(text: &str) -> Result<Self, TargetError> {
        let shown = text.escape_debug().to_string();
        // The URL standard takes the next part for the host then; nobody who writes it means that.
        let after_scheme = text.trim_start().split_once(':').map(|(_, rest)| rest);
        if after_scheme.is_some_and(|rest| !rest.starts_with("//") || rest.starts_with("///"))
            && Url::parse(text).is_ok_and(|url| matches!(url.scheme(), "http" | "https"))
        {
            return Err(TargetError::NoUrl(shown, "no host stands between // and the path".to_owned()));
        }
        let mut url = match Url::parse(text) {
            Ok(url) => url,
            Err(url::ParseError::RelativeUrlWithoutBase) => {
                return Err(TargetError::NoUrl(shown, "it doesn't begin with http:// or https://".to_owned()));
            }
            Err(error) => return Err(TargetError::NoUrl(shown, error.to_string())),
        };
        if !matches!(url.scheme(), "http" | "https") {
            return Err(TargetError::Scheme(shown, url.scheme().to_owned()));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(TargetError::Credentials(shown));
        }
        url.set_fragment(None);
        Ok(Self(url))
    }

    /// Another path of the same host, query included.
    ///
    /// # Errors
    /// It doesn't begin with a `/`, or names another host.
    pub fn at(&self, path: &str) -> Result<Self, TargetError> {
        let wrong = || TargetError::Path(path.escape_debug().to_string());
        if !path.starts_with('/') || path.starts_with("//") {
            return Err(wrong());
        }
        let url = self.0.join(path).map_err(|_| wrong())?;
        if url.origin() == self.0.origin() { Ok(Self(url)) } else { Err(wrong()) }
    }

    /// What a `Location` leads to from here (RFC 9110, section 10.2.2); `None` where no requests go.
    pub(super) fn join(&self, location: &str) -> Option<Self> {
        let mut url = self.0.join(location).ok()?;
        url.set_fragment(None);
        let is_one = matches!(url.scheme(), "http" | "https") && url.host().is_some();
        (is_one && url.username().is_empty() && url.password().is_none()).then_some(Self(url))
    }

    /// As a server knows it that goes by the `Host` header, where that is one.
    pub(super) fn called(&self, host: Option<&str>) -> Self {
        let called = |host: &str| Self::parse(&format!("{}://{host}/", self.0.scheme())).ok();
        host.and_then(called).map_or_else(|| self.clone(), |called| called.to_path_of(self))
    }

    /// Path and query of another, on this host.
    pub(super) fn to_path_of(&self, other: &Self) -> Self {
        let mut url = self.0.clone();
        url.set_path(other.0.path());
        url.set_query(other.0.query());
        Self(url)
    }

    /// Whether scheme, host and port are the same.
    pub(super) fn has_origin_of(&self, other: &Self) -> bool {
        self.0.origin() == other.0.origin()
    }

    /// Whether it is spoken to by TLS.
    pub fn is_secure(&self) -> bool {
        self.0.scheme() == "https"
    }

    /// The port, that of the scheme where none is written.
    pub fn port(&self) -> u16 {
        self.0.port_or_known_default().unwrap_or(80)
    }

    /// The host as it is looked up.
    pub(crate) fn host(&self) -> Host<&str> {
        // A URL of these schemes always has a host.
        self.0.host().unwrap_or(Host::Domain(""))
    }

    /// What the certificate has to be for.
    pub(crate) fn server_name(&self) -> Option<ServerName<'static>> {
        match self.host() {
            Host::Domain(name) => ServerName::try_from(name.to_owned()).ok(),
            Host::Ipv4(address) => Some(ServerName::IpAddress(std::net::IpAddr::V4(address).into())),
            Host::Ipv6(address) => Some(ServerName::IpAddress(std::net::IpAddr::V6(address).into())),
        }
    }

    /// Host and port as the `Host` header has them.
    pub(crate) fn authority(&self) -> String {
        match self.0.port() {
            Some(port) => format!("{}:{port}", self.0.host_str().unwrap_or_default()),
            None => self.0.host_str().unwrap_or_default().to_owned(),
        }
    }

    /// `http` or `https`.
    pub(super) fn scheme(&self) -> &str {
        self.0.scheme()
    }

    /// Path and query.
    pub(crate) fn path(&self) -> String {
        match self.0.query() {
            Some(query) => format!("{}?{query}", self.0.path()),
            None => self.0.path().to_owned(),
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::{Target, TargetError};

    #[test]
    fn what_a_request_needs_is_taken_from_the_url() {
        let target = Target::parse("http://LocalHost:8080/a%20b?c=d#e").unwrap();
        assert_eq!((target.authority(), target.path()), ("localhost:8080".into(), "/a%20b?c=d".into()));
        let target = Target::parse("https://[::1]").unwrap();
        assert_eq!((target.authority(), target.path(), target.port()), ("[::1]".into(), "/".into(), 443));
        assert!(target.is_secure());
    }

    #[test]
    fn a_location_leads_from_where_a_server_is_called() {
        let target = Target::parse("http://127.0.0.1:8080/a/b?c").unwrap();
        let joined = |host: Option<&str>, location: &str| target.called(host).join(location).map(|to| to.to_string());
        for (host, location, expected) in [
            (None, "d", Some("http://127.0.0.1:8080/a/d")),
            (None, "/d?e#f", Some("http://127.0.0.1:8080/d?e")),
            (Some("b.test"), "../d", Some("http://b.test/d")),
            (Some("b.test:81"), "//c.test/", Some("http://c.test/")),
            (Some("a b"), "?x", Some("http://127.0.0.1:8080/a/b?x")),
            (None, "https://127.0.0.1/", Some("https://127.0.0.1/")),
            (None, "ftp://127.0.0.1/", None),
            (None, "http://a:b@127.0.0.1/", None),
            (None, "http://[", None),
        ] {
            assert_eq!(joined(host, location).as_deref(), expected, "{host:?} {location}");
        }
    }

    #[test]
    fn what_is_no_url_or_no_http_is_refused() {
        for text in ["localhost", "", "http://", "http://[::1", "//localhost/", "/path", "http://a b/"] {
            assert!(matches!(Target::parse(text), Err(TargetError::NoUrl(..))), "{text}");
        }
        for text in ["ftp://localhost/", "file:///etc/passwd", "localhost:8080", "ws://localhost"] {
            assert!(matches!(Target::parse(text), Err(TargetError::Scheme(..))), "{text}");
        }
        assert!(matches!(Target::parse("http://a:b@localhost/"), Err(TargetError::Credentials(_))));
        // Control characters never reach a request or a screen.
        assert_eq!(Target::parse("http://localhost/\r\nX: y").unwrap().path(), "/X:%20y");
        assert!(!Target::parse("gopher://x/\x1b[31m").unwrap_err().to_string().contains('\x1b'));
    }
}
