//! What is asked for: the command line over tare.toml over phpbench.json, checked, and kept with the run so that
//! `--resume` can go on with it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::anyhow;
use serde::{Deserialize, Serialize};
use tare_definition::{Filter, Language, PhpbenchChoice, Project, RuntimeDefinition, Source, discover_from};
use tare_plan::Settings;
use tare_samples::RuntimeCommand;

use crate::arguments::{ComparingArguments, MeasuringArguments, MemoryMode, Selection};
use crate::exit::Refusal;
use crate::phpbench;

mod side;

pub(crate) use side::Side;

/// Everything that decides what a run measures, and how. Paths are absolute.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Request {
    /// Where it was asked; paths are shown relative to it.
    pub(crate) folder: PathBuf,
    pub(crate) paths: Vec<PathBuf>,
    pub(crate) filter: Vec<String>,
    pub(crate) group: Vec<String>,
    /// As the command line names them.
    #[serde(default)]
    pub(crate) runtime_arguments: Vec<String>,
    /// The runtimes are those that the sources call for.
    #[serde(default = "yes")]
    pub(crate) resolved: bool,
    pub(crate) runtimes: Vec<RuntimeCommand>,
    pub(crate) settings: Settings,
    /// The revisions that are compared, the base first. One without a name where none are: the project as it is.
    #[serde(default)]
    pub(crate) sides: Vec<Side>,
    /// What makes a checked out revision ready.
    #[serde(default)]
    pub(crate) prepare: Option<Preparation>,
    /// What the others are compared with, as the user named it.
    #[serde(default)]
    pub(crate) base: Option<String>,
    /// Each base is compared with itself as well.
    #[serde(default)]
    pub(crate) control: bool,
    /// Gates of the command line, as `--fail-on` takes them.
    #[serde(default)]
    pub(crate) fail_on: Vec<String>,
    /// What is asserted of every case, in place of what the sources do.
    #[serde(default)]
    pub(crate) assertions: Vec<String>,
    /// Where summaries go.
    #[serde(default)]
    pub(crate) markdown: Option<PathBuf>,
    #[serde(default)]
    pub(crate) junit: Option<PathBuf>,
    /// The configuration of PHPBench's that was named, and its profile.
    #[serde(default)]
    pub(crate) config: Option<PathBuf>,
    #[serde(default)]
    pub(crate) phpbench_profile: Option<String>,
    /// CPUs for the workers, as the user gave them.
    pub(crate) cpus: Vec<usize>,
    /// Which memory is weighed, for all cases.
    #[serde(default)]
    pub(crate) memory: Option<MemoryMode>,
    /// Whether instructions are counted, for all cases.
    #[serde(default)]
    pub(crate) instructions: bool,
    pub(crate) tags: Vec<String>,
    /// A hash of each source when the run began: what is gone on with must be the same.
    #[serde(default)]
    pub(crate) fingerprints: BTreeMap<PathBuf, u64>,
}

/// Requests were once stored only when they were.
fn yes() -> bool {
    true
}

/// What makes a checked out revision ready.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Preparation {
    pub(crate) command: String,
    pub(crate) limit_ms: u64,
}

/// The sources of one side of a request and what its project adds to them.
pub(crate) struct Sources {
    pub(crate) files: Vec<Source>,
    pub(crate) bootstrap: Option<String>,
    pub(crate) filter: Filter,
    pub(crate) project: Project,
}

impl Request {
    /// Checks a selection: what `tare list` needs.
    pub(crate) fn of_selection(selection: &Selection, project: &Project) -> Result<Self, Refusal> {
        let folder =
            std::env::current_dir().map_err(|e| Refusal::usage(anyhow!("the current folder can't be read: {e}")))?;
        let choice = phpbench::choice(&selection.phpbench, &folder);
        let project = &project.clone().with(choice.clone()).map_err(Refusal::usage)?;
        // What is wrong with them by themselves is told before anything is searched.
        let runtimes = commands(project, &selection.runtime, &[])?;
        let mut settings = Settings::default();
        let phpbench = project.phpbench.as_ref();
        let timeout = selection.timeout.or(project.settings.run.timeout).or(phpbench.and_then(|p| p.timeout));
        if let Some(timeout) = timeout {
            settings.timeout = not_zero("--timeout", timeout)?;
            settings.timeout_given = selection.timeout.is_some() || project.settings.run.timeout.is_some();
        }
        Ok(Self {
            paths: selection.paths.iter().map(|path| folder.join(path)).collect(),
            sides: Self::here(project, &folder),
            prepare: None,
            base: None,
            control: false,
            fail_on: Vec::new(),
            assertions: Vec::new(),
            markdown: None,
            junit: None,
            folder,
            config: choice.file,
            phpbench_profile: choice.profile,
            filter: selection.filter.clone(),
            group: selection.group.clone(),
            runtime_arguments: selection.runtime.clone(),
            resolved: false,
            runtimes,
            settings,
            cpus: Vec::new(),
            memory: None,
            instructions: false,
            tags: Vec::new(),
            fingerprints: BTreeMap::new(),
        })
    }

    /// The project as it is, measured from that folder.
    pub(crate) fn here(project: &Project, folder: &Path) -> Vec<Side> {
        vec![Side {
            name: String::new(),
            commit: None,
            root: project.root.clone(),
            working_tree: true,
            folder: folder.to_owned(),
        }]
    }

    /// Checks how to measure and what to compare.
    pub(crate) fn of_run(
        selection: &Selection,
        arguments: &MeasuringArguments,
        comparing: &ComparingArguments,
        project: &Project,
    ) -> Result<Self, Refusal> {
        let mut request = Self::of_selection(selection, project)?;
        let project = &project.clone().with(request.choice()).map_err(Refusal::usage)?;
        phpbench::tell(project);
        let file = &project.settings.run;
        let compare = &project.settings.compare;
        // Several runtimes are compared with each other unless the command line names a case.
        let usual = compare.base.as_ref().filter(|_| request.runtimes.len() == 1);
        request.base = comparing.base.as_ref().or(usual).cloned();
        request.assertions.clone_from(&comparing.assert);
        request.fail_on = comparing.fail_on.iter().map(ToString::to_string).collect();
        let absolute = |path: &Option<PathBuf>| path.as_ref().map(|path| request.folder.join(path));
        (request.markdown, request.junit) = (absolute(&comparing.markdown), absolute(&comparing.junit));
        request.control = comparing.control || compare.control.unwrap_or(false);
        let settings = &mut request.settings;
        settings.launches = arguments.launches.or(file.launches);
        settings.samples = arguments.samples.or(file.samples);
        let calls = phpbench::calls(arguments);
        settings.calls = if calls.is_empty() { file.iterations.clone() } else { calls.to_vec() };
        let calls = &settings.calls;
        if let Some(twice) =
            (1..calls.len()).find(|&index| calls[..index].contains(&calls[index])).map(|index| calls[index])
        {
            return Err(Refusal::usage(anyhow!("--calls names {twice} twice; name each once")));
        }
        settings.interleave = arguments.interleave;
        let threshold = project.phpbench.as_ref().and_then(|phpbench| phpbench.retry_threshold);
        settings.precision = phpbench::precision(arguments, file.precision, threshold);
        if settings.precision.is_some_and(|precision| precision <= 0.0) {
            return Err(Refusal::usage(anyhow!("--precision must be more than 0 %, as in --precision 1%")));
        }
        if let Some(budget) = arguments.budget.or(file.budget) {
            settings.budget = not_zero("--budget", budget)?;
            settings.budget_given = true;
        }
        if let Some(margin) = comparing.margin.or(compare.margin) {
            settings.margin = margin;
        }
        settings.about = comparing.about.or(compare.about).unwrap_or_default();
        settings.mean_bound = comparing.mean_bound.or(compare.mean_bound).unwrap_or(settings.mean_bound);
        match (arguments.budget, compare.budget) {
            (Some(budget), _) | (None, Some(budget)) => settings.comparison_budget = budget,
            (None, None) if file.budget.is_some() => settings.comparison_budget = 2 * settings.budget,
            (None, None) => {}
        }
        request.memory = arguments.memory;
        request.instructions = arguments.instructions;
        settings.clock = arguments.clock.clone().or_else(|| file.clock.clone());
        settings.seed = match arguments.seed.or(file.seed) {
            // What every store and every reader of JSON takes without loss.
            Some(seed) if seed >> 53 != 0 => {
                return Err(Refusal::usage(anyhow!("--seed must be under 2^53, is {seed}; give a smaller one")));
            }
            Some(seed) => seed,
            None => rand::random::<u64>() >> 32,
        };
        request.cpus = match &arguments.cpus {
            Some(list) => {
                tare_machine::parse_cpu_list(list).map_err(|error| Refusal::usage(anyhow!("--cpus: {error}")))?
            }
            None => file.cpus.clone(),
        };
        for tag in &arguments.tag {
            if tag.is_empty()
                || tag == "latest"
                || tag.contains('~')
                || tag.chars().any(|c| c.is_control() || c.is_whitespace())
            {
                return Err(Refusal::usage(anyhow!(
                    "{tag:?} can't be a tag: a tag is not empty, not `latest`, and has no `~`, no space and no control character"
                )));
            }
            if !request.tags.contains(tag) {
                request.tags.push(tag.clone());
            }
        }
        Ok(request)
    }

    fn choice(&self) -> PhpbenchChoice {
        PhpbenchChoice { file: self.config.clone(), profile: self.phpbench_profile.clone() }
    }

    /// Finds the sources of each side. A side may lack what another has, but not all of them.
    pub(crate) fn sources(&self) -> Result<Vec<Sources>, Refusal> {
        let here = Project::find(&self.folder).and_then(|here| here.with(self.choice())).map_err(Refusal::usage)?;
        let mut all = Vec::new();
        let mut missing = None;
        for side in &self.sides {
            let project = if side.root == here.root {
                here.clone()
            } else {
                here.at_revision(&side.root).map_err(Refusal::usage)?
            };
            let filter = Filter::new(&self.filter, &self.group).map_err(Refusal::usage)?;
            let in_side = |path: &PathBuf| match path.strip_prefix(&here.root) {
                Ok(relative) => side.root.join(relative),
                Err(_) => path.clone(),
            };
            let paths: Vec<PathBuf> = self.paths.iter().map(in_side).collect();
            let files = match discover_from(&side.folder, &project, &paths, &[]) {
                Ok(files) => files,
                Err(error) if self.sides.len() > 1 => {
                    missing = Some(error);
                    Vec::new()
                }
                Err(error) => return Err(Refusal::usage(error)),
            };
            let bootstrap = project.phpbench.as_ref().and_then(|p| p.bootstrap.as_ref()).map(|path| text(path));
            all.push(Sources { files, bootstrap, filter, project });
        }
        match missing {
            Some(error) if all.iter().all(|sources| sources.files.is_empty()) => Err(Refusal::usage(error)),
            _ => Ok(all),
        }
    }

    /// Chooses the runtimes by the languages of the sources, once.
    pub(crate) fn resolve(&mut self, sources: &[Sources]) -> Result<(), Refusal> {
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
        self.runtimes = commands(&first.project, &self.runtime_arguments, &languages)?;
        let unbuilt =
            |source: &&Source| source.language == Language::Worker && Language::is_unbuilt_cpp(&source.absolute);
        let workers = self.runtimes.iter().any(|runtime| runtime.driver == Language::Worker.name());
        if let Some(source) = sources.iter().flat_map(|side| &side.files).find(unbuilt).filter(|_| !workers) {
            return Err(Refusal::usage(not_built(&source.path)));
        }
        let idle: Vec<&str> = languages
            .into_iter()
            .filter(|&language| !self.runtimes.iter().any(|runtime| self.runs(runtime, language)))
            .map(Language::name)
            .collect();
        if self.runtime_arguments.is_empty() && !idle.is_empty() {
            return Err(Refusal::usage(anyhow!(
                "no runtime is there for sources of {}: name one, as in --runtime \"worker:./my-worker\"",
                idle.join(" and ")
            )));
        }
        Ok(())
    }

    /// Whether sources of a language are run on a runtime. A worker of the user's is offered all that no other runtime of this
    /// request is for.
    pub(crate) fn runs(&self, runtime: &RuntimeCommand, language: Language) -> bool {
        let of = |name: &str| self.runtimes.iter().any(|runtime| runtime.driver == name);
        let worker = Language::Worker.name();
        runtime.driver == language.name() || runtime.driver == worker && !of(language.name())
    }

    /// What is started: every runtime on every side, each with the position of its side and the name of what it is compared
    /// with.
    pub(crate) fn lanes(&self) -> Vec<(RuntimeCommand, usize, Option<String>)> {
        let sided = self.sides.len() > 1;
        let name = |runtime: &RuntimeCommand, side: &Side| match (sided, self.runtimes.len()) {
            (false, _) => runtime.name.clone(),
            (true, 1) => side.name.clone(),
            (true, _) => format!("{} {}", runtime.name, side.name),
        };
        let mut lanes = Vec::new();
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
                lanes.push((command, number, base));
            }
        }
        lanes
    }

    /// Whether revisions, or runtimes of one language, are compared with each other: whatever they have in common, be it nothing, as when
    /// a revision adds the first benchmark.
    pub(crate) fn compares_sides(&self) -> bool {
        self.lanes().iter().any(|(.., base)| base.is_some())
    }
}

/// The runtimes that are named, else those that the languages call for.
pub(crate) fn commands(
    project: &Project,
    arguments: &[String],
    languages: &[Language],
) -> Result<Vec<RuntimeCommand>, Refusal> {
    let runtimes = project.runtimes(arguments, languages).map_err(Refusal::usage)?;
    let command = |runtime: RuntimeDefinition| RuntimeCommand {
        driver: runtime.language.map_or("php", Language::name).to_owned(),
        name: runtime.name,
        command: runtime.command,
        ..RuntimeCommand::default()
    };
    Ok(runtimes.into_iter().map(command).collect())
}

/// Of C++ the program is measured that is built of a source, with the flags that count.
fn not_built(source: &Path) -> anyhow::Error {
    let (program, shown) = (source.with_extension(""), source.display());
    let program = program.display();
    anyhow!(
        "{shown} is C++ source, and what is measured is the program: build it with Tare's header, then name the program
  g++ -std=c++17 -O2 -pthread -I\"$(tare sdk cpp --include-dir)\" {shown} -o {program}
  tare run {program}
or let tare.toml do it: `build` in [run] is the command, `paths` are the programs that it makes"
    )
}

fn not_zero(option: &str, duration: Duration) -> Result<Duration, Refusal> {
    if duration.is_zero() {
        Err(Refusal::usage(anyhow!("{option} must be more than 0, as in {option} 2s")))
    } else {
        Ok(duration)
    }
}

/// A path as text, for the wire.
pub(crate) fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
