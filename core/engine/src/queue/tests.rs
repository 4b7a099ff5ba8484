use std::collections::BTreeMap;

use tare_plan::round_order;

use super::{Next, Queue};

/// Of a launch this much is the start of its processes, where that isn't done in advance.
const START: f64 = 0.25;

/// A suite on lanes of one speed, in time of its own: launches of group g take `launch_s(g)`, and it needs `launches(g)` of them.
/// The order of turns, and when each group was done.
fn simulate(
    groups: usize,
    lanes: usize,
    launches: impl Fn(usize) -> u32,
    launch_s: impl Fn(usize) -> f64,
) -> (Vec<usize>, Vec<f64>) {
    simulate_with(groups, lanes, false, launches, launch_s)
}

/// The same; with `in_advance` lanes reserve what they do next.
fn simulate_with(
    groups: usize,
    lanes: usize,
    in_advance: bool,
    launches: impl Fn(usize) -> u32,
    launch_s: impl Fn(usize) -> f64,
) -> (Vec<usize>, Vec<f64>) {
    let mut reserved: Vec<Option<(usize, bool)>> = vec![None; lanes];
    let mut queue = Queue::new(1, &vec![false; groups], lanes, false);
    let mut clocks: Vec<(f64, Option<usize>)> = vec![(0.0, None); lanes];
    let mut made = vec![0; groups];
    let (mut order, mut done_at) = (Vec::new(), vec![0.0; groups]);
    let mut now = 0.0;
    loop {
        let mut waiting = 0;
        for (lane, reserved) in clocks.iter_mut().zip(&mut reserved) {
            if lane.1.is_none() {
                let (next, started) = match reserved.take() {
                    Some((group, given_back)) => {
                        queue.begin_reserved(given_back);
                        (Next::Group(group), made[group] > 0)
                    }
                    None => (queue.next(), false),
                };
                match next {
                    Next::Group(group) => {
                        order.push(group);
                        let took = launch_s(group) * if started { 1.0 - START } else { 1.0 };
                        *lane = (now + took, Some(group));
                        *reserved = in_advance.then(|| (queue.reserve(group), false));
                    }
                    Next::Later | Next::Over => waiting += 1,
                }
            }
        }
        if waiting == lanes {
            assert_eq!(queue.next(), Next::Over);
            return (order, done_at);
        }
        let (lane, next) = clocks
            .iter_mut()
            .enumerate()
            .filter(|(_, lane)| lane.1.is_some())
            .min_by(|(_, a), (_, b)| a.0.total_cmp(&b.0))
            .expect("some lane is busy");
        let group = next.1.take().expect("it has a group");
        now = next.0;
        made[group] += 1;
        let done = made[group] >= launches(group);
        if done {
            done_at[group] = now;
        }
        let next = reserved[lane].take().map(|(next, _)| next);
        if done || next != Some(group) {
            queue.give_back(group, done);
            reserved[lane] = next.filter(|&next| next != group).map(|next| (next, true));
        } else {
            reserved[lane] = Some((group, false));
        }
    }
}

#[test]
fn few_groups_on_one_lane_take_turns_in_the_order_of_the_cycle() {
    let mut queue = Queue::new(7, &[false, true, false], 1, false);
    let mut order = Vec::new();
    for _ in 0..8 {
        let Next::Group(group) = queue.next() else { panic!("nothing is done") };
        order.push(group);
        queue.give_back(group, false);
    }
    let expected: Vec<usize> =
        (0..4).flat_map(|cycle| round_order(7, u64::MAX, cycle, 0, 3)).filter(|&group| group != 1).collect();
    assert_eq!(order, expected);
}

#[test]
fn every_group_gets_its_launches_once_and_nobody_waits_for_long_on_any_number_of_lanes() {
    let launches = |group: usize| 6 + (group as u32 * 7) % 30;
    for (lanes, in_advance) in [1, 2, 4, 16, 64].into_iter().flat_map(|lanes| [(lanes, false), (lanes, true)]) {
        let launch_s = |group: usize| 0.05 + 0.01 * (group % 5) as f64;
        let (order, _) = simulate_with(60, lanes, in_advance, launches, launch_s);
        let mut counted: BTreeMap<usize, u32> = BTreeMap::new();
        order.iter().for_each(|&group| *counted.entry(group).or_default() += 1);
        assert!(counted.len() == 60 && counted.iter().all(|(&group, &count)| count == launches(group)), "{lanes}");
    }
}

#[test]
fn the_first_group_is_done_soon_and_later_ones_are_spread() {
    let (order, done_at) = simulate(142, 1, |_| 20, |_| 0.1);
    let first = done_at.iter().copied().fold(f64::INFINITY, f64::min);
    assert!(first <= 4.0, "the first of 142 groups of 2 s is done after {first} s");
    // In the middle of the run the launches of one group lie between those of many others.
    let of = |group: usize| -> Vec<usize> {
        order.iter().enumerate().filter(|(_, other)| **other == group).map(|(at, _)| at).collect()
    };
    let span = |group: usize| of(group).last().unwrap_or(&0) - of(group).first().unwrap_or(&0);
    assert!(span(70) >= 20 * 12, "{}", span(70));
}

/// Lanes may never wait while a group is free; what is left is the end, where fewer groups are open than there are lanes.
#[test]
fn time_falls_with_the_number_of_lanes() {
    let launches = |group: usize| 6 + (group as u32 * 7) % 35;
    for (groups, least) in [(60, 0.5), (256, 0.85)] {
        let wall = |lanes, in_advance| {
            let (_, done_at) = simulate_with(groups, lanes, in_advance, launches, |_| 0.1);
            done_at.into_iter().fold(0.0, f64::max)
        };
        let one = wall(1, false);
        for lanes in [1, 2, 4, 16, 64] {
            let (plain, early) = (wall(lanes, false), wall(lanes, true));
            let gained = one / plain;
            println!(
                "{groups} groups, {lanes} lanes: {one:.1} s in {plain:.1} s, {gained:.1} times as fast; with starts in advance {early:.1} s"
            );
            assert!(gained >= least * lanes.min(groups) as f64, "{groups} groups, {lanes} lanes: {gained}");
            // What waits for its own lane at the end may not eat up what starts in advance gain.
            assert!(early <= (1.0 - 0.8 * START) * plain, "{groups} groups, {lanes} lanes: {early} and {plain} s");
        }
    }
}

#[test]
fn a_lane_reserves_what_nobody_has_or_else_its_own() {
    let mut queue = Queue::new(7, &[false; 3], 1, false);
    let Next::Group(first) = queue.next() else { panic!("nothing is done") };
    let second = queue.reserve(first);
    assert_ne!(second, first);
    assert_eq!(queue.next(), Next::Later, "both that are under way have an owner");
    assert_eq!(queue.reserve(second), second);
    queue.give_back(first, false);
    assert_eq!(queue.reserve(second), second, "a lane has nothing to do");
    queue.begin_reserved(true);
    assert_eq!(queue.reserve(second), first);
}

#[test]
fn a_second_measurement_has_all_its_groups_under_way() {
    let mut done = vec![true; 100];
    (0..40).for_each(|group| done[group] = false);
    let mut queue = Queue::new(3, &done, 1, true);
    let mut seen = [false; 100];
    for _ in 0..40 {
        let Next::Group(group) = queue.next() else { panic!("40 are under way") };
        assert!(!std::mem::replace(&mut seen[group], true), "each once a cycle");
        queue.give_back(group, false);
    }
}
