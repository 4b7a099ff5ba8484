//! Instructions a call of many cases, in one launch under callgrind.
//!
//! A worker reads what its process has used just before the first sample of a turn and just after the last one (`samples` of the
//! protocol). Callgrind writes a file, and begins to count anew, whenever that function is called: the last file of a turn holds
//! its samples and nothing else. Where a runtime has threads of its own each thread has files of its own.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tare_files::Scratch;
use tare_languages::of_name;
use tare_plan::{Planned, Settings};
use tare_samples::{
    Case, CountEnvironment, CountedCaller, CountedFunction, CountedLaunch, Failure, FailureKind, RuntimeCommand,
    TurnCounts,
};
use tare_worker::{Around, Conversation, Launcher, serving_loads};

use crate::environment::{libraries, valgrind};
use crate::recording::{deadline, explained_launch};
use crate::samples::Samples;
use crate::tool::Tool;
use crate::turns::{Called, Stretches, files, least, of_turn};
use crate::{ProfileError, file_error};

/// Calls in the turns of a null.
const NULL_CALLS: [u64; 2] = [100, 300];
/// The same where each call is a sample: callgrind writes a file at both ends of each, which takes it as long as some thousand calls.
const NULL_SAMPLES: [u64; 2] = [2, 8];
/// What a worker says in its hello of which copies may serve cases, and what one says that makes turns without hooks.
const COPIES: &str = "copies";
const ARRANGE: &str = "arrange";
/// Turns of each number of calls, of which the least counts, where a runtime does work of its own now and then.
const TURNS: u32 = 3;
/// What the counting of a case in one launch may take, on a busy machine too. What is known to take long isn't begun.
pub(crate) const LONGEST: Duration = Duration::from_secs(300);
/// So often a case is begun: a process may die under callgrind that is well without it.
const TRIES: u32 = 2;

/// A case to be counted.
#[derive(Debug, Clone, Copy)]
pub struct CountedCase<'a> {
    /// Which.
    pub planned: &'a Planned,
    /// Calls in its shortest turn, above 0; the others make two and three times as many.
    pub calls: u64,
    /// Calls before them: interpreters rewrite code in its first calls. 0 where a call is a process.
    pub first_calls: u64,
    /// How they are divided into samples.
    pub samples: Samples,
}

/// Counts cases that are started alike, one after the other, in one launch as far as its worker serves them: all where copies of it may and it loads one source after the other, else
/// those of a source, or one.
pub struct Counter {
    start: RuntimeCommand,
    seed: u64,
    /// Callgrind writes its files there.
    folder: Scratch,
    serving: Option<Serving>,
    environment: CountEnvironment,
}

/// A process under callgrind, and what it has loaded.
struct Serving {
    conversation: Conversation,
    copies: bool,
    sources: Vec<String>,
}

impl Counter {
    /// For `first` and what is started like it. What draws lots draws by `seed`.
    ///
    /// # Errors
    ///
    /// There is no place for a temporary file.
    pub fn new(first: &Planned, seed: u64, launcher: &mut dyn Launcher) -> Result<Self, ProfileError> {
        let folder = Scratch::new().map_err(|error| file_error(&std::env::temp_dir(), error))?;
        let program = interpreter(&first.start, launcher);
        let start = under_callgrind(&program, (&first.start, first.startup.prelude), folder.path(), seed);
        let runtime = first.variant.runtime.version.clone();
        let environment = CountEnvironment { tool: valgrind().to_owned(), runtime, libraries: String::new() };
        Ok(Self { start, seed, folder, serving: None, environment })
    }

    /// Counts a case. Once `interrupted` is true it ends with that error: at once where the launcher gives up by the same, else after the turn under way.
    ///
    /// # Errors
    ///
    /// The case or its worker fails under callgrind, or takes longer than [`LONGEST`].
    pub fn count(
        &mut self,
        case: &CountedCase<'_>,
        settings: &Settings,
        launcher: &mut dyn Launcher,
        interrupted: &dyn Fn() -> bool,
    ) -> Result<(CountedLaunch, Vec<CountedFunction>), ProfileError> {
        let mut tries = 0;
        loop {
            tries += 1;
            if interrupted() {
                return Err(ProfileError::Interrupted);
            }
            match self.try_to_count(case, settings, launcher) {
                // Whatever has failed was let down by that.
                Err(_) if interrupted() => {}
                Err(error) if tries < TRIES && may_pass(&error) => {}
                found => return found,
            }
        }
    }

    /// What the cases that it has counted last were counted in.
    pub fn environment(&self) -> &CountEnvironment {
        &self.environment
    }

    /// After a failure nothing is left of its process.
    fn try_to_count(
        &mut self,
        case: &CountedCase<'_>,
        settings: &Settings,
        launcher: &mut dyn Launcher,
    ) -> Result<(CountedLaunch, Vec<CountedFunction>), ProfileError> {
        let mut serving = self.loaded(case.planned, settings, launcher)?;
        let (conversation, copies) = (&mut serving.conversation, serving.copies);
        let (found, copied) = one_case(case, copies, conversation, settings, self.folder.path())?;
        if copied {
            self.serving = Some(serving);
        } else {
            self.end(serving);
        }
        Ok(found)
    }

    /// A process that has loaded the sources of a case.
    fn loaded(
        &mut self,
        planned: &Planned,
        settings: &Settings,
        launcher: &mut dyn Launcher,
    ) -> Result<Serving, ProfileError> {
        let deadline = deadline(settings);
        let failed = |failure: Failure| failed_at(&planned.variant.case, failure);
        let mut serving = match self.serving.take() {
            Some(serving) if serving.sources == planned.sources => return Ok(serving),
            Some(mut serving) if serving.conversation.serves_loads() => {
                serving.conversation.unload(deadline).map_err(failed)?;
                serving
            }
            other => {
                other.into_iter().for_each(|serving| self.end(serving));
                let conversation =
                    launcher.launch(&self.start, self.seed).map_err(|failure| failed(explained_launch(failure)))?;
                let copies = conversation.hello().capabilities.iter().any(|known| known == COPIES);
                // Before a benchmark is loaded: what these load differs from one to the other.
                self.environment.libraries = conversation.pid().map(libraries).unwrap_or_default();
                Serving { conversation, copies, sources: Vec::new() }
            }
        };
        serving.conversation.load(&planned.sources, planned.bootstrap.as_deref(), deadline).map_err(failed)?;
        if serving.copies {
            // What was executed so far is written down once, and not again by each copy.
            serving.conversation.run("clock", 0, &[0], deadline).map_err(failed)?;
            files(self.folder.path(), None)?;
        }
        serving.sources.clone_from(&planned.sources);
        Ok(serving)
    }

    /// What callgrind writes at the end holds nothing that is wanted.
    fn end(&self, serving: Serving) {
        serving.conversation.close();
        let _ = files(self.folder.path(), None);
    }
}

/// Whether the same may go well once more.
fn may_pass(error: &ProfileError) -> bool {
    matches!(error, ProfileError::Failed { failure, .. }
        if matches!(failure.kind, FailureKind::Exit | FailureKind::Signal | FailureKind::Protocol))
}

/// A failure that names no place is the case's.
fn failed_at(case: &Case, failure: Failure) -> ProfileError {
    let failure = if failure.file.is_empty() { failure.at(case.file.clone(), case.line) } else { failure };
    ProfileError::Failed { tool: Tool::Callgrind.name(), failure: Box::new(failure) }
}

/// One case with its functions, and whether a copy of the process has served it.
fn one_case(
    counted: &CountedCase<'_>,
    copies: bool,
    conversation: &mut Conversation,
    settings: &Settings,
    folder: &Path,
) -> Result<((CountedLaunch, Vec<CountedFunction>), bool), ProfileError> {
    let case = &counted.planned.variant.case;
    let until = Instant::now() + LONGEST;
    let failed = |failure: Failure| {
        let took_too_long = failure.kind == FailureKind::Timeout && Instant::now() >= until;
        failed_at(case, if took_too_long { too_long() } else { failure })
    };
    let spares_hooks = conversation.hello().capabilities.iter().any(|known| known == ARRANGE);
    let left = || deadline(settings).min(until.saturating_duration_since(Instant::now()));
    let name = (case.index, case.own_name(), case.parameters.name.as_deref().unwrap_or(""));
    let prepared = conversation.prepare_by(name, settings.clock.as_deref(), copies, left()).map_err(failed)?;
    let language = of_name(&case.language);
    let turns = if language.taken_over_at.is_some() { TURNS } else { 1 };
    let allocations = |turn: &Stretches| {
        let calls = |name: &&str| turn.by.get(*name).map_or(0, |function| function.count.calls);
        language.allocated_by.iter().map(calls).sum::<u64>()
    };
    let mut turn = |subject: &str, iterations: &[u64], warm: u64, turns: u32| {
        // What the author has done around samples leaves other caches, and nothing that the null would execute.
        let around =
            Around { settle: false, hooks: subject == "case" || !spares_hooks || counted.samples != Samples::One };
        // Where it is done, each sample is read by itself.
        let stretches = if prepared.hooks == Some(false) || !around.hooks { 1 } else { iterations.len() };
        let mut all = Vec::new();
        for _ in 0..turns {
            files(folder, None)?;
            conversation.run_with(subject, warm, iterations, around, left()).map_err(failed)?;
            let written = files(folder, language.taken_over_at)?;
            let mut found = of_turn(&written.parts, stretches).ok_or_else(|| ProfileError::Unusable {
                tool: Tool::Callgrind.name(),
                what: "no count of a turn".to_owned(),
                remedy: format!(
                    "the worker has to call `{}` at both ends of a turn: check that its program isn't stripped",
                    language.counted_at
                ),
            })?;
            // All processes of a command are in its sum.
            found.several_threads |= written.other_processes && !language.calls_are_processes;
            all.push(found);
        }
        Ok(least(all))
    };
    let steps = [counted.calls, 2 * counted.calls, 3 * counted.calls];
    let null_calls = match counted.samples {
        _ if language.calls_are_processes => [1, 2],
        Samples::One => NULL_CALLS,
        Samples::EachCall | Samples::EachBareCall => NULL_SAMPLES,
    };
    let mut found = CountedLaunch { calls: steps, null_calls, ..CountedLaunch::default() };
    // The first calls of a process do what later ones don't.
    let samples_of = |calls| counted.samples.of_turn(calls);
    turn("null", &samples_of(1), 0, 1)?;
    let (mut system_calls, mut allocated) = (TurnCounts::default(), TurnCounts::default());
    for (at, calls) in null_calls.into_iter().enumerate() {
        let least = turn("null", &samples_of(calls), 0, turns)?;
        (found.null[at], system_calls.null[at]) = (least.count, least.system_calls);
        allocated.null[at] = allocations(&least);
        found.several_threads |= least.several_threads;
    }
    if counted.first_calls > 0 {
        let (warm, iterations) = counted.samples.unread(counted.first_calls);
        turn("case", &iterations, warm, 1)?;
    }
    let mut of_steps = Vec::new();
    for (at, calls) in steps.into_iter().enumerate() {
        let least = turn("case", &samples_of(calls), 0, turns)?;
        (found.subject[at], system_calls.subject[at]) = (least.count, least.system_calls);
        allocated.subject[at] = allocations(&least);
        found.several_threads |= least.several_threads;
        of_steps.push(least.by);
    }
    found.system_calls = Some(system_calls);
    found.allocations = (!language.allocated_by.is_empty()).then_some(allocated);
    conversation.finish(left()).map_err(failed)?;
    Ok(((found, functions(&of_steps)), prepared.copied))
}

fn too_long() -> Failure {
    Failure::new(
        FailureKind::Timeout,
        format!("its turns take longer than {} s, hooks included", LONGEST.as_secs()),
        "give it a smaller input, let hooks do less around each sample, or end other programs that use the CPUs",
    )
}

/// Functions of the first and the last of several turns; none where these have no functions.
pub(crate) fn functions(turns: &[BTreeMap<String, Called>]) -> Vec<CountedFunction> {
    let (Some(few), Some(many)) = (turns.first(), turns.last()) else { return Vec::new() };
    let names: BTreeSet<&String> = few.keys().chain(many.keys()).collect();
    let nothing = Called::default();
    let all = names.into_iter().map(|name| {
        let [few, many] = [few, many].map(|turn| turn.get(name).unwrap_or(&nothing));
        let callers: BTreeSet<&String> = few.callers.keys().chain(many.callers.keys()).collect();
        let calls = |turn: &Called, caller: &str| turn.callers.get(caller).copied().unwrap_or(0);
        let of_caller = |caller: &String| CountedCaller {
            name: caller.clone(),
            few: calls(few, caller),
            many: calls(many, caller),
        };
        let callers = callers.into_iter().map(of_caller).filter(|caller| caller.few != caller.many).collect();
        CountedFunction { name: name.clone(), few: few.count, many: many.count, callers }
    });
    // What a turn does once is in both alike.
    all.filter(|function| function.many != function.few).collect()
}

/// The program that a command starts in the end. Callgrind needs it itself: a script around it would be counted for seconds.
fn interpreter(start: &RuntimeCommand, launcher: &mut dyn Launcher) -> Option<PathBuf> {
    let program = crate::program::find(start.command.first()?)?;
    let mut first = [0; 2];
    std::io::Read::read_exact(&mut fs::File::open(&program).ok()?, &mut first).ok()?;
    if &first != b"#!" {
        return None;
    }
    let conversation = launcher.launch(start, 0).ok()?;
    let process = conversation.pid();
    let words = process.and_then(|process| fs::read(format!("/proc/{process}/cmdline")).ok());
    conversation.close();
    let name = words?.split(|byte| *byte == 0).next().map(|name| String::from_utf8_lossy(name).into_owned())?;
    Some(PathBuf::from(name)).filter(|name| name.is_absolute())
}

/// The command of a worker that is counted.
fn under_callgrind(
    program: &Option<PathBuf>,
    (start, prelude): (&RuntimeCommand, bool),
    folder: &Path,
    seed: u64,
) -> RuntimeCommand {
    let file = folder.join("work").to_string_lossy().replace('%', "%%");
    let language = of_name(&start.driver);
    let mut start = start.clone();
    if let (Some(program), Some(first)) = (program, start.command.first_mut()) {
        *first = program.to_string_lossy().into_owned();
    }
    let mut before = vec![
        "valgrind".to_owned(),
        "--tool=callgrind".to_owned(),
        "--quiet".to_owned(),
        // It would leave pipes behind where it is killed.
        "--vgdb=no".to_owned(),
        // Only sums are wanted: without lines files are small.
        "--dump-line=no".to_owned(),
        "--collect-systime=yes".to_owned(),
        "--trace-children=yes".to_owned(),
        format!("--dump-before={}", language.counted_at),
        format!("--callgrind-out-file={file}.%p"),
        lowest_address(seed),
    ];
    if let Some(function) = language.taken_over_at {
        before.push("--separate-threads=yes".to_owned());
        before.push(format!("--dump-before={function}"));
        // Its signals end callgrind.
        let settings =
            start.environment.iter().rev().find(|(name, _)| name == "GODEBUG").map(|(_, value)| value.clone());
        let settings = settings.or_else(|| std::env::var("GODEBUG").ok()).filter(|settings| !settings.is_empty());
        let settings = settings.into_iter().chain(["asyncpreemptoff=1".to_owned()]).collect::<Vec<_>>().join(",");
        start.environment.push(("GODEBUG".to_owned(), settings));
    }
    // Commands are counted, and not what starts them.
    let count = match language.calls_are_processes {
        true => file,
        false => {
            start.command.splice(0..0, before);
            start = serving_loads(&start, prelude);
            "1".to_owned()
        }
    };
    start.environment.push(("TARE_COUNT".to_owned(), count));
    seeded(&start, seed)
}

/// Where valgrind begins to map: the kernel's draws of addresses don't reach the process, and which side of a boundary of 1 MiB a block of Python's heap lies on is
/// worth four instructions each time that it is freed. Both sides draw alike.
fn lowest_address(seed: u64) -> String {
    const USUAL: u64 = 0x400_0000;
    const PAGE: u64 = 0x1000;
    // Neighbouring seeds lie far apart (Knuth, The Art of Computer Programming 3, 6.4: multiplicative hashing).
    let pages = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 56;
    format!("--aspace-minaddr={:#x}", USUAL + PAGE * pages)
}

/// The command of a worker whose runtime draws the lots of `seed`.
pub(crate) fn seeded(start: &RuntimeCommand, seed: u64) -> RuntimeCommand {
    let mut start = start.clone();
    start.environment.push(("PYTHONHASHSEED".to_owned(), (seed % u64::from(u32::MAX)).to_string()));
    start
}
