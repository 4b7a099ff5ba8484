//! What is asked for: the options over tare.toml over phpbench.json, checked, and kept with the run so that
//! `--resume` can go on with it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tare_definition::{
    Comparing, Keeping, Measuring, Options, PhpbenchChoice, Project, Revising, Selection, as_percentage,
};
use tare_plan::Settings;
use tare_samples::RuntimeCommand;

use crate::error::RequestError;
use crate::part::Part;
use crate::runtimes::commands;
use crate::side::{Preparation, Side};

/// What is typed, as it is typed.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct TypedOptions {
    /// Which cases, on which runtimes.
    pub selection: Selection,
    /// How to measure.
    pub measuring: Measuring,
    /// What is compared with what, and what to make of it.
    pub comparing: Comparing,
    /// What revisions are compared by.
    pub revising: Revising,
}

/// Everything that decides what a run measures, and how: what is typed over what `tare.toml` and `phpbench.json` say, checked.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Request {
    /// Where it was asked; paths are shown relative to it.
    pub folder: PathBuf,
    /// As it is typed.
    pub asked: TypedOptions,
    /// Which cases, on which runtimes, as the command line names them. Paths are absolute; empty for what the project's files say.
    pub selection: Selection,
    /// How to measure.
    pub measuring: Measuring,
    /// What is compared with what, and what to make of it.
    pub comparing: Comparing,
    /// What revisions are compared by.
    pub revising: Revising,
    /// The runtimes are those that the sources call for.
    pub resolved: bool,
    /// What the cases are measured on.
    pub runtimes: Vec<RuntimeCommand>,
    /// How to measure, with what is usual where nobody says it.
    pub settings: Settings,
    /// The revisions that are compared, the base first. One without a name where none are: the project as it is.
    pub sides: Vec<Side>,
    /// The benchmark files of the two sides differ, whether one side's are measured on both or each has its own.
    #[serde(default)]
    pub benchmarks_differ: bool,
    /// What makes a checked out revision ready.
    pub prepare: Option<Preparation>,
    /// What is to be told of how it is understood; not kept.
    #[serde(skip)]
    pub remarks: Vec<String>,
    /// Where reports go, by the names of their formats.
    pub reports: BTreeMap<String, PathBuf>,
    /// The part of the suite that is measured; all of it where none is named.
    pub part: Option<Part>,
    /// Names of the run.
    pub tags: Vec<String>,
    /// A hash of each source when the run began: what is resumed must be the same.
    pub fingerprints: BTreeMap<PathBuf, u64>,
    /// How an error names what was asked for, by option, where that may stand in a file.
    pub named: BTreeMap<String, String>,
    /// Gates of `tare.toml` don't judge it: what they ask of changes to benchmarks, they don't ask of one command against
    /// another.
    #[serde(default)]
    pub without_project_gates: bool,
}

impl Request {
    /// The side whose benchmark files the base is measured with; `None` where it has its own.
    pub fn lent_to_base(&self) -> Option<&str> {
        let giver = self.revising.benchmarks.as_deref()?;
        self.sides.first().is_some_and(|base| base.name != giver).then_some(giver)
    }

    /// Checks a selection: what `tare list` needs.
    pub fn of_selection(selection: &Selection, folder: PathBuf, project: &Project) -> Result<Self, RequestError> {
        let mut selection = selection.clone();
        let asked = TypedOptions { selection: selection.clone(), ..TypedOptions::default() };
        selection.paths.iter_mut().for_each(|path| *path = folder.join(&*path));
        selection.config = selection.config.map(|file| folder.join(file));
        let project = &project.clone().with(choice(&selection)).map_err(RequestError::new)?;
        // What is wrong with them by themselves is told before anything is searched.
        let runtimes = commands(project, &selection.runtime, &[])?;
        let mut settings = Settings::default();
        selection.timeout = selection.timeout.or(project.settings.selection.timeout);
        settings.timeout_given = selection.timeout.is_some();
        let by_phpbench = project.phpbench.as_ref().and_then(|phpbench| phpbench.timeout);
        settings.timeout = selection.timeout.or(by_phpbench).unwrap_or(settings.timeout);
        Ok(Self {
            sides: Self::here(project, &folder),
            folder,
            asked,
            selection,
            measuring: Measuring::default(),
            comparing: Comparing::default(),
            revising: Revising::default(),
            resolved: false,
            runtimes,
            settings,
            benchmarks_differ: false,
            prepare: None,
            remarks: Vec::new(),
            reports: BTreeMap::new(),
            part: None,
            tags: Vec::new(),
            fingerprints: BTreeMap::new(),
            named: BTreeMap::new(),
            without_project_gates: false,
        })
    }

    /// Whether some cases were asked for, not all.
    pub fn chooses(&self) -> bool {
        [&self.selection.filter, &self.selection.exclude, &self.selection.group]
            .iter()
            .any(|patterns| !patterns.is_empty())
    }

    /// An option as an error names it: a key of a file with its place, where that said it.
    pub fn named<'a>(&'a self, option: &'a str) -> &'a str {
        self.named.get(option).map_or(option, String::as_str)
    }

    /// Which configuration of PHPBench's it was asked with.
    pub(crate) fn choice(&self) -> PhpbenchChoice {
        choice(&self.selection)
    }

    /// CPUs for the workers, as the user named them; empty where nobody did.
    pub fn cpus(&self) -> &[usize] {
        self.measuring.cpus.as_ref().map_or(&[], |cpus| &cpus.0)
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

    /// Checks how to measure and what to compare. `reports`: files by the names of their formats.
    pub fn of_run(
        asked: &TypedOptions,
        keeping: &Keeping,
        reports: &BTreeMap<String, PathBuf>,
        folder: PathBuf,
        project: &Project,
    ) -> Result<Self, RequestError> {
        let mut request = Self::of_selection(&asked.selection, folder, project)?;
        let project = &project.clone().with(request.choice()).map_err(RequestError::new)?;
        let file = &project.settings;
        request.asked = asked.clone();
        request.measuring = asked.measuring.clone().over(&file.measuring);
        request.comparing = asked.comparing.clone().over(&file.comparing);
        request.revising = asked.revising.clone().over(&file.revising);
        // Gates of the file are those of the project where it is judged, whoever measured.
        request.comparing.fail_on.clone_from(&asked.comparing.fail_on);
        // Several runtimes are compared with each other unless the command line names a case.
        if request.runtimes.len() > 1 {
            request.comparing.base.clone_from(&asked.comparing.base);
        }
        request.remarks = project.phpbench.iter().flat_map(|phpbench| phpbench.remarks.clone()).collect();
        request.reports = reports.iter().map(|(format, path)| (format.clone(), request.folder.join(path))).collect();
        let threshold = project.phpbench.as_ref().and_then(|phpbench| phpbench.retry_threshold);
        if let (Some(by), None) = (threshold, request.measuring.precision) {
            request.remarks.push(threshold_taken(by));
            request.measuring.precision = threshold;
        }
        let calls = &request.measuring.calls;
        if let Some(twice) =
            (1..calls.len()).find(|&index| calls[..index].contains(&calls[index])).map(|index| calls[index])
        {
            let by = named(project, "calls", "--calls", !asked.measuring.calls.is_empty());
            return Err(RequestError::new(format!("{by} names {twice} twice; name each once")));
        }
        let same = (asked.comparing.same.is_some(), file.comparing.same.is_some());
        request.settings = request.settings(asked, file);
        // A margin for this once may be larger than what the file says.
        if same.0 || same.1 && asked.comparing.margin.is_none() {
            not_within(request.settings.margin, request.settings.same, &named(project, "same", "--same", same.0))?;
        }
        request.measuring.seed = Some(request.settings.seed);
        request.part = request.measuring.shard.map(|shard| Part { shard, split: Vec::new() });
        for (key, option, given) in
            [("clock", "--clock", asked.measuring.clock.is_some()), ("cpus", "--cpus", asked.measuring.cpus.is_some())]
        {
            request.named.insert(option.to_owned(), named(project, key, option, given));
        }
        for tag in &keeping.tag {
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

    /// What is asked for, with what is usual where nobody says it.
    fn settings(&self, asked: &TypedOptions, file: &tare_definition::Settings) -> Settings {
        let (measuring, comparing, usual) = (&self.measuring, &self.comparing, Settings::default());
        // The option is a comparison's budget as well. The file has a key for each: of a case's alone, a comparison has two cases.
        let comparison_budget = match (asked.measuring.budget, file.project.comparison_budget) {
            (Some(budget), _) | (None, Some(budget)) => Some(budget),
            (None, None) => file.measuring.budget.map(|budget| 2 * budget),
        };
        Settings {
            launches: measuring.launches,
            samples: measuring.samples,
            calls: measuring.calls.clone(),
            interleave: measuring.interleave,
            budget: measuring.budget.unwrap_or(usual.budget),
            budget_given: measuring.budget.is_some(),
            precision: measuring.precision,
            comparison_budget: comparison_budget.unwrap_or(usual.comparison_budget),
            total: measuring.total,
            margin: comparing.margin.unwrap_or(usual.margin),
            about: comparing.about.unwrap_or_default(),
            same: comparing.same.unwrap_or(usual.same),
            family: 0,
            session: None,
            precedent: None,
            clock: measuring.clock.clone(),
            seed: measuring.seed.unwrap_or_else(|| rand::random::<u64>() >> 32),
            timeout: self.settings.timeout,
            timeout_given: self.settings.timeout_given,
        }
    }
}

fn choice(selection: &Selection) -> PhpbenchChoice {
    PhpbenchChoice { file: selection.config.clone(), profile: selection.profile.clone() }
}

/// What an error names: the option, unless it is the file that said it.
fn named(project: &Project, key: &str, option: &str, given: bool) -> String {
    let file = project.settings.named(key).filter(|_| !given);
    file.unwrap_or_else(|| option.to_owned())
}

/// What is said of PHPBench's threshold: it repeats samples until none lies further from the others, which flatters the spread; what is
/// wanted by it is a narrow result. `by`: a fraction.
fn threshold_taken(by: f64) -> String {
    let percent = as_percentage(by);
    format!(
        "`runner.retry_threshold` in phpbench.json is taken as --precision {percent}: Tare measures until half of the interval is {percent} of the time; it discards no sample"
    )
}

/// A bound of `same` within the margin would ask nothing.
fn not_within(margin: f64, same: f64, option: &str) -> Result<(), RequestError> {
    let [same_shown, margin_shown] = [same, margin].map(as_percentage);
    match same < margin {
        true => Err(RequestError::new(format!(
            "{option} is {same_shown}, less than the margin of {margin_shown}: a difference within the margin counts as the same anyway; give {margin_shown} or more, or a smaller --margin"
        ))),
        false => Ok(()),
    }
}
