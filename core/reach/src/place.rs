//! Where a file lies, seen from a side of a comparison.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// The folder of a side: a revision's worktree, or the working tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Root {
    folder: PathBuf,
    /// Folders that belong to Tare, and may hold sides.
    own: Vec<PathBuf>,
    /// Virtual environments in the project: both sides use the same one, as they use what is installed elsewhere.
    environments: Vec<PathBuf>,
}

/// A path, as every side has it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Place {
    /// Below the side's folder: the same relative path means another file on each side.
    Inside(PathBuf),
    /// Elsewhere: every side has the same file.
    Outside(PathBuf),
}

impl Root {
    /// The files of a side. `own` is Tare's folder (`.tare`).
    pub fn new(folder: &Path, own: &Path) -> Self {
        Self { folder: folder.to_owned(), own: vec![own.to_owned()], environments: Vec::new() }
    }

    /// The same where virtual environments lie in the project.
    #[must_use]
    pub fn with_environments(mut self, folders: &[PathBuf]) -> Self {
        self.environments.extend_from_slice(folders);
        self
    }

    /// The same where sides lie in another folder of Tare's, too.
    #[must_use]
    pub fn and_own(mut self, folder: &Path) -> Self {
        self.own.push(folder.to_owned());
        self
    }

    /// Where an absolute path lies, from this side.
    pub fn place(&self, path: &Path) -> Place {
        if self.is_of_environment(path) {
            return Place::Outside(path.to_owned());
        }
        match path.strip_prefix(&self.folder) {
            // The working tree holds Tare's folder, and with it what other sides are made of.
            Ok(relative) if self.own.iter().all(|own| !path.starts_with(own) || self.folder.starts_with(own)) => {
                Place::Inside(relative.to_owned())
            }
            _ => Place::Outside(path.to_owned()),
        }
    }

    /// The path of a place on this side.
    pub fn path(&self, place: &Place) -> PathBuf {
        match place {
            Place::Inside(relative) if relative.as_os_str().is_empty() => self.folder.clone(),
            Place::Inside(relative) => self.folder.join(relative),
            Place::Outside(path) => path.clone(),
        }
    }

    /// The side's folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Whether a path is the side's folder.
    pub(crate) fn is_folder(&self, path: &Path) -> bool {
        path == self.folder
    }

    /// Whether a path is a folder of Tare's.
    pub(crate) fn is_own(&self, path: &Path) -> bool {
        self.own.iter().any(|own| own == path)
    }

    /// Whether a path lies in the project, or in Tare's folder, and outside of this side: another side has files of its own there.
    pub fn leaves(&self, path: &Path, project: &Path) -> bool {
        let is_sides = path.starts_with(project) || self.own.iter().any(|own| path.starts_with(own));
        is_sides && !self.is_of_environment(path) && matches!(self.place(path), Place::Outside(_))
    }

    fn is_of_environment(&self, path: &Path) -> bool {
        self.environments.iter().any(|folder| path.starts_with(folder))
    }
}

impl Place {
    /// As a person reads it: relative to the project's root where it lies in it.
    pub fn shown(&self) -> String {
        let path = match self {
            Self::Inside(path) if path.as_os_str().is_empty() => Path::new("."),
            Self::Inside(path) | Self::Outside(path) => path,
        };
        path.display().to_string()
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Place, Root};

    #[test]
    fn a_relative_path_means_another_file_on_each_side() {
        let base = Root::new(Path::new("/p/.tare/worktrees/a"), Path::new("/p/.tare"));
        let head = Root::new(Path::new("/p"), Path::new("/p/.tare"));
        let place = base.place(Path::new("/p/.tare/worktrees/a/src/x.py"));
        assert_eq!(place, Place::Inside("src/x.py".into()));
        assert_eq!(head.path(&place), Path::new("/p/src/x.py"));
        assert_eq!(head.path(&base.place(Path::new("/p/.tare/worktrees/a"))), Path::new("/p"));
    }

    #[test]
    fn what_belongs_to_another_side_is_outside() {
        let base = Root::new(Path::new("/p/.tare/worktrees/a"), Path::new("/p/.tare"));
        let head = Root::new(Path::new("/p"), Path::new("/p/.tare"));
        let other = Path::new("/p/.tare/worktrees/b/src/x.py");
        assert!(matches!(base.place(other), Place::Outside(_)) && matches!(head.place(other), Place::Outside(_)));
        assert!(base.leaves(Path::new("/p/src/x.py"), Path::new("/p")));
        assert!(!base.leaves(Path::new("/usr/lib/x.py"), Path::new("/p")));
        // In the user's cache.
        let far = Root::new(Path::new("/c/a"), Path::new("/p/.tare")).and_own(Path::new("/c"));
        assert!(far.leaves(Path::new("/c/b/src/x.py"), Path::new("/p")));
        assert!(!far.leaves(Path::new("/c/a/src/x.py"), Path::new("/p")));
        let here = head.clone().and_own(Path::new("/p/cache"));
        assert!(here.leaves(Path::new("/p/cache/a/src/x.py"), Path::new("/p")));
        assert!(!head.leaves(Path::new("/p/src/x.py"), Path::new("/p")));
    }

    #[test]
    fn a_virtual_environment_in_the_project_is_the_same_on_both_sides() {
        let environments = ["/p/.venv".into()];
        let root = |folder: &str| Root::new(Path::new(folder), Path::new("/p/.tare")).with_environments(&environments);
        let module = Path::new("/p/.venv/lib/python3.11/site-packages/attr/__init__.py");
        for side in [root("/p"), root("/p/.tare/worktrees/a")] {
            assert_eq!(side.place(module), Place::Outside(module.to_owned()));
            assert!(!side.leaves(module, Path::new("/p")));
        }
        // What the user's own code is, is no part of it.
        assert!(root("/p/.tare/worktrees/a").leaves(Path::new("/p/.venvs.py"), Path::new("/p")));
    }
}
