use std::fmt::Write;

use crate::suite::{METHODS, SLOWER, SuiteSaid};

/// A row of comparisons of the suite of PHP methods.
#[derive(Debug, Clone)]
pub struct SuiteRow {
    /// Four methods are slower in one of the commits.
    pub differs: bool,
    /// As given to `--lanes`; `default` where it wasn't given.
    pub lanes: &'static str,
    /// What was said.
    pub said: Vec<SuiteSaid>,
}

pub(super) fn write(text: &mut String, rows: &[SuiteRow]) {
    let _ = write!(
        text,
        "## A suite of {METHODS} PHP methods\n\n`tare compare HEAD .` with usual settings, seeds from 1 on. *Wrongly*: methods that are the same called different, or the other \
         way round, over all suites. The slower methods are slower by {} %.\n\n\
         | commits | `--lanes` | suites | seconds, median | most | `inconclusive`, median | most | wrongly | slower found |\n\
         | --- | --- | --: | --: | --: | --: | --: | --: | --: |\n",
        SLOWER.map(|(_, percent)| percent.to_string()).join(", ")
    );
    for SuiteRow { differs, lanes, said } in rows.iter().filter(|row| !row.said.is_empty()) {
        let mut seconds: Vec<f64> = said.iter().map(|said| said.wall_s).collect();
        seconds.sort_by(f64::total_cmp);
        let mut open: Vec<usize> = said.iter().map(|said| said.inconclusive).collect();
        open.sort_unstable();
        let wrong: usize = said.iter().map(|said| said.wrong.len()).sum();
        let found: usize = said.iter().map(|said| said.found).sum();
        let found = if *differs { format!("{found} of {}", said.len() * SLOWER.len()) } else { "–".to_owned() };
        let _ = writeln!(
            text,
            "| {} | {lanes} | {} | {:.0} | {:.0} | {} | {} | {wrong} | {found} |",
            if *differs { "four methods slower" } else { "the same" },
            said.len(),
            seconds[seconds.len() / 2],
            seconds[seconds.len() - 1],
            open[open.len() / 2],
            open[open.len() - 1],
        );
    }
    text.push('\n');
}
