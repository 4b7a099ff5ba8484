//! Stacks, by a tool that samples or traces.

use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use inferno::collapse::Collapse;
use inferno::collapse::perf::{Folder, Options};
use tare_languages::of_name;
use tare_plan::{Planned, Settings};
use tare_samples::{Calls, Failure, RuntimeCommand};
use tare_worker::{Conversation, Launcher};

use crate::recording::record;
use crate::stacks::Stacks;
use crate::tool::Tool;
use crate::{ProfileError, file_error, xdebug};

/// Names the file for workers that look at themselves.
const PROFILE: &str = "TARE_PROFILE";
/// Samples a second: enough for a picture of two seconds, and not in step with anything that ticks by the millisecond.
const FREQUENCY: &str = "997";
/// What is read of each: without its period, so that each counts as one.
const FIELDS: &str = "comm,pid,tid,time,event,ip,sym,dso";
/// How long the subject runs. A trace of every call grows by hundreds of megabytes a second.
const SAMPLED_NS: f64 = 2e9;
const TRACED_NS: f64 = 1e8;
/// What one sample is to last before the rest is planned by it.
const PILOT_NS: f64 = 2e7;
const MOST_CALLS: u64 = 1_000_000_000;
const MOST_SAMPLES: u64 = 10_000;

/// What a sampling tool saw.
#[derive(Debug)]
pub struct Sampled {
    /// By which tool.
    pub tool: Tool,
    /// Calls of the subject while it was looked at.
    pub calls: u64,
    /// What was seen, without the worker's own frames.
    pub stacks: Stacks,
    /// What the counts count: `samples`, `µs`.
    pub unit: &'static str,
    /// What the tool wrote.
    pub raw: PathBuf,
}

/// Runs the case for two seconds under a tool, whose file goes to `folder`.
///
/// # Errors
/// [`ProfileError`]: the worker fails under the tool, or the tool leaves nothing that can be used.
pub fn sample(
    tool: Tool,
    planned: &Planned,
    settings: &Settings,
    folder: &Path,
    launcher: &mut dyn Launcher,
) -> Result<Sampled, ProfileError> {
    let raw = folder.join(match tool {
        Tool::Perf => "perf.data",
        Tool::Pprof => "cpu.pprof",
        // Xdebug adds its own ending.
        Tool::Xdebug => "trace",
        _ => "sampled.folded",
    });
    let start = wrapped(tool, &planned.start, &raw, &planned.variant.runtime.language);
    let wanted_ns = if tool == Tool::Xdebug { TRACED_NS } else { SAMPLED_NS };
    let calls = record(tool, planned, settings, &start, launcher, |conversation, deadline| {
        run_for(conversation, planned.variant.calls, wanted_ns, deadline)
    })?;
    let raw = if tool == Tool::Xdebug { raw.with_extension("xt") } else { raw };
    let (all, unit) = read(tool, &raw, &start)?;
    let stacks = all.without(|frame| is_scale(&planned.variant.runtime.language, frame));
    // What is left of the worker's own calls are functions of the language; a subject of PHP is a method.
    let is_method = |frame: &str| frame.contains("->") || frame.contains("::");
    let scripted = matches!(tool, Tool::Excimer | Tool::Xdebug);
    let stacks = if scripted { stacks.that_begin(is_method) } else { stacks };
    if stacks.is_empty() {
        let what = if all.is_empty() { "no stack" } else { "no stack of the benchmark's, only of the worker's" };
        return Err(unusable(tool, what, "the subject ran too briefly for a sample; choose one that does more"));
    }
    Ok(Sampled { tool, calls, stacks, unit, raw })
}

/// The command of a worker that is looked at.
fn wrapped(tool: Tool, start: &RuntimeCommand, raw: &Path, language: &str) -> RuntimeCommand {
    let mut start = start.clone();
    let file = raw.to_string_lossy().into_owned();
    match tool {
        Tool::Perf => {
            let graph = of_name(language).perf_stacks;
            let before = ["perf", "record", "-q", "--call-graph", graph, "-F", FREQUENCY, "-o", &file, "--"];
            start.command.splice(0..0, before.map(str::to_owned));
        }
        _ => {
            if tool == Tool::Xdebug {
                let before = start.command.len().saturating_sub(1);
                let options = ["-d", "xdebug.mode=trace", "-d", "xdebug.start_with_request=no"];
                start.command.splice(before..before, options.map(str::to_owned));
            }
            start.environment.push((PROFILE.to_owned(), file));
        }
    }
    start
}

/// Calls the subject for about so long, and returns how often.
fn run_for(conversation: &mut Conversation, asked: Calls, wanted_ns: f64, deadline: Duration) -> Result<u64, Failure> {
    let mut calls = match asked {
        Calls::Pilot => 1,
        Calls::Loop(calls) => calls,
        Calls::Bare => 0,
    };
    let mut made = 0u64;
    loop {
        let taken = conversation.run("case", 0, &[calls], deadline)?.elapsed[0].max(1) as f64;
        made = made.saturating_add(calls.max(1));
        if asked == Calls::Pilot && taken < PILOT_NS && calls < MOST_CALLS {
            calls = (calls as f64 * (PILOT_NS / taken).clamp(2.0, 100.0)).min(MOST_CALLS as f64) as u64;
            continue;
        }
        let samples = ((wanted_ns / taken) as u64).clamp(1, MOST_SAMPLES);
        conversation.run("case", 0, &vec![calls; samples as usize], deadline)?;
        return Ok(made.saturating_add(samples.saturating_mul(calls.max(1))));
    }
}

fn read(tool: Tool, raw: &Path, start: &RuntimeCommand) -> Result<(Stacks, &'static str), ProfileError> {
    if !raw.metadata().is_ok_and(|file| file.len() > 0) {
        return Err(unusable(
            tool,
            "nothing",
            "it was killed, or its disk is full: try again, with --output on another",
        ));
    }
    let text = |path: &Path| {
        let bytes = tare_files::read(path, crate::LARGEST).map_err(|error| file_error(path, error))?;
        Ok::<_, ProfileError>(String::from_utf8_lossy(&bytes).into_owned())
    };
    match tool {
        Tool::Perf => {
            let file = raw.to_string_lossy();
            let script = converted(tool, Command::new("perf").args(["script", "--force", "-F", FIELDS, "-i", &file]))?;
            let mut folded = Vec::new();
            Folder::from(Options::default())
                .collapse(BufReader::new(script.stdout.as_slice()), &mut folded)
                .map_err(|error| unusable(tool, &format!("a file that can't be read: {error}"), "try again"))?;
            collapsed(tool, &String::from_utf8_lossy(&folded)).map(|stacks| (stacks, "samples"))
        }
        Tool::Pprof => {
            let mut go = Command::new("go");
            go.args(["tool", "pprof", "-traces", "-unit=us"]).args(start.command.first()).arg(raw);
            go.envs(start.environment.iter().filter(|(name, _)| name == "PATH").cloned());
            let said = converted(tool, &mut go)?;
            Ok((traces(&String::from_utf8_lossy(&said.stdout)), "µs"))
        }
        Tool::Xdebug => match xdebug::read(&text(raw)?) {
            Some(stacks) => Ok((stacks, "µs")),
            None => Err(unusable(tool, "a trace that is cut short", "try again; it needs some hundred megabytes")),
        },
        _ => collapsed(tool, &text(raw)?).map(|stacks| (stacks, "samples")),
    }
}

fn collapsed(tool: Tool, text: &str) -> Result<Stacks, ProfileError> {
    Stacks::parse(text).map_err(|line| unusable(tool, &format!("a file that is no stacks in line {line}"), "try again"))
}

/// What a tool's own reader says of its file.
fn converted(tool: Tool, command: &mut Command) -> Result<Output, ProfileError> {
    let output = command.stdin(Stdio::null()).output().map_err(|error| {
        let program = command.get_program().to_string_lossy().into_owned();
        unusable(tool, &format!("a file that `{program}` has to read, which can't be started: {error}"), "install it")
    })?;
    if output.status.success() {
        return Ok(output);
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let last = said.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("it says nothing").trim();
    Err(unusable(tool, &format!("a file that can't be read: {last}"), "it was killed or its disk is full: try again"))
}

/// What `pprof -traces` prints: between rulers a time and the innermost frame, then the others outwards.
fn traces(text: &str) -> Stacks {
    let mut stacks = Stacks::default();
    let mut frames: Vec<&str> = Vec::new();
    let mut taken = 0;
    let mut begun = false;
    for line in text.lines().chain(["-----------+"]) {
        if line.starts_with("---") {
            stacks.add(frames.iter().rev().copied(), taken);
            frames.clear();
            (begun, taken) = (true, 0);
            continue;
        }
        let line = line.trim();
        if !begun || line.is_empty() {
            continue;
        }
        match line.split_once("us ") {
            Some((number, frame)) if frames.is_empty() && number.parse::<f64>().is_ok() => {
                taken = number.parse::<f64>().map_or(0, |number| number.round() as u64);
                frames.push(frame.trim());
            }
            // What stands before the time are labels.
            _ if frames.is_empty() => {}
            _ => frames.push(line),
        }
    }
    stacks
}

/// Whether a frame is of the worker and not of what it measures.
fn is_scale(language: &str, frame: &str) -> bool {
    (of_name(language).is_worker_frame)(frame)
}

fn unusable(tool: Tool, what: &str, remedy: &str) -> ProfileError {
    ProfileError::Unusable { tool: tool.name(), what: what.to_owned(), remedy: remedy.to_owned() }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use tare_samples::RuntimeCommand;

    use super::{is_scale, read, traces, wrapped};
    use crate::tool::Tool;

    fn command(words: &[&str]) -> RuntimeCommand {
        RuntimeCommand { command: words.iter().map(|&word| word.to_owned()).collect(), ..RuntimeCommand::default() }
    }

    #[test]
    fn traces_of_pprof_are_read_from_the_inside_outwards() {
        let text = "File: four.test\nType: cpu\nDuration: 2s\n-----------+------\n     bytes:  3\n  480000us   main.leaf\n             \
                    main.work\n             testing.(*B).runN\n-----------+------\n   10000us   runtime.gc\n-----------+------\n";
        let stacks = traces(text);
        let lines: Vec<String> = stacks.lines().collect();
        assert_eq!(lines, ["runtime.gc 10000", "testing.(*B).runN;main.work;main.leaf 480000"]);
        let rest = stacks.without(|frame| is_scale("go", frame));
        assert_eq!(rest.lines().collect::<Vec<_>>(), ["main.work;main.leaf 480000", "runtime.gc 10000"]);
    }

    #[test]
    fn options_stand_before_the_worker_and_after_the_users_own() {
        let start = command(&["php", "-n", "worker.php"]);
        let traced = wrapped(Tool::Xdebug, &start, Path::new("/out/trace"), "php");
        assert_eq!(traced.command[..4], ["php", "-n", "-d", "xdebug.mode=trace"]);
        assert_eq!(traced.command.last().unwrap(), "worker.php");
        assert_eq!(traced.environment, [("TARE_PROFILE".to_owned(), "/out/trace".to_owned())]);
        let watched = wrapped(Tool::Perf, &start, Path::new("/out/perf.data"), "php");
        assert_eq!(watched.command[..2], ["perf", "record"]);
        assert_eq!(watched.command[watched.command.len() - 4..], ["--", "php", "-n", "worker.php"]);
    }

    #[test]
    fn a_file_that_is_missing_empty_or_cut_is_no_profile() {
        let folder = tempfile::tempdir().unwrap();
        let start = command(&["python3"]);
        let file = folder.path().join("sampled.folded");
        let said = |file: &Path| read(Tool::Sampler, file, &start).unwrap_err().to_string();
        assert!(said(&file).contains("sampler left nothing"), "{}", said(&file));
        std::fs::write(&file, "").unwrap();
        assert!(said(&file).contains("sampler left nothing"), "{}", said(&file));
        std::fs::write(&file, "a;b 3\na;c").unwrap();
        assert!(said(&file).contains("no stacks in line 2"), "{}", said(&file));
    }
}
