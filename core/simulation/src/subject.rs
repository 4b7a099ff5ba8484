//! What calls of a prepared case, and of its null, cost in one launch.

use rand::Rng;
use rand_distr::{Distribution, StandardNormal};

use crate::noise::NoiseProcess;
use crate::noise::uniform;
use crate::succession::{Succession, build_effect, layout_effect};
use crate::tails::TailProcess;
use crate::truth::CaseTruth;

/// A case in a launch, with its state. By default a case that costs nothing, before any is prepared.
#[derive(Debug)]
pub(crate) struct SubjectProcess {
    case: CaseTruth,
    case_factor: f64,
    null_factor: f64,
    case_noise: NoiseProcess,
    null_noise: NoiseProcess,
    tails: Vec<TailProcess>,
    calls_made: u64,
    /// Work until its memory is in the caches again, in nanoseconds.
    displaced_ns: f64,
    /// What the calls of the last sample take without noise and tails, in nanoseconds.
    last_sample_ns: f64,
}

impl Default for SubjectProcess {
    fn default() -> Self {
        let nothing = CaseTruth { time_ns: 0.0, noise: crate::noise::Noise::Exact, ..CaseTruth::default() };
        Self::with_factors(&nothing, 1.0, 1.0)
    }
}

impl SubjectProcess {
    /// The case of that number in a new launch, of a layout where it has several: draws what is the launch's own, and takes what outlasts launches from `succession`.
    pub(crate) fn new(
        case: &CaseTruth,
        number: usize,
        (machine, layout): (u64, Option<u64>),
        succession: &mut Succession,
        rng: &mut impl Rng,
    ) -> Self {
        let deviation = succession.deviation(number, case.launch_correlation, normal(rng));
        let mut factor = 1.0 + case.launch_spread * deviation;
        if succession.next(machine, number, case.levels) {
            factor += case.levels.map_or(0.0, |levels| levels.excess);
        }
        if case.launch_outliers > 0.0 && uniform(rng) < case.launch_outliers {
            factor += case.launch_outlier_excess;
            succession.note_outlier(number);
        }
        if case.build_spread > 0.0 {
            factor *= 1.0 + case.build_spread * build_effect(machine, number);
        }
        if case.layout_spread > 0.0 {
            factor *= 1.0 + case.layout_spread * layout_effect(machine, number, (layout, case.layout_places));
        }
        // The null has a place in memory of its own, but its small body has less to lose by it.
        let null_factor = 1.0 + case.launch_spread * 0.2 * normal(rng);
        Self::with_factors(case, factor, null_factor)
    }

    fn with_factors(case: &CaseTruth, case_factor: f64, null_factor: f64) -> Self {
        Self {
            case_factor,
            null_factor,
            case_noise: NoiseProcess::new(case.noise),
            null_noise: NoiseProcess::new(case.noise),
            tails: case.tails.iter().copied().map(TailProcess::new).collect(),
            case: case.clone(),
            calls_made: 0,
            displaced_ns: 0.0,
            last_sample_ns: 0.0,
        }
    }

    /// Another case has had the core, and the caches with it.
    pub(crate) fn displace(&mut self) {
        self.displaced_ns = self.case.displaced_ns;
    }

    /// Nanoseconds of a sample of the null: `made` calls that cost `call_ns` each.
    pub(crate) fn null(&mut self, made: f64, call_ns: f64, rng: &mut impl Rng) -> f64 {
        made * call_ns * self.null_factor * self.null_noise.next(rng)
    }

    /// Nanoseconds of a sample of the case: `made` calls that cost `call_ns` each beside the subject, the sample of that number since the
    /// last switch of subjects.
    pub(crate) fn case(&mut self, made: f64, call_ns: f64, since_switch: u64, rng: &mut impl Rng) -> f64 {
        let CaseTruth { time_ns, cold_samples, cold_excess, warmup_calls, warmup_excess, growth, .. } = self.case;
        let cold = if since_switch < cold_samples { cold_excess * 0.5f64.powi(since_switch as i32) } else { 0.0 };
        let displaced = if self.displaced_ns > 0.0 { self.displaced_ns / self.case.displaced_ns } else { 0.0 };
        self.displaced_ns -= made * time_ns;
        let cold = cold + displaced * self.case.displaced_excess;
        let warming = if self.calls_made < warmup_calls { warmup_excess } else { 0.0 };
        let calls = made as u64;
        let tails: f64 = self.tails.iter_mut().map(|tail| tail.excess(self.calls_made, calls, rng)).sum();
        let collections = self.collections(calls) as f64;
        self.calls_made = self.calls_made.saturating_add(calls);
        let grown = 1.0 + growth * (made - 1.0) / 2.0;
        let usual = time_ns * grown * (1.0 + cold + warming) * self.case_factor;
        self.last_sample_ns = made * usual;
        // Noise is the machine's: it stretches the call as it stretches the subject.
        let collecting = collections * self.case.collection_ns;
        (made * (call_ns * self.null_factor + usual * (1.0 + tails)) + collecting) * self.case_noise.next(rng)
    }

    /// Collections that come within the next calls.
    fn collections(&self, calls: u64) -> u64 {
        let so_far = |made: u64| made.checked_div(self.case.collection_calls).unwrap_or(0);
        so_far(self.calls_made.saturating_add(calls)) - so_far(self.calls_made)
    }

    /// How far all calls so far have brought the collector, in millionths of a collection; `None` where there is none.
    pub(crate) fn collector_ppm(&self) -> Option<u64> {
        self.calls_made.saturating_mul(1_000_000).checked_div(self.case.collection_calls)
    }

    /// Nanoseconds of work that the calls of the last sample, and of those before it, put off until now.
    pub(crate) fn between(&mut self, rng: &mut impl Rng) -> f64 {
        let time_ns = self.last_sample_ns;
        self.tails.iter_mut().map(|tail| tail.between(time_ns, rng)).sum()
    }
}

fn normal(rng: &mut impl Rng) -> f64 {
    StandardNormal.sample(rng)
}
