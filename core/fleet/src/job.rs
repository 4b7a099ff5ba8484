//! What was submitted: a folder with all that its tasks need, on a file system that the nodes share.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tare_definition::Project;
use tare_session::Error;

const FILE: &str = "job.json";

/// Something that is measured in parts on the nodes of a cluster.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Job {
    /// Its name; also the tag of its parts.
    pub id: String,
    /// When it was submitted, RFC 3339 in UTC.
    pub submitted: String,
    /// The version of tare that submitted it.
    pub tare: String,
    /// The program, as the nodes find it.
    pub program: PathBuf,
    /// What each task calls it with, but for what tells the tasks apart.
    pub arguments: Vec<String>,
    /// Where it was asked.
    pub folder: PathBuf,
    /// The project's root.
    pub root: PathBuf,
    /// Each task takes a clone of the repository at this commit; `None` where files are measured where they lie.
    pub commit: Option<String>,
    /// A shell command before each task.
    pub setup: Option<String>,
    /// Nodes are measured on though they are unfit.
    #[serde(default)]
    pub measures_unfit: bool,
    /// How many parts there are.
    pub parts: u32,
    /// Each part is the whole, on a machine of its own.
    #[serde(default)]
    pub replicas: bool,
    /// All runs go to one server; else each part has a store in this folder.
    pub on_server: bool,
    /// Names of the run that it becomes.
    pub tags: Vec<String>,
    /// Gates, as `--fail-on` takes them.
    pub fail_on: Vec<String>,
    /// What sbatch is called with.
    pub submission: Vec<String>,
    /// Slurm's numbers, the first submission first.
    pub jobs: Vec<String>,
    /// How often each part was submitted.
    pub tries: Vec<u32>,
    /// How many of these a node was refused for.
    #[serde(default)]
    pub refusals: BTreeMap<u32, u32>,
    /// The run that it became.
    pub merged: Option<String>,
}

impl Job {
    /// Its folder.
    pub fn place(&self, project: &Project) -> PathBuf {
        folder_of(project).join(&self.id)
    }

    /// The tag of one part.
    pub fn tag(&self, part: u32) -> String {
        format!("{}.{part}", self.id)
    }

    /// Writes it, whole or not at all.
    pub fn keep(&self, place: &Path) -> Result<(), Error> {
        let failed = |error: std::io::Error| Error::failed(format!("{}: {error}", place.display()));
        fs::create_dir_all(place).map_err(failed)?;
        let text = serde_json::to_vec_pretty(self).map_err(Error::failed)?;
        let new = place.join(format!("{FILE}.new"));
        fs::write(&new, text).and_then(|()| fs::rename(&new, place.join(FILE))).map_err(failed)
    }

    /// Reads what was submitted.
    pub fn read(file: &Path) -> Result<Self, Error> {
        let text = fs::read(file).map_err(|error| {
            Error::usage(format!(
                "{}: {error}; the nodes need the folder in which you called `--on`, at the same path",
                file.display()
            ))
        })?;
        serde_json::from_slice(&text).map_err(|error| {
            Error::usage(format!(
                "{}: this version of tare can't read it: {error}; use the one that wrote it",
                file.display()
            ))
        })
    }

    /// The one of that name, or the newest.
    pub fn find(name: Option<&str>, project: &Project) -> Result<Self, Error> {
        let folder = folder_of(project);
        let mut names: Vec<String> = fs::read_dir(&folder)
            .into_iter()
            .flatten()
            .flatten()
            .filter(|entry| entry.path().join(FILE).exists())
            .filter_map(|entry| entry.file_name().into_string().ok())
            .collect();
        names.sort();
        let found = match name {
            Some(name) => names.iter().find(|known| *known == name),
            None => names.last(),
        };
        match found {
            Some(name) => Self::read(&folder.join(name).join(FILE)),
            None => Err(Error::usage(format!(
                "{} in {}; {}",
                name.map_or("nothing was submitted".to_owned(), |name| format!(
                    "there is no submission named {name:?}"
                )),
                folder.display(),
                if names.is_empty() {
                    "`tare run --on slurm` submits".to_owned()
                } else {
                    format!("there is {}", names.join(", "))
                }
            ))),
        }
    }
}

/// Where what was submitted lies.
fn folder_of(project: &Project) -> PathBuf {
    project.store().join("fleet")
}

/// The file that tasks are given.
pub(crate) fn file_in(place: &Path) -> PathBuf {
    place.join(FILE)
}
