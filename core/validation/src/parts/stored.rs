use anyhow::Result;
use tare_validation::page::StoredRow;
use tare_validation::simulated::{CountedStored, count_stored, stored_models};

use super::simulated::CHUNK;
use crate::Validation;

impl Validation {
    pub(crate) fn stored(&mut self) -> Result<Vec<StoredRow>> {
        let mut rows = Vec::new();
        for model in stored_models() {
            let (key, wanted) = (format!("stored, {}, {} runs", model.name, model.runs), self.counts.stored);
            let counted = self.counted(&key, wanted, CHUNK, CountedStored::add, |seeds| count_stored(&model, seeds))?;
            rows.push(StoredRow { model, counted });
        }
        Ok(rows)
    }
}
