use std::time::Duration;

use super::{
    Deadline, KnownBefore, Outlook, TimeLeft, WaitingGroup, Widths, left_ns, may_begin, pairs_needed, postponed,
};

fn deadline(total_ns: u64) -> Deadline {
    Deadline::new(Duration::from_nanos(total_ns), 0)
}

#[test]
fn an_interval_twice_as_wide_needs_four_times_the_pairs() {
    let needed = |decided: f64| pairs_needed(10, Widths { decided, sharp: 5.0 }) + 10.0;
    assert!((needed(2.8) / needed(1.4) - 4.0).abs() < 1e-9, "{} {}", needed(2.8), needed(1.4));
    assert_eq!(pairs_needed(10, Widths { decided: 0.1, sharp: 0.1 }), 1.0, "one more shows it");
    assert!((pairs_needed(10, Widths { decided: 0.7, sharp: 1.4 }) - 30.0).abs() < 1e-9, "decided, and to be sharper");
}

#[test]
fn what_is_nearest_comes_first() {
    let needing = |needs_ns: f64| Some(Outlook { needs_ns: Some(needs_ns), ..Outlook::default() });
    let begun = Some(Outlook { least_ns: 7.0, ..Outlook::default() });
    let outlooks = [needing(30.0), None, needing(10.0), begun, needing(25.0)];
    let known = KnownBefore { differs: &[false; 5], kin: &[0, 1, 2, 3, 4] };
    let waiting = |left_ns, spare_ns| postponed(&outlooks, known, left_ns, [0.0, left_ns - spare_ns]);
    assert_eq!(waiting(47.0, 40.0), [true, false, false, false, false]);
    assert_eq!(waiting(12.0, 5.0), [true, false, false, false, true]);
    assert_eq!(waiting(72.0, 65.0), [false; 5]);
    assert_eq!(waiting(7.0, 0.0), [true, false, true, false, true], "others need all that is left");
}

#[test]
fn what_is_known_to_differ_waits_for_none_that_may_not() {
    let missing = |least_ns: f64| Some(Outlook { least_ns, ..Outlook::default() });
    let needing = |needs_ns: f64| Some(Outlook { needs_ns: Some(needs_ns), ..Outlook::default() });
    let of = |first: Option<Outlook>, differs: [bool; 4], left_ns: f64, promised_ns: [f64; 2]| {
        let outlooks = [first, missing(10.0), missing(10.0), missing(10.0)];
        postponed(&outlooks, KnownBefore { differs: &differs, kin: &[0, 1, 1, 1] }, left_ns, promised_ns)
    };
    let one = [true, false, false, false];
    assert_eq!(of(missing(30.0), one, 40.0, [30.0, 30.0]), [false, false, true, true], "it is the farthest");
    assert_eq!(of(needing(30.0), one, 40.0, [0.0, 30.0]), [false, false, true, true], "it is decided first");
    // Among those that differ as among all; one that hasn't begun needs 5.
    assert_eq!(of(needing(4.0), [true; 4], 40.0, [35.0, 0.0]), [false; 4]);
    assert_eq!(of(needing(4.0), [true; 4], 35.0, [35.0, 0.0]), [true, false, false, false]);
}

#[test]
fn where_not_all_reach_what_says_anything_the_nearest_do() {
    let missing = |least_ns: f64| Some(Outlook { least_ns, ..Outlook::default() });
    let outlooks = [missing(30.0), None, missing(10.0), missing(25.0)];
    let waiting = |kin: &[usize], left_ns| {
        postponed(&outlooks, KnownBefore { differs: &[false; 4], kin }, left_ns, [0.0, left_ns])
    };
    assert_eq!(waiting(&[0, 1, 2, 3], 65.0), [false; 4]);
    assert_eq!(waiting(&[0, 1, 2, 3], 40.0), [true, false, false, false]);
    assert_eq!(waiting(&[0, 1, 2, 3], 5.0), [true, false, false, true], "what it needs is an estimate");
    assert_eq!(
        waiting(&[0, 1, 0, 3], 40.0),
        [false, false, false, true],
        "those that share their processes go together"
    );
    assert_eq!(waiting(&[0, 1, 0, 3], 20.0), [true, false, false, true]);
}

#[test]
fn a_part_is_left_for_second_measurements() {
    let flagged =
        |second_ns: f64, second_least_ns: f64| Some(Outlook { second_ns, second_least_ns, ..Outlook::default() });
    let left = |wall_ns, outlooks: &[Option<Outlook>]| left_ns(&deadline(100), wall_ns, 2, outlooks);
    assert_eq!(left(75.0, &[None]), 142.0);
    assert_eq!(left(75.0, &[flagged(8.0, 2.0), None, flagged(2.0, 1.0)]), 132.0);
    assert_eq!(left(75.0, &[flagged(800.0, 10.0)]), 120.0, "most of the time is for first measurements");
    assert_eq!(left(75.0, &[flagged(800.0, 30.0)]), 90.0, "but not what would be too little to confirm anything");
    let several = [flagged(80.0, 30.0), flagged(800.0, 500.0), flagged(80.0, 45.0)];
    assert_eq!(left(75.0, &several), 90.0, "and not what there isn't time to confirm");
    assert_eq!(left(1.0, &[None]), 0.0);
}

#[test]
fn no_more_is_begun_than_there_is_time_for() {
    let begin = |waiting: usize, under_way: &[Option<Outlook>], known: &[f64], wall_ns: f64, lanes: usize| {
        let left = TimeLeft { wall_ns, lanes_ns: wall_ns * lanes as f64 };
        may_begin(&vec![WaitingGroup { needs_ns: None, lanes: 1.0 }; waiting], under_way, known, left, lanes)
    };
    let under_way = |least_ns| Some(Outlook { least_ns, ..Outlook::default() });
    assert_eq!(begin(60, &[], &[], 100.0, 15), 15, "one for each lane while nothing is known");
    assert_eq!(begin(60, &[None], &[], 100.0, 2), 1);
    assert_eq!(begin(60, &[], &[10.0], 100.0, 2), 20);
    assert_eq!(begin(60, &[under_way(60.0), None], &[10.0], 100.0, 2), 13);
    assert_eq!(begin(60, &[], &[10.0], 9.0, 2), 0, "no lane has time for one");
    assert_eq!(begin(60, &[], &[10.0, 2.0], 5.0, 1), 1, "one that takes as little as another may fit");
    let needing = [4.0, 8.0, 1.0].map(|needs_ns| WaitingGroup { needs_ns: Some(needs_ns), lanes: 1.0 });
    let left = TimeLeft { wall_ns: 10.0, lanes_ns: 10.0 };
    assert_eq!(may_begin(&needing, &[], &[], left, 1), 1, "in their order");
}

#[test]
fn what_is_under_way_ends_soon_after_the_time() {
    let deadline = Deadline::new(Duration::from_secs(100), 1_000);
    assert_eq!(deadline.left_ns(1_000 + 99_000_000_000), 1e9);
    assert!(deadline.holds(1_000 + 99_000_000_000, 4e9) && !deadline.holds(1_000 + 99_000_000_000, 6e9));
    assert_eq!(deadline.pilot_until_ns(1_000, false, 1e9), 1_000 + 26_000_000_000);
    assert_eq!(deadline.pilot_until_ns(1_000, false, 10e9), 1_000 + 30_000_000_000, "as others needed");
    assert_eq!(deadline.pilot_until_ns(1_000, true, 0.0), deadline.cut_ns());
    assert_eq!(deadline.share_ns(120e9, 60), 2e9);
    assert_eq!(deadline.share_ns(12e9, 60), 1e9, "fewer comparisons rather than shorter ones");
}
