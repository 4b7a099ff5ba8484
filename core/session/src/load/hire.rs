//! Makes the workers of a load.

use std::time::Duration;

use tare_load::workers::{Launch, WorkerId};
use tare_samples::Failure;
use tare_worker::{Conversation, Launcher, ProcessLauncher};

use crate::job::STARTUP;
use crate::load::suites::Suite;

/// Spreads numbers of operations over all seeds (2⁶⁴ over the golden ratio; Knuth, "The Art of Computer Programming", volume 3, §6.4).
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// The suites under load, by target.
pub(super) struct Hire<'a> {
    pub(super) suites: Vec<&'a Suite>,
    pub(super) timeout: Duration,
    pub(super) seed: u64,
}

impl Launch for Hire<'_> {
    fn connected(&self, place: WorkerId, turn: u64) -> Result<Conversation, Failure> {
        let suite = self.suites[place.target];
        exact_waits();
        // Workers run wherever there is room: what is under load is the machine.
        let mut launcher = ProcessLauncher::new(Vec::new(), &[], STARTUP);
        // Each launch has a heap of its own.
        let seed = self.seed.wrapping_add(u64::from(place.worker)).wrapping_add(turn.wrapping_mul(SPREAD));
        let mut conversation = launcher.launch(&suite.start, seed)?;
        conversation.load(&suite.files, suite.bootstrap.as_deref(), self.timeout.max(STARTUP))?;
        conversation.connect(&suite.name, (place.worker, place.workers), turn, self.timeout)?;
        Ok(conversation)
    }
}

/// The kernel may let every wait of a thread last 50 µs longer to save a wake-up; a process has that from the thread that began it. In an open
/// loop it would be part of each latency.
fn exact_waits() {
    #[cfg(target_os = "linux")]
    let _ = rustix::thread::set_current_timer_slack(std::num::NonZeroU64::new(1));
}
