//! From what a server or the network says to what a person can do about it.

use std::error::Error as _;

use postgres::error::SqlState;
use tare_samples::is_hidden;

use super::address::{ServerAddress, with_causes};
use crate::{ServerFault, StoreError};

/// Whether the connection is gone, rather than what was asked refused: then it is asked again.
pub(super) fn is_lost(error: &postgres::Error) -> bool {
    match error.code() {
        Some(code) => {
            code.code().starts_with("08")
                || [
                    SqlState::ADMIN_SHUTDOWN,
                    SqlState::CRASH_SHUTDOWN,
                    SqlState::CANNOT_CONNECT_NOW,
                    SqlState::IDLE_SESSION_TIMEOUT,
                ]
                .contains(code)
        }
        // A TLS server that isn't believed is none that was lost.
        None => error.is_closed() || error.source().is_some_and(|cause| cause.is::<std::io::Error>() && !is_tls(error)),
    }
}

/// Two that wrote at once: one of them is asked again.
pub(super) fn is_conflict(error: &postgres::Error) -> bool {
    error
        .code()
        .is_some_and(|code| [SqlState::T_R_DEADLOCK_DETECTED, SqlState::T_R_SERIALIZATION_FAILURE].contains(code))
}

fn is_tls(error: &postgres::Error) -> bool {
    let text = with_causes(error);
    text.contains("certificate") || text.contains("TLS handshake") || text.contains("InvalidMessage")
}

pub(super) fn explain(address: &ServerAddress, error: &postgres::Error) -> StoreError {
    // Without room it takes nothing, as if it were away: what is measured goes to the spool meanwhile.
    let lost = is_lost(error) || error.code() == Some(&SqlState::DISK_FULL);
    let (what, remedy, is_failure) = match error.as_db_error() {
        Some(said) => {
            let (remedy, failed) = remedy(said.code(), said.message(), said.detail().unwrap_or_default());
            let detail = said.detail().map(|detail| format!(" ({})", one_line(detail))).unwrap_or_default();
            (format!("{}{detail}", one_line(said.message())), remedy, failed)
        }
        None => {
            let what = one_line(&with_causes(error));
            let remedy = if what.contains("does not support TLS") {
                "It doesn't encrypt: turn `ssl` on there, or, on a network that you trust, add ?sslmode=disable to the address".to_owned()
            } else if is_tls(error) {
                format!("{}; ?sslmode=require encrypts without asking who answers", of_certificate(&what))
            } else if what.contains("password missing") {
                no_password()
            } else {
                "Check that it runs, and the host and the port of the address".to_owned()
            };
            (what, remedy, lost)
        }
    };
    StoreError::Server(ServerFault { store: address.to_string(), what, remedy, is_failure, is_lost: lost })
}

/// What to do about a certificate that isn't believed.
fn of_certificate(what: &str) -> &'static str {
    let has = |word: &str| what.contains(word);
    if has("certificate expired") || has("not valid yet") {
        "Renew the certificate there (`ssl_cert_file`), or set the clock that is wrong"
    } else if has("UnsupportedCertVersion") {
        "Its certificate is of X.509 version 1: make one of version 3 that names the server in subjectAltName"
    } else if has("CaUsedAsEndEntity") {
        "Its certificate is an authority's, which signs for others and not for itself: make the server one that this authority signs (CA:FALSE), and \
         name the authority's with ?sslrootcert=FILE"
    } else if has("not valid for") {
        "Name the server in the address by a name in its certificate (subjectAltName), or make one that has this name"
    } else {
        "Name the certificate that signed the server's with ?sslrootcert=FILE, and the server by the name in its certificate"
    }
}

fn no_password() -> String {
    "Give the password of the role in PGPASSWORD, in ~/.pgpass, or in the address in TARE_STORE".to_owned()
}

fn remedy(code: &SqlState, what: &str, detail: &str) -> (String, bool) {
    let remedy = match code.code() {
        "28P01" => no_password(),
        "28000" if what.ends_with("does not exist") => "Make the role, as with `createuser`, or name another one in the address".to_owned(),
        "28000" => "The server lets this role or host in by no rule: see its pg_hba.conf, and whether it wants TLS (sslmode)".to_owned(),
        "3D000" => "Make the database, as with `createdb`, or name another one in the address".to_owned(),
        "42501" if detail.contains("CONNECT") => "Give the role the right to connect: GRANT CONNECT ON DATABASE".to_owned(),
        "42501" if what.contains("for database") => "The first run makes the schema `tare`: let a role do that which has CREATE on the database, or give this one \
                    the right (GRANT CREATE ON DATABASE), once"
            .to_owned(),
        "42501" => "Give the role its rights: a writer owns the schema `tare` or has all rights on it and its tables, a reader needs USAGE on \
                    the schema and SELECT on all its tables"
            .to_owned(),
        "25006" => "It is a copy for reading alone: name the server that it copies".to_owned(),
        "53300" => return ("Its max_connections are taken: end other programs' connections, raise it, or put a pool of connections before it".to_owned(), true),
        "53100" => return ("Its disk is full: free some space there; everything that was stored before is safe".to_owned(), true),
        "53200" => return ("It has no memory left: see its log".to_owned(), true),
        "55P03" | "57014" => return ("Another program has locked the data: wait for it to end, then try again".to_owned(), true),
        "57P03" => return ("It is starting or stopping: try again in a moment".to_owned(), true),
        code if code.starts_with("08") || code.starts_with("57") => {
            return ("It was restarted or the network was cut: try again; what was stored before is safe".to_owned(), true);
        }
        code => {
            return (format!("See the server's log (SQLSTATE {code})"), true);
        }
    };
    (remedy, false)
}

/// What a server says may have several lines, and hidden characters of names.
fn one_line(text: &str) -> String {
    text.chars().map(|character| if is_hidden(character) { ' ' } else { character }).collect()
}

#[cfg(test)]
mod tests {
    use super::{SqlState, of_certificate, remedy};

    #[test]
    fn a_right_that_lacks_is_named() {
        let of = |what: &str, detail: &str| remedy(&SqlState::INSUFFICIENT_PRIVILEGE, what, detail).0;
        let connecting = of("permission denied for database \"tare\"", "User does not have CONNECT privilege.");
        assert!(connecting.contains("GRANT CONNECT"), "{connecting}");
        assert!(of("permission denied for database tare", "").contains("GRANT CREATE"));
        assert!(of("permission denied for table runs", "").contains("SELECT on all its tables"));
    }

    #[test]
    fn what_is_wrong_with_a_certificate_has_its_remedy() {
        for (what, remedy) in [
            ("certificate expired: verification time 1795707342 (UNIX), but …", "Renew"),
            ("certificate not valid yet: verification time …", "clock"),
            ("Other(OtherError(UnsupportedCertVersion))", "version 3"),
            ("Other(OtherError(CaUsedAsEndEntity))", "CA:FALSE"),
            ("certificate not valid for name \"db\"; certificate is only valid for DnsName(\"vm\")", "subjectAltName"),
            ("UnknownIssuer", "sslrootcert"),
        ] {
            let told = of_certificate(&format!("invalid peer certificate: {what}"));
            assert!(told.contains(remedy), "{what}: {told}");
        }
    }
}
