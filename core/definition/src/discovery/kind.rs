//! What a file is, by its name and, where names aren't enough, by a look into it.

use std::path::Path;
use std::sync::LazyLock;

use regex::Regex;
use tare_languages::{Entry, Language, Pattern};

use crate::error::DefinitionError;
use crate::pattern::FilePattern;
use crate::project::Project;

/// How much of a file is looked into.
const MOST: u64 = 4 << 20;

/// Which files are sources.
pub(super) struct Kinds {
    /// What the user named instead of all others.
    given: Vec<FilePattern>,
    usual: Vec<(Language, &'static Pattern, FilePattern)>,
    told: Vec<String>,
    /// Names of subjects, where PHPBench's configuration says nothing of files: then all of PHP's are looked into, as PHPBench does.
    subjects: Option<Regex>,
}

/// How messages name the files that PHPBench's own rule finds.
const ANY_PHP: &str = "*.php (with a benchmark class)";

impl Kinds {
    pub(super) fn new(project: &Project, given: &[String]) -> Result<Self, DefinitionError> {
        let of_phpbench = project.phpbench.as_ref().and_then(|phpbench| phpbench.file_pattern.as_deref());
        let subjects = project.phpbench.as_ref().filter(|phpbench| phpbench.file_pattern.is_none()).map(|phpbench| {
            // PHP's own expressions may say more than these; what isn't understood leaves no file out.
            Regex::new(phpbench.subject_pattern.as_deref().unwrap_or("^bench")).unwrap_or_else(|_| written(""))
        });
        let (mut usual, mut told) = (Vec::new(), given.to_vec());
        for (language, pattern) in patterns() {
            let by_content = subjects.as_ref().map(|_| ANY_PHP).filter(|_| pattern.of_phpbench && given.is_empty());
            let named = of_phpbench.filter(|_| pattern.of_phpbench);
            usual.push((language, pattern, FilePattern::parse(named.unwrap_or(pattern.glob))?));
            told.extend(by_content.or(named).or(pattern.told).filter(|_| given.is_empty()).map(str::to_owned));
        }
        Ok(Self {
            given: given.iter().map(|text| FilePattern::parse(text)).collect::<Result<_, _>>()?,
            usual,
            told,
            subjects,
        })
    }

    /// For people: what names are looked for.
    pub(super) fn patterns(self) -> Vec<String> {
        self.told
    }

    /// The language of a file that is met below `searched`; `None` where it is no source.
    pub(super) fn of(&self, path: &Path, searched: &Path) -> Option<Language> {
        let name = path.file_name().unwrap_or_default();
        if !path.is_file() {
            return None;
        }
        if !self.given.is_empty() {
            return self.given.iter().any(|pattern| pattern.matches(name)).then(|| named(path));
        }
        let below = path.strip_prefix(searched).unwrap_or(Path::new(name));
        let (language, pattern, _) = self.usual.iter().find(|(language, pattern, file)| {
            let by_content = self.subjects.as_ref().filter(|_| pattern.of_phpbench);
            let by_content = by_content.filter(|_| path.extension() == Path::new(pattern.glob).extension());
            if by_content.is_some_and(|subjects| text(path).is_some_and(|text| holds_subjects(&text, subjects))) {
                return true;
            }
            file.matches(name)
                && !(language.entry().passes_over)(below)
                && pattern.text.is_none_or(|is_source| text(path).is_some_and(|text| is_source(&text)))
        })?;
        // PHPBench's configuration names files of any kind.
        Some(if pattern.of_phpbench { named(path) } else { *language })
    }
}

/// Whether PHP source may hold a benchmark class: one that isn't abstract, and in the file a method that the pattern matches or that is marked; what is
/// inherited, or comes from a trait, isn't seen here, so of such a class its name has to say it.
fn holds_subjects(text: &str, subjects: &Regex) -> bool {
    static CLASS: LazyLock<Regex> =
        LazyLock::new(|| written(r"(?i)\b((?:(?:abstract|final|readonly)\s+)*)class\s+(\w+)"));
    static METHOD: LazyLock<Regex> = LazyLock::new(|| written(r"(?i)\bfunction\s+&?\s*(\w+)"));
    static MARK: LazyLock<Regex> = LazyLock::new(|| written(r"(?m)(?:^[ \t/*]*@|#\[[^\]\n]*)(?:\w+\\)*\\?Subject\b"));
    let concrete: Vec<_> =
        CLASS.captures_iter(text).filter(|class| !class[1].to_lowercase().contains("abstract")).collect();
    !concrete.is_empty()
        && (METHOD.captures_iter(text).any(|method| subjects.is_match(&method[1]))
            || MARK.is_match(text)
            || concrete.iter().any(|class| class[2].to_lowercase().contains("bench")))
}

#[allow(clippy::unwrap_used, reason = "written here, and compiled by the tests")]
fn written(pattern: &str) -> Regex {
    Regex::new(pattern).unwrap()
}

fn patterns() -> impl Iterator<Item = (Language, &'static Pattern)> {
    Language::all().flat_map(|language| language.entry().patterns.iter().map(move |pattern| (language, pattern)))
}

/// Whether a file's name is one of a language's sources.
pub fn is_source_name(language: Language, path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default();
    let matches = |pattern: &Pattern| FilePattern::parse(pattern.glob).is_ok_and(|pattern| pattern.matches(name));
    language.entry().patterns.iter().any(matches)
}

/// The language of a file that the user named: by its ending, and what begins as a program does is one.
pub(super) fn named(path: &Path) -> Language {
    match Language::of(path) {
        Language::Worker => {
            let begins = |entry: &Entry| entry.magic.is_some_and(|magic| begins_with(path, magic));
            Language::all().find(|language| begins(language.entry())).unwrap_or(Language::Worker)
        }
        language => language,
    }
}

fn begins_with(path: &Path, magic: &[u8]) -> bool {
    tare_files::read_beginning(path, magic.len() as u64).is_ok_and(|begin| begin == magic)
}

fn text(path: &Path) -> Option<String> {
    Some(String::from_utf8_lossy(&tare_files::read_beginning(path, MOST).ok()?).into_owned())
}
