use std::fmt::Write;

use crate::simulated::CountedBisections;

/// A row of searches for a commit.
#[derive(Debug, Clone)]
pub struct BisectRow {
    /// The history and the machine.
    pub model: String,
    /// What was counted.
    pub counted: CountedBisections,
}

pub(super) fn write(text: &mut String, rows: &[BisectRow]) {
    text.push_str(
        "## Simulated searches for a commit\n\n`tare bisect --confidence 95%`. *Launches*: standard deviation of a launch. *Versions*: that of a version in all its \
         measurements, as the places of its code are worth. *No change*: the comparison of both ends called none, so nothing was searched for. Where nothing \
         changed, whatever is blamed is wrong.\n\n\
         | history and machine | searches | right | wrong | no change | unconfirmed | steps on average |\n\
         | --- | --: | --: | --: | --: | --: | --: |\n",
    );
    for BisectRow { model, counted } in rows {
        let [right, wrong, no_change, unconfirmed] = counted.said;
        let all: u64 = counted.said.iter().sum();
        let steps = counted.steps as f64 / counted.searched().max(1) as f64;
        // Writing to a string doesn't fail.
        let _ = writeln!(text, "| {model} | {all} | {right} | {wrong} | {no_change} | {unconfirmed} | {steps:.1} |");
    }
    text.push('\n');
}
