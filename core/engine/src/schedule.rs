//! How many launches, and how many rounds in each: decided from what they cost and how they scatter. Pure.

use tare_plan::Settings;
use tare_samples::MINIMUM_LAUNCHES;
use tare_statistics::allocation::{Cost, Limits, Spread, rounds_per_launch};

use crate::budget::most_pairs;

/// A launch spends this many times its own start-up in rounds, before the spread is known. Longer launches could win back at most
/// the sixth of the time that start-up takes, and would leave fewer of them.
const ROUNDS_OVER_STARTUP: f64 = 5.0;
/// Where the user waits for a precision and launches differ more than their rounds explain, shorter launches leave room for
/// more of them, down to this. A run with a budget keeps its launches as they are: a run that mostly starts processes would
/// be a poor use of the reader's time.
const LEAST_OVER_STARTUP_FOR_PRECISION: f64 = 1.0;
/// More launches than this buy nothing that the machine would not take back by the next run.
const MOST_LAUNCHES: u32 = 60;
const MOST_ROUNDS: u32 = 2_000;
/// The same as above for launches that are compared. Of 1,920 launch pairs of 60 PHP methods, the typical calls of the first half of the rounds scatter by 0.33 %, those of all 50 by
/// 0.31 %: launches differ for reasons of their own, and short ones tell nearly as much. But half as many calls meet a rare, dear one half as often, and with 0.75 here
/// one of 1,000 that made a tenth of the cost wasn't seen in 6 of 20 comparisons.
const COMPARED_OVER_STARTUP: f64 = 1.25;
/// Predictors, heaps and caches take some hundred calls to settle in a process, and pairs of short launches catch the two sides at different
/// points of that: sorting in Go, pairs scattered by 0.4 % with 12 rounds, by 0.2 % with 24 and by 0.13 % with 48.
const LEAST_COMPARED_ROUNDS: u32 = 24;
const MOST_COMPARED_ROUNDS: u32 = 200;
/// A launch whose start takes most of what there is is measured for at least this part of that, in no more rounds than this: it becomes little dearer, and tells much more than one or two rounds.
const LEAST_OF_STARTUP: f64 = 0.5;
const WORTH_ROUNDS: u32 = 2 * LEAST_COMPARED_ROUNDS;
/// Collections of garbage that a launch is made longer for: it then holds one or two.
const COLLECTIONS_A_LAUNCH: f64 = 1.5;
/// Slow subjects get fewer rounds in a launch before they get fewer launches than this.
const COMFORTABLE_PAIRS: u32 = 10;
/// The same where each call is a process of its own. A launch then is no more than its calls, so more launches than this buy nothing that longer ones don't.
const PAIRS_OF_PROCESSES: u32 = 40;
/// The same where several threads work: each sample is 10 ms long and settled, and processes differ by far more than samples of one (benchmarks of zerolog, two threads: most take 25 ns a call,
/// two processes of five 38 ns for as long as they live; samples within one differ by 7 %).
const PAIRS_OF_THREADS: u32 = 24;

/// What a group's launch costs, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Costs {
    /// All but its rounds: start-up, load, prepare and end of all its processes, the turns of the scale, and the time
    /// in which heaps are let grow.
    pub launch_ns: f64,
    /// One round of all its variants.
    pub round_ns: f64,
    /// Rounds from one collection of a variant's garbage to the next, of the variant where that takes longest; 0 where
    /// no worker counts it.
    pub collection_rounds: f64,
    /// Each call is a process of its own, and settles in it.
    pub calls_are_processes: bool,
    /// Its calls work in several threads, and samples are long for that.
    pub parallel: bool,
}

/// What is still to be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Schedule {
    /// Launches in all, those made included.
    pub launches: u32,
    /// Rounds in each launch from now on.
    pub rounds: u32,
}

impl Schedule {
    /// The first plan, before anything is known of the spread. `left_ns` is the budget that the pilot has left.
    pub fn first(settings: &Settings, costs: &Costs, left_ns: f64, fixed_rounds: Option<u32>) -> Self {
        Self::fit(settings, costs, left_ns, 0, rounds_over_startup(costs, ROUNDS_OVER_STARTUP), fixed_rounds)
    }

    /// As long as a launch is worth being whose start turned out to cost this: what is measured a second time shares no start.
    pub fn worth(self, costs: &Costs) -> Self {
        let worth = rounds_over_startup(costs, LEAST_OF_STARTUP).min(MOST_COMPARED_ROUNDS);
        Self { rounds: self.rounds.max(worth), ..self }
    }

    /// The plan of a comparison. It goes on until its comparisons are settled or its time is up: `launches` is what the time
    /// holds. Rounds of a launch take `COMPARED_OVER_STARTUP` times as long as the start of its processes, within limits: launches differ
    /// for reasons of their own, so more launches are worth more than longer ones, until most of the time would go into starting.
    pub fn compared(settings: &Settings, costs: &Costs, left_ns: f64, fixed_rounds: Option<u32>) -> Self {
        let affordable = |pairs: u32| {
            let rounds = (left_ns / f64::from(pairs) - costs.launch_ns) / costs.round_ns.max(1.0);
            rounds.floor().clamp(1.0, f64::from(MOST_COMPARED_ROUNDS)) as u32
        };
        let settled = |pairs: u32| (affordable(pairs).min(LEAST_COMPARED_ROUNDS), pairs);
        let (least, pairs) = match costs {
            Costs { calls_are_processes: true, .. } => settled(PAIRS_OF_PROCESSES),
            Costs { parallel: true, .. } => settled(PAIRS_OF_THREADS),
            _ => (LEAST_COMPARED_ROUNDS, COMFORTABLE_PAIRS),
        };
        let wanted = rounds_over_startup(costs, COMPARED_OVER_STARTUP).clamp(least, MOST_COMPARED_ROUNDS);
        // Launches without a collection tell nothing of what it costs, and few of them may hold one.
        let collecting = (COLLECTIONS_A_LAUNCH * costs.collection_rounds).ceil() as u32;
        let collecting = collecting.min(affordable(MINIMUM_LAUNCHES));
        let worth = rounds_over_startup(costs, LEAST_OF_STARTUP).min(WORTH_ROUNDS);
        let rounds = wanted.min(affordable(pairs)).max(worth).max(collecting);
        let rounds = fixed_rounds.unwrap_or(rounds).max(1);
        let each_ns = costs.launch_ns + f64::from(rounds) * costs.round_ns;
        let launches = settings.launches.unwrap_or_else(|| {
            ((left_ns / each_ns.max(1.0)).floor() as u32).clamp(MINIMUM_LAUNCHES, most_pairs(settings))
        });
        Self { launches: launches.max(1), rounds }
    }

    /// Rounds of a launch, `drawn` from 0 to 1: longer or shorter by up to half of what lies between two collections. Of launches of one length that hold
    /// three nearly all, none would show that they hold a little more, or less, than their share.
    pub fn rounds_of_launch(self, costs: &Costs, drawn: f64) -> u32 {
        let rounds = f64::from(self.rounds) + (drawn - 0.5) * costs.collection_rounds;
        rounds.round().max(1.0) as u32
    }

    /// The plan once some launches are made and the spread between and within them is known. Rounds only become fewer,
    /// and only where launches differ for reasons of their own: then shorter launches scatter no more than
    /// the longer ones before them, and the interval over all of them stays what it says.
    pub fn again(
        self,
        settings: &Settings,
        costs: &Costs,
        left_ns: f64,
        made: u32,
        spread: &Spread,
        fixed_rounds: Option<u32>,
    ) -> Self {
        let cost = Cost { launch: costs.launch_ns / 1e9, round: costs.round_ns / 1e9 };
        let least = if settings.precision.is_some() { LEAST_OVER_STARTUP_FOR_PRECISION } else { ROUNDS_OVER_STARTUP };
        let limits = Limits { fewest_rounds: rounds_over_startup(costs, least), most_rounds: self.rounds };
        let rounds = rounds_per_launch(spread, &cost, &limits);
        Self::fit(settings, costs, left_ns, made, rounds, fixed_rounds)
    }

    /// Fits the wanted rounds into what is left of the budget; the minimum number of launches goes before rounds.
    fn fit(
        settings: &Settings,
        costs: &Costs,
        left_ns: f64,
        made: u32,
        wanted_rounds: u32,
        fixed_rounds: Option<u32>,
    ) -> Self {
        let least = settings.launches.unwrap_or(MINIMUM_LAUNCHES).max(1);
        let still_needed = f64::from(least.saturating_sub(made).max(1));
        let affordable = ((left_ns / still_needed - costs.launch_ns) / costs.round_ns.max(1.0)).floor();
        let most = if affordable >= 1.0 { affordable.min(f64::from(MOST_ROUNDS)) as u32 } else { 1 };
        let rounds = fixed_rounds.unwrap_or(match settings.launches {
            // A fixed number of launches shares the whole budget among them.
            Some(_) => most,
            None => wanted_rounds.clamp(1, most),
        });
        let launches = settings.launches.unwrap_or_else(|| {
            let each = costs.launch_ns + f64::from(rounds) * costs.round_ns;
            let more = (left_ns / each.max(1.0)).floor().clamp(0.0, f64::from(MOST_LAUNCHES)) as u32;
            (made + more).clamp(MINIMUM_LAUNCHES, MOST_LAUNCHES)
        });
        Self { launches: launches.max(1), rounds: rounds.max(1) }
    }
}

fn rounds_over_startup(costs: &Costs, times: f64) -> u32 {
    (times * costs.launch_ns / costs.round_ns.max(1.0)).ceil().clamp(1.0, f64::from(MOST_ROUNDS)) as u32
}

#[cfg(test)]
mod tests {
    use super::{Costs, Schedule};
    use std::time::Duration;
    use tare_plan::Settings;
    use tare_statistics::allocation::Spread;

    const MS: f64 = 1e6;

    fn costs_of(launch_ms: f64, round_ms: f64) -> Costs {
        Costs { launch_ns: launch_ms * MS, round_ns: round_ms * MS, ..Costs::default() }
    }

    #[test]
    fn a_launch_holds_a_collection_where_six_such_launches_are_affordable() {
        let settings = Settings { comparison_budget: Duration::from_secs(4), ..Settings::default() };
        let rounds = |collection_rounds| {
            let costs = Costs { collection_rounds, ..costs_of(200.0, 4.0) };
            Schedule::compared(&settings, &costs, 4e9, None).rounds
        };
        assert_eq!((rounds(0.0), rounds(50.0), rounds(100.0)), (50, 75, 116));
    }

    #[test]
    fn the_budget_holds_what_is_planned() {
        let costs = costs_of(25.0, 10.0);
        let plan = Schedule::first(&Settings::default(), &costs, 2000.0 * MS, None);
        let total = f64::from(plan.launches) * (costs.launch_ns + f64::from(plan.rounds) * costs.round_ns);
        assert!(total <= 2000.0 * MS && total > 1700.0 * MS, "{plan:?}");
        assert!(f64::from(plan.rounds) * costs.round_ns >= 5.0 * costs.launch_ns, "{plan:?}");
    }

    #[test]
    fn more_time_for_a_comparison_buys_more_pairs() {
        let costs = costs_of(10.0, 2.0);
        let of = |seconds: u64| {
            let settings = Settings { comparison_budget: Duration::from_secs(seconds), ..Settings::default() };
            Schedule::compared(&settings, &costs, 1e9 * seconds as f64, None)
        };
        assert_eq!(of(4), Schedule { launches: 40, rounds: 24 });
        assert_eq!(of(8), Schedule { launches: 80, rounds: 24 });
        assert_eq!(of(60), Schedule { launches: 114, rounds: 24 });
        // Less of it doesn't make launches shorter than what settles.
        assert_eq!(of(1), Schedule { launches: 17, rounds: 24 });
    }

    #[test]
    fn a_launch_that_starts_for_long_is_measured_for_a_part_of_that_however_short_the_budget() {
        let settings = Settings { comparison_budget: Duration::from_secs(3), ..Settings::default() };
        let rounds = |launch_ms, round_ms| {
            Schedule::compared(&settings, &costs_of(launch_ms, round_ms), 1000.0 * MS, None).rounds
        };
        assert_eq!((rounds(1200.0, 2.0), rounds(1200.0, 30.0), rounds(1200.0, 900.0)), (48, 20, 1));
    }

    #[test]
    fn a_launch_that_is_compared_takes_a_little_longer_in_rounds_than_to_start() {
        let rounds =
            |launch_ms| Schedule::compared(&Settings::default(), &costs_of(launch_ms, 1.0), 4000.0 * MS, None).rounds;
        assert_eq!((rounds(10.0), rounds(40.0), rounds(80.0)), (24, 50, 100));
    }

    #[test]
    fn calls_that_are_processes_fill_the_budget_in_forty_launches() {
        let settings = Settings { comparison_budget: Duration::from_secs(10), ..Settings::default() };
        let of = |calls_are_processes, round_ms| {
            let costs = Costs { calls_are_processes, ..costs_of(15.0, round_ms) };
            Schedule::compared(&settings, &costs, 10_000.0 * MS, None)
        };
        assert_eq!((of(true, 4.0), of(false, 4.0).rounds), (Schedule { launches: 90, rounds: 24 }, 24));
        assert_eq!((of(true, 32.0), of(false, 32.0).rounds), (Schedule { launches: 41, rounds: 7 }, 24));
        assert_eq!((of(true, 2_000.0), of(false, 2_000.0).launches), (Schedule { launches: 6, rounds: 1 }, 6));
    }

    #[test]
    fn threads_have_more_and_shorter_launches() {
        let settings = Settings { comparison_budget: Duration::from_secs(4), ..Settings::default() };
        let of = |parallel, launch_ms| {
            Schedule::compared(&settings, &Costs { parallel, ..costs_of(launch_ms, 22.0) }, 4_000.0 * MS, None)
        };
        assert_eq!((of(false, 60.0).rounds, of(true, 60.0)), (15, Schedule { launches: 27, rounds: 4 }));
        assert_eq!(of(true, 400.0), Schedule { launches: 6, rounds: 10 }, "half of what a start takes, at the least");
    }

    #[test]
    fn launches_differ_in_length_where_garbage_is_collected() {
        let plan = Schedule { launches: 10, rounds: 24 };
        let of = |collection_rounds, drawn| {
            plan.rounds_of_launch(&Costs { collection_rounds, ..costs_of(10.0, 2.0) }, drawn)
        };
        assert_eq!((of(0.0, 0.9), of(16.0, 0.0), of(16.0, 0.5), of(16.0, 1.0)), (24, 16, 24, 32));
        assert_eq!(of(100.0, 0.0), 1, "at least one");
    }

    #[test]
    fn a_slow_subject_still_gets_six_launches() {
        let costs = costs_of(25.0, 1000.0);
        assert_eq!(
            Schedule::first(&Settings::default(), &costs, 2000.0 * MS, None),
            Schedule { launches: 6, rounds: 1 }
        );
    }

    #[test]
    fn launches_that_differ_make_room_for_more_of_them() {
        let settings = Settings { budget: Duration::from_secs(4), precision: Some(0.01), ..Settings::default() };
        let costs = costs_of(25.0, 10.0);
        let first = Schedule::first(&settings, &costs, 4000.0 * MS, None);
        let left_ns = 4000.0 * MS - 3.0 * (costs.launch_ns + f64::from(first.rounds) * costs.round_ns);
        let differing =
            first.again(&settings, &costs, left_ns, 3, &Spread { between_launches: 1.0, within_launch: 0.01 }, None);
        let alike =
            first.again(&settings, &costs, left_ns, 3, &Spread { between_launches: 0.0001, within_launch: 10.0 }, None);
        assert!(differing.rounds < first.rounds && differing.launches > first.launches, "{first:?} {differing:?}");
        assert_eq!(alike.rounds, first.rounds);
        let budget = Settings { precision: None, ..settings };
        let kept =
            first.again(&budget, &costs, left_ns, 3, &Spread { between_launches: 1.0, within_launch: 0.01 }, None);
        assert_eq!(kept.rounds, first.rounds);
    }

    #[test]
    fn launches_and_samples_of_the_user_are_kept() {
        let settings = Settings { launches: Some(3), ..Settings::default() };
        let costs = costs_of(25.0, 10.0);
        assert_eq!(Schedule::first(&settings, &costs, 2000.0 * MS, Some(4)), Schedule { launches: 3, rounds: 4 });
    }

    #[test]
    fn a_fixed_number_of_launches_shares_the_budget() {
        let settings = Settings { launches: Some(3), ..Settings::default() };
        // A third of 2 s without the start of 25 ms holds 64 rounds of 10 ms.
        let plan = Schedule::first(&settings, &costs_of(25.0, 10.0), 2000.0 * MS, None);
        assert_eq!(plan, Schedule { launches: 3, rounds: 64 });
    }

    #[test]
    fn what_is_measured_again_is_measured_for_half_of_what_its_own_start_takes() {
        let plan = Schedule { launches: 10, rounds: 24 };
        let rounds = |launch_ms| plan.worth(&costs_of(launch_ms, 2.0)).rounds;
        assert_eq!((rounds(10.0), rounds(400.0), rounds(4000.0)), (24, 100, 200));
    }
}
