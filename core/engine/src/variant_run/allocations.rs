//! Allocations of a variant's calls, counted where its worker can.

use tare_plan::Settings;
use tare_samples::{Allocations, Calls};
use tare_worker::Launcher;

use super::{VariantRun, is_capable};

/// The capability, and the subject, that counts allocations, and how many more calls the second of its samples makes.
const ALLOCATIONS: &str = "allocations";
const COUNTED_GROWTH: u64 = 4;

impl VariantRun<'_> {
    /// Counts the allocations of a few samples, where the worker can: in a launch whose times count for nothing, since counting
    /// takes time of its own.
    pub(crate) fn count_allocations(&mut self, launcher: &dyn Launcher, settings: &Settings) {
        let deadline = self.deadline(launcher, settings);
        let Some(open) = &mut self.open else { return };
        if !is_capable(open, ALLOCATIONS) {
            return;
        }
        // What a sample allocates once, whatever its calls, isn't theirs: it cancels between two sizes.
        let few = self.calibration.iterations;
        let many = if few == 0 || self.planned.variant.calls != Calls::Pilot { few } else { COUNTED_GROWTH * few };
        let iterations = [few, many];
        let asked_ns = launcher.now_ns();
        let counted = open.conversation.run(ALLOCATIONS, 1, &iterations, deadline);
        self.asked_ns += launcher.now_ns() - asked_ns;
        match counted {
            Ok(samples) if samples.allocations.len() == iterations.len() => {
                let more = |counts: &[u64]| if many > few { counts[1].saturating_sub(counts[0]) } else { counts[1] };
                self.calibration.reported.allocations = Some(Allocations {
                    // A bare call is one, too.
                    calls: if many > few { many - few } else { many.max(1) },
                    count: more(&samples.allocations),
                    bytes: more(&samples.allocated_bytes),
                });
            }
            Ok(_) => {}
            Err(failure) => self.fail_or_cut(launcher, failure),
        }
    }
}
