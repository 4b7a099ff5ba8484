//! What makes `tare load` end with status 1 or 3.

use std::fmt;
use std::time::Duration;

use tare_definition::{FailOn, parse_duration, parse_fail_on, parse_percentage};
use tare_load::histogram::PERCENTILES;
use tare_results::{LoadComparison, LoadOperation, LoadTarget, LoadView};
use tare_statistics::comparison::Verdict;

use crate::judging::figures::percent;
use crate::judging::gate::{Asked, Concluded, Ending, gates_of, listed};

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
                Ok(_) => Err(format!("the limit must be more than 0; write {name}=50ms")),
                Err(error) => Err(error.to_string()),
            },
            Some(("failures", most)) => parse_percentage(most).map(Self::Failures).map_err(|error| error.to_string()),
            None if text.trim() == "failures" => Ok(Self::Failures(0.0)),
            _ => parse_fail_on(text)
                .map_err(|error| error.to_string())
                .and_then(|gate| match gate {
                    FailOn::Work(_) => Err("`work` is for benchmarks, and this is a load; leave it out".to_owned()),
                    gate => Ok(Self::Compared(gate)),
                })
                .map_err(|error| format!("{error}; or failures, failures=1%, p99=50ms")),
        }
    }

    /// Whether these gates can't be judged of one target.
    pub(crate) fn need_a_comparison(gates: &[Self]) -> bool {
        gates.iter().any(|gate| match gate {
            Self::Compared(FailOn::Inconclusive) => !limits_latency(gates),
            Self::Compared(FailOn::Slower(_) | FailOn::Work(_)) => true,
            Self::Failures(_) | Self::Latency(..) => false,
        })
    }
}

/// As the last line of a load names it.
impl fmt::Display for LoadGate {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failures(0.0) => out.write_str("failures"),
            Self::Failures(most) => write!(out, "failures={}", percent(*most)),
            Self::Latency(percentile, most) => write!(out, "{percentile}={most:?}"),
            Self::Compared(FailOn::Slower(None)) => out.write_str("slower"),
            Self::Compared(FailOn::Slower(Some(by))) => write!(out, "slower={}", percent(*by)),
            Self::Compared(gate) => gate.fmt(out),
        }
    }
}

fn limits_latency(gates: &[LoadGate]) -> bool {
    gates.iter().any(|gate| matches!(gate, LoadGate::Latency(..)))
}

/// What gates make of a load: a line each for the report, and which of them, by target and rule, tripped or couldn't be decided.
#[derive(Default)]
struct GateResults {
    told: Vec<String>,
    tripped: Vec<Asked>,
    undecided: Vec<Asked>,
}

impl GateResults {
    fn trip(&mut self, of: impl Into<String>, gate: &LoadGate, line: String) {
        self.tripped.push((of.into(), gate.to_string()));
        self.told.push(line);
    }

    /// Once, however many gates leave it open.
    fn leave_open(&mut self, of: String, rule: String) {
        if !self.undecided.contains(&(of.clone(), rule.clone())) {
            self.undecided.push((of, rule));
        }
    }

    fn failures(&mut self, gate: &LoadGate, most: f64, view: &LoadView) {
        for target in &view.targets {
            let (all, failed) = target
                .operations
                .iter()
                .fold((0, 0), |sum, operation| (sum.0 + operation.count, sum.1 + operation.failed()));
            let what = if target.connections.is_some() { "requests" } else { "operations" };
            let (down, seconds) = (target.seconds_down(), target.whole_seconds());
            if failed as f64 > most * all as f64 {
                self.trip(&target.name, gate, format!("{}: {failed} of {all} {what} failed", target.name));
            } else if down as f64 > most * seconds as f64 {
                let line = format!("{}: in {down} of {seconds} seconds all {what} failed", target.name);
                self.trip(&target.name, gate, line);
            }
        }
    }

    fn latency(&mut self, gate: &LoadGate, (percentile, most): (&str, Duration), view: &LoadView) {
        // A rate that grows passes every limit at last: what counts is whether it kept the limit with the first.
        if view.targets.iter().any(|target| target.knee.is_some()) {
            let hopeless = |target: &&LoadTarget| target.knee.as_ref().is_some_and(|knee| knee.rate.is_none());
            for LoadTarget { name, .. } in view.targets.iter().filter(hopeless) {
                let line = format!("{name}: not even the first rate was kept with {percentile} within its limit");
                self.trip(name, gate, line);
            }
            return;
        }
        for (target, operation) in each_operation(view) {
            let answers = operation.count.saturating_sub(operation.failed());
            let latency = operation.latency.as_ref().filter(|_| is_resolved(answers, percentile));
            let what = match target.operations.len() {
                1 => target.name.clone(),
                _ => format!("{}, {}", target.name, operation.name),
            };
            match latency.and_then(|latency| latency.percentile(percentile)) {
                Some(found) if u128::from(found) > most.as_nanos() => {
                    let found = Duration::from_nanos(found);
                    let line = format!("{what}: {percentile} is {found:.2?}, more than {most:?}");
                    self.trip(what, gate, line);
                }
                Some(_) => {}
                None => {
                    self.told.push(format!("{what}: too few answers to know {percentile}"));
                    self.leave_open(what, gate.to_string());
                }
            }
        }
    }

    fn slower(&mut self, gate: &LoadGate, by: Option<f64>, view: &LoadView) {
        for pair in view.judged() {
            let verdict = pair.comparison.verdict;
            let is =
                |beyond: fn((f64, f64), f64) -> bool, by: f64| pair.worse().is_some_and(|ends| beyond(ends, 1.0 + by));
            match verdict {
                Verdict::Slower if by.is_none_or(|by| is(|(low, _), limit| low > limit, by)) => {
                    let line = format!("{}: {} is slower than of {}", pair.candidate, pair.metric, pair.base);
                    self.tripped.push((title(pair), rule(by, pair)));
                    self.told.push(line);
                }
                Verdict::Same | Verdict::Faster if by.is_none() => {}
                _ if by.is_some_and(|by| is(|(_, high), limit| high <= limit, by)) => {}
                _ => self.leave_open(title(pair), rule(by, pair)),
            }
        }
        if view.judged().next().is_none() {
            self.leave_open("nothing was compared".to_owned(), gate.to_string());
        }
    }
}

fn title(pair: &LoadComparison) -> String {
    format!("{} of {}", pair.metric, pair.candidate)
}

fn rule(by: Option<f64>, pair: &LoadComparison) -> String {
    by.map_or_else(|| format!("margin {}", percent(pair.comparison.margin)), |by| format!("slower={}", percent(by)))
}

/// Adds to the view what tripped and what couldn't be decided; how the load ends by it.
pub(crate) fn judge(gates: &[LoadGate], view: &mut LoadView) -> Concluded {
    let mut found = GateResults::default();
    let asks_for_decision = gates.contains(&LoadGate::Compared(FailOn::Inconclusive));
    for gate in gates {
        match gate {
            LoadGate::Failures(most) => found.failures(gate, *most, view),
            LoadGate::Latency(percentile, most) => found.latency(gate, (percentile, *most), view),
            LoadGate::Compared(FailOn::Slower(by)) => found.slower(gate, *by, view),
            // A gate that states a percentage is judged at that percentage, not at the margin.
            LoadGate::Compared(FailOn::Inconclusive) if gates.iter().any(states_a_percentage) => {}
            // Refused when gates were read.
            LoadGate::Compared(FailOn::Work(_)) => {}
            LoadGate::Compared(FailOn::Inconclusive) => {
                for pair in view.judged().filter(|pair| pair.comparison.verdict == Verdict::Inconclusive) {
                    found.leave_open(title(pair), rule(None, pair));
                }
                if view.judged().next().is_none() && !limits_latency(gates) {
                    found.leave_open("nothing was compared".to_owned(), gate.to_string());
                }
            }
        }
    }
    let undecided = format!("{} undecided ({})", gates_of(found.undecided.len()), listed(&found.undecided));
    let (ending, why) = if !found.tripped.is_empty() {
        (Ending::Tripped, format!("{} tripped ({})", gates_of(found.tripped.len()), listed(&found.tripped)))
    } else if found.undecided.is_empty() {
        (Ending::Passed, "no gate tripped".to_owned())
    } else if asks_for_decision {
        found
            .told
            .push("some figures are undecided: their intervals are too wide, or there were too few answers".to_owned());
        (Ending::Undecided, undecided)
    } else {
        let why = format!("no gate tripped; {undecided}, which only `--fail-on inconclusive` counts");
        (Ending::Passed, why)
    };
    view.gates = found.told;
    Concluded { ending, why: (!gates.is_empty()).then_some(why) }
}

fn states_a_percentage(gate: &LoadGate) -> bool {
    matches!(gate, LoadGate::Compared(FailOn::Slower(Some(_))))
}

/// Whether one of so many answers at least is expected to lie beyond the percentile: else the longest of all would stand for it.
fn is_resolved(answers: u64, percentile: &str) -> bool {
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
    use tare_statistics::comparison::{Comparison, Rule};

    use super::{LoadGate, judge};
    use crate::judging::gate::Ending;

    fn ends(gates: &[LoadGate], view: &mut LoadView) -> Ending {
        judge(gates, view).ending
    }

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
        assert_eq!(ends(&limit, &mut over), Ending::Tripped);
        assert_eq!(over.gates, ["a: p99 is 50.00ms, more than 50ms"]);
        assert_eq!(ends(&limit, &mut seen(Some(50_000_000))), Ending::Passed);
        let why = judge(&limit, &mut over).why.unwrap();
        assert_eq!(why, "1 gate tripped (a, p99=50ms)");
        assert_eq!(judge(&[], &mut over).why, None, "nothing was asked for");
        // Of too few answers there is no such percentile.
        let asked = [limit[0], LoadGate::Compared(FailOn::Inconclusive)];
        assert_eq!(ends(&asked, &mut seen(None)), Ending::Undecided);
        assert_eq!(ends(&asked, &mut seen(Some(1))), Ending::Passed);
        let mut few = seen(None);
        assert_eq!(ends(&limit, &mut few), Ending::Passed);
        assert_eq!(few.gates, ["a: too few answers to know p99"]);
    }

    #[test]
    fn the_longest_of_a_few_answers_is_no_percentile() {
        let limit = [LoadGate::Latency("p99", Duration::from_millis(50))];
        let mut few = seen(Some(1));
        few.targets[0].operations[0].count = 99;
        assert_eq!(ends(&limit, &mut few), Ending::Passed);
        assert_eq!(few.gates, ["a: too few answers to know p99"]);
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
        let ratio = Some(Estimate { estimate: 1.0, low: 0.98, high: 1.02 });
        let rule = Rule::new(About::Time, 0.01, 0.01);
        let comparison = Comparison { ratio, pairs: 20, ..Comparison::without_ratio(&rule, Vec::new()) };
        let [base, candidate] = ["a", "b"].map(str::to_owned);
        let pair = LoadComparison { base, candidate, metric: "latency.p99".to_owned(), control: false, comparison };
        let view = || LoadView { comparisons: vec![pair.clone()], ..seen(None) };
        let [inconclusive, by_1, by_5] =
            [FailOn::Inconclusive, FailOn::Slower(Some(0.01)), FailOn::Slower(Some(0.05))].map(LoadGate::Compared);
        assert_eq!(ends(&[inconclusive], &mut view()), Ending::Undecided);
        assert_eq!(ends(&[by_1, inconclusive], &mut view()), Ending::Undecided);
        assert_eq!(ends(&[by_5, inconclusive], &mut view()), Ending::Passed);
        let why = |gates: &[LoadGate]| judge(gates, &mut view()).why.unwrap();
        assert_eq!(why(&[by_1, inconclusive]), "1 gate undecided (latency.p99 of b, slower=1 %)");
        assert_eq!(why(&[inconclusive]), "1 gate undecided (latency.p99 of b, margin 1 %)");
        assert!(why(&[by_1]).starts_with("no gate tripped; 1 gate undecided ("), "{}", why(&[by_1]));
        assert_eq!(why(&[by_5]), "no gate tripped");
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
