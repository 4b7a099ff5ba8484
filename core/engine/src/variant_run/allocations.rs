//! Allocations of a variant's calls, counted where its worker can.

use tare_frames::Samples;
use tare_plan::Settings;
use tare_samples::{Allocations, Calls};
use tare_worker::Launcher;

use super::{VariantRun, is_capable};

/// The capability, and the subject, that counts allocations, and how many more calls the second of its samples makes.
const ALLOCATIONS: &str = "allocations";
const COUNTED_GROWTH: u64 = 4;
/// What is allocated now and then is spread over so many calls.
const FEWEST_CALLS: u64 = 64;

impl VariantRun<'_> {
    /// Counts the allocations of a few samples, where the worker can: in a launch whose times count for nothing, since counting
    /// takes time of its own.
    pub(crate) fn count_allocations(&mut self, launcher: &dyn Launcher, settings: &Settings) {
        let deadline = self.deadline(launcher, settings);
        let Some(open) = self.process.launch_mut() else { return };
        if !is_capable(open, ALLOCATIONS) {
            return;
        }
        // What a sample allocates once, whatever its calls, isn't theirs: it cancels between two sizes.
        let few = self.calibration.iterations;
        let many = if few == 0 || self.planned.variant.calls != Calls::Pilot { few } else { COUNTED_GROWTH * few };
        let asked_ns = launcher.now_ns();
        let mut count = || open.conversation.run(ALLOCATIONS, 1, &[few, many], deadline);
        let mut counted = count().map(|samples| Counts::of(&samples));
        if let Ok(Some(first)) = &counted
            && first.between(few, many).asks_for_another(FEWEST_CALLS)
        {
            let first = *first;
            counted = count().map(|samples| Counts::of(&samples).map(|second| first.least(second)));
        }
        self.asked_ns += launcher.now_ns() - asked_ns;
        match counted {
            Ok(Some(counts)) => self.calibration.reported.allocations = Some(counts.between(few, many)),
            Ok(None) => {}
            Err(failure) => self.fail_or_cut(launcher, failure),
        }
    }
}

/// What the samples of two sizes allocated: how often, and how many bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Counts {
    count: [u64; 2],
    bytes: [u64; 2],
}

impl Counts {
    fn of(samples: &Samples) -> Option<Self> {
        let two = |counts: &[u64]| <[u64; 2]>::try_from(counts).ok();
        two(&samples.allocations).zip(two(&samples.allocated_bytes)).map(|(count, bytes)| Self { count, bytes })
    }

    /// What a call allocates by itself comes in each sample. What a collection makes necessary, such as filling a pool again, comes in some.
    fn least(self, other: Self) -> Self {
        let least = |own: [u64; 2], other: [u64; 2]| [own[0].min(other[0]), own[1].min(other[1])];
        Self { count: least(self.count, other.count), bytes: least(self.bytes, other.bytes) }
    }

    fn between(self, few: u64, many: u64) -> Allocations {
        let more = |counts: [u64; 2]| if many > few { counts[1].saturating_sub(counts[0]) } else { counts[1] };
        Allocations {
            // A bare call is one, too.
            calls: if many > few { many - few } else { many.max(1) },
            count: more(self.count),
            bytes: more(self.bytes),
        }
    }
}

#[cfg(test)]
mod tests {
    use tare_samples::Allocations;

    use super::Counts;

    /// A pool that a collection emptied is filled once, in the larger sample: of 100 calls that is 254.8 bytes each, though none allocates.
    #[test]
    fn what_comes_in_one_of_two_counts_is_no_allocation_of_the_calls() {
        let refilled = Counts { count: [1, 3], bytes: [16, 25_496] };
        assert!(refilled.between(100, 200).asks_for_another(64));
        let quiet = Counts { count: [1, 1], bytes: [16, 16] };
        assert_eq!(refilled.least(quiet).between(100, 200), Allocations { calls: 100, count: 0, bytes: 0 });
        // What each sample does stays, as a map that grows in each.
        let grows = Counts { count: [3, 5], bytes: [100, 500] };
        assert_eq!(grows.least(grows).between(100, 200), Allocations { calls: 100, count: 2, bytes: 400 });
        assert!(!Counts { count: [100, 200], bytes: [800, 1600] }.between(100, 200).asks_for_another(64));
        assert!(!quiet.between(100, 200).asks_for_another(64));
        // Of few calls one filling of a pool is much.
        assert!(Counts { count: [100, 200], bytes: [800, 1600] }.between(10, 20).asks_for_another(64));
    }
}
