//! `tare exec`: whole commands, which take turns as variants do.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::anyhow;
use tare_commands::{CommandLine, CommandTemplate, Output, Parameters, Suite, program};
use tare_definition::Project;
use tare_samples::Calls;
use tare_session::{EXPORT_FORMATS, Session, Sides, begin, exported, keep_commands};

use crate::arguments::{ExecArguments, Revising};
use crate::asked;
use crate::asked::{folder_here, project_here};
use crate::exit::{Refusal, Status};
use crate::interrupt::{ROUND, stop_flag};
use crate::listener::Screen;
use crate::output::Reported;
use crate::run::{carry_out, told_to, wanted};
use crate::screen::complain;

/// Of a comparison, where nobody gives one. In 4 s 43 of 50 comparisons of a command with itself stayed undecided (docs/validation.md).
const BUDGET: Duration = Duration::from_secs(10);

/// The worker that starts them.
pub(crate) fn serve() -> Result<Status, Refusal> {
    tare_commands::serve().map_err(|error| Refusal::failed(anyhow!("the wire can't be opened: {error}")))?;
    Ok(Status::Done)
}

pub(crate) fn exec(arguments: &ExecArguments) -> Result<Status, Refusal> {
    let begun = Instant::now();
    asked::check(arguments.refused())?;
    let planned = planned(arguments)?;
    let project = project_here()?;
    let stop = stop_flag(ROUND)?;
    let content = serde_json::to_vec(&planned.suite).map_err(Refusal::failed)?;
    let mut asking = arguments.asking(keep_commands(&content)?);
    asking.comparing.base = None;
    if let Some(runs) = arguments.runs {
        // Each execution in a launch of its own: they are independent, as launches are.
        asking.measuring.launches = Some(runs);
        asking.measuring.samples = Some(1);
        asking.measuring.calls = vec![Calls::Loop(1)];
    }
    let screen = Screen::default();
    let listener = told_to(&screen, &asking, &project)?;
    let session = Session::new(&listener, stop).going_away(asking.telling.no_wait);
    let mut request = asked::request(&asking, &Revising::default(), &project)?;
    if !request.settings.budget_given && project.settings.project.comparison_budget.is_none() {
        request.settings.comparison_budget = BUDGET;
    }
    // What tare.toml names is a benchmark.
    request.comparing.base = None;
    request.without_project_gates = true;
    let hyperfine = arguments.export_hyperfine.as_deref().map(Hyperfine::open).transpose()?;
    let cleanup = Cleanup(&planned.cleanup);
    for command in &planned.setup {
        once("--setup", command)?;
    }
    planned.check()?;
    planned.warm_up(arguments.warmup)?;
    let job = begin(request, &project, Sides::default());
    let run = job.origin.id.clone();
    let done = carry_out(job, &wanted(&asking, None), &Reported::of(&asking), &session, begun);
    drop(cleanup);
    let status = done?;
    if let Some(hyperfine) = hyperfine {
        hyperfine.write(&run, &project)?;
    }
    Ok(status)
}

/// The file of `--export-hyperfine`, opened before anything is measured.
struct Hyperfine<'a> {
    path: &'a Path,
    file: File,
}

impl<'a> Hyperfine<'a> {
    fn open(path: &'a Path) -> Result<Self, Refusal> {
        let file = File::create(path).map_err(|error| {
            usage(format!(
                "--export-hyperfine {}: {error}; name a file in a folder that can be written",
                path.display()
            ))
        })?;
        Ok(Self { path, file })
    }

    /// Of the stored run; an interrupted one has what was measured.
    fn write(mut self, run: &str, project: &Project) -> Result<(), Refusal> {
        let Some(format) = EXPORT_FORMATS.iter().find(|format| format.name == "hyperfine") else { return Ok(()) };
        let written = exported(run, format, project)?;
        written.notices.iter().for_each(|notice| complain(notice));
        self.file.write_all(&written.bytes).map_err(|error| {
            Refusal::failed(anyhow!(
                "--export-hyperfine {}: {error}; `tare export --format hyperfine {run}` writes it again",
                self.path.display()
            ))
        })
    }
}

/// Runs what comes last, however the measurement ended.
struct Cleanup<'a>(&'a [String]);

impl Drop for Cleanup<'_> {
    fn drop(&mut self) {
        for command in self.0 {
            if let Err(refusal) = once("--cleanup", command) {
                complain(&tare_session::with_causes(refusal.cause.as_ref()));
            }
        }
    }
}

/// What is to be done.
struct Planned {
    suite: Suite,
    setup: Vec<String>,
    cleanup: Vec<String>,
}

impl Planned {
    /// Refuses a program that isn't there before anything is measured. Setups have run by now; a command with `--prepare` isn't checked, since that may build it.
    fn check(&self) -> Result<(), Refusal> {
        let found =
            self.suite.commands.iter().filter(|line| line.prepare.is_none()).map(|line| program(&line.words[0]));
        let missing = found.filter_map(Result::err).next();
        missing.map_or(Ok(()), |(message, remedy)| Err(usage(format!("{message}; {remedy}"))))
    }

    /// Untimed executions. A command that fails here fails again when it is measured, which reports it.
    fn warm_up(&self, times: u32) -> Result<(), Refusal> {
        use std::process::Stdio;
        for line in &self.suite.commands {
            let Some((program, words)) = line.words.split_first() else { continue };
            for _ in 0..times {
                line.prepare.iter().try_for_each(|command| once("--prepare", command))?;
                let input = match &line.input {
                    Some(path) => Stdio::from(File::open(path).map_err(|error| unread(path, &error))?),
                    None => Stdio::null(),
                };
                let _ =
                    Command::new(program).args(words).stdin(input).stdout(Stdio::null()).stderr(Stdio::null()).status();
                line.conclude.iter().try_for_each(|command| once("--conclude", command))?;
            }
        }
        Ok(())
    }
}

fn unread(path: &Path, error: &std::io::Error) -> Refusal {
    Refusal::usage(anyhow!("--input {}: {error}", path.display()))
}

fn usage(message: String) -> Refusal {
    Refusal::usage(anyhow!(message))
}

/// Runs a shell command of the user's that is not measured.
fn once(option: &str, command: &str) -> Result<(), Refusal> {
    let status = Command::new("sh").args(["-c", command]).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(Refusal::failed(anyhow!("{option} `{command}` failed ({status}); run it alone in `sh -c`"))),
        Err(error) => Err(Refusal::failed(anyhow!("{option} `{command}` can't be started: {error}"))),
    }
}

/// One for all commands, or one for each.
fn hook_of<'a>(option: &str, hooks: &'a [String], number: usize, commands: usize) -> Result<Option<&'a str>, Refusal> {
    match hooks.len() {
        0 => Ok(None),
        1 => Ok(Some(&hooks[0])),
        count if count == commands => Ok(Some(&hooks[number])),
        count => Err(usage(format!(
            "{option} is given {count} times, and there are {commands} commands; give it once, or once for each"
        ))),
    }
}

fn planned(arguments: &ExecArguments) -> Result<Planned, Refusal> {
    let commands = &arguments.commands;
    let parameters = Parameters::read(&arguments.parameter_list, &arguments.parameter_scan)
        .map_err(|error| usage(error.to_string()))?;
    if arguments.command_name.len() > commands.len() {
        return Err(usage(format!(
            "--command-name is given {} times, and there are {} commands; leave some out",
            arguments.command_name.len(),
            commands.len()
        )));
    }
    let input = arguments.input.as_ref().map(readable).transpose()?;
    let ignored = arguments.ignore_failure.as_deref().map(statuses).transpose()?;
    let (mut lines, mut setup, mut cleanup): (Vec<CommandLine>, Vec<String>, Vec<String>) = Default::default();
    let mut all = Vec::new();
    for (number, command) in commands.iter().enumerate() {
        let hook = |option, hooks| hook_of(option, hooks, number, commands.len()).map(|hook| hook.map(str::to_owned));
        let asked = CommandTemplate {
            command: command.clone(),
            name: arguments.command_name.get(number).cloned(),
            shell: arguments.shell.clone(),
            prepare: hook("--prepare", &arguments.prepare)?,
            conclude: hook("--conclude", &arguments.conclude)?,
            input: input.clone(),
            ignored: ignored.clone(),
        };
        asked.add_to(&mut lines, &parameters).map_err(|error| usage(error.to_string()))?;
        all.push(asked);
        let each = |option, hooks: &[String], all: &mut Vec<String>| -> Result<(), Refusal> {
            let hook = hook_of(option, hooks, number, commands.len())?;
            // One for all is run once.
            all.extend(hook.filter(|_| hooks.len() > 1 || number == 0).map(str::to_owned));
            Ok(())
        };
        each("--setup", &arguments.setup, &mut setup)?;
        each("--cleanup", &arguments.cleanup, &mut cleanup)?;
    }
    let texts: Vec<&str> = all.iter().flat_map(CommandTemplate::texts).collect();
    if let Some(unused) = parameters.unused(&texts) {
        return Err(usage(unused.to_string()));
    }
    let at = match arguments.base() {
        None => 0,
        Some(base) => lines.iter().position(|line| line.name == base).ok_or_else(|| {
            let names: Vec<String> = lines.iter().map(|line| format!("`{}`", line.name)).collect();
            usage(format!("--base {base} is none of these commands; name one of {}", names.join(", ")))
        })?,
    };
    if lines.len() > 1 {
        lines[at].base = true;
    }
    let suite = Suite { commands: lines, tare_start: arguments.tare_start, output: output(arguments)? };
    Ok(Planned { suite, setup, cleanup })
}

fn readable(path: &PathBuf) -> Result<PathBuf, Refusal> {
    std::fs::File::open(path).map_err(|error| unread(path, &error))?;
    Ok(folder_here()?.join(path))
}

fn output(arguments: &ExecArguments) -> Result<Output, Refusal> {
    Ok(match &arguments.output {
        None => Output::Null,
        Some(path) if path.as_os_str() == "null" => Output::Null,
        Some(path) if path.as_os_str() == "inherit" => {
            let opened = File::options().append(true).open("/proc/self/fd/1");
            opened.map_err(|error| usage(format!("--output inherit: what Tare writes to can't be opened by others: {error}; name null, pipe or a file")))?;
            Output::Inherited
        }
        Some(path) if path.as_os_str() == "pipe" => Output::Pipe,
        Some(path) => {
            std::fs::File::create(path).map_err(|error| usage(format!("--output {}: {error}", path.display())))?;
            Output::File(folder_here()?.join(path))
        }
    })
}

/// `all`, or `1,2`.
fn statuses(text: &str) -> Result<Vec<i32>, Refusal> {
    if text == "all" {
        return Ok(Vec::new());
    }
    let each = text.split(',').map(|code| code.trim().parse().ok().filter(|code| (1..256).contains(code)));
    each.collect::<Option<_>>().ok_or_else(|| {
        usage(format!("--ignore-failure={text} is no list of statuses; write it as --ignore-failure=1,2, or without a value for all"))
    })
}
