//! What is asked for: the command line over tare.toml over phpbench.json, checked, and kept with the run so that
//! `--resume` can go on with it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::anyhow;
use serde::{Deserialize, Serialize};
use tare_definition::{Filter, Project, Source, discover_from};
use tare_plan::Settings;
use tare_samples::RuntimeCommand;

use crate::arguments::{RunArguments, Selection};
use crate::exit::Refusal;

/// Everything that decides what a run measures, and how. Paths are absolute.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Request {
    /// Where it was asked; paths are shown relative to it.
    pub(crate) folder: PathBuf,
    pub(crate) paths: Vec<PathBuf>,
    pub(crate) filter: Vec<String>,
    pub(crate) group: Vec<String>,
    pub(crate) runtimes: Vec<RuntimeCommand>,
    pub(crate) settings: Settings,
    /// CPUs for the workers, as the user gave them.
    pub(crate) cpus: Vec<usize>,
    pub(crate) tags: Vec<String>,
    /// A hash of each source when the run began: what is gone on with must be the same.
    #[serde(default)]
    pub(crate) fingerprints: BTreeMap<PathBuf, u64>,
}

/// The sources of a request and what its project adds to them.
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
        let runtimes = project.runtimes(&selection.runtime).map_err(Refusal::usage)?;
        let runtimes = runtimes
            .into_iter()
            .map(|runtime| RuntimeCommand {
                driver: runtime.language.map_or("php", |language| language.name()).to_owned(),
                name: runtime.name,
                command: runtime.command,
            })
            .collect();
        let mut settings = Settings::default();
        let phpbench = project.phpbench.as_ref();
        let timeout = selection.timeout.or(project.settings.run.timeout).or(phpbench.and_then(|p| p.timeout));
        if let Some(timeout) = timeout {
            settings.timeout = not_zero("--timeout", timeout)?;
            settings.timeout_given = selection.timeout.is_some() || project.settings.run.timeout.is_some();
        }
        Ok(Self {
            paths: selection.paths.iter().map(|path| folder.join(path)).collect(),
            folder,
            filter: selection.filter.clone(),
            group: selection.group.clone(),
            runtimes,
            settings,
            cpus: Vec::new(),
            tags: Vec::new(),
            fingerprints: BTreeMap::new(),
        })
    }

    /// Checks the arguments of `tare run`.
    pub(crate) fn of_run(arguments: &RunArguments, project: &Project) -> Result<Self, Refusal> {
        let mut request = Self::of_selection(&arguments.selection, project)?;
        let file = &project.settings.run;
        let settings = &mut request.settings;
        settings.launches = arguments.launches.or(file.launches);
        settings.samples = arguments.samples.or(file.samples);
        settings.calls =
            if arguments.iterations.is_empty() { file.iterations.clone() } else { arguments.iterations.clone() };
        let calls = &settings.calls;
        if let Some(twice) =
            (1..calls.len()).find(|&index| calls[..index].contains(&calls[index])).map(|index| calls[index])
        {
            return Err(Refusal::usage(anyhow!("--iterations names {twice} twice; name each once")));
        }
        settings.interleave = arguments.interleave;
        settings.precision = arguments.precision.or(file.precision);
        if settings.precision.is_some_and(|precision| precision <= 0.0) {
            return Err(Refusal::usage(anyhow!("--precision must be more than 0 %, as in --precision 1%")));
        }
        if let Some(budget) = arguments.budget.or(file.budget) {
            settings.budget = not_zero("--budget", budget)?;
            settings.budget_given = true;
        }
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

    /// Finds the sources.
    pub(crate) fn sources(&self) -> Result<Sources, Refusal> {
        let project = Project::find(&self.folder).map_err(Refusal::usage)?;
        let filter = Filter::new(&self.filter, &self.group).map_err(Refusal::usage)?;
        let files = discover_from(&self.folder, &project, &self.paths, &[]).map_err(Refusal::usage)?;
        let bootstrap = project.phpbench.as_ref().and_then(|p| p.bootstrap.as_ref()).map(|path| text(path));
        Ok(Sources { files, bootstrap, filter, project })
    }
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
