//! A worker's clock beside ours.

use std::time::{Duration, Instant};

use tare_samples::Failure;
use tare_worker::Conversation;

/// Asked so often: the quickest answer tells best.
const STAMPS: usize = 8;

/// What is known of a worker's clock. Runtimes read different ones (PHP since 8.3 one that the system's daemon doesn't slew), from moments of their own.
#[derive(Debug, Clone, Copy)]
pub(super) struct WorkerClock {
    /// Ours when the worker's said `at`.
    here: Instant,
    at: u64,
}

impl WorkerClock {
    /// Asks the worker. The error is at most half of the quickest round trip, some ten microseconds.
    pub(super) fn of(conversation: &mut Conversation, deadline: Duration) -> Result<Self, Failure> {
        let mut best: Option<(Duration, Self)> = None;
        for _ in 0..STAMPS {
            let before = Instant::now();
            let at = conversation.stamp(deadline)?;
            let trip = before.elapsed();
            if best.is_none_or(|(quickest, _)| trip < quickest) {
                best = Some((trip, Self { here: before + trip / 2, at }));
            }
        }
        Ok(best.map_or_else(|| Self { here: Instant::now(), at: 0 }, |(_, clock)| clock))
    }

    /// What the worker's clock says at a moment of ours; not before its beginning.
    pub(super) fn at(&self, moment: Instant) -> u64 {
        match moment.checked_duration_since(self.here) {
            Some(later) => self.at + later.as_nanos() as u64,
            None => self.at.saturating_sub((self.here - moment).as_nanos() as u64),
        }
    }
}
