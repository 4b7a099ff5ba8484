//! Whether a file that the look didn't load may be loaded by another call.

use std::collections::{BTreeSet, HashSet};

use crate::index::{is_put_together, normal};
use crate::origin::Origin;
use crate::reach::Closure;
use crate::unit::{Flag, Kind, Language, Source, Unit, Units, loads_any};
use crate::vocabulary;
use crate::words::Words;

impl Closure<'_, '_> {
    /// Whether a file that wasn't loaded may be. Code comes to it by its name, or, with an autoloader, by a class in it: what else it declares has no name
    /// before that. Who looks in folders in which the look sought nothing has to name them: an import by the names of packages, all others by a path.
    pub(crate) fn may_load(&self, source: &Source, units: &[usize]) -> bool {
        let stem = stem_of(&source.path, self.language);
        // What the runtime's library looks up in objects is no name of a file.
        let heard = |name: &str| {
            self.globals.contains_key(name)
                || self.mentioned_by_runtime.contains(name)
                || vocabulary::imported_by_runtime(self.language, name)
        };
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
        let is_written =
            |folder: &String| words(folder).all(|word| heard(&written(word, self.language)) || is_part_of_path(word));
        if self.loads_any() && source.folders.iter().all(is_written) {
            return true;
        }
        // PHP's autoloaders make paths of namespaces, which aren't looked up as names.
        let is_named = |folder: &String| {
            let by_namespace = self.language == Language::Php && folder.chars().all(is_of_word);
            by_namespace || is_written(folder)
        };
        let declares = || {
            let classes = units.iter().map(|at| self.index.nodes[*at].unit).filter(|unit| unit.kind == Kind::Class);
            let mut names = classes.map(|unit| unit.simple.as_str());
            self.language == Language::Php && names.any(|name| self.makes_names || heard(name) || computed(name))
        };
        // Of PHP that is any method, and says nothing of files.
        let anything = self.unbounded && self.language == Language::Python;
        anything || source.folders.iter().all(is_named) && (heard(&stem) || computed(&stem) || declares())
    }
}

/// What the units of a file mention, whether or not a case comes to them.
#[derive(Debug, Default)]
pub struct Mentioned {
    words: HashSet<String>,
    /// As `Unit::pieces`, in the form in which names are compared.
    pieces: HashSet<String>,
    joints: HashSet<String>,
    /// Names of its classes, likewise; it may make strings of any if code asks for them.
    classes: HashSet<String>,
    class_names: bool,
    dynamic: bool,
    /// As in [`Unit::loading`].
    loading: BTreeSet<Flag>,
    /// More than was read.
    unbounded: bool,
}

impl Mentioned {
    /// Of the units of a file; one without units may mention anything.
    #[must_use]
    pub fn of(units: &Units) -> Self {
        let Units::Known(units) = units else { return Self { unbounded: true, ..Self::default() } };
        Self {
            words: units.iter().flat_map(Unit::mentioned).cloned().collect(),
            pieces: units.iter().flat_map(|unit| &unit.pieces).map(|piece| normal(piece)).collect(),
            joints: units.iter().flat_map(|unit| &unit.joints).map(|joint| joint.to_lowercase()).collect(),
            classes: units.iter().filter(|unit| unit.kind == Kind::Class).map(|unit| normal(&unit.simple)).collect(),
            class_names: units.iter().any(|unit| unit.has(Flag::ClassNames)),
            dynamic: units.iter().any(|unit| unit.has(Flag::Dynamic)),
            loading: units.iter().flat_map(|unit| unit.loading()).collect(),
            unbounded: units.iter().any(|unit| unit.has(Flag::Unbounded)),
        }
    }
}

/// What stands between quotes in a recording, in the form in which names are compared: names of code that has no units among it.
#[must_use]
pub fn tokens(recording: &str) -> HashSet<String> {
    recording.split('"').map(normal).collect()
}

/// Whether anything that was loaded mentions one of the files that weren't, or in PHP a class in it, wherever these lie. Where nothing does, no call can load
/// one. `loaded` are by their origin, `words` and `ran` ([`tokens`]) those that code may look names up by.
#[must_use]
pub fn mentions_any(
    language: Language,
    loaded: &[(Origin, &Mentioned)],
    words: &[&Words],
    ran: &[&HashSet<String>],
    unloaded: &[(String, Option<&Units>)],
) -> bool {
    let own = || loaded.iter().filter(|(origin, _)| *origin != Origin::Runtime).map(|(_, mentioned)| *mentioned);
    let heard = |name: &str| {
        vocabulary::imported_by_runtime(language, name)
            || words.iter().any(|words| words.words.contains(name) || words.native.contains(name))
            || loaded.iter().any(|(_, mentioned)| mentioned.words.contains(name))
    };
    let dynamic = own().any(|mentioned| mentioned.dynamic);
    let class_names = own().any(|mentioned| mentioned.class_names);
    let computed = |name: &str| {
        let (lower, plain) = (name.to_lowercase(), normal(name));
        let made = |joint: &String| joint.len() > 2 && (lower.starts_with(joint) || lower.ends_with(joint));
        let is_piece = |part: &str| {
            own().any(|mentioned| mentioned.pieces.contains(part) || class_names && mentioned.classes.contains(part))
                || words.iter().any(|words| words.plain().contains(part))
        };
        ran.iter().any(|tokens| tokens.contains(&plain))
            || dynamic
                && (own().any(|mentioned| mentioned.joints.iter().any(made))
                    || is_put_together(&plain, plain.len(), &is_piece))
    };
    let named = |name: &str| heard(name) || computed(name);
    let unbounded = language == Language::Python && own().any(|mentioned| mentioned.unbounded);
    // Of PHP it makes names of classes, which an autoloader finds.
    let project = loaded.iter().filter(|(origin, _)| *origin == Origin::Project);
    let makes_names = language == Language::Php && project.clone().any(|(_, mentioned)| mentioned.unbounded);
    let loading: BTreeSet<Flag> = own().flat_map(|mentioned| &mentioned.loading).copied().collect();
    unbounded
        || loads_any(&loading)
        || unloaded.iter().any(|(path, units)| {
            let classes = match units {
                Some(Units::Known(units)) if language == Language::Php => units.as_slice(),
                _ => &[],
            };
            let mut classes = classes.iter().filter(|unit| unit.kind == Kind::Class);
            named(&stem_of(path, language)) || classes.any(|class| makes_names || named(&class.simple))
        })
}

/// The name by which code loads a file: of a package the folder's.
fn stem_of(path: &str, language: Language) -> String {
    let mut parts = path.rsplit('/');
    let stem = parts.next().and_then(|file| file.split('.').next()).unwrap_or_default();
    let stem = if stem == "__init__" { parts.next().unwrap_or_default() } else { stem };
    written(stem, language)
}

/// As units have names.
fn written(name: &str, language: Language) -> String {
    if language == Language::Php { name.to_lowercase() } else { name.to_owned() }
}

fn is_of_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// Words of a folder's name, as strings have them: none begins with a digit.
fn words(folder: &str) -> impl Iterator<Item = &str> {
    let parts = folder.split(|letter| !is_of_word(letter));
    parts.map(|part| part.trim_start_matches(|letter: char| letter.is_numeric())).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::{Mentioned, mentions_any, tokens};
    use crate::origin::Origin;
    use crate::unit::{Flag, Kind, Language, Unit, Units};
    use crate::words::Words;

    /// Whether a file of PHP with that class is mentioned by a unit, by words or by what ran.
    fn mentions(unit: Unit, words: &str, ran: &str, path: &str, class: &str) -> bool {
        let mentioned = Mentioned::of(&Units::Known(vec![unit]));
        let mut all = Words::default();
        all.add("data", words.as_bytes());
        let class = Unit { simple: class.to_owned(), kind: Kind::Class, ..Unit::default() };
        let units = Units::Known(vec![class]);
        let ran: HashSet<String> = tokens(ran);
        let loaded = [(Origin::Project, &mentioned)];
        mentions_any(Language::Php, &loaded, &[&all], &[&ran], &[(path.to_owned(), Some(&units))])
    }

    #[test]
    fn a_file_is_mentioned_by_its_name_by_its_class_or_by_their_parts() {
        let of = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let plain = || Unit { globals: of(&["router"]), names: of(&["next"]), ..Unit::default() };
        let dynamic = |unit: Unit| Unit { flags: [Flag::Dynamic].into(), ..unit };
        let is = |unit: Unit| mentions(unit, "", "", "src/Late.php", "latehandler");
        assert!(!is(plain()) && !is(dynamic(plain())));
        assert!(is(Unit { strings: of(&["late"]), ..plain() }));
        assert!(is(Unit { globals: of(&["latehandler"]), ..plain() }));
        // Names are put together by code that finds things by them, and by no other.
        let parts = || Unit { pieces: of(&["Late", "handler"]), ..plain() };
        assert!(!is(parts()) && is(dynamic(parts())));
        let joint = |joint: &str| Unit { joints: of(&[joint]), ..plain() };
        assert!(!is(joint("Handler")) && is(dynamic(joint("Handler"))) && !is(dynamic(joint("_handler"))));
        // Data and generated code name it, too.
        assert!(mentions(plain(), "late,other", "", "src/late.php", "other2"));
        assert!(mentions(plain(), "", "{\"names\": [\"Late\"]}", "src/late.php", "other2"));
        // Python's start imports it, in code that is frozen.
        let start = [("sitecustomize.py".to_owned(), None)];
        let said = |language: Language| mentions_any(language, &[], &[], &[], &start);
        assert!(said(Language::Python) && !said(Language::Php));
        // What has no units may mention anything.
        let unread = Mentioned::of(&Units::Fault("no Python".to_owned()));
        let unloaded = [("late.py".to_owned(), None)];
        assert!(mentions_any(Language::Python, &[(Origin::Project, &unread)], &[], &[], &unloaded));
    }
}
