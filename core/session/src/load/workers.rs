//! `tare load PATH`: a benchmark's operations, done by several workers at once.

use std::time::SystemTime;

use tare_definition::{Filter, Project};
use tare_load::kept::KeptTeam;
use tare_load::log::Logged;
use tare_load::plan::BlockResult;
use tare_load::series::Series;
use tare_request::Request;
use tare_results::{LoadComparison, LoadView};
use tare_statistics::comparison::Rule;

use crate::error::Error;
use crate::failures::describe;
use crate::load::again::{Again, NewOrResumed};
use crate::load::asked::{HttpLoad, LoadRan, StoredWorkersLoad, WorkersLoad};
use crate::load::command;
use crate::load::compared::{TargetTurns, comparisons};
use crate::load::ending::ended;
use crate::load::gate::{LoadGate, judge};
use crate::load::groups::{Group, groups};
use crate::load::ineffective;
use crate::load::keep::{Keep, Keeper};
use crate::load::log::LogFile;
use crate::load::machine_disturbance::disturbances;
use crate::load::mixes::Mix;
use crate::load::pairs;
use crate::load::suites::{FoundSuites, Suite, find};
use crate::load::teams::{Measured, RELAUNCHED_WORKERS, measured};
use crate::prepare::build::build;
use crate::prepare::lock;
use crate::session::Session;

impl Session<'_> {
    /// Puts the operations of benchmarks under load, on each runtime.
    ///
    /// # Errors
    ///
    /// Where what is asked for can't be, no operation is found, or it is stopped before anything is measured.
    pub fn load_workers(
        &self,
        load: &WorkersLoad,
        request: &Request,
        project: &Project,
        keep: Option<Keep<'_>>,
    ) -> Result<LoadRan, Error> {
        let (mixes, filter) = check(load)?;
        let found = list(request, &filter, project, self)?;
        if found.suites.is_empty() {
            return nothing(found, load);
        }
        load_workers((load, request), (&found, &mixes), NewOrResumed::New(keep), self)
    }
}

/// Goes on with a load that was interrupted, where its sources are as they were.
pub(super) fn resume_workers(
    asked: &StoredWorkersLoad,
    again: Again,
    project: &Project,
    session: &Session<'_>,
) -> Result<LoadRan, Error> {
    let (mixes, filter) = check(&asked.load)?;
    let found = list(&asked.request, &filter, project, session)?;
    let (before, now) = (&asked.request.fingerprints, &found.fingerprints);
    if let Some(path) = before.keys().chain(now.keys()).find(|path| before.get(*path) != now.get(*path)) {
        return Err(Error::usage(format!(
            "{} can't be resumed: {} has changed since it began; undo the change, or begin a new load",
            again.run,
            path.display()
        )));
    }
    let again = NewOrResumed::Again(Box::new(again));
    load_workers((&asked.load, &asked.request), (&found, &mixes), again, session)
}

fn load_workers(
    (arguments, request): (&WorkersLoad, &Request),
    (found, mixes): (&FoundSuites, &[Mix]),
    which: NewOrResumed<'_>,
    session: &Session<'_>,
) -> Result<LoadRan, Error> {
    for failure in &found.failures {
        session.notice(describe(failure));
    }
    let groups = grouped(&found.suites, mixes, arguments)?;
    let compares = groups.iter().any(|group| group.asked > 1);
    ineffective::of_workers(arguments, compares).into_iter().for_each(|told| session.notice(told));
    let log = arguments.paced.hdr.as_ref().map(|path| LogFile::create(path)).transpose()?;
    let seed = arguments.judged.seed.unwrap_or_else(|| rand::random::<u64>() >> 32);
    let _lock = lock::take("`tare load`", session)?;
    let again = Some(command::of_workers(arguments, request, seed));
    let mut view = LoadView { seed: Some(seed), warnings: disturbances(), again, ..LoadView::default() };
    let (keeper, before) = match which {
        NewOrResumed::New(keep) => {
            let mut request = request.clone();
            request.fingerprints.clone_from(&found.fingerprints);
            let asked = StoredWorkersLoad { load: arguments.clone(), request };
            (Keeper::begin(keep, &(HttpLoad::WORKERS, asked), &mut view)?, None)
        }
        NewOrResumed::Again(again) => {
            (view.run, view.tags) = (again.run, again.tags);
            (again.keeper, Some(again.kept.teams))
        }
    };
    let started = SystemTime::now();
    let is_new = before.is_none();
    let done = before.map_or(Ok(Vec::new()), |before| of_groups(before, &groups));
    let measured = done.and_then(|done| measured(arguments, (&groups, done), seed, &mut view, session));
    let measured = match measured {
        Ok(measured) => measured,
        Err(error) => {
            if is_new {
                keeper.give_up();
            }
            return Err(error);
        }
    };
    judged(arguments, &measured, &mut view);
    let is_kept = log.is_none_or(|log| keep_log(log, started, &measured.logged, session));
    let gated = judge(&arguments.judged.fail_on, &mut view);
    let is_kept = keeper.end(&view, &measured.kept, session) && is_kept;
    let fell = measured.compared().any(|(_, blocks)| blocks.is_empty())
        || !is_kept
        || !found.failures.is_empty()
        || view.targets.iter().any(|target| !target.fallen.is_empty());
    let can_resume = view.interrupted && !view.run.is_empty();
    Ok(LoadRan { can_resume, ..ended(view, gated, fell) })
}

/// What was done before, where it was done by the groups that there are now.
fn of_groups(before: Vec<KeptTeam>, groups: &[Group<'_>]) -> Result<Vec<KeptTeam>, Error> {
    let same =
        before.len() <= groups.len() && before.iter().zip(groups).all(|(team, group)| team.targets == group.targets);
    match same {
        true => Ok(before),
        false => Err(Error::usage(
            "the load can't be resumed: its runtimes hold other operations than when it began; begin a new load",
        )),
    }
}

/// What is asked for, as far as it can be checked before anything is built.
fn check(arguments: &WorkersLoad) -> Result<(Vec<Mix>, Filter), Error> {
    let mixes = arguments.mix.iter().map(|text| Mix::parse(text)).collect::<Result<_, _>>()?;
    if arguments.paced.ladder()?.is_some() {
        return Err(Error::usage("a rate that grows in stages is for `tare load http`; give one rate"));
    }
    let filter = Filter::new(&arguments.filter, &[]).and_then(|filter| filter.excluding(&arguments.exclude));
    Ok((mixes, filter.map_err(Error::usage)?))
}

/// Builds, and asks the workers for operations.
fn list(request: &Request, filter: &Filter, project: &Project, session: &Session<'_>) -> Result<FoundSuites, Error> {
    build(project, &request.sides.iter().collect::<Vec<_>>(), session)?;
    let found = find(request, filter, session)?;
    if session.is_stopped() {
        return Err(Error::interrupted());
    }
    Ok(found)
}

/// What takes turns with what, where there is something to compare if gates ask for it.
fn grouped<'a>(suites: &'a [Suite], mixes: &[Mix], arguments: &WorkersLoad) -> Result<Vec<Group<'a>>, Error> {
    let mut groups = groups(suites, mixes)?;
    if LoadGate::need_a_comparison(&arguments.judged.fail_on) && groups.iter().all(|group| group.asked < 2) {
        return Err(Error::usage(
            "--fail-on slower and inconclusive need something to compare; name two runtimes (--runtime)",
        ));
    }
    if arguments.judged.control {
        groups.iter_mut().for_each(Group::add_controls);
    }
    Ok(groups)
}

/// Compares the runtimes of every group.
fn judged(arguments: &WorkersLoad, measured: &Measured<'_>, view: &mut LoadView) {
    let rule = arguments.judged.rule();
    view.comparisons = compare(measured.compared(), between_workers(arguments.workers), &rule);
    view.warnings.extend(pairs::controls_differ(&view.comparisons));
}

fn nothing(found: FoundSuites, arguments: &WorkersLoad) -> Result<LoadRan, Error> {
    if !found.failures.is_empty() {
        let told: Vec<String> = found.failures.iter().map(describe).collect();
        return Err(Error::failed(told.join("\n")));
    }
    Err(Error::usage(match arguments.filter.is_empty() && arguments.exclude.is_empty() {
        true => {
            "no operation found: the sources mark none, as #[Tare\\Operation] in PHP, @tare.operation in Python, func Operation… in Go, \
             TARE_OPERATION in C++; or name the file"
        }
        false => "no suite with operations matches --filter and isn't left out by --exclude",
    }))
}

/// By how much (a standard deviation of the logarithm) the rate of one worker differs from that of another with the same code for as long as both live, by
/// how its memory is laid out and by which of the server's threads its connection stays with: four workers that fell to four threads as 4:0, 3:1 and 2:2
/// did 53.5, 63.8 and 71.6 thousand operations a second, which is 15 % for four of them together, and twice that for one.
const LAUNCHES_APART: f64 = 0.3;

/// The standard error of a log-ratio of so many workers against as many that no number of rounds takes away: of those that are launched once.
fn between_workers(workers: u32) -> f64 {
    if workers <= RELAUNCHED_WORKERS { 0.0 } else { LAUNCHES_APART * (2.0 / f64::from(workers)).sqrt() }
}

/// The runtimes of every group with the first of it. All figures of all groups are one family: a run in several mixes must not raise more false alarms
/// than one in one.
fn compare<'m, 'g: 'm>(
    whole: impl IntoIterator<Item = &'m (&'g Group<'g>, Vec<BlockResult>)>,
    between_processes: f64,
    rule: &Rule,
) -> Vec<LoadComparison> {
    let groups: Vec<TargetTurns<'_>> = whole
        .into_iter()
        .filter(|(_, blocks)| !blocks.is_empty())
        // What is under way at the end of a turn counts with all of its time: few operations a turn are no fault.
        .map(|(group, blocks)| {
            let there: Vec<usize> = (0..group.names.len()).collect();
            let pairs = pairs::pairs(&there, group.asked, &vec![between_processes; there.len()]);
            TargetTurns { names: &group.names, results: blocks, of_a_turn: f64::INFINITY, pairs }
        })
        .collect();
    comparisons(&groups, rule)
}

fn keep_log(log: LogFile, started: SystemTime, series: &[(String, Series)], session: &Session<'_>) -> bool {
    let several = series.len() > 1;
    let logged: Vec<Logged<'_>> =
        series.iter().map(|(name, series)| Logged { tag: several.then_some(name.as_str()), series }).collect();
    log.keep(started, &logged, session)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tare_load::plan::{Block, BlockResult};
    use tare_load::series::Stretch;
    use tare_statistics::comparison::Verdict;

    use super::{Group, Rule, between_workers, compare};

    /// Forty rounds of two runtimes, the second slower by the part `slower`, with some noise.
    fn blocks(slower: f64) -> Vec<BlockResult> {
        let noise = |round: u32| f64::from(round * 7919 % 41) / 41.0 - 0.5;
        let result = |round: u32, target: usize| BlockResult {
            block: Block {
                target,
                round,
                length: None,
                operations: None,
                settling: Duration::ZERO,
                measured: true,
                renewed: false,
            },
            total: Stretch::default(),
            in_window: 1000.0 * if target == 0 { 1.0 + 0.1 * noise(round) } else { 1.0 - slower },
            window: Duration::from_secs(1),
        };
        (0..40).flat_map(|round| [result(round, 0), result(round, 1)]).collect()
    }

    #[test]
    fn workers_that_are_launched_once_leave_the_more_uncertain_the_fewer_they_are() {
        let group = Group {
            asked: 2,
            suites: Vec::new(),
            targets: Vec::new(),
            names: vec!["php8.2".to_owned(), "php8.4".to_owned()],
        };
        let half = |workers: u32| {
            let found = compare(&[(&group, blocks(0.0))], between_workers(workers), &Rule::default());
            found[0].comparison.ratio.as_ref().unwrap().half_width()
        };
        // Up to 64 are launched anew in each round; of more, at the least two and a half standard errors.
        assert_eq!(between_workers(64), 0.0);
        assert!(half(64) < half(2000) && half(2000) < half(65), "{} {} {}", half(64), half(2000), half(65));
        assert!(half(65) > 2.5 * 0.3 * (2.0f64 / 65.0).sqrt());
    }

    #[test]
    fn controls_are_a_family_of_their_own_and_change_no_verdict() {
        let names = ["php8.2".to_owned(), "php8.4".to_owned()];
        let mut group = Group { asked: 2, suites: Vec::new(), targets: Vec::new(), names: names.to_vec() };
        let plain = compare(&[(&group, blocks(0.1))], 0.0, &Rule::default());
        group.add_controls();
        let again = blocks(0.1).into_iter().map(|mut result| {
            result.block.target += 2;
            result
        });
        let all: Vec<BlockResult> = blocks(0.1).into_iter().chain(again).collect();
        let found = compare(&[(&group, all)], 0.0, &Rule::default());
        let seen: Vec<_> =
            found.iter().map(|pair| (pair.control, pair.base.as_str(), pair.candidate.as_str())).collect();
        let [a, b] = [names[0].as_str(), names[1].as_str()];
        assert_eq!(seen, [(false, a, b), (true, a, a), (true, b, b)]);
        assert_eq!(found[0].comparison.ratio, plain[0].comparison.ratio);
        assert!(found[1..].iter().all(|pair| pair.comparison.verdict == Verdict::Same), "{found:?}");
    }

    #[test]
    fn figures_of_all_mixes_are_one_family() {
        let group = Group {
            asked: 2,
            suites: Vec::new(),
            targets: Vec::new(),
            names: vec!["php8.2".to_owned(), "php8.4".to_owned()],
        };
        let first = |slower: f64, others: usize| {
            let mut whole = vec![(&group, blocks(slower))];
            whole.extend((0..others).map(|_| (&group, blocks(0.0))));
            let found = compare(&whole, 0.0, &Rule::default());
            assert_eq!(found.len(), 1 + others);
            found[0].comparison.verdict
        };
        // The least that one mix by itself shows.
        let least = (0..200).map(|step| 0.0005 * f64::from(step)).find(|slower| first(*slower, 0) == Verdict::Slower);
        let least = least.unwrap();
        assert_eq!(first(least, 30), Verdict::Inconclusive);
        assert_eq!(first(4.0 * least, 30), Verdict::Slower);
    }
}
