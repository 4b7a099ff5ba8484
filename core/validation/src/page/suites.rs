use std::fmt::Write;

use crate::suite::{METHODS, SLOWER, SuiteSaid};

/// A row of comparisons of the suite of PHP methods.
#[derive(Debug, Clone)]
pub struct SuiteRow {
    /// Four methods are slower in one of the commits.
    pub differs: bool,
    /// Options, but for those of all of them; empty for none.
    pub options: &'static str,
    /// What was said.
    pub said: Vec<SuiteSaid>,
}

pub(super) fn write(text: &mut String, rows: &[SuiteRow]) {
    let _ = write!(
        text,
        "## A suite of {METHODS} PHP methods\n\n`tare compare HEAD .` with these options, seeds from 1 on. *Wrongly*: methods that are the same called different, or the other \
         way round, over all suites. The slower methods are slower by {} %.\n\n\
         | commits | options | suites | seconds, median | most | `inconclusive`, median | most | wrongly | slower found |\n\
         | --- | --- | --: | --: | --: | --: | --: | --: | --: |\n",
        SLOWER.map(|(_, percent)| percent.to_string()).join(", ")
    );
    for SuiteRow { differs, options, said } in rows.iter().filter(|row| !row.said.is_empty()) {
        let mut seconds: Vec<f64> = said.iter().map(|said| said.wall_s).collect();
        seconds.sort_by(f64::total_cmp);
        let mut open: Vec<usize> = said.iter().map(|said| said.inconclusive).collect();
        open.sort_unstable();
        let wrong: usize = said.iter().map(|said| said.wrong.len()).sum();
        let found: usize = said.iter().map(|said| said.found).sum();
        let found = if *differs { format!("{found} of {}", said.len() * SLOWER.len()) } else { "–".to_owned() };
        let _ = writeln!(
            text,
            "| {} | {} | {} | {:.0} | {:.0} | {} | {} | {wrong} | {found} |",
            if *differs { "four methods slower" } else { "the same" },
            if options.is_empty() { "none".to_owned() } else { format!("`{options}`") },
            said.len(),
            seconds[seconds.len() / 2],
            seconds[seconds.len() - 1],
            open[open.len() / 2],
            open[open.len() - 1],
        );
    }
    text.push('\n');
}
