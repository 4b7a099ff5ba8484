use std::ffi::OsStr;
use std::fs::{self, File, Permissions};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::error::RevisionError;
use crate::git::Git;
use crate::prepare::Prepare;
use crate::repository::Repository;
use crate::submodules::{Submodules, modules_of};

/// Changes when trees are made in another way, so that the old ones are made anew.
const MADE_AS: &[u8] = b"tare worktree 1";

/// One commit's checked out files: a git worktree, and beside it the lock and, once it is prepared, a marker.
#[derive(Debug)]
pub(crate) struct Tree<'a> {
    pub(crate) repository: &'a Repository,
    /// Where the trees are.
    pub(crate) folder: &'a Path,
    /// Full hash.
    pub(crate) commit: &'a str,
}

impl Tree<'_> {
    pub(crate) fn path(&self) -> PathBuf {
        self.folder.join(self.commit)
    }

    pub(crate) fn lock(&self) -> PathBuf {
        self.folder.join(format!("{}.lock", self.commit))
    }

    fn marker(&self) -> PathBuf {
        self.folder.join(format!("{}.ready", self.commit))
    }

    /// The project's root in it.
    pub(crate) fn root(&self) -> PathBuf {
        let subfolder = self.repository.subfolder();
        if subfolder.as_os_str().is_empty() { self.path() } else { self.path().join(subfolder) }
    }

    /// Whether it was prepared by that command to the end, and is as that left it.
    pub(crate) fn is_ready(
        &self,
        prepare: Option<&Prepare>,
        interrupted: &dyn Fn() -> bool,
    ) -> Result<bool, RevisionError> {
        let Ok(marker) = tare_files::read(&self.marker(), 1 << 20) else { return Ok(false) };
        // A link at its place leads to another's files.
        let is_folder = fs::symlink_metadata(self.path()).is_ok_and(|there| there.is_dir());
        // Who owns it may have put there what git doesn't look at, and a benchmark would.
        let is_own = tare_files::owner(&self.path()).is_some_and(tare_files::is_mine_or_roots);
        if !is_folder || !is_own || !marker.starts_with(&self.recipe(prepare)) {
            return Ok(false);
        }
        Ok(self.mark(prepare, interrupted)?.is_some_and(|mark| mark == marker))
    }

    /// Says that it is prepared.
    pub(crate) fn set_ready(
        &self,
        prepare: Option<&Prepare>,
        interrupted: &dyn Fn() -> bool,
    ) -> Result<(), RevisionError> {
        // A command that checks out something else, or removes git's files, leaves no tree to come back to: it is used
        // this once.
        let Some(mark) = self.mark(prepare, interrupted)? else { return Ok(()) };
        let (marker, draft) = (self.marker(), self.folder.join(format!("{}.draft", self.commit)));
        remove(&draft, |path| fs::remove_file(path))?;
        fs::write(&draft, mark).map_err(unusable(&draft, "write it"))?;
        fs::rename(&draft, &marker).map_err(unusable(&marker, "write it"))
    }

    /// When it was last used; `None` when it isn't prepared.
    pub(crate) fn last_used(&self) -> Option<SystemTime> {
        fs::metadata(self.marker()).ok()?.modified().ok()
    }

    /// Notes that it is used. Failing to only makes it look older than it is.
    pub(crate) fn touch(&self) {
        let _ = File::options().write(true).open(self.marker()).and_then(|file| file.set_modified(SystemTime::now()));
    }

    /// What made it: any other command makes it anew.
    fn recipe(&self, prepare: Option<&Prepare>) -> Vec<u8> {
        let command = prepare.map_or(&b"-"[..], |_| b"+");
        let text = prepare.map_or("", |prepare| &prepare.command);
        let subfolder = self.repository.subfolder().as_os_str().as_bytes();
        // Nothing of it can hold the separator.
        [MADE_AS, subfolder, command, text.as_bytes(), b""].join(&0)
    }

    /// What made it, and which tracked files differ from the commit; `None` when the commit isn't what is checked out.
    fn mark(
        &self,
        prepare: Option<&Prepare>,
        interrupted: &dyn Fn() -> bool,
    ) -> Result<Option<Vec<u8>>, RevisionError> {
        let (git, path) = (&self.repository.git, self.path());
        // Without git's files in it, git would answer for the repository that the folder lies in.
        let place = git.act(&path, &[&"rev-parse", &"--show-toplevel", &"HEAD"], interrupted)?;
        let expected = [path.as_os_str().as_bytes(), b"\n", self.commit.as_bytes()].concat();
        if place.line() != Some(&expected[..]) {
            return Ok(None);
        }
        let arguments: [&dyn AsRef<OsStr>; 5] =
            [&"status", &"--porcelain", &"-z", &"--untracked-files=no", &"--ignore-submodules=none"];
        let status = git.act(&path, &arguments, interrupted)?;
        Ok(status.status.success().then(|| [self.recipe(prepare), status.stdout].concat()))
    }

    /// Checks the commit out, with its submodules.
    pub(crate) fn add(
        &self,
        revision: &str,
        before_submodules: &mut dyn FnMut(),
        interrupted: &dyn Fn() -> bool,
    ) -> Result<(), RevisionError> {
        let (git, top, path) = (&self.repository.git, self.repository.top(), self.path());
        let added = git.act(top, &[&"worktree", &"add", &"--detach", &path, &self.commit], interrupted)?;
        if !added.status.success() && added.said.contains("git-lfs") {
            return Err(RevisionError::Lfs { revision: revision.to_owned(), said: first_of_lfs(&added.said) });
        }
        added.expect_success(top)?;
        if Submodules::are_in(&path) {
            before_submodules();
            Submodules { git, revision, interrupted }.add(&path, &modules_of(git, top)?)?;
        }
        Ok(())
    }

    /// Removes it, with what git knows of it.
    ///
    /// Not by `git worktree prune`, which would forget the user's own worktrees too when the disk they are on isn't mounted.
    pub(crate) fn remove(&self) -> Result<(), RevisionError> {
        let (git, top, path) = (&self.repository.git, self.repository.top(), self.path());
        remove(&self.marker(), |path| fs::remove_file(path))?;
        remove(&path, remove_tree)?;
        if registered(self.repository)?.contains(&path) {
            // Twice for one that a killed git left locked.
            let answer = git.ask(top, &[&"worktree", &"remove", &"--force", &"--force", &path])?;
            // Another process may have been sooner.
            if !answer.status.success() && registered(self.repository)?.contains(&path) {
                answer.expect_success(top)?;
            }
        }
        Ok(())
    }
}

/// The line that says what Git LFS lacks.
fn first_of_lfs(said: &str) -> String {
    said.lines().find(|line| line.contains("git-lfs") || line.contains("smudge")).unwrap_or_default().trim().to_owned()
}

/// The folders of all worktrees that git knows.
pub(crate) fn registered(repository: &Repository) -> Result<Vec<PathBuf>, RevisionError> {
    let (git, top): (&Git, _) = (&repository.git, repository.top());
    let list = git.ask(top, &[&"worktree", &"list", &"--porcelain"])?.expect_success(top)?;
    let lines = list.stdout.split(|&byte| byte == b'\n');
    Ok(lines.filter_map(|line| line.strip_prefix(b"worktree ")).map(|path| OsStr::from_bytes(path).into()).collect())
}

pub(crate) fn unusable(path: &Path, action: &'static str) -> impl FnOnce(io::Error) -> RevisionError {
    let path = path.to_owned();
    move |source| RevisionError::Unusable { path, action, source }
}

/// Removes what may not be there.
pub(crate) fn remove(path: &Path, remove: impl FnOnce(&Path) -> io::Result<()>) -> Result<(), RevisionError> {
    match remove(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(unusable(path, "remove it")(error)),
        _ => Ok(()),
    }
}

/// Removes a folder and all in it, or the link that stands in its place.
pub(crate) fn remove_tree(path: &Path) -> io::Result<()> {
    let mut attempts = 0;
    loop {
        match fs::remove_dir_all(path) {
            // Caches of packages are made read-only, Go's for one.
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied && attempts == 0 => make_writable(path)?,
            // What a killed run left behind may still be writing.
            Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty && attempts < 10 => {}
            other => return other,
        }
        attempts += 1;
    }
}

fn make_writable(folder: &Path) -> io::Result<()> {
    fs::set_permissions(folder, Permissions::from_mode(0o700))?;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            make_writable(&entry.path())?;
        }
    }
    Ok(())
}
