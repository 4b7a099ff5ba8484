//! Which files of two revisions differ, as git knows it.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tare_reach::Place;
use tare_request::{Request, Side};

use super::Sides;

/// Files that differ between the sides, tracked or not; without those that git is told to ignore. `None` where git can't say.
pub(super) fn files(request: &Request, sides: &Sides) -> Option<Vec<Place>> {
    let [base, candidate] = request.sides.as_slice() else { return None };
    let (Some(one), Some(other)) = (&base.commit, &candidate.commit) else { return None };
    let top = sides.roots[1].path(&Place::Inside(PathBuf::new()));
    let mut found = asked(&top, &["diff", "--name-only", "--no-renames", "-z", one, other])?;
    for side in [base, candidate].into_iter().filter(|side| side.in_place()) {
        found.extend(changed_in_place(side)?);
    }
    found.sort();
    found.dedup();
    Some(found.into_iter().map(Place::Inside).collect())
}

/// What the working tree has beside its commit.
fn changed_in_place(side: &Side) -> Option<Vec<PathBuf>> {
    let top = side.root.ancestors().find(|folder| folder.join(".git").exists()).unwrap_or(&side.root);
    let mut found = asked(top, &["diff", "--name-only", "--no-renames", "-z", "HEAD"])?;
    found.extend(asked(top, &["ls-files", "--others", "--exclude-standard", "-z"])?);
    Some(found)
}

fn asked(folder: &Path, arguments: &[&str]) -> Option<Vec<PathBuf>> {
    let said =
        Command::new("git").arg("-C").arg(folder).args(arguments).stdin(Stdio::null()).stderr(Stdio::null()).output();
    let said = said.ok().filter(|said| said.status.success())?;
    let names = said.stdout.split(|byte| *byte == 0).filter(|name| !name.is_empty());
    Some(names.map(|name| PathBuf::from(String::from_utf8_lossy(name).into_owned())).collect())
}
