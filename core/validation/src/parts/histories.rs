use anyhow::Result;
use tare_validation::histories::{Claimed, SHIFTED, STILL, count_shifted, count_still};
use tare_validation::page::Histories;

use super::simulated::CHUNK;
use crate::Validation;

impl Validation {
    pub(crate) fn histories(&mut self) -> Result<Histories> {
        let wanted = self.counts.histories;
        let mut found = Histories::default();
        for (noise, length) in STILL {
            let key = format!("histories, still, {noise}, {length}");
            let counted = self.counted(&key, wanted, CHUNK, Claimed::add, |seeds| count_still(noise, length, seeds))?;
            found.still.push((noise.to_string(), length, counted));
        }
        for noise in SHIFTED {
            let key = format!("histories, shifted, {noise}");
            let counted = self.counted(&key, wanted, CHUNK, Claimed::add, |seeds| count_shifted(noise, seeds))?;
            found.shifted.push((noise.to_string(), counted));
        }
        Ok(found)
    }
}
