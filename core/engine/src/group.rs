//! Measures one group: pilot, launches, rounds, turns.

use tare_plan::{Group, Settings, launch_seed, round_order};
use tare_samples::{Calibration, Launch, Measurement, Outcome, Subject, Variant};
use tare_statistics::allocation::Spread;
use tare_statistics::{estimate, spread};
use tare_worker::Launcher;

use crate::lane::Lane;
use crate::schedule::{Costs, Schedule, is_look};
use crate::{Spent, pilot};

/// How far a group is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// Launches made.
    pub launches: u32,
    /// Launches planned.
    pub of: u32,
    /// Share of the group's work that is done, from 0 to 1.
    pub share: f64,
    /// Estimated time left for the group, in nanoseconds.
    pub left_ns: f64,
}

/// Who wants to know while a group is measured. Called between launches and rounds, never during a turn.
pub trait Observer {
    /// A variant was calibrated.
    fn calibrated(&mut self, variant: &Variant, calibration: &Calibration);

    /// A launch was made: what is to survive a kill must be kept before this returns.
    fn launched(&mut self, variant: &Variant, launch: &Launch);

    /// The group got on.
    fn progress(&mut self, progress: &Progress);

    /// The user wants to stop.
    fn interrupted(&self) -> bool;
}

/// Measures a group. `number` is its place in the run; `made` are the launches of an earlier, interrupted run for each
/// variant, with their calibration. `run_begun_ns` is the run's start on the launcher's clock. A variant that fails
/// keeps what was measured of it, and the others go on.
pub fn measure(
    group: &Group,
    number: u64,
    settings: &Settings,
    launcher: &mut dyn Launcher,
    observer: &mut dyn Observer,
    made: Vec<(Option<Calibration>, Vec<Launch>)>,
    run_begun_ns: u64,
) -> (Vec<Measurement>, Spent) {
    let mut run = GroupRun {
        number,
        settings,
        launcher,
        observer,
        lanes: group.variants.iter().map(Lane::new).collect(),
        spent: Spent::default(),
        run_begun_ns,
    };
    for (lane, (calibration, launches)) in run.lanes.iter_mut().zip(made) {
        lane.earlier = calibration.filter(|_| !launches.is_empty());
        lane.launches = launches;
    }
    for lane in &mut run.lanes {
        if let Some(reason) = &lane.planned.variant.case.settings.skip {
            lane.outcome = Some(Outcome::Skipped(reason.clone()));
        }
    }
    let begun_ns = run.launcher.now_ns();
    let complete = run.measure();
    run.spent.wall_ns = run.launcher.now_ns() - begun_ns;
    let otherwise = if complete { Outcome::Ok } else { Outcome::Interrupted };
    let spent = run.spent;
    (run.lanes.into_iter().map(|lane| lane.into_measurement(otherwise.clone())).collect(), spent)
}

struct GroupRun<'a> {
    number: u64,
    settings: &'a Settings,
    launcher: &'a mut dyn Launcher,
    observer: &'a mut dyn Observer,
    lanes: Vec<Lane<'a>>,
    spent: Spent,
    run_begun_ns: u64,
}

impl GroupRun<'_> {
    fn live(&self) -> usize {
        self.lanes.iter().filter(|lane| lane.is_live()).count()
    }

    fn made(&self) -> u32 {
        self.lanes.iter().filter(|lane| lane.is_live()).map(|lane| lane.launches.len() as u32).min().unwrap_or(0)
    }

    /// `false` when it was interrupted.
    fn measure(&mut self) -> bool {
        if self.live() == 0 {
            return true;
        }
        let begun_ns = self.launcher.now_ns();
        let already = self.made();
        let Some(mut costs) = self.pilot() else { return !self.observer.interrupted() };
        if self.live() == 0 {
            return true;
        }
        let budget_ns = self.budget_ns();
        let fixed = self.fixed_rounds();
        let left = |now_ns: u64| budget_ns - (now_ns - begun_ns) as f64;
        let mut schedule = Schedule::first(self.settings, &costs, left(self.launcher.now_ns()), fixed);
        if already > 0 {
            // What was measured before the interruption has had its share of the budget.
            schedule.launches = schedule.launches.max(already);
        }
        while self.made() < schedule.launches && self.live() > 0 {
            if self.observer.interrupted() {
                return false;
            }
            for lane in &mut self.lanes {
                lane.calibration.rounds = schedule.rounds;
            }
            let launch_begun_ns = self.launcher.now_ns();
            let Some(rounds_ns) = self.launch(&schedule) else { return false };
            let made = self.made();
            let now_ns = self.launcher.now_ns();
            // The pilot's costs were a first guess; the launches themselves know better.
            costs.round_ns = rounds_ns / f64::from(schedule.rounds);
            costs.launch_ns = (now_ns - launch_begun_ns) as f64 - rounds_ns;
            if self.is_precise_enough(made) {
                break;
            }
            if made == 3 && schedule.launches > 3 {
                if let Some(spread) = self.spread() {
                    schedule = schedule.again(self.settings, &costs, left(now_ns), made, &spread, fixed);
                }
            } else if self.settings.launches.is_none()
                && made >= tare_plan::MINIMUM_LAUNCHES
                && left(now_ns) < costs.launch_ns + rounds_ns * 0.5
            {
                break;
            }
        }
        true
    }

    fn budget_ns(&self) -> f64 {
        let each = match (self.settings.precision, self.settings.budget_given) {
            // A wanted precision without a budget may take its time, but not for ever.
            (Some(_), false) => 15.0 * self.settings.budget.as_nanos() as f64,
            _ => self.settings.budget.as_nanos() as f64,
        };
        each * self.lanes.len() as f64
    }

    /// The rounds that take the wanted number of samples a launch.
    fn fixed_rounds(&self) -> Option<u32> {
        self.lanes
            .iter()
            .filter(|lane| lane.is_live())
            .filter_map(|lane| {
                let wanted = lane.wanted_samples(self.settings)?.max(1);
                Some(wanted.div_ceil(lane.calibration.samples_per_turn.max(1)) as u32)
            })
            .max()
    }

    /// Starts every live lane; the pilot launch when `ordinal` is `None`.
    fn open(&mut self, ordinal: Option<u32>) {
        for index in 0..self.lanes.len() {
            if self.lanes[index].is_live() {
                let ordinal = ordinal.map_or(u64::MAX, u64::from);
                let seed = launch_seed(self.settings.seed, self.number, index as u64, ordinal);
                self.lanes[index].start(self.launcher, self.settings, seed, self.run_begun_ns);
            }
        }
    }

    fn pilot(&mut self) -> Option<Costs> {
        let begun_ns = self.launcher.now_ns();
        self.open(None);
        let opened_ns = self.launcher.now_ns();
        for index in 0..self.lanes.len() {
            if self.observer.interrupted() {
                self.lanes.iter_mut().for_each(Lane::abandon);
                return None;
            }
            let lane = &mut self.lanes[index];
            if lane.is_open() && pilot::calibrate(lane, self.launcher, self.settings) {
                if let Some(earlier) = lane.earlier.take() {
                    lane.calibration = earlier;
                }
                self.observer.calibrated(&lane.planned.variant, &lane.calibration);
            }
        }
        // One round as the launches will make them, to see what it costs.
        let round_begun_ns = self.launcher.now_ns();
        self.round(u64::MAX, 0);
        let round_ns = (self.launcher.now_ns() - round_begun_ns) as f64;
        let closing_ns = self.launcher.now_ns();
        for lane in &mut self.lanes {
            if let Some(launch) = lane.finish(self.launcher, self.settings) {
                self.spent.add_pilot(&launch);
            }
        }
        let launch_ns = (opened_ns - begun_ns + self.launcher.now_ns() - closing_ns) as f64;
        Some(Costs { launch_ns, round_ns })
    }

    /// One launch of all live lanes. Nanoseconds spent in its rounds; `None` when it was interrupted.
    fn launch(&mut self, schedule: &Schedule) -> Option<f64> {
        let ordinal = self.made();
        self.open(Some(ordinal));
        let begun_ns = self.launcher.now_ns();
        for round in 0..schedule.rounds {
            if self.observer.interrupted() {
                self.lanes.iter_mut().for_each(Lane::abandon);
                return None;
            }
            self.round(u64::from(ordinal), round);
            let within = f64::from(round + 1) / f64::from(schedule.rounds);
            let share = ((f64::from(ordinal) + within) / f64::from(schedule.launches)).min(1.0);
            let took_ns = (self.launcher.now_ns() - begun_ns) as f64 / within;
            self.observer.progress(&Progress {
                launches: ordinal,
                of: schedule.launches,
                share,
                left_ns: took_ns * (1.0 - share) * f64::from(schedule.launches),
            });
        }
        let rounds_ns = (self.launcher.now_ns() - begun_ns) as f64;
        for lane in &mut self.lanes {
            if let Some(launch) = lane.finish(self.launcher, self.settings) {
                self.spent.add_launch(&launch);
                self.observer.launched(&lane.planned.variant, &launch);
                lane.launches.push(launch);
            }
        }
        Some(rounds_ns)
    }

    /// Every subject of every lane takes one turn, in random order.
    fn round(&mut self, ordinal: u64, round: u32) {
        let turns: Vec<(usize, Subject)> = self
            .lanes
            .iter()
            .enumerate()
            .filter(|(_, lane)| lane.is_open())
            .flat_map(|(index, lane)| lane.subjects(round).into_iter().map(move |subject| (index, subject)))
            .collect();
        for turn in round_order(self.settings.seed, self.number, ordinal, u64::from(round), turns.len()) {
            let (index, subject) = &turns[turn];
            let place = [self.number, ordinal, u64::from(round), turn as u64];
            self.lanes[*index].scheduled_turn(self.launcher, self.settings, round, subject.clone(), place);
        }
    }

    fn is_precise_enough(&self, made: u32) -> bool {
        let Some(precision) = self.settings.precision else { return false };
        is_look(made)
            && self.lanes.iter().filter(|lane| lane.is_live()).all(|lane| {
                let time = estimate(&lane.launches, &lane.calibration, lane.planned.variant.runtime.correction).time;
                time.half_width() <= precision * time.estimate.abs()
            })
    }

    /// The spread of the live lane whose launches scatter most.
    fn spread(&self) -> Option<Spread> {
        self.lanes
            .iter()
            .filter(|lane| lane.is_live())
            .filter_map(|lane| spread(&lane.launches, &lane.calibration))
            .max_by(|a, b| a.between_launches.total_cmp(&b.between_launches))
    }
}
