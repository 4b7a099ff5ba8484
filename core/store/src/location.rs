use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::spool::SpooledStore;
use crate::{Access, PostgresStore, Result, ServerAddress, SqliteStore, Store};

/// The database in a store's folder.
const DATABASE: &str = "tare.db";

/// Where a store is: a folder on this machine, or a server. The backend follows from that; no other crate needs to know which it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoreLocation {
    /// A folder of files: SQLite.
    Folder(PathBuf),
    /// A PostgreSQL database.
    Server(ServerAddress),
}

impl StoreLocation {
    /// In a folder.
    pub fn folder(path: impl AsRef<Path>) -> Self {
        Self::Folder(path.as_ref().to_owned())
    }

    /// What a text means: a URL, or else a folder, relative to `root`.
    ///
    /// # Errors
    ///
    /// What [`ServerAddress::parse`] says.
    pub fn named(text: &str, root: &Path) -> Result<Self> {
        match ServerAddress::is_meant_by(text) {
            true => Ok(Self::Server(ServerAddress::parse(text)?)),
            false => Ok(Self::Folder(root.join(text))),
        }
    }

    /// Opens it. Fails as [`SqliteStore::open`] and [`PostgresStore::open`] do.
    pub fn open(&self, access: Access) -> Result<Box<dyn Store>> {
        match self {
            Self::Folder(folder) => Ok(Box::new(SqliteStore::open(folder.join(DATABASE), access)?)),
            Self::Server(address) => Ok(Box::new(PostgresStore::open(address, access)?)),
        }
    }

    /// The same for reading, for somebody who waits for the answer: another process that has the files locked is waited for no longer than that.
    pub fn open_to_answer(&self, patience: Duration) -> Result<Box<dyn Store>> {
        match self {
            Self::Folder(folder) => {
                Ok(Box::new(SqliteStore::open_within(folder.join(DATABASE), Access::ReadOnly, patience)?))
            }
            Self::Server(_) => self.open(Access::ReadOnly),
        }
    }

    /// The same for writing, with a folder for what is measured while a server is away.
    pub fn open_to_measure(&self, spool: &Path) -> Result<Box<dyn Store>> {
        match self {
            Self::Folder(_) => self.open(Access::ReadWrite),
            Self::Server(address) => {
                Ok(Box::new(SpooledStore::new(PostgresStore::open(address, Access::ReadWrite)?, address, spool)))
            }
        }
    }

    /// Whether something was stored there already, as far as is known without asking a server.
    pub fn exists(&self) -> bool {
        match self {
            Self::Folder(folder) => folder.join(DATABASE).exists(),
            Self::Server(_) => true,
        }
    }
}
