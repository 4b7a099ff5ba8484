//! Where a workspace is built.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::cache::cache_folder;
use crate::embedded::content_key;

const MONTH: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// Its time is that of the last build.
const USED: &str = "tare-used";

/// The folder that Cargo builds the workspace of `root` in. `parts`: what makes all that is built another: Tare's sources, and which crates are left empty.
///
/// One for each place of a workspace: Cargo tells what is fresh by the times of files, in paths from the root, so two checkouts in one folder would be taken for each
/// other. What packages of a registry were compiled to is the same everywhere, and comes from a folder of the same workspace elsewhere (`seeded`).
pub(super) fn target_folder(root: &Path, parts: &[&[u8]], own: Option<&str>) -> io::Result<PathBuf> {
    let above = match own {
        Some(folder) => root.join(folder).join("tare"),
        None => cache_folder().map_err(|error| error.source)?.join("rust"),
    };
    tare_files::make_private(&above)?;
    let parts = content_key(parts.iter().copied());
    let folder = above
        .join(format!("target-{parts:016x}-{:016x}", content_key([root.as_os_str().as_encoded_bytes()].into_iter())));
    clean(&above, &folder);
    tare_files::make_private(&folder)?;
    fs::write(folder.join(USED), "")?;
    Ok(folder)
}

/// Removes what nobody has built in for a month.
fn clean(above: &Path, folder: &Path) {
    for entry in fs::read_dir(above).into_iter().flatten().flatten() {
        let path = entry.path();
        let used = fs::metadata(path.join(USED)).and_then(|about| about.modified());
        let is_old = used.is_ok_and(|time| SystemTime::now().duration_since(time).is_ok_and(|age| age > MONTH));
        if is_old && path != folder {
            let _ = fs::remove_dir_all(path);
        }
    }
}
