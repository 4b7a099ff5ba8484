//! What makes `tare load` end with status 1 or 3.

use tare_definition::{FailOn, parse_fail_on, parse_percentage};
use tare_report::LoadView;
use tare_statistics::comparison::Verdict;

use crate::exit::Status;

/// One `--fail-on`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum LoadGate {
    /// As everywhere: of figures that are compared.
    Compared(FailOn),
    /// More than this part of the requests failed.
    Failures(f64),
}

impl LoadGate {
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        match text.trim().split_once('=') {
            Some(("failures", most)) => parse_percentage(most).map(Self::Failures).map_err(|error| error.to_string()),
            None if text.trim() == "failures" => Ok(Self::Failures(0.0)),
            _ => parse_fail_on(text).map(Self::Compared).map_err(|error| format!("{error}; or failures, failures=1%")),
        }
    }

    pub(crate) fn needs_a_comparison(self) -> bool {
        matches!(self, Self::Compared(_))
    }
}

/// Adds to the view what tripped, and gives the status.
pub(crate) fn judge(gates: &[LoadGate], view: &mut LoadView) -> Status {
    let mut told = Vec::new();
    let (mut tripped, mut undecided) = (false, false);
    let asks_for_decision = gates.contains(&LoadGate::Compared(FailOn::Inconclusive));
    for gate in gates {
        match gate {
            LoadGate::Failures(most) => {
                for target in &view.targets {
                    let (all, failed) = target
                        .operations
                        .iter()
                        .fold((0, 0), |sum, operation| (sum.0 + operation.count, sum.1 + operation.failed()));
                    let what = if target.connections.is_some() { "requests" } else { "operations" };
                    let (down, seconds) = (target.seconds_down(), target.whole_seconds());
                    if failed as f64 > most * all as f64 {
                        tripped = true;
                        told.push(format!("{}: {failed} of {all} {what} failed", target.name));
                    } else if down as f64 > most * seconds as f64 {
                        tripped = true;
                        told.push(format!("{}: in {down} of {seconds} seconds all {what} failed", target.name));
                    }
                }
            }
            LoadGate::Compared(FailOn::Slower(by)) => {
                for pair in view.judged() {
                    let worse = pair.worse();
                    let limit = 1.0 + by.unwrap_or(pair.comparison.margin);
                    match worse {
                        Some((low, _)) if low > limit && pair.comparison.verdict == Verdict::Slower => {
                            tripped = true;
                            told.push(format!("{}: {} is slower than of {}", pair.candidate, pair.metric, pair.base));
                        }
                        Some((_, high)) if high <= limit => {}
                        _ => undecided = true,
                    }
                }
            }
            LoadGate::Compared(FailOn::Inconclusive) => {
                undecided |= view.judged().any(|pair| pair.comparison.verdict == Verdict::Inconclusive);
            }
        }
    }
    let status = if tripped {
        Status::Tripped
    } else if asks_for_decision && (undecided || view.judged().next().is_none()) {
        told.push("some figures couldn't be told apart nor called the same".to_owned());
        Status::Undecided
    } else {
        Status::Done
    };
    view.gates = told;
    status
}

#[cfg(test)]
mod tests {
    use super::LoadGate;
    use tare_definition::FailOn;

    #[test]
    fn gates_are_read() {
        assert_eq!(LoadGate::parse("failures"), Ok(LoadGate::Failures(0.0)));
        assert_eq!(LoadGate::parse("failures=1%"), Ok(LoadGate::Failures(0.01)));
        assert_eq!(LoadGate::parse("slower=2%"), Ok(LoadGate::Compared(FailOn::Slower(Some(0.02)))));
        assert!(LoadGate::parse("failure").is_err_and(|error| error.contains("failures")));
        assert!(LoadGate::parse("failures=x").is_err());
    }
}
