//! One group: pilot, launches, rounds, turns.

use tare_plan::{Group, Settings, launch_seed, round_order};
use tare_samples::{Calibration, Launch, Measurement, Outcome, Subject};
use tare_statistics::allocation::Spread;
use tare_statistics::{estimate, estimate_sequential, spread};
use tare_worker::Launcher;

use crate::lane::Lane;
use crate::schedule::{Costs, Schedule, is_look};
use crate::{Observer, Spent, pilot};

/// What a group needs from outside for every step.
pub(crate) struct Bench<'a> {
    pub(crate) settings: &'a Settings,
    pub(crate) launcher: &'a mut dyn Launcher,
    pub(crate) observer: &'a mut dyn Observer,
    /// The run's start on the launcher's clock.
    pub(crate) run_begun_ns: u64,
}

/// The run was interrupted.
pub(crate) struct Interrupted;

/// A group on its way from the pilot to its last launch.
pub(crate) struct GroupRun<'a> {
    number: u64,
    lanes: Vec<Lane<'a>>,
    spent: Spent,
    costs: Costs,
    schedule: Schedule,
    done: bool,
}

impl<'a> GroupRun<'a> {
    /// A group before its pilot. `made`: see [`crate::measure`].
    pub(crate) fn new(group: &'a Group, number: u64, made: Vec<(Option<Calibration>, Vec<Launch>)>) -> Self {
        let mut lanes: Vec<Lane<'a>> = group.variants.iter().map(Lane::new).collect();
        for (lane, (calibration, launches)) in lanes.iter_mut().zip(made) {
            lane.earlier = calibration.filter(|_| !launches.is_empty());
            lane.launches = launches;
        }
        for lane in &mut lanes {
            if let Some(reason) = &lane.planned.variant.case.settings.skip {
                lane.outcome = Some(Outcome::Skipped(reason.clone()));
            }
        }
        let schedule = Schedule { launches: tare_plan::MINIMUM_LAUNCHES, rounds: 1 };
        let mut run = Self { number, lanes, spent: Spent::default(), costs: Costs::default(), schedule, done: false };
        run.done = run.live() == 0;
        run
    }

    /// Nothing is left to do.
    pub(crate) fn is_done(&self) -> bool {
        self.done
    }

    /// Launches made, and planned.
    pub(crate) fn launches(&self) -> (u32, u32) {
        (self.made(), self.schedule.launches)
    }

    /// What the launches still planned will take, in nanoseconds.
    pub(crate) fn left_ns(&self) -> f64 {
        let launches = if self.done { 0 } else { self.schedule.launches.saturating_sub(self.made()) };
        f64::from(launches) * (self.costs.launch_ns + f64::from(self.schedule.rounds) * self.costs.round_ns)
    }

    /// The measurements so far, and where their time went.
    pub(crate) fn into_measurements(self) -> (Vec<Measurement>, Spent) {
        let otherwise = if self.done { Outcome::Ok } else { Outcome::Interrupted };
        (self.lanes.into_iter().map(|lane| lane.into_measurement(otherwise.clone())).collect(), self.spent)
    }

    fn live(&self) -> usize {
        self.lanes.iter().filter(|lane| lane.is_live()).count()
    }

    fn made(&self) -> u32 {
        self.lanes.iter().filter(|lane| lane.is_live()).map(|lane| lane.launches.len() as u32).min().unwrap_or(0)
    }

    /// The pilot launch: calibrates every lane and makes the first plan.
    pub(crate) fn pilot(&mut self, bench: &mut Bench<'_>) -> Result<(), Interrupted> {
        let begun_ns = bench.launcher.now_ns();
        let piloted = self.calibrate(bench);
        self.spent.wall_ns += bench.launcher.now_ns() - begun_ns;
        piloted?;
        let already = self.made();
        self.schedule = Schedule::first(bench.settings, &self.costs, self.budget_left(bench), self.fixed_rounds(bench));
        // What was measured before an interruption has had its share of the budget.
        self.schedule.launches = self.schedule.launches.max(already);
        self.done = self.live() == 0 || already >= self.schedule.launches;
        self.tell_if_done(bench);
        Ok(())
    }

    /// The next launch, and what follows from it.
    pub(crate) fn next(&mut self, bench: &mut Bench<'_>) -> Result<(), Interrupted> {
        for lane in &mut self.lanes {
            lane.calibration.rounds = self.schedule.rounds;
        }
        let begun_ns = bench.launcher.now_ns();
        let launched = self.launch(bench);
        let took_ns = bench.launcher.now_ns() - begun_ns;
        self.spent.wall_ns += took_ns;
        let rounds_ns = launched?;
        // The pilot's costs were a first guess; the launches themselves know better.
        self.costs.round_ns = rounds_ns / f64::from(self.schedule.rounds);
        self.costs.launch_ns = took_ns as f64 - rounds_ns;

        let made = self.made();
        let left_ns = self.budget_left(bench);
        if made == 3
            && self.schedule.launches > 3
            && let Some(spread) = self.spread()
        {
            let fixed = self.fixed_rounds(bench);
            self.schedule = self.schedule.again(bench.settings, &self.costs, left_ns, made, &spread, fixed);
        }
        let used_up = bench.settings.launches.is_none()
            && made >= tare_plan::MINIMUM_LAUNCHES
            && left_ns < self.costs.launch_ns + rounds_ns * 0.5;
        self.done =
            self.live() == 0 || made >= self.schedule.launches || used_up || self.is_precise_enough(bench, made);
        self.tell_if_done(bench);
        Ok(())
    }

    fn tell_if_done(&self, bench: &mut Bench<'_>) {
        for lane in self.lanes.iter().filter(|_| self.done) {
            if lane.calibrated {
                // Once more, with the rounds that were made.
                bench.observer.calibrated(&lane.planned.variant, &lane.calibration);
            }
            bench.observer.ended(&lane.planned.variant, lane.outcome.as_ref().unwrap_or(&Outcome::Ok));
        }
    }

    fn budget_left(&self, bench: &Bench<'_>) -> f64 {
        self.budget_ns(bench.settings) - self.spent.wall_ns as f64
    }

    fn budget_ns(&self, settings: &Settings) -> f64 {
        let each = match (settings.precision, settings.budget_given) {
            // A wanted precision without a budget may take its time, but not for ever.
            (Some(_), false) => 15.0 * settings.budget.as_nanos() as f64,
            _ => settings.budget.as_nanos() as f64,
        };
        each * self.live().max(1) as f64
    }

    /// The rounds that take the wanted number of samples a launch.
    fn fixed_rounds(&self, bench: &Bench<'_>) -> Option<u32> {
        self.lanes
            .iter()
            .filter(|lane| lane.is_live())
            .filter_map(|lane| {
                let wanted = lane.wanted_samples(bench.settings)?.max(1);
                Some(u32::try_from(wanted.div_ceil(lane.calibration.samples_per_turn.max(1))).unwrap_or(u32::MAX))
            })
            .max()
    }

    /// Starts every live lane; the pilot launch when `ordinal` is `None`.
    fn open(&mut self, bench: &mut Bench<'_>, ordinal: Option<u32>) {
        for index in 0..self.lanes.len() {
            if self.lanes[index].is_live() {
                // By the variant's own name and launch: whatever an interruption left of the group, no seed comes twice.
                let ordinal = ordinal.map_or(u64::MAX, |_| self.lanes[index].launches.len() as u64);
                let seed = launch_seed(bench.settings.seed, &self.lanes[index].planned.variant.id, ordinal);
                self.lanes[index].start(bench.launcher, bench.settings, seed, bench.run_begun_ns);
            }
        }
    }

    fn abandon(&mut self) -> Interrupted {
        self.lanes.iter_mut().for_each(Lane::abandon);
        Interrupted
    }

    fn calibrate(&mut self, bench: &mut Bench<'_>) -> Result<(), Interrupted> {
        let begun_ns = bench.launcher.now_ns();
        self.open(bench, None);
        let opened_ns = bench.launcher.now_ns();
        for index in 0..self.lanes.len() {
            if bench.observer.interrupted() {
                return Err(self.abandon());
            }
            let lane = &mut self.lanes[index];
            if lane.is_open() && pilot::calibrate(lane, bench.launcher, bench.settings) {
                if let Some(earlier) = lane.earlier.take() {
                    lane.calibration = earlier;
                }
                bench.observer.calibrated(&lane.planned.variant, &lane.calibration);
            }
        }
        // One round as the launches will make them, to see what it costs.
        let round_begun_ns = bench.launcher.now_ns();
        self.round(bench, u64::MAX, 0);
        self.costs.round_ns = (bench.launcher.now_ns() - round_begun_ns) as f64;
        let closing_ns = bench.launcher.now_ns();
        for lane in &mut self.lanes {
            if let Some(launch) = lane.finish(bench.launcher, bench.settings) {
                self.spent.add_pilot(&launch);
            }
        }
        self.costs.launch_ns = (opened_ns - begun_ns + bench.launcher.now_ns() - closing_ns) as f64;
        Ok(())
    }

    /// One launch of all live lanes. Nanoseconds spent in its rounds.
    fn launch(&mut self, bench: &mut Bench<'_>) -> Result<f64, Interrupted> {
        let ordinal = self.made();
        self.open(bench, Some(ordinal));
        let begun_ns = bench.launcher.now_ns();
        for round in 0..self.schedule.rounds {
            if bench.observer.interrupted() {
                return Err(self.abandon());
            }
            self.round(bench, u64::from(ordinal), round);
        }
        let rounds_ns = (bench.launcher.now_ns() - begun_ns) as f64;
        for lane in &mut self.lanes {
            if let Some(launch) = lane.finish(bench.launcher, bench.settings) {
                self.spent.add_launch(&launch);
                bench.observer.launched(&lane.planned.variant, &launch);
                lane.launches.push(launch);
            }
        }
        Ok(rounds_ns)
    }

    /// Every subject of every lane takes one turn, in random order.
    fn round(&mut self, bench: &mut Bench<'_>, ordinal: u64, round: u32) {
        let turns: Vec<(usize, Subject)> = self
            .lanes
            .iter()
            .enumerate()
            .filter(|(_, lane)| lane.is_open())
            .flat_map(|(index, lane)| lane.subjects(round).into_iter().map(move |subject| (index, subject)))
            .collect();
        for turn in round_order(bench.settings.seed, self.number, ordinal, u64::from(round), turns.len()) {
            let (index, subject) = &turns[turn];
            let place = [self.number, ordinal, u64::from(round), turn as u64];
            self.lanes[*index].scheduled_turn(bench.launcher, bench.settings, round, subject.clone(), place);
        }
    }

    fn is_precise_enough(&self, bench: &Bench<'_>, made: u32) -> bool {
        let Some(precision) = bench.settings.precision else { return false };
        is_look(made)
            && self.lanes.iter().filter(|lane| lane.is_live()).all(|lane| {
                let correction = lane.planned.variant.runtime.correction;
                let time = estimate_sequential(&lane.launches, &lane.calibration, correction).time;
                // What can't be told from 0 has no relative precision, and would keep its partners for ever.
                time.holds(0.0) || time.half_width() <= precision * time.estimate.abs()
            })
    }

    /// The spread of the live lane whose launches scatter most for its time.
    fn spread(&self) -> Option<Spread> {
        let relative = |lane: &Lane<'_>| {
            let spread = spread(&lane.launches, &lane.calibration)?;
            let correction = lane.planned.variant.runtime.correction;
            let raw = estimate(&lane.launches, &lane.calibration, correction).raw.estimate.max(f64::MIN_POSITIVE);
            Some((spread.between_launches / (raw * raw), spread))
        };
        self.lanes
            .iter()
            .filter(|lane| lane.is_live())
            .filter_map(relative)
            .max_by(|a, b| a.0.total_cmp(&b.0))
            .map(|(_, spread)| spread)
    }
}
