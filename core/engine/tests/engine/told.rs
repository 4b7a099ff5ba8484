//! When an observer hears of a launch, and where the time of a measurement went.

use std::cell::RefCell;
use std::rc::Rc;

use tare_engine::{Observer, Progress, measure};
use tare_plan::{Group, Settings};
use tare_samples::{Calibration, Failure, Launch, Outcome, RuntimeCommand, Variant};
use tare_simulation::{CaseTruth, Noise, Scale, SimulatedLauncher, Truth};
use tare_validation::simulated::group;
use tare_worker::{Launcher, ProcessPlacement, Starting};

#[derive(Debug, PartialEq, Eq, Clone, Copy)]
enum Happened {
    /// A process was started.
    Started,
    /// A launch was told of.
    Told(u32),
    Ended,
}

type Log = Rc<RefCell<Vec<Happened>>>;

struct Logged(SimulatedLauncher, Log);

impl Launcher for Logged {
    fn start(&mut self, runtime: &RuntimeCommand, seed: u64, place: ProcessPlacement) -> Result<Starting, Failure> {
        self.1.borrow_mut().push(Happened::Started);
        self.0.start(runtime, seed, place)
    }

    fn now_ns(&self) -> u64 {
        self.0.now_ns()
    }
}

struct Hearing(Log);

impl Observer for Hearing {
    fn calibrated(&mut self, _: &Variant, _: &Calibration) {}

    fn launched(&mut self, launches: &[(&Variant, &Launch)]) {
        self.0.borrow_mut().extend(launches.iter().map(|(_, launch)| Happened::Told(launch.ordinal)));
    }

    fn ended(&mut self, _: &Variant, _: &Outcome) {
        self.0.borrow_mut().push(Happened::Ended);
    }

    fn progress(&mut self, _: &Progress) {}

    fn interrupted(&self) -> bool {
        false
    }
}

fn truth() -> Truth {
    let case = CaseTruth {
        name: "case".to_owned(),
        time_ns: 300.0,
        noise: Noise::Gaussian { spread: 0.02 },
        ..CaseTruth::default()
    };
    Truth { seed: 3, scale: Scale::default(), cases: vec![case.clone(), case] }
}

/// The first case by itself.
fn alone(truth: &Truth) -> Group {
    let mut group = group(truth, 0);
    group.variants.truncate(1);
    Group { pairs: Vec::new(), ..group }
}

#[test]
fn a_launch_is_told_of_while_the_next_one_starts_and_the_last_one_before_its_end() {
    let (truth, log) = (truth(), Log::default());
    let groups = vec![alone(&truth)];
    let settings = Settings { seed: 5, launches: Some(4), ..Settings::default() };
    let mut launcher = Logged(SimulatedLauncher::new(truth), Rc::clone(&log));
    measure(&groups, &settings, &mut launcher, &mut Hearing(Rc::clone(&log)), Vec::new(), 0);
    use Happened::{Ended, Started, Told};
    // The first process is the pilot's.
    let wanted = [Started, Started, Started, Told(0), Started, Told(1), Started, Told(2), Told(3), Ended];
    assert_eq!(*log.borrow(), wanted);
}

#[test]
fn the_time_of_a_run_is_named() {
    let truth = truth();
    let groups = vec![alone(&truth)];
    let settings = Settings { seed: 5, launches: Some(6), ..Settings::default() };
    let mut launcher = SimulatedLauncher::new(truth);
    let measured = measure(&groups, &settings, &mut launcher, &mut Hearing(Log::default()), Vec::new(), 0);
    let spent = measured.spent;
    assert!(spent.case_ns > 0 && spent.startup_ns > 0 && spent.untimed_ns > 0, "{spent:?}");
    // On a simulated machine Tare itself takes no time.
    assert_eq!(spent.rest_ns(), 0, "{spent:?}");
    let named = spent.timed_ns() + spent.startup_ns + spent.untimed_ns;
    assert!(named.abs_diff(spent.wall_ns) <= spent.wall_ns / 1000, "{spent:?}");
}
