//! What a process depends on beside files.

use std::fmt;
use std::path::{Path, PathBuf};

/// How [`Outside::OwnProgram`] begins where it is shown.
pub const OWN_PROGRAM: &str = "its own program";

/// What a process depends on, or did, that comparing files can't settle.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outside {
    /// A clock was read.
    Clock,
    /// A timer was set.
    Timer,
    /// Random bytes were asked for.
    Random,
    /// The machine's memory, load or uptime was asked for (sysinfo(2)).
    MachineState,
    /// A socket of this kind was opened, or spoke to this address.
    Socket(String),
    /// A file of `/proc`.
    Proc(PathBuf),
    /// A file of `/sys`.
    Sys(PathBuf),
    /// A device, but for those that are always the same (`/dev/null`, `/dev/zero`, `/dev/full`).
    Device(PathBuf),
    /// A FIFO, opened by its path.
    Fifo(PathBuf),
    /// A file that is mapped so that writes to memory change it, or others' writes to it change the memory.
    SharedMapping(PathBuf),
    /// A program with rights of another user, or of the system. A followed program doesn't get them.
    SetUid(PathBuf),
    /// An executable of a format that isn't known: what else the kernel loads for it isn't, either.
    Format(PathBuf),
    /// The file of the program that the process executes was read or looked at by the process itself.
    OwnProgram(PathBuf),
    /// A file had another content, or was another file, when it was read again.
    Changed(PathBuf),
    /// A call about this path failed for another reason than that there is no such file: number of the error (errno(3)).
    Failed(PathBuf, i32),
    /// The process traces another, or asked to be traced, or reads the memory of another.
    Trace,
    /// Another seccomp filter.
    Filter,
    /// `bpf(2)`.
    Bpf,
    /// `io_uring(7)`: requests that are no system calls.
    IoUring,
    /// Counters of performance.
    PerfEvents,
    /// Page faults handled by the process.
    UserFaults,
    /// A file without a name, in memory.
    MemoryFile,
    /// A file by its handle, not its path.
    Handle,
    /// Mounts were changed or looked at.
    Mounts,
    /// The root folder was changed.
    Root,
    /// Namespaces were entered or made.
    Namespaces,
    /// Changes of files were watched for.
    Watch,
    /// IPC of System V or POSIX.
    Ipc,
    /// Keys of the kernel.
    Keys,
    /// A process was started so that it can't be followed.
    Unfollowed,
    /// Processes were left behind when the first one had ended.
    LeftBehind(String),
    /// A system call of another kind of processor (32 bits).
    ForeignCall,
    /// A system call that isn't known to be harmless, by its number.
    OtherCall(u64),
}

impl Outside {
    /// What it is, in a word or two, without its path.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Clock => "clock",
            Self::Timer => "timer",
            Self::Random => "random bytes",
            Self::MachineState => "memory and load of the machine",
            Self::Socket(_) => "socket",
            Self::Proc(_) => "/proc",
            Self::Sys(_) => "/sys",
            Self::Device(_) => "device",
            Self::Fifo(_) => "FIFO",
            Self::SharedMapping(_) => "shared mapping",
            Self::SetUid(_) => "set-user-ID program",
            Self::Format(_) => "executable of unknown format",
            Self::OwnProgram(_) => OWN_PROGRAM,
            Self::Changed(_) => "file that changed meanwhile",
            Self::Failed(..) => "failed call",
            Self::Trace => "ptrace",
            Self::Filter => "seccomp",
            Self::Bpf => "bpf",
            Self::IoUring => "io_uring",
            Self::PerfEvents => "performance counters",
            Self::UserFaults => "userfaultfd",
            Self::MemoryFile => "memory file",
            Self::Handle => "file handle",
            Self::Mounts => "mounts",
            Self::Root => "chroot",
            Self::Namespaces => "namespaces",
            Self::Watch => "watched files",
            Self::Ipc => "IPC",
            Self::Keys => "kernel keys",
            Self::Unfollowed => "process that can't be followed",
            Self::LeftBehind(_) => "process left behind",
            Self::ForeignCall => "32-bit system call",
            Self::OtherCall(_) => "other system call",
        }
    }
}

impl Outside {
    /// The path, address or name that it is about; empty where it is about none.
    pub fn about(&self) -> &Path {
        match self {
            Self::Proc(path)
            | Self::Sys(path)
            | Self::Device(path)
            | Self::Fifo(path)
            | Self::SharedMapping(path)
            | Self::SetUid(path)
            | Self::Format(path)
            | Self::OwnProgram(path)
            | Self::Changed(path)
            | Self::Failed(path, _) => path,
            Self::Socket(text) | Self::LeftBehind(text) => Path::new(text),
            _ => Path::new(""),
        }
    }
}

impl fmt::Display for Outside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())?;
        match self {
            Self::Failed(path, error) => write!(f, " ({}, error {error})", path.display()),
            Self::OtherCall(number) => write!(f, " ({number})"),
            _ if self.about().as_os_str().is_empty() => Ok(()),
            _ => write!(f, " ({})", self.about().display()),
        }
    }
}
