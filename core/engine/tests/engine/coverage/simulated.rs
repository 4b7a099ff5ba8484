//! Runs the engine on a simulated machine, many times.

use std::collections::BTreeMap;
use std::fmt;
use std::thread;

use tare_engine::{EarlierVariant, Observer, Progress, measure};
use tare_plan::{Group, Planned, Settings};
use tare_samples::{
    Calibration, Calls, Case, CaseSettings, Correction, Launch, Measurement, Outcome, Parameters, Runtime,
    RuntimeCommand, Variant,
};
use tare_simulation::{SimulatedLauncher, Truth};
use tare_statistics::{estimate, estimate_sequential};

/// What many runs gave.
#[derive(Debug, Default)]
pub(crate) struct Counted {
    pub(crate) runs: u64,
    /// The interval of `time` holds the mean cost.
    pub(crate) covered: u64,
    /// That of `typical` holds the typical one.
    pub(crate) typical_covered: u64,
    /// The interval holds some speed that the machine had during the launches.
    pub(crate) covered_on_the_way: u64,
    pub(crate) surplus_covered: u64,
    pub(crate) below_resolution: u64,
    half_widths: f64,
    errors: f64,
    pub(crate) launches: u64,
    pub(crate) samples: u64,
    pub(crate) fewest_calls: u64,
    pub(crate) most_calls: u64,
    warm: u64,
    warnings: BTreeMap<String, u64>,
    facts: BTreeMap<String, u64>,
}

impl Counted {
    pub(crate) fn share(&self, count: u64) -> f64 {
        count as f64 / self.runs as f64
    }

    pub(crate) fn warned(&self, code: &str) -> u64 {
        self.warnings.get(code).copied().unwrap_or(0)
    }

    /// Told as a fact, not as a warning.
    pub(crate) fn noted(&self, code: &str) -> u64 {
        self.facts.get(code).copied().unwrap_or(0)
    }

    /// Mean half-width over the truth.
    pub(crate) fn half_width(&self) -> f64 {
        self.half_widths / self.runs as f64
    }

    /// Mean relative error of the estimate.
    pub(crate) fn mean_error(&self) -> f64 {
        self.errors / self.runs as f64
    }

    pub(crate) fn mean_warm(&self) -> f64 {
        self.warm as f64 / self.runs as f64
    }

    fn add(mut self, other: Self) -> Self {
        self.runs += other.runs;
        self.covered += other.covered;
        self.typical_covered += other.typical_covered;
        self.covered_on_the_way += other.covered_on_the_way;
        self.surplus_covered += other.surplus_covered;
        self.below_resolution += other.below_resolution;
        self.half_widths += other.half_widths;
        self.errors += other.errors;
        self.launches += other.launches;
        self.samples += other.samples;
        // A fold begins with an empty count.
        self.fewest_calls =
            if self.most_calls == 0 { other.fewest_calls } else { self.fewest_calls.min(other.fewest_calls) };
        self.most_calls = self.most_calls.max(other.most_calls);
        self.warm += other.warm;
        for (code, count) in other.warnings {
            *self.warnings.entry(code).or_default() += count;
        }
        for (code, count) in other.facts {
            *self.facts.entry(code).or_default() += count;
        }
        self
    }
}

impl fmt::Display for Counted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} runs, covered {:.2} % (typical {:.2} %), half-width {:.3} %, mean error {:.3} %, {:.1} launches, warm-in {:.1}, warnings {:?}",
            self.runs,
            100.0 * self.share(self.covered),
            100.0 * self.share(self.typical_covered),
            100.0 * self.half_width(),
            100.0 * self.mean_error(),
            self.launches as f64 / self.runs as f64,
            self.mean_warm(),
            self.warnings
        )
    }
}

struct Quiet;

impl Observer for Quiet {
    fn calibrated(&mut self, _: &Variant, _: &Calibration) {}
    fn launched(&mut self, _: &[(&Variant, &Launch)]) {}
    fn ended(&mut self, _: &Variant, _: &Outcome) {}
    fn progress(&mut self, _: &Progress) {}
    fn interrupted(&self) -> bool {
        false
    }
}

/// Measures the first case of `truth` `runs` times, from the seeds 0 to `runs` − 1.
pub(crate) fn count(truth: &Truth, settings: &Settings, calls: Calls, runs: u64) -> Counted {
    let threads = thread::available_parallelism().map_or(1, |count| count.get() as u64);
    thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|first| {
                scope.spawn(move || {
                    (first..runs)
                        .step_by(threads as usize)
                        .map(|seed| once(truth, settings, calls, seed))
                        .fold(Counted::default(), Counted::add)
                })
            })
            .collect();
        workers.into_iter().map(|worker| worker.join().unwrap()).fold(Counted::default(), Counted::add)
    })
}

/// The first case of `truth`, measured from that seed.
pub(crate) fn measurement(truth: &Truth, settings: &Settings, calls: Calls, seed: u64) -> Measurement {
    let mut launcher = SimulatedLauncher::new(Truth { seed, ..truth.clone() });
    // As `--calls` gives them: not fixed by the source, so that far sizes may be added.
    let calls_asked = if calls == Calls::Pilot { Vec::new() } else { vec![calls] };
    let settings = Settings { seed: settings.seed ^ seed, calls: calls_asked, ..settings.clone() };
    let mut measured = measure(&[group(calls)], &settings, &mut launcher, &mut Quiet, Vec::new(), 0).measurements;
    measured.remove(0).remove(0)
}

/// The same run resumed, where the source asks to leave the case out now.
pub(crate) fn resumed(earlier: Measurement, truth: &Truth, settings: &Settings, skip: &str) -> Measurement {
    let mut group = group(earlier.variant.calls);
    group.variants[0].variant.case.settings.skip = Some(skip.to_owned());
    let mut launcher = SimulatedLauncher::new(truth.clone());
    let made = vec![vec![EarlierVariant { calibration: earlier.calibration, launches: earlier.launches }]];
    measure(&[group], settings, &mut launcher, &mut Quiet, made, 0).measurements.remove(0).remove(0)
}

fn once(truth: &Truth, settings: &Settings, calls: Calls, seed: u64) -> Counted {
    let case = &truth.cases[0];
    let measurement = measurement(truth, settings, calls, seed);
    let calibration = measurement.calibration.as_ref().unwrap();
    let expected = case.expected_time_ns();
    let typical = case.typical_time_ns(truth.scale.call_ns, calibration.iterations);
    let summary = match settings.precision {
        Some(_) if measurement.launches.len() >= 9 => {
            estimate_sequential(&measurement.launches, calibration, Correction::Serial)
        }
        _ => estimate(&measurement.launches, calibration, Correction::Serial),
    };

    let speed_at = |ns: u64| expected * (1.0 + truth.scale.drift_per_second * ns as f64 / 1e9);
    let first = speed_at(measurement.launches[0].started_ns);
    let last = measurement.launches.last().map_or(first, |launch| speed_at(launch.started_ns + launch.duration_ns));
    Counted {
        runs: 1,
        covered: u64::from(summary.time.holds(expected)),
        typical_covered: u64::from(summary.typical.is_some_and(|found| found.holds(typical))),
        covered_on_the_way: u64::from(summary.time.low <= last && first <= summary.time.high),
        surplus_covered: u64::from(
            summary.overhead.surplus.is_some_and(|surplus| surplus.holds(truth.scale.surplus_ns)),
        ),
        below_resolution: u64::from(summary.below_resolution),
        half_widths: summary.time.half_width() / expected.max(1.0),
        errors: (summary.time.estimate - expected) / expected.max(1.0),
        launches: summary.launches,
        samples: summary.samples,
        fewest_calls: calibration.iterations,
        most_calls: calibration.iterations,
        warm: calibration.warm,
        warnings: summary.warnings.iter().map(|warning| (warning.code.clone(), 1)).collect(),
        facts: summary.facts.iter().map(|fact| (fact.code.clone(), 1)).collect(),
    }
}

fn group(calls: Calls) -> Group {
    let case = Case {
        index: 0,
        language: "simulated".into(),
        benchmark: "subject".into(),
        prefix: String::new(),
        place: String::new(),
        parameters: Parameters::default(),
        file: "truth".into(),
        line: 1,
        groups: Vec::new(),
        settings: CaseSettings::default(),
    };
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
        correction: Correction::Serial,
        facts: BTreeMap::new(),
    };
    let variant = Variant { id: case.id(), case, runtime, calls, label: String::new() };
    Group {
        case: variant.id.clone(),
        pairs: Vec::new(),
        variants: vec![Planned {
            variant,
            sources: vec!["truth".into()],
            bootstrap: None,
            start: RuntimeCommand::default(),
            code: Vec::new(),
            layouts: tare_plan::Layouts::One,
            startup: tare_plan::Startup::default(),
        }],
    }
}
