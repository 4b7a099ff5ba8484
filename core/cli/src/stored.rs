//! Comparisons with stored runs.

use tare_definition::Project;
use tare_report::RunView;
use tare_samples::Measurement;

use crate::arguments::CompareArguments;
use crate::exit::{Refusal, Status};

pub(crate) fn compare(_: &CompareArguments, _: &Project, _: &str, _: &str) -> Result<Status, Refusal> {
    Err(Refusal::usage(anyhow::anyhow!("pending")))
}
pub(crate) fn add_against(_: &mut RunView, _: &str, _: &[Measurement], _: f64) -> Result<(), Refusal> {
    Ok(())
}
