//! Which functions a running process is in: its threads are stopped for a moment now and then, and asked where they stand.
//!
//! What `perf record` does with a kernel that allows it, for a few hundredths of a second, by ptrace(2), which is mostly allowed for one's own children. A process that is watched is
//! stopped for some 30 µs each time, so it isn't timed meanwhile. A stop may end a system call of a thread with EINTR that nothing else would (epoll_wait, sigtimedwait, …: signal(7)), so it is to be a
//! process of its own, whose failures don't count.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use nix::sys::ptrace::{self, Options};
use nix::unistd::Pid;

use crate::functions::Functions;
use crate::kernel::{Event, Resume, Wait, reap, resume, wait};

/// Between two looks. They mustn't keep step with what is watched, so they are somewhat apart.
const EVERY: Duration = Duration::from_micros(230);
const APART: Duration = Duration::from_micros(17);
/// A thread that was told to stop does so as soon as it has a CPU.
const STOPS_WITHIN: Duration = Duration::from_millis(20);
const LOOKS_AGAIN: Duration = Duration::from_micros(30);

/// A process that is watched until this is ended, or dropped.
#[derive(Debug)]
pub struct Watch {
    ends: Arc<AtomicBool>,
    watcher: Option<JoinHandle<Vec<u64>>>,
    process: u32,
}

impl Watch {
    /// Begins to watch a process of ours, from now on. A system that doesn't let us sees nothing: [`Watch::end`] gives nothing then.
    pub fn begin(process: u32) -> Self {
        let ends = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&ends);
        let watcher = thread::Builder::new().name("watch".to_owned()).spawn(move || {
            let mut watcher = Watcher { process, held: HashSet::new(), refused: false, seen: Vec::new() };
            watcher.watch(&told);
            watcher.seen
        });
        Self { ends, watcher: watcher.ok(), process }
    }

    /// Ends it. How often a thread that had a CPU was seen in each function of the process's own executable, by its name; what is outside of that isn't counted.
    pub fn end(mut self) -> BTreeMap<String, u32> {
        let seen = self.join();
        let mut counts = BTreeMap::new();
        let (Some(functions), false) = (self.functions(), seen.is_empty()) else { return counts };
        for name in seen.iter().filter_map(|&address| functions.at(address)) {
            *counts.entry(name.to_owned()).or_default() += 1;
        }
        counts
    }

    fn join(&mut self) -> Vec<u64> {
        self.ends.store(true, Ordering::Relaxed);
        self.watcher.take().and_then(|watcher| watcher.join().ok()).unwrap_or_default()
    }

    fn functions(&self) -> Option<Functions> {
        let path = PathBuf::from(format!("/proc/{}/exe", self.process));
        let maps = fs::read_to_string(format!("/proc/{}/maps", self.process)).ok()?;
        let executable = fs::read_link(&path).ok()?;
        Functions::read(&path)?.loaded_at(first_mapped(&maps, executable.to_str()?)?)
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.join();
    }
}

/// Where the beginning of a file lies in memory, by `/proc/PID/maps`.
fn first_mapped(maps: &str, path: &str) -> Option<u64> {
    let line =
        maps.lines().find(|line| line.ends_with(path) && line.split_ascii_whitespace().nth(2) == Some("00000000"))?;
    u64::from_str_radix(line.split('-').next()?, 16).ok()
}

struct Watcher {
    process: u32,
    held: HashSet<Pid>,
    /// The system doesn't let us.
    refused: bool,
    seen: Vec<u64>,
}

impl Watcher {
    fn watch(&mut self, ends: &AtomicBool) {
        let mut turn = 0;
        while !ends.load(Ordering::Relaxed) && !self.refused {
            self.look();
            turn = (turn + 5) % 8;
            thread::sleep(EVERY + turn * APART);
        }
        self.let_go();
    }

    /// Stops the threads that have a CPU, or wait for one, for a moment.
    fn look(&mut self) {
        let mut asked = HashSet::new();
        for thread in self.running() {
            if !self.held.contains(&thread) {
                match ptrace::seize(thread, Options::empty()) {
                    Ok(()) => drop(self.held.insert(thread)),
                    // It has ended since.
                    Err(nix::errno::Errno::ESRCH) => continue,
                    Err(_) => {
                        self.refused = true;
                        return;
                    }
                }
            }
            if ptrace::interrupt(thread).is_ok() {
                asked.insert(thread);
            }
        }
        let begun = Instant::now();
        loop {
            for thread in self.held.clone() {
                if let Some(address) = self.heard(thread, &mut asked) {
                    self.seen.push(address);
                }
            }
            if asked.is_empty() || begun.elapsed() > STOPS_WITHIN {
                return;
            }
            thread::sleep(LOOKS_AGAIN);
        }
    }

    /// Lets a thread go on that stands. Where it stood, if it was asked.
    fn heard(&mut self, thread: Pid, asked: &mut HashSet<Pid>) -> Option<u64> {
        match wait(Wait::Look(thread)) {
            Ok(None) => return None,
            Ok(Some(Event::Signal(_, signal))) => resume(thread, Resume::WithSignal(signal)),
            Ok(Some(Event::Stop(_, libc::PTRACE_EVENT_STOP, signal))) if signal != libc::SIGTRAP => {
                resume(thread, Resume::Listen);
            }
            Ok(Some(Event::Stop(..) | Event::Call(_))) => {
                let address = asked.remove(&thread).then(|| stands_at(thread)).flatten();
                resume(thread, Resume::On);
                return address;
            }
            Ok(Some(Event::Ended(_))) | Err(_) => {
                self.ended(thread);
                self.held.remove(&thread);
                asked.remove(&thread);
            }
        }
        None
    }

    /// A process whose threads have ended isn't told to have ended as long as the end of one of them isn't taken. Its first thread's is its parent's affair.
    fn ended(&self, thread: Pid) {
        if thread.as_raw().cast_unsigned() != self.process {
            reap(thread);
        }
    }

    /// Threads that have a CPU, or wait for one.
    fn running(&self) -> Vec<Pid> {
        let Ok(tasks) = fs::read_dir(format!("/proc/{}/task", self.process)) else { return Vec::new() };
        let is_running = |stat: String| stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('R'));
        tasks
            .flatten()
            .filter(|task| fs::read_to_string(task.path().join("stat")).is_ok_and(is_running))
            .filter_map(|task| task.file_name().to_str()?.parse().ok().map(Pid::from_raw))
            .collect()
    }

    /// Lets go of all threads: each has to stand for that. What doesn't stand in time is let go of when this thread ends.
    fn let_go(&mut self) {
        for thread in &self.held {
            let _ = ptrace::interrupt(*thread);
        }
        let begun = Instant::now();
        while !self.held.is_empty() && begun.elapsed() < STOPS_WITHIN {
            for thread in self.held.clone() {
                let is_held = match wait(Wait::Look(thread)) {
                    Ok(None) => true,
                    Ok(Some(Event::Signal(_, signal))) => {
                        resume(thread, Resume::WithSignal(signal));
                        true
                    }
                    Ok(Some(Event::Ended(_))) | Err(_) => {
                        self.ended(thread);
                        false
                    }
                    Ok(Some(_)) => ptrace::detach(thread, None).is_err(),
                };
                if !is_held {
                    self.held.remove(&thread);
                }
            }
            if !self.held.is_empty() {
                thread::sleep(LOOKS_AGAIN);
            }
        }
    }
}

/// The instruction at which a thread stands that is stopped.
fn stands_at(thread: Pid) -> Option<u64> {
    let registers = ptrace::getregs(thread).ok()?;
    #[cfg(target_arch = "x86_64")]
    return Some(registers.rip);
    #[cfg(target_arch = "aarch64")]
    return Some(registers.pc);
}

#[cfg(test)]
mod tests {
    use super::first_mapped;

    #[test]
    fn a_program_lies_where_its_first_page_is() {
        let maps = "00400000-00a00000 r-xp 00001000 fd:00 1 /b/other\n55e0c000-55e0d000 r--p 00000000 fd:00 17 /b/a b.test\n\
                    55e0d000-55e0e000 r-xp 00001000 fd:00 17 /b/a b.test\n";
        assert_eq!(first_mapped(maps, "/b/a b.test"), Some(0x55e0_c000));
        assert_eq!(first_mapped(maps, "/b/other"), None);
    }
}
