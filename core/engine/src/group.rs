//! One group: pilot, launches, rounds, turns.

mod cold;
mod compared;
mod context;
mod ending;
mod launching;
mod links;
mod sharing;

use tare_plan::{Group, Layouts, Settings};
use tare_samples::{Failure, FailureKind, MINIMUM_LAUNCHES, Measurement, Outcome, Spent};
use tare_statistics::allocation::Spread;
use tare_statistics::comparison::State;
use tare_statistics::{estimate, estimate_sequential, spread};

pub(crate) use self::context::StepContext;
use self::context::Untold;
use self::sharing::SharedProcesses;
use crate::budget;
use crate::comparing::LivePair;
use crate::earlier::EarlierVariant;
use crate::reporting::News;
use crate::schedule::{Costs, Schedule};
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
    spent: Spent,
    costs: Costs,
    schedule: Schedule,
    /// Its pilot has been made, which may come as late as in its second measurement: that of an interrupted run may
    /// have launches enough for the first one.
    piloted: bool,
    /// Once its first measurement is over and something is flagged.
    second: Option<SecondMeasurement>,
    /// Once nothing is left to do.
    end: Option<End>,
    /// What it may plan with, in nanoseconds, where one budget is shared out.
    share_ns: Option<f64>,
    /// What the fewest launches that say anything took, with the pilot, in nanoseconds.
    reach_ns: Option<f64>,
    /// Comparisons of the suite that something is claimed of, for its second measurement.
    family: usize,
    processes: SharedProcesses,
    average: LaunchAverage,
    /// Its newest launch, until the observer knows it.
    untold: Untold,
}

/// What is flagged, while it is measured a second time.
struct SecondMeasurement {
    /// Launches made before it.
    from: u32,
    /// What the group had taken before it, and what it was expected to take, in nanoseconds.
    before_ns: f64,
    expected_ns: f64,
}

/// The end of a group.
struct End {
    ending: Ending,
    /// What the group gave, once the observer knows it.
    given: Option<GivenMeasurements>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ending {
    /// With the launches that it needed, or that there was time for. What is flagged may still be measured a second
    /// time.
    Complete,
    /// The time of the suite was over before its second measurement was.
    Unconfirmed,
    /// The time of the suite was over before it had enough launches.
    LeftOut,
}

/// What a group gave, as the observer left it, and how many launches it made.
struct GivenMeasurements {
    measurements: Vec<Measurement>,
    made: u32,
}

/// What the launches of a group take on average, since its pilot or its second measurement began.
#[derive(Debug, Default)]
struct LaunchAverage {
    ns: f64,
    launches: u32,
}

impl End {
    fn new(ending: Ending) -> Self {
        Self { ending, given: None }
    }
}

impl LaunchAverage {
    fn add(&mut self, took_ns: f64) {
        self.launches += 1;
        self.ns += (took_ns - self.ns) / f64::from(self.launches);
    }

    fn known_ns(&self) -> Option<f64> {
        (self.launches > 0).then_some(self.ns)
    }
}

/// All that a group gives when the suite is over.
pub(crate) struct GroupMeasurements {
    /// By variant.
    pub(crate) measurements: Vec<Measurement>,
    pub(crate) comparisons: Vec<EndedComparison>,
    pub(crate) spent: Spent,
}

/// A comparison that no more pairs are added to.
pub(crate) struct EndedComparison {
    pub(crate) live_pair: LivePair,
    /// It ended before it was settled.
    pub(crate) cut_short: bool,
}

impl<'a> GroupRun<'a> {
    /// A group before its pilot. `earlier`: see [`crate::measure`].
    pub(crate) fn new(group: &'a Group, number: usize, settings: &Settings, earlier: Vec<EarlierVariant>) -> Self {
        let mut variants: Vec<VariantRun<'a>> = group.variants.iter().map(VariantRun::new).collect();
        let live_pairs: Vec<LivePair> =
            group.pairs.iter().map(|&pair| LivePair::new(pair, &variants, settings)).collect();
        for live_pair in &live_pairs {
            variants[live_pair.pair.base].role = Role::Compared;
            variants[live_pair.pair.candidate].role = Role::Compared;
        }
        for (variant, earlier) in variants.iter_mut().zip(earlier) {
            variant.resume(earlier);
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
            spent: Spent::default(),
            costs: Costs::default(),
            schedule,
            piloted: false,
            second: None,
            end: None,
            share_ns: None,
            reach_ns: None,
            family: 1,
            processes: SharedProcesses::new(number, 1),
            average: LaunchAverage::default(),
            untold: Untold::default(),
        };
        run.end_if(run.live() == 0);
        if group.variants.iter().any(|planned| planned.layouts == Layouts::Unlinked) {
            run.leave_out();
        }
        run
    }

    /// Groups of this kin share their processes, so many.
    pub(crate) fn sharing(self, kin: usize, groups: usize) -> Self {
        Self { processes: SharedProcesses::new(kin, groups), ..self }
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
        self.processes.are_shared() && !self.is_done()
    }

    /// The groups whose processes serve it too.
    pub(crate) fn kin(&self) -> usize {
        self.processes.kin()
    }

    /// Its second measurement has begun.
    pub(crate) fn is_second(&self) -> bool {
        self.second.is_some()
    }

    /// Nothing is left to do.
    pub(crate) fn is_done(&self) -> bool {
        self.end.is_some()
    }

    /// Ends it with what it has, where nothing is left to do.
    fn end_if(&mut self, nothing_left: bool) {
        if nothing_left {
            self.end = Some(End::new(Ending::Complete));
        }
    }

    /// Launches that are planned, those made among them.
    pub(crate) fn planned_launches(&self) -> u32 {
        self.schedule.launches
    }

    /// Launches that are planned and missing; none once it is done.
    fn launches_left(&self) -> u32 {
        if self.is_done() { 0 } else { self.schedule.launches.saturating_sub(self.made()) }
    }

    /// The measurements so far, the comparisons, and where the time went.
    pub(crate) fn into_measurements(mut self) -> GroupMeasurements {
        self.take_earlier();
        let ending = self.end.as_ref().map(|end| end.ending);
        let outcome = match ending {
            Some(Ending::Complete | Ending::Unconfirmed) => Outcome::Ok,
            Some(Ending::LeftOut) | None => Outcome::Interrupted,
        };
        let is_cut_short = |live_pair: &LivePair| match ending {
            Some(Ending::Complete) => false,
            Some(Ending::Unconfirmed | Ending::LeftOut) => true,
            None => live_pair.is_open(&self.variants) || matches!(live_pair.live.state(), State::Flagged(_)),
        };
        let cut_short: Vec<bool> = self.live_pairs.iter().map(is_cut_short).collect();
        let ended = |(live_pair, cut_short)| EndedComparison { live_pair, cut_short };
        let comparisons = self.live_pairs.into_iter().zip(cut_short).map(ended).collect();
        let measurements = match self.end.and_then(|end| end.given) {
            Some(given) => given.measurements,
            None => self.variants.iter_mut().map(|variant| variant.measurement(outcome.clone())).collect(),
        };
        GroupMeasurements { measurements, comparisons, spent: self.spent }
    }

    /// A run that was resumed may end before this group's turn: what was measured before says what it said then.
    fn take_earlier(&mut self) {
        if self.piloted || self.is_done() {
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

    pub(crate) fn made(&self) -> u32 {
        if let Some(End { given: Some(given), .. }) = &self.end {
            return given.made;
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
            self.end_if(self.live() == 0 || already >= self.schedule.launches);
        } else {
            self.schedule = Schedule::compared(context.settings, &self.costs, left_ns, fixed);
            self.replay(already);
            let is_needed = self.rest_or_wake();
            self.end_if(!is_needed);
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
        self.average.add(took_ns);

        if !self.live_pairs.is_empty() {
            if self.is_second() && self.fixed_rounds(context).is_none() {
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
        let used_up = budget::is_used_up(context.settings, made, left_ns, self.costs.launch_ns + rounds_ns * 0.5);
        let is_enough = made >= self.schedule.launches || used_up || self.is_precise_enough(context, made);
        self.end_if(self.live() == 0 || is_enough);
        self.tell_if_done(context);
        Ok(())
    }

    fn tell_if_done(&mut self, context: &mut StepContext<'_>) {
        if self.flagged() > 0 {
            if self.is_done() {
                self.tell(context, News::Flagged { comparisons: self.comparisons_so_far() });
            }
            return;
        }
        for (index, variant) in self.variants.iter().enumerate().filter(|_| self.is_done()) {
            if variant.is_calibrated() {
                // Once more, with the rounds that were made.
                self.tell(context, variant.calibrated_news(index));
            }
            let outcome = variant.outcome.clone().unwrap_or(Outcome::Ok);
            self.tell(context, News::Ended { variant: index, outcome });
        }
        if self.is_done() {
            let made = self.made();
            let measurements = self.variants.iter_mut().map(|variant| variant.measurement(Outcome::Ok)).collect();
            let news = News::Measured { measurements, comparisons: self.comparisons_so_far() };
            let measurements = match self.tell(context, news) {
                News::Measured { measurements, .. } => measurements,
                _ => Vec::new(),
            };
            if let Some(end) = &mut self.end {
                end.given = Some(GivenMeasurements { measurements, made });
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
        budget::of_group_ns(settings, self.live(), self.is_compared().then(|| self.judged()))
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
        let Some(precision) = budget::precision_at(context.settings, made) else { return false };
        self.variants.iter().filter(|variant| variant.is_live()).all(|variant| {
            let correction = variant.planned.variant.runtime.correction;
            let summary = estimate_sequential(&variant.launches, &variant.calibration, correction);
            budget::is_precise(&summary.time, precision)
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
