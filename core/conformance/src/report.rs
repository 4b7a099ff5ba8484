use std::fmt;

use serde_json::json;

/// What became of a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The worker does as the protocol says.
    Passed,
    /// It doesn't.
    Failed {
        /// What the protocol wants.
        expected: String,
        /// What came instead.
        got: String,
    },
    /// The check doesn't apply, and why.
    Skipped(String),
    /// It fails, as the list of known failures says.
    KnownFailing {
        /// The reason in the list.
        reason: String,
    },
    /// It is in the list of known failures but passes: the entry should go.
    UnexpectedlyPassing,
}

/// One vector, replayed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// The place in `wire/PROTOCOL.md`: `2.4`, `3 run`.
    pub clause: String,
    /// The vector's path below `wire/vectors` without `.json`: `sessions/warm`, `sessions/kernel (text)`; `quiet` for
    /// the check that is made over all of them.
    pub name: String,
    /// What became of it.
    pub outcome: Outcome,
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { clause, name, outcome } = self;
        match outcome {
            Outcome::Passed => write!(f, "passed   {name}"),
            Outcome::Failed { expected, got } => {
                write!(
                    f,
                    "FAILED   {name} (PROTOCOL {clause})\n         expected: {expected}\n         got:      {got}"
                )
            }
            Outcome::Skipped(reason) => write!(f, "skipped  {name}: {reason}"),
            Outcome::KnownFailing { reason } => write!(f, "known    {name}: {reason}"),
            Outcome::UnexpectedlyPassing => {
                write!(f, "PASSES   {name}, which is listed as known to fail; take it off the list")
            }
        }
    }
}

/// All checks of a worker, in the order in which they were made.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// The checks.
    pub checks: Vec<Check>,
    /// Entries in the list of known failures that cover no check at all.
    pub unmatched: Vec<String>,
}

impl Report {
    /// Whether nothing failed that wasn't known to, and nothing passed that was.
    pub fn conforms(&self) -> bool {
        !self.checks.iter().any(|check| matches!(check.outcome, Outcome::Failed { .. } | Outcome::UnexpectedlyPassing))
    }

    /// How many checks have an outcome that `which` holds for.
    pub fn count(&self, which: impl Fn(&Outcome) -> bool) -> usize {
        self.checks.iter().filter(|check| which(&check.outcome)).count()
    }

    /// How many checks passed, failed and were left out, in one line.
    pub fn summary(&self) -> String {
        let failed = self.count(|outcome| matches!(outcome, Outcome::Failed { .. } | Outcome::UnexpectedlyPassing));
        let skipped = self.count(|outcome| matches!(outcome, Outcome::Skipped(_)));
        let known = self.count(|outcome| matches!(outcome, Outcome::KnownFailing { .. }));
        let passed = self.checks.len() - failed - skipped - known;
        let mut line = format!("{passed} passed, {failed} failed");
        for (count, what) in [(skipped, "skipped"), (known, "known to fail")] {
            if count > 0 {
                line.push_str(&format!(", {count} {what}"));
            }
        }
        line
    }

    /// The document `tare.conformance` of the worker that this command starts.
    pub fn document(&self, worker: &[String]) -> serde_json::Value {
        let checks: Vec<_> = self
            .checks
            .iter()
            .map(|check| json!({"clause": check.clause, "name": check.name, "result": check.to_string()}))
            .collect();
        json!({
            "format": "tare.conformance", "version": 1, "worker": worker, "conforms": self.conforms(), "checks": checks,
        })
    }
}
