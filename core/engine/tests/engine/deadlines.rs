//! `--total` is a promise: a suite ends within it and a tenth, whatever its cases are like, and what it says of how long it takes is right.
//!
//! On simulated cores, each with a clock of its own.

use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use tare_engine::{Forecast, Lanes, Observer, Progress, SuiteMeasurements, measure_in_lanes};
use tare_plan::{Group, Layouts, Settings};
use tare_samples::{Calibration, Failure, Launch, MINIMUM_LAUNCHES, Outcome, RuntimeCommand, Variant};
use tare_simulation::{CaseTruth, Noise, Scale, SimulatedLauncher, Truth};
use tare_statistics::comparison::Verdict;
use tare_validation::simulated::group;
use tare_worker::{Launcher, ProcessPlacement, Starting};

use crate::counts::runs;

/// Cores whose clocks go on from one measurement to the next.
struct Cores {
    launchers: Vec<Arc<Mutex<SimulatedLauncher>>>,
    clocks: Arc<Clocks>,
}

/// A lane starts nothing while another one is behind it. Otherwise the lane that the system lets run most would have most of the groups, all at the time of its own clock: of 108 s
/// on each of two lanes one took 150.
struct Clocks {
    lanes: Mutex<Vec<LaneClock>>,
    moved: Condvar,
}

#[derive(Clone, Copy, Default, PartialEq)]
struct LaneClock {
    ns: u64,
    /// Others have waited for it in vain: it has nothing to do.
    is_idle: bool,
}

/// How long others wait for a lane that may have nothing to do.
const PATIENCE: Duration = Duration::from_millis(300);

impl Clocks {
    /// Waits until no lane that has something to do is behind this one.
    fn wait(&self, lane: usize, ns: u64) {
        let mut lanes = self.lanes.lock().unwrap();
        lanes[lane] = LaneClock { ns, is_idle: false };
        self.moved.notify_all();
        while lanes.iter().any(|other| !other.is_idle && other.ns < ns) {
            let before = lanes.clone();
            let (waited, result) = self.moved.wait_timeout(lanes, PATIENCE).unwrap();
            lanes = waited;
            if result.timed_out() {
                for (other, before) in lanes.iter_mut().zip(&before) {
                    other.is_idle |= other.ns < ns && other == before;
                }
            }
        }
    }
}

impl Cores {
    fn new(truth: Truth, lanes: usize) -> Self {
        let machine = SimulatedLauncher::new(truth);
        let clocks = Clocks { lanes: Mutex::new(vec![LaneClock::default(); lanes]), moved: Condvar::new() };
        Self {
            launchers: (0..lanes).map(|_| Arc::new(Mutex::new(machine.other_core()))).collect(),
            clocks: Arc::new(clocks),
        }
    }

    /// When the last of them was through, in seconds.
    fn took_s(&self) -> f64 {
        self.launchers.iter().map(|core| core.lock().unwrap().now_ns()).max().unwrap_or(0) as f64 / 1e9
    }
}

impl Lanes for Cores {
    fn count(&self) -> usize {
        self.launchers.len()
    }

    fn launcher(&self, lane: usize) -> Box<dyn Launcher> {
        Box::new(Core { lane, launcher: Arc::clone(&self.launchers[lane]), clocks: Arc::clone(&self.clocks) })
    }

    fn is_stopped(&self) -> bool {
        false
    }
}

struct Core {
    lane: usize,
    launcher: Arc<Mutex<SimulatedLauncher>>,
    clocks: Arc<Clocks>,
}

impl Launcher for Core {
    fn start(&mut self, runtime: &RuntimeCommand, seed: u64, place: ProcessPlacement) -> Result<Starting, Failure> {
        self.clocks.wait(self.lane, self.now_ns());
        self.launcher.lock().unwrap().start(runtime, seed, place)
    }

    fn now_ns(&self) -> u64 {
        self.launcher.lock().unwrap().now_ns()
    }
}

/// Notes what is said of the time.
#[derive(Default)]
struct Said {
    forecasts: Vec<Forecast>,
}

impl Observer for Said {
    fn calibrated(&mut self, _: &Variant, _: &Calibration) {}
    fn launched(&mut self, _: &[(&Variant, &Launch)]) {}
    fn ended(&mut self, _: &Variant, _: &Outcome) {}
    fn progress(&mut self, _: &Progress) {}

    fn forecast(&mut self, forecast: &Forecast) {
        self.forecasts.push(*forecast);
    }

    fn interrupted(&self) -> bool {
        false
    }
}

struct Suite {
    measured: SuiteMeasurements,
    took_s: f64,
    forecasts: Vec<Forecast>,
}

impl Suite {
    /// Groups that were measured: both sides, with six launches at least.
    fn measured(&self) -> usize {
        let whole = |group: &&Vec<tare_samples::Measurement>| {
            group.iter().all(|m| m.outcome == Outcome::Ok && m.launches.len() >= MINIMUM_LAUNCHES as usize)
        };
        self.measured.measurements.iter().filter(whole).count()
    }

    fn left_out(&self) -> usize {
        let cut = |group: &&Vec<tare_samples::Measurement>| group.iter().any(|m| m.outcome == Outcome::Interrupted);
        self.measured.measurements.iter().filter(cut).count()
    }

    fn called(&self) -> usize {
        self.measured.comparisons.iter().filter(|compared| compared.comparison.verdict.is_difference()).count()
    }
}

/// A usual case, whose processes start in 50 ms.
fn side(number: usize, side: &str) -> CaseTruth {
    CaseTruth {
        name: format!("case{number}::{side}"),
        time_ns: 1_000.0,
        noise: Noise::Gaussian { spread: 0.01 },
        launch_spread: 0.004,
        ..CaseTruth::default()
    }
}

fn suite(cases: usize, lanes: usize, settings: Settings, changed: impl Fn(usize, &str, &mut CaseTruth)) -> Suite {
    let truths = (0..cases).flat_map(|number| {
        ["old", "new"].map(|name| {
            let mut truth = side(number, name);
            changed(number, name, &mut truth);
            truth
        })
    });
    let scale = Scale { startup_ns: 50_000_000, ..Scale::default() };
    let truth = Truth { seed: 3, scale, cases: truths.collect() };
    let groups: Vec<Group> = (0..cases).map(|number| group(&truth, number)).collect();
    let cores = Cores::new(truth, lanes);
    let mut said = Said::default();
    let measured = measure_in_lanes(&groups, &settings, &cores, &mut said, Vec::new(), 0);
    Suite { measured, took_s: cores.took_s(), forecasts: said.forecasts }
}

fn within(total_s: f64) -> Settings {
    Settings { seed: 9, total: Some(Duration::from_secs_f64(total_s)), ..Settings::default() }
}

/// Whether a cell of a table is counted: every second one of a row and of a column, or all.
fn is_counted(row: usize, column: usize) -> bool {
    ((row + column) as u64).is_multiple_of(runs(1, 2))
}

#[test]
fn a_suite_ends_in_time_and_what_is_measured_is_measured_soundly() {
    for (row, lanes) in [1, 2, 15].into_iter().enumerate() {
        let totals_s = [1.0, 3.0, 10.0, 60.0, 200.0].into_iter().enumerate();
        for (_, total_s) in totals_s.filter(|(column, _)| is_counted(row, *column)) {
            let found = suite(100, lanes, within(total_s), |_, _, _| {});
            println!(
                "{lanes} lanes, {total_s} s: took {:.2} s, {} measured, {} left out; {:?}",
                found.took_s,
                found.measured(),
                found.left_out(),
                found.forecasts
            );
            assert!(found.took_s <= 1.1 * total_s, "{lanes} lanes, {total_s} s: {}", found.took_s);
            assert_eq!(found.measured() + found.left_out(), 100);
            assert!(found.called() == 0);
            // Each takes about a second at the least.
            let most = (lanes as f64 * total_s).min(100.0);
            assert!(found.measured() as f64 >= 0.5 * most, "{lanes} lanes, {total_s} s: {}", found.measured());
        }
    }
}

/// A third of the cases is of packages that there is no time to link.
#[test]
fn what_is_not_linked_is_left_out_and_the_others_have_its_time() {
    let truths = (0..9).flat_map(|number| ["old", "new"].map(|name| side(number, name)));
    let scale = Scale { startup_ns: 50_000_000, ..Scale::default() };
    let truth = Truth { seed: 3, scale, cases: truths.collect() };
    let mut groups: Vec<Group> = (0..9).map(|number| group(&truth, number)).collect();
    for planned in groups.iter_mut().step_by(3).flat_map(|group| &mut group.variants) {
        planned.layouts = Layouts::Unlinked;
    }
    let (cores, mut said) = (Cores::new(truth, 2), Said::default());
    let measured = measure_in_lanes(&groups, &within(10.0), &cores, &mut said, Vec::new(), 0);
    let found = Suite { measured, took_s: cores.took_s(), forecasts: said.forecasts };
    assert_eq!((found.measured(), found.left_out()), (6, 3));
    assert_eq!(found.forecasts[0].left_out, 3, "it is said before");
    let launches = |group: usize| found.measured.measurements[group][0].launches.len();
    assert_eq!((launches(0), launches(3), launches(6)), (0, 0, 0));
    // 20 s of two lanes for six.
    assert!((0..9).all(|group| group % 3 == 0 || launches(group) > 9));
}

/// Half of the cases are of one side alone.
#[test]
fn what_is_compared_comes_before_what_is_not() {
    let truths = (0..40).flat_map(|number| ["old", "new"].map(|name| side(number, name)));
    let truth = Truth { seed: 3, scale: Scale { startup_ns: 50_000_000, ..Scale::default() }, cases: truths.collect() };
    let mut groups: Vec<Group> = (0..40).map(|number| group(&truth, number)).collect();
    for group in groups.iter_mut().step_by(2) {
        group.variants.pop();
        group.pairs.clear();
    }
    let (cores, mut said) = (Cores::new(truth, 2), Said::default());
    let measured = measure_in_lanes(&groups, &within(6.0), &cores, &mut said, Vec::new(), 0);
    let begun = |group: &usize| !measured.measurements[*group][0].launches.is_empty();
    let (alone, compared): (Vec<usize>, Vec<usize>) = (0..40).filter(begun).partition(|group| group % 2 == 0);
    assert!((8..20).contains(&compared.len()) && alone.is_empty(), "{compared:?} {alone:?}");
}

#[test]
fn set_ups_of_two_seconds_around_each_sample_are_kept_in_time() {
    for (lanes, total_s) in [(1, 20.0), (2, 60.0), (2, 200.0), (15, 200.0)] {
        let found = suite(60, lanes, within(total_s), |_, _, truth| truth.untimed_ns = 2e9);
        println!(
            "{lanes} lanes, {total_s} s: took {:.2} s, {} measured; {:?}",
            found.took_s,
            found.measured(),
            found.forecasts
        );
        assert!(found.took_s <= 1.1 * total_s, "{lanes} lanes, {total_s} s: {}", found.took_s);
        if total_s >= 200.0 {
            assert!(found.measured() >= lanes, "{lanes} lanes, {total_s} s: {}", found.measured());
        }
    }
}

#[test]
fn a_case_that_never_ends_does_not_take_the_time_of_the_others() {
    for (lanes, total_s) in [(1, 10.0), (1, 100.0), (2, 40.0), (15, 10.0), (15, 200.0)] {
        let found = suite(60, lanes, within(total_s), |number, _, truth| {
            if number == 17 {
                truth.time_ns = 1e15;
            }
        });
        println!("{lanes} lanes, {total_s} s: took {:.2} s, {} measured", found.took_s, found.measured());
        assert!(found.took_s <= 1.1 * total_s, "{lanes} lanes, {total_s} s: {}", found.took_s);
        let most = (lanes as f64 * total_s).min(59.0);
        assert!(found.measured() as f64 >= 0.4 * most, "{lanes} lanes, {total_s} s: {}", found.measured());
        let endless = &found.measured.measurements[17];
        assert!(endless.iter().any(|measurement| measurement.outcome != Outcome::Ok));
    }
}

#[test]
fn what_differs_is_confirmed_in_time() {
    for (lanes, total_s) in [(1, 60.0), (2, 30.0), (15, 10.0)] {
        // All of them are flagged: second measurements need their time as well.
        let found = suite(30, lanes, within(total_s), |_, name, truth| {
            if name == "new" {
                truth.time_ns *= 1.1;
            }
        });
        println!("{lanes} lanes, {total_s} s: took {:.2} s, {} called", found.took_s, found.called());
        assert!(found.took_s <= 1.1 * total_s, "{lanes} lanes, {total_s} s: {}", found.took_s);
        assert!(found.called() >= 20, "{lanes} lanes, {total_s} s: {}", found.called());
        let wrong = found.measured.comparisons.iter().filter(|c| c.comparison.verdict == Verdict::Faster).count();
        assert_eq!(wrong, 0);
    }
}

#[test]
fn what_is_said_of_the_time_is_right_once_it_is_known() {
    let usual = Settings { seed: 9, ..Settings::default() };
    type Changed = fn(usize, &str, &mut CaseTruth);
    let suites: [(&str, Changed); 4] = [
        ("usual", |_, _, _| {}),
        ("wide", |_, _, truth| truth.launch_spread = 0.05),
        ("mixed", |number, _, truth| truth.launch_spread = [0.001, 0.02][number % 2]),
        ("hooks", |number, _, truth| truth.untimed_ns = [0.0, 5e6][number % 2]),
    ];
    for (row, (name, changed)) in suites.into_iter().enumerate() {
        let asked = [(1, usual.clone()), (2, usual.clone()), (2, within(60.0)), (4, within(30.0))];
        for (_, (lanes, settings)) in asked.into_iter().enumerate().filter(|(column, _)| is_counted(row, *column)) {
            let total = settings.total;
            let found = suite(60, lanes, settings, changed);
            let said_s: Vec<f64> = found.forecasts.iter().map(|forecast| forecast.wall_ns / 1e9).collect();
            let ranges_s: Vec<[f64; 2]> =
                found.forecasts.iter().map(|f| [f.range_ns.least, f.range_ns.most].map(|ns| ns / 1e9)).collect();
            println!("{name}, {lanes} lanes, {total:?}: {said_s:?}, {ranges_s:?}, took {:.1} s", found.took_s);
            if let ([.., [least_s, most_s]], None) = (ranges_s.as_slice(), total) {
                assert!(
                    *least_s <= 1.05 * found.took_s && found.took_s <= 1.05 * most_s,
                    "{name}, {lanes}: {ranges_s:?}"
                );
            }
            assert!(said_s.len() <= 2);
            let last_s = said_s.last().copied().unwrap_or(0.0);
            // Under `--total` what is left over when all are decided isn't foreseen well.
            let within = if total.is_none() { 0.2 } else { 0.35 };
            assert!((last_s / found.took_s).ln().abs() < within, "{name}, {lanes}: {said_s:?}, {}", found.took_s);
        }
    }
}
