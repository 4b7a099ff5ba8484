//! Heaps of a comparison that grow at different paces.

use tare_engine::{SuiteMeasurements, measure};
use tare_plan::{Pair, Settings};
use tare_simulation::{CaseTruth, SimulatedLauncher, Truth};
use tare_statistics::comparison::Verdict;
use tare_validation::simulated::{Quiet, group, models};

/// A base that allocates so much a call, one that doesn't, and one that is as the base. Calls are slower by 15 % until the heap has grown.
fn compared(bytes: u64, seed: u64) -> SuiteMeasurements {
    let model = &models()[1];
    let plain = CaseTruth { name: "candidate".into(), time_ns: 900.0, ..model.case.clone() };
    let growing = |name: &str| CaseTruth {
        name: name.into(),
        allocated_bytes: bytes,
        warmup_calls: (4 << 20) / bytes,
        warmup_excess: 0.15,
        ..plain.clone()
    };
    let cases = vec![growing("base"), plain.clone(), growing("another"), growing("unused")];
    let truth = Truth { seed, scale: model.scale, cases };
    let mut of_three = group(&truth, 0);
    of_three.variants.push(group(&truth, 1).variants.remove(0));
    of_three.pairs.push(Pair::new(0, 2));
    let settings = Settings { seed, ..Settings::default() };
    measure(&[of_three], &settings, &mut SimulatedLauncher::new(truth), &mut Quiet, Vec::new(), 0)
}

/// Who stops allocating gains nothing but what that takes: a heap that the other one still grows, for as long as a launch lasts, isn't the
/// calls' time. And two that allocate the same are the same, though one of them is compared with somebody who doesn't.
#[test]
fn calls_that_no_longer_allocate_are_not_faster_by_the_growth_of_the_others_heap() {
    // Heaps that grow in 20 ms, and in 42.
    for bytes in [192, 100] {
        for seed in 0..20 {
            for found in compared(bytes, seed).comparisons {
                let ratio = found.comparison.ratio.unwrap();
                let told = format!("{bytes} bytes, {seed}, {:?}: {:?}", found.pair, found.comparison);
                assert!((ratio.estimate - 1.0).abs() < 0.004, "{told}");
                assert!(!matches!(found.comparison.verdict, Verdict::Faster | Verdict::Slower), "{told}");
            }
        }
    }
}

/// The last heap to grow is in the caches when the first round begins: if it were the same side's in every launch, identical code would differ.
#[test]
fn heaps_of_a_launch_grow_in_either_order() {
    let model = &models()[0];
    let growing = |name: &str| CaseTruth { name: name.into(), allocated_bytes: 192, ..model.case.clone() };
    let truth = Truth { seed: 1, scale: model.scale, cases: vec![growing("base"), growing("candidate")] };
    let compared = group(&truth, 0);
    let settings = Settings { launches: Some(20), ..Settings::default() };
    let mut launcher = SimulatedLauncher::new(truth);
    measure(&[compared], &settings, &mut launcher, &mut Quiet, Vec::new(), 0);
    let order = launcher.first_called();
    // But for the pilot's, and what counted allocations.
    let launches = &order[order.len() - 40..];
    let base_first = launches.chunks_exact(2).filter(|both| both[0].contains("base")).count();
    // One order alone comes of a fair coin once in half a million tries.
    assert!((1..20).contains(&base_first), "{base_first} of 20: {launches:?}");
}
