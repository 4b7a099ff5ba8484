//! How a simulated worker's time passes, while others have the core now and then.

use rand_distr::{Distribution, Exp1};

use super::Simulated;
use crate::bursts::BurstProcess;
use crate::noise::uniform;

impl Simulated {
    pub(super) fn quantise(&mut self, ns: f64) -> u64 {
        let step = self.truth.scale.clock_step_ns.max(1) as f64;
        ((ns / step + uniform(&mut self.rng)).floor() * step).max(0.0) as u64
    }

    /// Until the worker gets the core.
    pub(super) fn wait(&mut self) {
        let mean_ns = self.bursts.as_mut().map_or(0.0, |bursts| bursts.mean_latency_ns(self.now_ns));
        if mean_ns > 0.0 {
            let drawn: f64 = Exp1.sample(&mut self.rng);
            self.now_ns += mean_ns * drawn;
        }
    }

    /// Lets work of this length at full speed be done. The time that it took, in nanoseconds.
    pub(super) fn pass(&mut self, work_ns: f64) -> f64 {
        let (elapsed, cpu) = match &mut self.bursts {
            Some(bursts) => {
                let elapsed = bursts.elapsed(self.now_ns, work_ns);
                (elapsed, bursts.cpu_ns(work_ns, elapsed))
            }
            None => (work_ns, work_ns),
        };
        self.now_ns += elapsed;
        self.cpu_ns += cpu;
        elapsed
    }

    /// By the machine's seed alone: it is the same machine in every launch.
    pub(super) fn read_bursts(&mut self) {
        self.bursts = self.truth.scale.bursts.map(|bursts| BurstProcess::new(bursts, self.truth.seed));
    }
}
