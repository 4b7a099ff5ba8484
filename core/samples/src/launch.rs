use std::fmt;

use serde::{Deserialize, Serialize};

/// What a turn timed.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", from = "String")]
pub enum Subject {
    /// The user's code.
    Case,
    /// The same loop and call path with an empty body.
    Null,
    /// Two clock reads back to back.
    Clock,
    /// The null with one `pause`/`resume` pair in each call.
    Pause,
    /// A fixed reference subject of the SDK, by name.
    Kernel(String),
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Case => f.write_str("case"),
            Self::Null => f.write_str("null"),
            Self::Clock => f.write_str("clock"),
            Self::Pause => f.write_str("pause"),
            Self::Kernel(name) => write!(f, "kernel/{name}"),
        }
    }
}

impl From<Subject> for String {
    fn from(subject: Subject) -> Self {
        subject.to_string()
    }
}

impl From<String> for Subject {
    fn from(text: String) -> Self {
        match text.as_str() {
            "case" => Self::Case,
            "null" => Self::Null,
            "clock" => Self::Clock,
            "pause" => Self::Pause,
            other => Self::Kernel(other.strip_prefix("kernel/").unwrap_or(other).to_owned()),
        }
    }
}

/// A variant's go on the core: an untimed warm-in, then samples. Columns, one entry a sample.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Turn {
    /// The round of the launch that the turn belongs to, from 0.
    pub round: u32,
    /// What was timed.
    pub subject: Subject,
    /// Untimed samples made before the first timed one.
    pub warm: u64,
    /// Calls in each sample; 0 is one bare call without a loop. Two clock reads are one call of the clock.
    pub iterations: Vec<u64>,
    /// Elapsed nanoseconds of each sample, both clock reads included, paused stretches left out.
    pub elapsed: Vec<u64>,
    /// `pause`/`resume` pairs in each sample; empty when there were none in the whole turn.
    pub pauses: Vec<u64>,
    /// When the turn's reply arrived, in nanoseconds since the launch began, on the core's clock.
    pub at_ns: u64,
    /// What the stretch from before the first timed sample to after the last one took; `None` where the worker can't tell.
    pub stretch: Option<Stretch>,
}

/// What a stretch of a worker's time went into: tells preemption by other processes from the subject's own work.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stretch {
    /// Nanoseconds by the worker's monotonic clock.
    pub wall_ns: u64,
    /// Nanoseconds of CPU time of the whole process, all threads.
    pub cpu_ns: u64,
    /// How often the measuring thread gave the CPU up by itself, waiting for something.
    pub yields: u64,
    /// Between its samples nothing is done that the author asked for, as far as the worker knows: what its process does there beyond the
    /// worker's own work is what calls have put off.
    #[serde(default)]
    pub only_calls: bool,
}

/// What a launch held in memory when it ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Memory {
    /// Largest resident size of the process, in bytes.
    pub peak_rss_bytes: Option<u64>,
    /// Largest heap by the runtime's own account, in bytes.
    pub runtime_peak_bytes: Option<u64>,
}

/// One fresh process that measured a variant: the unit of evidence.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Launch {
    /// From 0 in the order of measuring.
    pub ordinal: u32,
    /// Nanoseconds since the run began, on the core's clock.
    pub started_ns: u64,
    /// From the process's start to its first answer, in nanoseconds.
    pub startup_ns: u64,
    /// From the process's start to its end, in nanoseconds.
    pub duration_ns: u64,
    /// Turns in the order in which they were taken.
    pub turns: Vec<Turn>,
    /// Memory held.
    pub memory: Memory,
}

impl Launch {
    /// The turns that timed `subject`, in order.
    pub fn turns_of<'a>(&'a self, subject: &'a Subject) -> impl Iterator<Item = &'a Turn> {
        self.turns.iter().filter(move |turn| turn.subject == *subject)
    }

    /// Nanoseconds spent inside timed samples, of every subject; saturates at what a hostile worker may claim.
    pub fn timed_ns(&self) -> u64 {
        self.turns.iter().flat_map(|turn| &turn.elapsed).fold(0, |sum: u64, &elapsed| sum.saturating_add(elapsed))
    }
}

#[cfg(test)]
mod tests {
    use super::Subject;

    #[test]
    fn a_subject_survives_its_text() {
        for subject in [Subject::Case, Subject::Null, Subject::Clock, Subject::Pause, Subject::Kernel("text".into())] {
            assert_eq!(Subject::from(subject.to_string()), subject);
        }
    }
}
