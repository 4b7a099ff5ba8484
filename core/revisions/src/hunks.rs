//! The parts of a commit's difference from its parent, and its parent with some of them: a commit that belongs to no branch.
//!
//! Parts are the hunks that `git show` prints. Lines are taken from the files of both commits, and not from the text of a patch: no context has to match, and line ends and bytes stay
//! what they are. What has no lines to choose from is a part as a whole: a new, removed or renamed file, a binary one, a change of its mode or kind, a submodule.

use std::ffi::{OsStr, OsString};
use std::ops::Range;
use std::os::unix::ffi::OsStringExt;

use crate::error::RevisionError;
use crate::git::Git;
use crate::overlay::NOBODY;
use crate::printable;
use crate::repository::{Repository, Revision};

/// Unchanged lines between two hunks: with no more they are one, as with three lines of context each.
const BETWEEN: &str = "--inter-hunk-context=6";
/// Files that are larger, in bytes, are parts as wholes: an answer of git has an end.
const LARGEST: u64 = 1 << 20;
/// What is shown of a part: lines, and characters of each.
const MOST_LINES: usize = 40;
const MOST_CHARACTERS: usize = 200;

/// What differs between a commit and its parent, in parts.
#[derive(Debug, Clone)]
pub struct Difference {
    parent: String,
    commit: String,
    files: Vec<File>,
    /// Parts, file by file, in the order of lines.
    pub hunks: Vec<Hunk>,
}

/// A part of a difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk {
    /// Path of the commit's file from the top level, escaped; of the parent's where the commit has none.
    pub file: String,
    /// Its first line there, from 1; where it only removes lines, that before which they were. 0 of what has no lines.
    pub line: usize,
    /// How many lines of the commit's file it is, 0 where it only removes some.
    pub lines: usize,
    /// What it does, as git shows it: lines that begin with `-` and `+`, escaped and bounded; of a file as a whole a line that says so.
    pub text: String,
    of: usize,
    /// Lines of the parent's file and those that take their place; `None`: the file as a whole.
    ranges: Option<[Range<usize>; 2]>,
}

/// A path that differs: `None` on the side that doesn't have it.
#[derive(Debug, Clone)]
struct File {
    sides: [Option<Side>; 2],
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Side {
    path: OsString,
    mode: String,
    hash: String,
}

impl Side {
    fn shown(&self) -> String {
        printable::line(&self.path.to_string_lossy())
    }

    /// A file with content of its own; no link, and no submodule.
    fn is_file(&self) -> bool {
        self.mode.starts_with("100")
    }
}

impl Repository {
    /// What `commit` changes beside `parent`, both full hashes.
    ///
    /// # Errors
    /// git failing.
    pub fn difference(&self, parent: &str, commit: &str) -> Result<Difference, RevisionError> {
        let words: [&dyn AsRef<OsStr>; 9] = [
            &"diff-tree",
            &"-r",
            &"-z",
            &"--raw",
            &"-M",
            &"--no-abbrev",
            &"--ignore-submodules=none",
            &parent,
            &commit,
        ];
        let listed = self.git.ask(self.top(), &words)?.expect_success(self.top())?;
        let files = files(&listed.stdout);
        let mut hunks = Vec::new();
        for (of, file) in files.iter().enumerate() {
            match self.split(of, file)? {
                Some(parts) => hunks.extend(parts),
                None => hunks.push(self.whole(of, file)?),
            }
        }
        Ok(Difference { parent: parent.to_owned(), commit: commit.to_owned(), files, hunks })
    }

    /// The parent with the parts at these places in [`Difference::hunks`]: the parent itself with none, the commit with all. It is made as [`Repository::with_files_of`] makes one: neither
    /// the index nor the working tree, branches and other references are touched.
    ///
    /// # Errors
    /// [`RevisionError::Unusable`], and git failing.
    pub fn with_hunks(&self, difference: &Difference, places: &[usize]) -> Result<Revision, RevisionError> {
        let Difference { parent, commit, files, hunks } = difference;
        if places.is_empty() || (0..hunks.len()).all(|at| places.contains(&at)) {
            return self.resolve(if places.is_empty() { parent } else { commit });
        }
        let unusable = crate::tree::unusable;
        let folder = tempfile::tempdir().map_err(unusable(&std::env::temp_dir(), "make a folder"))?;
        let git = self.git.with(&[("GIT_INDEX_FILE", folder.path().join("index").as_os_str())]);
        let ask = |git: &Git, words: &[&dyn AsRef<OsStr>]| git.ask(self.top(), words)?.expect_success(self.top());
        ask(&git, &[&"read-tree", parent])?;
        // What is gone may make room for what comes.
        let (mut gone, mut come) = (Vec::new(), Vec::new());
        for (of, file) in files.iter().enumerate() {
            let chosen: Vec<&Hunk> =
                places.iter().filter_map(|&at| hunks.get(at)).filter(|hunk| hunk.of == of).collect();
            let is_all = hunks.iter().filter(|hunk| hunk.of == of).count() == chosen.len();
            match file {
                _ if chosen.is_empty() => {}
                File { sides: [Some(old), Some(new)] } if !is_all => {
                    let content = self.spliced([old, new], &chosen)?;
                    let path = folder.path().join("content");
                    std::fs::write(&path, content).map_err(unusable(&path, "write"))?;
                    let written = ask(&self.git, &[&"hash-object", &"-w", &"--no-filters", &"--", &path])?;
                    come.push(Side { hash: written.hash().unwrap_or_default(), ..new.clone() });
                }
                File { sides: [old, new] } => {
                    gone.extend(old.iter().filter(|old| new.as_ref().is_none_or(|new| new.path != old.path)));
                    come.extend(new.clone());
                }
            }
        }
        for side in gone {
            ask(&git, &[&"update-index", &"--force-remove", &"--", &side.path])?;
        }
        for Side { path, mode, hash } in come {
            let mut entry = OsString::from(format!("{mode},{hash},"));
            entry.push(path);
            ask(&git, &[&"update-index", &"--add", &"--replace", &"--cacheinfo", &entry])?;
        }
        let tree = ask(&git, &[&"write-tree"])?.hash().unwrap_or_default();
        let (commit, nobody) = (self.resolve(commit)?, NOBODY.map(|(name, value)| (name, OsStr::new(value))));
        let message = format!("a part of {}", commit.short);
        let made = ask(&self.git.with(&nobody), &[&"commit-tree", &"-p", parent, &"-m", &message, &tree])?;
        self.resolve(&made.hash().unwrap_or_default())
    }

    /// The hunks of a file that has the same name and mode on both sides, and lines; `None` where it can't be split.
    fn split(&self, of: usize, file: &File) -> Result<Option<Vec<Hunk>>, RevisionError> {
        let File { sides: [Some(old), Some(new)] } = file else { return Ok(None) };
        if (&old.path, &old.mode) != (&new.path, &new.mode) || !old.is_file() {
            return Ok(None);
        }
        let contents = match (self.content(&old.hash)?, self.content(&new.hash)?) {
            (Some(old), Some(new)) => [old, new],
            _ => return Ok(None),
        };
        let words: [&dyn AsRef<OsStr>; 9] = [
            &"diff",
            &"--no-ext-diff",
            &"--no-textconv",
            &"--no-color",
            &"--unified=0",
            &BETWEEN,
            // No settings of the project's for white space: every byte counts.
            &"--diff-algorithm=myers",
            &old.hash,
            &new.hash,
        ];
        let found = self.git.ask(self.top(), &words)?.expect_success(self.top())?;
        let lines = contents.each_ref().map(|content| lines(content));
        let fits = |ranges: &[Range<usize>; 2]| {
            ranges.iter().zip(&lines).all(|(range, lines)| range.start <= range.end && range.end <= lines.len())
        };
        let ranges: Option<Vec<_>> =
            found.stdout.split(|&byte| byte == b'\n').filter(|line| line.starts_with(b"@@ -")).map(ranges).collect();
        let Some(ranges) = ranges.filter(|all| !all.is_empty() && all.iter().all(fits)) else { return Ok(None) };
        let hunk = |[from, to]: [Range<usize>; 2]| Hunk {
            file: new.shown(),
            line: to.start + 1,
            lines: to.len(),
            text: shown(&lines[0][from.clone()], &lines[1][to.clone()]),
            of,
            ranges: Some([from, to]),
        };
        Ok(Some(ranges.into_iter().map(hunk).collect()))
    }

    /// A file as one part.
    fn whole(&self, of: usize, file: &File) -> Result<Hunk, RevisionError> {
        let [old, new] = &file.sides;
        let (mut line, mut lines_of, mut said) = (0, 0, Vec::new());
        match (old, new) {
            (Some(old), Some(new)) if old.path != new.path => said.push(format!("renamed from {}", old.shown())),
            (None, Some(_)) => said.push("new file".to_owned()),
            (Some(_), None) => said.push("removed".to_owned()),
            _ => {}
        }
        if let (Some(old), Some(new)) = (old, new) {
            if old.mode != new.mode {
                said.push(format!("mode {} instead of {}", new.mode, old.mode));
            }
            if new.mode == SUBMODULE {
                said.push(format!("submodule at {} instead of {}", new.hash, old.hash));
            } else if old.hash != new.hash {
                said.push("other content, as a whole".to_owned());
            }
        }
        let mut text = format!("({})", said.join("; "));
        if let (None, Some(new)) = (old, new)
            && new.is_file()
            && let Some(content) = self.content(&new.hash)?.filter(|content| !content.contains(&0))
        {
            let all = lines(&content);
            (line, lines_of) = (1, all.len());
            text = format!("{text}\n{}", shown(&[], &all));
        }
        let named = new.as_ref().or(old.as_ref()).map(Side::shown).unwrap_or_default();
        Ok(Hunk { file: named, line, lines: lines_of, text, of, ranges: None })
    }

    /// What a file holds; `None` where that is too much.
    fn content(&self, hash: &str) -> Result<Option<Vec<u8>>, RevisionError> {
        let size = self.git.ask(self.top(), &[&"cat-file", &"-s", &hash])?.expect_success(self.top())?;
        let size = std::str::from_utf8(&size.stdout).ok().and_then(|size| size.trim().parse::<u64>().ok());
        if size.is_none_or(|size| size > LARGEST) {
            return Ok(None);
        }
        Ok(Some(self.git.ask(self.top(), &[&"cat-file", &"blob", &hash])?.expect_success(self.top())?.stdout))
    }

    /// The parent's file with some of the commit's lines.
    fn spliced(&self, [old, new]: [&Side; 2], chosen: &[&Hunk]) -> Result<Vec<u8>, RevisionError> {
        let contents = [self.content(&old.hash)?.unwrap_or_default(), self.content(&new.hash)?.unwrap_or_default()];
        let [old, new] = contents.each_ref().map(|content| lines(content));
        let mut ranges: Vec<&[Range<usize>; 2]> = chosen.iter().filter_map(|hunk| hunk.ranges.as_ref()).collect();
        ranges.sort_by_key(|[from, _]| from.start);
        let (mut all, mut at) = (Vec::new(), 0);
        for [from, to] in ranges {
            all.extend_from_slice(&old[at..from.start]);
            all.extend_from_slice(&new[to.clone()]);
            at = from.end;
        }
        all.extend_from_slice(&old[at..]);
        Ok(all.concat())
    }
}

/// The mode of a submodule.
const SUBMODULE: &str = "160000";
/// That of what isn't there.
const NOTHING: &str = "000000";

/// `:MODE MODE HASH HASH STATUS`, and a path, or two of a renamed file; each ends with a zero byte.
fn files(listed: &[u8]) -> Vec<File> {
    let mut fields = listed.split(|&byte| byte == 0);
    let mut files = Vec::new();
    while let Some(head) = fields.next() {
        let head = String::from_utf8_lossy(head);
        let words: Vec<&str> = head.trim_start_matches(':').split(' ').collect();
        let &[old_mode, new_mode, old_hash, new_hash, status] = words.as_slice() else { continue };
        let path = |field: Option<&[u8]>| OsString::from_vec(field.unwrap_or_default().to_vec());
        let first = path(fields.next());
        let second = if status.starts_with(['R', 'C']) { path(fields.next()) } else { first.clone() };
        let side = |path: OsString, mode: &str, hash: &str| {
            (mode != NOTHING).then(|| Side { path, mode: mode.to_owned(), hash: hash.to_owned() })
        };
        files.push(File { sides: [side(first, old_mode, old_hash), side(second, new_mode, new_hash)] });
    }
    files
}

/// Each with its end.
fn lines(content: &[u8]) -> Vec<&[u8]> {
    content.split_inclusive(|&byte| byte == b'\n').collect()
}

/// `@@ -12,3 +12 @@`, from 0. What has no lines stands behind the line that is named.
fn ranges(header: &[u8]) -> Option<[Range<usize>; 2]> {
    let text = String::from_utf8_lossy(header);
    let mut words = text.split(' ').skip(1);
    let range = |word: Option<&str>, sign: char| {
        let (start, count) = word?.strip_prefix(sign).map(|word| word.split_once(',').unwrap_or((word, "1")))?;
        let (start, count): (usize, usize) = (start.parse().ok()?, count.parse().ok()?);
        let start = if count == 0 { start } else { start.checked_sub(1)? };
        Some(start..start + count)
    };
    Some([range(words.next(), '-')?, range(words.next(), '+')?])
}

/// Lines that go and come, as git shows them.
fn shown(old: &[&[u8]], new: &[&[u8]]) -> String {
    let line = |sign: char, line: &[u8]| {
        let text = String::from_utf8_lossy(line.strip_suffix(b"\n").unwrap_or(line)).into_owned();
        let is_longer = text.chars().count() > MOST_CHARACTERS;
        let cut: String = text.chars().take(MOST_CHARACTERS).collect();
        // Tabs are how code is indented.
        let parts: Vec<String> = cut.split('\t').map(tare_samples::printable).collect();
        format!("{sign}{}{}", parts.join("\t"), if is_longer { "…" } else { "" })
    };
    let gone = old.iter().map(|text| line('-', text));
    let mut all: Vec<String> = gone.chain(new.iter().map(|text| line('+', text))).take(MOST_LINES).collect();
    let more = (old.len() + new.len()).saturating_sub(MOST_LINES);
    if more > 0 {
        all.push(format!("… and {more} more lines"));
    }
    all.join("\n")
}

#[cfg(test)]
mod tests;
