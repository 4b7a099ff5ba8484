//! Where a server is: from a URL to what a connection needs. The password stands in none of what is shown.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use postgres::Config;
use postgres::config::SslMode;
use url::Url;

use super::password;
use crate::{Result, ServerFault, StoreError};

/// One attempt to reach a server may take so long.
const CONNECTING: Duration = Duration::from_secs(5);
/// And until the server has let the role in, so long.
const ANSWERING: Duration = Duration::from_secs(10);
/// A connection over which nothing comes back for so long is taken for lost: a network that was cut says nothing.
const SILENCE: Duration = Duration::from_secs(20);

/// A database on a PostgreSQL server.
#[derive(Clone, PartialEq, Eq)]
pub struct ServerAddress {
    /// As it was given, with the password if it has one.
    url: String,
    shown: String,
}

/// How far the server must prove itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Proof {
    /// Whoever answers is believed; what is sent may be encrypted.
    Nobody,
    /// Its certificate must be good for its name.
    Certificate,
}

/// What a connection needs.
pub(super) struct Reached {
    pub(super) config: Config,
    pub(super) proof: Proof,
    /// Certificates to believe in place of the system's.
    pub(super) roots: Option<PathBuf>,
    /// How long connecting may take until the server has let this role in.
    pub(super) limit: Duration,
}

// What is printed by mistake has no password either.
impl fmt::Debug for ServerAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ServerAddress").field(&self.shown).finish()
    }
}

impl fmt::Display for ServerAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

/// A socket has no host; a URL with a user must have one.
const NOWHERE: &str = "@socket.invalid/";

fn url_of(text: &str) -> Result<Url> {
    Url::parse(&text.replacen("@/", NOWHERE, 1)).map_err(wrong)
}

/// Why a text is no address; it doesn't repeat the text, which may hold a password.
fn wrong(what: impl fmt::Display) -> StoreError {
    StoreError::Server(ServerFault {
        store: "postgres://…".to_owned(),
        what: format!("its address can't be read: {what}"),
        remedy: "Write postgres://USER@HOST:PORT/DATABASE; characters like @ : / # % in a password are written as %40 %3A %2F %23 %25"
            .to_owned(),
        is_failure: false,
        is_lost: false,
    })
}

impl ServerAddress {
    /// Whether the text means a server rather than a folder.
    pub fn is_meant_by(text: &str) -> bool {
        text.contains("://") || ["postgres:", "postgresql:"].iter().any(|scheme| text.starts_with(scheme))
    }

    /// The address that a URL tells.
    ///
    /// # Errors
    ///
    /// [`StoreError::Server`], which never repeats the text.
    pub fn parse(text: &str) -> Result<Self> {
        if !text.starts_with("postgres://") && !text.starts_with("postgresql://") {
            return Err(wrong("it begins neither with postgres:// nor with postgresql://"));
        }
        let url = url_of(text)?;
        let mut shown = url.clone();
        let _ = shown.set_password(None);
        // Of the options only a socket's folder says where it is.
        let host: Vec<String> =
            url.query_pairs().filter(|(name, _)| name == "host").map(|(_, value)| value.into_owned()).collect();
        shown.set_query(None);
        shown.set_fragment(None);
        let mut shown = shown.to_string().replace(NOWHERE, "@/");
        if let Some(host) = host.first() {
            shown.push_str(&format!("?host={host}"));
        }
        let address = Self { url: text.to_owned(), shown };
        address.reached()?;
        Ok(address)
    }

    /// Whether the text of one holds a password, as far as is seen: where it can't be read it may.
    pub fn has_password(text: &str) -> bool {
        let in_url = |url: Url| url.password().is_some() || url.query_pairs().any(|(name, _)| name == "password");
        Self::is_meant_by(text) && url_of(text).map_or(true, in_url)
    }

    pub(super) fn reached(&self) -> Result<Reached> {
        let mut url = url_of(&self.url)?;
        let (mut mode, mut roots) = (None, None);
        let mut kept: Vec<(String, String)> = Vec::new();
        for (name, value) in url.query_pairs() {
            match name.as_ref() {
                "sslmode" => mode = Some(value.into_owned()),
                "sslrootcert" => roots = Some(PathBuf::from(value.as_ref())),
                _ => kept.push((name.into_owned(), value.into_owned())),
            }
        }
        url.set_query(None);
        if !kept.is_empty() {
            url.query_pairs_mut().extend_pairs(&kept);
        }
        // `+` is a space in forms, and here it isn't.
        let text = url.as_str().replace('+', "%20").replace(NOWHERE, "@/");
        let mut config = Config::from_str(&text).map_err(|error| wrong(with_causes(&error)))?;
        let mode = mode.unwrap_or_else(|| if is_near(&config) { "prefer" } else { "verify-full" }.to_owned());
        let (ssl, proof) = match mode.as_str() {
            "disable" => (SslMode::Disable, Proof::Nobody),
            "allow" | "prefer" => (SslMode::Prefer, Proof::Nobody),
            "require" if roots.is_none() => (SslMode::Require, Proof::Nobody),
            "require" | "verify-ca" | "verify-full" => (SslMode::Require, Proof::Certificate),
            _ => return Err(wrong("sslmode is none of disable, prefer, require, verify-ca, verify-full")),
        };
        config.ssl_mode(ssl).tcp_user_timeout(SILENCE).keepalives_idle(Duration::from_secs(10));
        config.keepalives_interval(Duration::from_secs(3)).keepalives_retries(3);
        let limit = config.get_connect_timeout().map_or(ANSWERING, |&asked| asked);
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(CONNECTING);
        }
        if config.get_application_name().is_none() {
            config.application_name("tare");
        }
        if config.get_user().is_none() {
            let named = ["PGUSER", "USER", "LOGNAME"].iter().find_map(|name| std::env::var(name).ok());
            config.user(named.as_deref().unwrap_or("postgres"));
        }
        if config.get_password().is_none()
            && let Some(password) = password::found(&config)
        {
            config.password(password);
        }
        Ok(Reached { config, proof, roots, limit })
    }

    /// As a path, for messages that name one.
    pub(super) fn as_path(&self) -> PathBuf {
        Path::new(&self.shown).to_owned()
    }
}

/// On this machine: nobody listens in between.
fn is_near(config: &Config) -> bool {
    use postgres::config::Host;
    config.get_hosts().iter().all(|host| match host {
        Host::Unix(_) => true,
        Host::Tcp(name) => {
            name == "localhost" || name.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
        }
    })
}

pub(super) fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut below = error.source();
    while let Some(error) = below {
        // Some name their cause themselves.
        let more = error.to_string();
        if !text.contains(&more) {
            text.push_str(&format!(": {more}"));
        }
        below = error.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_in_nothing_that_is_shown() {
        let texts = [
            "postgres://me:s3cret@127.0.0.1:5433/tare?sslmode=disable",
            "postgresql://me@localhost/tare?password=s3cret&host=/run/s",
            "postgres://me:s3cret%40x@db.example.org/tare",
        ];
        for text in texts {
            let address = ServerAddress::parse(text).unwrap();
            let told = format!("{address} {address:?} {:?}", address.as_path());
            assert!(!told.contains("s3cret") && told.contains("me@"), "{told}");
            assert!(ServerAddress::has_password(text) && ServerAddress::is_meant_by(text));
            assert_eq!(address.reached().unwrap().config.get_password().map(|p| &p[..6]), Some(&b"s3cret"[..]));
        }
        let wrong = [
            "postgres://me:s3cret#x@localhost/tare",
            "postgres:/me:s3cret@localhost/tare",
            "mysql://me:s3cret@localhost/tare",
            "postgres://me:s3cret@localhost/tare?sslmode=s3cret",
            "postgres://me:s3cret@localhost/tare?frobnicate=1",
        ];
        for text in wrong {
            assert!(ServerAddress::is_meant_by(text));
            let error = ServerAddress::parse(text).unwrap_err().to_string();
            assert!(!error.contains("s3cret") && error.contains("postgres://USER@HOST"), "{text}: {error}");
        }
        assert!(!ServerAddress::is_meant_by("postgres/tare") && !ServerAddress::is_meant_by("/a:b"));
    }

    #[test]
    fn a_server_elsewhere_must_prove_itself() {
        let proof = |text: &str| {
            let reached = ServerAddress::parse(text).unwrap().reached().unwrap();
            (reached.config.get_ssl_mode(), reached.proof)
        };
        assert_eq!(proof("postgres://me@db.example.org/tare"), (SslMode::Require, Proof::Certificate));
        assert_eq!(proof("postgres://me@db.example.org/tare?sslmode=require"), (SslMode::Require, Proof::Nobody));
        assert_eq!(proof("postgres://me@h/t?sslmode=require&sslrootcert=a.pem").1, Proof::Certificate);
        assert_eq!(proof("postgres://me@localhost/tare"), (SslMode::Prefer, Proof::Nobody));
        assert_eq!(proof("postgres://me@/tare?host=/run/postgresql"), (SslMode::Prefer, Proof::Nobody));
        assert_eq!(proof("postgres://me@[::1]/tare?sslmode=verify-full").1, Proof::Certificate);
    }
}
