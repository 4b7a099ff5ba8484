use crate::error::ConformanceError;

/// Checks that a worker is known to fail, each with its reason. They are run all the same, and reported when they
/// begin to pass.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KnownFailing {
    entries: Vec<(String, String)>,
}

impl KnownFailing {
    /// Reads a `known-failing.txt`: on each line the name of a check, or a glob of names (`*` any text, `?` one
    /// character), then white space, then the reason. Empty lines and lines that start with `#` are comments.
    ///
    /// # Errors
    /// [`ConformanceError::KnownFailing`] for a line without a reason.
    pub fn parse(text: &str) -> Result<Self, ConformanceError> {
        let mut entries = Vec::new();
        for (number, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let Some((glob, reason)) = line.split_once(char::is_whitespace) else {
                return Err(ConformanceError::KnownFailing { line: number + 1, text: line.to_owned() });
            };
            entries.push((glob.to_owned(), reason.trim().to_owned()));
        }
        Ok(Self { entries })
    }

    /// The reason of the first entry that covers the check of that name.
    pub(crate) fn reason(&self, name: &str) -> Option<&str> {
        self.entries.iter().find(|(glob, _)| glob_matches(glob, name)).map(|(_, reason)| reason.as_str())
    }

    /// Globs that cover none of these names.
    pub(crate) fn unmatched(&self, names: &[&str]) -> Vec<String> {
        let idle = self.entries.iter().filter(|(glob, _)| !names.iter().any(|name| glob_matches(glob, name)));
        idle.map(|(glob, _)| glob.clone()).collect()
    }
}

/// Glob against the whole of a name, in time proportional to the product of their lengths: only the last `*` is
/// ever taken up again.
pub(crate) fn glob_matches(glob: &str, name: &str) -> bool {
    let (glob, name): (Vec<char>, Vec<char>) = (glob.chars().collect(), name.chars().collect());
    let (mut at, mut here) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while here < name.len() {
        match glob.get(at) {
            Some('*') => {
                star = Some((at, here));
                at += 1;
            }
            Some(&one) if one == '?' || one == name[here] => {
                at += 1;
                here += 1;
            }
            _ => match star {
                Some((position, taken)) => {
                    star = Some((position, taken + 1));
                    at = position + 1;
                    here = taken + 1;
                }
                None => return false,
            },
        }
    }
    glob[at..].iter().all(|left| *left == '*')
}

#[cfg(test)]
mod tests {
    use super::{KnownFailing, glob_matches};
    use crate::error::ConformanceError;

    #[test]
    fn globs_cover_whole_names() {
        for (glob, name) in [
            ("a", "a"),
            ("*", ""),
            ("*", "frames/bad/x"),
            ("frames/*/x", "frames/bad/x"),
            ("*bad*", "frames/bad/x"),
            ("a?c", "abc"),
            ("*ab", "aab"),
            ("a**", "a"),
        ] {
            assert!(glob_matches(glob, name), "{glob} covers {name}");
        }
        for (glob, name) in [("a", "ab"), ("a", ""), ("?", ""), ("a*b", "abc"), ("*x", "xy"), ("", "a"), ("a?", "a")] {
            assert!(!glob_matches(glob, name), "{glob} doesn't cover {name}");
        }
    }

    #[test]
    fn a_list_has_reasons_and_comments() {
        let known =
            KnownFailing::parse("# list\n\nsessions/warm\tno warm-in yet\n  frames/*   all  of them \n").unwrap();
        assert_eq!(known.reason("sessions/warm"), Some("no warm-in yet"));
        assert_eq!(known.reason("frames/bad/x"), Some("all  of them"));
        assert_eq!(known.reason("sessions/hello"), None);
        assert_eq!(known.unmatched(&["sessions/warm"]), ["frames/*"]);
    }

    #[test]
    fn an_entry_without_a_reason_is_refused() {
        let error = KnownFailing::parse("# list\nsessions/warm\n").unwrap_err();
        assert!(matches!(error, ConformanceError::KnownFailing { line: 2, .. }), "{error}");
    }
}
