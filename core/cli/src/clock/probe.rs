//! Whether a clock read enters the kernel: a worker's system calls are counted while it reads.

use std::time::Duration;

use tare_frames::Read;
use tare_samples::Failure;
use tare_worker::{Conversation, Launcher, ProcessLauncher, Ready, Tracer};

/// Reads by which a request for many differs from one for few.
const FEW: u64 = 1;
const MANY: u64 = 51;

/// For each clock: whether its reads enter the kernel, or why that isn't known.
pub(super) fn system_calls(
    ready: &Ready,
    launcher: &mut ProcessLauncher,
    clocks: &[&str],
    timeout: Duration,
) -> Vec<Result<bool, String>> {
    match launcher.launch(&ready.start, 0) {
        Ok(conversation) => followed(conversation, clocks, timeout),
        Err(failure) => vec![Err(said(&failure)); clocks.len()],
    }
}

fn followed(mut conversation: Conversation, clocks: &[&str], timeout: Duration) -> Vec<Result<bool, String>> {
    let tracer = match conversation.pid() {
        None => Err("the worker is no process".to_owned()),
        Some(pid) => {
            Tracer::follow(pid).map_err(|refusal| format!("the kernel doesn't let the worker be followed: {refusal}"))
        }
    };
    let found = match tracer {
        Err(reason) => vec![Err(reason); clocks.len()],
        Ok(tracer) => clocks.iter().map(|clock| one(&mut conversation, &tracer, clock, timeout)).collect(),
    };
    // The process was killed with the tracer's end.
    conversation.close();
    found
}

fn one(conversation: &mut Conversation, tracer: &Tracer, clock: &str, timeout: Duration) -> Result<bool, String> {
    let mut count = |pairs| {
        let before = tracer.clock_calls();
        let wanted = Read { id: 0, clock: clock.to_owned(), pairs, skip: 0, blocks: 0, reads: 1 };
        conversation.read(wanted, timeout).map_err(|failure| said(&failure))?;
        Ok::<u64, String>(tracer.clock_calls() - before)
    };
    // The first time whatever it takes besides, such as an origin.
    count(FEW)?;
    let (few, many) = (count(FEW)?, count(MANY)?);
    judged(few, many, 2 * (MANY - FEW))
}

/// `many` and `few` are system calls in requests that differ by `reads` reads.
fn judged(few: u64, many: u64, reads: u64) -> Result<bool, String> {
    match many.saturating_sub(few) {
        0 if many == 0 => Ok(false),
        more if more >= reads => Ok(true),
        more => Err(format!("{reads} reads more made {more} system calls more, {many} in all")),
    }
}

fn said(failure: &Failure) -> String {
    format!("the worker that was followed failed: {}", failure.message)
}

#[cfg(test)]
mod tests {
    use super::judged;

    #[test]
    fn only_what_is_plain_is_said() {
        assert_eq!(judged(0, 0, 100), Ok(false));
        assert_eq!(judged(2, 102, 100), Ok(true));
        assert_eq!(judged(2, 203, 100), Ok(true));
        assert!(judged(0, 1, 100).is_err());
        assert!(judged(3, 3, 100).is_err());
        assert!(judged(5, 3, 100).is_err());
    }
}
