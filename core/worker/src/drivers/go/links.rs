//! A package's test program linked again and again, with its functions in another order each time.
//!
//! The go command's linker shuffles them by a number (`-randlayout`, from Go 1.22 on). Everything is compiled already, so that a link is all
//! that it takes. The programs lie beside the one that was built, are looked at before they are executed as that is, and go when nobody has used
//! them for a day.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::invocation::Invocation;
use super::manifest::Manifest;
use super::operations;
use super::text;
use super::toolchain::Toolchain;
use crate::building;
use crate::cache::fingerprint;
use crate::drivers::links::{Links, first_line, several};

/// Flags of the linker, before the number of an order.
const SHUFFLED: &str = "-w -randlayout=";

/// The paths of `count` programs, in order of the numbers that their functions are shuffled by; of fewer where `enough` says so.
///
/// # Errors
/// Why there are none.
pub(super) fn linked(
    invocation: &Invocation,
    source: &Path,
    folder: &Path,
    count: u32,
    enough: &(dyn Fn() -> bool + Sync),
) -> Result<Vec<String>, String> {
    let identity = invocation.identity(source);
    let changed = || "its sources have changed since it was built".to_owned();
    let built = Manifest::read(folder).filter(|kept| kept.holds(&identity)).ok_or_else(changed)?;
    let mut links = Links::of(folder, built.binary.trim_end_matches(".test"), ".test");
    links.complete(count, |links, missing| link(invocation, source, links, missing, enough))?;
    if !Manifest::read(folder).is_some_and(|kept| kept.binary == built.binary && kept.holds(&identity)) {
        return Err(changed());
    }
    Ok(links.paths(count))
}

/// Links those that are missing, several at once, until there are enough: their fingerprints.
fn link(
    invocation: &Invocation,
    source: &Path,
    links: &Links,
    missing: &[u32],
    enough: &(dyn Fn() -> bool + Sync),
) -> Result<BTreeMap<u32, String>, String> {
    let toolchain = Toolchain::find(invocation, source).map_err(|failure| failure.message)?;
    flags(&toolchain.flags, &invocation.flags, 1)?;
    let (overlay, _) = toolchain.overlay().map_err(|failure| failure.message)?;
    let fresh = tempfile::Builder::new().prefix("building-").tempdir_in(links.folder()).map_err(|e| e.to_string())?;
    let overlay = operations::added(&overlay, source, fresh.path()).map_err(|error| error.to_string())?;
    let overlay = format!("-overlay={}", text(&overlay));
    let one = |number: u32| {
        let out = fresh.path().join(format!("{number}.test"));
        let (flags, path) = (flags(&toolchain.flags, &invocation.flags, number)?, text(&out));
        let mut arguments = vec!["test", "-c", "-vet=off", overlay.as_str(), "-o", path.as_str()];
        arguments.extend(invocation.flags.iter().chain(&flags).map(String::as_str));
        arguments.push(".");
        let output =
            building::output(&mut invocation.command(&arguments, source)).map_err(|error| error.to_string())?;
        let content = fs::read(&out).ok().filter(|_| output.status.success());
        let content = content.ok_or_else(|| first_line(&[output.stderr, output.stdout].concat(), "the go command"))?;
        fs::rename(&out, links.path(number)).map_err(|error| error.to_string())?;
        Ok(fingerprint(&content))
    };
    several(missing, enough, &one)
}

/// What is added to the flags of the build: the user's flags for the linker once more, each with the shuffle behind it. The last one that is for a
/// package is taken, as of the user's own. Information for debuggers is left out, as `go test` does where it runs the program itself: a link takes a third less time.
fn flags(goflags: &[String], own: &[String], number: u32) -> Result<Vec<String>, String> {
    let mut all = vec![format!("-ldflags={SHUFFLED}{number}")];
    let mut words = goflags.iter().chain(own);
    while let Some(word) = words.next() {
        let Some(rest) = word.trim_start_matches('-').strip_prefix("ldflags").filter(|_| word.starts_with('-')) else {
            continue;
        };
        let value = match rest.strip_prefix('=') {
            Some(value) => value,
            None if rest.is_empty() => words.next().map_or("", String::as_str),
            None => continue,
        };
        if value.contains("-randlayout") {
            return Err("-randlayout is set already, in GOFLAGS or in the runtime's flags".to_owned());
        }
        all.push(format!("-ldflags={} {SHUFFLED}{number}", value.trim_end()));
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::flags;

    fn of(goflags: &[&str], own: &[&str]) -> Result<Vec<String>, String> {
        let owned = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>();
        flags(&owned(goflags), &owned(own), 7)
    }

    #[test]
    fn the_users_flags_for_the_linker_stay() {
        let alone = "-ldflags=-w -randlayout=7";
        assert_eq!(of(&["-race"], &["-tags=ldflags"]).unwrap(), [alone]);
        assert_eq!(
            of(&["-ldflags=-s -w"], &["--ldflags", "all=-X a.b=c", "-ldflagsx=1"]).unwrap(),
            [alone, "-ldflags=-s -w -w -randlayout=7", "-ldflags=all=-X a.b=c -w -randlayout=7"]
        );
    }

    #[test]
    fn an_order_that_the_user_chose_is_kept() {
        for (goflags, own) in [(vec!["-ldflags=-randlayout=3"], vec![]), (vec![], vec!["-ldflags", "-s -randlayout=3"])]
        {
            assert!(of(&goflags, &own).unwrap_err().contains("set already"));
        }
    }
}
