//! Servers that are started for the load: afresh for each part of it, so that what is drawn when a process begins is drawn as often.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::anyhow;
use rand::SeedableRng;
use rand::rngs::SmallRng;
use rand::seq::SliceRandom;
use tare_load::driver;
use tare_load::http::{HttpClients, Target, probe};
use tare_load::plan::{Block, Outcome, Plan};
use tare_load::server::{PORT, Server, ServerError};

use super::blocks::{blocks, warm_up};
use super::http::{Asked, no_thread, turns};
use super::progress::LoadProgress;
use crate::exit::Refusal;

/// How often servers are started, where there are rounds enough.
const STARTS: u32 = 20;
/// A server may take this long to answer for the first time.
const PATIENCE: Duration = Duration::from_secs(30);
/// Load on a server that was started anew, before it is measured, at the most.
const LONGEST_WARM_UP: Duration = Duration::from_millis(300);

/// What is started for a target.
#[derive(Debug, Clone)]
pub(super) struct Start {
    pub(super) command: String,
    /// With `{port}`.
    pub(super) url: String,
    pub(super) folder: PathBuf,
}

impl Start {
    /// One for each target: as many commands as URLs, or one of either.
    pub(super) fn all(urls: &[String], commands: &[String]) -> Result<Vec<Self>, Refusal> {
        let count = urls.len().max(commands.len());
        let wrong = |list: &[String]| list.len() != 1 && list.len() != count;
        if wrong(urls) || wrong(commands) {
            return Err(Refusal::usage(anyhow!(
                "{} URLs and {} --start don't go together; give --start once, or once for each URL in their order",
                urls.len(),
                commands.len()
            )));
        }
        let lacking = |text: &&String| !text.contains(PORT);
        if let Some(text) = urls.iter().find(lacking).or_else(|| commands.iter().find(lacking)) {
            return Err(Refusal::usage(anyhow!(
                "`{}` has no {PORT}: tare picks a free port for each start; write {PORT} where it belongs, in the URL and in --start",
                text.escape_debug()
            )));
        }
        let at = |list: &[String], number: usize| list[number.min(list.len() - 1)].clone();
        let folder = PathBuf::from(".");
        Ok((0..count)
            .map(|number| Self { command: at(commands, number), url: at(urls, number), folder: folder.clone() })
            .collect())
    }

    /// As it is shown: what is started, where there are several, else where requests go.
    pub(super) fn name(&self, by_command: bool) -> String {
        if by_command { self.command.clone() } else { self.url.clone() }
    }

    /// The target where the server listens at `port`.
    pub(super) fn target(&self, port: u16) -> Result<Target, Refusal> {
        Target::parse(&self.url.replace(PORT, &port.to_string())).map_err(Refusal::usage)
    }
}

/// What a load on started servers gave.
pub(super) struct Found {
    pub(super) outcome: Outcome,
    pub(super) block_s: Option<f64>,
    /// Why it ended before its end, and of which target.
    pub(super) failure: Option<(usize, String)>,
}

/// Servers of all targets, and where they are.
struct Running {
    servers: Vec<Server>,
    found: Vec<(Target, SocketAddr)>,
}

impl Running {
    /// Starts one after the other, in random order; `None` where the user stopped it.
    fn begin(
        starts: &[Start],
        asked: &Asked,
        rng: &mut SmallRng,
        stop: &AtomicBool,
    ) -> Result<Option<Self>, (usize, String)> {
        let mut order: Vec<usize> = (0..starts.len()).collect();
        order.shuffle(rng);
        let mut begun: Vec<(usize, Server, Target, SocketAddr)> = Vec::new();
        for number in order {
            let failed = |error: ServerError| (number, error.to_string());
            let start = &starts[number];
            let mut server = Server::begin(&start.command, &start.folder).map_err(failed)?;
            let target = start.target(server.port()).map_err(|refusal| (number, refusal.cause.to_string()))?;
            let answers = || {
                let found = probe(&target, &asked.request, &asked.tls, asked.connections, PATIENCE);
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

    fn clients(&self, asked: &Asked) -> Result<HttpClients, Refusal> {
        HttpClients::new(&self.found, &asked.request, &asked.tls, asked.connections).map_err(Refusal::usage)
    }

    /// The first that has ended, and how.
    fn gone(&mut self) -> Option<(usize, String)> {
        let mut servers = self.servers.iter_mut().enumerate();
        servers.find_map(|(number, server)| server.alive().err().map(|error| (number, error.to_string())))
    }
}

/// Starts servers, puts them under load, ends them, and so on. Of `plan` the blocks are set.
pub(super) fn run(starts: &[Start], plan: &mut Plan, asked: &Asked, stop: &Arc<AtomicBool>) -> Result<Found, Refusal> {
    let mut rng = SmallRng::seed_from_u64(asked.seed);
    let mut found = Found { outcome: Outcome::default(), block_s: None, failure: None };
    let mut running = match Running::begin(starts, asked, &mut rng, stop) {
        Ok(Some(running)) => running,
        Ok(None) => {
            found.outcome.interrupted = true;
            return Ok(found);
        }
        Err(failure) => return Ok(Found { failure: Some(failure), ..found }),
    };
    let (turns, warming) = turns(plan, asked, &running.clients(asked)?, stop)?;
    let (all, block_s) = blocks(plan.targets, asked.amount, Duration::ZERO, turns, asked.seed);
    found.block_s = block_s;
    let parts = parts(all);
    let mut progress = LoadProgress::new(parts.iter().map(Vec::len).sum(), "requests");
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
        let unmeasured =
            warm_up(plan.targets, warming).into_iter().filter(|block| block.length != Some(Duration::ZERO));
        plan.blocks = unmeasured.map(|block| Block { measured: false, ..block }).chain(part.iter().copied()).collect();
        let outcome = driver::run(plan, &running.clients(asked)?, stop, &mut |state| {
            progress.show(before + state.block, state.elapsed, &state.series.iter().collect::<Vec<_>>());
        })
        .map_err(no_thread)?;
        before += part.len();
        found.outcome.append(outcome);
        found.failure = running.gone();
        if found.failure.is_some() || stop.load(Ordering::Relaxed) {
            break;
        }
    }
    progress.clear();
    plan.blocks = parts.into_iter().flatten().collect();
    Ok(found)
}

/// The rounds in parts of about the same number, each of which counts as one round: what its servers drew is in all of it.
fn parts(blocks: Vec<Block>) -> Vec<Vec<Block>> {
    let rounds = blocks.iter().map(|block| block.round + 1).max().unwrap_or(0);
    let starts = rounds.min(STARTS);
    let mut parts: Vec<Vec<Block>> = vec![Vec::new(); starts as usize];
    for block in blocks {
        let part = block.round * starts / rounds;
        parts[part as usize].push(Block { round: part, ..block });
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::super::blocks::{Amount, Turns};
    use super::*;

    #[test]
    fn forty_rounds_are_twenty_starts() {
        let (all, _) = blocks(2, Amount::Duration(Duration::from_secs(10)), Duration::ZERO, Turns::WHOLE_ROUNDS, 1);
        let parts = parts(all.clone());
        assert_eq!(parts.len(), 20);
        for (number, part) in parts.iter().enumerate() {
            assert!(part.len() == 4 && part.iter().all(|block| block.round as usize == number), "{part:?}");
        }
        let targets = |blocks: &[Block]| blocks.iter().map(|block| block.target).collect::<Vec<_>>();
        assert_eq!(targets(&parts.concat()), targets(&all));
    }

    #[test]
    fn a_command_goes_with_each_url_or_one_with_all() {
        let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        let all = |urls: &[&str], commands: &[&str]| Start::all(&texts(urls), &texts(commands));
        let both = all(&["http://h:{port}/"], &["a {port}", "b {port}"]).unwrap();
        assert_eq!((both.len(), both[0].url.as_str(), both[1].command.as_str()), (2, "http://h:{port}/", "b {port}"));
        assert_eq!(all(&["http://h:{port}/a", "http://h:{port}/b"], &["a {port}"]).unwrap().len(), 2);
        for (urls, commands, told) in [
            (
                &["http://h:{port}/", "http://h:{port}/", "http://h:{port}/"][..],
                &["a {port}", "b {port}"][..],
                "don't go together",
            ),
            (&["http://h:80/"], &["a {port}"], "has no {port}"),
            (&["http://h:{port}/"], &["a 80"], "has no {port}"),
        ] {
            let refusal = all(urls, commands).unwrap_err().cause.to_string();
            assert!(refusal.contains(told), "{refusal}");
        }
    }
}
