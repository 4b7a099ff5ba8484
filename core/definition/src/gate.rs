use std::fmt;

use tare_samples::Case;

use crate::error::ArgumentError;
use crate::error::suggestion;
use crate::filter::Filter;
use crate::quantity::parse_increase;
use crate::quantity::shown;

/// What makes a run end with a status of its own.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum FailOn {
    /// A candidate is slower: beyond the margin of its comparison, or beyond this fraction in place of it.
    Slower(Option<f64>),
    /// It can't be told whether it is.
    Inconclusive,
    /// A call of the candidate executes more: beyond this fraction.
    Work(f64),
}

impl fmt::Display for FailOn {
    /// As [`parse_fail_on`] reads it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Slower(None) => f.write_str("slower"),
            Self::Slower(Some(by)) => write!(f, "slower={}%", 100.0 * by),
            Self::Inconclusive => f.write_str("inconclusive"),
            Self::Work(by) => write!(f, "work={}%", 100.0 * by),
        }
    }
}

/// Reads a gate: `slower`, `slower=2%`, `work=1%`, `inconclusive`; `undecided` is the word that reports show for the last one.
///
/// # Errors
/// Any other word (the nearest one is suggested), a value where none is wanted, what [`parse_increase`] refuses.
pub fn parse_fail_on(text: &str) -> Result<FailOn, ArgumentError> {
    let (word, value) = match text.split_once('=') {
        Some((word, value)) => (word.trim(), Some(value)),
        None => (text.trim(), None),
    };
    match (word, value) {
        ("slower", value) => value.map(parse_increase).transpose().map(FailOn::Slower),
        ("inconclusive" | "undecided", None) => Ok(FailOn::Inconclusive),
        ("work", Some(value)) => parse_increase(value).map(FailOn::Work),
        ("work", None) => Err(ArgumentError::new(
            "`work` needs a percentage".to_owned(),
            "write how much more work is too much, as work=1%".to_owned(),
        )),
        (word @ ("inconclusive" | "undecided"), Some(_)) => Err(ArgumentError::new(
            format!("`{word}` takes no value"),
            format!("write {word} alone; slower=2% takes one"),
        )),
        _ => Err(ArgumentError::new(
            format!("`{}` is not a condition to fail on", shown(word)),
            suggestion(word, &["slower", "slower=2%", "inconclusive", "work=1%"]),
        )),
    }
}

/// `[[limit]]`: what the cases that it is for may take. At least one of the figures is there.
#[derive(Debug, Clone, PartialEq)]
pub struct Limit {
    /// Its line in the file, 1-based.
    pub line: usize,
    /// Which cases, as written.
    pub pattern: String,
    /// Which cases.
    pub cases: Filter,
    /// The longest time per call, in nanoseconds, above 0.
    pub max_time: Option<f64>,
    /// The most by which a candidate may be slower than its base, a fraction above 0 and below 1.
    pub max_slowdown: Option<f64>,
    /// The most memory at its peak, in bytes, above 0.
    pub max_memory: Option<u64>,
    /// The most instructions per call, above 0.
    pub max_instructions: Option<u64>,
    /// The most by which a candidate's peak memory may exceed its base's, a fraction from 0 to 1.
    pub max_memory_growth: Option<f64>,
    /// The most by which a call of a candidate may execute more than one of its base, a fraction from 0 to 1.
    pub max_work_change: Option<f64>,
}

impl Limit {
    /// Whether one of the figures is there.
    pub(crate) fn limits_anything(&self) -> bool {
        self.is_of_pairs() || self.is_of_figures()
    }

    /// Whether it asks how a candidate compares with its base.
    pub fn is_of_pairs(&self) -> bool {
        self.max_slowdown.is_some() || self.max_memory_growth.is_some() || self.max_work_change.is_some()
    }

    /// Whether it asks for figures of the case itself.
    pub fn is_of_figures(&self) -> bool {
        self.max_time.is_some() || self.max_memory.is_some() || self.max_instructions.is_some()
    }

    /// Whether it is for this case: the pattern is matched as `--filter` matches one.
    pub fn matches(&self, case: &Case) -> bool {
        self.cases.matches(case)
    }
}

#[cfg(test)]
mod tests {
    use super::{FailOn, parse_fail_on};

    #[test]
    fn a_gate_survives_its_text() {
        for gate in [FailOn::Slower(None), FailOn::Slower(Some(0.02)), FailOn::Inconclusive, FailOn::Work(0.01)] {
            assert_eq!(parse_fail_on(&gate.to_string()), Ok(gate));
        }
    }

    #[test]
    fn gates_are_read_by_name() {
        assert_eq!(parse_fail_on("slower"), Ok(FailOn::Slower(None)));
        assert_eq!(parse_fail_on(" slower = 2 % "), Ok(FailOn::Slower(Some(0.02))));
        assert_eq!(parse_fail_on("inconclusive"), Ok(FailOn::Inconclusive));
        assert_eq!(parse_fail_on("undecided"), Ok(FailOn::Inconclusive));
        assert_eq!(parse_fail_on("work=0.1%"), Ok(FailOn::Work(0.001)));
    }

    #[test]
    fn what_is_no_gate_is_refused_with_what_to_write() {
        for (text, message) in [
            ("slwer", "`slwer` is not a condition to fail on; did you mean `slower`?"),
            ("faster", "`faster` is not a condition to fail on; known are slower, slower=2%, inconclusive, work=1%"),
            ("", "`` is not a condition to fail on; known are slower, slower=2%, inconclusive, work=1%"),
            ("slower=", "`` is not a percentage: it has no % at its end; write 1% or 0.5%"),
            ("slower=2", "`2` is not a percentage: it has no % at its end; write 1% or 0.5%"),
            ("work", "`work` needs a percentage; write how much more work is too much, as work=1%"),
            ("inconclusive=2%", "`inconclusive` takes no value; write inconclusive alone; slower=2% takes one"),
        ] {
            assert_eq!(parse_fail_on(text).unwrap_err().to_string(), message, "{text}");
        }
        assert!(parse_fail_on("slower=0%").unwrap_err().to_string().contains("noise alone"));
        assert_eq!(parse_fail_on("slower=300%"), Ok(FailOn::Slower(Some(3.0))));
    }
}
