//! What calls execute, by valgrind's callgrind, in launches of their own after everything was timed: many cases in one.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use tare_languages::of_name;
use tare_plan::{Group, Pair, Planned, is_control};
use tare_profile::{CountedCase, Counter, ProfileError, Tool, is_bare};
use tare_results::VariantView;
use tare_samples::{Case, CountedLaunch, CountedWork, Outcome, RuntimeCommand};
use tare_statistics::work::{Work, WorkVerdict};
use tare_statistics::{Warning, WarningCode};
use tare_worker::{GiveUp, Launcher, ProcessLauncher};

use crate::event::{Event, LookingStep};
use crate::measuring::recorder::Recorder;
use crate::on_all_cpus::on_all_cpus_in_parts;
use crate::step_progress::StepProgress;
use tare_request::Request;

/// Under valgrind an interpreter takes seconds to start.
pub(crate) const STARTUP: Duration = Duration::from_secs(180);
/// Most calls of the shortest turn, and how long it may take without the tool. Under it code takes a hundred times as long.
const MOST_CALLS: f64 = 300.0;
const SHORTEST_TURN_NS: f64 = 1e5;
/// So many times as long turns are where a runtime does work of its own now and then: what it does once in many calls, as for a page of the heap, is spread.
const TIMES_WITH_A_RUNTIME: f64 = 5.0;
/// The same of the calls before it: Python rewrites code that was called ten times or so.
const MOST_FIRST_CALLS: f64 = 30.0;
const FIRST_TURN_NS: f64 = 1e6;
/// A call that takes longer isn't counted: seven of them, in three launches, would take minutes.
const LONGEST_CALL_NS: f64 = 2e8;
/// The part of what `--total` leaves when measuring begins that is kept for counting, where all cases are counted.
const PART_OF_TOTAL: f64 = 0.4;

/// A variant that is counted, with its place among all.
struct Wanted<'a> {
    planned: &'a Planned,
    at: usize,
    calls: u64,
    first_calls: u64,
    is_bare: bool,
}

/// What is counted of a group.
struct Row<'a> {
    /// One of its pairs is known to differ.
    differs: bool,
    bases: Vec<Wanted<'a>>,
    candidates: Vec<Wanted<'a>>,
    /// A base and a candidate, by their places among all variants.
    pairs: Vec<(usize, usize)>,
}

impl<'a> Row<'a> {
    fn all(&self) -> impl Iterator<Item = &Wanted<'a>> {
        self.bases.iter().chain(&self.candidates)
    }

    fn source(&self) -> Option<&[String]> {
        self.all().next().map(|one| one.planned.sources.as_slice())
    }
}

/// What measuring may take of `total`, of which `used` is gone, where the work of `counted` of `cases` is wanted: counting has the rest.
pub(crate) fn without_counting(counted: usize, cases: usize, total: Duration, used: Duration) -> Duration {
    let part = PART_OF_TOTAL * counted as f64 / cases.max(1) as f64;
    total - total.saturating_sub(used).mul_f64(part)
}

/// How many groups have cases that are wanted.
pub(crate) fn counted(groups: &[Group], wanted: &dyn Fn(&Case) -> bool) -> usize {
    groups.iter().filter(|group| group.variants.iter().any(|planned| wanted(&planned.variant.case))).count()
}

/// Counts what was measured well and isn't counted yet, of the cases that are `wanted`, on all of `cpus` at once, since nothing is timed, and until `until` says that
/// there is no time for more. Bases are counted twice, with two seeds; candidates once, and again where they differ. What fails is a warning of its variant's, whose times are good. Where there
/// is no valgrind that is said once, and nothing is counted. Returns whether any failed.
pub(crate) fn count_all(
    groups: &[Group],
    variants: &mut [VariantView],
    wanted: &dyn Fn(&Case) -> bool,
    request: &Request,
    (cpus, until): (&[usize], Option<Instant>),
    recorder: &mut Recorder<'_>,
) -> bool {
    let (mut rows, mut failed) = rows(groups, variants, wanted);
    if rows.is_empty() {
        return failed;
    }
    if let Err(ProfileError::Missing { what, .. }) = Tool::Callgrind.check("", &[]) {
        recorder.session.notice(format!("no work is counted: {what}; install it, as with `apt-get install valgrind`"));
        return failed;
    }
    // What is likely to differ is answered first; processes go on with what is started like the row before.
    rows.sort_by(|one, other| (!one.differs, one.source()).cmp(&(!other.differs, other.source())));
    let (stop, is_late) =
        (Arc::clone(recorder.session.stop_flag()), move || until.is_some_and(|until| Instant::now() > until));
    let give_up = GiveUp::when(move || stop.load(Ordering::Relaxed) || is_late());
    let of: usize = rows.iter().map(|row| 2 * row.bases.len() + row.candidates.len()).sum();
    let session = recorder.session;
    let (mut progress, mut counted) = (StepProgress::begin(session, LookingStep::Counting, of), 0);
    on_all_cpus_in_parts(
        &rows,
        cpus,
        |cpu| {
            let mut launcher = ProcessLauncher::new(cpu.into_iter().collect(), &[], STARTUP);
            launcher.give_up_when(Some(give_up.clone()));
            Counters { launcher, request, give_up: &give_up, is_short: until.is_some(), open: Vec::new() }
        },
        |counters, row, tell| counters.row(row, tell),
        |_, part| {
            match part {
                Part::Launch => progress.add(1),
                Part::More(number) => progress.more(number),
                Part::Row(works) => {
                    counted += 1;
                    for (at, work) in works {
                        let VariantView { variant, calibration: Some(calibration), .. } = &mut variants[at] else {
                            continue;
                        };
                        calibration.work = Some(work);
                        recorder.keep_calibration(variant, calibration);
                    }
                }
                Part::Failed(at, error) => {
                    failed = true;
                    warn(&mut variants[at], &error.to_string());
                }
            }
            !give_up.is_now()
        },
    );
    session.emit(&Event::Looked);
    if is_late() && counted < rows.len() && !recorder.is_stopped() {
        session.notice(format!(
            "--total was too short to count what {} of {} cases execute",
            rows.len() - counted,
            rows.len()
        ));
    }
    failed
}

/// What is to be counted, by group, and whether any can't be.
fn rows<'a>(groups: &'a [Group], variants: &mut [VariantView], wanted: &dyn Fn(&Case) -> bool) -> (Vec<Row<'a>>, bool) {
    let uncounted = |view: &VariantView| {
        view.outcome == Outcome::Ok
            && wanted(&view.variant.case)
            && view.calibration.as_ref().is_some_and(|calibration| calibration.work.is_none())
    };
    let places: HashMap<String, usize> =
        variants.iter().enumerate().map(|(at, view)| (view.variant.id.clone(), at)).collect();
    let (mut rows, mut failed) = (Vec::new(), false);
    for group in groups {
        let place = |planned: &Planned| places.get(&planned.variant.id).copied();
        // Sides that are compared make as many calls.
        let time = |planned: &Planned| Some(variants[place(planned)?].summary.as_ref()?.raw.estimate);
        let longest = group.variants.iter().filter_map(time).fold(1.0, f64::max);
        let pairs = group.pairs.iter().filter(|pair| !pair.control);
        let candidates: Vec<usize> = pairs.clone().map(|pair| pair.candidate).collect();
        let of_pair = |pair: &Pair| Some((place(&group.variants[pair.base])?, place(&group.variants[pair.candidate])?));
        let differs = group.pairs.iter().any(|pair| pair.differs);
        let mut row =
            Row { differs, bases: Vec::new(), candidates: Vec::new(), pairs: pairs.filter_map(of_pair).collect() };
        for (number, planned) in group.variants.iter().enumerate() {
            let Some(at) = place(planned) else { continue };
            // A control is its base once more.
            if !uncounted(&variants[at]) || is_control(&planned.variant) {
                continue;
            }
            if longest > LONGEST_CALL_NS {
                failed = true;
                warn(&mut variants[at], "a call takes longer than 200 ms; count a smaller input of it");
                continue;
            }
            let iterations = variants[at].calibration.as_ref().map_or(1, |calibration| calibration.iterations);
            let own_work = of_name(&planned.variant.runtime.language).taken_over_at.is_some();
            let times = if own_work { TIMES_WITH_A_RUNTIME } else { 1.0 };
            let calls = (times * SHORTEST_TURN_NS / longest).clamp(1.0, times * MOST_CALLS) as u64;
            let first_calls = calls.max((FIRST_TURN_NS / longest).clamp(1.0, MOST_FIRST_CALLS) as u64);
            let wanted = Wanted { planned, at, calls, first_calls, is_bare: is_bare(planned, iterations) };
            if candidates.contains(&number) { row.candidates.push(wanted) } else { row.bases.push(wanted) }
        }
        if row.all().next().is_some() {
            rows.push(row);
        }
    }
    (rows, failed)
}

/// What comes of a row.
enum Part {
    /// One of its variants was counted in one launch.
    Launch,
    /// So many more launches are made than was known.
    More(usize),
    /// Its variants, by their places.
    Row(Vec<(usize, CountedWork)>),
    /// A variant can't be counted.
    Failed(usize, ProfileError),
}

/// What counts on one CPU: processes of both sides, for each number of a launch, which have served earlier rows.
struct Counters<'a> {
    launcher: ProcessLauncher,
    request: &'a Request,
    give_up: &'a GiveUp,
    /// There may be no time for all.
    is_short: bool,
    open: Vec<(Key, Counter)>,
}

fn are_equal(works: &HashMap<usize, CountedWork>, base: usize, candidate: usize) -> bool {
    let sides = works.get(&base).zip(works.get(&candidate));
    sides.and_then(|(base, candidate)| Work::of(base, candidate)).is_some_and(|work| work.verdict == WorkVerdict::Equal)
}

/// How a process is started, by the number of its launch.
type Key = (RuntimeCommand, bool, u64);

impl Counters<'_> {
    /// Counts a row with all its sides, and tells what it found.
    fn row(&mut self, row: &Row<'_>, tell: &dyn Fn(Part)) {
        let is_of =
            |key: &Key| row.all().any(|one| (&key.0, key.1) == (&one.planned.start, one.planned.startup.prelude));
        self.open.retain(|(key, _)| is_of(key));
        if let Some(works) = self.works(row, tell) {
            tell(Part::Row(works.into_iter().collect()));
        }
    }

    /// What the variants of a row execute that can be counted; `None` where there was no time for all of it.
    fn works(&mut self, row: &Row<'_>, tell: &dyn Fn(Part)) -> Option<HashMap<usize, CountedWork>> {
        let mut works = HashMap::new();
        for one in row.all() {
            self.launch(one, 0, &mut works, tell)?;
        }
        // Where time is short, sides that execute the same with one seed needn't be asked with another.
        if self.is_short
            && !row.pairs.is_empty()
            && row.pairs.iter().all(|(base, candidate)| are_equal(&works, *base, *candidate))
        {
            row.bases.iter().for_each(|_| tell(Part::Launch));
            return Some(works);
        }
        for one in &row.bases {
            if works.contains_key(&one.at) && !self.launch(one, 1, &mut works, tell)? {
                works.remove(&one.at);
            }
        }
        let asks = |one: &&Wanted<'_>| {
            let bases = row.pairs.iter().filter(|(_, candidate)| *candidate == one.at).map(|(base, _)| base);
            let sides = bases.filter_map(|base| Some((works.get(base)?, works.get(&one.at)?)));
            sides.into_iter().any(|(base, candidate)| Work::asks_for_confirmation(base, candidate))
        };
        let again: Vec<&Wanted<'_>> = row.candidates.iter().filter(asks).collect();
        tell(Part::More(again.len()));
        for one in again {
            // What there is no time to confirm varies.
            if self.launch(one, 1, &mut works, tell).is_none() {
                break;
            }
        }
        Some(works)
    }

    /// Counts a variant once more, and adds that to `works`. Whether it went well; `None` where there is no time.
    fn launch(
        &mut self,
        one: &Wanted<'_>,
        launch: u64,
        works: &mut HashMap<usize, CountedWork>,
        tell: &dyn Fn(Part),
    ) -> Option<bool> {
        let found = self.counted(one, launch);
        tell(Part::Launch);
        match found {
            Ok(counted) => works.entry(one.at).or_default().launches.push(counted),
            Err(ProfileError::Interrupted) => return None,
            Err(error) => {
                tell(Part::Failed(one.at, error));
                return Some(false);
            }
        }
        Some(true)
    }

    fn counted(&mut self, one: &Wanted<'_>, launch: u64) -> Result<CountedLaunch, ProfileError> {
        let Wanted { planned, calls, first_calls, is_bare, .. } = *one;
        let key = (planned.start.clone(), planned.startup.prelude, launch);
        let at = match self.open.iter().position(|(known, _)| *known == key) {
            Some(at) => at,
            None => {
                let seed = self.request.settings.seed.wrapping_add(launch);
                self.open.push((key, Counter::new(planned, seed, &mut self.launcher)?));
                self.open.len() - 1
            }
        };
        let case = CountedCase { planned, calls, first_calls, is_bare };
        let interrupted = || self.give_up.is_now();
        self.open[at].1.count(&case, &self.request.settings, &mut self.launcher, &interrupted)
    }
}

fn warn(view: &mut VariantView, why: &str) {
    let Some(summary) = &mut view.summary else { return };
    summary.warnings.push(Warning {
        code: WarningCode::InstructionsNotCounted.into(),
        message: format!("its work was not counted: {why}"),
        remedy: "see what `tare profile --tool callgrind` says of it; its times are good".to_owned(),
    });
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::without_counting;

    #[test]
    fn counting_has_a_part_of_what_is_left_by_how_many_are_counted() {
        let seconds = Duration::from_secs;
        let measuring = |counted, used| without_counting(counted, 10, seconds(60), seconds(used));
        assert_eq!(measuring(10, 10), seconds(40));
        assert_eq!(measuring(5, 10), seconds(50));
        assert_eq!(measuring(0, 10), seconds(60));
        // Nothing is left of what looks have used up.
        assert_eq!(measuring(10, 70), seconds(60));
        assert_eq!(without_counting(0, 0, seconds(60), seconds(1)), seconds(60));
    }
}
