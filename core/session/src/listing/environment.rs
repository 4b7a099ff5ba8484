//! What workers are told by their environment: samples in processes of their own, and what phpbench.json says of sources.

use tare_definition::Phpbench;
use tare_frames::{Hello, Level, Notice};
use tare_request::Request;
use tare_samples::{Calls, RuntimeCommand};

/// What a worker says in its hello that can.
const CAPABILITY: &str = "isolation";

/// Tells it to the workers that are started from now on.
pub(super) fn set_for_workers(request: &Request, phpbench: Option<&Phpbench>, start: &mut RuntimeCommand) {
    let mut told = |name: &str, value: &str| start.environment.push((name.to_owned(), value.to_owned()));
    if request.measuring.isolate {
        told("TARE_ISOLATE", "1");
    }
    if !request.measuring.calls.is_empty() {
        told("TARE_GIVEN", "revs");
    }
    let Some(phpbench) = phpbench else { return };
    if let Some(pattern) = &phpbench.subject_pattern {
        told("TARE_SUBJECTS", pattern);
    }
    // Where the source says nothing, the worker makes a case of each; a single number of calls is added to the cases afterwards.
    if phpbench.iterations.len() > 1 {
        let calls = |calls: &Calls| match calls {
            Calls::Loop(calls) => calls.to_string(),
            _ => "0".to_owned(),
        };
        told("TARE_REVS", &phpbench.iterations.iter().map(calls).collect::<Vec<_>>().join(","));
    }
    if !phpbench.warmup.is_empty() {
        told("TARE_WARMUP", &phpbench.warmup.iter().map(u64::to_string).collect::<Vec<_>>().join(","));
    }
    let unread = [("annotations", phpbench.without_annotations), ("attributes", phpbench.without_attributes)];
    let unread: Vec<&str> = unread.iter().filter(|(_, is_unread)| *is_unread).map(|(name, _)| *name).collect();
    if !unread.is_empty() {
        told("TARE_UNREAD", &unread.join(","));
    }
}

/// What is told of a worker that can't.
pub(super) fn without_effect(request: &Request, command: &RuntimeCommand, hello: &Hello) -> Option<Notice> {
    if !request.measuring.isolate || hello.capabilities.iter().any(|known| known == CAPABILITY) {
        return None;
    }
    let remedy = match command.driver.as_str() {
        "php" => "install or enable its extension pcntl",
        _ => "only PHP's worker takes samples so",
    };
    Some(Notice {
        id: 0,
        level: Level::Warning,
        kind: "ignored".to_owned(),
        message: format!(
            "--isolate has no effect on runtime {}: samples of a launch share a process there",
            command.name
        ),
        file: None,
        line: None,
        remedy: Some(remedy.to_owned()),
        benchmark: None,
    })
}
