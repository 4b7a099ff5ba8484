//! A suite in parts that take about as long as each other (`--shard`, nodes of a cluster).

use tare_samples::fnv1a;

/// Which of `parts` (from 1) each of the cases belongs to. `took`: the name of each, and how long it took once, where that is known.
///
/// What takes longest goes first, each to the part that has least so far (Graham, "Bounds on multiprocessing timing anomalies", SIAM Journal on
/// Applied Mathematics 17(2), 1969: at most 4/3 of the shortest possible). What nobody has measured yet is taken for the median of what is known. Where
/// nothing is known, parts have as many cases as each other. The order of the cases decides nothing, so that all parts come to the same answer.
pub fn split(took: &[(String, Option<u64>)], parts: u32) -> Vec<u32> {
    let parts = parts.max(1) as usize;
    let mut known: Vec<u64> = took.iter().filter_map(|(_, took)| *took).collect();
    known.sort_unstable();
    let usual = known.get(known.len() / 2).copied().unwrap_or(1).max(1);
    let weight = |at: usize| took[at].1.map_or(usual, |took| took.max(1));
    let mut order: Vec<usize> = (0..took.len()).collect();
    // Cases beside each other in the sources are alike: by a hash they are scattered.
    order.sort_by_key(|&at| (std::cmp::Reverse(weight(at)), fnv1a(took[at].0.bytes()), took[at].0.clone()));
    let mut sums = vec![0u64; parts];
    let mut belongs = vec![1; took.len()];
    for at in order {
        let least = (0..parts).min_by_key(|&part| sums[part]).unwrap_or(0);
        sums[least] = sums[least].saturating_add(weight(at));
        belongs[at] = least as u32 + 1;
    }
    belongs
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::split;

    fn named(took: &[Option<u64>]) -> Vec<(String, Option<u64>)> {
        took.iter().enumerate().map(|(at, took)| (format!("case {at}"), *took)).collect()
    }

    #[test]
    fn without_a_history_parts_have_as_many_cases() {
        let of = split(&named(&[None; 23]), 5);
        let mut counts: Vec<usize> = (1..=5).map(|part| of.iter().filter(|&&of| of == part).count()).collect();
        counts.sort_unstable();
        assert_eq!(counts, [4, 4, 5, 5, 5]);
    }

    #[test]
    fn what_takes_long_stands_alone() {
        let of = split(&named(&[Some(10), Some(90), Some(20), Some(30), None]), 2);
        // The unknown one is taken for 30.
        let sum = |part| {
            [10, 90, 20, 30, 30].iter().zip(&of).filter(|(_, of)| **of == part).map(|(took, _)| took).sum::<u64>()
        };
        assert_eq!([sum(1), sum(2)], [90, 90]);
    }

    /// Were an unknown case taken for nothing, three of them would stand beside one known case.
    #[test]
    fn an_unknown_case_takes_as_long_as_the_median() {
        let of = split(&named(&[Some(60), Some(60), Some(60), None, None, None]), 2);
        assert_eq!(of.iter().filter(|&&part| part == 1).count(), 3);
    }

    proptest! {
        #[test]
        fn every_case_is_in_one_part_and_their_order_decides_nothing(
            took in prop::collection::vec(prop::option::of(0u64..1_000), 0..60), parts in 1u32..9, turn in 0usize..60,
        ) {
            let cases = named(&took);
            let of = split(&cases, parts);
            prop_assert!(of.iter().all(|part| (1..=parts).contains(part)));
            if !cases.is_empty() {
                let turn = turn % cases.len();
                let mut turned = cases.clone();
                turned.rotate_left(turn);
                let mut of_turned = split(&turned, parts);
                of_turned.rotate_right(turn);
                prop_assert_eq!(&of, &of_turned);
            }
        }

        #[test]
        fn no_part_is_longer_than_the_mean_and_the_longest_case(
            took in prop::collection::vec(1u64..1_000, 1..60), parts in 1u32..9,
        ) {
            let of = split(&named(&took.iter().copied().map(Some).collect::<Vec<_>>()), parts);
            let longest = (1..=parts).map(|part| took.iter().zip(&of).filter(|(_, of)| **of == part).map(|(took, _)| took).sum::<u64>()).max();
            let bound = took.iter().sum::<u64>() / u64::from(parts) + took.iter().max().unwrap();
            prop_assert!(longest.unwrap() <= bound);
        }
    }
}
