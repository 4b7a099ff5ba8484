//! A command, ready to be started as often as wanted: everything that needs memory is made before the clock is read.
#![allow(unsafe_code)]

use std::ffi::{CString, c_char};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::path::Path;
use std::ptr;
use std::time::Instant;

use crate::scheduled::{Scheduled, Waiting, Wakes, micros};

/// What the system says of executions, all together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Usage {
    pub(crate) executions: u64,
    pub(crate) user_us: u64,
    pub(crate) system_us: u64,
    /// The sum of their peaks, and the least of any.
    pub(crate) peak_bytes: u64,
    pub(crate) least_peak_bytes: u64,
    pub(crate) page_faults: u64,
    pub(crate) switches: u64,
    /// While others had the CPU that they were ready to run on, and those of which that isn't known.
    pub(crate) others_ns: u64,
    pub(crate) unknown: u64,
}

/// What executions took. Nanoseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Taken {
    /// From just before each was started to just after it was awaited.
    pub(crate) elapsed_ns: u64,
    /// Of that, while another process had the CPU that it was ready to run on.
    pub(crate) others_ns: u64,
    /// Executions of which that isn't known.
    pub(crate) unknown: u64,
}

/// How an execution ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ended {
    Status(i32),
    Signal(i32),
}

/// Where a stream of a command goes.
pub(crate) enum Stream<'a> {
    /// Opened anew in each execution: to read from, or to write to from its beginning.
    Read(&'a Path),
    Write(&'a Path),
    /// Opened anew, too, and written to behind what is there.
    Append(&'a Path),
    To(BorrowedFd<'a>),
}

/// Program, arguments, environment and streams in the form that the system takes.
pub(crate) struct Execution {
    path: CString,
    _texts: Vec<CString>,
    arguments: Vec<*mut c_char>,
    environment: Vec<*mut c_char>,
    actions: Box<libc::posix_spawn_file_actions_t>,
    attributes: Box<libc::posix_spawnattr_t>,
    pub(crate) usage: Usage,
    waiting: Waiting,
}

impl Execution {
    pub(crate) fn new(path: CString, words: &[String], streams: [Stream<'_>; 3]) -> io::Result<Self> {
        let words: Vec<CString> = words.iter().map(|word| text(word.as_bytes())).collect::<io::Result<_>>()?;
        let settings: Vec<CString> = environment()?;
        let pointers = |texts: &[CString]| {
            texts.iter().map(|text| text.as_ptr().cast_mut()).chain([ptr::null_mut()]).collect::<Vec<_>>()
        };
        let (arguments, environment) = (pointers(&words), pointers(&settings));
        let actions = actions(&streams)?;
        let attributes = attributes()?;
        let texts = words.into_iter().chain(settings).collect();
        Ok(Self {
            path,
            _texts: texts,
            arguments,
            environment,
            actions,
            attributes,
            usage: Usage::default(),
            waiting: Waiting::of_this_thread(),
        })
    }

    /// Starts it `times`, each when the one before has ended. Ends early where one fails.
    pub(crate) fn time(&mut self, times: u64, is_fine: impl Fn(Ended) -> bool) -> io::Result<(Taken, Option<Ended>)> {
        let mut taken = Taken::default();
        for _ in 0..times {
            let before = self.waiting.delay();
            let start = Instant::now();
            let child = self.start()?;
            let started = self.waiting.delay();
            let was_quick = has_ended(child)?;
            if !was_quick {
                await_end(child)?;
            }
            let elapsed = start.elapsed();
            let elapsed = u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX);
            let ended = self.waiting.delay();
            let wakes =
                Wakes { begun: started.saturating_sub(before), noticed: ended.saturating_sub(started), was_quick };
            let of_child = Scheduled::of_process(child);
            let (ended, used) = reap(child)?;
            let of_child = of_child.filter(|of_child| of_child.is_all(&used));
            let is_unknown = u64::from(of_child.is_none());
            let others = of_child.unwrap_or_default().taken_by_others(wakes, elapsed);
            self.usage.add(&used, others, is_unknown);
            taken.unknown += is_unknown;
            taken.elapsed_ns += elapsed;
            taken.others_ns += others;
            if !is_fine(ended) {
                return Ok((taken, Some(ended)));
            }
        }
        Ok((taken, None))
    }

    fn start(&self) -> io::Result<libc::pid_t> {
        let mut child = 0;
        // SAFETY: the texts that the pointers name live as long as `self`, both lists end with a null, and actions and attributes
        // were initialised by the system's own functions.
        let refused = unsafe {
            libc::posix_spawn(
                &raw mut child,
                self.path.as_ptr(),
                &raw const *self.actions,
                &raw const *self.attributes,
                self.arguments.as_ptr(),
                self.environment.as_ptr(),
            )
        };
        if refused == 0 { Ok(child) } else { Err(io::Error::from_raw_os_error(refused)) }
    }
}

/// Waits until it has ended, and leaves it to be asked what it took.
fn await_end(child: libc::pid_t) -> io::Result<()> {
    end_of(child, 0).map(|_| ())
}

/// Whether it has ended by now; it is left as it is.
fn has_ended(child: libc::pid_t) -> io::Result<bool> {
    // SAFETY: the call has written it, or left its zeros.
    end_of(child, libc::WNOHANG).map(|end| unsafe { end.si_pid() } != 0)
}

fn end_of(child: libc::pid_t, options: libc::c_int) -> io::Result<libc::siginfo_t> {
    let options = libc::WEXITED | libc::WNOWAIT | options;
    let mut end = MaybeUninit::<libc::siginfo_t>::zeroed();
    // SAFETY: a place of the right type.
    again(|| unsafe { libc::waitid(libc::P_PID, child.unsigned_abs(), end.as_mut_ptr(), options) })?;
    // SAFETY: plain numbers, for which zeros are fine.
    Ok(unsafe { end.assume_init() })
}

fn reap(child: libc::pid_t) -> io::Result<(Ended, libc::rusage)> {
    let (mut status, mut used) = (0, MaybeUninit::<libc::rusage>::zeroed());
    // SAFETY: both are places of the right type, and `rusage` is valid with zeros.
    again(|| unsafe { libc::wait4(child, &raw mut status, 0, used.as_mut_ptr()) })?;
    // SAFETY: written by the call above, and valid with zeros before it.
    let used = unsafe { used.assume_init() };
    let ended = match libc::WIFSIGNALED(status) {
        true => Ended::Signal(libc::WTERMSIG(status)),
        false => Ended::Status(libc::WEXITSTATUS(status)),
    };
    Ok((ended, used))
}

/// A call that a signal may interrupt.
fn again(mut call: impl FnMut() -> i32) -> io::Result<()> {
    while call() < 0 {
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
    Ok(())
}

/// The most memory that this process has had, in bytes.
pub(crate) fn own_peak_bytes() -> u64 {
    let mut used = MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: a place of the right type, which is valid with zeros.
    let used = unsafe {
        libc::getrusage(libc::RUSAGE_SELF, used.as_mut_ptr());
        used.assume_init()
    };
    used.ru_maxrss.unsigned_abs() * 1024
}

impl Drop for Execution {
    fn drop(&mut self) {
        // SAFETY: both were initialised, and nothing uses them any more.
        unsafe {
            libc::posix_spawn_file_actions_destroy(&raw mut *self.actions);
            libc::posix_spawnattr_destroy(&raw mut *self.attributes);
        }
    }
}

impl Usage {
    fn add(&mut self, used: &libc::rusage, others_ns: u64, unknown: u64) {
        self.user_us += micros(used.ru_utime);
        self.system_us += micros(used.ru_stime);
        let peak = used.ru_maxrss.unsigned_abs() * 1024;
        self.least_peak_bytes = if self.executions == 0 { peak } else { self.least_peak_bytes.min(peak) };
        self.peak_bytes += peak;
        self.page_faults += used.ru_minflt.unsigned_abs() + used.ru_majflt.unsigned_abs();
        self.switches += used.ru_nvcsw.unsigned_abs() + used.ru_nivcsw.unsigned_abs();
        self.others_ns += others_ns;
        self.unknown += unknown;
        self.executions += 1;
    }
}

/// The environment without what the core tells its workers. The folder by which it finds what they have started stays.
fn environment() -> io::Result<Vec<CString>> {
    const OWN: [&str; 9] = [
        "TARE_WIRE",
        "TARE_SEED",
        "TARE_SHARED",
        "TARE_ASIDE",
        "TARE_LOOK",
        "TARE_LOADS",
        "TARE_PRELUDE",
        "TARE_COPY_OF",
        "TARE_COUNT",
    ];
    let users = std::env::vars_os().filter(|(name, _)| !OWN.iter().any(|own| name == own));
    users.map(|(name, value)| text(&[name.as_encoded_bytes(), b"=", value.as_encoded_bytes()].concat())).collect()
}

fn text(bytes: &[u8]) -> io::Result<CString> {
    CString::new(bytes).map_err(|_| io::Error::other("it has a NUL byte"))
}

fn checked(result: i32) -> io::Result<()> {
    if result == 0 { Ok(()) } else { Err(io::Error::from_raw_os_error(result)) }
}

fn actions(streams: &[Stream<'_>; 3]) -> io::Result<Box<libc::posix_spawn_file_actions_t>> {
    let mut actions = Box::new(MaybeUninit::<libc::posix_spawn_file_actions_t>::zeroed());
    // SAFETY: it is initialised before it is used, and paths are copied by the system's function.
    unsafe {
        checked(libc::posix_spawn_file_actions_init(actions.as_mut_ptr()))?;
        for (number, stream) in (0..).zip(streams) {
            let open = |path: &Path, flags| -> io::Result<(CString, i32)> {
                Ok((text(path.as_os_str().as_encoded_bytes())?, flags))
            };
            let (path, flags) = match stream {
                Stream::Read(path) => open(path, libc::O_RDONLY)?,
                Stream::Write(path) => open(path, libc::O_WRONLY | libc::O_CREAT | libc::O_TRUNC)?,
                Stream::Append(path) => open(path, libc::O_WRONLY | libc::O_APPEND)?,
                Stream::To(descriptor) => {
                    let from = descriptor.as_raw_fd();
                    checked(libc::posix_spawn_file_actions_adddup2(actions.as_mut_ptr(), from, number))?;
                    continue;
                }
            };
            let added =
                libc::posix_spawn_file_actions_addopen(actions.as_mut_ptr(), number, path.as_ptr(), flags, 0o666);
            checked(added)?;
        }
        Ok(Box::from_raw(Box::into_raw(actions).cast()))
    }
}

/// No signal is blocked or ignored in a command because it is so here.
fn attributes() -> io::Result<Box<libc::posix_spawnattr_t>> {
    let mut attributes = Box::new(MaybeUninit::<libc::posix_spawnattr_t>::zeroed());
    let mut signals = MaybeUninit::<libc::sigset_t>::zeroed();
    // SAFETY: each is initialised before it is used.
    unsafe {
        checked(libc::posix_spawnattr_init(attributes.as_mut_ptr()))?;
        libc::sigemptyset(signals.as_mut_ptr());
        checked(libc::posix_spawnattr_setsigmask(attributes.as_mut_ptr(), signals.as_ptr()))?;
        libc::sigaddset(signals.as_mut_ptr(), libc::SIGPIPE);
        checked(libc::posix_spawnattr_setsigdefault(attributes.as_mut_ptr(), signals.as_ptr()))?;
        let flags = libc::POSIX_SPAWN_SETSIGMASK | libc::POSIX_SPAWN_SETSIGDEF;
        checked(libc::posix_spawnattr_setflags(attributes.as_mut_ptr(), flags as libc::c_short))?;
        Ok(Box::from_raw(Box::into_raw(attributes).cast()))
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::CString;
    use std::path::Path;

    use super::{Ended, Execution, Stream};

    fn of(words: &[&str]) -> Execution {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let null = Path::new("/dev/null");
        let streams = [Stream::Read(null), Stream::Write(null), Stream::Write(null)];
        Execution::new(CString::new("/bin/sh").unwrap(), &words, streams).unwrap()
    }

    #[test]
    fn it_is_started_as_often_as_asked_and_no_more_once_one_fails() {
        let mut fine = of(&["sh", "-c", ":"]);
        assert_eq!(fine.time(3, |ended| ended == Ended::Status(0)).unwrap().1, None);
        assert_eq!(fine.usage.executions, 3);
        assert!(fine.usage.peak_bytes > 0 && fine.usage.page_faults > 0, "{:?}", fine.usage);
        let mut failing = of(&["sh", "-c", "exit 7"]);
        assert_eq!(failing.time(3, |ended| ended == Ended::Status(0)).unwrap().1, Some(Ended::Status(7)));
        assert_eq!(failing.usage.executions, 1);
        let mut killed = of(&["sh", "-c", "kill -SEGV $$"]);
        assert_eq!(killed.time(1, |_| false).unwrap().1, Some(Ended::Signal(11)));
    }
}
