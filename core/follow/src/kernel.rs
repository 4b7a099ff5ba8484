//! Waiting for followed threads, and letting them go on. Signals are plain numbers here: a process may use those of real time, too.

use nix::errno::Errno;
use nix::unistd::Pid;

/// What became of a followed thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Event {
    /// It has ended, and is to be reaped.
    Ended(Pid),
    /// It stands behind a system call.
    Call(Pid),
    /// It stands at an event of ptrace(2) (`PTRACE_EVENT_…`), with this signal.
    Stop(Pid, i32, i32),
    /// It is to get a signal.
    Signal(Pid, i32),
}

/// Which threads are waited for, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wait {
    /// For any, as long as it takes.
    Any,
    /// For this one, without waiting.
    Look(Pid),
}

/// Waits for threads that this thread follows. What has become of one is told again until it goes on, or is reaped. None: nothing has happened.
/// ECHILD: there are none, or
/// not that one.
#[allow(unsafe_code)]
pub(crate) fn wait(wait: Wait) -> Result<Option<Event>, Errno> {
    let (kind, id, flags) = match wait {
        Wait::Any => (libc::P_ALL, 0, 0),
        Wait::Look(one) => (libc::P_PID, one.as_raw(), libc::WNOHANG),
    };
    // SAFETY: `siginfo_t` is plain data, of which all zeroes are a value; the kernel writes it. After a success its fields of SIGCHLD are set, or all are 0.
    unsafe {
        let mut info: libc::siginfo_t = std::mem::zeroed();
        let flags = flags | libc::WSTOPPED | libc::WEXITED | libc::WNOWAIT | libc::__WALL | libc::__WNOTHREAD;
        Errno::result(libc::waitid(kind, id as libc::id_t, &raw mut info, flags))?;
        let (thread, status) = (info.si_pid(), info.si_status());
        if thread == 0 {
            return Ok(None);
        }
        let thread = Pid::from_raw(thread);
        Ok(Some(match info.si_code {
            libc::CLD_EXITED | libc::CLD_KILLED | libc::CLD_DUMPED => Event::Ended(thread),
            _ if status == libc::SIGTRAP | 0x80 => Event::Call(thread),
            _ if status >> 8 != 0 => Event::Stop(thread, status >> 8, status & 0xff),
            _ => Event::Signal(thread, status),
        }))
    }
}

/// Takes the end of a thread that has ended. From then on its id may be another's.
pub(crate) fn reap(thread: Pid) {
    take(thread, libc::WEXITED);
}

/// Takes the stop of a thread that has become another program: until then the kernel may hold its id for that of a thread which is gone.
pub(crate) fn take_stop(thread: Pid) {
    take(thread, libc::WSTOPPED);
}

#[allow(unsafe_code)]
fn take(thread: Pid, what: libc::c_int) {
    let flags = what | libc::WNOHANG | libc::__WALL | libc::__WNOTHREAD;
    // SAFETY: the kernel takes a null pointer for no interest in what it would write.
    unsafe {
        libc::waitid(libc::P_PID, thread.as_raw() as libc::id_t, std::ptr::null_mut(), flags);
    }
}

/// How a stopped thread goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Resume {
    /// To the next call that the filter stops.
    On,
    /// To the end of the call that it stands at.
    ToReturn,
    /// With this signal.
    WithSignal(i32),
    /// Not at all: it stays stopped until it gets a signal.
    Listen,
}

/// Lets a stopped thread go on. It may have been killed meanwhile: then its end is told later.
#[allow(unsafe_code)]
pub(crate) fn resume(thread: Pid, how: Resume) {
    let (request, signal) = match how {
        Resume::On => (libc::PTRACE_CONT, 0),
        Resume::ToReturn => (libc::PTRACE_SYSCALL, 0),
        Resume::WithSignal(signal) => (libc::PTRACE_CONT, signal),
        Resume::Listen => (libc::PTRACE_LISTEN, 0),
    };
    let address: *mut libc::c_void = std::ptr::null_mut();
    // SAFETY: none of these requests reads or writes memory of ours.
    unsafe {
        libc::ptrace(request, thread.as_raw(), address, libc::c_long::from(signal));
    }
}

/// Where a stopped thread stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Before the call of this number, at which all calls stop.
    Entering(u64),
    /// Before a call that the filter stopped: number, arguments, and what the filter says of it.
    Before(u64, [u64; 6], u32),
    /// Behind a call: what it returned, or the number of its error.
    Behind(Result<i64, i32>),
}

/// `struct ptrace_syscall_info` of <linux/ptrace.h>, which not every C library declares: eight bytes with what it tells of in the first, two pointers, and what it tells.
const PTRACE_GET_SYSCALL_INFO: libc::c_int = 0x420e;
const ENTERING: u8 = 1;
const BEHIND: u8 = 2;
const FILTERED: u8 = 3;
type SyscallInfo = [u64; 11];

/// Where a stopped thread stands. None: at no call.
///
/// # Errors
/// ESRCH: it has been killed. Others: the kernel doesn't tell.
#[allow(unsafe_code)]
pub fn place(thread: Pid) -> Result<Option<Place>, Errno> {
    let mut info: SyscallInfo = [0; 11];
    // SAFETY: the kernel writes no more bytes than the size that it is given.
    Errno::result(unsafe {
        libc::syscall(
            libc::SYS_ptrace,
            libc::c_long::from(PTRACE_GET_SYSCALL_INFO),
            libc::c_long::from(thread.as_raw()),
            size_of::<SyscallInfo>(),
            info.as_mut_ptr(),
        )
    })?;
    let [head, _, _, first, rest @ ..] = info;
    Ok(match head.to_ne_bytes()[0] {
        ENTERING => Some(Place::Entering(first)),
        FILTERED => {
            let [arguments @ .., said] = rest;
            let [a, b, c, d, ..] = said.to_ne_bytes();
            Some(Place::Before(first, arguments, u32::from_ne_bytes([a, b, c, d])))
        }
        BEHIND => {
            let returned = first.cast_signed();
            let failed = i32::try_from(returned.unsigned_abs()).unwrap_or(i32::MAX);
            Some(Place::Behind(if rest[0].to_ne_bytes()[0] != 0 { Err(failed) } else { Ok(returned) }))
        }
        _ => None,
    })
}
