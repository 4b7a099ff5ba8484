//! How far a job is, in words: told when it changes, and now and then.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::slurm::Task;

/// How far it is, is told so often, and when something changes.
const TELL_EVERY: Duration = Duration::from_secs(15);

/// How far a part is, by its store.
#[derive(Debug, Clone, Default)]
pub(crate) struct PartProgress {
    pub(crate) complete: bool,
    pub(crate) launches: u64,
}

/// How a job stands: what is told at once when it changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum State {
    /// Parts that are measured, nodes that measure, why the others wait.
    Known { done: usize, nodes: Vec<String>, waiting: usize, reasons: Vec<String> },
    /// Only tasks are known, and why the store can't be read.
    Unread(String),
    /// The queue doesn't answer.
    NoQueue,
}

/// Tells what changes, and now and then what doesn't.
pub(crate) struct Silent {
    state: Option<State>,
    at: Instant,
}

impl Silent {
    pub(crate) fn new() -> Self {
        Self { state: None, at: Instant::now() }
    }

    pub(crate) fn tell(&mut self, state: State, parts: u32, launches: u64, tell: &mut dyn FnMut(&str)) {
        if self.state.as_ref() != Some(&state) || self.at.elapsed() >= TELL_EVERY {
            tell(&described(&state, parts, launches));
            (self.state, self.at) = (Some(state), Instant::now());
        }
    }
}

/// Of what the queue and the stores say.
pub(crate) fn state(tasks: &BTreeMap<u32, Task>, measured: &BTreeMap<u32, PartProgress>) -> State {
    let waits: Vec<&Task> = tasks.values().filter(|task| task.state == "PENDING").collect();
    let mut nodes: Vec<String> =
        tasks.values().filter(|task| task.state == "RUNNING").map(|task| task.node.clone()).collect();
    nodes.sort_unstable();
    let known = |reason: &&str| !["None", ""].contains(reason);
    let mut reasons: Vec<String> =
        waits.iter().map(|task| task.reason.as_str()).filter(known).map(str::to_owned).collect();
    reasons.sort_unstable();
    reasons.dedup();
    State::Known {
        done: measured.values().filter(|part| part.complete).count(),
        nodes,
        waiting: if reasons.is_empty() { 0 } else { waits.len() },
        reasons,
    }
}

fn described(state: &State, parts: u32, launches: u64) -> String {
    match state {
        State::NoQueue => "the queue doesn't answer; running jobs continue".to_owned(),
        State::Unread(error) => format!("the store can't be read at the moment: {error}"),
        State::Known { done, nodes, waiting, reasons } => {
            let mut text = format!("{done} of {parts} parts measured, {launches} launches");
            if !nodes.is_empty() {
                text.push_str(&format!(", measuring on {}", nodes.join(" ")));
            }
            if !reasons.is_empty() {
                text.push_str(&format!(", {waiting} waiting in the queue ({})", reasons.join(" ")));
            }
            text
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{PartProgress, Silent, described, state};
    use crate::slurm::Task;

    fn task(state: &str, reason: &str, node: &str) -> Task {
        Task { state: state.into(), reason: reason.into(), node: node.into() }
    }

    #[test]
    fn what_changes_is_told_at_once_and_more_launches_are_not() {
        let mut silent = Silent::new();
        let mut told = Vec::new();
        let tasks = [(1, task("RUNNING", "None", "n1")), (2, task("PENDING", "Resources", ""))].into();
        let part = |complete, launches| PartProgress { complete, launches };
        for (done, launches) in [(false, 3), (false, 7), (true, 9), (true, 9)] {
            silent.tell(state(&tasks, &[(1, part(done, launches))].into()), 2, launches, &mut |text| {
                told.push(text.to_owned())
            });
        }
        assert_eq!(
            told,
            [
                "0 of 2 parts measured, 3 launches, measuring on n1, 1 waiting in the queue (Resources)",
                "1 of 2 parts measured, 9 launches, measuring on n1, 1 waiting in the queue (Resources)",
            ]
        );
    }

    #[test]
    fn a_task_that_waits_for_nothing_in_particular_is_not_told() {
        let tasks = [(1, task("PENDING", "None", ""))].into();
        assert_eq!(described(&state(&tasks, &[].into()), 1, 0), "0 of 1 parts measured, 0 launches");
    }
}
