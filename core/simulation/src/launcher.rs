//! The simulation in memory: a launcher whose time is the simulated machine's.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tare_frames::{Reply, Request};
use tare_samples::{Failure, FailureKind, RuntimeCommand};
use tare_worker::{Conversation, Launcher, ProcessPlacement, Session, Starting, Watching};

use crate::succession::{Succession, locked, place};
use crate::truth::{CaseTruth, Truth};
use crate::worker::Simulated;

/// Launches simulated workers; their clock goes on from launch to launch, and so does what outlasts a launch.
#[derive(Debug)]
pub struct SimulatedLauncher {
    truth: Arc<Truth>,
    now_ns: Arc<AtomicU64>,
    succession: Arc<Mutex<Succession>>,
    first_called: Arc<Mutex<Vec<String>>>,
}

impl SimulatedLauncher {
    /// A simulated machine, at time 0.
    pub fn new(truth: Truth) -> Self {
        Self {
            truth: Arc::new(truth),
            now_ns: Arc::default(),
            succession: Arc::default(),
            first_called: Arc::default(),
        }
    }

    /// The same machine on another of its cores: what outlasts a launch is shared, while its clock stands at 0 and goes by what is done on that core
    /// alone.
    pub fn other_core(&self) -> Self {
        Self {
            truth: Arc::clone(&self.truth),
            now_ns: Arc::default(),
            succession: Arc::clone(&self.succession),
            first_called: Arc::clone(&self.first_called),
        }
    }

    /// Launches so far that were slower by chance ([`CaseTruth::launch_outliers`](crate::CaseTruth::launch_outliers)) or in a slow state
    /// ([`Levels`](crate::Levels)), but for the first of each case, which a pilot takes.
    pub fn outlier_launches(&self) -> u64 {
        locked(&self.succession).outliers()
    }

    /// The benchmark of each launch, in the order in which launches called their benchmark for the first time.
    pub fn first_called(&self) -> Vec<String> {
        locked(&self.first_called).clone()
    }
}

impl Launcher for SimulatedLauncher {
    fn start(&mut self, _runtime: &RuntimeCommand, seed: u64, place: ProcessPlacement) -> Result<Starting, Failure> {
        let mut worker = Simulated::following(
            Arc::clone(&self.succession),
            Arc::clone(&self.truth),
            seed,
            self.now_ns.load(Ordering::Relaxed),
        );
        worker.layout = place.layout;
        let replies = VecDeque::from([Reply::Hello(worker.hello())]);
        let (now_ns, first_called) = (Arc::clone(&self.now_ns), Arc::clone(&self.first_called));
        let session = SimulatedSession { worker, now_ns, replies, uncalled: None, first_called, silent: false };
        Ok(Starting::new(Box::new(session), Duration::from_secs(1)))
    }

    fn now_ns(&self) -> u64 {
        self.now_ns.load(Ordering::Relaxed)
    }

    fn watch(&self, _worker: &Conversation) -> Option<Box<dyn Watching>> {
        Some(Box::new(Watched))
    }

    /// The first word of the command names the simulated case. Its links are numbered as in [`ProcessPlacement::layout`].
    fn places(&self, program: &RuntimeCommand, _functions: &[&str]) -> Vec<Vec<Option<u8>>> {
        let Some(number) = self.truth.cases.iter().position(|case| program.command.first() == Some(&case.name)) else {
            return Vec::new();
        };
        let CaseTruth { links, layout_places, .. } = self.truth.cases[number];
        let at = |link: u32| place(self.truth.seed, number, Some(u64::from(link)), layout_places);
        (0..if layout_places > 0 { links } else { 0 }).map(|link| vec![Some(at(link))]).collect()
    }
}

/// All the time of a case goes in one function.
struct Watched;

impl Watching for Watched {
    fn end(self: Box<Self>) -> BTreeMap<String, u32> {
        [("case".to_owned(), 100)].into()
    }
}

struct SimulatedSession {
    worker: Simulated,
    now_ns: Arc<AtomicU64>,
    replies: VecDeque<Reply>,
    /// What was prepared and hasn't been called yet.
    uncalled: Option<String>,
    first_called: Arc<Mutex<Vec<String>>>,
    /// The last request takes longer than it was given.
    silent: bool,
}

impl Session for SimulatedSession {
    fn receive(&mut self, _deadline: Duration) -> Result<Reply, Failure> {
        if self.silent {
            return Err(Failure::new(FailureKind::Timeout, "the simulated worker is still at work", "give it longer"));
        }
        self.now_ns.fetch_max(self.worker.now_ns(), Ordering::Relaxed);
        self.replies.pop_front().ok_or_else(|| {
            Failure::new(FailureKind::Protocol, "the simulated worker has nothing to say", "send a request first")
        })
    }

    fn send(&mut self, request: &Request, deadline: Duration) -> Result<(), Failure> {
        match request {
            Request::Prepare { benchmark, .. } => self.uncalled = Some(benchmark.clone()),
            Request::Run(run) if run.subject == "case" => locked(&self.first_called).extend(self.uncalled.take()),
            _ => {}
        }
        // Others may have had the core meanwhile.
        let sent_ns = self.now_ns.load(Ordering::Relaxed);
        self.worker.advance_to(sent_ns);
        let replies = self.worker.answer(request);
        let latest_ns = sent_ns.saturating_add(u64::try_from(deadline.as_nanos()).unwrap_or(u64::MAX));
        if self.worker.now_ns() > latest_ns {
            // The core waits until then, and ends the process.
            self.silent = true;
            self.now_ns.fetch_max(latest_ns, Ordering::Relaxed);
        } else {
            self.replies.extend(replies);
        }
        Ok(())
    }

    fn peak_rss_bytes(&self) -> Option<u64> {
        Some(8 << 20)
    }

    fn printed(&mut self) -> (String, String) {
        Default::default()
    }

    fn close(&mut self) {}
}
