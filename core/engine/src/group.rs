//! One group: pilot, launches, rounds, turns.

mod compared;
mod overrun;

use tare_plan::{Group, Settings, launch_address, launch_seed, round_order};
use tare_samples::{Calibration, Failure, FailureKind, Launch, Measurement, Outcome, Subject, Variant};
use tare_statistics::allocation::Spread;
use tare_statistics::comparison::State;
use tare_statistics::{estimate, estimate_sequential, spread};
use tare_worker::{Conversation, Launcher, Place};

use crate::comparing::Contest;
use crate::schedule::{Costs, Schedule, is_look};
use crate::variant_run::VariantRun;
use crate::{Observer, Spent, pilot};

/// What a group needs from outside for every step.
pub(crate) struct Bench<'a> {
    pub(crate) settings: &'a Settings,
    pub(crate) launcher: &'a mut dyn Launcher,
    pub(crate) observer: &'a mut dyn Observer,
    /// The run's start on the launcher's clock.
    pub(crate) run_begun_ns: u64,
    /// Processes of the last launch, which end while the next ones start; none is left when those take their first turn.
    pub(crate) ending: Vec<Conversation>,
}

impl Bench<'_> {
    /// Waits until all processes that were told to end have done so.
    pub(crate) fn settle(&mut self) {
        self.ending.drain(..).for_each(Conversation::close);
    }
}

/// The place of a launch's order of starting among the orders of its rounds.
const OPENING: u64 = u64::MAX;
/// The place of the order in which a launch's heaps are let grow.
const GROWING: u64 = u64::MAX - 1;
/// Rounds of a comparison differ in what belongs to them; so many show what they cost.
const PILOT_ROUNDS: u32 = 4;

/// The run was interrupted.
pub(crate) struct Interrupted;

/// A group on its way from the pilot to its last launch.
pub(crate) struct GroupRun<'a> {
    number: u64,
    variants: Vec<VariantRun<'a>>,
    contests: Vec<Contest>,
    /// The number of the next launch; variants that rest have fewer of them.
    ordinal: u32,
    /// The first measurement is over; what is flagged is measured a second time.
    second: bool,
    spent: Spent,
    costs: Costs,
    schedule: Schedule,
    done: bool,
}

impl<'a> GroupRun<'a> {
    /// A group before its pilot. `made`: see [`crate::measure`].
    pub(crate) fn new(
        group: &'a Group,
        number: u64,
        settings: &Settings,
        made: Vec<(Option<Calibration>, Vec<Launch>)>,
    ) -> Self {
        let mut variants: Vec<VariantRun<'a>> = group.variants.iter().map(VariantRun::new).collect();
        let contests: Vec<Contest> = group.pairs.iter().map(|&pair| Contest::new(pair, &variants, settings)).collect();
        for contest in &contests {
            variants[contest.pair.base].compared = true;
            variants[contest.pair.candidate].compared = true;
        }
        for (variant, (calibration, launches)) in variants.iter_mut().zip(made) {
            variant.earlier = calibration.filter(|_| !launches.is_empty());
            variant.launches = launches;
        }
        for variant in &mut variants {
            if let Some(reason) = &variant.planned.variant.case.settings.skip {
                variant.fail(Failure::new(FailureKind::Skipped, reason.clone(), String::new()));
            }
        }
        let schedule = Schedule { launches: tare_plan::MINIMUM_LAUNCHES, rounds: 1 };
        let ordinal =
            variants.iter().flat_map(|variant| &variant.launches).map(|launch| launch.ordinal + 1).max().unwrap_or(0);
        let mut run = Self {
            number,
            variants,
            contests,
            ordinal,
            second: false,
            spent: Spent::default(),
            costs: Costs::default(),
            schedule,
            done: false,
        };
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

    /// The measurements so far, the comparisons with whether each was cut short, and where the time went.
    pub(crate) fn into_measurements(self) -> (Vec<Measurement>, Vec<(Contest, bool)>, Spent) {
        let otherwise = if self.done { Outcome::Ok } else { Outcome::Interrupted };
        let cut_short: Vec<bool> = self
            .contests
            .iter()
            .map(|contest| {
                !self.done && (contest.is_open(&self.variants) || matches!(contest.live.state(), State::Flagged(_)))
            })
            .collect();
        let contests = self.contests.into_iter().zip(cut_short).collect();
        let measurements =
            self.variants.into_iter().map(|variant| variant.into_measurement(otherwise.clone())).collect();
        (measurements, contests, self.spent)
    }

    fn live(&self) -> usize {
        self.variants.iter().filter(|variant| variant.is_live()).count()
    }

    fn made(&self) -> u32 {
        if !self.contests.is_empty() {
            return self.ordinal;
        }
        self.variants
            .iter()
            .filter(|variant| variant.is_live())
            .map(|variant| variant.launches.len() as u32)
            .min()
            .unwrap_or(0)
    }

    /// The pilot launch: calibrates every variant and makes the first plan.
    pub(crate) fn pilot(&mut self, bench: &mut Bench<'_>) -> Result<(), Interrupted> {
        let begun_ns = bench.launcher.now_ns();
        let piloted = self.calibrate(bench);
        self.spent.wall_ns += bench.launcher.now_ns() - begun_ns;
        piloted?;
        let already = self.made();
        let (left_ns, fixed) = (self.budget_left(bench), self.fixed_rounds(bench));
        if self.contests.is_empty() {
            self.schedule = Schedule::first(bench.settings, &self.costs, left_ns, fixed);
            // What was measured before an interruption has had its share of the budget.
            self.schedule.launches = self.schedule.launches.max(already);
            self.done = self.live() == 0 || already >= self.schedule.launches;
        } else {
            self.schedule = Schedule::compared(bench.settings, &self.costs, left_ns, fixed);
            self.replay(already);
            self.done = !self.rest_or_wake();
        }
        self.tell_if_done(bench);
        Ok(())
    }

    /// The next launch, and what follows from it.
    pub(crate) fn next(&mut self, bench: &mut Bench<'_>) -> Result<(), Interrupted> {
        for variant in &mut self.variants {
            variant.calibration.rounds = self.schedule.rounds;
        }
        let begun_ns = bench.launcher.now_ns();
        let launched = self.launch(bench);
        let took_ns = bench.launcher.now_ns() - begun_ns;
        self.spent.wall_ns += took_ns;
        let rounds_ns = launched?;
        // The pilot's costs were a first guess; the launches themselves know better.
        self.costs.round_ns = rounds_ns / f64::from(self.schedule.rounds);
        self.costs.launch_ns = took_ns as f64 - rounds_ns;

        if !self.contests.is_empty() {
            self.after_compared_launch(bench);
            return Ok(());
        }
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
        if self.flagged() > 0 {
            return;
        }
        for variant in self.variants.iter().filter(|_| self.done) {
            if variant.calibrated {
                // Once more, with the rounds that were made.
                bench.observer.calibrated(&variant.planned.variant, &variant.calibration);
            }
            bench.observer.ended(&variant.planned.variant, variant.outcome.as_ref().unwrap_or(&Outcome::Ok));
        }
    }

    fn budget_left(&self, bench: &Bench<'_>) -> f64 {
        self.budget_ns(bench.settings) - self.spent.wall_ns as f64
    }

    fn budget_ns(&self, settings: &Settings) -> f64 {
        if !self.contests.is_empty() {
            return settings.comparison_budget.as_nanos() as f64 * self.judged().max(1) as f64;
        }
        let each = match (settings.precision, settings.budget_given) {
            // A wanted precision without a budget may take its time, but not for ever.
            (Some(_), false) => 15.0 * settings.budget.as_nanos() as f64,
            _ => settings.budget.as_nanos() as f64,
        };
        each * self.live().max(1) as f64
    }

    /// The rounds that take the wanted number of samples a launch.
    fn fixed_rounds(&self, bench: &Bench<'_>) -> Option<u32> {
        self.variants
            .iter()
            .filter(|variant| variant.is_live())
            .filter_map(|variant| {
                let wanted = variant.wanted_samples(bench.settings)?.max(1);
                Some(u32::try_from(wanted.div_ceil(variant.calibration.samples_per_turn.max(1))).unwrap_or(u32::MAX))
            })
            .max()
    }

    /// Starts every live variant that isn't resting; the pilot launch when `ordinal` is `None`. In random order: whoever starts
    /// last has the youngest process.
    fn open(&mut self, bench: &mut Bench<'_>, ordinal: Option<u32>) {
        let begun_ns = bench.launcher.now_ns();
        let place = ordinal.map_or(u64::MAX, u64::from);
        let mut order = round_order(bench.settings.seed, self.number, place, OPENING, self.variants.len());
        order.retain(|&index| self.variants[index].is_live() && !self.variants[index].resting);
        for (among, &index) in order.iter().enumerate() {
            let own = self.own_ordinal(index);
            let code = self.shared_code(index);
            let address = code.map(|code| launch_address(bench.settings.seed, self.number, place, code));
            let variant = &mut self.variants[index];
            // By the variant's own name and launch: whatever an interruption left of the group, no seed comes twice.
            let seed_place = ordinal.map_or(u64::MAX, |_| u64::from(own));
            let seed = launch_seed(bench.settings.seed, &variant.planned.variant.id, seed_place);
            variant.start(bench.launcher, seed, Place { among, address });
        }
        for &index in &order {
            let own = self.own_ordinal(index);
            self.variants[index].open(bench.launcher, bench.settings, own, bench.run_begun_ns);
        }
        self.spent.startup_ns += bench.launcher.now_ns() - begun_ns;
        for &index in &order {
            self.variants[index].prepare(bench.settings);
        }
        bench.settle();
    }

    /// The number of a variant's next launch.
    fn own_ordinal(&self, index: usize) -> u32 {
        let variant = &self.variants[index];
        if variant.compared { self.ordinal } else { variant.launches.len() as u32 }
    }

    fn abandon(&mut self) -> Interrupted {
        self.variants.iter_mut().for_each(VariantRun::abandon);
        Interrupted
    }

    fn calibrate(&mut self, bench: &mut Bench<'_>) -> Result<(), Interrupted> {
        let begun_ns = bench.launcher.now_ns();
        self.open(bench, None);
        let opened_ns = bench.launcher.now_ns();
        for index in 0..self.variants.len() {
            if bench.observer.interrupted() {
                return Err(self.abandon());
            }
            let variant = &mut self.variants[index];
            if variant.is_open() && pilot::calibrate(variant, bench.launcher, bench.settings) {
                if let Some(earlier) = variant.earlier.take() {
                    variant.calibration = earlier;
                }
                bench.observer.calibrated(&variant.planned.variant, &variant.calibration);
            }
        }
        self.agree(bench);
        // Rounds as the launches will make them, to see what they cost.
        let rounds = if self.contests.is_empty() { 1 } else { PILOT_ROUNDS };
        let round_begun_ns = bench.launcher.now_ns();
        for round in 0..rounds {
            self.round(bench, u64::MAX, round);
        }
        self.costs.round_ns = (bench.launcher.now_ns() - round_begun_ns) as f64 / f64::from(rounds);
        self.variants.iter_mut().for_each(|variant| variant.count_allocations(bench.settings));
        self.plan_growth();
        let closing_ns = bench.launcher.now_ns();
        for variant in &mut self.variants {
            if let Some(launch) = variant.finish(bench.launcher, bench.settings, &mut bench.ending) {
                self.spent.add_pilot(&launch);
            }
        }
        let growth_ns: f64 =
            self.variants.iter().filter(|variant| variant.is_live()).map(|variant| variant.growth_ns).sum();
        self.costs.launch_ns = growth_ns + (opened_ns - begun_ns + bench.launcher.now_ns() - closing_ns) as f64;
        Ok(())
    }

    /// One launch of all live variants. Nanoseconds spent in its rounds.
    fn launch(&mut self, bench: &mut Bench<'_>) -> Result<f64, Interrupted> {
        let ordinal = self.made();
        self.open(bench, Some(ordinal));
        // In random order: the last one finds its caches as it left them, and in a fixed order that would be the same side in every launch.
        for index in round_order(bench.settings.seed, self.number, u64::from(ordinal), GROWING, self.variants.len()) {
            self.variants[index].grow_heap(bench.launcher, bench.settings);
        }
        let begun_ns = bench.launcher.now_ns();
        for round in 0..self.schedule.rounds {
            if bench.observer.interrupted() {
                return Err(self.abandon());
            }
            self.round(bench, u64::from(ordinal), round);
        }
        let rounds_ns = (bench.launcher.now_ns() - begun_ns) as f64;
        let mut finished: Vec<(usize, Launch)> = Vec::new();
        for (index, variant) in self.variants.iter_mut().enumerate() {
            if let Some(launch) = variant.finish(bench.launcher, bench.settings, &mut bench.ending) {
                self.spent.add_launch(&launch);
                finished.push((index, launch));
            }
        }
        let told: Vec<(&Variant, &Launch)> =
            finished.iter().map(|(index, launch)| (&self.variants[*index].planned.variant, launch)).collect();
        bench.observer.launched(&told);
        for (index, launch) in finished {
            self.variants[index].launches.push(launch);
        }
        self.ordinal += 1;
        Ok(rounds_ns)
    }

    /// Every subject of every variant takes one turn, in random order.
    fn round(&mut self, bench: &mut Bench<'_>, ordinal: u64, round: u32) {
        let turns: Vec<(usize, Subject)> = self
            .variants
            .iter()
            .enumerate()
            .filter(|(_, variant)| variant.is_open())
            .flat_map(|(index, variant)| variant.subjects(round).into_iter().map(move |subject| (index, subject)))
            .collect();
        for turn in round_order(bench.settings.seed, self.number, ordinal, u64::from(round), turns.len()) {
            let (index, subject) = &turns[turn];
            let place = [self.number, ordinal, u64::from(round), turn as u64];
            self.variants[*index].scheduled_turn(bench.launcher, bench.settings, round, subject.clone(), place);
        }
    }

    fn is_precise_enough(&self, bench: &Bench<'_>, made: u32) -> bool {
        let Some(precision) = bench.settings.precision else { return false };
        is_look(made)
            && self.variants.iter().filter(|variant| variant.is_live()).all(|variant| {
                let correction = variant.planned.variant.runtime.correction;
                let time = estimate_sequential(&variant.launches, &variant.calibration, correction).time;
                // What can't be told from 0 has no relative precision, and would keep its partners for ever.
                time.holds(0.0) || time.half_width() <= precision * time.estimate.abs()
            })
    }

    /// The spread of the live variant whose launches scatter most for its time.
    fn spread(&self) -> Option<Spread> {
        let relative = |variant: &VariantRun<'_>| {
            let spread = spread(&variant.launches, &variant.calibration)?;
            let correction = variant.planned.variant.runtime.correction;
            let raw = estimate(&variant.launches, &variant.calibration, correction).raw.estimate.max(f64::MIN_POSITIVE);
            Some((spread.between_launches / (raw * raw), spread))
        };
        self.variants
            .iter()
            .filter(|variant| variant.is_live())
            .filter_map(relative)
            .max_by(|a, b| a.0.total_cmp(&b.0))
            .map(|(_, spread)| spread)
    }
}
