//! Why a record doesn't hold everything.

use std::path::PathBuf;

/// Why a record doesn't hold everything that a process depended on.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub enum Incomplete {
    /// More paths than are kept.
    #[error("the processes looked up more than {0} paths")]
    Paths(usize),
    /// Paths of more bytes than are kept.
    #[error("the paths that the processes looked up have more than {0} bytes")]
    Bytes(usize),
    /// A system call's argument couldn't be read.
    #[error("the arguments of system call {0} can't be read")]
    Arguments(u64),
    /// A path is relative to a folder that has no name any more.
    #[error("a path is relative to a folder that was removed or can't be read")]
    Folder,
    /// Another file was opened than the one that the path names for us.
    #[error("`{}` is another file for the process than for Tare", .0.display())]
    OtherFile(PathBuf),
    /// A path is resolved in a way that isn't understood.
    #[error("`{}` was opened relative to a root of its own", .0.display())]
    OtherRoot(PathBuf),
    /// A stop of the process couldn't be understood.
    #[error("the kernel doesn't tell which system call a process stands at")]
    Stop,
    /// The thread that followed ended before the process.
    #[error("the process wasn't followed to its end")]
    Lost,
}
