//! Passwords that stand elsewhere than in the URL, where PostgreSQL's own programs look for them: `PGPASSWORD`, and the password file
//! (`PGPASSFILE`, else `~/.pgpass`).

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use postgres::Config;
use postgres::config::Host;

pub(super) fn found(config: &Config) -> Option<String> {
    std::env::var("PGPASSWORD").ok().or_else(|| {
        let named = std::env::var_os("PGPASSFILE").map(PathBuf::from);
        let file = named.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".pgpass")))?;
        in_file(&file, config)
    })
}

fn in_file(file: &Path, config: &Config) -> Option<String> {
    let about = fs::metadata(file).ok()?;
    // As everywhere: one that others may read isn't used.
    if !about.is_file() || about.mode() & 0o077 != 0 {
        return None;
    }
    let host = match config.get_hosts().first() {
        Some(Host::Tcp(name)) => name.clone(),
        Some(Host::Unix(_)) | None => "localhost".to_owned(),
    };
    let port = config.get_ports().first().copied().unwrap_or(5432).to_string();
    let user = config.get_user().unwrap_or_default();
    let wanted = [host.as_str(), &port, config.get_dbname().unwrap_or(user), user];
    fs::read_to_string(file).ok()?.lines().find_map(|line| matching(line, wanted))
}

/// The password of a line `host:port:database:user:password`, where `*` is anything and `\` makes the next character one like others.
fn matching(line: &str, wanted: [&str; 4]) -> Option<String> {
    if line.starts_with('#') {
        return None;
    }
    let mut fields = vec![String::new()];
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        match character {
            ':' if fields.len() < 5 => fields.push(String::new()),
            '\\' => fields.last_mut()?.extend(characters.next()),
            other => fields.last_mut()?.push(other),
        }
    }
    let [host, port, database, user, password] = fields.try_into().ok()?;
    let fits = [host, port, database, user].iter().zip(wanted).all(|(field, wanted)| field == "*" || field == wanted);
    fits.then_some(password)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;
    use std::str::FromStr;

    use super::*;

    #[test]
    fn the_first_line_that_fits_has_it_unless_others_may_read_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("pgpass");
        let lines = "# db:5432:tare:me:no\ndb:5433:tare:me:no\ndb:5432:*:m\\:e:p\\:q\\\\:r\n*:*:*:*:any\n";
        fs::write(&file, lines).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
        let of = |url: &str| in_file(&file, &Config::from_str(url).unwrap());
        assert_eq!(of("postgres://m%3Ae@db/tare").as_deref(), Some("p:q\\:r"));
        assert_eq!(of("postgres://me@db/tare").as_deref(), Some("any"));
        assert_eq!(of("postgres://me@db:5433/tare").as_deref(), Some("no"));
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        assert_eq!(of("postgres://me@db/tare"), None);
    }
}
