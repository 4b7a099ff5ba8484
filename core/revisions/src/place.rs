//! Where the checkouts of a project lie: in the user's cache, so that no folder above them is the working tree's. Tools look for configuration in all of these.

use std::fs;
use std::io::{self, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::hold::{Hold, Sharing};
use crate::repository::Repository;
use crate::tree::remove_tree;

/// The folder of the cache in which each project has one.
pub const CHECKOUTS: &str = "checkouts";
/// The file beside a project's checkouts that holds the path of its working tree, and nothing else. Workers read it, too.
pub const PROJECT: &str = "project";
/// A path is shorter.
const LONGEST: u64 = 1 << 16;

/// The folder of a project's checkouts in `cache`.
pub(crate) fn in_cache(cache: &Path, repository: &Repository) -> PathBuf {
    let digest = Sha256::digest(repository.folder().as_os_str().as_bytes());
    let name: String = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    cache.join(CHECKOUTS).join(name)
}

/// Makes that folder, for the user alone, and removes those of projects that are no more.
pub(crate) fn make(cache: &Path, repository: &Repository) -> io::Result<PathBuf> {
    let folder = in_cache(cache, repository);
    tare_files::make_private(&folder)?;
    // As git writes it.
    let folder = fs::canonicalize(folder)?;
    name_project(&folder, repository)?;
    folder.parent().into_iter().for_each(remove_abandoned);
    Ok(folder)
}

/// Says whose checkouts lie in `folder`. It is written each time: what can't be written can't hold a checkout.
pub(crate) fn name_project(folder: &Path, repository: &Repository) -> io::Result<()> {
    let mut draft = tempfile::Builder::new().prefix("draft-").tempfile_in(folder)?;
    draft.write_all(repository.top().as_os_str().as_bytes())?;
    draft.persist(folder.join(PROJECT)).map(drop).map_err(|error| error.error)
}

/// The working tree of which `folder` holds checkouts.
fn project_of(folder: &Path) -> Option<PathBuf> {
    let path = tare_files::read(&folder.join(PROJECT), LONGEST).ok().filter(|path| !path.is_empty())?;
    Some(std::ffi::OsString::from_vec(path).into())
}

/// Removes the checkouts of projects whose working tree is gone, unless a process uses them. What can't be removed stays.
fn remove_abandoned(above: &Path) {
    for folder in fs::read_dir(above).into_iter().flatten().flatten().map(|entry| entry.path()) {
        let is_gone = project_of(&folder)
            .is_some_and(|top| fs::symlink_metadata(top).is_err_and(|error| error.kind() == io::ErrorKind::NotFound));
        if is_gone && let Some(_held) = held(&folder) {
            let _ = remove_tree(&folder);
        }
    }
}

/// All locks in a folder; none where a process has one of them.
fn held(folder: &Path) -> Option<Vec<Hold>> {
    let entries = fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
    let locks = entries.filter(|path| path.extension().is_some_and(|ending| ending == "lock"));
    locks.map(|lock| Hold::try_take(&lock, Sharing::Exclusive).ok()?.filter(Hold::is_locked)).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{CHECKOUTS, PROJECT};
    use crate::fixture::Fixture;
    use crate::hold::{Hold, Sharing};
    use crate::worktrees::Worktrees;

    #[test]
    fn checkouts_of_a_project_that_is_gone_are_removed_unless_they_are_in_use() {
        let (gone, fixture) = (Fixture::new(), Fixture::new());
        let cache = fixture.cache();
        let open = |of: &Fixture| Worktrees::open(Ok(&cache), &of.state(), &of.repository()).unwrap();
        let revision = gone.revision("HEAD");
        let used = open(&gone).checkout(&revision, None, &mut |_| {}, &|| false).unwrap();
        let folder = used.root.parent().unwrap().to_owned();
        assert_eq!(fs::read_to_string(folder.join(PROJECT)).unwrap(), gone.top().to_str().unwrap());
        open(&fixture);
        fs::remove_dir_all(gone.top()).unwrap();
        open(&fixture);
        assert!(used.root.join("value").exists(), "in use");
        drop(used);
        open(&fixture);
        assert!(!folder.exists());
        assert_eq!(fs::read_dir(cache.join(CHECKOUTS)).unwrap().count(), 1);
    }

    #[test]
    fn a_link_in_the_place_of_the_cache_is_followed_once() {
        let fixture = Fixture::new();
        let link = fixture.folder.path().join("link");
        fs::create_dir(fixture.cache()).unwrap();
        std::os::unix::fs::symlink(fixture.cache(), &link).unwrap();
        let checkout = |cache| {
            let worktrees = Worktrees::open(Ok(cache), &fixture.state(), &fixture.repository()).unwrap();
            worktrees.checkout(&fixture.revision("HEAD"), None, &mut |_| {}, &|| false).unwrap()
        };
        let by_link = checkout(&link);
        assert!(by_link.root.starts_with(fixture.cache().canonicalize().unwrap()));
        assert!(checkout(&fixture.cache()).cached);
        assert!(Hold::try_take(&by_link.root.with_extension("lock"), Sharing::Exclusive).unwrap().is_none());
    }

    #[test]
    fn where_the_cache_cannot_be_used_checkouts_lie_in_the_project_and_the_reason_is_told() {
        let fixture = Fixture::new();
        let file = fixture.folder.path().join("file");
        fs::write(&file, "").unwrap();
        for cache in [Ok(file.as_path()), Err("no cache".to_owned())] {
            let worktrees = Worktrees::open(cache, &fixture.state(), &fixture.repository()).unwrap();
            assert!(
                worktrees
                    .reason()
                    .is_some_and(|why| ["no cache", "Not a directory"].iter().any(|one| why.contains(one)))
            );
            let used = worktrees.checkout(&fixture.revision("HEAD"), None, &mut |_| {}, &|| false).unwrap();
            assert!(used.root.starts_with(fixture.state()));
            assert!(used.root.with_file_name(PROJECT).exists());
        }
        let worktrees = fixture.worktrees();
        assert_eq!(worktrees.reason(), None);
        assert!(!fixture.state().join("worktrees").exists(), "those of before are removed");
        assert_eq!(fixture.run(&["worktree", "list"]).lines().count(), 1);
    }
}
