use std::collections::BTreeMap;
use std::ops::Range;
use std::thread;

use tare_engine::{Observer, Progress, SuiteMeasurements, measure};
use tare_plan::{Group, Layouts, Pair, Planned, Settings};
use tare_samples::{
    Calibration, Calls, Case, CaseSettings, Correction, Launch, Outcome, Parameters, Runtime, RuntimeCommand, Variant,
};
use tare_simulation::{CaseTruth, SimulatedLauncher, Truth};
use tare_worker::Launcher;

use super::counted::TrueRatios;
use super::{Counted, Model};

/// What is compared.
#[derive(Debug, Clone)]
pub struct Question {
    /// The candidate's true time per call is that of the model's candidate times 1 + this; 0 for identical code.
    pub slowdown: f64,
    /// What samples of the base, and of the candidate, hold beside their calls, in nanoseconds.
    pub setups_ns: [f64; 2],
    /// The percentage that a gate states, a fraction.
    pub gate: Option<f64>,
    /// How it is measured. Its seed is mixed with each run's own.
    pub settings: Settings,
}

/// Hears of nothing.
#[derive(Debug)]
pub struct Quiet;

impl Observer for Quiet {
    fn calibrated(&mut self, _: &Variant, _: &Calibration) {}
    fn launched(&mut self, _: &[(&Variant, &Launch)]) {}
    fn ended(&mut self, _: &Variant, _: &Outcome) {}
    fn progress(&mut self, _: &Progress) {}
    fn interrupted(&self) -> bool {
        false
    }
}

/// Compares base and candidate once for each seed, on a machine of its own. On as many threads as there are CPUs; the
/// counts don't depend on how many.
pub fn compare(model: &Model, question: &Question, seeds: Range<u64>) -> Counted {
    all(spread(seeds, |seed| once(model, question, seed, 1)))
}

/// The same with suites of `cases` comparisons each, measured together: what is flagged in one is judged along with what is
/// flagged in the others.
pub fn compare_suites(model: &Model, question: &Question, cases: usize, seeds: Range<u64>) -> Counted {
    all(spread(seeds, |seed| once(model, question, seed, cases)))
}

fn all(counted: Vec<Counted>) -> Counted {
    let mut all = Counted::default();
    counted.into_iter().for_each(|counted| all.add(counted));
    all
}

/// Runs once for each seed, on as many threads as there are CPUs; gives what came of it in the order of seeds.
pub(super) fn spread<T: Send>(seeds: Range<u64>, run: impl Fn(u64) -> T + Sync) -> Vec<T> {
    let threads = thread::available_parallelism().map_or(1, |count| count.get() as u64);
    let run = &run;
    let mut runs: Vec<(u64, T)> = thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|first| {
                let seeds = (seeds.start + first..seeds.end).step_by(threads as usize);
                scope.spawn(move || seeds.map(|seed| (seed, run(seed))).collect::<Vec<_>>())
            })
            .collect();
        workers
            .into_iter()
            .flat_map(|worker| worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    });
    runs.sort_unstable_by_key(|&(seed, _)| seed);
    runs.into_iter().map(|(_, counted)| counted).collect()
}

fn once(model: &Model, question: &Question, seed: u64, cases: usize) -> Counted {
    let (measured, launcher) = measured(model, question, seed, cases);
    let mut counted = Counted { runs: 1, ..Counted::default() };
    // The launcher's clock is the machine's; it began at 0.
    counted.run_ms.push(launcher.now_ns() as f64 / 1e6);
    for compared in measured.comparisons {
        let sides = &measured.measurements[compared.group];
        let calls = [compared.pair.base, compared.pair.candidate]
            .map(|side| sides[side].calibration.as_ref().map_or(1, |calibration| calibration.iterations));
        counted.comparison(&compared.comparison, &truth_of(model, question, calls));
    }
    let always = |case: &CaseTruth| case.launch_outliers == 0.0 && case.levels.is_none();
    // Of a suite it isn't known which of its comparisons met one.
    let has_met =
        cases > 1 || launcher.outlier_launches() > 0 || [&model.case, model.candidate()].into_iter().all(always);
    counted.unmet = u64::from(!has_met);
    counted.wrong_unmet = if has_met { 0 } else { counted.wrong_bound };
    counted.alarming_runs = u64::from(counted.called_different() > 0);
    counted
}

/// A suite of `cases` comparisons, and the machine that it was measured on.
pub(super) fn measured(
    model: &Model,
    question: &Question,
    seed: u64,
    cases: usize,
) -> (SuiteMeasurements, SimulatedLauncher) {
    let truth = Truth { seed, scale: model.scale, cases: truths(model, question, cases) };
    measured_of(truth, question.gate, &question.settings)
}

/// All cases of the machine compared two by two, from its seed.
pub(super) fn measured_of(
    truth: Truth,
    gate: Option<f64>,
    settings: &Settings,
) -> (SuiteMeasurements, SimulatedLauncher) {
    let (cases, seed) = (truth.cases.len() / 2, truth.seed);
    let mut groups: Vec<Group> = (0..cases).map(|number| group(&truth, number)).collect();
    groups.iter_mut().flat_map(|group| &mut group.pairs).for_each(|pair| pair.gate = gate);
    let settings = Settings { seed: settings.seed ^ seed, ..settings.clone() };
    let mut launcher = SimulatedLauncher::new(truth);
    let measured = measure(&groups, &settings, &mut launcher, &mut Quiet, Vec::new(), 0);
    (measured, launcher)
}

fn truth_of(model: &Model, question: &Question, calls: [u64; 2]) -> TrueRatios {
    let factor = 1.0 + question.slowdown;
    let (low, high) = model.typical_ratios(calls);
    TrueRatios { time: model.time_ratio() * factor, typical: [low * factor, high * factor] }
}

fn name(number: usize, side: &str) -> String {
    format!("case{number}::{side}")
}

pub(super) fn truths(model: &Model, question: &Question, cases: usize) -> Vec<CaseTruth> {
    let side = |number: usize, side: &str, case: &CaseTruth, factor: f64, setup_ns: f64| CaseTruth {
        name: name(number, side),
        time_ns: case.time_ns * factor,
        setup_ns,
        ..case.clone()
    };
    let [base_ns, candidate_ns] = question.setups_ns;
    let both = |number| {
        [
            side(number, "base", &model.case, 1.0, base_ns),
            side(number, "candidate", model.candidate(), 1.0 + question.slowdown, candidate_ns),
        ]
    };
    (0..cases).flat_map(both).collect()
}

/// Two cases of a simulated machine, the second compared with the first.
pub fn group(truth: &Truth, number: usize) -> Group {
    let variants: Vec<Planned> = (2 * number..2 * number + 2).map(|index| planned(truth, index)).collect();
    let case = variants[0].variant.case.id();
    Group { case, variants, pairs: vec![Pair::new(0, 1)] }
}

fn planned(truth: &Truth, index: usize) -> Planned {
    // What differs from build to build is compiled, and from other sources on each side, as of two revisions.
    let CaseTruth { build_spread, layout_spread, layout_places, links, .. } = truth.cases[index];
    let is_build = build_spread > 0.0 || layout_spread > 0.0;
    let (language, source) = if is_build { ("cpp", format!("build {index}")) } else { ("simulated", "truth".into()) };
    let case = Case {
        index: index as u64,
        language: language.into(),
        benchmark: truth.cases[index].name.clone(),
        prefix: String::new(),
        place: String::new(),
        parameters: Parameters::default(),
        file: "truth".into(),
        line: 1,
        groups: Vec::new(),
        settings: CaseSettings::default(),
    };
    let correction = if truth.scale.overlapping { Correction::Overlapping } else { Correction::Serial };
    let runtime = Runtime {
        name: "simulated".into(),
        language: language.into(),
        version: "1".into(),
        command: RuntimeCommand {
            name: "simulated".into(),
            driver: "worker".into(),
            command: Vec::new(),
            folder: None,
            environment: Vec::new(),
        },
        correction,
        facts: BTreeMap::new(),
    };
    let variant = Variant { id: case.id(), case, runtime, calls: Calls::Pilot, label: String::new() };
    // A program of its own has links whose places the launcher knows.
    let command = if layout_places > 0 { vec![truth.cases[index].name.clone()] } else { Vec::new() };
    let layouts = if links > 1 { Layouts::Links(links) } else { Layouts::One };
    Planned {
        variant,
        sources: vec![source],
        bootstrap: None,
        start: RuntimeCommand { command, ..RuntimeCommand::default() },
        code: vec![],
        layouts,
        startup: tare_plan::Startup::default(),
    }
}
