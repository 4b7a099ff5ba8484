//! Encryption of a connection to the server.

use std::path::Path;

use tare_tls::{Trust, client, system_trusts_anybody};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::address::Proof;

/// What encrypts a connection; an error says why there are no certificates to believe.
pub(super) fn connector(proof: Proof, roots: Option<&Path>) -> Result<MakeRustlsConnect, String> {
    let trust = match (proof, roots) {
        (Proof::Nobody, _) => Trust::Anybody,
        (Proof::Certificate, Some(file)) => Trust::File(file.to_owned()),
        (Proof::Certificate, None) if system_trusts_anybody() => Trust::System,
        (Proof::Certificate, None) => return Err("there are no certificates to check the server's with".to_owned()),
    };
    let config = client(&trust).map_err(|error| match trust {
        Trust::File(_) => format!("sslrootcert {error}"),
        Trust::System | Trust::Anybody => error.to_string(),
    })?;
    Ok(MakeRustlsConnect::new(config))
}
