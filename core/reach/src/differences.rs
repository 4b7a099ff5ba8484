//! What differs between what a process of the base was answered and what the candidate's files would answer.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::place::{Place, Root};
use crate::record::{Facts, PathQuestion};
use crate::stamp::{Filter, Question, Stamp, Stamps};

/// A question that both sides answer differently.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// What was asked.
    pub asked: PathQuestion,
    /// What the process of the base was answered.
    pub base: Stamp,
    /// What one of the candidate would be.
    pub candidate: Stamp,
}

impl Difference {
    /// Names of a folder that only one side has.
    pub fn names(&self) -> Vec<&str> {
        let (Stamp::Names(base), Stamp::Names(candidate)) = (&self.base, &self.candidate) else { return Vec::new() };
        let only = |these: &'_ Vec<String>, those: &Vec<String>| -> Vec<usize> {
            (0..these.len()).filter(|&at| !those.contains(&these[at])).collect()
        };
        let mut names: Vec<&str> = only(base, candidate).into_iter().map(|at| base[at].as_str()).collect();
        names.extend(only(candidate, base).into_iter().map(|at| candidate[at].as_str()));
        names
    }

    /// Whether only names of modules differ, which an import system read to find others.
    pub fn is_of_modules(&self) -> bool {
        self.asked.filter == Filter::Importable && !self.names().is_empty()
    }

    /// Whether the file may be executed on one side alone.
    pub fn is_of_mode(&self) -> bool {
        let is_executable = |stamp: &Stamp| matches!(stamp, Stamp::Executable(_));
        is_executable(&self.base) != is_executable(&self.candidate)
            && ![&self.base, &self.candidate].contains(&&Stamp::Missing)
    }

    /// What differs, as a person reads it.
    pub fn shown(&self) -> String {
        let place = self.asked.place.shown();
        match (&self.base, &self.candidate) {
            _ if self.asked.question == Question::Link => {
                format!("`{place}` is another symbolic link, or one on one side alone")
            }
            (Stamp::Missing, _) => format!("`{place}` is only in the candidate"),
            (_, Stamp::Missing) => format!("`{place}` is only in the base"),
            (Stamp::Names(_), Stamp::Names(_)) => match self.names().first() {
                Some(name) => format!("`{name}` in the folder `{place}` is only on one side"),
                None => format!("the folder `{place}` differs"),
            },
            _ if self.is_of_mode() => format!("`{place}` may be executed on one side alone"),
            _ => format!("`{place}` differs"),
        }
    }
}

/// What the base's process would be answered otherwise on the side of `candidate`. Answers that its own side (`base`) would give otherwise by now are
/// [`Changed`].
///
/// # Errors
///
/// The first place whose answer isn't what it was when it was recorded.
pub fn differences(facts: &Facts, base: &Root, candidate: &Root, stamps: &Stamps) -> Result<Vec<Difference>, Changed> {
    let mut found = Vec::new();
    let mut ways = BTreeSet::new();
    for (asked, recorded) in &facts.answers {
        let ask = |root: &Root| stamps.ask(root, &asked.place, asked.question, asked.filter);
        if ask(base) != *recorded {
            return Err(Changed(asked.place.clone()));
        }
        if let Place::Inside(path) = &asked.place {
            ways.extend(path.ancestors().filter(|way| !way.as_os_str().is_empty()));
            let there = ask(candidate);
            if there != *recorded && !are_alike_but_for_their_side(&asked.place, (recorded, &there), [base, candidate])
            {
                found.push(Difference { asked: asked.clone(), base: recorded.clone(), candidate: there });
            }
        }
    }
    // What is reached by a link on one side alone is another thing for who asks for links, or goes back from there, whatever its content.
    for way in ways {
        let asked =
            PathQuestion { place: Place::Inside(way.to_owned()), question: Question::Link, filter: Filter::All };
        if facts.answers.contains_key(&asked) {
            continue;
        }
        let [here, there] = [base, candidate].map(|root| stamps.ask(root, &asked.place, asked.question, asked.filter));
        if matches!(here, Stamp::Link(_)) != matches!(there, Stamp::Link(_)) {
            found.push(Difference { asked, base: here, candidate: there });
        }
    }
    Ok(found)
}

/// Files that are longer aren't written for the folder that they lie in.
const LONGEST: u64 = 1 << 20;

/// Whether two files differ in nothing but the names of their sides' folders, as `pyvenv.cfg` of a virtual environment does and the `.pth` of what is installed
/// to be edited: on each side they name what is its own.
fn are_alike_but_for_their_side(place: &Place, stamps: (&Stamp, &Stamp), sides: [&Root; 2]) -> bool {
    let is_file = |stamp: &Stamp| matches!(stamp, Stamp::File(_) | Stamp::Size(_));
    let are_files = match stamps {
        (Stamp::Executable(one), Stamp::Executable(other)) => is_file(one) && is_file(other),
        (one, other) => is_file(one) && is_file(other),
    };
    let neutral = |root: &Root| {
        let path = root.path(place);
        let short = fs::metadata(&path).is_ok_and(|metadata| metadata.len() <= LONGEST);
        let text = short.then(|| fs::read_to_string(&path).ok()).flatten()?;
        let found = without_folder(&text, root.folder().to_str()?);
        (found != text).then_some(found)
    };
    let [base, candidate] = sides;
    are_files && neutral(base).is_some_and(|text| neutral(candidate) == Some(text))
}

/// A text with `{side}` in the place of a folder's path.
fn without_folder(text: &str, folder: &str) -> String {
    let is_of_path = |c: char| c.is_alphanumeric() || "_-.".contains(c);
    let mut found = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(folder) {
        let (before, behind) = (&rest[..at], &rest[at + folder.len()..]);
        let is_other = before.ends_with(is_of_path) || behind.starts_with(is_of_path);
        found.push_str(before);
        found.push_str(if is_other { folder } else { "{side}" });
        rest = behind;
    }
    found + rest
}

/// A place that isn't any more what it was when it was recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed(pub Place);

/// Whether one of these names of modules (`x.py`, `pkg/`) is a word of a text.
pub fn mentions_module(text: &str, names: &[&str]) -> bool {
    names.iter().any(|name| {
        let stem = Path::new(name.trim_end_matches('/')).file_name().and_then(|name| name.to_str()).unwrap_or(name);
        let stem = stem.split('.').next().unwrap_or(stem);
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        text.match_indices(stem).any(|(at, _)| {
            let before = text[..at].chars().next_back().is_some_and(is_word);
            let behind = text[at + stem.len()..].chars().next().is_some_and(is_word);
            !before && !behind
        })
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::path::Path;

    use super::{differences, mentions_module};
    use crate::place::Root;
    use crate::record::{Facts, Loading, Touched};
    use crate::stamp::Stamps;

    /// What a process of the base that touched these was answered.
    fn recorded(touched: &Touched, root: &Root, base: &Path, stamps: &Stamps) -> Facts {
        let listed = BTreeSet::new();
        let loading = Loading { python: false, starts: false, sizes: &|_| true, listed: &listed };
        Facts::of(touched, (root, base), loading, &|_| false, stamps)
    }

    #[test]
    fn a_file_that_differs_or_comes_or_goes_is_found_and_another_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let [base, head] = ["base", "head"].map(|name| folder.path().join(name));
        for (side, text) in [(&base, "1"), (&head, "2")] {
            fs::create_dir(side).unwrap();
            fs::write(side.join("same"), "0").unwrap();
            fs::write(side.join("differs"), text).unwrap();
            fs::write(side.join("not-read"), text).unwrap();
        }
        fs::write(head.join("comes"), "").unwrap();
        fs::write(base.join("goes"), "").unwrap();
        let at = |name: &str| base.join(name);
        let touched = Touched {
            read: [at("same"), at("differs"), at("goes")].into(),
            looked_up: [at("comes"), at("never")].into(),
            listed: [base.clone()].into(),
            ..Touched::default()
        };
        let roots = [&base, &head].map(|side| Root::new(side, &folder.path().join(".tare")));
        let stamps = Stamps::default();
        let facts = recorded(&touched, &roots[0], &base, &stamps);
        let found = differences(&facts, &roots[0], &roots[1], &stamps).unwrap();
        let shown: Vec<String> = found.iter().map(super::Difference::shown).collect();
        assert_eq!(
            shown,
            [
                "`goes` in the folder `.` is only on one side",
                "`comes` is only in the candidate",
                "`differs` differs",
                "`goes` is only in the base",
            ]
        );
        fs::write(at("same"), "changed since").unwrap();
        assert!(differences(&facts, &roots[0], &roots[1], &Stamps::default()).is_err());
    }

    #[test]
    fn a_file_that_names_the_folder_of_its_side_is_the_same_on_both() {
        let folder = tempfile::tempdir().unwrap();
        let [base, head] = ["base", "the-head"].map(|name| folder.path().join(name));
        for (side, other) in [(&base, &head), (&head, &base)] {
            fs::create_dir(side).unwrap();
            let write = |name: &str, text: String| fs::write(side.join(name), text).unwrap();
            write("pyvenv.cfg", format!("home = /usr/bin\ncommand = python3 -m venv {}/.venv\n", side.display()));
            write("with.cfg", format!("{}\nversion = {}\n", side.display(), side.display().to_string().len()));
            // What is another side's, and what begins alike.
            write("crossed.pth", format!("{}/src\n", other.display()));
            write("longer.pth", format!("{}-2/src\n", side.display()));
        }
        let names = ["pyvenv.cfg", "with.cfg", "crossed.pth", "longer.pth"].map(|name| base.join(name));
        let touched = Touched { read: names.clone().into(), looked_up: names.into(), ..Touched::default() };
        let roots = [&base, &head].map(|side| Root::new(side, &folder.path().join(".tare")));
        let stamps = Stamps::default();
        let facts = recorded(&touched, &roots[0], &base, &stamps);
        let found = differences(&facts, &roots[0], &roots[1], &stamps).unwrap();
        let shown: BTreeSet<String> = found.iter().map(|one| one.asked.place.shown()).collect();
        assert_eq!(shown.into_iter().collect::<Vec<_>>(), ["crossed.pth", "longer.pth", "with.cfg"]);
    }

    #[test]
    fn what_becomes_a_link_to_the_same_differs_wherever_it_is_on_the_way() {
        let folder = tempfile::tempdir().unwrap();
        let [base, head] = ["base", "head"].map(|name| folder.path().join(name));
        for side in [&base, &head] {
            fs::create_dir_all(side.join("far/in")).unwrap();
            fs::write(side.join("far/in/k"), "0").unwrap();
            fs::write(side.join("far/x"), "0").unwrap();
        }
        fs::create_dir(base.join("in")).unwrap();
        fs::write(base.join("in/k"), "0").unwrap();
        symlink("far/in", head.join("in")).unwrap();
        fs::write(base.join("x"), "0").unwrap();
        symlink("far/x", head.join("x")).unwrap();
        symlink("nowhere", head.join("nothing")).unwrap();
        let roots = [&base, &head].map(|side| Root::new(side, &folder.path().join(".tare")));
        let differing = |read: &[&str], looked_up: &[&str]| {
            let paths = |names: &[&str]| names.iter().map(|name| base.join(name)).collect();
            let touched = Touched { read: paths(read), looked_up: paths(looked_up), ..Touched::default() };
            let stamps = Stamps::default();
            let facts = recorded(&touched, &roots[0], &base, &stamps);
            let found = differences(&facts, &roots[0], &roots[1], &stamps).unwrap();
            found.iter().map(|difference| difference.asked.place.shown()).collect::<Vec<_>>()
        };
        assert_eq!(differing(&["in/k"], &[]), ["in"]);
        assert_eq!(differing(&["x"], &[]), ["x"]);
        assert_eq!(differing(&[], &["x"]), ["x"]);
        assert_eq!(differing(&[], &["nothing"]), ["nothing"]);
        assert!(differing(&["far/in/k", "far/x"], &["far", "none"]).is_empty());
    }

    #[test]
    fn a_module_counts_where_it_is_named() {
        assert!(mentions_module("import json\n", &["json.py"]));
        assert!(mentions_module("from pkg.sub import x", &["sub/"]));
        assert!(!mentions_module("import ujson", &["json.py"]));
        assert!(!mentions_module("json_text", &["json.cpython-312-x86_64.so"]));
    }
}
