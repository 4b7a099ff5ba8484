use std::path::{Path, PathBuf};

use crate::{Access, Result, SqliteStore, Store};

/// The database in a store's folder.
const DATABASE: &str = "tare.db";

/// Where a store is; which backend it has follows from that, and nobody above needs to know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// A folder of files: SQLite.
    Folder(PathBuf),
}

impl Place {
    /// In a folder.
    pub fn folder(path: impl AsRef<Path>) -> Self {
        Self::Folder(path.as_ref().to_owned())
    }

    /// Opens it. Fails as [`SqliteStore::open`] does.
    pub fn open(&self, access: Access) -> Result<Box<dyn Store>> {
        match self {
            Self::Folder(folder) => Ok(Box::new(SqliteStore::open(folder.join(DATABASE), access)?)),
        }
    }

    /// Whether something was stored there already.
    pub fn exists(&self) -> bool {
        match self {
            Self::Folder(folder) => folder.join(DATABASE).exists(),
        }
    }
}
