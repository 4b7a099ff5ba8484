//! Progress of load on standard error: a line that is drawn anew each second on a terminal, a line now and then elsewhere.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use tare_load::histogram::Latencies;
use tare_load::series::Series;

const REDRAW: Duration = Duration::from_secs(1);
const LINE: Duration = Duration::from_secs(10);

/// How far the load is.
pub(crate) struct LoadProgress {
    bar: Option<ProgressBar>,
    every: Duration,
    shown: Instant,
    blocks: usize,
    what: &'static str,
}

impl LoadProgress {
    /// `what`: of what there are so many a second.
    pub(crate) fn new(blocks: usize, what: &'static str) -> Self {
        let bar = io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(2));
            if let Ok(style) = ProgressStyle::with_template("{msg}") {
                bar.set_style(style);
            }
            bar
        });
        let every = if bar.is_some() { REDRAW } else { LINE };
        Self { bar, every, shown: Instant::now(), blocks, what }
    }

    /// Tells, if it is time to.
    pub(crate) fn show(&mut self, block: usize, elapsed: Duration, series: &[&Series]) {
        if self.shown.elapsed() < self.every {
            return;
        }
        self.shown = Instant::now();
        let succeeded: u64 = series.iter().map(|series| series.total.succeeded()).sum();
        let failed: u64 = series.iter().map(|series| series.total.failures.total()).sum();
        let mut latencies = Latencies::new();
        series.iter().for_each(|series| latencies.merge(&series.total.latencies));
        if succeeded + failed == 0 {
            return;
        }
        let rate = series.iter().map(|series| newest(series) as f64).sum::<f64>() / series.len() as f64;
        let p99 = latencies.percentile(99.0).map_or("–".to_owned(), |value| format!("{:.2} ms", value as f64 / 1e6));
        let block = if self.blocks > 2 { format!(" · block {}/{}", block + 1, self.blocks) } else { String::new() };
        let text =
            format!("{} s · {rate:.0} {}/s · {failed} failed · p99 {p99} so far{block}", elapsed.as_secs(), self.what);
        match &self.bar {
            Some(bar) => bar.set_message(text),
            None => {
                let _ = writeln!(io::stderr(), "{text}");
            }
        }
    }

    /// All is done: the line goes, the report follows.
    pub(crate) fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
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
