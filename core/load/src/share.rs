//! The part of a load that is one generator's.
//!
//! Connections are dealt out in turn, and arrivals and numbers of operations as if each connection had its own in turn: a generator with fewer connections
//! gets fewer arrivals.

use serde::{Deserialize, Serialize};

/// Which generator of how many, of a load with so many connections in all; each has one at least.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Share {
    /// From 0.
    pub number: u32,
    /// Generators, from 1 to `connections`.
    pub of: u32,
    /// Of all together, to each target.
    pub connections: u32,
}

impl Share {
    /// Connections of this one.
    pub fn own_connections(&self) -> u32 {
        self.connections / self.of + u32::from(self.number < self.connections % self.of)
    }

    /// Whether the arrival of this number (from 0) is this one's.
    pub(crate) fn has(&self, arrival: u64) -> bool {
        (arrival % u64::from(self.connections)) % u64::from(self.of) == u64::from(self.number)
    }

    /// How many of the first `all` arrivals are this one's.
    pub fn operations(&self, all: u64) -> u64 {
        let connections = u64::from(self.connections);
        let (rounds, rest) = (all / connections, all % connections);
        let begun = (0..rest).filter(|arrival| self.has(*arrival)).count() as u64;
        rounds * u64::from(self.own_connections()) + begun
    }
}

#[cfg(test)]
mod tests {
    use super::Share;

    #[test]
    fn generators_have_all_connections_and_operations_together() {
        for (of, connections) in [(1, 1), (3, 10), (4, 4), (7, 100)] {
            let shares = || (0..of).map(move |number| Share { number, of, connections });
            assert_eq!(shares().map(|share| share.own_connections()).sum::<u32>(), connections);
            assert!(shares().all(|share| share.own_connections() > 0));
            for all in [0, 1, 9, 1_003] {
                assert_eq!(shares().map(|share| share.operations(all)).sum::<u64>(), all);
                let counted = |share: Share| (0..all).filter(|arrival| share.has(*arrival)).count() as u64;
                assert!(shares().all(|share| counted(share) == share.operations(all)));
            }
        }
    }
}
