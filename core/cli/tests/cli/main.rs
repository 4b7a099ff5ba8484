//! The real `tare` on real files, runtimes and stores. Nothing here says how long something takes.
#![allow(clippy::unwrap_used, clippy::print_stderr)]

mod bases;
mod clocks;
mod cut_short;
mod fitness;
mod gates;
mod harness;
mod hostile_revisions;
mod interruptions;
mod kills;
mod operations;
mod phpbench_project;
mod preparations;
mod profiles;
mod reports;
mod repository;
mod revisions;
mod runtimes;
mod sources;
mod stores;
mod subjects;
mod tuning;
mod usage;
mod waiting;
mod workers;
