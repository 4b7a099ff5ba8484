use tare_languages::Language;

use crate::error::ArgumentError;
use crate::error::suggestion;
use crate::quantity::shown;

/// Reads the name of a language.
///
/// # Errors
/// Any name that no language has; the nearest one is suggested.
pub(crate) fn parse_language(name: &str) -> Result<Language, ArgumentError> {
    Language::named(name).ok_or_else(|| {
        let names: Vec<&str> = Language::all().map(Language::name).collect();
        ArgumentError::new(format!("there is no language `{}`", shown(name)), suggestion(name, &names))
    })
}

/// A runtime as the user names it: a name, and a command that nobody has tried yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuntimeDefinition {
    /// How it is called in results.
    pub name: String,
    /// The command and its arguments; never empty, and neither is its first word.
    pub command: Vec<String>,
    /// What it runs, where the user said; otherwise it is an interpreter of the sources' language.
    pub language: Option<Language>,
}

impl RuntimeDefinition {
    /// Reads an argument: `NAME=COMMAND`, or `COMMAND` alone, whose text is then the name.
    ///
    /// NAME is what stands before the first `=` if it matches `[A-Za-z0-9][A-Za-z0-9._+-]*`. COMMAND is split as a POSIX shell
    /// splits words, without expansions, and may start with `LANGUAGE:`, as in `sim=worker:./my-worker --model gaussian`.
    ///
    /// # Errors
    /// An empty name or command, unbalanced quotes, an unknown language.
    pub fn parse(argument: &str) -> Result<Self, ArgumentError> {
        let (name, text) = match argument.split_once('=') {
            Some(("", _)) => {
                return Err(ArgumentError::new(
                    format!("the runtime `{}` has an empty name", shown(argument)),
                    "write NAME=COMMAND, such as jit=php -d opcache.jit=tracing",
                ));
            }
            Some((name, text)) if is_name(name) => (Some(name), text),
            _ => (None, argument),
        };
        let (language, command) = split_command(text)?;
        let name = match name {
            Some(name) => name.to_owned(),
            None => without_language(text).trim().to_owned(),
        };
        Ok(Self { name, command, language })
    }

    /// Checks that no two runtimes share a name.
    ///
    /// # Errors
    /// The first name that two share.
    pub fn check_distinct(runtimes: &[Self]) -> Result<(), ArgumentError> {
        for (index, runtime) in runtimes.iter().enumerate() {
            if runtimes[..index].iter().any(|other| other.name == runtime.name) {
                return Err(ArgumentError::new(
                    format!("two runtimes are called `{}`", shown(&runtime.name)),
                    "give each a name of its own: NAME=COMMAND",
                ));
            }
        }
        Ok(())
    }

    /// What it runs: as the user said, else by the program's name; `None` where neither tells.
    pub fn known_language(&self) -> Option<Language> {
        self.language.or_else(|| Language::of_command(&self.command))
    }

    /// Whether sources of `language` can be run on it. A command is taken for a worker only if the user said so.
    pub fn runs(&self, language: Language) -> bool {
        self.known_language().map_or(language != Language::Worker, |own| own == language)
    }

    /// Appends PHP settings as `-dNAME=VALUE`, save those that the command sets itself.
    pub(crate) fn add_ini(&mut self, settings: &[(String, String)]) {
        let set: Vec<String> = self
            .command
            .iter()
            .enumerate()
            .filter_map(|(index, word)| match word.strip_prefix("-d")? {
                "" => self.command.get(index + 1).cloned(),
                setting => Some(setting.to_owned()),
            })
            .map(|setting| setting.split('=').next().unwrap_or_default().trim().to_owned())
            .collect();
        let missing = settings.iter().filter(|(name, _)| !set.contains(name));
        self.command.extend(missing.map(|(name, value)| format!("-d{name}={value}")));
    }
}

/// Whether a runtime may be called so: `[A-Za-z0-9][A-Za-z0-9._+-]*`.
pub(crate) fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || "._+-".contains(c))
}

/// The language that `text` starts with, if any, and the words of the command.
pub(crate) fn split_command(text: &str) -> Result<(Option<Language>, Vec<String>), ArgumentError> {
    let language = prefix(text).map(parse_language).transpose()?;
    let command = shell_words::split(without_language(text)).map_err(|_| {
        ArgumentError::new(format!("a quote in the command `{}` is not closed", shown(text)), "close it, or escape it")
    })?;
    check_command(&command)?;
    Ok((language, command))
}

/// Checks that the words can be handed to the system as a command.
pub(crate) fn check_command(command: &[String]) -> Result<(), ArgumentError> {
    if command.first().is_none_or(|program| program.trim().is_empty()) {
        return Err(ArgumentError::new("the command of a runtime is empty", "name a program, such as php8.2"));
    }
    if command.iter().any(|word| word.contains('\0')) {
        return Err(ArgumentError::new(
            format!("the command `{}` holds a zero byte", shown(&command.join(" "))),
            "leave the zero byte out: no program can be given one",
        ));
    }
    Ok(())
}

/// `php` of `php:php8.2`. One letter is a drive on Windows, not a language.
fn prefix(text: &str) -> Option<&str> {
    let (word, _) = text.trim_start().split_once(':')?;
    (word.len() > 1 && word.bytes().all(|byte| byte.is_ascii_alphabetic())).then_some(word)
}

fn without_language(text: &str) -> &str {
    prefix(text).and_then(|_| text.split_once(':')).map_or(text, |(_, command)| command)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Language, RuntimeDefinition};

    fn parsed(argument: &str) -> (String, Vec<String>, Option<Language>) {
        let runtime = RuntimeDefinition::parse(argument).unwrap();
        (runtime.name, runtime.command, runtime.language)
    }

    fn expected(name: &str, command: &[&str], language: Option<Language>) -> (String, Vec<String>, Option<Language>) {
        (name.into(), command.iter().map(|&word| word.to_owned()).collect(), language)
    }

    #[test]
    fn a_name_is_what_looks_like_one_before_the_first_equals_sign() {
        assert_eq!(parsed("php8.2"), expected("php8.2", &["php8.2"], None));
        assert_eq!(parsed("a=php8.2"), expected("a", &["php8.2"], None));
        assert_eq!(parsed("b=env K=1010 php8.2"), expected("b", &["env", "K=1010", "php8.2"], None));
        assert_eq!(parsed("env K=1010 php8.2"), expected("env K=1010 php8.2", &["env", "K=1010", "php8.2"], None));
        assert_eq!(parsed("8.4+jit-on_1=php"), expected("8.4+jit-on_1", &["php"], None));
        assert_eq!(parsed("./php=x"), expected("./php=x", &["./php=x"], None));
        assert_eq!(parsed(" php -n "), expected("php -n", &["php", "-n"], None));
    }

    #[test]
    fn a_command_is_split_as_a_shell_does_without_running_anything() {
        let (_, command, _) = parsed(r#"x='/opt/my php/bin/php' -d "a b=$(id) 'c'" d\ e"#);
        assert_eq!(command, ["/opt/my php/bin/php", "-d", "a b=$(id) 'c'", "d e"]);
    }

    #[test]
    fn a_command_may_say_its_language() {
        let worker = Some(Language::Worker);
        assert_eq!(
            parsed("sim=worker:./sim --model gaussian"),
            expected("sim", &["./sim", "--model", "gaussian"], worker)
        );
        assert_eq!(parsed("worker: ./sim"), expected("./sim", &["./sim"], worker));
        assert_eq!(parsed("php:php8.2"), expected("php8.2", &["php8.2"], Some(Language::Php)));
        assert_eq!(parsed(r"w='C:\php\php.exe'"), expected("w", &[r"C:\php\php.exe"], None));
        assert_eq!(parsed("php -d x=a:b"), expected("php -d x=a:b", &["php", "-d", "x=a:b"], None));
    }

    #[test]
    fn what_can_not_be_a_runtime_is_refused() {
        for (argument, message) in [
            ("", "the command of a runtime is empty; name a program, such as php8.2"),
            ("a=", "the command of a runtime is empty; name a program, such as php8.2"),
            ("a=worker: ", "the command of a runtime is empty; name a program, such as php8.2"),
            ("a='' x", "the command of a runtime is empty; name a program, such as php8.2"),
            ("a=php 'x", "a quote in the command `php 'x` is not closed; close it, or escape it"),
            ("a=pph:php8.2", "there is no language `pph`; did you mean `php`?"),
            (
                "=php",
                "the runtime `=php` has an empty name; write NAME=COMMAND, such as jit=php -d opcache.jit=tracing",
            ),
            (
                "a=php \0",
                "the command `php \\u{0}` holds a zero byte; leave the zero byte out: no program can be given one",
            ),
        ] {
            assert_eq!(RuntimeDefinition::parse(argument).unwrap_err().to_string(), message, "{argument:?}");
        }
    }

    #[test]
    fn two_runtimes_can_not_share_a_name() {
        let runtimes = |arguments: [&str; 3]| arguments.map(|argument| RuntimeDefinition::parse(argument).unwrap());
        assert_eq!(RuntimeDefinition::check_distinct(&runtimes(["a=x", "b=x", "x"])), Ok(()));
        let error = RuntimeDefinition::check_distinct(&runtimes(["a=x", "b=x", "a=y"])).unwrap_err();
        assert_eq!(error.message, "two runtimes are called `a`");
    }

    #[test]
    fn a_worker_runs_only_what_is_for_a_worker() {
        let runtime = |argument| RuntimeDefinition::parse(argument).unwrap();
        assert!(runtime("php8.2").runs(Language::Php) && !runtime("php8.2").runs(Language::Worker));
        assert!(runtime("worker:x").runs(Language::Worker) && !runtime("worker:x").runs(Language::Php));
        assert_eq!(Language::of(Path::new("a/HashBench.PHP")), Language::Php);
        assert_eq!(Language::of(Path::new("a/truth.json")), Language::Worker);
        assert_eq!(Language::of(Path::new("a/php")), Language::Worker);
        for (name, unbuilt) in
            [("a/x.cc", true), ("x.CPP", true), ("x.C", true), ("x.c", false), ("cc", false), ("x", false)]
        {
            assert_eq!(Language::Cpp.entry().is_built_from(Path::new(name)), unbuilt, "{name}");
        }
        assert_eq!(Language::of(Path::new("a/bench_x.py")), Language::Python);
    }

    #[test]
    fn a_program_tells_its_language_by_its_name() {
        let known = |argument| RuntimeDefinition::parse(argument).unwrap().known_language();
        assert_eq!(known("php8.2 -n"), Some(Language::Php));
        assert_eq!(known("a=env K=1010 php"), Some(Language::Php));
        assert_eq!(known("/opt/bin/python3.12"), Some(Language::Python));
        assert_eq!(known("pypy3"), Some(Language::Python));
        assert_eq!(known("off=env GOGC=off go1.25.3"), Some(Language::Go));
        assert_eq!(known("gopher"), None);
        assert_eq!(known("x=python:./interpreter"), Some(Language::Python));
        assert_eq!(known("env"), None);
    }

    #[test]
    fn settings_that_the_command_makes_itself_stay() {
        let mut runtime = RuntimeDefinition::parse("php -d memory_limit=1G -dopcache.enable=0 -n").unwrap();
        let setting = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        runtime.add_ini(&[setting("memory_limit", "10M"), setting("opcache.enable", "1"), setting("precision", "17")]);
        assert_eq!(runtime.command, ["php", "-d", "memory_limit=1G", "-dopcache.enable=0", "-n", "-dprecision=17"]);
    }
}
