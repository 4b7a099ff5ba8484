//! System calls of x86-64: it has kept those of old.
// The C library's names.
#![allow(non_upper_case_globals)]

use libc::*;

use super::Legacy;

/// `AUDIT_ARCH_X86_64` (linux/audit.h).
pub(super) const PROCESSOR: Option<u32> = Some(0xc000_003e);

/// Harmless ones that other processors don't have.
pub(super) const HARMLESS: &[c_long] = &[
    SYS_poll,
    SYS_select,
    SYS_pipe,
    SYS_dup2,
    SYS_fork,
    SYS_vfork,
    SYS_pause,
    SYS_getpgrp,
    SYS_arch_prctl,
    SYS_epoll_create,
    SYS_epoll_wait,
    SYS_eventfd,
    SYS_signalfd,
    SYS_set_thread_area,
    SYS_get_thread_area,
    SYS_modify_ldt,
];

pub(super) fn legacy(number: c_long, a: [u64; 6]) -> Option<Legacy> {
    const HERE: u64 = AT_FDCWD as i64 as u64;
    const NO_FOLLOW: u64 = AT_SYMLINK_NOFOLLOW as u64;
    let creates = (O_CREAT | O_WRONLY | O_TRUNC) as u64;
    let (number, arguments) = match number {
        SYS_open => (SYS_openat, [HERE, a[0], a[1], a[2], 0, 0]),
        SYS_creat => (SYS_openat, [HERE, a[0], creates, a[1], 0, 0]),
        SYS_stat => (SYS_newfstatat, [HERE, a[0], a[1], 0, 0, 0]),
        SYS_lstat => (SYS_newfstatat, [HERE, a[0], a[1], NO_FOLLOW, 0, 0]),
        SYS_access => (SYS_faccessat, [HERE, a[0], a[1], 0, 0, 0]),
        SYS_readlink => (SYS_readlinkat, [HERE, a[0], a[1], a[2], 0, 0]),
        SYS_getdents => (SYS_getdents64, a),
        SYS_rename => (SYS_renameat, [HERE, a[0], HERE, a[1], 0, 0]),
        SYS_link => (SYS_linkat, [HERE, a[0], HERE, a[1], 0, 0]),
        SYS_symlink => (SYS_symlinkat, [a[0], HERE, a[1], 0, 0, 0]),
        SYS_mkdir => (SYS_mkdirat, [HERE, a[0], a[1], 0, 0, 0]),
        SYS_rmdir => (SYS_unlinkat, [HERE, a[0], AT_REMOVEDIR as u64, 0, 0, 0]),
        SYS_unlink => (SYS_unlinkat, [HERE, a[0], 0, 0, 0, 0]),
        SYS_mknod => (SYS_mknodat, [HERE, a[0], a[1], a[2], 0, 0]),
        SYS_chmod => (SYS_fchmodat, [HERE, a[0], a[1], 0, 0, 0]),
        SYS_chown => (SYS_fchownat, [HERE, a[0], a[1], a[2], 0, 0]),
        SYS_lchown => (SYS_fchownat, [HERE, a[0], a[1], a[2], NO_FOLLOW, 0]),
        SYS_utime | SYS_utimes => (SYS_utimensat, [HERE, a[0], 0, 0, 0, 0]),
        SYS_futimesat => (SYS_utimensat, [a[0], a[1], 0, 0, 0, 0]),
        SYS_inotify_init => (SYS_inotify_init1, a),
        SYS_time => return Some(Legacy::Clock),
        SYS_alarm => return Some(Legacy::Timer),
        _ => return None,
    };
    Some(Legacy::As(number, arguments))
}
