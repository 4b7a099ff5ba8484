//! What is told while something is done.

use serde::Serialize;
use tare_engine::TimeRange;
use tare_results::{BisectStep, EarlyRow, LikeliestCommit};

/// Something that happened. Nothing is told while a turn is measured.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event {
    /// Something that changes what the reader should expect.
    Notice {
        /// One paragraph.
        message: String,
    },
    /// A revision is made ready.
    Preparing {
        /// As the user named it.
        side: String,
        /// What is done to it now.
        step: PreparationStep,
    },
    /// The build command of tare.toml is run.
    Building {
        /// The side that it is run for; empty where no revisions are compared.
        side: String,
        /// The command.
        command: String,
    },
    /// Somebody else measures on this machine.
    Waiting {
        /// Who, and since when.
        holder: String,
    },
    /// A source is asked for its benchmarks.
    Listing {
        /// Relative to the project.
        file: String,
        /// Sources that have been asked, on all sides and runtimes, and how many there are.
        done: usize,
        /// See `done`.
        of: usize,
    },
    /// Nobody else measures, and cores are looked at.
    Placing,
    /// Cases are looked at, to find those that needn't be measured.
    Looking {
        /// What is done now.
        step: LookingStep,
        /// Cases for which it is done.
        done: usize,
        /// How many there are.
        of: usize,
    },
    /// It is known which cases needn't be measured.
    Looked,
    /// It is known what will be measured.
    Planned {
        /// The run's id.
        run: String,
        /// Ids of the cases, one for each group of variants that take turns, in order.
        groups: Vec<String>,
        /// How many variants they have.
        variants: usize,
    },
    /// How long the run will take: a guess before anything is measured, and once more where that was wrong.
    Forecast {
        /// In all, in nanoseconds.
        wall_ns: f64,
        /// Nanoseconds of that in which nothing is timed, once that is known.
        setup_ns: Option<f64>,
        /// Cases that there is no time for, about.
        left_out: usize,
        /// The same in words.
        line: String,
    },
    /// The pilot of a variant has chosen how to measure it.
    Calibrated {
        /// The variant's id.
        variant: String,
        /// Calls in each sample.
        calls: u64,
    },
    /// A launch has ended, and is stored.
    Launched {
        /// Ids of the variants that had a launch.
        variants: Vec<String>,
    },
    /// A group's pilot or next launch begins: how far the run is by now.
    Progress {
        /// Position of the group in [`Event::Planned`].
        group: usize,
        /// The lane that has it, from 0.
        lane: usize,
        /// What is done now.
        step: MeasuringStep,
        /// From 0 to 1, of the whole run; it never falls.
        share: f64,
        /// Nanoseconds that are left, as far as that is known.
        left_ns: Option<f64>,
        /// As far as chance makes it likely.
        left_range_ns: Option<TimeRange>,
    },
    /// What is known of a group as soon as it is measured.
    Rows {
        /// One for each of its comparisons, or variants where it has none.
        rows: Vec<EarlyRow>,
    },
    /// A variant is measured, or failed.
    Ended {
        /// The variant's id.
        variant: String,
        /// `ok`, `failed`, `skipped` or `interrupted`.
        outcome: String,
    },
    /// A load goes on; told about once a second.
    Loading {
        /// Seconds since it began.
        elapsed_s: u64,
        /// Successes a second of the newest second, on average over the targets.
        rate: f64,
        /// What is counted: `requests` or `operations`.
        what: String,
        /// How many failed until now.
        failed: u64,
        /// The 99th percentile of the latencies until now, in nanoseconds.
        p99_ns: Option<u64>,
        /// The number of the block that is under way, from 1; targets take turns in blocks.
        block: usize,
        /// How many blocks there will be.
        blocks: usize,
    },
    /// The load is over.
    Loaded,
    /// A stage of looking at a runtime's clocks begins.
    Clocks {
        /// The runtime.
        runtime: String,
        /// The stage.
        stage: String,
        /// Stages of all runtimes that are done.
        done: u64,
        /// How many there are.
        of: u64,
    },
    /// All clocks were looked at.
    ClocksDone,
    /// A version was measured beside both ends of a search.
    Bisected {
        /// Which measurement it is, from 1.
        number: usize,
        /// What it showed.
        step: Box<BisectStep>,
        /// The end without the change, as the user named it.
        good: String,
        /// The other one.
        bad: String,
        /// By commit, the oldest first: the probability that it brought the change.
        probabilities: Vec<f64>,
    },
    /// The store failed; measuring goes on without it.
    StoreFailed {
        /// Why.
        message: String,
    },
    /// Nothing more will be measured.
    Measured {
        /// The run's id.
        run: String,
        /// Ended before it was through.
        interrupted: bool,
    },
}

impl Event {
    /// What is waited for after the event, in a few words; nothing where something is measured or told.
    pub fn awaited(&self) -> Option<String> {
        Some(match self {
            Self::Preparing { side, step } => {
                let doing = match step {
                    PreparationStep::Waiting => "waiting",
                    PreparationStep::CheckingOut => "checking out",
                    PreparationStep::FetchingSubmodules => "fetching submodules",
                    PreparationStep::Preparing => "preparing",
                };
                format!("{side}: {doing}")
            }
            Self::Building { side, .. } if side.is_empty() => "building".to_owned(),
            Self::Building { side, .. } => format!("{side}: building"),
            Self::Waiting { .. } => "waiting".to_owned(),
            Self::Listing { file, done, of } => format!("listing benchmarks, {} of {of}: {file}", done + 1),
            _ => return None,
        })
    }

    /// What is done now of something in stages: in a few words, and whether that is worth a line where nothing is drawn.
    pub fn stage(&self) -> Option<(String, bool)> {
        Some(match self {
            Self::Clocks { runtime, stage, .. } => {
                let runtime: String = runtime.chars().take(40).collect();
                (format!("{runtime}: {stage}"), ["clocks", "waits"].contains(&stage.as_str()))
            }
            // Its beginning and its end: a line that says 0 and nothing after it would read as if it stood still.
            Self::Looking { step: LookingStep::Cases, done, of } => {
                (format!("looking for cases that needn't be measured: {done} of {of}"), *done == 0 || done == of)
            }
            Self::Looking { step: LookingStep::Counting, done, of } => {
                (format!("counting what cases execute: {done} of {of}"), *done == 0 || done == of)
            }
            _ => return None,
        })
    }

    /// Sentences for who waits at a terminal; nothing where something is better drawn, or nobody there need know.
    pub fn sentences(&self) -> Vec<String> {
        vec![match self {
            Self::Notice { message } => message.clone(),
            Self::Forecast { line, .. } => line.clone(),
            Self::Preparing { side, step } => match step {
                PreparationStep::Waiting => format!("{side}: waiting for another tare that prepares it"),
                PreparationStep::CheckingOut => format!("{side}: checking out"),
                PreparationStep::FetchingSubmodules => format!("{side}: fetching submodules"),
                PreparationStep::Preparing => format!("{side}: preparing"),
            },
            Self::Building { side, command } if side.is_empty() => format!("building: {command}"),
            Self::Building { side, command } => format!("{side}: building: {command}"),
            Self::Waiting { holder } => {
                format!("waiting for {holder}: two measurements at once would disturb each other")
            }
            Self::Bisected { number, step, good, bad, .. } => step_line(*number, step, [good, bad]),
            Self::StoreFailed { message } => {
                let goes_on = "measuring goes on without the store; the store keeps earlier results, and only the report has the rest";
                return vec![message.clone(), goes_on.to_owned()];
            }
            _ => return Vec::new(),
        }]
    }
}

/// What a step of a search has shown, and what is likeliest by now.
fn step_line(number: usize, step: &BisectStep, [good, bad]: [&str; 2]) -> String {
    let said = match step.between {
        Some(share) => format!("has {:.0} % of the change: a part came earlier, and a part comes later", 100.0 * share),
        // Odds of 3 to 1.
        None if step.log_odds > 1.1 => format!("is as {bad}"),
        None if step.log_odds < -1.1 => format!("is as {good}"),
        None => "isn't told apart from either end".to_owned(),
    };
    let LikeliestCommit { short: likeliest, probability } = &step.likeliest;
    format!("step {number}: {} {said}; likeliest is {likeliest}, {:.0} %", step.short, 100.0 * probability)
}

/// What is done to make a revision ready.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PreparationStep {
    /// Another process prepares the same one.
    Waiting,
    /// git checks it out.
    CheckingOut,
    /// git fetches its submodules.
    FetchingSubmodules,
    /// The user's command is run.
    Preparing,
}

/// What is done without timing: to find cases that needn't be measured, mostly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum LookingStep {
    /// Each case of the base is run once, and each of the candidate where code decides: that adds to how many there are.
    Cases,
    /// What calls execute is counted; that is done when all is measured.
    Counting,
}

/// What is done of a measurement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "of")]
pub enum MeasuringStep {
    /// The pilot of a group.
    Pilot,
    /// A launch of a group.
    Launch {
        /// Beginning with 1.
        number: u32,
        /// How many there may be.
        most: u32,
    },
    /// A launch of the second, fresh measurement of a group.
    Again {
        /// Beginning with 1.
        number: u32,
        /// How many there may be.
        most: u32,
    },
}

/// Hears what happens. It is called between turns, never within one, by the thread that measures: what takes long delays the run.
pub trait Listener {
    /// Something happened.
    fn hear(&self, event: &Event);
}

/// Nobody listens.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silence;

impl Listener for Silence {
    fn hear(&self, _event: &Event) {}
}
