//! What generators measured, put together as if one had.

use crate::plan::{BlockResult, Outcome};

/// Adds what another generator gave of the same plan: counts and histograms of a block, and of a second, are added; windows lie over each other.
pub(super) fn merge(whole: &mut Outcome, part: Outcome) {
    whole.series.resize_with(part.series.len().max(whole.series.len()), Default::default);
    whole.unprepared.resize(whole.series.len(), None);
    for (own, series) in whole.series.iter_mut().zip(&part.series) {
        own.append(series, 0);
    }
    for (own, failure) in whole.unprepared.iter_mut().zip(part.unprepared) {
        *own = own.take().or(failure);
    }
    for result in part.blocks {
        let same = |known: &&mut BlockResult| {
            (known.block.round, known.block.target) == (result.block.round, result.block.target)
        };
        match whole.blocks.iter_mut().find(same) {
            Some(known) => {
                known.total.add(&result.total);
                known.in_window += result.in_window;
                // All began at once. Of blocks without a common end the longest says how long all of it took.
                known.window = known.window.max(result.window);
            }
            None => whole.blocks.push(result),
        }
    }
    whole.interrupted |= part.interrupted;
    whole.effort.add(part.effort);
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::merge;
    use crate::interval::Interval;
    use crate::plan::{Block, BlockResult, Outcome};
    use crate::series::{Series, Stretch};

    fn outcome(latencies: &[u64], second: u32, window: Duration) -> Outcome {
        let mut interval = Interval { second, dropped: 2, ..Interval::default() };
        latencies.iter().for_each(|latency| interval.latencies.record(*latency));
        let (mut series, mut total) = (Series::default(), Stretch::default());
        series.add(&interval);
        total.merge(&interval);
        let block = Block {
            target: 0,
            round: 3,
            length: None,
            operations: None,
            settling: Duration::ZERO,
            measured: true,
            renewed: false,
        };
        let in_window = latencies.len() as f64;
        Outcome {
            blocks: vec![BlockResult { block, total, in_window, window }],
            series: vec![series],
            ..Outcome::default()
        }
    }

    #[test]
    fn percentiles_are_of_all_latencies_and_windows_lie_over_each_other() {
        let mut whole = Outcome::default();
        merge(&mut whole, outcome(&[10; 99], 0, Duration::from_secs(2)));
        merge(&mut whole, outcome(&[5_000], 0, Duration::from_secs(2)));
        merge(&mut whole, outcome(&[10; 100], 1, Duration::from_secs(1)));
        let [result] = whole.blocks.as_slice() else { panic!("{:?}", whole.blocks) };
        assert_eq!((result.in_window, result.window, result.throughput()), (200.0, Duration::from_secs(2), 100.0));
        assert_eq!(result.total.latencies.percentile(99.5), Some(10));
        assert_eq!(whole.series[0].total.latencies.percentile(99.5), Some(10));
        assert!(whole.series[0].total.latencies.percentile(99.6).unwrap() >= 5_000);
        assert_eq!((whole.series[0].total.dropped, whole.series[0].succeeded_by_second(2)), (6, vec![100, 100]));
    }
}
