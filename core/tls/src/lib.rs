//! Which servers' certificates are believed: by the loads of HTTP servers, and by a store on a server.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};

/// All authorities of a system take a few hundred kB.
const LARGEST: u64 = 64 << 20;

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

/// A client of TLS that believes those servers. Where the system trusts nobody, no server is believed, and the handshake says so.
///
/// # Errors
/// [`TlsError`].
pub fn client(trust: &Trust) -> Result<ClientConfig, TlsError> {
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|error| TlsError::Library(error.to_string()))?;
    Ok(match trust {
        Trust::Anybody => {
            builder.dangerous().with_custom_certificate_verifier(Arc::new(Anybody(provider))).with_no_client_auth()
        }
        Trust::File(path) => builder.with_root_certificates(read(path)?).with_no_client_auth(),
        Trust::System => builder.with_root_certificates(trusted_by_the_system()).with_no_client_auth(),
    })
}

/// Whether the system trusts any authority at all.
pub fn system_trusts_anybody() -> bool {
    !trusted_by_the_system().is_empty()
}

/// What can't be read of the system's own isn't trusted.
fn trusted_by_the_system() -> RootCertStore {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    roots
}

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

/// Takes every certificate; that the server has its key is still checked.
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
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, certificate, signed, &self.0.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, certificate, signed, &self.0.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a server with this certificate is taken by a client that believes these: a handshake without a network.
    fn shakes_hands(server: &rcgen::CertifiedKey<rcgen::KeyPair>, trust: &Trust) -> Result<(), Error> {
        let key = rustls::pki_types::PrivateKeyDer::try_from(server.signing_key.serialize_der()).unwrap();
        let offered = rustls::ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![server.cert.der().clone()], key)
            .unwrap();
        let mut server = rustls::ServerConnection::new(Arc::new(offered)).unwrap();
        let name = ServerName::try_from("localhost").unwrap();
        let mut client = rustls::ClientConnection::new(Arc::new(client(trust).unwrap()), name).unwrap();
        while client.is_handshaking() || server.is_handshaking() {
            let mut wire = Vec::new();
            client.write_tls(&mut wire).unwrap();
            server.read_tls(&mut wire.as_slice()).unwrap();
            let _ = server.process_new_packets();
            wire.clear();
            server.write_tls(&mut wire).unwrap();
            client.read_tls(&mut wire.as_slice()).unwrap();
            client.process_new_packets()?;
        }
        Ok(())
    }

    #[test]
    fn a_server_is_taken_by_those_who_believe_its_certificate() {
        let made = || rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
        let (good, other) = (made(), made());
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("good.pem");
        std::fs::write(&file, good.cert.pem()).unwrap();
        assert_eq!(shakes_hands(&good, &Trust::File(file.clone())), Ok(()));
        assert_eq!(shakes_hands(&other, &Trust::Anybody), Ok(()));
        for (server, trust) in [(&other, Trust::File(file)), (&good, Trust::System)] {
            let refused = shakes_hands(server, &trust).unwrap_err();
            assert!(matches!(refused, Error::InvalidCertificate(_)), "{trust:?}: {refused}");
        }
    }

    #[test]
    fn a_file_without_certificates_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.pem");
        let told = || client(&Trust::File(file.clone())).unwrap_err().to_string();
        assert!(told().contains("a.pem: no certificates can be read from it"), "{}", told());
        std::fs::write(&file, "nothing\n").unwrap();
        assert!(told().contains("a.pem has no certificate that can be used"), "{}", told());
        std::fs::write(&file, "-----BEGIN CERTIFICATE-----\n%\n-----END CERTIFICATE-----\n").unwrap();
        assert!(told().contains("a.pem: no certificates can be read from it"), "{}", told());
    }
}
