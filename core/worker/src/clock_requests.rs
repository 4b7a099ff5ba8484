//! The steps of a session about clocks: read one, wait.

use std::time::Duration;

use tare_frames::{Read, Readings, Reply, Request, Wait};
use tare_samples::{Failure, FailureKind};

use crate::conversation::{Conversation, Enumeration, unexpected};

impl Conversation {
    /// Reads a clock as `wanted` says; its number is given here.
    ///
    /// # Errors
    /// As every request; also where there aren't as many readings or blocks as were asked for.
    pub fn read(&mut self, wanted: Read, deadline: Duration) -> Result<Readings, Failure> {
        let (values, blocks) = (2 * wanted.pairs, wanted.blocks);
        let request = Request::Read(Read { id: self.take_id(), ..wanted });
        let readings = match self.ask(&request, deadline, &mut Enumeration::default())? {
            Reply::Readings(readings) => readings,
            other => return Err(unexpected("readings", &other)),
        };
        if readings.values.len() as u64 != values || readings.blocks.len() as u64 != blocks {
            return Err(Failure::new(
                FailureKind::Protocol,
                format!(
                    "the worker was asked for {values} readings and {blocks} blocks, and sent {} and {}",
                    readings.values.len(),
                    readings.blocks.len()
                ),
                "check the worker with `tare conformance -- WORKER`",
            ));
        }
        Ok(readings)
    }

    /// Waits `times` times for `requested` nanoseconds, and returns what each took, in nanoseconds.
    ///
    /// # Errors
    /// As every request. One of kind `runtime` says that the language has no such call or refuses the time; the worker lives
    /// on then.
    pub fn wait(&mut self, call: &str, requested: i64, times: u64, deadline: Duration) -> Result<Vec<u64>, Failure> {
        let request = Request::Wait(Wait { id: self.take_id(), call: call.to_owned(), requested, times });
        match self.ask(&request, deadline, &mut Enumeration::default())? {
            Reply::Waited(waited) if waited.taken.len() as u64 == times => Ok(waited.taken),
            Reply::Waited(waited) => Err(Failure::new(
                FailureKind::Protocol,
                format!("the worker was asked for {times} waits and sent {}", waited.taken.len()),
                "check the worker with `tare conformance -- WORKER`",
            )),
            other => Err(unexpected("waited", &other)),
        }
    }
}
