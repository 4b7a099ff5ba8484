use serde::{Deserialize, Serialize};
use tare_samples::Metric;
use tare_statistics::Estimate;
use tare_statistics::comparison::Verdict;
use tare_statistics::metric::AmountVerdict;
use tare_statistics::work::{WorkVaries, WorkVerdict};

/// A search for the commit that changed a case, as a report sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct BisectView {
    /// The revision before the change.
    pub good: BisectRevision,
    /// The revision that has it.
    pub bad: BisectRevision,
    /// What of the case was searched for.
    pub metric: Metric,
    /// Commits between the two, the latter included, parents before children.
    pub history: Vec<BisectCommit>,
    /// The cases that the pattern matches, as the two revisions were compared; that which is searched for first.
    pub cases: Vec<BisectCase>,
    /// Measurements between the two, in order.
    pub steps: Vec<BisectStep>,
    /// By step, and by commit of the history: the probability after it that the commit brought the change.
    pub course: Vec<Vec<f64>>,
    /// Commits that couldn't be measured.
    pub skipped: Vec<BisectSkipped>,
    /// Commits with which nothing changed that the case executes or reads, by proof: full hashes.
    pub unchanged: Vec<String>,
    /// The probability that was asked for, a fraction.
    pub wanted: f64,
    /// The probability that the commits of the answer have brought the change; 0 where there is none.
    pub confidence: f64,
    /// How it ended.
    pub end: BisectEnd,
    /// Which hunks of the commit that was found bring the change, where that was asked for.
    pub hunks: Option<BisectHunks>,
    /// How long it took, in nanoseconds.
    pub wall_ns: u64,
}

/// An end of a search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BisectRevision {
    /// As the user named it.
    pub name: String,
    /// Full hash.
    pub commit: String,
}

/// A case of both revisions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BisectCase {
    /// Its identity.
    pub id: String,
    /// As people call it.
    pub title: String,
    /// BAD over GOOD, the ratio that the verdict rests on; `None` where nothing was measured.
    pub change: Option<Estimate>,
    /// Confidence of that interval, a fraction; `None` of counts, which have a bound.
    pub confidence: Option<f64>,
    /// What is said of it.
    pub verdict: BisectVerdict,
}

/// What is said of a case between both revisions, by what is searched for.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BisectVerdict {
    /// Of its time; and by proof, whatever is searched for.
    Time(Verdict),
    /// Of what a call executes, and why that varies where it does.
    Work(WorkVerdict, Option<WorkVaries>),
    /// Of its memory.
    Memory(AmountVerdict),
}

impl BisectVerdict {
    /// As documents write it: `slower`, `more`, `same`, …
    pub fn name(self) -> &'static str {
        match self {
            Self::Time(verdict) => verdict.name(),
            Self::Work(verdict, _) => verdict.name(),
            Self::Memory(verdict) => verdict.name(),
        }
    }

    /// Whether a change is called.
    pub fn is_difference(self) -> bool {
        match self {
            Self::Time(verdict) => verdict.is_difference(),
            Self::Work(verdict, _) => verdict.is_difference(),
            Self::Memory(verdict) => matches!(verdict, AmountVerdict::More | AmountVerdict::Less),
        }
    }
}

/// A version that was measured beside both ends.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BisectStep {
    /// Full hash.
    pub commit: String,
    /// As git abbreviates it.
    pub short: String,
    /// Launches of each of the three; where both ends were counted or weighed before, of the version alone.
    pub launches: u32,
    /// The version over GOOD.
    pub from_good: Estimate,
    /// BAD over the version.
    pub to_bad: Estimate,
    /// BAD over GOOD.
    pub whole: Estimate,
    /// Confidence of these intervals, a fraction; `None` of counts, which have a bound.
    pub confidence: Option<f64>,
    /// Logarithm of the odds that the step gives the version to be as BAD and not as GOOD.
    pub log_odds: f64,
    /// The share of the change that the version has, where it clearly lies between both ends.
    pub between: Option<f64>,
    /// After the step: the probability that the version has the change.
    pub changed: f64,
    /// After the step.
    pub likeliest: LikeliestCommit,
}

/// The commit that has brought the change, most likely. Written as a pair: older versions read it so.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "(String, f64)", into = "(String, f64)")]
pub struct LikeliestCommit {
    /// As git abbreviates it.
    pub short: String,
    /// Its probability, a fraction.
    pub probability: f64,
}

impl From<(String, f64)> for LikeliestCommit {
    fn from((short, probability): (String, f64)) -> Self {
        Self { short, probability }
    }
}

impl From<LikeliestCommit> for (String, f64) {
    fn from(LikeliestCommit { short, probability }: LikeliestCommit) -> Self {
        (short, probability)
    }
}

/// A commit that couldn't be measured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BisectSkipped {
    /// Full hash.
    pub commit: String,
    /// As git abbreviates it.
    pub short: String,
    /// Why.
    pub why: String,
}

/// A commit as reports show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BisectCommit {
    /// Full hash.
    pub commit: String,
    /// As git abbreviates it.
    pub short: String,
    /// Full hash of the parent that it was compared with.
    pub parent: String,
    /// When its author made it, RFC 3339.
    pub date: String,
    /// The first line of its message, escaped.
    pub subject: String,
}

/// How a search ended.
#[derive(Debug, Clone, PartialEq)]
pub enum BisectEnd {
    /// This commit changed the case; a fresh measurement against its parent has shown it.
    Found {
        /// Which.
        commit: BisectCommit,
        /// It over its parent.
        change: Estimate,
        /// Confidence of that interval, a fraction; `None` of counts, which have a bound.
        level: Option<f64>,
    },
    /// One of these, which the versions that can be measured don't tell apart.
    OneOf(Vec<BisectCommit>),
    /// The two revisions don't differ, as far as was measured.
    NoChange,
    /// The likeliest commit, measured afresh against its parent, doesn't show the change; or nothing more can be learnt.
    Unconfirmed {
        /// The likeliest commits.
        likeliest: Vec<BisectCommit>,
        /// What it showed against its parent, where it was measured.
        change: Option<Estimate>,
    },
    /// It was interrupted.
    Interrupted,
}

/// What of a commit brings a change.
#[derive(Debug, Clone, PartialEq)]
pub struct BisectHunks {
    /// Hunks that the commit has.
    pub of: usize,
    /// The smallest part of them that was found to have the change.
    pub hunks: Vec<BisectHunk>,
    /// That part, put over the parent, against the parent, in a fresh measurement; of all hunks what the commit showed. `None` where nothing was measured.
    pub change: Option<Estimate>,
    /// Confidence of that interval, a fraction; `None` of counts, which have a bound.
    pub level: Option<f64>,
    /// Parts that were tried, and of these those that couldn't be built or measured.
    pub tried: usize,
    /// See `tried`.
    pub left_out: usize,
    /// How it ended.
    pub end: HunksEnd,
}

/// A hunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BisectHunk {
    /// Path of the file from the repository's top level, escaped.
    pub file: String,
    /// Its first line in the commit's file, from 1; 0 of what has no lines.
    pub line: usize,
    /// How many lines of it the hunk is; 0 where it only removes some.
    pub lines: usize,
    /// Lines with `-` and `+` before them, escaped and bounded; of a file as a whole what becomes of it.
    pub text: String,
}

/// How a search within a commit ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HunksEnd {
    /// The part shows the change beside the parent, and no hunk of it can be left out.
    Found,
    /// The commit has one hunk only.
    One,
    /// No smaller part shows the change.
    All,
    /// So many parts were tried as are tried at the most; a smaller one may show the change.
    Bound,
    /// The part that seemed to have the change doesn't show it afresh.
    Unconfirmed,
}

impl HunksEnd {
    /// `found`, `one`, `all`, `bound`, `unconfirmed`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Found => "found",
            Self::One => "one",
            Self::All => "all",
            Self::Bound => "bound",
            Self::Unconfirmed => "unconfirmed",
        }
    }
}
