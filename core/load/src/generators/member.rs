//! One generator, as its coordinator knows it.

use std::net::TcpStream;
use std::sync::mpsc::Sender;
use std::time::Instant;

use super::clock::{Clock, Exchange, Offset};
use super::messages::{Hello, MOST, ToCoordinator, ToGenerator, read, write};
use crate::effort::Effort;
use crate::plan::Outcome;

/// What a generator told, or that it is gone.
#[derive(Debug)]
pub(super) struct Event {
    pub(super) from: usize,
    /// By the monotonic clock here, read as soon as it was there.
    pub(super) at: i64,
    pub(super) what: Result<(ToCoordinator, Vec<u8>), std::io::Error>,
}

/// What is known of one generator.
#[derive(Debug, Clone, Default)]
pub struct GeneratorStatus {
    /// The name of its machine.
    pub host: String,
    /// Connections to each target.
    pub connections: u32,
    /// Threads that send.
    pub threads: u32,
    /// By how much its time of day is ahead of that of the coordinator's machine, as it was last measured, in nanoseconds.
    pub ahead: i64,
    /// Measured starts began within so many nanoseconds of those of the coordinator's clock, the longest bound of all, but for `late_start`.
    pub within: i64,
    /// The longest that a measured block began after its moment, in nanoseconds.
    pub late_start: u64,
    /// Operations that ended.
    pub ended: u64,
    /// Of those, begun late.
    pub late: u64,
    /// Due and never begun.
    pub dropped: u64,
    /// What its threads did with their time.
    pub effort: Effort,
}

pub(super) struct Member {
    stream: TcpStream,
    pub(super) seen: GeneratorStatus,
    pub(super) offset: Offset,
    /// When it last said anything.
    pub(super) heard: Instant,
    /// The block that it is ready for.
    pub(super) ready: Option<usize>,
    pub(super) done: Option<Outcome>,
    pub(super) exchanges: Vec<Exchange>,
    asked: Option<(u32, super::clock::Reading)>,
}

impl Member {
    /// One whose first word was heard. What it says from here on goes to `events`.
    pub(super) fn new(stream: TcpStream, hello: Hello, events: Sender<Event>) -> std::io::Result<Self> {
        let (mut from, number) = (stream.try_clone()?, hello.number as usize);
        std::thread::Builder::new().name(format!("generator {number}")).spawn(move || {
            loop {
                let what = read(&mut from, MOST);
                let ended = what.is_err();
                let at = Clock::default().read().monotonic;
                if events.send(Event { from: number, at, what }).is_err() || ended {
                    return;
                }
            }
        })?;
        Ok(Self {
            stream,
            seen: GeneratorStatus { host: hello.host, ..GeneratorStatus::default() },
            offset: Offset { monotonic: 0, system: 0, within: 0 },
            heard: Instant::now(),
            ready: None,
            done: None,
            exchanges: Vec::new(),
            asked: None,
        })
    }

    pub(super) fn tell(&mut self, message: &ToGenerator) -> std::io::Result<()> {
        write(&mut self.stream, message, &[])
    }

    /// Asks for its clocks.
    pub(super) fn ask(&mut self, ping: u32) -> std::io::Result<()> {
        self.asked = Some((ping, Clock::default().read()));
        self.tell(&ToGenerator::Ping(ping))
    }

    /// Its answer is here.
    pub(super) fn answered(&mut self, ping: u32, theirs: super::clock::Reading, received: i64) {
        if let Some((_, sent)) = self.asked.take_if(|(asked, _)| *asked == ping) {
            self.exchanges.push(Exchange { sent, received, theirs });
        }
    }

    /// Whether an answer is waited for.
    pub(super) fn is_asked(&self) -> bool {
        self.asked.is_some()
    }

    /// What it measured of one plan is counted.
    pub(super) fn count(&mut self, outcome: &Outcome) {
        for series in &outcome.series {
            self.seen.ended += series.total.succeeded() + series.total.failures.total();
            self.seen.late += series.total.late;
            self.seen.dropped += series.total.dropped;
        }
        self.seen.effort.add(outcome.effort);
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        let _ = self.tell(&ToGenerator::End);
        // Its reading thread ends by that.
        let _ = self.stream.shutdown(std::net::Shutdown::Both);
    }
}
