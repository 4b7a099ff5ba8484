//! Budgets that are kept, and budgets that hold less than can be measured.

use std::time::Duration;

use tare_engine::{Overrun, measure};
use tare_plan::Settings;
use tare_simulation::{CaseTruth, SimulatedLauncher, Truth};
use tare_validation::simulated::{Quiet, group, models};

fn overrun(budget: Duration, settings: Settings, compared: bool) -> Option<Overrun> {
    let model = &models()[1];
    let side = |name: &str| CaseTruth { name: name.into(), time_ns: 1_000.0, ..model.case.clone() };
    let truth = Truth { seed: 7, scale: model.scale, cases: vec![side("base"), side("candidate")] };
    let mut of_both = group(&truth, 0);
    if !compared {
        of_both.pairs.clear();
    }
    let settings = Settings { budget, comparison_budget: budget, ..settings };
    measure(&[of_both], &settings, &mut SimulatedLauncher::new(truth), &mut Quiet, Vec::new(), 0).overrun
}

#[test]
fn a_budget_below_the_least_is_told_with_what_the_least_took() {
    let given = || Settings { budget_given: true, ..Settings::default() };
    let small = Duration::from_millis(1);
    for compared in [false, true] {
        let found = overrun(small, given(), compared).expect("six launches don't fit into a millisecond");
        assert_eq!((found.groups, found.budget_ns), (1, 1e6), "compared {compared}");
        assert!(found.took_ns > 10e6 && found.took_ns < 10e9, "compared {compared}: {found:?}");
        assert_eq!(overrun(Duration::from_secs(4), given(), compared), None, "compared {compared}");
        assert_eq!(overrun(small, Settings { launches: Some(3), ..given() }, compared), None, "they were asked for");
        assert_eq!(overrun(small, Settings::default(), compared), None, "nobody gave a budget");
    }
}
