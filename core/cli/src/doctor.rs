//! `tare doctor`.
use crate::arguments::DoctorArguments;
use crate::exit::{Refusal, Status};

pub(crate) fn doctor(_: &DoctorArguments) -> Result<Status, Refusal> {
    Err(Refusal::usage(anyhow::anyhow!("pending")))
}
