//! Which sources of two sides differ: tracked or not, in submodules, and in what git is told to ignore.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, Metadata};
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use tare_reach::Place;

use super::Sides;

/// Entries of folders that are gone through on a side, at most.
const MOST: usize = 2_000_000;
/// A file that is larger counts as different.
const LARGEST: u64 = 64 << 20;
/// Folders within folders, at most: a symbolic link may lead into the folder that it lies in.
const DEEPEST: usize = 64;

/// Sources by the endings of their names that aren't the same on both sides, whether or not git knows them. Tare's own folders and virtual environments aren't gone through.
///
/// # Errors
///
/// Why that can't be told, as a clause.
pub(super) fn sources(sides: &Sides, own: &Path, endings: &[&str]) -> Result<Vec<Place>, String> {
    let tops = sides.roots.each_ref().map(|root| root.folder().to_owned());
    let own = sides.checkouts.iter().chain(&sides.environments).map(PathBuf::as_path).chain([own]);
    let own = own.filter_map(|own| fs::metadata(own).ok()).map(|metadata| identity(&metadata)).collect();
    let mut walk = Walk { tops, own, endings, found: Vec::new(), entries: 0 };
    walk.folder(Path::new(""), [true, true], 0)?;
    Ok(walk.found)
}

struct Walk<'a> {
    tops: [PathBuf; 2],
    /// Tare's own folders, and virtual environments.
    own: Vec<(u64, u64)>,
    endings: &'a [&'a str],
    found: Vec<Place>,
    entries: usize,
}

impl Walk<'_> {
    /// A folder that stands on those sides.
    fn folder(&mut self, at: &Path, stands: [bool; 2], depth: usize) -> Result<(), String> {
        if depth > DEEPEST {
            return Err(format!("the folders in `{}` are too deep to be compared", at.display()));
        }
        // Name by name, what is there on either side.
        let mut names: BTreeMap<OsString, [bool; 2]> = BTreeMap::new();
        for side in [0, 1].into_iter().filter(|side| stands[*side]) {
            let unread = |error: std::io::Error| format!("`{}` can't be read: {error}", at.display());
            for entry in fs::read_dir(self.tops[side].join(at)).map_err(unread)? {
                let entry = entry.map_err(unread)?;
                let name = entry.file_name();
                let kind = entry.file_type().map_err(unread)?;
                let matters = kind.is_dir() || kind.is_symlink() || self.is_source(Path::new(&name));
                if matters && name != ".git" && name != "__pycache__" {
                    names.entry(name).or_default()[side] = true;
                }
                self.entries += 1;
            }
        }
        if self.entries > MOST {
            return Err(format!("its sides have more than {MOST} files"));
        }
        for (name, there) in names {
            self.entry(&at.join(name), there, depth)?;
        }
        Ok(())
    }

    fn entry(&mut self, at: &Path, there: [bool; 2], depth: usize) -> Result<(), String> {
        let found = [0, 1].map(|side| {
            let path = self.tops[side].join(at);
            there[side].then(|| fs::metadata(&path).ok().map(|metadata| (path, metadata))).flatten()
        });
        if let [Some((_, one)), Some((_, other))] = &found
            && identity(one) == identity(other)
        {
            return Ok(());
        }
        let folders = found.each_ref().map(|found| found.as_ref().is_some_and(|(_, metadata)| metadata.is_dir()));
        let files = found.each_ref().map(|found| found.as_ref().filter(|(_, metadata)| metadata.is_file()));
        if self.is_source(at) && files.iter().any(Option::is_some) && !are_equal(files) {
            self.found.push(Place::Inside(at.to_owned()));
        }
        let enters = [0, 1].map(|side| {
            let is_own = || found[side].as_ref().is_some_and(|(_, metadata)| self.own.contains(&identity(metadata)));
            folders[side] && !is_own() && !leads_back(&self.tops[side].join(at))
        });
        if enters.contains(&true) { self.folder(at, enters, depth + 1) } else { Ok(()) }
    }

    fn is_source(&self, at: &Path) -> bool {
        let ending = at.extension().and_then(|ending| ending.to_str());
        ending.is_some_and(|ending| self.endings.contains(&ending))
    }
}

/// Whether a path is a symbolic link to a folder above itself.
fn leads_back(path: &Path) -> bool {
    let is_link = fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink());
    is_link
        && match (fs::canonicalize(path), path.parent().map(fs::canonicalize)) {
            (Ok(target), Some(Ok(folder))) => folder.starts_with(target),
            _ => true,
        }
}

fn identity(metadata: &Metadata) -> (u64, u64) {
    (metadata.dev(), metadata.ino())
}

fn are_equal(files: [Option<&(PathBuf, Metadata)>; 2]) -> bool {
    let [Some((one, first)), Some((other, second))] = files else { return false };
    if first.len() != second.len() || first.len() > LARGEST {
        return false;
    }
    let read = |path: &Path| {
        let mut content = Vec::new();
        fs::File::open(path)?.take(LARGEST + 1).read_to_end(&mut content).map(|_| content)
    };
    matches!((read(one), read(other)), (Ok(one), Ok(other)) if one == other)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::path::Path;

    use tare_reach::Root;

    use super::{Sides, sources};

    #[test]
    fn sources_differ_wherever_they_lie_but_for_tares_own_and_other_files() {
        let folder = tempfile::tempdir().unwrap();
        let write = |side: &str, name: &str, content: &str| {
            let path = folder.path().join(side).join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        };
        for (side, text) in [("base", "1"), ("head", "2")] {
            write(side, "same.py", "same");
            for name in ["a.py", "vendor/b.py", "sub/.git/hooks/c.py", "d.txt", ".venv/e.py", "__pycache__/f.py"] {
                write(side, name, text);
            }
            symlink("..", folder.path().join(side).join("vendor/up")).unwrap();
            symlink(format!("../{side}-linked"), folder.path().join(side).join("linked")).unwrap();
            write(&format!("{side}-linked"), "g.py", text);
        }
        write("base", "goes/h.py", "");
        write("head", "comes.py", "");
        write("head", ".tare/profiles/i.py", "");
        write("head", "cache/x/j.py", "");
        symlink("nowhere.py", folder.path().join("head/broken.py")).unwrap();
        let own = folder.path().join("head/.tare");
        let of = |roots: [Root; 2]| {
            let project = folder.path().join("head");
            sources(
                &Sides { roots, checkouts: vec![project.join("cache")], project, environments: Vec::new() },
                &own,
                &["py"],
            )
        };
        let roots = ["base", "head"].map(|side| Root::new(&folder.path().join(side), &own));
        let found = of(roots.clone()).unwrap();
        let shown: Vec<String> = found.iter().map(tare_reach::Place::shown).collect();
        assert_eq!(shown, [".venv/e.py", "a.py", "comes.py", "goes/h.py", "linked/g.py", "vendor/b.py"]);
        let [base, _] = roots;
        assert!(of([base, Root::new(Path::new("/nowhere"), &own)]).unwrap_err().contains("can't be read"));
    }
}
