//! One source after the other, each listed by a worker of its own.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};

use tare_definition::{Filter, Source};
use tare_frames::{Hello, Level};
use tare_plan::{FoundCase, Startup};
use tare_samples::{Failure, FailureKind, Runtime, RuntimeCommand};
use tare_worker::{Beside, Conversation, Enumeration, Launcher, LeftOut, ProcessPlacement, Ready, serving_loads};

use crate::listing::broken::{MissingCases, may_be_asked_for, without_text};
use crate::listing::environment;
use crate::listing::frames::{add_defaults, case_of, runtime_of};
use crate::listing::namesakes;
use crate::listing::narrowed::{Narrowed, narrowed};
use crate::listing::said::{Notices, Said, failure_of, given_up, warning};
use crate::listing::turns::Turns;
use tare_request::{Request, Sources, relative, text};

/// How often the benchmarks of a source are listed, each time without those that ended the process before. Each may take the whole
/// time that a request has.
const LISTINGS: usize = 5;
/// What a worker says in its hello of which copies may serve cases.
const COPIES: &str = "copies";

/// A runtime on a side of the request, and what it has there.
pub(super) struct RuntimeOfSide<'a> {
    command: &'a RuntimeCommand,
    /// Among the runtimes that are started.
    position: usize,
    side: usize,
    sources: &'a Sources,
    pub(super) cases: Vec<FoundCase>,
    /// As its workers describe it; `None` until one was started.
    pub(super) runtime: Option<Runtime>,
    /// Why it can't be measured with the clock that was asked for.
    pub(super) without_clock: Option<String>,
}

/// What comes after a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum After {
    NextSource,
    /// The runtime can't be started, for this source or another.
    NextRuntime,
}

/// How a try to list a source ended.
enum Tried {
    Over(After),
    /// Another one, without the benchmark that ended the process.
    Again,
}

/// Asks workers, and keeps what they say.
pub(super) struct Lister<'a> {
    pub(super) request: &'a Request,
    pub(super) launcher: &'a mut dyn Launcher,
    pub(super) tell: &'a dyn Fn(Said),
    turns: &'a Turns,
    pub(super) stop: &'a AtomicBool,
    /// Benchmarks that the filter can't match aren't run to be listed.
    pub(super) narrow: bool,
    said: Notices,
    beside: Beside,
    /// A worker that was started so, and has let go of its last source.
    free: Option<(RuntimeCommand, Conversation)>,
    /// The last source was one that a process can be made ready for: the next will be, too.
    prelude: bool,
    /// How long the newest of such workers took to start.
    start_ns: u64,
}

impl<'a> RuntimeOfSide<'a> {
    pub(super) fn new(command: &'a RuntimeCommand, position: usize, side: usize, sources: &'a Sources) -> Self {
        Self { command, position, side, sources, cases: Vec::new(), runtime: None, without_clock: None }
    }

    /// What a worker of it says of itself.
    fn describe(&mut self, hello: &Hello, request: &Request) {
        let clocks = &hello.clocks;
        if let Some(asked) = request.settings.clock.as_ref().filter(|asked| !clocks.contains(asked)) {
            let by = request.named("--clock");
            self.without_clock.get_or_insert_with(|| no_clock(asked, by, &self.command.name, clocks));
        }
        self.runtime.get_or_insert_with(|| {
            let mut runtime = runtime_of(self.command, hello);
            // Names move on; the commit stays.
            if let Some(revision) = request.sides[self.side].revision() {
                runtime.at_revision(revision, request.runtime_of(self.position));
            }
            runtime
        });
    }

    /// A failure of the runtime itself, named.
    fn failed(&self, failure: Failure) -> Failure {
        Failure { message: format!("runtime {}: {}", self.command.name, failure.message), ..failure }
    }
}

/// A source as it is asked for, shown, and missed where it can't be listed.
struct Place<'a> {
    source: &'a Source,
    filter: &'a Filter,
    path: String,
    shown: String,
    missing: MissingCases,
}

impl<'a> Place<'a> {
    fn of(source: &'a Source, runtime_of_side: &RuntimeOfSide<'a>, request: &Request) -> Self {
        let path = text(&source.absolute);
        let place = Some(namesakes::place(&path, request));
        let missing = MissingCases { driver: runtime_of_side.command.driver.clone(), source: place, benchmark: None };
        Self { source, filter: &runtime_of_side.sources.filter, shown: text(&source.path), path, missing }
    }

    /// All of it, or one benchmark.
    fn missing(&self, benchmark: Option<&String>) -> MissingCases {
        MissingCases { benchmark: benchmark.cloned(), ..self.missing.clone() }
    }

    /// All sources of the runtime.
    fn all(&self) -> MissingCases {
        MissingCases { source: None, ..self.missing.clone() }
    }

    /// Whether a failure of it, or of one benchmark, may keep a case that was asked for from being measured.
    fn matters(&self, benchmark: Option<&String>) -> bool {
        benchmark.map_or_else(
            || may_be_asked_for(self.source, self.filter),
            |benchmark| self.filter.may_match_name(benchmark),
        )
    }
}

impl<'a> Lister<'a> {
    pub(super) fn new(
        (request, narrow): (&'a Request, bool),
        launcher: &'a mut dyn Launcher,
        tell: &'a dyn Fn(Said),
        (turns, stop): (&'a Turns, &'a AtomicBool),
    ) -> Self {
        let (said, beside) = (Notices::default(), Beside::default());
        Self { request, launcher, tell, turns, stop, narrow, said, beside, free: None, prelude: false, start_ns: 0 }
    }

    pub(super) fn into_said(self) -> Notices {
        self.said
    }

    /// Asks for the cases of all sources of a runtime, until it is stopped. `backwards`: the last source first, as another side begins with the first one.
    pub(super) fn list<'l>(
        &mut self,
        runtime_of_side: &mut RuntimeOfSide<'l>,
        sources: impl Iterator<Item = &'l Source>,
        backwards: bool,
    ) {
        let mut sources: Vec<&Source> = sources.collect();
        let places: HashMap<String, usize> =
            sources.iter().enumerate().map(|(place, source)| (text(&source.absolute), place)).collect();
        if backwards {
            sources.reverse();
        }
        for source in sources {
            if self.is_stopped() {
                break;
            }
            (self.tell)(Said::Asking(relative(&source.absolute.to_string_lossy(), self.request)));
            if self.list_source(runtime_of_side, source) == After::NextRuntime {
                break;
            }
        }
        runtime_of_side.cases.sort_by_key(|found| places.get(&found.source).copied());
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Adds the cases of a source to those of its runtime.
    fn list_source<'l>(&mut self, runtime_of_side: &mut RuntimeOfSide<'l>, source: &'l Source) -> After {
        let Some(omitted) = self.omitted(runtime_of_side, source) else { return After::NextSource };
        let place = Place::of(source, runtime_of_side, self.request);
        let mut ready = match self.made_ready(runtime_of_side, &place) {
            Ok(ready) => ready,
            Err(after) => return after,
        };
        if ready.files.is_empty() {
            return After::NextSource;
        }
        ready.list_without(&omitted);
        environment::set_for_workers(self.request, runtime_of_side.sources.project.phpbench.as_ref(), &mut ready.start);
        let _alone = self.turns.to_load(&namesakes::place(&place.path, self.request));
        for _ in 0..LISTINGS {
            if let Tried::Over(after) = self.try_to_list(runtime_of_side, &place, &mut ready) {
                return after;
            }
        }
        self.said.broken.add(
            runtime_of_side.side,
            place.missing(None),
            given_up(&place.shown, LISTINGS),
            place.matters(None),
        );
        After::NextSource
    }

    /// Benchmarks that needn't run to be listed; `None` where all needn't.
    fn omitted(&mut self, runtime_of_side: &RuntimeOfSide<'_>, source: &Source) -> Option<Vec<String>> {
        if !self.narrow {
            return Some(Vec::new());
        }
        let (count, omitted) = match narrowed(source, &runtime_of_side.sources.filter) {
            Narrowed::None => (1, None),
            Narrowed::Without(omitted) => (omitted.len(), Some(omitted)),
        };
        self.said.passed_over += count;
        omitted
    }

    /// Builds what the source needs, where its language does.
    fn made_ready(&mut self, runtime_of_side: &RuntimeOfSide<'_>, place: &Place<'_>) -> Result<Ready, After> {
        let tell = self.tell;
        let building = self.turns.to_build();
        let made = match place.source.absolute.to_str() {
            Some(_) => {
                let (command, source) = (runtime_of_side.command, &place.source.absolute);
                tare_worker::ready_beside(command, source, &mut self.beside, &mut |line: &str| {
                    tell(Said::Notice(line.to_owned()));
                })
            }
            None => Err(without_text()),
        };
        drop(building);
        match made {
            Ok(mut ready) => {
                // What is said of a source that isn't measured is said of each: it is the one word that there is of it.
                let of = if ready.files.is_empty() { place.shown.as_str() } else { "" };
                for message in std::mem::take(&mut ready.notices) {
                    self.said.tell_of(of, warning(message), &place.shown, self.request);
                }
                Ok(ready)
            }
            Err(failure) if failure.kind == FailureKind::Runtime => {
                self.said.broken.add(runtime_of_side.side, place.all(), runtime_of_side.failed(failure), true);
                // It isn't there for the next source either.
                Err(After::NextRuntime)
            }
            Err(mut failure) => {
                let file = if failure.file.is_empty() { &place.shown } else { &failure.file };
                failure.file = relative(file, self.request);
                self.said.broken.add(runtime_of_side.side, place.missing(None), failure, place.matters(None));
                Err(After::NextSource)
            }
        }
    }

    fn try_to_list(&mut self, runtime_of_side: &mut RuntimeOfSide<'_>, place: &Place<'_>, ready: &mut Ready) -> Tried {
        let start = serving_loads(&ready.start, self.prelude);
        let (mut conversation, loaded, takes_ns) = match self.asked(runtime_of_side, ready, &start) {
            Ok(asked) => asked,
            Err(failure) => return Tried::Over(self.not_started(runtime_of_side, place, failure)),
        };
        if let Some(notice) = environment::without_effect(self.request, runtime_of_side.command, conversation.hello()) {
            self.said.tell(notice, "", self.request);
        }
        runtime_of_side.describe(conversation.hello(), self.request);
        match loaded {
            Ok(enumeration) => {
                let hello = conversation.hello();
                // Whoever wants each sample alone wants no copies that share a start.
                let copies = !self.request.measuring.isolate && hello.capabilities.iter().any(|known| known == COPIES);
                // A Go program runs its benchmarks to list those within them, which no launch does.
                let is_built = tare_languages::of_name(&hello.language).is_built();
                self.prelude = enumeration.prelude;
                let startup =
                    Startup { takes_ns: if is_built { 0 } else { takes_ns }, copies, prelude: enumeration.prelude };
                self.take_in(runtime_of_side, place, ready, (&hello.language, startup), enumeration);
                if conversation.serves_loads() && conversation.unload(self.request.settings.timeout).is_ok() {
                    self.free = Some((start, conversation));
                } else {
                    conversation.close();
                }
                Tried::Over(After::NextSource)
            }
            Err(failure) => {
                // What it left behind is looked at when it can leave no more.
                conversation.close();
                self.not_listed(runtime_of_side, place, ready, failure)
            }
        }
    }

    /// A worker that was asked for the cases of a source, what it answered, and how long a process takes to start and load it. It serves one source after the other where it can. Of one in which a source
    /// fails, another worker, which has this source alone, tells how.
    fn asked(
        &mut self,
        runtime_of_side: &RuntimeOfSide<'_>,
        ready: &Ready,
        start: &RuntimeCommand,
    ) -> Result<(Conversation, Result<Enumeration, Failure>, u64), Failure> {
        let (bootstrap, patience) = (runtime_of_side.sources.bootstrap.as_deref(), self.request.settings.timeout);
        let every_cpu = tare_languages::of_name(&start.driver).lists_on_every_cpu;
        let place = ProcessPlacement { every_cpu, ..ProcessPlacement::default() };
        let mut begun_ns = self.launcher.now_ns();
        let mut conversation = match self.free.take().filter(|(free, _)| free == start) {
            Some((_, conversation)) => {
                // A process that measures would have had to start.
                begun_ns = begun_ns.saturating_sub(self.start_ns);
                conversation
            }
            None => {
                let conversation = self.launcher.start(start, 0, place)?.open()?;
                self.start_ns = self.launcher.now_ns() - begun_ns;
                conversation
            }
        };
        let mut loaded = conversation.load(&ready.files, bootstrap, patience);
        let has_failed = loaded.as_ref().is_err_and(|failure| failure.kind != FailureKind::Timeout);
        if has_failed && conversation.serves_loads() {
            conversation.close();
            begun_ns = self.launcher.now_ns();
            conversation = self.launcher.start(&ready.start, 0, place)?.open()?;
            loaded = conversation.load(&ready.files, bootstrap, patience);
        }
        let takes_ns = self.launcher.now_ns() - begun_ns;
        Ok((conversation, loaded, takes_ns))
    }

    fn not_started(&mut self, runtime_of_side: &RuntimeOfSide<'_>, place: &Place<'_>, failure: Failure) -> After {
        // A command that won't start for this one won't start for the next file either; a program of its own may.
        let alone = tare_languages::of_name(&runtime_of_side.command.driver).is_built();
        let (extent, after) = match alone {
            true => (place.missing(None), After::NextSource),
            false => (place.all(), After::NextRuntime),
        };
        let mut failure = runtime_of_side.failed(failure);
        if alone && failure.file.is_empty() {
            failure.file = relative(&place.shown, self.request);
        }
        self.said.broken.add(runtime_of_side.side, extent, failure, true);
        after
    }

    /// What a worker has listed, and what it gave notice of.
    fn take_in(
        &mut self,
        runtime_of_side: &mut RuntimeOfSide<'_>,
        place: &Place<'_>,
        ready: &Ready,
        (language, startup): (&str, Startup),
        enumeration: Enumeration,
    ) {
        for notice in enumeration.notices {
            if notice.level != Level::Error {
                self.said.tell(notice, &place.shown, self.request);
                continue;
            }
            let benchmark = notice.benchmark.as_ref();
            let (extent, matters) = (place.missing(benchmark), place.matters(benchmark));
            let failure = failure_of(notice, &place.shown, self.request);
            self.said.broken.add(runtime_of_side.side, extent, failure, matters);
        }
        runtime_of_side.cases.extend(enumeration.cases.into_iter().map(|mut frame| {
            let code = std::mem::take(&mut frame.code);
            let mut case = case_of(frame, language, &place.path);
            add_defaults(&mut case, runtime_of_side.sources, self.request);
            let (source, sources, start) = (place.path.clone(), ready.files.clone(), ready.start.clone());
            FoundCase { case, source, sources, start, code, startup }
        }));
    }

    /// Why the source wasn't listed; again without the benchmark that ended the process, where that is known.
    fn not_listed(
        &mut self,
        runtime_of_side: &RuntimeOfSide<'_>,
        place: &Place<'_>,
        ready: &mut Ready,
        mut failure: Failure,
    ) -> Tried {
        if let Some(why) = ready.opted_out(&failure) {
            self.said.tell(warning(why), &place.shown, self.request);
            return Tried::Over(After::NextSource);
        }
        let ended = matches!(failure.kind, FailureKind::Exit | FailureKind::Signal | FailureKind::Timeout);
        let left_out = if ended { ready.leave_out() } else { None };
        if let Some(LeftOut { benchmark, file, line }) = &left_out {
            failure.message = format!("listing {benchmark}: {}", failure.message);
            (failure.file, failure.line) = (file.clone(), *line);
        } else if failure.kind == FailureKind::Timeout {
            failure.message = format!("loading the file: {}", failure.message);
        }
        if failure.file.is_empty() {
            failure.file.clone_from(&place.shown);
        }
        failure.file = relative(&failure.file, self.request);
        let benchmark = left_out.as_ref().map(|left_out| &left_out.benchmark);
        self.said.broken.add(runtime_of_side.side, place.missing(benchmark), failure, place.matters(benchmark));
        match left_out {
            Some(_) if !self.is_stopped() => Tried::Again,
            _ => Tried::Over(After::NextSource),
        }
    }
}

fn no_clock(asked: &str, by: &str, runtime: &str, clocks: &[String]) -> String {
    format!("runtime {runtime} has no clock {asked:?} to measure with ({by}); it has {}", clocks.join(", "))
}
