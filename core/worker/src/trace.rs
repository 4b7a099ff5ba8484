//! Which clock reads enter the kernel: seen, by following a worker's system calls (ptrace(2)).
//!
//! A followed process is slow and is measured by nobody. It can't outlive who follows it: the kernel kills it when the
//! following thread ends (`PTRACE_O_EXITKILL`), however that comes about.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use nix::errno::Errno;
use nix::sys::ptrace::{self, Options};
use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid};
use nix::unistd::Pid;
use tare_follow::Place;

/// Between looks at whether something has stopped.
const LOOK: Duration = Duration::from_micros(20);

/// The system calls by which a clock is read.
#[cfg(target_arch = "x86_64")]
const CLOCK_CALLS: [libc::c_long; 5] =
    [libc::SYS_clock_gettime, libc::SYS_gettimeofday, libc::SYS_time, libc::SYS_times, libc::SYS_getrusage];
#[cfg(not(target_arch = "x86_64"))]
const CLOCK_CALLS: [libc::c_long; 4] =
    [libc::SYS_clock_gettime, libc::SYS_gettimeofday, libc::SYS_times, libc::SYS_getrusage];

/// Follows a process with all its threads and children, as long as it lives; then they are killed.
pub struct Tracer {
    counted: Arc<Counted>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

/// System calls that were entered.
#[derive(Default)]
struct Counted {
    all: AtomicU64,
    of_clocks: AtomicU64,
}

impl Tracer {
    /// Begins to follow the process `pid`, a child of this one.
    ///
    /// # Errors
    /// The kernel's refusal: another follows it already, or a security module or a container's filter forbids it.
    pub fn follow(pid: u32) -> io::Result<Self> {
        let pid = i32::try_from(pid).map_err(|_| io::ErrorKind::InvalidInput)?;
        let (counted, stop) = (Arc::new(Counted::default()), Arc::new(AtomicBool::new(false)));
        let (tell, told) = channel();
        let shared = (Arc::clone(&counted), Arc::clone(&stop));
        // A process belongs to the thread that follows it, and only that one may wait for its stops.
        let thread = thread::Builder::new()
            .name("tracer".to_owned())
            .spawn(move || follow(Pid::from_raw(pid), &shared.0, &shared.1, &tell))?;
        let tracer = Self { counted, stop, thread: Some(thread) };
        match told.recv() {
            Ok(Ok(())) => Ok(tracer),
            Ok(Err(refusal)) => Err(refusal.into()),
            Err(_) => Err(io::Error::other("the following thread ended")),
        }
    }

    /// Calls so far that read a clock. What a worker did before it answered is counted when the answer is there: it could not
    /// have gone on before.
    pub fn clock_calls(&self) -> u64 {
        self.counted.of_clocks.load(Ordering::SeqCst)
    }

    /// System calls of any kind so far. A worker can't answer without one: where there are none while it does, it isn't among
    /// those that are followed.
    pub fn calls(&self) -> u64 {
        self.counted.all.load(Ordering::SeqCst)
    }
}

impl Drop for Tracer {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn follow(process: Pid, counted: &Counted, stop: &AtomicBool, tell: &Sender<Result<(), Errno>>) {
    let seized = seize(process);
    let failed = seized.is_err();
    if tell.send(seized).is_err() || failed {
        return;
    }
    // Stops only: the process's parent learns of its end by itself.
    let flags = WaitPidFlag::WSTOPPED | WaitPidFlag::WNOHANG | WaitPidFlag::__WALL | WaitPidFlag::__WNOTHREAD;
    while !stop.load(Ordering::SeqCst) {
        match waitid(Id::All, flags) {
            Ok(WaitStatus::PtraceSyscall(thread)) => {
                if let Some(number) = entered(thread) {
                    if CLOCK_CALLS.iter().any(|&call| call as u64 == number) {
                        counted.of_clocks.fetch_add(1, Ordering::SeqCst);
                    }
                    counted.all.fetch_add(1, Ordering::SeqCst);
                }
                let _ = ptrace::syscall(thread, None);
            }
            // A signal that is to be delivered.
            Ok(WaitStatus::PtraceEvent(thread, signal, 0)) => {
                let _ = ptrace::syscall(thread, signal);
            }
            Ok(WaitStatus::PtraceEvent(thread, _, _)) => {
                let _ = ptrace::syscall(thread, None);
            }
            Ok(WaitStatus::Stopped(thread, signal)) => {
                let _ = ptrace::syscall(thread, signal);
            }
            Ok(_) | Err(Errno::EINTR) => thread::sleep(LOOK),
            Err(_) => return,
        }
    }
}

/// Takes hold of all threads of a process and of its children: the command may be a script around the worker. New ones are followed
/// from their beginning; whatever begins meanwhile is found on another look.
fn seize(process: Pid) -> Result<(), Errno> {
    let options = Options::PTRACE_O_TRACESYSGOOD
        | Options::PTRACE_O_EXITKILL
        | Options::PTRACE_O_TRACECLONE
        | Options::PTRACE_O_TRACEFORK
        | Options::PTRACE_O_TRACEVFORK;
    let mut seized = Vec::new();
    loop {
        let before = seized.len();
        let mut processes = vec![process.as_raw()];
        while let Some(one) = processes.pop() {
            let Ok(tasks) = fs::read_dir(format!("/proc/{one}/task")) else { continue };
            for task in tasks.flatten() {
                let children = fs::read_to_string(task.path().join("children")).unwrap_or_default();
                processes.extend(children.split_whitespace().filter_map(|child| child.parse::<i32>().ok()));
                let name = task.file_name();
                let Some(thread) = name.to_str().and_then(|text| text.parse::<i32>().ok()) else { continue };
                if seized.contains(&thread) {
                    continue;
                }
                seized.push(thread);
                match ptrace::seize(Pid::from_raw(thread), options) {
                    // System calls are stopped at only after a first stop.
                    Ok(()) => ptrace::interrupt(Pid::from_raw(thread))?,
                    // It has ended, or is followed since it was begun by one that is.
                    Err(Errno::ESRCH) => {}
                    Err(Errno::EPERM) if before > 0 || has_ended(&task.path()) => {}
                    Err(refusal) => return Err(refusal),
                }
            }
        }
        match seized.len() {
            0 => return Err(Errno::ESRCH),
            found if found == before => return Ok(()),
            _ => {}
        }
    }
}

/// Whether a task waits for nothing but to be reaped; the kernel refuses to let it be followed.
fn has_ended(task: &Path) -> bool {
    let stat = fs::read_to_string(task.join("stat")).unwrap_or_default();
    // Behind the name, which may hold brackets itself.
    stat.rsplit_once(')').is_none_or(|(_, rest)| rest.trim_start().starts_with(['Z', 'X']))
}

/// The system call that a thread stands before; none where it stands behind one.
fn entered(thread: Pid) -> Option<u64> {
    match tare_follow::place(thread) {
        Ok(Some(Place::Entering(number))) => Some(number),
        _ => None,
    }
}
