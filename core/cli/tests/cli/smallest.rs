//! The smallest measurement, for tests of something else than its figures.
//!
//! To find how many calls make a sample takes a PHP worker two thirds of the CPU time of a small run. So the number is stated where a test isn't about it.

use crate::harness::{Dir, SIMULATED, TestCommand};

const SMALL: [&str; 6] = ["--launches", "1", "--samples", "2", "--budget", "50ms"];
/// So few that they take no time, and more than one, so that there is a loop.
const FEW_CALLS: [&str; 2] = ["--calls", "16"];
const OPTIONS_OF_CALLS: [&str; 2] = ["--calls", "--revs"];

impl Dir {
    /// `tare run` of the smallest measurement.
    pub(crate) fn run(&self, arguments: &[&str]) -> TestCommand<'_> {
        self.small(&["run"], calls(arguments), arguments)
    }

    /// The same with calls as the source states them, or as the pilot finds them.
    pub(crate) fn run_calibrated(&self, arguments: &[&str]) -> TestCommand<'_> {
        self.small(&["run"], &[], arguments)
    }

    /// `tare compare` with the smallest measurement.
    pub(crate) fn compare(&self, base: &str, candidate: &str, arguments: &[&str]) -> TestCommand<'_> {
        self.small(&["compare", base, candidate, "--measure", "all"], calls(arguments), arguments)
    }

    /// The same with calls as the source states them, or as the pilot finds them.
    pub(crate) fn compare_calibrated(&self, base: &str, candidate: &str, arguments: &[&str]) -> TestCommand<'_> {
        self.small(&["compare", base, candidate, "--measure", "all"], &[], arguments)
    }

    fn small(&self, command: &[&str], calls: &[&str], arguments: &[&str]) -> TestCommand<'_> {
        self.tare(&[command, &SMALL, calls, arguments].concat())
    }
}

/// The options that state calls, where these arguments don't. The simulated worker's clock is its own: to find them takes it no time, and verdicts are
/// certain from what it finds.
fn calls(arguments: &[&str]) -> &'static [&'static str] {
    let are_stated = arguments.iter().any(|one| OPTIONS_OF_CALLS.contains(one));
    let are_free = arguments.iter().any(|one| one.starts_with(SIMULATED));
    if are_stated || are_free { &[] } else { &FEW_CALLS }
}
