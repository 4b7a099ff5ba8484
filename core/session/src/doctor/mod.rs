//! How fit the machine and the runtimes are to measure on.

mod judge;
mod noise;
mod runtimes;
mod settled;

pub use judge::{DoctorRequest, FitnessNow, doctor_of_machine, fitness_now};
pub(crate) use settled::tuning_folder;
