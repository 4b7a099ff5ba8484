//! What a worker answers: its hello, what it found in sources, the last reply to a request, and its faults.

use std::time::{Duration, Instant};

use tare_frames::{CaseFrame, Hello, Notice, OperationFrame, Reply, WIRE_VERSION};
use tare_samples::{Failure, FailureKind};

use crate::Session;

/// What `load` found.
#[derive(Debug, Default)]
pub struct Enumeration {
    /// Cases in the order of their numbers.
    pub cases: Vec<CaseFrame>,
    /// Operations in the order of their numbers.
    pub operations: Vec<OperationFrame>,
    /// What the user should know.
    pub notices: Vec<Notice>,
}

/// What to do about an answer that doesn't come in time.
pub(crate) const GIVE_IT_LONGER: &str = "give it longer with --timeout, or make the subject smaller";

/// So many cases may each take the whole time of a `load`, since a benchmark runs once to be listed; whoever names more without end is stopped.
const MOST_LISTED_SLOWLY: usize = 10_000;

/// The worker's `hello`, checked.
pub(crate) fn hello(session: &mut dyn Session, deadline: Duration) -> Result<Hello, Failure> {
    match session.receive(deadline) {
        Ok(Reply::Hello(hello)) if hello.wire == WIRE_VERSION => Ok(hello),
        Ok(Reply::Hello(hello)) => Err(Failure::new(
            FailureKind::Protocol,
            format!(
                "the worker speaks version {} of the worker protocol, and this tare speaks {WIRE_VERSION}",
                hello.wire
            ),
            if hello.wire > WIRE_VERSION { "update tare" } else { "update the worker's SDK" },
        )),
        Ok(Reply::Fault(fault)) => Err(from_fault(fault, session)),
        Ok(other) => Err(unexpected("hello", &other)),
        Err(mut failure) => {
            if failure.kind == FailureKind::Exit || failure.kind == FailureKind::Timeout {
                failure.message = format!("the worker didn't send its first message (hello): {}", failure.message);
            }
            Err(failure)
        }
    }
}

/// What the worker found in the sources that it was asked to load by request `id`, which was sent at `begun`.
pub(crate) fn loaded(
    session: &mut dyn Session,
    id: u64,
    begun: Instant,
    deadline: Duration,
) -> Result<Enumeration, Failure> {
    let mut found = Enumeration::default();
    match last_reply(session, id, begun, deadline, &mut found)? {
        Reply::Loaded { cases, .. } if cases as usize == found.cases.len() => {
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

/// The last reply to request `id`, which was sent at `begun`; what comes before it is collected.
pub(crate) fn last_reply(
    session: &mut dyn Session,
    id: u64,
    begun: Instant,
    deadline: Duration,
    found: &mut Enumeration,
) -> Result<Reply, Failure> {
    let mut until = begun + deadline;
    loop {
        // The deadline is the request's, or each benchmark's that is listed: notices without end must not put it off.
        let left = until.saturating_duration_since(Instant::now());
        let reply = session.receive(left).map_err(|mut failure| {
            if failure.kind == FailureKind::Timeout {
                failure.message = no_answer(deadline);
            }
            failure
        })?;
        if left.is_zero() && !reply.is_last() {
            let (stdout, stderr) = session.printed();
            let failure = Failure::new(FailureKind::Timeout, no_answer(deadline), GIVE_IT_LONGER);
            return Err(Failure { stdout, stderr, ..failure });
        }
        match reply {
            Reply::Case(case) if case.id == id => {
                found.cases.push(case);
                if found.cases.len() < MOST_LISTED_SLOWLY {
                    until = Instant::now() + deadline;
                }
            }
            Reply::Operation(operation) if operation.id == id => found.operations.push(operation),
            Reply::Notice(notice) if notice.id == id => found.notices.push(notice),
            Reply::Fault(fault) if fault.id.is_none_or(|of| of == id) => return Err(from_fault(fault, session)),
            reply if reply.is_last() && reply.id() == Some(id) => return Ok(reply),
            other => return Err(unexpected(&format!("an answer to request {id}"), &other)),
        }
    }
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
        FailureKind::Syntax => "mend the source; the runtime's own syntax check shows the same",
        FailureKind::Load => "make the source loadable by itself: what it needs must be found from where it lies",
        FailureKind::Provider => "let the provider give the same, non-empty sets each time",
        FailureKind::Exception => "mend the subject, or leave it out with --exclude",
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
