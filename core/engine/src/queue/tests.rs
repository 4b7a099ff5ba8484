use std::collections::BTreeMap;

use tare_plan::round_order;

use super::{KeptKin, Next, Queue};

/// A suite on lanes of one speed, in time of its own: launches of group g take `launch_s(g)`, and it needs `launches(g)` of them.
/// The order of turns, and when each group was done.
fn simulate(
    groups: usize,
    lanes: usize,
    launches: impl Fn(usize) -> u32,
    launch_s: impl Fn(usize) -> f64,
) -> (Vec<usize>, Vec<f64>) {
    let mut queue = Queue::new(1, &vec![false; groups], lanes, false, (0..groups).collect());
    let mut clocks: Vec<(f64, Option<usize>)> = vec![(0.0, None); lanes];
    let mut made = vec![0; groups];
    let (mut order, mut done_at) = (Vec::new(), vec![0.0; groups]);
    let mut now = 0.0;
    loop {
        let mut waiting = 0;
        for lane in &mut clocks {
            if lane.1.is_none() {
                match queue.next(None) {
                    Next::Group(group) => {
                        order.push(group);
                        *lane = (now + launch_s(group), Some(group));
                    }
                    Next::Later | Next::Over => waiting += 1,
                }
            }
        }
        if waiting == lanes {
            assert_eq!(queue.next(None), Next::Over);
            return (order, done_at);
        }
        let busy = clocks.iter_mut().filter(|lane| lane.1.is_some());
        let next = busy.min_by(|a, b| a.0.total_cmp(&b.0)).expect("some lane is busy");
        let group = next.1.take().expect("it has a group");
        now = next.0;
        made[group] += 1;
        let done = made[group] >= launches(group);
        if done {
            done_at[group] = now;
        }
        queue.give_back(group, done);
    }
}

#[test]
fn few_groups_on_one_lane_take_turns_in_the_order_of_the_cycle() {
    let mut queue = Queue::new(7, &[false, true, false], 1, false, vec![0, 1, 2]);
    let mut order = Vec::new();
    for _ in 0..8 {
        let Next::Group(group) = queue.next(None) else { panic!("nothing is done") };
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
    for lanes in [1, 2, 4, 16, 64] {
        let (order, _) = simulate(60, lanes, launches, |group| 0.05 + 0.01 * (group % 5) as f64);
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
    for (groups, least) in [(60, 0.55), (256, 0.85)] {
        let wall = |lanes| {
            let (_, done_at) = simulate(groups, lanes, launches, |_| 0.1);
            done_at.into_iter().fold(0.0, f64::max)
        };
        let one = wall(1);
        for lanes in [2, 4, 16, 64] {
            let gained = one / wall(lanes);
            println!("{groups} groups, {lanes} lanes: {one:.1} s in {:.1} s, {gained:.1} times as fast", wall(lanes));
            assert!(gained >= least * lanes.min(groups) as f64, "{groups} groups, {lanes} lanes: {gained}");
        }
    }
}

#[test]
fn a_second_measurement_has_all_its_groups_under_way() {
    let mut done = vec![true; 100];
    (0..40).for_each(|group| done[group] = false);
    let mut queue = Queue::new(3, &done, 1, true, (0..done.len()).collect());
    let mut seen = [false; 100];
    for _ in 0..40 {
        let Next::Group(group) = queue.next(None) else { panic!("40 are under way") };
        assert!(!std::mem::replace(&mut seen[group], true), "each once a cycle");
        queue.give_back(group, false);
    }
}

/// Starts of processes that kin share, of groups on two lanes that need six launches each: a start takes 4 s, a launch 0.5 s.
fn starts(kin: &[usize]) -> (usize, f64) {
    struct Lane {
        free_s: f64,
        group: Option<usize>,
        kin: usize,
        served: Vec<usize>,
    }
    let mut queue = Queue::new(5, &vec![false; kin.len()], 2, false, kin.to_vec());
    let idle = || Lane { free_s: 0.0, group: None, kin: usize::MAX, served: Vec::new() };
    let mut lanes = [idle(), idle()];
    let (mut made, mut starts, mut now_s) = (vec![0; kin.len()], 0, 0.0);
    loop {
        for lane in lanes.iter_mut().filter(|lane| lane.group.is_none()) {
            let kept = (lane.kin != usize::MAX).then_some(KeptKin { kin: lane.kin, served: &lane.served });
            let Next::Group(group) = queue.next(kept) else { continue };
            if lane.kin != kin[group] || lane.served.contains(&group) {
                (lane.kin, lane.served) = (kin[group], Vec::new());
                lane.free_s = now_s + 4.0;
                starts += 1;
            } else {
                lane.free_s = now_s;
            }
            lane.served.push(group);
            lane.free_s += 0.5;
            lane.group = Some(group);
        }
        let busy = lanes.iter_mut().filter(|lane| lane.group.is_some());
        let Some(lane) = busy.min_by(|a, b| a.free_s.total_cmp(&b.free_s)) else { return (starts, now_s) };
        now_s = lane.free_s;
        let group = lane.group.take().expect("it has a group");
        made[group] += 1;
        queue.give_back(group, made[group] == 6);
    }
}

#[test]
fn few_processes_start_where_kin_share_them() {
    // Of each group the first of its kin: four files with 10, 8, 8 and 4 cases.
    let kin: Vec<usize> =
        [(0, 10), (10, 8), (18, 8), (26, 4)].iter().flat_map(|&(first, count)| vec![first; count]).collect();
    let (starts, took_s) = starts(&kin);
    println!("{starts} starts, {took_s} s");
    // Six of each kin are the fewest; on two lanes the last one is shared out.
    assert!(starts <= 30, "{starts}");
}

/// What needs every CPU is measured while the other lanes stand still, and has as many launches as it wants; in each cycle these come one after the other.
#[test]
fn nothing_is_measured_beside_what_needs_every_cpu() {
    for (lanes, every) in [(1, 3), (2, 3), (4, 2), (2, 1)] {
        let alone: Vec<bool> = (0..12).map(|group| group % every == 0).collect();
        let mut queue = Queue::new(3, &[false; 12], lanes, false, (0..12).collect()).with_alone(alone.clone());
        let (mut made, mut taken, mut pauses) = ([0; 12], Vec::new(), 0);
        // Every lane takes what it is given, and the one that has been at work for longest is through first.
        loop {
            let next = if taken.len() < lanes { queue.next(None) } else { Next::Later };
            match next {
                Next::Group(group) => {
                    assert!(taken.is_empty() || !alone[group] && !taken.iter().any(|&other: &usize| alone[other]));
                    taken.push(group);
                }
                Next::Over => break,
                Next::Later => {
                    pauses += usize::from(taken.len() < lanes && !alone[taken[0]]);
                    let group = taken.remove(0);
                    made[group] += 1;
                    queue.give_back(group, made[group] == 9);
                }
            }
        }
        assert_eq!(made, [9; 12], "{lanes} lanes");
        // Cycles have nine launches of each group at the least, and one pause of each other lane.
        let least = if lanes == 1 || every == 1 { 0 } else { 9 };
        assert!(pauses >= least && pauses <= 3 * 12 * lanes, "{lanes} lanes: {pauses}");
    }
}

#[test]
fn what_comes_first_is_taken_whenever_it_is_free() {
    let first: Vec<bool> = (0..8).map(|group| group == 5).collect();
    let mut queue = Queue::new(3, &[false; 8], 2, false, (0..8).collect()).with_first(&first);
    let mut others = Vec::new();
    for _ in 0..10 {
        assert_eq!(queue.next(None), Next::Group(5));
        // The other lane goes on with what is left, and doesn't wait for it.
        let Next::Group(other) = queue.next(None) else { panic!("others are free") };
        others.push(other);
        queue.give_back(5, false);
        queue.give_back(other, false);
    }
    assert!(others.iter().collect::<std::collections::BTreeSet<_>>().len() > 2, "{others:?}");
    // Once it is done the others have both lanes.
    assert_eq!(queue.next(None), Next::Group(5));
    queue.give_back(5, true);
    assert!(matches!(queue.next(None), Next::Group(group) if group != 5));
}
