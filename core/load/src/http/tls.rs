//! TLS for a version of HTTP, and what a failed handshake says.

use std::sync::Arc;

use rustls::pki_types::{DnsName, ServerName};
use rustls::{CertificateError, ClientConfig};
use tare_tls::{TlsError, Trust, client};

use super::Version;

/// How TLS connections are made.
#[derive(Clone)]
pub struct Tls {
    pub(super) config: Arc<ClientConfig>,
    /// Whom servers are asked for, and whose certificate they have to show; `None`: the URL's host.
    pub(super) name: Option<ServerName<'static>>,
}

impl std::fmt::Debug for Tls {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tls").finish_non_exhaustive()
    }
}

impl Tls {
    /// TLS for a version of HTTP, which is agreed on by ALPN.
    ///
    /// # Errors
    /// [`TlsError`].
    pub fn new(trust: &Trust, version: Version) -> Result<Self, TlsError> {
        let mut config = client(trust)?;
        config.alpn_protocols = vec![match version {
            Version::OnePointZero | Version::One => b"http/1.1".to_vec(),
            Version::Two => b"h2".to_vec(),
        }];
        Ok(Self { config: Arc::new(config), name: None })
    }

    /// The same that asks for this name in the handshake (SNI, RFC 6066, section 3), whatever the URL's host is; certificates have to be for it.
    ///
    /// # Errors
    /// It is no name of a host; addresses can't be asked for.
    pub fn asking_for(self, name: &str) -> Result<Self, NoServerName> {
        let wrong = |_| NoServerName(name.escape_debug().to_string());
        Ok(Self { name: Some(ServerName::DnsName(DnsName::try_from(name.to_owned()).map_err(wrong)?)), ..self })
    }
}

/// What can't be asked for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a host's name; write one such as www.example.com (an address isn't possible)")]
pub struct NoServerName(String);

/// What a failed handshake says to a person, with what to do about it.
pub(super) fn handshake_failure(error: &std::io::Error) -> String {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>());
    match inner {
        Some(rustls::Error::InvalidCertificate(why)) => match why {
            CertificateError::UnknownIssuer => {
                "no trusted authority signed its certificate (self-signed?); name the authority \
                                                with --cacert, or accept any with --insecure"
                    .to_owned()
            }
            CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
                "the server's certificate has expired; --insecure accepts it anyway".to_owned()
            }
            CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
                "the server's certificate isn't valid yet; --insecure accepts it anyway".to_owned()
            }
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
                "the server's certificate is for another name; use a name that it is for (in the URL, or by --sni), or --insecure".to_owned()
            }
            why if format!("{why:?}").contains("CaUsedAsEndEntity") => {
                "its certificate is one of an authority (`openssl req -x509` makes such), not of a server; make one with \
                 -addext basicConstraints=critical,CA:FALSE, or accept any with --insecure"
                    .to_owned()
            }
            why => format!(
                "its certificate isn't valid: {why}; name its authority with --cacert, or accept any with --insecure"
            ),
        },
        Some(rustls::Error::AlertReceived(rustls::AlertDescription::NoApplicationProtocol)) => {
            "the server doesn't speak the version of HTTP that was asked for; leave out --http2 if it is given"
                .to_owned()
        }
        Some(rustls::Error::InvalidMessage(_)) => {
            "the server doesn't speak TLS on this port; write http:// if it speaks plain HTTP".to_owned()
        }
        Some(other) => format!("the TLS handshake failed: {other}"),
        None => format!("the TLS handshake failed: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::{Tls, Trust};
    use crate::http::Version;

    #[test]
    fn a_name_can_be_asked_for_and_an_address_can_not() {
        let tls = Tls::new(&Trust::Anybody, Version::One).unwrap();
        assert!(tls.clone().asking_for("b.test").is_ok_and(|tls| tls.name.is_some()));
        for name in ["", "127.0.0.1", "::1", "a b", "http://b.test", "\u{1b}[2J"] {
            let error = tls.clone().asking_for(name).unwrap_err().to_string();
            assert!(error.contains("is not a host's name") && !error.contains('\u{1b}'), "{error}");
        }
    }
}
