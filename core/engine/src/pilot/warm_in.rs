//! How long a subject is slower after something else had the core: the effect of the position in the turn.

use tare_plan::Settings;
use tare_samples::Subject;
use tare_worker::Launcher;

use super::{SAMPLE_NS, SampleCosts, median, median_of};
use crate::variant_run::VariantRun;

/// The warm-in of what is compared is found in steps of this length, and is at least one long.
pub(crate) const COMPARED_WARM_NS: f64 = 60_000.0;
const TURNS: usize = 5;
/// Blocks of a turn; fewer where a single sample is longer than a block, since what is cold is warm after a time, not after so many samples.
const BLOCKS: usize = 12;
const LEAST_BLOCKS: usize = 4;
const TOLERANCE: f64 = 0.005;

/// What the blocks of several turns took, by their position, beside the last ones of the same turn.
#[derive(Debug)]
pub(crate) struct Positions {
    ratios: Vec<Vec<f64>>,
    last: usize,
}

impl Positions {
    /// Of turns of so many blocks, of which the `last` ones, fewer than all and one at the least, are taken for settled.
    pub(crate) fn new(blocks: usize, last: usize) -> Self {
        Self { ratios: vec![Vec::new(); blocks], last }
    }

    /// Takes a turn: nanoseconds of its samples, `block` of them in each block.
    pub(crate) fn take(&mut self, elapsed: &[u64], block: usize) {
        let blocks: Vec<f64> = elapsed.chunks(block).map(median).collect();
        let settled = median_of(&blocks[blocks.len().saturating_sub(self.last)..]).max(1.0);
        for (ratios, value) in self.ratios.iter_mut().zip(&blocks) {
            ratios.push(value / settled);
        }
    }

    /// How many blocks at the beginning take longer than the last ones do, by more than these scatter; none of the last ones themselves.
    pub(crate) fn cold(&self) -> usize {
        let (early, late) = self.ratios.split_at(self.ratios.len() - self.last);
        let off: Vec<f64> = late.iter().flatten().map(|ratio| (ratio - 1.0).abs()).collect();
        let turns = late.first().map_or(1, Vec::len).max(1);
        // 1.253: a median of a few scatters that much more than their mean; three standard errors for all positions looked at.
        let noise = 1.253 * 1.4826 * median_of(&off) / (turns as f64).sqrt();
        let tolerance = TOLERANCE.max(3.0 * noise);
        early.iter().take_while(|ratios| median_of(ratios) > 1.0 + tolerance).count()
    }
}

/// How many samples after a switch still differ from the later ones.
pub(super) fn find_warm_in(
    variant: &mut VariantRun<'_>,
    launcher: &mut dyn Launcher,
    settings: &Settings,
    found: SampleCosts,
) -> Option<u64> {
    // Short samples: cold code is a matter of time, not of samples.
    let block_ns = if variant.is_compared() { COMPARED_WARM_NS } else { SAMPLE_NS };
    let one_ns = found.sample_ns + found.beside_ns();
    let at_once = ((block_ns / one_ns).floor() as u64).clamp(1, 1_000);
    let block = at_once as usize;
    let blocks = blocks_of(block_ns, one_ns);
    let mut positions = Positions::new(blocks, blocks / 2);
    for _ in 0..TURNS {
        variant.turn(launcher, settings, 0, Subject::Null, 1, vec![found.calls; block.min(4)])?;
        let turn = variant.turn(launcher, settings, 0, Subject::Case, 0, vec![found.calls; blocks * block])?;
        positions.take(&turn.elapsed, block);
    }
    // At least one: the turn's own beginning, the read that wakes the process, is never part of the subject.
    Some(positions.cold().max(1) as u64 * at_once)
}

/// How many blocks of at least `block_ns` last as long as [`BLOCKS`] of that length, where a sample takes `one_ns`.
fn blocks_of(block_ns: f64, one_ns: f64) -> usize {
    ((BLOCKS as f64 * block_ns / one_ns.max(block_ns)).ceil() as usize).max(LEAST_BLOCKS)
}

#[cfg(test)]
mod tests {
    use super::{BLOCKS, COMPARED_WARM_NS, LEAST_BLOCKS, Positions, blocks_of};

    #[test]
    fn long_samples_have_fewer_blocks() {
        assert_eq!(blocks_of(COMPARED_WARM_NS, 15_000.0), BLOCKS);
        assert_eq!(blocks_of(COMPARED_WARM_NS, 2.0 * COMPARED_WARM_NS), BLOCKS / 2);
        assert_eq!(blocks_of(COMPARED_WARM_NS, 9.0e6), LEAST_BLOCKS);
    }

    fn cold(turns: &[[u64; 8]]) -> usize {
        let mut positions = Positions::new(8, 4);
        turns.iter().for_each(|turn| positions.take(turn, 1));
        positions.cold()
    }

    #[test]
    fn blocks_at_the_beginning_that_take_longer_are_cold() {
        let turn = [3_000, 2_000, 1_400, 1_010, 1_000, 1_001, 999, 1_000];
        assert_eq!(cold(&[turn; 5]), 4);
        assert_eq!(cold(&[[1_000, 1_004, 1_000, 1_000, 1_000, 1_001, 999, 1_000]; 5]), 0);
        // Those at the end are the measure.
        assert_eq!(cold(&[[4_000, 4_000, 4_000, 4_000, 1_000, 1_000, 1_000, 1_000]; 5]), 4);
    }

    #[test]
    fn what_scatters_as_much_at_the_end_is_not_cold() {
        let turns = [
            [1_200, 1_000, 900, 1_100, 1_300, 800, 1_000, 1_000],
            [900, 1_100, 1_000, 1_000, 700, 1_200, 1_000, 1_000],
            [1_300, 900, 1_000, 1_100, 1_000, 1_400, 800, 1_000],
        ];
        assert_eq!(cold(&turns), 0);
    }
}
