use anyhow::Result;
use tare_validation::page::SuiteRow;
use tare_validation::suite::{Suite, SuiteSaid};

use crate::Validation;

/// As given to `--lanes`, and before that.
const LANES: [&str; 2] = ["1", "default"];

impl Validation {
    pub(crate) fn suite(&mut self) -> Result<Vec<SuiteRow>> {
        let mut rows = Vec::new();
        for differs in [false, true] {
            let folder = self.arguments.folder.join(if differs { "suite-slower" } else { "suite-same" });
            let suite = Suite::new(&self.arguments.tare, &folder, differs)?;
            let key = |lanes: &str| format!("suite, {}, lanes {lanes}", if differs { "slower" } else { "same" });
            for index in 0..self.counts.suite {
                for lanes in LANES {
                    let key = key(lanes);
                    let wanted = self.arguments.row.as_ref().is_none_or(|row| key.contains(row));
                    if !wanted || self.state.has(&key, index) {
                        continue;
                    }
                    self.go_on()?;
                    let said = suite.compare(differs, (lanes != "default").then_some(lanes), index + 1);
                    self.go_on()?;
                    let said = said?;
                    eprintln!("{key}: {} of {}: {said:?}", index + 1, self.counts.suite);
                    self.state.add(&key, index, &said)?;
                }
            }
            for lanes in LANES {
                let mut said: Vec<SuiteSaid> = self.state.all(&key(lanes))?;
                said.truncate(self.counts.suite as usize);
                rows.push(SuiteRow { differs, lanes, said });
            }
        }
        Ok(rows)
    }
}
