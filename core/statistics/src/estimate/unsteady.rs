//! Whether launches have a steady part, and where it begins.

use tare_samples::{Calibration, Launch};

use super::figures::timeline;
use crate::settling::{Settling, settle};

/// How the launches of a variant settle. A kind counts only where most launches show it: one launch alone is noise.
pub(super) struct Unsteady {
    /// Warning code of the kind that most launches show, with how many of them.
    pub(super) kind: Option<(&'static str, usize)>,
    /// How many launches were long enough to tell.
    pub(super) of: usize,
    starts: Vec<usize>,
}

impl Unsteady {
    pub(super) fn of(launches: &[Launch], calibration: &Calibration) -> Self {
        let totals: Vec<Vec<(usize, f64)>> = launches.iter().map(|launch| timeline(launch, calibration)).collect();
        let settled: Vec<Option<Settling>> =
            totals.iter().map(|totals| settle(&totals.iter().map(|(_, total)| *total).collect::<Vec<_>>())).collect();
        let of = settled.iter().flatten().count();
        let count =
            |matches: fn(&Settling) -> bool| settled.iter().flatten().filter(|settling| matches(settling)).count();
        let kinds = [
            ("warms-up", count(|settling| matches!(settling, Settling::WarmsUp { .. }))),
            ("slows-down", count(|settling| matches!(settling, Settling::SlowsDown { .. }))),
            ("never-settles", count(|settling| matches!(settling, Settling::NeverSettles))),
        ];
        let kind = kinds.into_iter().find(|(_, count)| 2 * count > of && of > 0);
        let warms_up = kind.is_some_and(|(kind, _)| kind == "warms-up");
        let starts = settled
            .iter()
            .zip(&totals)
            .map(|(settling, totals)| match settling {
                Some(Settling::WarmsUp { from }) if warms_up => first_whole_turn(totals, *from),
                _ => 0,
            })
            .collect();
        Self { kind, of, starts }
    }

    /// How many of the case's turns at the start of a launch are not of its steady part.
    pub(super) fn skip(&self, launch: usize) -> usize {
        self.starts.get(launch).copied().unwrap_or(0)
    }
}

/// The first turn that lies in the steady part whole; the last turn is kept in any case.
fn first_whole_turn(totals: &[(usize, f64)], from: usize) -> usize {
    let Some(&(turn, _)) = totals.get(from) else { return 0 };
    let whole = from == 0 || totals[from - 1].0 != turn;
    let last = totals.last().map_or(turn, |(last, _)| *last);
    if whole { turn } else { (turn + 1).min(last) }
}
