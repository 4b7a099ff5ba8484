//! A command as it is asked for, with places for parameters: one or several lines of a suite.

use std::path::PathBuf;

use crate::error::{CommandError, wrong};
use crate::parameters::{Parameters, put_in};
use crate::suite::CommandLine;

/// A command before parameters are put in.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CommandTemplate {
    /// Program and arguments as a shell splits them, or what a shell is given.
    pub command: String,
    /// What reports call it; the command itself where nothing is said.
    pub name: Option<String>,
    /// The shell that runs it.
    pub shell: Option<String>,
    /// A shell command before each execution.
    pub prepare: Option<String>,
    /// The same behind it.
    pub conclude: Option<String>,
    /// What it reads from.
    pub input: Option<PathBuf>,
    /// Statuses other than 0 that are no failure; an empty list stands for all.
    pub ignored: Option<Vec<i32>>,
}

impl CommandTemplate {
    /// Where parameters may stand.
    pub fn texts(&self) -> Vec<&str> {
        [Some(self.command.as_str()), self.prepare.as_deref(), self.conclude.as_deref()].into_iter().flatten().collect()
    }

    /// Adds a line for each combination of the parameters that it has. Equal names are numbered.
    ///
    /// # Errors
    /// An empty command or name, or a quote that isn't closed.
    pub fn add_to(&self, lines: &mut Vec<CommandLine>, parameters: &Parameters) -> Result<(), CommandError> {
        for values in parameters.combinations(&self.texts()) {
            let filled = put_in(&self.command, &values);
            let words = match &self.shell {
                Some(shell) => vec![shell.clone(), "-c".to_owned(), filled.clone()],
                None => words(&filled)?,
            };
            let mut name = self.name.as_ref().map_or_else(|| filled.clone(), |name| put_in(name, &values));
            if name.trim().is_empty() {
                return Err(empty());
            }
            let same = lines.iter().filter(|line| line.name == name || is_repeat(&line.name, &name)).count();
            if same > 0 {
                name = format!("{name} ({})", same + 1);
            }
            let fill = |text: &Option<String>| text.as_ref().map(|text| put_in(text, &values));
            lines.push(CommandLine {
                name,
                words,
                base: false,
                prepare: fill(&self.prepare),
                conclude: fill(&self.conclude),
                shell: self.shell.clone(),
                input: self.input.clone(),
                ignored: self.ignored.clone(),
                parameters: values,
            });
        }
        Ok(())
    }
}

/// Whether a name is that of an earlier command with a number behind it.
fn is_repeat(name: &str, of: &str) -> bool {
    let number = name.strip_prefix(of).and_then(|rest| rest.strip_prefix(" (")?.strip_suffix(')'));
    number.is_some_and(|number| number.parse::<usize>().is_ok())
}

fn empty() -> CommandError {
    wrong("a command is empty", "leave it out, or name what to run")
}

fn words(command: &str) -> Result<Vec<String>, CommandError> {
    let words = shell_words::split(command)
        .map_err(|_| wrong(format!("a quote in `{command}` isn't closed"), "close it, or write \\ before it"))?;
    match words.first() {
        Some(program) if !program.is_empty() => Ok(words),
        _ => Err(empty()),
    }
}
