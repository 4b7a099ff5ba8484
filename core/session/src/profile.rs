//! Where a case's time goes, by the tools that there are.

use std::fs;
use std::path::{Path, PathBuf};

use tare_definition::Project;
use tare_languages::{Execution, of_name};
use tare_plan::{Group, Planned, groups};
use tare_profile::{ProfileError, Tool, count, flame_graph, sample};
use tare_request::{Request, profiled_again, text};
use tare_results::{ProfileFound, ProfileView, ProfiledRuntime};
use tare_worker::ProcessLauncher;

use crate::error::{Error, Kind};
use crate::failures::describe;
use crate::measuring::counters::STARTUP;
use crate::prepare::lock;
use crate::session::Session;
use crate::stored_profiles;

/// Cases that are named where a pattern matches several.
const NAMED: usize = 8;
/// Characters of a case's name in that of its folder.
const LONGEST_NAME: usize = 60;

/// What is asked of a profile, beside the case.
#[derive(Debug, Clone, Default)]
pub struct ProfileRequest {
    /// What looks into it; `None`: the best that there is.
    pub tool: Option<Tool>,
    /// Where a folder for the profile is made, relative to where it is asked; `None`: in the store.
    pub output: Option<PathBuf>,
}

impl Session<'_> {
    /// Looks into the one case that the request selects.
    ///
    /// # Errors
    ///
    /// Where it selects none, or several, a tool isn't there, or the profile fails.
    pub fn profile(
        &self,
        asked: &ProfileRequest,
        mut request: Request,
        project: &Project,
    ) -> Result<ProfileView, Error> {
        let found = self.list(&mut request, project)?;
        let groups = groups(&found.enumerated, &request.settings.calls);
        if groups.is_empty() && !found.failures.is_empty() {
            let told: Vec<String> = found.failures.iter().map(describe).collect();
            return Err(Error::new(found.blame().unwrap_or(Kind::Failed), told.join("\n")));
        }
        let planned = the_one(&groups)?;
        if let Some(reason) = &planned.variant.case.settings.skip {
            return Err(Error::usage(format!("{} skips itself: {reason}", planned.variant.id)));
        }
        let runtime = &planned.variant.runtime;
        let (tool, notes) = chosen(asked.tool, &runtime.language, &runtime.command.command)?;
        // Before a minute's work: a folder that can't be made is told now.
        let folder = folder(asked.output.as_deref(), &request.folder, &project.store(), planned)?;
        let started = jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
        let what = format!("`tare profile` in {}", request.folder.display());
        let _held = lock::take(&what, self)?;
        self.notice(format!("{}: {tool}", planned.variant.id));
        let mut launcher = ProcessLauncher::new(Vec::new(), &[], STARTUP);
        let found = look(tool, planned, &request, &folder, &mut launcher, self).map_err(|error| {
            // Nothing in it is a profile; what the tool left may be of use for finding out why.
            let _ = fs::remove_dir(&folder);
            refused(error)
        })?;
        let view = ProfileView {
            case: planned.variant.id.clone(),
            subject: planned.variant.case.id(),
            started,
            runtime: ProfiledRuntime { name: runtime.name.clone(), version: runtime.version.clone() },
            tool: tool.name().to_owned(),
            notes,
            folder: text(folder.strip_prefix(&request.folder).unwrap_or(&folder)),
            again: Some(profiled_again(&request, tool.name())),
            found,
        };
        stored_profiles::keep(&folder, &view).map_err(refused)?;
        Ok(view)
    }
}

/// The one variant that was meant.
fn the_one(groups: &[Group]) -> Result<&Planned, Error> {
    let all: Vec<&Planned> = groups.iter().flat_map(|group| &group.variants).collect();
    match all.as_slice() {
        [one] => Ok(one),
        [] => Err(Error::usage(
            "no case matches --case: a pattern is looked for in `Class::method#parameters`, and case matters; `tare list` shows all cases",
        )),
        several => {
            let named: Vec<&str> = several.iter().take(NAMED).map(|planned| planned.variant.id.as_str()).collect();
            let rest = several.len().saturating_sub(NAMED);
            let more = if rest > 0 { format!(", and {rest} more") } else { String::new() };
            Err(Error::usage(format!(
                "a profile is of one case, and --case matches {}: {}{more}; name one of them, as in --case 'name$', and one --runtime",
                several.len(),
                named.join(", ")
            )))
        }
    }
}

/// The tool that was asked for, or the best there is, and what is to be said of it.
fn chosen(asked: Option<Tool>, language: &str, command: &[String]) -> Result<(Tool, Vec<String>), Error> {
    if let Some(asked) = asked {
        return asked.check(language, command).map(|()| (asked, Vec::new())).map_err(refused);
    }
    let (tool, missing) = Tool::best(language, command).map_err(refused)?;
    let mut notes: Vec<String> = missing.iter().map(ToString::to_string).collect();
    if tool == Tool::Perf && of_name(language).execution == Execution::Interpreted {
        notes.push("perf sees the functions of the interpreter, not those of the script".to_owned());
    }
    Ok((tool, notes))
}

fn refused(error: ProfileError) -> Error {
    match error {
        ProfileError::Missing { .. } | ProfileError::File { .. } => Error::usage(error),
        ProfileError::Failed { ref failure, .. } => Error::failed(format!("{error}{}", printed(&failure.stderr))),
        ProfileError::Interrupted => Error::new(Kind::Interrupted, error),
        ProfileError::Unusable { .. } => Error::failed(error),
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
fn folder(asked: Option<&Path>, here: &Path, store: &Path, planned: &Planned) -> Result<PathBuf, Error> {
    let refuse = |path: &Path, error: std::io::Error| {
        Error::usage(format!("{}: {error}; name a folder that can be written with --output", path.display()))
    };
    let above = match asked {
        Some(folder) => here.join(folder),
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
    Err(Error::usage(format!("{}: it holds too many profiles of this second; try again", above.display())))
}

fn look(
    tool: Tool,
    planned: &Planned,
    request: &Request,
    folder: &Path,
    launcher: &mut ProcessLauncher,
    session: &Session<'_>,
) -> Result<ProfileFound, ProfileError> {
    if tool.counts() {
        let mut tell = |line: &str| session.notice(line);
        let counted = count(tool, planned, &request.settings, folder, launcher, &mut tell, &|| session.is_stopped())?;
        let what = if tool == Tool::Callgrind { "instructions" } else { "system calls" };
        return Ok(ProfileFound::Counts {
            what: what.to_owned(),
            calls: counted.launches.calls,
            per_call: counted.launches.per_call(),
            raw_per_call: counted.launches.raw_per_call(),
            repeat_difference: counted.launches.repeat_difference(),
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
        stacks: sampled.stacks.counts().map(|(stack, count)| (stack.to_owned(), count)).collect(),
        files: ["flame.svg".to_owned(), "stacks.folded".to_owned(), raw],
    })
}
