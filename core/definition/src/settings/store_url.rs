//! `[store] url`: the address of a database, in a file that others read.

use crate::error::ArgumentError;

/// The address, where it is one and holds no password. What may hold one isn't shown.
pub(super) fn without_password(url: String) -> Result<String, ArgumentError> {
    match url.split_once("://") {
        Some(("postgres" | "postgresql", rest)) if !may_hold_password(rest) => Ok(url),
        Some(("postgres" | "postgresql", _)) => Err(ArgumentError::new(
            "it contains a password, and other users read this file",
            "leave it out here, and give it in PGPASSWORD, in ~/.pgpass, or the whole URL in TARE_STORE",
        )),
        _ => Err(ArgumentError::new(
            "it is not the address of a PostgreSQL database",
            "write postgres://USER@HOST:PORT/DATABASE; a folder is named by `path`",
        )),
    }
}

/// Behind the scheme: `user:password@host`, or an option.
fn may_hold_password(rest: &str) -> bool {
    let ends = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, behind) = rest.split_at(ends);
    let in_authority = match authority.rsplit_once('@') {
        Some((user, _)) => user.contains(':'),
        // The end of `user:pass/word@host`, whose slash should have been written as %2F.
        None => authority.contains(':') && behind.contains('@'),
    };
    in_authority || behind.contains("password=")
}

#[cfg(test)]
mod tests {
    use super::without_password;

    #[test]
    fn an_address_without_a_password_is_taken() {
        for url in [
            "postgres://host/db",
            "postgresql://me@host:5432/db",
            "postgres://me@host:5432/db?x=@y",
            "postgres://me@host:5432/db?application_name=a:b@c",
            "postgres://host:5432/db",
            "postgres://me%40here@[::1]:5432/db#@",
            "postgres://me@/db?host=/run/postgresql",
        ] {
            assert_eq!(without_password(url.to_owned()), Ok(url.to_owned()));
        }
    }

    #[test]
    fn what_may_hold_a_password_is_refused_and_not_shown() {
        for url in [
            "postgres://me:geheim@host/db",
            "postgres://me:@host/db",
            "postgres://me:geheim@here@host/db",
            "postgres://me:geh/geheim@host/db",
            "postgres://me:geh?geheim@host/db",
            "postgres://me:geh#geheim@host/db",
            "postgres://host/db?password=geheim",
        ] {
            let message = without_password(url.to_owned()).unwrap_err().to_string();
            assert!(message.contains("it contains a password") && !message.contains("geheim"), "{url}: {message}");
        }
        let other = without_password("mysql://me:geheim@host/db".to_owned()).unwrap_err().to_string();
        assert!(other.contains("is not the address of") && !other.contains("geheim"), "{other}");
    }
}
