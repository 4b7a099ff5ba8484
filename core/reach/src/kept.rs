//! Records of looks, kept beside the store: the candidate of one comparison is the base of the next, and a look at it needn't be taken again.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::look::Look;
use crate::stamp::hex;

/// Raised where a record of an earlier version would be misread.
const VERSION: u32 = 1;
/// Records that are kept of one commit, and commits: what is older goes first.
const COMMITS: usize = 40;
/// A record is no larger than this.
const LARGEST: u64 = 64 << 20;

/// The records of one commit.
#[derive(Debug, Clone)]
pub struct CommitRecords {
    folder: PathBuf,
}

#[derive(Serialize, Deserialize)]
struct Document {
    version: u32,
    key: String,
    look: Look,
}

impl CommitRecords {
    /// Those of `commit` in `folder`, Tare's own.
    pub fn of(folder: &Path, commit: &str) -> Self {
        Self { folder: folder.join("reach").join(commit) }
    }

    fn path(&self, key: &str) -> PathBuf {
        self.folder.join(format!("{}.json", &hex(&Sha256::digest(key))[..32]))
    }

    /// The look that was kept under `key`, which names all that it depends on beside files: runtime, source, settings.
    pub fn get(&self, key: &str) -> Option<Look> {
        let path = self.path(key);
        if fs::metadata(&path).ok()?.len() > LARGEST {
            return None;
        }
        let document: Document = serde_json::from_slice(&fs::read(&path).ok()?).ok()?;
        (document.version == VERSION && document.key == key).then_some(document.look)
    }

    /// Keeps a look. A record that can't be written is made again the next time.
    pub fn put(&self, key: &str, look: &Look) {
        let document = Document { version: VERSION, key: key.to_owned(), look: look.clone() };
        let Ok(text) = serde_json::to_vec(&document) else { return };
        if fs::create_dir_all(&self.folder).is_err() {
            return;
        }
        // Whole or not at all: another process may read it meanwhile.
        let written = tempfile_in(&self.folder).and_then(|(mut file, draft)| {
            file.write_all(&text)?;
            fs::rename(draft, self.path(key))
        });
        let _ = written;
    }

    /// Removes the records of all but the commits used last.
    pub fn clean(folder: &Path) {
        let Ok(entries) = fs::read_dir(folder.join("reach")) else { return };
        let mut commits: Vec<_> = entries
            .flatten()
            .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
            .collect();
        commits.sort();
        let old = commits.len().saturating_sub(COMMITS);
        for (_, path) in commits.into_iter().take(old) {
            let _ = fs::remove_dir_all(path);
        }
    }
}

fn tempfile_in(folder: &Path) -> std::io::Result<(fs::File, PathBuf)> {
    let draft = folder.join(format!("draft-{}-{:?}", std::process::id(), std::thread::current().id()));
    Ok((fs::File::create(&draft)?, draft))
}

#[cfg(test)]
mod tests {
    use super::{COMMITS, CommitRecords};
    use crate::look::Look;

    #[test]
    fn a_look_is_found_by_its_whole_key_alone() {
        let folder = tempfile::tempdir().unwrap();
        let kept = CommitRecords::of(folder.path(), "abc");
        assert!(kept.get("php 8.2 a").is_none());
        let look = Look::default();
        kept.put("php 8.2 a", &look);
        assert_eq!(kept.get("php 8.2 a"), Some(look));
        assert!(kept.get("php 8.2 b").is_none());
        assert!(CommitRecords::of(folder.path(), "abd").get("php 8.2 a").is_none());
        std::fs::write(kept.path("php 8.2 a"), "{").unwrap();
        assert!(kept.get("php 8.2 a").is_none());
    }

    #[test]
    fn records_of_old_commits_go() {
        let folder = tempfile::tempdir().unwrap();
        for commit in 0..COMMITS + 3 {
            CommitRecords::of(folder.path(), &format!("c{commit}")).put("k", &Look::default());
        }
        CommitRecords::clean(folder.path());
        assert_eq!(std::fs::read_dir(folder.path().join("reach")).unwrap().count(), COMMITS);
    }
}
