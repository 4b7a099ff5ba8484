//! From a request to sources, and to the runtimes that they call for.

use std::path::{Path, PathBuf};

use tare_definition::{Filter, Language, Project, Source, discover_from};
use tare_samples::RuntimeCommand;

use crate::error::RequestError;
use crate::request::Request;
use crate::runtimes::commands;
use crate::side::Side;

/// The sources of one side of a request and what its project adds to them.
pub struct Sources {
    /// What may hold benchmarks.
    pub files: Vec<Source>,
    /// The PHP file that is loaded before them.
    pub bootstrap: Option<String>,
    /// Which of their cases are asked for.
    pub filter: Filter,
    /// Its settings.
    pub project: Project,
}

impl Request {
    /// Finds the sources of each side. A side may lack what another has, but not all of them.
    pub fn sources(&self) -> Result<Vec<Sources>, RequestError> {
        let here = Project::find(&self.folder).and_then(|here| here.with(self.choice())).map_err(RequestError::new)?;
        let mut all = Vec::new();
        let mut missing = None;
        for side in &self.sides {
            let project = if side.root == here.root {
                here.clone()
            } else {
                here.at_revision(&side.root).map_err(RequestError::new)?
            };
            let filter = Filter::new(&self.selection.filter, &self.selection.group)
                .and_then(|filter| filter.excluding(&self.selection.exclude));
            let filter = filter.map_err(RequestError::new)?;
            let in_side = |path: &PathBuf| match path.strip_prefix(&here.root) {
                Ok(relative) => side.root.join(relative),
                Err(_) => path.clone(),
            };
            let paths: Vec<PathBuf> = self.selection.paths.iter().map(in_side).collect();
            let files = match discover_from(&side.folder, &project, &paths, &[]) {
                Ok(files) => files,
                Err(error) if self.sides.len() > 1 => {
                    missing = Some(error);
                    Vec::new()
                }
                Err(error) => return Err(RequestError::new(error)),
            };
            let bootstrap = project.phpbench.as_ref().and_then(|p| p.bootstrap.as_ref()).map(|path| text(path));
            all.push(Sources { files, bootstrap, filter, project });
        }
        match missing {
            Some(error) if all.iter().all(|sources| sources.files.is_empty()) => Err(RequestError::new(error)),
            _ => Ok(all),
        }
    }

    /// Chooses the runtimes by the languages of the sources, once.
    pub fn resolve(&mut self, sources: &[Sources]) -> Result<(), RequestError> {
        if std::mem::replace(&mut self.resolved, true) {
            return Ok(());
        }
        let Some(first) = sources.first() else { return Ok(()) };
        let mut languages: Vec<Language> = Vec::new();
        for source in sources.iter().flat_map(|side| &side.files) {
            if !languages.contains(&source.language) {
                languages.push(source.language);
            }
        }
        self.runtimes = commands(&first.project, &self.selection.runtime, &languages)?;
        let unbuilt = |source: &&Source| source.language == Language::Worker && is_unbuilt(&source.absolute);
        let workers = self.runtimes.iter().any(|runtime| runtime.driver == Language::Worker.name());
        if let Some(source) = sources.iter().flat_map(|side| &side.files).find(unbuilt).filter(|_| !workers) {
            return Err(RequestError::new(not_built(&source.path)));
        }
        let idle: Vec<&str> = languages
            .into_iter()
            .filter(|&language| !self.runtimes.iter().any(|runtime| self.runs(runtime, language)))
            .map(Language::name)
            .collect();
        if self.selection.runtime.is_empty() && !idle.is_empty() {
            return Err(RequestError::new(format!(
                "there is no runtime for sources of {}; name one, as in --runtime \"worker:./my-worker\"",
                idle.join(" and ")
            )));
        }
        Ok(())
    }

    /// Whether sources of a language are run on a runtime. A worker of the user's is offered all that no other runtime of this
    /// request is for.
    pub fn runs(&self, runtime: &RuntimeCommand, language: Language) -> bool {
        let of = |name: &str| self.runtimes.iter().any(|runtime| runtime.driver == name);
        let worker = Language::Worker.name();
        runtime.driver == language.name() || runtime.driver == worker && !of(language.name())
    }

    /// What is started: every runtime on every side, each with the position of its side and the name of what it is compared with (`None`: it is
    /// the base).
    pub fn started(&self) -> Vec<(RuntimeCommand, usize, Option<String>)> {
        let sided = self.sides.len() > 1;
        let name = |runtime: &RuntimeCommand, side: &Side| match (sided, self.runtimes.len()) {
            (false, _) => runtime.name.clone(),
            (true, 1) => side.name.clone(),
            (true, _) => format!("{} {}", runtime.name, side.name),
        };
        let mut started = Vec::new();
        for runtime in &self.runtimes {
            for (number, side) in self.sides.iter().enumerate() {
                let command = RuntimeCommand {
                    name: name(runtime, side),
                    folder: sided.then(|| side.folder.clone()),
                    ..runtime.clone()
                };
                let first = self.runtimes.iter().find(|other| other.driver == runtime.driver).unwrap_or(runtime);
                let base = if sided { name(runtime, &self.sides[0]) } else { name(first, side) };
                let base = (base != command.name).then_some(base);
                started.push((command, number, base));
            }
        }
        started
    }

    /// The name of the runtime at that position of [`Request::started`], without that of a side.
    pub fn runtime_of(&self, position: usize) -> &str {
        self.runtimes.get(position / self.sides.len().max(1)).map_or("", |runtime| &runtime.name)
    }

    /// Whether revisions, or runtimes of one language, are compared with each other: whatever they have in common, be it nothing, as when
    /// a revision adds the first benchmark.
    pub fn compares_sides(&self) -> bool {
        self.started().iter().any(|(.., base)| base.is_some())
    }
}

/// A path as text, for the wire.
pub fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// A place as the user would name it: relative to the folder that the run was asked for in, in whichever revision.
pub fn relative(file: &str, request: &Request) -> String {
    let path = Path::new(file);
    // The working tree last: checked out revisions lie in it.
    let mut folders: Vec<&Path> = request.sides.iter().map(|side| side.folder.as_path()).collect();
    folders.sort_by_key(|folder| std::cmp::Reverse(folder.as_os_str().len()));
    folders.push(&request.folder);
    folders.iter().find_map(|folder| path.strip_prefix(folder).ok()).map_or_else(|| file.to_owned(), text)
}

/// Of C++ the program is measured that is built of a source, with the flags that count.
fn not_built(source: &Path) -> String {
    let (program, shown) = (source.with_extension(""), source.display());
    let program = program.display();
    format!(
        "{shown} is C++ source, and Tare measures built programs: build it with Tare's header, then name the program
  g++ -std=c++17 -O2 -pthread -I\"$(tare sdk cpp --include-dir)\" {shown} -o {program}
  tare run {program}
or let tare.toml do it: `build` in [run] is the command, `paths` are the programs that it makes"
    )
}

/// Whether what is measured is the program that is built of a file.
fn is_unbuilt(path: &Path) -> bool {
    Language::all().any(|language| language.entry().is_built_from(path))
}
