//! A generator's end: it does its part of what a coordinator asks, until that has nothing more to ask or is gone.

use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde::Serialize;
use tokio::time::Instant;

use super::clock::Clock;
use super::messages::{Hello, MOST, ToCoordinator, ToGenerator, read, write};
use crate::client::Clients;
use crate::driver::{Part, Starts, run_part};
use crate::kept::KeptLoad;
use crate::plan::{Plan, Progress};
use crate::share::Share;

const TOLD_EVERY: Duration = Duration::from_secs(1);

/// Who asks, and as whom this process answers.
#[derive(Debug, Clone)]
pub struct Invitation {
    /// Where the coordinator listens: a name or an address, and a port.
    pub address: String,
    /// What only those know who were asked.
    pub token: String,
    /// From 0.
    pub number: u32,
    /// The version of this program.
    pub tare: String,
    /// The name of this machine.
    pub host: String,
}

/// What a generator sends with.
pub trait Equipment: Sync {
    /// Its clients.
    type Made: Clients;
    /// Threads, at the most.
    fn threads(&self) -> u32;
    /// Clients of these targets, of those that were named, where so many connections of generators before this one begin with the first requests.
    ///
    /// # Errors
    /// Why they can't be made, in words.
    fn clients(&self, targets: &[usize], earlier: usize) -> Result<Self::Made, String>;
}

/// Why a generator ended before its time.
#[derive(Debug, thiserror::Error)]
pub enum GeneratorError {
    /// There is no way to the coordinator.
    #[error("the load's coordinator at {0} can't be reached: {1}")]
    Unreachable(String, std::io::Error),
    /// It went away.
    #[error("the load's coordinator is gone: {0}")]
    Gone(std::io::Error),
    /// It wants no such generator.
    #[error("{0}")]
    Refused(String),
    /// What was asked for can't be done here.
    #[error("{0}")]
    Failed(String),
}

/// Says where it can be asked, prepares itself, and does what is asked.
///
/// # Errors
/// [`GeneratorError`]; the coordinator was told where that is possible.
pub fn serve<E: Equipment>(
    invitation: &Invitation,
    clock: Clock,
    equip: impl FnOnce() -> Result<E, String>,
) -> Result<(), GeneratorError> {
    let stream = TcpStream::connect(&invitation.address)
        .map_err(|error| GeneratorError::Unreachable(invitation.address.clone(), error))?;
    stream.set_nodelay(true).map_err(GeneratorError::Gone)?;
    let mut from = stream.try_clone().map_err(GeneratorError::Gone)?;
    let told = Told(Mutex::new(stream));
    told.say(&ToCoordinator::Hello(Hello {
        token: invitation.token.clone(),
        tare: invitation.tare.clone(),
        number: invitation.number,
        host: invitation.host.clone(),
    }))?;
    let equipment = equip().map_err(|why| told.failed(why))?;
    told.say(&ToCoordinator::Prepared { threads: equipment.threads() })?;
    std::thread::scope(|scope| {
        let mut under_way: Option<UnderWay> = None;
        let ended = loop {
            let (message, _) = match read::<ToGenerator>(&mut from, MOST) {
                Ok(message) => message,
                Err(error) => break Err(GeneratorError::Gone(error)),
            };
            match message {
                ToGenerator::Ping(ping) => {
                    let clocks = clock.read();
                    if let Err(error) = told.say(&ToCoordinator::Pong { ping, clocks }) {
                        break Err(error);
                    }
                }
                ToGenerator::Run { plan, share, targets } => {
                    let (starter, starts) = channel();
                    let stop = Arc::new(AtomicBool::new(false));
                    under_way = Some(UnderWay { starter, stop: Arc::clone(&stop) });
                    let (told, equipment) = (&told, &equipment);
                    scope.spawn(move || {
                        let starts = Waiting { told, starts: Mutex::new(starts), clock };
                        // Who can't be told that it failed is gone, which the reading thread sees.
                        let _ = do_part(&plan, share, &targets, equipment, &starts, &stop);
                    });
                }
                ToGenerator::Start { block, at } => {
                    if let Some(under_way) = &under_way {
                        let _ = under_way.starter.send((block, at));
                    }
                }
                ToGenerator::Stop => end(&mut under_way),
                ToGenerator::End => break Ok(()),
                ToGenerator::Refused(why) => break Err(GeneratorError::Refused(why)),
            }
        };
        end(&mut under_way);
        ended
    })
}

struct UnderWay {
    starter: Sender<(usize, i64)>,
    stop: Arc<AtomicBool>,
}

/// Without a starter nothing begins any more.
fn end(under_way: &mut Option<UnderWay>) {
    if let Some(under_way) = under_way.take() {
        under_way.stop.store(true, Ordering::Relaxed);
    }
}

/// All threads of the generator send over this one connection.
struct Told(Mutex<TcpStream>);

impl Told {
    fn say(&self, message: &impl Serialize) -> Result<(), GeneratorError> {
        self.say_with(message, &[])
    }

    fn say_with(&self, message: &impl Serialize, bytes: &[u8]) -> Result<(), GeneratorError> {
        let mut stream = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        write(&mut *stream, message, bytes).map_err(GeneratorError::Gone)
    }

    fn failed(&self, why: String) -> GeneratorError {
        let _ = self.say(&ToCoordinator::Failed(why.clone()));
        GeneratorError::Failed(why)
    }
}

/// Begins blocks when the coordinator says so.
struct Waiting<'a> {
    told: &'a Told,
    starts: Mutex<Receiver<(usize, i64)>>,
    clock: Clock,
}

impl Starts for Waiting<'_> {
    fn ready(&self, block: usize) -> Option<Instant> {
        self.told.say(&ToCoordinator::Ready { block }).ok()?;
        let starts = self.starts.lock().unwrap_or_else(PoisonError::into_inner);
        let (named, at) = starts.recv().ok()?;
        (named == block).then(|| self.clock.instant(at))
    }

    fn began(&self, block: usize, meant: Instant, at: Instant) {
        let late = at.saturating_duration_since(meant).as_nanos() as u64;
        let _ = self.told.say(&ToCoordinator::Began { block, late });
    }
}

fn do_part<E: Equipment>(
    plan: &Plan,
    share: Share,
    targets: &[usize],
    equipment: &E,
    starts: &Waiting<'_>,
    stop: &Arc<AtomicBool>,
) -> Result<(), GeneratorError> {
    let told = starts.told;
    let before = (0..share.number).map(|number| Share { number, ..share }.own_connections() as usize).sum();
    let clients = equipment.clients(targets, before).map_err(|why| told.failed(why))?;
    let plan = own(plan, share, equipment.threads());
    let (mut last, mut known) = (Instant::now(), vec![0; plan.targets]);
    let mut progress = |state: &Progress<'_>| {
        if last.elapsed() < TOLD_EVERY {
            return;
        }
        last = Instant::now();
        let seconds = state.series.iter().zip(&mut known).map(|(series, known)| {
            let new: Vec<_> = series.seconds.range(*known..).map(|(second, seen)| (*second, seen.clone())).collect();
            // The last one may still grow, and so may the one before: threads tell of them at their own time.
            *known = new.last().map_or(*known, |(second, _)| second.saturating_sub(1));
            new
        });
        let _ = told.say(&ToCoordinator::Told { block: state.block, seconds: seconds.collect() });
    };
    let outcome = run_part(&plan, &clients, stop, &mut progress, Some(Part { share, starts }))
        .map_err(|error| told.failed(format!("can't start a thread for the load: {error}")))?;
    let packed = KeptLoad { outcome, ..KeptLoad::default() }.pack().map_err(|error| told.failed(error.to_string()))?;
    told.say_with(&ToCoordinator::Done, &packed)
}

/// What of a plan is one generator's.
fn own(plan: &Plan, share: Share, threads: u32) -> Plan {
    let mut own = plan.clone();
    own.connections = share.own_connections();
    own.threads = threads.clamp(1, own.connections);
    for block in &mut own.blocks {
        block.operations = block.operations.map(|all| share.operations(all));
    }
    own
}
