//! One task on a node: it prepares what is measured, finds out how far its part is, and becomes the `tare run` that measures it.

use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use tare_definition::Project;
use tare_session::{Error, fitness_now, open_store};
use tare_store::{Access, RunFilter, RunState, StoreError};

use crate::begun::{Begun, begun_in, begun_of_others, waits_in};
use crate::fitness::{refuse, unfit};
use crate::job::Job;

/// A run is held for 15 minutes by who doesn't answer any more; then it is anybody's.
const HELD_AT_MOST: Duration = Duration::from_secs(17 * 60);
const ASKED_EVERY: Duration = Duration::from_secs(5);

/// The store of a part that has one of its own.
pub(crate) fn store_of(place: &Path, part: u32) -> PathBuf {
    place.join(format!("part-{part}"))
}

/// Measures the part that Slurm gave this process. Returns where it can't be measured, or is already; else the process becomes another program.
///
/// # Errors
///
/// Another version of tare, a checkout that can't be made, or a store that can't be used.
pub fn agent(file: &Path) -> Result<(), Error> {
    let job = Job::read(file)?;
    let place = file.parent().unwrap_or(Path::new("."));
    let part: u32 = std::env::var("SLURM_ARRAY_TASK_ID").ok().and_then(|text| text.parse().ok()).ok_or_else(|| {
        Error::usage("SLURM_ARRAY_TASK_ID names no part: `tare agent` is started by Slurm, for `tare run --on slurm`")
    })?;
    let version = env!("CARGO_PKG_VERSION");
    let node = std::env::var("SLURMD_NODENAME").unwrap_or_else(|_| "this node".to_owned());
    let others: Vec<(u32, Begun)> = begun_of_others(&job, place, part);
    if job.replicas
        && let Some((other, _)) = others.iter().find(|(_, begun)| begun.node == node)
    {
        let why = format!("replica {other} is measured on it, and replica {part} is for another machine");
        return Err(refuse(place, part, &node, why));
    }
    let fitness = fitness_now(Path::new("/"));
    let said: Vec<Begun> = others.into_iter().map(|(_, begun)| begun).collect();
    if let Some(why) = unfit(&fitness, &said).filter(|_| !job.measures_unfit) {
        return Err(refuse(place, part, &node, why));
    }
    let begun = Begun {
        node: node.clone(),
        at: Timestamp::now().to_string(),
        tare: version.to_owned(),
        cpu: fitness.cpu,
        governor: fitness.governor,
    };
    fs::write(begun_in(place, part), serde_json::to_vec(&begun).map_err(Error::failed)?)
        .map_err(|error| Error::failed(format!("{}: {error}", place.display())))?;
    if job.tare != version {
        return Err(Error::usage(format!(
            "{node} has tare {version}, and tare {} submitted this; install the same version on all nodes, or keep it on a file system that they share",
            job.tare
        )));
    }
    let folder = match &job.commit {
        Some(commit) => checkout(&job, commit, &place.join(format!("checkout-{part}")))?,
        None => job.folder.clone(),
    };
    let own = store_of(place, part).display().to_string();
    let store = if job.on_server { std::env::var("TARE_STORE").ok() } else { Some(own) };
    let project = Project::find(&folder).map_err(Error::usage)?.storing_in(store.as_deref());
    let tag = job.tag(part);
    let mut words = vec![job.program.display().to_string()];
    match earlier(&project, &tag)? {
        Some((_, RunState::Complete)) => return Ok(()),
        Some((run, _)) => {
            let waits = waits_in(place, part);
            let waited = wait_for(&project, &run, &mut || {
                // Who watches would see a node that measures nothing for a quarter of an hour. Where it can't be told, it is waited for all the same.
                let _ = fs::write(&waits, &node);
            });
            let _ = fs::remove_file(&waits);
            waited?;
            words.extend(["run".to_owned(), format!("--resume={run}")]);
        }
        None => {
            words.extend(job.arguments.iter().cloned());
            if !job.replicas {
                words.extend(["--shard".to_owned(), format!("{part}/{}", job.parts)]);
            }
            words.extend(["--tag".to_owned(), job.id.clone(), "--tag".to_owned(), tag]);
        }
    }
    let mut command = match &job.setup {
        Some(setup) => {
            let mut command = Command::new("sh");
            // What the set-up exports stays; what it can't do ends the task.
            command.arg("-c").arg(format!("{setup}\n[ $? -eq 0 ] || exit 2\nexec \"$@\"")).arg("sh").args(&words);
            command
        }
        None => {
            let mut command = Command::new(&words[0]);
            command.args(&words[1..]);
            command
        }
    };
    if let Some(store) = store {
        command.env("TARE_STORE", store);
    }
    let error = command.current_dir(&folder).exec();
    Err(Error::failed(format!("{} can't be started: {error}", command.get_program().display())))
}

/// The newest run of the part, and how far it is.
fn earlier(project: &Project, tag: &str) -> Result<Option<(String, RunState)>, Error> {
    let store = match open_store(project, Access::ReadOnly) {
        Ok(store) => store,
        // Nothing was measured yet: whatever else is the matter is told by who measures.
        Err(_) if project.server().is_none() => return Ok(None),
        Err(error) => return Err(error),
    };
    let filter = RunFilter { tag: Some(tag.to_owned()), ..RunFilter::default() };
    let runs = store.runs(&filter).map_err(Error::store)?;
    let complete = runs.iter().find(|run| run.state == RunState::Complete);
    Ok(complete.or(runs.first()).map(|run| (run.origin.id.clone(), run.state)))
}

/// Waits until nobody holds the run any more: who measured it on a node that is gone can't say that it ended.
fn wait_for(project: &Project, run: &str, tell: &mut dyn FnMut()) -> Result<(), Error> {
    let mut store = open_store(project, Access::ReadWrite)?;
    let until = Instant::now() + HELD_AT_MOST;
    let mut told = false;
    loop {
        match store.resume_run(run) {
            // Let go of again with the store: who goes on with it takes it up itself.
            Ok(()) | Err(StoreError::Complete { .. }) => return Ok(()),
            Err(StoreError::InUse { .. }) if Instant::now() < until => {
                if !std::mem::replace(&mut told, true) {
                    tell();
                }
                std::thread::sleep(ASKED_EVERY);
            }
            Err(error) => return Err(Error::store(error)),
        }
    }
}

/// A clone of the repository at a commit, with the same names of branches: each node's own, since builds in one would get in each other's way.
fn checkout(job: &Job, commit: &str, to: &Path) -> Result<PathBuf, Error> {
    let git = |folder: &Path, words: &[&str]| {
        let done = Command::new("git").arg("-C").arg(folder).args(words).output();
        match done {
            Ok(output) if output.status.success() => Ok(()),
            Ok(output) => Err(Error::failed(format!(
                "git {} in {}: {}",
                words.join(" "),
                folder.display(),
                String::from_utf8_lossy(&output.stderr).trim()
            ))),
            Err(error) => Err(Error::failed(format!("git can't be started: {error}; install it on the nodes"))),
        }
    };
    let (from, target) = (job.root.display().to_string(), to.display().to_string());
    let whole = to.join(".git/tare-whole");
    if !whole.exists() {
        // One that was cut off is begun anew.
        let _ = fs::remove_dir_all(to);
        git(&job.root, &["clone", "--quiet", "--shared", "--no-checkout", &from, &target])?;
        git(to, &["checkout", "--quiet", "--detach", commit])?;
        git(to, &["fetch", "--quiet", "origin", "+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"])?;
        fs::write(&whole, "").map_err(|error| Error::failed(format!("{}: {error}", whole.display())))?;
    }
    let below = job.folder.strip_prefix(&job.root).unwrap_or(Path::new(""));
    Ok(to.join(below))
}
