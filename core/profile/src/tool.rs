use std::fmt;

use tare_languages::{Language, of_name};

use crate::ProfileError;
use crate::program::{find, php_has};

/// What looks into a worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tool {
    /// Linux perf: any language, by the functions of its native code.
    Perf,
    /// PHP's sampling extension of the Wikimedia Foundation.
    Excimer,
    /// PHP: every call is traced.
    Xdebug,
    /// Go's own.
    Pprof,
    /// Python: a timer's signal, in the worker.
    Sampler,
    /// Valgrind's counter of instructions.
    Callgrind,
    /// System calls.
    Strace,
}

impl Tool {
    /// All, in the order of the help.
    pub const ALL: [Self; 7] =
        [Self::Perf, Self::Excimer, Self::Xdebug, Self::Pprof, Self::Sampler, Self::Callgrind, Self::Strace];

    /// As `--tool` takes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Perf => "perf",
            Self::Excimer => "excimer",
            Self::Xdebug => "xdebug",
            Self::Pprof => "pprof",
            Self::Sampler => "sampler",
            Self::Callgrind => "callgrind",
            Self::Strace => "strace",
        }
    }

    /// Whether it counts, and gives no stacks.
    pub fn counts(self) -> bool {
        matches!(self, Self::Callgrind | Self::Strace)
    }

    /// The language that it is for alone.
    fn language(self) -> Option<&'static str> {
        if matches!(self, Self::Perf | Self::Callgrind | Self::Strace) {
            return None;
        }
        let is_for = |language: &Language| language.entry().profilers.contains(&self.name());
        Language::all().find(is_for).map(Language::name)
    }

    /// Sampling tools for a language, the best first.
    fn preferred(language: &str) -> impl Iterator<Item = Self> {
        let names = of_name(language).profilers.iter();
        names.filter_map(|name| Self::ALL.into_iter().find(|tool| tool.name() == *name))
    }

    /// The best tool there is for a language, whose runtime is started by `command`, and what better ones are missing.
    ///
    /// # Errors
    /// [`ProfileError::Missing`], with how to get the best one.
    pub fn best(language: &str, command: &[String]) -> Result<(Self, Vec<ProfileError>), ProfileError> {
        let mut missing = Vec::new();
        for tool in Self::preferred(language) {
            match tool.check(language, command) {
                Ok(()) => return Ok((tool, missing)),
                Err(error) => missing.push(error),
            }
        }
        Err(missing.swap_remove(0))
    }

    /// Whether the tool is there, and of use for the language.
    ///
    /// # Errors
    /// [`ProfileError::Missing`].
    pub fn check(self, language: &str, command: &[String]) -> Result<(), ProfileError> {
        let missing = |what: String, remedy: String| Err(ProfileError::Missing { what, remedy });
        if let Some(only) = self.language().filter(|&only| only != language) {
            let names: Vec<&str> = Self::ALL
                .into_iter()
                .filter(|tool| tool.language().is_none_or(|only| only == language))
                .map(Self::name)
                .collect();
            return missing(
                format!("{self} is for {only}, and the case is in {language}"),
                format!("name one of {}", names.join(", ")),
            );
        }
        if let Some((what, remedy)) = of_name(language).uncounted.filter(|_| self == Self::Callgrind) {
            return missing(what.to_owned(), remedy.to_owned());
        }
        let program = match self {
            Self::Perf => Some(("perf", "linux-perf")),
            Self::Callgrind => Some(("valgrind", "valgrind")),
            Self::Strace => Some(("strace", "strace")),
            Self::Excimer | Self::Xdebug => {
                let (extension, package) = match self {
                    Self::Excimer => ("excimer", "php-excimer"),
                    _ => ("xdebug", "php-xdebug"),
                };
                if !php_has(command, extension) {
                    return missing(
                        format!("this PHP has no extension {extension}"),
                        format!("install it, as with `apt-get install {package}`, or name another tool with --tool"),
                    );
                }
                None
            }
            Self::Pprof | Self::Sampler => None,
        };
        match program {
            Some((program, package)) if find(program).is_none() => missing(
                format!("there is no program `{program}`"),
                format!("install it, as with `apt-get install {package}`, or name another tool with --tool"),
            ),
            _ => Ok(()),
        }
    }
}

impl fmt::Display for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::Tool;

    #[test]
    fn a_tool_of_another_language_is_refused_with_those_there_are() {
        let error = Tool::Pprof.check("php", &["php".into()]).unwrap_err().to_string();
        assert!(
            error.contains("pprof is for go") && error.contains("perf, excimer, xdebug, callgrind, strace"),
            "{error}"
        );
    }

    #[test]
    fn a_process_of_go_is_not_counted_as_a_whole() {
        let error = Tool::Callgrind.check("go", &["go".into()]).unwrap_err().to_string();
        assert!(error.contains("can't count a process of Go") && error.contains("tare run --work"), "{error}");
    }

    #[test]
    fn an_extension_of_a_php_that_is_not_there_is_missing() {
        let command = ["/nonexistent/php".to_owned()];
        let error = Tool::Xdebug.check("php", &command).unwrap_err().to_string();
        assert!(error.contains("no extension xdebug") && error.contains("apt-get install php-xdebug"), "{error}");
    }

    #[test]
    fn python_needs_nothing() {
        assert_eq!(Tool::best("python", &[]).unwrap().0, Tool::Sampler);
    }
}
