//! A launch as its row holds it, before its samples are unpacked.

use tare_samples::Launch;

use crate::{Result, StoreError, checksum, turns};

pub(crate) struct LaunchRow {
    pub(crate) variant: String,
    /// Without its turns.
    pub(crate) launch: Launch,
    pub(crate) samples: Vec<u8>,
    pub(crate) checksum: i64,
}

impl LaunchRow {
    /// The launch with its samples, in a run.
    pub(crate) fn whole(self, run: &str) -> Result<Launch> {
        if let Some(error) = self.fault(run) {
            return Err(error);
        }
        match turns::decode(&self.samples) {
            Ok(turns) => Ok(Launch { turns, ..self.launch }),
            Err(reason) => Err(self.bad(run, reason)),
        }
    }

    /// Why it isn't what was stored.
    pub(crate) fn fault(&self, run: &str) -> Option<StoreError> {
        checksum::fault(&self.launch, &self.samples, self.checksum).map(|reason| self.bad(run, reason))
    }

    fn bad(&self, run: &str, reason: String) -> StoreError {
        StoreError::BadSamples {
            run: run.to_owned(),
            variant: self.variant.clone(),
            launch: self.launch.ordinal,
            reason,
        }
    }
}
