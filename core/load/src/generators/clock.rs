//! Clocks of several machines: by how much one is off, and how surely that is known.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use tokio::time::Instant;

/// What the clocks of a machine say. Blocks begin by the monotonic one, which nobody sets; the other is only told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reading {
    /// Nanoseconds since anything, mostly since the machine was started.
    pub monotonic: i64,
    /// Nanoseconds since 1970.
    pub system: i64,
}

/// The clocks of this machine.
#[derive(Debug, Clone, Copy, Default)]
pub struct Clock {
    /// Nanoseconds that both are ahead by, for tests of clocks that are apart.
    ahead: i64,
}

impl Clock {
    /// Clocks that are ahead of this machine's.
    #[cfg(test)]
    pub(crate) fn ahead(by: i64) -> Self {
        Self { ahead: by }
    }

    /// What they say now.
    pub fn read(self) -> Reading {
        // In this order: who asks counts its round trip from before it looked at the time of day, so that lies within, too.
        let monotonic = monotonic();
        let system = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Reading {
            monotonic: monotonic.wrapping_add(self.ahead),
            system: i64::try_from(system.as_nanos()).unwrap_or(i64::MAX).wrapping_add(self.ahead),
        }
    }

    /// The instant in which the monotonic clock says so much; now, if it has said so before.
    pub(crate) fn instant(self, monotonic: i64) -> Instant {
        let (read, now) = (self.read().monotonic, Instant::now());
        now + Duration::from_nanos(u64::try_from(monotonic.saturating_sub(read)).unwrap_or(0))
    }
}

/// As [`Instant`] counts, of which the standard library shows no number.
fn monotonic() -> i64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    time.tv_sec.wrapping_mul(1_000_000_000).wrapping_add(time.tv_nsec as i64)
}

/// A question and its answer: what another machine's clocks said between two moments here.
#[derive(Debug, Clone, Copy)]
pub struct Exchange {
    /// When it was asked, by the clocks here.
    pub sent: Reading,
    /// When the answer was here, by the monotonic clock.
    pub received: i64,
    /// What was answered.
    pub theirs: Reading,
}

/// By how much another machine's clocks are ahead of those here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Offset {
    /// Nanoseconds, of the monotonic clock.
    pub monotonic: i64,
    /// Nanoseconds, of the time of day.
    pub system: i64,
    /// Both are within so many nanoseconds of the truth: the answer was made at some moment of the round trip.
    pub within: i64,
}

impl Offset {
    /// Of the exchange with the shortest round trip: half of it is the most by which its middle can be wrong, however unlike the ways there and back are
    /// (F. Cristian, "Probabilistic clock synchronization", Distributed Computing 3, 1989). `None` where nothing was exchanged.
    pub fn of(exchanges: &[Exchange]) -> Option<Self> {
        let round = |exchange: &Exchange| exchange.received.saturating_sub(exchange.sent.monotonic).max(0);
        let best = exchanges.iter().min_by_key(|exchange| round(exchange))?;
        // Rounded up.
        let half = (round(best) + 1) / 2;
        Some(Self {
            monotonic: best.theirs.monotonic.saturating_sub(best.sent.monotonic.saturating_add(half)),
            system: best.theirs.system.saturating_sub(best.sent.system.saturating_add(half)),
            within: half,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Clock, Exchange, Offset, Reading};

    /// An exchange with a clock that is `ahead`, by ways that take so long.
    fn exchange(ahead: i64, at: i64, there: i64, back: i64) -> Exchange {
        let of = |at: i64| Reading { monotonic: at, system: at + 1_000_000 };
        Exchange { sent: of(at), received: at + there + back, theirs: of(at + there + ahead) }
    }

    #[test]
    fn the_truth_lies_within_the_bound_however_unlike_the_ways_are() {
        for ahead in [0, -7_200_000_000_000, 86_400_000_000_000] {
            for (there, back) in [(10, 10), (0, 40_001), (90_000, 1)] {
                let found = Offset::of(&[exchange(ahead, 5_000, there, back)]).unwrap();
                assert!((found.monotonic - ahead).abs() <= found.within, "{found:?}");
                assert!((found.system - ahead).abs() <= found.within, "{found:?}");
                assert!(found.within <= (there + back + 1) / 2);
            }
        }
    }

    #[test]
    fn the_shortest_round_trip_counts() {
        let all = [exchange(50, 0, 900, 100), exchange(50, 2_000, 12, 10), exchange(50, 4_000, 1, 5_000)];
        assert_eq!(Offset::of(&all).unwrap(), Offset { monotonic: 51, system: 51, within: 11 });
        assert_eq!(Offset::of(&[]), None);
    }

    #[test]
    fn an_instant_is_found_by_a_clock_that_is_ahead() {
        let clock = Clock::ahead(3_600_000_000_000);
        let before = tokio::time::Instant::now();
        let at = clock.instant(clock.read().monotonic + 60_000_000_000);
        let after = tokio::time::Instant::now();
        let minute = std::time::Duration::from_secs(60);
        assert!(at >= before + minute && at <= after + minute);
        assert!(clock.instant(0) <= tokio::time::Instant::now(), "what is past is now");
    }
}
