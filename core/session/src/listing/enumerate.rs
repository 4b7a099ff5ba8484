//! Asks every runtime's worker which cases the sources hold.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use tare_frames::{CaseFrame, Hello, Level, Notice};
use tare_plan::{Enumerated, FoundCase};
use tare_results::{NoticeLevel, NoticeView};
use tare_samples::{
    Case, CaseAssertion, CaseSettings, Correction, Failure, FailureKind, Parameters, Runtime, RuntimeCommand, TimeUnit,
};
use tare_worker::{Launcher, LeftOut, remedy_for};

use crate::error::Kind;
use crate::listing::asserted;
use crate::listing::broken::{Breakages, Extent, may_be_asked_for};
use crate::listing::namesakes;
use crate::session::Session;
use tare_request::{Request, Sources, relative, text};

/// How often the benchmarks of a source are listed, each time without those that ended the process before. Each may take the whole
/// time that a request has.
const LISTINGS: usize = 5;

/// What the workers found.
#[derive(Default)]
pub struct Found {
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
    pub(crate) missing: Vec<(usize, Extent)>,
    broken: Breakages,
}

/// Loads each file in a process of its own, so that one that ends its process takes no other with it and its cases have the
/// numbers that a launch of this file alone gives them. Goes on to the next file until `interrupted`.
pub(crate) fn enumerate(
    request: &Request,
    sides: &[Sources],
    launcher: &mut dyn Launcher,
    session: &Session<'_>,
) -> Found {
    let (mut found, lanes) = list(request, sides, launcher, session);
    name(&mut found, lanes, request, sides);
    let found_any = found.enumerated.iter().any(|enumerated| !enumerated.cases.is_empty());
    (found.failures, found.missing) = std::mem::take(&mut found.broken).told(request, found_any);
    found
}

fn no_clock(asked: &str, runtime: &str, clocks: &[String]) -> String {
    format!("runtime {runtime} has no clock {asked:?} to measure with (--clock); it has {}", clocks.join(", "))
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
) -> (Found, Vec<Listed>) {
    let mut found = Found::default();
    let mut lanes = Vec::new();
    let mut told: HashSet<(String, String)> = HashSet::new();
    for (command, side, base) in &request.started() {
        let sources = &sides[*side];
        let mut cases: Vec<FoundCase> = Vec::new();
        let (mut runtime, mut without_clock) = (None, None);
        let files = sources.files.iter().filter(|source| request.runs(command, source.language));
        'files: for source in files {
            if session.is_stopped() {
                return (found, lanes);
            }
            let path = text(&source.absolute);
            let shown = text(&source.path);
            let all = Extent { driver: command.driver.clone(), source: None, benchmark: None };
            let place = namesakes::place(&path, request);
            let of_source = Extent { source: Some(place), ..all.clone() };
            let of = |benchmark: Option<&String>| Extent { benchmark: benchmark.cloned(), ..of_source.clone() };
            let asked_for = || may_be_asked_for(source, &sources.filter);
            let mut tell = |line: &str| session.notice(line);
            let of_runtime = |failure: Failure| Failure {
                message: format!("runtime {}: {}", command.name, failure.message),
                ..failure
            };
            let mut ready = match tare_worker::ready(command, &source.absolute, &mut tell) {
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
                let notice = Notice {
                    id: 0,
                    level: Level::Warning,
                    kind: "build".to_owned(),
                    message,
                    file: None,
                    line: None,
                    remedy: None,
                    benchmark: None,
                };
                tell_notice(&mut found, &mut told, notice, &shown, request);
            }
            if ready.files.is_empty() {
                continue;
            }
            let mut listings = 0;
            loop {
                listings += 1;
                let mut conversation = match launcher.launch(&ready.start, 0) {
                    Ok(conversation) => conversation,
                    Err(failure) => {
                        // A command that won't start for this one won't start for the next file either; a program of its own may.
                        let alone = matches!(command.driver.as_str(), "go" | "cpp");
                        let extent = if alone { of_source } else { all };
                        found.broken.add(*side, extent, of_runtime(failure), true);
                        if !alone {
                            break 'files;
                        }
                        break;
                    }
                };
                let clocks = &conversation.hello().clocks;
                if let Some(asked) = request.settings.clock.as_ref().filter(|asked| !clocks.contains(asked)) {
                    without_clock.get_or_insert_with(|| no_clock(asked, &command.name, clocks));
                }
                runtime.get_or_insert_with(|| {
                    let mut runtime = runtime_of(command, conversation.hello());
                    // Names move on; the commit stays.
                    if let Some(revision) = request.sides[*side].revision() {
                        runtime.facts.insert("revision".to_owned(), revision);
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
            lanes.push(Listed { side: *side, without_clock, enumerated });
        }
    }
    (found, lanes)
}

/// Gives what was listed its names, which all sides have a say in, and keeps what is asked for.
fn name(found: &mut Found, mut lanes: Vec<Listed>, request: &Request, sides: &[Sources]) {
    namesakes::tell_apart(lanes.iter_mut().map(|listed| &mut listed.enumerated.cases).collect(), request);
    for Listed { side, without_clock, mut enumerated } in lanes {
        enumerated.cases.retain(|FoundCase { case, .. }| sides[side].filter.matches(case));
        if !enumerated.cases.is_empty() {
            found.without_clock = found.without_clock.take().or(without_clock);
        }
        for (case, failure) in namesakes::refuse(&mut enumerated.cases) {
            let driver = enumerated.runtime.command.driver.clone();
            let extent = Extent { driver, source: None, benchmark: Some(case.own_name().to_owned()) };
            found.broken.add(side, extent, failure, true);
        }
        found.enumerated.push(enumerated);
    }
}

impl Found {
    /// Nothing could be looked for.
    pub(crate) fn failed(failures: Vec<Failure>) -> Self {
        Self { failures, ..Self::default() }
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

/// What the worker said of its runtime.
pub(crate) fn runtime_of(command: &RuntimeCommand, hello: &Hello) -> Runtime {
    Runtime {
        name: command.name.clone(),
        language: hello.language.clone(),
        version: hello.version.clone(),
        command: command.clone(),
        correction: if hello.overlapping { Correction::Overlapping } else { Correction::Serial },
        facts: hello.facts.iter().cloned().collect::<BTreeMap<_, _>>(),
    }
}

fn case_of(frame: CaseFrame, language: &str, path: &str) -> Case {
    Case {
        index: frame.case,
        language: language.to_owned(),
        benchmark: frame.benchmark,
        prefix: String::new(),
        place: String::new(),
        parameters: Parameters { name: frame.parameters, values: frame.names.into_iter().zip(frame.values).collect() },
        file: frame.file.unwrap_or_else(|| path.to_owned()),
        line: frame.line.unwrap_or(0),
        groups: frame.groups,
        settings: CaseSettings {
            iterations: frame.iterations,
            samples: frame.samples,
            timeout_ms: frame.timeout_ms,
            unit: frame.unit.as_deref().and_then(TimeUnit::parse),
            skip: frame.skip,
            base: frame.base,
            assertions: frame.assertions.into_iter().map(|text| CaseAssertion { text, place: String::new() }).collect(),
        },
    }
}

/// What phpbench.json says holds where the source says nothing.
fn add_defaults(case: &mut Case, sources: &Sources, request: &Request) {
    asserted::replace(&mut case.settings.assertions, &request.assertions);
    let Some(phpbench) = &sources.project.phpbench else { return };
    let settings = &mut case.settings;
    settings.samples = settings.samples.or_else(|| phpbench.samples.first().copied());
    settings.iterations = settings.iterations.or_else(|| {
        phpbench.iterations.first().map(|calls| match calls {
            tare_samples::Calls::Loop(calls) => *calls,
            _ => 0,
        })
    });
    settings.unit = settings.unit.or(phpbench.time_unit);
    if let (true, Some(place)) = (settings.assertions.is_empty(), &phpbench.assertions_place) {
        let place = format!("{}:{}", relative(&text(&place.file), request), place.line);
        let of = |text: &String| CaseAssertion { text: text.clone(), place: place.clone() };
        settings.assertions = phpbench.assertions.iter().map(of).collect();
    }
}

/// What is told of a source whose benchmarks end the process one after the other.
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
    found: &mut Found,
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
