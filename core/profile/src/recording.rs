//! One launch under a tool.

use std::time::Duration;

use tare_plan::{Planned, Settings};
use tare_samples::{Failure, FailureKind, RuntimeCommand};
use tare_worker::{Conversation, Launcher};

use crate::ProfileError;
use crate::tool::Tool;

/// Tools slow a worker down, valgrind fiftyfold: a time-out that is meant for the bare worker is stretched so.
const SLOWER: u32 = 60;
/// Tools write what they found when the worker has ended.
const WRITING: Duration = Duration::from_secs(60);

/// How long a request of a worker under a tool may take.
pub(crate) fn deadline(settings: &Settings) -> Duration {
    if settings.timeout_given { settings.timeout } else { settings.timeout * SLOWER }
}

/// Starts the worker by `start`, makes the case ready, does `steps` with it, and waits until the tool has written what it found.
pub(crate) fn record<T>(
    tool: Tool,
    planned: &Planned,
    settings: &Settings,
    start: &RuntimeCommand,
    launcher: &mut dyn Launcher,
    steps: impl FnOnce(&mut Conversation, Duration) -> Result<T, Failure>,
) -> Result<T, ProfileError> {
    let deadline = deadline(settings);
    let case = &planned.variant.case;
    let parameters = case.parameters.name.as_deref().unwrap_or("");
    let failed = |failure: Failure| ProfileError::Failed { tool: tool.name(), failure: Box::new(failure) };
    let mut conversation =
        launcher.launch(start, settings.seed).map_err(|failure| failed(explained_launch(failure)))?;
    let done = (|| {
        conversation.load(&planned.sources, planned.bootstrap.as_deref(), deadline)?;
        conversation.prepare(case.index, case.own_name(), parameters, settings.clock.as_deref(), deadline)?;
        let done = steps(&mut conversation, deadline)?;
        conversation.finish(deadline)?;
        Ok(done)
    })();
    match &done {
        Ok(_) => conversation.close_within(WRITING),
        Err(_) => conversation.close(),
    }
    done.map_err(|failure: Failure| {
        let place = failure.file.is_empty();
        failed(if place { failure.at(case.file.clone(), case.line) } else { failure })
    })
}

/// The failure of a launch. A tool that may not look starts no worker, and says so on standard error: foreign text, but nothing else tells it.
pub(crate) fn explained_launch(mut failure: Failure) -> Failure {
    if !matches!(failure.kind, FailureKind::Exit | FailureKind::Timeout) {
        return failure;
    }
    let printed = failure.stderr.to_lowercase();
    let refused = ["operation not permitted", "permission denied", "perf_event_paranoid", "not supported", "ptrace"];
    if refused.iter().any(|words| printed.contains(words)) {
        let first = failure.stderr.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim().to_owned();
        failure.message = format!("the system refuses it: {first}");
        failure.remedy =
            "virtual machines and containers often do: ask for the right (perf: sysctl kernel.perf_event_paranoid=1; \
                          strace: the capability SYS_PTRACE), or name another tool with --tool"
                .to_owned();
    }
    failure
}

#[cfg(test)]
mod tests {
    use tare_samples::{Failure, FailureKind};

    use super::explained_launch;

    const REFUSED: &str = "\nstrace: ptrace(PTRACE_TRACEME, ...): Operation not permitted\n";

    fn failure(kind: FailureKind, stderr: &str) -> Failure {
        Failure { stderr: stderr.to_owned(), ..Failure::new(kind, "any words", "look") }
    }

    #[test]
    fn a_tool_that_the_system_refuses_is_named_with_what_to_do() {
        for kind in [FailureKind::Exit, FailureKind::Timeout] {
            let explained = explained_launch(failure(kind, REFUSED));
            assert!(explained.message.starts_with("the system refuses it: strace: ptrace("), "{explained:?}");
            assert!(explained.remedy.contains("SYS_PTRACE"), "{explained:?}");
        }
    }

    #[test]
    fn other_failures_of_a_launch_are_left_as_they_are() {
        // A worker that crashed, and one that spoke and was refused by tare, whatever they printed before.
        for (kind, stderr) in [
            (FailureKind::Exit, "Segmentation fault"),
            (FailureKind::Protocol, REFUSED),
            (FailureKind::Runtime, REFUSED),
        ] {
            let failure = failure(kind, stderr);
            assert_eq!(explained_launch(failure.clone()), failure);
        }
    }
}
