//! Lines that an extraction of units printed for files of libraries, kept for later comparisons: Python takes longer to compile them than most
//! comparisons take to prove anything.

use std::collections::HashMap;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::Deserialize;
use serde::de::IgnoredAny;
use tare_samples::fnv1a;

use crate::cache::cache_folder;

/// Below the cache's folder.
const FOLDER: &str = "units";
const HEADER: &str = "header";
/// A file that was changed so short ago may change once more without another time (filesystems keep times by ticks of some milliseconds).
const FRESH_S: i64 = 2;

/// Lines by the state of the file that they tell of: path, inode, size, and when content and inode were changed.
pub(crate) struct KeptLines {
    folder: PathBuf,
}

/// What of a line is looked at: of which file it tells, and that it isn't of a fault, which may pass.
#[derive(Deserialize)]
struct Line {
    file: String,
    #[serde(rename = "units")]
    _units: IgnoredAny,
}

impl KeptLines {
    /// `extraction`: all by which lines differ for the same file. None: there is no folder to keep them in.
    pub(crate) fn of(extraction: &str) -> Option<Self> {
        let folder = cache_folder().ok()?.join(FOLDER).join(format!("{:016x}", fnv1a(extraction.bytes())));
        fs::create_dir_all(&folder).ok()?;
        Some(Self { folder })
    }

    pub(crate) fn header(&self) -> Option<Vec<u8>> {
        fs::read(self.folder.join(HEADER)).ok()
    }

    pub(crate) fn line(&self, file: &Path) -> Option<Vec<u8>> {
        fs::read(self.folder.join(state_of(file)?)).ok()
    }

    /// Keeps what was printed for those of `files` whose state is still the one from before, with the header.
    pub(crate) fn keep(&self, printed: &[u8], files: &HashMap<&Path, Option<String>>) {
        let mut lines = printed.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        // Whoever was ended may not have come to the end of it.
        let Some(header) = lines.next().filter(|_| printed.contains(&b'\n')) else { return };
        self.write(HEADER, header);
        for line in lines {
            let Ok(Line { file, .. }) = serde_json::from_slice(line) else { continue };
            let path = Path::new(&file);
            match files.get(path) {
                Some(Some(state)) if state_of(path).as_ref() == Some(state) => self.write(state, line),
                _ => {}
            }
        }
    }

    /// What can't be written is printed again next time. Others may do the same at the same time: a file is there whole or not.
    fn write(&self, name: &str, line: &[u8]) {
        let unfinished = self.folder.join(format!("{name}.{}", std::process::id()));
        if fs::write(&unfinished, line).and_then(|()| fs::rename(&unfinished, self.folder.join(name))).is_err() {
            let _ = fs::remove_file(unfinished);
        }
    }
}

/// A name for a file as it is; none where there is no regular file, or it was changed a moment ago.
pub(crate) fn state_of(file: &Path) -> Option<String> {
    let status = fs::metadata(file).ok().filter(fs::Metadata::is_file)?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).ok()?.as_secs();
    if status.ctime().max(status.mtime()) + FRESH_S > i64::try_from(now).ok()? {
        return None;
    }
    let times = [status.mtime(), status.mtime_nsec(), status.ctime(), status.ctime_nsec()];
    let numbers = [status.dev(), status.ino(), status.size()].into_iter().chain(times.map(i64::cast_unsigned));
    let bytes = file.as_os_str().as_bytes().iter().copied().chain([0]);
    Some(format!("{:016x}", fnv1a(bytes.chain(numbers.flat_map(u64::to_le_bytes)))))
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::fs;
    use std::path::Path;
    use std::time::{Duration, SystemTime};

    use super::{KeptLines, state_of};

    #[test]
    fn a_line_is_kept_for_the_file_as_it_was_and_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let kept = KeptLines { folder: folder.path().to_owned() };
        // This one has been there for long; what was written just now has no state to be kept by.
        let old = std::env::current_exe().unwrap();
        let (old, new) = (old.as_path(), folder.path().join("new.py"));
        fs::write(&new, "x").unwrap();
        fs::File::open(&new).unwrap().set_modified(SystemTime::now() - Duration::from_secs(60)).unwrap();
        assert_eq!(state_of(&new), None, "its inode changed a moment ago");
        assert_eq!(state_of(Path::new("/no/such")), None);
        let Some(state) = state_of(old) else { return };
        let line = |path: &Path| format!("{{\"file\": {:?}, \"units\": []}}", path.display().to_string());
        let printed = format!("{{\"format\": 1}}\n{}\n{}\n", line(old), line(&new));
        kept.keep(printed.as_bytes(), &HashMap::from([(old, Some("another state".to_owned())), (new.as_path(), None)]));
        assert_eq!((kept.line(old), kept.header().as_deref()), (None, Some(b"{\"format\": 1}".as_slice())));
        kept.keep(printed.as_bytes(), &HashMap::from([(old, Some(state))]));
        assert_eq!(kept.line(old).as_deref(), Some(line(old).as_bytes()));
        assert_eq!(kept.line(&new), None);
    }
}
