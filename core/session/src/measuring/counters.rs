//! The work of rows: both sides are counted at once, each in processes of its own that serve row after row.

use std::collections::{BTreeSet, HashMap};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{Builder, Scope};
use std::time::Duration;

use tare_languages::of_name;
use tare_plan::{Planned, Settings};
use tare_profile::{CountedCase, Counter, ProfileError, Samples, executed};
use tare_samples::{CountEnvironment, CountedFunction, CountedLaunch, CountedWork, ExecutedFunctions, RuntimeCommand};
use tare_statistics::work::{Work, WorkVaries, WorkVerdict};
use tare_worker::{GiveUp, Launcher, ProcessLauncher};

/// Under valgrind an interpreter takes seconds to start.
pub(crate) const STARTUP: Duration = Duration::from_secs(180);

/// Turns of a launch, those of the null among them.
const TURNS: u64 = 7;

/// A variant that is counted, with its place among all.
pub(crate) struct Wanted<'a> {
    pub planned: &'a Planned,
    pub at: usize,
    pub calls: u64,
    pub first_calls: u64,
    /// What a call takes, without the tool.
    pub call_ns: f64,
    pub samples: Samples,
}

impl Wanted<'_> {
    /// About what a launch of it would take without the tool, in nanoseconds; `beside_ns`: what samples of variants take beside their calls.
    pub(crate) fn takes_ns(&self, beside_ns: &HashMap<String, f64>) -> f64 {
        let calls = self.first_calls + 6 * self.calls;
        let samples = if self.samples == Samples::One { TURNS } else { calls };
        let beside = beside_ns.get(&self.planned.variant.id).copied().filter(|ns| ns.is_finite()).unwrap_or(0.0);
        calls as f64 * self.call_ns + samples as f64 * beside
    }
}

/// What is counted of a group.
pub(crate) struct Row<'a> {
    /// One of its pairs is known to differ.
    pub differs: bool,
    pub bases: Vec<Wanted<'a>>,
    pub candidates: Vec<Wanted<'a>>,
    /// A base and a candidate, by their places among all variants.
    pub pairs: Vec<(usize, usize)>,
    /// Launches of each variant where there are no candidates, each with another seed.
    pub seeds: u64,
}

impl<'a> Row<'a> {
    pub(crate) fn all(&self) -> impl Iterator<Item = &Wanted<'a>> {
        self.bases.iter().chain(&self.candidates)
    }

    pub(crate) fn source(&self) -> Option<&[String]> {
        self.all().next().map(|one| one.planned.sources.as_slice())
    }

    /// Launches that are made of it whatever they say.
    pub(crate) fn launches(&self) -> usize {
        let of_bases = if self.candidates.is_empty() { self.seeds as usize } else { 2 };
        of_bases * self.bases.len() + self.candidates.len()
    }
}

/// What comes of a row.
pub(crate) enum Part {
    /// So many launches of its variants were made, or needn't be.
    Launches(usize),
    /// So many more launches are made than was known.
    More(usize),
    /// Its variants, by their places.
    Row(Vec<(usize, CountedWork)>),
    /// A variant can't be counted.
    Failed(usize, ProfileError),
    /// A variant is counted, and yet its program's functions aren't known.
    Unnamed(usize, ProfileError),
}

/// What answers rows on one CPU or two.
pub(crate) struct Counters<'a> {
    bases: Side<'a>,
    candidates: Candidates<'a>,
}

/// The other side: on the same CPU, after the first, or on one of its own.
enum Candidates<'a> {
    After(Side<'a>),
    AtOnce(Beside<'a>),
}

/// A side in a thread that lives as long as its processes serve: they end with the thread that started them.
struct Beside<'a> {
    asked: Sender<(&'a Row<'a>, Vec<Launch<'a>>)>,
    found: Receiver<Vec<Found>>,
}

/// What a launch counted of the variant at a place.
type Found = (usize, Result<Counted, ProfileError>);

/// A launch, its functions, and what it was counted in.
type Counted = (CountedLaunch, Vec<CountedFunction>, CountEnvironment);

/// What counts one side: a process for each number of a launch, which serves row after row.
struct Side<'a> {
    launcher: ProcessLauncher,
    settings: &'a Settings,
    give_up: &'a GiveUp,
    open: Vec<(Key, Counter)>,
}

/// How a process is started, by the number of its launch.
type Key = (RuntimeCommand, bool, u64);

/// A variant that is launched, and the number of the launch: those of equal numbers draw equal lots.
type Launch<'a> = (&'a Wanted<'a>, u64);

/// What was counted so far, by the places of variants.
type Works = HashMap<usize, CountedWork>;

impl<'a> Counters<'a> {
    /// On `cpus`, two at the most; a second one has a thread in `scope`.
    pub(crate) fn new<'s>(
        scope: &'s Scope<'s, 'a>,
        cpus: &[usize],
        settings: &'a Settings,
        give_up: &'a GiveUp,
    ) -> Self {
        let at_once = match cpus {
            [_, second, ..] => Beside::begin(scope, *second, settings, give_up).map(Candidates::AtOnce),
            _ => None,
        };
        let side = || Side::new(cpus.first().copied(), settings, give_up);
        Self { bases: side(), candidates: at_once.unwrap_or_else(|| Candidates::After(side())) }
    }

    /// Counts a row with all its sides, and tells what it found; nothing of a row for all of which there was no time.
    pub(crate) fn answer(&mut self, row: &'a Row<'a>, tell: &dyn Fn(Part)) {
        if let Some(mut works) = self.works(row, tell) {
            // Where both execute the same nobody asks which functions do.
            let differing = |(base, candidate): &&(usize, usize)| {
                let both = works.get(base).zip(works.get(candidate));
                both.and_then(|(base, candidate)| Work::of(base, candidate))
                    .is_some_and(|work| work.verdict.is_difference())
            };
            let told: BTreeSet<usize> =
                row.pairs.iter().filter(differing).flat_map(|(base, candidate)| [*base, *candidate]).collect();
            works.iter_mut().filter(|(at, _)| !told.contains(at)).for_each(|(_, work)| work.functions.clear());
            self.name_functions(row, &told, &mut works, tell);
            tell(Part::Row(works.into_iter().collect()));
        }
    }

    /// Adds the functions of programs of interpreters, by a launch of each variant that is `told`.
    fn name_functions(&mut self, row: &'a Row<'a>, told: &BTreeSet<usize>, works: &mut Works, tell: &dyn Fn(Part)) {
        let tells = |one: &&Wanted<'_>| {
            told.contains(&one.at) && of_name(&one.planned.variant.runtime.language).tells_functions
        };
        let all: Vec<&Wanted<'_>> = row.all().filter(tells).collect();
        if all.is_empty() {
            return;
        }
        tell(Part::More(all.len()));
        for one in all {
            let found = self.bases.executed(one);
            tell(Part::Launches(1));
            match found {
                Ok(functions) => {
                    if let Some(work) = works.get_mut(&one.at) {
                        work.executed = Some(functions);
                    }
                }
                // There is no time for more.
                Err(_) if self.bases.give_up.is_now() => return,
                Err(error) => tell(Part::Unnamed(one.at, error)),
            }
        }
    }

    fn works(&mut self, row: &'a Row<'a>, tell: &dyn Fn(Part)) -> Option<Works> {
        let mut works = Works::new();
        if row.candidates.is_empty() {
            let seeds: Vec<u64> = (0..row.seeds).collect();
            // Both CPUs have work.
            let is_whole = seeds.chunks(2).all(|both| {
                let of = |at: usize| both.get(at).map_or_else(Vec::new, |seed| launches(&row.bases, *seed));
                self.both(row, [of(0), of(1)], &mut works, tell)
            });
            works.retain(|_, work| work.launches.len() > 1);
            return is_whole.then_some(works);
        }
        let (first, again) = (launches(&row.bases, 0), launches(&row.bases, 1));
        if !self.both(row, [first, launches(&row.candidates, 0)], &mut works, tell) {
            return None;
        }
        // Pairs that have both sides.
        let pairs = |works: &Works, says: &dyn Fn(&CountedWork, &CountedWork) -> bool, candidate: Option<usize>| {
            let of = row.pairs.iter().filter(|(_, at)| candidate.is_none_or(|candidate| *at == candidate));
            let mut both = of.filter_map(|(base, candidate)| Some((works.get(base)?, works.get(candidate)?)));
            both.any(|(base, candidate)| says(base, candidate))
        };
        let is_open = |base: &CountedWork, candidate: &CountedWork| !Work::is_equal_at_once(base, candidate);
        if !pairs(&works, &is_open, None) {
            tell(Part::Launches(again.len()));
            return Some(works);
        }
        // What differs with one seed is asked with another, while its base is; what agrees, if it turns out that launches of its base don't.
        let again: Vec<_> = again.into_iter().filter(|(base, _)| works.contains_key(&base.at)).collect();
        tell(Part::Launches(row.bases.len() - again.len()));
        let differs = |base: &CountedWork, candidate: &CountedWork| {
            let work = Work::of(base, candidate);
            work.is_some_and(|work| match work.verdict {
                WorkVerdict::Equal => Work::seems_to_differ(base, candidate),
                _ => work.varies != Some(WorkVaries::Threads),
            })
        };
        let differing = asked_again(row, tell, |at| pairs(&works, &differs, Some(at)));
        let is_whole = self.both(row, [again, differing], &mut works, tell);
        // A base of which there is one launch alone has failed, or there was no time.
        works.retain(|at, work| work.launches.len() > 1 || !row.bases.iter().any(|base| base.at == *at));
        if !is_whole && row.bases.iter().any(|base| !works.contains_key(&base.at)) {
            return None;
        }
        let scattered = asked_again(row, tell, |at| pairs(&works, &Work::asks_for_confirmation, Some(at)));
        // What there is no time to confirm varies.
        self.both(row, [Vec::new(), scattered], &mut works, tell);
        loop {
            let more = asked_with_another_seed(row, &works);
            if more[1].is_empty() {
                return Some(works);
            }
            tell(Part::More(more.iter().map(Vec::len).sum()));
            if !self.both(row, more, &mut works, tell) {
                return Some(works);
            }
        }
    }

    /// Makes launches on both sides, and adds what they count to `works`; of a variant that fails nothing stays there. Whether there was time for all.
    fn both(
        &mut self,
        row: &'a Row<'a>,
        [of_bases, of_candidates]: [Vec<Launch<'a>>; 2],
        works: &mut Works,
        tell: &dyn Fn(Part),
    ) -> bool {
        let made = of_bases.len() + of_candidates.len();
        let (first, second) = match &mut self.candidates {
            Candidates::After(side) => (self.bases.count(row, &of_bases), side.count(row, &of_candidates)),
            Candidates::AtOnce(beside) => {
                // Its thread listens until it is let go.
                let is_asked = beside.asked.send((row, of_candidates)).is_ok();
                let first = self.bases.count(row, &of_bases);
                (first, if is_asked { beside.found.recv().unwrap_or_default() } else { Vec::new() })
            }
        };
        let (mut is_whole, mut failed) = (true, Vec::new());
        for (at, found) in first.into_iter().chain(second) {
            match found {
                Ok((counted, functions, environment)) => {
                    let work = works.entry(at).or_default();
                    if work.launches.is_empty() {
                        (work.functions, work.environment) = (functions, Some(environment));
                    }
                    work.launches.push(counted);
                }
                Err(ProfileError::Interrupted) => is_whole = false,
                Err(error) if !failed.contains(&at) => {
                    failed.push(at);
                    tell(Part::Failed(at, error));
                }
                Err(_) => {}
            }
        }
        for at in failed {
            works.remove(&at);
        }
        if made > 0 {
            tell(Part::Launches(made));
        }
        is_whole
    }
}

fn launches<'a>(variants: &'a [Wanted<'a>], launch: u64) -> Vec<Launch<'a>> {
    variants.iter().map(|one| (one, launch)).collect()
}

/// Bases and candidates of which all seeds show a difference, and more have to.
fn asked_with_another_seed<'r>(row: &'r Row<'_>, works: &Works) -> [Vec<Launch<'r>>; 2] {
    let is_asked = |(base, candidate): &&(usize, usize)| {
        let both = works.get(base).zip(works.get(candidate));
        both.is_some_and(|(base, candidate)| Work::asks_for_another_seed(base, candidate))
    };
    let pairs: Vec<(usize, usize)> = row.pairs.iter().filter(is_asked).copied().collect();
    let made = |at: &usize| works.get(at).map_or(0, |work| work.launches.len());
    // Another candidate may have asked its base already.
    let lacks =
        |one: &Wanted<'_>| pairs.iter().any(|(base, candidate)| *base == one.at && made(base) == made(candidate));
    let next = |one: &'r Wanted<'r>| (one, made(&one.at) as u64);
    let bases = row.bases.iter().filter(|one| lacks(one)).map(next);
    let candidates = row.candidates.iter().filter(|one| pairs.iter().any(|(_, candidate)| *candidate == one.at));
    [bases.collect(), candidates.map(next).collect()]
}

/// The candidates that are `asked` once more.
fn asked_again<'r>(row: &'r Row<'_>, tell: &dyn Fn(Part), asked: impl Fn(usize) -> bool) -> Vec<Launch<'r>> {
    let launches: Vec<_> = row.candidates.iter().filter(|one| asked(one.at)).map(|one| (one, 1)).collect();
    if !launches.is_empty() {
        tell(Part::More(launches.len()));
    }
    launches
}

impl<'a> Beside<'a> {
    /// `None` where the system gives no thread.
    fn begin<'s>(scope: &'s Scope<'s, 'a>, cpu: usize, settings: &'a Settings, give_up: &'a GiveUp) -> Option<Self> {
        let (asked, asks) = channel::<(&'a Row<'a>, Vec<Launch<'a>>)>();
        let (finds, found) = channel();
        let begun = Builder::new().spawn_scoped(scope, move || {
            let mut side = Side::new(Some(cpu), settings, give_up);
            for (row, launches) in asks {
                if finds.send(side.count(row, &launches)).is_err() {
                    return;
                }
            }
        });
        begun.is_ok().then_some(Self { asked, found })
    }
}

impl<'a> Side<'a> {
    fn new(cpu: Option<usize>, settings: &'a Settings, give_up: &'a GiveUp) -> Self {
        let mut launcher = ProcessLauncher::new(cpu.into_iter().collect(), &[], STARTUP);
        launcher.give_up_when(Some(give_up.clone()));
        Self { launcher, settings, give_up, open: Vec::new() }
    }

    /// What launches count, by the places of their variants, until there is no time for more. Processes that don't serve `row` are ended.
    fn count(&mut self, row: &Row<'_>, launches: &[Launch<'_>]) -> Vec<Found> {
        let is_of =
            |key: &Key| row.all().any(|one| (&key.0, key.1) == (&one.planned.start, one.planned.startup.prelude));
        self.open.retain(|(key, _)| is_of(key));
        let mut found = Vec::new();
        for (one, launch) in launches {
            let counted = self.launch(one, *launch);
            let is_over = matches!(counted, Err(ProfileError::Interrupted));
            found.push((one.at, counted));
            if is_over {
                break;
            }
        }
        found
    }

    /// The functions of a variant's program, by the seed of its first launch under the counter.
    fn executed(&mut self, one: &Wanted<'_>) -> Result<ExecutedFunctions, ProfileError> {
        let Wanted { planned, calls, first_calls, samples, .. } = *one;
        executed(
            &CountedCase { planned, calls, first_calls, samples },
            self.settings.seed,
            self.settings,
            &mut self.launcher,
        )
    }

    fn launch(&mut self, one: &Wanted<'_>, launch: u64) -> Result<Counted, ProfileError> {
        let Wanted { planned, calls, first_calls, samples, .. } = *one;
        let key = (planned.start.clone(), planned.startup.prelude, launch);
        let at = match self.open.iter().position(|(known, _)| *known == key) {
            Some(at) => at,
            None => {
                let seed = self.settings.seed.wrapping_add(launch);
                self.open.push((key, Counter::new(planned, seed, &mut self.launcher)?));
                self.open.len() - 1
            }
        };
        let case = CountedCase { planned, calls, first_calls, samples };
        let interrupted = || self.give_up.is_now();
        let counter = &mut self.open[at].1;
        let (counted, functions) = counter.count(&case, self.settings, &mut self.launcher, &interrupted)?;
        Ok((counted, functions, counter.environment().clone()))
    }
}
