//! `[run] build`: what makes the benchmarks that the paths name, before they are looked for.

use std::process::{Command, Stdio};

use anyhow::anyhow;
use tare_definition::Project;

use crate::exit::{Refusal, Status};
use crate::request::Side;
use crate::screen;

/// What is shown of a failing build: its end, where compilers say what is wrong.
const OUTPUT_CHARACTERS: usize = 8_000;

/// Builds each side at its root; nothing where tare.toml names no command.
pub(crate) fn build(project: &Project, sides: &[Side]) -> Result<(), Refusal> {
    let Some(command) = &project.settings.run.build else { return Ok(()) };
    for side in sides.iter().filter(|side| side.root.is_dir()) {
        let of = if side.name.is_empty() { String::new() } else { format!("{}: ", side.name) };
        screen::complain(&format!("{of}building: {}", command));
        let output = Command::new("sh")
            .args(["-c", command])
            .current_dir(&side.root)
            // Which tare: a C++ build asks it for its header.
            .env("TARE", std::env::current_exe().unwrap_or_else(|_| "tare".into()))
            .stdin(Stdio::null())
            .output()
            .map_err(|error| Refusal::failed(anyhow!("sh can't be started: {error}")))?;
        if !output.status.success() {
            let said = [output.stdout, output.stderr].concat();
            let said = String::from_utf8_lossy(&said);
            let skipped = said.chars().count().saturating_sub(OUTPUT_CHARACTERS);
            let said: String = said.chars().skip(skipped).collect();
            return Err(Refusal {
                status: Status::Failed,
                cause: anyhow!(
                    "{of}the build command of tare.toml ended with {}: {command}\n{}\nmend it, or change `build` in [run]",
                    output.status,
                    said.trim_end()
                ),
            });
        }
    }
    Ok(())
}
