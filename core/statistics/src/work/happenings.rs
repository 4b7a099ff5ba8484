//! How often calls ask the system, and how often they allocate: work that instructions show little of.

use serde::{Deserialize, Serialize};
use tare_samples::{CountedLaunch, CountedWork, TurnCounts};

/// Less a call isn't told: what happens once in many calls, as when a heap grows.
const LEAST: f64 = 0.05;
/// And less than this part of what the base does.
const LEAST_PART: f64 = 0.005;
/// Turns and launches have to show the same difference within this part of it. What draws lots hardly ever does so four times.
const AGREED: f64 = 0.1;

/// How often something happens in a call of each side, those of the null taken off.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Happenings {
    /// In a call of the base, by its first launch.
    pub base: f64,
    /// In a call of the candidate.
    pub candidate: f64,
    /// All turns of all launches show the same difference.
    pub differs: bool,
}

impl Happenings {
    /// Compares what `counts` of launches tells; `None` where a side's wasn't counted.
    pub(super) fn of(
        base: &CountedWork,
        candidate: &CountedWork,
        counts: impl Fn(&CountedLaunch) -> Option<TurnCounts>,
    ) -> Option<Self> {
        let in_calls = |launch: &CountedLaunch| counts(launch).map(|counts| launch.in_a_call(&counts));
        let of_launches: Option<Vec<[[f64; 2]; 2]>> = base
            .launches
            .iter()
            .zip(&candidate.launches)
            .map(|(base, candidate)| Some([in_calls(base)?, in_calls(candidate)?]))
            .collect();
        let of_launches = of_launches?;
        let [of_base, of_candidate] = of_launches.first()?.map(|turns| (turns[0] + turns[1]) / 2.0);
        let differences =
            of_launches.iter().flat_map(|[base, candidate]| [candidate[0] - base[0], candidate[1] - base[1]]);
        let (least, most) =
            differences.fold((f64::MAX, f64::MIN), |(least, most), one| (least.min(one), most.max(one)));
        let smallest = least.abs().min(most.abs());
        let differs = least.signum() == most.signum()
            && smallest >= LEAST.max(LEAST_PART * of_base)
            && most - least <= AGREED * smallest;
        Some(Self { base: of_base, candidate: of_candidate, differs })
    }
}

#[cfg(test)]
mod tests {
    use tare_samples::{CountedLaunch, CountedWork, TurnCounts};

    use super::Happenings;

    fn counted(launches: &[[u64; 3]]) -> CountedWork {
        let launch = |subject: &[u64; 3]| CountedLaunch {
            calls: [10, 20, 30],
            null_calls: [100, 300],
            system_calls: Some(TurnCounts { subject: *subject, null: [1, 1] }),
            ..CountedLaunch::default()
        };
        CountedWork { launches: launches.iter().map(launch).collect(), ..CountedWork::default() }
    }

    fn of(base: &[[u64; 3]], candidate: &[[u64; 3]]) -> Happenings {
        Happenings::of(&counted(base), &counted(candidate), |launch| launch.system_calls).unwrap()
    }

    #[test]
    fn a_difference_that_all_turns_show_is_told() {
        let found = of(&[[21, 41, 61]], &[[31, 61, 91]]);
        assert_eq!(found, Happenings { base: 2.0, candidate: 3.0, differs: true });
        // From none, and to none.
        assert!(of(&[[1, 1, 1]], &[[11, 21, 31]]).differs && of(&[[11, 21, 31]], &[[1, 1, 1]]).differs);
        assert!(!of(&[[21, 41, 61]], &[[21, 41, 61]]).differs);
    }

    #[test]
    fn what_scatters_or_happens_once_is_no_difference() {
        // A heap that grew in one turn of the candidate.
        assert!(!of(&[[21, 41, 61]], &[[21, 42, 62]]).differs);
        assert!(!of(&[[21, 41, 61]], &[[25, 49, 67]]).differs);
        // The second launch shows another one.
        assert!(!of(&[[21, 41, 61], [21, 41, 61]], &[[31, 61, 91], [21, 41, 61]]).differs);
        // Three more of a thousand.
        assert!(!of(&[[10_000, 20_000, 30_000]], &[[10_030, 20_060, 30_090]]).differs);
    }

    #[test]
    fn what_was_not_counted_on_a_side_says_nothing() {
        let uncounted = CountedWork { launches: vec![CountedLaunch::default()], ..CountedWork::default() };
        assert!(Happenings::of(&counted(&[[1, 2, 3]]), &uncounted, |launch| launch.system_calls).is_none());
        assert!(Happenings::of(&CountedWork::default(), &uncounted, |launch| launch.system_calls).is_none());
    }
}
