//! What the samples of a turn took by themselves: elapsed time less what other processes took of the core.
//!
//! Elapsed time holds the subject's own rare, slow calls and other people's work alike, and no threshold tells them apart. The CPU time of
//! the worker's process does: while another process has the core, the clock goes on and CPU time stands still.

use std::collections::{BTreeMap, BTreeSet};

use tare_samples::{Launch, Subject, Turn};

use crate::quantile::{quantile, select_median, sort};

/// Time off the core in a turn of less than this, in nanoseconds, is ignored: CPU time is counted in whole microseconds, and reading it takes some itself.
const LEAST_FOREIGN_NS: f64 = 10_000.0;

/// Work between samples counts as put off by the subject's calls only if it is at least this part of the samples' own time.
const LEAST_PUT_OFF: f64 = 0.02;

/// And only if it is at least this many times what the worker does around a sample of the null: after a subject that fills the caches its own code was seen
/// to take nearly twice as long (Python, PHP, strings of 1 MiB).
const LEAST_TIMES_THE_NULL: f64 = 1.0;

/// This quantile of a launch's samples of one size stands for a sample that no other process interrupted. It is a low one, since on a busy machine most samples may
/// have been interrupted.
const SPARED: f64 = 0.1;

/// The samples of one size in one turn. Nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct OwnTurn {
    /// The round of the launch.
    pub(crate) round: u32,
    /// Its samples of the size.
    pub(crate) samples: usize,
    /// Calls in these samples; a bare call counts as one.
    pub(crate) calls: f64,
    /// What these samples took by themselves, clock reads and calls included.
    pub(crate) total: f64,
    /// What else the process did between the turn's samples beyond what it does there without the calls ([`Usual`]), shared out to these
    /// samples: work that calls put off, as a collector in another thread does. Below 0 where it did less.
    pub(crate) between: f64,
}

/// The turns of a subject that have samples of `size` calls, in order.
///
/// Of a turn in which the measuring thread never gave the core up by itself, what the process was off the core is taken off: all of it, for
/// on a busy machine others are there in every turn. A thread that waits for something waits by its subject's will: then elapsed time
/// stands as it is, as it does where the worker doesn't tell CPU time.
pub(crate) fn own_turns(launch: &Launch, subject: &Subject, size: u64) -> Vec<OwnTurn> {
    let spared = spared_times(launch, subject);
    let parts: Vec<(&Turn, Foreign, Option<f64>)> = launch
        .turns_of(subject)
        .map(|turn| {
            let foreign = Foreign::of(turn, &spared);
            let beside = beside_samples(turn, foreign.total);
            (turn, foreign, beside)
        })
        .collect();
    let usual = Usual::of(launch, subject, &parts);
    parts
        .into_iter()
        .filter_map(|(turn, foreign, beside)| {
            let samples = turn.iterations.iter().filter(|&&calls| calls == size).count();
            let elapsed: f64 = of_size(turn, size).sum();
            let all = timed(turn);
            let share = if all > 0.0 { elapsed / all } else { 0.0 };
            let between = beside.map_or(0.0, |beside| (beside - usual.of_samples(turn.iterations.len())) * share);
            let calls = size.max(1) as f64 * samples as f64;
            let total = (elapsed - foreign.of_size(size)).max(0.0);
            (samples > 0).then_some(OwnTurn { round: turn.round, samples, calls, total, between })
        })
        .collect()
}

/// What a sample of each size takes that nobody interrupts, as far as the launch shows it: of few long samples none may have been spared, and they take no
/// more than as many calls in the others.
pub(crate) fn spared_times(launch: &Launch, subject: &Subject) -> BTreeMap<u64, f64> {
    let sizes: BTreeSet<u64> = launch.turns_of(subject).flat_map(|turn| turn.iterations.iter().copied()).collect();
    let spared = |size| {
        let mut elapsed: Vec<f64> = launch.turns_of(subject).flat_map(|turn| of_size(turn, size)).collect();
        sort(&mut elapsed);
        quantile(&elapsed, SPARED).unwrap_or(0.0)
    };
    let seen: BTreeMap<u64, f64> = sizes.into_iter().map(|size| (size, spared(size))).collect();
    let bounded = |size: u64| {
        let by_others =
            seen.iter().map(|(&other, &spared)| spared * (size.max(1) as f64 / other.max(1) as f64).max(1.0));
        (size, by_others.fold(f64::INFINITY, f64::min))
    };
    seen.keys().map(|&size| bounded(size)).collect()
}

/// Mean nanoseconds per call over turns, what was put off included. `None` without calls.
pub(crate) fn mean_per_call<'a>(turns: impl Iterator<Item = &'a OwnTurn>) -> Option<f64> {
    let (total, calls) =
        turns.fold((0.0, 0.0), |(total, calls), turn| (total + turn.total + turn.between, calls + turn.calls));
    (calls > 0.0).then_some(total / calls)
}

fn typical(values: impl Iterator<Item = f64>) -> f64 {
    select_median(&mut values.collect::<Vec<_>>()).unwrap_or(0.0)
}

/// What a process does between the samples of a turn without its calls. Nanoseconds.
#[derive(Debug, Clone, Copy)]
enum Usual {
    /// What it does in a typical turn of the subject's own, whoever asked for it: what calls put off in each turn hides in it.
    OwnTurns(f64),
    /// What it does around the null's samples: all else has been put off by calls.
    Null { per_turn: f64, per_sample: f64 },
}

impl Usual {
    /// The null's is taken where nothing of the author's stands between the samples, and the subject's turns hold so much more than it that
    /// the worker's own code in caches that the subject has filled can't be the reason ([`LEAST_PUT_OFF`], [`LEAST_TIMES_THE_NULL`]).
    fn of(launch: &Launch, subject: &Subject, parts: &[(&Turn, Foreign, Option<f64>)]) -> Self {
        let own = Self::OwnTurns(typical(parts.iter().filter_map(|&(_, _, beside)| beside)));
        let only_calls = |turn: &Turn| turn.stretch.is_some_and(|stretch| stretch.only_calls);
        if *subject != Subject::Case || parts.iter().any(|(turn, _, beside)| !only_calls(turn) || beside.is_none()) {
            return own;
        }
        let beside_null = |turn: &Turn| Some((beside_samples(turn, off_in_samples(turn))?, turn.iterations.len()));
        let beside: Vec<(f64, usize)> = launch.turns_of(&Subject::Null).filter_map(beside_null).collect();
        if beside.is_empty() {
            return own;
        }
        let per_turn = typical(beside.iter().map(|&(beside, _)| beside));
        let per_sample = typical(beside.iter().map(|&(beside, samples)| beside / samples.max(1) as f64));
        let null = Self::Null { per_turn, per_sample };
        let usual = |turn: &Turn| null.of_samples(turn.iterations.len());
        let put_off: f64 = parts.iter().filter_map(|(turn, _, beside)| Some((*beside)? - usual(turn))).sum();
        let calls: f64 = parts.iter().map(|(turn, foreign, _)| timed(turn) - foreign.total).sum();
        let by_worker: f64 = parts.iter().map(|(turn, ..)| usual(turn)).sum();
        if put_off > (LEAST_PUT_OFF * calls).max(LEAST_TIMES_THE_NULL * by_worker) { null } else { own }
    }

    /// In a turn of so many samples.
    fn of_samples(self, samples: usize) -> f64 {
        match self {
            Self::OwnTurns(typical) => typical,
            // What is the turn's and what each sample's isn't told apart: the larger of both leaves nothing of the worker's to the calls.
            Self::Null { per_turn, per_sample } => per_turn.max(per_sample * samples as f64),
        }
    }
}

/// Nanoseconds of the turn's stretch in which its process wasn't on the core though it wanted to be; `None` where that can't be told.
fn off_the_core(turn: &Turn) -> Option<f64> {
    let stretch = turn.stretch.filter(|stretch| stretch.yields == 0)?;
    Some(stretch.wall_ns.saturating_sub(stretch.cpu_ns) as f64)
}

/// The samples' share of that, by length, for nobody timed what lies between them: what other processes took of them.
pub(crate) fn off_in_samples(turn: &Turn) -> f64 {
    let (off, timed) = (off_the_core(turn).unwrap_or(0.0), timed(turn));
    let wall = turn.stretch.map_or(0.0, |stretch| stretch.wall_ns as f64);
    if off < LEAST_FOREIGN_NS || wall <= 0.0 { 0.0 } else { (off * timed / wall).min(timed) }
}

/// What other processes took of a turn's samples. Nanoseconds.
struct Foreign {
    total: f64,
    /// By the size of the samples, in calls.
    by_size: BTreeMap<u64, f64>,
}

impl Foreign {
    /// Which samples they took it of shows in these: one that is interrupted takes longer than those that were spared. Shared out by
    /// length instead, an interruption of one size would be taken off the others too.
    fn of(turn: &Turn, spared: &BTreeMap<u64, f64>) -> Self {
        let (total, timed) = (off_in_samples(turn), timed(turn));
        if total <= 0.0 {
            return Self { total: 0.0, by_size: BTreeMap::new() };
        }
        let excess = |(&size, &spared): (&u64, &f64)| -> (u64, f64) {
            (size, of_size(turn, size).map(|elapsed| (elapsed - spared).max(0.0)).sum())
        };
        let excesses: BTreeMap<u64, f64> = spared.iter().map(excess).collect();
        let all: f64 = excesses.values().sum();
        let seen = if all > 0.0 { (total / all).min(1.0) } else { 0.0 };
        let unseen = total - seen * all;
        let by_size = excesses
            .into_iter()
            .map(|(size, excess)| (size, seen * excess + unseen * of_size(turn, size).sum::<f64>() / timed))
            .collect();
        Self { total, by_size }
    }

    fn of_size(&self, size: u64) -> f64 {
        self.by_size.get(&size).copied().unwrap_or(0.0)
    }
}

/// Time on the core between the samples of the stretch: what other threads do meanwhile on other cores is nobody's waiting. `None` where that can't be told: a subject that pauses its timer works there
/// by its author's will.
fn beside_samples(turn: &Turn, foreign: f64) -> Option<f64> {
    let stretch = turn.stretch.filter(|stretch| stretch.yields == 0 && turn.pauses.is_empty())?;
    Some(stretch.cpu_ns.min(stretch.wall_ns) as f64 - (timed(turn) - foreign))
}

fn of_size(turn: &Turn, size: u64) -> impl Iterator<Item = f64> + '_ {
    turn.iterations
        .iter()
        .zip(&turn.elapsed)
        .filter(move |&(&calls, _)| calls == size)
        .map(|(_, &elapsed)| elapsed as f64)
}

pub(crate) fn timed(turn: &Turn) -> f64 {
    turn.elapsed.iter().map(|&elapsed| elapsed as f64).sum()
}

#[cfg(test)]
mod tests {
    use tare_samples::{Launch, Stretch, Subject, Turn};

    use super::own_turns;

    /// Turns of four samples of 100 calls; of each: elapsed of its samples, wall, CPU time, yields.
    fn launch(turns: &[([u64; 4], u64, u64, u64)]) -> Launch {
        let turn = |(round, &(elapsed, wall_ns, cpu_ns, yields)): (usize, &([u64; 4], u64, u64, u64))| Turn {
            round: round as u32,
            subject: Subject::Case,
            warm: 1,
            iterations: vec![100; 4],
            elapsed: elapsed.to_vec(),
            pauses: Vec::new(),
            at_ns: 0,
            stretch: Some(Stretch { wall_ns, cpu_ns, yields, only_calls: true }),
        };
        Launch { turns: turns.iter().enumerate().map(turn).collect(), ..Launch::default() }
    }

    fn totals(launch: &Launch) -> Vec<f64> {
        own_turns(launch, &Subject::Case, 100).iter().map(|turn| turn.total).collect()
    }

    const QUIET: ([u64; 4], u64, u64, u64) = ([100_000; 4], 402_000, 401_000, 0);

    #[test]
    fn what_another_process_took_is_taken_off() {
        // One sample is longer by 2 ms, in which the process had no CPU.
        let preempted = ([100_000, 2_100_000, 100_000, 100_000], 2_402_000, 401_000, 0);
        let found = totals(&launch(&[QUIET, QUIET, preempted]));
        assert_eq!(found[..2], [400_000.0, 400_000.0]);
        assert!((found[2] / 400_000.0 - 1.0).abs() < 0.01, "{found:?}");
    }

    #[test]
    fn it_is_taken_off_where_no_turn_is_spared() {
        let preempted = ([100_000, 600_000, 100_000, 600_000], 1_402_000, 401_000, 0);
        for total in totals(&launch(&[preempted; 5])) {
            assert!((total / 400_000.0 - 1.0).abs() < 0.01, "{total}");
        }
    }

    /// The interruption lies in a sample of another size: nothing of it is taken off those that had none.
    #[test]
    fn it_is_taken_off_the_size_that_it_hit() {
        let mut hit = launch(&[QUIET, QUIET, QUIET]);
        for turn in &mut hit.turns {
            turn.iterations = vec![100, 100, 100, 200];
            turn.elapsed = vec![100_000, 100_000, 100_000, 200_000];
        }
        for (turn, sample) in [(1, 1), (2, 3)] {
            hit.turns[turn].elapsed[sample] += 2_000_000;
            hit.turns[turn].stretch =
                Some(Stretch { wall_ns: 2_502_000, cpu_ns: 502_000, yields: 0, only_calls: true });
        }
        let of = |size: u64| own_turns(&hit, &Subject::Case, size).iter().map(|turn| turn.total).collect::<Vec<_>>();
        let near = |found: Vec<f64>, wanted: f64| found.iter().all(|total| (total / wanted - 1.0).abs() < 0.02);
        assert!(near(of(100), 300_000.0), "{:?}", of(100));
        assert!(near(of(200), 200_000.0), "{:?}", of(200));
    }

    #[test]
    fn what_the_subject_did_itself_stays() {
        let collecting = ([100_000, 2_100_000, 100_000, 100_000], 2_402_000, 2_401_000, 0);
        assert_eq!(totals(&launch(&[QUIET, QUIET, collecting]))[2], 2_400_000.0);
        // Nor is taken off what it waits for.
        let waiting = ([100_000, 2_100_000, 100_000, 100_000], 2_402_000, 401_000, 1);
        assert_eq!(totals(&launch(&[QUIET, QUIET, waiting]))[2], 2_400_000.0);
        // Nor is anything where the worker doesn't tell.
        let mut silent = launch(&[QUIET, QUIET, ([100_000, 2_100_000, 100_000, 100_000], 2_402_000, 401_000, 0)]);
        silent.turns.iter_mut().for_each(|turn| turn.stretch = None);
        assert_eq!(totals(&silent)[2], 2_400_000.0);
    }

    #[test]
    fn work_that_is_put_off_until_after_the_samples_is_seen() {
        let later = ([100_000; 4], 802_000, 801_000, 0);
        let found = own_turns(&launch(&[QUIET, QUIET, QUIET, later]), &Subject::Case, 100);
        let between: Vec<f64> = found.iter().map(|turn| turn.between).collect();
        assert_eq!(between, [0.0, 0.0, 0.0, 400_000.0]);
        assert_eq!(super::mean_per_call(found.iter()), Some(1_250.0));
        assert_eq!(super::mean_per_call(found[..0].iter()), None);
    }

    /// The case's turns with null turns of the same number of samples between them, whose worker takes 500 ns around each sample.
    fn beside_its_null(turns: &[([u64; 4], u64, u64, u64)]) -> Launch {
        let mut launch = launch(turns);
        let null = Turn {
            subject: Subject::Null,
            elapsed: vec![10_000; 4],
            stretch: Some(Stretch { wall_ns: 42_000, cpu_ns: 43_000, yields: 0, only_calls: true }),
            ..launch.turns[0].clone()
        };
        launch.turns.extend([null.clone(), null]);
        launch
    }

    fn between(launch: &Launch) -> Vec<f64> {
        own_turns(launch, &Subject::Case, 100).iter().map(|turn| turn.between).collect()
    }

    #[test]
    fn work_that_is_put_off_in_each_turn_is_seen_beside_the_null() {
        let later = ([100_000; 4], 442_000, 443_000, 0);
        assert_eq!(between(&beside_its_null(&[later; 4])), [40_000.0; 4]);
        let mut hooked = beside_its_null(&[later; 4]);
        hooked.turns.iter_mut().filter_map(|turn| turn.stretch.as_mut()).for_each(|stretch| stretch.only_calls = false);
        assert_eq!(between(&hooked), [0.0; 4], "the author may have it done");
    }

    #[test]
    fn what_the_worker_does_more_slowly_beside_the_subject_is_not_put_off() {
        let little = ([100_000; 4], 408_000, 408_000, 0);
        assert_eq!(between(&beside_its_null(&[little; 4])), [0.0; 4]);
        // Nor is what other threads did while the samples went on.
        let slowed = ([1_000; 4], 7_500, 7_500, 0);
        assert_eq!(between(&beside_its_null(&[slowed; 4])), [0.0; 4]);
        let parallel = ([100_000; 4], 402_000, 801_000, 0);
        assert_eq!(between(&beside_its_null(&[parallel; 4])), [0.0; 4]);
        // A subject that waits can't be told from one that is kept waiting.
        let waiting = ([100_000; 4], 802_000, 801_000, 3);
        assert_eq!(between(&beside_its_null(&[waiting; 4])), [0.0; 4]);
    }

    #[test]
    fn samples_of_other_sizes_are_left_out() {
        let mut mixed = launch(&[QUIET]);
        mixed.turns[0].iterations = vec![100, 400, 100, 400];
        mixed.turns[0].elapsed = vec![100_000, 400_000, 120_000, 400_000];
        let found = own_turns(&mixed, &Subject::Case, 100);
        assert_eq!((found[0].samples, found[0].calls, found[0].total), (2, 200.0, 220_000.0));
        assert!(own_turns(&mixed, &Subject::Case, 7).is_empty());
    }
}
