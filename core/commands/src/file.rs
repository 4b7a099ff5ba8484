//! The file that commands are read from: a `tare.toml` with `[[command]]`, or what `tare exec` wrote.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::asked::CommandTemplate;
use crate::error::{CommandError, wrong};
use crate::parameters::Parameters;
use crate::suite::Suite;

/// The file; what else it has is read by others.
#[derive(Debug, Deserialize)]
struct File {
    #[serde(default)]
    command: Vec<toml::Spanned<Table>>,
}

/// One `[[command]]`. `COMMANDS` of `tare-definition` lists the same keys, to name the nearest one of a key that is misspelt.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Table {
    command: String,
    name: Option<String>,
    shell: Option<String>,
    prepare: Option<String>,
    conclude: Option<String>,
    input: Option<PathBuf>,
    #[serde(default)]
    parameters: toml::Table,
    ignore_failure: Option<Ignored>,
}

/// `true`, or statuses.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Ignored {
    All(bool),
    These(Vec<i32>),
}

/// The commands of a file.
pub(crate) fn read(path: &Path) -> Result<Suite, CommandError> {
    let unread = |error: &dyn Display| wrong(error.to_string(), "write it with `tare exec`");
    let text = std::fs::read_to_string(path).map_err(|error| unread(&error))?;
    match path.extension().is_some_and(|ending| ending == "toml") {
        true => suite_of(&text),
        false => serde_json::from_str(&text).map_err(|error| unread(&error)),
    }
}

/// The commands of a `tare.toml`; what is wrong is named with the line that its table begins in.
fn suite_of(text: &str) -> Result<Suite, CommandError> {
    let file: File = toml::from_str(text).map_err(|error| {
        let line = error.span().map_or(1, |span| line_of(text, span.start));
        wrong(format!("line {line}: {}", error.message().replace('\n', ", ")), "see [[command]] in docs/commands.md")
    })?;
    let mut suite = Suite::default();
    for table in file.command {
        let line = line_of(text, table.span().start);
        let placed = |error: CommandError| CommandError { message: format!("line {line}: {}", error.message), ..error };
        let Table { command, name, shell, prepare, conclude, input, parameters, ignore_failure } = table.into_inner();
        let ignored = match ignore_failure {
            None | Some(Ignored::All(false)) => None,
            Some(Ignored::All(true)) => Some(Vec::new()),
            Some(Ignored::These(statuses)) => Some(statuses),
        };
        let asked = CommandTemplate { command, name, shell, prepare, conclude, input, ignored };
        let parameters = lists(parameters).map_err(placed)?;
        if let Some(unused) = parameters.unused(&asked.texts()) {
            return Err(placed(unused));
        }
        asked.add_to(&mut suite.commands, &parameters).map_err(placed)?;
    }
    if suite.commands.is_empty() {
        return Err(wrong("there is no [[command]] in it", "name a file that has one"));
    }
    Ok(suite)
}

fn line_of(text: &str, offset: usize) -> usize {
    text.as_bytes().iter().take(offset).filter(|&&byte| byte == b'\n').count() + 1
}

/// `level = [1, 6, 9]`, by name.
fn lists(parameters: toml::Table) -> Result<Parameters, CommandError> {
    let list = |(name, value): (String, toml::Value)| {
        let toml::Value::Array(values) = value else {
            return Err(wrong(format!("the parameter `{name}` is no list"), format!("write {name} = [\"a\", \"b\"]")));
        };
        let word = |value: toml::Value| match value {
            toml::Value::String(text) => Ok(text),
            toml::Value::Integer(_) | toml::Value::Float(_) | toml::Value::Boolean(_) => Ok(value.to_string()),
            _ => Err(wrong(format!("the parameter `{name}` has a value that is no text"), "write texts or numbers")),
        };
        Ok((name.clone(), values.into_iter().map(word).collect::<Result<Vec<_>, _>>()?))
    };
    Parameters::of(parameters.into_iter().map(list).collect::<Result<_, _>>()?)
}

#[cfg(test)]
mod tests {
    use super::suite_of;

    const TEXT: &str = "
[run]
budget = \"1s\"

[[command]]
name = \"pack {level}\"
command = \"gzip -{level} -c big.txt\"
parameters = { level = [1, \"9\"] }

[[command]]
command = \"sort < big.txt\"
shell = \"sh\"
ignore-failure = [2]
prepare = \"sync\"
";

    #[test]
    fn each_combination_of_a_table_is_a_command() {
        let suite = suite_of(TEXT).unwrap();
        let names: Vec<_> = suite.commands.iter().map(|line| line.name.as_str()).collect();
        assert_eq!(names, ["pack 1", "pack 9", "sort < big.txt"]);
        assert_eq!(suite.commands[1].words, ["gzip", "-9", "-c", "big.txt"]);
        assert_eq!(suite.commands[2].words, ["sh", "-c", "sort < big.txt"]);
        assert_eq!((&suite.commands[2].ignored, &suite.commands[2].shell), (&Some(vec![2]), &Some("sh".to_owned())));
        assert!(suite.commands.iter().all(|line| !line.base));
    }

    #[test]
    fn a_mistake_is_named_with_its_line() {
        for (text, said) in [
            ("\n[[command]]\ncomand = \"a\"\n", "line 3: unknown field `comand`"),
            ("[[command]]\nname = \"a\"\n", "line 1: missing field `command`"),
            ("\n[[command]]\ncommand = \"a 'b\"\n", "line 2: a quote in `a 'b` isn't closed"),
            ("[[command]]\ncommand = \" \"\n", "line 1: a command is empty"),
            ("[[command]]\ncommand = \"a\"\nparameters = { n = 1 }\n", "line 1: the parameter `n` is no list"),
            ("[[command]]\ncommand = \"a\"\nparameters = { n = [] }\n", "line 1: the parameter `n` has no value"),
            ("[[command]]\ncommand = \"a\"\nparameters = { n = [1] }\n", "line 1: no command has the parameter `n`"),
            ("[run]\n", "there is no [[command]] in it"),
        ] {
            let message = suite_of(text).unwrap_err().message;
            assert!(message.starts_with(said), "{message}");
        }
    }
}
