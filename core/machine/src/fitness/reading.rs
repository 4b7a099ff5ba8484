//! Reading files of the kernel, and saying why one can't be.

use std::fmt;
use std::io;
use std::path::Path;
use std::str::FromStr;

use crate::files;

/// Why something isn't known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Doubt {
    path: String,
    why: Why,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Why {
    Missing,
    Refused,
    Unreadable(String),
    Nonsense(String),
}

impl Doubt {
    fn of(path: &str, error: &io::Error) -> Self {
        let why = match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Why::Missing,
            io::ErrorKind::PermissionDenied => Why::Refused,
            _ => Why::Unreadable(error.to_string()),
        };
        Self { path: path.to_owned(), why }
    }

    pub(super) fn missing(path: &str) -> Self {
        Self { path: path.to_owned(), why: Why::Missing }
    }

    /// The file holds something that isn't what it should.
    pub(super) fn nonsense(path: &str, text: &str) -> Self {
        let shown: String = files::printable(text).unwrap_or_default().chars().take(40).collect();
        Self { path: path.to_owned(), why: Why::Nonsense(shown) }
    }

    pub(super) fn is_missing(&self) -> bool {
        self.why == Why::Missing
    }

    pub(super) fn remedy(&self) -> &'static str {
        match self.why {
            // Nothing that a reader could do about what his kernel, hypervisor or container doesn't show.
            Why::Missing => "",
            Why::Refused => "run `tare doctor` as a user who may read it",
            Why::Unreadable(_) | Why::Nonsense(_) => "look at the file: it isn't as the kernel writes it",
        }
    }
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = &self.path;
        match &self.why {
            Why::Missing => write!(f, "/{path} is not there"),
            Why::Refused => write!(f, "/{path} may not be read"),
            Why::Unreadable(error) => write!(f, "/{path} can't be read: {error}"),
            Why::Nonsense(shown) if shown.is_empty() => write!(f, "/{path} is empty"),
            Why::Nonsense(shown) => write!(f, "/{path} holds `{shown}`, which isn't a valid value"),
        }
    }
}

pub(super) type Reading<T> = Result<T, Doubt>;

/// `/proc` and `/sys` below a root. Paths have no `/` at their beginning.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tree<'a>(&'a Path);

impl<'a> Tree<'a> {
    pub(super) fn new(root: &'a Path) -> Self {
        Self(root)
    }

    pub(super) fn root(&self) -> &'a Path {
        self.0
    }

    pub(super) fn text(&self, path: &str) -> Reading<String> {
        files::try_text(self.0, path).map_err(|error| Doubt::of(path, &error))
    }

    /// The first bytes, for files of which the first lines say enough.
    pub(super) fn beginning(&self, path: &str, bytes: u64) -> Reading<String> {
        files::beginning(self.0, path, bytes).map_err(|error| Doubt::of(path, &error))
    }

    /// The first line, which isn't empty.
    pub(super) fn line(&self, path: &str) -> Reading<String> {
        let text = self.text(path)?;
        let line = text.lines().next().and_then(files::printable);
        line.ok_or_else(|| Doubt::nonsense(path, ""))
    }

    /// A single word of letters, digits and `_.:-`.
    pub(super) fn word(&self, path: &str) -> Reading<String> {
        let raw = self.text(path)?;
        let word = raw.lines().next().unwrap_or_default().trim().to_owned();
        let plain = |c: char| c.is_ascii_alphanumeric() || "_.:-".contains(c);
        if !word.is_empty() && word.len() <= 64 && word.chars().all(plain) {
            Ok(word)
        } else {
            Err(Doubt::nonsense(path, &raw))
        }
    }

    pub(super) fn number<N: FromStr>(&self, path: &str) -> Reading<N> {
        let line = self.line(path)?;
        line.parse().map_err(|_| Doubt::nonsense(path, &line))
    }

    /// Whether it holds 1; anything but 0 and 1 is nonsense.
    pub(super) fn flag(&self, path: &str) -> Reading<bool> {
        match self.line(path)?.as_str() {
            "0" => Ok(false),
            "1" => Ok(true),
            other => Err(Doubt::nonsense(path, other)),
        }
    }

    /// The word in brackets, as in `always [madvise] never`.
    pub(super) fn chosen(&self, path: &str) -> Reading<String> {
        let line = self.line(path)?;
        let chosen = line.split_whitespace().find_map(|word| word.strip_prefix('[')?.strip_suffix(']'));
        chosen.map(str::to_owned).ok_or_else(|| Doubt::nonsense(path, &line))
    }

    /// The numbers of the entries of `folder` that are called `prefix` and a number, ascending.
    pub(super) fn numbered(&self, folder: &str, prefix: &str) -> Reading<Vec<usize>> {
        let entries = std::fs::read_dir(self.0.join(folder)).map_err(|error| Doubt::of(folder, &error))?;
        let number = |entry: std::fs::DirEntry| entry.file_name().to_str()?.strip_prefix(prefix)?.parse().ok();
        let mut numbers: Vec<usize> = entries.flatten().filter_map(number).collect();
        numbers.sort_unstable();
        Ok(numbers)
    }
}
