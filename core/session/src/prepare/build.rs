//! `[run] build`: what makes the benchmarks that the paths name, before they are looked for.

use tare_definition::Project;
use tare_revisions::{RevisionError, run_shell};

use crate::error::{Error, Kind};
use crate::event::Event;
use crate::job::Job;
use crate::prepare::sides::missing;
use crate::session::Session;
use tare_request::{Request, Side};

/// What is shown of a failing build: its end, where compilers say what is wrong.
const OUTPUT_CHARACTERS: usize = 8_000;

/// Builds what a job measures. A base that can't be built has no benchmarks, and those of the candidate have nothing to be compared with: otherwise no
/// change that adds the first benchmarks could pass.
pub(crate) fn build_sides(job: &mut Job, project: &Project, session: &Session<'_>) -> Result<(), Error> {
    let request = &mut job.request;
    let to_build: Vec<Side> =
        if job.resumed { lacking(request).into_iter().cloned().collect() } else { request.sides.clone() };
    let [base, _, ..] = request.sides.as_mut_slice() else {
        return build(project, &to_build.iter().collect::<Vec<_>>(), session);
    };
    let (bases, candidates): (Vec<&Side>, Vec<&Side>) = to_build.iter().partition(|side| side.root == base.root);
    if let Err(error) = build(project, &bases, session) {
        if error.kind == Kind::Interrupted {
            return Err(error);
        }
        session.notice(format!("{}\n{} counts as a revision without benchmarks", error.message, base.name));
        base.root = missing(project);
        base.folder = base.root.clone();
    }
    build(project, &candidates, session)
}

/// Builds each side at its root; nothing where tare.toml names no command. An interruption ends the command with all that it has
/// started.
pub(crate) fn build(project: &Project, sides: &[&Side], session: &Session<'_>) -> Result<(), Error> {
    let Some(command) = &project.settings.run.build else { return Ok(()) };
    for side in sides.iter().filter(|side| side.root.is_dir()) {
        let of = if side.name.is_empty() { String::new() } else { format!("{}: ", side.name) };
        session.emit(&Event::Building { side: side.name.clone(), command: command.clone() });
        // Which tare: a C++ build asks it for its header.
        let tare = std::env::current_exe().unwrap_or_else(|_| "tare".into());
        let ran = match run_shell(command, &side.root, &[("TARE", tare.as_os_str())], &|| session.is_stopped()) {
            Ok(ran) => ran,
            Err(RevisionError::Interrupted) => return Err(Error::interrupted()),
            Err(error) => return Err(Error::failed(error)),
        };
        if !ran.status.success() {
            let skipped = ran.output.chars().count().saturating_sub(OUTPUT_CHARACTERS);
            let said: String = ran.output.chars().skip(skipped).collect();
            let what =
                format!("{of}the build command of tare.toml ended with {}: {command}\n{}", ran.status, said.trim_end());
            return Err(Error::failed(what).with_remedy("mend it, or change `build` in [run]"));
        }
    }
    Ok(())
}

/// The sides that a run which is resumed has to build: those where something that it measured isn't there any more. What is
/// there stays as it is, since launches of two builds don't belong together.
pub(crate) fn lacking(request: &Request) -> Vec<&Side> {
    let lacks =
        |side: &&Side| request.fingerprints.keys().any(|source| source.starts_with(&side.root) && !source.exists());
    request.sides.iter().filter(lacks).collect()
}
