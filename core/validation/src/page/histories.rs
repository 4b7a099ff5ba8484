use std::fmt::Write;

use super::percent;
use crate::histories::{Claimed, SEEN_WITHIN, SHIFT};

/// What was counted of histories of cases.
#[derive(Debug, Clone, Default)]
pub struct Histories {
    /// Without a shift: the noise, runs of each history, what was claimed.
    pub still: Vec<(String, usize, Claimed)>,
    /// With one.
    pub shifted: Vec<(String, Claimed)>,
}

pub(super) fn write(text: &mut String, found: &Histories) {
    text.push_str(
        "## Shifts of level in histories\n\nHistories of one case, a time a run, as `tare serve` shows them. Without a shift, whatever is claimed is a false alarm.\n\n\
         | noise | runs | histories | claimed | share |\n| --- | --: | --: | --: | --: |\n",
    );
    // Writing to a string doesn't fail.
    for (noise, length, counted) in &found.still {
        let Claimed { histories, claimed } = counted;
        let _ = writeln!(text, "| {noise} | {length} | {histories} | {claimed} | {} |", percent(counted.share()));
    }
    let _ = write!(
        text,
        "\nA shift of {SHIFT} standard deviations after 40 to 79 runs, seen when {SEEN_WITHIN} runs have followed:\n\n\
         | noise | histories | seen | share |\n| --- | --: | --: | --: |\n"
    );
    for (noise, counted) in &found.shifted {
        let Claimed { histories, claimed } = counted;
        let _ = writeln!(text, "| {noise} | {histories} | {claimed} | {} |", percent(counted.share()));
    }
    text.push('\n');
}
