//! Load on servers that Tare starts itself (`--start`). They are started afresh for each part of the load: what a process draws at its start (where its
//! code and data lie, the seeds of its hash tables) is then drawn as often, and belongs to the uncertainty instead of to one side.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use rand::SeedableRng;
use rand::rngs::SmallRng;
use rand::seq::SliceRandom;
use tare_load::driver;
use tare_load::http::{Address, HttpClients, Target, probe};
use tare_load::plan::{Block, Outcome, Plan};
use tare_load::server::{Server, ServerError};

use crate::error::Error;
use crate::load::blocks::{blocks, parts, unmeasured_before};
use crate::load::checked::Checked;
use crate::load::drive::no_thread;
use crate::load::progress::LoadProgress;
use crate::load::server_command::Start;
use crate::load::turns::turns;
use crate::session::Session;

/// How often servers are started, where there are rounds enough.
const STARTS: u32 = 20;
/// A server may take this long to answer for the first time.
const PATIENCE: Duration = Duration::from_secs(30);
/// Load on a server that was started anew, before it is measured, at the most.
const LONGEST_WARM_UP: Duration = Duration::from_millis(300);

/// What a load on started servers gave.
pub(super) struct LoadResult {
    pub(super) outcome: Outcome,
    pub(super) block_s: Option<f64>,
    /// Why it ended before its end, and of which target.
    pub(super) failure: Option<(usize, String)>,
}

/// Servers of all targets, and where they are.
struct Running {
    servers: Vec<Server>,
    found: Vec<(Target, Address)>,
}

impl Running {
    /// Starts one after the other, in random order; `None` where the user stopped it.
    fn begin(
        starts: &[Start],
        asked: &Checked,
        rng: &mut SmallRng,
        stop: &AtomicBool,
    ) -> Result<Option<Self>, (usize, String)> {
        let mut order: Vec<usize> = (0..starts.len()).collect();
        order.shuffle(rng);
        let mut begun: Vec<(usize, Server, Target, Address)> = Vec::new();
        for number in order {
            let failed = |error: ServerError| (number, error.to_string());
            let start = &starts[number];
            let mut server =
                asked.placed.as_a_server(|| Server::begin(&start.command, &start.folder)).map_err(failed)?;
            let target = start.target(server.port()).map_err(|refusal| (number, refusal.to_string()))?;
            let answers = || {
                let found = probe((&target, None), &asked.requests[0], &asked.tls, asked.connections, PATIENCE);
                found.map(|found| found.address).map_err(|failure| format!("{}: {}", failure.kind, failure.detail))
            };
            let address = match server.ready(PATIENCE, stop, answers) {
                Ok(address) => address,
                Err(ServerError::Stopped { .. }) => return Ok(None),
                Err(error) => return Err(failed(error)),
            };
            begun.push((number, server, target, address));
        }
        begun.sort_by_key(|(number, ..)| *number);
        let mut running = Self { servers: Vec::new(), found: Vec::new() };
        for (_, server, target, address) in begun {
            running.servers.push(server);
            running.found.push((target, address));
        }
        Ok(Some(running))
    }

    fn clients(&self, asked: &Checked) -> Result<HttpClients, Error> {
        HttpClients::new(&self.found, &asked.requests, &asked.tls, asked.connections).map_err(Error::usage)
    }

    /// The first that has ended, and how.
    fn gone(&mut self) -> Option<(usize, String)> {
        let mut servers = self.servers.iter_mut().enumerate();
        servers.find_map(|(number, server)| server.alive().err().map(|error| (number, error.to_string())))
    }
}

/// Starts servers, puts them under load, ends them, and so on. Of `plan` the blocks are set.
/// `left`: the blocks that are left of a load that is resumed.
pub(super) fn run(
    starts: &[Start],
    left: Option<Vec<Block>>,
    plan: &mut Plan,
    asked: &Checked,
    session: &Session<'_>,
) -> Result<LoadResult, Error> {
    let stop: &AtomicBool = session.stop_flag();
    let mut rng = SmallRng::seed_from_u64(asked.seed);
    let mut found = LoadResult { outcome: Outcome::default(), block_s: None, failure: None };
    let mut running = match Running::begin(starts, asked, &mut rng, stop) {
        Ok(Some(running)) => running,
        Ok(None) => {
            found.outcome.interrupted = true;
            return Ok(found);
        }
        Err(failure) => return Ok(LoadResult { failure: Some(failure), ..found }),
    };
    let _client = asked.placed.as_the_client();
    let (turns, warming) = turns(plan, asked, &mut running.clients(asked)?, session)?;
    let (all, block_s) = blocks(plan.targets, asked.amount, Duration::ZERO, turns, asked.seed);
    found.block_s = block_s;
    let mut parts = parts(left.unwrap_or(all), STARTS);
    parts.retain(|part| !part.is_empty());
    let mut progress = LoadProgress::new(parts.iter().map(Vec::len).sum(), "requests", session);
    let mut before = 0;
    for (number, part) in parts.iter().enumerate() {
        let warming = if number == 0 { warming } else { asked.warm_up.min(LONGEST_WARM_UP) };
        if number > 0 {
            drop(running);
            running = match Running::begin(starts, asked, &mut rng, stop) {
                Ok(Some(running)) => running,
                Ok(None) => {
                    found.outcome.interrupted = true;
                    break;
                }
                Err(failure) => {
                    found.failure = Some(failure);
                    break;
                }
            };
        }
        plan.blocks = unmeasured_before(part.clone(), warming);
        let outcome = driver::run(plan, &running.clients(asked)?, session.stop_flag(), &mut |state| {
            progress.show(before + state.block, state.elapsed, &state.series.iter().collect::<Vec<_>>());
        })
        .map_err(no_thread)?;
        before += part.len();
        found.outcome.append(outcome);
        found.failure = running.gone();
        if found.failure.is_some() || session.is_stopped() {
            break;
        }
    }
    progress.clear();
    plan.blocks = parts.into_iter().flatten().collect();
    Ok(found)
}
