use anyhow::Result;
use tare_validation::page::BisectRow;
use tare_validation::simulated::{CountedBisections, bisect_models, count_bisections};

use super::simulated::CHUNK;
use crate::Validation;

impl Validation {
    pub(crate) fn bisections(&mut self) -> Result<Vec<BisectRow>> {
        let mut rows = Vec::new();
        for model in bisect_models() {
            let (key, wanted) = (format!("bisections, {model}"), self.counts.bisections);
            let count = |seeds| count_bisections(&model, seeds);
            let counted = self.counted(&key, wanted, CHUNK, CountedBisections::add, count)?;
            rows.push(BisectRow { model: model.to_string(), counted });
        }
        Ok(rows)
    }
}
