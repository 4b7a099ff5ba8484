//! What of a load isn't its targets' doing: a client that has no time left, answers that aren't alike.

use tare_load::effort::Effort;
use tare_results::LoadTarget;
use tare_statistics::{Warning, WarningCode};

/// A client that is busy for so much of the time, or would be if it had a CPU, is what limits a closed loop.
const BUSY: f64 = 0.9;
/// A client that waits for a CPU for so much of the time is short of them.
const SHORT: f64 = 0.1;
/// Connecting that takes more of a load's time than this is told.
const CONNECTING: f64 = 0.3;
/// Answers are alike whose mean length, and whose statuses' parts of all, differ by no more than this.
const ALIKE: f64 = 0.02;

/// That a generator of several has no time left, in words.
pub(super) fn busy(effort: &Effort) -> Option<String> {
    let (worked, waited) = effort.shares()?;
    let percent = |share: f64| format!("{:.0} %", 100.0 * share);
    if worked >= BUSY {
        Some(format!("its threads worked for {} of the time", percent(worked)))
    } else if worked + waited >= BUSY && waited >= SHORT {
        Some(format!(
            "its threads worked for {} of the time and waited for a CPU for {}",
            percent(worked),
            percent(waited)
        ))
    } else {
        None
    }
}

/// In a closed loop the client itself was the limit.
pub(super) fn client(effort: &Effort, threads: u32) -> Option<Warning> {
    let (worked, waited) = effort.shares()?;
    let threads = if threads == 1 { "thread".to_owned() } else { format!("{threads} threads") };
    let percent = |share: f64| format!("{:.0} %", 100.0 * share);
    let (message, remedy) = if worked >= BUSY {
        (
            format!("the client's {threads} worked for {} of the time", percent(worked)),
            "more threads (--threads), or fewer requests at once (-c)",
        )
    } else if worked + waited >= BUSY && waited >= SHORT {
        (
            format!(
                "the client's {threads} worked for {} of the time and waited for a CPU for {}",
                percent(worked),
                percent(waited)
            ),
            "leave the client a CPU of its own: bind the server to others (taskset), or measure from another machine",
        )
    } else {
        return None;
    };
    Some(Warning {
        code: WarningCode::ClientSaturated.into(),
        message: format!(
            "{message}, so the client was the limit: the target may be faster than measured, latencies include the client's own queue, and differences between targets look smaller"
        ),
        remedy: remedy.to_owned(),
    })
}

/// Making connections anew took much of the load's time, which isn't counted anywhere else: what a user waits for, and why.
pub(super) fn connecting(effort: &Effort) -> Option<Warning> {
    let (all, connecting) = (effort.all.as_secs_f64(), effort.connecting.as_secs_f64());
    let share = connecting / all;
    (all > 0.0 && share > CONNECTING).then(|| Warning {
        code: WarningCode::SlowConnections.into(),
        message: format!(
            "opening new connections for each round took {:.0} % of the load's time. A server whose backlog is full drops new connections, and the client tries each again after a second",
            100.0 * share
        ),
        remedy: "let the server take more at once (the backlog of its listen), or take fewer connections (-c)".to_owned(),
    })
}

/// A candidate answers otherwise than the base does: what is compared isn't the same work.
pub(super) fn answers(base: &LoadTarget, candidate: &LoadTarget) -> Option<Warning> {
    let (ours, theirs) = (Answers::of(base)?, Answers::of(candidate)?);
    let share =
        |answers: &Answers, status: u16| answers.shares.iter().find(|(own, _)| *own == status).map_or(0.0, |own| own.1);
    let other = ours
        .shares
        .iter()
        .chain(&theirs.shares)
        .map(|(status, _)| *status)
        .find(|status| (share(&ours, *status) - share(&theirs, *status)).abs() > ALIKE);
    let what = match other {
        Some(status) => format!(
            "status {status} was {:.1} % of its answers and {:.1} % of those of {}",
            100.0 * share(&theirs, status),
            100.0 * share(&ours, status),
            base.name
        ),
        None if (ours.length - theirs.length).abs() > ALIKE * ours.length.max(theirs.length) => {
            format!("its answers have {:.0} bytes on average, those of {} {:.0}", theirs.length, base.name, ours.length)
        }
        None => return None,
    };
    Some(Warning {
        code: WarningCode::AnswersDiffer.into(),
        message: format!("its answers differ from those of the base: {what}"),
        remedy: "check that both do the same work".to_owned(),
    })
}

/// What the answers of a target were like.
struct Answers {
    /// Mean bytes of the bodies of those that succeeded; 0 where none did.
    length: f64,
    /// Statuses with their parts of all.
    shares: Vec<(u16, f64)>,
}

impl Answers {
    fn of(target: &LoadTarget) -> Option<Self> {
        let [operation] = target.operations.as_slice() else { return None };
        let all: u64 = operation.statuses.iter().map(|(_, count)| count).sum();
        let part = |count: u64| count as f64 / all as f64;
        (all > 0).then(|| Self {
            length: operation.bytes as f64 / operation.count.saturating_sub(operation.failed()).max(1) as f64,
            shares: operation.statuses.iter().map(|(status, count)| (*status, part(*count))).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tare_load::effort::Effort;
    use tare_results::{LoadOperation, LoadTarget};

    use super::{answers, client, connecting};

    fn effort(worked: u64, waited: u64) -> Effort {
        let [worked, waited, all] = [worked, waited, 1000].map(Duration::from_millis);
        Effort { worked, waited, all, ..Effort::default() }
    }

    #[test]
    fn a_client_without_time_is_the_limit() {
        assert!(
            client(&effort(950, 0), 1).is_some_and(|told| told.message.contains("the client's thread worked for 95 %"))
        );
        assert!(client(&effort(600, 350), 2).is_some_and(|told| told.message.contains("waited for a CPU for 35 %")));
        assert_eq!(client(&effort(890, 5), 1), None);
        assert_eq!(client(&effort(100, 700), 1), None);
        assert_eq!(client(&Effort::default(), 1), None, "nothing is known");
    }

    #[test]
    fn connections_that_take_much_of_the_time_to_make_are_told() {
        let connecting = |milliseconds| {
            let connecting_for = Duration::from_millis(milliseconds);
            connecting(&Effort { connecting: connecting_for, ..effort(100, 0) })
        };
        assert_eq!(connecting(300), None);
        assert!(connecting(810).is_some_and(|told| told.message.contains("took 81 % of the load's time")));
        assert_eq!(super::connecting(&Effort::default()), None, "nothing is known");
    }

    fn target(statuses: &[(u16, u64)], bytes: u64) -> LoadTarget {
        let of = |range: std::ops::RangeInclusive<u16>| -> u64 {
            statuses.iter().filter(|(status, _)| range.contains(status)).map(|(_, count)| count).sum()
        };
        let failures = vec![("http-5xx".to_owned(), of(500..=599))];
        let (count, statuses) = (of(200..=599), statuses.to_vec());
        let operations = vec![LoadOperation { count, failures, statuses, bytes, ..LoadOperation::default() }];
        LoadTarget { name: "a".to_owned(), operations, ..LoadTarget::default() }
    }

    #[test]
    fn answers_of_another_length_or_status_are_told() {
        let base = target(&[(200, 1000)], 100_000);
        assert_eq!(answers(&base, &target(&[(200, 500)], 50_900)), None, "1.8 % longer");
        let longer = answers(&base, &target(&[(200, 500)], 52_000)).unwrap();
        assert!(longer.message.contains("104 bytes on average, those of a 100"), "{}", longer.message);
        let failing = answers(&base, &target(&[(200, 970), (503, 30)], 100_000)).unwrap();
        assert!(failing.message.contains("status 200 was 97.0 % of its answers and 100.0 %"), "{}", failing.message);
        assert_eq!(answers(&base, &target(&[(200, 990), (503, 10)], 99_000)), None);
        // As many fail on both sides: what failed has no part in the length.
        let half = target(&[(200, 500), (503, 500)], 50_000);
        assert_eq!(answers(&half, &target(&[(200, 490), (503, 510)], 49_000)), None);
        assert!(answers(&half, &target(&[(200, 495), (503, 505)], 54_450)).unwrap().message.contains("110 bytes"));
        assert_eq!(answers(&base, &LoadTarget::default()), None, "it wasn't there");
    }
}
