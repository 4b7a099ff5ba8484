//! What calls execute, by valgrind's callgrind, in launches of their own after everything was timed: many cases in one.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use tare_languages::of_name;
use tare_plan::{Group, Pair, Planned, is_control};
use tare_profile::{ProfileError, Samples, Tool};
use tare_results::VariantView;
use tare_samples::{Case, Launch, Outcome, Turn};
use tare_statistics::{Warning, WarningCode};
use tare_worker::GiveUp;

use crate::event::{Event, LookingStep};
use crate::failures::first_line;
use crate::measuring::counters::{Counters, Part, Row, Wanted};
use crate::measuring::recorder::Recorder;
use crate::on_all_cpus::on_all_cpus_in_parts;
use crate::step_progress::StepProgress;
use tare_request::Request;

/// Most calls of the shortest turn, and how long it may take without the tool. Under it code takes a hundred times as long.
const MOST_CALLS: f64 = 300.0;
const SHORTEST_TURN_NS: f64 = 1e5;
/// So many times as long turns are where a runtime does work of its own now and then: what it does once in many calls, as for a page of the heap, is spread.
const TIMES_WITH_A_RUNTIME: f64 = 5.0;
/// Most calls of that turn where each is a sample, which is read by itself.
const MOST_SAMPLES: u64 = 8;
/// The same of the calls before it: Python rewrites code that was called ten times or so.
const MOST_FIRST_CALLS: f64 = 30.0;
const FIRST_TURN_NS: f64 = 1e6;
/// A call that takes longer isn't counted: seven of them, in three launches, would take minutes.
const LONGEST_CALL_NS: f64 = 2e8;
/// The same of a command, which is executed three times in a launch.
const LONGEST_COMMAND_NS: f64 = 1e9;
/// Under the tool code takes about so many times as long,
const SLOWER: f64 = 50.0;
/// and a launch of a case about as long as this, at the most: a hook that works for long around each sample is known to before.
const LONGEST_LAUNCH_NS: f64 = 6e10;
/// The part of what `--total` leaves when measuring begins that is kept for counting, where all cases are counted.
const PART_OF_TOTAL: f64 = 0.4;

/// What measuring may take of `total`, of which `used` is gone, where the work of `counted` of `cases` is wanted: counting has the rest.
pub(crate) fn without_counting(counted: usize, cases: usize, total: Duration, used: Duration) -> Duration {
    let part = PART_OF_TOTAL * counted as f64 / cases.max(1) as f64;
    total - total.saturating_sub(used).mul_f64(part)
}

/// The longest call of a language that is counted, in nanoseconds.
pub(crate) fn longest_call_ns(language: &str) -> f64 {
    if of_name(language).calls_are_processes { LONGEST_COMMAND_NS } else { LONGEST_CALL_NS }
}

/// Calls in the shortest turn of a variant whose call takes so long without the tool, and calls before the turns.
pub(crate) fn calls_of(planned: &Planned, samples: Samples, call_ns: f64) -> (u64, u64) {
    let language = of_name(&planned.variant.runtime.language);
    if language.calls_are_processes {
        return (1, 0);
    }
    let times = if language.taken_over_at.is_some() { TIMES_WITH_A_RUNTIME } else { 1.0 };
    let calls = (times * SHORTEST_TURN_NS / call_ns).clamp(1.0, times * MOST_CALLS) as u64;
    let calls = if samples == Samples::One { calls } else { calls.min(MOST_SAMPLES) };
    (calls, calls.max((FIRST_TURN_NS / call_ns).clamp(1.0, MOST_FIRST_CALLS) as u64))
}

/// How many groups have cases that are wanted.
pub(crate) fn counted(groups: &[Group], wanted: &dyn Fn(&Case) -> bool) -> usize {
    groups.iter().filter(|group| group.variants.iter().any(|planned| wanted(&planned.variant.case))).count()
}

/// What a sample takes beside its calls, in nanoseconds, on average over launches: what the author has done around it. NaN of none.
pub(crate) fn beside_ns(launches: &[Launch]) -> f64 {
    let beside =
        |launch: &Launch| launch.duration_ns.saturating_sub(launch.startup_ns.saturating_add(launch.timed_ns()));
    let samples = |turn: &Turn| turn.warm.saturating_add(turn.elapsed.len() as u64);
    let sum = |of: &dyn Fn(&Launch) -> u64| launches.iter().map(of).fold(0, u64::saturating_add) as f64;
    sum(&beside) / sum(&|launch| launch.turns.iter().map(samples).fold(0, u64::saturating_add))
}

/// Counts what was measured well and isn't counted yet, of the cases that are `wanted`, on all of `cpus` at once, since nothing is timed, and until `until` says that
/// there is no time for more. `beside_ns`: what samples of variants take beside their calls. What fails is a warning of its variant's, whose times are good. Where there
/// is no valgrind that is said once, and nothing is counted. Returns whether any failed.
pub(crate) fn count_all(
    groups: &[Group],
    variants: &mut [VariantView],
    beside_ns: &HashMap<String, f64>,
    wanted: &dyn Fn(&Case) -> bool,
    request: &Request,
    (cpus, until): (&[usize], Option<Instant>),
    recorder: &mut Recorder<'_>,
) -> bool {
    let (mut rows, mut failed) = rows(groups, variants, beside_ns, wanted);
    if rows.is_empty() {
        return failed;
    }
    if let Err(ProfileError::Missing { what, .. }) = Tool::Callgrind.check("", &[]) {
        recorder.session.notice(format!("no work is counted: {what}; install it, as with `apt-get install valgrind`"));
        return failed;
    }
    by_what_they_tell(&mut rows, beside_ns);
    let (stop, is_late) =
        (Arc::clone(recorder.session.stop_flag()), move || until.is_some_and(|until| Instant::now() > until));
    let give_up = GiveUp::when(move || stop.load(Ordering::Relaxed) || is_late());
    let of: usize = rows.iter().map(Row::launches).sum();
    let session = recorder.session;
    // One side on each: what starts a process of both sides waits twice as long for its first row.
    let pairs: Vec<&[usize]> = cpus.chunks(2).collect();
    let firsts: Vec<usize> = pairs.iter().map(|pair| pair[0]).collect();
    let mut progress = StepProgress::begin(session, LookingStep::Counting, of);
    let mut answered = vec![false; rows.len()];
    let places: Vec<usize> = (0..rows.len()).collect();
    let mut unnamed: Option<String> = None;
    std::thread::scope(|scope| {
        on_all_cpus_in_parts(
            &places,
            &firsts,
            |first| {
                let pair = pairs.iter().find(|pair| pair.first() == first.as_ref());
                Counters::new(scope, pair.copied().unwrap_or_default(), &request.settings, &give_up)
            },
            |counters, place, tell| counters.answer(&rows[*place], tell),
            |place, part| {
                match part {
                    Part::Launches(number) => progress.add(number),
                    Part::More(number) => progress.more(number),
                    Part::Row(works) => {
                        answered[*place] = true;
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
                        let (why, remedy) = error.parts();
                        warn(&mut variants[at], &why, &remedy);
                    }
                    // Once: what keeps one from it mostly keeps all.
                    Part::Unnamed(at, error) if unnamed.is_none() => {
                        let (case, why) = (variants[at].variant.case.id(), first_line(&error.to_string()));
                        unnamed = Some(format!("the functions that `{case}` executes aren't known: {why}"));
                    }
                    Part::Unnamed(..) => {}
                }
                !give_up.is_now()
            },
        )
    });
    session.emit(&Event::Looked);
    if let Some(unnamed) = unnamed {
        session.notice(unnamed);
    }
    if is_late() && !recorder.is_stopped() {
        // In the report, where its reader looks for them.
        for one in rows.iter().zip(&answered).filter(|(_, answered)| !**answered).flat_map(|(row, _)| row.all()) {
            warn(&mut variants[one.at], "--total left no time for it", "give it more time, or measure fewer cases");
        }
    }
    failed
}

/// What is likely to differ is answered first, and then what is counted soon, since there may be no time for all. Rows of a source stand together: processes go on with what they have loaded.
fn by_what_they_tell(rows: &mut [Row<'_>], beside_ns: &HashMap<String, f64>) {
    let cost = |row: &Row<'_>| row.all().map(|one| one.takes_ns(beside_ns)).sum::<f64>();
    let mut of_source: HashMap<(bool, Vec<String>), (f64, f64)> = HashMap::new();
    let key = |row: &Row<'_>| (!row.differs, row.source().unwrap_or_default().to_vec());
    for row in rows.iter() {
        let (sum, number) = of_source.entry(key(row)).or_default();
        (*sum, *number) = (*sum + cost(row), *number + 1.0);
    }
    let usual = |row: &Row<'_>| of_source.get(&key(row)).map_or(0.0, |(sum, number)| sum / number);
    rows.sort_by(|one, other| {
        let by_source = usual(one).total_cmp(&usual(other)).then_with(|| one.source().cmp(&other.source()));
        (!one.differs).cmp(&!other.differs).then(by_source).then(cost(one).total_cmp(&cost(other)))
    });
}

/// What is to be counted, by group, and whether any can't be.
fn rows<'a>(
    groups: &'a [Group],
    variants: &mut [VariantView],
    beside_ns: &HashMap<String, f64>,
    wanted: &dyn Fn(&Case) -> bool,
) -> (Vec<Row<'a>>, bool) {
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
        let mut row = Row {
            differs,
            bases: Vec::new(),
            candidates: Vec::new(),
            pairs: pairs.filter_map(of_pair).collect(),
            seeds: 2,
        };
        for (number, planned) in group.variants.iter().enumerate() {
            let Some(at) = place(planned) else { continue };
            // A control is its base once more.
            if !uncounted(&variants[at]) || is_control(&planned.variant) {
                continue;
            }
            let bound = longest_call_ns(&planned.variant.runtime.language);
            if longest > bound {
                failed = true;
                let why = format!("a call takes longer than {:.0} ms", bound / 1e6);
                warn(&mut variants[at], &why, "count a smaller input of it");
                continue;
            }
            let iterations = variants[at].calibration.as_ref().map_or(1, |calibration| calibration.iterations);
            let samples = Samples::of(planned, iterations);
            let (calls, first_calls) = calls_of(planned, samples, longest);
            let wanted = Wanted { planned, at, calls, first_calls, call_ns: longest, samples };
            let takes_ns = SLOWER * wanted.takes_ns(beside_ns);
            // Of a command its own bound is known.
            if takes_ns > LONGEST_LAUNCH_NS && !of_name(&planned.variant.runtime.language).calls_are_processes {
                failed = true;
                let why = format!("its turns would take about {:.0} s under valgrind, hooks included", takes_ns / 1e9);
                warn(&mut variants[at], &why, "let hooks do less around each sample, or give it a smaller input");
                continue;
            }
            if candidates.contains(&number) { row.candidates.push(wanted) } else { row.bases.push(wanted) }
        }
        if row.all().next().is_some() {
            rows.push(row);
        }
    }
    (rows, failed)
}

/// Adds a warning that says why its work has no count. Reports put warnings of one remedy together, so each cause has its own.
fn warn(view: &mut VariantView, why: &str, remedy: &str) {
    let Some(summary) = &mut view.summary else { return };
    let remedy = if remedy.is_empty() { "see what `tare profile --tool callgrind` says of it" } else { remedy };
    summary.warnings.push(Warning {
        code: WarningCode::InstructionsNotCounted.into(),
        message: format!("its times are good, and its work was not counted: {why}"),
        remedy: remedy.to_owned(),
    });
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, HashMap};
    use std::time::Duration;

    use tare_plan::{Layouts, Planned, Startup};
    use tare_samples::{
        Calls, Case, CaseSettings, Correction, Launch, Parameters, Runtime, RuntimeCommand, Subject, Turn, Variant,
    };

    use super::{Row, Wanted, beside_ns, by_what_they_tell, without_counting};

    fn planned(id: &str, source: &str) -> Planned {
        let runtime = Runtime {
            name: String::new(),
            language: "php".to_owned(),
            version: String::new(),
            command: RuntimeCommand::default(),
            correction: Correction::Serial,
            facts: BTreeMap::new(),
        };
        let case = Case {
            index: 0,
            language: "php".to_owned(),
            benchmark: id.to_owned(),
            prefix: String::new(),
            place: String::new(),
            parameters: Parameters::default(),
            file: source.to_owned(),
            line: 1,
            groups: Vec::new(),
            settings: CaseSettings::default(),
        };
        let variant = Variant { id: id.to_owned(), case, runtime, calls: Calls::Pilot, label: String::new() };
        Planned {
            variant,
            sources: vec![source.to_owned()],
            bootstrap: None,
            start: RuntimeCommand::default(),
            code: Vec::new(),
            layouts: Layouts::One,
            startup: Startup::default(),
        }
    }

    fn row(planned: &Planned, differs: bool) -> Row<'_> {
        let base =
            Wanted { planned, at: 0, calls: 100, first_calls: 100, call_ns: 50.0, samples: tare_profile::Samples::One };
        Row { differs, bases: vec![base], candidates: Vec::new(), pairs: Vec::new(), seeds: 2 }
    }

    #[test]
    fn rows_that_differ_are_counted_first_and_then_those_of_the_source_that_is_through_soonest() {
        let all = [("slow", "a"), ("fast", "b"), ("dear", "a"), ("cheap", "b"), ("changed", "a")];
        let all = all.map(|(id, source)| planned(id, source));
        let beside = [("slow", 2e6), ("dear", 9e6), ("fast", 0.0), ("cheap", f64::NAN), ("changed", 9e9)];
        let beside: HashMap<String, f64> = beside.map(|(id, ns)| (id.to_owned(), ns)).into();
        let mut rows: Vec<Row<'_>> = all.iter().map(|planned| row(planned, planned.variant.id == "changed")).collect();
        by_what_they_tell(&mut rows, &beside);
        let order: Vec<&str> = rows.iter().map(|row| row.bases[0].planned.variant.id.as_str()).collect();
        assert_eq!(order, ["changed", "fast", "cheap", "slow", "dear"]);
    }

    #[test]
    fn what_a_sample_takes_beside_its_calls_is_what_launches_take_beside_their_start_and_timed_samples() {
        let turn = Turn {
            round: 0,
            subject: Subject::Case,
            warm: 2,
            iterations: vec![1, 1],
            elapsed: vec![10, 20],
            pauses: Vec::new(),
            at_ns: 0,
            stretch: None,
        };
        let launch = Launch { startup_ns: 1000, duration_ns: 1430, turns: vec![turn], ..Launch::default() };
        assert_eq!(beside_ns(&[launch.clone(), launch]), 100.0);
        assert!(beside_ns(&[]).is_nan());
    }

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
