//! Groups that share the processes of their launches, where a start is dear.

use std::time::Duration;

use tare_engine::{Observer, Progress, SuiteMeasurements, measure};
use tare_plan::{Group, Settings, Startup};
use tare_samples::{Calibration, Failure, Launch, Outcome, RuntimeCommand, Variant};
use tare_simulation::{CaseTruth, Noise, Scale, SimulatedLauncher, Truth};
use tare_validation::simulated::group;
use tare_worker::{Launcher, ProcessPlacement, Starting};

const CASES: usize = 8;
const START_NS: u64 = 400_000_000;

/// Counts processes.
struct Counting {
    machine: SimulatedLauncher,
    started: usize,
}

impl Launcher for Counting {
    fn start(&mut self, runtime: &RuntimeCommand, seed: u64, place: ProcessPlacement) -> Result<Starting, Failure> {
        self.started += 1;
        self.machine.start(runtime, seed, place)
    }

    fn now_ns(&self) -> u64 {
        self.machine.now_ns()
    }
}

struct Unheard;

impl Observer for Unheard {
    fn calibrated(&mut self, _: &Variant, _: &Calibration) {}
    fn launched(&mut self, _: &[(&Variant, &Launch)]) {}
    fn ended(&mut self, _: &Variant, _: &Outcome) {}
    fn progress(&mut self, _: &Progress) {}

    fn interrupted(&self) -> bool {
        false
    }
}

/// Processes of one side differ by 1 %, whatever they serve; the last case is slower by `slowdown`. With the processes that were started, and the time that it took.
fn suite(seed: u64, copies: bool, slowdown: f64) -> (SuiteMeasurements, usize, u64) {
    let side = |number: usize, side: &str| CaseTruth {
        name: format!("case{number}::{side}"),
        time_ns: if number + 1 == CASES && side == "new" { 1_000.0 * (1.0 + slowdown) } else { 1_000.0 },
        noise: Noise::Gaussian { spread: 0.01 },
        launch_spread: 0.004,
        ..CaseTruth::default()
    };
    let cases = (0..CASES).flat_map(|number| [side(number, "old"), side(number, "new")]).collect();
    let scale = Scale { startup_ns: START_NS, copies, process_spread: 0.01, ..Scale::default() };
    let truth = Truth { seed, scale, cases };
    let mut groups: Vec<Group> = (0..CASES).map(|number| group(&truth, number)).collect();
    for planned in groups.iter_mut().flat_map(|group| &mut group.variants) {
        planned.startup = Startup { takes_ns: START_NS, copies, prelude: false };
    }
    let settings = Settings { seed, comparison_budget: Duration::from_secs(3), ..Settings::default() };
    let mut launcher = Counting { machine: SimulatedLauncher::new(truth), started: 0 };
    let measured = measure(&groups, &settings, &mut launcher, &mut Unheard, Vec::new(), 0);
    (measured, launcher.started, launcher.now_ns())
}

fn launches(measured: &SuiteMeasurements) -> Vec<usize> {
    measured.measurements.iter().map(|group| group[0].launches.len()).collect()
}

#[test]
fn starts_are_shared_and_no_two_launches_of_a_case_have_the_same_processes() {
    let (shared, started, took_ns) = suite(1, true, 0.0);
    let made = launches(&shared);
    let all: usize = made.iter().sum();
    println!("{made:?} launches of each side, {started} processes, {:.1} s", took_ns as f64 / 1e9);
    assert!(3 * started < 2 * all, "{started} processes for {all} pairs of launches");
    assert!(made.iter().all(|&launches| 2 * launches <= started), "{made:?}, {started} processes");
    // Each by itself: a pilot and its launches.
    let (alone, started, alone_ns) = suite(1, false, 0.0);
    let made_alone = launches(&alone);
    assert_eq!(started, 2 * made_alone.iter().map(|launches| launches + 1).sum::<usize>());
    assert!(all > made_alone.iter().sum::<usize>(), "{made:?} {made_alone:?}");
    assert!(took_ns < alone_ns, "{took_ns} {alone_ns}");
}

#[test]
fn what_processes_share_makes_no_row_differ_and_hides_no_difference() {
    const SUITES: u64 = 60;
    let (mut called, mut missed, mut found, mut rows) = (0, 0, 0, 0);
    for seed in 0..SUITES {
        let (measured, ..) = suite(seed, true, 0.05);
        for compared in &measured.comparisons {
            let comparison = &compared.comparison;
            if compared.group + 1 == CASES {
                found += usize::from(comparison.verdict.is_difference());
                continue;
            }
            rows += 1;
            called += usize::from(comparison.verdict.is_difference());
            missed += usize::from(comparison.shown().is_some_and(|ratio| ratio.low > 1.0 || ratio.high < 1.0));
        }
    }
    println!("of {rows} rows {called} called, {missed} intervals miss; the slower one is found in {found} of {SUITES}");
    // 1 % of rows, and three standard errors of that where the rows of a suite go together.
    assert!(called <= 4, "{called} of {rows}");
    assert!(missed <= 18, "{missed} of {rows}");
    assert!(found >= 30, "{found} of {SUITES}");
}
