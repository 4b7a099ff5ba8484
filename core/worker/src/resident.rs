//! The memory that a process holds, as the kernel tells it.

use std::fs;

use rustix::process::Pid;

/// Resident now, in bytes; `None` once the process has ended.
pub(crate) fn now(pid: Pid) -> Option<u64> {
    status_bytes(pid, "VmRSS:")
}

/// Resident at the most since the start or [`reset_peak`], in bytes; `None` once the process has ended.
pub(crate) fn peak(pid: Pid) -> Option<u64> {
    status_bytes(pid, "VmHWM:")
}

/// Lets the peak begin anew; whether the kernel did so.
pub(crate) fn reset_peak(pid: Pid) -> bool {
    // proc_pid_clear_refs(5): 5 sets the high water mark back. Not every kernel is built with it.
    fs::write(format!("/proc/{}/clear_refs", pid.as_raw_nonzero()), "5").is_ok()
}

/// A size of `/proc/PID/status`, in bytes.
fn status_bytes(pid: Pid, key: &str) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{}/status", pid.as_raw_nonzero())).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(key))?;
    let kibibytes: u64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kibibytes * 1024)
}
