//! What the driver drives.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::future::Future;

use tokio::time::Instant;

/// An operation that succeeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Answer {
    /// The status, where operations have one.
    pub status: Option<u16>,
    /// Bytes received, without what frames or describes them.
    pub bytes: u64,
}

/// An operation that failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// The kind under which it is counted.
    pub kind: Cow<'static, str>,
    /// What happened, where it is told apart from others of its kind; empty on the measured path.
    pub detail: String,
    /// The status, where there was an answer.
    pub status: Option<u16>,
    /// There was no connection to do it on.
    pub connecting: bool,
}

impl Failure {
    /// A failure of a kind, with nothing more known.
    pub fn of(kind: &'static str) -> Self {
        Self { kind: Cow::Borrowed(kind), detail: String::new(), status: None, connecting: false }
    }

    /// The same, with what happened.
    pub fn with_detail(kind: &'static str, detail: impl Into<String>) -> Self {
        Self { detail: detail.into(), ..Self::of(kind) }
    }

    /// The same, before there was a connection.
    pub fn while_connecting(self) -> Self {
        Self { connecting: true, ..self }
    }
}

/// One connection or worker: does one operation at a time.
pub trait Client {
    /// Makes ready what operations need, before the common start.
    fn prepare(&mut self, by: Instant) -> impl Future<Output = Result<(), Failure>>;

    /// Does one operation, and ends with a failure where that isn't done `by` then.
    fn operate(&mut self, by: Instant) -> impl Future<Output = Result<Answer, Failure>>;

    /// Connections opened since it was last asked.
    fn take_connects(&mut self) -> u64 {
        0
    }
}

/// Makes clients, in the thread that is going to use them.
pub trait Clients: Sync {
    /// What it makes.
    type Client: Client + 'static;

    /// A client of a target, by its number.
    fn client(&self, target: usize) -> Self::Client;
}
