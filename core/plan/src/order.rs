//! The random choices of a measurement, each a function of the recorded seed and its place.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64;
use tare_samples::Calibration;

/// SplitMix64 (Steele, Lea & Flood 2014): spreads neighbouring places over the whole range.
fn mix(mut state: u64) -> u64 {
    state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    state = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    state = (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    state ^ (state >> 31)
}

fn place_seed(seed: u64, place: &[u64]) -> u64 {
    place.iter().fold(mix(seed), |state, &part| mix(state ^ part))
}

/// The seed of one launch: the `ordinal`-th of the variant with this id.
pub fn launch_seed(seed: u64, variant: &str, ordinal: u64) -> u64 {
    let named = variant.bytes().fold(mix(seed ^ 1), |state, byte| mix(state ^ u64::from(byte)));
    // Workers take it as a signed or a double number; 53 bits fit everywhere.
    place_seed(named, &[ordinal]) >> 11
}

/// A [`launch_seed`] as a number from 0 to 1.
pub fn unit(seed: u64) -> f64 {
    seed as f64 / (1u64 << 53) as f64
}

/// A random number that stands for an address in memory. In each launch of a group, processes that are compared with each other and run the same code (the same
/// version of the same language) are started at the same address; the next launch draws another one. `code` numbers the codes of a group, where it has several.
pub fn launch_address(seed: u64, group: u64, launch: u64, code: u64) -> u64 {
    place_seed(seed, &[4, group, launch, code])
}

/// A random order of `turns` turns in a round: nothing may always come after the same thing.
pub fn round_order(seed: u64, group: u64, launch: u64, round: u64, turns: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..turns).collect();
    order.shuffle(&mut Pcg64::seed_from_u64(place_seed(seed, &[2, group, launch, round])));
    order
}

/// How many samples each turn of a round has, the same for all turns: at random one fewer than `samples`, as many, or one more (of `samples` = 1: one or two).
///
/// Were it always the same number, a subject that does more work in every k-th call could do it at the same position of every turn: where the calls of a turn are a
/// multiple of k, always in the untimed samples at its beginning, or never there. The time would then miss that work, or hold too much of it.
pub fn varied_samples(samples: u64, seed: u64, group: u64, launch: u64, round: u64) -> u64 {
    let drawn = place_seed(seed, &[5, group, launch, round]);
    match samples {
        0 => 0,
        1 => 1 + drawn % 2,
        more => more - 1 + drawn % 3,
    }
}

/// The calls of each sample of a turn: `samples` of the calibrated size, with the far sizes among them in random order.
///
/// One far size (linearity): one such sample is added. Two (the surplus of short samples): a third of the samples
/// each, or half where the first far size is the calibrated one itself.
pub fn turn_iterations(calibration: &Calibration, samples: u64, seed: u64, place: [u64; 4]) -> Vec<u64> {
    let samples = samples.max(1) as usize;
    let near = calibration.iterations;
    let mut rng = Pcg64::seed_from_u64(place_seed(seed, &[3, place[0], place[1], place[2], place[3]]));
    let mut iterations = match calibration.far.as_slice() {
        [] => vec![near; samples],
        &[far] => {
            let mut iterations = vec![near; samples];
            iterations.push(far);
            iterations
        }
        far => {
            let mut sizes = vec![near];
            sizes.extend(far.iter().copied().filter(|&size| size != near));
            (0..samples * sizes.len()).map(|sample| sizes[sample % sizes.len()]).collect()
        }
    };
    iterations.shuffle(&mut rng);
    iterations
}

#[cfg(test)]
mod tests {
    use super::{launch_address, launch_seed, mix, round_order, turn_iterations, unit, varied_samples};
    use tare_samples::Calibration;

    #[test]
    fn the_same_seed_gives_the_same_order_and_another_another() {
        assert_eq!(round_order(1, 0, 2, 3, 8), round_order(1, 0, 2, 3, 8));
        let different = (0..100).filter(|&seed| round_order(seed, 0, 2, 3, 8) != round_order(1, 0, 2, 3, 8)).count();
        assert!(different >= 98, "{different}");
        assert!(launch_seed(1, "a", 0) < 1 << 53);
        assert_ne!(launch_seed(1, "a", 0), launch_seed(1, "a", 1));
        assert_ne!(launch_seed(1, "a", 0), launch_seed(1, "b", 0));
        assert_ne!(launch_seed(1, "a", 0), launch_seed(2, "a", 0));
    }

    #[test]
    fn every_turn_comes_first_equally_often() {
        let mut first = [0u32; 4];
        for round in 0..4000 {
            first[round_order(9, 0, 0, round, 4)[0]] += 1;
        }
        // Binomial, n = 4000, p = 1/4: 5 standard deviations are 137.
        assert!(first.iter().all(|&count| count.abs_diff(1000) < 137), "{first:?}");
    }

    /// Turns of five calls, one of them untimed, of a subject that does more at each fifth: each place of a turn meets it as often as any other.
    #[test]
    fn no_place_of_a_turn_meets_each_dear_call() {
        let (mut call, mut timed, mut slow) = (0u64, 0u64, 0u64);
        for round in 0..4000 {
            call += 1;
            for _ in 0..varied_samples(4, 7, 0, round / 24, round % 24) {
                (timed, slow) = (timed + 1, slow + u64::from(call % 5 == 0));
                call += 1;
            }
        }
        assert_eq!(varied_samples(0, 7, 0, 0, 0), 0);
        assert!((15_500..16_500).contains(&timed), "{timed}");
        assert!((slow as f64 / timed as f64 - 0.2).abs() < 0.005, "{slow} of {timed}");
    }

    #[test]
    fn far_samples_stand_among_the_near_ones() {
        let linear = Calibration { iterations: 100, far: vec![200], ..Calibration::default() };
        let turn = turn_iterations(&linear, 8, 1, [0, 0, 0, 0]);
        assert_eq!(turn.iter().filter(|&&n| n == 100).count(), 8);
        assert_eq!(turn.iter().filter(|&&n| n == 200).count(), 1);
        let bare = Calibration { iterations: 0, far: vec![8, 16], ..Calibration::default() };
        let turn = turn_iterations(&bare, 50, 1, [0, 0, 0, 0]);
        assert_eq!([0, 8, 16].map(|size| turn.iter().filter(|&&n| n == size).count()), [50, 50, 50]);
        let short = Calibration { iterations: 10, far: vec![10, 20], ..Calibration::default() };
        let turn = turn_iterations(&short, 50, 1, [0, 0, 0, 0]);
        assert_eq!([10, 20].map(|size| turn.iter().filter(|&&n| n == size).count()), [50, 50]);
    }

    /// The first two outputs of the generator with the seed 0, as published with Java's `SplittableRandom`.
    #[test]
    fn places_are_spread_by_splitmix64() {
        assert_eq!([mix(0), mix(0x9e37_79b9_7f4a_7c15)], [0xe220_a839_7b1d_cdaf, 0x6e78_9e6a_a1b9_65f4]);
    }

    #[test]
    fn a_seed_as_a_number_lies_from_0_to_1() {
        assert_eq!([0, 1 << 51, 1 << 52].map(unit), [0.0, 0.25, 0.5]);
        assert!(unit((1 << 53) - 1) < 1.0);
    }

    #[test]
    fn processes_of_one_launch_that_run_the_same_code_start_at_one_address() {
        let first = launch_address(1, 2, 3, 0);
        assert_eq!(first, launch_address(1, 2, 3, 0));
        for other in [(2, 2, 3, 0), (1, 3, 3, 0), (1, 2, 4, 0), (1, 2, 3, 1)] {
            assert_ne!(first, launch_address(other.0, other.1, other.2, other.3), "{other:?}");
        }
    }

    /// Binomial, n = 1000, p = 1/2: 5 standard deviations are 79.
    #[test]
    fn turns_of_one_sample_have_one_or_two_equally_often() {
        let drawn: Vec<u64> = (0..1000).map(|round| varied_samples(1, 7, 0, 0, round)).collect();
        assert!(drawn.iter().all(|samples| [1, 2].contains(samples)), "{drawn:?}");
        assert!(drawn.iter().filter(|&&samples| samples == 1).count().abs_diff(500) < 79);
    }

    /// Binomial, n = 900, p = 1/9: 5 standard deviations are 47.
    #[test]
    fn the_far_sample_is_at_each_place_of_a_turn_equally_often() {
        let linear = Calibration { iterations: 100, far: vec![200], ..Calibration::default() };
        let mut places = [0u32; 9];
        for round in 0..900 {
            let turn = turn_iterations(&linear, 8, 1, [0, 0, round, 0]);
            places[turn.iter().position(|&calls| calls == 200).unwrap()] += 1;
        }
        assert!(places.iter().all(|&count| count.abs_diff(100) < 47), "{places:?}");
    }
}
