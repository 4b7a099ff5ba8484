//! What is asked for: the options over tare.toml over phpbench.json, checked, and kept with the run so that
//! `--resume` can go on with it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tare_definition::{PhpbenchChoice, Project};
use tare_plan::Settings;
use tare_samples::RuntimeCommand;

use crate::error::RequestError;
use crate::options::{Comparing, LaneCount, Measuring, MemoryMode, Selection};
use crate::part::Part;
use crate::runtimes::commands;
use crate::side::{Preparation, Side};
use crate::values::as_percentage;

/// Everything that decides what a run measures, and how. Paths are absolute.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Request {
    /// Where it was asked; paths are shown relative to it.
    pub folder: PathBuf,
    /// Files and folders; empty for what tare.toml or phpbench.json say.
    pub paths: Vec<PathBuf>,
    /// Regular expressions over `Class::method#parameters`.
    pub filter: Vec<String>,
    /// Regular expressions over the same, of cases that are left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exclude: Vec<String>,
    /// Groups of cases.
    pub group: Vec<String>,
    /// As the command line names them.
    #[serde(default)]
    pub runtime_arguments: Vec<String>,
    /// The runtimes are those that the sources call for.
    #[serde(default = "yes")]
    pub resolved: bool,
    /// What the cases are measured on.
    pub runtimes: Vec<RuntimeCommand>,
    /// How to measure.
    pub settings: Settings,
    /// The revisions that are compared, the base first. One without a name where none are: the project as it is.
    #[serde(default)]
    pub sides: Vec<Side>,
    /// What makes a checked out revision ready.
    #[serde(default)]
    pub prepare: Option<Preparation>,
    /// The side, by its name, whose benchmark files are measured on both.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub benchmarks: Option<String>,
    /// What the others are compared with, as the user named it.
    #[serde(default)]
    pub base: Option<String>,
    /// Each base is compared with itself as well.
    #[serde(default)]
    pub control: bool,
    /// All cases of two revisions are measured, those too that are proven to be unchanged.
    #[serde(default)]
    pub measure_all: bool,
    /// Gates of the command line, as `--fail-on` takes them.
    #[serde(default)]
    pub fail_on: Vec<String>,
    /// What is asserted of every case, in place of what the sources do.
    #[serde(default)]
    pub assertions: Vec<String>,
    /// What is to be told of how it is understood; not kept.
    #[serde(skip)]
    pub remarks: Vec<String>,
    /// The configuration of PHPBench's that was named, and its profile.
    #[serde(default)]
    pub(crate) config: Option<PathBuf>,
    #[serde(default)]
    pub(crate) phpbench_profile: Option<String>,
    /// Where reports go, by the names of their formats.
    #[serde(default)]
    pub reports: BTreeMap<String, PathBuf>,
    /// In requests of earlier versions: where a summary in Markdown goes.
    #[serde(default, skip_serializing)]
    pub(crate) markdown: Option<PathBuf>,
    /// In requests of earlier versions: where a report in JUnit's XML goes.
    #[serde(default, skip_serializing)]
    pub(crate) junit: Option<PathBuf>,
    /// CPUs for the workers, as the user gave them.
    pub cpus: Vec<usize>,
    /// How many groups are measured at once, where the user said so.
    #[serde(default)]
    pub lanes: Option<LaneCount>,
    /// Which memory is weighed, for all cases.
    #[serde(default)]
    pub memory: Option<MemoryMode>,
    /// Whether instructions are counted, for all cases.
    #[serde(default)]
    pub instructions: bool,
    /// Whether each sample is taken in a process of its own, by workers that can.
    #[serde(default)]
    pub isolate: bool,
    /// The part of the suite that is measured; all of it where none is named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<Part>,
    /// Names of the run.
    pub tags: Vec<String>,
    /// A hash of each source when the run began: what is resumed must be the same.
    #[serde(default)]
    pub fingerprints: BTreeMap<PathBuf, u64>,
    /// How an error names what was asked for, by option, where that may stand in a file.
    #[serde(default)]
    pub named: BTreeMap<String, String>,
}

/// Requests were once stored only when they were.
fn yes() -> bool {
    true
}

impl Request {
    /// The side whose benchmark files the base is measured with; `None` where it has its own.
    pub fn lent_to_base(&self) -> Option<&str> {
        let giver = self.benchmarks.as_deref()?;
        self.sides.first().is_some_and(|base| base.name != giver).then_some(giver)
    }

    /// Checks a selection: what `tare list` needs.
    pub fn of_selection(selection: &Selection, folder: PathBuf, project: &Project) -> Result<Self, RequestError> {
        let mut choice = selection.phpbench.clone();
        choice.file = choice.file.map(|file| folder.join(file));
        let project = &project.clone().with(choice.clone()).map_err(RequestError::new)?;
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
            benchmarks: None,
            base: None,
            control: false,
            measure_all: false,
            fail_on: Vec::new(),
            assertions: Vec::new(),
            remarks: Vec::new(),
            config: choice.file,
            phpbench_profile: choice.profile,
            reports: BTreeMap::new(),
            markdown: None,
            junit: None,
            folder,
            filter: selection.filter.clone(),
            exclude: selection.exclude.clone(),
            group: selection.group.clone(),
            runtime_arguments: selection.runtime.clone(),
            resolved: false,
            runtimes,
            settings,
            cpus: Vec::new(),
            lanes: None,
            memory: None,
            instructions: false,
            isolate: false,
            part: None,
            tags: Vec::new(),
            fingerprints: BTreeMap::new(),
            named: BTreeMap::new(),
        })
    }

    /// Whether some cases were asked for, not all.
    pub fn chooses(&self) -> bool {
        [&self.filter, &self.exclude, &self.group].iter().any(|patterns| !patterns.is_empty())
    }

    /// An option as an error names it: a key of a file with its place, where that said it.
    pub fn named<'a>(&'a self, option: &'a str) -> &'a str {
        self.named.get(option).map_or(option, String::as_str)
    }

    /// Which configuration of PHPBench's it was asked with.
    pub(crate) fn choice(&self) -> PhpbenchChoice {
        PhpbenchChoice { file: self.config.clone(), profile: self.phpbench_profile.clone() }
    }

    /// Where reports go, as they were asked for when the run began.
    pub fn all_reports(&self) -> BTreeMap<String, PathBuf> {
        let earlier = [("markdown", &self.markdown), ("junit", &self.junit)];
        let earlier = earlier.into_iter().filter_map(|(format, path)| Some((format.to_owned(), path.clone()?)));
        earlier.chain(self.reports.clone()).collect()
    }

    /// The project as it is, measured from that folder.
    pub fn here(project: &Project, folder: &Path) -> Vec<Side> {
        vec![Side {
            name: String::new(),
            commit: None,
            root: project.root.clone(),
            working_tree: true,
            folder: folder.to_owned(),
        }]
    }

    /// Checks how to measure and what to compare.
    pub fn of_run(
        selection: &Selection,
        measuring: &Measuring,
        comparing: &Comparing,
        folder: PathBuf,
        project: &Project,
    ) -> Result<Self, RequestError> {
        let mut request = Self::of_selection(selection, folder, project)?;
        let project = &project.clone().with(request.choice()).map_err(RequestError::new)?;
        request.remarks = project.phpbench.iter().flat_map(|phpbench| phpbench.remarks.clone()).collect();
        request.assertions.clone_from(&comparing.assertions);
        let file = &project.settings.run;
        let compare = &project.settings.compare;
        // Several runtimes are compared with each other unless the command line names a case.
        let usual = compare.base.as_ref().filter(|_| request.runtimes.len() == 1);
        request.base = comparing.base.as_ref().or(usual).cloned();
        request.fail_on = comparing.fail_on.iter().map(ToString::to_string).collect();
        request.reports =
            comparing.reports.iter().map(|(format, path)| (format.clone(), request.folder.join(path))).collect();
        request.control = comparing.control || compare.control.unwrap_or(false);
        let settings = &mut request.settings;
        settings.launches = measuring.launches.or(file.launches);
        settings.samples = measuring.samples.or(file.samples);
        settings.calls = if measuring.calls.is_empty() { file.iterations.clone() } else { measuring.calls.clone() };
        let calls = &settings.calls;
        if let Some(twice) =
            (1..calls.len()).find(|&index| calls[..index].contains(&calls[index])).map(|index| calls[index])
        {
            let by = named(project, "iterations", "--calls", !measuring.calls.is_empty());
            return Err(RequestError::new(format!("{by} names {twice} twice; name each once")));
        }
        settings.interleave = measuring.interleave;
        let threshold = project.phpbench.as_ref().and_then(|phpbench| phpbench.retry_threshold);
        settings.precision = measuring.precision.or(file.precision).or(threshold);
        if let (Some(by), None) = (threshold, measuring.precision.or(file.precision)) {
            request.remarks.push(threshold_taken("`runner.retry_threshold` in phpbench.json", by));
        }
        if settings.precision.is_some_and(|precision| precision <= 0.0) {
            return Err(RequestError::new("--precision must be more than 0 %, as in --precision 1%"));
        }
        if let Some(budget) = measuring.budget.or(file.budget) {
            settings.budget = not_zero("--budget", budget)?;
            settings.budget_given = true;
        }
        if let Some(margin) = comparing.margin.or(compare.margin) {
            settings.margin = margin;
        }
        settings.about = comparing.about.or(compare.about).unwrap_or_default();
        settings.same = comparing.same.or(compare.same).unwrap_or(settings.same);
        // A margin for this once may be larger than what the file says.
        if comparing.same.is_some() || compare.same.is_some() && comparing.margin.is_none() {
            not_within(settings.margin, settings.same, &named(project, "same", "--same", comparing.same.is_some()))?;
        }
        match (measuring.budget, compare.budget) {
            (Some(budget), _) | (None, Some(budget)) => settings.comparison_budget = budget,
            (None, None) if file.budget.is_some() => settings.comparison_budget = 2 * settings.budget,
            (None, None) => {}
        }
        request.lanes = measuring.lanes;
        if let Some(total) = measuring.total {
            settings.total = Some(not_zero("--total", total)?);
        }
        request.part = measuring.shard.map(|shard| Part { shard, split: Vec::new() });
        request.memory = measuring.memory;
        request.instructions = measuring.instructions;
        request.isolate = measuring.isolate;
        settings.clock = measuring.clock.clone().or_else(|| file.clock.clone());
        settings.seed = match measuring.seed.or(file.seed) {
            // What every store and every reader of JSON takes without loss.
            Some(seed) if seed >> 53 != 0 => {
                let by = named(project, "seed", "--seed", measuring.seed.is_some());
                return Err(RequestError::new(format!("{by} must be under 2^53, is {seed}; give a smaller one")));
            }
            Some(seed) => seed,
            None => rand::random::<u64>() >> 32,
        };
        for (key, option, given) in
            [("clock", "--clock", measuring.clock.is_some()), ("cpus", "--cpus", measuring.cpus.is_some())]
        {
            request.named.insert(option.to_owned(), named(project, key, option, given));
        }
        request.cpus = measuring.cpus.clone().unwrap_or_else(|| file.cpus.clone());
        for tag in &measuring.tags {
            if tag.is_empty()
                || tag == "latest"
                || tag.contains('~')
                || tag.chars().any(|c| c.is_control() || c.is_whitespace())
            {
                return Err(RequestError::new(format!(
                    "{tag:?} can't be a tag: a tag is not empty, not `latest`, and has no `~`, no space and no control character"
                )));
            }
            if !request.tags.contains(tag) {
                request.tags.push(tag.clone());
            }
        }
        Ok(request)
    }
}

/// What an error names: the option, unless it is the file that said it.
fn named(project: &Project, key: &str, option: &str, given: bool) -> String {
    let file = project.settings.named(key).filter(|_| !given);
    file.unwrap_or_else(|| option.to_owned())
}

/// What is said of PHPBench's threshold: it repeats samples until none lies further from the others, which flatters the spread; what is
/// wanted by it is a narrow result. `by`: a fraction.
pub fn threshold_taken(place: &str, by: f64) -> String {
    let percent = 100.0 * by;
    format!(
        "{place} is taken as --precision {percent}%: it is measured until half of the interval is {percent} % of the time; no sample is thrown away"
    )
}

fn not_zero(option: &str, duration: Duration) -> Result<Duration, RequestError> {
    if duration.is_zero() {
        Err(RequestError::new(format!("{option} must be more than 0, as in {option} 2s")))
    } else {
        Ok(duration)
    }
}

/// A bound of `same` within the margin would ask nothing.
fn not_within(margin: f64, same: f64, option: &str) -> Result<(), RequestError> {
    let [same_shown, margin_shown] = [same, margin].map(as_percentage);
    match same < margin {
        true => Err(RequestError::new(format!(
            "{option} is {same_shown}, less than the margin of {margin_shown}: what lies within the margin is the same in any case; give {margin_shown} or more, or a smaller --margin"
        ))),
        false => Ok(()),
    }
}
