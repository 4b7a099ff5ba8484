//! From what is asked here to a job on a cluster.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use jiff::Timestamp;
use tare_definition::{FleetSettings, Project};
use tare_session::{Error, open_store};
use tare_store::Access;

use crate::job::{Job, file_in};
use crate::slurm;

/// What is submitted.
#[derive(Debug, Clone, Default)]
pub struct Submission {
    /// What was typed, the program left out.
    pub arguments: Vec<String>,
    /// Where it was typed.
    pub folder: PathBuf,
    /// Names of the run that it becomes.
    pub tags: Vec<String>,
    /// Gates, as `--fail-on` takes them.
    pub fail_on: Vec<String>,
    /// Revisions are compared, each task in a clone of its own.
    pub compares: bool,
    /// On how many machines all of it is measured; `None` where machines share it.
    pub replicate: Option<u32>,
}

/// Options that are for who watches, and not for the tasks; whether they take a value.
const OWN: [(&str, bool); 13] = [
    ("--on", true),
    ("--replicate", true),
    ("--store", true),
    ("--tag", true),
    ("--fail-on", true),
    ("--events", true),
    ("--html", true),
    ("--markdown", true),
    ("--junit", true),
    ("--csv", true),
    ("--json", false),
    ("--verbose", false),
    ("-v", false),
];

/// What the tasks are called with.
fn for_tasks(typed: &[String]) -> Vec<String> {
    let mut kept = Vec::new();
    let mut words = typed.iter();
    while let Some(word) = words.next() {
        let name = word.split('=').next().unwrap_or(word);
        match OWN.iter().find(|(own, _)| *own == name) {
            Some((_, true)) if !word.contains('=') => drop(words.next()),
            Some(_) => {}
            None => kept.push(word.clone()),
        }
    }
    kept
}

/// What sbatch is told of any job: its name, where it is, and the file for what its tasks print.
pub(crate) fn options_of(settings: &FleetSettings, id: &str, folder: &Path, log: &Path) -> Vec<String> {
    let mut options = vec![
        "--exclusive".to_owned(),
        "--open-mode=append".to_owned(),
        format!("--job-name=tare-{id}"),
        format!("--output={}", log.display()),
        format!("--chdir={}", folder.display()),
    ];
    let mut option = |name: &str, value: &Option<String>| {
        options.extend(value.as_ref().map(|value| format!("--{name}={value}")));
    };
    option("partition", &settings.partition);
    option("constraint", &settings.constraint);
    option("time", &settings.time_limit);
    option("cpu-freq", &settings.cpu_frequency);
    options
}

/// As sbatch takes it: which tasks, and how many at once.
pub(crate) fn array(parts: &str, settings: &FleetSettings) -> String {
    settings.nodes.map_or(parts.to_owned(), |nodes| format!("{parts}%{nodes}"))
}

/// Submits it.
///
/// # Errors
///
/// Where nothing says in how many parts, the cluster refuses it, or the repository isn't as it is to be measured.
pub fn submit(submission: &Submission, project: &Project) -> Result<Job, Error> {
    let settings = &project.settings.fleet;
    let parts = submission.replicate.or(settings.shards).or(settings.nodes).ok_or_else(|| {
        Error::usage("--on slurm: the number of parts is missing; write `shards` (and `nodes`, how many at once) under [fleet] in tare.toml")
    })?;
    if project.server().is_some() {
        // Nodes find it made, and one that can't be used is told here.
        drop(open_store(project, Access::ReadWrite)?);
    }
    let now = Timestamp::now();
    let program =
        std::env::current_exe().map_err(|error| Error::failed(format!("this program can't be found: {error}")))?;
    let commit = if submission.compares { Some(commit_of(&project.root)?) } else { None };
    let mut job = Job {
        id: format!("fleet-{}-{:04x}", now.strftime("%Y%m%d-%H%M%S"), std::process::id() & 0xffff),
        submitted: now.to_string(),
        tare: env!("CARGO_PKG_VERSION").to_owned(),
        program,
        arguments: for_tasks(&submission.arguments),
        folder: submission.folder.clone(),
        root: project.root.clone(),
        commit,
        setup: settings.setup.clone(),
        measures_unfit: settings.measures_unfit,
        parts,
        replicas: submission.replicate.is_some(),
        on_server: project.server().is_some(),
        tags: submission.tags.clone(),
        fail_on: submission.fail_on.clone(),
        submission: Vec::new(),
        jobs: Vec::new(),
        tries: vec![1; parts as usize],
        refusals: BTreeMap::new(),
        merged: None,
    };
    let place = job.place(project);
    job.submission = options_of(settings, &job.id, &job.folder, &place.join("part-%a.log"));
    job.submission.push("--requeue".to_owned());
    job.keep(&place)?;
    let script = format!(
        "#!/bin/sh\n# One part of {}. How it ended stands in a file: the queue forgets it after some minutes.\ncd {} || exit 2\nrm -f \"part-$SLURM_ARRAY_TASK_ID.ended\"\n{} agent {}\nstatus=$?\necho $status > \"part-$SLURM_ARRAY_TASK_ID.ended\"\nexit $status\n",
        job.id,
        quoted(&place),
        quoted(&job.program),
        quoted(&file_in(&place)),
    );
    let written = fs::write(place.join("task.sh"), script);
    written.map_err(|error| Error::failed(format!("{}: {error}", place.display())))?;
    match slurm::submit(&place, &job.submission, &array(&format!("1-{parts}"), settings), project.server()) {
        Ok(number) => job.jobs.push(number),
        Err(error) => {
            // Nothing of it is anywhere else.
            let _ = fs::remove_dir_all(&place);
            return Err(error);
        }
    }
    job.keep(&place)?;
    Ok(job)
}

/// That a budget of all comparisons is one of each task's, in words: tasks measure at the same time and don't know of each other.
pub fn total_of_parts(job: &Job, total: Duration) -> String {
    let what = if job.replicas { "replicas" } else { "parts" };
    format!(
        "--total is the time of each of the {} {what}: {} s each, and up to {} s of nodes in all",
        job.parts,
        total.as_secs_f64(),
        total.as_secs_f64() * f64::from(job.parts)
    )
}

pub(crate) fn quoted(path: &Path) -> String {
    format!("'{}'", path.display().to_string().replace('\'', r"'\''"))
}

/// What is checked out here, without changes that a clone wouldn't have.
fn commit_of(root: &Path) -> Result<String, Error> {
    let git = |words: &[&str]| {
        let output = Command::new("git").arg("-C").arg(root).args(words).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let commit = git(&["rev-parse", "HEAD"]).ok_or_else(|| {
        Error::usage(format!("--on slurm: {} has no commit that nodes could check out", root.display()))
    })?;
    match git(&["status", "--porcelain", "--untracked-files=no"]).as_deref() {
        Some("") => Ok(commit),
        _ => Err(Error::usage(
            "--on slurm compares commits, which every node checks out, and this working tree has changes; commit them first",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::for_tasks;

    #[test]
    fn tasks_get_what_says_how_to_measure() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let typed = words(
            "run a.php --on slurm --replicate 3 --tag x --tag=y --budget 1s --json --fail-on slower=2% --html out.html --store s --on=slurm",
        );
        assert_eq!(for_tasks(&typed), words("run a.php --budget 1s"));
    }
}
