//! What workers are told to do in a block, and when they begin.

use std::time::Duration;

use tare_frames::Work;

use super::mix::{Gaps, pattern};
use super::plan::TeamPlan;
use super::window::Due;
use crate::plan::Block;
use crate::schedule::Pace;

/// Slices of work that has a number and no end: short, since the end of the first worker cuts one.
const SHORT_SLICE: Duration = Duration::from_millis(100);
/// Slices of work that has an end: as a report shows them.
const LONG_SLICE: Duration = Duration::from_secs(1);
const SHORTEST_SLICE: Duration = Duration::from_millis(1);
/// From the order to the start. All workers read their orders at the same time, on the CPUs that there are: 64 in Python with 2,000 entries each took 65 ms on two
/// CPUs that were idle and 200 ms on two that weren't. What comes too late counts as latency.
const LEAD: Duration = Duration::from_millis(5);
const LEAD_OF_A_WORKER: Duration = Duration::from_millis(1);
const LEAD_OF_AN_ENTRY: Duration = Duration::from_micros(4);

/// How long before the start so many workers get their orders.
pub(super) fn lead(works: &[Work], workers: u32, cpus: u32) -> Duration {
    let entries = works.iter().map(|work| work.pattern.len() + work.gaps.len()).max().unwrap_or(0);
    LEAD + (LEAD_OF_A_WORKER + LEAD_OF_AN_ENTRY * entries as u32) * workers / cpus.max(1)
}

/// What one worker is to do in the block with this number; its start isn't set.
pub(super) fn work(plan: &TeamPlan, number: usize, worker: u32, slice: Duration) -> Work {
    let block = &plan.blocks[number];
    let target = &plan.targets[block.target];
    let weights: Vec<(u64, u64)> = target.operations.iter().map(|one| (one.number, one.weight)).collect();
    let seed = plan.seed.wrapping_add(number as u64);
    let shift = ramped(plan, block, worker);
    let nanoseconds = |duration: Duration| duration.as_nanos() as u64;
    let mut work = Work {
        pattern: pattern(&weights, seed, u64::from(worker)),
        count: block.operations.unwrap_or(0),
        duration: block.length.map_or(0, |length| nanoseconds(length.saturating_sub(shift)).max(1)),
        slice: nanoseconds(slice),
        ..Work::default()
    };
    if let Pace::Open { rate, arrivals } = plan.pace {
        let seconds = block.length.map_or(f64::INFINITY, |length| length.as_secs_f64());
        let expected = (1.2 * seconds * rate / f64::from(plan.workers)) as u64;
        let operations = expected.min(block.operations.unwrap_or(u64::MAX));
        let gaps = Gaps::new(arrivals, rate, (worker, plan.workers), seed, operations);
        (work.first, work.gaps) = (gaps.first, gaps.gaps);
    }
    work
}

/// When a worker begins: one after the other only where the load begins, not in blocks that are measured, nor where workers were launched anew.
pub(super) fn ramped(plan: &TeamPlan, block: &Block, worker: u32) -> Duration {
    let at_once = block.measured || block.renewed;
    if at_once { Duration::ZERO } else { plan.ramp * worker / plan.workers.max(1) }
}

/// How long the slices of a block are.
pub(super) fn slice_of(block: &Block) -> Duration {
    let slice = match block.length {
        // The settling is a whole number of slices.
        Some(_) if !block.settling.is_zero() => block.settling,
        // The seconds of a report are whole ones; the end cuts the last.
        Some(_) => LONG_SLICE,
        None => SHORT_SLICE,
    };
    slice.max(SHORTEST_SLICE)
}

/// When operations of an open loop were due of which so many began; `None` for a closed one.
pub(super) fn due(work: &Work, begun: u64) -> Option<Due> {
    let length = work.gaps.len() as u64;
    let round: u128 = work.gaps.iter().map(|gap| u128::from(*gap)).sum();
    let rest: u128 = work.gaps.iter().take(begun.checked_rem(length)? as usize).map(|gap| u128::from(*gap)).sum();
    let since = round * u128::from(begun / length) + rest;
    let first = Duration::from_nanos(work.first);
    Some(Due { first, next: first + Duration::from_nanos(u64::try_from(since).unwrap_or(u64::MAX)) })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tare_frames::Work;

    use super::{due, lead, slice_of};
    use crate::plan::Block;

    fn block(length: Option<Duration>, settling: Duration) -> Block {
        Block { target: 0, round: 0, length, operations: Some(1), settling, measured: true, renewed: false }
    }

    #[test]
    fn slices_are_seconds_however_long_the_load_lasts() {
        let ms = Duration::from_millis;
        for length in [ms(300), ms(4500), ms(10_000), ms(60_100)] {
            assert_eq!(slice_of(&block(Some(length), Duration::ZERO)), ms(1000));
        }
        assert_eq!(slice_of(&block(Some(ms(275)), ms(25))), ms(25));
        assert_eq!(slice_of(&block(None, Duration::ZERO)), ms(100));
    }

    /// 64 workers that share two CPUs need 200 ms to read what four need 16 ms for.
    #[test]
    fn the_more_all_workers_have_to_read_the_sooner_they_get_it() {
        let work = Work { pattern: vec![0; 1000], gaps: vec![1; 1000], ..Work::default() };
        let of = |workers: u32, cpus| lead(&vec![work.clone(); workers as usize], workers, cpus);
        assert!(of(64, 2) > Duration::from_millis(204), "{:?}", of(64, 2));
        assert!(of(64, 64) < Duration::from_millis(20) && of(4, 2) < Duration::from_millis(25));
        assert!(lead(&[Work { pattern: vec![0], ..Work::default() }], 4, 2) < Duration::from_millis(8));
    }

    #[test]
    fn what_is_due_next_follows_the_gaps_over_again() {
        let work = Work { first: 5, gaps: vec![1, 10, 100], ..Work::default() };
        let next = |begun| due(&work, begun).unwrap().next.as_nanos();
        assert_eq!([0, 1, 2, 3, 7].map(next), [5, 6, 16, 116, 228]);
        assert!(due(&Work::default(), 7).is_none());
    }
}
