//! Work: what a call of the candidate executes against what a call of its base does, counted. It has no part in a verdict about time.

mod functions;
mod happenings;
mod history;

use std::fmt;

use serde::{Deserialize, Serialize};
use tare_samples::CountedWork;

use crate::mean_interval::student_interval;
use crate::summary::Estimate;

pub use functions::{Caller, FunctionWork, by_function};
pub use happenings::Happenings;
pub use history::{CountedRun, WorkPoint, WorkStep, work_points};

/// Counts of identical code differ by this fraction of a call with its loop: paths of checkouts have other lengths, and data lies elsewhere.
const ALIKE: f64 = 0.000_3;
/// And by so many instructions a call: what turns do once, spread over their calls.
const ALIKE_INSTRUCTIONS: f64 = 0.5;
/// Sides of one seed that lie within this part of either execute the same: launches that scatter by as much as would be told, hardly ever come so near by chance.
const AT_ONCE: f64 = 0.2;
/// How many times as far as turns of one launch disagree two sides have to lie apart.
const OF_TURNS: f64 = 2.0;
/// The same of launches of one side. Few launches disagree less by chance than others will.
const OF_LAUNCHES: f64 = 10.0;
/// Where launches disagree by more, differences of so many seeds have to agree,
const SEEDS: usize = 3;
/// within this part of the first. What a seed changes on both sides alike, as a hash table's order, is no part of a difference.
const AGREED: f64 = 0.1;
/// A difference below this part of a call may be a heap's: where a block lies in it is worth some instructions each time that it is freed, in one of two ways.
const SMALL: f64 = 0.01;
/// So many seeds show that chance doesn't repeat such a difference. More aren't asked.
pub const MOST_SEEDS: usize = 5;
/// The confidence of an interval that as many differences have by Student's distribution.
const CONFIDENCE: f64 = 0.999;
/// The bound of a difference, in how far those of several seeds lie apart.
const OF_DIFFERENCES: f64 = 2.0;
/// Sides that lie within so many times as far as launches of one side do are called equal.
const EQUAL_LAUNCHES: f64 = 2.0;
/// A bound beyond this fraction isn't called equal.
const WIDEST_EQUAL: f64 = 0.01;

/// What counts say of a candidate, seen from its base.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WorkVerdict {
    /// A call executes more, in both launches.
    More,
    /// A call executes less, in both launches.
    Less,
    /// Counts agree within their bound.
    Equal,
    /// Counts of one side don't repeat themselves, and the sides don't lie farther apart.
    Varies,
}

impl WorkVerdict {
    /// `more`, `less`, `equal`, `varies`.
    pub fn name(self) -> &'static str {
        match self {
            Self::More => "more",
            Self::Less => "less",
            Self::Equal => "equal",
            Self::Varies => "varies",
        }
    }

    /// `more` or `less`.
    pub fn is_difference(self) -> bool {
        matches!(self, Self::More | Self::Less)
    }
}

impl fmt::Display for WorkVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Why counts vary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WorkVaries {
    /// Launches with other seeds count otherwise: hash seeds, random numbers, addresses.
    Launches,
    /// Turns of one launch count otherwise: random numbers, time, collections of garbage, several threads.
    Turns,
    /// The second launch of the candidate doesn't show what the first one did, or wasn't made.
    Unconfirmed,
    /// Threads or processes that weren't counted did a part of the work.
    Threads,
}

impl WorkVaries {
    /// `launches`, `turns`, `unconfirmed`, `threads`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Launches => "launches",
            Self::Turns => "turns",
            Self::Unconfirmed => "unconfirmed",
            Self::Threads => "threads",
        }
    }
}

/// A candidate's work against its base's, in instructions a call, those of the null taken off.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Work {
    /// Of a call of the base.
    pub base: f64,
    /// Of a call of the candidate.
    pub candidate: f64,
    /// Candidate over base, with its bound; `None` where the base executes nothing, or a part wasn't counted.
    pub ratio: Option<Estimate>,
    /// What is said.
    pub verdict: WorkVerdict,
    /// Why it varies; only beside [`WorkVerdict::Varies`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub varies: Option<WorkVaries>,
    /// System calls, where they were counted and all threads were. Instructions of the kernel are in no other count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system_calls: Option<Happenings>,
    /// Allocations on the heap, the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allocations: Option<Happenings>,
}

impl Work {
    /// Whether one launch of each side says that they execute the same, so that others with another seed needn't be made: they agree far better than is asked of what is equal.
    /// Where launches scatter, however far, and a call of a thousand instructions or more does a thousandth more, that is missed in at most 5 of 100 rows (simulated in this file's
    /// tests).
    pub fn is_equal_at_once(base: &CountedWork, candidate: &CountedWork) -> bool {
        let near = AT_ONCE * (ALIKE * base.raw_per_call()).max(ALIKE_INSTRUCTIONS);
        !base.several_threads()
            && !candidate.several_threads()
            && (candidate.per_call() - base.per_call()).abs() <= near
            && Self::of(base, candidate).is_some_and(|work| work.verdict == WorkVerdict::Equal)
    }

    /// Whether a second launch of the candidate would say more: the first one differs by more than the bound, or it agrees where launches don't.
    pub fn asks_for_confirmation(base: &CountedWork, candidate: &CountedWork) -> bool {
        candidate.launches.len() < 2
            && base.launches.len() > 1
            && Self::of(base, candidate)
                .is_some_and(|work| matches!(work.varies, Some(WorkVaries::Unconfirmed | WorkVaries::Launches)))
    }

    /// Whether the first seed shows more than what identical code differs by, so that another may show it too.
    pub fn seems_to_differ(base: &CountedWork, candidate: &CountedWork) -> bool {
        Differences::of(base, candidate).is_some_and(|differences| differences.first().abs() > differences.alike)
    }

    /// Whether a launch of each side by another seed may decide: all that were asked show a difference, and they are too few.
    pub fn asks_for_another_seed(base: &CountedWork, candidate: &CountedWork) -> bool {
        let is_open = |differences: Differences| {
            let made = differences.all.len();
            made > 1 && made < MOST_SEEDS && differences.are_beyond(differences.alike) && differences.shown().is_none()
        };
        !base.several_threads() && !candidate.several_threads() && Differences::of(base, candidate).is_some_and(is_open)
    }

    /// Whether calls do something more or less often that instructions show little of.
    pub fn happens_otherwise(&self) -> bool {
        [self.system_calls, self.allocations].iter().flatten().any(|happenings| happenings.differs)
    }

    /// Compares the counts of two sides; `None` where one of them has none.
    pub fn of(base: &CountedWork, candidate: &CountedWork) -> Option<Self> {
        let (of_base, of_candidate) = (base.per_call(), candidate.per_call());
        if !of_base.is_finite() || !of_candidate.is_finite() {
            return None;
        }
        if base.several_threads() || candidate.several_threads() {
            let (verdict, varies) = (WorkVerdict::Varies, Some(WorkVaries::Threads));
            let (base, candidate) = (of_base, of_candidate);
            return Some(Self { base, candidate, ratio: None, verdict, varies, system_calls: None, allocations: None });
        }
        let differences = Differences::of(base, candidate)?;
        let Differences { all, whole, launches, turns, alike } = &differences;
        let (first, whole, launches, turns, alike) = (differences.first(), *whole, *launches, *turns, *alike);
        let shown = differences.shown();
        // Launches of one seed meet the same hashes and the same heap: where all agree, what other seeds change is no difference of the code.
        let agree = all.len() > 1 && all.iter().all(|difference| difference.abs() <= alike);
        let (difference, bound) = match shown {
            Some((difference, bound)) => (difference, alike.max(bound)),
            None if agree => (first, alike),
            None => (first, alike.max(EQUAL_LAUNCHES * launches)),
        };
        let of_candidate = of_base + difference;
        let (verdict, varies) = if shown.is_some() {
            (if first > 0.0 { WorkVerdict::More } else { WorkVerdict::Less }, None)
        } else if first.abs() > differences.claimed() {
            (WorkVerdict::Varies, Some(WorkVaries::Unconfirmed))
        } else if first.abs() <= bound && bound <= (WIDEST_EQUAL * whole).max(ALIKE_INSTRUCTIONS) {
            (WorkVerdict::Equal, None)
        } else if OF_LAUNCHES * launches >= turns {
            (WorkVerdict::Varies, Some(WorkVaries::Launches))
        } else {
            (WorkVerdict::Varies, Some(WorkVaries::Turns))
        };
        let estimate = of_candidate / of_base;
        let ratio = (of_base > ALIKE_INSTRUCTIONS && of_candidate > 0.0).then(|| Estimate {
            estimate,
            low: (of_candidate - bound) / of_base,
            high: (of_candidate + bound) / of_base,
        });
        let system_calls = Happenings::of(base, candidate, |launch| launch.system_calls);
        let allocations = Happenings::of(base, candidate, |launch| launch.allocations);
        Some(Self { base: of_base, candidate: of_candidate, ratio, verdict, varies, system_calls, allocations })
    }
}

/// What launches of the same seeds differ by on both sides, and what that is measured by: instructions a call.
struct Differences {
    /// Candidate less base, by seed; at least one.
    all: Vec<f64>,
    /// Of a call with its loop.
    whole: f64,
    /// Launches of one side differ by as much.
    launches: f64,
    /// Turns of one launch disagree by as much about the difference, times [`OF_TURNS`].
    turns: f64,
    /// Identical code differs by as much.
    alike: f64,
}

impl Differences {
    fn of(base: &CountedWork, candidate: &CountedWork) -> Option<Self> {
        let pairs = || base.launches.iter().zip(&candidate.launches);
        let all: Vec<f64> = pairs().map(|(base, candidate)| candidate.per_call() - base.per_call()).collect();
        all.first()?;
        let whole = base.raw_per_call().max(candidate.raw_per_call());
        let launches = base.launches_differ_by().max(candidate.launches_differ_by());
        // What both sides do in the same turn, as the growth of a table, isn't between them.
        let turns = OF_TURNS * pairs().map(|(base, candidate)| candidate.bends_from(base)).fold(0.0, f64::max);
        let alike = (ALIKE * whole).max(ALIKE_INSTRUCTIONS).max(turns);
        Some(Self { all, whole, launches, turns, alike })
    }

    fn first(&self) -> f64 {
        self.all[0]
    }

    /// Above this launches of one side say nothing against a difference.
    fn claimed(&self) -> f64 {
        self.alike.max(OF_LAUNCHES * self.launches)
    }

    /// Launches of one side differ so far that others may differ by a whole difference.
    fn scatter(&self) -> bool {
        OF_LAUNCHES * self.launches > self.alike
    }

    fn range(&self) -> f64 {
        let (least, most) =
            self.all.iter().fold((f64::MAX, f64::MIN), |(least, most), &one| (least.min(one), most.max(one)));
        most - least
    }

    /// All seeds show a difference in one direction, of more than `limit`.
    fn are_beyond(&self, limit: f64) -> bool {
        self.all.iter().all(|one| one.abs() > limit && one.signum() == self.first().signum())
    }

    /// The difference that enough seeds show, and its bound. Few that repeat each other are enough where it is large; else the mean of all, whose interval by Student's
    /// distribution has to lie beyond what identical code differs by.
    fn shown(&self) -> Option<(f64, f64)> {
        let least = match () {
            () if self.first().abs() < SMALL * self.whole => MOST_SEEDS,
            () if self.scatter() => SEEDS,
            () => 2,
        };
        if self.all.len() >= least && self.repeat() {
            return Some((self.first(), OF_DIFFERENCES * self.range()));
        }
        if self.all.len() < MOST_SEEDS {
            return None;
        }
        let interval = student_interval(&self.all, CONFIDENCE)?;
        let bound = interval.half_width();
        (interval.estimate.abs() - bound > self.alike).then_some((interval.estimate, bound))
    }

    /// Each of several seeds shows a difference in the same direction, beyond what launches of one side differ by, or by as much as the first.
    fn repeat(&self) -> bool {
        self.all.len() > 1
            && self.are_beyond(self.alike)
            && (self.are_beyond(self.claimed()) || self.range() <= AGREED * self.first().abs())
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_distr::Distribution;
    use tare_samples::{CountedLaunch, CountedWork};

    use super::{Work, WorkVaries, WorkVerdict};

    /// A launch whose calls take so many instructions, 60 of them of the loop; the second turn takes `extra` more.
    pub(super) fn launch(each: f64, extra: u64) -> CountedLaunch {
        let calls = [1000, 2000, 3000];
        let mut subject = calls.map(|calls| 5000 + ((each + 60.0) * calls as f64) as u64);
        subject[1] += extra;
        CountedLaunch { calls, subject, null_calls: [100, 300], null: [11_000, 23_000], ..CountedLaunch::default() }
    }

    fn work(each: &[f64]) -> CountedWork {
        CountedWork { launches: each.iter().map(|&each| launch(each, 0)).collect(), ..CountedWork::default() }
    }

    fn verdict(base: &CountedWork, candidate: &CountedWork) -> (WorkVerdict, Option<WorkVaries>) {
        let found = Work::of(base, candidate).unwrap();
        (found.verdict, found.varies)
    }

    #[test]
    fn a_thousandth_more_is_found_and_as_much_less() {
        let base = work(&[5000.0, 5000.0]);
        let twice = work(&[5005.0, 5005.0]);
        assert!(Work::asks_for_another_seed(&base, &twice), "it may be the heap's");
        assert_eq!(verdict(&base, &twice), (WorkVerdict::Varies, Some(WorkVaries::Unconfirmed)));
        let [base, more] = [5000.0, 5005.0].map(|each| work(&[each; 5]));
        let found = Work::of(&base, &more).unwrap();
        assert_eq!((found.verdict, found.varies), (WorkVerdict::More, None));
        let ratio = found.ratio.unwrap();
        assert!((ratio.estimate - 1.001).abs() < 1e-9 && ratio.low > 1.0 && ratio.high < 1.002, "{ratio:?}");
        assert_eq!(verdict(&more, &base), (WorkVerdict::Less, None));
    }

    #[test]
    fn identical_work_is_equal_after_one_launch_of_the_candidate() {
        let base = work(&[5000.0, 5000.0]);
        assert_eq!(verdict(&base, &work(&[5000.4])), (WorkVerdict::Equal, None));
        assert!(!Work::asks_for_confirmation(&base, &work(&[5000.4])));
    }

    #[test]
    fn sides_that_agree_far_better_than_equal_ones_have_to_need_no_other_seed() {
        let equal = |base: &[f64], candidate: &[f64]| Work::is_equal_at_once(&work(base), &work(candidate));
        assert!(equal(&[5000.0], &[5000.2]));
        // Equal, and yet asked again.
        assert!(!equal(&[5000.0], &[5001.2]));
        assert_eq!(verdict(&work(&[5000.0]), &work(&[5001.2])).0, WorkVerdict::Equal);
        assert!(!equal(&[], &[5000.0]));
        let mut shared = work(&[5000.0]);
        shared.launches[0].several_threads = true;
        assert!(!Work::is_equal_at_once(&shared, &work(&[5000.0])));
        let mut bent = work(&[5000.0]);
        bent.launches[0] = launch(5000.0, 300_000);
        assert!(!Work::is_equal_at_once(&bent, &work(&[5000.0])), "turns that disagree by so much are no count");
        assert!(Work::is_equal_at_once(&bent, &bent), "both sides do it in the same turn");
    }

    /// What is said in the end of sides that take so many instructions more than these, by the seeds that are asked for one after the other.
    fn settled(mut sides: impl FnMut() -> [f64; 2]) -> WorkVerdict {
        let (mut base, mut candidate) = (work(&[]), work(&[]));
        let mut ask = |base: &mut CountedWork, candidate: &mut CountedWork| {
            let [of_base, of_candidate] = sides();
            base.launches.push(launch(of_base, 0));
            candidate.launches.push(launch(of_candidate, 0));
        };
        ask(&mut base, &mut candidate);
        if !Work::is_equal_at_once(&base, &candidate) {
            ask(&mut base, &mut candidate);
        }
        while Work::asks_for_another_seed(&base, &candidate) {
            ask(&mut base, &mut candidate);
        }
        Work::of(&base, &candidate).unwrap().verdict
    }

    /// Where a block lies in the heap is worth a thousandth, in one of two ways on each side.
    #[test]
    fn what_a_heap_does_in_one_of_two_ways_is_called_in_vain_in_few() {
        let mut random = rand_pcg::Pcg64::seed_from_u64(50);
        let rows = 20_000;
        let called = (0..rows).filter(|_| {
            let mut side = || 100_000.0 + if rand::RngExt::random_bool(&mut random, 0.5) { 150.0 } else { 0.0 };
            settled(|| [side(), side()]).is_difference()
        });
        let called = called.count();
        // Half of the rows begin with a difference, and a quarter of each further seeds shows it again: 39 by that.
        assert!(called <= 70, "{called} of {rows}");
    }

    /// Launches of 100,000 instructions scatter by a part of them (standard deviation). Independently on both sides, as addresses do: what is called in vain.
    /// On both sides alike, as hash seeds do, but for a thousandth of the variance: what is found.
    #[test]
    fn of_code_that_scatters_little_is_called_in_vain_and_a_thousandth_is_found_where_seeds_act_on_both_sides() {
        let rows = 4000;
        let mut random = rand_pcg::Pcg64::seed_from_u64(49);
        let normal = rand_distr::Normal::new(0.0, 1.0).unwrap();
        for scatter in [1e-4, 3e-4, 1e-3, 1e-2] {
            let mut called = 0;
            for _ in 0..rows {
                let side = |random: &mut rand_pcg::Pcg64| 100_000.0 * (1.0 + scatter * normal.sample(random));
                called += i32::from(settled(|| [side(&mut random), side(&mut random)]).is_difference());
            }
            assert!(called <= 16, "{called} of {rows} identical ones at {scatter}");
        }
        for (scatter, at_least) in [(1e-4, 3900), (1e-3, 2800)] {
            let (mut found, mut wrong) = (0, 0);
            for _ in 0..rows {
                let verdict = settled(|| {
                    let shared: f64 = normal.sample(&mut random);
                    [0.0, 1e-3].map(|more| {
                        let own: f64 = normal.sample(&mut random);
                        let part = 0.999_f64.sqrt() * shared + 0.001_f64.sqrt() * own;
                        100_000.0 * (1.0 + more + scatter * part)
                    })
                });
                found += i32::from(verdict == WorkVerdict::More);
                wrong += i32::from(verdict == WorkVerdict::Less);
            }
            assert!(found >= at_least && wrong == 0, "{found} of {rows} found at {scatter}, {wrong} wrong");
        }
    }

    #[test]
    fn what_scatters_is_seldom_equal_at_once_though_a_call_does_more() {
        let mut random = rand_pcg::Pcg64::seed_from_u64(48);
        let mut missed = |instructions: f64, more: f64, scatter: f64| {
            let normal = rand_distr::Normal::new(1.0, scatter).unwrap();
            let rows = 4000;
            let equal = (0..rows).filter(|_| {
                let side =
                    |mean: f64, random: &mut rand_pcg::Pcg64| work(&[instructions * mean * normal.sample(random)]);
                let (base, candidate) = (side(1.0, &mut random), side(1.0 + more, &mut random));
                Work::is_equal_at_once(&base, &candidate)
            });
            equal.count() as f64 / f64::from(rows)
        };
        for scatter in [1e-4, 2e-4, 5e-4, 7e-4, 1e-3, 2e-3, 5e-3, 1e-2, 5e-2] {
            for instructions in [1e3, 1e6] {
                let (thousandth, hundredth) =
                    (missed(instructions, 1e-3, scatter), missed(instructions, 1e-2, scatter));
                assert!(thousandth < 0.055, "{thousandth} of {instructions} at {scatter}");
                assert!(hundredth < 0.012, "{hundredth} of {instructions} at {scatter}");
            }
        }
    }

    #[test]
    fn a_difference_is_said_when_a_second_launch_shows_it_too() {
        let base = work(&[5000.0, 5000.0]);
        let once = work(&[5060.0]);
        assert_eq!(verdict(&base, &once), (WorkVerdict::Varies, Some(WorkVaries::Unconfirmed)));
        assert!(Work::asks_for_confirmation(&base, &once));
        assert_eq!(verdict(&base, &work(&[5060.0, 5060.0])), (WorkVerdict::More, None));
        assert_eq!(verdict(&base, &work(&[5060.0, 5000.0])).0, WorkVerdict::Varies);
    }

    #[test]
    fn what_does_not_repeat_itself_varies_unless_the_sides_lie_far_apart() {
        let seeded = work(&[5000.0, 5010.0]);
        assert_eq!(verdict(&seeded, &work(&[5030.0])), (WorkVerdict::Varies, Some(WorkVaries::Launches)));
        let twice = work(&[6000.0, 6010.0]);
        assert_eq!(verdict(&seeded, &twice), (WorkVerdict::Varies, Some(WorkVaries::Unconfirmed)));
        assert!(Work::asks_for_another_seed(&seeded, &twice));
        let seeded_more = work(&[5000.0, 5010.0, 4990.0]);
        assert_eq!(verdict(&seeded_more, &work(&[6000.0, 6010.0, 5990.0])), (WorkVerdict::More, None));
        assert_eq!(verdict(&seeded_more, &work(&[6000.0, 6010.0, 5000.0])).0, WorkVerdict::Varies);
        let mut bent = work(&[5000.0, 5000.0]);
        bent.launches[0] = launch(5000.0, 30_000);
        assert_eq!(verdict(&bent, &work(&[5030.0])), (WorkVerdict::Varies, Some(WorkVaries::Turns)));
    }

    #[test]
    fn what_varies_with_the_seed_is_equal_where_launches_of_the_same_seed_agree() {
        let seeded = work(&[5000.0, 5200.0]);
        let once = work(&[5000.0]);
        assert_eq!(verdict(&seeded, &once), (WorkVerdict::Varies, Some(WorkVaries::Launches)));
        assert!(Work::asks_for_confirmation(&seeded, &once));
        let found = Work::of(&seeded, &work(&[5000.0, 5200.4])).unwrap();
        assert_eq!((found.verdict, found.varies), (WorkVerdict::Equal, None));
        assert!(found.ratio.unwrap().high < 1.001);
        assert_eq!(verdict(&seeded, &work(&[5000.0, 5100.0])).0, WorkVerdict::Varies);
    }

    #[test]
    fn what_other_threads_did_a_part_of_varies_however_far_apart() {
        let base = work(&[5000.0, 5000.0]);
        let mut shared = work(&[9000.0, 9000.0]);
        shared.launches[1].several_threads = true;
        assert_eq!(verdict(&base, &shared), (WorkVerdict::Varies, Some(WorkVaries::Threads)));
        assert_eq!(Work::of(&shared, &base).unwrap().ratio, None);
    }

    #[test]
    fn nothing_against_nothing_is_equal_and_has_no_ratio() {
        let found = Work::of(&work(&[0.0, 0.0]), &work(&[0.2])).unwrap();
        assert_eq!((found.verdict, found.ratio), (WorkVerdict::Equal, None));
        assert_eq!(verdict(&work(&[0.0, 0.0]), &work(&[40.0, 40.0])), (WorkVerdict::More, None));
        assert!(Work::of(&work(&[]), &work(&[1.0])).is_none());
    }
}
