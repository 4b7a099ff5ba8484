//! `tare profile`: where a case's time goes, by the tools that there are.

pub(crate) mod arguments;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use anyhow::anyhow;
use tare_plan::{Group, Planned, groups};
use tare_profile::{ProfileError, Tool, count, flame_graph, sample};
use tare_report::Layout;
use tare_request::{Request, text};
use tare_results::{ProfileFound, ProfileView};
use tare_session::{STARTUP_UNDER_VALGRIND, Session, describe, take_machine};
use tare_worker::ProcessLauncher;

use crate::arguments::Detail;
use crate::exit::{Refusal, Status};
use crate::interrupt::stop_flag;
use crate::listener::Screen;
use crate::run::{project_here, stopped_early};
use crate::{asked, screen};
use arguments::{ProfileArguments, ToolName};

/// Cases that are named where a pattern matches several.
const NAMED: usize = 8;
/// Characters of a case's name in that of its folder.
const LONGEST_NAME: usize = 60;

pub(crate) fn profile(arguments: &ProfileArguments) -> Result<Status, Refusal> {
    let stop = stop_flag()?;
    let interrupted = || stop.load(Ordering::Relaxed);
    let project = project_here()?;
    let mut selection = arguments.selection.clone();
    selection.filter.extend(arguments.case.iter().cloned());
    let mut request = asked::selected(&selection, &project)?;
    let listener = Screen::default();
    let session = Session::new(&listener, Arc::clone(&stop));
    let found = session.list(&mut request, &project)?;
    let mut launcher = ProcessLauncher::new(Vec::new(), &[], STARTUP_UNDER_VALGRIND);
    let groups = groups(&found.enumerated, &request.settings.calls);
    if groups.is_empty() && !found.failures.is_empty() {
        for failure in &found.failures {
            screen::complain(&describe(failure));
        }
        return Ok(found.blame().map_or(Status::Done, Refusal::status_of));
    }
    let planned = the_one(&groups)?;
    if let Some(reason) = &planned.variant.case.settings.skip {
        return Err(Refusal::usage(anyhow!("{} asks to be left out: {reason}", planned.variant.id)));
    }
    let runtime = &planned.variant.runtime;
    let (tool, notes) = chosen(arguments.tool, &runtime.language, &runtime.command.command)?;
    // Before a minute's work: a folder that can't be made is told now.
    let folder = folder(arguments.output.as_deref(), project.store(), planned)?;
    let Some(_held) = take_machine(&format!("`tare profile` in {}", request.folder.display()), &session) else {
        return Ok(stopped_early());
    };
    screen::complain(&format!("{}: {tool}", screen::visible(&planned.variant.id)));
    let looked = look(tool, planned, &request, &folder, &mut launcher, &interrupted);
    let found = match looked {
        Ok(found) => found,
        Err(error) => {
            // Nothing in it is a profile; what the tool left may be of use for finding out why.
            let _ = fs::remove_dir(&folder);
            return Err(refusal(error));
        }
    };
    let view = ProfileView {
        case: planned.variant.id.clone(),
        runtime: (runtime.name.clone(), runtime.version.clone()),
        tool: tool.name().to_owned(),
        notes,
        folder: text(folder.strip_prefix(&request.folder).unwrap_or(&folder)),
        found,
    };
    if arguments.selection.json {
        screen::print(&tare_report::profile_document(&view, Layout::Pretty));
    } else {
        let options = screen::table_options(&Detail::default());
        screen::print(&tare_report::profile_report(&view, &options));
    }
    Ok(Status::Done)
}

/// The one variant that was meant.
fn the_one(groups: &[Group]) -> Result<&Planned, Refusal> {
    let all: Vec<&Planned> = groups.iter().flat_map(|group| &group.variants).collect();
    match all.as_slice() {
        [one] => Ok(one),
        [] => Err(Refusal::usage(anyhow!(
            "no case matches --case: a pattern is looked for in `Class::method#parameters`, and case matters; `tare list` shows the cases there are"
        ))),
        several => {
            let named: Vec<&str> = several.iter().take(NAMED).map(|planned| planned.variant.id.as_str()).collect();
            let rest = several.len().saturating_sub(NAMED);
            let more = if rest > 0 { format!(", and {rest} more") } else { String::new() };
            Err(Refusal::usage(anyhow!(
                "a profile is of one case, and --case matches {}: {}{more}; name one of them, as in --case 'name$', and one --runtime",
                several.len(),
                named.join(", ")
            )))
        }
    }
}

/// The tool that was asked for, or the best there is, and what is to be said of it.
fn chosen(asked: Option<ToolName>, language: &str, command: &[String]) -> Result<(Tool, Vec<String>), Refusal> {
    if let Some(asked) = asked {
        let tool = asked.tool();
        return tool.check(language, command).map(|()| (tool, Vec::new())).map_err(refusal);
    }
    let (tool, missing) = Tool::best(language, command).map_err(refusal)?;
    let mut notes: Vec<String> = missing.iter().map(ToString::to_string).collect();
    if tool == Tool::Perf && matches!(language, "php" | "python") {
        notes.push("perf sees the functions of the interpreter, not those of the script".to_owned());
    }
    Ok((tool, notes))
}

fn refusal(error: ProfileError) -> Refusal {
    match &error {
        ProfileError::Missing { .. } | ProfileError::File { .. } => Refusal::usage(anyhow!("{error}")),
        ProfileError::Failed { failure, .. } => {
            Refusal::failed(anyhow!("{error}{}", screen::visible(&printed(&failure.stderr))))
        }
        ProfileError::Interrupted => Refusal { status: Status::Interrupted, cause: anyhow!("{error}") },
        ProfileError::Unusable { .. } => Refusal::failed(anyhow!("{error}")),
    }
}

/// The end of what a worker or its tool said before it failed.
fn printed(stderr: &str) -> String {
    const LINES: usize = 6;
    let lines: Vec<&str> = stderr.lines().filter(|line| !line.trim().is_empty()).collect();
    let shown = &lines[lines.len().saturating_sub(LINES)..];
    if shown.is_empty() { String::new() } else { format!("\nit printed:\n  {}", shown.join("\n  ")) }
}

/// A folder of this profile's own, empty.
fn folder(asked: Option<&Path>, store: PathBuf, planned: &Planned) -> Result<PathBuf, Refusal> {
    let refuse = |path: &Path, error: std::io::Error| {
        Refusal::usage(anyhow!("{}: {error}; name a folder that can be written with --output", path.display()))
    };
    let above = match asked {
        Some(folder) => std::env::current_dir().map_err(Refusal::usage)?.join(folder),
        None => store.join("profiles"),
    };
    fs::create_dir_all(&above).map_err(|error| refuse(&above, error))?;
    let harmless = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '-' };
    let name: String = planned.variant.id.chars().map(harmless).take(LONGEST_NAME).collect();
    let begun = jiff::Timestamp::now().strftime("%Y%m%d-%H%M%S").to_string();
    for again in 0..100 {
        let suffix = if again == 0 { String::new() } else { format!("-{again}") };
        let path = above.join(format!("{begun}-{name}{suffix}"));
        match fs::create_dir(&path) {
            Ok(()) => return Ok(path),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(refuse(&path, error)),
        }
    }
    Err(Refusal::usage(anyhow!("{}: it holds too many profiles of this second; try again", above.display())))
}

fn look(
    tool: Tool,
    planned: &Planned,
    request: &Request,
    folder: &Path,
    launcher: &mut ProcessLauncher,
    interrupted: &dyn Fn() -> bool,
) -> Result<ProfileFound, ProfileError> {
    if tool.counts() {
        let mut tell = |line: &str| screen::complain(line);
        let counted = count(tool, planned, &request.settings, folder, launcher, &mut tell, interrupted)?;
        let what = if tool == Tool::Callgrind { "instructions" } else { "system calls" };
        return Ok(ProfileFound::Counts {
            what: what.to_owned(),
            calls: counted.launches.calls,
            per_call: counted.launches.per_call(),
            raw_per_call: counted.launches.raw_per_call(),
            apart: counted.launches.apart(),
            parts: counted.parts.into_iter().map(|part| (part.name, part.per_call)).collect(),
        });
    }
    let sampled = sample(tool, planned, &request.settings, folder, launcher)?;
    let write = |name: &str, content: String| {
        let path = folder.join(name);
        fs::write(&path, content).map_err(|error| ProfileError::File { path: path.display().to_string(), error })
    };
    let lines: Vec<String> = sampled.stacks.lines().collect();
    write("stacks.folded", lines.join("\n") + "\n")?;
    let title = format!("{} on {} ({tool})", planned.variant.id, planned.variant.runtime.name);
    let picture = flame_graph(&sampled.stacks, &title, sampled.unit).ok_or_else(|| ProfileError::Unusable {
        tool: tool.name(),
        what: "stacks that make no flame graph".to_owned(),
        remedy: format!("they are in {}", folder.display()),
    })?;
    write("flame.svg", picture)?;
    let raw = sampled.raw.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    Ok(ProfileFound::Stacks {
        calls: sampled.calls,
        total: sampled.stacks.total(),
        unit: sampled.unit.to_owned(),
        own: sampled.stacks.innermost(),
        files: ["flame.svg".to_owned(), "stacks.folded".to_owned(), raw],
    })
}
