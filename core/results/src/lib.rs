//! What a report shows: runs, variants, comparisons, gates, loads, clocks and machines, as values.
//!
//! Nothing here is formatted, and nothing is measured: `tare-report` makes text of these values.

mod bisect;
mod clocks;
mod comparison;
mod doctor;
mod early_row;
mod json_text;
mod load;
mod memory;
mod metric;
mod noise;
mod profile;
mod reason;
mod state;
mod tune;

use std::collections::BTreeSet;

pub use bisect::{
    BisectCase, BisectCommit, BisectEnd, BisectHunk, BisectHunks, BisectRevision, BisectSkipped, BisectStep,
    BisectVerdict, BisectView, HunksEnd, LikeliestCommit,
};
pub use clocks::{ClockRow, ClocksView, RuntimeClocks, WaitRow};
pub use comparison::{
    AssertionCounts, ComparisonKind, ComparisonView, ComparisonsView, Differing, GateKind, GateOutcome, GateView,
    GroupMean, MachineView, MachinesView, NoiseFloor, SessionView, SideView, UnpairedView,
};
pub use doctor::{DoctorView, RuntimeFitness};
pub use early_row::EarlyRow;
pub use json_text::escaped_json;
pub use load::{
    LoadComparison, LoadFallen, LoadFollowed, LoadGenerator, LoadKnee, LoadLatency, LoadMemory, LoadOperation,
    LoadSecond, LoadStage, LoadTarget, LoadView, PercentileLimit,
};
pub use memory::{MemoryComparisons, memory_comparisons};
pub use metric::{MetricComparisons, metric_comparisons};
pub use noise::{NoiseRow, NoiseView};
pub use profile::{ProfileFound, ProfileView, ProfiledRuntime};
pub use reason::{Reason, ReasonView};
use serde::{Deserialize, Serialize};
pub use state::RunState;
use tare_samples::{Calibration, Failure, Memory, Origin, Outcome, Reported, Spent, Variant};
use tare_statistics::comparison::NextRun;
use tare_statistics::{Distribution, Estimate, Summary};
pub use tune::{TuneOutcome, TuneRow};

/// A run as a report sees it: what was measured, what was said on the way, where the time went.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunView {
    /// Where the samples come from.
    pub origin: Origin,
    /// The variants, in the order in which they are to be shown.
    pub variants: Vec<VariantView>,
    /// What was compared with what.
    pub comparisons: ComparisonsView,
    /// How the run ends by its gates; `None` where none was asked for, or it ended otherwise.
    #[serde(default)]
    pub ended: Option<RunEnd>,
    /// What the workers said while they looked for benchmarks.
    pub notices: Vec<NoticeView>,
    /// Files of which nothing could be measured.
    pub file_failures: Vec<Failure>,
    /// Where the wall time went; `None` where it isn't known, as for a run from the store.
    pub spent: Option<Spent>,
    /// Whether the run is in the store.
    pub stored: bool,
    /// The command that makes it again; `None` where it isn't known.
    pub again: Option<String>,
    /// Where the time of cases goes, for those that somebody looked at: the newest profile of each case on each runtime.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub profiles: Vec<ProfileView>,
}

impl RunView {
    /// Cases and files that failed; a case that failed on both sides is one.
    #[must_use]
    pub fn failures(&self) -> usize {
        let failed = |variant: &&VariantView| matches!(variant.outcome, Outcome::Failed(_));
        let cases: BTreeSet<String> = self.variants.iter().filter(failed).map(|view| view.variant.case.id()).collect();
        cases.len() + self.file_failures.len()
    }
}

/// How a run ends by its gates.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunEnd {
    /// The exit status is 0.
    pub passed: bool,
    /// Which gates, in one line.
    pub why: String,
}

/// A variant, how measuring it ended, and what was found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct VariantView {
    /// What was measured.
    pub variant: Variant,
    /// What the pilot chose; `None` when it never got that far.
    pub calibration: Option<Calibration>,
    /// How it ended.
    pub outcome: Outcome,
    /// The figures; `None` when there is no launch to take them from.
    pub summary: Option<Summary>,
    /// The most that any launch held.
    pub memory: Memory,
    /// What the next run will read, from earlier runs of the case in the store; `None` where there are too few, or nobody looked.
    pub next_run: Option<NextRun>,
    /// Where samples and launches lie, for pictures; `None` where nobody looked.
    pub distribution: Option<Distribution>,
}

impl VariantView {
    /// What is processed in a second, by the tared time, of what one call says that it processes. `None` where it says nothing of it, or the time is
    /// below resolution; the interval's ends are infinite or 0 where the time's are 0 or unknown.
    fn a_second(&self, amount: impl Fn(&Reported) -> Option<u64>) -> Option<Estimate> {
        let time = &self.summary.as_ref().filter(|summary| !summary.below_resolution)?.time;
        per_second(self.calibration.as_ref(), time, amount)
    }

    /// Bytes a second.
    pub fn bytes_a_second(&self) -> Option<Estimate> {
        self.a_second(|reported| reported.bytes)
    }

    /// Items a second.
    pub fn items_a_second(&self) -> Option<Estimate> {
        self.a_second(|reported| reported.items)
    }

    /// The case as people call it, language and runtime left out.
    pub fn title(&self) -> String {
        self.variant.case.title()
    }

    /// What tells it from other variants of the same title: its label without what the title says already, as the method of a class
    /// whose methods are compared. Often empty.
    pub fn distinction(&self) -> String {
        let case = &self.variant.case;
        let method = case.benchmark.rsplit_once("::").map_or(case.benchmark.as_str(), |(_, method)| method);
        let set = case.parameters.name.as_deref();
        let said = |part: &&str| {
            *part == method
                || Some(*part) == set
                || set.is_some_and(|set| part.strip_prefix(method).and_then(|rest| rest.strip_prefix('#')) == Some(set))
        };
        self.variant.label.split(", ").filter(|part| !said(part)).collect::<Vec<_>>().join(", ")
    }

    /// The title, and what tells the variant from others of it in parentheses.
    pub fn full_title(&self) -> String {
        match self.distinction().as_str() {
            "" => self.title(),
            distinction => format!("{} ({distinction})", self.title()),
        }
    }
}

fn per_second(
    calibration: Option<&Calibration>,
    time: &Estimate,
    amount: impl Fn(&Reported) -> Option<u64>,
) -> Option<Estimate> {
    let amount = amount(&calibration?.reported)? as f64;
    let of = |nanoseconds: f64| amount / nanoseconds * 1e9;
    (time.estimate > 0.0).then(|| Estimate { estimate: of(time.estimate), low: of(time.high), high: of(time.low) })
}

/// How much a notice matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum NoticeLevel {
    /// Worth knowing; shown on request.
    Info,
    /// Something was left out or understood differently.
    Warning,
    /// Something could not be loaded.
    Error,
}

impl NoticeLevel {
    /// `info`, `warning`, `error`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// What a worker had to say while it looked for benchmarks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoticeView {
    /// How much it matters.
    pub level: NoticeLevel,
    /// What was seen.
    pub message: String,
    /// The file it is about; empty where unknown.
    pub file: String,
    /// Line in that file, 1-based; 0 where unknown.
    pub line: u64,
    /// What the reader can do about it; may be empty.
    pub remedy: String,
}

/// A stored run in one line of the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogRow {
    /// Identity of the run.
    pub id: String,
    /// Start, RFC 3339 in UTC.
    pub started: String,
    /// Tags given by the user.
    pub tags: Vec<String>,
    /// It is a load: what is counted are its targets.
    pub load: bool,
    /// It has comparisons.
    pub compares: bool,
    /// The commits of base and candidate, where it compares two revisions.
    pub sides: Option<[String; 2]>,
    /// Cases in the run, each once.
    pub cases: u64,
    /// Variants of them that failed, and what couldn't be loaded.
    pub failed: u64,
    /// Version control: branch; empty outside a repository.
    pub branch: String,
    /// Version control: commit; empty outside a repository.
    pub commit: String,
    /// Whether the working tree differed from the commit.
    pub dirty: bool,
    /// How far it got.
    pub state: RunState,
    /// The tool that measured it, if that wasn't Tare.
    pub imported: Option<String>,
}

#[cfg(test)]
mod tests {
    use std::fmt::Debug;

    use serde::Serialize;
    use serde::de::DeserializeOwned;
    use tare_samples::{Calibration, FewAndMany, Reported};
    use tare_statistics::Estimate;

    use super::{DoctorView, LikeliestCommit, LoadTarget, LoadView, PercentileLimit, ProfiledRuntime, RunState};

    #[test]
    fn results_read_back_as_they_were() {
        let unbounded = Estimate { estimate: 2.0, low: f64::NEG_INFINITY, high: f64::INFINITY };
        let target = LoadTarget {
            name: "a".to_owned(),
            arrivals: Some("poisson".to_owned()),
            throughput: Some(unbounded),
            ..LoadTarget::default()
        };
        let load = LoadView { targets: vec![target], interrupted: true, ..LoadView::default() };
        let read: LoadView = serde_json::from_str(&serde_json::to_string(&load).unwrap()).unwrap();
        assert_eq!(read, load);
        let doctor = DoctorView { interrupted: true, ..DoctorView::default() };
        let read: DoctorView = serde_json::from_str(&serde_json::to_string(&doctor).unwrap()).unwrap();
        assert_eq!(read, doctor);
        assert_eq!(serde_json::to_string(&RunState::Complete).unwrap(), format!("\"{}\"", RunState::Complete));
    }

    fn is_written_as<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: &T, text: &str) {
        assert_eq!(serde_json::to_string(value).unwrap(), text);
        assert_eq!(serde_json::from_str::<T>(text).unwrap(), *value);
    }

    /// Versions before these had names read and wrote pairs.
    #[test]
    fn what_was_a_pair_is_written_as_one() {
        is_written_as(&LikeliestCommit { short: "1a2b".to_owned(), probability: 0.5 }, r#"["1a2b",0.5]"#);
        is_written_as(&ProfiledRuntime { name: "php".to_owned(), version: "8.4".to_owned() }, r#"["php","8.4"]"#);
        is_written_as(&PercentileLimit { percentile: "p99".to_owned(), most_ns: 7 }, r#"["p99",7]"#);
        is_written_as(&FewAndMany { few: 10, many: 20 }, "[10,20]");
    }

    #[test]
    fn what_is_processed_in_a_second_has_the_ends_of_the_time_turned_round() {
        let calibration =
            Calibration { reported: Reported { bytes: Some(1_000), ..Reported::default() }, ..Calibration::default() };
        let rate =
            super::per_second(Some(&calibration), &Estimate { estimate: 100.0, low: 50.0, high: 200.0 }, |r| r.bytes);
        assert_eq!(rate, Some(Estimate { estimate: 1e10, low: 5e9, high: 2e10 }));
        let items = super::per_second(Some(&calibration), &Estimate::default(), |reported| reported.items);
        assert_eq!(items, None);
    }
}
