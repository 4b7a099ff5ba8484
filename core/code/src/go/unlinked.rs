//! Why a package's program can't be put together from its objects.

use std::path::PathBuf;

/// Why the objects of a Go program can't be compared.
#[derive(Debug, thiserror::Error)]
pub enum Unlinked {
    /// A file can't be read.
    #[error("{path} can't be read: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// There is more than is looked at.
    #[error("the objects of the packages are too large to compare")]
    TooLarge,
    /// A file isn't what it should be, or refers to what isn't there.
    #[error("{0} isn't understood")]
    Damaged(&'static str),
    /// The toolchain is one whose objects Tare doesn't know.
    #[error("the objects of {0} aren't known")]
    Toolchain(String),
    /// The program is put together in a way that the comparison doesn't follow.
    #[error("{0}")]
    Unfollowed(String),
}
