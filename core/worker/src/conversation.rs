//! A session in typed steps: hello, load, prepare, run, finish, each with its deadline.

use std::time::{Duration, Instant};

use tare_frames::{CaseFrame, Hello, Notice, OperationFrame, Reply, Request, Run, Samples, WIRE_VERSION};
use tare_samples::{Failure, FailureKind, Reported};

use crate::Session;

/// What to do about an answer that doesn't come in time.
pub(crate) const GIVE_IT_LONGER: &str = "raise --timeout, or give the subject less work";

/// So many cases may each take the whole time of a `load`, since a benchmark runs once to be listed; whoever names more without end is stopped.
const MOST_LISTED_SLOWLY: usize = 10_000;

/// What `load` found.
#[derive(Debug, Default)]
pub struct Enumeration {
    /// Cases in the order of their numbers.
    pub cases: Vec<CaseFrame>,
    /// Operations in the order of their numbers.
    pub operations: Vec<OperationFrame>,
    /// What the user should know.
    pub notices: Vec<Notice>,
    /// A process can load beforehand what runs these cases ([`serving_loads`](crate::serving_loads)).
    pub prelude: bool,
}

/// What is done around the samples of a turn.
#[derive(Debug, Clone, Copy)]
pub struct Around {
    /// What the calls leave behind is collected within the turn, by a worker that can.
    pub settle: bool,
    /// What the author wants done around samples is done around those of the null and the pause, too; those of the case always have it.
    pub hooks: bool,
}

/// A case made ready.
#[derive(Debug, Clone, Copy)]
pub struct Prepared {
    /// It may pause its timer.
    pub pauses: bool,
    /// Something of the author's is done around samples; `None` where the worker can't tell.
    pub hooks: Option<bool>,
    /// A copy of the process serves the case, and when that has finished the process takes another one.
    pub copied: bool,
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
        let hello = match session.receive(deadline) {
            Ok(Reply::Hello(hello)) if hello.wire == WIRE_VERSION => match session.settle() {
                Ok(()) => hello,
                Err(failure) => {
                    session.close();
                    return Err(failure);
                }
            },
            Ok(Reply::Hello(hello)) => {
                session.close();
                return Err(Failure::new(
                    FailureKind::Protocol,
                    format!(
                        "the worker speaks version {} of the worker protocol, and this tare speaks {WIRE_VERSION}",
                        hello.wire
                    ),
                    if hello.wire > WIRE_VERSION { "update tare" } else { "update the worker's SDK" },
                ));
            }
            Ok(Reply::Fault(fault)) => {
                let failure = from_fault(fault, session.as_mut());
                session.close();
                return Err(failure);
            }
            Ok(other) => {
                session.close();
                return Err(unexpected("hello", &other));
            }
            Err(mut failure) => {
                session.close();
                if failure.kind == FailureKind::Exit || failure.kind == FailureKind::Timeout {
                    failure.message = format!("the worker didn't send its first message (hello): {}", failure.message);
                }
                return Err(failure);
            }
        };
        Ok(Self { session, hello, next_id: 1, printed_before: Default::default() })
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
        let mut found = Enumeration::default();
        let last = self.ask(&request, deadline, &mut found)?;
        match last {
            Reply::Loaded { cases, prelude, .. } if cases as usize == found.cases.len() => {
                found.prelude = prelude;
                if let Some((number, case)) =
                    found.cases.iter().enumerate().find(|(number, case)| case.case != *number as u64)
                {
                    return Err(Failure::new(
                        FailureKind::Protocol,
                        format!("the worker gave case {number} ({}) the number {}", case.benchmark, case.case),
                        "check the worker with `tare conformance -- WORKER`",
                    ));
                }
                Ok(found)
            }
            Reply::Loaded { cases, .. } => Err(Failure::new(
                FailureKind::Protocol,
                format!("the worker says that it sent {cases} cases, but sent {}", found.cases.len()),
                "check the worker with `tare conformance -- WORKER`",
            )),
            other => Err(unexpected("loaded", &other)),
        }
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
        self.prepare_by((case, benchmark, parameters), clock, false, deadline)
    }

    /// As [`Conversation::prepare`], of a case by its number, name and parameters; with `copy` in a copy of the process, by a worker that can.
    pub fn prepare_by(
        &mut self,
        (case, benchmark, parameters): (u64, &str, &str),
        clock: Option<&str>,
        copy: bool,
        deadline: Duration,
    ) -> Result<Prepared, Failure> {
        let id = self.take_id();
        let request = Request::Prepare {
            id,
            case,
            benchmark: benchmark.to_owned(),
            parameters: parameters.to_owned(),
            clock: clock.map(str::to_owned),
            copy,
        };
        match self.ask(&request, deadline, &mut Enumeration::default())? {
            Reply::Ready { pauses, hooks, copied, .. } => {
                self.printed_before = self.session.printed();
                Ok(Prepared { pauses, hooks, copied })
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
        self.run_with(subject, warm, iterations, Around { settle: false, hooks: true }, deadline)
    }

    /// Has what the author wants done before a sample done ahead of the next turn of the case, by a worker that can.
    pub fn arrange(&mut self, deadline: Duration) -> Result<(), Failure> {
        let id = self.take_id();
        match self.ask(&Request::Arrange { id }, deadline, &mut Enumeration::default())? {
            Reply::Arranged { .. } => Ok(()),
            other => Err(unexpected("arranged", &other)),
        }
    }

    /// As [`Conversation::run`], with what else is done in the turn stated.
    pub fn run_with(
        &mut self,
        subject: &str,
        warm: u64,
        iterations: &[u64],
        Around { settle, hooks }: Around,
        deadline: Duration,
    ) -> Result<Samples, Failure> {
        let (id, subject, wanted) = (self.take_id(), subject.to_owned(), iterations.len());
        let request = Request::Run(Run { id, subject, iterations: iterations.to_vec(), warm, settle, hooks });
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

    fn out_of_time(&mut self, deadline: Duration) -> Failure {
        let failure = Failure::new(FailureKind::Timeout, no_answer(deadline), GIVE_IT_LONGER);
        let (stdout, stderr) = self.session.printed();
        Failure { stdout, stderr, ..failure }
    }

    /// Sends a request and collects what comes before its last reply.
    pub(crate) fn ask(
        &mut self,
        request: &Request,
        deadline: Duration,
        found: &mut Enumeration,
    ) -> Result<Reply, Failure> {
        let mut until = Instant::now() + deadline;
        self.session.send(request, deadline)?;
        loop {
            // The deadline is the request's, or each benchmark's that is listed: notices without end must not put it off.
            let left = until.saturating_duration_since(Instant::now());
            let reply = self.session.receive(left).map_err(|mut failure| {
                if failure.kind == FailureKind::Timeout {
                    failure.message = no_answer(deadline);
                }
                failure
            })?;
            if left.is_zero() && !reply.is_last() {
                return Err(self.out_of_time(deadline));
            }
            match reply {
                Reply::Case(case) if case.id == request.id() => {
                    found.cases.push(case);
                    if found.cases.len() < MOST_LISTED_SLOWLY {
                        until = Instant::now() + deadline;
                    }
                }
                Reply::Operation(operation) if operation.id == request.id() => found.operations.push(operation),
                Reply::Notice(notice) if notice.id == request.id() => found.notices.push(notice),
                Reply::Fault(fault) if ends(&fault, request) => {
                    return Err(from_fault(fault, self.session.as_mut()));
                }
                reply if reply.is_last() && reply.id() == Some(request.id()) => return Ok(reply),
                other => {
                    return Err(unexpected(&format!("an answer to request {}", request.id()), &other));
                }
            }
        }
    }
}

/// Whether a fault is this request's. The end of a copy of the worker is told by the process that was copied, for the request that it was copied for.
fn ends(fault: &tare_frames::Fault, request: &Request) -> bool {
    let of_copy = FailureKind::parse(&fault.kind) == FailureKind::Exit;
    fault.id.is_none_or(|id| id == request.id() || of_copy && id < request.id())
}

/// What is said when an answer doesn't come in time.
pub(crate) fn no_answer(deadline: Duration) -> String {
    format!("no answer within {} s", deadline.as_secs_f64())
}

/// A worker's fault as a failure, with what the process printed.
pub(crate) fn from_fault(fault: tare_frames::Fault, session: &mut dyn Session) -> Failure {
    let kind = FailureKind::parse(&fault.kind);
    let (stdout, stderr) = session.printed();
    let remedy = fault.remedy.unwrap_or_else(|| remedy_for(kind).to_owned());
    Failure {
        kind,
        message: fault.message,
        file: fault.file.unwrap_or_default(),
        line: fault.line.unwrap_or(0),
        remedy,
        stdout,
        stderr,
        trace: fault.trace.unwrap_or_default(),
        exit_status: None,
    }
}

/// What to do about a failure of this kind, where nobody knows anything better.
pub fn remedy_for(kind: FailureKind) -> &'static str {
    match kind {
        FailureKind::Syntax => "correct the source; the runtime's own syntax check shows the same error",
        FailureKind::Load => {
            "Install what the project depends on (as `composer install` or `pip install` do), or give the file what it needs to load: an autoloader, a bootstrap file."
        }
        FailureKind::Provider => "let the provider return the same, non-empty sets each time",
        FailureKind::Exception => "repair the subject, or leave it out with --exclude",
        FailureKind::Exit => "let the subject return instead of ending the process",
        FailureKind::Fatal => "look at what the process printed",
        FailureKind::Skipped => "leave the benchmark out with --exclude",
        FailureKind::Runtime => "name another runtime with --runtime NAME=COMMAND",
        FailureKind::Signal | FailureKind::Timeout | FailureKind::Protocol => {
            "check the worker with `tare conformance -- WORKER`"
        }
    }
}

pub(crate) fn unexpected(wanted: &str, got: &Reply) -> Failure {
    let mut got = got.encode();
    if got.len() > 120 {
        let cut = (0..=120).rev().find(|&at| got.is_char_boundary(at)).unwrap_or(0);
        got.truncate(cut);
    }
    Failure::new(
        FailureKind::Protocol,
        format!("the worker should have sent {wanted}, but sent {got}"),
        "check the worker with `tare conformance -- WORKER`",
    )
}
