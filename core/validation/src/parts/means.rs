use anyhow::Result;
use tare_validation::means::{Language, Means, MeansFigures, PAIRS, missing_tool};
use tare_validation::page::MeansRow;

use crate::Validation;

impl Validation {
    pub(crate) fn means(&mut self) -> Result<Vec<MeansRow>> {
        let mut rows = Vec::new();
        for language in Language::ALL {
            self.go_on()?;
            if let Some(tool) = missing_tool(language) {
                eprintln!("means, {}: left out, there is no {tool}", language.name());
                continue;
            }
            let means =
                Means::new(language, &self.arguments.tare, &self.arguments.folder.join("means").join(language.name()))?;
            let pairs = PAIRS.iter().filter(|pair| pair.language == language);
            let key = |meaning: &str| format!("means, {}, {meaning}", language.name());
            // All rows grow together: a machine that changes in the course of an hour is then the same for all of them.
            for index in 0..self.counts.means {
                for pair in pairs.clone() {
                    let key = key(pair.meaning);
                    let wanted = self.arguments.row.as_ref().is_none_or(|row| key.contains(row));
                    if !wanted || self.state.has(&key, index) {
                        continue;
                    }
                    self.go_on()?;
                    let seen = means.measure(pair, index);
                    self.go_on()?;
                    let seen = seen?;
                    eprintln!("{key}: {} of {}: {seen:?}", index + 1, self.counts.means);
                    self.state.add(&key, index, &seen)?;
                }
            }
            for pair in pairs {
                let mut seen: Vec<MeansFigures> = self.state.all(&key(pair.meaning))?;
                seen.truncate(self.counts.means as usize);
                rows.push(MeansRow { pair: *pair, seen });
            }
        }
        Ok(rows)
    }
}
