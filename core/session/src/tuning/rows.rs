//! Settings of the machine as a report takes them.

use tare_machine::tuning::{Change, ChangeResult, Settled, Undone};
use tare_results::{TuneOutcome, TuneRow};

/// Where settings can't be changed for want of rights.
pub(super) const ADVICE_ON_RIGHTS: &str = "in a container, run `tare tune` on the host";

/// What would be changed.
pub(super) fn planned_rows(changes: Vec<Change>) -> Vec<TuneRow> {
    changes.into_iter().map(|change| row(change, TuneOutcome::Planned)).collect()
}

/// What was put back.
pub(super) fn undone_rows(undone: Vec<(Change, Undone)>) -> Vec<TuneRow> {
    undone.into_iter().map(|(change, undone)| row(change, outcome(undone))).collect()
}

/// What was made of a plan.
pub(super) fn settled_rows(settled: &Settled) -> Vec<TuneRow> {
    let made = |made: &ChangeResult| match made {
        ChangeResult::Done => TuneOutcome::Settled,
        ChangeResult::Refused(why) | ChangeResult::Stuck(_, why) => TuneOutcome::NotSettled(why.clone()),
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

/// What was made of a plan, in lines.
pub(super) fn settled_lines(settled: &Settled) -> Vec<String> {
    let done = settled.changes.iter().filter(|(_, made)| *made == ChangeResult::Done).count();
    let mut lines = vec![match (done, settled.changes.len()) {
        (_, 0) => "this machine has nothing to settle; the command runs without changes".to_owned(),
        (done, all) if done == all => format!("settled ({done} {})", files(done)),
        (done, all) => format!("settled {done} of {all} files; {}", ADVICE_ON_RIGHTS),
    }];
    for (change, made) in &settled.changes {
        match made {
            ChangeResult::Done => {}
            ChangeResult::Refused(why) => {
                lines.push(format!("{} is left at {}: {}: {why}", change.what, change.old, change.path));
            }
            ChangeResult::Stuck(found, why) => {
                lines.push(format!("{} is at {found} now: {}: {why}", change.what, change.path));
            }
        }
    }
    lines
}

/// What was put back, in lines.
pub(super) fn undone_lines(undone: &[(Change, Undone)]) -> Vec<String> {
    let mut lines = Vec::new();
    let back = undone.iter().filter(|(_, undone)| *undone == Undone::Back).count();
    let refused: Vec<_> = undone.iter().filter(|(_, undone)| matches!(undone, Undone::Refused(_))).collect();
    if back > 0 {
        lines.push(format!("put back ({back} {})", files(back)));
    }
    for (change, undone) in undone {
        let Change { what, path, old, .. } = change;
        match undone {
            Undone::Foreign(found) => lines.push(format!(
                "{what} is left at {found}, which another program has set since; it was {old} before: {path}"
            )),
            Undone::Refused(why) => lines.push(format!("{what} can't be put back to {old}: {path}: {why}")),
            Undone::Back | Undone::AsItWas => {}
        }
    }
    if !refused.is_empty() {
        lines.push("what couldn't be put back is kept, for `tare tune --restore`".to_owned());
    }
    lines
}

fn files(count: usize) -> &'static str {
    if count == 1 { "file" } else { "files" }
}
