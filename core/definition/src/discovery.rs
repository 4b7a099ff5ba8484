//! Which files hold benchmarks.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

use crate::Language;
use crate::error::DefinitionError;
use crate::project::Project;
use kind::Kinds;
use module::Module;

mod cargo;
mod kind;
mod module;

pub use cargo::is_workspace;
pub use kind::is_source_name;

/// Where benchmarks usually are, below the project's root.
const USUAL: [&str; 7] =
    ["benchmarks", "bench", "benches", "tests/Benchmark", "tests/Bench", "tests/benchmarks", "tests/bench"];

/// Where tests usually are. `tare run` without a path doesn't search them: most tests there are no benchmarks.
const TESTS: [&str; 2] = ["tests", "test"];

/// Folders of other people's code, and of what isn't code. Hidden folders are passed over too.
const FOREIGN: [&str; 4] = ["vendor", "node_modules", "site-packages", "__pycache__"];

/// A file with benchmarks; of Go, the folder of a package with them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// As shown: relative to the working directory when below it, else absolute.
    pub path: PathBuf,
    /// Absolute.
    pub absolute: PathBuf,
    /// Who runs it.
    pub language: Language,
}

/// Finds the sources below `paths`, which are relative to `here`.
///
/// A file is taken whatever its name; one of Go stands for its package. A folder is searched for names that match any of
/// `file_patterns` (globs). If there is none: for PHP, PHPBench's `runner.file_pattern`, else `*Bench.php`; for Python `bench_*.py`, `benchmark_*.py`
/// with a `bench_` or `test_` function, and `test_*.py` and `*_test.py` that speak of a benchmark; for Go packages whose `*_test.go` have functions `Benchmark…` or `Operation…`. `vendor`,
/// `node_modules`, `site-packages`, `__pycache__` and hidden folders below it are passed over, and for Go `testdata` and what begins with `_`.
/// Links are followed, and a file that is reached twice is taken once. A path may end with `/...`, as Go writes it: then, and where no path
/// is named, Go packages are those of the module and of its workspace, as for the go command. Without
/// `paths`: `run.paths` of `tare.toml`, else PHPBench's `runner.path`, else the root of the Go module around `here`, else those of the usual
/// folders that exist in the Cargo package around `here`, or in the project's root; the whole folder of a Cargo package without any, and of a Cargo workspace; and with any of these `tare.toml` itself, where it has a `[[command]]`.
///
/// Sources come in the order of the paths, and in alphabetical order within a folder.
///
/// # Errors
/// A pattern that isn't one, a path that doesn't exist, a folder that can't be read, no path to search, nothing found.
pub fn discover_from(
    here: &Path,
    project: &Project,
    paths: &[PathBuf],
    file_patterns: &[String],
) -> Result<Vec<Source>, DefinitionError> {
    let kinds = Kinds::new(project, file_patterns)?;
    let shown = |path: &Path| match path.strip_prefix(here) {
        Ok(below) if below.as_os_str().is_empty() => PathBuf::from("."),
        Ok(below) => below.to_owned(),
        Err(_) => path.to_owned(),
    };

    let mut search =
        Search { kinds: &kinds, module: None, seen: BTreeSet::new(), packages: BTreeSet::new(), found: Vec::new() };
    let mut searched = Vec::new();
    let in_module = |path: &Path| paths.is_empty() || path.file_name().is_some_and(|name| name == "...");
    // Another revision has a file of its own, whose settings don't count, and may have no commands yet.
    let own = project.settings_file.as_ref().and_then(|file| Some(project.root.join(file.file_name()?)));
    let names_any = |text: String| text.lines().any(|line| line.trim_start().starts_with("[[command]]"));
    let has_commands =
        |file: &PathBuf| project.settings_file.as_ref() == Some(file) || fs::read_to_string(file).is_ok_and(names_any);
    let commands = own.filter(|file| paths.is_empty() && project.settings.commands && has_commands(file));
    let named = match named(here, project, paths) {
        // Somebody who stands among benchmarks means those.
        Err(DefinitionError::NoPaths { .. }) if holds_source(here, &kinds) => {
            vec![Named { path: here.to_owned(), by: None }]
        }
        Err(DefinitionError::NoPaths { .. }) if commands.is_some() => Vec::new(),
        Err(DefinitionError::NoPaths { root, looked_for, .. }) => {
            let among_tests = among_tests(&root, &kinds);
            return Err(DefinitionError::NoPaths { root, looked_for, among_tests });
        }
        named => named?,
    };
    for named in named {
        let path = normal(&named.path);
        if path.is_dir() {
            searched.push(shown(&path));
            search.module = in_module(&named.path).then(|| Module::around(&path));
            search.folder(&path)?;
        } else if path.is_file() {
            search.named(path);
        } else if path.exists() {
            return Err(DefinitionError::NotAFile { path: shown(&named.path) });
        } else {
            return Err(DefinitionError::Missing { path: shown(&named.path), named_in: named.by });
        }
    }
    if let Some(commands) = commands {
        search.named(normal(&commands));
    }
    if search.found.is_empty() {
        return Err(DefinitionError::NothingFound { searched, patterns: kinds.patterns() });
    }
    let source = |(absolute, language): (PathBuf, Language)| Source { path: shown(&absolute), language, absolute };
    Ok(search.found.into_iter().map(source).collect())
}

/// Whether a source lies in the folder itself; what is below it isn't looked at, since it may be a whole home.
fn holds_source(folder: &Path, kinds: &Kinds) -> bool {
    let files = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    files.into_iter().any(|path| kinds.of(&path, folder).is_some())
}

/// A folder of tests with sources, and the first of these below it.
fn among_tests(root: &Path, kinds: &Kinds) -> Option<(PathBuf, PathBuf)> {
    TESTS.iter().find_map(|name| {
        let folder = root.join(name);
        let mut search =
            Search { kinds, module: None, seen: BTreeSet::new(), packages: BTreeSet::new(), found: Vec::new() };
        // What can't be read there is nobody's concern yet.
        search.folder(&folder).ok()?;
        let (first, _) = search.found.into_iter().next()?;
        Some((PathBuf::from(name), first.strip_prefix(&folder).unwrap_or(&first).to_owned()))
    })
}

/// A path to search, and the file that names it.
struct Named {
    path: PathBuf,
    by: Option<PathBuf>,
}

fn named(here: &Path, project: &Project, paths: &[PathBuf]) -> Result<Vec<Named>, DefinitionError> {
    let below = |base: &Path, paths: &[PathBuf], by: Option<&PathBuf>| {
        paths.iter().map(|path| Named { path: base.join(path), by: by.cloned() }).collect::<Vec<_>>()
    };
    let configured = &project.settings.selection.paths;
    if !paths.is_empty() {
        return Ok(below(here, paths, None));
    }
    if !configured.is_empty() {
        return Ok(below(&project.root, configured, project.settings_file.as_ref()));
    }
    if let Some(phpbench) = project.phpbench.as_ref().filter(|phpbench| !phpbench.paths.is_empty()) {
        return Ok(below(&project.root, &phpbench.paths, Some(&phpbench.file)));
    }
    // As for the go command, the module that somebody stands in, which may be one of several of a repository.
    let above =
        || here.ancestors().take_while(|above| above.starts_with(&project.root)).chain([project.root.as_path()]);
    if let Some(root) = above().find(|above| above.join(module::FILE).is_file()) {
        return Ok(below(root, &[PathBuf::from(".")], None));
    }
    // So for Cargo, whose packages have folders of their own.
    let package = above().find(|folder| cargo::has_manifest(folder));
    let root = package.unwrap_or(&project.root);
    let looked_for = USUAL.map(PathBuf::from).to_vec();
    let usual: Vec<PathBuf> = looked_for.iter().filter(|path| root.join(path).is_dir()).cloned().collect();
    match (package, usual.as_slice()) {
        (Some(package), usual) if usual.is_empty() || cargo::is_workspace(package) => {
            Ok(below(package, &[PathBuf::from(".")], None))
        }
        (_, []) => Err(DefinitionError::NoPaths { root: root.to_owned(), looked_for, among_tests: None }),
        (_, usual) => Ok(below(root, usual, None)),
    }
}

/// Without `/...`, which says what is done anyway, without `.`, and without `..`, which only the file system can resolve where there are links.
fn normal(path: &Path) -> PathBuf {
    let path = if path.file_name().is_some_and(|name| name == "...") { path.parent().unwrap_or(path) } else { path };
    let plain: PathBuf = path.components().collect();
    if plain.components().any(|component| component == Component::ParentDir) {
        return fs::canonicalize(&plain).unwrap_or(plain);
    }
    plain
}

struct Search<'a> {
    kinds: &'a Kinds,
    /// What Go packages must belong to.
    module: Option<Module>,
    /// Folders and files, by what they are when all links are followed.
    seen: BTreeSet<PathBuf>,
    /// Folders that are sources themselves, likewise.
    packages: BTreeSet<PathBuf>,
    found: Vec<(PathBuf, Language)>,
}

impl Search<'_> {
    /// A file that somebody named.
    fn named(&mut self, path: PathBuf) {
        let language = kind::named(&path);
        self.take(path, language);
    }

    /// A file that was met below `searched`.
    fn file(&mut self, path: PathBuf, searched: &Path) {
        if let Some(language) = self.kinds.of(&path, searched)
            && !(language.entry().packages && self.module.as_ref().is_some_and(|module| !module.holds(&path, searched)))
        {
            self.take(path, language);
        }
    }

    fn take(&mut self, path: PathBuf, language: Language) {
        if !language.entry().packages {
            if self.is_new(&path) {
                self.found.push((path, language));
            }
        } else if let Some(folder) = path.parent()
            && self.packages.insert(fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned()))
        {
            self.found.push((folder.to_owned(), language));
        }
    }

    fn is_new(&mut self, path: &Path) -> bool {
        self.seen.insert(fs::canonicalize(path).unwrap_or_else(|_| path.to_owned()))
    }

    /// Takes what is in a folder. Links wait until everything else has been seen, so that a file is known by its own
    /// path where it has one here, and each folder is entered once, however the links run.
    fn folder(&mut self, searched: &Path) -> Result<(), DefinitionError> {
        let before = self.found.len();
        let mut folders = vec![searched.to_owned()];
        let mut links: BTreeSet<PathBuf> = BTreeSet::new();
        loop {
            while let Some(folder) = folders.pop() {
                if !self.is_new(&folder) {
                    continue;
                }
                // What others take away while it is searched was never there.
                for entry in still_there(entries(&folder))?.into_iter().flatten() {
                    let kind = entry.file_type().map_err(|source| unreadable(&folder, source));
                    let Some(kind) = still_there(kind)? else { continue };
                    let path = entry.path();
                    match (kind.is_symlink(), path.is_dir()) {
                        (true, _) => {
                            links.insert(path);
                        }
                        (false, true) if is_own(&path) => folders.push(path),
                        (false, true) => {}
                        (false, false) => self.file(path, searched),
                    }
                }
            }
            match links.pop_first() {
                Some(link) if link.is_dir() => folders.extend(Some(link).filter(|link| is_own(link))),
                Some(link) => self.file(link, searched),
                None => break,
            }
        }
        self.found[before..].sort();
        Ok(())
    }
}

fn entries(folder: &Path) -> Result<Vec<fs::DirEntry>, DefinitionError> {
    fs::read_dir(folder).and_then(Iterator::collect).map_err(|source| unreadable(folder, source))
}

/// `None` of what is gone.
fn still_there<T>(found: Result<T, DefinitionError>) -> Result<Option<T>, DefinitionError> {
    match found {
        Err(DefinitionError::Unreadable { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => Ok(None),
        found => found.map(Some),
    }
}

fn unreadable(folder: &Path, source: std::io::Error) -> DefinitionError {
    DefinitionError::Unreadable { path: folder.to_owned(), source }
}

fn is_own(folder: &Path) -> bool {
    let name = folder.file_name().unwrap_or_default();
    !name.as_encoded_bytes().starts_with(b".") && !FOREIGN.iter().any(|foreign| name == *foreign)
}

#[cfg(test)]
#[path = "discovery/tests.rs"]
mod tests;
