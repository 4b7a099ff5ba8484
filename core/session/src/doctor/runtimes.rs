//! The runtimes that doctor judges: each is started once, and says what it is.

use std::path::Path;

use tare_definition::{Language, Project};
use tare_results::RuntimeFitness;
use tare_samples::{Failure, RuntimeCommand};
use tare_worker::Launcher;

use crate::clocks::by_hand;
use crate::error::Error;
use crate::judging::fitness::of_runtime;
use crate::listing::frames::runtime_of;
use crate::prepare::placement::launcher_for_a_look;
use crate::session::Session;
use tare_request::commands;

/// The runtimes to judge, and the usual commands that aren't there.
pub(crate) struct Named {
    runtimes: Vec<RuntimeCommand>,
    not_installed: Vec<String>,
}

pub(crate) fn named(asked: &[String], project: &Project) -> Result<Named, Error> {
    let languages: Vec<Language> = Language::all().filter(|language| language.entry().judged_by_itself).collect();
    let mut runtimes = commands(project, asked, &languages)?;
    let mut not_installed = Vec::new();
    if asked.is_empty() {
        let usual: Vec<&str> = languages.iter().filter_map(|language| language.usual_command()).collect();
        // What somebody named and isn't there is an error to be told; what nobody named is only not installed.
        runtimes.retain(|runtime| {
            let program = runtime.command.first().map_or("", String::as_str);
            let there = !usual.contains(&program) || is_on_path(program);
            if !there {
                not_installed.push(program.to_owned());
            }
            there
        });
    }
    Ok(Named { runtimes, not_installed })
}

/// Starts each, and judges what it says. One that can't be started is told, and the others are judged.
pub(crate) fn judged(named: &Named, session: &Session<'_>) -> Result<(Vec<RuntimeFitness>, Vec<String>), Error> {
    let mut launcher = launcher_for_a_look()?;
    let mut judged = Vec::new();
    for command in &named.runtimes {
        if session.is_stopped() {
            break;
        }
        judged.push(judge(command, &mut launcher, session).unwrap_or_else(|failure| RuntimeFitness {
            name: command.name.clone(),
            language: command.driver.clone(),
            failure: Some(failure),
            ..RuntimeFitness::default()
        }));
    }
    Ok((judged, named.not_installed.clone()))
}

fn judge(
    command: &RuntimeCommand,
    launcher: &mut dyn Launcher,
    session: &Session<'_>,
) -> Result<RuntimeFitness, Failure> {
    let source = tare_worker::source_to_judge(command)?;
    let ready = tare_worker::ready(command, &source, &mut |line| session.notice(line))?;
    let conversation = launcher.launch(&ready.start, 0).map_err(by_hand)?;
    let runtime = runtime_of(command, conversation.hello());
    conversation.close();
    Ok(RuntimeFitness {
        findings: of_runtime(&runtime),
        name: runtime.name,
        language: runtime.language,
        version: runtime.version,
        failure: None,
    })
}

fn is_on_path(program: &str) -> bool {
    use std::os::unix::fs::PermissionsExt;
    let executable =
        |path: &Path| path.metadata().is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0);
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| executable(&folder.join(program)))
}
