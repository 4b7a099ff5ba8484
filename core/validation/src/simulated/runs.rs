use std::collections::BTreeMap;
use std::ops::Range;
use std::thread;

use tare_engine::{Observer, Progress, measure};
use tare_plan::{Group, Pair, Planned, Settings};
use tare_samples::{
    Calibration, Calls, Case, CaseSettings, Correction, Launch, Outcome, Parameters, Runtime, RuntimeCommand, Variant,
};
use tare_simulation::{CaseTruth, SimulatedLauncher, Truth};
use tare_worker::Launcher;

use super::{Counted, Model};

/// What is compared.
#[derive(Debug, Clone)]
pub struct Question {
    /// The candidate's true time per call is the base's times 1 + this; 0 for identical code.
    pub slowdown: f64,
    /// What samples of the base, and of the candidate, hold beside their calls, in nanoseconds.
    pub setups_ns: [f64; 2],
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
    spread(seeds, |seed| once(model, question, seed, 1))
}

/// The same with suites of `cases` comparisons each, measured together: what is flagged in one is judged along with what is
/// flagged in the others.
pub fn compare_suites(model: &Model, question: &Question, cases: usize, seeds: Range<u64>) -> Counted {
    spread(seeds, |seed| once(model, question, seed, cases))
}

fn spread(seeds: Range<u64>, run: impl Fn(u64) -> Counted + Sync) -> Counted {
    let threads = thread::available_parallelism().map_or(1, |count| count.get() as u64);
    let run = &run;
    let mut runs: Vec<(u64, Counted)> = thread::scope(|scope| {
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
    let mut all = Counted::default();
    runs.into_iter().for_each(|(_, counted)| all.add(counted));
    all
}

fn once(model: &Model, question: &Question, seed: u64, cases: usize) -> Counted {
    let truth = Truth { seed, scale: model.scale, cases: truths(model, question, cases) };
    let groups: Vec<Group> = (0..cases).map(|number| group(&truth, number)).collect();
    let settings = Settings { seed: question.settings.seed ^ seed, ..question.settings.clone() };
    let mut launcher = SimulatedLauncher::new(truth);
    let measured = measure(&groups, &settings, &mut launcher, &mut Quiet, Vec::new(), 0);
    let mut counted = Counted { runs: 1, ..Counted::default() };
    // The launcher's clock is the machine's; it began at 0.
    counted.run_ms.push(launcher.now_ns() as f64 / 1e6);
    let expected = 1.0 + question.slowdown;
    for compared in measured.comparisons {
        let comparison = compared.comparison;
        counted.comparisons += 1;
        counted.verdict(comparison.verdict);
        counted.flagged += u64::from(comparison.flag.is_some());
        counted.pairs += u64::from(comparison.pairs);
        if let Some(ratio) = comparison.ratio {
            counted.defined += 1;
            counted.covered += u64::from(ratio.holds(expected));
            counted.errors.push((ratio.estimate / expected).ln());
        }
    }
    counted.alarming_runs = u64::from(counted.called_different() > 0);
    counted
}

fn name(number: usize, side: &str) -> String {
    format!("case{number}::{side}")
}

fn truths(model: &Model, question: &Question, cases: usize) -> Vec<CaseTruth> {
    let side = |number: usize, side: &str, factor: f64, setup_ns: f64| CaseTruth {
        name: name(number, side),
        time_ns: model.case.time_ns * factor,
        setup_ns,
        ..model.case.clone()
    };
    let [base_ns, candidate_ns] = question.setups_ns;
    let both =
        |number| [side(number, "base", 1.0, base_ns), side(number, "candidate", 1.0 + question.slowdown, candidate_ns)];
    (0..cases).flat_map(both).collect()
}

/// Two cases of a simulated machine, the second compared with the first.
pub fn group(truth: &Truth, number: usize) -> Group {
    let variants: Vec<Planned> = (2 * number..2 * number + 2).map(|index| planned(truth, index)).collect();
    let case = variants[0].variant.case.id();
    Group { case, variants, pairs: vec![Pair { base: 0, candidate: 1, control: false }] }
}

fn planned(truth: &Truth, index: usize) -> Planned {
    let case = Case {
        index: index as u64,
        language: "simulated".into(),
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
        language: "simulated".into(),
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
    Planned { variant, sources: vec!["truth".into()], bootstrap: None, start: RuntimeCommand::default() }
}
