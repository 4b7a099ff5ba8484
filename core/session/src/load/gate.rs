//! What makes `tare load` end with status 1 or 3.

use std::time::Duration;

use tare_definition::{FailOn, parse_duration, parse_fail_on, parse_percentage};
use tare_load::histogram::PERCENTILES;
use tare_results::{LoadOperation, LoadTarget, LoadView};
use tare_statistics::comparison::Verdict;

use crate::judging::gate::Ending;

/// One `--fail-on`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LoadGate {
    /// As everywhere: of figures that are compared.
    Compared(FailOn),
    /// More than this part of the requests failed.
    Failures(f64),
    /// A percentile of the latencies, by its name, is longer than this.
    Latency(&'static str, Duration),
}

impl LoadGate {
    /// As `--fail-on` takes it.
    ///
    /// # Errors
    ///
    /// What is wrong with it, and how to write it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let percentile = |name: &str| PERCENTILES.iter().find(|(known, _)| *known == name).map(|(known, _)| *known);
        match text.trim().split_once('=') {
            Some((name, most)) if let Some(name) = percentile(name.trim()) => match parse_duration(most) {
                Ok(most) if !most.is_zero() => Ok(Self::Latency(name, most)),
                Ok(_) => Err(format!("no answer takes no time at all; write {name}=50ms")),
                Err(error) => Err(error.to_string()),
            },
            Some(("failures", most)) => parse_percentage(most).map(Self::Failures).map_err(|error| error.to_string()),
            None if text.trim() == "failures" => Ok(Self::Failures(0.0)),
            _ => parse_fail_on(text)
                .map(Self::Compared)
                .map_err(|error| format!("{error}; or failures, failures=1%, p99=50ms")),
        }
    }

    /// Whether these gates can't be judged of one target.
    pub(crate) fn need_a_comparison(gates: &[Self]) -> bool {
        gates.iter().any(|gate| match gate {
            Self::Compared(FailOn::Inconclusive) => !limits_latency(gates),
            Self::Compared(FailOn::Slower(_)) => true,
            Self::Failures(_) | Self::Latency(..) => false,
        })
    }
}

fn limits_latency(gates: &[LoadGate]) -> bool {
    gates.iter().any(|gate| matches!(gate, LoadGate::Latency(..)))
}

/// Adds to the view what tripped, and gives the status.
pub(crate) fn judge(gates: &[LoadGate], view: &mut LoadView) -> Ending {
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
            // A rate that grows passes every limit at last: what counts is whether it kept the limit with the first.
            LoadGate::Latency(percentile, _) if view.targets.iter().any(|target| target.knee.is_some()) => {
                for target in
                    view.targets.iter().filter(|target| target.knee.as_ref().is_some_and(|knee| knee.rate.is_none()))
                {
                    tripped = true;
                    told.push(format!(
                        "{}: not even the first rate was kept with {percentile} within its limit",
                        target.name
                    ));
                }
            }
            LoadGate::Latency(percentile, most) => {
                for (target, operation) in each_operation(view) {
                    let answers = operation.count.saturating_sub(operation.failed());
                    let latency = operation.latency.as_ref().filter(|_| tells(answers, percentile));
                    let found = latency.and_then(|latency| latency.percentile(percentile));
                    let what = match target.operations.len() {
                        1 => target.name.clone(),
                        _ => format!("{}, {}", target.name, operation.name),
                    };
                    match found {
                        Some(found) if u128::from(found) > most.as_nanos() => {
                            tripped = true;
                            let found = Duration::from_nanos(found);
                            told.push(format!("{what}: {percentile} is {found:.2?}, more than {most:?}"));
                        }
                        Some(_) => {}
                        None => {
                            undecided = true;
                            told.push(format!("{what}: too few answers to tell {percentile}"));
                        }
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
                // A gate that states a percentage is judged at that percentage, not at the margin.
                let stated = |gate: &LoadGate| matches!(gate, LoadGate::Compared(FailOn::Slower(Some(_))));
                undecided |= !gates.iter().any(stated)
                    && view.judged().any(|pair| pair.comparison.verdict == Verdict::Inconclusive);
            }
        }
    }
    let status = if tripped {
        Ending::Tripped
    } else if asks_for_decision && (undecided || view.judged().next().is_none() && !limits_latency(gates)) {
        told.push("some figures couldn't be told: neither apart nor the same, or of too few answers".to_owned());
        Ending::Undecided
    } else {
        Ending::Passed
    };
    view.gates = told;
    status
}

/// Whether one of so many answers at least is expected to lie beyond the percentile: else the longest of all would stand for it.
fn tells(answers: u64, percentile: &str) -> bool {
    let part = PERCENTILES.iter().find(|(name, _)| *name == percentile).map_or(100.0, |(_, part)| *part);
    answers as f64 * (100.0 - part) >= 100.0
}

fn each_operation(view: &LoadView) -> impl Iterator<Item = (&LoadTarget, &LoadOperation)> {
    view.targets.iter().flat_map(|target| target.operations.iter().map(move |operation| (target, operation)))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tare_definition::FailOn;
    use tare_results::{LoadComparison, LoadLatency, LoadOperation, LoadTarget, LoadView};
    use tare_samples::About;
    use tare_statistics::Estimate;
    use tare_statistics::comparison::{Comparison, Verdict};

    use super::{LoadGate, judge};
    use crate::judging::gate::Ending;

    fn seen(p99: Option<u64>) -> LoadView {
        let latency =
            p99.map(|p99| LoadLatency { percentiles: vec![("p99".to_owned(), p99)], ..LoadLatency::default() });
        let count = 100;
        let operations = vec![LoadOperation { name: "request".to_owned(), count, latency, ..LoadOperation::default() }];
        LoadView {
            targets: vec![LoadTarget { name: "a".to_owned(), operations, ..LoadTarget::default() }],
            ..LoadView::default()
        }
    }

    #[test]
    fn a_limit_of_a_percentile_trips_beyond_it_alone() {
        let limit = [LoadGate::Latency("p99", Duration::from_millis(50))];
        let mut over = seen(Some(50_000_001));
        assert_eq!(judge(&limit, &mut over), Ending::Tripped);
        assert_eq!(over.gates, ["a: p99 is 50.00ms, more than 50ms"]);
        assert_eq!(judge(&limit, &mut seen(Some(50_000_000))), Ending::Passed);
        // Of too few answers there is no such percentile.
        let asked = [limit[0], LoadGate::Compared(FailOn::Inconclusive)];
        assert_eq!(judge(&asked, &mut seen(None)), Ending::Undecided);
        assert_eq!(judge(&asked, &mut seen(Some(1))), Ending::Passed);
        let mut few = seen(None);
        assert_eq!(judge(&limit, &mut few), Ending::Passed);
        assert_eq!(few.gates, ["a: too few answers to tell p99"]);
    }

    #[test]
    fn the_longest_of_a_few_answers_is_no_percentile() {
        let limit = [LoadGate::Latency("p99", Duration::from_millis(50))];
        let mut few = seen(Some(1));
        few.targets[0].operations[0].count = 99;
        assert_eq!(judge(&limit, &mut few), Ending::Passed);
        assert_eq!(few.gates, ["a: too few answers to tell p99"]);
    }

    #[test]
    fn only_what_compares_needs_two_targets() {
        let (limit, inconclusive) = (LoadGate::Latency("p99", Duration::from_millis(50)), FailOn::Inconclusive);
        assert!(LoadGate::need_a_comparison(&[LoadGate::Compared(inconclusive)]));
        assert!(!LoadGate::need_a_comparison(&[limit, LoadGate::Compared(inconclusive)]));
        assert!(LoadGate::need_a_comparison(&[limit, LoadGate::Compared(FailOn::Slower(None))]));
        assert!(!LoadGate::need_a_comparison(&[limit, LoadGate::Failures(0.0)]));
    }

    #[test]
    fn a_gate_is_judged_at_the_percentage_that_it_states() {
        let comparison = Comparison {
            ratio: Some(Estimate { estimate: 1.0, low: 0.98, high: 1.02 }),
            typical: None,
            mean_bound: None,
            about: About::Time,
            rests_on: About::Time,
            confidence: 0.99,
            verdict: Verdict::Inconclusive,
            margin: 0.01,
            minimum_detectable_effect: None,
            pairs: 20,
            flag: None,
            confirmed: false,
            warnings: Vec::new(),
        };
        let [base, candidate] = ["a", "b"].map(str::to_owned);
        let pair = LoadComparison { base, candidate, metric: "latency.p99".to_owned(), control: false, comparison };
        let view = || LoadView { comparisons: vec![pair.clone()], ..seen(None) };
        let [inconclusive, by_1, by_5] =
            [FailOn::Inconclusive, FailOn::Slower(Some(0.01)), FailOn::Slower(Some(0.05))].map(LoadGate::Compared);
        assert_eq!(judge(&[inconclusive], &mut view()), Ending::Undecided);
        assert_eq!(judge(&[by_1, inconclusive], &mut view()), Ending::Undecided);
        assert_eq!(judge(&[by_5, inconclusive], &mut view()), Ending::Passed);
    }

    #[test]
    fn gates_are_read() {
        assert_eq!(LoadGate::parse("failures"), Ok(LoadGate::Failures(0.0)));
        assert_eq!(LoadGate::parse("failures=1%"), Ok(LoadGate::Failures(0.01)));
        assert_eq!(LoadGate::parse("slower=2%"), Ok(LoadGate::Compared(FailOn::Slower(Some(0.02)))));
        let most = Duration::from_millis(50);
        assert_eq!(LoadGate::parse("p99=50ms"), Ok(LoadGate::Latency("p99", most)));
        assert_eq!(LoadGate::parse(" p99.9 = 50ms "), Ok(LoadGate::Latency("p99.9", most)));
        for wrong in ["p99=0ms", "p99=", "p98=50ms", "p99", "p99=50"] {
            assert!(LoadGate::parse(wrong).is_err(), "{wrong}");
        }
        assert!(LoadGate::parse("failure").is_err_and(|error| error.contains("failures")));
        assert!(LoadGate::parse("failures=x").is_err());
    }
}
