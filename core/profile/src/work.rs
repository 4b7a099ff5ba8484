//! Instructions a call of many cases, in one launch under callgrind.
//!
//! A worker reads what its process has used just before the first sample of a turn and just after the last one (`samples` of the
//! protocol). Callgrind writes a file, and begins to count anew, whenever that function is called: the last file of a turn holds
//! its samples and nothing else.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tare_languages::of_name;
use tare_plan::{Planned, Settings};
use tare_samples::{Calls, Case, CountedLaunch, Failure, FailureKind, RuntimeCommand};
use tare_worker::{Conversation, Launcher, serving_loads};

use crate::recording::{deadline, explained_launch};
use crate::tool::Tool;
use crate::{ProfileError, file_error};

/// Calls in the turns of a null.
const NULL_CALLS: [u64; 2] = [100, 300];
/// What a worker says in its hello of which copies may serve cases.
const COPIES: &str = "copies";
/// So often a case is begun: a process may die under callgrind that is well without it.
const TRIES: u32 = 2;

/// A case to be counted.
#[derive(Debug, Clone, Copy)]
pub struct Counted<'a> {
    /// Which.
    pub planned: &'a Planned,
    /// Calls in its shortest turn, above 0; the others make two and three times as many.
    pub calls: u64,
    /// Calls before them, above 0: interpreters rewrite code in its first calls.
    pub first_calls: u64,
    /// Each call stands alone, without a loop.
    pub is_bare: bool,
}

/// Counts cases that are started alike, in their order; those of the same sources stand together. `told` has the position of a case and what was found.
/// The worker serves all of them in one launch where copies of it may, else each source, or each case, in a launch of its own. What draws lots draws by `seed`.
/// Files go to `folder`.
pub fn count_work(
    cases: &[Counted<'_>],
    seed: u64,
    settings: &Settings,
    folder: &Path,
    launcher: &mut dyn Launcher,
    told: &mut dyn FnMut(usize, Result<CountedLaunch, ProfileError>),
    interrupted: &dyn Fn() -> bool,
) {
    let Some(first) = cases.first() else { return };
    let prelude = cases.iter().any(|case| case.planned.startup.prelude);
    let program = interpreter(&first.planned.start, launcher);
    let start = under_callgrind(&program, (&first.planned.start, prelude), folder, seed);
    let (mut next, mut tries) = (0, 0);
    while next < cases.len() {
        if interrupted() {
            return told(next, Err(ProfileError::Interrupted));
        }
        let begun = next;
        tries += 1;
        let failure = one_launch(cases, &mut next, &start, seed, settings, folder, launcher, told, interrupted).err();
        if next > begun {
            tries = 0;
        }
        if let Some(error) = failure
            && (tries >= TRIES || !may_pass(&error))
        {
            told(next, Err(error));
            (next, tries) = (next + 1, 0);
        }
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

/// Counts the cases from `next` on, as far as one process serves them.
#[allow(clippy::too_many_arguments)]
fn one_launch(
    cases: &[Counted<'_>],
    next: &mut usize,
    start: &RuntimeCommand,
    seed: u64,
    settings: &Settings,
    folder: &Path,
    launcher: &mut dyn Launcher,
    told: &mut dyn FnMut(usize, Result<CountedLaunch, ProfileError>),
    interrupted: &dyn Fn() -> bool,
) -> Result<(), ProfileError> {
    let deadline = deadline(settings);
    let mut planned = cases[*next].planned;
    let failed = |planned: &Planned, failure: Failure| failed_at(&planned.variant.case, failure);
    let mut conversation =
        launcher.launch(start, seed).map_err(|failure| failed(planned, explained_launch(failure)))?;
    let copies = conversation.hello().capabilities.iter().any(|known| known == COPIES);
    let result = (|| loop {
        let failed = |failure: Failure| failed(planned, failure);
        conversation.load(&planned.sources, planned.bootstrap.as_deref(), deadline).map_err(failed)?;
        if copies {
            // What was executed so far is written down once, and not again by each copy.
            conversation.run("clock", 0, &[0], deadline).map_err(failed)?;
            files(folder)?;
        }
        while cases.get(*next).is_some_and(|case| case.planned.sources == planned.sources) && !interrupted() {
            let (found, copied) = one_case(&cases[*next], copies, &mut conversation, settings, folder, deadline)?;
            told(*next, Ok(found));
            *next += 1;
            if !copied {
                return Ok(());
            }
        }
        match cases.get(*next) {
            Some(case) if conversation.serves_loads() && !interrupted() => {
                conversation.unload(deadline).map_err(failed)?;
                planned = case.planned;
            }
            _ => return Ok(()),
        }
    })();
    // What callgrind would write at the end holds nothing that is wanted.
    conversation.close();
    let _ = files(folder);
    result
}

/// One case, and whether a copy of the process has served it.
fn one_case(
    counted: &Counted<'_>,
    copies: bool,
    conversation: &mut Conversation,
    settings: &Settings,
    folder: &Path,
    deadline: Duration,
) -> Result<(CountedLaunch, bool), ProfileError> {
    let case = &counted.planned.variant.case;
    let failed = |failure: Failure| failed_at(case, failure);
    let name = (case.index, case.own_name(), case.parameters.name.as_deref().unwrap_or(""));
    let prepared = conversation.prepare_by(name, settings.clock.as_deref(), copies, deadline).map_err(failed)?;
    let mut turn = |subject: &str, calls: u64| {
        let iterations = if counted.is_bare { vec![0; calls as usize] } else { vec![calls] };
        files(folder)?;
        conversation.run(subject, 0, &iterations, deadline).map_err(failed)?;
        // Where the author has something done around each sample, each is read by itself.
        let stretches = if prepared.hooks == Some(false) { 1 } else { iterations.len() };
        let counts = files(folder)?;
        let ends: Vec<u64> = counts.iter().rev().step_by(2).take(stretches).copied().collect();
        if counts.len() < 2 * ends.len().max(1) {
            return Err(ProfileError::Unusable {
                tool: Tool::Callgrind.name(),
                what: "no count of a turn".to_owned(),
                remedy: format!(
                    "the worker has to call `{}` at both ends of a turn: check that its program isn't stripped",
                    of_name(&case.language).counted_at
                ),
            });
        }
        Ok(ends.iter().sum::<u64>())
    };
    let steps = [counted.calls, 2 * counted.calls, 3 * counted.calls];
    let mut found = CountedLaunch { calls: steps, null_calls: NULL_CALLS, ..CountedLaunch::default() };
    // The first calls of a process do what later ones don't.
    turn("null", 1)?;
    for (count, calls) in found.null.iter_mut().zip(NULL_CALLS) {
        *count = turn("null", calls)?;
    }
    turn("case", counted.first_calls)?;
    for (count, calls) in found.subject.iter_mut().zip(steps) {
        *count = turn("case", calls)?;
    }
    conversation.finish(deadline).map_err(failed)?;
    Ok((found, prepared.copied))
}

/// The counts that were written since the last time, in their order; their files are removed. Where several processes have written, those of the
/// one that wrote most often.
fn files(folder: &Path) -> Result<Vec<u64>, ProfileError> {
    let mut found: BTreeMap<u32, Vec<(u32, u64)>> = BTreeMap::new();
    for entry in fs::read_dir(folder).map_err(|error| file_error(folder, error))?.flatten() {
        let path = entry.path();
        if let Some((process, part)) = numbered(&path) {
            let bytes = tare_files::read(&path, crate::LARGEST).map_err(|error| file_error(&path, error))?;
            let total = String::from_utf8_lossy(&bytes).lines().rev().find_map(|line| {
                line.strip_prefix("totals:").and_then(|sum| sum.split_whitespace().next()?.parse().ok())
            });
            // A turn that executes nothing is written without a sum.
            found.entry(process).or_default().push((part, total.unwrap_or(0)));
        }
        let _ = fs::remove_file(&path);
    }
    let mut most = found.into_values().max_by_key(Vec::len).unwrap_or_default();
    most.sort_unstable();
    Ok(most.into_iter().map(|(_, total)| total).collect())
}

/// The process and the part of `work.PROCESS.PART`; what a process leaves at its end has no part.
fn numbered(path: &Path) -> Option<(u32, u32)> {
    let mut words = path.file_name()?.to_str()?.rsplit('.');
    let (part, process) = (words.next()?, words.next()?);
    words.next()?;
    Some((process.parse().ok()?, part.parse().ok()?))
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
    let before = [
        "valgrind".to_owned(),
        "--tool=callgrind".to_owned(),
        "--quiet".to_owned(),
        // Only sums are wanted: without lines files are small.
        "--dump-line=no".to_owned(),
        "--trace-children=yes".to_owned(),
        format!("--dump-before={}", language.counted_at),
        format!("--callgrind-out-file={file}.%p"),
    ];
    start.command.splice(0..0, before);
    start = serving_loads(&start, prelude);
    start.environment.push(("TARE_COUNT".to_owned(), "1".to_owned()));
    start.environment.push(("PYTHONHASHSEED".to_owned(), (seed % u64::from(u32::MAX)).to_string()));
    start
}

/// Whether a variant's calls are made without a loop.
pub fn is_bare(planned: &Planned, iterations: u64) -> bool {
    planned.variant.calls == Calls::Bare || iterations == 0
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::files;

    #[test]
    fn counts_are_read_once_in_their_order_and_without_what_a_process_leaves_at_its_end() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, total: u64| {
            fs::write(folder.path().join(name), format!("events: Ir\ntotals: {total}\n")).unwrap();
        };
        write("work.12.10", 3);
        write("work.12.9", 2);
        write("work.12.8", 1);
        write("work.12", 999);
        write("work.13.1", 77);
        assert_eq!(files(folder.path()).unwrap(), [1, 2, 3]);
        assert_eq!(files(folder.path()).unwrap(), [0; 0]);
    }
}
