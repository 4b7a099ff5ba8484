//! A session in typed steps: hello, load, prepare, run, finish, each with its deadline.

use std::time::{Duration, Instant};

use tare_frames::{Hello, Reply, Request, Run, Samples};
use tare_samples::{Failure, FailureKind, Reported};

use crate::Session;
use crate::answers::{Enumeration, hello, last_reply, loaded, unexpected};

/// A case made ready.
#[derive(Debug, Clone, Copy)]
pub struct Prepared {
    /// It may pause its timer.
    pub pauses: bool,
    /// Something of the author's is done around samples; `None` where the worker can't tell.
    pub hooks: Option<bool>,
}

/// What the worker says at the end.
#[derive(Debug, Clone)]
pub struct Finished {
    /// What the process printed since the case was ready: the end of its standard output, and of its standard error.
    pub printed: (String, String),
    /// Most memory in use by the runtime's own account since the case was ready, in bytes; `None` where it can't count from there.
    pub runtime_peak_bytes: Option<u64>,
    /// Largest resident size.
    pub peak_rss_bytes: Option<u64>,
    /// What the benchmark says of itself.
    pub reported: Reported,
}

/// A [`Session`] that has said hello.
pub struct Conversation {
    pub(crate) session: Box<dyn Session>,
    hello: Hello,
    next_id: u64,
    /// What the process had printed when its case was ready: that isn't printed while it is measured.
    printed_before: (String, String),
}

impl Conversation {
    /// Waits for the worker's `hello` and checks it.
    pub fn open(mut session: Box<dyn Session>, deadline: Duration) -> Result<Self, Failure> {
        let opened = hello(session.as_mut(), deadline).and_then(|hello| session.settle().map(|()| hello));
        match opened {
            Ok(hello) => Ok(Self { session, hello, next_id: 1, printed_before: Default::default() }),
            Err(failure) => {
                session.close();
                Err(failure)
            }
        }
    }

    /// What the worker said of itself.
    pub fn hello(&self) -> &Hello {
        &self.hello
    }

    /// Loads sources and collects their cases.
    pub fn load(
        &mut self,
        files: &[String],
        bootstrap: Option<&str>,
        deadline: Duration,
    ) -> Result<Enumeration, Failure> {
        let id = self.take_id();
        let request = Request::Load { id, files: files.to_vec(), bootstrap: bootstrap.map(str::to_owned) };
        let begun = Instant::now();
        self.session.send(&request, deadline)?;
        loaded(self.session.as_mut(), id, begun, deadline)
    }

    /// Makes a case ready to run.
    pub fn prepare(
        &mut self,
        case: u64,
        benchmark: &str,
        parameters: &str,
        clock: Option<&str>,
        deadline: Duration,
    ) -> Result<Prepared, Failure> {
        let id = self.take_id();
        let request = Request::Prepare {
            id,
            case,
            benchmark: benchmark.to_owned(),
            parameters: parameters.to_owned(),
            clock: clock.map(str::to_owned),
        };
        match self.ask(&request, deadline, &mut Enumeration::default())? {
            Reply::Ready { pauses, hooks, .. } => {
                self.printed_before = self.session.printed();
                Ok(Prepared { pauses, hooks })
            }
            other => Err(unexpected("ready", &other)),
        }
    }

    /// Takes one turn.
    pub fn run(
        &mut self,
        subject: &str,
        warm: u64,
        iterations: &[u64],
        deadline: Duration,
    ) -> Result<Samples, Failure> {
        self.run_settling(subject, warm, iterations, false, deadline)
    }

    /// As [`Conversation::run`]; with `settle` what the calls leave behind is collected within the turn, by a worker that can.
    pub fn run_settling(
        &mut self,
        subject: &str,
        warm: u64,
        iterations: &[u64],
        settle: bool,
        deadline: Duration,
    ) -> Result<Samples, Failure> {
        let (id, subject, wanted) = (self.take_id(), subject.to_owned(), iterations.len());
        let request = Request::Run(Run { id, subject, iterations: iterations.to_vec(), warm, settle });
        let samples = match self.ask(&request, deadline, &mut Enumeration::default())? {
            Reply::Samples(samples) => samples,
            other => return Err(unexpected("samples", &other)),
        };
        if samples.elapsed.len() != wanted || ![0, wanted].contains(&samples.pauses.len()) {
            return Err(Failure::new(
                FailureKind::Protocol,
                format!("the worker was asked for {wanted} samples and sent {}", samples.elapsed.len()),
                "check the worker with `tare conformance -- WORKER`",
            ));
        }
        Ok(samples)
    }

    /// The worker's process, where it is one.
    pub fn pid(&self) -> Option<u32> {
        self.session.pid()
    }

    /// Lets the benchmark clean up, and reads what memory the process took.
    pub fn finish(&mut self, deadline: Duration) -> Result<Finished, Failure> {
        let id = self.take_id();
        match self.ask(&Request::Finish { id }, deadline, &mut Enumeration::default())? {
            Reply::Finished(frame) => Ok(Finished {
                printed: self.printed_since(),
                runtime_peak_bytes: frame.runtime_peak_bytes,
                peak_rss_bytes: self.session.peak_rss_bytes(),
                reported: Reported {
                    bytes: frame.bytes,
                    items: frame.items,
                    metrics: frame.metrics,
                    labels: frame.labels,
                    allocations: None,
                    allocations_asked: frame.allocations_asked,
                },
            }),
            other => Err(unexpected("finished", &other)),
        }
    }

    fn printed_since(&mut self) -> (String, String) {
        // Of a flood the middle is gone, and with it what came before.
        let since = |all: String, before: &str| all.strip_prefix(before).map(str::to_owned).unwrap_or(all);
        let (stdout, stderr) = self.session.printed();
        (since(stdout, &self.printed_before.0), since(stderr, &self.printed_before.1))
    }

    /// Lets the largest resident size count from now on; whether that could be done.
    pub fn reset_peak_rss(&mut self) -> bool {
        self.session.reset_peak_rss()
    }

    /// Tells the worker that nothing more comes. Its end is waited for by [`Conversation::close`].
    pub fn hang_up(&mut self) {
        self.session.hang_up();
    }

    /// Ends the session.
    pub fn close(mut self) {
        self.session.close();
    }

    /// Ends the session, and gives the process this long to end by itself: a tool around it writes what it found only then.
    pub fn close_within(mut self, grace: Duration) {
        self.session.close_within(grace);
    }

    pub(crate) fn take_id(&mut self) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        id
    }

    /// Sends a request and collects what comes before its last reply.
    pub(crate) fn ask(
        &mut self,
        request: &Request,
        deadline: Duration,
        found: &mut Enumeration,
    ) -> Result<Reply, Failure> {
        let begun = Instant::now();
        self.session.send(request, deadline)?;
        last_reply(self.session.as_mut(), request.id(), begun, deadline, found)
    }
}
