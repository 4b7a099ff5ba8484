//! How the targets of an HTTP load take turns.

use std::time::Duration;

use tare_load::driver;
use tare_load::http::HttpClients;
use tare_load::plan::Plan;
use tare_load::schedule::Pace;
use tare_load::series::Series;

use crate::error::Error;
use crate::load::blocks::{Amount, Turns, warm_up};
use crate::load::checked::Checked;
use crate::session::Session;

/// More connections take too long to be made anew in each round.
const RENEWED_CONNECTIONS: u32 = 64;

/// How targets take turns, and the warm-up that is left to do. Where they are compared in a closed loop they are warmed up here, which
/// tells how long a request takes.
pub(crate) fn turns(
    plan: &mut Plan,
    asked: &Checked,
    clients: &HttpClients,
    session: &Session<'_>,
) -> Result<(Turns, Duration), Error> {
    let whole = match plan.connections <= RENEWED_CONNECTIONS {
        true => Turns::WHOLE_ROUNDS.renewed(),
        false => Turns::WHOLE_ROUNDS,
    };
    match (asked.pace, asked.amount) {
        (Pace::Open { rate, .. }, _) => return Ok((whole.of_rate(rate), asked.warm_up)),
        (Pace::Closed, Amount::Duration(_)) if plan.targets > 1 && !asked.warm_up.is_zero() => {}
        _ => return Ok((whole, asked.warm_up)),
    }
    plan.blocks = warm_up(plan.targets, asked.warm_up);
    let warmed = driver::run(plan, clients, session.stop_flag(), &mut |_| ()).map_err(no_thread)?;
    let latency = |series: &Series| series.total.latencies.mean();
    // Where nothing succeeded nothing is known.
    let slowest = warmed.series.iter().map(latency).try_fold(0.0, |slowest, latency| Some(f64::max(latency?, slowest)));
    let turns = slowest.map_or(whole, |slowest| whole.of_latency(Duration::from_nanos(slowest as u64)));
    Ok((turns, Duration::ZERO))
}

pub(crate) fn no_thread(error: std::io::Error) -> Error {
    Error::failed(format!("a thread for the load can't be had: {error}"))
}
