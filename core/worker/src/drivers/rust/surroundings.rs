//! Files above a checkout that Cargo and rustup read for it.
//!
//! Both look in all folders above. Where the user's cache lies in the project, or can't be used, checkouts lie below the working tree, whose files are another revision's.

use std::fs;
use std::path::{Path, PathBuf};

/// Files that decide about a build.
const READ: [&str; 4] = [".cargo/config.toml", ".cargo/config", "rust-toolchain.toml", "rust-toolchain"];
/// The file beside checkouts that holds the path of the working tree, and the lengths of the names of checkouts: hashes of commits.
const PROJECT: &str = "project";
const HASHES: [usize; 2] = [40, 64];

/// Where a package of a checkout lies.
pub(super) struct Surroundings {
    /// The top of the project's working tree.
    project: PathBuf,
    checkout: PathBuf,
}

impl Surroundings {
    /// Those of a package's folder; none of the working tree's own.
    pub(super) fn of(folder: &Path) -> Option<Self> {
        folder.ancestors().find_map(|checkout| {
            let name = checkout.file_name()?.to_str()?;
            let is_hash = HASHES.contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_hexdigit());
            let project = is_hash.then(|| tare_files::text(&checkout.with_file_name(PROJECT), 1 << 16).ok())??;
            Some(Self { project: project.into(), checkout: checkout.to_owned() })
        })
    }

    /// A file of the working tree that would be read for the checkout, and isn't the same in it.
    pub(super) fn foreign(&self) -> Option<PathBuf> {
        let within = |above: &Path| above.strip_prefix(&self.project).map(|below| self.checkout.join(below));
        files(self.checkout.ancestors().skip(1)).find_map(|(above, name)| {
            let own = within(above).ok()?;
            let theirs = fs::read(above.join(name)).ok()?;
            (fs::read(own.join(name)).ok() != Some(theirs)).then(|| above.join(name))
        })
    }

    /// Files above the working tree that are read for it, and not for the checkout.
    pub(super) fn out_of_reach(&self) -> Vec<PathBuf> {
        let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
        let above = self.project.ancestors().skip(1).filter(|above| !self.checkout.starts_with(above));
        let is_read = |path: &PathBuf| path.is_file() && home.as_deref() != path.parent();
        files(above).map(|(above, name)| above.join(name)).filter(is_read).collect()
    }
}

/// Where these files are looked for.
pub(super) fn files<'a>(folders: impl Iterator<Item = &'a Path>) -> impl Iterator<Item = (&'a Path, &'static str)> {
    folders.flat_map(|folder| READ.iter().map(move |name| (folder, *name)))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::Surroundings;

    const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";

    #[test]
    fn files_of_the_working_tree_count_where_a_checkout_lies_below_it() {
        let top = tempfile::tempdir().unwrap();
        let (project, file) = (top.path().join("a/project"), ".cargo/config.toml");
        for (above, lies_below) in [(project.join(".cache/checkouts/0a"), true), (top.path().join("cache/0a"), false)] {
            let checkout = above.join(COMMIT);
            fs::create_dir_all(checkout.join("crate/.cargo")).unwrap();
            fs::create_dir_all(checkout.join(".cargo")).unwrap();
            fs::create_dir_all(project.join(".cargo")).unwrap();
            fs::write(above.join("project"), project.to_str().unwrap()).unwrap();
            let foreign = || Surroundings::of(&checkout.join("crate")).unwrap().foreign();
            assert_eq!(foreign(), None);
            fs::write(project.join(file), "[env]\n").unwrap();
            assert_eq!(foreign(), lies_below.then(|| project.join(file)));
            fs::write(checkout.join(file), "[env]\n").unwrap();
            assert_eq!(foreign(), None, "the same on both sides");
            fs::remove_file(project.join(file)).unwrap();
        }
        assert!(Surroundings::of(&project.join("crate")).is_none(), "the working tree");
    }

    #[test]
    fn files_above_the_working_tree_are_out_of_reach_of_a_checkout_elsewhere() {
        let top = tempfile::tempdir().unwrap();
        let (project, cache) = (top.path().join("a/project"), top.path().join("cache/0a"));
        fs::create_dir_all(cache.join(COMMIT)).unwrap();
        fs::create_dir_all(&project).unwrap();
        fs::write(cache.join("project"), project.to_str().unwrap()).unwrap();
        fs::write(top.path().join("rust-toolchain"), "stable").unwrap();
        let out_of_reach = || Surroundings::of(&cache.join(COMMIT)).unwrap().out_of_reach();
        assert!(out_of_reach().is_empty(), "above both");
        fs::write(top.path().join("a/rust-toolchain"), "nightly").unwrap();
        assert_eq!(out_of_reach(), [top.path().join("a/rust-toolchain")]);
    }
}
