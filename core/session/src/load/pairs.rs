//! Which targets of an HTTP load are compared with which, and what is to be known of it.

use tare_results::LoadComparison;
use tare_statistics::comparison::Verdict;
use tare_statistics::{Warning, WarningCode};

use crate::load::compared::TargetPair;

/// By how much (a standard deviation of the logarithm) one process of a server differs from another of the same code for as long as both live.
const PROCESSES_APART: f64 = 0.01;
/// The same for each process where others take all CPUs. The scheduler leaves threads on the CPU where they ran last: those of one process share theirs with a
/// neighbour for as long as they live, and those of the other don't. Two processes of one Go server read × 1.05, 1.14, 1.15 and 1.73 beside compilers (decision 66).
const PLACES_APART: f64 = 0.3;

/// The standard error of the log-ratio of two processes that no number of rounds takes away. `taken`: the part of all CPUs' time that others took.
pub(super) fn processes_apart(taken: f64) -> f64 {
    PROCESSES_APART.hypot(PLACES_APART * taken) * 2.0f64.sqrt()
}

/// All against the first of those that were asked for, and each against its control. `there`: the numbers of the targets that were under load, of
/// `asked` and, where there are controls, as many again in the same order. `between_processes`: their standard errors against the first.
pub(super) fn pairs(there: &[usize], asked: usize, between_processes: &[f64]) -> Vec<TargetPair> {
    let place = |target: usize| there.iter().position(|at| *at == target);
    // A base that isn't there can't be compared with.
    let candidates = place(0).into_iter().flat_map(|base| {
        (1..asked).filter_map(place).map(move |candidate| TargetPair {
            base,
            candidate,
            between_processes: between_processes[candidate],
            control: false,
        })
    });
    let controls = (0..asked).filter_map(|target| {
        Some(TargetPair {
            base: place(target)?,
            candidate: place(target + asked)?,
            between_processes: 0.0,
            control: true,
        })
    });
    candidates.chain(controls).collect()
}

pub(super) fn server_ended(failure: String) -> Warning {
    Warning {
        code: WarningCode::ServerEnded.into(),
        message: format!("the load ended before its time: {failure}"),
        remedy: "find out why it ended; the report shows the time before".to_owned(),
    }
}

/// Different processes were compared, one of each. `between_processes`: their standard error.
pub(super) fn one_process_each(between_processes: f64) -> Warning {
    let each = 100.0 * between_processes / 2.0f64.sqrt();
    Warning {
        code: WarningCode::OneProcessEach.into(),
        message: format!(
            "one process of each server was under load: another start of the same code can be faster or slower; the intervals include {} % for each",
            if each < 2.0 { format!("{each:.1}") } else { format!("{each:.0}") }
        ),
        remedy: "let Tare start them anew for each part of the load: --start 'COMMAND {port}', with {port} in the URL"
            .to_owned(),
    }
}

/// A target was called different from itself.
pub(super) fn controls_differ(comparisons: &[LoadComparison]) -> Option<Warning> {
    let called =
        |pair: &&LoadComparison| pair.control && matches!(pair.comparison.verdict, Verdict::Slower | Verdict::Faster);
    let called: Vec<&str> = comparisons.iter().filter(called).map(|pair| pair.metric.as_str()).collect();
    (!called.is_empty()).then(|| Warning {
        code: WarningCode::ControlDiffers.into(),
        message: format!("a target was called different from itself: {}", called.join(", ")),
        remedy: "don't trust the verdicts of this load; repeat it on a quieter machine, or for longer".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::{one_process_each, pairs, processes_apart};
    use crate::load::compared::TargetPair;

    fn pair(base: usize, candidate: usize, between_processes: f64, control: bool) -> TargetPair {
        TargetPair { base, candidate, between_processes, control }
    }

    #[test]
    fn each_is_compared_with_the_first_and_with_its_control() {
        assert_eq!(pairs(&[0, 1, 2], 3, &[0.0, 0.1, 0.2]), [pair(0, 1, 0.1, false), pair(0, 2, 0.2, false)]);
        assert_eq!(
            pairs(&[0, 1, 2, 3], 2, &[0.0, 0.1, 0.0, 0.1]),
            [pair(0, 1, 0.1, false), pair(0, 2, 0.0, true), pair(1, 3, 0.0, true)]
        );
        assert_eq!(pairs(&[0, 1], 1, &[0.0, 0.0]), [pair(0, 1, 0.0, true)], "one target has a control, too");
    }

    #[test]
    fn two_processes_say_less_of_their_code_the_more_of_the_machine_others_have() {
        let quiet = processes_apart(0.0);
        assert!((quiet - 0.01 * 2.0f64.sqrt()).abs() < 1e-12);
        assert!(one_process_each(quiet).message.ends_with("include 1.0 % for each"));
        let busy = processes_apart(1.0);
        assert!(2.576 * busy > 1.73f64.ln(), "two alike that read × 1.73 aren't called different");
        assert!(one_process_each(busy).message.ends_with("include 30 % for each"));
        assert!(processes_apart(0.05) < 2.0 * quiet, "a little of it matters little");
    }

    #[test]
    fn what_was_not_there_is_not_compared() {
        assert_eq!(pairs(&[1, 2], 3, &[0.0, 0.0]), [], "the base");
        assert_eq!(pairs(&[0, 2], 2, &[0.0, 0.0]), [pair(0, 1, 0.0, true)], "the candidate: the base has its control");
    }
}
