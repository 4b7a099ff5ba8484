//! Processes that serve several groups, a copy each.

use tare_worker::Conversation;

use super::{GroupRun, StepContext};
use crate::kin::MOST_SERVED;
use crate::variant_run::VariantRun;

/// The processes of a launch that has ended, ready for one of another group.
pub(crate) struct Kept {
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
    /// The kin whose processes are kept, and the groups that these have served.
    pub(crate) fn kept_kin(&self) -> Option<(usize, &[usize])> {
        self.kept.as_ref().map(|kept| (kept.kin, kept.served.as_slice()))
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
        all_ns / self.sharing.clamp(1, MOST_SERVED) as f64
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
        let fits = self.shares && kept.kin == self.kin && !kept.served.contains(&self.number);
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
        self.start_ns = kept.start_ns;
        true
    }

    /// Charges a launch with its part of a start, which it may not have had. A pilot, after which the first launch of its group has the same processes, has none.
    pub(super) fn charge(&mut self, context: &StepContext<'_>, began_ns: f64, is_launch: bool) {
        if self.shares {
            self.start_share_ns = self.start_ns / context.serves(self.kin) as f64;
            self.surcharge_ns = began_ns - if is_launch { self.start_share_ns } else { 0.0 };
        }
    }

    /// Takes the time of a launch, with its part of a start in place of the start that it had.
    pub(super) fn take_time(&mut self, wall_ns: u64) -> f64 {
        let surcharge_ns = std::mem::take(&mut self.surcharge_ns).min(wall_ns as f64);
        self.surcharges_ns += surcharge_ns;
        let took_ns = wall_ns as f64 - surcharge_ns;
        self.spent.wall_ns += took_ns as u64;
        took_ns
    }

    /// Keeps the processes of a launch that has ended, where copies have served it; `is_launch`: it wasn't the pilot.
    pub(super) fn keep(&mut self, context: &mut StepContext<'_>, started: usize, is_launch: bool) {
        if !self.shares {
            return;
        }
        let mut given: Vec<Option<Conversation>> = self.variants.iter_mut().map(VariantRun::take_copied).collect();
        let mut kept = context.kept.take().filter(|kept| kept.kin == self.kin).unwrap_or(Kept {
            kin: self.kin,
            start_ns: self.start_ns,
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
            // A worker that can't be copied, or has failed: each launch has a start of its own, and pays for it.
            context.let_go();
            self.shares = false;
            (self.surcharge_ns, self.start_share_ns) = (0.0, self.start_ns);
        }
    }
}
