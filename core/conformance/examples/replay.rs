//! Replays the vectors: `replay [--source FILE] WORKER…`. `tare conformance` does the same with more comfort.

#![allow(clippy::print_stdout, clippy::exit, reason = "it is a program")]

use std::path::PathBuf;

use tare_conformance::{Options, Outcome, run_with};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut command: Vec<String> = std::env::args().skip(1).collect();
    let mut options = Options::default();
    if command.first().is_some_and(|first| first == "--source") && command.len() > 1 {
        options.source = Some(PathBuf::from(command.remove(1)));
        command.remove(0);
    }
    let report = run_with(&command, &options, &mut |check| println!("{check}"))?;
    let passed = report.count(|outcome| *outcome == Outcome::Passed);
    println!("{passed} of {} passed", report.checks.len());
    std::process::exit(i32::from(!report.conforms()));
}
