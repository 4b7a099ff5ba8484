//! How the calls of a counted turn are divided into samples.

use tare_plan::Planned;
use tare_samples::Calls;

/// How the calls of a turn are divided into samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Samples {
    /// All are made in a loop.
    One,
    /// A loop for each call: what is prepared around a sample serves one.
    EachCall,
    /// Each call without a loop.
    EachBareCall,
}

impl Samples {
    /// Those of a variant, samples of which have `iterations` calls where that was left to a pilot.
    pub fn of(planned: &Planned, iterations: u64) -> Self {
        match planned.variant.calls {
            Calls::Bare => Self::EachBareCall,
            Calls::Loop(1) => Self::EachCall,
            _ if iterations == 0 => Self::EachBareCall,
            _ => Self::One,
        }
    }

    /// Warm samples and calls of each other one for a turn of so many calls whose count doesn't matter: a warm sample isn't read.
    pub fn unread(self, calls: u64) -> (u64, Vec<u64>) {
        match self {
            Self::One => (0, self.of_turn(calls)),
            Self::EachCall | Self::EachBareCall => (calls.saturating_sub(1), self.of_turn(1)),
        }
    }

    /// Calls of each sample of a turn.
    pub fn of_turn(self, calls: u64) -> Vec<u64> {
        match self {
            Self::One => vec![calls],
            Self::EachCall => vec![1; calls as usize],
            Self::EachBareCall => vec![0; calls as usize],
        }
    }
}
