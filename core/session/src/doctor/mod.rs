//! How fit the machine and the runtimes are to measure on.

mod judge;
mod noise;
mod runtimes;
mod settled;

pub use judge::{DoctorRequest, doctor_of_machine};
pub(crate) use settled::tuning_folder;
