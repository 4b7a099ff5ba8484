//! Where code lies in memory: workers that are compared have their executables, and their libraries, at the same addresses.
//!
//! The kernel puts a position-independent executable, and what a process maps, at random addresses. Branch predictors and branch target
//! buffers find a branch by its address, so that the same code takes up to some percent more at one address than at another: of two
//! processes of one executable that take turns, a sort scatters by 1 % from launch to launch, and by 0.05 % where both lie at the same
//! address (Mytkowicz et al., Producing Wrong Data Without Doing Anything Obviously Wrong!, ASPLOS 2009). Workers that start together get
//! the same random addresses, and the next ones others: what an address is worth goes out of the ratio of each pair, and
//! what one of them does to two different codes is still averaged over launches. A fixed address for all would leave it in.
//!
//! The process is followed (ptrace(2)) from before its first instruction: at the stop after execve(2) its dynamic linker hasn't run,
//! and nothing but the auxiliary vector and the kernel's own notes of the process know where the executable lies. It is then let go, and
//! runs as any other. Where something of this isn't possible, all stays where the kernel puts it.

// Elsewhere no code is moved.
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
mod image;
#[cfg(target_arch = "x86_64")]
#[path = "layout/x86_64.rs"]
mod system;
#[cfg(not(target_arch = "x86_64"))]
#[path = "layout/other.rs"]
mod system;

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use nix::errno::Errno;
use nix::sys::ptrace;
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid};
use nix::unistd::Pid;
use rustix::pipe::PipeFlags;

use image::Image;

/// What became of a process that was to be put at an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Placed {
    /// Its code lies where it was to, and it runs.
    There,
    /// It lies where the kernel put it, and runs, or has ended.
    Elsewhere,
    /// A part of it was moved, and another couldn't be: it was ended, and has to be started anew without.
    HalfMoved,
}

/// Tells the parent whether a child will be stopped at its execve(2).
#[derive(Debug)]
pub(crate) struct Hold {
    told: OwnedFd,
}

impl Hold {
    /// Makes the child of a command ask to be stopped at its execve(2). The command has to be dropped before [`Hold::place`].
    #[allow(unsafe_code)]
    pub(crate) fn ask(command: &mut Command) -> io::Result<Self> {
        let (told, tell) = rustix::pipe::pipe_with(PipeFlags::CLOEXEC)?;
        // SAFETY: the closure runs in the forked child before exec. It makes two system calls and allocates nothing, so it is
        // async-signal-safe.
        unsafe {
            command.pre_exec(move || {
                // A container's filter may refuse it, or somebody follows us and our children already.
                if ptrace::traceme().is_ok() {
                    let _ = rustix::io::write(&tell, b"h");
                }
                Ok(())
            });
        }
        Ok(Self { told })
    }

    /// Puts the code of the child, which has called execve(2), at the addresses that `chosen` stands for.
    pub(crate) fn place(self, child: u32, chosen: u64) -> Placed {
        let held = rustix::io::read(&self.told, &mut [0; 1]).is_ok_and(|count| count == 1);
        let Some(process) = i32::try_from(child).ok().filter(|_| held).map(Pid::from_raw) else {
            return Placed::Elsewhere;
        };
        let mut followed = Followed { process, signals: Vec::new() };
        let placed = match followed.trapped(Followed::goes_on).map(|()| Image::of(child)) {
            Ok(Ok(Some(image))) => system::place(&mut followed, child, &image, chosen),
            // Without a dynamic linker, or not to be read; or it has ended.
            Ok(Ok(None) | Err(_)) | Err(_) => Placed::Elsewhere,
        };
        if placed == Placed::HalfMoved {
            let _ = ptrace::kill(process);
        }
        followed.let_go();
        placed
    }
}

/// A child that we follow.
#[derive(Debug)]
struct Followed {
    process: Pid,
    /// What it was sent meanwhile.
    signals: Vec<Signal>,
}

impl Followed {
    fn goes_on(&self) -> nix::Result<()> {
        ptrace::cont(self.process, None)
    }

    /// Waits for the trap that execve(2) ends in, or a step. What it is sent before that is kept for later, and it goes on by
    /// `resume`. ESRCH: it has ended, which is left to the code that waits for it.
    fn trapped(&mut self, resume: impl Fn(&Self) -> nix::Result<()>) -> nix::Result<()> {
        let any = WaitPidFlag::WSTOPPED | WaitPidFlag::WEXITED | WaitPidFlag::WNOWAIT | WaitPidFlag::__WALL;
        // Between two looks it may be killed: a stop alone is taken, and not waited for.
        let stop = WaitPidFlag::WSTOPPED | WaitPidFlag::WNOHANG | WaitPidFlag::__WALL;
        loop {
            match waitid(Id::Pid(self.process), any) {
                Ok(WaitStatus::Exited(..) | WaitStatus::Signaled(..)) => return Err(Errno::ESRCH),
                Ok(_) => {}
                Err(Errno::EINTR) => continue,
                Err(error) => return Err(error),
            }
            match waitid(Id::Pid(self.process), stop)? {
                WaitStatus::PtraceEvent(_, Signal::SIGTRAP, 0) | WaitStatus::Stopped(_, Signal::SIGTRAP) => {
                    return Ok(());
                }
                WaitStatus::PtraceEvent(_, signal, 0) | WaitStatus::Stopped(_, signal) => {
                    self.signals.push(signal);
                    resume(self)?;
                }
                _ => return Err(Errno::ESRCH),
            }
        }
    }

    /// Lets it run by itself, with what it was sent.
    fn let_go(self) {
        let _ = ptrace::detach(self.process, None);
        for signal in self.signals {
            let _ = kill(self.process, signal);
        }
    }
}

/// In the environment of the core: `system` leaves the addresses of workers to the system.
const ADDRESSES: &str = "TARE_ADDRESSES";

/// Where the code of workers that start together lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Addresses {
    /// At the same addresses, of our choice.
    Common,
    /// Wherever the system puts it, as we were asked.
    LeftToTheSystem,
    /// Wherever the system puts it: it doesn't let us follow a process.
    Refused,
    /// Wherever the system puts it: of this kind of processor we don't know how to move code.
    NotHere,
}

impl Addresses {
    /// What is so here: tried with a shell.
    pub fn here() -> Self {
        if left_to_the_system() {
            Self::LeftToTheSystem
        } else if !cfg!(target_arch = "x86_64") {
            Self::NotHere
        } else if places_code().unwrap_or(false) {
            Self::Common
        } else {
            Self::Refused
        }
    }
}

/// Whether addresses are to be left to the system.
pub(crate) fn left_to_the_system() -> bool {
    std::env::var_os(ADDRESSES).is_some_and(|whose| whose == "system")
}

fn places_code() -> io::Result<bool> {
    let mut command = Command::new("sh");
    command.args(["-c", ":"]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let hold = Hold::ask(&mut command)?;
    let mut child = command.spawn()?;
    drop(command);
    let placed = hold.place(child.id(), 1);
    child.wait()?;
    Ok(placed == Placed::There)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::{Read, Write};
    use std::os::unix::process::{CommandExt, ExitStatusExt};
    use std::path::Path;
    use std::process::{Child, Command};

    use nix::sys::ptrace;
    use nix::sys::signal::{Signal, kill};
    use nix::unistd::Pid;

    use super::{Followed, Hold, Placed, places_code};
    use crate::spawn::Spawn;

    /// Starts a program that waits for its input, with its code at the address that a number stands for.
    fn started(command: &[&str], address: Option<u64>) -> Child {
        let command: Vec<String> = command.iter().map(|&part| part.to_owned()).collect();
        let spawn = Spawn { command: &command, address, ..Spawn::default() };
        spawn.child(Path::new("/tmp"), Path::new("/tmp/none")).unwrap()
    }

    /// Where its executable and its C library begin, once it has answered, and what it answered.
    fn seen(mut child: Child) -> (u64, u64) {
        let mut input = child.stdin.take().unwrap();
        let output = child.stdout.as_mut().unwrap();
        input.write_all(b"said").unwrap();
        let mut answer = [0; 4];
        output.read_exact(&mut answer).unwrap();
        assert_eq!(&answer, b"said");
        let executable = fs::read_link(format!("/proc/{}/exe", child.id())).unwrap();
        let maps = fs::read_to_string(format!("/proc/{}/maps", child.id())).unwrap();
        let first = |of: &str| {
            let line = maps.lines().find(|line| line.contains(of)).unwrap_or_else(|| panic!("no {of} in {maps}"));
            u64::from_str_radix(line.split('-').next().unwrap(), 16).unwrap()
        };
        let found = (first(executable.to_str().unwrap()), first("/libc"));
        drop(input);
        assert!(child.wait().unwrap().success());
        found
    }

    /// Whether processes can be followed here at all: on other processors, and where ptrace(2) is refused, nothing is moved.
    #[allow(unsafe_code)]
    fn can_follow() -> bool {
        let mut command = Command::new("true");
        // SAFETY: one system call in the forked child before exec, and no allocation.
        unsafe { command.pre_exec(|| ptrace::traceme().map_err(Into::into)) };
        let followed = cfg!(target_arch = "x86_64")
            && command.spawn().is_ok_and(|mut child| child.kill().and_then(|()| child.wait()).is_ok());
        if !followed {
            eprintln!("skipped: nothing can be followed here");
        }
        assert_eq!(places_code().unwrap(), followed);
        followed
    }

    #[test]
    fn code_with_the_same_number_lies_at_the_same_addresses() {
        if !can_follow() {
            return;
        }
        let one = 0x1234_5678_9abc_def0;
        let both = [seen(started(&["cat"], Some(one))), seen(started(&["cat"], Some(one)))];
        assert_eq!(both[0], both[1]);
        // One number says where the executable lies, other bits of it where the libraries do.
        let executable_elsewhere = seen(started(&["cat"], Some(one + 1)));
        // The next address that its alignment allows.
        let distance = executable_elsewhere.0 - both[0].0;
        assert!(distance >= 4096 && distance.is_power_of_two(), "{distance}");
        assert_eq!(executable_elsewhere.1, both[0].1);
        let libraries_elsewhere = seen(started(&["cat"], Some(one + (1 << 24))));
        assert_eq!(libraries_elsewhere.0, both[0].0);
        assert_ne!(libraries_elsewhere.1, both[0].1);
        // The kernel's choice is a wide one.
        let anywhere = [seen(started(&["cat"], None)), seen(started(&["cat"], None))];
        assert_ne!(anywhere[0], anywhere[1]);
    }

    #[test]
    fn the_edges_of_what_a_number_stands_for_are_addresses() {
        if !can_follow() {
            return;
        }
        for number in [0, u64::MAX, (1 << 24) - 1, 1 << 24, (1 << 48) - 1] {
            let [one, other] = [0; 2].map(|_| seen(started(&["cat"], Some(number))));
            assert_eq!(one, other, "{number:x} was left to the kernel");
        }
    }

    #[test]
    fn a_script_around_the_program_runs_as_ever() {
        // The script alone is followed: what it becomes lies where the kernel puts it.
        let [one, other] = [0; 2].map(|_| seen(started(&["sh", "-c", "exec cat"], Some(5))));
        assert_ne!(one, other);
    }

    #[test]
    fn arguments_and_environment_may_be_many() {
        let many = "x".repeat(2000);
        // It answers where all of them have come, the last one whole.
        let script = r#"test $# = 450 && test "${450}" = "$NUMBER_449" && exec cat"#;
        let mut command: Vec<String> = ["sh", "-c", script, "sh"].map(str::to_owned).into();
        command.extend((0..450).map(|_| many.clone()));
        let environment: Vec<(String, String)> =
            (0..450).map(|number| (format!("NUMBER_{number}"), many.clone())).collect();
        let spawn = Spawn { command: &command, environment: &environment, address: Some(6), ..Spawn::default() };
        seen(spawn.child(Path::new("/tmp"), Path::new("/tmp/none")).unwrap());
    }

    #[test]
    fn what_cannot_be_started_fails_as_without_an_address() {
        let failed = |address| {
            let command = ["/nowhere/no-such-program".to_owned()];
            let spawn = Spawn { command: &command, address, ..Spawn::default() };
            spawn.child(Path::new("/tmp"), Path::new("/tmp/none")).unwrap_err()
        };
        assert_eq!(failed(Some(7)), failed(None));
    }

    /// A child that will be stopped at its execve(2).
    fn held() -> (Child, Hold) {
        let mut command = Command::new("cat");
        command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
        let hold = Hold::ask(&mut command).unwrap();
        (command.spawn().unwrap(), hold)
    }

    #[test]
    fn who_is_killed_while_it_is_placed_is_left_to_its_parent() {
        if !can_follow() {
            return;
        }
        let (mut child, hold) = held();
        child.kill().unwrap();
        assert_eq!(hold.place(child.id(), 3), Placed::Elsewhere);
        assert_eq!(child.wait().unwrap().signal(), Some(9));
        // In between two steps.
        let (mut child, _hold) = held();
        let mut followed = Followed { process: Pid::from_raw(child.id() as i32), signals: Vec::new() };
        followed.trapped(Followed::goes_on).unwrap();
        child.kill().unwrap();
        assert!(ptrace::step(followed.process, None).is_err() || followed.trapped(Followed::goes_on).is_err());
        followed.let_go();
        assert_eq!(child.wait().unwrap().signal(), Some(9));
    }

    #[test]
    fn a_signal_that_comes_while_it_is_placed_is_not_lost() {
        if !can_follow() {
            return;
        }
        for signal in [Signal::SIGALRM, Signal::SIGUSR1, Signal::SIGTERM] {
            let (mut child, hold) = held();
            kill(Pid::from_raw(child.id() as i32), signal).unwrap();
            // It doesn't keep a step from being made.
            assert_eq!(hold.place(child.id(), 3), Placed::There);
            assert_eq!(child.wait().unwrap().signal(), Some(signal as i32));
        }
    }
}
