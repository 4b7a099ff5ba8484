//! What of the paths that a process touches is Tare's own.

use std::path::{Path, PathBuf};

use tare_worker::cache_folder;

/// Paths that are Tare's own, and none of the case's business.
pub(super) struct Own {
    cache: Option<PathBuf>,
    temporary: PathBuf,
    program: Option<PathBuf>,
}

impl Own {
    /// `program`: what a compiled program is, which is compared by itself.
    pub(super) fn of(program: Option<PathBuf>) -> Self {
        Self { cache: cache_folder().ok(), temporary: std::env::temp_dir(), program }
    }

    /// Whether a path is one of them.
    pub(super) fn has(&self, path: &Path) -> bool {
        let is_scratch = |path: &Path| {
            let below = path.strip_prefix(&self.temporary).ok().and_then(|below| below.components().next());
            below.and_then(|first| first.as_os_str().to_str()).is_some_and(tare_files::is_scratch)
        };
        self.cache.as_ref().is_some_and(|cache| path.starts_with(cache))
            || self.program.as_deref() == Some(path)
            || is_scratch(path)
    }
}
