//! One group: pilot, launches, rounds, turns.

mod cold;
mod compared;
mod context;
mod ending;
mod launching;
mod links;
mod sharing;

use tare_plan::{Group, Layouts, Settings};
use tare_samples::{Calibration, Failure, FailureKind, Launch, MINIMUM_LAUNCHES, Measurement, Outcome, Spent};
use tare_statistics::allocation::Spread;
use tare_statistics::comparison::State;
use tare_statistics::{estimate, estimate_sequential, spread};

pub(crate) use self::context::StepContext;
use self::context::Untold;
use crate::comparing::LivePair;
use crate::reporting::News;
use crate::schedule::{Costs, Schedule, is_look};
use crate::variant_run::{Role, Sizes, VariantRun};

/// The run was interrupted.
pub(crate) struct Interrupted;

/// A group on its way from the pilot to its last launch.
pub(crate) struct GroupRun<'a> {
    number: usize,
    variants: Vec<VariantRun<'a>>,
    live_pairs: Vec<LivePair>,
    /// The number of the next launch; variants that rest have fewer of them.
    ordinal: u32,
    /// The first measurement is over; what is flagged is measured a second time.
    second: bool,
    spent: Spent,
    costs: Costs,
    schedule: Schedule,
    piloted: bool,
    done: bool,
    /// The time of the suite was over before it had enough launches: it is left out.
    left_out: bool,
    /// The time of the suite was over before its second measurement was.
    cut_short: bool,
    /// What it may plan with, in nanoseconds, where one budget is shared out.
    share_ns: Option<f64>,
    /// What the fewest launches that say anything took, with the pilot, in nanoseconds; and launches made before the second measurement.
    reach_ns: Option<f64>,
    second_from: u32,
    /// What it had taken before that, and what that was expected to take, in nanoseconds.
    second_expected_ns: (f64, f64),
    /// Of the suite, for its second measurement.
    family: usize,
    /// Once it is done: what it gave, and how many launches it made.
    measured: Vec<Measurement>,
    made_in_all: Option<u32>,
    /// The groups whose processes serve it too ([`crate::kin`]), and whether there are others.
    kin: usize,
    shares: bool,
    sharing: usize,
    /// Of shared processes: what their start takes, a launch's part of that, and what the last launch took beyond its part; nanoseconds.
    start_ns: f64,
    start_share_ns: f64,
    surcharge_ns: f64,
    /// The same of all launches.
    surcharges_ns: f64,
    /// What its launches take on average, in nanoseconds, of so many since its pilot or its second measurement began.
    average: (f64, u32),
    /// Its newest launch, until the observer knows it.
    untold: Untold,
}

impl<'a> GroupRun<'a> {
    /// A group before its pilot. `made`: see [`crate::measure`].
    pub(crate) fn new(
        group: &'a Group,
        number: usize,
        settings: &Settings,
        made: Vec<(Option<Calibration>, Vec<Launch>)>,
    ) -> Self {
        let mut variants: Vec<VariantRun<'a>> = group.variants.iter().map(VariantRun::new).collect();
        let live_pairs: Vec<LivePair> =
            group.pairs.iter().map(|&pair| LivePair::new(pair, &variants, settings)).collect();
        for live_pair in &live_pairs {
            variants[live_pair.pair.base].role = Role::Compared;
            variants[live_pair.pair.candidate].role = Role::Compared;
        }
        for (variant, (calibration, launches)) in variants.iter_mut().zip(made) {
            variant.resume(calibration, launches);
        }
        for variant in &mut variants {
            if let Some(reason) = &variant.planned.variant.case.settings.skip {
                variant.fail(Failure::new(FailureKind::Skipped, reason.clone(), String::new()));
            }
        }
        let schedule = Schedule { launches: MINIMUM_LAUNCHES, rounds: 1 };
        let ordinal =
            variants.iter().flat_map(|variant| &variant.launches).map(|launch| launch.ordinal + 1).max().unwrap_or(0);
        let mut run = Self {
            number,
            variants,
            live_pairs,
            ordinal,
            second: false,
            spent: Spent::default(),
            costs: Costs::default(),
            schedule,
            piloted: false,
            done: false,
            left_out: false,
            cut_short: false,
            share_ns: None,
            reach_ns: None,
            second_from: 0,
            second_expected_ns: (0.0, 0.0),
            family: 1,
            measured: Vec::new(),
            made_in_all: None,
            kin: number,
            shares: false,
            sharing: 1,
            start_ns: 0.0,
            start_share_ns: 0.0,
            surcharge_ns: 0.0,
            surcharges_ns: 0.0,
            average: (0.0, 0),
            untold: Untold::default(),
        };
        run.done = run.live() == 0;
        if group.variants.iter().any(|planned| planned.layouts == Layouts::Unlinked) {
            run.leave_out();
        }
        run
    }

    /// Groups of this kin share their processes, so many.
    pub(crate) fn sharing(self, kin: usize, groups: usize) -> Self {
        Self { kin, sharing: groups, shares: groups > 1, ..self }
    }

    /// Of a suite with so many comparisons that something is claimed of.
    pub(crate) fn in_family(self, family: usize) -> Self {
        Self { family, ..self }
    }

    /// Its pilot has been made.
    pub(crate) fn is_piloted(&self) -> bool {
        self.piloted
    }

    /// It shares its processes with others.
    pub(crate) fn shares(&self) -> bool {
        self.shares && !self.done
    }

    /// The groups whose processes serve it too.
    pub(crate) fn kin(&self) -> usize {
        self.kin
    }

    /// Its second measurement has begun.
    pub(crate) fn is_second(&self) -> bool {
        self.second
    }

    /// Nothing is left to do.
    pub(crate) fn is_done(&self) -> bool {
        self.done
    }

    /// Launches made, and planned.
    pub(crate) fn launches(&self) -> (u32, u32) {
        (self.made(), self.schedule.launches)
    }

    /// Launches that are planned and missing; none once it is done.
    fn launches_left(&self) -> u32 {
        if self.done { 0 } else { self.schedule.launches.saturating_sub(self.made()) }
    }

    /// The measurements so far, the comparisons with whether each was cut short, and where the time went.
    pub(crate) fn into_measurements(mut self) -> (Vec<Measurement>, Vec<(LivePair, bool)>, Spent) {
        self.take_earlier();
        let otherwise = if self.done && !self.left_out { Outcome::Ok } else { Outcome::Interrupted };
        let cut_short: Vec<bool> = self
            .live_pairs
            .iter()
            .map(|live_pair| {
                self.left_out
                    || self.cut_short
                    || !self.done
                        && (live_pair.is_open(&self.variants) || matches!(live_pair.live.state(), State::Flagged(_)))
            })
            .collect();
        let live_pairs = self.live_pairs.into_iter().zip(cut_short).collect();
        let measurements = match self.made_in_all {
            Some(_) => self.measured,
            None => self.variants.iter_mut().map(|variant| variant.measurement(otherwise.clone())).collect(),
        };
        (measurements, live_pairs, self.spent)
    }

    /// A run that was resumed may end before this group's turn: what was measured before says what it said then.
    fn take_earlier(&mut self) {
        if self.piloted || self.done || self.left_out {
            return;
        }
        for variant in &mut self.variants {
            if let Sizes::Earlier(earlier) = &variant.sizes {
                variant.calibration = (**earlier).clone();
            }
        }
        let already = self.made();
        self.replay(already);
    }

    /// Its benchmarks work in parallel.
    pub(crate) fn needs_every_cpu(&self) -> bool {
        self.variants.iter().any(|variant| variant.planned.variant.case.settings.parallel)
    }

    /// Some of its variants are compared.
    pub(crate) fn is_compared(&self) -> bool {
        !self.live_pairs.is_empty()
    }

    pub(crate) fn live(&self) -> usize {
        self.variants.iter().filter(|variant| variant.is_live()).count()
    }

    fn made(&self) -> u32 {
        if let Some(made) = self.made_in_all {
            return made;
        }
        if !self.live_pairs.is_empty() {
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
    pub(crate) fn pilot(&mut self, context: &mut StepContext<'_>) -> Result<(), Interrupted> {
        self.take_deadline(context);
        let begun_ns = context.launcher.now_ns();
        let piloted = self.calibrate(context);
        self.take_time(context.launcher.now_ns() - begun_ns);
        piloted?;
        if self.variants.iter().any(VariantRun::is_cut) {
            self.leave_out();
            return Ok(());
        }
        self.piloted = true;
        let already = self.made();
        let (left_ns, fixed) = (self.budget_left(context), self.fixed_rounds(context));
        if self.live_pairs.is_empty() {
            self.schedule = Schedule::first(context.settings, &self.costs, left_ns, fixed);
            // What was measured before an interruption has had its share of the budget.
            self.schedule.launches = self.schedule.launches.max(already);
            self.done = self.live() == 0 || already >= self.schedule.launches;
        } else {
            self.schedule = Schedule::compared(context.settings, &self.costs, left_ns, fixed);
            self.replay(already);
            self.done = !self.rest_or_wake();
        }
        self.tell_if_done(context);
        Ok(())
    }

    /// The next launch, and what follows from it.
    pub(crate) fn next(&mut self, context: &mut StepContext<'_>) -> Result<(), Interrupted> {
        for variant in &mut self.variants {
            variant.calibration.rounds = self.schedule.rounds;
        }
        self.take_deadline(context);
        let was_reached = self.is_reached();
        let begun_ns = context.launcher.now_ns();
        let launched = self.launch(context);
        let took_ns = self.take_time(context.launcher.now_ns() - begun_ns);
        let rounds_ns = launched?;
        if self.variants.iter().any(VariantRun::is_cut) {
            // The launch took much longer than those before it: what these say stands.
            self.variants.iter_mut().for_each(VariantRun::forget_cut);
            if !self.close(context) {
                self.leave_out();
            }
            return Ok(());
        }
        if !was_reached && self.is_reached() {
            self.reach_ns.get_or_insert(self.spent.wall_ns as f64);
        }
        // The pilot's costs were a first guess; the launches themselves know better.
        self.costs.round_ns = rounds_ns / f64::from(self.schedule.rounds);
        self.costs.launch_ns = (took_ns - rounds_ns).max(0.0);
        let (average_ns, averaged) = self.average;
        self.average = (average_ns + (took_ns - average_ns) / f64::from(averaged + 1), averaged + 1);

        if !self.live_pairs.is_empty() {
            if self.second && self.fixed_rounds(context).is_none() {
                self.schedule = self.schedule.worth(&self.costs);
            }
            self.after_compared_launch(context);
            return Ok(());
        }
        let made = self.made();
        let left_ns = self.budget_left(context);
        if made == 3
            && self.schedule.launches > 3
            && let Some(spread) = self.spread()
        {
            let fixed = self.fixed_rounds(context);
            self.schedule = self.schedule.again(context.settings, &self.costs, left_ns, made, &spread, fixed);
        }
        let used_up = context.settings.launches.is_none()
            && made >= MINIMUM_LAUNCHES
            && left_ns < self.costs.launch_ns + rounds_ns * 0.5;
        self.done =
            self.live() == 0 || made >= self.schedule.launches || used_up || self.is_precise_enough(context, made);
        self.tell_if_done(context);
        Ok(())
    }

    fn tell_if_done(&mut self, context: &mut StepContext<'_>) {
        if self.flagged() > 0 {
            if self.done {
                self.tell(context, News::Flagged { comparisons: self.comparisons_so_far() });
            }
            return;
        }
        for (index, variant) in self.variants.iter().enumerate().filter(|_| self.done) {
            if variant.is_calibrated() {
                // Once more, with the rounds that were made.
                self.tell(context, variant.calibrated_news(index));
            }
            let outcome = variant.outcome.clone().unwrap_or(Outcome::Ok);
            self.tell(context, News::Ended { variant: index, outcome });
        }
        if self.done {
            self.made_in_all = Some(self.made());
            let measurements = self.variants.iter_mut().map(|variant| variant.measurement(Outcome::Ok)).collect();
            let news = News::Measured { measurements, comparisons: self.comparisons_so_far() };
            if let News::Measured { measurements, .. } = self.tell(context, news) {
                self.measured = measurements;
            }
        }
    }

    fn budget_left(&self, context: &StepContext<'_>) -> f64 {
        self.budget_ns(context.settings) - self.spent.wall_ns as f64
    }

    pub(super) fn budget_ns(&self, settings: &Settings) -> f64 {
        if let Some(share_ns) = self.share_ns {
            return share_ns;
        }
        if !self.live_pairs.is_empty() {
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
    fn fixed_rounds(&self, context: &StepContext<'_>) -> Option<u32> {
        self.variants
            .iter()
            .filter(|variant| variant.is_live())
            .filter_map(|variant| {
                let wanted = variant.wanted_samples(context.settings)?.max(1);
                Some(u32::try_from(wanted.div_ceil(variant.calibration.samples_per_turn.max(1))).unwrap_or(u32::MAX))
            })
            .max()
    }

    fn is_precise_enough(&self, context: &StepContext<'_>, made: u32) -> bool {
        let Some(precision) = context.settings.precision else { return false };
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
