//! What is left of a load that was interrupted: the rounds that were measured stay as they are.

use std::collections::BTreeSet;

use tare_load::kept::{KeptLoad, KeptTeam};
use tare_load::plan::{Block, BlockResult};
use tare_load::workers;

use crate::load::keep::{Keep, Keeper};

/// A load that begins, or one that goes on where it was interrupted.
pub(crate) enum NewOrResumed<'a> {
    /// It begins, and is stored if that is asked for.
    New(Option<Keep<'a>>),
    /// It goes on (`tare load resume`).
    Again(Box<Again>),
}

/// What the store has of a load that is resumed.
pub(crate) struct Again {
    pub(crate) keeper: Keeper,
    pub(crate) run: String,
    pub(crate) tags: Vec<String>,
    pub(crate) kept: KeptLoad,
}

/// Takes what of the last round was cut short out of what was measured, and gives the blocks that are left.
pub(crate) fn left(kept: &mut KeptLoad, targets: usize) -> Vec<Block> {
    kept.outcome.interrupted = false;
    let planned: Vec<Block> = kept.planned.iter().copied().filter(|block| block.measured).collect();
    if targets == 1 {
        let done = kept.outcome.blocks.first();
        return planned.into_iter().filter_map(|block| rest(block, done, 1)).collect();
    }
    let whole = whole_rounds(&planned, &kept.outcome.blocks, targets);
    kept.outcome.blocks.retain(|result| whole.contains(&result.block.round));
    planned.into_iter().filter(|block| !whole.contains(&block.round)).collect()
}

/// The same of workers.
pub(crate) fn left_of_team(team: &mut KeptTeam, workers: u32) -> Vec<Block> {
    team.outcome.interrupted = false;
    // Warm-ups of rounds stay with them, since with the first of them workers are launched anew. Those of round 0 are made afresh.
    let planned: Vec<Block> = team.planned.iter().copied().filter(|block| block.measured || block.round > 0).collect();
    let targets = team.targets.len();
    if targets == 1 {
        let done = team.outcome.blocks.first();
        return planned.into_iter().filter_map(|block| rest(block, done, u64::from(workers))).collect();
    }
    let whole = whole_rounds(&planned, &team.outcome.blocks, targets);
    let is_in_whole = |result: &BlockResult| whole.contains(&result.block.round);
    let (blocks, by_all) = (std::mem::take(&mut team.outcome.blocks), std::mem::take(&mut team.outcome.whole));
    let stay = blocks.into_iter().zip(by_all).filter(|(result, _)| is_in_whole(result));
    (team.outcome.blocks, team.outcome.whole) = stay.unzip();
    planned.into_iter().filter(|block| !whole.contains(&block.round)).collect()
}

/// Rounds that all targets went through.
fn whole_rounds(planned: &[Block], done: &[BlockResult], targets: usize) -> BTreeSet<u32> {
    let mut whole: BTreeSet<u32> = planned.iter().map(|block| block.round).collect();
    whole.retain(|round| {
        let there = |target| done.iter().any(|result| result.block.target == target && result.block.round == *round);
        (0..targets).all(there)
    });
    // Whether the last of them came to its end nobody knows.
    if let Some(last) = done.iter().map(|result| result.block.round).max() {
        whole.remove(&last);
    }
    whole
}

/// What is left of the only block of a target that takes no turns. The operations of a block are those of each of so many workers.
fn rest(block: Block, done: Option<&BlockResult>, workers: u64) -> Option<Block> {
    let Some(done) = done else { return Some(block) };
    let ended = (done.total.succeeded() + done.total.failed) / workers;
    let length = block.length.map(|length| length.saturating_sub(done.window));
    let operations = block.operations.map(|operations| operations.saturating_sub(ended));
    let is_over = length.is_some_and(|length| length.is_zero()) || operations == Some(0);
    (!is_over).then_some(Block { length, operations, ..block })
}

/// Of a target that takes no turns all is one block, however often it was resumed.
pub(crate) fn joined(results: Vec<BlockResult>) -> Vec<BlockResult> {
    let mut joined: Vec<BlockResult> = Vec::new();
    for result in results {
        let same = |known: &&mut BlockResult| {
            (known.block.target, known.block.round) == (result.block.target, result.block.round)
        };
        match joined.iter_mut().find(same) {
            Some(known) => {
                known.total.add(&result.total);
                known.in_window += result.in_window;
                known.window += result.window;
            }
            None => joined.push(result),
        }
    }
    joined
}

/// What workers did before and after they were interrupted, as one.
pub(crate) fn gone_on(before: KeptTeam, after: workers::Outcome) -> workers::Outcome {
    let mut outcome = before.outcome;
    outcome.append(after);
    if before.targets.len() == 1 {
        let by_all = outcome.whole.iter().all(|whole| *whole);
        outcome.blocks = joined(outcome.blocks);
        outcome.whole = vec![by_all; outcome.blocks.len()];
    }
    outcome
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tare_load::series::Stretch;

    use super::*;
    use crate::load::blocks::{Amount, Turns, blocks};

    const SECOND: Duration = Duration::from_secs(1);

    fn result(block: Block, window: Duration) -> BlockResult {
        BlockResult { block, total: Stretch::default(), in_window: 100.0, window }
    }

    #[test]
    fn rounds_that_were_not_done_are_left_and_so_is_the_last_that_was_begun() {
        let (planned, _) = blocks(2, Amount::Duration(10 * SECOND), SECOND, Turns::WHOLE_ROUNDS, 1);
        let measured = || planned.iter().filter(|block| block.measured);
        // Five rounds, and one target of the sixth.
        let done: Vec<BlockResult> = measured().take(11).map(|block| result(*block, SECOND)).collect();
        let mut kept = KeptLoad { planned: planned.clone(), ..KeptLoad::default() };
        kept.outcome.blocks = done;
        let left = left(&mut kept, 2);
        assert_eq!(kept.outcome.blocks.len(), 10);
        assert_eq!(left, measured().skip(10).copied().collect::<Vec<_>>());
    }

    #[test]
    fn workers_are_launched_anew_in_the_rounds_that_are_left() {
        let turns = Turns::WHOLE_ROUNDS.relaunched(SECOND / 10, 4);
        let (planned, _) = blocks(2, Amount::Duration(10 * SECOND), SECOND, turns, 1);
        let of_round = |round: u32| planned.iter().filter(move |block| block.round == round);
        let done: Vec<BlockResult> =
            (0..6).flat_map(of_round).filter(|block| block.measured).map(|block| result(*block, SECOND)).collect();
        let target = || workers::Target { operations: vec![(0, "get".to_owned(), 1).into()] };
        let mut team = KeptTeam { targets: vec![target(), target()], planned: planned.clone(), ..KeptTeam::default() };
        team.outcome.whole = vec![true; done.len()];
        team.outcome.blocks = done;
        let left = left_of_team(&mut team, 4);
        // Whether the last round came to its end nobody knows.
        let rounds = planned.iter().map(|block| block.round + 1).max().unwrap();
        assert_eq!(left, (5..rounds).flat_map(of_round).copied().collect::<Vec<_>>());
        assert_eq!(left.iter().filter(|block| block.renewed).count() as u32, rounds - 5);
        assert_eq!(team.outcome.blocks.len(), 10);
    }

    #[test]
    fn of_a_target_by_itself_the_time_or_the_requests_are_left() {
        for (amount, expected) in [(Amount::Duration(10 * SECOND), Some(7 * SECOND)), (Amount::Requests(50), None)] {
            let (planned, _) = blocks(1, amount, Duration::ZERO, Turns::WHOLE_ROUNDS, 1);
            let mut kept = KeptLoad { planned: planned.clone(), ..KeptLoad::default() };
            kept.outcome.blocks = vec![result(planned[0], 3 * SECOND)];
            kept.outcome.blocks[0].total.failed = 20;
            let left = left(&mut kept, 1);
            assert_eq!((left[0].length, left[0].operations), (expected, expected.is_none().then_some(30)));
            kept.outcome.blocks[0].total.failed = 50;
            kept.outcome.blocks[0].window = 10 * SECOND;
            assert_eq!(super::left(&mut kept, 1), [], "nothing is left");
        }
        let (planned, _) = blocks(1, Amount::Duration(10 * SECOND), Duration::ZERO, Turns::WHOLE_ROUNDS, 1);
        let all = joined(vec![result(planned[0], 3 * SECOND), result(planned[0], 7 * SECOND)]);
        assert_eq!((all.len(), all[0].window, all[0].in_window), (1, 10 * SECOND, 200.0));
    }
}
