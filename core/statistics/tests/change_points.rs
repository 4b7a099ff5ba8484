//! How often changes of level are claimed where there is none, and how soon one is found.
#![allow(clippy::unwrap_used)]

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use tare_statistics::shifts::history_changes;

fn normal(random: &mut Pcg64) -> f64 {
    let (u, v): (f64, f64) = (random.random::<f64>().max(1e-300), random.random());
    (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos()
}

/// Noise of standard deviation 1 whose neighbours go together.
fn correlated(random: &mut Pcg64, length: usize, correlation: f64) -> Vec<f64> {
    let mut value = normal(random);
    (0..length)
        .map(|_| {
            let now = value;
            value = correlation * value + (1.0 - correlation * correlation).sqrt() * normal(random);
            now
        })
        .collect()
}

/// Noise of standard deviation 1 on one of two levels three deviations apart, each run on either by chance, or for some runs in a row: what a shared machine does.
fn levels(random: &mut Pcg64, length: usize, stay: f64) -> Vec<f64> {
    let mut high = random.random::<bool>();
    (0..length)
        .map(|_| {
            if random.random::<f64>() > stay {
                high = !high;
            }
            normal(random) + if high { 3.0 } else { 0.0 }
        })
        .collect()
}

/// Student's t of five degrees of freedom.
fn tailed(random: &mut Pcg64, length: usize) -> Vec<f64> {
    let mut one = || {
        let squares: f64 = (0..5).map(|_| normal(random).powi(2)).sum();
        normal(random) / (squares / 5.0).sqrt()
    };
    (0..length).map(|_| one()).collect()
}

fn series(count: u64, seed: u64, make: impl Fn(&mut Pcg64) -> Vec<f64>) -> Vec<Vec<f64>> {
    (0..count).map(|number| make(&mut Pcg64::seed_from_u64(seed * 1_000_003 + number))).collect()
}

fn count() -> u64 {
    if std::env::var("TARE_COUNT").as_deref() == Ok("whole") { 10_000 } else { 1_000 }
}

#[test]
fn at_most_one_in_a_hundred_series_without_a_change_is_flagged() {
    let kinds: [(&str, Vec<Vec<f64>>); 10] = [
        ("independent", series(count(), 1, |r| correlated(r, 100, 0.0))),
        ("autocorrelation 0.3", series(count(), 2, |r| correlated(r, 100, 0.3))),
        ("autocorrelation 0.6", series(count(), 3, |r| correlated(r, 100, 0.6))),
        ("levels drawn each time", series(count(), 4, |r| levels(r, 100, 0.5))),
        ("levels of two runs", series(count(), 5, |r| levels(r, 100, 0.6))),
        ("levels of three runs", series(count(), 6, |r| levels(r, 100, 0.7))),
        ("far tails", series(count(), 8, |r| tailed(r, 100))),
        ("autocorrelation 0.6, of 30 runs", series(count(), 9, |r| correlated(r, 30, 0.6))),
        ("autocorrelation 0.6, of 60 runs", series(count(), 11, |r| correlated(r, 60, 0.6))),
        ("autocorrelation 0.3, of 200 runs", series(count(), 10, |r| correlated(r, 200, 0.3))),
    ];
    let mut worst = Vec::new();
    for (name, all) in kinds {
        let flagged = all.iter().filter(|one| !history_changes(one).is_empty()).count();
        println!("{name}: {flagged} of {} flagged", all.len());
        if flagged as u64 * 100 > count() {
            worst.push(name);
        }
    }
    assert!(worst.is_empty(), "{worst:?}");
}

#[test]
fn a_shift_of_three_deviations_is_found_within_twelve_points() {
    // At 0.6 who knows the correlation sees 96 %, and nobody does (decision 89).
    let kinds = [("independent", 0.0, 99), ("autocorrelation 0.3", 0.3, 95), ("autocorrelation 0.6", 0.6, 90)];
    for (name, correlation, percent) in kinds {
        let mut found = 0;
        for number in 0..count() {
            let mut random = Pcg64::seed_from_u64(7_000_000 + number);
            let at = 40 + (number % 40) as usize;
            let mut values = correlated(&mut random, at + 12, correlation);
            for value in &mut values[at..] {
                *value += 3.0;
            }
            found += u64::from(history_changes(&values).iter().any(|change| change.abs_diff(at) <= 12));
        }
        println!("{name}: {found} of {} found", count());
        assert!(found * 100 >= percent * count(), "{name}: {found} of {}", count());
    }
}

/// What the bet on noise that doesn't linger long costs where it does (decision 89).
#[test]
fn noise_that_lingers_longer_is_seldom_taken_for_a_change() {
    for (correlation, most) in [(0.7, 4), (0.8, 7), (0.9, 10)] {
        let all = series(count(), 12, |r| correlated(r, 100, correlation));
        let flagged = all.iter().filter(|one| !history_changes(one).is_empty()).count() as u64;
        println!("autocorrelation {correlation}: {flagged} of {} flagged", all.len());
        assert!(flagged * 100 <= most * count(), "{correlation}: {flagged} of {}", all.len());
    }
}
