//! Settings of the machine as a report takes them.

use tare_machine::tuning::{Change, Made, Settled, Undone};
use tare_results::{TuneOutcome, TuneRow};

/// What would be changed.
pub fn planned_rows(changes: Vec<Change>) -> Vec<TuneRow> {
    changes.into_iter().map(|change| row(change, TuneOutcome::Planned)).collect()
}

/// What was put back.
pub fn undone_rows(undone: Vec<(Change, Undone)>) -> Vec<TuneRow> {
    undone.into_iter().map(|(change, undone)| row(change, outcome(undone))).collect()
}

/// What was made of a plan.
pub fn settled_rows(settled: &Settled) -> Vec<TuneRow> {
    let made = |made: &Made| match made {
        Made::Done => TuneOutcome::Settled,
        Made::Refused(why) | Made::Stuck(_, why) => TuneOutcome::NotSettled(why.clone()),
    };
    settled.changes.iter().map(|(change, outcome)| row(change.clone(), made(outcome))).collect()
}

fn outcome(undone: Undone) -> TuneOutcome {
    match undone {
        Undone::Back => TuneOutcome::Back,
        Undone::AsItWas => TuneOutcome::AsItWas,
        Undone::Foreign(found) => TuneOutcome::Foreign(found),
        Undone::Refused(why) => TuneOutcome::NotBack(why),
    }
}

fn row(change: Change, outcome: TuneOutcome) -> TuneRow {
    let Change { what, path, old, new } = change;
    TuneRow { what, path, old, new, outcome }
}
