//! The steps of a session under load: list operations, connect, tell the time, work.

use std::time::Duration;

use tare_frames::{Connect, Reply, Request, Slice, Work, Worked};
use tare_samples::{Failure, FailureKind};

use crate::conversation::{Conversation, Enumeration};
use crate::conversation::{from_fault, unexpected};

/// What a worker says in `hello` that knows these requests.
const CAPABILITY: &str = "operations";
/// More notices than this are no use to anybody while it works.
const MOST_NOTICES: usize = 10_000;

impl Conversation {
    /// Whether the worker knows of operations.
    pub fn has_operations(&self) -> bool {
        self.hello().capabilities.iter().any(|capability| capability == CAPABILITY)
    }

    /// The operations of the sources that were loaded, and what the worker has to say of them.
    ///
    /// # Errors
    /// As every request; also a worker that knows nothing of operations.
    pub fn operations(&mut self, deadline: Duration) -> Result<Enumeration, Failure> {
        if !self.has_operations() {
            let hello = self.hello();
            return Err(Failure::new(
                FailureKind::Runtime,
                format!("the worker for {} {} can't run operations under load", hello.language, hello.version),
                "update the worker's SDK",
            ));
        }
        let id = self.take_id();
        let mut found = Enumeration::default();
        match self.ask(&Request::Operations { id }, deadline, &mut found)? {
            Reply::Listed { operations, .. } => {
                let numbered = (0..).zip(&found.operations).all(|(number, operation)| operation.operation == number);
                if operations as usize != found.operations.len() || !numbered {
                    return Err(protocol("the worker's list of operations isn't numbered 0, 1, 2, …, or has another length than the worker says".to_owned()));
                }
                Ok(found)
            }
            other => Err(unexpected("listed", &other)),
        }
    }

    /// Does what the author wants done once before operations of `suite`, in worker number `worker` of `workers`.
    ///
    /// # Errors
    /// As every request.
    pub fn connect(
        &mut self,
        suite: &str,
        (worker, workers): (u32, u32),
        turn: u64,
        deadline: Duration,
    ) -> Result<(), Failure> {
        let (worker, workers) = (u64::from(worker), u64::from(workers));
        let request = Request::Connect(Connect { id: self.take_id(), suite: suite.to_owned(), worker, workers, turn });
        match self.ask(&request, deadline, &mut Enumeration::default())? {
            Reply::Connected { .. } => Ok(()),
            other => Err(unexpected("connected", &other)),
        }
    }

    /// What the worker's clock says, in nanoseconds.
    ///
    /// # Errors
    /// As every request.
    pub fn stamp(&mut self, deadline: Duration) -> Result<u64, Failure> {
        let id = self.take_id();
        match self.ask(&Request::Stamp { id }, deadline, &mut Enumeration::default())? {
            Reply::Stamped { at, .. } => Ok(at),
            other => Err(unexpected("stamped", &other)),
        }
    }

    /// Lets the worker work as `wanted` says (its number is given here), and hands each slice to `take` as it comes. `patience` bounds the wait
    /// for each frame: how long it all takes may not be known.
    ///
    /// # Errors
    /// As every request.
    pub fn work(&mut self, wanted: Work, patience: Duration, take: &mut dyn FnMut(Slice)) -> Result<Worked, Failure> {
        let request = Request::Work(Work { id: self.take_id(), ..wanted });
        self.session.send(&request, patience)?;
        let mut notices = 0;
        loop {
            match self.session.receive(patience)? {
                Reply::Slice(slice) if slice.id == request.id() => take(slice),
                Reply::Notice(notice) if notice.id == request.id() => {
                    notices += 1;
                    if notices > MOST_NOTICES {
                        return Err(protocol(format!(
                            "the worker sent more than {MOST_NOTICES} notices in answer to one request"
                        )));
                    }
                }
                Reply::Worked(worked) if worked.id == request.id() => return Ok(worked),
                Reply::Fault(fault) if fault.id.is_none_or(|id| id == request.id()) => {
                    return Err(from_fault(fault, self.session.as_mut()));
                }
                other => return Err(unexpected(&format!("an answer to request {}", request.id()), &other)),
            }
        }
    }

    /// Resident size of the process now and at its peak, in bytes.
    pub fn rss_bytes(&self) -> (Option<u64>, Option<u64>) {
        (self.session.rss_bytes(), self.session.peak_rss_bytes())
    }
}

fn protocol(message: String) -> Failure {
    Failure::new(FailureKind::Protocol, message, "check the worker with `tare conformance -- WORKER`")
}
