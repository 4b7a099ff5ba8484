//! What was started ends with the core, also where that is killed.
#![allow(unsafe_code)]

/// Ends this process and the commands in its group when its parent ends. The core ties a worker's life to its own by SIGKILL, which a command in
/// its first process would survive.
pub(crate) fn end_group_with_parent() {
    let end: extern "C" fn(libc::c_int) = end_group;
    // SAFETY: the handler makes one system call that is allowed in handlers, and the others take plain numbers.
    unsafe {
        // By hand, without a core, the group is the shell's.
        if libc::getpgrp() != libc::getpid() {
            return;
        }
        libc::signal(libc::SIGTERM, end as libc::sighandler_t);
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGTERM);
    }
}

extern "C" fn end_group(_: libc::c_int) {
    // SAFETY: it takes plain numbers.
    unsafe { libc::kill(0, libc::SIGKILL) };
}
