use globset::GlobBuilder;
use regex::bytes::Regex;

use crate::error::ArgumentError;
use crate::quantity::shown;

/// What the name of a benchmark file looks like: a glob (`*Bench.php`, `{A,B}*.php`), or a regular expression between
/// delimiters (`/Bench\.php$/i`), the two forms that PHPBench's file finder takes.
#[derive(Debug, Clone)]
pub(crate) struct FilePattern(Regex);

impl FilePattern {
    pub(crate) fn parse(text: &str) -> Result<Self, ArgumentError> {
        let error = |reason: String| {
            let message = format!("`{}` is not a pattern of file names: {reason}", shown(text));
            ArgumentError::new(message, "write one such as *Bench.php")
        };
        if text.trim().is_empty() {
            return Err(error("it is empty".into()));
        }
        if text.contains('/') && delimited(text).is_none() {
            return Err(error(
                "it has a slash, and the pattern is matched with file names without their folders".into(),
            ));
        }
        let expression = match delimited(text) {
            Some((expression, "")) => expression.to_owned(),
            Some((expression, flags)) => format!("(?{flags}){expression}"),
            None => {
                let glob = GlobBuilder::new(text).build().map_err(|cause| error(cause.kind().to_string()))?;
                // A name may hold line breaks, and `*` stands for them too.
                format!("(?s){}", glob.regex())
            }
        };
        Regex::new(&expression).map(Self).map_err(|cause| error(last_line(&cause.to_string())))
    }

    pub(crate) fn matches(&self, name: &std::ffi::OsStr) -> bool {
        self.0.is_match(name.as_encoded_bytes())
    }
}

/// The expression between a pair of delimiters, and its flags.
fn delimited(text: &str) -> Option<(&str, &str)> {
    let delimiter = text.chars().next().filter(|c| "/#~%".contains(*c))?;
    let (expression, flags) = text[1..].rsplit_once(delimiter)?;
    (!expression.is_empty() && flags.bytes().all(|flag| b"imsxu".contains(&flag))).then_some((expression, flags))
}

/// What is wrong with an expression stands last in the message; the lines before it draw where.
pub(crate) fn last_line(message: &str) -> String {
    let line = message.lines().last().unwrap_or_default();
    line.strip_prefix("error: ").unwrap_or(line).to_owned()
}

#[cfg(test)]
mod tests {
    use super::FilePattern;

    fn matches(pattern: &str, name: &str) -> bool {
        FilePattern::parse(pattern).unwrap().matches(name.as_ref())
    }

    #[test]
    fn a_star_stands_for_line_breaks_too() {
        assert!(matches("*Bench.php", "a\nBench.php"));
        assert!(!matches("*Bench.php", "aBench.php\n"));
    }

    #[test]
    fn a_glob_matches_whole_names() {
        assert!(matches("*Bench.php", "HashBench.php") && matches("*Bench.php", "Bench.php"));
        assert!(!matches("*Bench.php", "HashBench.php.bak") && !matches("*Bench.php", "hashbench.php"));
        assert!(matches("{Hash,Sort}?.ph[px]", "Sort1.phx") && !matches("{Hash,Sort}?.ph[px]", "Find1.php"));
    }

    #[test]
    fn an_expression_matches_anywhere() {
        assert!(matches(r"/bench\.php$/i", "HashBench.php") && !matches(r"/bench\.php$/", "HashBench.php"));
        assert!(matches("#^Hash#", "HashBench.php"));
    }

    #[test]
    fn what_is_no_pattern_is_refused() {
        for (text, reason) in [
            ("", "it is empty"),
            ("bench/*.php", "it has a slash"),
            ("[", "character class"),
            ("/(/", "unclosed group"),
            ("{a", "alternat"),
        ] {
            let message = FilePattern::parse(text).unwrap_err().to_string();
            assert!(message.contains(reason), "{text}: {message}");
        }
    }
}
