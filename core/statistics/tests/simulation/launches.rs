//! Launches drawn sample by sample from a stated truth: turns of case, null, clock and a kernel, with the CPU time of each.

use tare_samples::{Calibration, Launch, Stretch, Subject, Turn};

use crate::source::Source;

/// Calls a sample.
const CALLS: u64 = 4_000;
/// Samples a turn.
const SAMPLES: usize = 20;
/// Rounds a launch.
const ROUNDS: u32 = 5;
/// Loop and call, in nanoseconds.
const CALL_NS: f64 = 25.0;
/// Two clock reads, in nanoseconds.
const CLOCK_NS: f64 = 40.0;

/// Between two samples, in nanoseconds.
const BETWEEN_NS: f64 = 300.0;

/// What a subject costs and how. All but `time_ns` are fractions.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Model {
    /// A call's time before all that follows, in nanoseconds.
    pub(crate) time_ns: f64,
    /// Standard deviation of the logarithm of each sample's factor.
    pub(crate) noise: f64,
    /// The noise is normal, not log-normal.
    pub(crate) gaussian: bool,
    /// Share of samples that are slower by the subject's own doing.
    pub(crate) tail: f64,
    /// Excess of such a sample.
    pub(crate) tail_excess: f64,
    /// Share of samples of whatever subject that the machine stretches by up to `spike_height`, as CPU time.
    pub(crate) spikes: f64,
    pub(crate) spike_height: f64,
    /// Standard deviation of a launch's own factor.
    pub(crate) launches_differ: f64,
    /// Correlation of a launch's factor with that of the one before.
    pub(crate) launches_go_together: f64,
    /// Share of launches that are slower by `slow_excess`.
    pub(crate) slow_launches: f64,
    pub(crate) slow_excess: f64,
    /// How many times in a millisecond of work another process takes the core, for 4 ms on average, exponentially distributed.
    pub(crate) preempted: f64,
    /// Each turn of the case is slower by this than the one before it.
    pub(crate) slows: f64,
    /// Excess of the first of five rounds.
    pub(crate) warms: f64,
    /// Excess of a turn's first sample.
    pub(crate) cold: f64,
    /// Each launch is slower by this than the one before it.
    pub(crate) drift: f64,
    /// Twice the calls take twice the time and this much more.
    pub(crate) nonlinear: f64,
    /// The last of five rounds is slower by this.
    pub(crate) ends: f64,
}

/// Normal noise of 2 % and nothing else.
pub(crate) const CLEAN: Model = Model {
    time_ns: 100.0,
    noise: 0.02,
    gaussian: true,
    tail: 0.0,
    tail_excess: 0.0,
    spikes: 0.0,
    spike_height: 0.0,
    launches_differ: 0.0,
    launches_go_together: 0.0,
    slow_launches: 0.0,
    slow_excess: 0.0,
    preempted: 0.0,
    slows: 0.0,
    warms: 0.0,
    cold: 0.0,
    drift: 0.0,
    nonlinear: 0.0,
    ends: 0.0,
};

impl Model {
    /// Expected cost of a call, other processes left out.
    pub(crate) fn mean(&self) -> f64 {
        let noise = if self.gaussian { 1.0 } else { (self.noise * self.noise / 2.0).exp() };
        self.time_ns
            * noise
            * (1.0 + self.tail * self.tail_excess)
            * (1.0 + self.spikes * self.spike_height / 2.0)
            * (1.0 + self.slow_launches * self.slow_excess)
    }

    pub(crate) fn calibration() -> Calibration {
        Calibration {
            iterations: CALLS,
            far: vec![2 * CALLS],
            samples_per_turn: SAMPLES as u64,
            rounds: ROUNDS,
            ..Calibration::default()
        }
    }

    /// So many launches, in order.
    pub(crate) fn launches(&self, source: &mut Source, count: usize) -> Vec<Launch> {
        let own = source.autoregression(count, self.launches_go_together);
        own.into_iter()
            .enumerate()
            .map(|(ordinal, own)| {
                let slow = if source.uniform() < self.slow_launches { 1.0 + self.slow_excess } else { 1.0 };
                let factor = (1.0 + self.launches_differ * own) * slow * (1.0 + self.drift * ordinal as f64);
                Launch { ordinal: ordinal as u32, turns: self.turns(source, factor), ..Launch::default() }
            })
            .collect()
    }

    fn turns(&self, source: &mut Source, factor: f64) -> Vec<Turn> {
        let mut turns = Vec::new();
        for round in 0..ROUNDS {
            let pace = factor
                * (1.0 + self.slows * f64::from(round))
                * (1.0 + if round == 0 { self.warms } else { 0.0 })
                * (1.0 + if round == ROUNDS - 1 { self.ends } else { 0.0 });
            let mut sizes = vec![CALLS; SAMPLES];
            sizes[7] = 2 * CALLS;
            turns.push(self.turn(source, round, Subject::Case, &sizes, Some(pace)));
            turns.push(self.turn(source, round, Subject::Null, &sizes, None));
            turns.push(Turn {
                iterations: vec![1; 10],
                elapsed: source.draw(10, |source| CLOCK_NS + source.gaussian()).iter().map(|ns| *ns as u64).collect(),
                stretch: None,
                ..self.turn(source, round, Subject::Clock, &[1], None)
            });
        }
        turns
    }

    /// The case where it has a pace, else the null.
    fn turn(&self, source: &mut Source, round: u32, subject: Subject, sizes: &[u64], pace: Option<f64>) -> Turn {
        let (mut wall, mut cpu) = (0.0, 0.0);
        let mut elapsed = Vec::new();
        for (number, &calls) in sizes.iter().enumerate() {
            let own = self.sample(source, calls as f64, number == 0, pace);
            let taken = source.uniform() < self.preempted * (own + BETWEEN_NS) / 1e6;
            let foreign = if taken { -4e6 * source.uniform().ln() } else { 0.0 };
            let in_the_sample = source.uniform() < own / (own + BETWEEN_NS);
            elapsed.push((own + if in_the_sample { foreign } else { 0.0 }) as u64);
            cpu += own + BETWEEN_NS;
            wall += own + foreign + BETWEEN_NS;
        }
        let stretch = Some(Stretch { wall_ns: wall as u64, cpu_ns: cpu as u64, yields: 0, only_calls: false });
        let iterations = sizes.to_vec();
        Turn { round, subject, warm: 1, iterations, elapsed, pauses: Vec::new(), at_ns: 0, stretch }
    }

    fn sample(&self, source: &mut Source, calls: f64, first: bool, pace: Option<f64>) -> f64 {
        let noise = match (self.noise, self.gaussian) {
            (0.0, _) => 1.0,
            (spread, true) => 1.0 + spread * source.gaussian(),
            (spread, false) => source.log_normal(spread),
        };
        let spike = if source.uniform() < self.spikes { 1.0 + self.spike_height * source.uniform() } else { 1.0 };
        let Some(pace) = pace else { return CLOCK_NS + calls * CALL_NS * noise * spike };
        let tail = if source.uniform() < self.tail { 1.0 + self.tail_excess } else { 1.0 };
        let cold = if first { 1.0 + self.cold } else { 1.0 };
        let grown = 1.0 + self.nonlinear * (calls / CALLS as f64 - 1.0);
        CLOCK_NS + calls * (CALL_NS + self.time_ns * pace * tail * cold * grown) * noise * spike
    }
}
