//! Profiles that are kept with a project, to be shown beside the cases that they are of.

use std::fs;
use std::path::{Path, PathBuf};

use tare_profile::ProfileError;
use tare_results::{ProfileView, RunView};
use tare_samples::Variant;

/// The file of a profile's folder that says what it is of, and holds what was found.
const FILE: &str = "profile.json";
/// Folders that are looked into, the newest first: names begin with the time.
const MOST: usize = 200;
/// Larger ones aren't read: a page couldn't show them.
const LARGEST: u64 = 16 << 20;

/// Leaves the profile in its folder.
pub(crate) fn keep(folder: &Path, view: &ProfileView) -> Result<(), ProfileError> {
    let path = folder.join(FILE);
    let written = serde_json::to_vec(view).map_err(std::io::Error::other).and_then(|bytes| fs::write(&path, bytes));
    written.map_err(|error| ProfileError::File { path: path.display().to_string(), error })
}

/// Adds the newest profile of each case of the run on its runtime. A folder without one, and a file that isn't one, are passed over.
pub(crate) fn add(view: &mut RunView, store: &Path) {
    let is_of = |profile: &ProfileView, variant: &Variant| {
        variant.case.id() == profile.subject && variant.runtime.series() == profile.runtime.name
    };
    for profile in newest_first(&store.join("profiles")) {
        let known =
            view.profiles.iter().any(|one| one.subject == profile.subject && one.runtime.name == profile.runtime.name);
        if !known && view.variants.iter().any(|variant| is_of(&profile, &variant.variant)) {
            view.profiles.push(profile);
        }
    }
}

fn newest_first(above: &Path) -> impl Iterator<Item = ProfileView> {
    let mut folders: Vec<PathBuf> =
        fs::read_dir(above).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    folders.sort_by(|a, b| b.cmp(a));
    folders.into_iter().take(MOST).filter_map(|folder| {
        let bytes = tare_files::read(&folder.join(FILE), LARGEST).ok()?;
        serde_json::from_slice(&bytes).ok()
    })
}
