//! Throughputs of workers of which it is known.

use std::time::Duration;

use super::{SECOND, SERVICE, Suite, done, plan};
use crate::plan::Block;
use crate::schedule::{Arrivals, Pace};
use crate::workers::{Outcome, TeamPlan};

const MS: u64 = SECOND / 1000;

/// Blocks of 250 ms after settling of 25 ms, as runtimes that are compared have them.
fn turns(plan: TeamPlan, count: u32) -> TeamPlan {
    let settling = Duration::from_millis(25);
    let length = Some(Duration::from_millis(275));
    let block = |round| Block { round, length, settling, operations: None, ..plan.blocks[0] };
    TeamPlan { blocks: (0..count).map(block).collect(), ..plan }
}

fn even(service: u64) -> Suite {
    Suite { service, even: true, ..Suite::default() }
}

fn throughput(outcome: &Outcome) -> f64 {
    outcome.targets[0].throughput().unwrap()
}

#[track_caller]
fn near(found: f64, expected: f64, part: f64) {
    assert!((found / expected - 1.0).abs() < part, "{found} for {expected}");
}

/// In 250 ms workers that begin together all end two operations of 115 ms, of 128 ms as well, and none of 300 ms.
#[test]
fn operations_that_last_as_long_as_a_block_have_their_throughput() {
    for latency in [MS / 10, 115 * MS, 128 * MS, 300 * MS, SECOND] {
        let expected = 4.0 * 1e9 / latency as f64;
        let whole = done(&plan(4, Pace::Closed, Some(Duration::from_secs(10)), None), &[even(latency)]);
        near(throughput(&whole), expected, 1e-6);
        let parts = done(&turns(plan(4, Pace::Closed, Some(Duration::from_secs(10)), None), 4), &[even(latency)]);
        near(throughput(&parts), expected, 1e-6);
        for block in whole.blocks.iter().chain(&parts.blocks) {
            near(block.throughput(), expected, 1e-6);
        }
        assert_eq!(parts.blocks[0].window, Duration::from_millis(250));
        assert_eq!(parts.whole, [true; 4]);
    }
}

#[test]
fn short_and_long_operations_are_counted_in_their_parts() {
    // Nine of 115 ms to one of 300 ms.
    let suite = Suite { put: 300 * MS, ..even(115 * MS) };
    let expected = 4.0 / (0.9 * 0.115 + 0.1 * 0.3);
    near(throughput(&done(&plan(4, Pace::Closed, Some(Duration::from_secs(1000)), None), &[suite])), expected, 0.01);
    let parts = done(&turns(plan(4, Pace::Closed, None, None), 1000), &[suite]);
    near(throughput(&parts), expected, 0.01);
}

/// Workers that aren't alike: each counts at its own rate, and none for the time of another.
#[test]
fn the_slow_take_nothing_from_the_quick() {
    let outcome =
        done(&turns(plan(3, Pace::Closed, None, None), 3), &[Suite { service: 100 * MS, ..Suite::default() }]);
    near(throughput(&outcome), 10.0 + 5.0 + 10.0 / 3.0, 1e-6);
    // 10 operations each: the first is done after a second, the others go on for two more.
    let fixed = done(&plan(3, Pace::Closed, None, Some(10)), &[Suite { service: 100 * MS, ..Suite::default() }]);
    assert_eq!(fixed.blocks[0].window, Duration::from_secs(1));
    near(fixed.blocks[0].in_window, 10.0 + 5.0 + 10.0 / 3.0, 1e-6);
}

#[test]
fn a_beginning_that_is_slow_is_left_out_where_operations_are_short() {
    // 20 ms in which nothing ends, then 10,000 a second of each.
    let suite = Suite { stall: (0, 20 * MS), ..even(MS / 10) };
    let warm_up = |plan: TeamPlan| {
        let warm = Block { measured: false, settling: Duration::ZERO, ..plan.blocks[0] };
        TeamPlan { blocks: std::iter::once(warm).chain(plan.blocks).collect(), ..plan }
    };
    let outcome = done(&warm_up(turns(plan(4, Pace::Closed, None, None), 3)), &[suite]);
    near(throughput(&outcome), 40_000.0, 0.001);
    // Of which nothing is known beforehand: all that there is.
    let cold = done(&turns(plan(4, Pace::Closed, None, None), 3), &[suite]);
    near(throughput(&cold), 40_000.0 * 255.0 / 275.0, 0.001);
}

#[test]
fn a_rate_that_is_kept_is_the_throughput_however_few_are_due_in_a_block() {
    for (rate, workers) in [(10.0, 64), (10.0, 4), (1000.0, 4)] {
        let pace = Pace::Open { rate, arrivals: Arrivals::Constant };
        let outcome = done(&turns(plan(workers, pace, None, None), 3), &[even(MS)]);
        outcome.blocks.iter().for_each(|block| near(block.throughput(), rate, 1e-6));
    }
    // Two workers can do 20 a second of 100 ms each, whatever is asked for.
    let pace = Pace::Open { rate: 100.0, arrivals: Arrivals::Constant };
    let outcome = done(&plan(2, pace, Some(Duration::from_secs(10)), None), &[even(100 * MS)]);
    near(outcome.blocks[0].throughput(), 20.0, 1e-6);
}

#[test]
fn a_duration_of_no_whole_seconds_has_whole_seconds_in_its_series() {
    let outcome = done(&plan(4, Pace::Closed, Some(Duration::from_millis(4500)), None), &[even(MS)]);
    let seconds = outcome.targets[0].series.succeeded_by_second(5);
    assert_eq!(seconds[1..], [4000, 4000, 4000, 2004]);
    assert_eq!(outcome.blocks[0].window, Duration::from_millis(4500));
}

#[test]
fn a_load_that_is_stopped_has_the_throughput_until_then() {
    for service in [MS, 300 * MS] {
        let suite = Suite { stopped: Some(4 * SECOND + 1), ..even(service) };
        let outcome = done(&plan(4, Pace::Closed, Some(Duration::from_secs(60)), None), &[suite]);
        assert!(outcome.interrupted && outcome.targets[0].fallen.is_empty());
        let block = &outcome.blocks[0];
        assert!((Duration::from_secs(3)..=Duration::from_secs(4)).contains(&block.window), "{:?}", block.window);
        near(block.throughput(), 4.0 * 1e9 / service as f64, 0.001);
        assert_eq!(outcome.whole, [false]);
    }
    let open = Pace::Open { rate: 100.0, arrivals: Arrivals::Constant };
    let suite = Suite { stopped: Some(4 * SECOND + 1), ..even(MS) };
    let outcome = done(&plan(4, open, Some(Duration::from_secs(60)), None), &[suite]);
    near(outcome.blocks[0].throughput(), 100.0, 0.01);
}

/// A worker whose operations fail at once has done its number of them when the others have hardly begun.
#[test]
fn a_worker_without_success_ends_no_window_and_its_block_is_not_compared() {
    let suite = Suite { failing: Some(2), ..even(SERVICE) };
    let outcome = done(&plan(4, Pace::Closed, None, Some(1000)), &[suite]);
    let block = &outcome.blocks[0];
    assert_eq!(block.window, Duration::from_millis(100));
    near(block.throughput(), 3.0 * 1e9 / SERVICE as f64, 1e-6);
    assert_eq!(outcome.whole, [false]);
    assert_eq!(outcome.targets[0].fruitless.iter().collect::<Vec<_>>(), [(&2, &1)]);
}
