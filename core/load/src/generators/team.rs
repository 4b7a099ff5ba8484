//! All generators of a load, from their coordinator's side.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use super::clock::{Clock, Offset};
use super::member::{Event, Member};
use super::merged::merge;
use super::messages::{ToCoordinator, ToGenerator};
use crate::kept::KeptLoad;
use crate::plan::{Outcome, Plan, Progress};
use crate::series::{Series, Stretch};
use crate::share::Share;

pub use super::member::GeneratorStatus;

/// Questions to each clock before the first block, and again before later ones: clocks drift, by up to 0.1 ms in a second.
const EXCHANGES: u32 = 32;
const EXCHANGES_AGAIN: u32 = 8;
const AGAIN_AFTER: Duration = Duration::from_secs(1);
/// A start is named this long before, and four of the longest round trips.
const LEAD: Duration = Duration::from_millis(3);
/// Generators tell how far they are each second. One that is silent for so long won't say anything any more.
const SILENT: Duration = Duration::from_secs(15);
const LOOK_EVERY: Duration = Duration::from_millis(50);
const TOLD_EVERY: Duration = Duration::from_secs(1);
/// After a stop they have so long to send what they measured.
const ENDING: Duration = Duration::from_secs(15);

/// Why a load from several generators ended.
#[derive(Debug, thiserror::Error)]
#[error("generator {} of the load ({host}) {what}", number + 1)]
pub struct TeamError {
    /// From 0.
    pub number: usize,
    /// Its machine.
    pub host: String,
    /// What it did.
    pub what: String,
}

impl TeamError {
    pub(super) fn failed(number: usize, host: &str, why: impl std::fmt::Display) -> Self {
        Self { number, host: host.to_owned(), what: format!("can't send its share of the load: {why}") }
    }

    pub(super) fn gone(number: usize, host: &str, error: &std::io::Error) -> Self {
        let why = match error.kind() {
            std::io::ErrorKind::UnexpectedEof | std::io::ErrorKind::ConnectionReset => "it ended".to_owned(),
            _ => error.to_string(),
        };
        Self { number, host: host.to_owned(), what: format!("is gone: {why}") }
    }
}

/// Generators that are there, with their clocks measured.
pub struct Team {
    members: Vec<Member>,
    events: Receiver<Event>,
    compared: Instant,
    /// What was told of the plan under way: by generator and target the seconds.
    told: Vec<Vec<BTreeMap<u32, Stretch>>>,
    block: usize,
    /// Which blocks of it are measured.
    measured: Vec<bool>,
}

impl Team {
    pub(super) fn new(members: Vec<Member>, events: Receiver<Event>) -> Self {
        Self { members, events, compared: Instant::now(), told: Vec::new(), block: 0, measured: Vec::new() }
    }

    /// What is known of each.
    pub fn seen(&self) -> Vec<GeneratorStatus> {
        self.members.iter().map(|member| member.seen.clone()).collect()
    }

    /// What was counted of each up to here was no part of the load.
    pub fn forget(&mut self) {
        for member in &mut self.members {
            member.seen = GeneratorStatus {
                host: std::mem::take(&mut member.seen.host),
                threads: member.seen.threads,
                connections: member.seen.connections,
                ahead: member.seen.ahead,
                within: member.offset.within,
                ..GeneratorStatus::default()
            };
        }
    }

    pub(super) fn compare_clocks(&mut self) -> Result<(), TeamError> {
        for number in 0..self.members.len() {
            self.compare(number, EXCHANGES)?;
        }
        Ok(())
    }

    /// Measures by how much one's clocks are off.
    fn compare(&mut self, number: usize, exchanges: u32) -> Result<(), TeamError> {
        self.members[number].exchanges.clear();
        for ping in 0..exchanges {
            let member = &mut self.members[number];
            member.ask(ping).map_err(|error| TeamError::gone(number, &member.seen.host, &error))?;
            let asked = Instant::now();
            while self.members[number].is_asked() {
                self.next(LOOK_EVERY)?;
                if asked.elapsed() > SILENT {
                    return Err(self.silent(number));
                }
            }
        }
        let member = &mut self.members[number];
        if let Some(offset) = Offset::of(&member.exchanges) {
            member.offset = offset;
            member.seen.ahead = offset.system;
            member.seen.within = member.seen.within.max(offset.within);
        }
        self.compared = Instant::now();
        Ok(())
    }

    fn silent(&self, number: usize) -> TeamError {
        TeamError {
            number,
            host: self.members[number].seen.host.clone(),
            what: format!("has sent no message for {} s", SILENT.as_secs()),
        }
    }

    /// Takes what one of them says next, if that comes soon.
    fn next(&mut self, within: Duration) -> Result<(), TeamError> {
        let Event { from, at, what } = match self.events.recv_timeout(within) {
            Ok(event) => event,
            // As long as there are members, so are their threads, or what they said last.
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return Ok(()),
        };
        let Some(member) = self.members.get_mut(from) else { return Ok(()) };
        member.heard = Instant::now();
        let host = member.seen.host.clone();
        let (message, bytes) = what.map_err(|error| TeamError::gone(from, &host, &error))?;
        match message {
            ToCoordinator::Pong { ping, clocks } => member.answered(ping, clocks, at),
            ToCoordinator::Ready { block } => member.ready = Some(block),
            ToCoordinator::Began { block, late } => {
                // How late a start was counts where something is measured.
                if self.measured.get(block) == Some(&true) {
                    member.seen.late_start = member.seen.late_start.max(late);
                }
            }
            ToCoordinator::Told { block, seconds } => {
                self.block = self.block.max(block);
                for (known, new) in self.told.get_mut(from).into_iter().flatten().zip(seconds) {
                    known.extend(new);
                }
            }
            ToCoordinator::Done => {
                let kept = KeptLoad::unpack(&bytes).map_err(|error| TeamError::failed(from, &host, error))?;
                member.count(&kept.outcome);
                member.done = Some(kept.outcome);
            }
            ToCoordinator::Failed(why) => return Err(TeamError::failed(from, &host, why)),
            ToCoordinator::Hello(_) | ToCoordinator::Prepared { .. } => {
                return Err(TeamError::failed(from, &host, "it sent an unexpected message"));
            }
        }
        Ok(())
    }

    fn tell(&mut self, number: usize, message: &ToGenerator) -> Result<(), TeamError> {
        let member = &mut self.members[number];
        member.tell(message).map_err(|error| TeamError::gone(number, &member.seen.host, &error))
    }

    /// Runs a plan, each its share; returns when all are through, or soon after `stop` is set. `targets`: which of those that generators know the plan's are.
    ///
    /// # Errors
    /// One of them can't do its part, is gone or silent. The others are stopped: what they measured is another load than the one that was asked for.
    pub fn run(
        &mut self,
        plan: &Plan,
        targets: &[usize],
        stop: &AtomicBool,
        progress: &mut dyn FnMut(&Progress<'_>),
    ) -> Result<Outcome, TeamError> {
        let ran = self.ran(plan, targets, stop, progress);
        if ran.is_err() {
            for member in &mut self.members {
                let _ = member.tell(&ToGenerator::Stop);
            }
        }
        ran
    }

    fn ran(
        &mut self,
        plan: &Plan,
        targets: &[usize],
        stop: &AtomicBool,
        progress: &mut dyn FnMut(&Progress<'_>),
    ) -> Result<Outcome, TeamError> {
        let of = self.members.len() as u32;
        self.told = vec![vec![BTreeMap::new(); plan.targets]; self.members.len()];
        self.block = 0;
        self.measured = plan.blocks.iter().map(|block| block.measured).collect();
        for number in 0..self.members.len() {
            let share = Share { number: number as u32, of, connections: plan.connections };
            let member = &mut self.members[number];
            (member.ready, member.done, member.heard) = (None, None, Instant::now());
            member.seen.connections = share.own_connections();
            self.tell(number, &ToGenerator::Run { plan: Box::new(plan.clone()), share, targets: targets.to_vec() })?;
        }
        let (mut told, mut begun, mut stopped) = (Instant::now(), None, None::<Instant>);
        while self.members.iter().any(|member| member.done.is_none()) {
            self.next(LOOK_EVERY)?;
            if stop.load(Ordering::Relaxed) && stopped.is_none() {
                stopped = Some(Instant::now());
                for number in 0..self.members.len() {
                    self.tell(number, &ToGenerator::Stop)?;
                }
            }
            let block = self.members[0].ready;
            if stopped.is_none()
                && let Some(block) = block.filter(|_| self.members.iter().all(|member| member.ready == block))
            {
                self.start(block)?;
                if plan.blocks.get(block).is_some_and(|block| block.measured) {
                    begun.get_or_insert_with(Instant::now);
                }
            }
            let most = if stopped.is_some() { ENDING } else { SILENT };
            let silent = |member: &Member| member.done.is_none() && member.heard.elapsed() > most;
            if let Some(number) = self.members.iter().position(silent) {
                return Err(self.silent(number));
            }
            if told.elapsed() >= TOLD_EVERY {
                told = Instant::now();
                let elapsed = begun.map_or(Duration::ZERO, |begun: Instant| begun.elapsed());
                progress(&Progress { block: self.block, series: &self.so_far(), elapsed });
            }
        }
        let mut whole = Outcome::default();
        for part in self.members.iter_mut().filter_map(|member| member.done.take()) {
            merge(&mut whole, part);
        }
        whole.interrupted |= stop.load(Ordering::Relaxed);
        Ok(whole)
    }

    /// All are ready for a block: names the moment in which it begins.
    fn start(&mut self, block: usize) -> Result<(), TeamError> {
        if self.compared.elapsed() > AGAIN_AFTER {
            for number in 0..self.members.len() {
                self.compare(number, EXCHANGES_AGAIN)?;
            }
        }
        let longest = self.members.iter().map(|member| 2 * member.offset.within).max().unwrap_or(0);
        let lead = i64::try_from(LEAD.as_nanos()).unwrap_or(0).saturating_add(longest.saturating_mul(4));
        let at = Clock::default().read().monotonic.saturating_add(lead);
        for number in 0..self.members.len() {
            let member = &mut self.members[number];
            member.ready = None;
            let at = at.saturating_add(member.offset.monotonic);
            self.tell(number, &ToGenerator::Start { block, at })?;
        }
        Ok(())
    }

    /// What all have told, together.
    fn so_far(&self) -> Vec<Series> {
        let targets = self.told.first().map_or(0, Vec::len);
        let mut all = vec![Series::default(); targets];
        for (series, target) in all.iter_mut().zip(0..) {
            for known in self.told.iter().filter_map(|of: &Vec<BTreeMap<u32, Stretch>>| of.get::<usize>(target)) {
                for (second, stretch) in known {
                    series.seconds.entry(*second).or_default().add(stretch);
                    stretch.latencies.add_to(&mut series.total.latencies);
                    series.total.late += stretch.late;
                    series.total.failures.add("any", stretch.failed);
                }
            }
        }
        all
    }
}

#[cfg(test)]
#[path = "team/tests.rs"]
mod tests;
