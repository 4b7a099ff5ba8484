//! The simulation in memory: a launcher whose time is the simulated machine's.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use tare_frames::{Reply, Request};
use tare_samples::{Failure, FailureKind, RuntimeCommand};
use tare_worker::{Launcher, Place, Session, Starting};

use crate::succession::Succession;
use crate::{Simulated, Truth};

/// Launches simulated workers; their clock goes on from launch to launch, and so does what outlasts a launch.
#[derive(Debug)]
pub struct SimulatedLauncher {
    truth: Arc<Truth>,
    now_ns: Rc<Cell<u64>>,
    succession: Rc<RefCell<Succession>>,
    first_called: Rc<RefCell<Vec<String>>>,
}

impl SimulatedLauncher {
    /// A simulated machine, at time 0.
    pub fn new(truth: Truth) -> Self {
        Self { truth: Arc::new(truth), now_ns: Rc::default(), succession: Rc::default(), first_called: Rc::default() }
    }

    /// Launches so far that were slower by chance ([`CaseTruth::launch_outliers`](crate::CaseTruth::launch_outliers)), but for the first of each
    /// case, which a pilot takes.
    pub fn outlier_launches(&self) -> u64 {
        self.succession.borrow().outliers()
    }

    /// The benchmark of each launch, in the order in which launches called their benchmark for the first time.
    pub fn first_called(&self) -> Vec<String> {
        self.first_called.borrow().clone()
    }
}

impl Launcher for SimulatedLauncher {
    fn start(&mut self, _runtime: &RuntimeCommand, seed: u64, _place: Place) -> Result<Starting, Failure> {
        let worker =
            Simulated::following(Rc::clone(&self.succession), Arc::clone(&self.truth), seed, self.now_ns.get());
        let replies = VecDeque::from([Reply::Hello(worker.hello())]);
        let (now_ns, first_called) = (Rc::clone(&self.now_ns), Rc::clone(&self.first_called));
        let session = SimulatedSession { worker, now_ns, replies, uncalled: None, first_called };
        Ok(Starting::new(Box::new(session), Duration::from_secs(1)))
    }

    fn now_ns(&self) -> u64 {
        self.now_ns.get()
    }
}

struct SimulatedSession {
    worker: Simulated,
    now_ns: Rc<Cell<u64>>,
    replies: VecDeque<Reply>,
    /// What was prepared and hasn't been called yet.
    uncalled: Option<String>,
    first_called: Rc<RefCell<Vec<String>>>,
}

impl Session for SimulatedSession {
    fn receive(&mut self, _deadline: Duration) -> Result<Reply, Failure> {
        self.now_ns.set(self.now_ns.get().max(self.worker.now_ns()));
        self.replies.pop_front().ok_or_else(|| {
            Failure::new(FailureKind::Protocol, "the simulated worker has nothing to say", "send a request first")
        })
    }

    fn send(&mut self, request: &Request, _deadline: Duration) -> Result<(), Failure> {
        match request {
            Request::Prepare { benchmark, .. } => self.uncalled = Some(benchmark.clone()),
            Request::Run(run) if run.subject == "case" => self.first_called.borrow_mut().extend(self.uncalled.take()),
            _ => {}
        }
        // Others may have had the core meanwhile.
        self.worker.advance_to(self.now_ns.get());
        self.replies.extend(self.worker.answer(request));
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
