//! Workers that measure nothing and serve one source after the other, each in a copy of their process (PROTOCOL 1.12, 1.14): an interpreter starts once.

use std::time::Duration;

use tare_samples::{Failure, RuntimeCommand};

use crate::conversation::Conversation;

const ASKED: &str = "TARE_LOADS";
const CAPABILITY: &str = "loads";
const PRELUDE: &str = "TARE_PRELUDE";

/// The command with which a worker is asked to serve several sources. Only one that measures nothing may be. With a `prelude` it loads what runs the benchmarks
/// of sources that have said so ([`Enumeration::prelude`](crate::Enumeration)) before it says hello: once for all of them.
#[must_use]
pub fn serving_loads(start: &RuntimeCommand, prelude: bool) -> RuntimeCommand {
    let mut start = start.clone();
    start.environment.push((ASKED.to_owned(), "1".to_owned()));
    if prelude {
        start.environment.push((PRELUDE.to_owned(), "1".to_owned()));
    }
    start
}

impl Conversation {
    /// Whether [`Conversation::load`] may be asked for again after [`Conversation::unload`].
    pub fn serves_loads(&self) -> bool {
        self.hello().capabilities.iter().any(|known| known == CAPABILITY)
    }

    /// Lets go of a source. When this returns, the copy of the process that had loaded it has ended.
    ///
    /// # Errors
    /// As [`Conversation::finish`]: there is no process then that could load another source.
    pub fn unload(&mut self, deadline: Duration) -> Result<(), Failure> {
        // The copy answers the first one and ends; the first process the other, when it has waited for that end.
        self.finish(deadline)?;
        self.finish(deadline).map(drop)
    }
}
