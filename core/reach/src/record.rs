//! What a look at a source's cases recorded: everything that their process asked of the system, with the answers.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::place::{Place, Root};
use crate::stamp::{Filter, Question, Stamp, Stamps};

/// What a stretch of a process touched, as whoever followed it says; absolute paths.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Touched {
    /// Files whose content it could read.
    pub read: BTreeSet<PathBuf>,
    /// Folders whose names it read.
    pub listed: BTreeSet<PathBuf>,
    /// Paths that it looked up, found or not.
    pub looked_up: BTreeSet<PathBuf>,
    /// What it made, removed or opened for writing.
    pub written: BTreeSet<PathBuf>,
    /// Symbolic links that it met.
    pub links: BTreeSet<PathBuf>,
    /// What it depends on that no comparison of files shows: `a socket`, `the clock`.
    pub outside: BTreeSet<String>,
    /// Why not all could be seen.
    pub incomplete: Option<String>,
}

/// What a stretch of a process depends on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facts {
    /// What it asked, and what the answer was.
    #[serde(with = "pairs")]
    pub answers: BTreeMap<PathQuestion, Stamp>,
    /// What it depends on that no comparison of files shows.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub outside: BTreeSet<String>,
    /// Why not all could be seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub incomplete: Option<String>,
}

/// A question to a path.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct PathQuestion {
    /// Where.
    pub place: Place,
    /// What.
    pub question: Question,
    /// Which names of a folder count.
    pub filter: Filter,
}

/// How a language reads its own sources.
#[derive(Clone, Copy)]
pub struct Loading<'a> {
    /// Whether the size of a file counts, and not only whether it is there: what loads sources looks for files, and seldom at their sizes.
    pub sizes: &'a dyn Fn(&std::path::Path) -> bool,
    /// The import system lists folders to find modules in them, and reads compiled files (`__pycache__`) in place of sources.
    pub python: bool,
    /// Nothing but the runtime has run yet: it lists folders to find modules in them, whether or not it finds one.
    pub starts: bool,
    /// Folders that code listed by itself: all of their names count.
    pub listed: &'a BTreeSet<PathBuf>,
}

impl Facts {
    /// From what was touched to what it depends on. `ignored`: whether a path is Tare's own and no part of the case. `project`: the folder of the
    /// whole project, which holds all sides.
    pub fn of(
        touched: &Touched,
        (root, project): (&Root, &std::path::Path),
        loading: Loading<'_>,
        ignored: &dyn Fn(&std::path::Path) -> bool,
        stamps: &Stamps,
    ) -> Self {
        let mut facts =
            Self { outside: touched.outside.clone(), incomplete: touched.incomplete.clone(), ..Self::default() };
        let mut sources = BTreeSet::new();
        for path in touched.read.iter().filter(|path| !ignored(path)) {
            let source = loading.python.then(|| compiled_from(path)).flatten().filter(|source| source.is_file());
            sources.insert(source.unwrap_or_else(|| path.clone()));
        }
        let mut ask = |path: &std::path::Path, question, filter| {
            let asked = PathQuestion { place: root.place(path), question, filter };
            let stamp = stamps.ask(root, &asked.place, question, filter);
            facts.answers.insert(asked, stamp);
        };
        for path in &sources {
            ask(path, Question::Content, Filter::All);
        }
        // The import system lists each folder on its path.
        for path in touched.listed.iter().filter(|path| !ignored(path)) {
            let holds_modules = || sources.iter().any(|source| source.starts_with(path) && is_python(source));
            let imported = loading.python && !loading.listed.contains(path) && (loading.starts || holds_modules());
            let filter = match (imported, loading.python) {
                (true, _) => Filter::Importable,
                (false, true) => Filter::Written,
                (false, false) => Filter::All,
            };
            ask(path, Question::Names, filter);
        }
        // Git's own is a folder in the working tree, and a file in a worktree.
        let is_of_git = |path: &&PathBuf| root.place(path) == Place::Inside(".git".into());
        let looked_up = touched.looked_up.iter().filter(|path| !ignored(path) && !is_of_git(path));
        // A compiled file that one side's runs have left behind says what its source says.
        let is_compiled = |path: &PathBuf| loading.python && compiled_from(path).is_some_and(|source| source.is_file());
        for path in looked_up.filter(|path| !sources.contains(*path) && !is_compiled(path)) {
            ask(path, if (loading.sizes)(path) { Question::Existence } else { Question::Kind }, Filter::All);
        }
        for path in touched.links.iter().filter(|path| !ignored(path)) {
            ask(path, Question::Link, Filter::All);
        }
        // Whether something was there before is a part of what it learnt, and what earlier runs left behind there hides that.
        let is_cache = |path: &PathBuf| loading.python && (is_compiled(path) || path.ends_with("__pycache__"));
        let written = touched.written.iter().filter(|path| !ignored(path) && !is_of_git(path) && !is_cache(path));
        let inside = written.map(|path| root.place(path)).find(|place| matches!(place, Place::Inside(_)));
        if let Some(Place::Inside(path)) = inside {
            facts.outside.insert(format!("what it writes into its revision (`{}`)", path.display()));
        }
        // Another side has files of its own there, which this one would read in its place.
        let leaves = sources.iter().find(|path| root.leaves(path, project));
        if let Some(path) = leaves {
            facts.incomplete.get_or_insert_with(|| format!("it reads {} outside of its revision", path.display()));
        }
        facts
    }

    /// Both together.
    pub fn add(&mut self, other: &Self) {
        self.answers.extend(other.answers.iter().map(|(asked, stamp)| (asked.clone(), stamp.clone())));
        self.outside.extend(other.outside.iter().cloned());
        if self.incomplete.is_none() {
            self.incomplete.clone_from(&other.incomplete);
        }
    }

    /// Files whose content it read.
    pub fn files(&self) -> impl Iterator<Item = &Place> {
        self.answers.keys().filter(|asked| asked.question == Question::Content).map(|asked| &asked.place)
    }
}

/// Keys of a map in JSON are texts: it is written as pairs.
mod pairs {
    use std::collections::BTreeMap;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::PathQuestion;
    use crate::stamp::Stamp;

    pub(super) fn serialize<S: Serializer>(answers: &BTreeMap<PathQuestion, Stamp>, to: S) -> Result<S::Ok, S::Error> {
        answers.iter().collect::<Vec<_>>().serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<BTreeMap<PathQuestion, Stamp>, D::Error> {
        Vec::<(PathQuestion, Stamp)>::deserialize(from).map(|pairs| pairs.into_iter().collect())
    }
}

fn is_python(path: &std::path::Path) -> bool {
    path.extension().is_some_and(|extension| extension == "py")
}

/// The source of a compiled Python file: `a/__pycache__/b.cpython-312.pyc` is compiled from `a/b.py`. The interpreter takes the compiled file only where
/// it was made of a source of the same size and time.
fn compiled_from(path: &std::path::Path) -> Option<PathBuf> {
    let folder = path.parent().filter(|folder| folder.file_name().is_some_and(|name| name == "__pycache__"))?;
    let name = path.file_name()?.to_str()?.strip_suffix(".pyc")?;
    // `b.cpython-312.opt-1`: a module's own name has no dot.
    Some(folder.parent()?.join(format!("{}.py", name.split('.').next()?)))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    use super::{Facts, Loading, PathQuestion, Touched, compiled_from};
    use crate::place::{Place, Root};
    use crate::stamp::{Filter, Question, Stamp, Stamps};

    #[test]
    fn a_compiled_file_stands_for_its_source() {
        let of = |path| compiled_from(Path::new(path));
        assert_eq!(of("/a/__pycache__/b.cpython-312.pyc").unwrap(), Path::new("/a/b.py"));
        assert_eq!(of("/a/__pycache__/b.cpython-312.opt-1.pyc").unwrap(), Path::new("/a/b.py"));
        assert_eq!(of("/a/b.pyc"), None);
    }

    #[test]
    fn what_was_touched_becomes_questions_with_answers() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("a.txt"), "a").unwrap();
        let touched = Touched {
            read: [path("a.txt")].into(),
            listed: [folder.path().to_owned()].into(),
            looked_up: [path("a.txt"), path("b.txt"), path("own/x")].into(),
            outside: ["a socket".to_owned()].into(),
            ..Touched::default()
        };
        let root = Root::new(folder.path(), &path(".tare"));
        let ignored = |path: &Path| path.ends_with("own/x");
        let listed = BTreeSet::new();
        let loading = Loading { python: false, starts: false, sizes: &|_| true, listed: &listed };
        let facts = Facts::of(&touched, (&root, folder.path()), loading, &ignored, &Stamps::default());
        let asked =
            |name: &str, question| PathQuestion { place: Place::Inside(name.into()), question, filter: Filter::All };
        assert_eq!(facts.answers[&asked("b.txt", Question::Existence)], Stamp::Missing);
        assert_eq!(facts.answers[&asked("", Question::Names)], Stamp::Names(vec!["a.txt".to_owned()]));
        // Whose content is known has a size, too; Tare's own is no part of it.
        let keys: BTreeSet<_> = facts.answers.keys().cloned().collect();
        assert_eq!(keys.len(), 3, "{keys:?}");
        assert_eq!(facts.outside.len(), 1);
    }

    #[test]
    fn what_is_written_into_a_side_is_outside_of_what_files_show() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let root = Root::new(folder.path(), &path(".tare"));
        let listed = BTreeSet::new();
        let outside = |python, name: &Path| {
            let touched = Touched { written: [name.to_owned()].into(), ..Touched::default() };
            let loading = Loading { python, starts: false, sizes: &|_| true, listed: &listed };
            Facts::of(&touched, (&root, folder.path()), loading, &|path| path.ends_with("own"), &Stamps::default())
                .outside
        };
        assert_eq!(outside(false, &path("a/log")), ["what it writes into its revision (`a/log`)".to_owned()].into());
        assert!(outside(false, &path("own")).is_empty() && outside(false, Path::new("/elsewhere/log")).is_empty());
        assert!(outside(true, &path("__pycache__")).is_empty());
    }

    #[test]
    fn a_folder_is_listed_for_modules_where_it_holds_one_or_nothing_but_the_runtime_runs() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().to_owned();
        let touched = Touched { listed: [path.clone()].into(), ..Touched::default() };
        let root = Root::new(&path, &path.join(".tare"));
        let filters = |starts, listed: &BTreeSet<_>| {
            let loading = Loading { python: true, starts, sizes: &|_| true, listed };
            let facts = Facts::of(&touched, (&root, &path), loading, &|_| false, &Stamps::default());
            facts.answers.into_keys().map(|asked| asked.filter).collect::<Vec<_>>()
        };
        assert_eq!(filters(true, &BTreeSet::new()), [Filter::Importable]);
        assert_eq!(filters(false, &BTreeSet::new()), [Filter::Written]);
        assert_eq!(filters(true, &[path.clone()].into()), [Filter::Written], "code lists it, too");
    }

    #[test]
    fn compiled_files_that_one_side_has_left_behind_are_no_difference() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("b.py"), "").unwrap();
        let looked_up = [path("__pycache__/b.cpython-312.pyc"), path("__pycache__/c.cpython-312.pyc")].into();
        let touched = Touched { looked_up, ..Touched::default() };
        let root = Root::new(folder.path(), &path(".tare"));
        let listed = BTreeSet::new();
        let asked = |python| {
            let loading = Loading { python, starts: false, sizes: &|_| true, listed: &listed };
            Facts::of(&touched, (&root, folder.path()), loading, &|_| false, &Stamps::default()).answers.len()
        };
        assert_eq!((asked(true), asked(false)), (1, 2));
    }
}
