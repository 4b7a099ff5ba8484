use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use tare_samples::Likeness;
use tare_statistics::comparison::{Comparison, Verdict};
use tare_statistics::work::{FunctionWork, Work};
use tare_statistics::{Estimate, Warning};

/// What two variants have to do with each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ComparisonKind {
    /// Measured live, in the same rounds.
    Live,
    /// The base against itself, live: what it shows is noise.
    Control,
    /// Two stored runs.
    Stored,
}

impl ComparisonKind {
    /// `live`, `control`, `stored`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Live => "live",
            Self::Control => "control",
            Self::Stored => "stored",
        }
    }
}

/// One side of a comparison.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SideView {
    /// Id of the variant in [`RunView::variants`](crate::RunView::variants).
    pub id: String,
    /// What tells it from the other side: a runtime's name, a revision, a parameter set, a method, a run.
    pub label: String,
    /// Its tared time per call in nanoseconds; `None` where nothing was measured.
    pub time: Option<Estimate>,
}

/// A candidate against its base, ready to be shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ComparisonView {
    /// What is compared, as people call it: the case, or the class where its methods are compared. What the sides have in common.
    pub title: String,
    /// What it is compared with.
    pub base: SideView,
    /// What is judged.
    pub candidate: SideView,
    /// How.
    pub kind: ComparisonKind,
    /// What was found.
    pub comparison: Comparison,
    /// How the machine code of both compares that were compiled apart; `None` where nothing is known of it.
    pub machine_code: Option<Likeness>,
    /// What each machine says, where several measured the same; `None` of one machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machines: Option<MachinesView>,
    /// What calls of both execute, where that was counted. It has no part in the verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work: Option<Work>,
    /// Where a difference of work lies, the largest part first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub work_by: Vec<FunctionWork>,
}

/// A comparison on each of several machines.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MachinesView {
    /// Machine by machine.
    pub each: Vec<MachineView>,
    /// The ratio on each kind of machine.
    pub kinds: Vec<(String, Estimate)>,
    /// Standard deviation of the log-ratio from machine to machine, beyond what each one's own error explains; `None` where nothing was pooled.
    pub between: Option<f64>,
}

/// A comparison as one machine measured it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MachineView {
    /// Its name: that of its store, or of its run.
    pub machine: String,
    /// Its processor.
    pub kind: String,
    /// What it says; `None` where it didn't measure the case.
    pub comparison: Option<Comparison>,
}

impl ComparisonView {
    /// The candidate's time beside the base's: the base's times the ratio that the verdict rests on, so that their quotient is the change. Each
    /// side's own time comes from all its launches by itself, and on a machine that changes their quotient is another. `None` where there is
    /// no ratio, or no time of the base above 0.
    pub fn candidate_time(&self) -> Option<Estimate> {
        let (base, own) = (self.base.time?, self.candidate.time?);
        let ratio = self.comparison.shown().filter(|_| base.low > 0.0 && own.estimate > 0.0)?;
        let scale = base.estimate * ratio.estimate / own.estimate;
        let scaled = Estimate { estimate: scale * own.estimate, low: scale * own.low, high: scale * own.high };
        (scaled.estimate > 0.0 && scaled.high.is_finite()).then_some(scaled)
    }

    /// By how much the time that the candidate's run read differs from [`Self::candidate_time`], a fraction of the latter, 0 or more; only where
    /// stored runs are compared, whose machine may have been in two states.
    pub fn rescaled(&self) -> Option<f64> {
        let own = self.candidate.time.filter(|own| self.kind == ComparisonKind::Stored && own.low > 0.0)?;
        Some((own.estimate / self.candidate_time()?.estimate - 1.0).abs())
    }
}

/// A case that has no partner.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnpairedView {
    /// The case.
    pub title: String,
    /// The side that has it: a revision, a runtime, a run.
    pub side: String,
}

/// Times of a group of cases taken together, as benchstat's last row has them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GroupMean {
    /// The class or benchmark over whose cases it is taken; empty where it is taken over all.
    pub group: String,
    /// [`SideView::label`] of the bases.
    pub base_label: String,
    /// [`SideView::label`] of the candidates.
    pub candidate_label: String,
    /// Geometric mean of the bases' times in nanoseconds; `None` where one of them isn't above 0.
    pub base: Option<f64>,
    /// Geometric mean of the candidates' times in nanoseconds; `None` where one of them isn't above 0.
    pub candidate: Option<f64>,
    /// Geometric mean of the ratios, with its interval.
    pub ratio: Option<Estimate>,
    /// Confidence of the interval, a fraction.
    pub confidence: f64,
    /// What the ratio says by the rule of its cases; `None` where their errors go together, as those of stored runs, of which the machine moves all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// The bound of [`Verdict::Same`], a fraction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<f64>,
    /// Ratios in it.
    pub cases: usize,
    /// Titles of the cases that are left out of it, since they have no ratio or a time next to 0.
    pub left_out: Vec<String>,
    /// Cases that were proven to be unchanged: nothing was measured of them, and they have no part in it.
    #[serde(default)]
    pub unchanged: usize,
}

/// What a gate asked for and what came of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GateView {
    /// The case.
    pub title: String,
    /// Id of the variant that is judged.
    pub variant: String,
    /// Id of the variant that it is judged against; `None` for a rule about one variant alone, as `max-time`.
    pub base: Option<String>,
    /// Which kind of rule it is.
    pub kind: GateKind,
    /// What was asked for: `max-time 2 µs`, `--fail-on slower`.
    pub rule: String,
    /// What was found, in one sentence.
    pub message: String,
    /// Whether it was broken, or couldn't be decided.
    pub outcome: GateOutcome,
}

/// Kinds of gates.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum GateKind {
    /// `--fail-on slower`: beyond the margin, or beyond this fraction.
    Slower(Option<f64>),
    /// `--fail-on work`: a call executes more, beyond this fraction.
    Work(f64),
    /// `max-slowdown` of tare.toml.
    MaxSlowdown,
    /// `max-memory-growth` of tare.toml.
    MaxMemoryGrowth,
    /// `max-work-change` of tare.toml.
    MaxWorkChange,
    /// `max-time` of tare.toml.
    MaxTime,
    /// `max-memory` of tare.toml.
    MaxMemory,
    /// `max-instructions` of tare.toml.
    MaxInstructions,
    /// An assertion that stands at the benchmark.
    Assertion,
}

impl GateKind {
    /// As tare.toml and the command line call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Slower(_) => "slower",
            Self::Work(_) => "work",
            Self::MaxSlowdown => "max-slowdown",
            Self::MaxMemoryGrowth => "max-memory-growth",
            Self::MaxWorkChange => "max-work-change",
            Self::MaxTime => "max-time",
            Self::MaxMemory => "max-memory",
            Self::MaxInstructions => "max-instructions",
            Self::Assertion => "assertion",
        }
    }
}

/// How a gate ended; gates that held aren't listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum GateOutcome {
    /// The rule is broken: exit status 1.
    Tripped,
    /// It can't be told whether it is.
    Undecided,
}

/// All comparisons of a report.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ComparisonsView {
    /// Each candidate against its base, controls included, in the order of the variants.
    pub pairs: Vec<ComparisonView>,
    /// Times of groups of cases taken together.
    pub geometric_means: Vec<GroupMean>,
    /// Cases that exist on one side only.
    pub unpaired: Vec<UnpairedView>,
    /// Broken and undecided gates.
    pub gates: Vec<GateView>,
    /// What became of the assertions; those that failed or couldn't be decided are among the gates.
    pub assertions: AssertionCounts,
    /// What is to be known of all pairs together: what controls showed. What is to be known of one pair is in its comparison.
    #[serde(default)]
    pub warnings: Vec<Warning>,
    /// Benchmarks that weren't measured: the time was used up, or somebody ended the run.
    #[serde(default)]
    pub unmeasured: usize,
    /// What is known to differ between the sides, the commonest first.
    #[serde(default)]
    pub differing: Vec<Differing>,
    /// The session that they are counted in; `None` where each comparison has an error of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionView>,
}

/// A comparison within a session, whose comparisons share one error.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SessionView {
    /// Its name.
    pub name: String,
    /// The number of the comparison in it, from 1.
    pub number: u64,
    /// The probability that this comparison calls a difference in vain, of any of its cases, at most.
    pub level: f64,
    /// The same of the whole session, however long it becomes.
    pub error: f64,
    /// The share of that error that is left for later comparisons: from 1 to 0.
    pub left: f64,
}

/// Something that differs between the sides of a comparison.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Differing {
    /// A clause: "`Parser::next` differs".
    pub what: String,
    /// How many cases execute or read it, measured or not.
    pub cases: usize,
}

impl Differing {
    /// What differs of comparisons; of a case the first thing that was found.
    pub fn of(pairs: &[ComparisonView]) -> Vec<Self> {
        let mut found: BTreeMap<&str, usize> = BTreeMap::new();
        for what in pairs.iter().filter_map(|pair| pair.comparison.differs.as_deref()) {
            *found.entry(what).or_default() += 1;
        }
        let mut found: Vec<Self> =
            found.into_iter().map(|(what, cases)| Self { what: what.to_owned(), cases }).collect();
        found.sort_by_key(|one| std::cmp::Reverse(one.cases));
        found
    }
}

/// How many assertions ended in which way.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AssertionCounts {
    /// They hold.
    pub held: usize,
    /// They don't.
    pub failed: usize,
    /// It can't be told.
    pub undecided: usize,
}

impl AssertionCounts {
    /// All of them.
    pub fn total(&self) -> usize {
        self.held + self.failed + self.undecided
    }
}

impl ComparisonsView {
    /// Whether there is nothing to show.
    pub fn is_empty(&self) -> bool {
        self == &Self::default()
    }

    /// The pairs that aren't controls.
    pub fn judged(&self) -> impl Iterator<Item = &ComparisonView> {
        self.pairs.iter().filter(|pair| pair.kind != ComparisonKind::Control)
    }

    /// How many judged pairs have this verdict.
    pub fn count(&self, verdict: Verdict) -> usize {
        self.judged().filter(|pair| pair.comparison.verdict == verdict).count()
    }

    /// What the controls found: the largest distance from 1 that an estimate and an end of an interval of identical code
    /// had, as fractions on the logarithmic scale, and how many controls there were.
    pub fn noise_floor(&self) -> Option<NoiseFloor> {
        let controls: Vec<Estimate> = self
            .pairs
            .iter()
            .filter(|pair| pair.kind == ComparisonKind::Control)
            .filter_map(|pair| pair.comparison.shown())
            .collect();
        let most = |of: fn(&Estimate) -> f64| controls.iter().map(of).fold(0.0, f64::max).exp_m1();
        (!controls.is_empty()).then(|| NoiseFloor {
            error: most(|ratio| ratio.estimate.ln().abs()),
            reach: most(|ratio| ratio.low.ln().abs().max(ratio.high.ln().abs())),
            controls: controls.len(),
        })
    }
}

/// What identical code showed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct NoiseFloor {
    /// The largest error of a ratio that is 1, a fraction.
    pub error: f64,
    /// How far from 1 its interval reached, a fraction.
    pub reach: f64,
    /// Controls that it was taken from.
    pub controls: usize,
}
