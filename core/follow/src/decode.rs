//! From the number and the arguments of a system call to what it asks for.
// The C library's names.
#![allow(non_upper_case_globals)]

use libc::{AT_EMPTY_PATH, AT_FDCWD, AT_SYMLINK_NOFOLLOW, c_long};

use crate::calls::{Legacy, legacy};
use crate::filter::{CLONE_APART, CLONE_UNTRACED};
use crate::outside::Outside;

/// All kinds of processors have the same number; the C library's crate doesn't name it for each.
const SYS_FCHMODAT2: c_long = 452;

/// What a path is relative to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Base {
    WorkingFolder,
    Descriptor(i32),
}

/// A path in the memory of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PathArgument {
    pub(crate) base: Base,
    pub(crate) address: u64,
    /// A symbolic link at its end is followed.
    pub(crate) follows: bool,
}

/// What a system call asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Call {
    /// Opens a path, with these flags.
    Open(PathArgument, i32),
    /// Opens a path, with flags that stand in memory.
    OpenHow(PathArgument, u64),
    /// Looks whether something is there, and what.
    Look(PathArgument),
    /// Makes, removes, renames or changes what paths name.
    Change(PathArgument, Option<PathArgument>, Change),
    /// Changes what a descriptor stands for.
    ChangeDescriptor(i32),
    /// Reads the entries of a folder.
    List(i32),
    /// Becomes another program.
    Execute(PathArgument),
    /// Maps a file so that writes to memory are writes to it.
    MapShared(i32),
    /// Opens a socket: family and type.
    Socket(u64, u64),
    /// Speaks to an address, or takes one: where it stands, and its length.
    Address(u64, u64),
    /// Sends a message, or so many, whose header says where to.
    Message(u64, u64),
    /// Starts a process; flags stand in memory.
    Clone(u64),
    /// It depends on what can't be seen.
    Outside(Outside),
    /// Harmless, with these arguments.
    Harmless,
}

/// What becomes of what paths name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Change {
    /// A folder or file is made.
    Makes,
    /// It is removed.
    Removes,
    /// The first gets the name of the second.
    Renames,
    /// The second is another name of the first.
    Links,
    /// Content, rights or times change.
    Alters,
}

fn base(descriptor: u64) -> Base {
    // The kernel takes the lower half.
    match descriptor as i32 {
        AT_FDCWD => Base::WorkingFolder,
        descriptor => Base::Descriptor(descriptor),
    }
}

fn at(descriptor: u64, address: u64, follows: bool) -> PathArgument {
    PathArgument { base: base(descriptor), address, follows }
}

/// As the calls without `at` at their end: relative to the working folder.
fn here(address: u64, follows: bool) -> PathArgument {
    PathArgument { base: Base::WorkingFolder, address, follows }
}

/// Unless flags say otherwise, a symbolic link at the end is followed.
fn by_flags(descriptor: u64, address: u64, flags: u64) -> PathArgument {
    at(descriptor, address, flags as i32 & AT_SYMLINK_NOFOLLOW == 0)
}

/// Whether an empty path stands for the descriptor: what it is was seen when it was opened. The path still has to be read to know that.
pub(crate) fn may_be_empty(number: c_long, arguments: [u64; 6]) -> bool {
    let flags = match number {
        libc::SYS_newfstatat | libc::SYS_faccessat2 | libc::SYS_utimensat | SYS_FCHMODAT2 => arguments[3],
        libc::SYS_statx => arguments[2],
        libc::SYS_fchownat | libc::SYS_execveat | libc::SYS_linkat => arguments[4],
        // Without a flag (since Linux 2.6.39).
        libc::SYS_readlinkat => return true,
        _ => return false,
    };
    flags as i32 & AT_EMPTY_PATH != 0
}

/// What a system call asks for.
pub(crate) fn decode(number: c_long, a: [u64; 6]) -> Call {
    use libc::*;
    match legacy(number, a) {
        Some(Legacy::As(newer, arguments)) => return decode(newer, arguments),
        Some(Legacy::Clock) => return Call::Outside(Outside::Clock),
        Some(Legacy::Timer) => return Call::Outside(Outside::Timer),
        None => {}
    }
    match number {
        SYS_openat => Call::Open(at(a[0], a[1], a[2] as i32 & O_NOFOLLOW == 0), a[2] as i32),
        SYS_openat2 => Call::OpenHow(at(a[0], a[1], true), a[2]),
        SYS_newfstatat => Call::Look(by_flags(a[0], a[1], a[3])),
        SYS_statx => Call::Look(by_flags(a[0], a[1], a[2])),
        SYS_faccessat => Call::Look(at(a[0], a[1], true)),
        SYS_faccessat2 => Call::Look(by_flags(a[0], a[1], a[3])),
        SYS_readlinkat => Call::Look(at(a[0], a[1], false)),
        SYS_statfs | SYS_getxattr | SYS_listxattr | SYS_chdir => Call::Look(here(a[0], true)),
        SYS_lgetxattr | SYS_llistxattr => Call::Look(here(a[0], false)),
        SYS_getdents64 => Call::List(a[0] as i32),
        SYS_execve => Call::Execute(here(a[0], true)),
        SYS_execveat => Call::Execute(by_flags(a[0], a[1], a[4])),
        SYS_mkdirat | SYS_mknodat => Call::Change(at(a[0], a[1], false), None, Change::Makes),
        SYS_symlinkat => Call::Change(at(a[1], a[2], false), None, Change::Makes),
        SYS_unlinkat => Call::Change(at(a[0], a[1], false), None, Change::Removes),
        SYS_renameat | SYS_renameat2 => {
            Call::Change(at(a[0], a[1], false), Some(at(a[2], a[3], false)), Change::Renames)
        }
        SYS_linkat => {
            let follows = a[4] as i32 & AT_SYMLINK_FOLLOW != 0;
            Call::Change(at(a[0], a[1], follows), Some(at(a[2], a[3], false)), Change::Links)
        }
        // Without a path it is the descriptor's times.
        SYS_utimensat if a[1] == 0 => Call::ChangeDescriptor(a[0] as i32),
        SYS_utimensat => Call::Change(by_flags(a[0], a[1], a[3]), None, Change::Alters),
        SYS_fchmodat => Call::Change(at(a[0], a[1], true), None, Change::Alters),
        SYS_FCHMODAT2 => Call::Change(by_flags(a[0], a[1], a[3]), None, Change::Alters),
        SYS_fchownat => Call::Change(by_flags(a[0], a[1], a[4]), None, Change::Alters),
        SYS_truncate | SYS_setxattr | SYS_removexattr => Call::Change(here(a[0], true), None, Change::Alters),
        SYS_lsetxattr | SYS_lremovexattr => Call::Change(here(a[0], false), None, Change::Alters),
        SYS_fchmod | SYS_fchown | SYS_fsetxattr | SYS_fremovexattr => Call::ChangeDescriptor(a[0] as i32),
        SYS_mmap => Call::MapShared(a[4] as i32),
        SYS_socket => Call::Socket(a[0], a[1]),
        SYS_connect | SYS_bind => Call::Address(a[1], a[2]),
        SYS_sendto => Call::Address(a[4], a[5]),
        SYS_sendmsg => Call::Message(a[1], 1),
        SYS_sendmmsg => Call::Message(a[1], a[2]),
        SYS_listen => Call::Outside(Outside::Socket("listening".to_owned())),
        SYS_clone => started(a[0]),
        SYS_clone3 => Call::Clone(a[0]),
        SYS_unshare if a[0] as u32 & (CLONE_APART | CLONE_NEWTIME as u32) == 0 => Call::Harmless,
        SYS_prctl => Call::Outside(Outside::Filter),
        // The first allocation of each program on glibc 2.36 or later asks for a key of its lists of free memory (`tcache_key_initialize` in malloc/malloc.c),
        // which nothing but that list is compared with.
        SYS_getrandom if (a[1], a[2]) == (ALLOCATORS_KEY, GRND_NONBLOCK.into()) => Call::Harmless,
        // Rust's first hash map of a thread asks for the keys of its hashes so (`hashmap_random_keys` in library/std/src/sys/random/linux.rs).
        SYS_getrandom if (a[1], a[2]) == (RUSTS_KEYS, GRND_INSECURE.into()) => Call::Harmless,
        other => Call::Outside(outside(other)),
    }
}

/// Bytes of the key that glibc's allocator asks for.
const ALLOCATORS_KEY: u64 = 8;
/// Bytes of the two keys of Rust's hash maps.
const RUSTS_KEYS: u64 = 16;

/// What starting a process with these flags asks for.
pub(crate) fn started(flags: u64) -> Call {
    let flags = flags as u32;
    if flags & CLONE_UNTRACED != 0 {
        Call::Outside(Outside::Unfollowed)
    } else if flags & CLONE_APART != 0 {
        Call::Outside(Outside::Namespaces)
    } else {
        Call::Harmless
    }
}

/// What a call that has no path depends on.
fn outside(number: c_long) -> Outside {
    use libc::*;
    match number {
        SYS_clock_gettime | SYS_gettimeofday | SYS_times | SYS_getrusage | SYS_adjtimex | SYS_clock_adjtime => {
            Outside::Clock
        }
        SYS_setitimer | SYS_timer_create | SYS_timer_settime | SYS_timer_gettime | SYS_timer_getoverrun
        | SYS_timer_delete | SYS_timerfd_create | SYS_timerfd_settime | SYS_timerfd_gettime => Outside::Timer,
        SYS_getrandom => Outside::Random,
        SYS_sysinfo => Outside::MachineState,
        SYS_ptrace
        | SYS_process_vm_readv
        | SYS_process_vm_writev
        | SYS_pidfd_getfd
        | SYS_kcmp
        | SYS_process_madvise => Outside::Trace,
        SYS_seccomp => Outside::Filter,
        SYS_bpf => Outside::Bpf,
        SYS_io_uring_setup
        | SYS_io_uring_enter
        | SYS_io_uring_register
        | SYS_io_setup
        | SYS_io_submit
        | SYS_io_getevents
        | SYS_io_cancel
        | SYS_io_destroy => Outside::IoUring,
        SYS_perf_event_open => Outside::PerfEvents,
        SYS_userfaultfd => Outside::UserFaults,
        SYS_memfd_create | SYS_memfd_secret => Outside::MemoryFile,
        SYS_name_to_handle_at | SYS_open_by_handle_at => Outside::Handle,
        SYS_mount | SYS_umount2 | SYS_open_tree | SYS_move_mount | SYS_fsopen | SYS_fsconfig | SYS_fsmount
        | SYS_fspick | SYS_mount_setattr => Outside::Mounts,
        SYS_chroot | SYS_pivot_root => Outside::Root,
        SYS_setns | SYS_unshare => Outside::Namespaces,
        SYS_inotify_init1 | SYS_inotify_add_watch | SYS_inotify_rm_watch | SYS_fanotify_init | SYS_fanotify_mark => {
            Outside::Watch
        }
        SYS_shmget | SYS_shmat | SYS_shmctl | SYS_shmdt | SYS_semget | SYS_semop | SYS_semctl | SYS_semtimedop
        | SYS_msgget | SYS_msgsnd | SYS_msgrcv | SYS_msgctl | SYS_mq_open | SYS_mq_unlink | SYS_mq_timedsend
        | SYS_mq_timedreceive | SYS_mq_notify | SYS_mq_getsetattr => Outside::Ipc,
        SYS_add_key | SYS_request_key | SYS_keyctl => Outside::Keys,
        other => Outside::OtherCall(other as u64),
    }
}
