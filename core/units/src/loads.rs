//! Whether a file that the look didn't load may be loaded by another call.

use crate::index::normal;
use crate::reach::Closure;
use crate::unit::{Kind, Language, Source};

impl Closure<'_, '_> {
    /// Whether a file that wasn't loaded may be. Code comes to it by its name, or, with an autoloader, by a class in it: what else it declares has no name
    /// before that. Who looks in folders in which the look sought nothing has to name them: an import by the names of packages, all others by a path.
    pub(crate) fn may_load(&self, source: &Source, units: &[usize]) -> bool {
        let folders: Vec<_> = source.path.rsplit('/').take(2).collect();
        let stem = folders.first().and_then(|file| file.split('.').next()).unwrap_or_default();
        let stem = if stem == "__init__" { folders.get(1).copied().unwrap_or_default() } else { stem };
        let written = |name: &str| if self.language == Language::Php { name.to_lowercase() } else { name.to_owned() };
        let stem = written(stem);
        // What the runtime's library looks up in objects is no name of a file.
        let heard = |name: &str| self.globals.contains_key(name);
        let computed = |name: &str| {
            // As it is written: `_route` is no end of `FastRoute`.
            let lower = name.to_lowercase();
            let made = |joint: &&str| {
                let joint = joint.to_lowercase();
                joint.len() > 2 && (lower.starts_with(&joint) || lower.ends_with(&joint))
            };
            self.dynamic.is_some() && (self.pieces.contains(&normal(name)) || self.joints.iter().any(made))
        };
        // Paths are put together by code that finds no values by computed names.
        let is_part_of_path = |name: &str| {
            let name = normal(name);
            let made = |part: &str| {
                let part = normal(part);
                let is_at_an_end = name.starts_with(&part) || name.ends_with(&part);
                !part.is_empty() && (is_at_an_end || (part.len() > 1 && name.contains(&part)))
            };
            self.pieces.contains(&name) || self.joints.iter().flat_map(|joint| words(joint)).any(made)
        };
        // PHP's autoloaders make paths of namespaces, which aren't looked up as names.
        let is_named = |folder: &String| {
            let by_namespace = self.language == Language::Php && folder.chars().all(is_of_word);
            by_namespace || words(folder).all(|word| heard(&written(word)) || is_part_of_path(word))
        };
        let declares = || {
            let classes = units.iter().map(|at| self.index.nodes[*at].unit).filter(|unit| unit.kind == Kind::Class);
            let mut names = classes.map(|unit| unit.simple.as_str());
            self.language == Language::Php && names.any(|name| heard(name) || computed(name))
        };
        source.folders.iter().all(is_named) && (heard(&stem) || computed(&stem) || declares())
    }
}

fn is_of_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// Words of a folder's name, as strings have them: none begins with a digit.
fn words(folder: &str) -> impl Iterator<Item = &str> {
    let parts = folder.split(|letter| !is_of_word(letter));
    parts.map(|part| part.trim_start_matches(|letter: char| letter.is_numeric())).filter(|word| !word.is_empty())
}
