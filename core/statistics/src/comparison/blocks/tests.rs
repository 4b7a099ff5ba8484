use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

use super::{BlockFigure, Rule, Verdict, compare_blocks};

/// Blocks of two targets on a machine whose speed wanders (an autoregressive process, r = 0.9, 5 %), with noise of their own (3 %) and now
/// and then a block that is far off; the order of each round is drawn by lot. The candidate takes `effect` longer.
fn rounds(rng: &mut Pcg64, count: usize, effect: f64) -> Vec<f64> {
    let mut gaussian = || (0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0;
    let draws: Vec<[f64; 6]> = (0..count).map(|_| std::array::from_fn(|_| gaussian())).collect();
    let mut speed = 0.0;
    draws
        .iter()
        .map(|draw| {
            let block = |speed: &mut f64, wander: f64, own: f64, far: f64| {
                *speed = 0.9 * *speed + 0.05 * (1.0f64 - 0.81).sqrt() * wander;
                *speed + 0.03 * own + if far > 2.0 { 0.5 } else { 0.0 }
            };
            let first = block(&mut speed, draw[0], draw[1], draw[2]);
            let second = block(&mut speed, draw[3], draw[4], draw[5]);
            let candidate_first = draw[1].to_bits() & 1 == 0;
            effect.ln_1p() + if candidate_first { first - second } else { second - first }
        })
        .collect()
}

/// What a report compares: five figures that mostly go together.
fn figures(rng: &mut Pcg64, count: usize, effect: f64) -> Vec<Vec<f64>> {
    let common = rounds(rng, count, effect);
    (0..5)
        .map(|_| {
            let own = rounds(rng, count, 0.0);
            common.iter().zip(own).map(|(common, own)| common + 0.3 * own).collect()
        })
        .collect()
}

/// With what all rounds together say: their mean.
fn figure(rounds: Vec<f64>) -> BlockFigure {
    let pooled = rounds.iter().sum::<f64>() / rounds.len().max(1) as f64;
    BlockFigure { rounds, pooled, ..BlockFigure::default() }
}

fn differing(effect: f64, count: usize, runs: usize) -> (usize, usize) {
    let mut rng = Pcg64::seed_from_u64(11);
    let (mut any, mut first) = (0, 0);
    for _ in 0..runs {
        let figures = figures(&mut rng, count, effect);
        let figures: Vec<BlockFigure> = figures.into_iter().map(figure).collect();
        let compared = compare_blocks(&figures, &Rule::default());
        any += usize::from(compared.iter().any(|comparison| comparison.verdict.is_difference()));
        first += usize::from(compared[0].verdict == Verdict::Slower);
    }
    (any, first)
}

#[test]
fn identical_targets_are_not_called_different() {
    for count in [8, 20, 60] {
        let (any, _) = differing(0.0, count, 2000);
        println!("{count} rounds: {any} of 2000");
        assert!(any <= 10, "{count} rounds: {any} of 2000 runs, and 1 % were 20");
    }
}

#[test]
fn a_target_that_is_5_percent_slower_is_found() {
    let (_, found) = differing(0.05, 60, 400);
    println!("{found} of 400");
    assert!(found >= 380, "{found} of 400");
}

#[test]
fn few_rounds_decide_nothing() {
    let compared = compare_blocks(&[figure(vec![0.5; 7]), figure(vec![]), figure(vec![0.1])], &Rule::default());
    assert!(compared.iter().all(|comparison| comparison.verdict == Verdict::Inconclusive));
    assert_eq!(compared[0].warnings[0].code, "few-rounds");
    assert!(compared[1].ratio.is_none());
}

#[test]
fn a_difference_of_one_half_is_none() {
    let lopsided: Vec<f64> = (0..40).map(|i| if i < 20 { 0.0 } else { 0.5 } + 1e-3 * f64::from(i % 3)).collect();
    let compared = compare_blocks(&[figure(lopsided)], &Rule::default());
    assert_eq!(compared[0].verdict, Verdict::Inconclusive);
}

/// A target that does a fifth of its work in one round of ten, and as much as the other in all others, has lost 8 %.
#[test]
fn a_target_that_stands_still_now_and_then_is_not_the_same() {
    let mut rng = Pcg64::seed_from_u64(3);
    let (mut same, mut plain) = (0, 0);
    for _ in 0..500 {
        let mut noise = || 0.003 * ((0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0);
        let pairs: Vec<(f64, f64)> =
            (0..40).map(|round| (noise().exp(), noise().exp() * if round % 10 == 4 { 0.2 } else { 1.0 })).collect();
        let sum = |of: fn(&(f64, f64)) -> f64| pairs.iter().map(of).sum::<f64>();
        let rounds: Vec<f64> = pairs.iter().map(|(base, candidate)| (base / candidate).ln()).collect();
        let pooled = (sum(|pair| pair.0) / sum(|pair| pair.1)).ln();
        let found = compare_blocks(
            &[BlockFigure { rounds: rounds.clone(), pooled, ..BlockFigure::default() }],
            &Rule::default(),
        );
        same += usize::from(found[0].verdict == Verdict::Same);
        let alone = compare_blocks(&[BlockFigure { rounds, pooled: 0.0, ..BlockFigure::default() }], &Rule::default());
        if alone[0].verdict == Verdict::Same {
            plain += 1;
            assert_eq!(found[0].warnings[0].code, "rounds-disagree");
        }
    }
    assert_eq!(same, 0);
    assert!(plain > 450, "the rounds alone would have said so: {plain}");
}

#[test]
fn rounds_in_which_nothing_succeeded_decide_nothing() {
    let quick = BlockFigure { rounds: vec![0.5; 34], pooled: 0.5, silent: 6, ..BlockFigure::default() };
    let found = &compare_blocks(&[quick], &Rule::default())[0];
    assert_eq!(found.verdict, Verdict::Inconclusive);
    assert_eq!(found.warnings[0].code, "silent-rounds");
    assert!(found.warnings[0].message.contains("6 of 40 rounds"), "{}", found.warnings[0].message);
}

/// Identical code in processes that are launched once: the launches lie 0.7 % apart (a standard deviation), and rounds without end say so
/// ever more clearly.
#[test]
fn what_is_drawn_once_for_all_rounds_stays_uncertain() {
    let mut rng = Pcg64::seed_from_u64(17);
    let (mut blind, mut seeing, mut missed) = (0, 0, 0);
    for _ in 0..1000 {
        let mut noise = || (0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0;
        let drawn = 0.007 * noise();
        let rounds: Vec<f64> = (0..200).map(|_| drawn + 0.01 * noise()).collect();
        let called = |between_processes: f64, effect: f64| {
            let rounds: Vec<f64> = rounds.iter().map(|round| round + effect).collect();
            compare_blocks(&[BlockFigure { between_processes, ..figure(rounds) }], &Rule::default())[0].verdict
        };
        blind += usize::from(called(0.0, 0.0).is_difference());
        seeing += usize::from(called(0.007, 0.0).is_difference());
        missed += usize::from(called(0.007, 0.05) != Verdict::Slower);
    }
    assert!(blind > 200, "{blind}");
    assert!(seeing <= 5, "{seeing} of 1000, and 1 % were 10");
    assert!(missed <= 10, "{missed} of 1000 that are 5 % slower");
}
