//! A process that is followed while it looks at sources: one after the other, where its worker copies itself for each.

use std::collections::BTreeSet;
use std::fs;
use std::io::{Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::time::Duration;

use tare_files::Scratch;
use tare_follow::{Follower, Record};
use tare_plan::Planned;
use tare_samples::{Failure, RuntimeCommand};
use tare_worker::{Conversation, FollowError, ProcessLauncher, serving_loads};

/// Where the worker may write which code ran (PROTOCOL 1.10); set in looks alone.
const LOOK: &str = "TARE_LOOK";
/// The capability of workers that copy their process for each case in a look.
const COPIES: &str = "look";
/// A look isn't measured: its heap may lie as it will.
const SEED: u64 = 1;
/// Bytes that a worker may write of the code that ran between two questions.
const MOST_CODE: u64 = 256 << 20;

/// Processes that wait for another source.
const FREE: usize = 2;

/// What takes looks on one CPU.
pub(super) struct Worker {
    launcher: ProcessLauncher,
    /// They have let go of their last sources, and can load others: one of the base and one of the candidate.
    free: Vec<Process>,
}

impl Worker {
    pub(super) fn new(launcher: ProcessLauncher) -> Self {
        Self { launcher, free: Vec::new() }
    }

    /// A process that was started so and can load another source.
    pub(super) fn take_free(&mut self, base: &Planned) -> Option<Process> {
        let start = StartedBy::of(base);
        let at = self.free.iter().position(|process| process.start == start)?;
        Some(self.free.remove(at))
    }

    /// Keeps a process for the next source, if it can load one.
    pub(super) fn keep(&mut self, process: Option<Process>) {
        self.free.extend(process);
        if self.free.len() > FREE {
            // The one that was asked for last is asked for next, most likely.
            self.free.remove(0);
        }
    }

    /// # Errors
    ///
    /// Outside: why no process can be followed on this machine. Inside: this one failed.
    pub(super) fn start(
        &mut self,
        base: &Planned,
        subject: Option<PathBuf>,
    ) -> Result<Result<Process, Failure>, String> {
        let scratch = Scratch::new().map_err(|error| error.to_string())?;
        let start = StartedBy::of(base);
        let mut command = serving_loads(&start.command, start.prelude);
        command.environment.push((LOOK.to_owned(), scratch.path().join("look").display().to_string()));
        let (starting, mut follower) = match self.launcher.start_followed(&command, SEED, subject) {
            Ok(started) => started,
            Err(FollowError::Refused(refusal)) => return Err(refusal.to_string()),
            Err(FollowError::Failed(failure)) => return Ok(Err(failure)),
        };
        let conversation = match starting.open() {
            Ok(conversation) => conversation,
            Err(failure) => return Ok(Err(failure)),
        };
        let started = follower.take();
        let copies = conversation.hello().capabilities.iter().any(|known| known == COPIES);
        let mut process = Process {
            conversation,
            follower,
            written: BTreeSet::new(),
            copies,
            started,
            code_before: String::new(),
            start,
            look: LookFile { scratch, read: 0 },
        };
        process.code_before = process.code();
        Ok(Ok(process))
    }
}

/// A process that has said hello, and what it has shown so far.
pub(super) struct Process {
    pub(super) conversation: Conversation,
    pub(super) follower: Follower,
    /// What was written since the source was loaded.
    pub(super) written: BTreeSet<PathBuf>,
    /// It copies itself for each case.
    pub(super) copies: bool,
    /// Until it said hello: every source depends on that.
    pub(super) started: Record,
    /// What ran before a source was loaded, likewise.
    pub(super) code_before: String,
    start: StartedBy,
    look: LookFile,
}

/// How a process was started.
#[derive(PartialEq)]
struct StartedBy {
    command: RuntimeCommand,
    /// It has loaded what runs benchmarks.
    prelude: bool,
}

impl StartedBy {
    fn of(planned: &Planned) -> Self {
        Self { command: planned.start.clone(), prelude: planned.startup.prelude }
    }
}

/// Where the worker writes which code ran.
struct LookFile {
    scratch: Scratch,
    /// Bytes of it that were read.
    read: u64,
}

impl Process {
    /// A file of that name that the process may write.
    pub(super) fn scratch(&self, name: &str) -> String {
        self.look.scratch.path().join(name).display().to_string()
    }

    /// What the worker has written since it was asked last.
    pub(super) fn code(&mut self) -> String {
        let LookFile { scratch, read } = &mut self.look;
        let mut text = String::new();
        let Ok(mut file) = fs::File::open(scratch.path().join("look")) else { return text };
        let whole = file.seek(SeekFrom::Start(*read)).and_then(|_| file.take(MOST_CODE).read_to_string(&mut text));
        *read += whole.unwrap_or_default() as u64;
        text
    }

    /// Lets go of a source, and says what was recorded meanwhile, of processes that were left behind too. With the process, where it can load another source:
    /// nothing but itself is left of it then, and what its copies have made is recorded as if it had been there before.
    pub(super) fn let_go(mut self, is_clean: bool, deadline: Duration) -> (Record, Option<Self>) {
        let is_unloaded = is_clean
            && self.copies
            && self.conversation.serves_loads()
            && self.conversation.unload(deadline).is_ok()
            && self.follower.begin_anew();
        if is_unloaded {
            let last = self.follower.take();
            let code = self.code();
            self.code_before.push_str(&code);
            self.written.clear();
            return (last, Some(self));
        }
        let Self { conversation, follower, .. } = self;
        conversation.close();
        (follower.finish(), None)
    }
}
