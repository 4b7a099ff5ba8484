//! Watches the machine, starts the runtimes, and judges what both say.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tare_definition::Project;
use tare_machine::fitness::{self, Level, Moment, Span};
use tare_results::DoctorView;

use crate::doctor::{noise, runtimes, settled};
use crate::error::Error;
use crate::judging::addresses;
use crate::session::Session;

/// How long load, steal and throttling are watched.
const SPAN: Duration = Duration::from_secs(1);
/// How soon an interruption is noticed meanwhile.
const SLICE: Duration = Duration::from_millis(20);

/// What is judged.
#[derive(Debug, Clone)]
pub struct DoctorRequest {
    /// Runtimes as `NAME=COMMAND`, a command, or a name of tare.toml; empty for those that are there.
    pub runtimes: Vec<String>,
    /// Identical code is compared as well.
    pub noise: bool,
    /// Where it is asked.
    pub folder: PathBuf,
    /// Where /proc and /sys are read.
    pub root: PathBuf,
}

impl Session<'_> {
    /// Judges the machine and the runtimes. With it comes why the noise that was asked for couldn't be measured.
    ///
    /// # Errors
    ///
    /// Where what is asked for can't be, or it is stopped before the machine was watched.
    pub fn doctor(&self, request: &DoctorRequest, project: &Project) -> Result<(DoctorView, Option<Error>), Error> {
        let named = runtimes::named(&request.runtimes, project)?;
        self.notice("watching the machine for a second");
        let root = request.root.as_path();
        let before = Moment::with_processes(root);
        let until = Instant::now() + SPAN;
        while Instant::now() < until && !self.is_stopped() {
            std::thread::sleep(SLICE);
        }
        if self.is_stopped() {
            return Err(Error::interrupted());
        }
        let after = Moment::with_processes(root);
        let mut view = doctor_of_machine(root, &before, &after, "over 1 s");
        view.findings.extend(settled::finding(root));
        view.findings.push(addresses::finding());
        (view.runtimes, view.not_installed) = runtimes::judged(&named, self)?;
        let mut unmeasured = None;
        if request.noise && !self.is_stopped() {
            match noise::measured(&request.runtimes, request.folder.clone(), project, self) {
                Ok(noise) => view.noise = noise,
                // The rest is worth reading all the same.
                Err(error) => unmeasured = Some(error),
            }
        }
        view.interrupted = self.is_stopped();
        Ok((view, unmeasured))
    }
}

/// How fit the machine below `root` is for a measurement that begins now.
#[derive(Debug, Clone, Default)]
pub struct FitnessNow {
    /// What disturbs measurements at this moment, and needn't in an hour: load of others, stolen time, throttling.
    pub disturbed: Vec<String>,
    /// Its processor; empty where it isn't known.
    pub cpu: String,
    /// How its frequency is governed; empty where it isn't known.
    pub governor: String,
}

/// Watches it for a second.
pub fn fitness_now(root: &Path) -> FitnessNow {
    let before = Moment::with_processes(root);
    std::thread::sleep(SPAN);
    let moving =
        fitness::of_span(&before, &Moment::with_processes(root), Span { when: "over 1 s", longer: "--budget" });
    let disturbs = moving.into_iter().filter(|finding| finding.level == Level::Disturbs);
    let facts = tare_machine::facts(root);
    let fact = |name: &str| facts.get(name).cloned().unwrap_or_default();
    FitnessNow {
        disturbed: disturbs.map(|finding| format!("{}: {}", finding.code, finding.found)).collect(),
        cpu: fact("cpu"),
        governor: fact("governor"),
    }
}

/// The machine below `root`, between two moments.
pub fn doctor_of_machine(root: &Path, before: &Moment, after: &Moment, when: &str) -> DoctorView {
    let machine = tare_machine::facts(root);
    let standing = fitness::of_machine(root, &machine, &fitness::measuring_cpus(root));
    let findings = fitness::joined(standing, fitness::of_span(before, after, Span { when, longer: "--budget" }));
    DoctorView { findings, machine, ..DoctorView::default() }
}
