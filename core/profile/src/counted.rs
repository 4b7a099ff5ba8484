//! Figures a call, as the difference between launches of two numbers of calls, less the same of the null.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use tare_plan::{Planned, Settings};
use tare_samples::{Calls, FewAndMany, LaunchCounts, RuntimeCommand};
use tare_worker::Launcher;

use crate::counts::Counts;
use crate::recording::record;
use crate::samples::Samples;
use crate::tool::Tool;
use crate::{ProfileError, callgrind, file_error, strace};

/// Most calls of the longer launch, and about how long they may take without the tool.
const MOST_CALLS: u64 = 200;
const LONGEST_NS: f64 = 1e8;

/// A figure a call.
#[derive(Debug, Clone, PartialEq)]
pub struct Count {
    /// Function or system call.
    pub name: String,
    /// Of one call, that of the null taken off.
    pub per_call: f64,
}

/// What a counting tool found.
#[derive(Debug, Clone, PartialEq)]
pub struct CountProfile {
    /// By which tool.
    pub tool: Tool,
    /// Of whole launches.
    pub launches: LaunchCounts,
    /// The parts, largest first; those that are 0 are left out.
    pub parts: Vec<Count>,
    /// What the tool wrote of the longer launch.
    pub raw: PathBuf,
}

/// Counts the instructions or the system calls of a call, in five launches. The tool's files go to `folder`.
///
/// # Errors
/// [`ProfileError`]: the worker fails under the tool, or the tool leaves nothing that can be used.
pub fn count(
    tool: Tool,
    planned: &Planned,
    settings: &Settings,
    folder: &Path,
    launcher: &mut dyn Launcher,
    tell: &mut dyn FnMut(&str),
    interrupted: &dyn Fn() -> bool,
) -> Result<CountProfile, ProfileError> {
    let calls = match planned.variant.calls {
        Calls::Pilot => {
            let taken = record(tool, planned, settings, &planned.start, launcher, |conversation, deadline| {
                Ok(conversation.run("case", 1, &[1], deadline)?.elapsed[0])
            })?;
            let many = ((LONGEST_NS / taken.max(1) as f64) as u64).clamp(2, MOST_CALLS);
            FewAndMany { few: many / 2, many }
        }
        Calls::Loop(calls) => FewAndMany { few: calls, many: calls.saturating_mul(2) },
        // Bare calls can't be made in a loop, but one after the other.
        Calls::Bare => FewAndMany { few: 1, many: 2 },
    };
    let samples = Samples::of(planned, 1);
    let mut launch = |subject: &'static str, calls: u64, name: &str| {
        if interrupted() {
            return Err(ProfileError::Interrupted);
        }
        tell(&format!("{tool}: {subject}, {calls} calls"));
        let path = folder.join(format!("{tool}-{name}"));
        let start = wrapped(tool, &planned.start, &path);
        record(tool, planned, settings, &start, launcher, |conversation, deadline| {
            conversation.run(subject, 0, &samples.of_turn(calls), deadline)
        })?;
        read(tool, &path)
    };
    let case = (launch("case", calls.few, "case-few")?.0, launch("case", calls.many, "case-many")?);
    let null = (launch("null", calls.few, "null-few")?.0, launch("null", calls.many, "null-many")?.0);
    let again = launch("case", calls.many, "case-many-again")?.0;
    let (case, raw) = ((case.0, case.1.0), case.1.1);
    Ok(figures(tool, calls, &case, &null, &again, raw))
}

fn figures(
    tool: Tool,
    calls: FewAndMany,
    case: &(Counts, Counts),
    null: &(Counts, Counts),
    again: &Counts,
    raw: PathBuf,
) -> CountProfile {
    let more = (calls.many - calls.few) as f64;
    let a_call = |few: u64, many: u64| (many as f64 - few as f64) / more;
    let launches = LaunchCounts {
        calls,
        subject: FewAndMany { few: case.0.total, many: case.1.total },
        null: FewAndMany { few: null.0.total, many: null.1.total },
        again: again.total,
    };
    let of = |counts: &Counts, name: &str| counts.by.get(name).copied().unwrap_or(0);
    let names: BTreeSet<&String> =
        [&case.0, &case.1, &null.0, &null.1].iter().flat_map(|counts| counts.by.keys()).collect();
    let mut parts: Vec<Count> = names
        .into_iter()
        .map(|name| Count {
            name: name.clone(),
            per_call: a_call(of(&case.0, name), of(&case.1, name)) - a_call(of(&null.0, name), of(&null.1, name)),
        })
        .filter(|part| part.per_call != 0.0)
        .collect();
    parts.sort_by(|a, b| b.per_call.abs().total_cmp(&a.per_call.abs()).then_with(|| a.name.cmp(&b.name)));
    CountProfile { tool, launches, parts, raw }
}

/// The command of a worker that is counted. What draws lots by itself draws the same ones each time.
fn wrapped(tool: Tool, start: &RuntimeCommand, path: &Path) -> RuntimeCommand {
    let file = path.to_string_lossy();
    let before = match tool {
        Tool::Callgrind => vec![
            "valgrind".to_owned(),
            "--tool=callgrind".to_owned(),
            // A command may be a script around the worker.
            "--trace-children=yes".to_owned(),
            "--compress-pos=no".to_owned(),
            "--quiet".to_owned(),
            format!("--callgrind-out-file={}.%p", file.replace('%', "%%")),
        ],
        _ => ["strace", "-f", "-c", "-o", &file, "--"].map(str::to_owned).to_vec(),
    };
    let mut start = start.clone();
    start.command.splice(0..0, before);
    start.environment.push(("PYTHONHASHSEED".to_owned(), "0".to_owned()));
    start
}

/// Reads what the tool left. Of several processes the one that did most is the worker.
fn read(tool: Tool, path: &Path) -> Result<(Counts, PathBuf), ProfileError> {
    let files = if tool == Tool::Callgrind { beginning_with(path)? } else { vec![path.to_owned()] };
    let mut most: Option<(Counts, PathBuf)> = None;
    for file in files {
        let bytes = match tare_files::read(&file, crate::LARGEST) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            read => read.map_err(|error| file_error(&file, error))?,
        };
        let text = String::from_utf8_lossy(&bytes);
        let counts = if tool == Tool::Callgrind { callgrind::read(&text) } else { strace::read(&text) };
        if let Some(counts) = counts.filter(|counts| most.as_ref().is_none_or(|(most, _)| counts.total > most.total)) {
            most = Some((counts, file));
        }
    }
    most.ok_or_else(|| ProfileError::Unusable {
        tool: tool.name(),
        what: "no whole file".to_owned(),
        remedy: "it was killed, or its disk is full: try again, with --output on another".to_owned(),
    })
}

fn beginning_with(path: &Path) -> Result<Vec<PathBuf>, ProfileError> {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name().and_then(|name| name.to_str())) else {
        return Ok(Vec::new());
    };
    let listed = fs::read_dir(folder).map_err(|error| file_error(folder, error))?;
    let mut files: Vec<PathBuf> = listed.flatten().map(|entry| entry.path()).collect();
    files.retain(|file| {
        let rest = file.file_name().and_then(|file| file.to_str()).and_then(|file| file.strip_prefix(name));
        rest.is_some_and(|rest| rest.strip_prefix('.').is_some_and(|pid| pid.bytes().all(|byte| byte.is_ascii_digit())))
    });
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::{Counts, figures, read};
    use crate::tool::Tool;

    fn counts(parts: &[(&str, u64)]) -> Counts {
        let by = parts.iter().map(|&(name, count)| (name.to_owned(), count)).collect();
        Counts { total: parts.iter().map(|(_, count)| count).sum(), by }
    }

    #[test]
    fn a_call_is_what_more_calls_add_without_the_nulls() {
        // 1,000 instructions at the start, 50 a call for the loop, 300 for the subject.
        let case = |calls: u64| counts(&[("start", 1000), ("loop", 50 * calls), ("work", 300 * calls)]);
        let null = |calls: u64| counts(&[("start", 1000), ("loop", 50 * calls)]);
        let found = figures(
            Tool::Callgrind,
            (10, 20).into(),
            &(case(10), case(20)),
            &(null(10), null(20)),
            &case(20),
            PathBuf::new(),
        );
        let launches = found.launches;
        assert_eq!((launches.per_call(), launches.raw_per_call(), launches.repeat_difference()), (300.0, 350.0, 0.0));
        assert_eq!(found.parts.len(), 1, "{:?}", found.parts);
        assert_eq!((found.parts[0].name.as_str(), found.parts[0].per_call), ("work", 300.0));
    }

    #[test]
    fn nothing_is_nothing_and_what_does_not_repeat_itself_says_so() {
        let null = |calls: u64| counts(&[("loop", 50 * calls)]);
        let mut again = null(20);
        again.total += 30;
        let found = figures(
            Tool::Strace,
            (10, 20).into(),
            &(null(10), null(20)),
            &(null(10), null(20)),
            &again,
            PathBuf::new(),
        );
        assert_eq!((found.launches.per_call(), found.launches.repeat_difference()), (0.0, 3.0));
        assert!(found.parts.is_empty());
    }

    #[test]
    fn a_file_that_is_missing_or_cut_is_no_count() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("callgrind-case");
        let said = || read(Tool::Callgrind, &path).unwrap_err().to_string();
        assert!(said().contains("callgrind left no whole file"), "{}", said());
        std::fs::write(folder.path().join("callgrind-case.12"), "fn=(1) main\n1 20\n").unwrap();
        std::fs::write(folder.path().join("callgrind-case-few.13"), "totals: 999\n").unwrap();
        assert!(said().contains("callgrind left no whole file"), "{}", said());
        std::fs::write(folder.path().join("callgrind-case.14"), "fn=(1) main\n1 20\ntotals: 20\n").unwrap();
        assert_eq!(read(Tool::Callgrind, &path).unwrap().0.total, 20);
        assert!(read(Tool::Strace, &path).is_err());
    }
}
