//! From a path as a process gave it to the file that it means: symbolic links on the way are told, and `..` behind one goes where the kernel goes.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use nix::errno::Errno;

/// So many symbolic links are followed in one path (path_resolution(7)).
const MOST_LINKS: u32 = 40;
/// So many folders are remembered.
const MOST_KNOWN: usize = 100_000;

/// What a path means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Found {
    /// Absolute, `.` and `..` resolved, symbolic links left as they are. Where a folder of it is missing and `..` follows, it ends there.
    pub(crate) path: PathBuf,
    /// The same without symbolic links, as far as it exists.
    pub(crate) real: PathBuf,
    /// Whether it was there.
    pub(crate) exists: bool,
    /// Folders, without symbolic links, that the path goes into and by `..` out of: had they been links, it would have meant something else.
    pub(crate) left: Vec<PathBuf>,
}

/// What stands at a path.
#[derive(Debug, Clone)]
enum Entry {
    Plain,
    Link(PathBuf),
    Missing,
}

/// Folders and symbolic links that were looked at before.
#[derive(Debug, Default)]
pub(crate) struct Lookups {
    /// By their paths as they are written: to compare paths part by part takes long.
    known: HashMap<OsString, Entry>,
}

/// A walk along one path.
struct Walk<'a> {
    lookups: &'a mut Lookups,
    met: &'a mut dyn FnMut(&Path, &Path),
    links_left: u32,
    left: Vec<PathBuf>,
}

impl Lookups {
    /// Names have changed: what is known isn't any more.
    pub(crate) fn forget(&mut self) {
        self.known.clear();
    }

    /// Looks up `path`, relative to `base`, an absolute path without symbolic links. `follows`: a symbolic link at its end is followed. `met`
    /// is told each symbolic
    /// link on the way, and what it says.
    pub(crate) fn find(&mut self, base: &Path, path: &Path, follows: bool, met: &mut dyn FnMut(&Path, &Path)) -> Found {
        // A slash at the end asks for a folder.
        let follows = follows || path.as_os_str().as_bytes().ends_with(b"/");
        let mut walk = Walk { lookups: self, met, links_left: MOST_LINKS, left: Vec::new() };
        let start = if path.is_absolute() { Path::new("/") } else { base };
        let (mut shown, mut real) = (start.to_owned(), start.to_owned());
        let mut components = path.components().peekable();
        while let Some(component) = components.next() {
            match component {
                Component::Normal(name) => {
                    let is_last = components.peek().is_none();
                    shown.push(name);
                    if walk.step(&mut real, name, !is_last || follows, is_last) {
                        continue;
                    }
                    // Without the folder nothing behind it is looked up, `..` neither.
                    let rest: Vec<Component<'_>> = components.collect();
                    if !rest.contains(&Component::ParentDir) {
                        shown.extend(&rest);
                        real.extend(&rest);
                    }
                    return Found { path: shown, real, exists: false, left: walk.left };
                }
                Component::ParentDir => {
                    let is_plain = shown == real;
                    walk.left.push(real.clone());
                    real.pop();
                    if is_plain {
                        shown.pop();
                    } else {
                        shown.clone_from(&real);
                    }
                }
                Component::RootDir | Component::CurDir | Component::Prefix(_) => {}
            }
        }
        Found { path: shown, real, exists: true, left: walk.left }
    }

    /// What stands at a path whose folder has no symbolic links in it. What is asked for last isn't remembered: it is what changes.
    fn entry(&mut self, path: &Path, is_last: bool) -> Entry {
        if let Some(known) = self.known.get(path.as_os_str()) {
            return known.clone();
        }
        let entry = match fs::read_link(path) {
            Ok(target) => Entry::Link(target),
            Err(error) => match Errno::from_raw(error.raw_os_error().unwrap_or_default()) {
                Errno::ENOENT | Errno::ENOTDIR | Errno::ENAMETOOLONG => Entry::Missing,
                // EINVAL: no symbolic link. Others (EACCES) the process will meet, too.
                _ => Entry::Plain,
            },
        };
        if !is_last && !matches!(entry, Entry::Missing) {
            if self.known.len() >= MOST_KNOWN {
                self.known.clear();
            }
            self.known.insert(path.as_os_str().to_owned(), entry.clone());
        }
        entry
    }
}

/// An absolute path as records name files: `.` and `..` resolved as the kernel does, other symbolic links left as they are.
pub fn as_recorded(path: &Path) -> PathBuf {
    Lookups::default().find(Path::new("/"), path, false, &mut |_, _| {}).path
}

/// Whether a path, absolute and resolved, is this folder or lies in it.
pub(crate) fn is_below(path: &Path, folder: &str) -> bool {
    let rest = path.as_os_str().as_bytes().strip_prefix(folder.as_bytes());
    rest.is_some_and(|rest| rest.is_empty() || rest[0] == b'/')
}

impl Walk<'_> {
    /// Goes from the folder `real` to what `name` is in it; whether it is there.
    fn step(&mut self, real: &mut PathBuf, name: &OsStr, follows: bool, is_last: bool) -> bool {
        real.push(name);
        // The links there say something else to each process.
        if is_below(real, "/proc") {
            return true;
        }
        let target = match self.lookups.entry(real, is_last) {
            Entry::Plain => return true,
            Entry::Missing => return false,
            Entry::Link(target) => target,
        };
        (self.met)(real, &target);
        if !follows {
            return true;
        }
        let Some(left) = self.links_left.checked_sub(1) else { return false };
        self.links_left = left;
        real.pop();
        if target.is_absolute() {
            *real = PathBuf::from("/");
        }
        let mut components = target.components().peekable();
        while let Some(component) = components.next() {
            match component {
                Component::Normal(name) => {
                    let is_last = is_last && components.peek().is_none();
                    if !self.step(real, name, true, is_last) {
                        real.extend(components);
                        return false;
                    }
                }
                Component::ParentDir => {
                    self.left.push(real.clone());
                    real.pop();
                }
                Component::RootDir | Component::CurDir | Component::Prefix(_) => {}
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::path::{Path, PathBuf};

    use super::{Found, Lookups};

    fn find(base: &Path, path: &str, follows: bool) -> (Found, Vec<PathBuf>) {
        let mut met = Vec::new();
        let found = Lookups::default().find(base, Path::new(path), follows, &mut |link, _| met.push(link.to_owned()));
        (found, met)
    }

    #[test]
    fn what_follows_a_symbolic_link_is_looked_up_where_it_leads() {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().canonicalize().unwrap();
        fs::create_dir_all(base.join("a")).unwrap();
        fs::create_dir_all(base.join("far/away")).unwrap();
        fs::write(base.join("far/b"), "b").unwrap();
        symlink("../far/away", base.join("a/link")).unwrap();

        let (found, met) = find(&base, "a/./link/../b", true);
        let left = vec![base.join("a"), base.join("far/away")];
        assert_eq!(found, Found { path: base.join("far/b"), real: base.join("far/b"), exists: true, left });
        assert_eq!(met, [base.join("a/link")]);
        // Without the link the text alone says it.
        let (found, met) = find(&base, "a/../far//b", true);
        assert_eq!((found.path, met, found.left), (base.join("far/b"), Vec::new(), vec![base.join("a")]));
        // The end of a path is followed, or not; the link is met both times.
        for (follows, real) in [(true, base.join("far/away")), (false, base.join("a/link"))] {
            let (found, met) = find(&base, "a/link", follows);
            assert_eq!((found.path, found.real, found.exists), (base.join("a/link"), real, true));
            assert_eq!(met, [base.join("a/link")]);
        }
        assert_eq!(find(&base, "a/link/", false).0.real, base.join("far/away"));
        let (found, _) = find(&base, "a/link/x/y", true);
        assert_eq!((found.path, found.exists), (base.join("a/link/x/y"), false));
        assert_eq!(found.real, base.join("far/away/x/y"));
        assert_eq!(
            find(&base, "none/../a", true).0,
            Found { path: base.join("none"), real: base.join("none"), exists: false, left: Vec::new() }
        );
        assert_eq!(find(&base, "/../..", true).0.path, Path::new("/"));
    }

    #[test]
    fn links_in_a_circle_name_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().canonicalize().unwrap();
        symlink("two", base.join("one")).unwrap();
        symlink("one", base.join("two")).unwrap();
        let (found, met) = find(&base, "one", true);
        assert!(!found.exists);
        assert!(met.len() > 40 && met.contains(&base.join("two")));
    }
}
