//! Which runtimes are looked at: the native side, and those that are named, else those that are installed.

use tare_definition::{Language, RuntimeDefinition};
use tare_samples::RuntimeCommand;

use crate::error::Error;

/// Name of the system's own clocks among runtimes.
pub(crate) const NATIVE: &str = "native";
/// The hidden command by which this program is the worker for them.
pub(super) const NATIVE_WORKER: &str = "worker-of-clocks";

/// `configured` are the runtimes of tare.toml: an argument may name one of them, and without arguments they come first.
pub(crate) fn wanted(named: &[String], configured: &[RuntimeDefinition]) -> Result<Vec<RuntimeCommand>, Error> {
    let mut commands = vec![native()?];
    if named.is_empty() {
        for definition in configured {
            // A command that stands before a C++ program has no clocks of its own; nor has what isn't known to be a runtime.
            let compiler = Language::of_compiler(&definition.command);
            let language = compiler.or(definition.known_language());
            if let Some(language) = language.filter(|of| !of.entry().clocks.compilers || compiler.is_some()) {
                commands.push(command(&definition.name, language, definition.command.clone()));
            }
        }
        let lacks = |commands: &[RuntimeCommand], language: Language| {
            !commands.iter().any(|command| command.name != NATIVE && command.driver == language.name())
        };
        for language in Language::all().filter(|language| lacks(&commands, *language)).collect::<Vec<_>>() {
            let installed = language.entry().clocks.programs.iter().find(|program| is_installed(program));
            commands.extend(installed.map(|program| command(program, language, vec![(*program).to_owned()])));
        }
        return Ok(commands);
    }
    let known = |text: &String| configured.iter().find(|runtime| runtime.name == text.trim()).cloned();
    let definitions: Vec<RuntimeDefinition> = named
        .iter()
        .map(|text| known(text).map_or_else(|| RuntimeDefinition::parse(text), Ok))
        .collect::<Result<_, _>>()
        .map_err(|error| Error::usage(format!("--runtime: {error}")))?;
    RuntimeDefinition::check_distinct(&definitions).map_err(|error| Error::usage(format!("--runtime: {error}")))?;
    for definition in definitions {
        if definition.command == [NATIVE] && definition.language.is_none() {
            continue;
        }
        if definition.name == NATIVE {
            return Err(Error::usage(format!(
                "--runtime: `{NATIVE}` is the name of the system's own clocks; give the runtime another name"
            )));
        }
        let language =
            definition.language.or_else(|| Language::of_compiler(&definition.command)).or(definition.known_language());
        let Some(language) = language else {
            return Err(Error::usage(format!(
                "--runtime: the language of `{}` is unknown from its name; write php:, go:, python:, cpp: (a compiler) or \
                 worker: before the command",
                definition.name
            )));
        };
        commands.push(command(&definition.name, language, definition.command));
    }
    Ok(commands)
}

fn command(name: &str, language: Language, command: Vec<String>) -> RuntimeCommand {
    RuntimeCommand { name: name.to_owned(), driver: language.name().to_owned(), command, ..RuntimeCommand::default() }
}

fn native() -> Result<RuntimeCommand, Error> {
    let program = std::env::current_exe()
        .map_err(|error| Error::failed(format!("this program's own file can't be found: {error}")))?;
    let words = vec![program.to_string_lossy().into_owned(), NATIVE_WORKER.to_owned()];
    Ok(command(NATIVE, Language::Worker, words))
}

fn is_installed(program: &str) -> bool {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&paths).any(|folder| is_executable(&folder.join(program)))
}

fn is_executable(path: &std::path::Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use tare_definition::RuntimeDefinition;

    use super::{NATIVE, wanted};

    #[test]
    fn the_native_side_comes_first_and_names_tell_languages() {
        let named = ["php8.2", "x=clang++-16 -O1", "w=worker:./w", "env K=1 go"].map(str::to_owned);
        let commands = wanted(&named, &[]).unwrap();
        let drivers: Vec<_> = commands.iter().map(|command| (command.name.as_str(), command.driver.as_str())).collect();
        assert_eq!(
            drivers,
            [(NATIVE, "worker"), ("php8.2", "php"), ("x", "cpp"), ("w", "worker"), ("env K=1 go", "go")]
        );
    }

    #[test]
    fn what_can_not_be_a_runtime_is_refused() {
        for (named, said) in [
            ("./thing", "the language of"),
            ("native=php", "the name of the system"),
            ("a=", "empty"),
            ("pph:x", "no language"),
        ] {
            let refusal = wanted(&[named.to_owned()], &[]).unwrap_err();
            assert!(refusal.message.contains(said), "{named}: {}", refusal);
        }
        let twice = ["php", "php"].map(str::to_owned);
        assert!(wanted(&twice, &[]).is_err());
        assert_eq!(wanted(&["native".to_owned()], &[]).unwrap().len(), 1, "nothing else");
    }

    #[test]
    fn runtimes_of_the_project_come_first_and_may_be_named() {
        let definition = |text: &str| RuntimeDefinition::parse(text).unwrap();
        let configured = [
            definition("old=php:/opt/php7/bin/php"),
            definition("env=env OMP_NUM_THREADS=1 native"),
            definition("clang=clang++-16 -O1"),
            definition("what=./unknown"),
        ];
        let commands = wanted(&[], &configured).unwrap();
        let names: Vec<&str> = commands.iter().map(|command| command.name.as_str()).collect();
        assert_eq!(names[..3], [NATIVE, "old", "clang"]);
        // A language that one of them is for needs no other.
        assert!(!names.contains(&"php") && !names.contains(&"g++") && !names.contains(&"env"), "{names:?}");
        let named = wanted(&["old".to_owned()], &configured).unwrap();
        assert_eq!((named.len(), named[1].command.clone()), (2, vec!["/opt/php7/bin/php".to_owned()]));
    }
}
