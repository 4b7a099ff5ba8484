//! What a simulated machine and its subjects really cost: a TOML file, or built in a test.

use serde::{Deserialize, Serialize};

use crate::bursts::Bursts;
use crate::noise::Noise;
use crate::succession::Levels;
use crate::tails::Tail;

/// A simulated machine with its subjects.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Truth {
    /// Mixed into every launch's seed.
    pub seed: u64,
    /// What the scale weighs.
    pub scale: Scale,
    /// The subjects.
    #[serde(rename = "case")]
    pub cases: Vec<CaseTruth>,
}

/// Costs of the simulated machine itself, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Scale {
    /// Two clock reads back to back.
    pub clock_ns: f64,
    /// Step of the clock; elapsed times are multiples of it.
    pub clock_step_ns: u64,
    /// Loop and call, per call.
    pub call_ns: f64,
    /// One `pause`/`resume` pair: what it costs outside the stretch that it takes out.
    pub pause_ns: f64,
    /// What the first call after a clock read costs beyond the later ones.
    pub surplus_ns: f64,
    /// From a process's start to its hello.
    pub startup_ns: u64,
    /// Copies of a process may serve cases.
    pub copies: bool,
    /// What is done before a sample is done ahead of it where that is asked for.
    pub arranges: bool,
    /// Standard deviation, a fraction, of what a process is slower by, whatever it serves.
    pub process_spread: f64,
    /// One request and its reply.
    pub request_ns: u64,
    /// Lost between two samples.
    pub between_samples_ns: u64,
    /// The machine slows down by this fraction in each second of simulated time, from its start.
    pub drift_per_second: f64,
    /// The machine is slow now and then, the same stretches for all workers.
    pub bursts: Option<Bursts>,
    /// Answers `overlapping` instead of `serial`.
    pub overlapping: bool,
}

impl Default for Scale {
    fn default() -> Self {
        Self {
            clock_ns: 40.0,
            clock_step_ns: 1,
            call_ns: 25.0,
            pause_ns: 60.0,
            surplus_ns: 0.0,
            startup_ns: 12_000_000,
            copies: false,
            arranges: false,
            process_spread: 0.0,
            request_ns: 100_000,
            between_samples_ns: 300,
            drift_per_second: 0.0,
            bursts: None,
            overlapping: false,
        }
    }
}

/// A simulated subject.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct CaseTruth {
    /// Its name.
    pub name: String,
    /// Name of its parameter set.
    pub parameters: Option<String>,
    /// True time per call.
    pub time_ns: f64,
    /// How single samples scatter.
    pub noise: Noise,
    /// Standard deviation of a launch's own factor (memory layout, hash seed), a fraction.
    pub launch_spread: f64,
    /// Rare, slow work of its own.
    #[serde(rename = "tail")]
    pub tails: Vec<Tail>,
    /// How far a launch's own factor resembles that of the launch before it: their correlation (of a launcher's launches; a worker that is
    /// a process of its own knows of no other).
    pub launch_correlation: f64,
    /// Standard deviation of a factor that is drawn once for a machine and stays for all of its launches, as a build's layout does; a fraction.
    pub build_spread: f64,
    /// Standard deviation of a factor that is drawn once for each layout of its code on a machine, a fraction. A launch that is told no layout has the one of
    /// its build.
    pub layout_spread: f64,
    /// Places within lines of the cache at which layouts have its code: what a layout is worth is that of its place, which a launcher can tell; 0 where each layout is worth something else.
    pub layout_places: u8,
    /// Links of its program that launches draw layouts from; 0 where all start one file.
    pub links: u32,
    /// Two states of the machine that come back, and what they do to this subject.
    pub levels: Option<Levels>,
    /// Share of launches with a place in memory so bad that they are slower by `launch_outlier_excess`.
    pub launch_outliers: f64,
    /// Excess of such a launch, a fraction.
    pub launch_outlier_excess: f64,
    /// Samples after a switch of subjects that are still cold; their excess halves from one to the next.
    pub cold_samples: u64,
    /// Excess of the first cold sample, a fraction.
    pub cold_excess: f64,
    /// Work at full speed, in nanoseconds, until it has its memory in the caches again after another case had the core.
    pub displaced_ns: f64,
    /// Excess of its calls when that begins, a fraction; it goes down to 0 in a line.
    pub displaced_excess: f64,
    /// Calls at the start of a launch that are slower.
    pub warmup_calls: u64,
    /// Their excess, a fraction.
    pub warmup_excess: f64,
    /// What a call allocates. Above 0 in any case the worker has the capability `allocations`.
    pub allocated_bytes: u64,
    /// Calls from one collection of its garbage to the next; 0 where there are none. The worker then tells how far they have come.
    pub collection_calls: u64,
    /// What a collection takes of the call that brings it about, in nanoseconds.
    pub collection_ns: f64,
    /// A call grows by this fraction with each call before it in the same sample: the subject keeps state.
    pub growth: f64,
    /// `pause`/`resume` pairs in each call.
    pub pauses: u64,
    /// What each sample holds beside its calls. Above 0 in any case the worker has the capability `setup`.
    pub setup_ns: f64,
    /// What is done before each sample and isn't timed, hooks for example.
    pub untimed_ns: f64,
    /// Calls a sample, as if the source asked for them.
    pub iterations: Option<u64>,
    /// Samples a launch, likewise.
    pub samples: Option<u64>,
    /// Share of launches in which it skips itself in its first sample.
    pub skipping_launches: f64,
    /// Leave it out, and why.
    pub skip: Option<String>,
    /// Marked as what others are compared with.
    pub base: bool,
}

impl Default for CaseTruth {
    fn default() -> Self {
        Self {
            name: "subject".to_owned(),
            parameters: None,
            time_ns: 100.0,
            noise: Noise::default(),
            launch_spread: 0.0,
            tails: Vec::new(),
            launch_correlation: 0.0,
            build_spread: 0.0,
            layout_spread: 0.0,
            layout_places: 0,
            links: 0,
            levels: None,
            launch_outliers: 0.0,
            launch_outlier_excess: 0.0,
            cold_samples: 0,
            cold_excess: 0.0,
            displaced_ns: 0.0,
            displaced_excess: 0.0,
            warmup_calls: 0,
            warmup_excess: 0.0,
            allocated_bytes: 0,
            collection_calls: 0,
            collection_ns: 0.0,
            growth: 0.0,
            pauses: 0,
            setup_ns: 0.0,
            untimed_ns: 0.0,
            iterations: None,
            samples: None,
            skipping_launches: 0.0,
            skip: None,
            base: false,
        }
    }
}

impl CaseTruth {
    /// What is wrong with it.
    fn check(&self) -> Result<(), String> {
        self.noise.check()?;
        for tail in &self.tails {
            tail.check().map_err(|error| format!("tail: {error}"))?;
        }
        if let Some(levels) = &self.levels {
            levels.check().map_err(|error| format!("levels: {error}"))?;
        }
        for (name, value, most) in [
            ("launch-spread", self.launch_spread, 0.5),
            ("launch-correlation", self.launch_correlation, 1.0),
            ("build-spread", self.build_spread, 0.5),
            ("layout-spread", self.layout_spread, 0.5),
            ("launch-outliers", self.launch_outliers, 1.0),
            ("skipping-launches", self.skipping_launches, 1.0),
        ] {
            if !(0.0..=most).contains(&value) {
                return Err(format!("{name} must be from 0 to {most}, is {value}"));
            }
        }
        Ok(())
    }
}

/// A truth file that can't be used.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct TruthError(String);

impl Truth {
    /// A machine with one subject.
    pub fn of(case: CaseTruth) -> Self {
        Self { cases: vec![case], ..Self::default() }
    }

    /// Reads a truth from TOML.
    pub fn parse(text: &str) -> Result<Self, TruthError> {
        let truth: Self = toml::from_str(text).map_err(|error| TruthError(error.to_string()))?;
        if let Some(bursts) = &truth.scale.bursts {
            bursts.check().map_err(|error| TruthError(format!("bursts: {error}")))?;
        }
        for case in &truth.cases {
            case.check().map_err(|error| TruthError(format!("case `{}`: {error}", case.name)))?;
        }
        Ok(truth)
    }
}

#[cfg(test)]
mod tests {
    use super::Truth;
    use crate::succession::Levels;
    use crate::tails::Tail;

    #[test]
    fn a_truth_with_tails_and_levels_is_read() {
        let text = "
            [[case]]
            name = 'collecting'
            build-spread = 0.003
            launch-spread = 0.01
            launch-correlation = 0.8
            levels = { excess = 0.15, fast-launches = 6.0, slow-launches = 3.0 }
            tail = [
                { kind = 'samples', share = 0.05, excess = 1.0, run = 10 },
                { kind = 'periodic', every = 10000, excess = 500.0 },
                { kind = 'between', every = 5, excess = 0.05 },
            ]
        ";
        let case = Truth::parse(text).unwrap().cases.remove(0);
        assert_eq!(case.levels, Some(Levels { excess: 0.15, fast_launches: 6.0, slow_launches: 3.0 }));
        assert_eq!(case.tails[0], Tail::Samples { share: 0.05, excess: 1.0, run: 10 });
        assert_eq!(
            case.tails[1..],
            [Tail::Periodic { every: 10_000, excess: 500.0 }, Tail::Between { every: 5, excess: 0.05 },]
        );
    }

    #[test]
    fn what_cannot_be_is_refused_by_name() {
        for (line, part) in [
            ("tail = [{ kind = 'samples', share = 1.0, excess = 1.0 }]", "share must be from 0 to under 1"),
            ("tail = [{ kind = 'calls', share = 0.1, excess = -1.0 }]", "excess must be from 0"),
            ("tail = [{ kind = 'periodic', every = 0, excess = 1.0 }]", "every must be from 1"),
            ("tail = [{ kind = 'between', every = 5, excess = 1.0, share = 0.1 }]", "share"),
            ("levels = { excess = 0.1, fast-launches = 0.0, slow-launches = 3.0 }", "fast-launches must be from 1"),
            ("launch-correlation = 1.5", "launch-correlation must be from 0 to 1"),
            ("launch-outliers = -0.1", "launch-outliers must be from 0 to 1"),
            ("lunch-outliers = 0.1", "unknown field"),
        ] {
            let error = Truth::parse(&format!("[[case]]\nname = 'x'\n{line}\n")).unwrap_err().to_string();
            assert!(error.contains(part), "{line}: {error}");
        }
    }
}
