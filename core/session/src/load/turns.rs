//! How the targets of an HTTP load take turns.

use std::time::Duration;

use tare_load::plan::Plan;
use tare_load::schedule::Pace;
use tare_load::series::Series;
use tare_statistics::{Warning, WarningCode};

use crate::error::Error;
use crate::load::blocks::{Amount, Turns, warm_up};
use crate::load::checked::Checked;
use crate::load::drive::Drive;
use crate::session::Session;

/// More connections take too long to be made anew in each round; they are in each of so many parts of the load.
const RENEWED_CONNECTIONS: u32 = 64;
const PARTS: u32 = 10;
/// More than these, of all targets, would use up the ports of this machine: each that was closed keeps its own for a minute.
const MOST_RENEWED: usize = 2_000;

/// How targets take turns, and the warm-up that is left to do. Where they are compared in a closed loop they are warmed up here, which
/// tells how long a request takes.
pub(crate) fn turns(
    plan: &mut Plan,
    asked: &Checked,
    clients: &mut dyn Drive,
    session: &Session<'_>,
) -> Result<(Turns, Duration), Error> {
    let whole = if plan.connections <= RENEWED_CONNECTIONS {
        Turns::WHOLE_ROUNDS.renewed()
    } else if asked.starts.is_empty() && !keeps_connections(plan) {
        Turns::WHOLE_ROUNDS.renewed_in(PARTS)
    } else {
        // Of servers that are started anew they are new as well.
        Turns::WHOLE_ROUNDS
    };
    match (asked.pace, asked.amount) {
        (Pace::Open { rate, .. }, _) => return Ok((whole.of_rate(rate), asked.warm_up)),
        (Pace::Closed, Amount::Duration(_)) if plan.targets > 1 && !asked.warm_up.is_zero() => {}
        _ => return Ok((whole, asked.warm_up)),
    }
    plan.blocks = warm_up(plan.targets, asked.warm_up);
    let warmed = clients.drive(plan, session, &mut |_| ())?;
    let latency = |series: &Series| series.total.latencies.mean();
    // Where nothing succeeded nothing is known.
    let slowest = warmed.series.iter().map(latency).try_fold(0.0, |slowest, latency| Some(f64::max(latency?, slowest)));
    let turns = slowest.map_or(whole, |slowest| whole.of_latency(Duration::from_nanos(slowest as u64)));
    Ok((turns, Duration::ZERO))
}

/// Whether all connections are kept from the first round to the last.
fn keeps_connections(plan: &Plan) -> bool {
    plan.connections as usize * plan.targets > MOST_RENEWED
}

/// Says so of targets that are compared.
pub(crate) fn connections_kept(plan: &Plan) -> Option<Warning> {
    (plan.targets > 1 && keeps_connections(plan)).then(|| Warning {
        code: WarningCode::ConnectionsKept.into(),
        message: format!(
            "{} connections of {} targets are too many to reconnect between rounds, so each stayed with one thread and CPU of its server, and intervals leave out the effect of that placement",
            plan.connections, plan.targets
        ),
        remedy: format!("repeat the load before you trust a small difference, or use at most {} connections (-c)", MOST_RENEWED / plan.targets),
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tare_load::plan::Plan;
    use tare_load::schedule::Pace;

    use super::connections_kept;

    #[test]
    fn connections_that_are_kept_are_told_of_targets_that_are_compared() {
        let told = |targets, connections| {
            let timeout = Duration::from_secs(1);
            let plan =
                Plan { targets, connections, threads: 1, pace: Pace::Closed, timeout, seed: 1, blocks: Vec::new() };
            connections_kept(&plan).map(|warning| warning.remedy)
        };
        assert_eq!(told(2, 1000), None);
        assert_eq!(told(1, 100_000), None, "nothing is compared");
        assert!(told(2, 1001).unwrap().contains("at most 1000 connections"));
    }
}
