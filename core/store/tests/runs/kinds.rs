//! An empty store of each kind, for one test.

use crate::common;
use tare_store::{Access, RunRow, Store, StoreLocation};

/// An empty store of some kind.
pub(crate) struct Kind {
    pub(crate) place: StoreLocation,
    _kept: Kept,
}

#[allow(dead_code, reason = "what is held until the test ends")]
enum Kept {
    Folder(tempfile::TempDir),
    Server(std::sync::Arc<common::server::Server>),
}

impl Kind {
    pub(crate) fn sqlite() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        Self { place: StoreLocation::folder(folder.path().join(".tare")), _kept: Kept::Folder(folder) }
    }

    /// `None` where PostgreSQL isn't installed.
    pub(crate) fn postgres() -> Option<Self> {
        let server = common::server::Server::shared()?;
        let place = StoreLocation::named(&server.database(), std::path::Path::new("/")).expect("an address");
        Some(Self { place, _kept: Kept::Server(server) })
    }

    pub(crate) fn open(&self) -> Box<dyn Store> {
        self.place.open(Access::ReadWrite).expect("a store")
    }

    pub(crate) fn reader(&self) -> Box<dyn Store> {
        self.place.open(Access::ReadOnly).expect("a store")
    }
}

pub(crate) fn ids(rows: &[RunRow]) -> Vec<&str> {
    rows.iter().map(|row| row.origin.id.as_str()).collect()
}
