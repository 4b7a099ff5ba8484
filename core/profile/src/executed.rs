//! Functions of an interpreter's program that calls execute, told by its worker in a launch of their own (PROTOCOL 1.15): a counter of instructions sees the
//! interpreter's functions alone.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Instant;

use serde::Deserialize;
use tare_files::Scratch;
use tare_plan::Settings;
use tare_samples::{ExecutedFunctions, Failure, FunctionUnit};
use tare_worker::{Around, Conversation, Launcher};

use crate::recording::deadline;
use crate::turns::Called;
use crate::work::{CountedCase, LONGEST, functions, seeded};
use crate::{ProfileError, file_error};

/// Where the worker writes; set in such launches alone.
const ASKED: &str = "TARE_FUNCTIONS";
/// What a worker may write of a turn, bytes.
const MOST: u64 = 64 << 20;

/// What a worker writes of a turn.
#[derive(Deserialize)]
struct Told {
    unit: FunctionUnit,
    functions: Vec<ToldFunction>,
    incomplete: Option<String>,
}

#[derive(Deserialize)]
struct ToldFunction {
    name: String,
    calls: u64,
    own: u64,
}

/// The functions of a case in turns of as many calls as it is counted with, by a launch with the seed of the first one under the counter.
///
/// # Errors
///
/// [`ProfileError::Missing`] where the worker can't tell them, with what to do; else the case or its worker fails, or takes longer than [`LONGEST`].
pub fn executed(
    case: &CountedCase<'_>,
    seed: u64,
    settings: &Settings,
    launcher: &mut dyn Launcher,
) -> Result<ExecutedFunctions, ProfileError> {
    let scratch = Scratch::new().map_err(|error| file_error(&std::env::temp_dir(), error))?;
    let path = scratch.path().join("functions");
    let mut start = seeded(&case.planned.start, seed);
    start.environment.push((ASKED.to_owned(), path.display().to_string()));
    let failed =
        |failure: Failure| ProfileError::Failed { tool: "the language's own hook", failure: Box::new(failure) };
    let mut conversation = launcher.launch(&start, seed).map_err(failed)?;
    let done = turns(case, &path, settings, &mut conversation);
    conversation.close();
    let (unit, turns) = done.map_err(failed)??;
    Ok(ExecutedFunctions { unit, functions: functions(&turns) })
}

/// By turn, those with the fewest calls first.
type Turns = (FunctionUnit, [BTreeMap<String, Called>; 2]);

fn turns(
    case: &CountedCase<'_>,
    path: &Path,
    settings: &Settings,
    conversation: &mut Conversation,
) -> Result<Result<Turns, ProfileError>, Failure> {
    let until = Instant::now() + LONGEST;
    let left = || deadline(settings).min(until.saturating_duration_since(Instant::now()));
    let planned = case.planned;
    let (subject, parameters) = (&planned.variant.case, planned.variant.case.parameters.name.as_deref());
    conversation.load(&planned.sources, planned.bootstrap.as_deref(), left())?;
    let clock = settings.clock.as_deref();
    conversation.prepare(subject.index, subject.own_name(), parameters.unwrap_or(""), clock, left())?;
    let mut turn = |calls: u64| -> Result<Result<_, ProfileError>, Failure> {
        let iterations = case.samples.of_turn(calls);
        let _ = fs::remove_file(path);
        conversation.run_with("case", 0, &iterations, Around { settle: false, hooks: true }, left())?;
        Ok(tare_files::read(path, MOST).map_err(|error| file_error(path, error)).and_then(|bytes| told(&bytes)))
    };
    if case.first_calls > 0
        && let Err(error) = turn(case.first_calls)?
    {
        return Ok(Err(error));
    }
    let both = (turn(case.calls)?, turn(3 * case.calls)?);
    conversation.finish(left())?;
    let (few, many) = match both {
        (Ok(few), Ok(many)) => (few, many),
        (Err(error), _) | (_, Err(error)) => return Ok(Err(error)),
    };
    Ok(Ok((few.0, [few.1, many.1])))
}

/// Functions of the last line that a worker has written.
fn told(bytes: &[u8]) -> Result<(FunctionUnit, BTreeMap<String, Called>), ProfileError> {
    let unusable = |what: String| ProfileError::Unusable {
        tool: "the language's own hook",
        what,
        remedy: "check the worker's file with PROTOCOL 1.15".to_owned(),
    };
    let line = bytes.split(|byte| *byte == b'\n').rfind(|line| !line.is_empty()).unwrap_or_default();
    let told: Told = serde_json::from_slice(line).map_err(|error| unusable(format!("no functions ({error})")))?;
    if let Some(why) = told.incomplete {
        let remedy = "functions of the interpreter are named instead".to_owned();
        return Err(ProfileError::Missing { what: why, remedy });
    }
    let mut by: BTreeMap<String, Called> = BTreeMap::new();
    for one in told.functions {
        let sum = &mut by.entry(one.name).or_default().count;
        (sum.own, sum.calls) = (sum.own.saturating_add(one.own), sum.calls.saturating_add(one.calls));
    }
    Ok((told.unit, by))
}

#[cfg(test)]
mod tests {
    use tare_samples::{FunctionCount, FunctionUnit};

    use super::told;
    use crate::ProfileError;

    #[test]
    fn the_last_line_is_read_and_functions_of_one_name_are_added() {
        let text = "{\"unit\": \"bytecode\", \"functions\": [{\"name\": \"old\", \"calls\": 1, \"own\": 1}]}\n\
                    {\"unit\": \"statements\", \"later\": [], \"functions\": [{\"name\": \"A::b\\u001b\", \"calls\": 2, \"own\": 30}, \
                    {\"name\": \"A::b\\u001b\", \"calls\": 1, \"own\": 18446744073709551615}]}\n";
        let (unit, functions) = told(text.as_bytes()).unwrap();
        assert_eq!(unit, FunctionUnit::Statements);
        assert_eq!(
            functions.into_iter().map(|(name, of)| (name, of.count)).collect::<Vec<_>>(),
            [("A::b\u{1b}".to_owned(), FunctionCount { own: u64::MAX, calls: 3 })]
        );
    }

    #[test]
    fn what_is_incomplete_or_unreadable_has_no_functions() {
        let text = "{\"unit\": \"bytecode\", \"functions\": [], \"incomplete\": \"the code sets a trace function\"}";
        assert!(matches!(told(text.as_bytes()), Err(ProfileError::Missing { what, .. }) if what.contains("trace")));
        let unreadable =
            ["", "{", "{\"unit\": \"lines\", \"functions\": []}", "{\"unit\": \"bytecode\"}", "[\u{fffd}]"];
        for text in unreadable.map(str::as_bytes).into_iter().chain([b"\xff\xfe".as_slice()]) {
            assert!(matches!(told(text), Err(ProfileError::Unusable { .. })), "{text:?}");
        }
        let negative = "{\"unit\": \"bytecode\", \"functions\": [{\"name\": \"a\", \"calls\": -1, \"own\": 1}]}";
        assert!(told(negative.as_bytes()).is_err());
    }
}
