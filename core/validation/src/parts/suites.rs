use anyhow::Result;
use tare_validation::page::SuiteRow;
use tare_validation::suite::{Suite, SuiteSaid};

use crate::Validation;

/// The options that a suite is compared with. The last one is the time in which a suite is to be done.
const OPTIONS: [&str; 3] = ["--lanes 1", "", "--total 75s"];

impl Validation {
    pub(crate) fn suite(&mut self) -> Result<Vec<SuiteRow>> {
        let mut rows = Vec::new();
        for differs in [false, true] {
            let folder = self.arguments.folder.join(if differs { "suite-slower" } else { "suite-same" });
            let suite = Suite::new(&self.arguments.tare, &folder, differs)?;
            let key =
                |options: &str| format!("suite, {}, options {options:?}", if differs { "slower" } else { "same" });
            for index in 0..self.counts.suite {
                for options in OPTIONS {
                    let key = key(options);
                    let wanted = self.arguments.row.as_ref().is_none_or(|row| key.contains(row));
                    if !wanted || self.state.has(&key, index) {
                        continue;
                    }
                    self.go_on()?;
                    let said = suite.compare(differs, options, index + 1);
                    self.go_on()?;
                    let said = said?;
                    eprintln!("{key}: {} of {}: {said:?}", index + 1, self.counts.suite);
                    self.state.add(&key, index, &said)?;
                }
            }
            for options in OPTIONS {
                let mut said: Vec<SuiteSaid> = self.state.all(&key(options))?;
                said.truncate(self.counts.suite as usize);
                rows.push(SuiteRow { differs, options, said });
            }
        }
        Ok(rows)
    }
}
