use std::time::Duration;

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

use super::{Due, Fate, Record, Shape, Turn, window};

const MS: f64 = 1e6;
const SLICE: Duration = Duration::from_millis(100);

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// A worker with so many successes in slices of 100 ms, busy all the time.
fn record(slices: &[(u64, u64)], fate: Fate) -> Record {
    let mut record = Record { fate, ..Record::default() };
    slices.iter().for_each(|&(number, count)| record.add(number, count, 0, 100.0 * MS));
    record
}

fn done(slices: &[(u64, u64)], ended: u64) -> Record {
    record(slices, Fate::Done { operations: slices.iter().map(|slice| slice.1).sum(), ended: ms(ended) })
}

fn shape(length: Option<Duration>) -> Shape {
    Shape { slice: SLICE, settling: Duration::ZERO, length, open: false, settled: false }
}

fn near(found: f64, expected: f64, part: f64) {
    assert!((found / expected - 1.0).abs() < part, "{found} for {expected}");
}

/// One worker does 1,000 operations in 200 ms, the other needs a second for them: together they do 6,000 a second while both work. The
/// sum divided by the longest would be 2,000 a second.
#[test]
fn throughput_is_that_of_the_time_in_which_all_work() {
    let quick = done(&[(0, 500), (1, 500)], 200);
    let slow = done(&(0..10).map(|number| (number, 100)).collect::<Vec<_>>(), 1000);
    let found = window(&[quick, slow], &shape(None));
    assert_eq!(found.length, ms(200));
    near(found.succeeded(), 1200.0, 1e-3);
}

#[test]
fn a_slice_that_the_end_cuts_counts_in_proportion() {
    let first = done(&[(0, 100), (1, 50)], 150);
    let other = done(&[(0, 100), (1, 100), (2, 80)], 280);
    let found = window(&[first, other], &shape(None));
    assert_eq!(found.length, ms(150));
    near(found.succeeded(), 300.0, 1e-3);
}

/// Operations that outlast slices: when each ended is the sum of the latencies before.
#[test]
fn long_operations_are_cut_where_one_of_them_ends() {
    let first = done(&[(1, 1), (2, 1)], 270);
    let mut other = Record { fate: Fate::Done { operations: 5, ended: ms(875) }, ..Record::default() };
    // 175 ms each: the second is under way when the first worker is done, and ends at 350 ms.
    [1, 3, 5, 7, 8].iter().for_each(|&number| other.add(number, 1, 0, 174.9 * MS));
    let found = window(&[first, other], &shape(None));
    near(found.turns[1].succeeded, 2.0, 1e-9);
    near(found.turns[1].seconds, 0.350, 1e-6);
    near(found.succeeded(), 0.27 * (2.0 / 0.27 + 1.0 / 0.175), 1e-6);
}

/// What fails has no latency: what the others leave of the time is theirs.
#[test]
fn time_that_latencies_leave_is_that_of_failures() {
    let first = done(&[(0, 1)], 50);
    let mut other = Record { fate: Fate::Done { operations: 3, ended: ms(240) }, ..Record::default() };
    other.add(0, 0, 1, 0.0);
    other.add(1, 1, 0, 80.0 * MS);
    other.add(2, 1, 0, 80.0 * MS);
    let found = window(&[first, other], &shape(None));
    // A failure of 80 ms until 80 ms: nothing has succeeded by then.
    assert_eq!(found.turns[1].succeeded, 0.0);
    near(found.turns[1].seconds, 0.080, 1e-6);
}

#[test]
fn what_ended_while_settling_does_not_count_where_operations_are_short() {
    let one = done(&[(0, 700), (1, 1000), (2, 1000), (3, 1)], 301);
    let settled = Shape { settling: SLICE, settled: true, ..shape(Some(ms(300))) };
    let found = window(&[one], &settled);
    assert_eq!(found.length, ms(200));
    near(found.succeeded(), 2000.0 * 200.0 / 201.0, 1e-3);
}

#[test]
fn the_dead_count_until_they_died_and_set_no_end() {
    let dead = record(&[(0, 100)], Fate::Fell);
    let alive = done(&[(0, 100), (1, 100), (2, 100)], 300);
    let found = window(&[dead.clone(), alive, Record::default()], &shape(None));
    assert_eq!(found.length, ms(300));
    near(found.succeeded(), 400.0, 1e-6);
    assert_eq!(window(&[dead], &shape(None)).length, Duration::ZERO);
}

#[test]
fn a_run_that_is_stopped_ends_with_the_last_slice_that_all_have_told_of() {
    let one = record(&[(0, 100), (1, 100), (2, 100)], Fate::Working);
    let other = record(&[(0, 100), (1, 100)], Fate::Working);
    let found = window(&[one.clone(), other], &shape(Some(ms(60_000))));
    assert_eq!(found.length, ms(200));
    near(found.succeeded(), 400.0, 1e-6);
    // A slice of which so much has come may go on.
    let full = record(&[(0, 4096)], Fate::Working);
    assert_eq!(window(&[one, full], &shape(Some(ms(60_000)))).length, Duration::ZERO);
}

#[test]
fn a_worker_that_failed_sets_no_end_unless_all_did() {
    let mut failed = Record { fate: Fate::Done { operations: 1000, ended: ms(24) }, ..Record::default() };
    failed.add(0, 1, 999, MS);
    let other = done(&[(0, 500), (1, 500)], 200);
    let found = window(&[failed.clone(), other], &shape(None));
    assert_eq!(found.length, ms(200));
    // Its one success counts once, not at the rate of 24 ms.
    near(found.succeeded(), 1001.0, 1e-6);
    assert!(!failed.is_fruitless());
    assert_eq!(window(&[failed], &shape(None)).length, ms(24));
}

#[test]
fn an_open_loop_that_is_behind_counts_as_a_closed_one() {
    let due = |first, next| Some(Due { first: ms(first), next: ms(next) });
    let open = |length| Shape { open: true, ..shape(length) };
    let kept = Record { due: due(0, 1000), ..done(&[(0, 1), (5, 1)], 510) };
    let behind = Record { due: due(250, 750), ..done(&[(4, 1), (9, 1), (12, 1)], 1200) };
    let found = window(&[kept, behind], &open(Some(ms(1000))));
    // From when its first was due.
    near(found.succeeded(), 2.0 + 3.0 / (1.2 - 0.25), 1e-9);
}

/// Closed loops of operations by lot, until the one that is under way at the end has ended. Counting what ends in the window, or each with the part of it
/// that lies in the window, is wrong here by tens of percents.
#[test]
fn the_throughput_of_any_mix_is_one_by_the_mean_latency() {
    let mut rng = Pcg64::seed_from_u64(11);
    let mut draw = |kind: usize| {
        let lot: f64 = rng.random();
        match kind {
            0 => {
                if lot < 0.9 {
                    10.0 * MS
                } else {
                    1000.0 * MS
                }
            }
            1 => -(1.0 - lot).ln() * 100.0 * MS,
            _ => {
                if lot < 0.9 {
                    MS
                } else {
                    30.0 * MS
                }
            }
        }
    };
    for (kind, mean) in [109.0, 100.0, 3.9].into_iter().enumerate() {
        for length in [ms(250), ms(10_000)] {
            let mut all = Turn::default();
            while all.succeeded < 1e6 {
                let (mut now, mut record) = (0.0, Record::default());
                let mut operations = 0;
                while now < length.as_nanos() as f64 {
                    let latency = draw(kind);
                    now += latency;
                    operations += 1;
                    record.add((now / 1e9) as u64, 1, 0, latency);
                }
                record.fate = Fate::Done { operations, ended: Duration::from_nanos(now as u64) };
                let found = window(&[record], &Shape { slice: ms(1000), ..shape(Some(length)) });
                all.add(found.turns[0]);
            }
            near(all.rate(), 1000.0 / mean, 0.01);
        }
    }
}
