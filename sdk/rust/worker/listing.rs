//! The list of cases is made by a copy of the process: it goes on in the user's code, which runs once in each process then, and what it leaves behind ends with the copy.

use super::fault::Fault;
use super::frame::Frame;
use super::json::{members, Value};
use super::sys;
use super::wire::Wire;
use std::env;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::os::fd::{FromRawFd, OwnedFd};
use std::process::{Command, Stdio};
use std::sync::Mutex;

/// In a process that is started to list: the number of the pipe's end, and that of the request.
const ASKED: &str = "TARE_RUST_LISTING";
static REQUEST: Mutex<Option<i64>> = Mutex::new(None);

/// Names of benchmark and parameters, by number; `None` in the copy, whose replies go to the other process from now on.
pub(crate) fn list(wire: &mut Wire, request: i64) -> Result<Option<Vec<(String, String)>>, Fault> {
    let cannot = || {
        Fault::new(
            "runtime",
            format!("The process can't be copied to list its benchmarks: {}.", std::io::Error::last_os_error()),
        )
    };
    let (read, write) = sys::make_pipe().ok_or_else(cannot)?;
    // SAFETY: both were made just now, and nothing else closes them.
    let (read, write) = unsafe { (OwnedFd::from_raw_fd(read), OwnedFd::from_raw_fd(write)) };
    if has_other_threads() {
        let process = start(&write, request).map_err(|_| cannot())?;
        drop(write);
        return forward(wire, request, read, process).map(Some);
    }
    let process = sys::copy_process().ok_or_else(cannot)?;
    if process == 0 {
        drop(read);
        wire.send_to(File::from(write));
        return Ok(None);
    }
    drop(write);
    forward(wire, request, read, process).map(Some)
}

/// Where this process was started to list: its request.
pub(crate) fn adopted(wire: &mut Wire) -> Option<i64> {
    let asked = env::var(ASKED).ok()?;
    env::remove_var(ASKED);
    let (pipe, request) = asked.split_once(':')?;
    let (pipe, request) = (pipe.parse().ok()?, request.parse().ok()?);
    // SAFETY: the process that started this one has left it open for it.
    wire.send_to(File::from(unsafe { OwnedFd::from_raw_fd(pipe) }));
    *REQUEST.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = Some(request);
    Some(request)
}

/// The request for which this process was started; once.
pub(crate) fn asked() -> Option<i64> {
    REQUEST.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).take()
}

/// A copy would lack other threads, which the user's code has started before it came to the worker.
pub(crate) fn has_other_threads() -> bool {
    std::fs::read_dir("/proc/self/task").is_ok_and(|threads| threads.count() > 1)
}

/// Starts the program anew instead.
fn start(write: &OwnedFd, request: i64) -> std::io::Result<i32> {
    use std::os::fd::AsRawFd;
    let mut command = Command::new(env::current_exe()?);
    command.args(env::args_os().skip(1)).env(ASKED, format!("{}:{request}", write.as_raw_fd())).stdin(Stdio::null());
    Ok(command.spawn()?.id() as i32)
}

/// Hands on what the copy replies, up to its last reply.
fn forward(wire: &mut Wire, request: i64, read: OwnedFd, process: i32) -> Result<Vec<(String, String)>, Fault> {
    let mut cases = Vec::new();
    let mut is_answered = false;
    let mut lines = BufReader::new(File::from(read));
    let mut line = String::new();
    while !is_answered && matches!(lines.read_line(&mut line), Ok(count) if count > 0) {
        if let Ok(reply) = members(line.trim_end().as_bytes()) {
            let text = |key: &str| {
                reply.iter().find_map(|(name, value)| match value {
                    Value::Text(text) if name == key => Some(text.clone()),
                    _ => None,
                })
            };
            match text("frame").as_deref() {
                Some("case") => {
                    cases.push((text("benchmark").unwrap_or_default(), text("parameters").unwrap_or_default()))
                }
                Some("loaded" | "fault") => is_answered = true,
                _ => {}
            }
            wire.send(&line);
        }
        line.clear();
    }
    let status = sys::wait_for(process);
    if !is_answered {
        let how = if status & 0x7f == 0 {
            format!("with status {}", status >> 8 & 0xff)
        } else {
            format!("by signal {}", status & 0x7f)
        };
        let fault = Fault::new("exit", format!("The process ended {how} while its benchmarks were listed."));
        wire.send(&Frame::new("fault", request).fault(&fault).line());
    }
    Ok(cases)
}
