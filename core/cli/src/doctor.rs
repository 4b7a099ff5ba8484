//! `tare doctor`: how fit the machine and the runtimes are to measure on.

mod noise;
mod runtimes;
mod settled;

use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use tare_machine::fitness::{self, Moment};
use tare_report::Layout;
use tare_results::DoctorView;
use tare_session::{addresses_finding, of_the_machine};

use crate::arguments::{Detail, DoctorArguments};
use crate::exit::{Refusal, Status};
use crate::interrupt::stop_flag;
use crate::run::{project_here, stopped_early};
use crate::screen;

/// How long load, steal and throttling are watched.
const SPAN: Duration = Duration::from_secs(1);
/// How soon an interruption is noticed meanwhile.
const SLICE: Duration = Duration::from_millis(20);

pub(crate) fn doctor(arguments: &DoctorArguments) -> Result<Status, Refusal> {
    let stop = stop_flag()?;
    let interrupted = || stop.load(Ordering::Relaxed);
    let project = project_here()?;
    let named = runtimes::named(arguments, &project)?;

    screen::complain("watching the machine for a second");
    let root = arguments.root.as_path();
    let before = Moment::with_processes(root);
    let until = Instant::now() + SPAN;
    while Instant::now() < until && !interrupted() {
        std::thread::sleep(SLICE);
    }
    if interrupted() {
        return Ok(stopped_early());
    }
    let after = Moment::with_processes(root);
    let mut view = of_machine(root, &before, &after, "over 1 s");
    view.findings.extend(settled::finding(root));
    view.findings.push(addresses_finding());
    (view.runtimes, view.not_installed) = runtimes::judged(&named, &interrupted)?;
    let mut unmeasured = None;
    if arguments.noise && !interrupted() {
        match noise::measured(arguments, &project, &stop) {
            Ok(noise) => view.noise = noise,
            // The rest is worth reading all the same.
            Err(refusal) => unmeasured = Some(refusal),
        }
    }
    view.interrupted = interrupted();
    if arguments.json {
        screen::print(&tare_report::doctor_document(&view, Layout::Pretty));
    } else {
        let options = screen::table_options(&Detail { verbose: arguments.verbose, ..Detail::default() });
        screen::print(&tare_report::doctor_report(&view, &options));
    }
    if view.interrupted {
        return Ok(Status::Interrupted);
    }
    unmeasured.map_or(Ok(Status::Done), Err)
}

/// The machine below `root`, between two moments.
fn of_machine(root: &Path, before: &Moment, after: &Moment, when: &str) -> DoctorView {
    let machine = tare_machine::facts(root);
    let standing = fitness::of_machine(root, &machine, &fitness::measuring_cpus(root));
    let findings = fitness::joined(standing, fitness::of_span(before, after, when));
    DoctorView { findings: findings.into_iter().map(of_the_machine).collect(), machine, ..DoctorView::default() }
}

#[cfg(test)]
mod tests;
