use rand::SeedableRng;
use rand_distr::{Distribution, StandardNormal};
use rand_pcg::Pcg64;

use super::{Change, LanePair, Narrowing};

/// A suite in turns of its own: each round gives every lane at work a group. Pairs scatter by `spread(lanes at work)`. What is left, and every change.
fn simulate(
    (lanes, groups, seed): (usize, usize, u64),
    launches: impl Fn(usize) -> usize,
    spread: impl Fn(usize) -> f64,
) -> (usize, Vec<Change>) {
    let mut narrowing = Narrowing::new(lanes, &vec![false; groups], true);
    let mut draws = Pcg64::seed_from_u64(seed);
    let (mut made, mut begun, mut changes) = (vec![0; groups], 0..0, Vec::new());
    let mut waiting: Vec<usize> = (0..groups).collect();
    let mut under_way: Vec<usize> = Vec::new();
    while !waiting.is_empty() || !under_way.is_empty() {
        // As the queue lets them in: one more with each that is through.
        let through = groups - waiting.len() - under_way.len();
        while under_way.len() < (2 * lanes + through).min(16 * lanes) && !waiting.is_empty() {
            under_way.push(waiting.remove(0));
        }
        if begun.is_empty() {
            begun = 0..under_way.len();
        }
        let at_work = narrowing.at_work();
        let taken: Vec<usize> = begun.by_ref().take(at_work).filter_map(|at| under_way.get(at).copied()).collect();
        let seen = narrowing.changes();
        for group in taken {
            made[group] += 1;
            let normal: f64 = StandardNormal.sample(&mut draws);
            let pair = normal * spread(at_work) * (1.0 + group as f64 / groups as f64);
            changes.extend(narrowing.note(
                group,
                Some(LanePair { log_ratio: pair, changes: seen }),
                made[group] == launches(group),
            ));
        }
        under_way.retain(|&group| made[group] < launches(group));
    }
    (narrowing.expected(), changes)
}

fn some(group: usize) -> usize {
    [6, 9, 14, 30][group % 4]
}

#[test]
fn lanes_stay_where_pairs_scatter_as_far_without_them() {
    for (lanes, groups) in [(2, 24), (4, 24), (8, 60), (15, 60), (63, 400)] {
        let kept = (0..200).filter(|&seed| simulate((lanes, groups, seed), some, |_| 0.01).0 == lanes).count();
        assert!(kept >= 180, "{lanes} lanes: kept in {kept} of 200");
    }
}

#[test]
fn lanes_that_make_pairs_scatter_are_given_up() {
    // Threads that share a core: with more lanes than cores pairs scatter.
    for (lanes, groups) in [(4, 24), (16, 60), (64, 400)] {
        let spread = |at_work: usize| if at_work > lanes / 2 { 0.05 } else { 0.01 };
        let found = (0..200).filter(|&seed| simulate((lanes, groups, seed), some, spread).0 <= lanes / 2);
        let found = found.count();
        assert!(found >= 190, "{lanes} lanes: given up in {found} of 200");
    }
    // Two threads of one core: twice as wide is more than twice as many pairs see, a fifth wider is less.
    let of_two = |wider: f64| {
        let spread = move |at_work: usize| if at_work > 1 { 0.01 * wider } else { 0.01 };
        (0..200).filter(|&seed| simulate((2, 24, seed), some, spread).0 == 1).count()
    };
    let (found, kept) = (of_two(3.0), 200 - of_two(1.2));
    assert!(found >= 180 && kept >= 160, "given up in {found} of 200, kept in {kept}");
    // Half isn't enough.
    let spread =
        |at_work: usize| [0.01, 0.04, 0.12][at_work.saturating_sub(1).ilog2().saturating_sub(1).min(2) as usize];
    let (left, changes) = simulate((15, 90, 7), some, spread);
    assert!(left == 4 && changes.iter().filter(|change| change.wider.is_some()).count() == 2, "{left}: {changes:?}");
}

#[test]
fn nobody_pauses_where_the_number_was_asked_for_or_little_could_be_known() {
    for (lanes, groups, may_pause) in [(8, 60, false), (1, 60, true), (2, 5, true), (8, 5, true)] {
        let mut narrowing = Narrowing::new(lanes, &vec![false; groups], may_pause);
        for group in (0..groups).cycle().take(10 * groups) {
            assert_eq!(
                narrowing.note(group, Some(LanePair { log_ratio: 0.1 * group as f64, changes: 0 }), false),
                None
            );
        }
        assert_eq!(narrowing.at_work(), lanes);
    }
}

#[test]
fn groups_that_are_never_taken_again_keep_nobody_waiting() {
    let mut narrowing = Narrowing::new(4, &[false; 12], true);
    let mut last = None;
    for _ in 0..3 {
        for group in 0..12 {
            let pair = LanePair { log_ratio: 0.01, changes: narrowing.changes() };
            last = narrowing.note(group, Some(pair), false).or(last);
        }
    }
    assert_eq!((narrowing.at_work(), narrowing.expected()), (2, 4), "{last:?}");
    // The others of them are postponed.
    for _ in 0..200 {
        let pair = LanePair { log_ratio: 0.01, changes: narrowing.changes() };
        narrowing.note(0, Some(pair), false);
    }
    assert_eq!(narrowing.at_work(), 4);
}
