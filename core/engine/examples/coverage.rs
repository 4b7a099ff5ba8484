//! Counts how often 95 % intervals cover a stated truth, for each noise model: `coverage [RUNS]`.
#![allow(clippy::print_stdout)]
use std::collections::BTreeMap;
use tare_engine::{Observer, Progress, measure};
use tare_plan::{Group, Planned, Settings};
use tare_samples::*;
use tare_simulation::*;
use tare_statistics::estimate;

struct Quiet;
impl Observer for Quiet {
    fn calibrated(&mut self, _: &Variant, _: &Calibration) {}
    fn launched(&mut self, _: &Variant, _: &Launch) {}
    fn progress(&mut self, _: &Progress) {}
    fn interrupted(&self) -> bool {
        false
    }
}

fn main() {
    let runs: u64 = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(200);
    let models: [(&str, Noise, f64, f64); 8] = [
        ("gaussian", Noise::Gaussian { spread: 0.02 }, 0.0, 0.0),
        ("log-normal", Noise::LogNormal { spread: 0.05 }, 0.0, 0.0),
        ("bimodal", Noise::Bimodal { spread: 0.01, shift: 0.1, weight: 0.3 }, 0.0, 0.0),
        ("autocorrelated", Noise::Autocorrelated { spread: 0.02, correlation: 0.9 }, 0.0, 0.0),
        ("spikes", Noise::Spikes { spread: 0.01, weight: 0.05, height: 3.0 }, 0.0, 0.0),
        ("launch-shifts", Noise::Gaussian { spread: 0.02 }, 0.02, 0.0),
        ("drift 1 %/s", Noise::Gaussian { spread: 0.02 }, 0.0, 0.01),
        ("drift 0.1 %/s", Noise::Gaussian { spread: 0.02 }, 0.003, 0.001),
    ];
    for (name, noise, launch_spread, drift) in models {
        let (mut covered, mut width, mut drifted, mut launches) = (0, 0.0, 0, 0);
        let mut warnings: BTreeMap<String, u32> = BTreeMap::new();
        for seed in 0..runs {
            let case = CaseTruth { noise, launch_spread, ..CaseTruth::default() };
            let expected = case.expected_time_ns();
            let mut truth = Truth::of(case);
            truth.seed = seed;
            truth.scale.drift_per_second = drift;
            let mut launcher = SimulatedLauncher::new(truth);
            let variant = Variant {
                id: "x".into(),
                case: Case {
                    index: 0,
                    language: "simulated".into(),
                    benchmark: "subject".into(),
                    parameters: Parameters::default(),
                    file: "x".into(),
                    line: 1,
                    groups: vec![],
                    settings: CaseSettings::default(),
                },
                runtime: Runtime {
                    name: "s".into(),
                    language: "simulated".into(),
                    version: "1".into(),
                    command: RuntimeCommand { name: "s".into(), driver: "worker".into(), command: vec![] },
                    correction: Correction::Serial,
                    facts: BTreeMap::new(),
                },
                calls: Calls::Pilot,
                label: String::new(),
            };
            let group = Group {
                case: "x".into(),
                variants: vec![Planned { variant, sources: vec!["x".into()], bootstrap: None }],
            };
            let settings = Settings { seed, ..Settings::default() };
            let (measured, spent) = measure(&group, 0, &settings, &mut launcher, &mut Quiet, vec![], 0);
            let m = &measured[0];
            let s = estimate(&m.launches, m.calibration.as_ref().unwrap(), Correction::Serial);
            covered += u64::from(s.time.holds(expected));
            width += s.time.half_width() / expected;
            drifted += u64::from(s.uncertainty.drift > 0.0);
            launches += s.launches;
            for w in &s.warnings {
                *warnings.entry(w.code.clone()).or_default() += 1;
            }
            if seed == 0 {
                println!(
                    "{:?} {} launches, {} timed {:.0} % wall {:.2} s",
                    m.calibration,
                    s.launches,
                    s.samples,
                    100.0 * spent.timed_ns() as f64 / spent.wall_ns as f64,
                    spent.wall_ns as f64 / 1e9
                );
            }
        }
        println!(
            "{name:16} covered {:.2} % half-width {:.3} % drift seen {:.1} % launches {:.1} {warnings:?}",
            100.0 * covered as f64 / runs as f64,
            100.0 * width / runs as f64,
            100.0 * drifted as f64 / runs as f64,
            launches as f64 / runs as f64
        );
    }
}
