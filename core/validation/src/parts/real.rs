use anyhow::{Context, Result};
use tare_validation::compiled::{Compiled, LANGUAGES, SUBJECTS, Subject};
use tare_validation::neighbours::Neighbours;
use tare_validation::page::{CompiledRow, PhpRow, ToolRow};
use tare_validation::php::{BASE_TURNS, COPIES, Php};
use tare_validation::said::RunReport;
use tare_validation::tools::{Ready, TOOLS};

use crate::{DISTURB, Validation};

impl Validation {
    pub(crate) fn php(&mut self) -> Result<Vec<PhpRow>> {
        let php = Php::new(&self.arguments.tare, &self.arguments.folder.join("php"))?;
        let mut questions: Vec<(u32, &'static str)> = COPIES.iter().map(|&turns| (turns, "0.5%")).collect();
        questions.push((4_020, "0.2%"));
        let mut rows = Vec::new();
        for (machine, noisy) in [("quiet", false), ("bursty neighbours", true)] {
            let cpus = tare_machine::allowed_cpus()?;
            let neighbours = noisy.then(|| Neighbours::start(DISTURB, &cpus)).transpose();
            let neighbours = neighbours.context("the neighbours can't be started")?;
            let key = |turns: u32, margin: &str| format!("php afresh, {machine}, {turns} turns, margin {margin}");
            // All rows grow together: a machine that changes in the course of an hour is then the same for all of them.
            for index in 0..self.counts.php {
                for &(turns, margin) in &questions {
                    let key = key(turns, margin);
                    if self.state.has(&key, index) {
                        continue;
                    }
                    self.go_on()?;
                    let said = php.compare(turns, margin, index);
                    self.go_on()?;
                    let said = said?;
                    eprintln!("{key}: {} of {}: {said:?}", index + 1, self.counts.php);
                    self.state.add(&key, index, &said)?;
                }
            }
            drop(neighbours);
            for &(turns, margin) in &questions {
                let mut said: Vec<RunReport> = self.state.all(&key(turns, margin))?;
                said.truncate(self.counts.php as usize);
                rows.push(PhpRow { machine, turns, margin, said });
            }
        }
        Ok(rows)
    }

    pub(crate) fn compiled(&mut self) -> Result<Vec<CompiledRow>> {
        let mut rows = Vec::new();
        for language in LANGUAGES {
            self.go_on()?;
            let folder = self.arguments.folder.join("builds").join(language.name());
            let compiled = Compiled::new(language, &self.arguments.tare, &folder)?;
            let key = |subject: Subject| {
                let budget = subject.budget.map_or(String::new(), |budget| format!(", {budget}"));
                format!("builds, {}, {}, {}{budget}", language.name(), subject.name, subject.candidate())
            };
            for index in 0..self.counts.compiled {
                for subject in SUBJECTS {
                    let key = key(subject);
                    let wanted = self.arguments.row.as_ref().is_none_or(|row| key.contains(row));
                    if !wanted || self.state.has(&key, index) {
                        continue;
                    }
                    self.go_on()?;
                    let said = compiled.compare(subject, index);
                    self.go_on()?;
                    let said = said?;
                    eprintln!("{key}: {} of {}: {said:?}", index + 1, self.counts.compiled);
                    self.state.add(&key, index, &said)?;
                }
            }
            for subject in SUBJECTS {
                let mut said: Vec<RunReport> = self.state.all(&key(subject))?;
                said.truncate(self.counts.compiled as usize);
                rows.push(CompiledRow { language, subject, said });
            }
        }
        Ok(rows)
    }

    pub(crate) fn tools(&mut self) -> Result<Vec<ToolRow>> {
        let mut rows = Vec::new();
        for tool in TOOLS {
            self.go_on()?;
            eprintln!("{}", tool.name());
            let ready = match Ready::new(tool, &self.arguments.folder.join("tools")) {
                Ok(ready) => ready,
                Err(error) => {
                    eprintln!("{}: {error}", tool.name());
                    rows.push(ToolRow { tool, version: Err(error.to_string()), claims: [Vec::new(), Vec::new()] });
                    continue;
                }
            };
            let turns = [BASE_TURNS, 4_040];
            let key = |turns: u32| format!("tools, {}, {turns} turns", tool.name());
            for index in 0..self.counts.tools {
                for turns in turns {
                    if self.state.has(&key(turns), index) {
                        continue;
                    }
                    self.go_on()?;
                    let claim = ready.compare(turns);
                    self.go_on()?;
                    let claim = claim?;
                    eprintln!("{}: {} of {}: {claim:?}", key(turns), index + 1, self.counts.tools);
                    self.state.add(&key(turns), index, &claim)?;
                }
            }
            let claims = turns.map(|turns| self.state.all(&key(turns)));
            let [identical, slower] = claims;
            rows.push(ToolRow { tool, version: Ok(ready.version), claims: [identical?, slower?] });
        }
        Ok(rows)
    }
}
