//! The store of a project.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use jiff::{SignedDuration, Timestamp};
use tare_definition::Project;
use tare_samples::Origin;
use tare_store::{Access, RunFilter, ServerAddress, Store, StoreError, StoreLocation};

use crate::error::Error;
use crate::session::Session;

/// Says where the store is, as `--store` does.
const VARIABLE: &str = "TARE_STORE";
/// Clocks of machines that are set over the network (NTP) lie closer together than this; a larger difference is told.
const CLOCKS_DIFFER: SignedDuration = SignedDuration::from_mins(1);

/// Where the project's store is.
pub fn store_place(project: &Project) -> Result<StoreLocation, Error> {
    match project.server() {
        Some(url) => StoreLocation::named(url, &project.root).map_err(Error::store),
        None => Ok(StoreLocation::folder(project.store())),
    }
}

/// Opens the project's store.
pub fn open_store(project: &Project, access: Access) -> Result<Box<dyn Store>, Error> {
    store_place(project)?.open(access).map_err(Error::store)
}

/// The folder for what is measured while a server is away.
pub fn spool_folder(project: &Project) -> PathBuf {
    project.store().join("spool")
}

/// Why a run stays in the spool, and, where it will for ever, how to be rid of it.
pub(crate) fn stays(run: &str, spool: &Path, error: &StoreError) -> String {
    let folder = spool.join(run);
    let rid = match error {
        StoreError::Fenced { .. } | StoreError::UnknownRun { .. } => " To end this message, remove that folder.",
        _ => "",
    };
    format!("run {run} stays in the spool {}: {error}{rid}", folder.display())
}

/// Opens the project's store for a run. What earlier runs left in the spool is sent there first.
pub(crate) fn open_to_measure(project: &Project, session: &Session<'_>) -> Result<Box<dyn Store>, Error> {
    let (place, spool) = (store_place(project)?, spool_folder(project));
    if let StoreLocation::Server(address) = &place {
        for pushed in tare_store::push(&spool, address).map_err(Error::store)? {
            session.notice(match pushed.sent {
                Ok(copied) => format!("{} launches of run {} were sent from the spool", copied.launches, pushed.run),
                Err(error) => stays(&pushed.run, &spool, &error),
            });
        }
    }
    let folder = project.store();
    let is_new = folder.ends_with(".tare") && !folder.exists();
    let store = place.open_to_measure(&spool).map_err(Error::store)?;
    if is_new && folder.exists() {
        // It is a comfort: without it there is an entry more in `git status`.
        let _ = tare_files::hide_from_git(&folder);
    }
    Ok(store)
}

/// Tells of runs that began later than now: this machine's clock was set back, or another's is ahead. `latest` means those.
pub(crate) fn tell_of_later_runs(store: &dyn Store, own: &Origin, session: &Session<'_>) {
    let newest = RunFilter { limit: Some(1), ..RunFilter::default() };
    let Some(later) = store.runs(&newest).ok().and_then(|runs| runs.into_iter().next()) else { return };
    let Ok(then) = later.origin.started.parse::<Timestamp>() else { return };
    // Its builds and listings may have taken minutes, in which another run began.
    let now = Timestamp::now();
    if then.duration_since(now) > CLOCKS_DIFFER {
        session.notice(format!(
            "run {} in the store began at {}, which is later than now by this machine's clock ({}): a clock was or is wrong. Until then `latest`, and commands \
             that name no run, mean that one; this one is {}",
            later.origin.id, later.origin.started, now, own.id
        ));
    }
}

/// What the environment says of where the store is.
pub fn store_in_environment() -> Option<String> {
    std::env::var(VARIABLE).ok()
}

/// Everybody sees a process's arguments, and its environment only its own user: where `--store` holds a password, the program is begun anew
/// with the URL in the environment, before anything else is done. Returns where there is nothing to hide, or it can't be hidden.
pub fn hide_password_of_store() {
    let given: Vec<OsString> = std::env::args_os().collect();
    if let Some((url, others)) = without_secret_store(&given)
        && let Ok(program) = std::env::current_exe()
    {
        let _ = Command::new(program).arg0(&others[0]).args(&others[1..]).env(VARIABLE, url).exec();
    }
}

/// The last URL of `--store`, and the arguments without any, where one of them has a password.
fn without_secret_store(given: &[OsString]) -> Option<(OsString, Vec<OsString>)> {
    let mut others = Vec::new();
    let (mut url, mut secret) = (None, false);
    let mut words = given.iter();
    while let Some(word) = words.next() {
        if word == "--" {
            others.push(word.clone());
            others.extend(words.cloned());
            break;
        }
        let value = if word == "--store" {
            words.next().map(OsString::as_os_str)
        } else {
            word.as_bytes().strip_prefix(b"--store=").map(OsStr::from_bytes)
        };
        match value {
            Some(value) => {
                secret |= value.to_str().is_some_and(ServerAddress::has_password);
                url = Some(value.to_owned());
            }
            None => others.push(word.clone()),
        }
    }
    url.filter(|_| secret).map(|url| (url, others))
}

/// A store that can't be used keeps a run from beginning.
pub(crate) fn unless_stored(error: Error) -> Error {
    error.with_remedy("To measure without storing: `tare run --no-store`.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_store_with_a_password_is_taken_out_of_the_arguments() {
        let words = |text: &str| text.split(' ').map(OsString::from).collect::<Vec<_>>();
        for plain in [
            "tare log",
            "tare log --store postgres://me@h/d",
            "tare log --store",
            "tare x -- --store=postgres://a:b@h/d",
        ] {
            assert_eq!(without_secret_store(&words(plain)), None, "{plain}");
        }
        for secret in ["tare --store postgres://a:b@h/d log --json", "tare log --json --store=postgres://a:b@h/d"] {
            let hidden = without_secret_store(&words(secret)).unwrap();
            assert_eq!(hidden, ("postgres://a:b@h/d".into(), words("tare log --json")), "{secret}");
        }
        // One that can't be read may hold one as well.
        assert!(without_secret_store(&words("tare log --store postgres://a:b#c@h/d")).is_some());
    }
}
