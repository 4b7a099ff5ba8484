use crate::launch::{Launch, Subject};
use serde::{Deserialize, Serialize};

/// Where the time of a measurement went, in nanoseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spent {
    /// From the measurement's start to its end.
    pub wall_ns: u64,
    /// Inside timed samples of the cases, in launches that count.
    pub case_ns: u64,
    /// Inside timed samples of the null.
    pub null_ns: u64,
    /// Inside timed samples of the clock, the pause pair and the kernels.
    pub other_ns: u64,
    /// Inside timed samples of the pilots.
    pub pilot_ns: u64,
    /// Processes' starts, until the last of those that start together has said hello.
    pub startup_ns: u64,
    /// Untimed samples at the start of turns; 0 where it isn't known.
    pub warm_ns: u64,
    /// Requests and replies; 0 where it isn't known.
    pub wire_ns: u64,
    /// What workers did for requests beside timed samples: loading sources, untimed calls, preparing, what is done between samples; 0 where it
    /// isn't known.
    #[serde(default)]
    pub untimed_ns: u64,
    /// How many groups were measured side by side, which the other figures are sums over; 0 stands for one.
    #[serde(default)]
    pub lanes: u64,
}

impl Spent {
    /// Inside timed samples of the users' subjects, those of the pilots among them.
    pub fn subjects_ns(&self) -> u64 {
        self.case_ns + self.pilot_ns
    }

    /// Inside timed samples of all kinds.
    pub fn timed_ns(&self) -> u64 {
        self.case_ns + self.null_ns + self.other_ns + self.pilot_ns
    }

    /// The wall time of all lanes together.
    pub fn of_lanes_ns(&self) -> u64 {
        self.wall_ns.saturating_mul(self.lanes.max(1))
    }

    /// Time of the lanes that none of the other figures explains: Tare's own work between requests (statistics, the store), ending workers, listing, launches that
    /// weigh memory or count instructions, a lane that has nothing left to do.
    pub fn rest_ns(&self) -> u64 {
        let known = [self.timed_ns(), self.startup_ns, self.warm_ns, self.wire_ns, self.untimed_ns];
        known.iter().fold(self.of_lanes_ns(), |left, known| left.saturating_sub(*known))
    }

    /// Adds another account.
    pub fn add(&mut self, other: &Self) {
        self.wall_ns += other.wall_ns;
        self.case_ns += other.case_ns;
        self.null_ns += other.null_ns;
        self.other_ns += other.other_ns;
        self.pilot_ns += other.pilot_ns;
        self.startup_ns += other.startup_ns;
        self.warm_ns += other.warm_ns;
        self.wire_ns += other.wire_ns;
        self.untimed_ns += other.untimed_ns;
        self.lanes = self.lanes.max(other.lanes);
    }

    /// Adds a launch that counts.
    pub fn add_launch(&mut self, launch: &Launch) {
        for turn in &launch.turns {
            let timed = turn.elapsed.iter().fold(0u64, |sum, &elapsed| sum.saturating_add(elapsed));
            match turn.subject {
                Subject::Case => self.case_ns = self.case_ns.saturating_add(timed),
                Subject::Null => self.null_ns = self.null_ns.saturating_add(timed),
                _ => self.other_ns = self.other_ns.saturating_add(timed),
            }
        }
    }

    /// Adds what requests took: that of it which no launch has in its timed samples is untimed.
    pub fn add_requests(&mut self, asked_ns: u64, timed_ns: u64) {
        self.untimed_ns = self.untimed_ns.saturating_add(asked_ns.saturating_sub(timed_ns));
    }

    /// Adds a launch of a pilot.
    pub fn add_pilot(&mut self, launch: &Launch) {
        self.pilot_ns = self.pilot_ns.saturating_add(launch.timed_ns());
    }
}

#[cfg(test)]
mod tests {
    use super::Spent;

    #[test]
    fn what_is_left_is_of_all_lanes() {
        let known = Spent { wall_ns: 100, case_ns: 61, startup_ns: 47, ..Spent::default() };
        assert_eq!(known.rest_ns(), 0, "in one lane there is no time for as much");
        let on_two = Spent { lanes: 2, ..known };
        assert_eq!((on_two.of_lanes_ns(), on_two.rest_ns()), (200, 92));
        let mut sum = Spent { lanes: 1, ..known };
        sum.add(&on_two);
        assert_eq!(sum.lanes, 2);
    }
}
