use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::case::Case;
use crate::failure::Failure;
use crate::launch::Launch;
use crate::memory::WeighedMemory;
use crate::reported::Reported;
use crate::work::CountedWork;

/// How the cost of loop and call combines with the subject (docs/concepts.md).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Correction {
    /// Interpreters: loop and dispatch add to the subject, so `call` is subtracted whole.
    Serial,
    /// Compiled code: the CPU hides part of the loop behind the subject; `call / 2` with a rectangular uncertainty.
    Overlapping,
}

/// A runtime as the user names it, before anybody has spoken to it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RuntimeCommand {
    /// How the user calls it.
    pub name: String,
    /// Who makes a worker of it: `php`, `go`, `cpp`, `python`; `worker`: the command speaks the wire itself.
    pub driver: String,
    /// Program and arguments.
    pub command: Vec<String>,
    /// The folder that it is started in; the caller's own when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<PathBuf>,
    /// Added to its environment.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub environment: Vec<(String, String)>,
}

/// An executable with its arguments and settings, as its worker described it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Runtime {
    /// How the user calls it: `php8.2`, `jit`.
    pub name: String,
    /// Language of its benchmarks.
    pub language: String,
    /// Its own version, as its worker said.
    pub version: String,
    /// How it is started.
    pub command: RuntimeCommand,
    /// How overhead combines with the subject.
    pub correction: Correction,
    /// What else the worker said of itself: `opcache`, `jit`, `xdebug`, …
    pub facts: BTreeMap<String, String>,
}

/// Facts that are no worker's: what a side of a comparison of revisions is.
const REVISION: &str = "revision";
const SERIES: &str = "series";
/// What a variant that is measured once more, to see the noise, is called after its base.
const CONTROL: &str = "~control";

impl Runtime {
    /// Makes it that of a revision: a whole commit, with ` with changes` where the files differ from it. `series` is the runtime's own name, without
    /// the revision's: names of revisions move on, and say nothing of what was measured.
    pub fn at_revision(&mut self, revision: String, series: &str) {
        self.facts.insert(REVISION.to_owned(), revision);
        self.facts.insert(SERIES.to_owned(), series.to_owned());
    }

    /// The revision that its files are of; `None` where it is no side of a comparison of revisions.
    pub fn revision(&self) -> Option<&str> {
        self.facts.get(REVISION).map(String::as_str)
    }

    /// What its worker said of itself: those that say the same are of one kind, whatever revision their files are of.
    pub fn settings(&self) -> impl Iterator<Item = (&str, &str)> {
        let of_worker = |(name, _): &(&str, &str)| *name != REVISION && *name != SERIES;
        self.facts.iter().map(|(name, value)| (name.as_str(), value.as_str())).filter(of_worker)
    }

    /// The name of the runtime in whose history its times belong.
    pub fn series(&self) -> &str {
        let of_side = self.revision().and_then(|_| self.facts.get(SERIES));
        of_side.map_or(&self.name, String::as_str)
    }
}

/// Version control of what was measured: that of the run's own files, or the `revision` that a side was checked out from.
pub fn git_at(run: &BTreeMap<String, String>, revision: Option<&str>) -> BTreeMap<String, String> {
    let Some(revision) = revision else { return run.clone() };
    let (commit, dirty) = match revision.strip_suffix(" with changes") {
        Some(commit) => (commit, true),
        None => (revision, false),
    };
    [("commit".to_owned(), commit.to_owned()), ("dirty".to_owned(), dirty.to_string())].into()
}

/// Whether a variant of that identity measures a case of that identity once more, beside its base.
pub fn is_control_id(variant: &str, case: &str) -> bool {
    // The case's own name may end so, too.
    let ends = |text: &str| text.matches(CONTROL).count();
    variant.ends_with(CONTROL) && ends(variant) > ends(case)
}

/// How many calls a sample makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Calls {
    /// As many as the pilot finds right.
    Pilot,
    /// This many, in a loop.
    Loop(u64),
    /// One bare call: clock, subject, clock.
    Bare,
}

impl fmt::Display for Calls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pilot => f.write_str("auto"),
            Self::Loop(1) => f.write_str("1 call"),
            Self::Loop(n) => write!(f, "{n} calls"),
            Self::Bare => f.write_str("no loop"),
        }
    }
}

/// A case on a runtime, measured in a stated way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Variant {
    /// Identity within a run: the case's, with `@runtime` and `*calls` where the run has several of them.
    pub id: String,
    /// What is measured.
    pub case: Case,
    /// On what.
    pub runtime: Runtime,
    /// Calls a sample, as asked for.
    pub calls: Calls,
    /// The column it stands in when variants of one case are shown side by side; empty when alone.
    pub label: String,
}

/// What the pilot found for a variant.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Calibration {
    /// Calls a sample; 0 is one bare call.
    pub iterations: u64,
    /// Calls in the far samples that show linearity and the surplus of the first calls; empty where there are none.
    pub far: Vec<u64>,
    /// Untimed samples at the start of a turn.
    pub warm: u64,
    /// Timed samples a turn.
    pub samples_per_turn: u64,
    /// Rounds a launch.
    pub rounds: u32,
    /// Name of the worker's clock.
    pub clock: String,
    /// Whether the subject pauses its timer.
    pub pauses: bool,
    /// What each sample holds beside its calls, as the pilot saw it, in nanoseconds: what the author does before the loop and the
    /// language times with it. Where it isn't 0, there are two far sizes, and estimates are slopes.
    #[serde(default)]
    pub setup_ns: u64,
    /// The same for variants that are compared, where it is a small part: its share of a sample, in millionths. It is taken off the time, stays
    /// in both sides of the ratio, and has no far sizes.
    #[serde(default)]
    pub setup_ppm: u32,
    /// Links of its program that its launches start, in turns, where they were chosen by where these have the functions in which its time goes; else empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<u32>,
    /// What the benchmark said of itself when it ended, and what was counted in the pilot.
    #[serde(default)]
    pub reported: Reported,
    /// Figures of the benchmark's own by launch, in their order, where it has any: of them `reported` has the mean.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub told: Vec<Vec<(String, String)>>,
    /// What it holds in memory, where that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<WeighedMemory>,
    /// What its calls execute, where that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work: Option<CountedWork>,
}

impl Calibration {
    /// A launch has ended, and said this of itself. What the pilot counted stays.
    pub fn hear(&mut self, said: Reported) {
        let allocations = self.reported.allocations;
        if !said.metrics.is_empty() {
            self.told.push(said.metrics.clone());
        }
        let mean = |(name, last): &(String, String)| {
            let mean = self.figures(name).map(|all| all.iter().sum::<f64>() / all.len() as f64);
            (name.clone(), mean.filter(|mean| mean.is_finite()).map_or_else(|| last.clone(), |mean| mean.to_string()))
        };
        let metrics = said.metrics.iter().map(mean).collect();
        self.reported = Reported { allocations, metrics, ..said };
    }

    /// What launches said of one figure, in their order; `None` where one of them didn't, or said no number.
    pub fn figures(&self, name: &str) -> Option<Vec<f64>> {
        let of_launch = |told: &Vec<(String, String)>| {
            let (_, value) = told.iter().find(|(own, _)| own == name)?;
            value.parse::<f64>().ok().filter(|value| value.is_finite())
        };
        self.told.iter().map(of_launch).collect::<Option<Vec<f64>>>().filter(|all| !all.is_empty())
    }
}

/// How measuring a variant ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// All its launches were made.
    Ok,
    /// It failed; launches made before the failure are kept.
    Failed(Failure),
    /// Its source asks to leave it out; the reason.
    Skipped(String),
    /// The run ended before it did.
    Interrupted,
}

/// A variant and everything that was measured of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Measurement {
    /// What was measured.
    pub variant: Variant,
    /// What the pilot chose; `None` when it never got that far.
    pub calibration: Option<Calibration>,
    /// Launches in order.
    pub launches: Vec<Launch>,
    /// How it ended.
    pub outcome: Outcome,
    /// The beginning of what its processes printed while all went well; empty when they printed nothing, and not stored.
    #[serde(default)]
    pub printed: String,
}
