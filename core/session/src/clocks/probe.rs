//! Whether a clock read enters the kernel: a worker's system calls are counted while it reads.

use std::time::Duration;

use tare_frames::Read;
use tare_samples::Failure;
use tare_worker::{Conversation, Launcher, ProcessLauncher, Ready, Tracer};

/// Reads by which a request for many differs from one for few.
const FEW: u64 = 1;
const MANY: u64 = 51;
const MORE_REQUESTS: usize = 3;

/// For each clock: whether its reads enter the kernel, or why that isn't known.
pub(crate) fn system_calls(
    ready: &Ready,
    launcher: &mut ProcessLauncher,
    clocks: &[&str],
    timeout: Duration,
) -> Vec<Result<bool, String>> {
    match launcher.launch(&ready.start, 0) {
        Ok(conversation) => followed(conversation, clocks, timeout),
        Err(failure) => vec![Err(failure_text(&failure)); clocks.len()],
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
        let (all, of_clocks) = (tracer.calls(), tracer.clock_calls());
        let wanted = Read { id: 0, clock: clock.to_owned(), pairs, skip: 0, blocks: 0, reads: 1 };
        conversation.read(wanted, timeout).map_err(|failure| failure_text(&failure))?;
        Ok::<Calls, String>(Calls { all: tracer.calls() - all, of_clocks: tracer.clock_calls() - of_clocks })
    };
    // The first time whatever it takes besides, such as an origin.
    count(FEW)?;
    // A process that only waits may still be on its way to that for a call or two: the worker makes some in each request.
    let mut few = count(FEW)?;
    for _ in 0..MORE_REQUESTS {
        let again = count(FEW)?;
        few.all = few.all.min(again.all);
        few.of_clocks = again.of_clocks;
    }
    judged(few, count(MANY)?, 2 * (MANY - FEW))
}

/// System calls in one request.
#[derive(Clone, Copy)]
struct Calls {
    all: u64,
    of_clocks: u64,
}

/// `many` and `few` are those of requests that differ by `reads` reads.
fn judged(few: Calls, many: Calls, reads: u64) -> Result<bool, String> {
    // Nobody answers without writing.
    if few.all == 0 || many.all == 0 {
        return Err("the process that was started answers without a system call, so another one is the worker, which isn't its \
                    descendant or isn't shown as one (/proc/PID/task/TID/children); start the worker without the program around it"
            .to_owned());
    }
    match many.of_clocks.saturating_sub(few.of_clocks) {
        0 if many.of_clocks == 0 => Ok(false),
        more if more >= reads => Ok(true),
        more => Err(format!("{reads} reads more made {more} system calls more, {} in all", many.of_clocks)),
    }
}

fn failure_text(failure: &Failure) -> String {
    format!("the worker that was followed failed: {}", failure.message)
}

#[cfg(test)]
mod tests {
    use super::Calls;

    fn judged(few: u64, many: u64, reads: u64) -> Result<bool, String> {
        super::judged(Calls { all: few + 2, of_clocks: few }, Calls { all: many + 1, of_clocks: many }, reads)
    }

    #[test]
    fn only_what_is_plain_is_said() {
        assert_eq!(judged(0, 0, 100), Ok(false));
        assert_eq!(judged(2, 102, 100), Ok(true));
        assert_eq!(judged(2, 203, 100), Ok(true));
        assert!(judged(0, 1, 100).is_err());
        assert!(judged(3, 3, 100).is_err());
        assert!(judged(5, 3, 100).is_err());
    }

    #[test]
    fn of_a_worker_that_shows_no_call_at_all_nothing_is_said() {
        let calls = |all| Calls { all, of_clocks: 0 };
        for (few, many) in [(0, 0), (0, 2), (2, 0)] {
            assert!(super::judged(calls(few), calls(many), 100).unwrap_err().contains("another one is the worker"));
        }
    }
}
