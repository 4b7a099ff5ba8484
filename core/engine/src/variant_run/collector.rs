//! How far a variant's calls bring the collector of its runtime, where its worker tells.

/// Less than this of a collection is too little to tell how many calls one takes.
const LEAST_BROUGHT: f64 = 0.01;
/// Calls that leave something to collect do so in nearly every turn; what comes and goes doesn't.
const LEAST_TURNS: f64 = 0.8;

/// Summed over turns.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct CollectorProgress {
    calls: f64,
    brought: f64,
    turns: u32,
    bringing: u32,
}

impl CollectorProgress {
    /// A turn of so many calls, its untimed ones among them, and how far they have brought the collector, in millionths of a collection.
    pub(super) fn take(&mut self, calls: u64, ppm: u64) {
        self.calls += calls as f64;
        self.brought += ppm as f64 / 1e6;
        self.turns += 1;
        self.bringing += u32::from(ppm > 0);
    }

    /// Collections that a call brings about, on average; 0 where none can be told.
    pub(crate) fn per_call(&self) -> f64 {
        let seen = self.brought >= LEAST_BROUGHT && f64::from(self.bringing) >= LEAST_TURNS * f64::from(self.turns);
        if seen { self.brought / self.calls.max(1.0) } else { 0.0 }
    }
}

/// The calls of a turn: so many untimed samples with the numbers of calls of `iterations` from its start, cyclically, and those. A bare call is one.
pub(super) fn calls_of_turn(warm: u64, iterations: &[u64]) -> u64 {
    let each = || iterations.iter().map(|&calls| calls.max(1));
    let (laps, rest) = (warm / iterations.len().max(1) as u64, warm as usize % iterations.len().max(1));
    (laps + 1).saturating_mul(each().fold(0, u64::saturating_add)).saturating_add(each().take(rest).sum())
}

#[cfg(test)]
mod tests {
    use super::{CollectorProgress, calls_of_turn};

    #[test]
    fn untimed_samples_go_round_in_the_timed_ones() {
        assert_eq!(calls_of_turn(0, &[3, 4, 5]), 12);
        assert_eq!(calls_of_turn(4, &[3, 4, 5]), 27, "twelve, once more, and the first");
        assert_eq!(calls_of_turn(1, &[0]), 2);
    }

    #[test]
    fn calls_that_leave_something_behind_are_told_from_what_comes_and_goes() {
        let of = |turns: &[u64]| {
            let mut collector = CollectorProgress::default();
            turns.iter().for_each(|&ppm| collector.take(10, ppm));
            collector.per_call()
        };
        assert!((of(&[14_000, 15_000, 13_000]) - 0.0014).abs() < 1e-12);
        assert_eq!(of(&[14_000, 0, 15_000, 0]), 0.0, "comes and goes");
        assert_eq!(of(&[1_000, 1_000]), 0.0, "too little");
        assert_eq!(of(&[]), 0.0);
    }
}
