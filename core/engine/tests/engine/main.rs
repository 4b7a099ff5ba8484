//! The engine on simulated machines, whose truth is known.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod addresses;
mod collections;
mod comparisons;
mod counts;
mod coverage;
mod deadlines;
mod displaced;
mod heaps;
mod interrupted;
mod kin;
mod lanes;
mod layouts;
mod shapes;
mod told;
mod totals;
mod untimed;
