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
    /// The kin whose processes are kept.
    pub(crate) fn kept_kin(&self) -> Option<usize> {
        self.kept.as_ref().map(|kept| kept.kin)
    }

    /// Lets go of what is kept.
    pub(crate) fn let_go(&mut self) {
        for mut conversation in self.kept.take().into_iter().flat_map(|kept| kept.conversations).flatten() {
            conversation.hang_up();
            self.ending.push(conversation);
        }
    }
}

impl GroupRun<'_> {
    /// What its processes take to start for a launch, or its part of that, by what their listing saw; nanoseconds.
    pub(crate) fn guessed_start_ns(&self) -> f64 {
        let all_ns: f64 = self.variants.iter().map(|variant| variant.planned.startup.takes_ns as f64).sum();
        all_ns / self.sharing.min(MOST_SERVED).max(1) as f64
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
            self.start_share_ns = self.start_ns / context.kin_under_way.max(1) as f64;
            self.surcharge_ns = began_ns - if is_launch { self.start_share_ns } else { 0.0 };
        }
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
