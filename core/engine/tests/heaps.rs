//! Heaps of a comparison that grow at different paces.

use tare_engine::measure;
use tare_plan::Settings;
use tare_simulation::{CaseTruth, SimulatedLauncher, Truth};
use tare_statistics::comparison::Verdict;
use tare_validation::simulated::{Quiet, group, models};

/// Who stops allocating gains nothing but what that takes: a heap that the other one still grows, for as long as a launch lasts, isn't the
/// calls' time.
#[test]
fn calls_that_no_longer_allocate_are_not_faster_by_the_growth_of_the_others_heap() {
    let model = models().into_iter().find(|model| model.name == "gaussian").unwrap();
    for seed in 0..20 {
        let candidate = CaseTruth { name: "candidate".into(), time_ns: 900.0, ..model.case.clone() };
        let base = CaseTruth {
            name: "base".into(),
            allocated_bytes: 192,
            warmup_calls: (4 << 20) / 192,
            warmup_excess: 0.15,
            ..candidate.clone()
        };
        let truth = Truth { seed, scale: model.scale, cases: vec![base, candidate] };
        let compared = group(&truth, 0);
        let settings = Settings { seed, ..Settings::default() };
        let measured = measure(&[compared], &settings, &mut SimulatedLauncher::new(truth), &mut Quiet, Vec::new(), 0);
        let comparison = &measured.comparisons[0].comparison;
        let ratio = comparison.ratio.unwrap();
        assert!((ratio.estimate - 1.0).abs() < 0.004, "{seed}: {ratio:?}");
        assert!(!matches!(comparison.verdict, Verdict::Faster | Verdict::Slower), "{seed}: {comparison:?}");
    }
}
