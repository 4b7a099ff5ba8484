use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// A line of a file: where a setting stands, or where something is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceLine {
    /// The file.
    pub file: PathBuf,
    /// Line, 1-based; 0 where it is the file as a whole.
    pub line: usize,
}

impl fmt::Display for SourceLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}", self.file.display()),
            line => write!(f, "{}:{line}", self.file.display()),
        }
    }
}

/// A value that can't be read, before it is known where it stands: an argument of the command line has no other place.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}; {remedy}")]
pub struct ArgumentError {
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub remedy: String,
}

impl ArgumentError {
    pub(crate) fn new(message: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { message: message.into(), remedy: remedy.into() }
    }

    /// The same error in a file, with the name of the setting.
    pub(crate) fn at(self, place: SourceLine, key: &str) -> DefinitionError {
        DefinitionError::Invalid { place, message: format!("`{key}`: {}", self.message), remedy: self.remedy }
    }
}

/// Why a project, its settings or its benchmarks can't be had.
#[derive(Debug, thiserror::Error)]
pub enum DefinitionError {
    /// A file or folder that must be read can't be.
    #[error("{}: can't be read: {source}; make it readable, or leave it out", path.display())]
    Unreadable {
        /// Which.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file says something wrong.
    #[error("{place}: {message}; {remedy}")]
    Invalid {
        /// Where.
        place: SourceLine,
        /// What is wrong.
        message: String,
        /// What to write instead.
        remedy: String,
    },
    /// An argument can't be read.
    #[error(transparent)]
    Argument(#[from] ArgumentError),
    /// A path that was named doesn't exist.
    #[error("{}: there is no such file or folder{}; name one that exists{}", path.display(), named_by(named_in.as_deref()), hint(path, named_in.as_deref()))]
    Missing {
        /// The path as it was given.
        path: PathBuf,
        /// The file that names it; `None` for the command line.
        named_in: Option<PathBuf>,
    },
    /// A path that was named is a FIFO, a device or a socket, which may be waited for without end.
    #[error("{}: it is neither a regular file nor a folder, and can't be a source of benchmarks; name a file or a folder", path.display())]
    NotAFile {
        /// The path as it was given.
        path: PathBuf,
    },
    /// Settings in a folder above, which another user made: they name commands that would be run.
    #[error(
        "{}: the file belongs to another user (number {owner}), and names commands that Tare would run as you; if you trust it, start tare in its folder, or put a tare.toml of your own into a folder nearer to you",
        path.display()
    )]
    Foreign {
        /// The file.
        path: PathBuf,
        /// Number of its owner.
        owner: u32,
    },
    /// No path was named and none of the usual ones exists.
    #[error(
        "no benchmarks are named, and {} has none of the usual folders ({}); {}",
        root.display(),
        list(looked_for),
        match among_tests {
            Some((folder, file)) => format!(
                "the tests may contain benchmarks, such as {0}/{1}: name the folder, or set `paths = [\"{0}\"]` under [run] in tare.toml",
                folder.display(), file.display()
            ),
            None => "name a file or folder, or its place as `paths` under [run] in tare.toml".to_owned(),
        }
    )]
    NoPaths {
        /// The project's root.
        root: PathBuf,
        /// Folders looked for below it.
        looked_for: Vec<PathBuf>,
        /// A folder of tests below it, and the first file in there that would be a source.
        among_tests: Option<(PathBuf, PathBuf)>,
    },
    /// The folders hold no benchmark.
    #[error(
        "no benchmark found: no file below {} has a name that matches {}; name a file or another folder",
        list(searched),
        patterns.join(", ")
    )]
    NothingFound {
        /// The folders searched, as shown.
        searched: Vec<PathBuf>,
        /// The patterns of file names.
        patterns: Vec<String>,
    },
}

/// What was meant, perhaps: by `example.com/module/package` something that is known to Go alone, or a benchmark.
fn hint(path: &Path, named_in: Option<&Path>) -> &'static str {
    let parts: Vec<_> = path.iter().map(|part| part.to_string_lossy()).collect();
    let host = parts.first().is_some_and(|first| first.contains('.') && !first.starts_with('.'));
    if parts.len() > 1 && host && path.extension().is_none() {
        "; Go packages are named by their folders: ./..."
    } else if named_in.is_none() {
        "; benchmarks are chosen by their names with --filter"
    } else {
        ""
    }
}

fn named_by(file: Option<&Path>) -> String {
    file.map(|file| format!(" (named in {})", file.display())).unwrap_or_default()
}

fn list(paths: &[PathBuf]) -> String {
    paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ")
}

/// What to write instead of `word`: the nearest of `known` where one is near enough to have been meant, else all of them.
pub(crate) fn suggestion(word: &str, known: &[&str]) -> String {
    // A hostile word is not worth the quadratic time.
    let short: String = word.chars().take(64).collect();
    let distance = |candidate: &str| strsim::damerau_levenshtein(&short, candidate);
    let near = known.iter().map(|&candidate| (distance(candidate), candidate)).min();
    match near {
        Some((distance, candidate)) if distance <= (candidate.chars().count() / 3).max(1) => {
            format!("did you mean `{candidate}`?")
        }
        _ => format!("known are {}", known.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::suggestion;

    #[test]
    fn a_near_word_is_suggested_and_a_far_one_is_not() {
        let known = ["budget", "paths", "cpus"];
        assert_eq!(suggestion("bugdet", &known), "did you mean `budget`?");
        assert_eq!(suggestion("path", &known), "did you mean `paths`?");
        assert_eq!(suggestion("colour", &known), "known are budget, paths, cpus");
        assert_eq!(suggestion(&"x".repeat(1 << 20), &known), "known are budget, paths, cpus");
    }
}
