//! TLS by rustls: whom to trust, and what went wrong with a certificate.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};

use super::Version;

/// Whose certificates are taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trust {
    /// Of the authorities that the system trusts.
    System,
    /// Of those in a PEM file.
    File(PathBuf),
    /// Anybody's.
    Anybody,
}

/// Why TLS can't be had.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// The file of authorities can't be read.
    #[error("{0}: no certificates can be read from it: {1}; name a PEM file")]
    File(String, String),
    /// There is none in it.
    #[error("{0} has no certificate that can be used; name a PEM file with at least one authority")]
    Empty(String),
    /// The library refused.
    #[error("TLS can't be set up: {0}")]
    Library(String),
}

/// How TLS connections are made.
#[derive(Clone)]
pub struct Tls(pub(super) Arc<ClientConfig>);

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
        let provider = Arc::new(ring::default_provider());
        let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .map_err(|error| TlsError::Library(error.to_string()))?;
        let mut config = match trust {
            Trust::Anybody => {
                builder.dangerous().with_custom_certificate_verifier(Arc::new(Anybody(provider))).with_no_client_auth()
            }
            Trust::File(path) => builder.with_root_certificates(read(path)?).with_no_client_auth(),
            Trust::System => {
                let mut roots = RootCertStore::empty();
                // What can't be read of the system's own isn't trusted, and says so when a server shows it.
                roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
                builder.with_root_certificates(roots).with_no_client_auth()
            }
        };
        config.alpn_protocols = vec![match version {
            Version::OnePointZero | Version::One => b"http/1.1".to_vec(),
            Version::Two => b"h2".to_vec(),
        }];
        Ok(Self(Arc::new(config)))
    }
}

/// All authorities of a system take a few hundred kB.
const LARGEST: u64 = 64 << 20;

fn read(path: &Path) -> Result<RootCertStore, TlsError> {
    let shown = path.display().to_string().escape_debug().to_string();
    let wrong = |error: rustls::pki_types::pem::Error| TlsError::File(shown.clone(), error.to_string());
    let mut roots = RootCertStore::empty();
    let text = tare_files::read(path, LARGEST).map_err(|error| TlsError::File(shown.clone(), error.to_string()))?;
    for certificate in CertificateDer::pem_slice_iter(&text) {
        let _ = roots.add(certificate.map_err(wrong)?);
    }
    if roots.is_empty() { Err(TlsError::Empty(shown)) } else { Ok(roots) }
}

/// What a failed handshake says to a person, with what to do about it.
pub(super) fn told(error: &std::io::Error) -> String {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>());
    match inner {
        Some(rustls::Error::InvalidCertificate(why)) => match why {
            CertificateError::UnknownIssuer => {
                "its certificate is signed by nobody who is trusted (self-signed?); name the authority \
                                                with --cacert, or take any with --insecure"
                    .to_owned()
            }
            CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
                "its certificate has expired; --insecure takes it all the same".to_owned()
            }
            CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
                "its certificate isn't valid yet; --insecure takes it all the same".to_owned()
            }
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
                "its certificate is for another name; use a name it is for, or --insecure".to_owned()
            }
            why if format!("{why:?}").contains("CaUsedAsEndEntity") => {
                "its certificate is an authority's, as `openssl req -x509` makes them, and no server's; make one with \
                 -addext basicConstraints=critical,CA:FALSE, or take any with --insecure"
                    .to_owned()
            }
            why => format!(
                "its certificate isn't valid: {why}; name its authority with --cacert, or take any with --insecure"
            ),
        },
        Some(rustls::Error::AlertReceived(rustls::AlertDescription::NoApplicationProtocol)) => {
            "it doesn't speak the HTTP that was asked for (--http2?)".to_owned()
        }
        Some(rustls::Error::InvalidMessage(_)) => "it doesn't speak TLS there; is it http://?".to_owned(),
        Some(other) => format!("the TLS handshake failed: {other}"),
        None => format!("the TLS handshake failed: {error}"),
    }
}

/// Takes every certificate: `--insecure`.
#[derive(Debug)]
struct Anybody(Arc<CryptoProvider>);

impl ServerCertVerifier for Anybody {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, certificate, signed, &self.0.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, certificate, signed, &self.0.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
