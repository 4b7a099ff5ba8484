//! Folders from which something is executed: nobody else may be able to write there.

use std::fs::{self, DirBuilder, Metadata};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Component, Path, PathBuf};

use crate::owner::{Owner, is_mine_or_roots};

/// Makes a folder that only this user can write to, with its parents where they are missing, and says whether it is safe.
///
/// # Errors
/// What the system says, and as [`checked`].
pub fn make_private(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    checked(folder)
}

/// Keeps a folder of Tare's own out of the user's `git status`, by a `.gitignore` in it; one that is there stays.
///
/// # Errors
/// The file can't be written.
pub fn hide_from_git(folder: &Path) -> io::Result<()> {
    match fs::File::create_new(folder.join(".gitignore")).and_then(|mut file| file.write_all(b"*\n")) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

/// Makes sure that nobody but this user and root can change what is in the folder, or put another in its place: each folder from the
/// root down belongs to one of the two and can't be written to by others. Where everybody may make files but each only his own can
/// rename them (the sticky bit of `/tmp`), what lies there is looked at, not the folder.
///
/// # Errors
/// The first folder that isn't so, with what is wrong with it.
pub fn checked(folder: &Path) -> io::Result<()> {
    let folder = std::path::absolute(folder)?;
    let mut at = PathBuf::new();
    let mut links = 0;
    let mut left: Vec<PathBuf> = parts(&folder);
    while let Some(part) = left.pop() {
        at.push(part);
        let about = fs::symlink_metadata(&at)?;
        refuse_foreign(&at, &about)?;
        if about.is_symlink() {
            links += 1;
            if links > MOST_LINKS {
                return Err(io::Error::other(format!("{} leads through too many links", folder.display())));
            }
            let target = fs::read_link(&at)?;
            at.pop();
            left.extend(parts(&target));
        } else if !about.is_dir() {
            return Err(io::Error::other(format!("{} is no folder", at.display())));
        } else {
            let last = left.is_empty();
            refuse_open(&at, &about, last)?;
        }
    }
    Ok(())
}

const MOST_LINKS: usize = 40;

/// Whether [`checked`] finds nothing.
pub fn is_private(folder: &Path) -> bool {
    checked(folder).is_ok()
}

/// The parts of a path, the first one last.
fn parts(path: &Path) -> Vec<PathBuf> {
    path.components()
        .rev()
        .filter(|part| *part != Component::CurDir)
        .map(|part| PathBuf::from(part.as_os_str()))
        .collect()
}

fn refuse_foreign(path: &Path, about: &Metadata) -> io::Result<()> {
    match is_mine_or_roots(Owner(about.uid())) {
        true => Ok(()),
        false => Err(io::Error::other(format!(
            "{} belongs to another user (number {}), who could put files there that Tare would execute",
            path.display(),
            about.uid()
        ))),
    }
}

/// Where each user has a group of his own, it has his number, and nobody else is in it: with the umask of such systems (002) it may write.
fn refuse_open(path: &Path, about: &Metadata, last: bool) -> io::Result<()> {
    const STICKY: u32 = 0o1000;
    let mode = about.mode();
    let others_write = if about.gid() == about.uid() { 0o002 } else { 0o022 };
    if mode & others_write == 0 || !last && mode & STICKY != 0 {
        return Ok(());
    }
    Err(io::Error::other(format!(
        "other users may write to {} (mode {:o}), and so change what would then be executed; take that right away: chmod go-w",
        path.display(),
        mode & 0o7777
    )))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
    use std::path::Path;

    use super::{checked, is_private, make_private};

    fn set(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn what_is_made_is_private() {
        let base = tempfile::tempdir().unwrap();
        let folder = base.path().join("a/b");
        make_private(&folder).unwrap();
        for path in [&folder, folder.parent().unwrap()] {
            assert_eq!(fs::metadata(path).unwrap().permissions().mode() & 0o7777, 0o700);
        }
    }

    #[test]
    fn a_folder_that_others_can_write_to_is_refused_and_so_is_what_lies_below_it() {
        let base = tempfile::tempdir().unwrap();
        let folder = base.path().join("open/cache");
        make_private(&folder).unwrap();
        let own_group = fs::metadata(base.path()).map(|about| about.uid() == about.gid()).unwrap();
        for (mode, safe) in [(0o700, true), (0o755, true), (0o775, own_group), (0o757, false), (0o1777, true)] {
            set(&base.path().join("open"), mode);
            assert_eq!(is_private(&folder), safe, "{mode:o}");
        }
        set(&base.path().join("open"), 0o700);
        // The folder itself has no excuse: with the sticky bit anybody can still make new files in it.
        set(&folder, 0o1777);
        let refused = checked(&folder).unwrap_err().to_string();
        assert!(refused.contains("open/cache (mode 1777)") && refused.contains("chmod go-w"), "{refused}");
    }

    #[test]
    fn links_are_looked_at_along_with_where_they_lead() {
        let base = tempfile::tempdir().unwrap();
        let (real, open) = (base.path().join("real"), base.path().join("open"));
        make_private(&real.join("cache")).unwrap();
        make_private(&open.join("cache")).unwrap();
        set(&open, 0o777);
        symlink("real/../real/cache", base.path().join("good")).unwrap();
        symlink(open.join("cache"), base.path().join("bad")).unwrap();
        symlink("round", base.path().join("round")).unwrap();
        assert!(is_private(&base.path().join("good")));
        assert!(!is_private(&base.path().join("bad")));
        assert!(!is_private(&base.path().join("round")));
        fs::write(base.path().join("file"), "").unwrap();
        assert!(!is_private(&base.path().join("file")));
    }

    /// Only the administrator can make what belongs to another.
    #[test]
    fn a_folder_of_another_user_is_refused() {
        if !rustix::process::geteuid().is_root() {
            return;
        }
        let base = tempfile::tempdir().unwrap();
        let folder = base.path().join("theirs/cache");
        make_private(&folder).unwrap();
        std::os::unix::fs::chown(base.path().join("theirs"), Some(65_534), None).unwrap();
        let refused = checked(&folder).unwrap_err().to_string();
        assert!(refused.contains("theirs belongs to another user (number 65534)"), "{refused}");
        // Nor may a group of others write.
        std::os::unix::fs::chown(base.path().join("theirs"), Some(0), Some(65_534)).unwrap();
        set(&base.path().join("theirs"), 0o775);
        assert!(!is_private(&folder));
    }
}
