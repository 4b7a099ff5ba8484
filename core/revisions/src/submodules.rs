//! The submodules of a checkout: taken from the clones that the repository has of them, and fetched only where it has none.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use crate::error::RevisionError;
use crate::git::{Answer, Git};
use crate::printable;

/// Submodules in submodules that are looked for.
const DEEPEST: usize = 16;

/// A checkout's submodules.
pub(crate) struct Submodules<'a> {
    pub(crate) git: &'a Git,
    /// The revision's name, escaped.
    pub(crate) revision: &'a str,
    pub(crate) interrupted: &'a dyn Fn() -> bool,
}

/// What `.gitmodules` says of one.
struct Entry {
    name: OsString,
    path: OsString,
}

impl Submodules<'_> {
    /// Whether a checkout has any.
    pub(crate) fn are_in(checkout: &Path) -> bool {
        std::fs::symlink_metadata(checkout.join(".gitmodules")).is_ok_and(|there| there.is_file())
    }

    /// Checks out those of `checkout`. `modules`: the folder `modules` of the git directory that has the user's own clones of them.
    pub(crate) fn add(&self, checkout: &Path, modules: &Path) -> Result<(), RevisionError> {
        self.add_below(checkout, modules, DEEPEST)
    }

    fn add_below(&self, checkout: &Path, modules: &Path, depth: usize) -> Result<(), RevisionError> {
        if depth == 0 || !Self::are_in(checkout) {
            return Ok(());
        }
        for Entry { name, path } in self.entries(checkout)? {
            let clone = modules.join(&name);
            // An entry whose folder the revision doesn't have is none.
            let Some(commit) = self.commit_of(checkout, &path)? else { continue };
            let has = is_plain(&name) && self.has(&clone, &commit)?;
            let answer = if has { self.take(checkout, &name, &path, &clone)? } else { self.fetch(checkout, &path)? };
            if answer.status.success() {
                self.add_below(&checkout.join(&path), &clone.join("modules"), depth - 1)?;
            } else {
                let [revision, path] = [self.revision.to_owned(), printable::line(&path.to_string_lossy())];
                return Err(RevisionError::Submodule { revision, path, said: last_line(&answer.said) });
            }
        }
        Ok(())
    }

    fn commit_of(&self, checkout: &Path, path: &OsStr) -> Result<Option<String>, RevisionError> {
        let mut object = OsString::from("HEAD:");
        object.push(path);
        Ok(self.git.act(checkout, &[&"rev-parse", &"--quiet", &"--verify", &object], self.interrupted)?.hash())
    }

    fn has(&self, clone: &Path, commit: &str) -> Result<bool, RevisionError> {
        if !clone.join("HEAD").is_file() {
            return Ok(false);
        }
        let object = format!("{commit}^{{commit}}");
        let asked: [&dyn AsRef<OsStr>; 5] = [&"--git-dir", &clone, &"cat-file", &"-e", &object];
        Ok(self.git.act(clone, &asked, self.interrupted)?.status.success())
    }

    /// Checks it out from that clone, whose objects it shares by hard links. Nothing is written to the repository's configuration.
    fn take(&self, checkout: &Path, name: &OsStr, path: &OsStr, clone: &Path) -> Result<Answer, RevisionError> {
        let mut url = OsString::from("submodule.");
        for part in [name, OsStr::new(".url="), clone.as_os_str()] {
            url.push(part);
        }
        // Git clones from no folder without being told that it may.
        let act: [&dyn AsRef<OsStr>; 9] =
            [&"-c", &url, &"-c", &"protocol.file.allow=always", &"submodule", &"update", &"--init", &"--", &path];
        self.git.act(checkout, &act, self.interrupted)
    }

    fn fetch(&self, checkout: &Path, path: &OsStr) -> Result<Answer, RevisionError> {
        self.git.act(checkout, &[&"submodule", &"update", &"--init", &"--", &path], self.interrupted)
    }

    /// In the order of `.gitmodules`.
    fn entries(&self, checkout: &Path) -> Result<Vec<Entry>, RevisionError> {
        let asked: [&dyn AsRef<OsStr>; 6] =
            [&"config", &"-z", &"--file", &".gitmodules", &"--get-regexp", &r"^submodule\..*\.path$"];
        let listed = self.git.act(checkout, &asked, self.interrupted)?;
        let of = |line: &[u8]| {
            let split = line.iter().position(|&byte| byte == b'\n')?;
            let (key, path) = (&line[..split], &line[split + 1..]);
            let name = key.strip_prefix(b"submodule.")?.strip_suffix(b".path")?;
            Some(Entry { name: OsStr::from_bytes(name).to_owned(), path: OsStr::from_bytes(path).to_owned() })
        };
        Ok(listed.stdout.split(|&byte| byte == 0).filter_map(of).collect())
    }
}

/// The folder of the user's own clones of submodules.
pub(crate) fn modules_of(git: &Git, top: &Path) -> Result<PathBuf, RevisionError> {
    let answer = git.ask(top, &[&"rev-parse", &"--git-common-dir"])?;
    let folder = answer.line().map_or_else(|| PathBuf::from(".git"), |line| OsStr::from_bytes(line).into());
    Ok(top.join(folder).join("modules"))
}

/// Whether a name is a place below the clones, and can stand in an option of git's.
fn is_plain(name: &OsStr) -> bool {
    !name.as_bytes().contains(&b'=') && Path::new(name).components().all(|part| matches!(part, Component::Normal(_)))
}

/// Where git says what went wrong.
fn last_line(said: &str) -> String {
    let fatal = said.lines().find(|line| line.starts_with("fatal: "));
    fatal.or_else(|| said.lines().last()).unwrap_or_default().trim_start_matches("fatal: ").to_owned()
}
