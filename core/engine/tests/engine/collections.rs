//! Subjects whose garbage is collected so seldom that a launch holds few collections, or none.

use tare_engine::measure;
use tare_plan::Settings;
use tare_simulation::{CaseTruth, SimulatedLauncher, Truth};
use tare_statistics::comparison::Verdict;
use tare_validation::simulated::{Quiet, group, models};

/// A base of 900 ns, and a candidate that is as quick but has its garbage collected once in so many calls, which takes half as long as these: the ratio
/// that is said, whether its interval holds 1.5, and the verdict.
fn compared(collection_calls: u64, seed: u64) -> (f64, bool, Verdict) {
    let model = &models()[1];
    let base = CaseTruth { name: "base".into(), time_ns: 900.0, ..model.case.clone() };
    let candidate = CaseTruth {
        name: "candidate".into(),
        collection_calls,
        collection_ns: 450.0 * collection_calls as f64,
        ..base.clone()
    };
    let truth = Truth { seed, scale: model.scale, cases: vec![base, candidate] };
    let compared = group(&truth, 0);
    let settings = Settings { seed, ..Settings::default() };
    let found = measure(&[compared], &settings, &mut SimulatedLauncher::new(truth), &mut Quiet, Vec::new(), 0);
    let comparison = &found.comparisons[0].comparison;
    let ratio = comparison.ratio.as_ref().unwrap();
    (ratio.estimate, (ratio.low..=ratio.high).contains(&1.5), comparison.verdict)
}

/// A launch that always began just after a collection would hold none of what comes once in 90 ms, and launches of one length one too many or too few of
/// others, all alike.
#[test]
fn collections_weigh_as_often_as_they_come_whatever_a_launch_holds() {
    const SEEDS: u64 = 12;
    let mut held = 0;
    for collection_calls in [2_000, 30_000, 100_000] {
        let found: Vec<_> = (0..SEEDS).map(|seed| compared(collection_calls, seed)).collect();
        let told = format!("once in {collection_calls} calls: {found:?}");
        let mean = found.iter().map(|(ratio, ..)| ratio).sum::<f64>() / SEEDS as f64;
        assert!((mean - 1.5).abs() < 0.05, "{mean}, {told}");
        assert!(found.iter().all(|(.., verdict)| !matches!(verdict, Verdict::Faster | Verdict::Same)), "{told}");
        held += found.iter().filter(|(_, holds, _)| *holds).count() as u64;
    }
    // 99 % intervals; of 900 comparisons with nine such lengths 889 held.
    assert!(held >= 3 * SEEDS - 2, "{held} of {}", 3 * SEEDS);
}
