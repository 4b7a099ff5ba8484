//! A machine whose speed flips between two states: a neighbour on the sibling thread, another guest of the host, or another process on
//! the same core comes and goes.

use rand::SeedableRng;
use rand_distr::{Distribution, Exp1};
use rand_pcg::Pcg64;
use serde::{Deserialize, Serialize};

use crate::noise::uniform;

/// Mean cycles of the two states in a block of time that is drawn from one seed.
const CYCLES_A_BLOCK: f64 = 64.0;

/// The machine is slow now and then, for every process on it: everything slows down while it lasts.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Bursts {
    /// Excess while it is slow, a fraction: at 0.5 everything takes 1.5 times as long.
    pub slowdown: f64,
    /// Mean length of a slow stretch, in milliseconds; exponentially distributed.
    pub on_ms: f64,
    /// Mean length of a stretch at full speed, likewise.
    pub off_ms: f64,
    /// Mean time that a request waits for the core when it comes in a slow stretch, in milliseconds; exponentially distributed. A
    /// neighbour on the same CPU has a time slice to end.
    #[serde(default)]
    pub latency_ms: f64,
    /// Another process of this system has the core while it is slow: what is lost by that is no CPU time of the worker. Without it the
    /// machine itself is slower (a busy sibling thread, a lower frequency), which CPU time can't tell from work.
    #[serde(default)]
    pub preempts: bool,
}

impl Bursts {
    pub(crate) fn check(&self) -> Result<(), String> {
        if !(0.0..=1000.0).contains(&self.slowdown) {
            return Err(format!("slowdown must be from 0 to 1000, is {}", self.slowdown));
        }
        for (name, ms) in [("on-ms", self.on_ms), ("off-ms", self.off_ms)] {
            if !(1e-3..=1e6).contains(&ms) {
                return Err(format!("{name} must be from 0.001 to 1,000,000, is {ms}"));
            }
        }
        if !(0.0..=1e6).contains(&self.latency_ms) {
            return Err(format!("latency-ms must be from 0 to 1,000,000, is {}", self.latency_ms));
        }
        Ok(())
    }

    fn block_ns(&self) -> f64 {
        CYCLES_A_BLOCK * (self.on_ms + self.off_ms) * 1e6
    }
}

/// The state of the machine as a function of its seed and of time alone, so that all workers of a launcher see the same.
///
/// Time is cut into blocks; in each the alternation starts in its stationary distribution, from a seed of the block's own.
/// Lengths are exponential, so that only the memory across a block's edge is lost.
#[derive(Debug, Clone)]
pub(crate) struct BurstProcess {
    bursts: Bursts,
    seed: u64,
    block: u64,
    /// Ends of the stretches of the block in progress, in nanoseconds, the last one beyond the block; with whether each is slow.
    stretches: Vec<(f64, bool)>,
}

impl BurstProcess {
    pub(crate) fn new(bursts: Bursts, seed: u64) -> Self {
        Self { bursts, seed, block: u64::MAX, stretches: Vec::new() }
    }

    /// How long work that takes `work_ns` at full speed takes when it begins at `from_ns`.
    pub(crate) fn elapsed(&mut self, from_ns: f64, work_ns: f64) -> f64 {
        let (mut at, mut left) = (from_ns, work_ns);
        while left > 0.0 {
            let (end, slow) = self.stretch(at);
            let pace = if slow { 1.0 + self.bursts.slowdown } else { 1.0 };
            let taken = left * pace;
            if at + taken <= end {
                return at + taken - from_ns;
            }
            left -= (end - at) / pace;
            at = end;
        }
        at - from_ns
    }

    /// CPU time of work that takes `work_ns` at full speed and took `elapsed_ns`.
    pub(crate) fn cpu_ns(&self, work_ns: f64, elapsed_ns: f64) -> f64 {
        if self.bursts.preempts { work_ns } else { elapsed_ns }
    }

    /// How long a request that comes at `at_ns` waits on average, in nanoseconds.
    pub(crate) fn mean_latency_ns(&mut self, at_ns: f64) -> f64 {
        if self.stretch(at_ns).1 { self.bursts.latency_ms * 1e6 } else { 0.0 }
    }

    /// The stretch that holds `at`: its end, after `at`, and whether it is slow.
    fn stretch(&mut self, at: f64) -> (f64, bool) {
        let length = self.bursts.block_ns();
        let block = (at / length).floor();
        if self.block != block as u64 {
            self.draw(block, length);
        }
        let index = self.stretches.partition_point(|&(end, _)| end <= at);
        let (end, slow) = self.stretches.get(index).copied().unwrap_or((f64::INFINITY, false));
        // A block's end that rounding puts at `at` itself would stand still.
        (end.min((block + 1.0) * length).max(at + 1e-3), slow)
    }

    fn draw(&mut self, block: f64, length: f64) {
        self.block = block as u64;
        let mut rng = Pcg64::seed_from_u64(self.seed ^ self.block.wrapping_mul(0xd134_2543_de82_ef95));
        let Bursts { on_ms, off_ms, .. } = self.bursts;
        let mut slow = uniform(&mut rng) < on_ms / (on_ms + off_ms);
        let mut end = block * length;
        self.stretches.clear();
        while end < (block + 1.0) * length {
            let drawn: f64 = Exp1.sample(&mut rng);
            end += drawn * 1e6 * if slow { on_ms } else { off_ms };
            self.stretches.push((end, slow));
            slow = !slow;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{BurstProcess, Bursts};

    const BURSTS: Bursts = Bursts { slowdown: 0.5, on_ms: 3.0, off_ms: 5.0, latency_ms: 0.0, preempts: false };

    #[test]
    fn the_machine_is_slow_for_the_stated_share_of_time() {
        let mut process = BurstProcess::new(BURSTS, 7);
        let slow = (0..400_000).filter(|step| process.stretch(f64::from(*step) * 1e5).1).count();
        assert!((slow as f64 / 400_000.0 - 0.375).abs() < 0.01, "{slow}");
    }

    #[test]
    fn stretches_are_as_long_as_stated() {
        let mut process = BurstProcess::new(BURSTS, 7);
        let states: Vec<bool> = (0..400_000).map(|step| process.stretch(f64::from(step) * 1e5).1).collect();
        let switches = states.windows(2).filter(|pair| pair[0] != pair[1]).count() as f64;
        // 40 s at a cycle of 8 ms, two switches each; a few cycles are too short for the grid.
        assert!((9_200.0..10_100.0).contains(&switches), "{switches}");
    }

    /// In whatever order it is asked: that is what makes a slow stretch the same for base and candidate.
    #[test]
    fn it_depends_on_time_and_seed_alone() {
        let mut forwards = BurstProcess::new(BURSTS, 7);
        let there: Vec<f64> = (0..5_000).map(|step| forwards.elapsed(f64::from(step) * 1e6, 2e6)).collect();
        let mut backwards = BurstProcess::new(BURSTS, 7);
        let mut back: Vec<f64> = (0..5_000).rev().map(|step| backwards.elapsed(f64::from(step) * 1e6, 2e6)).collect();
        back.reverse();
        assert_eq!(there, back);
        let mut other = BurstProcess::new(BURSTS, 8);
        assert_ne!(there, (0..5_000).map(|step| other.elapsed(f64::from(step) * 1e6, 2e6)).collect::<Vec<_>>());
    }

    #[test]
    fn work_takes_between_itself_and_its_slowed_self_and_adds_up() {
        let mut process = BurstProcess::new(BURSTS, 7);
        let (mut at, mut total) = (0.0, 0.0);
        for _ in 0..20_000 {
            let taken = process.elapsed(at, 1e6);
            assert!((1e6 - 1.0..=1.5e6 + 1.0).contains(&taken), "{taken}");
            at += taken;
            total += taken;
        }
        let whole = process.elapsed(0.0, 20_000.0 * 1e6);
        assert!((whole / total - 1.0).abs() < 1e-6, "{whole} {total}");
        // In time slow for 3 of 8, so in work done slower by 1.5 for (3 / 1.5) of (3 / 1.5 + 5).
        assert!((total / (20_000.0 * 1e6) - 8.0 / 7.0).abs() < 0.01, "{total}");
    }
}
