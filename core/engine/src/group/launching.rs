//! The launches of a group: its processes' start, their rounds and turns, their end.

use tare_languages::of_name;
use tare_plan::{Layouts, launch_address, launch_seed, round_order, unit};
use tare_samples::{Launch, Subject};
use tare_worker::ProcessPlacement;

use super::{GroupRun, Interrupted, StepContext};
use crate::pilot;
use crate::variant_run::{Hooks, Role, VariantRun, Waiting};

/// The place of a launch's order of starting among the orders of its rounds.
const OPENING: u64 = u64::MAX;
/// The place of the order in which a launch's heaps are let grow.
const GROWING: u64 = u64::MAX - 1;
/// The place of a group's first layout among the seeds of its launches.
const LAYOUTS: u64 = u64::MAX - 2;
/// Keeps the draws of a launch's length apart from those of its seed.
const ROUNDS: u64 = 0x726f_756e_6473;
/// Rounds of a comparison differ in what belongs to them; so many show what they cost.
const PILOT_ROUNDS: u32 = 4;
/// Rounds that have taken so long, in nanoseconds, show it without more of them.
const LONG_PILOT_ROUNDS_NS: f64 = 200e6;
/// Where a round takes so long, in nanoseconds, the calls that count allocations would take as long again.
const LONGEST_COUNTED_ROUND_NS: f64 = 1e9;

impl GroupRun<'_> {
    /// Starts every live variant that isn't resting; the pilot launch when `ordinal` is `None`. In random order: the one that starts
    /// last has the youngest process.
    fn open(&mut self, context: &mut StepContext<'_>, ordinal: Option<u32>) -> usize {
        let begun_ns = context.launcher.now_ns();
        let place = ordinal.map_or(u64::MAX, u64::from);
        let mut order = round_order(context.settings.seed, self.number as u64, place, OPENING, self.variants.len());
        order.retain(|&index| self.variants[index].is_live() && self.variants[index].role != Role::Resting);
        if self.take_over(context, &order, Self::own_ordinal) {
            // Their turns begin when all of the launch before has ended.
            self.tell_launched(context);
            context.settle();
            self.processes.charge(context, 0.0, ordinal.is_some());
            for &index in &order {
                self.variants[index].prepare(context.launcher, context.settings, true);
            }
            return order.len();
        }
        context.let_go();
        let variants = self.variants.len();
        // By its name: of an interrupted run the group may have another number.
        let first_layout = launch_seed(context.settings.seed, &self.variants[0].planned.variant.id, LAYOUTS);
        for (among, &index) in order.iter().enumerate() {
            let own = self.own_ordinal(index);
            let code = self.shared_code(index);
            let address = code.map(|code| launch_address(context.settings.seed, self.number as u64, place, code));
            let variant = &mut self.variants[index];
            // By the variant's own name and launch: whatever an interruption left of the group, no seed comes twice.
            let seed_place = ordinal.map_or(u64::MAX, |_| u64::from(own));
            let seed = launch_seed(context.settings.seed, &variant.planned.variant.id, seed_place);
            let every_cpu = variant.planned.variant.case.settings.parallel;
            let layout = Layouts::chosen(&variant.calibration.links, first_layout, own)
                .or_else(|| variant.planned.layouts.number(first_layout, own, (index, variants)));
            variant.start(context.launcher, seed, ProcessPlacement { among, address, layout, every_cpu });
        }
        // What is left to do of the launch before this one is done while the processes of this one load their programs.
        self.tell_launched(context);
        context.settle();
        for &index in &order {
            let own = self.own_ordinal(index);
            self.variants[index].open(context.launcher, context.settings, own, context.run_begun_ns);
        }
        self.spent.startup_ns += context.launcher.now_ns() - begun_ns;
        for &index in &order {
            self.variants[index].load(context.launcher, context.settings);
        }
        let start_ns = (context.launcher.now_ns() - begun_ns) as f64;
        self.processes.start_took(start_ns);
        self.processes.charge(context, start_ns, ordinal.is_some());
        for &index in &order {
            self.variants[index].prepare(context.launcher, context.settings, self.processes.are_shared());
        }
        order.len()
    }

    /// The number of a variant's next launch.
    fn own_ordinal(&self, index: usize) -> u32 {
        let variant = &self.variants[index];
        if variant.is_compared() { self.ordinal } else { variant.launches.len() as u32 }
    }

    fn abandon(&mut self) -> Interrupted {
        self.variants.iter_mut().for_each(VariantRun::abandon);
        Interrupted
    }

    pub(super) fn calibrate(&mut self, context: &mut StepContext<'_>) -> Result<(), Interrupted> {
        let begun_ns = context.launcher.now_ns();
        let started = self.open(context, None);
        let opened_ns = context.launcher.now_ns();
        for index in 0..self.variants.len() {
            if context.reporter.is_stopped() {
                return Err(self.abandon());
            }
            let variant = &mut self.variants[index];
            if variant.is_open() && pilot::calibrate(variant, context.launcher, context.settings) {
                let news = variant.calibrated_news(index);
                self.tell(context, news);
            }
        }
        self.agree(context);
        // Rounds as the launches will make them, to see what they cost.
        let rounds = if self.live_pairs.is_empty() { 1 } else { PILOT_ROUNDS };
        let round_begun_ns = context.launcher.now_ns();
        let (mut made, mut first_ns, mut rounds_ns) = (0, 0.0, 0.0);
        while made < rounds && (made == 0 || rounds_ns < LONG_PILOT_ROUNDS_NS) {
            self.round(context, u64::MAX, made);
            made += 1;
            rounds_ns = (context.launcher.now_ns() - round_begun_ns) as f64;
            first_ns = if made == 1 { rounds_ns } else { first_ns };
        }
        // The scale has its turns in the first one, of each launch.
        self.costs.round_ns = if made > 1 { (rounds_ns - first_ns) / f64::from(made - 1) } else { first_ns };
        let scale_ns = (first_ns - self.costs.round_ns).max(0.0);
        if self.costs.round_ns < LONGEST_COUNTED_ROUND_NS {
            self.variants.iter_mut().for_each(|variant| variant.count_allocations(context.launcher, context.settings));
        }
        self.treat_waiting_alike();
        self.plan_growth(context.settings);
        let closing_ns = context.launcher.now_ns();
        for variant in &mut self.variants {
            if let Some(launch) = variant.finish(context.launcher, context.settings, &mut context.ending) {
                self.spent.add_pilot(&launch);
                self.spent.add_requests(variant.take_asked_ns(), launch.timed_ns());
            }
        }
        self.keep(context, started, false);
        let live = self.variants.iter().filter(|variant| variant.is_live());
        let growth_ns: f64 = live.map(|variant| variant.heap.growth_ns + 0.5 * variant.heap.collection_ns).sum();
        self.costs.collection_rounds =
            self.variants.iter().map(VariantRun::turns_between_collections).fold(0.0, f64::max);
        let language = |variant: &VariantRun<'_>| of_name(&variant.planned.variant.runtime.language);
        self.costs.parallel = self.variants.iter().all(|variant| variant.planned.variant.case.settings.parallel);
        self.costs.calls_are_processes = self.variants.iter().all(|variant| language(variant).calls_are_processes);
        let opening_ns = self.processes.charged_ns((opened_ns - begun_ns) as f64);
        self.costs.launch_ns = scale_ns + growth_ns + opening_ns + (context.launcher.now_ns() - closing_ns) as f64;
        if self.ordinal == 0 {
            self.choose_links(context);
        }
        Ok(())
    }

    /// Of a command with several threads or processes it isn't known for how long it waited while others had the CPU. Then that stays in the times of all that it is compared with: taken off one side
    /// alone, it would be a difference.
    fn treat_waiting_alike(&mut self) {
        let is_command =
            |variant: &VariantRun<'_>| of_name(&variant.planned.variant.runtime.language).calls_are_processes;
        let is_untold = |variant: &VariantRun<'_>| is_command(variant) && variant.waiting == Waiting::Untold;
        if self.variants.iter().any(is_untold) {
            self.variants
                .iter_mut()
                .filter(|variant| is_command(variant))
                .for_each(|variant| variant.waiting = Waiting::LeftIn);
        }
    }

    /// One launch of all live variants. Nanoseconds spent in its rounds.
    pub(super) fn launch(&mut self, context: &mut StepContext<'_>) -> Result<f64, Interrupted> {
        let ordinal = self.made();
        let started = self.open(context, Some(ordinal));
        // In random order: the last one finds its caches as it left them, and in a fixed order that would be the same side in every launch.
        for index in
            round_order(context.settings.seed, self.number as u64, u64::from(ordinal), GROWING, self.variants.len())
        {
            self.variants[index].grow_heap(context.launcher, context.settings, u64::from(ordinal));
        }
        let begun_ns = context.launcher.now_ns();
        for round in 0..self.rounds_of_launch(context) {
            if context.reporter.is_stopped() {
                return Err(self.abandon());
            }
            self.round(context, u64::from(ordinal), round);
        }
        let rounds_ns = (context.launcher.now_ns() - begun_ns) as f64;
        let mut finished: Vec<(usize, Launch)> = Vec::new();
        for (index, variant) in self.variants.iter_mut().enumerate() {
            if let Some(launch) = variant.finish(context.launcher, context.settings, &mut context.ending) {
                self.spent.add_launch(&launch);
                self.spent.add_requests(variant.take_asked_ns(), launch.timed_ns());
                finished.push((index, launch.clone()));
                variant.launches.push(launch);
            }
        }
        self.keep(context, started, true);
        context.tell_later(self.number, &self.untold, finished);
        self.ordinal += 1;
        Ok(rounds_ns)
    }

    /// Rounds of the next launch.
    fn rounds_of_launch(&self, context: &StepContext<'_>) -> u32 {
        if self.fixed_rounds(context).is_some() {
            return self.schedule.rounds;
        }
        let drawn = launch_seed(context.settings.seed ^ ROUNDS, &self.number.to_string(), u64::from(self.made()));
        self.schedule.rounds_of_launch(&self.costs, unit(drawn))
    }

    /// Every subject of every variant takes one turn, in random order. Cases whose hooks are run ahead come last, after the hooks of all of them.
    fn round(&mut self, context: &mut StepContext<'_>, ordinal: u64, round: u32) {
        let turns: Vec<(usize, Subject)> = self
            .variants
            .iter()
            .enumerate()
            .filter(|(_, variant)| variant.is_open())
            .flat_map(|(index, variant)| variant.subjects(round).into_iter().map(move |subject| (index, subject)))
            .collect();
        let order = round_order(context.settings.seed, self.number as u64, ordinal, u64::from(round), turns.len());
        let (ahead, others): (Vec<usize>, Vec<usize>) = order.into_iter().partition(|&turn| {
            let (index, subject) = &turns[turn];
            *subject == Subject::Case && self.variants[*index].pilot.hooks == Hooks::Ahead
        });
        for (among, &turn) in others.iter().chain(&ahead).enumerate() {
            if among == others.len() {
                for &(index, _) in ahead.iter().map(|&turn| &turns[turn]) {
                    self.variants[index].arrange(context.launcher, context.settings, round);
                }
            }
            let (index, subject) = &turns[turn];
            let place = [self.number as u64, ordinal, u64::from(round), turn as u64];
            self.variants[*index].scheduled_turn(context.launcher, context.settings, round, subject.clone(), place);
        }
    }
}
