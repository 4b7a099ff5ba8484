//! The warm-in of compared variants: how long each is slower at the beginning of its turn because the others have displaced its memory from the caches.
//! A pilot can't see it, since nothing but the variant itself has run when it looks.

use tare_plan::round_order;
use tare_samples::Subject;

use super::{GroupRun, StepContext};
use crate::pilot::{COMPARED_WARM_NS, Positions, affordable};

/// Turns of each variant that are looked at, and blocks of samples in each.
const TURNS: u64 = 5;
const BLOCKS: usize = 16;
/// The last blocks of a turn are taken to be settled, and the others are compared with them.
const LAST: usize = 4;
/// Lengths of a block, in nanoseconds. A variant that is slower for half of a turn is looked at again in turns of the next length.
const BLOCKS_NS: [f64; 2] = [COMPARED_WARM_NS, 4.0 * COMPARED_WARM_NS];
/// Variants with longer samples aren't looked at: one sample is untimed in any case, and that is enough. Nanoseconds.
const LONGEST_SAMPLE_NS: f64 = 200_000.0;
/// Variants with samples longer than this take no turns here either: their turns would cost more time than they show. Nanoseconds.
const LONGEST_TAKING_NS: f64 = 5_000_000.0;
/// Keeps the random order of these turns apart from those of the rounds.
const COLD: u64 = u64::MAX - 16;

/// What turns of a variant took without a warm-in.
struct ColdTurns {
    variant: usize,
    /// Samples of a block.
    block: usize,
    positions: Positions,
}

impl GroupRun<'_> {
    /// Makes a variant's warm-in longer where it is slower for longer than its pilot saw, and its turns with it.
    pub(super) fn find_cold_starts(&mut self, context: &mut StepContext<'_>) {
        let taking: Vec<usize> = (0..self.variants.len())
            .filter(|&index| {
                let variant = &self.variants[index];
                let is_ready = variant.is_compared() && variant.is_calibrated() && variant.is_open();
                is_ready && variant.calibration.iterations > 0 && variant.pilot.sample_wall_ns <= LONGEST_TAKING_NS
            })
            .collect();
        let mut looked_at = taking.clone();
        looked_at.retain(|&index| {
            let variant = &self.variants[index];
            variant.calibration.warm > 0 && variant.pilot.sample_wall_ns <= LONGEST_SAMPLE_NS
        });
        for block_ns in BLOCKS_NS {
            if taking.len() < 2 || looked_at.is_empty() {
                return;
            }
            let seen = self.take_cold_turns(context, &taking, &looked_at, block_ns);
            looked_at.retain(|index| {
                let Some(turns) = seen.iter().find(|turns| turns.variant == *index) else { return false };
                let cold = turns.positions.cold();
                // What is left then is below what can be told from noise here, and not nothing.
                self.warm_in_for(*index, ((cold + cold.div_ceil(4)) * turns.block) as u64);
                cold >= BLOCKS / 2
            });
        }
    }

    /// Turns without a warm-in, in random order: by variant that is looked at. Nothing of those
    /// that failed. The others take turns as long as theirs will be.
    fn take_cold_turns(
        &mut self,
        context: &mut StepContext<'_>,
        taking: &[usize],
        looked_at: &[usize],
        block_ns: f64,
    ) -> Vec<ColdTurns> {
        let block =
            |index: usize| ((block_ns / self.variants[index].pilot.sample_wall_ns.max(1.0)) as usize).clamp(1, 1_000);
        let begun =
            |&variant: &usize| ColdTurns { variant, block: block(variant), positions: Positions::new(BLOCKS, LAST) };
        let mut seen: Vec<ColdTurns> = looked_at.iter().map(begun).collect();
        for round in 0..TURNS {
            for among in round_order(context.settings.seed, self.number as u64, COLD, round, taking.len()) {
                let variant = &mut self.variants[taking[among]];
                let own = seen.iter_mut().find(|turns| turns.variant == taking[among]);
                let samples =
                    own.as_ref().map_or(variant.calibration.samples_per_turn as usize, |own| BLOCKS * own.block);
                let calls = vec![variant.calibration.iterations; samples.max(1)];
                let turn = variant.turn(context.launcher, context.settings, 0, Subject::Case, 0, calls);
                if let (Some(turn), Some(own)) = (turn, own) {
                    own.positions.take(&turn.elapsed, own.block);
                }
            }
        }
        seen.retain(|turns| self.variants[turns.variant].is_open());
        seen
    }

    fn warm_in_for(&mut self, index: usize, samples: u64) {
        let variant = &mut self.variants[index];
        let own = &mut variant.calibration;
        if samples > own.warm {
            own.warm = samples;
            own.samples_per_turn = own.samples_per_turn.max(affordable(samples, variant.pilot.sample_wall_ns.max(1.0)));
        }
    }
}
