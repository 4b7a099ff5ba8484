//! What a call of one launch costs on average: its own rare, slow calls included, other processes' work left out.

use std::collections::BTreeMap;

use tare_samples::{Launch, Subject};

use super::tare::{AtSizes, Scale, Tared, tare};
use crate::own_time::{OwnTurn, mean_per_call, own_turns};

/// The same figures as medians give, of means. Nanoseconds per call.
#[derive(Debug, Clone, Default)]
pub(super) struct MeanCost {
    /// What the means of the launch say.
    pub(super) tared: Tared,
    /// Tared time of each round by itself.
    pub(super) rounds: Vec<f64>,
}

/// The turns of a launch by subject and size.
struct Own {
    case: BTreeMap<u64, Vec<OwnTurn>>,
    null: BTreeMap<u64, Vec<OwnTurn>>,
    pause: BTreeMap<u64, Vec<OwnTurn>>,
}

/// Of the rounds of the launch from `first` on. `None` without samples of the case or of the null.
///
/// The null's own mean comes off, not its typical sample: what the machine adds to a loop now and then, without another process that is
/// seen, it adds to the null's as well. The typical one would leave that in the time; with the mean an empty subject reads 0 on a machine
/// with spikes (`tests/simulation/mean_cost.rs`).
pub(super) fn of_launch(launch: &Launch, scale: &Scale<'_>, first: u32) -> Option<MeanCost> {
    let sizes = || std::iter::once(scale.calibration.iterations).chain(scale.calibration.far.iter().copied());
    let own = |subject: Subject| -> BTreeMap<u64, Vec<OwnTurn>> {
        sizes().map(|size| (size, own_turns(launch, &subject, size))).collect()
    };
    let mut own = Own { case: own(Subject::Case), null: own(Subject::Null), pause: own(Subject::Pause) };
    own.case.values_mut().for_each(|turns| turns.retain(|turn| turn.round >= first));
    let tared = own.tare(scale, |_| true, |_| true)?;
    let numbers: std::collections::BTreeSet<u32> = own.case.values().flatten().map(|turn| turn.round).collect();
    // Pause pairs weigh the same in every round: one round has too few of them.
    let rounds =
        numbers.into_iter().filter_map(|round| Some(own.tare(scale, |turn| turn.round == round, |_| true)?.time));
    Some(MeanCost { tared, rounds: rounds.collect() })
}

impl Own {
    /// Of the turns of case and null that are `kept`, and the pause's that are `paused`.
    fn tare(
        &self,
        scale: &Scale<'_>,
        kept: impl Fn(&OwnTurn) -> bool,
        paused: impl Fn(&OwnTurn) -> bool,
    ) -> Option<Tared> {
        tare(
            &AtSizes {
                case: &|size| mean_total(&self.case, size, &kept),
                null: &|size| mean_total(&self.null, size, &kept),
                pause: &|size| mean_total(&self.pause, size, &paused),
                // What a pause pair costs is seen beside the null of the same turns.
                unpaused: &|size| mean_total(&self.null, size, &paused),
            },
            scale,
        )
    }
}

/// The mean of a whole sample of `size` calls.
fn mean_total(turns: &BTreeMap<u64, Vec<OwnTurn>>, size: u64, kept: &impl Fn(&OwnTurn) -> bool) -> Option<f64> {
    let per_call = mean_per_call(turns.get(&size)?.iter().filter(|turn| kept(turn)))?;
    Some(per_call * size.max(1) as f64)
}
