//! What is refused before anything is looked up.

use std::net::SocketAddr;

use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, HOST, HeaderMap, HeaderValue, ORIGIN, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{Method, StatusCode, Uri};
use axum::response::Response;

/// Nothing from outside; scripts and requests of this server alone.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'self'; connect-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
/// A report carries its own, stricter rule: its one script by its hash.
const REPORT_POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'";
/// Bytes of a path with its query.
const LONGEST: usize = 8_192;

/// Why a request is refused; `None` where it isn't. A page of another host, or a name that leads here (DNS rebinding), gets nothing.
pub(crate) fn refused(
    address: SocketAddr,
    method: &Method,
    uri: &Uri,
    headers: &HeaderMap,
) -> Option<(StatusCode, &'static str)> {
    if method != Method::GET && method != Method::HEAD {
        return Some((
            StatusCode::METHOD_NOT_ALLOWED,
            "the server only reads the store; it answers GET and HEAD alone",
        ));
    }
    let port = address.port();
    let own = [format!("127.0.0.1:{port}"), format!("localhost:{port}"), format!("[::1]:{port}"), address.to_string()];
    let hosts: Vec<_> = headers.get_all(HOST).iter().collect();
    let is_own =
        |host: &HeaderValue| host.to_str().is_ok_and(|host| own.iter().any(|name| name.eq_ignore_ascii_case(host)));
    if hosts.len() != 1 || !is_own(hosts[0]) {
        return Some((
            StatusCode::FORBIDDEN,
            "this server answers to its own address alone, as it was printed when it began",
        ));
    }
    let foreign = |origin: &HeaderValue| {
        let host = origin.to_str().ok().and_then(|origin| origin.strip_prefix("http://"));
        !host.is_some_and(|host| own.iter().any(|name| name == host))
    };
    if headers.get_all(ORIGIN).iter().any(foreign) {
        return Some((StatusCode::FORBIDDEN, "pages of other servers get no answer"));
    }
    if uri.to_string().len() > LONGEST {
        return Some((StatusCode::URI_TOO_LONG, "the address is too long"));
    }
    None
}

/// What every answer says to a browser.
pub(crate) fn protected(mut response: Response, report: bool) -> Response {
    let headers = response.headers_mut();
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(if report { REPORT_POLICY } else { POLICY }));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert("cross-origin-resource-policy", HeaderValue::from_static("same-origin"));
    response
}
