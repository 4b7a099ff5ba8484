//! What the processes of servers that are followed cost for each request. It is counted in loads of its own after the one that is measured: strace makes a
//! server many times slower, and here every request counts that the server was sent.

use std::path::Path;
use std::time::Duration;

use tare_load::driver;
use tare_load::follow::{Trace, cpu_time, family};
use tare_load::http::HttpClients;
use tare_load::plan::{Block, Outcome, Plan};
use tare_results::LoadFollowed;

use crate::error::Error;
use crate::load::checked::Checked;
use crate::load::drive::no_thread;
use crate::session::Session;

/// About how long each of the two loads lasts: the kernel counts CPU time in ticks of 10 ms, so a short load would say little.
const ABOUT: Duration = Duration::from_secs(3);
/// CPU time of less than this, a few of those ticks, isn't told.
const ENOUGH: Duration = Duration::from_millis(50);
/// The longest that a load lasts, however slow a traced server is.
const LONGEST: Duration = Duration::from_secs(10);
/// The part of its requests that a server is supposed to manage while strace traces it.
const TRACED: f64 = 0.1;
const LEAST: u64 = 100;

/// Counts for each target that was named and has answered; `there`: their numbers.
pub(super) fn followed(
    plan: &Plan,
    (clients, there): (&HttpClients, &[usize]),
    outcome: &Outcome,
    asked: &Checked,
    session: &Session<'_>,
) -> Result<Vec<Option<LoadFollowed>>, Error> {
    let mut all = vec![None; asked.names.len()];
    for (number, &at) in there.iter().enumerate().filter(|(_, at)| **at < asked.names.len()) {
        let Some(&pid) = asked.pid.get(at).or(asked.pid.first()) else { break };
        let (ended, seconds) =
            outcome.blocks.iter().filter(|result| result.block.target == number).fold((0.0, 0.0), |sum, result| {
                // A server works for answers that count as failures, too.
                let ended = result.total.succeeded() + result.total.failed;
                (sum.0 + ended as f64, sum.1 + result.window.as_secs_f64())
            });
        let count = |part: f64| ((ended / f64::max(seconds, 1e-3) * ABOUT.as_secs_f64() * part) as u64).max(LEAST);
        // How many ended, and how many of them failed.
        let load = |requests: u64| -> Result<(u64, u64), Error> {
            let outcome = driver::run(&by_itself(plan, number, requests), clients, session.stop_flag(), &mut |_| ())
                .map_err(no_thread)?;
            let total = &outcome.series[number].total;
            Ok((total.succeeded() + total.failures.total(), total.failures.total()))
        };
        let root = Path::new("/");
        let mut found = LoadFollowed { pid, processes: family(root, pid).len() as u64, ..LoadFollowed::default() };
        let before = cpu_time(root, pid);
        (found.requests, found.failed) = load(count(1.0))?;
        if let (Some(before), Some(after), true) = (before, cpu_time(root, pid), found.requests > 0) {
            let (user, system) = (after.user.saturating_sub(before.user), after.system.saturating_sub(before.system));
            let each = |time: Duration| time.as_nanos() as f64 / found.requests as f64;
            if user + system >= ENOUGH {
                (found.user_ns, found.system_ns) = (Some(each(user)), Some(each(system)));
            }
        }
        if session.is_stopped() {
            break;
        }
        match Trace::attach(pid) {
            Ok(trace) => {
                let (traced, failed) = load(count(TRACED))?;
                (found.traced, found.failed) = (traced, found.failed + failed);
                match trace.detach() {
                    Ok(calls) if found.traced > 0 => {
                        let each = |count: u64| count as f64 / found.traced as f64;
                        found.calls = calls.into_iter().map(|(name, count)| (name, each(count))).collect();
                        found.calls.sort_by(|a, b| b.1.total_cmp(&a.1));
                    }
                    Ok(_) => "no request was sent meanwhile".clone_into(&mut found.untraced),
                    Err(why) => found.untraced = why,
                }
            }
            Err(why) => found.untraced = why,
        }
        all[at] = Some(found);
    }
    Ok(all)
}

/// A load of one target in which everything counts.
fn by_itself(plan: &Plan, target: usize, requests: u64) -> Plan {
    let block = Block {
        target,
        round: 0,
        length: Some(LONGEST),
        operations: Some(requests),
        settling: Duration::ZERO,
        measured: true,
        renewed: false,
    };
    Plan { blocks: vec![block], ..plan.clone() }
}
