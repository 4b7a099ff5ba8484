//! Processes that serve several groups, a copy each.

use tare_worker::Conversation;

use super::{GroupRun, StepContext};
use crate::kin::MOST_SERVED;
use crate::queue::KeptKin;
use crate::variant_run::VariantRun;

/// How a group shares its processes with others, and what their start costs its launches.
#[derive(Debug)]
pub(super) struct SharedProcesses {
    /// The groups whose processes serve it too ([`crate::kin`]), and how many there are.
    kin: usize,
    groups: usize,
    /// They have served it so far, or no launch has been made.
    shared: bool,
    /// What their start takes, a launch's part of that, and what the last launch took beyond its part; nanoseconds.
    start_ns: f64,
    start_share_ns: f64,
    surcharge_ns: f64,
    /// The same of all launches.
    surcharges_ns: f64,
}

impl SharedProcesses {
    pub(super) fn new(kin: usize, groups: usize) -> Self {
        Self {
            kin,
            groups,
            shared: groups > 1,
            start_ns: 0.0,
            start_share_ns: 0.0,
            surcharge_ns: 0.0,
            surcharges_ns: 0.0,
        }
    }

    pub(super) fn are_shared(&self) -> bool {
        self.shared
    }

    pub(super) fn kin(&self) -> usize {
        self.kin
    }

    pub(super) fn surcharges_ns(&self) -> f64 {
        self.surcharges_ns
    }

    /// The start of new ones has taken so long, in nanoseconds.
    pub(super) fn start_took(&mut self, start_ns: f64) {
        self.start_ns = start_ns;
    }

    /// What a launch takes less than one that has its start for itself, in nanoseconds.
    pub(super) fn saved_ns(&self) -> f64 {
        if self.shared { (self.start_ns - self.start_share_ns).max(0.0) } else { 0.0 }
    }

    /// Charges a launch with its part of a start, which it may not have had. A pilot, after which the first launch of
    /// its group has the same processes, has none.
    pub(super) fn charge(&mut self, context: &StepContext<'_>, began_ns: f64, is_launch: bool) {
        if self.shared {
            self.start_share_ns = self.start_ns / context.serves(self.kin) as f64;
            self.surcharge_ns = began_ns - if is_launch { self.start_share_ns } else { 0.0 };
        }
    }

    /// What an opening that took so long comes to with a launch's part of a start, in nanoseconds.
    pub(super) fn charged_ns(&self, opening_ns: f64) -> f64 {
        opening_ns - self.surcharge_ns + self.start_share_ns
    }

    /// Each launch has a start of its own from now on, and pays for it.
    fn part(&mut self) {
        self.shared = false;
        (self.surcharge_ns, self.start_share_ns) = (0.0, self.start_ns);
    }
}

/// The processes of a launch that has ended, ready for one of another group.
pub(crate) struct KeptProcesses {
    /// The groups that they are for: see [`crate::kin`].
    kin: usize,
    /// What they took until their sources were loaded, in nanoseconds.
    start_ns: f64,
    /// Groups that have had a launch of them.
    served: Vec<usize>,
    /// By variant; none of one that wasn't started.
    conversations: Vec<Option<Conversation>>,
}

impl StepContext<'_> {
    pub(crate) fn kept_kin(&self) -> Option<KeptKin<'_>> {
        self.kept.as_ref().map(|kept| KeptKin { kin: kept.kin, served: &kept.served })
    }

    /// How many launches processes of a kin serve: as many as the last ones did, or all that are under way where none have been.
    fn serves(&self, kin: usize) -> usize {
        let last = self.served.iter().find(|(other, _)| *other == kin).map_or(usize::MAX, |&(_, served)| served);
        last.min(self.kin_under_way).max(1)
    }

    /// Lets go of what is kept.
    pub(crate) fn let_go(&mut self) {
        let Some(kept) = self.kept.take() else { return };
        self.served.retain(|&(kin, _)| kin != kept.kin);
        self.served.push((kept.kin, kept.served.len()));
        for mut conversation in kept.conversations.into_iter().flatten() {
            conversation.hang_up();
            self.ending.push(conversation);
        }
    }
}

impl GroupRun<'_> {
    /// What its processes take to start for a launch, or its part of that, by what their listing saw; nanoseconds.
    pub(crate) fn guessed_start_ns(&self) -> f64 {
        let all_ns: f64 = self.variants.iter().map(|variant| variant.planned.startup.takes_ns as f64).sum();
        all_ns / self.processes.groups.clamp(1, MOST_SERVED) as f64
    }

    /// Takes over the processes that are kept, for these variants; whether they are there, and no launch of this group has had them.
    pub(super) fn take_over(
        &mut self,
        context: &mut StepContext<'_>,
        order: &[usize],
        own: impl Fn(&Self, usize) -> u32,
    ) -> bool {
        let Some(kept) = &mut context.kept else { return false };
        let is_there = |&index: &usize| kept.conversations.get(index).is_some_and(Option::is_some);
        let fits = self.processes.shared && kept.kin == self.processes.kin && !kept.served.contains(&self.number);
        if !fits || kept.served.len() >= MOST_SERVED || !order.iter().all(is_there) {
            return false;
        }
        for &index in order {
            if let Some(conversation) = kept.conversations[index].take() {
                let ordinal = own(self, index);
                self.variants[index].go_on_with(
                    conversation,
                    context.launcher,
                    context.settings,
                    ordinal,
                    context.run_begun_ns,
                );
            }
        }
        self.processes.start_took(kept.start_ns);
        true
    }

    /// Takes the time of a launch, with its part of a start in place of the start that it had.
    pub(super) fn take_time(&mut self, wall_ns: u64) -> f64 {
        let surcharge_ns = std::mem::take(&mut self.processes.surcharge_ns).min(wall_ns as f64);
        self.processes.surcharges_ns += surcharge_ns;
        let took_ns = wall_ns as f64 - surcharge_ns;
        self.spent.wall_ns += took_ns as u64;
        took_ns
    }

    /// Keeps the processes of a launch that has ended, where copies have served it; `is_launch`: it wasn't the pilot.
    pub(super) fn keep(&mut self, context: &mut StepContext<'_>, started: usize, is_launch: bool) {
        if !self.processes.shared {
            return;
        }
        let mut given: Vec<Option<Conversation>> = self.variants.iter_mut().map(VariantRun::take_copied).collect();
        let mut kept = context.kept.take().filter(|kept| kept.kin == self.processes.kin).unwrap_or(KeptProcesses {
            kin: self.processes.kin,
            start_ns: self.processes.start_ns,
            served: Vec::new(),
            conversations: Vec::new(),
        });
        kept.conversations.resize_with(given.len(), || None);
        let all_are_there = given.iter().flatten().count() == started;
        for (place, conversation) in kept.conversations.iter_mut().zip(&mut given) {
            if let Some(conversation) = conversation.take() {
                *place = Some(conversation);
            }
        }
        kept.served.extend(is_launch.then_some(self.number));
        context.kept = Some(kept);
        if !all_are_there {
            // A worker can't be copied, or has failed.
            context.let_go();
            self.processes.part();
        }
    }
}
