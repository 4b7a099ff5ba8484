//! Whether launches have a steady part, where it begins, and what it does to the time where they have none.

use crate::warning::WarningCode;
use tare_samples::{Calibration, Launch};

use super::figures::timeline;
use crate::quantile::mean;
use crate::settling::{Settling, settle};

/// How the launches of a variant settle. A kind counts only where most launches show it: one launch alone is noise.
pub(super) struct Unsteady {
    /// Warning code of the kind that most launches show, with how many of them.
    pub(super) kind: Option<(WarningCode, usize)>,
    /// How many launches were long enough to tell.
    pub(super) of: usize,
    /// Of each launch that shows the kind, as a fraction of the time: what the part that is left out of a launch that warms up has beyond
    /// the rest; else what the last quarter has beyond the whole. The machine's doing has another sign in each launch, the subject's the same.
    pub(super) effects: Vec<f64>,
    starts: Vec<usize>,
}

/// A launch's samples in order of time, with the number of the turn that each belongs to.
type Timeline = Vec<(usize, f64)>;

impl Unsteady {
    pub(super) fn of(launches: &[Launch], calibration: &Calibration) -> Self {
        let totals: Vec<Timeline> = launches.iter().map(|launch| timeline(launch, calibration)).collect();
        let settled: Vec<Option<Settling>> =
            totals.iter().map(|totals| settle(&totals.iter().map(|(_, total)| *total).collect::<Vec<_>>())).collect();
        let of = settled.iter().flatten().count();
        let count =
            |code: WarningCode| settled.iter().flatten().filter(|settling| code_of(settling) == Some(code)).count();
        let kind = [WarningCode::WarmsUp, WarningCode::SlowsDown, WarningCode::NeverSettles]
            .into_iter()
            .map(|code| (code, count(code)))
            .find(|(_, count)| 2 * count > of && of > 0);
        let shows = |settling: &Option<Settling>| {
            settling.as_ref().is_some_and(|settling| kind.is_some_and(|(kind, _)| code_of(settling) == Some(kind)))
        };
        let start = |settling: &Option<Settling>, totals: &Timeline| match settling {
            Some(Settling::WarmsUp { from }) if shows(settling) => first_whole_turn(totals, *from),
            _ => 0,
        };
        let launches = || settled.iter().zip(&totals);
        let effects = launches()
            .filter(|(settling, _)| shows(settling))
            .filter_map(|(settling, totals)| effect(settling, totals));
        Self {
            kind,
            of,
            effects: effects.collect(),
            starts: launches().map(|(settling, totals)| start(settling, totals)).collect(),
        }
    }

    /// How many of the case's turns at the start of a launch are not of its steady part.
    pub(super) fn skip(&self, launch: usize) -> usize {
        self.starts.get(launch).copied().unwrap_or(0)
    }
}

fn code_of(settling: &Settling) -> Option<WarningCode> {
    match settling {
        Settling::Steady { .. } => None,
        Settling::WarmsUp { .. } => Some(WarningCode::WarmsUp),
        Settling::SlowsDown { .. } => Some(WarningCode::SlowsDown),
        Settling::NeverSettles => Some(WarningCode::NeverSettles),
    }
}

fn effect(settling: &Option<Settling>, totals: &Timeline) -> Option<f64> {
    let mean_of = |part: &[(usize, f64)]| mean(&part.iter().map(|(_, total)| *total).collect::<Vec<_>>());
    let (part, whole) = match settling {
        Some(Settling::WarmsUp { from }) => (mean_of(&totals[..*from])?, mean_of(&totals[*from..])?),
        _ => (mean_of(&totals[totals.len() * 3 / 4..])?, mean_of(totals)?),
    };
    (whole > 0.0).then_some(part / whole - 1.0)
}

/// The first turn that lies in the steady part whole; the last turn is kept in any case.
fn first_whole_turn(totals: &Timeline, from: usize) -> usize {
    let Some(&(turn, _)) = totals.get(from) else { return 0 };
    let whole = from == 0 || totals[from - 1].0 != turn;
    let last = totals.last().map_or(turn, |(last, _)| *last);
    if whole { turn } else { (turn + 1).min(last) }
}
