//! What a file is, by its name and, where names aren't enough, by a look into it.

use std::path::Path;

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
}

impl Kinds {
    pub(super) fn new(project: &Project, given: &[String]) -> Result<Self, DefinitionError> {
        let of_phpbench = project.phpbench.as_ref().and_then(|phpbench| phpbench.file_pattern.as_deref());
        let (mut usual, mut told) = (Vec::new(), given.to_vec());
        for (language, pattern) in patterns() {
            let named = of_phpbench.filter(|_| pattern.of_phpbench);
            usual.push((language, pattern, FilePattern::parse(named.unwrap_or(pattern.glob))?));
            told.extend(named.or(pattern.told).filter(|_| given.is_empty()).map(str::to_owned));
        }
        Ok(Self { given: given.iter().map(|text| FilePattern::parse(text)).collect::<Result<_, _>>()?, usual, told })
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
            file.matches(name)
                && !(language.entry().passes_over)(below)
                && pattern.text.is_none_or(|is_source| text(path).is_some_and(|text| is_source(&text)))
        })?;
        // PHPBench's configuration names files of any kind.
        Some(if pattern.of_phpbench { named(path) } else { *language })
    }
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
