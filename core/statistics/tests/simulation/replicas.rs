//! The same comparison on several machines, of which each has an effect of its own.

use tare_statistics::comparison::{Pooled, Replica, kinds_differ};
use tare_statistics::student;

use crate::source::{Source, runs};

const PAIRS: usize = 12;
/// A pair's own spread, and that of the effect from machine to machine.
const WITHIN: f64 = 0.006;
const BETWEEN: f64 = 0.01;

/// A machine whose effect was drawn, as its pairs show it.
fn machine(source: &mut Source, effect: f64, within: f64) -> Replica {
    let own = effect + BETWEEN * source.gaussian();
    let pairs: Vec<f64> = (0..PAIRS).map(|_| own + within * source.gaussian()).collect();
    let count = PAIRS as f64;
    let log_ratio = pairs.iter().sum::<f64>() / count;
    let variance = pairs.iter().map(|pair| (pair - log_ratio).powi(2)).sum::<f64>() / (count - 1.0);
    Replica { log_ratio, standard_error: (variance / count).sqrt() }
}

fn machines(source: &mut Source, count: usize, effect: f64, within: f64) -> Vec<Replica> {
    (0..count).map(|_| machine(source, effect, within)).collect()
}

#[test]
fn the_pooled_interval_holds_the_mean_effect_and_nothing_is_called_without_one() {
    let mut source = Source::new(241);
    // From machines that differ by much more than each one's error to those whose own error hides it.
    for (nodes, within) in [(3, WITHIN), (5, WITHIN), (10, WITHIN), (3, 0.05), (5, 0.05), (10, 0.05)] {
        // A level of 1 % is told from 1.1 % by a hundred thousand.
        let count = if within == WITHIN { runs(200_000, 2_000) } else { runs(10_000, 2_000) };
        let (mut held, mut called) = (0, 0);
        for _ in 0..count {
            let pooled = Pooled::of(&machines(&mut source, nodes, 0.0, within)).expect("several machines");
            held += usize::from(pooled.ratio(0.95).holds(1.0));
            called += usize::from(pooled.p_value(0.0) <= 0.01);
        }
        let [coverage, alarms] = [held, called].map(|of| of as f64 / count as f64);
        println!("{nodes} machines, {within} a pair: {coverage:.4} held, {alarms:.4} called");
        // What machines don't show isn't taken off: where each one's own error hides how they differ, the interval holds more often.
        let most = if within == WITHIN { 0.98 } else { 1.0 };
        assert!((0.94..=most).contains(&coverage), "{nodes} machines, {within}: {coverage}");
        // Three standard errors of a share of 1 %.
        assert!(alarms <= 0.01 + 3.0 * (0.01 * 0.99 / count as f64).sqrt(), "{nodes} machines, {within}: {alarms}");
    }
}

#[test]
fn one_machine_for_all_would_not_hold_it() {
    // What is pooled without machines as a level: the mean with each one's own error.
    let count = runs(10_000, 2_000);
    let mut source = Source::new(242);
    let held = (0..count)
        .filter(|_| {
            let nodes = machines(&mut source, 5, 0.0, WITHIN);
            let mean = nodes.iter().map(|node| node.log_ratio).sum::<f64>() / 5.0;
            let error = nodes.iter().map(|node| node.standard_error.powi(2)).sum::<f64>().sqrt() / 5.0;
            mean.abs() <= error * student::quantile(0.975, 5.0 * (PAIRS - 1) as f64)
        })
        .count();
    assert!((held as f64) < 0.5 * count as f64, "{held} of {count}");
}

#[test]
fn an_effect_on_one_kind_is_told_as_that_and_none_where_kinds_are_alike() {
    let count = runs(10_000, 2_000);
    let mut source = Source::new(243);
    for (each, effect) in [(3, 0.12), (5, 0.05), (10, 0.05)] {
        let (mut told, mut wrongly) = (0, 0);
        for _ in 0..count {
            let [one, other, changed] = [0.0, 0.0, effect].map(|effect| machines(&mut source, each, effect, WITHIN));
            let differ = |kinds: &[Vec<Replica>]| kinds_differ(kinds).is_some_and(|(p_value, _)| p_value <= 0.01);
            told += usize::from(differ(&[one.clone(), changed]));
            wrongly += usize::from(differ(&[one, other]));
        }
        let [told, wrongly] = [told, wrongly].map(|of| of as f64 / count as f64);
        println!("{each} of each kind, {effect}: {told:.4} told, {wrongly:.4} without one");
        assert!(told >= 0.95, "{each} of each kind, {effect}: {told}");
        assert!(wrongly <= 0.01 + 3.0 * (0.01 * 0.99 / count as f64).sqrt(), "{each} of each kind: {wrongly}");
    }
}
