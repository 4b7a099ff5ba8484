//! How far a load is, told each second.

use std::time::{Duration, Instant};

use tare_load::histogram::Latencies;
use tare_load::series::Series;

use crate::event::Event;
use crate::session::Session;

const EVERY: Duration = Duration::from_secs(1);

/// How far the load is.
pub(crate) struct LoadProgress<'a> {
    session: &'a Session<'a>,
    told: Instant,
    blocks: usize,
    what: &'static str,
}

impl<'a> LoadProgress<'a> {
    /// `what`: of what there are so many a second.
    pub(crate) fn new(blocks: usize, what: &'static str, session: &'a Session<'a>) -> Self {
        Self { session, told: Instant::now(), blocks, what }
    }

    /// Tells, if it is time to.
    pub(crate) fn show(&mut self, block: usize, elapsed: Duration, series: &[&Series]) {
        if self.told.elapsed() < EVERY {
            return;
        }
        self.told = Instant::now();
        let succeeded: u64 = series.iter().map(|series| series.total.succeeded()).sum();
        let failed: u64 = series.iter().map(|series| series.total.failures.total()).sum();
        if succeeded + failed == 0 {
            return;
        }
        let mut latencies = Latencies::new();
        series.iter().for_each(|series| latencies.merge(&series.total.latencies));
        self.session.emit(&Event::Loading {
            elapsed_s: elapsed.as_secs(),
            rate: series.iter().map(|series| newest(series) as f64).sum::<f64>() / series.len() as f64,
            what: self.what.to_owned(),
            failed,
            p99_ns: latencies.percentile(99.0),
            block: block + 1,
            blocks: self.blocks,
        });
    }

    /// All is done: the report follows.
    pub(crate) fn clear(&self) {
        self.session.emit(&Event::Loaded);
    }
}

/// Successes of the newest second of a target's time under load that all threads and workers have told of.
fn newest(series: &Series) -> u64 {
    let mut newest = series.seconds.values().rev();
    let last = newest.next();
    newest.next().or(last).map_or(0, |second| second.latencies.count())
}

#[cfg(test)]
mod tests {
    use tare_load::interval::Interval;
    use tare_load::series::Series;

    use super::newest;

    #[test]
    fn the_second_under_way_says_nothing_of_the_rate() {
        let mut series = Series::default();
        assert_eq!(newest(&series), 0);
        for (second, count) in [(0, 5), (1, 7), (2, 1)] {
            let mut interval = Interval { second, ..Interval::default() };
            (0..count).for_each(|_| interval.latencies.record(10));
            series.add(&interval);
            assert_eq!(newest(&series), [5, 5, 7][second as usize]);
        }
    }
}
