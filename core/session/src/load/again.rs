//! Going on with a load that was interrupted: the rounds that are left are done, and those that were measured stay as they are.

use std::collections::BTreeSet;

use tare_definition::Project;
use tare_load::kept::Kept;
use tare_load::plan::{Block, BlockResult};
use tare_store::{Access, Store};

use crate::error::Error;
use crate::load::asked::{HttpLoad, LoadRan};
use crate::load::gate::LoadGate;
use crate::load::http::{Place, load_http};
use crate::load::keep::{Keeper, stored};
use crate::project::open_store;
use crate::session::Session;

/// What the store has of a load that is gone on with.
pub(crate) struct Again {
    pub(crate) keeper: Keeper,
    pub(crate) run: String,
    pub(crate) tags: Vec<String>,
    pub(crate) kept: Kept,
}

impl Session<'_> {
    /// Goes on with the interrupted HTTP load that `name` stands for, or with the newest.
    ///
    /// # Errors
    ///
    /// Where there is none, it is another kind of load, or what was asked for can't be done any more.
    pub fn resume_load(&self, name: Option<&str>, fail_on: &[LoadGate], project: &Project) -> Result<LoadRan, Error> {
        // Looking for a load to go on with must not leave a store behind.
        let run = find(open_store(project, Access::ReadOnly)?.as_ref(), name)?;
        let mut store = open_store(project, Access::ReadWrite)?;
        let Some((view, kept)) = stored(store.as_ref(), &run)? else {
            return Err(Error::usage(format!(
                "{run} is a run of benchmarks: `tare run --resume={run}` goes on with it"
            )));
        };
        let request = store.run(&run).map_err(Error::failed)?.request;
        let (kind, asked): (String, serde_json::Value) =
            serde_json::from_str(&request).map_err(|error| other_version(&run, &error))?;
        if kind != HttpLoad::KIND {
            return Err(Error::usage(format!(
                "{run} is a load of {kind}, and only loads of `tare load http` can be gone on with; begin a new one"
            )));
        }
        let mut load: HttpLoad = serde_json::from_value(asked).map_err(|error| other_version(&run, &error))?;
        if load.sending.paced.ladder()?.is_some() {
            return Err(Error::usage(format!(
                "{run} is a load whose rate grows in stages, which can't be gone on with; begin a new one"
            )));
        }
        load.judged.seed = view.seed;
        load.judged.fail_on = fail_on.to_vec();
        store.resume_run(&run).map_err(Error::usage)?;
        let again = Again { keeper: Keeper::of(store, run.clone()), run, tags: view.tags, kept };
        load_http(&load, &[], Place::Again(Box::new(again)), self)
    }
}

fn other_version(run: &str, error: &serde_json::Error) -> Error {
    Error::usage(format!("the load {run} was begun by another version of tare and can't be gone on with: {error}"))
}

fn find(store: &dyn Store, name: Option<&str>) -> Result<String, Error> {
    use tare_store::{RunFilter, RunState};
    match name {
        Some(name) => store.resolve(name).map_err(Error::usage),
        None => {
            let filter = RunFilter { state: Some(RunState::Interrupted), ..RunFilter::default() };
            let interrupted = store.runs(&filter).map_err(Error::failed)?;
            let newest = interrupted.into_iter().find(|row| row.load.is_some()).map(|row| row.origin.id);
            newest.ok_or_else(|| Error::usage("no load was interrupted; `tare log` shows the loads there are"))
        }
    }
}

/// Takes what of the last round was cut short out of what was measured, and gives the blocks that are left.
pub(crate) fn left(kept: &mut Kept, targets: usize) -> Vec<Block> {
    kept.outcome.interrupted = false;
    let planned: Vec<Block> = kept.planned.iter().copied().filter(|block| block.measured).collect();
    if targets == 1 {
        let done = kept.outcome.blocks.first();
        return planned.into_iter().filter_map(|block| rest(block, done)).collect();
    }
    let mut whole: BTreeSet<u32> = planned.iter().map(|block| block.round).collect();
    whole.retain(|round| {
        let there = |target| {
            kept.outcome.blocks.iter().any(|result| result.block.target == target && result.block.round == *round)
        };
        (0..targets).all(there)
    });
    // Whether the last of them came to its end nobody knows.
    if let Some(last) = kept.outcome.blocks.iter().map(|result| result.block.round).max() {
        whole.remove(&last);
    }
    kept.outcome.blocks.retain(|result| whole.contains(&result.block.round));
    planned.into_iter().filter(|block| !whole.contains(&block.round)).collect()
}

/// What is left of the only block of a target that takes no turns.
fn rest(block: Block, done: Option<&BlockResult>) -> Option<Block> {
    let Some(done) = done else { return Some(block) };
    let ended = done.total.succeeded() + done.total.failed;
    let length = block.length.map(|length| length.saturating_sub(done.window));
    let operations = block.operations.map(|operations| operations.saturating_sub(ended));
    let is_over = length.is_some_and(|length| length.is_zero()) || operations == Some(0);
    (!is_over).then_some(Block { length, operations, ..block })
}

/// Of a target that takes no turns all is one block, however often it was gone on with.
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
        let mut kept = Kept { planned: planned.clone(), ..Kept::default() };
        kept.outcome.blocks = done;
        let left = left(&mut kept, 2);
        assert_eq!(kept.outcome.blocks.len(), 10);
        assert_eq!(left, measured().skip(10).copied().collect::<Vec<_>>());
    }

    #[test]
    fn of_a_target_by_itself_the_time_or_the_requests_are_left() {
        for (amount, expected) in [(Amount::Duration(10 * SECOND), Some(7 * SECOND)), (Amount::Requests(50), None)] {
            let (planned, _) = blocks(1, amount, Duration::ZERO, Turns::WHOLE_ROUNDS, 1);
            let mut kept = Kept { planned: planned.clone(), ..Kept::default() };
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
