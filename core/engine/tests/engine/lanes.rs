//! Groups measured on several simulated cores at once.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use tare_engine::{
    ComparedPair, EarlierLaunches, EarlierVariant, Lanes, Observer, Progress, SuiteMeasurements, measure,
    measure_in_lanes, used_ns,
};
use tare_plan::{Group, Settings};
use tare_samples::{Calibration, Failure, FailureKind, Launch, Measurement, Outcome, RuntimeCommand, Variant};
use tare_simulation::{CaseTruth, Noise, Scale, SimulatedLauncher, Truth};
use tare_validation::simulated::{Quiet, group};
use tare_worker::{Launcher, ProcessPlacement, Starting};

const GROUPS: usize = 12;

fn truth() -> Truth {
    truth_of(GROUPS)
}

fn truth_of(groups: usize) -> Truth {
    let side = |number: usize, side: &str| CaseTruth {
        name: format!("case{number}::{side}"),
        time_ns: 300.0 * (1 + number % 3) as f64 * if number == 5 && side == "new" { 1.2 } else { 1.0 },
        noise: Noise::Gaussian { spread: 0.02 },
        launch_spread: 0.005,
        ..CaseTruth::default()
    };
    let cases = (0..groups).flat_map(|number| [side(number, "old"), side(number, "new")]).collect();
    Truth { seed: 11, scale: Scale::default(), cases }
}

fn groups(truth: &Truth) -> Vec<Group> {
    (0..GROUPS).map(|number| group(truth, number)).collect()
}

fn fixed() -> Settings {
    Settings { seed: 5, launches: Some(8), ..Settings::default() }
}

/// Cores of one simulated machine. Runtimes whose command is `fails` can't be started, and `panics` panics.
struct Cores {
    machine: std::sync::Mutex<SimulatedLauncher>,
    count: usize,
    stop: AtomicBool,
    served: AtomicUsize,
}

impl Cores {
    fn new(truth: Truth, count: usize) -> Self {
        let machine = std::sync::Mutex::new(SimulatedLauncher::new(truth));
        Self { machine, count, stop: AtomicBool::new(false), served: AtomicUsize::new(0) }
    }
}

impl Lanes for Cores {
    fn count(&self) -> usize {
        self.count
    }

    fn launcher(&self, _lane: usize) -> Box<dyn Launcher> {
        Box::new(Core(self.machine.lock().unwrap().other_core()))
    }

    fn serve(&self, _lane: usize) {
        self.served.fetch_add(1, Ordering::Relaxed);
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

struct Core(SimulatedLauncher);

impl Launcher for Core {
    fn start(&mut self, runtime: &RuntimeCommand, seed: u64, place: ProcessPlacement) -> Result<Starting, Failure> {
        match runtime.command.first().map(String::as_str) {
            Some("fails") => Err(Failure::new(FailureKind::Runtime, "it can't be started", "mend it")),
            Some("panics") => panic!("a lane panics"),
            _ => self.0.start(runtime, seed, place),
        }
    }

    fn now_ns(&self) -> u64 {
        self.0.now_ns()
    }
}

/// Notes what it hears, and may stop the run after so many launches.
#[derive(Default)]
struct Noting<'a> {
    launched: Vec<(String, u32)>,
    ended: BTreeMap<String, Outcome>,
    lanes: BTreeSet<usize>,
    stop_after: Option<(usize, &'a AtomicBool)>,
}

impl Observer for Noting<'_> {
    fn calibrated(&mut self, _: &Variant, _: &Calibration) {}

    fn launched(&mut self, launches: &[(&Variant, &Launch)]) {
        self.launched.extend(launches.iter().map(|(variant, launch)| (variant.id.clone(), launch.ordinal)));
        if let Some((most, stop)) = self.stop_after
            && self.launched.len() >= most
        {
            stop.store(true, Ordering::Relaxed);
        }
    }

    fn ended(&mut self, variant: &Variant, outcome: &Outcome) {
        assert!(self.ended.insert(variant.id.clone(), outcome.clone()).is_none(), "{} ended twice", variant.id);
    }

    fn progress(&mut self, progress: &Progress) {
        self.lanes.insert(progress.lane);
        assert!((0.0..=1.0).contains(&progress.share), "{progress:?}");
    }

    fn interrupted(&self) -> bool {
        self.stop_after.is_some_and(|(_, stop)| stop.load(Ordering::Relaxed))
    }
}

fn on(lanes: usize, groups: &[Group], settings: &Settings, observer: &mut dyn Observer) -> SuiteMeasurements {
    measure_in_lanes(groups, settings, &Cores::new(truth(), lanes), observer, Vec::new(), 0)
}

/// Everything that was drawn and sampled, by variant and launch.
fn samples(measured: &SuiteMeasurements) -> BTreeMap<(String, u32), String> {
    let all = measured.measurements.iter().flatten();
    all.flat_map(|measurement| {
        measurement.launches.iter().map(|launch| {
            let turns = launch.turns.iter().map(|turn| (turn.round, &turn.subject, &turn.iterations, &turn.elapsed));
            ((measurement.variant.id.clone(), launch.ordinal), format!("{:?}", turns.collect::<Vec<_>>()))
        })
    })
    .collect()
}

#[test]
fn what_is_measured_does_not_depend_on_the_lanes() {
    let truth = truth();
    let groups = groups(&truth);
    let mut launcher = SimulatedLauncher::new(truth);
    let alone = measure(&groups, &fixed(), &mut launcher, &mut Quiet, Vec::new(), 0);
    let expected = samples(&alone);
    let flagged = alone.comparisons.iter().filter(|compared| compared.comparison.flag.is_some()).count();
    assert!(flagged == 1 && expected.len() > 2 * 8 * GROUPS, "{flagged} flagged, {} launches", expected.len());
    for lanes in [1, 2, 5, 64] {
        let mut noting = Noting::default();
        let measured = on(lanes, &groups, &fixed(), &mut noting);
        assert_eq!(samples(&measured), expected, "{lanes} lanes");
        let verdicts = |measured: &SuiteMeasurements| -> Vec<_> {
            let said = |compared: &ComparedPair| {
                let found = &compared.comparison;
                (compared.group, found.verdict, found.pairs, found.ratio, found.typical, found.flag, found.confirmed)
            };
            measured.comparisons.iter().map(said).collect()
        };
        assert_eq!(verdicts(&measured), verdicts(&alone), "{lanes} lanes");
        // Each launch was told once, and all of them.
        let told: BTreeSet<(String, u32)> = noting.launched.iter().cloned().collect();
        assert!(told.len() == noting.launched.len() && told.iter().eq(expected.keys()), "{lanes} lanes");
        assert_eq!(noting.ended.len(), 2 * GROUPS, "{lanes} lanes");
        assert!(noting.ended.values().all(|outcome| *outcome == Outcome::Ok), "{:?}", noting.ended);
        assert!(noting.lanes.iter().all(|&lane| lane < lanes), "{:?}", noting.lanes);
    }
}

/// Takes launches out of what is measured, and notes how many there were at once.
#[derive(Default)]
struct Emptying {
    held: usize,
    most: usize,
    in_all: usize,
    first_after: Option<usize>,
}

impl Observer for Emptying {
    fn calibrated(&mut self, _: &Variant, _: &Calibration) {}

    fn launched(&mut self, launches: &[(&Variant, &Launch)]) {
        self.held += launches.len();
        self.in_all += launches.len();
        self.most = self.most.max(self.held);
    }

    fn ended(&mut self, _: &Variant, _: &Outcome) {}

    fn measured(&mut self, _: usize, measurements: &mut [Measurement], comparisons: &[ComparedPair]) {
        assert_eq!(comparisons.len(), 1);
        self.first_after.get_or_insert(self.in_all);
        for measurement in measurements {
            self.held -= std::mem::take(&mut measurement.launches).len();
        }
    }

    fn progress(&mut self, _: &Progress) {}

    fn interrupted(&self) -> bool {
        false
    }
}

/// Of many groups few are under way, so that the first is done soon and memory doesn't grow with their number.
#[test]
fn samples_of_what_is_done_can_leave_the_memory() {
    let truth = truth_of(60);
    let groups: Vec<Group> = (0..60).map(|number| group(&truth, number)).collect();
    for lanes in [1, 2] {
        let mut emptying = Emptying::default();
        let cores = Cores::new(truth.clone(), lanes);
        let measured = measure_in_lanes(&groups, &fixed(), &cores, &mut emptying, Vec::new(), 0);
        assert!(measured.measurements.iter().flatten().all(|measurement| measurement.launches.is_empty()));
        assert_eq!(measured.comparisons.len(), 60);
        let (most, in_all) = (emptying.most, emptying.in_all);
        assert!(in_all >= 60 * 16 && emptying.held == 0, "{in_all} launches, {} left", emptying.held);
        // Sixteen a lane under way, and what is flagged, which waits for its second measurement.
        assert!(most <= lanes * 16 * 16 + 3 * 16 && most < in_all / 2, "{most} of {in_all} at once");
        let first = emptying.first_after.unwrap();
        assert!(first <= lanes * 3 * 16, "the first group is done after {first} launches of {in_all}");
    }
}

#[test]
fn a_budget_is_a_groups_own_on_several_lanes() {
    let truth = truth();
    let groups = groups(&truth);
    let settings = Settings { seed: 5, ..Settings::default() };
    let mut launcher = SimulatedLauncher::new(truth);
    let alone = measure(&groups, &settings, &mut launcher, &mut Quiet, Vec::new(), 0);
    let side_by_side = on(3, &groups, &settings, &mut Quiet);
    let counts = |measured: &SuiteMeasurements| -> Vec<usize> {
        measured.measurements.iter().flatten().map(|measurement| measurement.launches.len()).collect()
    };
    assert_eq!(counts(&side_by_side), counts(&alone));
    let off = side_by_side.spent.wall_ns.abs_diff(alone.spent.wall_ns) as f64 / alone.spent.wall_ns as f64;
    assert!(off < 1e-3, "the groups take as long together: {off}");
}

#[test]
fn a_group_that_fails_leaves_the_others_as_they_are() {
    let truth = truth();
    let mut groups = groups(&truth);
    groups[4].variants[1].start.command = vec!["fails".to_owned()];
    let mut noting = Noting::default();
    let measured = on(3, &groups, &fixed(), &mut noting);
    let failed: Vec<&str> =
        noting.ended.iter().filter(|(_, outcome)| **outcome != Outcome::Ok).map(|(id, _)| id.as_str()).collect();
    assert_eq!(failed, [groups[4].variants[1].variant.id.as_str()]);
    for (number, of_group) in measured.measurements.iter().enumerate() {
        let expected = if number == 4 { 0 } else { 8 };
        let least = of_group.iter().map(|measurement| measurement.launches.len()).min().unwrap();
        assert!(least >= expected && (number == 4) == (least == 0), "group {number}: {least} launches");
    }
}

#[test]
fn a_lane_that_panics_ends_the_run_instead_of_keeping_it_waiting() {
    let truth = truth();
    let mut groups = groups(&truth);
    groups[3].variants[0].start.command = vec!["panics".to_owned()];
    // That this comes to its end is half of what is tested.
    let ended = std::panic::catch_unwind(|| on(3, &groups, &fixed(), &mut Quiet));
    assert!(ended.is_err(), "a run with a lane that panicked can't pass for one that was measured");
}

/// Stops on several lanes, and goes on with another number of them: every launch is there once, and is the one that an uninterrupted run makes.
#[test]
fn an_interruption_keeps_what_is_measured_and_the_rest_follows() {
    let truth = truth();
    let groups = groups(&truth);
    let expected = samples(&on(1, &groups, &fixed(), &mut Quiet));
    let cores = Cores::new(truth, 3);
    let mut noting = Noting { stop_after: Some((40, &cores.stop)), ..Noting::default() };
    let cut = measure_in_lanes(&groups, &fixed(), &cores, &mut noting, Vec::new(), 0);
    let kept = samples(&cut);
    assert!(kept.len() >= 40 && kept.len() < expected.len() / 2, "{} of {}", kept.len(), expected.len());
    assert!(kept.keys().eq(&noting.launched.iter().cloned().collect::<BTreeSet<_>>()), "what was told is kept");
    let outcomes = cut.measurements.iter().flatten().filter(|measurement| measurement.outcome == Outcome::Interrupted);
    assert!(outcomes.count() > GROUPS, "most aren't through");
    assert!(cores.served.load(Ordering::Relaxed) >= 20);
    let earlier_run: EarlierLaunches =
        cut.measurements.into_iter().map(|of_group| of_group.into_iter().map(earlier_variant).collect()).collect();
    let used_ns = used_ns(&earlier_run);
    let earlier: BTreeSet<(String, u32)> = kept.keys().cloned().collect();
    let cores = Cores::new(self::truth(), 2);
    let whole = measure_in_lanes(&groups, &fixed(), &cores, &mut Quiet, earlier_run, 0);
    for measurement in whole.measurements.iter().flatten() {
        let id = &measurement.variant.id;
        let follow = measurement.launches.iter().filter(|launch| !earlier.contains(&(id.clone(), launch.ordinal)));
        assert!(follow.into_iter().all(|launch| launch.started_ns >= used_ns), "{id}: its time goes on");
    }
    assert_eq!(samples(&whole).keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>());
    assert!(whole.measurements.iter().flatten().all(|measurement| measurement.outcome == Outcome::Ok));
    let differ = samples(&whole).iter().filter(|(key, drawn)| expected[*key] != **drawn).count();
    assert_eq!(differ, 0, "launches that an interruption has shifted draw the same");
}

fn earlier_variant(found: Measurement) -> EarlierVariant {
    EarlierVariant { calibration: found.calibration, launches: found.launches }
}

/// Nothing is left of the time of a suite that is resumed: what has its six launches says what these say, and the others are left out.
#[test]
fn what_an_interruption_kept_is_judged_though_no_time_is_left() {
    let truth = truth();
    let groups = groups(&truth);
    let first = on(2, &groups, &Settings { launches: Some(6), ..fixed() }, &mut Quiet);
    let kept = |(number, of_group): (usize, Vec<Measurement>)| {
        let most = if number % 2 == 0 { 6 } else { 5 };
        let keep = |found: Measurement| {
            let earlier = earlier_variant(found);
            EarlierVariant { launches: earlier.launches.into_iter().take(most).collect(), ..earlier }
        };
        of_group.into_iter().map(keep).collect()
    };
    let made: EarlierLaunches = first.measurements.into_iter().enumerate().map(kept).collect();
    let settings = Settings { launches: None, total: Some(Duration::ZERO), ..fixed() };
    for lanes in [1, 2] {
        let cores = Cores::new(self::truth(), lanes);
        let found = measure_in_lanes(&groups, &settings, &cores, &mut Quiet, made.clone(), 0);
        for compared in &found.comparisons {
            let is_kept = compared.group % 2 == 0;
            assert_eq!(compared.comparison.pairs, if is_kept { 6 } else { 0 }, "{lanes} lanes: {compared:?}");
            assert!(!is_kept || compared.comparison.ratio.is_some() && !compared.comparison.verdict.is_difference());
        }
    }
}

/// CPUs of which each two are threads of a core, though nobody says so: pairs scatter while more are at work than there are cores.
struct Siblings {
    quiet: Cores,
    disturbed: Cores,
    at_work: Arc<AtomicUsize>,
    given_up: std::sync::Mutex<Option<f64>>,
    may_pause: bool,
}

impl Siblings {
    /// Half of `cpus` are cores, and two threads of one slow each other by up to `slower`, a part.
    fn new(groups: usize, cpus: usize, slower: f64, may_pause: bool) -> Self {
        let quiet = truth_of(groups);
        let disturbed = |case: &CaseTruth| CaseTruth {
            launch_spread: case.launch_spread.hypot(slower / 12f64.sqrt()),
            ..case.clone()
        };
        let disturbed = Truth { cases: quiet.cases.iter().map(disturbed).collect(), ..quiet.clone() };
        let (quiet, disturbed) = (Cores::new(quiet, cpus), Cores::new(disturbed, cpus));
        Self { quiet, disturbed, at_work: Arc::new(AtomicUsize::new(cpus)), given_up: None.into(), may_pause }
    }
}

impl Lanes for Siblings {
    fn count(&self) -> usize {
        self.quiet.count
    }

    fn launcher(&self, lane: usize) -> Box<dyn Launcher> {
        let cores = self.quiet.count / 2;
        let on = [self.quiet.launcher(lane), self.disturbed.launcher(lane)];
        Box::new(Thread { on, at_work: Arc::clone(&self.at_work), cores })
    }

    fn is_stopped(&self) -> bool {
        false
    }

    fn may_pause(&self) -> bool {
        self.may_pause
    }

    fn are_at_work(&self, count: usize, wider: Option<f64>) {
        self.at_work.store(count, Ordering::Relaxed);
        if wider.is_some() {
            *self.given_up.lock().unwrap() = wider;
        }
    }
}

struct Thread {
    on: [Box<dyn Launcher>; 2],
    at_work: Arc<AtomicUsize>,
    cores: usize,
}

impl Launcher for Thread {
    fn start(&mut self, runtime: &RuntimeCommand, seed: u64, place: ProcessPlacement) -> Result<Starting, Failure> {
        let is_disturbed = self.at_work.load(Ordering::Relaxed) > self.cores;
        self.on[usize::from(is_disturbed)].start(runtime, seed, place)
    }

    fn now_ns(&self) -> u64 {
        self.on.iter().map(|launcher| launcher.now_ns()).sum()
    }
}

/// The median over groups of the half-width of the ratio, and what was given up.
fn half_width(groups: usize, cpus: usize, slower: f64, may_pause: bool) -> (f64, Option<f64>) {
    let truth = truth_of(groups);
    let groups: Vec<Group> = (0..groups).map(|number| group(&truth, number)).collect();
    let lanes = Siblings::new(groups.len(), cpus, slower, may_pause);
    let settings = Settings { launches: Some(20), ..fixed() };
    let measured = measure_in_lanes(&groups, &settings, &lanes, &mut Quiet, Vec::new(), 0);
    let mut widths: Vec<f64> = measured
        .comparisons
        .iter()
        .filter_map(|compared| compared.comparison.ratio)
        .map(|ratio| ratio.half_width())
        .collect();
    assert_eq!(widths.len(), groups.len());
    widths.sort_by(f64::total_cmp);
    (widths[widths.len() / 2], *lanes.given_up.lock().unwrap())
}

#[test]
fn threads_that_share_a_core_are_given_up_while_they_measure() {
    for (cpus, groups) in [(4, 30), (16, 96)] {
        let (alone, _) = half_width(groups, cpus, 0.0, false);
        let (all, none) = half_width(groups, cpus, 0.3, false);
        let (left, given_up) = half_width(groups, cpus, 0.3, true);
        assert!(none.is_none() && all > 3.0 * alone, "{cpus} CPUs: {all} with all, {alone} alone");
        assert!(given_up.is_some() && left <= 1.2 * alone, "{cpus} CPUs: {left}, {alone} alone, {given_up:?}");
    }
}
