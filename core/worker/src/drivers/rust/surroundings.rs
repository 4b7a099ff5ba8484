//! Files above a checkout that Cargo and rustup would read for it, though they are another revision's.
//!
//! Checkouts lie below the project, in `.tare/worktrees`, and Cargo looks for its configuration in all folders above.

use std::fs;
use std::path::{Component, Path, PathBuf};

/// Files that decide about a build.
const READ: [&str; 4] = [".cargo/config.toml", ".cargo/config", "rust-toolchain.toml", "rust-toolchain"];

/// A file of the working tree that would be read for the checkout in which `folder` lies, and isn't the same in that checkout. Of the working tree itself there is none.
pub(super) fn foreign(folder: &Path) -> Option<PathBuf> {
    let (project, checkout) = checkout_of(folder)?;
    let top = project.ancestors().find(|above| above.join(".git").exists())?;
    let own = |above: &Path| above.strip_prefix(top).map(|below| checkout.join(below));
    let between = project.ancestors().take_while(|above| above.starts_with(top));
    between.flat_map(|above| READ.iter().map(move |name| (above, name))).find_map(|(above, name)| {
        let theirs = fs::read(above.join(name)).ok()?;
        let is_same = own(above).is_ok_and(|own| fs::read(own.join(name)).is_ok_and(|content| content == theirs));
        (!is_same).then(|| above.join(name))
    })
}

/// The project's folder and the checkout's, of a path within a checkout.
fn checkout_of(path: &Path) -> Option<(PathBuf, PathBuf)> {
    let parts: Vec<Component<'_>> = path.components().collect();
    let named = |at: usize, name: &str| parts.get(at).is_some_and(|part| part.as_os_str() == name);
    let at = (0..parts.len()).rev().find(|&at| named(at, ".tare") && named(at + 1, "worktrees"))?;
    let upto = |end: usize| parts[..end].iter().collect::<PathBuf>();
    (at + 3 <= parts.len()).then(|| (upto(at), upto(at + 3)))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::foreign;

    #[test]
    fn what_another_revision_has_beside_a_checkout_is_seen() {
        let top = tempfile::tempdir().unwrap();
        let (project, file) = (top.path().join("sub"), ".cargo/config.toml");
        let checkout = project.join(".tare/worktrees/abc");
        let folder = checkout.join("sub/crate");
        for made in [&folder, &top.path().join(".git"), &project.join(".cargo"), &checkout.join("sub/.cargo")] {
            fs::create_dir_all(made).unwrap();
        }
        assert_eq!(foreign(&folder), None);
        fs::write(project.join(file), "[env]\n").unwrap();
        assert_eq!(foreign(&folder), Some(project.join(file)));
        assert_eq!(foreign(&project.join("crate")), None, "the working tree's own");
        fs::write(checkout.join("sub").join(file), "[env]\n").unwrap();
        assert_eq!(foreign(&folder), None, "the same on both sides");
        fs::write(top.path().join("rust-toolchain.toml"), "x").unwrap();
        assert_eq!(foreign(&folder), Some(top.path().join("rust-toolchain.toml")));
    }
}
