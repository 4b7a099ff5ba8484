//! `[run] build`: what makes the benchmarks that the paths name, before they are looked for.

use tare_definition::Project;
use tare_revisions::{RevisionError, run_shell};

use crate::error::Error;
use crate::event::Event;
use crate::session::Session;
use tare_request::{Request, Side};

/// What is shown of a failing build: its end, where compilers say what is wrong.
const OUTPUT_CHARACTERS: usize = 8_000;

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
            let nothing = if sides.len() > 1 { "; nothing is compared" } else { "" };
            let what =
                format!("{of}the build command of tare.toml ended with {}: {command}\n{}", ran.status, said.trim_end());
            return Err(Error::failed(what).with_remedy(format!("mend it, or change `build` in [run]{nothing}")));
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
