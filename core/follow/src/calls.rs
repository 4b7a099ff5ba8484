//! Which system calls are known to be harmless: they look up no path, and bring in nothing from outside that an earlier call didn't open. All
//! others stop the process.

#[cfg(target_arch = "x86_64")]
#[path = "calls/x86_64.rs"]
mod processor;
#[cfg(not(target_arch = "x86_64"))]
#[path = "calls/recent.rs"]
mod processor;

use libc::*;

/// How audit(7) names this kind of processor; none: its calls aren't known.
pub(crate) const PROCESSOR: Option<u32> = processor::PROCESSOR;

/// Numbers that the C library's crate doesn't name. From 424 on all kinds of processors have the same.
const SYS_CACHESTAT: c_long = 451;
const SYS_MAP_SHADOW_STACK: c_long = 453;
const SYS_FUTEX_WAKE: c_long = 454;
const SYS_FUTEX_WAIT: c_long = 455;
const SYS_FUTEX_REQUEUE: c_long = 456;
const SYS_MSEAL: c_long = 462;

/// Harmless ones that all kinds of processors have. What works on descriptors (`read`, `fstat`, `sendfile`, …) works on what was opened before,
/// and that was seen. Sockets say
/// where they go when they are connected, bound, or sent from. `mmap`, `clone`, `sendto` and `prctl` aren't here: it depends on their arguments.
const EVERYWHERE: &[c_long] = &[
    // Descriptors.
    SYS_read,
    SYS_write,
    SYS_readv,
    SYS_writev,
    SYS_pread64,
    SYS_pwrite64,
    SYS_preadv,
    SYS_pwritev,
    SYS_preadv2,
    SYS_pwritev2,
    SYS_close,
    SYS_close_range,
    SYS_lseek,
    SYS_fstat,
    SYS_fstatfs,
    SYS_fcntl,
    SYS_ioctl,
    SYS_dup,
    SYS_dup3,
    SYS_pipe2,
    SYS_flock,
    SYS_fsync,
    SYS_fdatasync,
    SYS_sync,
    SYS_syncfs,
    SYS_sync_file_range,
    SYS_ftruncate,
    SYS_fallocate,
    SYS_fadvise64,
    SYS_readahead,
    SYS_sendfile,
    SYS_splice,
    SYS_tee,
    SYS_vmsplice,
    SYS_copy_file_range,
    SYS_fgetxattr,
    SYS_flistxattr,
    SYS_fchdir,
    SYS_getcwd,
    SYS_umask,
    SYS_eventfd2,
    SYS_signalfd4,
    SYS_epoll_create1,
    SYS_epoll_ctl,
    SYS_epoll_pwait,
    SYS_epoll_pwait2,
    SYS_ppoll,
    SYS_pselect6,
    SYS_CACHESTAT,
    // Sockets.
    SYS_socketpair,
    SYS_accept,
    SYS_accept4,
    SYS_recvfrom,
    SYS_recvmsg,
    SYS_recvmmsg,
    SYS_shutdown,
    SYS_getsockname,
    SYS_getpeername,
    SYS_setsockopt,
    SYS_getsockopt,
    // Memory.
    SYS_brk,
    SYS_munmap,
    SYS_mprotect,
    SYS_mremap,
    SYS_madvise,
    SYS_mincore,
    SYS_msync,
    SYS_mlock,
    SYS_mlock2,
    SYS_munlock,
    SYS_mlockall,
    SYS_munlockall,
    SYS_mbind,
    SYS_get_mempolicy,
    SYS_set_mempolicy,
    SYS_set_mempolicy_home_node,
    SYS_membarrier,
    SYS_pkey_alloc,
    SYS_pkey_free,
    SYS_pkey_mprotect,
    SYS_remap_file_pages,
    SYS_MAP_SHADOW_STACK,
    SYS_MSEAL,
    SYS_migrate_pages,
    SYS_move_pages,
    // Threads and processes.
    SYS_exit,
    SYS_exit_group,
    SYS_wait4,
    SYS_waitid,
    SYS_futex,
    SYS_futex_waitv,
    SYS_FUTEX_WAKE,
    SYS_FUTEX_WAIT,
    SYS_FUTEX_REQUEUE,
    SYS_set_tid_address,
    SYS_set_robust_list,
    SYS_get_robust_list,
    SYS_rseq,
    SYS_restart_syscall,
    SYS_sched_yield,
    SYS_sched_setaffinity,
    SYS_sched_getaffinity,
    SYS_sched_setparam,
    SYS_sched_getparam,
    SYS_sched_setscheduler,
    SYS_sched_getscheduler,
    SYS_sched_get_priority_max,
    SYS_sched_get_priority_min,
    SYS_sched_rr_get_interval,
    SYS_sched_setattr,
    SYS_sched_getattr,
    SYS_getcpu,
    SYS_getpriority,
    SYS_setpriority,
    SYS_ioprio_get,
    SYS_ioprio_set,
    SYS_prlimit64,
    SYS_getrlimit,
    SYS_setrlimit,
    SYS_uname,
    SYS_personality,
    SYS_nanosleep,
    SYS_clock_nanosleep,
    SYS_clock_getres,
    SYS_getitimer,
    // Signals.
    SYS_rt_sigaction,
    SYS_rt_sigprocmask,
    SYS_rt_sigreturn,
    SYS_rt_sigpending,
    SYS_rt_sigtimedwait,
    SYS_rt_sigsuspend,
    SYS_rt_sigqueueinfo,
    SYS_rt_tgsigqueueinfo,
    SYS_sigaltstack,
    SYS_kill,
    SYS_tkill,
    SYS_tgkill,
    SYS_pidfd_open,
    SYS_pidfd_send_signal,
    SYS_process_mrelease,
    // Who it is.
    SYS_getpid,
    SYS_getppid,
    SYS_gettid,
    SYS_getuid,
    SYS_geteuid,
    SYS_getgid,
    SYS_getegid,
    SYS_getresuid,
    SYS_getresgid,
    SYS_getgroups,
    SYS_getpgid,
    SYS_setpgid,
    SYS_getsid,
    SYS_setsid,
    SYS_setuid,
    SYS_setgid,
    SYS_setreuid,
    SYS_setregid,
    SYS_setresuid,
    SYS_setresgid,
    SYS_setgroups,
    SYS_setfsuid,
    SYS_setfsgid,
    SYS_capget,
    SYS_capset,
];

/// Ranges of numbers of harmless calls, in order.
pub(crate) fn harmless() -> Vec<(u32, u32)> {
    let mut numbers: Vec<u32> =
        EVERYWHERE.iter().chain(processor::HARMLESS).filter_map(|&number| u32::try_from(number).ok()).collect();
    numbers.sort_unstable();
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for number in numbers {
        match ranges.last_mut() {
            Some((_, last)) if number <= *last + 1 => *last = number,
            _ => ranges.push((number, number)),
        }
    }
    ranges
}

/// A call of old, as the one that has taken its place, with the folder that it is relative to.
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
pub(crate) enum Legacy {
    /// `number` and arguments of the newer call.
    As(c_long, [u64; 6]),
    /// It reads a clock.
    Clock,
    /// It sets a timer.
    Timer,
}

/// What a call of old stands for; none: it isn't one.
pub(crate) fn legacy(number: c_long, arguments: [u64; 6]) -> Option<Legacy> {
    processor::legacy(number, arguments)
}
