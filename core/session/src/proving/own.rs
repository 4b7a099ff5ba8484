//! What of the paths that a process touches is Tare's own.

use std::path::{Path, PathBuf};

use tare_revisions::{CHECKOUTS, PROJECT};
use tare_worker::cache_folder;

/// Paths that are Tare's own, and none of the case's business.
pub(super) struct Own {
    /// The cache, as it is named and where links lead.
    caches: Vec<PathBuf>,
    /// Files beside checkouts.
    marks: Vec<PathBuf>,
    temporary: PathBuf,
    program: Option<PathBuf>,
}

impl Own {
    /// `program`: what a compiled program is, which is compared by itself. `checkouts`: folders in which checkouts lie.
    pub(super) fn of(program: Option<PathBuf>, checkouts: &[PathBuf]) -> Self {
        let named = cache_folder().ok();
        let real = named.as_ref().and_then(|cache| cache.canonicalize().ok());
        Self {
            caches: named.into_iter().chain(real).collect(),
            marks: checkouts.iter().map(|folder| folder.join(PROJECT)).collect(),
            temporary: std::env::temp_dir(),
            program,
        }
    }

    /// Whether a path is one of them.
    pub(super) fn has(&self, path: &Path) -> bool {
        let is_scratch = |path: &Path| {
            let below = path.strip_prefix(&self.temporary).ok().and_then(|below| below.components().next());
            below.and_then(|first| first.as_os_str().to_str()).is_some_and(tare_files::is_scratch)
        };
        // What lies in checkouts is the revisions'.
        let is_in = |cache: &PathBuf| path.strip_prefix(cache).is_ok_and(|below| !below.starts_with(CHECKOUTS));
        self.caches.iter().any(is_in)
            || self.marks.iter().any(|mark| mark == path)
            || self.program.as_deref() == Some(path)
            || is_scratch(path)
    }
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::Own;

    #[test]
    fn workers_are_tares_own_and_checkouts_beside_them_are_not() {
        let project = PathBuf::from("/c/tare/checkouts/0a");
        let own = Own {
            caches: vec!["/c/tare".into()],
            ..Own::of(Some("/c/tare/rust/bench".into()), std::slice::from_ref(&project))
        };
        for (path, is_own) in [
            ("/c/tare/python/worker.py", true),
            ("/c/tare", true),
            ("/c/tare/checkouts/0a/project", true),
            ("/c/tare/checkouts/0a/1b/src/lib.rs", false),
            ("/c/tare/checkouts/0a/1b/project", false),
            ("/c/tare/checkouts/0b/1b/src/lib.rs", false),
            ("/c/other", false),
        ] {
            assert_eq!(own.has(Path::new(path)), is_own, "{path}");
        }
    }
}
