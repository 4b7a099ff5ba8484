use std::ffi::OsStr;
use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{CWD, Mode, OFlags};
use tempfile::TempDir;

use crate::buffer::{Capture, LineBuffer, excerpt};
use crate::error::ConformanceError;
use crate::vectors::Wire;

/// How long a wait may go without a look at whether the process still lives.
const TICK: Duration = Duration::from_millis(20);

/// A worker and all its pipes. Dropping it kills the process.
pub(crate) struct Worker {
    child: Child,
    status: Option<ExitStatus>,
    stdin: Option<File>,
    stdout: Option<File>,
    stderr: Option<File>,
    fifo: Option<File>,
    /// The FIFO had a writer once: reading nothing from it now means that the writer has gone.
    fifo_spoke: bool,
    fifo_idle: bool,
    replies_on_stdout: bool,
    replies: LineBuffer,
    output: Capture,
    errors: Capture,
    _directory: TempDir,
}

/// What a wait found.
enum Seen {
    Line(Vec<u8>),
    Exit(ExitStatus),
    Closed,
}

impl Worker {
    /// Starts a worker. The inner error says what is wrong with the command.
    pub(crate) fn start(command: &[String], wire: Wire) -> Result<Result<Self, String>, ConformanceError> {
        let [program, arguments @ ..] = command else { return Err(ConformanceError::NoCommand) };
        let directory =
            tempfile::Builder::new().prefix("tare-conformance-").tempdir().map_err(ConformanceError::Directory)?;
        let scratch = directory.path().join("scratch");
        std::fs::create_dir(&scratch).map_err(ConformanceError::Directory)?;
        let path = directory.path().join("wire");
        let fifo = match wire {
            Wire::Fifo => Some(make_fifo(&path).map_err(|error| ConformanceError::Directory(error.into()))?),
            Wire::Unset | Wire::Empty | Wire::Missing => None,
        };
        let mut builder = Command::new(program);
        builder.args(arguments).env("TARE_SCRATCH", &scratch).process_group(0);
        builder.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        match wire {
            Wire::Fifo => builder.env("TARE_WIRE", &path),
            Wire::Unset => builder.env_remove("TARE_WIRE"),
            Wire::Empty => builder.env("TARE_WIRE", OsStr::new("")),
            Wire::Missing => builder.env("TARE_WIRE", directory.path().join("missing").join("wire")),
        };
        let mut child = match builder.spawn() {
            Ok(child) => child,
            Err(error) => return Ok(Err(format!("{program} can't be started: {error}"))),
        };
        let stdin = child.stdin.take().map(|pipe| File::from(OwnedFd::from(pipe)));
        let stdout = child.stdout.take().map(|pipe| File::from(OwnedFd::from(pipe)));
        let stderr = child.stderr.take().map(|pipe| File::from(OwnedFd::from(pipe)));
        let worker = Self {
            child,
            status: None,
            stdin,
            stdout,
            stderr,
            fifo,
            fifo_spoke: false,
            fifo_idle: false,
            replies_on_stdout: matches!(wire, Wire::Unset | Wire::Empty),
            replies: LineBuffer::default(),
            output: Capture::default(),
            errors: Capture::default(),
            _directory: directory,
        };
        for pipe in [&worker.stdin, &worker.stdout, &worker.stderr].into_iter().flatten() {
            rustix::io::ioctl_fionbio(pipe, true).map_err(|error| ConformanceError::Directory(error.into()))?;
        }
        Ok(Ok(worker))
    }

    /// Writes everything, taking in what the worker writes meanwhile: neither may wait for the other. Each part that it reads gives it as much time anew.
    pub(crate) fn send(&mut self, mut bytes: &[u8], mut deadline: Instant) -> Result<(), String> {
        let patience = deadline.saturating_duration_since(Instant::now());
        while !bytes.is_empty() {
            let Some(stdin) = &mut self.stdin else { return Err("its input is closed already".to_owned()) };
            match stdin.write(bytes) {
                Ok(count) => {
                    bytes = &bytes[count..];
                    deadline = Instant::now() + patience;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    if Instant::now() >= deadline {
                        return Err(format!(
                            "it doesn't read its input: {} bytes are left{}",
                            bytes.len(),
                            self.printed()
                        ));
                    }
                    self.wait(deadline, true)?;
                }
                Err(_) => return Err(self.obituary(deadline)),
            }
        }
        Ok(())
    }

    pub(crate) fn close_input(&mut self) {
        self.stdin = None;
    }

    /// The next reply, without its line feed.
    pub(crate) fn reply(&mut self, deadline: Instant) -> Result<Vec<u8>, String> {
        match self.next(deadline)? {
            Some(Seen::Line(line)) => Ok(line),
            Some(Seen::Exit(_)) => Err(self.obituary(deadline)),
            Some(Seen::Closed) => Err(format!("it has closed its wire{}{}", self.half(), self.printed())),
            None => Err(format!("no answer in time{}{}", self.half(), self.printed())),
        }
    }

    /// The exit status, and the replies that came before it.
    pub(crate) fn exit(&mut self, deadline: Instant) -> Result<(ExitStatus, Vec<Vec<u8>>), String> {
        let mut replies = Vec::new();
        loop {
            match self.next(deadline)? {
                Some(Seen::Line(line)) => replies.push(line),
                Some(Seen::Exit(status)) => {
                    if !self.replies.partial().is_empty() {
                        replies.push(self.replies.partial().to_vec());
                    }
                    return Ok((status, replies));
                }
                // A worker may close its wire before it ends.
                Some(Seen::Closed) => self.fifo = None,
                None => return Err(format!("it still runs{}", self.printed())),
            }
        }
    }

    /// What it has written to standard output and standard error, apart from replies. Ends the process.
    pub(crate) fn noise(mut self) -> Option<String> {
        self.kill();
        let _ = self.drain();
        let mut noise = Vec::new();
        if !self.output.is_empty() {
            noise.push(format!("on standard output {}", excerpt(self.output.head())));
        }
        if !self.errors.is_empty() {
            noise.push(format!("on standard error {}", excerpt(self.errors.head())));
        }
        (!noise.is_empty()).then(|| noise.join(", "))
    }

    fn next(&mut self, deadline: Instant) -> Result<Option<Seen>, String> {
        loop {
            // The status before the last look at the pipes: what the process wrote, it wrote before it ended.
            let status = self.poll_status();
            let open = self.drain()?;
            if let Some(line) = self.replies.pop() {
                return Ok(Some(Seen::Line(line)));
            }
            if let Some(status) = status {
                return Ok(Some(Seen::Exit(status)));
            }
            if !open {
                // An exit closes the pipes a moment before it can be seen.
                std::thread::sleep(TICK);
                return Ok(Some(self.poll_status().map_or(Seen::Closed, Seen::Exit)));
            }
            if Instant::now() >= deadline {
                return Ok(None);
            }
            self.wait(deadline, false)?;
        }
    }

    /// Waits until there is something to read (or room to write), or a moment has passed; then reads it.
    fn wait(&mut self, deadline: Instant, for_room: bool) -> Result<(), String> {
        let patience = deadline.saturating_duration_since(Instant::now()).min(TICK);
        let mut pipes = Vec::new();
        // A FIFO without a writer is always ready, with nothing in it.
        let fifo = self.fifo.as_ref().filter(|_| !self.fifo_idle);
        for pipe in [fifo, self.stdout.as_ref(), self.stderr.as_ref()].into_iter().flatten() {
            pipes.push(PollFd::from_borrowed_fd(pipe.as_fd(), PollFlags::IN));
        }
        if let Some(stdin) = self.stdin.as_ref().filter(|_| for_room) {
            pipes.push(PollFd::from_borrowed_fd(stdin.as_fd(), PollFlags::OUT));
        }
        let patience = Timespec { tv_sec: 0, tv_nsec: i64::from(patience.subsec_nanos()) };
        match poll(&mut pipes, Some(&patience)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(format!("its pipes can't be watched: {error}")),
        }
        self.drain().map(|_| ())
    }

    /// Reads what is there. False where no reply can come any more.
    fn drain(&mut self) -> Result<bool, String> {
        let mut taken = Vec::new();
        if let Some(fifo) = &mut self.fifo {
            let ended = read_some(fifo, &mut taken);
            self.fifo_spoke |= !taken.is_empty();
            self.fifo_idle = ended && taken.is_empty();
            self.replies.push(&taken)?;
        }
        for (is_output, slot) in [(true, &mut self.stdout), (false, &mut self.stderr)] {
            let Some(pipe) = slot else { continue };
            taken.clear();
            if read_some(pipe, &mut taken) {
                *slot = None;
            }
            match is_output {
                true if self.replies_on_stdout => self.replies.push(&taken)?,
                true => self.output.push(&taken),
                false => self.errors.push(&taken),
            }
        }
        Ok(match (&self.fifo, self.replies_on_stdout) {
            (Some(_), _) => !(self.fifo_spoke && self.fifo_idle),
            (None, true) => self.stdout.is_some(),
            (None, false) => true,
        })
    }

    fn poll_status(&mut self) -> Option<ExitStatus> {
        if self.status.is_none() {
            self.status = self.child.try_wait().ok().flatten();
        }
        self.status
    }

    /// What became of a worker that has stopped reading or writing.
    fn obituary(&mut self, deadline: Instant) -> String {
        while self.poll_status().is_none() && Instant::now() < deadline {
            std::thread::sleep(TICK);
        }
        let _ = self.drain();
        match self.status {
            Some(status) => format!("it has ended ({status}){}{}", self.half(), self.printed()),
            None => format!("it has closed its input{}{}", self.half(), self.printed()),
        }
    }

    fn half(&self) -> String {
        match self.replies.partial() {
            [] => String::new(),
            partial => format!(", in the middle of the line {}", excerpt(partial)),
        }
    }

    fn printed(&self) -> String {
        match self.errors.is_empty() {
            true => String::new(),
            false => format!("; on standard error: {}", excerpt(self.errors.head())),
        }
    }

    fn kill(&mut self) {
        // Its number is its own until it has been waited for.
        if self.poll_status().is_none() {
            if let Some(group) = i32::try_from(self.child.id()).ok().and_then(rustix::process::Pid::from_raw) {
                let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
            }
            let _ = self.child.kill();
            self.status = self.child.wait().ok();
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The read end is opened first, without waiting for a writer: one may never come.
fn make_fifo(path: &Path) -> rustix::io::Result<File> {
    rustix::fs::mkfifoat(CWD, path, Mode::RUSR | Mode::WUSR)?;
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    rustix::fs::open(path, flags, Mode::empty()).map(File::from)
}

/// Appends what is there, up to a limit. True at the end of the stream.
fn read_some(pipe: &mut File, taken: &mut Vec<u8>) -> bool {
    const MOST: usize = 1 << 20;
    let mut chunk = [0; 1 << 16];
    while taken.len() < MOST {
        match pipe.read(&mut chunk) {
            Ok(0) => return true,
            Ok(count) => taken.extend_from_slice(&chunk[..count]),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) if error.kind() == ErrorKind::WouldBlock => return false,
            Err(_) => return true,
        }
    }
    false
}
