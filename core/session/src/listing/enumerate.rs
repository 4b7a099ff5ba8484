//! Asks every runtime's worker which cases the sources hold.

use std::collections::{BTreeSet, HashSet};

use tare_frames::{Level, Notice};
use tare_plan::{Enumerated, FoundCase};
use tare_results::{NoticeLevel, NoticeView};
use tare_samples::{Case, Failure, FailureKind};
use tare_worker::{Launcher, LeftOut, remedy_for};

use crate::error::Kind;
use crate::listing::broken::{Breakages, MissingCases, may_be_asked_for, without_text};
use crate::listing::environment;
use crate::listing::frames::{add_defaults, case_of, runtime_of};
use crate::listing::namesakes;
use crate::listing::narrowed::{Narrowed, narrowed, passed_over};
use crate::session::Session;
use tare_request::{Request, Sources, relative, text};

/// How often the benchmarks of a source are listed, each time without those that ended the process before. Each may take the whole
/// time that a request has.
const LISTINGS: usize = 5;

/// The cases that workers listed, and what kept others from being listed.
#[derive(Default)]
pub struct CaseListing {
    /// By runtime and side.
    pub enumerated: Vec<Enumerated>,
    /// What the workers said.
    pub notices: Vec<NoticeView>,
    /// Files of which nothing could be loaded, benchmarks that can't be listed, runtimes that can't be started; without those that the
    /// filter leaves out, as far as names, paths and texts tell.
    pub failures: Vec<Failure>,
    /// Why nothing can be measured with the clock that was asked for: the runtime of a case that was asked for hasn't got it.
    pub(crate) without_clock: Option<String>,
    /// What that takes from which side of the request.
    pub(crate) missing: Vec<(usize, MissingCases)>,
    /// How many benchmarks didn't run to be listed, and packages weren't built, since the filter can't match them.
    passed_over: usize,
    broken: Breakages,
}

/// Loads each file in a process of its own, so that one that ends its process takes no other with it and its cases have the
/// numbers that a launch of this file alone gives them. Goes on to the next file until `interrupted`.
pub(crate) fn enumerate(
    request: &Request,
    sides: &[Sources],
    launcher: &mut dyn Launcher,
    session: &Session<'_>,
) -> CaseListing {
    let mut found = listed_and_named(request, sides, launcher, session, true);
    let any = |found: &CaseListing| found.enumerated.iter().any(|enumerated| !enumerated.cases.is_empty());
    if !any(&found) && found.passed_over > 0 && !session.is_stopped() {
        // A name that is made while a benchmark runs may be one that nobody expected.
        found = listed_and_named(request, sides, launcher, session, false);
    }
    let found_any = any(&found);
    (found.failures, found.missing) = std::mem::take(&mut found.broken).into_reported(request, found_any);
    found
}

fn listed_and_named(
    request: &Request,
    sides: &[Sources],
    launcher: &mut dyn Launcher,
    session: &Session<'_>,
    narrow: bool,
) -> CaseListing {
    let (mut found, listed) = list(request, sides, launcher, session, narrow);
    name(&mut found, listed, request, sides);
    if found.passed_over > 0 {
        found.notices.push(passed_over(found.passed_over));
    }
    found
}

fn no_clock(asked: &str, by: &str, runtime: &str, clocks: &[String]) -> String {
    format!("runtime {runtime} has no clock {asked:?} to measure with ({by}); it has {}", clocks.join(", "))
}

/// What one runtime has on one side, by position in the request.
struct Listed {
    side: usize,
    /// Why it can't be measured with the clock that was asked for.
    without_clock: Option<String>,
    enumerated: Enumerated,
}

fn list(
    request: &Request,
    sides: &[Sources],
    launcher: &mut dyn Launcher,
    session: &Session<'_>,
    narrow: bool,
) -> (CaseListing, Vec<Listed>) {
    let mut found = CaseListing::default();
    let mut listed = Vec::new();
    let mut told: HashSet<(String, String)> = HashSet::new();
    for (position, (command, side, base)) in request.started().iter().enumerate() {
        let sources = &sides[*side];
        let mut cases: Vec<FoundCase> = Vec::new();
        let (mut runtime, mut without_clock) = (None, None);
        let files = sources.files.iter().filter(|source| request.runs(command, source.language));
        'files: for source in files {
            if session.is_stopped() {
                return (found, listed);
            }
            let path = text(&source.absolute);
            let shown = text(&source.path);
            let all = MissingCases { driver: command.driver.clone(), source: None, benchmark: None };
            let place = namesakes::place(&path, request);
            let of_source = MissingCases { source: Some(place), ..all.clone() };
            let of = |benchmark: Option<&String>| MissingCases { benchmark: benchmark.cloned(), ..of_source.clone() };
            let asked_for = || may_be_asked_for(source, &sources.filter);
            let omitted = match narrowed(source, &sources.filter) {
                _ if !narrow => Vec::new(),
                Narrowed::None => {
                    found.passed_over += 1;
                    continue;
                }
                Narrowed::Without(omitted) => omitted,
            };
            found.passed_over += omitted.len();
            let mut tell = |line: &str| session.notice(line);
            let of_runtime = |failure: Failure| Failure {
                message: format!("runtime {}: {}", command.name, failure.message),
                ..failure
            };
            let made_ready = match source.absolute.to_str() {
                Some(_) => tare_worker::ready(command, &source.absolute, &mut tell),
                None => Err(without_text()),
            };
            let mut ready = match made_ready {
                Ok(ready) => ready,
                Err(failure) if failure.kind == FailureKind::Runtime => {
                    found.broken.add(*side, all, of_runtime(failure), true);
                    // It isn't there for the next source either.
                    break;
                }
                Err(mut failure) => {
                    failure.file = relative(if failure.file.is_empty() { &shown } else { &failure.file }, request);
                    found.broken.add(*side, of_source, failure, asked_for());
                    continue;
                }
            };
            for message in std::mem::take(&mut ready.notices) {
                tell_notice(&mut found, &mut told, warning(message), &shown, request);
            }
            if ready.files.is_empty() {
                continue;
            }
            ready.list_without(&omitted);
            environment::set_for_workers(request, sources.project.phpbench.as_ref(), &mut ready.start);
            let mut listings = 0;
            loop {
                listings += 1;
                let mut conversation = match launcher.launch(&ready.start, 0) {
                    Ok(conversation) => conversation,
                    Err(failure) => {
                        // A command that won't start for this one won't start for the next file either; a program of its own may.
                        let alone = tare_languages::of_name(&command.driver).is_built();
                        let extent = if alone { of_source } else { all };
                        found.broken.add(*side, extent, of_runtime(failure), true);
                        if !alone {
                            break 'files;
                        }
                        break;
                    }
                };
                if let Some(notice) = environment::without_effect(request, command, conversation.hello()) {
                    tell_notice(&mut found, &mut told, notice, "", request);
                }
                let clocks = &conversation.hello().clocks;
                if let Some(asked) = request.settings.clock.as_ref().filter(|asked| !clocks.contains(asked)) {
                    without_clock
                        .get_or_insert_with(|| no_clock(asked, request.named("--clock"), &command.name, clocks));
                }
                runtime.get_or_insert_with(|| {
                    let mut runtime = runtime_of(command, conversation.hello());
                    // Names move on; the commit stays.
                    if let Some(revision) = request.sides[*side].revision() {
                        runtime.at_revision(revision, request.runtime_of(position));
                    }
                    runtime
                });
                let loaded = conversation.load(&ready.files, sources.bootstrap.as_deref(), request.settings.timeout);
                match loaded {
                    Ok(enumeration) => {
                        for notice in enumeration.notices {
                            if notice.level != Level::Error {
                                tell_notice(&mut found, &mut told, notice, &shown, request);
                                continue;
                            }
                            let matters = match &notice.benchmark {
                                Some(benchmark) => sources.filter.may_match_name(benchmark),
                                None => asked_for(),
                            };
                            let extent = of(notice.benchmark.as_ref());
                            found.broken.add(*side, extent, failure_of(notice, &shown, request), matters);
                        }
                        let language = conversation.hello().language.clone();
                        cases.extend(enumeration.cases.into_iter().map(|mut frame| {
                            let code = std::mem::take(&mut frame.code);
                            let mut case = case_of(frame, &language, &path);
                            add_defaults(&mut case, sources, request);
                            FoundCase { case, sources: ready.files.clone(), start: ready.start.clone(), code }
                        }));
                    }
                    Err(mut failure) => {
                        // What it left behind is looked at when it can leave no more.
                        conversation.close();
                        if let Some(why) = ready.opted_out(&failure) {
                            tell_notice(&mut found, &mut told, warning(why), &shown, request);
                            break;
                        }
                        let ended =
                            matches!(failure.kind, FailureKind::Exit | FailureKind::Signal | FailureKind::Timeout);
                        let left_out = if ended { ready.leave_out() } else { None };
                        if let Some(LeftOut { benchmark, file, line }) = &left_out {
                            failure.message = format!("listing {benchmark}: {}", failure.message);
                            (failure.file, failure.line) = (file.clone(), *line);
                        } else if failure.kind == FailureKind::Timeout {
                            failure.message = format!("loading the file: {}", failure.message);
                        }
                        if failure.file.is_empty() {
                            failure.file.clone_from(&shown);
                        }
                        failure.file = relative(&failure.file, request);
                        let matters = match &left_out {
                            Some(LeftOut { benchmark, .. }) => sources.filter.may_match_name(benchmark),
                            None => asked_for(),
                        };
                        let extent = of(left_out.as_ref().map(|left_out| &left_out.benchmark));
                        found.broken.add(*side, extent, failure, matters);
                        if left_out.is_none() || session.is_stopped() {
                            break;
                        }
                        if listings < LISTINGS {
                            continue;
                        }
                        found.broken.add(*side, of_source, given_up(&shown), asked_for());
                        break;
                    }
                }
                conversation.close();
                break;
            }
        }
        if let Some(runtime) = runtime {
            for FoundCase { case, .. } in &mut cases {
                case.file = relative(&case.file, request);
            }
            let bootstrap = sources.bootstrap.clone();
            let enumerated = Enumerated { runtime, cases, bootstrap, base: base.clone() };
            listed.push(Listed { side: *side, without_clock, enumerated });
        }
    }
    (found, listed)
}

/// Gives what was listed its names, which all sides have a say in, and keeps what is asked for.
fn name(found: &mut CaseListing, mut listed: Vec<Listed>, request: &Request, sides: &[Sources]) {
    namesakes::tell_apart(listed.iter_mut().map(|listed| &mut listed.enumerated.cases).collect(), request);
    for Listed { side, without_clock, mut enumerated } in listed {
        enumerated.cases.retain(|FoundCase { case, .. }| sides[side].filter.matches(case));
        if !enumerated.cases.is_empty() {
            found.without_clock = found.without_clock.take().or(without_clock);
        }
        for (case, failure) in namesakes::refuse(&mut enumerated.cases) {
            let driver = enumerated.runtime.command.driver.clone();
            let extent = MissingCases { driver, source: None, benchmark: Some(case.own_name().to_owned()) };
            found.broken.add(side, extent, failure, true);
        }
        found.enumerated.push(enumerated);
    }
}

impl CaseListing {
    /// Nothing could be looked for.
    pub(crate) fn failed(failures: Vec<Failure>) -> Self {
        Self { failures, ..Self::default() }
    }

    /// Each case once, whichever runtimes have it, in order.
    pub fn cases(&self) -> Vec<Case> {
        let mut known = HashSet::new();
        let all = self.enumerated.iter().flat_map(|enumerated| &enumerated.cases).map(|found| &found.case);
        all.filter(|case| known.insert(case.id())).cloned().collect()
    }

    /// The sides of the request of which something failed.
    pub(crate) fn failed_sides(&self) -> BTreeSet<usize> {
        self.missing.iter().map(|(side, _)| *side).collect()
    }

    /// Whose fault the failures are; `None` without any. Where no runtime can be started at all it is the configuration that is wrong.
    pub fn blame(&self) -> Option<Kind> {
        let runtimes_alone = self.failures.iter().all(|failure| failure.kind == FailureKind::Runtime);
        match (self.failures.is_empty(), self.enumerated.is_empty() && runtimes_alone) {
            (true, _) => None,
            (false, true) => Some(Kind::Usage),
            (false, false) => Some(Kind::Failed),
        }
    }
}

/// What a driver has to say of a source.
fn warning(message: String) -> Notice {
    Notice {
        id: 0,
        level: Level::Warning,
        kind: "build".to_owned(),
        message,
        file: None,
        line: None,
        remedy: None,
        benchmark: None,
    }
}

/// The notice about a source whose benchmarks end the process one after the other.
fn given_up(shown: &str) -> Failure {
    let message =
        format!("it is given up after {LISTINGS} tries to list its benchmarks, each of which another one ended");
    let remedy = "mend those that are named; the others are measured when the list comes to its end";
    Failure::new(FailureKind::Load, message, remedy).at(shown, 0)
}

/// An error of which a worker gives notice.
fn failure_of(notice: Notice, shown: &str, request: &Request) -> Failure {
    let kind = FailureKind::parse(&notice.kind);
    let remedy = notice.remedy.unwrap_or_else(|| remedy_for(kind).to_owned());
    let file = place(notice.file, shown, request);
    Failure::new(kind, notice.message, remedy).at(file, notice.line.unwrap_or(0))
}

fn place(file: Option<String>, shown: &str, request: &Request) -> String {
    file.map_or_else(|| shown.to_owned(), |file| relative(&file, request))
}

/// Anything else that a worker gives notice of, once.
fn tell_notice(
    found: &mut CaseListing,
    told: &mut HashSet<(String, String)>,
    notice: Notice,
    shown: &str,
    request: &Request,
) {
    if told.insert((notice.kind, notice.message.clone())) {
        found.notices.push(NoticeView {
            level: if notice.level == Level::Info { NoticeLevel::Info } else { NoticeLevel::Warning },
            message: notice.message,
            file: place(notice.file, shown, request),
            line: notice.line.unwrap_or(0),
            remedy: notice.remedy.unwrap_or_default(),
        });
    }
}
