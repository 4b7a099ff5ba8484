use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use tare_samples::{Failure, Finding};

use crate::noise::NoiseView;

/// How fit a machine and its runtimes are to measure on.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct DoctorView {
    /// What the machine said of itself.
    pub machine: BTreeMap<String, String>,
    /// Findings about the machine, in the order in which they were looked for.
    pub findings: Vec<Finding>,
    /// The runtimes.
    pub runtimes: Vec<RuntimeFitness>,
    /// Usual commands of languages that there are workers for, but no program of that name.
    pub not_installed: Vec<String>,
    /// What identical code showed; `None` where it wasn't asked for.
    pub noise: Option<NoiseView>,
    /// Somebody didn't want to wait for the rest.
    pub interrupted: bool,
}

/// A runtime and what was found of it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RuntimeFitness {
    /// How the user calls it.
    pub name: String,
    /// Its language, as its worker said; the driver's name where no worker answered.
    pub language: String,
    /// Its version; empty where no worker answered.
    pub version: String,
    /// In the order in which they were looked for.
    pub findings: Vec<Finding>,
    /// Why its worker didn't answer.
    pub failure: Option<Failure>,
}
