//! A launch as a real process: its wire is a FIFO, its output is captured, its end is noticed at once.
//!
//! One thread serves everything with `poll`: the wire, both output streams and a pidfd. A reader that only waited on the
//! wire would hang when the worker fills its output pipe or dies; threads would be awake beside the measurement.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, ExitStatus};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags};
use rustix::process::{Pid, PidfdFlags, Signal};
use tare_files::Scratch;
use tare_follow::{Follower, Scope};
use tare_frames::{Reply, Request};
use tare_samples::{Failure, FailureKind};

use crate::Session;
use crate::capture::Capture;
use crate::conversation::{GIVE_IT_LONGER, no_answer};
use crate::ending;
use crate::give_up::GiveUp;
use crate::resident;
use crate::spawn::{FollowError, Spawn};
use crate::threads::{cpu_set, move_threads};
use crate::wire_reader::WireReader;

/// How long a worker may take to end once its input has.
const GRACE: Duration = Duration::from_secs(2);
/// How often a wait for an answer looks whether it was given up.
const STOP: Duration = Duration::from_millis(100);
/// How long to wait for the process's end once it has closed the wire.
const AFTER_HANGUP: Duration = Duration::from_millis(500);
/// Bytes taken in from one stream at a go. Who prints faster than this is read must not keep us from looking at the time;
/// more than a pipe holds, so that one go empties the pipe of a process that has ended.
const GO: usize = 1 << 20;

/// A worker process.
pub struct Process {
    child: Child,
    pid: Pid,
    pidfd: OwnedFd,
    wire: OwnedFd,
    input: Option<OwnedFd>,
    stdout: Option<OwnedFd>,
    stderr: Option<OwnedFd>,
    reader: WireReader,
    printed_out: Capture,
    printed_err: Capture,
    ended: Option<ExitStatus>,
    hung_up: Option<Instant>,
    /// It failed: there is nothing to wait for.
    /// Set by who has no use for it any more.
    pub(crate) stop: Option<GiveUp>,
    failed: bool,
    /// CPUs to move to once it is ready; empty: it stays where it is.
    moves_to: Vec<usize>,
    /// Removed with everything in it when the session ends.
    scratch: Scratch,
}

impl Process {
    /// Starts a worker with its wire, pinned before its first instruction.
    pub(crate) fn spawn(spawn: &Spawn<'_>) -> Result<Self, Failure> {
        Self::begun(spawn, |scratch, wire| Ok::<_, Failure>((spawn.child(scratch, wire)?, ())))
            .map(|(process, ())| process)
    }

    /// The same, followed from before its first instruction. What lies in its scratch folder isn't written down, either.
    pub(crate) fn followed(spawn: &Spawn<'_>, mut scope: Scope) -> Result<(Self, Follower), FollowError> {
        Self::begun(spawn, |scratch, wire| {
            scope.left_out.extend(scratch.canonicalize());
            spawn.followed(scratch, wire, scope)
        })
    }

    /// Starts a worker by `start`, which is given its scratch folder and its wire.
    fn begun<Beside, Problem: From<Failure>>(
        spawn: &Spawn<'_>,
        start: impl FnOnce(&Path, &Path) -> Result<(Child, Beside), Problem>,
    ) -> Result<(Self, Beside), Problem> {
        let set_up = |what: &str, error: io::Error| {
            Failure::new(
                FailureKind::Runtime,
                format!("{what}: {error}"),
                "check that the temporary folder (TMPDIR) has free space and can be written to",
            )
        };
        let scratch = Scratch::new().map_err(|e| set_up("a temporary folder for the worker can't be made", e))?;
        let path = scratch.path().join("wire");
        rustix::fs::mkfifoat(rustix::fs::CWD, &path, Mode::RUSR | Mode::WUSR)
            .map_err(|e| set_up("the FIFO that the worker answers through can't be made", e.into()))?;
        // Without O_NONBLOCK this open would wait for a writer that may never come.
        let wire = rustix::fs::open(&path, OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC, Mode::empty())
            .map_err(|e| set_up("the FIFO that the worker answers through can't be opened", e.into()))?;

        let (mut child, beside) = start(scratch.path(), &path)?;

        let pid = Pid::from_child(&child);
        let adopt = (|| {
            let pidfd = rustix::process::pidfd_open(pid, PidfdFlags::empty())?;
            let input = child.stdin.take().map(OwnedFd::from);
            let stdout = child.stdout.take().map(OwnedFd::from);
            let stderr = child.stderr.take().map(OwnedFd::from);
            for stream in [&input, &stdout, &stderr].into_iter().flatten() {
                let flags = rustix::fs::fcntl_getfl(stream)?;
                rustix::fs::fcntl_setfl(stream, flags | OFlags::NONBLOCK)?;
            }
            Ok::<_, rustix::io::Errno>((pidfd, input, stdout, stderr))
        })();
        let (pidfd, input, stdout, stderr) = match adopt {
            Ok(streams) => streams,
            Err(error) => {
                let _ = child.kill();
                // Who follows it lets it end.
                drop(beside);
                let _ = child.wait();
                return Err(set_up("tare can't watch the worker's process", error.into()).into());
            }
        };
        let process = Self {
            child,
            pid,
            pidfd,
            wire,
            input,
            stdout,
            stderr,
            reader: WireReader::default(),
            printed_out: Capture::default(),
            printed_err: Capture::default(),
            ended: None,
            hung_up: None,
            failed: false,
            stop: None,
            moves_to: if spawn.moves() { spawn.cpus.to_vec() } else { Vec::new() },
            scratch,
        };
        Ok((process, beside))
    }

    /// Waits for something to happen, until `until` at most, and takes in what came.
    fn attend(&mut self, until: Instant, for_input: bool) -> io::Result<()> {
        let left = until.saturating_duration_since(Instant::now());
        let timeout = Timespec { tv_sec: left.as_secs().min(3600) as i64, tv_nsec: i64::from(left.subsec_nanos()) };
        let mut watched = Vec::with_capacity(5);
        watched.push(PollFd::new(&self.pidfd, PollFlags::IN));
        if self.hung_up.is_none() {
            watched.push(PollFd::new(&self.wire, PollFlags::IN));
        }
        for stream in [&self.stdout, &self.stderr].into_iter().flatten() {
            watched.push(PollFd::new(stream, PollFlags::IN));
        }
        if for_input && let Some(input) = &self.input {
            watched.push(PollFd::new(input, PollFlags::OUT));
        }
        match poll(&mut watched, Some(&timeout)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let ended = watched[0].revents().contains(PollFlags::IN);
        drop(watched);
        self.drain()?;
        if ended && self.ended.is_none() {
            self.end()?;
            self.drain()?;
        }
        Ok(())
    }

    /// Takes in all that can be read without waiting.
    fn drain(&mut self) -> io::Result<()> {
        let mut buffer = [0u8; 65536];
        let mut taken = 0;
        while taken < GO && !self.reader.is_over_limit() {
            match rustix::io::read(&self.wire, &mut buffer) {
                // No writer yet, or none any more; only the second one matters, and poll tells.
                Ok(0) => {
                    if self.hung_up.is_none() && has_hung_up(&self.wire)? {
                        self.hung_up = Some(Instant::now());
                    }
                    break;
                }
                Ok(count) => {
                    self.reader.push(&buffer[..count]);
                    taken += count;
                }
                Err(rustix::io::Errno::AGAIN) => break,
                Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        self.printed_out.drain(&mut self.stdout, &mut buffer, GO)?;
        self.printed_err.drain(&mut self.stderr, &mut buffer, GO)
    }

    /// The failure of a worker that ended, or went away, without an answer.
    fn gone(&mut self, status: Option<ExitStatus>) -> Failure {
        let signal = status.and_then(|status| status.signal());
        if let Some(rest) = self.reader.rest().filter(|_| signal.is_none()) {
            return Failure::new(
                FailureKind::Protocol,
                format!("the worker ended in the middle of a message, after {rest}"),
                "check the worker with `tare conformance -- WORKER`",
            );
        }
        ending::without_answer(status)
    }

    fn with_output(&mut self, mut failure: Failure) -> Failure {
        (failure.stdout, failure.stderr) = self.printed();
        self.failed = true;
        ending::with_last_words(failure)
    }

    fn broken(&mut self, error: &io::Error) -> Failure {
        self.with_output(Failure::new(
            FailureKind::Protocol,
            format!("reading from or writing to the worker failed: {error}"),
            "try again; if it happens again, check the worker with `tare conformance -- WORKER`",
        ))
    }

    fn kill(&mut self) {
        if self.ended.is_none() {
            let _ = self.end();
        }
    }

    /// Ends what is left of the process group, the children of user code among it, and then reaps: as long as the worker is
    /// not reaped, its pid can't be somebody else's.
    fn end(&mut self) -> io::Result<()> {
        let _ = rustix::process::kill_process_group(self.pid, Signal::KILL);
        // A process that is followed stops once more on its way out, and `wait` would take that for its end.
        while let Err(rustix::io::Errno::INTR) = poll(&mut [PollFd::new(&self.pidfd, PollFlags::IN)], None) {}
        self.ended = Some(self.child.wait()?);
        // What has left the group.
        self.scratch.end_processes_since(self.pid.as_raw_nonzero().get().cast_unsigned());
        Ok(())
    }
}

impl Session for Process {
    fn receive(&mut self, deadline: Duration) -> Result<Reply, Failure> {
        let until = Instant::now() + deadline;
        loop {
            match self.reader.next_reply() {
                Ok(Some(reply)) => return Ok(reply),
                Ok(None) => {}
                Err(failure) => return Err(self.with_output(failure)),
            }
            if let Some(status) = self.ended {
                let failure = self.gone(Some(status));
                return Err(self.with_output(failure));
            }
            if self.hung_up.is_some_and(|since| since.elapsed() > AFTER_HANGUP) {
                let failure = self.gone(None);
                return Err(self.with_output(failure));
            }
            if Instant::now() >= until {
                let failure = Failure::new(FailureKind::Timeout, no_answer(deadline), GIVE_IT_LONGER);
                return Err(self.with_output(failure));
            }
            if self.stop.as_ref().is_some_and(GiveUp::is_now) {
                return Err(self.with_output(Failure::new(FailureKind::Timeout, "it was stopped", "")));
            }
            let until = match self.hung_up {
                Some(since) => until.min(since + AFTER_HANGUP + Duration::from_millis(1)),
                None => until,
            };
            let until = if self.stop.is_some() { until.min(Instant::now() + STOP) } else { until };
            if let Err(error) = self.attend(until, false) {
                return Err(self.broken(&error));
            }
        }
    }

    fn send(&mut self, request: &Request, deadline: Duration) -> Result<(), Failure> {
        let until = Instant::now() + deadline;
        let line = request.encode() + "\n";
        let mut left = line.as_bytes();
        while !left.is_empty() {
            let Some(input) = &self.input else { break };
            match rustix::io::write(input, left) {
                Ok(count) => left = &left[count..],
                // Something else holds its input open; `receive` will tell what became of it.
                Err(rustix::io::Errno::AGAIN) if self.ended.is_some() => self.input = None,
                Err(rustix::io::Errno::AGAIN) => {
                    if Instant::now() >= until {
                        let failure = Failure::new(
                            FailureKind::Timeout,
                            format!("the worker did not read its request within {} s", deadline.as_secs_f64()),
                            "check the worker with `tare conformance -- WORKER`",
                        );
                        return Err(self.with_output(failure));
                    }
                    if let Err(error) = self.attend(until, true) {
                        return Err(self.broken(&error));
                    }
                }
                // It has stopped reading: whether it died, and of what, `receive` will tell.
                Err(rustix::io::Errno::PIPE) => self.input = None,
                Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(self.broken(&error.into())),
            }
        }
        Ok(())
    }

    fn settle(&mut self) -> Result<(), Failure> {
        if self.moves_to.is_empty() {
            return Ok(());
        }
        move_threads(self.pid, &cpu_set(&self.moves_to)).map_err(|error| {
            self.with_output(Failure::new(
                FailureKind::Runtime,
                format!("the worker can't be moved to CPU {:?}: {error}", self.moves_to),
                "choose CPUs that this process may use with --cpus",
            ))
        })
    }

    fn hang_up(&mut self) {
        self.input = None;
    }

    fn pid(&self) -> Option<u32> {
        self.pid.as_raw_nonzero().get().try_into().ok()
    }

    fn rss_bytes(&self) -> Option<u64> {
        resident::now(self.pid)
    }

    fn peak_rss_bytes(&self) -> Option<u64> {
        resident::peak(self.pid)
    }

    fn reset_peak_rss(&mut self) -> bool {
        resident::reset_peak(self.pid)
    }

    fn printed(&mut self) -> (String, String) {
        (self.printed_out.text(), self.printed_err.text())
    }

    fn close(&mut self) {
        self.close_within(GRACE);
    }

    fn close_within(&mut self, grace: Duration) {
        self.input = None;
        let until = Instant::now() + grace;
        while self.ended.is_none() && !self.failed && Instant::now() < until && !self.reader.is_over_limit() {
            if self.attend(until, false).is_err() {
                break;
            }
        }
        self.kill();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

fn has_hung_up(wire: &OwnedFd) -> io::Result<bool> {
    let mut watched = [PollFd::from_borrowed_fd(wire.as_fd(), PollFlags::IN)];
    poll(&mut watched, Some(&Timespec { tv_sec: 0, tv_nsec: 0 }))?;
    Ok(watched[0].revents().contains(PollFlags::HUP))
}
