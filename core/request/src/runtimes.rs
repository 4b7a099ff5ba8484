//! The runtimes that are measured.

use tare_definition::{Language, Project, RuntimeDefinition};
use tare_samples::RuntimeCommand;

use crate::error::RequestError;

/// The runtimes that are named, else those that the languages call for.
pub fn commands(
    project: &Project,
    arguments: &[String],
    languages: &[Language],
) -> Result<Vec<RuntimeCommand>, RequestError> {
    let runtimes = project.runtimes(arguments, languages).map_err(RequestError::new)?;
    let command = |runtime: RuntimeDefinition| RuntimeCommand {
        driver: runtime.language.unwrap_or(Language::ASSUMED).name().to_owned(),
        name: runtime.name,
        command: runtime.command,
        ..RuntimeCommand::default()
    };
    Ok(runtimes.into_iter().map(command).collect())
}
