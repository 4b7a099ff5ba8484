use std::fmt::Write;

use super::percent;
use crate::simulated::{CountedStored, StoredModel};

/// A row of comparisons of stored runs.
#[derive(Debug, Clone)]
pub struct StoredRow {
    /// On which machine, after how many runs.
    pub model: StoredModel,
    /// What was counted.
    pub counted: CountedStored,
}

pub(super) fn write(text: &mut String, rows: &[StoredRow]) {
    text.push_str(
        "## Simulated histories of stored runs\n\nThe newest run against a random earlier one. *Called*: equal code called different, with one commit in \
         all runs and with one for each. Then what is found of code that has been slower for the last quarter of the history, and how often \
         the next run reads what was said with 95 %.\n\n\
         | machine | runs | comparisons | called | called, a commit each | 5 % found | 10 % | 20 % | next run |\n\
         | --- | --: | --: | --: | --: | --: | --: | --: | --: |\n",
    );
    for StoredRow { model, counted } in rows {
        let share = |count| percent(counted.share(count));
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} | {} | {} |",
            model.name,
            model.runs,
            counted.comparisons,
            share(counted.alarms[0]),
            share(counted.alarms[1]),
            share(counted.found[0]),
            share(counted.found[1]),
            share(counted.found[2]),
            share(counted.foretold)
        );
    }
    text.push('\n');
}
