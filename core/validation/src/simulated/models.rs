use tare_simulation::{Bursts, CaseTruth, Noise, Scale};

/// A simulated machine and how its subjects scatter.
#[derive(Debug, Clone)]
pub struct Model {
    /// What it is called on the page and in the state file.
    pub name: &'static str,
    /// What it stands for, as a phrase.
    pub meaning: &'static str,
    /// The machine.
    pub scale: Scale,
    /// The base.
    pub case: CaseTruth,
    /// The candidate, where it isn't a copy of the base.
    pub candidate: Option<CaseTruth>,
}

impl Model {
    /// The other side of the comparison.
    pub fn candidate(&self) -> &CaseTruth {
        self.candidate.as_ref().unwrap_or(&self.case)
    }

    /// The same machine with the side that has slow work of its own on both: identical code.
    pub fn alike(&self) -> Self {
        let has_tail = |case: &CaseTruth| !case.tails.is_empty() || case.levels.is_some() || case.launch_outliers > 0.0;
        let case = if has_tail(self.candidate()) { self.candidate() } else { &self.case };
        Self { case: case.clone(), candidate: None, ..self.clone() }
    }

    /// The true ratio of expected costs, candidate over base.
    pub fn time_ratio(&self) -> f64 {
        self.candidate().expected_time_ns() / self.case.expected_time_ns()
    }

    /// Between which two ratios that of typical calls lies, where samples of the base, and of the candidate, are of so many calls.
    ///
    /// A robust location of a mixture lies between that of its undisturbed part and the median of the whole, and which of them it is nearer to
    /// is the method's own matter: where most samples are slow, or few launches tell, the two aren't the same.
    pub fn typical_ratios(&self, calls: [u64; 2]) -> (f64, f64) {
        let (base, candidate) = (&self.case, self.candidate());
        let call_ns = self.scale.call_ns;
        let medians = candidate.typical_time_ns(call_ns, calls[1]) / base.typical_time_ns(call_ns, calls[0]);
        // Slow calls that are in nearly every sample are typical, however the location is taken.
        let least = |case: &CaseTruth, calls: u64| case.least_time_ns(calls);
        let undisturbed = least(candidate, calls[1]) / least(base, calls[0]);
        (medians.min(undisturbed), medians.max(undisturbed))
    }
}

pub(super) fn model(name: &'static str, meaning: &'static str, noise: Noise) -> Model {
    let case = CaseTruth { noise, ..CaseTruth::default() };
    Model { name, meaning, scale: Scale::default(), case, candidate: None }
}

/// The noise models of docs/validation.md: every one of the simulation, with drift, launch shifts and bursts on top of Gaussian noise, and all
/// of them together.
pub fn models() -> Vec<Model> {
    let gaussian = Noise::Gaussian { spread: 0.02 };
    let bursts = |slowdown, on_ms, off_ms| Scale {
        bursts: Some(Bursts { slowdown, on_ms, off_ms, latency_ms: 0.0, preempts: false }),
        ..Scale::default()
    };
    let launches = |spread: f64| CaseTruth { noise: gaussian, launch_spread: spread, ..CaseTruth::default() };
    vec![
        model("exact", "no noise, a clock of 1 ns", Noise::Exact),
        model("gaussian", "2 %", gaussian),
        model("log-normal", "5 %, skewed", Noise::LogNormal { spread: 0.05 }),
        model(
            "bimodal",
            "1 %, and 30 % of the samples slower by 10 %",
            Noise::Bimodal { spread: 0.01, shift: 0.1, weight: 0.3 },
        ),
        model(
            "autocorrelated",
            "2 %, neighbouring samples correlated by 0.9",
            Noise::Autocorrelated { spread: 0.02, correlation: 0.9 },
        ),
        model(
            "spikes",
            "1 %, and 5 % of the samples up to four times as long",
            Noise::Spikes { spread: 0.01, weight: 0.05, height: 3.0 },
        ),
        Model {
            scale: Scale { drift_per_second: 0.05, ..Scale::default() },
            ..model("drift", "2 %, the machine slows down by 5 % a second", gaussian)
        },
        Model { case: launches(0.005), ..model("launch shifts", "2 %, launches differ by 0.5 %", gaussian) },
        Model {
            case: CaseTruth { launch_outliers: 0.1, launch_outlier_excess: 0.03, ..launches(0.002) },
            ..model("launch outliers", "2 %, launches differ by 0.2 %, one in ten is slower by 3 %", gaussian)
        },
        Model {
            scale: bursts(0.5, 3.0, 5.0),
            ..model("short bursts", "2 %, the machine is slower by half for 3 ms of every 8", gaussian)
        },
        Model {
            scale: bursts(0.5, 800.0, 1_500.0),
            ..model("long bursts", "2 %, the machine is slower by half for 0.8 s of every 2.3", gaussian)
        },
        Model {
            scale: Scale {
                bursts: Some(Bursts { slowdown: 400.0, on_ms: 3.0, off_ms: 5.0, latency_ms: 3.0, preempts: true }),
                ..Scale::default()
            },
            case: CaseTruth { time_ns: 38_000.0, ..launches(0.0) },
            ..model("preemption", "2 %, calls of 38 µs, another process has the core for 3 ms of every 8", gaussian)
        },
        Model {
            scale: Scale { drift_per_second: 0.02, ..bursts(0.5, 3.0, 5.0) },
            case: CaseTruth {
                noise: Noise::Autocorrelated { spread: 0.02, correlation: 0.9 },
                launch_outliers: 0.05,
                launch_outlier_excess: 0.02,
                ..launches(0.002)
            },
            ..model("all together", "autocorrelation, drift, launch shifts and outliers, short bursts", gaussian)
        },
    ]
}
