//! How many operations ended while all workers were at work.

use std::time::Duration;

/// One worker's successes in a block, by slice, and when its last operation ended; `None` for one that didn't live to say.
#[derive(Debug, Clone, Default)]
pub(super) struct Record {
    pub(super) slices: Vec<(u64, u64)>,
    pub(super) ended: Option<Duration>,
}

/// The common window of a block and how many operations succeeded within it.
///
/// It begins with the block (or the end of its settling) and ends at its end (`length`), where it has one; otherwise when the first of those
/// workers that lived has done its share: from there on the others have the machine to themselves, and their operations would flatter the throughput
/// of all. Slices that the end cuts count in proportion.
pub(super) fn window(
    records: &[Record],
    slice: Duration,
    settling: Duration,
    length: Option<Duration>,
) -> (u64, Duration) {
    let done = records.iter().filter_map(|record| record.ended);
    let Some(end) = length.or_else(|| done.min()) else { return (0, Duration::ZERO) };
    let (slice, settling_ns, end_ns) = (slice.as_nanos() as f64, settling.as_nanos() as f64, end.as_nanos() as f64);
    let mut succeeded = 0.0;
    for record in records {
        for &(number, count) in &record.slices {
            let begins = number as f64 * slice;
            // Where the work was over before the slice was, so were its operations.
            let over = record.ended.map_or(f64::INFINITY, |ended| ended.as_nanos() as f64);
            let ends = (begins + slice).min(over.max(begins + 1.0));
            let inside = (ends.min(end_ns) - begins.max(settling_ns)) / (ends - begins);
            succeeded += count as f64 * inside.clamp(0.0, 1.0);
        }
    }
    (succeeded.round() as u64, end.saturating_sub(settling))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Record, window};

    fn record(slices: &[(u64, u64)], ended_ms: Option<u64>) -> Record {
        Record { slices: slices.to_vec(), ended: ended_ms.map(Duration::from_millis) }
    }

    const SLICE: Duration = Duration::from_millis(100);

    /// One worker does 1,000 operations in 200 ms, the other needs a second for them: together they do 6,000 a second while both work. The
    /// sum divided by the longest would be 2,000 a second.
    #[test]
    fn throughput_is_that_of_the_time_in_which_all_work() {
        let quick = record(&[(0, 500), (1, 500)], Some(200));
        let slow = record(&(0..10).map(|number| (number, 100)).collect::<Vec<_>>(), Some(1000));
        assert_eq!(window(&[quick, slow], SLICE, Duration::ZERO, None), (1200, Duration::from_millis(200)));
    }

    #[test]
    fn a_slice_that_the_end_cuts_counts_in_proportion() {
        let first = record(&[(0, 100), (1, 50)], Some(150));
        let other = record(&[(0, 100), (1, 100), (2, 80)], Some(280));
        assert_eq!(window(&[first, other], SLICE, Duration::ZERO, None), (300, Duration::from_millis(150)));
    }

    #[test]
    fn what_ended_while_settling_or_after_the_end_does_not_count() {
        let one = record(&[(0, 7), (1, 10), (2, 10), (3, 1)], Some(310));
        let settled = window(&[one], SLICE, SLICE, Some(Duration::from_millis(300)));
        assert_eq!(settled, (20, Duration::from_millis(200)));
    }

    #[test]
    fn the_dead_count_until_they_died_and_set_no_end() {
        let dead = record(&[(0, 100)], None);
        let alive = record(&[(0, 100), (1, 100), (2, 100)], Some(300));
        assert_eq!(window(&[dead.clone(), alive], SLICE, Duration::ZERO, None), (400, Duration::from_millis(300)));
        assert_eq!(window(&[dead], SLICE, Duration::ZERO, None), (0, Duration::ZERO));
    }
}
