//! The real `tare` on real files, runtimes and stores. Nothing here says how long something takes.
#![allow(clippy::unwrap_used, clippy::print_stderr)]

mod harness;
mod interruptions;
mod kills;
mod phpbench_project;
mod reports;
mod runtimes;
mod sources;
mod stores;
mod subjects;
mod usage;
mod workers;
